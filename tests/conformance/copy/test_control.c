/* SPDX-License-Identifier: BSD-3-Clause */

/* Cancelling, sleeping and waking, bounded polls. */

#include <poll.h>

#include "conformance/copy/rig.h"

#define LARGE ((size_t)32 << 20)

static void cancelled_jobs_come_back_in_order_and_untouched(void **state)
{
    struct rig *rig = *state;
    struct soft_copy_job job[RIG_DEPTH];
    struct soft_seg seg[RIG_DEPTH][2];
    char src[64] = {1}, dst[RIG_DEPTH][64];

    memset(dst, 0xee, sizeof(dst));
    for (uint32_t i = 0; i < RIG_DEPTH; i++) {
        job[i] = rig_job(seg[i], dst[i], src, sizeof(src));
        rig_submit(rig, &job[i]);
    }
    assert_ptr_equal(rig_next(rig), &job[0]);
    rig->ops->cancel(rig->chan);
    assert_true(rig->ops->pending(rig->chan));
    for (uint32_t i = 1; i < RIG_DEPTH; i++) {
        assert_ptr_equal(rig_next(rig), &job[i]);
        if (job[i].status == 0) {
            assert_memory_equal(dst[i], src, sizeof(src));
        } else {
            assert_int_equal(job[i].status, -ECANCELED);
            assert_true(rig_is_untouched(dst[i], sizeof(src)));
        }
    }
    assert_int_equal(job[RIG_DEPTH - 1].status, -ECANCELED);
    assert_null(rig->ops->poll(rig->chan));
}

/* With one lane all work is done in polls. Other lanes go on while this thread waits for a CPU and
 * may get to the end of all jobs that were handed to them, though not of one that was not. */
static void a_running_copy_is_cut_short(void **state)
{
    struct rig *rig = *state;
    struct soft_copy_job *job_done, job[6];
    struct soft_seg seg[6][2];
    char *src = rig_map(LARGE), *dst = rig_map(LARGE);
    bool alone = rig->conf.threads == 1;

    for (uint32_t i = 0; i < 6; i++) {
        job[i] = rig_job(seg[i], dst, src, i == 5 ? 64 : LARGE);
        rig_submit(rig, &job[i]);
    }
    job_done = rig->ops->poll(rig->chan);
    if (alone)
        assert_null(job_done);
    rig->ops->cancel(rig->chan);
    for (uint32_t i = 0; i < 6; i++) {
        assert_ptr_equal(job_done != NULL ? job_done : rig_next(rig), &job[i]);
        job_done = NULL;
        if (alone || job[i].status != 0)
            assert_int_equal(job[i].status, -ECANCELED);
    }
    assert_int_equal(job[5].status, -ECANCELED);
    assert_int_equal(rig_copy(rig, dst, src, LARGE), 0);
    munmap(src, LARGE);
    munmap(dst, LARGE);
}

static void cancelling_nothing_is_fine(void **state)
{
    struct rig *rig = *state;
    char src[8] = "1234567", dst[8];

    rig->ops->cancel(rig->chan);
    assert_false(rig->ops->pending(rig->chan));
    assert_null(rig->ops->poll(rig->chan));
    assert_int_equal(rig_copy(rig, dst, src, 8), 0);
    assert_string_equal(dst, src);
}

/* One poll does not take as long as a large copy: it comes back many times before the end, unless
 * other lanes got there while this thread waited for a CPU. */
static void a_large_copy_takes_many_polls(void **state)
{
    struct rig *rig = *state;
    struct soft_seg seg[2];
    char *src = rig_map(LARGE), *dst = rig_map(LARGE);
    struct soft_copy_job job = rig_job(seg, dst, src, LARGE);
    time_t deadline = rig_deadline();
    uint32_t polls = 1;

    rig_submit(rig, &job);
    while (rig->ops->poll(rig->chan) == NULL) {
        assert_true(whole_seconds_now() < deadline);
        polls++;
    }
    assert_int_equal(job.status, 0);
    assert_true(polls >= 4 || rig->conf.threads > 1);
    munmap(src, LARGE);
    munmap(dst, LARGE);
}

/* The loop of an owner that sleeps: arm, look once more, block. It must end by itself. */
static void sleep_and_poll(struct rig *rig, uint32_t jobs)
{
    for (uint32_t done = 0; done < jobs;) {
        struct pollfd fd = {.fd = rig->waker.fd, .events = POLLIN};

        od_waker_arm(&rig->waker);
        if (!rig->ops->pending(rig->chan))
            assert_int_equal(poll(&fd, 1, RIG_SECONDS * 1000), 1);
        assert_int_equal(od_waker_clear(&rig->waker), 0);
        while (rig->ops->pending(rig->chan))
            done += rig->ops->poll(rig->chan) != NULL;
    }
}

static void an_owner_that_sleeps_is_woken(void **state)
{
    static const size_t sizes[] = {64, 1 << 20, 100000, 3 << 20, 64, 64, 2 << 20, 200000};
    struct rig *rig = *state;
    struct soft_copy_job job[8];
    struct soft_seg seg[8][2];
    size_t room = 4u << 20;
    char *src = rig_map(room), *dst = rig_map(room);

    for (uint32_t round = 0; round < 200; round++) {
        uint32_t n = 1 + round % 8;

        /* Also when it has armed already. */
        if (round / 8 % 2 == 1)
            od_waker_arm(&rig->waker);
        for (uint32_t i = 0; i < n; i++) {
            job[i] = rig_job(seg[i], dst, src, sizes[(i + round / 8) % 8]);
            rig_submit(rig, &job[i]);
        }
        sleep_and_poll(rig, n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(job[i].status, 0);
        assert_false(rig->ops->pending(rig->chan));
    }
    munmap(src, room);
    munmap(dst, room);
}

static void nothing_to_do_is_not_pending(void **state)
{
    struct rig *rig = *state;
    struct pollfd fd = {.fd = rig->waker.fd, .events = POLLIN};
    char src[8] = {0}, dst[8];

    assert_false(rig->ops->pending(rig->chan));
    od_waker_arm(&rig->waker);
    assert_int_equal(rig_copy(rig, dst, src, 8), 0);
    assert_false(rig->ops->pending(rig->chan));
    assert_int_equal(poll(&fd, 1, 0), 0);
}

int main(void)
{
    static const struct rig_case cases[] = {
        RIG_CASE(cancelled_jobs_come_back_in_order_and_untouched),
        RIG_CASE(a_running_copy_is_cut_short),
        RIG_CASE(cancelling_nothing_is_fine),
        RIG_CASE(a_large_copy_takes_many_polls),
        RIG_CASE(an_owner_that_sleeps_is_woken),
        RIG_CASE(nothing_to_do_is_not_pending),
    };

    return rig_main(cases, OD_ARRAY_SIZE(cases));
}
