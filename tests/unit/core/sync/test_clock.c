/* SPDX-License-Identifier: BSD-3-Clause */
#include "sync_fixture.h"

#include <time.h>

#include <doca_clock.h>

static struct doca_dev *dev;
static struct doca_clock *clk;

static int set_up(void **state)
{
    (void)state;
    dev = open_device(0);
    OK(doca_clock_create(dev, &clk));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    OK(doca_clock_destroy(clk));
    OK(doca_dev_close(dev));
    return 0;
}

static uint64_t ns_of(const struct timespec *ts)
{
    return (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;
}

static uint64_t now_ns(clockid_t id)
{
    struct timespec ts;

    assert_int_equal(clock_gettime(id, &ts), 0);
    return ns_of(&ts);
}

/* The clock shows what the system's clock shows, between two looks at that. */
static void expect_between(uint64_t type, bool counts, clockid_t id)
{
    union doca_clock_timespec_t reading;
    uint64_t before = now_ns(id);
    uint64_t shown;

    OK(doca_clock_get_timestamp(clk, type, &reading));
    shown = counts ? reading.counter : ns_of(&reading.ts);
    assert_true(before <= shown);
    assert_true(shown <= now_ns(id));
}

static void clocks_show_the_machines_time(void **state)
{
    union doca_clock_timespec_t first;
    union doca_clock_timespec_t second;

    (void)state;
    expect_between(DOCA_CLOCK_NIC_FREE_RUNNING, true, CLOCK_MONOTONIC_RAW);
    expect_between(DOCA_CLOCK_NIC_REAL_TIME, false, CLOCK_REALTIME);
    expect_between(DOCA_CLOCK_HOST_REAL_TIME, false, CLOCK_REALTIME);
    expect_between(DOCA_CLOCK_HOST_MONOTONIC, false, CLOCK_MONOTONIC);
    expect_between(DOCA_CLOCK_HOST_MONOTONIC_RAW, false, CLOCK_MONOTONIC_RAW);
#if defined(__x86_64__) || defined(__aarch64__)
    OK(doca_clock_get_timestamp(clk, DOCA_CLOCK_HOST_COUNTER_CYCLES, &first));
    OK(doca_clock_get_timestamp(clk, DOCA_CLOCK_HOST_COUNTER_CYCLES, &second));
    assert_true(first.counter <= second.counter);
#else
    (void)first;
    (void)second;
#endif
}

static void pairs_are_close(void **state)
{
    union doca_clock_timespec_t host;
    union doca_clock_timespec_t nic;
    uint64_t before = now_ns(CLOCK_MONOTONIC_RAW);
    uint64_t margin = UINT64_MAX;
    uint64_t distance;

    (void)state;
    OK(doca_clock_get_crosstimestamp(clk, DOCA_CLOCK_HOST_MONOTONIC_RAW,
                                     DOCA_CLOCK_NIC_FREE_RUNNING, &host, &nic, &margin));
    distance = nic.counter - ns_of(&host.ts);
    assert_true(distance <= margin);
    assert_true(margin <= now_ns(CLOCK_MONOTONIC_RAW) - before);
    assert_true(nic.counter >= before);
}

static void codes(void **state)
{
    union doca_clock_timespec_t reading = {.counter = 1};
    union doca_clock_timespec_t nic;
    struct doca_clock *other;
    uint64_t margin;

    (void)state;
    assert_int_equal(doca_clock_create(NULL, &other), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_clock_create(dev, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_clock_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_dev_close(dev), DOCA_ERROR_IN_USE);
    assert_int_equal(doca_clock_get_timestamp(NULL, DOCA_CLOCK_HOST_REAL_TIME, &reading),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_clock_get_timestamp(clk, DOCA_CLOCK_HOST_REAL_TIME, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_clock_get_timestamp(clk, 0, &reading), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_clock_get_timestamp(clk, 4, &reading), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_clock_get_timestamp(
                         clk, DOCA_CLOCK_HOST_REAL_TIME | DOCA_CLOCK_HOST_MONOTONIC, &reading),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_clock_get_timestamp(clk, DOCA_CLOCK_NIC_DPA_TIMER, &reading),
                     DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(reading.counter, 1);
    assert_int_equal(doca_clock_get_crosstimestamp(clk, DOCA_CLOCK_HOST_REAL_TIME,
                                                   DOCA_CLOCK_HOST_MONOTONIC, &reading, &nic,
                                                   &margin),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_clock_get_crosstimestamp(clk, DOCA_CLOCK_HOST_REAL_TIME,
                                                   DOCA_CLOCK_NIC_DPA_TIMER, &reading, &nic,
                                                   &margin),
                     DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_clock_get_crosstimestamp(clk, DOCA_CLOCK_HOST_REAL_TIME,
                                                   DOCA_CLOCK_NIC_REAL_TIME, NULL, &nic, &margin),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_clock_get_crosstimestamp(clk, DOCA_CLOCK_HOST_REAL_TIME,
                                                   DOCA_CLOCK_NIC_REAL_TIME, &reading, &nic, NULL),
                     DOCA_ERROR_INVALID_VALUE);
}

static void capabilities(void **state)
{
    const struct doca_devinfo *info = doca_dev_as_devinfo(dev);

    (void)state;
    OK(doca_clock_cap_nic_free_running_is_supported(info));
    OK(doca_clock_cap_nic_real_time_is_supported(info));
    assert_int_equal(doca_clock_cap_nic_dpa_timer_is_supported(info), DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_clock_cap_nic_free_running_is_supported(NULL), DOCA_ERROR_INVALID_VALUE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(clocks_show_the_machines_time),
        CASE(pairs_are_close),
        CASE(codes),
        CASE(capabilities),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
