/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "soft/soft.h"

typedef void listener_type(const char *line);

static listener_type *_Atomic listens;

void soft_tell_to(void (*listener)(const char *line))
{
    atomic_store(&listens, listener);
}

void soft_tell(const char *fmt, ...)
{
    listener_type *tell = atomic_load(&listens);
    char line[SOFT_REASON_SIZE];
    va_list ap;

    if (tell == NULL)
        return;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    tell(line);
}
