/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_SERVICE_FILE_H_
#define OD_UROM_WIRE_SERVICE_FILE_H_

/* The file that says where the service of a device is. One service a line:
 *
 *   app_hostname service_type dev_hostname dev_pci_addr net,devs
 *
 * Blank lines, and text from "#" on, are skipped, as are services other than "dpu". The first line
 * that matches counts. */

#include "urom/wire/wire.h"
#include "util/parse.h"

struct urom_file_query {
    const char *const *hosts; /* names and addresses of this host */
    size_t nhosts;
    const struct od_pci_addr *pcis; /* of the device, and of others of its card */
    size_t npcis;
};

struct urom_file_entry {
    unsigned int line;
    char host[UROM_WIRE_ADDR_SIZE];        /* dev_hostname */
    char net_devices[UROM_WIRE_NAME_SIZE]; /* net,devs */
};

/* 0; -ENOENT: no line matches; -EINVAL: a line is malformed, its number is in entry->line and what
 * is wrong in *why. Lines behind the match are not looked at. */
int urom_service_file_find(const char *text, size_t len, const struct urom_file_query *query,
                           struct urom_file_entry *entry, const char **why);

#endif /* OD_UROM_WIRE_SERVICE_FILE_H_ */
