/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/device.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/note.h"

#define ROLE_ENV "OPENDOCA_ROLE"

const char *soft_role_name(enum soft_role role)
{
    return role == SOFT_ROLE_DPU ? "dpu" : "host";
}

static struct {
    pthread_once_t once;
    enum soft_role role;
    char unknown[64]; /* value of the variable that names no role; "" = none */
} process = {.once = PTHREAD_ONCE_INIT};

static void decide(void)
{
    const char *env = secure_getenv(ROLE_ENV);

    process.role = od_program_note(OD_NOTE_ROLE) == SOFT_ROLE_DPU ? SOFT_ROLE_DPU : SOFT_ROLE_HOST;
    if (env == NULL || *env == '\0')
        return;
    if (strcmp(env, "host") == 0)
        process.role = SOFT_ROLE_HOST;
    else if (strcmp(env, "dpu") == 0)
        process.role = SOFT_ROLE_DPU;
    else
        strncpy(process.unknown, env, sizeof(process.unknown) - 1);
}

int soft_device_role(enum soft_role *role)
{
    pthread_once(&process.once, decide);
    *role = process.role;
    if (process.unknown[0] != '\0')
        return soft_fail(-EINVAL, ROLE_ENV " is \"%s\", allowed: \"host\", \"dpu\"",
                         process.unknown);
    return 0;
}
