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

/** Ethernet address length. */
#define DOCA_FLOW_ETHER_ADDR_LEN (6)
/** Protocol icmp. */
#define DOCA_FLOW_PROTO_ICMP (1)
/** Protocol icmpv6. */
#define DOCA_FLOW_PROTO_ICMP6 (58)
/** Protocol ipv4. */
#define DOCA_FLOW_PROTO_IPV4 (4)
/** Protocol ipv6. */
#define DOCA_FLOW_PROTO_IPV6 (41)
/** Protocol tcp. */
#define DOCA_FLOW_PROTO_TCP (6)
/** Protocol udp. */
#define DOCA_FLOW_PROTO_UDP (17)
/** Protocol infiniband bth. */
#define DOCA_FLOW_PROTO_IB_BTH (16)
/** Protocol gre. */
#define DOCA_FLOW_PROTO_GRE (47)
/** Protocol esp. */
#define DOCA_FLOW_PROTO_ESP (50)
/** Protocol ipv4 in ip. */
#define DOCA_FLOW_PROTO_IP4_IN_IP (4)
/** Protocol ipv6 in ip. */
#define DOCA_FLOW_PROTO_IP6_IN_IP (41)
/** Gtp-u default port. */
#define DOCA_FLOW_GTPU_DEFAULT_PORT (2152)
/** Vxlan default port. */
#define DOCA_FLOW_VXLAN_DEFAULT_PORT (4789)
/** Vxlan gpe default port. */
#define DOCA_FLOW_VXLAN_GPE_DEFAULT_PORT (4790)
/** Mpls default port. */
#define DOCA_FLOW_MPLS_DEFAULT_PORT (6635)
/** Geneve default port. */
#define DOCA_FLOW_GENEVE_DEFAULT_PORT (6081)
/** Psp default port. */
#define DOCA_FLOW_PSP_DEFAULT_PORT (1000)
/** Roce v2 default port. */
#define DOCA_FLOW_ROCEV2_DEFAULT_PORT (4791)
/** Ethernet type ipv4. */
#define DOCA_FLOW_ETHER_TYPE_IPV4 (0x0800)
/** Ethernet type ipv6. */
#define DOCA_FLOW_ETHER_TYPE_IPV6 (0x86DD)
/** Ethernet type teb. */
#define DOCA_FLOW_ETHER_TYPE_TEB (0x6558)
/** Ethernet type arp. */
#define DOCA_FLOW_ETHER_TYPE_ARP (0x0806)
/** Ethernet type vlan. */
#define DOCA_FLOW_ETHER_TYPE_VLAN (0x8100)
/** Ethernet type qinq. */
#define DOCA_FLOW_ETHER_TYPE_QINQ (0x88A8)
/** Ethernet type slow. */
#define DOCA_FLOW_ETHER_TYPE_SLOW (0x8809)
/** Udp header length. */
#define DOCA_FLOW_UDP_HEADER_LEN 8
/** Esp header length. */
#define DOCA_FLOW_ESP_HEADER_LEN (4 * sizeof(doca_be32_t))
/** Esp header marker length of 4 bytes. */
#define DOCA_FLOW_ESP_HEADER_MARKER_LEN_4B 4
/** Esp header marker length of 8 bytes. */
#define DOCA_FLOW_ESP_HEADER_MARKER_LEN_8B 8
/** Crypto key length largest. */
#define DOCA_FLOW_CRYPTO_KEY_LEN_MAX 32
/** Geneve option length largest. */
#define DOCA_FLOW_GENEVE_OPT_LEN_MAX 63
/** Encap geneve option length largest. */
#define DOCA_FLOW_ENCAP_GENEVE_OPT_LEN_MAX 19
/** Geneve data option length largest. */
#define DOCA_FLOW_GENEVE_DATA_OPTION_LEN_MAX 31
/** Geneve number of of options largest. */
#define DOCA_FLOW_GENEVE_NUM_OF_OPTIONS_MAX 8
/** Mpls labels largest. */
#define DOCA_FLOW_MPLS_LABELS_MAX 5
/** Psp header length. */
#define DOCA_FLOW_PSP_HEADER_LEN (6 * sizeof(doca_be32_t))
/** Vxlan gpe type ipv4. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_IPV4 1
/** Vxlan gpe type ipv6. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_IPV6 2
/** Vxlan gpe type ethernet. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_ETH 3
/** Vxlan gpe type nsh. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_NSH 4
/** Vxlan gpe type mpls. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_MPLS 5
/** Vxlan gpe type gbp. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_GBP 6
/** Vxlan gpe type vbng. */
#define DOCA_FLOW_VXLAN_GPE_TYPE_VBNG 7
/** Gtp extension psc. */
#define DOCA_FLOW_GTP_EXT_PSC (0x85)
/** Infiniband bth destination queue pair length. */
#define DOCA_FLOW_IB_BTH_DST_QP_LEN 3
/** Infiniband bth sequence number length. */
#define DOCA_FLOW_IB_BTH_PSN_LEN 3
/** Crypto header length largest. */
#define DOCA_FLOW_CRYPTO_HEADER_LEN_MAX                                                            \
    (DOCA_FLOW_ETHER_ADDR_LEN * 2 + sizeof(doca_be16_t) + sizeof(doca_be16_t) * 2 * 2 +            \
     sizeof(doca_be32_t) * 15 + sizeof(doca_be32_t) * 2 + DOCA_FLOW_PSP_HEADER_LEN)

/** Header ethernet vlan. */
struct doca_flow_header_eth_vlan {
    doca_be16_t tci; /**< priority, DEI and VLAN id */
};

/** Network headers. */
enum doca_flow_l3_type {
    DOCA_FLOW_L3_TYPE_NONE = 0, /**< no header: fields of IP are not looked at */
    DOCA_FLOW_L3_TYPE_IP4 = 1,  /**< header of IPv4 */
    DOCA_FLOW_L3_TYPE_IP6 = 2,  /**< header of IPv6 */
};

/** Header ethernet. */
struct doca_flow_header_eth {
    uint8_t src_mac[DOCA_FLOW_ETHER_ADDR_LEN]; /**< source address, as on the wire */
    uint8_t dst_mac[DOCA_FLOW_ETHER_ADDR_LEN]; /**< destination address, as on the wire */
    doca_be16_t type;                          /**< EtherType, for example 0x0800 */
};

/** Ip address. */
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

/** Header infiniband bth. */
struct doca_flow_header_ib_bth {
    uint8_t opcode;   /**< operation and transport service */
    uint8_t sempt;    /**< solicited event, migration, padding, version */
    doca_be16_t pkey; /**< partition key */
    uint8_t flags0;   /**< congestion marks, reserved bits */
    uint8_t dest_qp[DOCA_FLOW_IB_BTH_DST_QP_LEN]; /**< queue pair of the receiver, 24 bits */
    uint8_t flags1;                               /**< acknowledge request, reserved bits */
    uint8_t psn[DOCA_FLOW_IB_BTH_PSN_LEN];        /**< sequence number */
};

/** Header l4 port. */
struct doca_flow_header_l4_port {
    doca_be16_t src_port; /**< source port */
    doca_be16_t dst_port; /**< destination port */
};

/** Header udp. */
struct doca_flow_header_udp {
    struct doca_flow_header_l4_port l4_port; /**< ports */
};

/** Header roce v2. */
struct doca_flow_header_roce_v2 {
    struct doca_flow_header_udp udp;    /**< around it */
    struct doca_flow_header_ib_bth bth; /**< base transport header */
};

/** Header tcp. */
struct doca_flow_header_tcp {
    struct doca_flow_header_l4_port l4_port; /**< ports */
    uint8_t data_offset; /**< upper four bits: header length in words of 4 bytes */
    uint8_t flags;       /**< flags of enum doca_flow_match_tcp_flags */
    doca_be32_t seq_num; /**< sequence number */
    doca_be32_t ack_num; /**< acknowledgement number */
};

/** Header icmp. */
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

/** Header ipv4. */
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

/** Header ipv6. */
struct doca_flow_header_ip6 {
    doca_be32_t src_ip[4];   /**< source address */
    doca_be32_t dst_ip[4];   /**< destination address */
    uint8_t traffic_class;   /**< DSCP in the upper six bits, then ECN */
    doca_be32_t flow_label;  /**< lower 20 bits */
    doca_be16_t payload_len; /**< bytes of payload */
    uint8_t next_proto;      /**< protocol of what follows */
    uint8_t hop_limit;       /**< routers that may follow */
};

/** Ct ipv4. */
struct doca_flow_ct_ip4 {
    doca_be32_t src_ip; /**< source address */
    doca_be32_t dst_ip; /**< destination address */
};

/** Ct ipv6. */
struct doca_flow_ct_ip6 {
    doca_be32_t src_ip[4]; /**< source address */
    doca_be32_t dst_ip[4]; /**< destination address */
};

/** Header mpls. */
struct doca_flow_header_mpls {
    doca_be32_t label; /**< label, traffic class, bottom of stack, TTL */
};

/** Header geneve. */
struct doca_flow_header_geneve {
    uint8_t ver_opt_len;    /**< ver option length */
    uint8_t o_c;            /**< over c */
    doca_be16_t next_proto; /**< protocol of what follows */
    doca_be32_t vni;        /**< vni */
};

/** Geneve option. */
union doca_flow_geneve_option {
    struct {
        doca_be16_t class_id; /**< class id */
        uint8_t type;         /**< which kind */
        uint8_t length;       /**< length */
    };
    doca_be32_t data; /**< data */
};

/** Header psp. */
struct doca_flow_header_psp {
    uint8_t nexthdr;       /**< nexthdr */
    uint8_t hdrextlen;     /**< hdrextlen */
    uint8_t res_cryptofst; /**< res cryptofst */
    uint8_t s_d_ver_v;     /**< s d ver v */
    doca_be32_t spi;       /**< spi */
    doca_be64_t iv;        /**< iv */
    doca_be64_t vc;        /**< vc */
};

/** Tunnel headers. */
enum doca_flow_tun_type {
    DOCA_FLOW_TUN_NONE = 0,       /**< none */
    DOCA_FLOW_TUN_VXLAN = 1,      /**< VXLAN */
    DOCA_FLOW_TUN_GTPU = 2,       /**< GTP-U */
    DOCA_FLOW_TUN_GRE = 3,        /**< GRE */
    DOCA_FLOW_TUN_ESP = 4,        /**< ESP */
    DOCA_FLOW_TUN_MPLS_O_UDP = 5, /**< MPLS over UDP */
    DOCA_FLOW_TUN_GENEVE = 6,     /**< GENEVE */
    DOCA_FLOW_TUN_PSP = 7,        /**< PSP */
    DOCA_FLOW_TUN_IP_IN_IP = 8,   /**< IP in IP */
    DOCA_FLOW_TUN_MAX = 9,        /**< largest */
};

/** Kinds of VXLAN. */
enum doca_flow_tun_ext_vxlan_type {
    DOCA_FLOW_TUN_EXT_VXLAN_STANDARD = 0, /**< standard */
    DOCA_FLOW_TUN_EXT_VXLAN_GPE = 1,      /**< GPE */
    DOCA_FLOW_TUN_EXT_VXLAN_GBP = 2,      /**< GBP */
};

/** Kinds of GRE. */
enum doca_flow_tun_ext_gre_type {
    DOCA_FLOW_TUN_EXT_GRE_STANDARD = 0, /**< standard */
    DOCA_FLOW_TUN_EXT_GRE_NVGRE = 1,    /**< NVGRE */
};

/** Tun. */
struct doca_flow_tun {
    enum doca_flow_tun_type type; /**< which kind */
    union {
        struct {
            enum doca_flow_tun_ext_vxlan_type vxlan_type; /**< VXLAN type */
            union {
                struct {
                    uint8_t vxlan_gpe_flags;         /**< VXLAN GPE flags */
                    uint8_t vxlan_gpe_next_protocol; /**< VXLAN GPE next protocol */
                };
                struct {
                    doca_be16_t vxlan_gbp_group_policy_id; /**< VXLAN GBP group policy id */
                };
            };
            doca_be32_t vxlan_tun_id; /**< VXLAN tun id */
            uint8_t vxlan_tun_rsvd1;  /**< VXLAN tun rsvd1 */
        };
        struct {
            enum doca_flow_tun_ext_gre_type gre_type; /**< GRE type */
            doca_be16_t protocol;                     /**< protocol */
            union {
                struct {
                    bool key_present;    /**< key present */
                    doca_be32_t gre_key; /**< GRE key */
                };
                struct {
                    doca_be32_t nvgre_vs_id; /**< NVGRE vs id */
                    uint8_t nvgre_flow_id;   /**< NVGRE flow id */
                };
            };
        };
        struct {
            doca_be32_t gtp_teid;          /**< GTP teid */
            uint8_t gtp_next_ext_hdr_type; /**< GTP next extension header type */
            uint8_t gtp_ext_psc_qfi;       /**< GTP extension PSC qfi */
        };
        struct {
            doca_be32_t esp_spi; /**< ESP spi */
            doca_be32_t esp_sn;  /**< ESP SN */
        };
        struct {
            struct doca_flow_header_mpls mpls[DOCA_FLOW_MPLS_LABELS_MAX]; /**< MPLS */
        };
        struct {
            struct doca_flow_header_geneve geneve; /**< GENEVE */
            union doca_flow_geneve_option
                geneve_options[DOCA_FLOW_GENEVE_OPT_LEN_MAX]; /**< GENEVE options */
        };
        struct {
            struct doca_flow_header_psp psp; /**< PSP */
        };
    };
};

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif /* DOCA_FLOW_NET_H_ */
