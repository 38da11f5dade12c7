/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_PARSE_H_
#define OD_UTIL_PARSE_H_

/* Strict number parsing: the whole text must be the number. All return 0, -EINVAL (not a number) or
 * -ERANGE, and write the output only on success. */

#include "util/base.h"

/* Decimal, optional sign, no blanks, no prefix. */
int od_parse_i64(const char *text, int64_t *value);

/* Decimal, no sign. */
int od_parse_u64(const char *text, uint64_t *value);

/* Decimal number followed by nothing or one of K, M, G (powers of 1024). */
int od_parse_size(const char *text, uint64_t *value);

/* "DDDD:BB:DD.F" or "BB:DD.F", hexadecimal in either case; domain 0 when absent. */
struct od_pci_addr {
    uint16_t domain;
    uint8_t bus;
    uint8_t device;
    uint8_t function;
};

int od_parse_pci_addr(const char *text, struct od_pci_addr *addr);
bool od_pci_addr_equal(const struct od_pci_addr *a, const struct od_pci_addr *b);

#define OD_PCI_ADDR_TEXT 13 /* "0000:03:00.0" and NUL */
void od_format_pci_addr(const struct od_pci_addr *addr, char text[OD_PCI_ADDR_TEXT]);

#endif /* OD_UTIL_PARSE_H_ */
