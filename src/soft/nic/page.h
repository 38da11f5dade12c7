/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_PAGE_H_
#define OD_SOFT_NIC_PAGE_H_

/* The counters of a port as others can read them: a file in the runtime folder, mapped by the
 * process that has the port, for as long as it has it. */

#include <limits.h>

#include "soft/nic/nic.h"
#include "soft/service/forked.h"

#define SOFT_NIC_PAGE_MAGIC   "ODNICPG"
#define SOFT_NIC_PAGE_VERSION 2u

struct soft_nic_page {
    char magic[8];
    uint32_t version;
    uint32_t pid;
    uint32_t ncounters;
    _Atomic uint32_t captures; /* how often somebody asked for a capture */
    char device[SOFT_DEVICE_ID_SIZE];
    char kind[16];
    char where[80];
    char mode[32];
    struct soft_nic_counters counters;
};
_Static_assert(offsetof(struct soft_nic_page, counters) == 184, "frozen");

/* The name of its file. */
void soft_nic_page_name(uint32_t pid, const char *device, char name[NAME_MAX]);

/* A page of this process; in memory only where the folder cannot be used. NULL: no memory. Pages of
 * processes that ended are removed. `*lock` tells others that the process lives, and not that a
 * child of it does; its descriptor is -1 where there is no file, and in such a child. */
struct soft_nic_page *soft_nic_page_create(const struct soft_device *device,
                                           const struct soft_nic_port_info *info,
                                           struct soft_forked *lock);
void soft_nic_page_destroy(struct soft_nic_page *page, struct soft_forked *lock);

/* Looks at what a file has; false: not a page, or of another version. */
SOFT_API bool soft_nic_page_is_valid(const void *bytes, size_t len);
/* Calls `see` for the page of each process that lives; files of others are removed. 0 or a negative
 * errno with a reason. */
SOFT_API int soft_nic_pages_read(void (*see)(const struct soft_nic_page *page, void *arg),
                                 void *arg);

#endif /* OD_SOFT_NIC_PAGE_H_ */
