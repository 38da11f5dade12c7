/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/worker_priv.h"

#include <unistd.h>

#include "urom/wire/pack.h"

int worker_probe(const char *path)
{
    struct urom_page page = {0}; /* nobody looks at it */
    struct worker worker = {.page = &page};
    struct worker_plugin plugin = {.worker = &worker, .path = path, .id = 1};
    struct worker_reason reason = {.error = DOCA_SUCCESS};
    struct urom_probe probe = {.size = sizeof(probe)};

    worker_plugin_load(&plugin, &reason);
    probe.error = (int32_t)reason.error;
    probe.version = plugin.version;
    probe.api_version = plugin.api_version;
    urom_text_set(probe.text, sizeof(probe.text), reason.text);
    return write(UROM_WORKER_CONTROL_FD, &probe, sizeof(probe)) == (ssize_t)sizeof(probe) ? 0 : 1;
}
