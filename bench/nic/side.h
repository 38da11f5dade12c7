/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_NIC_SIDE_H_
#define BENCH_NIC_SIDE_H_

/* Those who are measured. Each takes what the traffic gives, or sends by itself, for some time. */

#include "traffic.h"

enum job {
    JOB_DROP,    /* what comes in at rx0 */
    JOB_FORWARD, /* from rx0 to tx0 */
    JOB_SEND,    /* out of tx0, without traffic */
};

struct side_result {
    double rate;   /* million frames a second that were taken, or came to the sink */
    double ns;     /* of the core, a frame, while there was something to do */
    double sender; /* ns of the sender's core, a frame, whether or not it was lost */
};

struct side {
    const char *name;
    void (*run)(enum job job, const struct traffic *traffic, double seconds,
                struct side_result *result);
};

extern const struct side side_ours, side_bare, side_testpmd;

/* Of the time stamp counter, in nanoseconds. */
double side_ticks_to_ns(double ticks);

/* What bursts of frames cost, without those during which somebody else had the core. */
struct side_cost {
    double frames, ticks;
};

void side_note(struct side_cost *cost, uint32_t frames, uint64_t ticks);
double side_cost_ns(const struct side_cost *cost);

/* NULL, or why testpmd cannot be run. */
const char *side_find_testpmd(void);

/* Entries of the table that frames go through; 0: there is none. Ours only. */
extern uint32_t side_entries;

/* Whether frames may be received right into the places that are posted. Ours only. */
extern bool side_in_place;

#endif /* BENCH_NIC_SIDE_H_ */
