/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a port in the devices file. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_nic_spec spec;
    char *text = malloc(size + 1);

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (soft_nic_spec_parse(text, &spec) == 0) {
        if (spec.kind[0] == '\0' || spec.nitems > SOFT_NIC_SPEC_ITEMS)
            abort();
        for (uint32_t i = 0; i < spec.nitems; i++) {
            if (spec.items[i].key[0] == '\0' || spec.items[i].value == NULL)
                abort();
        }
    }
    free(text);
    return 0;
}
