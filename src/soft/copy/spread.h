/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_SPREAD_H_
#define OD_SOFT_COPY_SPREAD_H_

/* Whether sharing a copy with the workers pays. It does not when their processors are busy with
 * something else or far away, or when waking them takes as long as the copy, so it is learned, for
 * each class of sizes: what counts is how fast jobs come back. Process-wide, any thread. */

#include "soft/copy/choice.h"

enum soft_copy_spread_option { SOFT_COPY_SHARED, SOFT_COPY_ALONE, SOFT_COPY_SPREADS };

struct soft_copy_spread {
    struct soft_chooser *chooser;
    struct soft_chooser_pick pick;
};

/* What is not shared whatever it costs. */
extern const struct soft_copy_spread soft_copy_spread_alone;

struct soft_copy_spread soft_copy_spread_choose(uint64_t len);

static inline bool soft_copy_spread_is_shared(const struct soft_copy_spread *spread)
{
    return spread->pick.option == SOFT_COPY_SHARED;
}

/* The job took `ns` since it began or, if that is less, since the one before was finished. */
void soft_copy_spread_learn(const struct soft_copy_spread *spread, uint64_t len, uint64_t ns);

#endif /* OD_SOFT_COPY_SPREAD_H_ */
