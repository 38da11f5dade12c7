/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPENDOCA_H_
#define OPENDOCA_H_

/**
 * @file opendoca.h
 *
 * What opendoca offers beyond the DOCA API. Programs that must also build against another DOCA may
 * test
 * `#if __has_include(<opendoca.h>)`.
 *
 * All functions may be called from any thread.
 */

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Why the last failing DOCA call of this thread failed.
 *
 * One line: function, object, attribute, offending value, limit, code and remedy. A call that
 * succeeds does not change it.
 *
 * Returns the text, "" when no call of this thread has failed yet. Owned by the library, valid
 * until this thread's next DOCA call.
 */
DOCA_STABLE
const char *opendoca_last_error(void);

/**
 * The same as a JSON object with the members "code", "function", "object", "attribute", "value",
 * "limit" and "remedy" (strings; "" where there is none) and "text" (the line of
 * opendoca_last_error()).
 *
 * Returns the text, "{}" when no call of this thread has failed yet. Owned by the library, valid
 * until this thread's next DOCA call.
 */
DOCA_STABLE
const char *opendoca_last_error_json(void);

/**
 * Forgets the last failure of this thread.
 */
DOCA_STABLE
void opendoca_clear_error(void);

/**
 * The version of opendoca itself, such as "0.1.0"; doca_version_runtime() gives the API level.
 *
 * Returns a static string.
 */
DOCA_STABLE
const char *opendoca_version(void);

#ifdef __cplusplus
}
#endif

#endif /* OPENDOCA_H_ */
