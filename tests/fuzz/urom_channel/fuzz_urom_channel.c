/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "urom/wire/channel.h"
#include "urom/wire/cpus.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What lies in a slot of either ring, and a list of CPUs, which is text from a command line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct urom_worker_notify notify;
    struct urom_worker_cmd cmd;
    struct urom_cpus cpus, again;
    char text[8192];

    if (size > 4000)
        return 0;
    if (urom_cmd_read(data, (uint32_t)size, &cmd) && cmd.len + sizeof(cmd) != size)
        abort();
    if (urom_notify_read(data, (uint32_t)size, &notify) && notify.len + sizeof(notify) != size)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (urom_cpus_parse(text, &cpus) != 0)
        return 0;
    urom_cpus_format(&cpus, text, sizeof(text));
    if (urom_cpus_parse(text, &again) != 0 || memcmp(&cpus, &again, sizeof(cpus)) != 0)
        abort();
    return 0;
}
