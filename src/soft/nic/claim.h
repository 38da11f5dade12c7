/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_CLAIM_H_
#define OD_SOFT_NIC_CLAIM_H_

/* What a port can tell of a frame without the classifier, to leave it to the stack of its interface
 * when no rule wants it. Compiled for BPF as well. */

#include <linux/types.h>

/* As on the wire; 0 where it is not there. Values are those of struct soft_nic_keys. */
struct soft_nic_claim_keys {
    __u8 dst_mac[6];
    __u16 ether_type; /* behind the VLAN tags */
    __u8 src_ip[16];
    __u8 dst_ip[16];
    __u16 src_port;
    __u16 dst_port;
    __u8 l3;
    __u8 l4;
    __u8 proto;
    __u8 is_fragment;
} __attribute__((aligned(8)));

#define SOFT_NIC_CLAIM_WORDS (sizeof(struct soft_nic_claim_keys) / sizeof(__u64))

/* Bits of frames that are claimed: `value` where `mask` is 1, and 0 elsewhere. */
struct soft_nic_claim {
    struct soft_nic_claim_keys mask;
    struct soft_nic_claim_keys value;
};

_Static_assert(sizeof(struct soft_nic_claim_keys) == 48, "no padding: it is a key of a map");

#endif /* OD_SOFT_NIC_CLAIM_H_ */
