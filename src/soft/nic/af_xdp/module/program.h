/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_AF_XDP_MODULE_PROGRAM_H_
#define OD_SOFT_NIC_AF_XDP_MODULE_PROGRAM_H_

/* What the XDP program and the module share. */

#include <linux/types.h>

#include "soft/nic/claim.h"

#define AF_XDP_QUEUES 64u
#define AF_XDP_SHAPES 32u
#define AF_XDP_CLAIMS 131072u

/* Claims with the same mask have one shape; each is an entry of the map `claims`. */
struct af_xdp_claim {
    struct soft_nic_claim_keys value;
    __u64 shape;
};

/* Each core counts on its own. */
struct af_xdp_sum {
    __u64 passed;
    __u64 passed_bytes;
    __u64 oversize;
    __u64 oversize_bytes;
};

enum {
    AF_XDP_SUMS_TRUSTED, /* nobody leaves checksums to us */
    AF_XDP_SUMS_WATCHED, /* senders might */
    AF_XDP_SUMS_OPEN,    /* one did, says the program */
};

/* Written by the module while the program runs. */
struct af_xdp_control {
    __u32 longest; /* frame that a place has room for */
    __u32 all;     /* frames are claimed, whatever they are */
    __u32 nshapes; /* used ones are in front */
    __u32 sums;    /* AF_XDP_SUMS_... */
};

#endif /* OD_SOFT_NIC_AF_XDP_MODULE_PROGRAM_H_ */
