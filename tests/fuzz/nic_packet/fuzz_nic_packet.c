/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame from the wire: what is found lies inside, and sums that are written hold. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/packet.h"
#include "soft/nic/rewrite.h"
#include "soft/nic/segment.h"
#include "soft/nic/toeplitz.h"

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

/* What rules ask of it. */
static void check_keys(const uint8_t *frame, const struct soft_nic_packet *packet)
{
    static struct soft_nic_toeplitz toeplitz;
    static bool is_ready;
    struct soft_nic_keys keys;

    if (!is_ready)
        soft_nic_toeplitz_init(&toeplitz, soft_nic_rss_default_key);
    is_ready = true;
    soft_nic_keys_read(frame, packet, &keys);
    soft_nic_keys_sums(frame, packet, &keys);
    if (keys.l3 != packet->l3 || keys.l4 != packet->l4 ||
        (packet->l3 == SOFT_NIC_L3_NONE && soft_nic_rss_hash(&toeplitz, &keys, 0xff, true) != 0))
        abort();
    soft_nic_rss_hash(&toeplitz, &keys, 0xff, false);
}

/* All of it is set, a tag goes off and one on; what was a good packet stays one. */
static void check_rewrite(uint8_t *frame, uint32_t size, const struct soft_nic_packet *before)
{
    struct soft_nic_action action = {.mask = soft_nic_writable,
                                     .pops_vlan = true,
                                     .pushes_vlan = true,
                                     .l3 = before->l3,
                                     .l4 = before->l4,
                                     .l4_mask = UINT8_MAX,
                                     .vlan_type = 0x81};
    struct soft_nic_packet packet = *before;
    struct soft_nic_keys keys;

    for (size_t i = 0; i < sizeof(action.value); i++)
        ((uint8_t *)&action.value)[i] = (uint8_t)((uint8_t *)&action.mask)[i] & (uint8_t)(i * 73);
    soft_nic_keys_read(frame, &packet, &keys);
    soft_nic_action_seal(&action);
    soft_nic_rewrite(&action, &frame, &size, &packet, &keys);
    if (packet.l3 == SOFT_NIC_L3_NONE)
        return;
    if (!soft_nic_l3_is_ok(frame, &packet) ||
        (packet.l4 >= SOFT_NIC_L4_TCP && !soft_nic_l4_is_ok(frame, &packet)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_nic_segmenter segmenter;
    struct soft_nic_packet packet;
    uint8_t *memory, *frame;

    if (size > 4096 || (memory = malloc(SOFT_NIC_REWRITE_ROOM + size)) == NULL)
        return 0;
    frame = memory + SOFT_NIC_REWRITE_ROOM;
    memcpy(frame, data, size);
    soft_nic_parse(frame, (uint32_t)size, &packet);
    check_layout(&packet, size);
    check_keys(frame, &packet);
    soft_nic_l3_sum(frame, &packet);
    soft_nic_l4_sum(frame, &packet);
    if (packet.l3 != SOFT_NIC_L3_NONE && !soft_nic_l3_is_ok(frame, &packet))
        abort();
    if ((packet.l4 == SOFT_NIC_L4_TCP || packet.l4 == SOFT_NIC_L4_UDP) &&
        !soft_nic_l4_is_ok(frame, &packet))
        abort();
    soft_nic_segment_begin(&segmenter, frame, (uint32_t)size, 4000, 1500);
    soft_nic_segment_adapt(&segmenter, frame, 1500, 1500);
    memcpy(frame, data, size);
    soft_nic_l3_sum(frame, &packet);
    soft_nic_l4_sum(frame, &packet);
    check_rewrite(frame, (uint32_t)size, &packet);
    free(memory);
    return 0;
}
