/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int od_parse_u64(const char *text, uint64_t *value)
{
    uint64_t v = 0;

    if (text == NULL || *text == '\0')
        return -EINVAL;
    for (const char *p = text; *p != '\0'; p++) {
        if (!isdigit((unsigned char)*p))
            return -EINVAL;
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
            return -ERANGE;
    }
    *value = v;
    return 0;
}

int od_parse_i64(const char *text, int64_t *value)
{
    uint64_t magnitude;
    bool negative;
    int err;

    if (text == NULL)
        return -EINVAL;
    negative = *text == '-';
    err = od_parse_u64(text + (*text == '-' || *text == '+'), &magnitude);
    if (err != 0)
        return err;
    if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return -ERANGE;
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return 0;
}

static int size_shift(char unit)
{
    switch (toupper((unsigned char)unit)) {
    case 'K':
        return 10;
    case 'M':
        return 20;
    case 'G':
        return 30;
    default:
        return 0;
    }
}

int od_parse_size(const char *text, uint64_t *value)
{
    char digits[24];
    size_t len = text != NULL ? strlen(text) : 0;
    int shift = len > 0 ? size_shift(text[len - 1]) : 0;
    uint64_t v;
    int err;

    len -= shift != 0;
    if (len == 0 || len >= sizeof(digits))
        return -EINVAL;
    memcpy(digits, text, len);
    digits[len] = '\0';
    err = od_parse_u64(digits, &v);
    if (err != 0)
        return err;
    if (v > (UINT64_MAX >> shift))
        return -ERANGE;
    *value = v << shift;
    return 0;
}

/* Exactly `digits` hexadecimal digits, then the character `end`. */
static const char *parse_hex(const char *p, int digits, char end, unsigned int *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++, p++) {
        if (!isxdigit((unsigned char)*p))
            return NULL;
        *value = *value * 16 + (unsigned int)(isdigit((unsigned char)*p)
                                                  ? *p - '0'
                                                  : tolower((unsigned char)*p) - 'a' + 10);
    }
    if (*p != end)
        return NULL;
    return end == '\0' ? p : p + 1;
}

int od_parse_pci_addr(const char *text, struct od_pci_addr *addr)
{
    unsigned int domain = 0, bus, device, function;
    const char *p = text;

    if (text == NULL)
        return -EINVAL;
    if (strlen(text) == OD_PCI_ADDR_TEXT - 1)
        p = parse_hex(p, 4, ':', &domain);
    if (p != NULL)
        p = parse_hex(p, 2, ':', &bus);
    if (p != NULL)
        p = parse_hex(p, 2, '.', &device);
    if (p != NULL)
        p = parse_hex(p, 1, '\0', &function);
    if (p == NULL || device > 0x1f || function > 7)
        return -EINVAL;
    *addr =
        (struct od_pci_addr){(uint16_t)domain, (uint8_t)bus, (uint8_t)device, (uint8_t)function};
    return 0;
}

bool od_pci_addr_equal(const struct od_pci_addr *a, const struct od_pci_addr *b)
{
    return a->domain == b->domain && a->bus == b->bus && a->device == b->device &&
           a->function == b->function;
}

void od_format_pci_addr(const struct od_pci_addr *addr, char text[OD_PCI_ADDR_TEXT])
{
    snprintf(text, OD_PCI_ADDR_TEXT, "%04x:%02x:%02x.%x", addr->domain, addr->bus,
             addr->device & 0x1fu, addr->function & 7u);
}
