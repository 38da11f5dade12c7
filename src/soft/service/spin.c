/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/spin.h"
#include "util/clock.h"

#include <sched.h>

#define SPIN_NS  50000u     /* of looking */
#define TURN_NS  100000u    /* of giving a turn away, which says that somebody computes */
#define CROWD_NS 100000000u /* until that is tried again */

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
        spin->crowded = after + CROWD_NS;
    return true;
}
