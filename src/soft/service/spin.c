/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/spin.h"
#include "util/base.h"
#include "util/clock.h"

#include <sched.h>

#define SPIN_NS   50000u     /* of looking */
#define TURN_NS   100000u    /* of giving a turn away, which says that somebody computes */
#define OTHERS_NS 2000u      /* of giving a turn away, which says that another thread had it */
#define SHARED    4u         /* pieces of work in a row that say where it comes from */
#define AT_ONCE   512u       /* pieces of work until it is tried again */
#define PAUSE_MIN 1000000u   /* ns until that is tried again */
#define PAUSE_MAX 100000000u /* the same after many tries */

/* Tries that go wrong one soon after another make the pause longer. */
void soft_service_spin_late(struct soft_service_spin *spin, uint64_t began, uint64_t now)
{
    const bool again = began - spin->crowded < spin->pause;

    spin->pause = again ? OD_MIN(2 * spin->pause, (uint64_t)PAUSE_MAX) : PAUSE_MIN;
    spin->crowded = now + spin->pause;
}

void soft_service_spin_found(struct soft_service_spin *spin)
{
    spin->idle_since = 0;
    if (spin->at_once > 0) {
        spin->at_once--;
        return;
    }
    if (spin->turn == 0)
        return;
    spin->shared = spin->turn > OTHERS_NS ? spin->shared + 1 : 0;
    spin->turn = 0;
    if (spin->shared == SHARED) {
        spin->shared = 0;
        spin->at_once = AT_ONCE;
    }
}

bool soft_service_spin(struct soft_service_spin *spin)
{
    uint64_t before, after;

    if (spin->at_once > 0)
        return false;
    before = od_now_ns();
    if (spin->idle_since == 0)
        spin->idle_since = before;
    if (before < spin->crowded || before - spin->idle_since > SPIN_NS) {
        spin->idle_since = 0;
        return false;
    }
    sched_yield();
    after = od_now_ns();
    spin->turn = after - before;
    if (after - before > TURN_NS)
        soft_service_spin_late(spin, before, after);
    return true;
}
