/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_caps/doca_caps.h"

#include <inttypes.h>
#include <stdio.h>

#define INDENT       4
#define VALUE_COLUMN 52

bool caps_in_scope(const struct doca_devinfo *devinfo, const struct caps_scope *scope)
{
    uint8_t is_equal = 1;

    if (scope->pci_addr == NULL)
        return true;
    return doca_devinfo_is_equal_pci_addr(devinfo, scope->pci_addr, &is_equal) == DOCA_SUCCESS &&
           is_equal != 0;
}

void caps_print_heading(const struct doca_devinfo *devinfo)
{
    char pci[DOCA_DEVINFO_PCI_ADDR_SIZE] = "N/A";

    (void)doca_devinfo_get_pci_addr_str(devinfo, pci);
    printf("PCI: %s\n", pci);
}

void caps_print_attribute(int level, const char *name, const char *value)
{
    printf("%*s%-*s %s\n", level * INDENT, "", VALUE_COLUMN - level * INDENT, name, value);
}

void caps_print_number(int level, const char *name, doca_error_t result, uint64_t value)
{
    char text[24] = "N/A";

    if (result == DOCA_SUCCESS)
        snprintf(text, sizeof(text), "%" PRIu64, value);
    caps_print_attribute(level, name, text);
}
