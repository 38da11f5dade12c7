/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The version of these headers, and of the library that is loaded.
 *
 * The DOCA_VERSION_* macros and doca_version() tell what the program was compiled with,
 * doca_version_runtime() tells what it runs with. Everything here may be called from any thread
 * at any time.
 */

#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_VERSION_MAJOR 3
#define DOCA_VERSION_MINOR 3
#define DOCA_VERSION_PATCH 109
/** major.minor.patch, the patch with four digits. */
#define DOCA_VERSION_STRING "3.3.0109"

/** A version as one number, one byte major, one byte minor, two bytes patch; a size_t. */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch)                                               \
    (((size_t)(major) << 24) + ((size_t)(minor) << 16) + (size_t)(patch))

/** DOCA_VERSION_CALC_EXACT of these headers: the stamp of versioned structs. */
#define DOCA_VERSION_EXACT                                                                         \
    DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/**
 * A version as one number whose patch counts in thousands; a size_t. Patches above 65 reach into
 * the bits of the minor number: do not order versions by it, use the comparison macros below.
 */
#define DOCA_VERSION_CALC(major, minor, patch)                                                     \
    (((size_t)(major) << 24) + ((size_t)(minor) << 16) + (size_t)(patch)*1000)

/** DOCA_VERSION_CALC of these headers. */
#define DOCA_VERSION_OFFICIAL                                                                      \
    DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/*
 * A number that orders versions as (major, minor, patch) does, for minors below 2^16 and patches
 * below 2^24. Without casts, so that the comparisons work in #if as well.
 */
#define OPENDOCA_VERSION_KEY(major, minor, patch)                                                  \
    ((major)*0x10000000000LL + (minor)*0x1000000LL + (patch))
#define OPENDOCA_VERSION_KEY_CURRENT                                                               \
    OPENDOCA_VERSION_KEY(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/** True when the given version is that of these headers. Usable in #if. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch)                                               \
    (OPENDOCA_VERSION_KEY(major, minor, patch) == OPENDOCA_VERSION_KEY_CURRENT)

/** True when the given version is that of these headers or an older one. Usable in #if. */
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch)                                              \
    (OPENDOCA_VERSION_KEY(major, minor, patch) <= OPENDOCA_VERSION_KEY_CURRENT)

/**
 * The version that the calling code was compiled with.
 *
 * Returns DOCA_VERSION_STRING; the string is static.
 */
static inline const char *doca_version(void)
{
    return DOCA_VERSION_STRING;
}

/**
 * The version of the library that the program runs with, in the form of DOCA_VERSION_STRING.
 *
 * Differs from doca_version() when the program was compiled against other headers.
 * Never fails; the string is static and must not be freed.
 */
DOCA_EXPERIMENTAL
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
