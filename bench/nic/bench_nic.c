/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports over AF_XDP beside DPDK's testpmd and a bare libxdp loop: the same interfaces, the same
 * traffic, by turns. Rates, and what a frame costs the core of who takes it, while it has frames;
 * testpmd's own figure counts what others take of its core as well. On a busy machine rates tell
 * how often the receiver lost its core; what frames cost the sender's core, where the kernel
 * receives them as well, changes less.
 *
 * Each bar is told as "bar: value, bar, met or missed": of each round the ratio of those who stood
 * side by side, then the median of the rounds. What a frame costs is the time between two frames,
 * "by rate", and the time "of the core" that it took.
 *
 * BENCH_NIC_ROUNDS: how often, up to 9. BENCH_NIC_ONLY: cases in whose names this is.
 * BENCH_NIC_PORT: another kind of port, such as af_packet. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "lib/bench.h"
#include "side.h"
#include "util/parse.h"

#define ROUNDS_MAX 9

static unsigned int rounds = 3;
static double seconds = 0.25;
static const struct side *peers[2];
static unsigned int npeers;
static double ns_per_tick;

double side_ticks_to_ns(double ticks)
{
    return ticks * ns_per_tick;
}

#define SWITCHED_NS 150e3 /* longer than any burst takes */

void side_note(struct side_cost *cost, uint32_t frames, uint64_t ticks)
{
    if ((double)ticks * ns_per_tick > SWITCHED_NS)
        return;
    cost->frames += frames;
    cost->ticks += (double)ticks;
}

double side_cost_ns(const struct side_cost *cost)
{
    return cost->frames > 0 ? cost->ticks / cost->frames * ns_per_tick : 0;
}

static void calibrate(void)
{
    double begin = bench_now();
    uint64_t ticks = __rdtsc();

    while (bench_now() < begin + 0.05)
        ;
    ns_per_tick = (bench_now() - begin) * 1e9 / (double)(__rdtsc() - ticks);
}

static void report(const char *name, const char *what, const char *unit, int higher,
                   const char *peer, const double *ours, const double *theirs)
{
    char text[96];
    const struct bench_case c = {
        .bench = "nic", .name = text, .unit = unit, .higher_is_better = higher, .rounds = rounds};

    snprintf(text, sizeof(text), "%s, %s", name, what);
    bench_report(&c, peer, ours, theirs);
}

struct figures {
    double rates[ROUNDS_MAX], costs[ROUNDS_MAX], senders[ROUNDS_MAX];
};

static void split(const struct side_result *results, struct figures *figures)
{
    for (unsigned int i = 0; i < rounds; i++) {
        figures->rates[i] = results[i].rate;
        figures->costs[i] = results[i].ns;
        figures->senders[i] = results[i].sender;
    }
}

static void tell_bar(const char *name, const char *what, const char *peer, double value,
                     const char *limit, double bar, bool is_met)
{
    printf("bar: %s, %s: %.2f of %s, %s %.2f: %s\n", name, what, value, peer, limit, bar,
           is_met ? "met" : "missed");
    fflush(stdout);
}

/* Of the rounds. 0: the other one has no figure. */
static double median_ratio(const double *values, const double *others)
{
    double ratios[ROUNDS_MAX];

    for (unsigned int i = 0; i < rounds; i++) {
        if (!(others[i] > 0))
            return 0;
        ratios[i] = values[i] / others[i];
    }
    return bench_median(ratios, rounds);
}

static void tell_cost(const char *name, const char *what, const char *peer, double value,
                      double bar)
{
    if (value > 0)
        tell_bar(name, what, peer, value, "at most", bar, value <= bar);
    else
        printf("bar: %s, %s: no figure beside %s\n", name, what, peer);
}

/* A frame of 64 bytes that is dropped costs at most what it costs testpmd, and at most 1.1 times
 * what it costs the bare loop; frames are forwarded at 0.9 of the rate of testpmd. */
static void tell_bars(const char *name, enum job job, const struct traffic *traffic,
                      const struct side *peer, const struct figures *ours,
                      const struct figures *theirs)
{
    double most = peer == &side_testpmd ? 1.0 : 1.1, value;

    if (job == JOB_DROP && traffic->size == 64) {
        tell_cost(name, "cost by rate", peer->name, median_ratio(theirs->rates, ours->rates), most);
        tell_cost(name, "cost of the core", peer->name, median_ratio(ours->costs, theirs->costs),
                  most);
    } else if (job == JOB_FORWARD && peer == &side_testpmd) {
        value = median_ratio(ours->rates, theirs->rates);
        tell_bar(name, "rate", peer->name, value, "at least", 0.9, value >= 0.9);
    }
}

static void compare(const char *name, enum job job, struct traffic traffic)
{
    struct side_result results[3][ROUNDS_MAX];
    struct figures ours, theirs;

    for (unsigned int i = 0; i < rounds; i++) {
        side_ours.run(job, &traffic, seconds, &results[0][i]);
        for (unsigned int k = 0; k < npeers; k++)
            peers[k]->run(job, &traffic, seconds, &results[k + 1][i]);
    }
    split(results[0], &ours);
    for (unsigned int k = 0; k < npeers; k++) {
        split(results[k + 1], &theirs);
        report(name, "rate", "M/s", 1, peers[k]->name, ours.rates, theirs.rates);
        if (job == JOB_SEND)
            continue;
        report(name, "of the core", "ns", 0, peers[k]->name, ours.costs, theirs.costs);
        report(name, "of the sender's core", "ns", 0, peers[k]->name, ours.senders, theirs.senders);
        tell_bars(name, job, &traffic, peers[k], &ours, &theirs);
    }
}

/* What a thousand rules cost over one. */
static void compare_entries(void)
{
    const struct traffic traffic = {TRAFFIC_FAST, 64, 1};
    struct side_result one[ROUNDS_MAX], many[ROUNDS_MAX];
    struct figures of_one, of_many;
    double value;

    for (unsigned int i = 0; i < rounds; i++) {
        struct traffic flows = traffic;

        side_entries = 1;
        side_ours.run(JOB_DROP, &flows, seconds, &one[i]);
        side_entries = 1024;
        flows.flows = 1024;
        side_ours.run(JOB_DROP, &flows, seconds, &many[i]);
    }
    side_entries = 0;
    split(one, &of_one);
    split(many, &of_many);
    report("1024 entries", "rate", "M/s", 1, "one entry", of_many.rates, of_one.rates);
    report("1024 entries", "of the core", "ns", 0, "one entry", of_many.costs, of_one.costs);
    value = median_ratio(of_many.rates, of_one.rates);
    tell_bar("1024 entries", "rate", "one entry", value, "at least", 0.8, value >= 0.8);
}

static bool is_wanted(const char *name)
{
    const char *only = getenv("BENCH_NIC_ONLY");

    return only == NULL || strstr(name, only) != NULL;
}

int main(void)
{
    static const struct {
        const char *name;
        enum job job;
        struct traffic traffic;
    } cases[] = {
        {"drop, 64 B, fast", JOB_DROP, {TRAFFIC_FAST, 64, 1}},
        {"drop, 1518 B, fast", JOB_DROP, {TRAFFIC_FAST, 1514, 1}},
        {"drop in place, 64 B, fast", JOB_DROP, {TRAFFIC_FAST, 64, 1}},
        {"drop in place, 1518 B, fast", JOB_DROP, {TRAFFIC_FAST, 1514, 1}},
        {"drop, 64 B, ordinary", JOB_DROP, {TRAFFIC_ORDINARY, 64, 1}},
        {"drop, 1518 B, ordinary", JOB_DROP, {TRAFFIC_ORDINARY, 1514, 1}},
        {"forward, 64 B, fast", JOB_FORWARD, {TRAFFIC_FAST, 64, 1}},
        {"forward, 1518 B, fast", JOB_FORWARD, {TRAFFIC_FAST, 1514, 1}},
        {"forward in place, 64 B, fast", JOB_FORWARD, {TRAFFIC_FAST, 64, 1}},
        {"forward in place, 1518 B, fast", JOB_FORWARD, {TRAFFIC_FAST, 1514, 1}},
        {"send, 64 B", JOB_SEND, {TRAFFIC_FAST, 64, 1}},
        {"send, 1518 B", JOB_SEND, {TRAFFIC_FAST, 1514, 1}},
    };
    const char *why = traffic_make_interfaces();
    uint64_t wanted;

    if (why != NULL) {
        printf("nic: left out: %s\n", why);
        return 0;
    }
    if (getenv("BENCH_NIC_ROUNDS") != NULL &&
        od_parse_size(getenv("BENCH_NIC_ROUNDS"), &wanted) == 0 && wanted >= 1 &&
        wanted <= ROUNDS_MAX)
        rounds = (unsigned int)wanted;
    peers[npeers++] = &side_bare;
    why = side_find_testpmd();
    if (why == NULL)
        peers[npeers++] = &side_testpmd;
    else
        printf("nic: without testpmd: %s\n", why);
    bench_pin(MEASURE_CORE);
    calibrate();
    printf("line ping-pong before: %.0f ns\n", bench_ping_pong());
    fflush(stdout);
    for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        side_in_place = strstr(cases[i].name, "in place") != NULL;
        if (is_wanted(cases[i].name))
            compare(cases[i].name, cases[i].job, cases[i].traffic);
    }
    side_in_place = false;
    if (is_wanted("entries"))
        compare_entries();
    printf("line ping-pong after: %.0f ns\n", bench_ping_pong());
    return 0;
}
