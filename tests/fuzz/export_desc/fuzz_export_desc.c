/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "soft/peer/desc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Accepted bytes are exactly what sealing the parsed fields gives again, but for the access token,
 * which only the exporter knows. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_peer_desc desc, again;

    if (soft_peer_desc_parse(data, size, &desc) == 0) {
        again = desc;
        soft_peer_desc_seal(&again, NULL, 0);
        if (size != sizeof(desc) || memcmp(&desc, data, size) != 0 ||
            !soft_peer_desc_equal(&desc, &desc) || again.size != desc.size ||
            strlen(desc.dir) >= sizeof(desc.dir) || desc.base + desc.len < desc.base)
            abort();
    }
    /* The checksum keeps a fuzzer out; past it the fields are what matters. */
    if (size == sizeof(desc)) {
        memcpy(&desc, data, size);
        soft_peer_desc_seal(&desc, NULL, 0);
        if (soft_peer_desc_parse(&desc, size, &again) == 0 && !soft_peer_desc_equal(&desc, &again))
            abort();
    }
    return 0;
}
