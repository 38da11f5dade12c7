/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SERVICE_SPIN_H_
#define OD_SOFT_SERVICE_SPIN_H_

/* Looking again for a short time before sleeping, for threads that answer other processes.
 *
 * Between two looks the turn is given away. Where somebody computes on the processor it comes back
 * late, and a sleeper that is woken would have been there sooner: then, and for a while after it,
 * the thread sleeps at once. The while is short at first, since it may have been a moment's
 * disturbance, and doubles each time that the next try fares no better.
 *
 * Where the work itself comes from this processor, each look only keeps its sender from it, while a
 * sleeper that is woken gets its turn at once: who says what work it found sleeps at once then, and
 * tries again now and then. */

#include <stdbool.h>
#include <stdint.h>

struct soft_service_spin {
    uint64_t idle_since; /* ns; 0: not idle */
    uint64_t crowded;    /* ns, until when there is no spinning */
    uint64_t pause;      /* ns, how long that was */
    uint64_t turn;    /* ns, what giving it away took the last time; 0: not since there was work */
    uint32_t shared;  /* pieces of work in a row that came while others had the processor */
    uint32_t at_once; /* pieces of work, after which it sleeps at once */
};

/* There was work. */
static inline void soft_service_spin_reset(struct soft_service_spin *spin)
{
    spin->idle_since = 0;
}

/* The same, for one that wants to sleep at once where who makes the work needs this processor. */
void soft_service_spin_found(struct soft_service_spin *spin);

/* The same after a part of some work, the rest of which comes soon: there is no sleep before. */
static inline void soft_service_spin_part(struct soft_service_spin *spin)
{
    spin->idle_since = spin->turn = 0;
    spin->shared = spin->at_once = 0;
}

/* The turn that was given away at `began` came back late, at `now`. */
void soft_service_spin_late(struct soft_service_spin *spin, uint64_t began, uint64_t now);

/* There was none. True: look again. False: sleep, and look again after it. */
bool soft_service_spin(struct soft_service_spin *spin);

#endif /* OD_SOFT_SERVICE_SPIN_H_ */
