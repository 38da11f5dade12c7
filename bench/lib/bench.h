/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_LIB_BENCH_H_
#define BENCH_LIB_BENCH_H_

/* Measuring ours beside a peer. Both are run alternately, so that both see the same noise; a result
 * is the median, and its spread is told beside it. */

#include <stdint.h>

struct bench_side {
    const char *name;
    /* Does the work once and returns how much of the unit it took or reached. */
    double (*run)(void *arg);
    void *arg;
};

struct bench_case {
    const char *bench;
    const char *name;
    const char *unit; /* "ns", "GB/s", ... */
    int higher_is_better;
    unsigned int rounds; /* odd, so that the median is one of them; at most BENCH_MAX_ROUNDS */
};

#define BENCH_MAX_ROUNDS 101

/* Medians. */
struct bench_result {
    double ours;
    double peer;
};

/* Runs ours and up to `npeers` peers; the ratio is against the best peer. Prints one JSON object on
 * one line, with the best peer's name. */
struct bench_result bench_compare(const struct bench_case *c, const struct bench_side *ours,
                                  const struct bench_side *peers, unsigned int npeers);

/* Prints a result that was measured elsewhere. `ours`, `peer` are arrays of `rounds` values. */
struct bench_result bench_report(const struct bench_case *c, const char *peer_name,
                                 const double *ours, const double *peer);

/* Prints a line that says whether `value` is at what was promised for a case. */
void bench_at_most(const struct bench_case *c, double value, double bar);
void bench_at_least(const struct bench_case *c, double value, double bar);

double bench_median(const double *values, unsigned int n); /* at most BENCH_MAX_ROUNDS */

double bench_now(void); /* seconds, monotonic */

/* One cache-line hop there and back between cores 0 and 1, in ns; 0 with a single core. */
double bench_ping_pong(void);

void bench_pin(int cpu);

/* Aborts with a message: a benchmark that cannot measure must not report. */
void bench_die(const char *what, const char *why) __attribute__((noreturn));

#endif /* BENCH_LIB_BENCH_H_ */
