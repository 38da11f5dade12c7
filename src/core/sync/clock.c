/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_clock.h>

#include "core/core_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

/* A software device has the machine's time: its free running counter ticks once a nanosecond of the
 * machine's raw clock, and its time of day is the machine's. */

#define NIC_CLOCKS                                                                                 \
    ((uint64_t)(DOCA_CLOCK_NIC_FREE_RUNNING | DOCA_CLOCK_NIC_REAL_TIME | DOCA_CLOCK_NIC_DPA_TIMER))
#define HOST_CLOCKS                                                                                \
    ((uint64_t)(DOCA_CLOCK_HOST_COUNTER_CYCLES | DOCA_CLOCK_HOST_REAL_TIME |                       \
                DOCA_CLOCK_HOST_MONOTONIC | DOCA_CLOCK_HOST_MONOTONIC_RAW))

/* Readings of a pair; the closest of them counts. */
#define CROSS_TRIES 5

struct doca_clock {
    struct doca_dev *dev; /* held */
};

static doca_error_t check_type(const struct doca_clock *clock, uint64_t type, uint64_t allowed,
                               const char *what, const char *func)
{
    if (type != 0 && (type & (type - 1)) == 0 && (type & allowed) != 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_CLOCK, func, clock->dev->info.name, what,
                     "0x%llx" CORE_LIMIT "one bit of 0x%llx", (unsigned long long)type,
                     (unsigned long long)allowed);
}

static int read_system(clockid_t id, struct timespec *ts)
{
    return clock_gettime(id, ts) == 0 ? 0 : -errno;
}

static uint64_t to_ns(const struct timespec *ts)
{
    return (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;
}

static int read_free_running(union doca_clock_timespec_t *reading)
{
    struct timespec ts;
    int err = read_system(CLOCK_MONOTONIC_RAW, &ts);

    if (err == 0)
        reading->counter = to_ns(&ts);
    return err;
}

static int read_cycles(union doca_clock_timespec_t *reading)
{
#if defined(__x86_64__) || defined(__i386__)
    reading->counter = __rdtsc();
    return 0;
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(reading->counter));
    return 0;
#else
    (void)reading;
    return -ENOTSUP;
#endif
}

/* 0, -ENOTSUP (no such clock), or why the machine's clock could not be read. */
static int read_clock(uint64_t type, union doca_clock_timespec_t *reading)
{
    switch (type) {
    case DOCA_CLOCK_NIC_FREE_RUNNING:
        return read_free_running(reading);
    case DOCA_CLOCK_NIC_REAL_TIME:
    case DOCA_CLOCK_HOST_REAL_TIME:
        return read_system(CLOCK_REALTIME, &reading->ts);
    case DOCA_CLOCK_HOST_COUNTER_CYCLES:
        return read_cycles(reading);
    case DOCA_CLOCK_HOST_MONOTONIC:
        return read_system(CLOCK_MONOTONIC, &reading->ts);
    case DOCA_CLOCK_HOST_MONOTONIC_RAW:
        return read_system(CLOCK_MONOTONIC_RAW, &reading->ts);
    default:
        return -ENOTSUP;
    }
}

static doca_error_t fail_read(const struct doca_clock *clock, int err, const char *func)
{
    if (err == -ENOTSUP)
        return CORE_FAIL(
            DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_CLOCK, func, clock->dev->info.name, "clock",
            "does not exist here" CORE_REMEDY "ask the doca_clock_cap_*() calls first");
    return CORE_FAIL(DOCA_ERROR_OPERATING_SYSTEM, CORE_LOG_CLOCK, func, clock->dev->info.name,
                     "clock", "%s", strerror(-err));
}

static doca_error_t answer_cap(const struct doca_devinfo *devinfo, bool supported, const char *func)
{
    if (core_devinfo_caps(devinfo, func) == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (supported)
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_CLOCK, func, devinfo->name, "clock",
                       "does not exist here");
}

doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, true, __func__);
}

doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, true, __func__);
}

doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, false, __func__);
}

doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock)
{
    struct doca_clock *created;

    if (clock == NULL)
        return CORE_FAIL_NULL(CORE_LOG_CLOCK, __func__, "clock");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_CLOCK, __func__, NULL, "dev",
                         "%s" CORE_REMEDY "pass an open device", dev == NULL ? "NULL" : "not open");
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_CLOCK, __func__, dev->info.name, "clock",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    created->dev = (struct doca_dev *)dev; /* only its count of users changes */
    core_dev_hold(created->dev, CORE_DEV_USER_CLOCK);
    core_live_add(CORE_LIVE_CLOCK, created);
    *clock = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_clock_destroy(struct doca_clock *clock)
{
    if (!core_is_live(CORE_LIVE_CLOCK, clock))
        return CORE_FAIL_DEAD(CORE_LOG_CLOCK, __func__, "clock", clock);
    core_live_remove(clock);
    core_dev_release(clock->dev, CORE_DEV_USER_CLOCK);
    free(clock);
    return DOCA_SUCCESS;
}

doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
                                      union doca_clock_timespec_t *clock_ts)
{
    union doca_clock_timespec_t reading;
    doca_error_t result;
    int err;

    if (!core_is_live(CORE_LIVE_CLOCK, clock))
        return CORE_FAIL_DEAD(CORE_LOG_CLOCK, __func__, "clock", clock);
    if (clock_ts == NULL)
        return CORE_FAIL_NULL(CORE_LOG_CLOCK, __func__, "clock_ts");
    result = check_type(clock, clock_type, NIC_CLOCKS | HOST_CLOCKS, "clock_type", __func__);
    if (result != DOCA_SUCCESS)
        return result;
    err = read_clock(clock_type, &reading);
    if (err != 0)
        return fail_read(clock, err, __func__);
    *clock_ts = reading;
    return DOCA_SUCCESS;
}

struct pair {
    union doca_clock_timespec_t primary;
    union doca_clock_timespec_t nic;
    uint64_t margin; /* nanoseconds around both readings */
};

static int read_pair(uint64_t primary_type, uint64_t nic_type, struct pair *pair)
{
    struct timespec before;
    struct timespec after;
    int err = read_system(CLOCK_MONOTONIC_RAW, &before);

    if (err == 0)
        err = read_clock(primary_type, &pair->primary);
    if (err == 0)
        err = read_clock(nic_type, &pair->nic);
    if (err == 0)
        err = read_system(CLOCK_MONOTONIC_RAW, &after);
    if (err == 0)
        pair->margin = to_ns(&after) - to_ns(&before);
    return err;
}

doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock,
                                           uint64_t primary_clock_type, uint64_t nic_clock_type,
                                           union doca_clock_timespec_t *primary_clock_ts,
                                           union doca_clock_timespec_t *nic_clock_ts,
                                           uint64_t *error_margin_nsecs)
{
    struct pair best = {.margin = UINT64_MAX};
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_CLOCK, clock))
        return CORE_FAIL_DEAD(CORE_LOG_CLOCK, __func__, "clock", clock);
    if (primary_clock_ts == NULL || nic_clock_ts == NULL)
        return CORE_FAIL_NULL(CORE_LOG_CLOCK, __func__,
                              primary_clock_ts == NULL ? "primary_clock_ts" : "nic_clock_ts");
    if (error_margin_nsecs == NULL)
        return CORE_FAIL_NULL(CORE_LOG_CLOCK, __func__, "error_margin_nsecs");
    result = check_type(clock, primary_clock_type, NIC_CLOCKS | HOST_CLOCKS, "primary_clock_type",
                        __func__);
    if (result == DOCA_SUCCESS)
        result = check_type(clock, nic_clock_type, NIC_CLOCKS, "nic_clock_type", __func__);
    if (result != DOCA_SUCCESS)
        return result;

    for (int i = 0; i < CROSS_TRIES; i++) {
        struct pair pair;
        int err = read_pair(primary_clock_type, nic_clock_type, &pair);

        if (err != 0)
            return fail_read(clock, err, __func__);
        if (pair.margin < best.margin)
            best = pair;
    }
    *primary_clock_ts = best.primary;
    *nic_clock_ts = best.nic;
    *error_margin_nsecs = best.margin;
    return DOCA_SUCCESS;
}
