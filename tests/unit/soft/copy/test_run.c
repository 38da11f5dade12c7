/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/copy/run.h"

#define LEN 10000u

struct fixture {
    struct soft_copy_lane lane;
    struct soft_copy_run run;
    struct soft_seg seg[2];
    struct soft_copy_job job;
    char src[LEN];
    char dst[LEN];
};

static int setup(void **state)
{
    struct fixture *f = aligned_alloc(64, (sizeof(*f) + 63) & ~(size_t)63);

    memset(f->src, 1, LEN);
    memset(f->dst, 2, LEN);
    f->seg[0] = (struct soft_seg){(uintptr_t)f->src, LEN, NULL};
    f->seg[1] = (struct soft_seg){(uintptr_t)f->dst, LEN, NULL};
    f->job = (struct soft_copy_job){
        .src = &f->seg[0], .dst = &f->seg[1], .nsrc = 1, .ndst = 1, .len = LEN};
    *state = f;
    return soft_copy_lane_init(&f->lane);
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    soft_copy_lane_fini(&f->lane);
    free(f);
    return 0;
}

static void chunks_are_given_out_once_each(void **state)
{
    struct fixture *f = *state;
    bool last = false;

    soft_copy_run_begin(&f->run, &f->job, 3000);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(soft_copy_run_has_chunks(&f->run));
        assert_int_equal(soft_copy_run_take_front(&f->run, &last), i);
        assert_int_equal(last, i == 3);
        assert_false(soft_copy_run_is_over(&f->run));
    }
    assert_false(soft_copy_run_has_chunks(&f->run));
    assert_int_equal(soft_copy_run_take_front(&f->run, &last), SOFT_COPY_NO_CHUNK);
    for (uint32_t i = 4; i-- > 0;)
        assert_int_equal(soft_copy_run_chunk(&f->run, i, &f->lane), i == 0);
    assert_true(soft_copy_run_is_over(&f->run));
    assert_int_equal(atomic_load(&f->run.status), 0);
    assert_memory_equal(f->src, f->dst, LEN);
}

static void workers_take_from_the_other_end(void **state)
{
    struct fixture *f = *state;
    bool last = true;

    soft_copy_run_begin(&f->run, &f->job, 2500);
    assert_int_equal(soft_copy_run_take_back(&f->run, &last), 3);
    assert_false(last);
    assert_int_equal(soft_copy_run_take_front(&f->run, &last), 0);
    assert_int_equal(soft_copy_run_take_back(&f->run, &last), 2);
    assert_false(last);
    assert_int_equal(soft_copy_run_take_back(&f->run, &last), 1);
    assert_true(last);
    assert_int_equal(soft_copy_run_take_back(&f->run, &last), SOFT_COPY_NO_CHUNK);
    assert_int_equal(soft_copy_run_take_front(&f->run, &last), SOFT_COPY_NO_CHUNK);
}

/* Those who looked in time but draw too late move the ends; no chunk may come of it. */
static void drawing_too_late_yields_nothing(void **state)
{
    struct fixture *f = *state;

    soft_copy_run_begin(&f->run, &f->job, LEN);
    for (int i = 0; i < 100; i++)
        atomic_fetch_sub(&f->run.ticket, (uint64_t)1 << 32);
    assert_false(soft_copy_run_has_chunks(&f->run));
    for (int i = 0; i < 100; i++)
        atomic_fetch_add(&f->run.ticket, 1);
    assert_false(soft_copy_run_has_chunks(&f->run));
}

static void a_cut_run_ends_when_the_running_chunks_do(void **state)
{
    struct fixture *f = *state;
    bool last, left;

    soft_copy_run_begin(&f->run, &f->job, 1000);
    assert_int_equal(soft_copy_run_take_front(&f->run, &last), 0);
    assert_false(soft_copy_run_cut(&f->run, &left));
    assert_true(left);
    assert_int_equal(soft_copy_run_take_front(&f->run, &last), SOFT_COPY_NO_CHUNK);
    assert_false(soft_copy_run_is_over(&f->run));
    assert_true(soft_copy_run_chunk(&f->run, 0, &f->lane));
    assert_true(soft_copy_run_is_over(&f->run));
    assert_int_equal(atomic_load(&f->run.status), -ECANCELED);
    assert_int_equal(f->dst[1000], 2);
    assert_false(soft_copy_run_cut(&f->run, &left));
    assert_false(left);
}

static void cutting_an_untouched_run_ends_it(void **state)
{
    struct fixture *f = *state;
    bool left;

    soft_copy_run_begin(&f->run, &f->job, 1000);
    assert_true(soft_copy_run_cut(&f->run, &left));
    assert_true(left);
    assert_true(soft_copy_run_is_over(&f->run));
    assert_int_equal(atomic_load(&f->run.status), -ECANCELED);
}

static void after_a_failure_the_other_chunks_are_skipped(void **state)
{
    struct fixture *f = *state;

    f->seg[0].len = 1500; /* the list ends inside of the second chunk */
    soft_copy_run_begin(&f->run, &f->job, 1000);
    soft_copy_run_chunk(&f->run, 1, &f->lane);
    assert_int_equal(atomic_load(&f->run.status), -EFAULT);
    soft_copy_run_chunk(&f->run, 0, &f->lane);
    assert_int_equal(f->dst[0], 2);
    assert_int_equal(atomic_load(&f->run.status), -EFAULT);
}

static void chunks_fit_the_number_of_lanes(void **state)
{
    struct fixture *f = *state;

    f->job.len = 1u << 20;
    assert_in_range(soft_copy_chunk_size(&f->job, 1), 64u << 10, 1u << 20);
    assert_true(soft_copy_chunk_size(&f->job, 2) <= f->job.len / 2);
    f->job.len = 64u << 20;
    assert_int_equal(soft_copy_chunk_size(&f->job, 1), SOFT_COPY_CHUNK);
    assert_true(soft_copy_chunk_size(&f->job, 2) < SOFT_COPY_CHUNK);
    for (f->job.len = 1; f->job.len != 0; f->job.len *= 2) {
        for (uint32_t lanes = 1; lanes <= 64; lanes *= 4)
            assert_in_range(f->job.len / soft_copy_chunk_size(&f->job, lanes), 0, 1u << 30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(chunks_are_given_out_once_each, setup, teardown),
        cmocka_unit_test_setup_teardown(workers_take_from_the_other_end, setup, teardown),
        cmocka_unit_test_setup_teardown(drawing_too_late_yields_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cut_run_ends_when_the_running_chunks_do, setup, teardown),
        cmocka_unit_test_setup_teardown(cutting_an_untouched_run_ends_it, setup, teardown),
        cmocka_unit_test_setup_teardown(after_a_failure_the_other_chunks_are_skipped, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(chunks_fit_the_number_of_lanes, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
