/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/soft.h"

#include <stdarg.h>
#include <stdio.h>

static __thread char reason[SOFT_REASON_SIZE];

int soft_fail(int err, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(reason, sizeof(reason), fmt, ap);
    va_end(ap);
    return err;
}

const char *soft_reason(void)
{
    return reason;
}
