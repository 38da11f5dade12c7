/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/toeplitz.h"

#include <string.h>

/* The key of the published test vectors, which most drivers start with. */
const uint8_t soft_nic_rss_default_key[SOFT_NIC_RSS_KEY] = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

/* The 32 bits of the key that begin at a bit. */
static uint32_t window(const uint8_t *key, uint32_t bit)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < 5; i++)
        bytes = bytes << 8 | key[bit / 8 + i];
    return (uint32_t)(bytes >> (8 - bit % 8));
}

void soft_nic_toeplitz_init(struct soft_nic_toeplitz *toeplitz, const uint8_t key[SOFT_NIC_RSS_KEY])
{
    uint8_t longer[SOFT_NIC_RSS_KEY + 1] = {0};

    memcpy(longer, key, SOFT_NIC_RSS_KEY);
    for (uint32_t place = 0; place < SOFT_NIC_RSS_INPUT; place++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t hash = 0;

            for (uint32_t bit = 0; bit < 8; bit++) {
                if ((byte & (0x80u >> bit)) != 0)
                    hash ^= window(longer, place * 8 + bit);
            }
            toeplitz->table[place][byte] = hash;
        }
    }
}

struct input {
    uint8_t bytes[SOFT_NIC_RSS_INPUT];
    uint32_t len;
};

/* A pair of fields of which both, one or none are hashed. */
static void add_pair(struct input *input, const void *src, const void *dst, uint32_t len,
                     bool has_src, bool has_dst, bool symmetric)
{
    if (symmetric && has_src && has_dst && memcmp(src, dst, len) > 0) {
        const void *swap = src;

        src = dst;
        dst = swap;
    }
    if (has_src) {
        memcpy(input->bytes + input->len, src, len);
        input->len += len;
    }
    if (has_dst) {
        memcpy(input->bytes + input->len, dst, len);
        input->len += len;
    }
}

uint32_t soft_nic_rss_hash(const struct soft_nic_toeplitz *toeplitz,
                           const struct soft_nic_keys *keys, uint32_t flags, bool symmetric)
{
    struct input input = {.len = 0};

    if (keys->l3 == SOFT_NIC_L3_IPV4)
        add_pair(&input, keys->src_ip, keys->dst_ip, 4, (flags & SOFT_NIC_RSS_IPV4_SRC) != 0,
                 (flags & SOFT_NIC_RSS_IPV4_DST) != 0, symmetric);
    else if (keys->l3 == SOFT_NIC_L3_IPV6)
        add_pair(&input, keys->src_ip, keys->dst_ip, 16, (flags & SOFT_NIC_RSS_IPV6_SRC) != 0,
                 (flags & SOFT_NIC_RSS_IPV6_DST) != 0, symmetric);
    if (keys->l4 == SOFT_NIC_L4_UDP)
        add_pair(&input, &keys->src_port, &keys->dst_port, 2, (flags & SOFT_NIC_RSS_UDP_SRC) != 0,
                 (flags & SOFT_NIC_RSS_UDP_DST) != 0, symmetric);
    else if (keys->l4 == SOFT_NIC_L4_TCP)
        add_pair(&input, &keys->src_port, &keys->dst_port, 2, (flags & SOFT_NIC_RSS_TCP_SRC) != 0,
                 (flags & SOFT_NIC_RSS_TCP_DST) != 0, symmetric);
    else if (keys->l4 == SOFT_NIC_L4_ESP)
        add_pair(&input, &keys->seq, NULL, 4, (flags & SOFT_NIC_RSS_ESP) != 0, false, symmetric);
    return soft_nic_toeplitz_hash(toeplitz, input.bytes, input.len);
}
