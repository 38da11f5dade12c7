/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/choice.h"

#include <errno.h>
#include <string.h>

#define CACHED    (8u << 20) /* a larger copy finds nothing of the one before in a cache */
#define COLD_TURN (1u << 20) /* bytes; one after the other is enough then */
#define LONGEST   128u       /* turns */

static struct soft_chooser choosers[SOFT_COPY_CLASSES];
static atomic_int forced = -1;

struct soft_copy_choice soft_copy_choose(uint64_t total, uint64_t len)
{
    int fixed = atomic_load_explicit(&forced, memory_order_relaxed);
    struct soft_copy_choice choice = {.chooser = &choosers[soft_copy_size_class(total)]};
    struct soft_chooser_plan plan = {
        .options = soft_copy_loop_count(),
        .longest = {LONGEST, LONGEST, LONGEST},
        .turn = total < CACHED ? OD_MAX(2 * total, 4 * len) : COLD_TURN,
    };

    if (od_unlikely(fixed >= 0))
        choice.pick.option = (uint8_t)fixed;
    else
        choice.pick = soft_chooser_pick(choice.chooser, &plan, len);
    choice.fn = soft_copy_loop_get((enum soft_copy_loop)choice.pick.option);
    return choice;
}

int soft_copy_choice_force(const char *name)
{
    int found = -1;

    if (name != NULL && strcmp(name, "auto") != 0) {
        for (int i = 0; i < SOFT_COPY_LOOPS; i++) {
            if (strcmp(name, soft_copy_loop_name((enum soft_copy_loop)i)) == 0)
                found = i;
        }
        if (found < 0)
            return soft_fail(-EINVAL, "OPENDOCA_COPY_LOOP is '%s', not auto, memcpy, movsb or nt",
                             name);
        if (soft_copy_loop_get((enum soft_copy_loop)found) == NULL)
            return soft_fail(
                -ENOTSUP, "OPENDOCA_COPY_LOOP is '%s', which this machine lacks; use auto", name);
    }
    atomic_store_explicit(&forced, found, memory_order_relaxed);
    return 0;
}
