/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/spin.h"
#include "util/base.h"
#include "util/clock.h"

#include <sched.h>

#define SPIN_NS   50000u     /* of looking */
#define TURN_NS   100000u    /* of giving a turn away, which says that somebody computes */
#define PAUSE_MIN 1000000u   /* ns until that is tried again */
#define PAUSE_MAX 100000000u /* the same after many tries */

/* Tries that go wrong one soon after another make the pause longer. */
void soft_service_spin_late(struct soft_service_spin *spin, uint64_t began, uint64_t now)
{
    const bool again = began - spin->crowded < spin->pause;

    spin->pause = again ? OD_MIN(2 * spin->pause, (uint64_t)PAUSE_MAX) : PAUSE_MIN;
    spin->crowded = now + spin->pause;
}

bool soft_service_spin(struct soft_service_spin *spin)
{
    const uint64_t before = od_now_ns();
    uint64_t after;

    if (spin->idle_since == 0)
        spin->idle_since = before;
    if (before < spin->crowded || before - spin->idle_since > SPIN_NS) {
        spin->idle_since = 0;
        return false;
    }
    sched_yield();
    after = od_now_ns();
    if (after - before > TURN_NS)
        soft_service_spin_late(spin, before, after);
    return true;
}
