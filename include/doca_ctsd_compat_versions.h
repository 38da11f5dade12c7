/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One switch for the interface versions of all libraries that keep several.
 *
 * A program that wants the interfaces of one release to stay as they are defines
 * DOCA_CTSD_COMPAT_VERSION before it includes this header, and includes it first. A library's own
 * switch, defined by the program, wins over the common one.
 */

#ifndef DOCA_CTSD_COMPAT_VERSIONS_H_
#define DOCA_CTSD_COMPAT_VERSIONS_H_

/** First set of interface versions. */
#define DOCA_CTSD_COMPAT_VERSION_1 1

/** The set in use. */
#ifndef DOCA_CTSD_COMPAT_VERSION
#define DOCA_CTSD_COMPAT_VERSION DOCA_CTSD_COMPAT_VERSION_1
#endif

#if DOCA_CTSD_COMPAT_VERSION == DOCA_CTSD_COMPAT_VERSION_1

/** Version of the Flow interface in this set; doca_flow.h defines the number. */
#ifndef LIB_FLOW_VERSION
#define LIB_FLOW_VERSION LIB_FLOW_VERSION_1
#endif

#else
#error "DOCA_CTSD_COMPAT_VERSION names no known set of interface versions"
#endif

#endif /* DOCA_CTSD_COMPAT_VERSIONS_H_ */
