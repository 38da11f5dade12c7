/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_CONFORMANCE_COPY_RIG_H_
#define OD_TESTS_CONFORMANCE_COPY_RIG_H_

/* Runs cases on every copy engine of the generated table, each with one lane and with several. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/copy/copy.h"

#define RIG_DEPTH   64u
#define RIG_SECONDS 60 /* no case waits longer for a job */
#define RIG_PAGE    ((size_t)4096)

struct rig {
    const struct soft_copy_ops *ops;
    struct soft_copy_conf conf;
    struct od_waker waker;
    struct soft_copy_chan *chan;
};

static inline time_t rig_deadline(void)
{
    return whole_seconds_now() + RIG_SECONDS;
}

static inline void rig_submit(struct rig *rig, struct soft_copy_job *job)
{
    assert_int_equal(rig->ops->submit(rig->chan, job), 0);
}

/* The next finished job; fails the test when none comes. */
static inline struct soft_copy_job *rig_next(struct rig *rig)
{
    time_t deadline = rig_deadline();
    struct soft_copy_job *job;

    while ((job = rig->ops->poll(rig->chan)) == NULL)
        assert_true(whole_seconds_now() < deadline);
    return job;
}

/* A job between two contiguous local ranges; `seg` gets both segments. */
static inline struct soft_copy_job rig_job(struct soft_seg seg[2], void *dst, const void *src,
                                           size_t len)
{
    seg[0] = (struct soft_seg){.addr = (uintptr_t)src, .len = len};
    seg[1] = (struct soft_seg){.addr = (uintptr_t)dst, .len = len};
    return (struct soft_copy_job){
        .src = &seg[0], .dst = &seg[1], .nsrc = 1, .ndst = 1, .len = len, .status = 1};
}

static inline int rig_copy(struct rig *rig, void *dst, const void *src, size_t len)
{
    struct soft_seg seg[2];
    struct soft_copy_job job = rig_job(seg, dst, src, len);

    rig_submit(rig, &job);
    assert_ptr_equal(rig_next(rig), &job);
    return job.status;
}

static inline char *rig_map(size_t len)
{
    char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(at != MAP_FAILED);
    return at;
}

/* Bytes that differ from place to place and never are 0xee, the colour of untouched memory. */
static inline void rig_fill(char *at, size_t len, uint32_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525u + 1013904223u;
        at[i] = (char)((seed >> 24) == 0xee ? 0 : seed >> 24);
    }
}

static inline bool rig_is_untouched(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)at[i] != 0xee)
            return false;
    }
    return true;
}

struct rig_case {
    const char *name;
    void (*run)(void **state);
};

#define RIG_CASE(f)                                                                                \
    {                                                                                              \
#f, f                                                                                      \
    }

struct rig_plan {
    const struct soft_copy_ops *ops;
    uint32_t lanes;
    const struct rig_case *test;
    char label[200];
};

/* The channel is opened here and not in a fixture, because the framework puts its own fault
 * handlers in place for each function that it calls. */
static inline void rig_run(void **state)
{
    const struct rig_plan *plan = *state;
    struct rig rig = {.ops = plan->ops, .conf = {.threads = plan->lanes}};
    void *arg = &rig;

    assert_int_equal(od_waker_open(&rig.waker), 0);
    assert_int_equal(rig.ops->open(&rig.conf, RIG_DEPTH, &rig.waker, &rig.chan), 0);
    plan->test->run(&arg);
    rig.ops->close(rig.chan);
    od_waker_close(&rig.waker);
}

#define RIG_PLANS 256u

/* Every case on every engine with one lane and with three. */
static inline int rig_main(const struct rig_case *cases, size_t ncases)
{
    static struct rig_plan plans[RIG_PLANS];
    static struct CMUnitTest tests[RIG_PLANS];
    size_t n = 0;

    for (const struct soft_copy_ops *const *ops = soft_copy_engines(); *ops != NULL; ops++) {
        for (size_t i = 0; i < 2 * ncases && n < RIG_PLANS; i++) {
            struct rig_plan *plan = &plans[n];

            plan->ops = *ops;
            plan->lanes = i < ncases ? 1 : 3;
            plan->test = &cases[i % ncases];
            snprintf(plan->label, sizeof(plan->label), "%.20s, %u lanes: %.150s", (*ops)->name,
                     plan->lanes, plan->test->name);
            tests[n++] = (struct CMUnitTest){plan->label, rig_run, NULL, NULL, plan};
        }
    }
    return _cmocka_run_group_tests("copy engines", tests, n, NULL, NULL);
}

#endif /* OD_TESTS_CONFORMANCE_COPY_RIG_H_ */
