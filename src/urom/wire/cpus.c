/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/cpus.h"

#include <errno.h>
#include <string.h>

#include "util/parse.h"
#include "util/text.h"

bool urom_cpus_is_empty(const struct urom_cpus *cpus)
{
    static const struct urom_cpus none;

    return memcmp(cpus, &none, sizeof(none)) == 0;
}

bool urom_cpus_covers(const struct urom_cpus *whole, const struct urom_cpus *part)
{
    for (size_t i = 0; i < UROM_WIRE_CPUS_SIZE; i++) {
        if ((part->bits[i] & ~whole->bits[i]) != 0)
            return false;
    }
    return true;
}

/* A number of at most 4 digits up to one of `ends`; moves *at onto that. */
static int parse_cpu(const char **at, const char *ends, unsigned int *cpu)
{
    char digits[5] = "";
    size_t len = strcspn(*at, ends);
    uint64_t value;
    int err;

    if (len >= sizeof(digits))
        return -EINVAL;
    memcpy(digits, *at, len);
    err = od_parse_u64(digits, &value);
    if (err != 0)
        return err;
    if (value >= UROM_CPUS_MAX)
        return -ERANGE;
    *cpu = (unsigned int)value;
    *at += len;
    return 0;
}

int urom_cpus_parse(const char *text, struct urom_cpus *cpus)
{
    struct urom_cpus found = {{0}};

    for (;;) {
        unsigned int first, last;
        int err = parse_cpu(&text, "-,", &first);

        if (err != 0)
            return err;
        last = first;
        if (*text == '-') {
            text++;
            err = parse_cpu(&text, ",", &last);
            if (err != 0)
                return err;
        }
        if (last < first)
            return -EINVAL;
        for (unsigned int cpu = first; cpu <= last; cpu++)
            urom_cpus_add(&found, cpu);
        if (*text == '\0')
            break;
        text++;
    }
    *cpus = found;
    return 0;
}

void urom_cpus_format(const struct urom_cpus *cpus, char *text, size_t size)
{
    struct od_text out;
    unsigned int last;

    od_text_init(&out, text, size);
    for (unsigned int cpu = 0; cpu < UROM_CPUS_MAX; cpu = last + 1) {
        last = cpu;
        if (!urom_cpus_has(cpus, cpu))
            continue;
        while (urom_cpus_has(cpus, last + 1))
            last++;
        od_text_printf(&out, "%s%u", out.len > 0 ? "," : "", cpu);
        if (last > cpu)
            od_text_printf(&out, "-%u", last);
    }
}
