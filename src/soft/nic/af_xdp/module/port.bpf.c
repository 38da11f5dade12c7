/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* The XDP program of a port: frames that are claimed go to the socket of their queue, the others on
 * to the network stack. It reads less of a frame than the classifier does; where it cannot tell,
 * the frame is claimed, and the classifier gives it back. */

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "soft/nic/af_xdp/module/program.h"

/* As in packet.h, whose headers are not those of BPF. */
enum { L3_IPV4 = 1, L3_IPV6 = 2, L4_ICMP = 1, L4_ESP = 2, L4_TCP = 4, L4_UDP = 5 };

struct {
    __uint(type, BPF_MAP_TYPE_XSKMAP);
    __uint(max_entries, AF_XDP_QUEUES);
    __type(key, __u32);
    __type(value, __u32);
} sockets SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, AF_XDP_SHAPES);
    __type(key, __u32);
    __type(value, struct soft_nic_claim_keys);
} shapes SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, AF_XDP_CLAIMS);
    __type(key, struct af_xdp_claim);
    __type(value, __u32);
} claims SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct af_xdp_sum);
} sums SEC(".maps");

volatile struct af_xdp_control control = {};

enum verdict { READ, UNCLEAR };

#ifdef AF_XDP_WITH_TAGS
/* 0, or a negative errno. The time is there, if only as 0, when a network stack sent the frame. */
extern int bpf_xdp_metadata_rx_vlan_tag(const struct xdp_md *ctx, __be16 *proto, __u16 *tci) __ksym;
extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *ctx, __u64 *time) __ksym;
#endif

struct frame {
    struct soft_nic_claim_keys keys;
    __u32 l4_len; /* TCP and UDP: header and payload */
    __u16 l4_sum; /* as it stands there */
};

/* What the sender left to the interface to put on. */
struct tag {
    __u16 proto; /* 0: nothing */
    __u16 tci;   /* both as on the wire */
};

#define TAG_LEN 4
#define AT_MASK 127u /* where headers begin: 22 and 60 bytes at most are in front */

static __always_inline int is_vlan(__u16 type)
{
    return type == bpf_htons(ETH_P_8021Q) || type == bpf_htons(ETH_P_8021AD);
}

/* Functions that are not static are checked by the kernel once each, for whatever they may be
 * given, and not on each way to them: the check of all ways takes so long that signals may always
 * end it. They cannot be given pointers into the frame. */

static __always_inline const __u8 *data_at(const struct xdp_md *ctx, __u32 at)
{
    return (const __u8 *)(long)ctx->data + (at & AT_MASK);
}

static __always_inline const __u8 *end_of(const struct xdp_md *ctx)
{
    return (const __u8 *)(long)ctx->data_end;
}

/* `payload` bytes are in the frame from `at` on, as IP says. */
__attribute__((noinline)) int read_l4(struct xdp_md *ctx, __u32 at, __u32 payload,
                                      struct frame *frame)
{
    const __u8 *l4 = data_at(ctx, at), *end = end_of(ctx);
    struct soft_nic_claim_keys *keys;

    if (frame == 0)
        return UNCLEAR;
    keys = &frame->keys;
    switch (keys->proto) {
    case IPPROTO_TCP:
    case IPPROTO_UDP:
        if (payload < 20 && keys->proto == IPPROTO_TCP)
            return READ;
        if (payload < 8)
            return READ;
        if (l4 + 20 > end && keys->proto == IPPROTO_TCP)
            return UNCLEAR;
        if (l4 + 8 > end)
            return UNCLEAR;
        /* A TCP header that is cut off is for the classifier. */
        if (keys->proto == IPPROTO_TCP && (__u32)(l4[12] >> 4) * 4 > payload)
            return UNCLEAR;
        keys->l4 = keys->proto == IPPROTO_TCP ? L4_TCP : L4_UDP;
        __builtin_memcpy(&keys->src_port, l4, 2);
        __builtin_memcpy(&keys->dst_port, l4 + 2, 2);
        __builtin_memcpy(&frame->l4_sum, keys->proto == IPPROTO_TCP ? l4 + 16 : l4 + 6, 2);
        frame->l4_len = payload;
        return READ;
    case IPPROTO_ICMP:
    case IPPROTO_ICMPV6:
        keys->l4 = payload >= 8 ? L4_ICMP : 0;
        return READ;
    case IPPROTO_ESP:
        keys->l4 = payload >= 8 ? L4_ESP : 0;
        return READ;
    case IPPROTO_HOPOPTS:
    case IPPROTO_ROUTING:
    case IPPROTO_DSTOPTS:
    case IPPROTO_FRAGMENT:
        return keys->l3 == L3_IPV6 ? UNCLEAR : READ;
    default:
        return READ;
    }
}

__attribute__((noinline)) int read_ipv4(struct xdp_md *ctx, __u32 at, struct frame *frame)
{
    const __u8 *ip = data_at(ctx, at), *end = end_of(ctx);
    struct soft_nic_claim_keys *keys;
    __u32 header, total;

    if (frame == 0 || ip + 20 > end)
        return READ;
    keys = &frame->keys;
    if (ip[0] >> 4 != 4)
        return READ;
    header = (ip[0] & 15u) * 4u;
    total = (__u32)ip[2] << 8 | ip[3];
    if (header < 20 || total < header || total > (__u32)(end - ip))
        return UNCLEAR;
    keys->l3 = L3_IPV4;
    keys->proto = ip[9];
    __builtin_memcpy(keys->src_ip, ip + 12, 4);
    __builtin_memcpy(keys->dst_ip, ip + 16, 4);
    if (((ip[6] & 0x3f) | ip[7]) != 0) {
        keys->is_fragment = 1;
        return READ;
    }
    return read_l4(ctx, at + header, total - header, frame);
}

__attribute__((noinline)) int read_ipv6(struct xdp_md *ctx, __u32 at, struct frame *frame)
{
    const __u8 *ip = data_at(ctx, at), *end = end_of(ctx);
    struct soft_nic_claim_keys *keys;
    __u32 payload;

    if (frame == 0 || ip + 40 > end)
        return READ;
    keys = &frame->keys;
    if (ip[0] >> 4 != 6)
        return READ;
    payload = (__u32)ip[4] << 8 | ip[5];
    if (payload > (__u32)(end - ip) - 40)
        return UNCLEAR;
    keys->l3 = L3_IPV6;
    keys->proto = ip[6];
    __builtin_memcpy(keys->src_ip, ip + 8, 16);
    __builtin_memcpy(keys->dst_ip, ip + 24, 16);
    return read_l4(ctx, at + 40, payload, frame);
}

__attribute__((noinline)) int read_frame(struct xdp_md *ctx, struct frame *frame)
{
    const __u8 *data = data_at(ctx, 0), *end = end_of(ctx);
    __u32 at = ETH_HLEN;
    __u16 type;

    if (frame == 0 || data + ETH_HLEN > end)
        return READ;
    __builtin_memcpy(frame->keys.dst_mac, data, 6);
    __builtin_memcpy(&type, data + 12, 2);
    for (int i = 0; i < 2; i++) {
        if (!is_vlan(type) || data + at + 4 > end)
            break;
        __builtin_memcpy(&type, data + at + 2, 2);
        at += 4;
    }
    frame->keys.ether_type = type;
    if (type == bpf_htons(ETH_P_IP))
        return read_ipv4(ctx, at, frame);
    if (type == bpf_htons(ETH_P_IPV6))
        return read_ipv6(ctx, at, frame);
    return READ;
}

__attribute__((noinline)) int has_claim(const struct soft_nic_claim_keys *keys, __u32 shape)
{
    const __u64 *mask = bpf_map_lookup_elem(&shapes, &shape);
    const __u64 *words = (const __u64 *)keys;
    struct af_xdp_claim claim;
    __u64 *value = (__u64 *)&claim.value;

    if (mask == 0 || keys == 0)
        return 0;
    claim.shape = shape;
    for (__u32 i = 0; i < SOFT_NIC_CLAIM_WORDS; i++)
        value[i] = words[i] & mask[i];
    return bpf_map_lookup_elem(&claims, &claim) != 0;
}

__attribute__((noinline)) int has_any_claim(const struct soft_nic_claim_keys *keys, __u32 nshapes)
{
    if (keys == 0)
        return 0;
    for (__u32 i = 0; i < AF_XDP_SHAPES; i++) {
        if (i >= nshapes)
            break;
        if (has_claim(keys, i))
            return 1;
    }
    return 0;
}

/* The sum of TCP or UDP is that of the pseudo header: the sender left the rest to the interface. */
__attribute__((noinline)) int is_sum_open(const struct frame *frame)
{
    const __u64 *words;
    __u64 sum;

    if (frame == 0 || frame->l4_sum == 0)
        return 0;
    words = (const __u64 *)&frame->keys.src_ip;
    sum = bpf_htons((__u16)frame->l4_len) + bpf_htons(frame->keys.proto);
    for (int i = 0; i < 4; i++)
        sum += (words[i] & 0xffffffff) + (words[i] >> 32);
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return sum == frame->l4_sum;
}

/* `from_stack`: nobody else leaves sums open. */
static __always_inline int is_claimed(struct xdp_md *ctx, int from_stack)
{
    const int looks_at_sum = from_stack && control.sums == AF_XDP_SUMS_WATCHED;
    const __u32 all = control.all, nshapes = control.nshapes;
    int verdict = READ;
    struct frame frame = {};

    if (looks_at_sum || (!all && nshapes != 0))
        verdict = read_frame(ctx, &frame);
    if (!all && (nshapes == 0 || (verdict == READ && !has_any_claim(&frame.keys, nshapes))))
        return 0;
    if (looks_at_sum && (verdict == UNCLEAR || is_sum_open(&frame)))
        control.sums = AF_XDP_SUMS_OPEN;
    return 1;
}

static __always_inline int push_tag(struct xdp_md *ctx, const struct tag *tag)
{
    __u8 *data, macs[12];

    if (bpf_xdp_adjust_head(ctx, -TAG_LEN) != 0)
        return -1;
    data = (__u8 *)(long)ctx->data;
    if (data + ETH_HLEN + TAG_LEN > (const __u8 *)(long)ctx->data_end)
        return -1;
    __builtin_memcpy(macs, data + TAG_LEN, sizeof(macs));
    __builtin_memcpy(data, macs, sizeof(macs));
    __builtin_memcpy(data + sizeof(macs), tag, TAG_LEN);
    return 0;
}

static __always_inline int to_socket(struct xdp_md *ctx, const struct tag *tag)
{
    if (tag->proto == 0)
        return bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_PASS);
    /* The stack would put the tag on once more. */
    return push_tag(ctx, tag) == 0 ? bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_DROP)
                                   : XDP_DROP;
}

static __always_inline int serve(struct xdp_md *ctx, int from_stack, const struct tag *tag)
{
    struct af_xdp_sum *sum;
    __u32 zero = 0, len = (__u32)(end_of(ctx) - data_at(ctx, 0)) + (tag->proto != 0 ? TAG_LEN : 0);
    int claimed = is_claimed(ctx, from_stack);

    if (claimed && len <= control.longest)
        return to_socket(ctx, tag);
    sum = bpf_map_lookup_elem(&sums, &zero);
    if (sum != 0 && claimed) {
        sum->oversize++;
        sum->oversize_bytes += len;
    } else if (sum != 0) {
        sum->passed++;
        sum->passed_bytes += len;
    }
    return claimed ? XDP_DROP : XDP_PASS;
}

#ifdef AF_XDP_WITH_TAGS
SEC("xdp")
int od_port(struct xdp_md *ctx)
{
    struct tag tag = {};
    __u64 time;
    int is_tagged = bpf_xdp_metadata_rx_vlan_tag(ctx, &tag.proto, &tag.tci) == 0;
    int from_stack = is_tagged || bpf_xdp_metadata_rx_timestamp(ctx, &time) == 0;

    tag.proto = is_tagged ? tag.proto : 0;
    tag.tci = bpf_htons(tag.tci);
    return serve(ctx, from_stack, &tag);
}
#else
SEC("xdp")
int od_port(struct xdp_md *ctx)
{
    const struct tag none = {};

    return serve(ctx, 1, &none);
}
#endif

/* Run by the module itself, with frames that go to the stack after all. */
SEC("xdp")
int od_back(struct xdp_md *ctx)
{
    return XDP_PASS;
}

/* Who has it under the BSD licence may use it under the GPL, which the kernel wants to hear. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";
