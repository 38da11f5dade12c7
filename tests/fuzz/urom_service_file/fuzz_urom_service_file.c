/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "urom/wire/service_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const hosts[] = {"node1"};
    static const struct od_pci_addr pcis[] = {{0, 0x03, 0, 0}};
    const struct urom_file_query query = {hosts, 1, pcis, 1};
    struct urom_file_entry entry;
    const char *why = NULL;
    int err = urom_service_file_find((const char *)data, size, &query, &entry, &why);

    if (err == 0 && (strlen(entry.host) == 0 || strlen(entry.net_devices) == 0 || entry.line == 0))
        abort();
    if (err == -EINVAL && (why == NULL || entry.line == 0))
        abort();
    return 0;
}
