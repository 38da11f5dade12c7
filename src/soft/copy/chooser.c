/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/chooser.h"

#include <string.h>

#define FIRST_PERIOD 24u
#define PERIOD_LIMIT (1u << 16)
#define WATCH_EVERY  8u
#define REST_FACTOR  16u         /* a round takes at most one part in so many of the time */
#define REST_LONGEST 1000000000u /* ns; the caller may have done something else in between */

static void add_sample(struct soft_chooser_samples *samples, uint32_t cost)
{
    samples->cost[samples->n++ % SOFT_CHOOSER_SAMPLES] = cost;
}

static uint32_t mean(const struct soft_chooser_samples *samples, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += samples->cost[i];
    return (uint32_t)(sum / n);
}

static uint32_t median(const struct soft_chooser_samples *samples, uint32_t n)
{
    uint32_t sorted[SOFT_CHOOSER_SAMPLES];

    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;

        for (; k > 0 && sorted[k - 1] > samples->cost[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = samples->cost[i];
    }
    return sorted[n / 2];
}

/* 0 without samples. */
static uint32_t typical(const struct soft_chooser_samples *samples, bool take_mean)
{
    uint32_t n = OD_MIN(samples->n, SOFT_CHOOSER_SAMPLES);

    if (n == 0)
        return 0;
    return take_mean ? mean(samples, n) : median(samples, n);
}

static void begin_round(struct soft_chooser *chooser, uint32_t period, uint64_t turn)
{
    chooser->period = period;
    chooser->turn = 0;
    chooser->left = (int64_t)turn;
    chooser->began = soft_copy_now();
    memset(chooser->tried, 0, sizeof(chooser->tried));
}

/* All have had their turn. */
static uint32_t decide(struct soft_chooser *chooser, const struct soft_chooser_plan *plan)
{
    uint32_t best = atomic_load_explicit(&chooser->best, memory_order_relaxed);
    uint64_t now = soft_copy_now();

    chooser->rest = now + OD_MIN((now - chooser->began) * REST_FACTOR, (uint64_t)REST_LONGEST);
    chooser->mean = plan->mean;
    chooser->settled = 0;
    chooser->watched.n = 0;
    for (uint32_t i = 0; i < plan->options; i++) {
        uint32_t cost = typical(&chooser->tried[i], plan->mean);

        if (cost != 0 && (chooser->settled == 0 || cost < chooser->settled)) {
            chooser->settled = cost;
            best = i;
        }
    }
    atomic_store_explicit(&chooser->best, (unsigned char)best, memory_order_relaxed);
    return best;
}

static void next_round(struct soft_chooser *chooser, const struct soft_chooser_plan *plan)
{
    if (chooser->period == 0)
        begin_round(chooser, FIRST_PERIOD, plan->turn);
    else if (soft_copy_now() < chooser->rest)
        chooser->left = (int64_t)plan->turn;
    else
        begin_round(chooser, OD_MIN(chooser->period * 4, PERIOD_LIMIT), plan->turn);
}

static void next_turn(struct soft_chooser *chooser, const struct soft_chooser_plan *plan)
{
    if (chooser->period == 0 || chooser->turn >= plan->options) {
        next_round(chooser, plan);
        return;
    }
    chooser->turn++;
    chooser->left = (int64_t)plan->turn;
    if (chooser->turn == plan->options) {
        uint32_t best = decide(chooser, plan);

        chooser->left *= OD_MIN(chooser->period, plan->longest[best]);
    }
}

static struct soft_chooser_pick advance(struct soft_chooser *chooser,
                                        const struct soft_chooser_plan *plan, uint64_t step)
{
    struct soft_chooser_pick pick;

    if (od_unlikely(chooser->left <= 0))
        next_turn(chooser, plan);
    chooser->left -= (int64_t)step;
    if (od_unlikely(chooser->turn < plan->options)) {
        pick.option = chooser->turn;
        pick.timing =
            chooser->left < (int64_t)(plan->turn / 2) ? SOFT_CHOOSER_TRIED : SOFT_CHOOSER_UNTIMED;
    } else {
        pick.option = atomic_load_explicit(&chooser->best, memory_order_relaxed);
        pick.timing =
            chooser->picks++ % WATCH_EVERY == 0 ? SOFT_CHOOSER_WATCHED : SOFT_CHOOSER_UNTIMED;
    }
    return pick;
}

struct soft_chooser_pick soft_chooser_pick(struct soft_chooser *chooser,
                                           const struct soft_chooser_plan *plan, uint64_t step)
{
    struct soft_chooser_pick pick = {0, SOFT_CHOOSER_UNTIMED};

    if (od_unlikely(atomic_flag_test_and_set_explicit(&chooser->busy, memory_order_acquire))) {
        pick.option = atomic_load_explicit(&chooser->best, memory_order_relaxed);
        return pick;
    }
    pick = advance(chooser, plan, step);
    atomic_flag_clear_explicit(&chooser->busy, memory_order_release);
    return pick;
}

/* Work that changes all the time must not be tried all the time: the period only grows. */
static void watch(struct soft_chooser *chooser, uint32_t cost)
{
    uint64_t now;

    add_sample(&chooser->watched, cost);
    if (chooser->settled == 0 || chooser->watched.n % SOFT_CHOOSER_SAMPLES != 0)
        return;
    now = typical(&chooser->watched, chooser->mean);
    if (now > chooser->settled * 3ull / 2 || now * 3 / 2 < chooser->settled)
        chooser->left = 0;
}

void soft_chooser_learn(struct soft_chooser *chooser, struct soft_chooser_pick pick, uint64_t cost)
{
    uint32_t sample = (uint32_t)OD_MIN(cost, (uint64_t)UINT32_MAX);

    if (atomic_flag_test_and_set_explicit(&chooser->busy, memory_order_acquire))
        return;
    if (pick.timing == SOFT_CHOOSER_WATCHED)
        watch(chooser, sample);
    else if (pick.timing == SOFT_CHOOSER_TRIED)
        add_sample(&chooser->tried[pick.option], sample);
    atomic_flag_clear_explicit(&chooser->busy, memory_order_release);
}
