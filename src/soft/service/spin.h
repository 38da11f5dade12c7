/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SERVICE_SPIN_H_
#define OD_SOFT_SERVICE_SPIN_H_

/* Looking again for a short time before sleeping, for threads that answer other processes.
 *
 * Between two looks the turn is given away. Where somebody computes on the processor it comes back
 * late, and a sleeper that is woken would have been there sooner: then, and for a while after it,
 * the thread sleeps at once. The while is short at first, since it may have been a moment's
 * disturbance, and doubles each time that the next try fares no better. */

#include <stdbool.h>
#include <stdint.h>

struct soft_service_spin {
    uint64_t idle_since; /* ns; 0: not idle */
    uint64_t crowded;    /* ns, until when there is no spinning */
    uint64_t pause;      /* ns, how long that was */
};

/* There was work. */
static inline void soft_service_spin_reset(struct soft_service_spin *spin)
{
    spin->idle_since = 0;
}

/* The turn that was given away at `began` came back late, at `now`. */
void soft_service_spin_late(struct soft_service_spin *spin, uint64_t began, uint64_t now);

/* There was none. True: look again. False: sleep, and look again after it. */
bool soft_service_spin(struct soft_service_spin *spin);

#endif /* OD_SOFT_SERVICE_SPIN_H_ */
