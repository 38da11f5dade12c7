/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/copy/copy.h"

#define JOBS 8u
#define LEN  100u

struct rig {
    const struct soft_copy_ops *ops;
    struct soft_copy_chan *chan;
    struct od_waker waker;
    struct soft_copy_job job[JOBS];
    struct soft_seg seg[JOBS][2];
    char src[LEN];
    char dst[JOBS][LEN];
};

static int try_open(struct rig *rig, const char *base, const char *faults)
{
    struct soft_copy_conf conf = {.threads = 2};

    snprintf(conf.error_base, sizeof(conf.error_base), "%s", base);
    snprintf(conf.faults, sizeof(conf.faults), "%s", faults);
    rig->ops = soft_copy_find("error");
    return rig->ops->open(&conf, JOBS, &rig->waker, &rig->chan);
}

static void start(struct rig *rig, const char *faults)
{
    assert_int_equal(od_waker_open(&rig->waker), 0);
    assert_int_equal(try_open(rig, "inline", faults), 0);
    memset(rig->src, 1, sizeof(rig->src));
    memset(rig->dst, 0, sizeof(rig->dst));
    for (uint32_t i = 0; i < JOBS; i++) {
        rig->seg[i][0] = (struct soft_seg){(uintptr_t)rig->src, LEN, NULL};
        rig->seg[i][1] = (struct soft_seg){(uintptr_t)rig->dst[i], LEN, NULL};
        rig->job[i] = (struct soft_copy_job){
            .src = &rig->seg[i][0], .dst = &rig->seg[i][1], .nsrc = 1, .ndst = 1, .len = LEN};
    }
}

static void stop(struct rig *rig)
{
    assert_null(rig->ops->poll(rig->chan));
    rig->ops->close(rig->chan);
    od_waker_close(&rig->waker);
}

static void submit_all(struct rig *rig)
{
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(rig->ops->submit(rig->chan, &rig->job[i]), 0);
}

/* Polls until all are back, in order. */
static void take_all(struct rig *rig)
{
    time_t deadline = whole_seconds_now() + 30;
    uint32_t done = 0;

    while (done < JOBS) {
        struct soft_copy_job *job = rig->ops->poll(rig->chan);

        assert_true(whole_seconds_now() < deadline);
        if (job == NULL)
            continue;
        assert_ptr_equal(job, &rig->job[done]);
        assert_int_equal(job->len, LEN);
        done++;
    }
}

static void the_nth_fails_and_is_not_copied(void **state)
{
    struct rig rig;

    (void)state;
    start(&rig, "fail=3,fail=5:gone");
    submit_all(&rig);
    take_all(&rig);
    for (uint32_t i = 0; i < JOBS; i++) {
        assert_int_equal(rig.job[i].status, i == 2 ? -EIO : i == 4 ? -ENOTCONN : 0);
        assert_int_equal(rig.dst[i][LEN - 1], i == 2 || i == 4 ? 0 : 1);
    }
    stop(&rig);
}

static void the_nth_is_cut_short(void **state)
{
    struct rig rig;

    (void)state;
    start(&rig, "short=2,short=4:7,short=6:5000");
    submit_all(&rig);
    take_all(&rig);
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(rig.job[i].status, i == 1 || i == 3 || i == 5 ? -EIO : 0);
    assert_int_equal(rig.dst[1][LEN / 2 - 1], 1);
    assert_int_equal(rig.dst[1][LEN / 2], 0);
    assert_int_equal(rig.dst[3][6], 1);
    assert_int_equal(rig.dst[3][7], 0);
    assert_int_equal(rig.dst[5][LEN - 1], 1);
    stop(&rig);
}

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void the_nth_is_late_and_the_ones_behind_it_wait(void **state)
{
    uint64_t began = now();
    struct rig rig;

    (void)state;
    start(&rig, "delay=2:30ms");
    submit_all(&rig);
    while (rig.ops->poll(rig.chan) == NULL)
        ;
    rig.job[0] = rig.job[7];
    /* Not before its time, which may have come by now. */
    for (uint32_t i = 1; i < JOBS; i++) {
        struct soft_copy_job *job;

        while ((job = rig.ops->poll(rig.chan)) == NULL)
            assert_true(rig.ops->pending(rig.chan));
        assert_true(now() - began >= 30000000);
        assert_ptr_equal(job, &rig.job[i]);
        assert_int_equal(job->status, 0);
    }
    stop(&rig);
}

static void submit_answers_again(void **state)
{
    struct rig rig;
    uint32_t refused = 0, done = 0;

    (void)state;
    start(&rig, "again=2");
    assert_int_equal(rig.ops->submit(rig.chan, &rig.job[0]), 0);
    assert_int_equal(rig.ops->submit(rig.chan, &rig.job[1]), -EAGAIN);
    assert_int_equal(rig.ops->submit(rig.chan, &rig.job[1]), 0);
    assert_ptr_equal(rig.ops->poll(rig.chan), &rig.job[0]);
    assert_ptr_equal(rig.ops->poll(rig.chan), &rig.job[1]);
    stop(&rig);

    start(&rig, "again=10%");
    while (done < 10000) {
        if (rig.ops->submit(rig.chan, &rig.job[0]) != 0) {
            refused++;
            continue;
        }
        assert_ptr_equal(rig.ops->poll(rig.chan), &rig.job[0]);
        assert_int_equal(rig.job[0].status, 0);
        done++;
    }
    assert_in_range(refused, 800, 1500);
    stop(&rig);
}

static void cancelling_ends_failures_and_delays_too(void **state)
{
    struct rig rig;

    (void)state;
    start(&rig, "fail=1,delay=2:1000s");
    submit_all(&rig);
    rig.ops->cancel(rig.chan);
    take_all(&rig);
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(rig.job[i].status, -ECANCELED);
    stop(&rig);
}

static void what_it_wraps_must_be_a_real_engine(void **state)
{
    struct rig rig;

    (void)state;
    assert_int_equal(try_open(&rig, "error", ""), -EINVAL);
    assert_int_equal(try_open(&rig, "warp", ""), -EINVAL);
    assert_non_null(strstr(soft_reason(), "'warp'"));
    assert_int_equal(try_open(&rig, "inline", "nonsense"), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nth_fails_and_is_not_copied),
        cmocka_unit_test(the_nth_is_cut_short),
        cmocka_unit_test(the_nth_is_late_and_the_ones_behind_it_wait),
        cmocka_unit_test(submit_answers_again),
        cmocka_unit_test(cancelling_ends_failures_and_delays_too),
        cmocka_unit_test(what_it_wraps_must_be_a_real_engine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
