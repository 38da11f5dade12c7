/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_REFUSAL_H_
#define TESTS_LIB_REFUSAL_H_

/* Calls that cannot be answered with success: the exact code, and a line that names the function.
 * Included behind a fixture that has assert_doca(). */

#include <doca_pe.h>
#include <opendoca.h>
#include <stdio.h>
#include <string.h>

/* Something else is what was refused before. */
#define refused(error, call)                                                                       \
    do {                                                                                           \
        doca_pe_create(NULL);                                                                      \
        assert_doca(error, call);                                                                  \
        assert_told(#call);                                                                        \
    } while (0)

static inline void assert_told(const char *call)
{
    char name[96];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(call, "("), call);
    if (strstr(opendoca_last_error(), name) == NULL)
        fail_msg("%s left: %s", name, opendoca_last_error());
}

#endif /* TESTS_LIB_REFUSAL_H_ */
