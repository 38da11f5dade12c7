/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Clocks of a device and of the machine, read alone or as a pair taken at nearly the same moment.
 *
 * Query which clocks of the device exist with the cap calls, create a clock object on an open
 * device, read it as often as needed, destroy it before the device is closed. A clock object is
 * not bound to a thread, but calls on one object must not run at the same time; the cap calls may
 * come from any thread.
 */

#ifndef DOCA_CLOCK_H_
#define DOCA_CLOCK_H_

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of clocks; one bit each, one of them is passed to a call. */
#define DOCA_CLOCK_NIC_FREE_RUNNING    0x1         /**< device: cycles since its start */
#define DOCA_CLOCK_NIC_REAL_TIME       (0x1 << 1)  /**< device: time of day */
#define DOCA_CLOCK_NIC_DPA_TIMER       (0x1 << 8)  /**< device: timer of the DPA */
#define DOCA_CLOCK_HOST_COUNTER_CYCLES (0x1 << 16) /**< machine: counter of the processor */
#define DOCA_CLOCK_HOST_REAL_TIME      (0x1 << 17) /**< machine: CLOCK_REALTIME */
#define DOCA_CLOCK_HOST_MONOTONIC      (0x1 << 18) /**< machine: CLOCK_MONOTONIC */
#define DOCA_CLOCK_HOST_MONOTONIC_RAW  (0x1 << 19) /**< machine: CLOCK_MONOTONIC_RAW */

/** A clock object on a device. */
struct doca_clock;
struct doca_dev;
struct doca_devinfo;

/** What a clock shows. The kind of the clock says which member is meant. */
union doca_clock_timespec_t {
    struct timespec ts; /**< *_REAL_TIME, *_MONOTONIC and *_MONOTONIC_RAW: seconds, nanoseconds */
    uint64_t counter;   /**< *_FREE_RUNNING, *_DPA_TIMER and *_COUNTER_CYCLES: ticks */
};

/**
 * Does the device have DOCA_CLOCK_NIC_FREE_RUNNING?
 *
 * The answer is the status itself. Returns DOCA_SUCCESS when it has, or
 * DOCA_ERROR_NOT_SUPPORTED: it has not.
 * DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * DOCA_ERROR_DRIVER: the device layer could not answer.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo);

/**
 * Does the device have DOCA_CLOCK_NIC_REAL_TIME?
 *
 * The answer is the status itself. Returns DOCA_SUCCESS when it has, or
 * DOCA_ERROR_NOT_SUPPORTED: it has not.
 * DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * DOCA_ERROR_DRIVER: the device layer could not answer.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo);

/**
 * Does the device have DOCA_CLOCK_NIC_DPA_TIMER?
 *
 * The answer is the status itself. Returns DOCA_SUCCESS when it has, or
 * DOCA_ERROR_NOT_SUPPORTED: it has not.
 * DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * DOCA_ERROR_DRIVER: the device layer could not answer.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo);

/**
 * Creates a clock object on an open device.
 *
 * @dev: stays open until the clock is destroyed.
 * @clock: receives the object; the caller destroys it with doca_clock_destroy().
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * DOCA_ERROR_NO_MEMORY: the object could not be allocated.
 * DOCA_ERROR_NOT_SUPPORTED: the device has no clock.
 * DOCA_ERROR_DRIVER: the device layer could not give access to its clocks.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock);

/**
 * Destroys a clock object.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: clock is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_destroy(struct doca_clock *clock);

/**
 * Reads one clock.
 *
 * @clock_type: one DOCA_CLOCK_* value, of the device or of the machine.
 * @clock_ts: receives the reading, in the member that fits clock_type.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or clock_type is not exactly one kind of clock.
 * DOCA_ERROR_NOT_SUPPORTED: the device or the machine has no such clock.
 * DOCA_ERROR_DRIVER: the device layer could not read its clock.
 * DOCA_ERROR_OPERATING_SYSTEM: the machine's clock could not be read.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
                                      union doca_clock_timespec_t *clock_ts);

/**
 * Reads two clocks at nearly the same moment, to relate one to the other.
 *
 * @primary_clock_type, @nic_clock_type: one DOCA_CLOCK_* value each, the second of the device.
 * @primary_clock_ts, @nic_clock_ts: receive the readings.
 * @error_margin_nsecs: receives how far apart the moments may be at most, in nanoseconds.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or a type is not exactly one kind of clock.
 * DOCA_ERROR_NOT_SUPPORTED: the pair cannot be read, e.g. one of the clocks does not exist.
 * DOCA_ERROR_DRIVER: the device layer could not read its clock.
 * DOCA_ERROR_OPERATING_SYSTEM: the machine's clock could not be read.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock,
                                           uint64_t primary_clock_type, uint64_t nic_clock_type,
                                           union doca_clock_timespec_t *primary_clock_ts,
                                           union doca_clock_timespec_t *nic_clock_ts,
                                           uint64_t *error_margin_nsecs);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CLOCK_H_ */
