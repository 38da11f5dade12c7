/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_CHOICE_H_
#define OD_SOFT_COPY_CHOICE_H_

/* Which loop copies a large piece. The best one depends on the machine, on the size, and on whether
 * the memory is in a cache, so it is learned from the engine's own chunks, for each class of sizes.
 */

#include "soft/copy/chooser.h"
#include "soft/copy/loop.h"

#define SOFT_COPY_CHOICE_MIN (32u << 10) /* bytes; shorter pieces are always copied by memcpy */
#define SOFT_COPY_CLASSES    12u

/* Sizes of one class are within a factor of two, at the ends all that is smaller or larger. */
static inline unsigned int soft_copy_size_class(uint64_t bytes)
{
    unsigned int bits = 63 - (unsigned int)__builtin_clzll(bytes | 1);

    return bits < 15 ? 0 : OD_MIN(bits - 15, SOFT_COPY_CLASSES - 1);
}

/* "auto", "memcpy", "movsb" or "nt" for all large copies; NULL means auto. -EINVAL or -ENOTSUP (not
 * on this machine) with a reason. */
int soft_copy_choice_force(const char *name);

struct soft_copy_choice {
    soft_copy_loop_fn fn;
    struct soft_chooser *chooser;
    struct soft_chooser_pick pick; /* if timed, soft_chooser_learn() wants the cost */
};

/* The loop for a piece of `len` bytes of a copy of `total` bytes. */
struct soft_copy_choice soft_copy_choose(uint64_t total, uint64_t len);

#endif /* OD_SOFT_COPY_CHOICE_H_ */
