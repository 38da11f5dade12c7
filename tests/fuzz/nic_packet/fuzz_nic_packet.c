/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame from the wire: what is found lies inside, and sums that are written hold. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/packet.h"
#include "soft/nic/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_layout(const struct soft_nic_packet *packet, size_t size)
{
    if (packet->l3 != SOFT_NIC_L3_NONE && packet->l3_off + 20u > size)
        abort();
    if (packet->l4 == SOFT_NIC_L4_NONE)
        return;
    if (packet->l4_header > packet->l4_len || (size_t)packet->l4_off + packet->l4_len > size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_nic_segmenter segmenter;
    struct soft_nic_packet packet;
    uint8_t *frame;

    if (size > 4096 || (frame = malloc(size > 0 ? size : 1)) == NULL)
        return 0;
    memcpy(frame, data, size);
    soft_nic_parse(frame, (uint32_t)size, &packet);
    check_layout(&packet, size);
    soft_nic_l3_sum(frame, &packet);
    soft_nic_l4_sum(frame, &packet);
    if (packet.l3 != SOFT_NIC_L3_NONE && !soft_nic_l3_is_ok(frame, &packet))
        abort();
    if ((packet.l4 == SOFT_NIC_L4_TCP || packet.l4 == SOFT_NIC_L4_UDP) &&
        !soft_nic_l4_is_ok(frame, &packet))
        abort();
    soft_nic_segment_begin(&segmenter, frame, (uint32_t)size, 4000, 1500);
    soft_nic_segment_adapt(&segmenter, frame, 1500, 1500);
    free(frame);
    return 0;
}
