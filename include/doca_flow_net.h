/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headers of packets as rules see them. Values only.
 *
 * Fields of more than one byte are in network byte order.
 */
#ifndef DOCA_FLOW_NET_H_
#define DOCA_FLOW_NET_H_

#include <stdint.h>
#include <stdbool.h>

#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Members without a name are part of the interface; C++ only knows them as an extension. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

/** Bytes of an Ethernet address. */
#define DOCA_FLOW_ETHER_ADDR_LEN (6)
/** next_proto of ICMP over IPv4. */
#define DOCA_FLOW_PROTO_ICMP (1)
/** next_proto of ICMP over IPv6. */
#define DOCA_FLOW_PROTO_ICMP6 (58)
/** next_proto of an IPv4 packet inside (as 4in4). */
#define DOCA_FLOW_PROTO_IPV4 (4)
/** next_proto of an IPv6 packet inside (as 6in4). */
#define DOCA_FLOW_PROTO_IPV6 (41)
/** next_proto of TCP. */
#define DOCA_FLOW_PROTO_TCP (6)
/** next_proto of UDP. */
#define DOCA_FLOW_PROTO_UDP (17)
/** Stands for the base transport header of InfiniBand; no protocol number of IP. */
#define DOCA_FLOW_PROTO_IB_BTH (16)
/** next_proto of GRE tunnels. */
#define DOCA_FLOW_PROTO_GRE (47)
/** next_proto of ESP of IPsec. */
#define DOCA_FLOW_PROTO_ESP (50)
/** next_proto of IPv4 in IP, the same as DOCA_FLOW_PROTO_IPV4. */
#define DOCA_FLOW_PROTO_IP4_IN_IP (4)
/** next_proto of IPv6 in IP, the same as DOCA_FLOW_PROTO_IPV6. */
#define DOCA_FLOW_PROTO_IP6_IN_IP (41)
/** UDP port of GTP-U. */
#define DOCA_FLOW_GTPU_DEFAULT_PORT (2152)
/** UDP port of VXLAN. */
#define DOCA_FLOW_VXLAN_DEFAULT_PORT (4789)
/** UDP port of VXLAN-GPE. */
#define DOCA_FLOW_VXLAN_GPE_DEFAULT_PORT (4790)
/** UDP port of MPLS over UDP. */
#define DOCA_FLOW_MPLS_DEFAULT_PORT (6635)
/** UDP port of GENEVE. */
#define DOCA_FLOW_GENEVE_DEFAULT_PORT (6081)
/** UDP port of PSP. */
#define DOCA_FLOW_PSP_DEFAULT_PORT (1000)
/** UDP port of RoCE version 2. */
#define DOCA_FLOW_ROCEV2_DEFAULT_PORT (4791)
/** EtherType of IPv4. */
#define DOCA_FLOW_ETHER_TYPE_IPV4 (0x0800)
/** EtherType of IPv6. */
#define DOCA_FLOW_ETHER_TYPE_IPV6 (0x86DD)
/** EtherType of an Ethernet frame inside a tunnel. */
#define DOCA_FLOW_ETHER_TYPE_TEB (0x6558)
/** EtherType of ARP. */
#define DOCA_FLOW_ETHER_TYPE_ARP (0x0806)
/** EtherType that a VLAN tag begins with. */
#define DOCA_FLOW_ETHER_TYPE_VLAN (0x8100)
/** EtherType that the outer one of two VLAN tags begins with. */
#define DOCA_FLOW_ETHER_TYPE_QINQ (0x88A8)
/** EtherType of slow protocols, as LACP. */
#define DOCA_FLOW_ETHER_TYPE_SLOW (0x8809)
/** Bytes of a UDP header. */
#define DOCA_FLOW_UDP_HEADER_LEN 8
/** Bytes of SPI, sequence number and initialisation vector of ESP. */
#define DOCA_FLOW_ESP_HEADER_LEN (4 * sizeof(doca_be32_t))
/** Bytes of zero before ESP in UDP, short form. */
#define DOCA_FLOW_ESP_HEADER_MARKER_LEN_4B 4
/** Bytes of zero before ESP in UDP, long form. */
#define DOCA_FLOW_ESP_HEADER_MARKER_LEN_8B 8
/** Bytes of the longest key. */
#define DOCA_FLOW_CRYPTO_KEY_LEN_MAX 32
/** Words of 4 bytes that all options of a GENEVE header can have. */
#define DOCA_FLOW_GENEVE_OPT_LEN_MAX 63
/** Words of 4 bytes of options in a GENEVE header that is put on. */
#define DOCA_FLOW_ENCAP_GENEVE_OPT_LEN_MAX 19
/** Words of 4 bytes of data of one option. */
#define DOCA_FLOW_GENEVE_DATA_OPTION_LEN_MAX 31
/** Options of GENEVE that a parser can know. */
#define DOCA_FLOW_GENEVE_NUM_OF_OPTIONS_MAX 8
/** Labels of a stack of MPLS that can be named. */
#define DOCA_FLOW_MPLS_LABELS_MAX 5
/** Bytes of a PSP header with its cookie. */
#define DOCA_FLOW_PSP_HEADER_LEN (6 * sizeof(doca_be32_t))
/** vxlan_gpe_next_protocol of IPv4. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_IPV4 1
/** vxlan_gpe_next_protocol of IPv6. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_IPV6 2
/** vxlan_gpe_next_protocol of an Ethernet frame. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_ETH 3
/** vxlan_gpe_next_protocol of a network service header. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_NSH 4
/** vxlan_gpe_next_protocol of a stack of MPLS. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_MPLS 5
/** vxlan_gpe_next_protocol of a group based policy. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_GBP 6
/** vxlan_gpe_next_protocol of a broadband gateway. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_VBNG 7
/** gtp_next_ext_hdr_type of the PDU session container. */
#define DOCA_FLOW_GTP_EXT_PSC (0x85)
/** Bytes of a queue pair number. */
#define DOCA_FLOW_IB_BTH_DST_QP_LEN 3
/** Bytes of a packet sequence number. */
#define DOCA_FLOW_IB_BTH_PSN_LEN 3
/** Bytes of the longest headers that encryption can put on. */
#define DOCA_FLOW_CRYPTO_HEADER_LEN_MAX                                                            \
    (DOCA_FLOW_ETHER_ADDR_LEN * 2 + sizeof(doca_be16_t) + sizeof(doca_be16_t) * 2 * 2 +            \
     sizeof(doca_be32_t) * 15 + sizeof(doca_be32_t) * 2 + DOCA_FLOW_PSP_HEADER_LEN)

/** A VLAN tag behind its EtherType. */
struct doca_flow_header_eth_vlan {
    doca_be16_t tci; /**< priority, DEI and VLAN id */
};

/** Network headers. */
enum doca_flow_l3_type {
    DOCA_FLOW_L3_TYPE_NONE = 0, /**< no header: fields of IP are not looked at */
    DOCA_FLOW_L3_TYPE_IP4 = 1,  /**< header of IPv4 */
    DOCA_FLOW_L3_TYPE_IP6 = 2,  /**< header of IPv6 */
};

/** An Ethernet header without tags. */
struct doca_flow_header_eth {
    uint8_t src_mac[DOCA_FLOW_ETHER_ADDR_LEN]; /**< source address, as on the wire */
    uint8_t dst_mac[DOCA_FLOW_ETHER_ADDR_LEN]; /**< destination address, as on the wire */
    doca_be16_t type;                          /**< EtherType, for example 0x0800 */
};

/** An address of either kind. */
struct doca_flow_ip_addr {
    enum doca_flow_l3_type type; /**< which member of the union holds */
    union {
        doca_be32_t ipv4_addr;    /**< for IP4 */
        doca_be32_t ipv6_addr[4]; /**< for IP6, as on the wire */
    };
};

/** Transport headers. */
enum doca_flow_l4_type_ext {
    DOCA_FLOW_L4_TYPE_EXT_NONE = 0,      /**< no header: fields of layer 4 are not looked at */
    DOCA_FLOW_L4_TYPE_EXT_TCP = 1,       /**< header of TCP */
    DOCA_FLOW_L4_TYPE_EXT_UDP = 2,       /**< header of UDP */
    DOCA_FLOW_L4_TYPE_EXT_ICMP = 3,      /**< header of ICMP */
    DOCA_FLOW_L4_TYPE_EXT_ICMP6 = 4,     /**< header of ICMPv6 */
    DOCA_FLOW_L4_TYPE_EXT_TRANSPORT = 5, /**< TCP or UDP, of which only the ports */
    DOCA_FLOW_L4_TYPE_EXT_ROCE_V2 = 6,   /**< RoCE over UDP; not offered here */
};

/** The base transport header of InfiniBand. */
struct doca_flow_header_ib_bth {
    uint8_t opcode;   /**< operation and transport service */
    uint8_t sempt;    /**< solicited event, migration, padding, version */
    doca_be16_t pkey; /**< partition key */
    uint8_t flags0;   /**< congestion marks, reserved bits */
    uint8_t dest_qp[DOCA_FLOW_IB_BTH_DST_QP_LEN]; /**< queue pair of the receiver, 24 bits */
    uint8_t flags1;                               /**< acknowledge request, reserved bits */
    uint8_t psn[DOCA_FLOW_IB_BTH_PSN_LEN];        /**< sequence number */
};

/** What TCP and UDP headers begin with. */
struct doca_flow_header_l4_port {
    doca_be16_t src_port; /**< source port */
    doca_be16_t dst_port; /**< destination port */
};

/** A UDP header; length and checksum are not matched. */
struct doca_flow_header_udp {
    struct doca_flow_header_l4_port l4_port; /**< ports */
};

/** Headers of RoCE version 2; not offered here. */
struct doca_flow_header_roce_v2 {
    struct doca_flow_header_udp udp;    /**< around it */
    struct doca_flow_header_ib_bth bth; /**< base transport header */
};

/** A TCP header; of these the ports and flags are matched. */
struct doca_flow_header_tcp {
    struct doca_flow_header_l4_port l4_port; /**< ports */
    uint8_t data_offset; /**< upper four bits: header length in words of 4 bytes */
    uint8_t flags;       /**< flags of enum doca_flow_match_tcp_flags */
    doca_be32_t seq_num; /**< sequence number */
    doca_be32_t ack_num; /**< acknowledgement number */
};

/** An ICMP header, and what an echo has behind it. */
struct doca_flow_header_icmp {
    uint8_t type;      /**< kind of message */
    uint8_t code;      /**< of this kind */
    doca_be16_t ident; /**< of an echo */
};

/** Flags of IPv4 fragments. */
enum doca_flow_ip_fragment_flags {
    DOCA_FLOW_IP4_FLAG_MORE_FRAGMENTS = 8192, /**< not the last fragment */
    DOCA_FLOW_IP4_FLAG_DONT_FRAGMENT = 16384, /**< must not be fragmented */
};

/** An IPv4 header without options. */
struct doca_flow_header_ip4 {
    doca_be32_t src_ip;                /**< source address */
    doca_be32_t dst_ip;                /**< destination address */
    uint8_t version_ihl;               /**< 4, then the header length in words of 4 bytes */
    uint8_t dscp_ecn;                  /**< DSCP in the upper six bits, then ECN */
    doca_be16_t total_len;             /**< bytes of header and payload */
    doca_be16_t identification;        /**< of all fragments of a packet */
    doca_be16_t flags_fragment_offset; /**< three flags, then the offset in units of 8 bytes */
    uint8_t next_proto;                /**< protocol of what follows */
    uint8_t ttl;                       /**< time to live */
};

/** An IPv6 header without extensions. */
struct doca_flow_header_ip6 {
    doca_be32_t src_ip[4];   /**< source address */
    doca_be32_t dst_ip[4];   /**< destination address */
    uint8_t traffic_class;   /**< DSCP in the upper six bits, then ECN */
    doca_be32_t flow_label;  /**< lower 20 bits */
    doca_be16_t payload_len; /**< bytes of payload */
    uint8_t next_proto;      /**< protocol of what follows */
    uint8_t hop_limit;       /**< routers that may follow */
};

/** The addresses of a connection over IPv4. */
struct doca_flow_ct_ip4 {
    doca_be32_t src_ip; /**< source address */
    doca_be32_t dst_ip; /**< destination address */
};

/** The addresses of a connection over IPv6. */
struct doca_flow_ct_ip6 {
    doca_be32_t src_ip[4]; /**< source address */
    doca_be32_t dst_ip[4]; /**< destination address */
};

/** One entry of a stack of MPLS; see doca_flow_mpls_label_encode(). */
struct doca_flow_header_mpls {
    doca_be32_t label; /**< label, traffic class, bottom of stack, TTL */
};

/** A GENEVE header without its options; not offered here. */
struct doca_flow_header_geneve {
    uint8_t ver_opt_len;    /**< version in two bits, then the words of 4 bytes of options */
    uint8_t o_c;            /**< bit 7: for control, bit 6: has an option that must be understood */
    doca_be16_t next_proto; /**< protocol of what follows */
    doca_be32_t vni;        /**< network id in the upper 24 bits */
};

/** A word of 4 bytes of the options: the first one of an option, or data. */
union doca_flow_geneve_option {
    struct {
        doca_be16_t class_id; /**< who defined the option */
        uint8_t type;         /**< kind of option, of its class */
        uint8_t length;       /**< lower five bits: words of 4 bytes of data */
    };
    doca_be32_t data; /**< of the option before */
};

/** A PSP header (Google's security protocol, version in s_d_ver_v); not offered here. */
struct doca_flow_header_psp {
    uint8_t nexthdr;       /**< protocol of what is encrypted */
    uint8_t hdrextlen;     /**< words of 8 bytes behind the first one */
    uint8_t res_cryptofst; /**< lower six bits: words of 4 bytes before what is encrypted */
    uint8_t s_d_ver_v;     /**< sampled, drop, version (four bits), has a cookie, 1 */
    doca_be32_t spi;       /**< index of the security association */
    doca_be64_t iv;        /**< initialisation vector */
    doca_be64_t vc;        /**< cookie of a virtual network */
};

/** Tunnel headers. */
enum doca_flow_tun_type {
    DOCA_FLOW_TUN_NONE = 0,       /**< no tunnel */
    DOCA_FLOW_TUN_VXLAN = 1,      /**< Ethernet over UDP, by network id */
    DOCA_FLOW_TUN_GTPU = 2,       /**< user data of mobile networks */
    DOCA_FLOW_TUN_GRE = 3,        /**< generic encapsulation */
    DOCA_FLOW_TUN_ESP = 4,        /**< encrypted payload of IPsec */
    DOCA_FLOW_TUN_MPLS_O_UDP = 5, /**< a stack of labels over UDP */
    DOCA_FLOW_TUN_GENEVE = 6,     /**< Ethernet over UDP, with options */
    DOCA_FLOW_TUN_PSP = 7,        /**< encrypted payload over UDP */
    DOCA_FLOW_TUN_IP_IN_IP = 8,   /**< one IP header behind the other */
    DOCA_FLOW_TUN_MAX = 9,        /**< one more than the last kind */
};

/** Kinds of VXLAN. */
enum doca_flow_tun_ext_vxlan_type {
    DOCA_FLOW_TUN_EXT_VXLAN_STANDARD = 0, /**< RFC 7348 */
    DOCA_FLOW_TUN_EXT_VXLAN_GPE = 1,      /**< with a next protocol */
    DOCA_FLOW_TUN_EXT_VXLAN_GBP = 2,      /**< with a group policy */
};

/** Kinds of GRE. */
enum doca_flow_tun_ext_gre_type {
    DOCA_FLOW_TUN_EXT_GRE_STANDARD = 0, /**< RFC 2890 */
    DOCA_FLOW_TUN_EXT_GRE_NVGRE = 1,    /**< Ethernet inside, by virtual subnet */
};

/** What a tunnel header tells besides its ports; the type says which member holds. Not offered
 * here. */
struct doca_flow_tun {
    enum doca_flow_tun_type type; /**< which member of the union holds */
    union {
        struct {
            enum doca_flow_tun_ext_vxlan_type vxlan_type; /**< which member below holds */
            union {
                struct {
                    uint8_t vxlan_gpe_flags; /**< first byte of the header */
                    uint8_t
                        vxlan_gpe_next_protocol; /**< DOCA_FLOW_VXLAN_GPE_TYPE_IPV4 or its like */
                };
                struct {
                    doca_be16_t vxlan_gbp_group_policy_id; /**< group of the sender */
                };
            };
            doca_be32_t vxlan_tun_id; /**< network id in the upper 24 bits */
            uint8_t vxlan_tun_rsvd1;  /**< last byte of the header */
        };
        struct {
            enum doca_flow_tun_ext_gre_type gre_type; /**< which member below holds */
            doca_be16_t protocol;                     /**< EtherType of what follows */
            union {
                struct {
                    bool key_present;    /**< compare the key */
                    doca_be32_t gre_key; /**< of the flow */
                };
                struct {
                    doca_be32_t nvgre_vs_id; /**< virtual subnet in the upper 24 bits */
                    uint8_t nvgre_flow_id;   /**< for spreading */
                };
            };
        };
        struct {
            doca_be32_t gtp_teid;          /**< endpoint of the tunnel */
            uint8_t gtp_next_ext_hdr_type; /**< 0 or DOCA_FLOW_GTP_EXT_PSC */
            uint8_t gtp_ext_psc_qfi;       /**< quality of service flow, six bits */
        };
        struct {
            doca_be32_t esp_spi; /**< index of the security association */
            doca_be32_t esp_sn;  /**< sequence number */
        };
        struct {
            struct doca_flow_header_mpls
                mpls[DOCA_FLOW_MPLS_LABELS_MAX]; /**< from the top of the stack */
        };
        struct {
            struct doca_flow_header_geneve geneve; /**< without its options */
            union doca_flow_geneve_option
                geneve_options[DOCA_FLOW_GENEVE_OPT_LEN_MAX]; /**< word by word */
        };
        struct {
            struct doca_flow_header_psp psp; /**< the header */
        };
    };
};

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif /* DOCA_FLOW_NET_H_ */
