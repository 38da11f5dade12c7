/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/spawn.h"

#include <errno.h>

#include "urom/wire/pack.h"

int urom_ready_decode(const void *bytes, size_t len, struct urom_ready *ready)
{
    struct urom_ready body;

    if (urom_in_only(bytes, len, &body, sizeof(body)) != 0 ||
        !urom_text_clean(body.local, sizeof(body.local)) ||
        !urom_text_clean(body.remote, sizeof(body.remote)) ||
        !urom_text_clean(body.ucx, sizeof(body.ucx)))
        return -EBADMSG;
    *ready = body;
    return 0;
}

int urom_admit_decode(const void *bytes, size_t len, struct urom_admit *admit)
{
    return urom_in_only(bytes, len, admit, sizeof(*admit));
}

int urom_drop_decode(const void *bytes, size_t len, struct urom_drop *drop)
{
    return urom_in_only(bytes, len, drop, sizeof(*drop));
}

int urom_probe_decode(const void *bytes, size_t len, struct urom_probe *probe)
{
    struct urom_probe body;

    if (urom_in_only(bytes, len, &body, sizeof(body)) != 0 ||
        !urom_text_clean(body.text, sizeof(body.text)) || body.error < 0 ||
        body.error > DOCA_ERROR_DEVICE_FATAL_ERROR)
        return -EBADMSG;
    *probe = body;
    return 0;
}
