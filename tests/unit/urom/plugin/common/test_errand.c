/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "urom/plugin/common/errand.h"

#define MANY 20

static struct plugin_base base;
static struct od_waker waker;
static int gate[2]; /* a byte lets one errand through */
static atomic_uint order, begun;

struct job {
    struct plugin_errand errand;
    bool waits;
    unsigned int ran_as;
    unsigned int told; /* how often */
    bool ran;
};

static void run(struct plugin_errand *errand, struct soft_copy_chan *copy)
{
    struct job *job = OD_CONTAINER_OF(errand, struct job, errand);
    char byte;

    (void)copy;
    atomic_fetch_add(&begun, 1);
    if (job->waits && read(gate[0], &byte, 1) != 1)
        return;
    job->ran_as = atomic_fetch_add(&order, 1) + 1;
}

static void done(struct plugin_errand *errand, bool ran)
{
    struct job *job = OD_CONTAINER_OF(errand, struct job, errand);

    job->told++;
    job->ran = ran;
}

static void start(struct job *job, struct plugin_line *line, bool waits)
{
    *job = (struct job){.errand = {.run = run, .done = done}, .waits = waits};
    assert_int_equal(plugin_errand_start(&base, line, &job->errand), 0);
}

/* As a worker sleeps: armed, looked again, woken. */
static void await(const struct job *job)
{
    struct pollfd fd = {.fd = waker.fd, .events = POLLIN};

    while (job->told == 0) {
        od_waker_arm(&waker);
        if (!plugin_errands_pending(&base))
            assert_int_equal(poll(&fd, 1, 60000), 1);
        od_waker_clear(&waker);
        plugin_errands_collect(&base);
    }
}

static int setup(void **state)
{
    (void)state;
    atomic_store(&order, 0);
    atomic_store(&begun, 0);
    if (od_waker_open(&waker) != 0 || pipe(gate) != 0)
        return -1;
    plugin_init(&base, &waker);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    plugin_errands_end(&base);
    close(gate[0]);
    close(gate[1]);
    od_waker_close(&waker);
    return 0;
}

static void errands_of_a_line_run_in_their_order(void **state)
{
    static struct plugin_line line;
    static struct job jobs[MANY];

    (void)state;
    plugin_line_init(&line);
    for (unsigned int i = 0; i < MANY; i++)
        start(&jobs[i], &line, false);
    await(&jobs[MANY - 1]);
    for (unsigned int i = 0; i < MANY; i++) {
        assert_true(jobs[i].ran);
        assert_int_equal(jobs[i].told, 1);
        assert_int_equal(jobs[i].ran_as, i + 1);
    }
}

static void a_line_that_waits_holds_up_no_other(void **state)
{
    static struct plugin_line slow, fast;
    static struct job waiting, behind, other;

    (void)state;
    plugin_line_init(&slow);
    plugin_line_init(&fast);
    start(&waiting, &slow, true);
    start(&behind, &slow, false);
    start(&other, &fast, false);
    await(&other);
    assert_int_equal(waiting.told + behind.told, 0);
    assert_int_equal(write(gate[1], "", 1), 1);
    await(&behind);
    assert_int_equal(other.ran_as, 1);
    assert_int_equal(waiting.ran_as, 2);
    assert_int_equal(behind.ran_as, 3);
}

/* What runs is waited for, what has not begun is taken back, and another plugin's goes on. */
static void an_end_tells_all(void **state)
{
    static struct plugin_base another;
    static struct plugin_line line;
    static struct job first, second, theirs;

    (void)state;
    plugin_init(&another, &waker);
    plugin_line_init(&line);
    start(&first, &line, true);
    while (atomic_load(&begun) == 0)
        sched_yield();
    start(&second, &line, false);
    theirs = (struct job){.errand = {.run = run, .done = done}};
    assert_int_equal(plugin_errand_start(&another, &line, &theirs.errand), 0);
    assert_int_equal(write(gate[1], "", 1), 1);
    plugin_errands_end(&base);
    assert_true(first.told == 1 && first.ran);
    assert_int_equal(second.told, 1);
    plugin_errands_end(&another);
    assert_int_equal(theirs.told, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(errands_of_a_line_run_in_their_order, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_that_waits_holds_up_no_other, setup, teardown),
        cmocka_unit_test_setup_teardown(an_end_tells_all, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
