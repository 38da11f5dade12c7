/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_CPUS_H_
#define OD_UROM_WIRE_CPUS_H_

/* Sets of CPUs 0 to 1023, as they travel. */

#include "urom/wire/wire.h"

#define UROM_CPUS_MAX (8 * UROM_WIRE_CPUS_SIZE)

struct urom_cpus {
    uint8_t bits[UROM_WIRE_CPUS_SIZE];
};

static inline bool urom_cpus_has(const struct urom_cpus *cpus, unsigned int cpu)
{
    return cpu < UROM_CPUS_MAX && (cpus->bits[cpu / 8] & (1u << cpu % 8)) != 0;
}

static inline void urom_cpus_add(struct urom_cpus *cpus, unsigned int cpu)
{
    if (cpu < UROM_CPUS_MAX)
        cpus->bits[cpu / 8] |= (uint8_t)(1u << cpu % 8);
}

bool urom_cpus_is_empty(const struct urom_cpus *cpus);
/* Is each CPU of `part` also in `whole`? */
bool urom_cpus_covers(const struct urom_cpus *whole, const struct urom_cpus *part);

/* "0-3,8": 0, -EINVAL (not a list) or -ERANGE. Writes on success only. */
int urom_cpus_parse(const char *text, struct urom_cpus *cpus);
/* The same form, cut to fit; "" for the empty set. */
void urom_cpus_format(const struct urom_cpus *cpus, char *text, size_t size);

#endif /* OD_UROM_WIRE_CPUS_H_ */
