/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_TOEPLITZ_H_
#define OD_SOFT_NIC_TOEPLITZ_H_

/* The hash by which frames are spread over queues. */

#include "soft/nic/keys.h"

#define SOFT_NIC_RSS_KEY   40u
#define SOFT_NIC_RSS_INPUT 36u /* two IPv6 addresses and two ports */

/* What is hashed. */
enum soft_nic_rss_flag {
    SOFT_NIC_RSS_IPV4_SRC = 1 << 0,
    SOFT_NIC_RSS_IPV4_DST = 1 << 1,
    SOFT_NIC_RSS_IPV6_SRC = 1 << 2,
    SOFT_NIC_RSS_IPV6_DST = 1 << 3,
    SOFT_NIC_RSS_UDP_SRC = 1 << 4,
    SOFT_NIC_RSS_UDP_DST = 1 << 5,
    SOFT_NIC_RSS_TCP_SRC = 1 << 6,
    SOFT_NIC_RSS_TCP_DST = 1 << 7,
    SOFT_NIC_RSS_ESP = 1 << 8,
};

/* A key, turned into one table a byte of input. */
struct soft_nic_toeplitz {
    uint32_t table[SOFT_NIC_RSS_INPUT][256];
};

SOFT_API extern const uint8_t soft_nic_rss_default_key[SOFT_NIC_RSS_KEY];

SOFT_API void soft_nic_toeplitz_init(struct soft_nic_toeplitz *toeplitz,
                                     const uint8_t key[SOFT_NIC_RSS_KEY]);

static inline uint32_t soft_nic_toeplitz_hash(const struct soft_nic_toeplitz *toeplitz,
                                              const uint8_t *input, uint32_t len)
{
    uint32_t hash = 0;

    for (uint32_t i = 0; i < len; i++)
        hash ^= toeplitz->table[i][input[i]];
    return hash;
}

/* 0 when the flags cover nothing of the frame. Symmetric: both directions of a flow give the same.
 */
SOFT_API uint32_t soft_nic_rss_hash(const struct soft_nic_toeplitz *toeplitz,
                                    const struct soft_nic_keys *keys, uint32_t flags,
                                    bool symmetric);

#endif /* OD_SOFT_NIC_TOEPLITZ_H_ */
