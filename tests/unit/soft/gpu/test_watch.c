/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "soft/gpu/watch.h"

#define LOOKS 1000u /* without a find */

struct seen {
    _Atomic uint32_t looks;
    cpu_set_t cpus;
    long sleeps; /* after so many looks */
};

static uint32_t look(void *arg, uint64_t *wake_at)
{
    struct seen *seen = arg;
    struct rusage usage;

    (void)wake_at;
    if (atomic_load(&seen->looks) == LOOKS)
        return 1;
    sched_getaffinity(0, sizeof(seen->cpus), &seen->cpus);
    getrusage(RUSAGE_THREAD, &usage);
    seen->sleeps = usage.ru_nvcsw;
    atomic_fetch_add(&seen->looks, 1);
    return 0;
}

static void watch(const struct soft_engine_conf *conf, uint32_t number, struct seen *seen)
{
    struct soft_gpu_watch *watch;

    memset(seen, 0, sizeof(*seen));
    assert_int_equal(soft_gpu_watch_start("a test", conf, number, look, seen, &watch), 0);
    while (atomic_load(&seen->looks) < LOOKS)
        sched_yield();
    soft_gpu_watch_stop(watch);
}

static uint16_t a_cpu(void)
{
    uint16_t cpu = 0;
    cpu_set_t all;

    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    return cpu;
}

static void a_thread_that_finds_nothing_sleeps_unless_it_is_to_look_on(void **state)
{
    const struct soft_engine_conf adaptive = {0}, spin = {.poll = SOFT_POLL_SPIN};
    struct seen seen;

    (void)state;
    watch(&adaptive, 0, &seen);
    assert_true(seen.sleeps > LOOKS / 2);
    watch(&spin, 0, &seen);
    assert_true(seen.sleeps < LOOKS / 10);
}

static void threads_run_where_they_are_to(void **state)
{
    const uint16_t cpu = a_cpu();
    const struct soft_engine_conf conf = {.ncpus = 2, .cpus = {1023, cpu}, .poll = SOFT_POLL_SPIN};
    const uint32_t numbers[] = {1, 3, SOFT_GPU_WATCH_ANY}; /* any: of those that there are */
    struct seen seen;

    (void)state;
    for (int i = 0; i < 3; i++) {
        watch(&conf, numbers[i], &seen);
        assert_int_equal(CPU_COUNT(&seen.cpus), 1);
        assert_true(CPU_ISSET(cpu, &seen.cpus));
    }
}

static void processors_that_are_not_there_are_refused(void **state)
{
    const struct soft_engine_conf conf = {.ncpus = 1, .cpus = {1023}};
    struct soft_gpu_watch *watch;
    struct seen seen;

    (void)state;
    assert_int_equal(soft_gpu_watch_start("a test", &conf, 0, look, &seen, &watch), -EINVAL);
    assert_non_null(strstr(soft_reason(), "no thread for a test may run on the processors that the "
                                          "devices file names under \"engine\""));
    soft_gpu_watch_stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_finds_nothing_sleeps_unless_it_is_to_look_on),
        cmocka_unit_test(threads_run_where_they_are_to),
        cmocka_unit_test(processors_that_are_not_there_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
