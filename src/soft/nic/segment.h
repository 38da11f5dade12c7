/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_SEGMENT_H_
#define OD_SOFT_NIC_SEGMENT_H_

/* Large sends: one header and much payload, cut into frames. */

#include "soft/nic/packet.h"

/* What the headers are, found out once a send. Headers that are not Ethernet, IP and TCP or UDP are
 * repeated as they are. */
struct soft_nic_segmenter {
    struct soft_nic_packet headers; /* l3 is NONE: nothing is adapted */
    uint32_t header_len;
    uint32_t total; /* bytes of payload */
    uint32_t mss;
};

SOFT_API void soft_nic_segment_begin(struct soft_nic_segmenter *segmenter, const uint8_t *header,
                                     uint32_t header_len, uint32_t total, uint32_t mss);

/* Adapts the headers at the beginning of `frame`, whose payload begins at `offset` of the whole and
 * is `len` bytes long: lengths, identification, sequence number, flags. Checksums are left. */
SOFT_API void soft_nic_segment_adapt(const struct soft_nic_segmenter *segmenter, uint8_t *frame,
                                     uint32_t offset, uint32_t len);

#endif /* OD_SOFT_NIC_SEGMENT_H_ */
