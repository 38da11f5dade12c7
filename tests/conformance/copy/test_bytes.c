/* SPDX-License-Identifier: BSD-3-Clause */

/* The right bytes arrive at the right place, in the right order, and nothing else changes. */

#include <pthread.h>

#include "conformance/copy/rig.h"

#define EDGE 64u

/* Copies between odd addresses; what surrounds the destination must stay. */
static void check_size(struct rig *rig, char *dst, char *src, size_t len)
{
    memset(dst, 0xee, len + 2 * EDGE);
    rig_fill(src, len, (uint32_t)len);
    assert_int_equal(rig_copy(rig, dst + EDGE, src, len), 0);
    assert_memory_equal(dst + EDGE, src, len);
    assert_true(rig_is_untouched(dst, EDGE));
    assert_true(rig_is_untouched(dst + EDGE + len, EDGE));
}

static void every_size_arrives(void **state)
{
    static const size_t sizes[] = {4095,   4096,   4097,          16384,         16385,  65535,
                                   131072, 131073, (1 << 20) - 1, (1 << 20) + 1, 3 << 20};
    size_t room = (4u << 20) + 2 * EDGE;
    char *src = rig_map(room), *dst = rig_map(room);

    for (size_t len = 0; len <= 300; len++)
        check_size(*state, dst + len % 7, src + len % 5, len);
    for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++)
        check_size(*state, dst + i % 3, src + 1, sizes[i]);
    munmap(src, room);
    munmap(dst, room);
}

/* Cuts [at, at + len) into n segments of random sizes, with gaps between; some are empty. */
static uint32_t cut(struct soft_seg *seg, char *at, size_t len, uint32_t n, uint32_t *random)
{
    for (uint32_t i = 0; i < n; i++) {
        size_t part;

        *random = *random * 1664525u + 1013904223u;
        part = i + 1 == n ? len : (*random >> 8) % (len + 1) / (n / 2 + 1);
        seg[i] = (struct soft_seg){.addr = (uintptr_t)at, .len = part};
        at += part + (*random >> 30);
        len -= part;
    }
    return n;
}

/* Plain reading of what a list copy means. */
static void expect(const struct soft_copy_job *job)
{
    const struct soft_seg *src = job->src, *dst = job->dst;
    size_t s = 0, d = 0;

    for (uint64_t i = 0; i < job->len; i++) {
        for (; s == src->len; s = 0)
            src++;
        for (; d == dst->len; d = 0)
            dst++;
        if (*(char *)(uintptr_t)(dst->addr + d++) != *(char *)(uintptr_t)(src->addr + s++))
            fail_msg("byte %llu of the list differs", (unsigned long long)i);
    }
}

static void lists_of_all_shapes_arrive(void **state)
{
    struct rig *rig = *state;
    size_t room = 2u << 20;
    char *src = rig_map(room), *dst = rig_map(room);
    uint32_t random = 5;

    rig_fill(src, room, 3);
    for (uint32_t round = 0; round < 200; round++) {
        struct soft_seg from[24], to[24];
        size_t len = round % 8 == 0 ? room / 2 + round : 1 + round * 37u;
        struct soft_copy_job job = {.src = from, .dst = to, .len = len};

        memset(dst, 0xee, len + 256);
        job.nsrc = cut(from, src, len, 1 + round % 24, &random);
        job.ndst = cut(to, dst, len + round % 2 * 9, 1 + round / 9 % 24, &random);
        rig_submit(rig, &job);
        assert_ptr_equal(rig_next(rig), &job);
        assert_int_equal(job.status, 0);
        expect(&job);
        for (uint32_t i = 0; i + 1 < job.ndst; i++) {
            char *gap = (char *)(uintptr_t)(to[i].addr + to[i].len);

            assert_true(rig_is_untouched(gap, to[i + 1].addr - (uintptr_t)gap));
        }
    }
    munmap(src, room);
    munmap(dst, room);
}

static void a_list_shorter_than_the_job_fails_and_writes_nothing_more(void **state)
{
    struct rig *rig = *state;
    char src[256], dst[256];
    struct soft_seg from[2] = {{(uintptr_t)src, 100, NULL}, {(uintptr_t)src + 100, 28, NULL}};
    struct soft_seg to[2] = {{(uintptr_t)dst, 64, NULL}, {(uintptr_t)dst + 64, 63, NULL}};
    struct soft_copy_job job = {.src = from, .dst = to, .nsrc = 2, .ndst = 2, .len = 128};

    memset(src, 1, sizeof(src));
    memset(dst, 0xee, sizeof(dst));
    rig_submit(rig, &job);
    assert_ptr_equal(rig_next(rig), &job);
    assert_int_equal(job.status, -EFAULT);
    assert_true(rig_is_untouched(dst + 127, sizeof(dst) - 127));
}

static void jobs_come_back_in_their_order(void **state)
{
    static const size_t sizes[] = {64, 700000, 1, 70000, 70001, 4096, 64, 2000000, 300000, 8};
    struct rig *rig = *state;
    struct soft_copy_job job[RIG_DEPTH];
    struct soft_seg seg[RIG_DEPTH][2];
    size_t room = 2000000;
    char *src = rig_map(room), *dst = rig_map(room * RIG_DEPTH);

    rig_fill(src, room, 11);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < RIG_DEPTH; i++) {
            job[i] = rig_job(seg[i], dst + i * room, src, sizes[(i + round) % 10]);
            rig_submit(rig, &job[i]);
        }
        for (uint32_t i = 0; i < RIG_DEPTH; i++) {
            assert_ptr_equal(rig_next(rig), &job[i]);
            assert_int_equal(job[i].status, 0);
            assert_memory_equal(dst + i * room, src, job[i].len);
        }
        memset(dst, 0, 4096);
    }
    assert_null(rig->ops->poll(rig->chan));
    munmap(src, room);
    munmap(dst, room * RIG_DEPTH);
}

static void a_full_channel_says_so_and_takes_more_after_a_poll(void **state)
{
    struct rig *rig = *state;
    struct soft_copy_job job[RIG_DEPTH + 1];
    struct soft_seg seg[RIG_DEPTH + 1][2];
    char src[64] = {1}, dst[64];

    for (uint32_t i = 0; i <= RIG_DEPTH; i++)
        job[i] = rig_job(seg[i], dst, src, sizeof(src));
    for (uint32_t i = 0; i < RIG_DEPTH; i++)
        rig_submit(rig, &job[i]);
    assert_int_equal(rig->ops->submit(rig->chan, &job[RIG_DEPTH]), -EAGAIN);
    assert_ptr_equal(rig_next(rig), &job[0]);
    rig_submit(rig, &job[RIG_DEPTH]);
    assert_int_equal(rig->ops->submit(rig->chan, &job[0]), -EAGAIN);
    for (uint32_t i = 1; i <= RIG_DEPTH; i++)
        assert_ptr_equal(rig_next(rig), &job[i]);
    assert_null(rig->ops->poll(rig->chan));
}

/* One thread with several channels that are busy at once. */
static void *copy_on_many_channels(void *arg)
{
    const struct rig *plan = arg;
    struct rig rig[4];
    size_t room = 600000;
    char *src = malloc(room), *dst = malloc(room);
    intptr_t bad = 0;

    rig_fill(src, room, 17);
    for (uint32_t c = 0; c < 4; c++) {
        rig[c] = *plan;
        bad |= od_waker_open(&rig[c].waker);
        bad |= plan->ops->open(&plan->conf, 8, &rig[c].waker, &rig[c].chan);
    }
    for (uint32_t round = 0; round < 20 && bad == 0; round++) {
        struct soft_copy_job job[4];
        struct soft_seg seg[4][2];

        memset(dst, 0, room);
        for (uint32_t c = 0; c < 4; c++) {
            size_t off = c * (room / 4);

            job[c] = rig_job(seg[c], dst + off, src + off, room / 4);
            bad |= plan->ops->submit(rig[c].chan, &job[c]);
        }
        for (uint32_t c = 0; c < 4; c++) {
            while (plan->ops->poll(rig[c].chan) == NULL)
                ;
            bad |= job[c].status;
        }
        bad |= memcmp(src, dst, room);
    }
    for (uint32_t c = 0; c < 4; c++) {
        plan->ops->close(rig[c].chan);
        od_waker_close(&rig[c].waker);
    }
    free(src);
    free(dst);
    return (void *)bad;
}

static void many_channels_of_two_threads_do_not_meet(void **state)
{
    pthread_t thread;
    void *theirs, *ours;

    assert_int_equal(pthread_create(&thread, NULL, copy_on_many_channels, *state), 0);
    ours = copy_on_many_channels(*state);
    assert_int_equal(pthread_join(thread, &theirs), 0);
    assert_null(ours);
    assert_null(theirs);
}

static void overlapping_ranges_are_no_accident(void **state)
{
    size_t room = 1u << 20;
    char *at = rig_map(room);

    for (size_t len = 8; len < room / 2; len *= 5) {
        assert_int_equal(rig_copy(*state, at + 3, at, len), 0);
        assert_int_equal(rig_copy(*state, at, at + 3, len), 0);
        assert_int_equal(rig_copy(*state, at, at, len), 0);
    }
    munmap(at, room);
}

int main(void)
{
    static const struct rig_case cases[] = {
        RIG_CASE(every_size_arrives),
        RIG_CASE(lists_of_all_shapes_arrive),
        RIG_CASE(a_list_shorter_than_the_job_fails_and_writes_nothing_more),
        RIG_CASE(jobs_come_back_in_their_order),
        RIG_CASE(a_full_channel_says_so_and_takes_more_after_a_poll),
        RIG_CASE(many_channels_of_two_threads_do_not_meet),
        RIG_CASE(overlapping_ranges_are_no_accident),
    };

    return rig_main(cases, OD_ARRAY_SIZE(cases));
}
