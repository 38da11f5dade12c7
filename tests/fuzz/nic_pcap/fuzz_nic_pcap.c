/* SPDX-License-Identifier: BSD-3-Clause */
/* A capture file: every frame lies inside, and reading it ends. */

#include <stdint.h>
#include <stdlib.h>

#include "soft/nic/pcap/pcap_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_pcap_frame frame;
    struct soft_pcap pcap;
    size_t frames = 0;
    int got;

    if (soft_pcap_open(&pcap, data, size) != 0)
        return 0;
    while ((got = soft_pcap_next(&pcap, &frame)) > 0) {
        if (frame.data < data || frame.len > size || frame.data + frame.len > data + size)
            abort();
        if (++frames > size)
            abort();
    }
    if (got == 0 && pcap.at != size)
        abort();
    return 0;
}
