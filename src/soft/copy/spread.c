/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/spread.h"

/* In jobs. Other processors become free without a sign, while their becoming busy is noticed. */
static const struct soft_chooser_plan plan = {
    .options = SOFT_COPY_SPREADS,
    .turn = 12,
    .longest = {[SOFT_COPY_SHARED] = 64, [SOFT_COPY_ALONE] = 8},
    .mean = true,
};

static struct soft_chooser choosers[SOFT_COPY_CLASSES];

const struct soft_copy_spread soft_copy_spread_alone = {
    .pick = {.option = SOFT_COPY_ALONE, .timing = SOFT_CHOOSER_UNTIMED}};

struct soft_copy_spread soft_copy_spread_choose(uint64_t len)
{
    struct soft_copy_spread spread = {.chooser = &choosers[soft_copy_size_class(len)]};

    spread.pick = soft_chooser_pick(spread.chooser, &plan, 1);
    return spread;
}

void soft_copy_spread_learn(const struct soft_copy_spread *spread, uint64_t len, uint64_t ns)
{
    if (spread->pick.timing != SOFT_CHOOSER_UNTIMED)
        soft_chooser_learn(spread->chooser, spread->pick, soft_chooser_cost(ns, len));
}
