/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_DOCA_CAPS_H_
#define OD_TOOLS_DOCA_CAPS_H_

/* doca_caps: what devices, libraries and log sources there are and what they can do. Asks the
 * public API only, so that each value is the one that a program in the same role gets. */

#include <stdbool.h>
#include <stdint.h>

#include <doca_dev.h>

#include "tools/common/library.h"

/* Which devices a family is printed for. */
struct caps_scope {
    const char *pci_addr;               /* NULL: all devices */
    const struct tool_library *library; /* NULL: all libraries */
};

struct caps_devices {
    struct doca_devinfo **list;
    uint32_t num;
};

/* One family each. */
void caps_print_devices(const struct caps_devices *devices, const struct caps_scope *scope);
void caps_print_representors(const struct caps_devices *devices, const struct caps_scope *scope);
void caps_print_capabilities(const struct caps_devices *devices, const struct caps_scope *scope);
void caps_print_libraries(const struct caps_scope *scope);
int caps_print_loggers(void); /* 0, or -1 after a message */

/* The parts of a line: "PCI: 0000:03:00.0", then attributes one level further in. */
bool caps_in_scope(const struct doca_devinfo *devinfo, const struct caps_scope *scope);
void caps_print_heading(const struct doca_devinfo *devinfo);
void caps_print_attribute(int level, const char *name, const char *value);
void caps_print_number(int level, const char *name, doca_error_t result, uint64_t value);

#endif /* OD_TOOLS_DOCA_CAPS_H_ */
