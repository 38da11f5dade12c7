/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/bench.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void bench_die(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

double bench_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

void bench_pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set); /* best effort: a restricted machine keeps its mask */
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_median(const double *values, unsigned int n)
{
    double sorted[BENCH_MAX_ROUNDS];

    memcpy(sorted, values, n * sizeof(*values));
    qsort(sorted, n, sizeof(*sorted), compare_doubles);
    return sorted[n / 2];
}

/* As JSON has it, which knows no infinity. */
static const char *ratio_of(const struct bench_case *c, double ours, double peer)
{
    static char text[32];
    const double ratio = c->higher_is_better ? ours / peer : peer / ours;

    if (!isfinite(ratio))
        return "null";
    snprintf(text, sizeof(text), "%.3f", ratio);
    return text;
}

static void tell_bar(const struct bench_case *c, double value, const char *bound, double bar,
                     bool met)
{
    printf("bar: %s %s: %.4g %s, %s %.4g: %s\n", c->bench, c->name, value, c->unit, bound, bar,
           met ? "met" : "missed");
    fflush(stdout);
}

void bench_at_most(const struct bench_case *c, double value, double bar)
{
    tell_bar(c, value, "at most", bar, value <= bar);
}

void bench_at_least(const struct bench_case *c, double value, double bar)
{
    tell_bar(c, value, "at least", bar, value >= bar);
}

struct bench_result bench_report(const struct bench_case *c, const char *peer_name,
                                 const double *ours, const double *peer)
{
    double sorted[BENCH_MAX_ROUNDS], peer_median = bench_median(peer, c->rounds), middle;

    memcpy(sorted, ours, c->rounds * sizeof(*ours));
    qsort(sorted, c->rounds, sizeof(*sorted), compare_doubles);
    middle = sorted[c->rounds / 2];
    printf("{\"bench\": \"%s\", \"case\": \"%s\", \"unit\": \"%s\", \"ours\": %.4g, "
           "\"peer\": \"%s\", \"peer_value\": %.4g, \"ratio\": %s, \"runs\": %u, "
           "\"min\": %.4g, \"median\": %.4g, \"max\": %.4g}\n",
           c->bench, c->name, c->unit, middle, peer_name, peer_median,
           ratio_of(c, middle, peer_median), c->rounds, sorted[0], middle, sorted[c->rounds - 1]);
    fflush(stdout);
    return (struct bench_result){middle, peer_median};
}

/* A new order of the sides, by a generator that is the same in every run. */
static void shuffle(unsigned int *order, unsigned int n)
{
    static uint32_t state = 1;

    for (unsigned int i = n - 1; i > 0; i--) {
        unsigned int j, last = order[i];

        state = state * 1664525u + 1013904223u;
        j = (state >> 16) % (i + 1);
        order[i] = order[j];
        order[j] = last;
    }
}

struct bench_result bench_compare(const struct bench_case *c, const struct bench_side *ours,
                                  const struct bench_side *peers, unsigned int npeers)
{
    static double mine[BENCH_MAX_ROUNDS], theirs[4][BENCH_MAX_ROUNDS];
    unsigned int best = 0, order[5] = {0, 1, 2, 3, 4};

    if (npeers == 0 || npeers > 4 || c->rounds > BENCH_MAX_ROUNDS)
        bench_die(c->name, "bad number of peers or rounds");
    ours->run(ours->arg);
    for (unsigned int p = 0; p < npeers; p++)
        peers[p].run(peers[p].arg);
    /* The caches are as the one before has left them: nobody always follows the same. */
    for (unsigned int i = 0; i < c->rounds; i++) {
        shuffle(order, npeers + 1);
        for (unsigned int k = 0; k <= npeers; k++) {
            unsigned int turn = order[k];

            if (turn == npeers)
                mine[i] = ours->run(ours->arg);
            else
                theirs[turn][i] = peers[turn].run(peers[turn].arg);
        }
    }
    for (unsigned int p = 1; p < npeers; p++) {
        double candidate = bench_median(theirs[p], c->rounds),
               now = bench_median(theirs[best], c->rounds);

        if (c->higher_is_better ? candidate > now : candidate < now)
            best = p;
    }
    return bench_report(c, peers[best].name, mine, theirs[best]);
}

#define PING_PONGS 20000

struct ping_pong {
    _Alignas(64) atomic_uint ping;
    _Alignas(64) atomic_uint pong;
};

static void *answer(void *arg)
{
    struct ping_pong *line = arg;

    bench_pin(1);
    for (unsigned int i = 1; i <= PING_PONGS; i++) {
        while (atomic_load_explicit(&line->ping, memory_order_acquire) != i)
            ;
        atomic_store_explicit(&line->pong, i, memory_order_release);
    }
    return NULL;
}

double bench_ping_pong(void)
{
    static struct ping_pong line;
    pthread_t thread;
    cpu_set_t before;
    double begin;

    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return 0;
    atomic_store(&line.ping, 0);
    atomic_store(&line.pong, 0);
    if (pthread_create(&thread, NULL, answer, &line) != 0)
        return 0;
    sched_getaffinity(0, sizeof(before), &before);
    bench_pin(0);
    begin = bench_now();
    for (unsigned int i = 1; i <= PING_PONGS; i++) {
        atomic_store_explicit(&line.ping, i, memory_order_release);
        while (atomic_load_explicit(&line.pong, memory_order_acquire) != i)
            ;
    }
    begin = bench_now() - begin;
    pthread_join(thread, NULL);
    sched_setaffinity(0, sizeof(before), &before);
    return begin / PING_PONGS * 1e9;
}
