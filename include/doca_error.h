/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Error codes, and their names and texts. Nearly every call of the API returns a doca_error_t;
 * outputs are written only on DOCA_SUCCESS unless a call says otherwise. The functions here may be
 * called from any thread at any time.
 */

#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <doca_compat.h>
#include <doca_common_defines.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Outcome of a call or of a task. */
enum doca_error {
    DOCA_SUCCESS = 0,                      /**< done */
    DOCA_ERROR_UNKNOWN = 1,                /**< failed for a cause that could not be named */
    DOCA_ERROR_NOT_PERMITTED = 2,          /**< forbidden by permissions or by past calls */
    DOCA_ERROR_IN_USE = 3,                 /**< others still depend on the object */
    DOCA_ERROR_NOT_SUPPORTED = 4,          /**< the device or this build does not offer it */
    DOCA_ERROR_AGAIN = 5,                  /**< no room just now; make progress and retry */
    DOCA_ERROR_INVALID_VALUE = 6,          /**< an argument is wrong */
    DOCA_ERROR_NO_MEMORY = 7,              /**< the heap or a fixed pool is exhausted */
    DOCA_ERROR_INITIALIZATION = 8,         /**< resources of an object could not be set up */
    DOCA_ERROR_TIME_OUT = 9,               /**< waited long enough */
    DOCA_ERROR_SHUTDOWN = 10,              /**< the peer or the object is shutting down */
    DOCA_ERROR_CONNECTION_RESET = 11,      /**< the peer dropped the connection */
    DOCA_ERROR_CONNECTION_ABORTED = 12,    /**< the connection was not established */
    DOCA_ERROR_CONNECTION_INPROGRESS = 13, /**< the connection is being established */
    DOCA_ERROR_NOT_CONNECTED = 14,         /**< no connection, device or progress engine */
    DOCA_ERROR_NO_LOCK = 15,               /**< a lock could not be taken */
    DOCA_ERROR_NOT_FOUND = 16,             /**< no such object */
    DOCA_ERROR_IO_FAILED = 17,             /**< a transfer failed or was flushed */
    DOCA_ERROR_BAD_STATE = 18,             /**< the object's state does not allow the call */
    DOCA_ERROR_UNSUPPORTED_VERSION = 19,   /**< made for a version not known here */
    DOCA_ERROR_OPERATING_SYSTEM = 20,      /**< a system call failed */
    DOCA_ERROR_DRIVER = 21,                /**< the device layer failed */
    DOCA_ERROR_UNEXPECTED = 22,            /**< an internal assumption does not hold */
    DOCA_ERROR_ALREADY_EXIST = 23,         /**< such an object is there already */
    DOCA_ERROR_FULL = 24,                  /**< a queue or table has no free place */
    DOCA_ERROR_EMPTY = 25,                 /**< a queue or pool has no element */
    DOCA_ERROR_IN_PROGRESS = 26,           /**< accepted, finishes later */
    DOCA_ERROR_TOO_BIG = 27,               /**< exceeds a limit */
    DOCA_ERROR_AUTHENTICATION = 28,        /**< the other side could not prove who it is */
    DOCA_ERROR_BAD_CONFIG = 29,            /**< the configuration is not usable */
    DOCA_ERROR_SKIPPED = 30,               /**< the result is good, earlier data was lost */
    DOCA_ERROR_DEVICE_FATAL_ERROR = 31,    /**< the device is broken until it is reset */
};

typedef enum doca_error doca_error_t;

/** True when the doca_error_t r is a failure; hints that it rarely is. */
#define DOCA_IS_ERROR(r) doca_unlikely((r) != DOCA_SUCCESS)

/**
 * Keeps the first failure: the variable r takes the value t while r is DOCA_SUCCESS, and stays as
 * it is afterwards. t is evaluated exactly once in either case, so it may be a clean-up call.
 */
#define DOCA_ERROR_PROPAGATE(r, t)                                                                 \
    do {                                                                                           \
        const doca_error_t doca_error_propagated_ = (t);                                           \
        if (!DOCA_IS_ERROR(r))                                                                     \
            (r) = doca_error_propagated_;                                                          \
    } while (0)

/**
 * The spelling of an error code, e.g. "DOCA_ERROR_AGAIN".
 *
 * @error: any value.
 *
 * Never fails: a fixed text for values that are no error code. The string is static.
 */
DOCA_STABLE
const char *doca_error_get_name(doca_error_t error);

/**
 * A short sentence that says what an error code means, for messages to people.
 *
 * @error: any value.
 *
 * Never fails: a fixed text for values that are no error code. The string is static.
 */
DOCA_STABLE
const char *doca_error_get_descr(doca_error_t error);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERROR_H_ */
