/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow: which frames go where.
 *
 * Legal order: doca_flow_cfg_create, its setters, doca_flow_init; for each port
 * doca_flow_port_cfg_create, its setters, doca_flow_port_start; pipes; entries, each queue by one
 * thread at a time, with doca_flow_entries_process to have them reported; doca_flow_port_stop,
 * doca_flow_destroy.
 *
 * Offered are pipes of type BASIC and CONTROL, matches of Ethernet, VLAN, IPv4, IPv6, TCP, UDP
 * and ICMP fields, of what the parser found and of metadata, metadata as actions, and forward to
 * queues (RSS), to ports, to pipes, to the kernel, and drop. All else refuses with
 * DOCA_ERROR_NOT_SUPPORTED and says in the log what it was.
 *
 * Threads: settings belong to one thread; entries of different queues may be added and removed by
 * different threads at once. All else is to be done by one thread at a time.
 *
 * Programs for earlier releases: doca_flow_pipe_add_entry() with 9 or 10 arguments, the priority of
 * doca_flow_pipe_control_add_entry() before the pipe, and the old names of the flags are
 * understood; see impl/opendoca_flow_generations.h.
 */
#ifndef DOCA_FLOW_H_
#define DOCA_FLOW_H_

#include <stdio.h>
#include <stdint.h>
#include <stdbool.h>

/** Which form of the structs a program uses; may be defined before. */
#ifndef LIB_FLOW_VERSION
#define LIB_FLOW_VERSION LIB_FLOW_VERSION_LATEST
#endif
/** Version 1 of binary layouts. */
#define LIB_FLOW_VERSION_1 1
/** The newest version of binary layouts. */
#define LIB_FLOW_VERSION_LATEST LIB_FLOW_VERSION_1

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_flow_net.h>
#include <doca_flow_crypto.h>
#include <doca_ctsd_compat_versions.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Members without a name are part of the interface; C++ only knows them as an extension. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

/** Sets bits. */
#define DOCA_FLOW_FLAGS_SET(flags, flag) ((flags) |= (flag))
/** Clears bits. */
#define DOCA_FLOW_FLAGS_UNSET(flags, flag) ((flags) &= ~(flag))
/** Whether a bit is set. */
#define DOCA_FLOW_FLAGS_IS_SET(flags, flag) (((flags) & (flag)) != 0)
/** Words of scratch metadata. */
#define DOCA_FLOW_META_SCRATCH_PAD_MAX 10
/** Bytes of metadata. */
#define DOCA_FLOW_META_MAX ((DOCA_FLOW_META_SCRATCH_PAD_MAX + 1) * 4)
/** Bytes of actions of an entry at most. */
#define DOCA_FLOW_MAX_ENTRY_ACTIONS_MEM_SIZE (128)
/** Tags of a frame that rules can look at. */
#define DOCA_FLOW_VLAN_MAX 2
/** The crypto_id of a decryption by PSP. */
#define DOCA_FLOW_PSP_DECRYPTION_ID UINT32_MAX

struct doca_dev;
struct doca_dev_rep;
struct doca_flow_port;
struct doca_flow_pipe;
struct doca_flow_pipe_entry;
struct doca_flow_target;
struct doca_flow_parser;
struct doca_flow_definitions;
struct doca_flow_cfg;
struct doca_flow_port_cfg;
struct doca_flow_pipe_cfg;
struct doca_flow_tune_cfg;

/** Who shares a budget of resources. Has no effect here. */
enum doca_flow_resource_mode {
    DOCA_FLOW_RESOURCE_MODE_SYSTEM = 0, /**< one budget for all ports */
    DOCA_FLOW_RESOURCE_MODE_PORT = 1,   /**< a budget for each port */
};

/** Kinds of resources that a port can have a number of. */
enum doca_flow_resource {
    DOCA_FLOW_RESOURCE_METER = 0,    /**< meters */
    DOCA_FLOW_RESOURCE_COUNTER = 1,  /**< counters */
    DOCA_FLOW_RESOURCE_RSS = 2,      /**< groups of queues */
    DOCA_FLOW_RESOURCE_PSP = 3,      /**< keys of PSP */
    DOCA_FLOW_RESOURCE_ENCAP = 4,    /**< headers to put on */
    DOCA_FLOW_RESOURCE_DECAP = 5,    /**< headers to take off */
    DOCA_FLOW_RESOURCE_IPSEC_SA = 6, /**< security associations of IPsec */
};

/** Kinds of resources that rules could share. */
enum doca_flow_shared_resource_type {
    DOCA_FLOW_SHARED_RESOURCE_METER = 0,    /**< meters; not offered here */
    DOCA_FLOW_SHARED_RESOURCE_COUNTER = 1,  /**< counters; not offered here */
    DOCA_FLOW_SHARED_RESOURCE_RSS = 2,      /**< groups of queues; not offered here */
    DOCA_FLOW_SHARED_RESOURCE_PSP = 3,      /**< keys of PSP; not offered here */
    DOCA_FLOW_SHARED_RESOURCE_ENCAP = 4,    /**< headers to put on; not offered here */
    DOCA_FLOW_SHARED_RESOURCE_DECAP = 5,    /**< headers to take off; not offered here */
    DOCA_FLOW_SHARED_RESOURCE_IPSEC_SA = 6, /**< security associations of IPsec; not offered here */
};

/** When an entry is pushed. */
enum doca_flow_entry_flags {
    DOCA_FLOW_ENTRY_FLAGS_NO_WAIT = 1, /**< pushed by the call, with all that waits on the queue */
    DOCA_FLOW_ENTRY_FLAGS_WAIT_FOR_BATCH =
        2, /**< may wait for the next one without this flag; here pushed at once */
};

/** What a pipe reports. */
enum doca_flow_pipe_op {
    DOCA_FLOW_PIPE_OP_CONGESTION_REACHED =
        0,                           /**< as full as its congestion level; never reported here */
    DOCA_FLOW_PIPE_OP_RESIZED = 1,   /**< has room for more entries; never reported here */
    DOCA_FLOW_PIPE_OP_DESTROYED = 2, /**< destroyed; never reported here */
};

/** How it went. */
enum doca_flow_pipe_status {
    DOCA_FLOW_PIPE_STATUS_SUCCESS = 1, /**< done */
    DOCA_FLOW_PIPE_STATUS_ERROR = 2,   /**< not done */
};

/** What was done with an entry. */
enum doca_flow_entry_op {
    DOCA_FLOW_ENTRY_OP_ADD = 0,  /**< added */
    DOCA_FLOW_ENTRY_OP_DEL = 1,  /**< removed; the entry ends with the callback */
    DOCA_FLOW_ENTRY_OP_UPD = 2,  /**< changed */
    DOCA_FLOW_ENTRY_OP_AGED = 3, /**< matched nothing for its time; never reported here */
};

/** How far an entry is. */
enum doca_flow_entry_status {
    DOCA_FLOW_ENTRY_STATUS_IN_PROCESS = 0, /**< not reported yet */
    DOCA_FLOW_ENTRY_STATUS_SUCCESS = 1,    /**< done */
    DOCA_FLOW_ENTRY_STATUS_ERROR = 2,      /**< not done, or no entry */
};

/** What the hash is computed of. */
enum doca_flow_rss_hash_function {
    DOCA_FLOW_RSS_HASH_FUNCTION_TOEPLITZ = 0,           /**< of source, then destination */
    DOCA_FLOW_RSS_HASH_FUNCTION_SYMMETRIC_TOEPLITZ = 1, /**< both directions of a flow are equal */
};

/** Receive queues and how frames are spread over them. */
struct doca_flow_resource_rss_cfg {
    uint32_t outer_flags;                           /**< what is hashed, of enum doca_rss_type */
    uint32_t inner_flags;                           /**< the same of the inner headers */
    uint16_t *queues_array;                         /**< ids of the queues */
    int nr_queues;                                  /**< how many */
    enum doca_flow_rss_hash_function rss_hash_func; /**< how it is hashed */
};

/**
 * Report of a pipe.
 */
typedef void (*doca_flow_pipe_process_cb)(struct doca_flow_pipe *pipe,
                                          enum doca_flow_pipe_status status,
                                          enum doca_flow_pipe_op op, void *user_ctx);

/**
 * Report of an entry; runs inside doca_flow_entries_process(). Entries may be added and removed
 * in it.
 */
typedef void (*doca_flow_entry_process_cb)(struct doca_flow_pipe_entry *entry, uint16_t pipe_queue,
                                           enum doca_flow_entry_status status,
                                           enum doca_flow_entry_op op, void *user_ctx);

/**
 * Report of a shared resource that is no longer bound.
 */
typedef void (*doca_flow_shared_resource_unbind_cb)(enum doca_flow_shared_resource_type,
                                                    uint32_t shared_resource_id,
                                                    void *bindable_obj);

/** Kinds of pipes. */
enum doca_flow_pipe_type {
    DOCA_FLOW_PIPE_BASIC = 0,        /**< one template for all entries, looked up by hash */
    DOCA_FLOW_PIPE_CONTROL = 1,      /**< each entry with its own match and priority */
    DOCA_FLOW_PIPE_LPM = 2,          /**< longest prefix; not offered here */
    DOCA_FLOW_PIPE_CT = 3,           /**< connection tracking; not offered here */
    DOCA_FLOW_PIPE_ACL = 4,          /**< access lists; not offered here */
    DOCA_FLOW_PIPE_ORDERED_LIST = 5, /**< lists of actions; not offered here */
    DOCA_FLOW_PIPE_HASH = 6,         /**< entries chosen by a hash; not offered here */
};

/** Which frames of a port a pipe is for. */
enum doca_flow_pipe_domain {
    DOCA_FLOW_PIPE_DOMAIN_DEFAULT = 0, /**< frames that the port receives */
    DOCA_FLOW_PIPE_DOMAIN_SECURE_INGRESS =
        1,                            /**< received, before decryption; without effect here */
    DOCA_FLOW_PIPE_DOMAIN_EGRESS = 2, /**< frames that are sent; without effect here */
    DOCA_FLOW_PIPE_DOMAIN_SECURE_EGRESS = 3, /**< sent, before encryption; without effect here */
};

/** What a meter made of a packet. */
enum doca_flow_meter_color {
    DOCA_FLOW_METER_COLOR_RED = 0,    /**< above both rates */
    DOCA_FLOW_METER_COLOR_YELLOW = 1, /**< above the committed rate */
    DOCA_FLOW_METER_COLOR_GREEN = 2,  /**< within the committed rate */
} __attribute__((__packed__));

/** Tags, as the parser found them. */
enum doca_flow_l2_meta {
    DOCA_FLOW_L2_META_NO_VLAN = 0,     /**< no tag */
    DOCA_FLOW_L2_META_MULTI_VLAN = 1,  /**< two tags or more */
    DOCA_FLOW_L2_META_SINGLE_VLAN = 2, /**< one tag */
    DOCA_FLOW_L2_META_CUSTOM_VLAN = 3, /**< tags of another type; no frame has it here */
};

/** Network header, as the parser found it. */
enum doca_flow_l3_meta {
    DOCA_FLOW_L3_META_NONE = 0, /**< neither IPv4 nor IPv6; matched with a mask only */
    DOCA_FLOW_L3_META_IPV4 = 1, /**< whole header of IPv4 */
    DOCA_FLOW_L3_META_IPV6 = 2, /**< whole header of IPv6 */
};

/** Transport header, as the parser found it. */
enum doca_flow_l4_meta {
    DOCA_FLOW_L4_META_NONE = 0, /**< none of these, or a fragment; matched with a mask only */
    DOCA_FLOW_L4_META_TCP = 1,  /**< whole header of TCP */
    DOCA_FLOW_L4_META_UDP = 2,  /**< whole header of UDP */
    DOCA_FLOW_L4_META_ICMP = 3, /**< ICMP or ICMPv6 */
    DOCA_FLOW_L4_META_ESP = 4,  /**< IPsec ESP */
};

/** Outcome of a decryption. */
enum doca_flow_crypto_syndrome {
    DOCA_FLOW_CRYPTO_SYNDROME_OK = 0,          /**< authentic */
    DOCA_FLOW_CRYPTO_SYNDROME_ICV_FAIL = 1,    /**< the integrity check failed */
    DOCA_FLOW_CRYPTO_SYNDROME_BAD_TRAILER = 2, /**< the trailer is malformed */
};

/** How a pipe of type HASH would choose an entry. */
enum doca_flow_pipe_hash_map_algorithm {
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_HASH = 1,        /**< by a hash of the match */
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_RANDOM = 2,      /**< by a random number */
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_IDENTITY = 4,    /**< by the bits of the match */
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_ROUND_ROBIN = 8, /**< in turn */
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_FLOODING = 16,   /**< to all entries */
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_SELECT_ENABLED =
        32, /**< only among entries that are enabled */
};

/** Metadata that rules set and later rules match; in network order. */
struct doca_flow_meta {
    doca_be32_t pkt_meta; /**< metadata of the packet, reported with it */
    doca_be32_t u32[DOCA_FLOW_META_SCRATCH_PAD_MAX]; /**< scratch words, from pipe to pipe */
};

/** What the parser found; in a match zero is any, but with a mask. */
struct doca_flow_parser_meta {
    uint16_t port_id;       /**< the port it came from */
    doca_be16_t random;     /**< a random number; not offered here */
    uint8_t ipsec_syndrome; /**< of decryption, enum doca_flow_crypto_syndrome; not offered here */
    uint8_t ipsec_ar_syndrome;              /**< of anti-replay; not offered here */
    uint8_t psp_syndrome;                   /**< of PSP; not offered here */
    enum doca_flow_meter_color meter_color; /**< by a meter before; not offered here */
    enum doca_flow_l2_meta outer_l2_type;   /**< tags */
    enum doca_flow_l3_meta outer_l3_type;   /**< network header */
    enum doca_flow_l4_meta outer_l4_type;   /**< transport header */
    enum doca_flow_l2_meta inner_l2_type;   /**< of what a tunnel carries; not offered here */
    enum doca_flow_l3_meta inner_l3_type;   /**< likewise */
    enum doca_flow_l4_meta inner_l4_type;   /**< likewise */
    uint8_t outer_ip_fragmented;            /**< 1: a fragment, the first one as well */
    uint8_t inner_ip_fragmented;            /**< likewise */
    uint8_t outer_l3_ok;                    /**< 1: IPv4 or IPv6, whatever its checksum */
    uint8_t outer_ip4_checksum_ok;          /**< 1: IPv4 with a right checksum */
    uint8_t outer_l4_ok;           /**< 1: a header of outer_l4_type, whatever its checksum */
    uint8_t outer_l4_checksum_ok;  /**< 1: with a right checksum, or UDP over IPv4 without one */
    uint8_t inner_l3_ok;           /**< likewise */
    uint8_t inner_ip4_checksum_ok; /**< likewise */
    uint8_t inner_l4_ok;           /**< likewise */
    uint8_t inner_l4_checksum_ok;  /**< likewise */
};

/** Flags of TCP. */
enum doca_flow_match_tcp_flags {
    DOCA_FLOW_MATCH_TCP_FLAG_FIN = 1,   /**< no more data from the sender */
    DOCA_FLOW_MATCH_TCP_FLAG_SYN = 2,   /**< opens a connection */
    DOCA_FLOW_MATCH_TCP_FLAG_RST = 4,   /**< aborts a connection */
    DOCA_FLOW_MATCH_TCP_FLAG_PSH = 8,   /**< data is to be delivered */
    DOCA_FLOW_MATCH_TCP_FLAG_ACK = 16,  /**< the acknowledgement number counts */
    DOCA_FLOW_MATCH_TCP_FLAG_URG = 32,  /**< the urgent pointer counts */
    DOCA_FLOW_MATCH_TCP_FLAG_ECE = 64,  /**< congestion was experienced */
    DOCA_FLOW_MATCH_TCP_FLAG_CWR = 128, /**< the congestion window was reduced */
};

/** Tags that must be there. */
enum doca_flow_l2_valid_header {
    DOCA_FLOW_L2_VALID_HEADER_VLAN_0 = 1, /**< the outer tag is there */
    DOCA_FLOW_L2_VALID_HEADER_VLAN_1 = 2, /**< the inner tag is there */
};

/** Headers of a frame, in network order. */
struct doca_flow_header_format {
    struct doca_flow_header_eth eth; /**< addresses and type; the type behind all tags */
    uint16_t l2_valid_headers;       /**< tags that are there, of enum doca_flow_l2_valid_header */
    struct doca_flow_header_eth_vlan eth_vlan[DOCA_FLOW_VLAN_MAX]; /**< tags, the outer one first */
    enum doca_flow_l3_type l3_type; /**< which member of the union holds */
    union {
        struct doca_flow_header_ip4 ip4; /**< when l3_type is DOCA_FLOW_L3_TYPE_IP4 */
        struct doca_flow_header_ip6 ip6; /**< when l3_type is DOCA_FLOW_L3_TYPE_IP6 */
    };
    enum doca_flow_l4_type_ext l4_type_ext; /**< which member of the union holds */
    union {
        struct doca_flow_header_icmp icmp;         /**< for ICMP and ICMP6 */
        struct doca_flow_header_udp udp;           /**< for UDP */
        struct doca_flow_header_tcp tcp;           /**< for TCP */
        struct doca_flow_header_l4_port transport; /**< for TRANSPORT: ports of TCP or UDP */
        struct doca_flow_header_roce_v2 roce_v2;   /**< for ROCE_V2; not offered here */
    };
};

/** Headers of which an entropy would be computed. */
struct doca_flow_entropy_format {
    enum doca_flow_l3_type l3_type; /**< which member of the union holds */
    union {
        struct doca_flow_header_ip4 ip4; /**< when l3_type is DOCA_FLOW_L3_TYPE_IP4 */
        struct doca_flow_header_ip6 ip6; /**< when l3_type is DOCA_FLOW_L3_TYPE_IP6 */
    };
    bool is_transport;                         /**< transport counts */
    struct doca_flow_header_l4_port transport; /**< ports */
};

/** Fields that rules look at. Without a mask zero is any; all ones is left to the entries in a
 * template of a BASIC pipe, and a value in an entry of a CONTROL pipe. */
struct doca_flow_match {
    struct doca_flow_meta meta;               /**< metadata */
    struct doca_flow_parser_meta parser_meta; /**< what the parser found */
    struct doca_flow_header_format outer;     /**< outer headers */
    struct doca_flow_tun tun;                 /**< tunnel header */
    struct doca_flow_header_format inner;     /**< inner headers */
};

/** Comparisons of a condition. */
enum doca_flow_compare_op {
    DOCA_FLOW_COMPARE_EQ = 0, /**< equal */
    DOCA_FLOW_COMPARE_NE = 1, /**< not equal */
    DOCA_FLOW_COMPARE_LT = 2, /**< less than */
    DOCA_FLOW_COMPARE_LE = 3, /**< at most */
    DOCA_FLOW_COMPARE_GT = 4, /**< greater than */
    DOCA_FLOW_COMPARE_GE = 5, /**< at least */
};

/** A field by its name and place. */
struct doca_flow_desc_field {
    const char *field_string; /**< name of the field */
    uint32_t bit_offset;      /**< from the beginning of the field */
};

/** A comparison beside a match; entries must not have one. */
struct doca_flow_match_condition {
    enum doca_flow_compare_op operation; /**< comparison */
    union {
        struct {
            struct doca_flow_desc_field a; /**< left side */
            struct doca_flow_desc_field b; /**< right side */
            uint32_t width;                /**< bits */
        } field_op;                        /**< field op */
    };
};

/** A header to put on. Not offered. */
struct doca_flow_encap_action {
    struct doca_flow_header_format outer; /**< outer headers */
    struct doca_flow_tun tun;             /**< tunnel header */
};

/** A tag to put on. */
struct doca_flow_push_vlan_action {
    doca_be16_t eth_type;                      /**< Ethernet type */
    struct doca_flow_header_eth_vlan vlan_hdr; /**< VLAN header */
};

/** Kinds of headers to put on. */
enum doca_flow_push_action_type {
    DOCA_FLOW_PUSH_ACTION_VLAN = 0, /**< a VLAN tag: the member vlan */
};

/** A header to put on, behind the Ethernet addresses. */
struct doca_flow_push_action {
    enum doca_flow_push_action_type type; /**< which kind */
    union {
        struct doca_flow_push_vlan_action vlan; /**< type and TCI of the tag */
    };
};

/** Translation between IPv4 and IPv6. Not offered. */
struct doca_flow_nat64_action {
    enum doca_flow_l3_type original_l3_type; /**< of the frame before; must be NONE */
};

/** Whose a resource is. */
enum doca_flow_resource_type {
    DOCA_FLOW_RESOURCE_TYPE_NONE = 0,   /**< there is none */
    DOCA_FLOW_RESOURCE_TYPE_SHARED = 1, /**< used by several rules, by its id; not offered here */
    DOCA_FLOW_RESOURCE_TYPE_NON_SHARED = 2, /**< of the rule alone */
};

/** Encryption of a packet. Not offered. */
struct doca_flow_crypto_action {
    enum doca_flow_crypto_action_type action_type;     /**< what is done */
    enum doca_flow_crypto_resource_type resource_type; /**< what crypto_id names */
    union {
        struct {
            bool sn_en; /**< sequence numbers are checked or written */
        } ipsec_sa;     /**< for IPsec */
    };
    uint32_t crypto_id; /**< of the shared resource */
};

/** A header of encryption. Not offered. */
struct doca_flow_crypto_encap_action {
    enum doca_flow_crypto_encap_action_type action_type; /**< put on or taken off */
    enum doca_flow_crypto_encap_net_type net_type;       /**< where the header belongs */
    uint16_t icv_size;                                   /**< bytes of the integrity check value */
    uint16_t data_size;                                  /**< bytes of encap_data that count */
    uint8_t encap_data[DOCA_FLOW_CRYPTO_HEADER_LEN_MAX]; /**< the header */
};

/** A header to put on, as a resource. Not offered. */
struct doca_flow_resource_encap_cfg {
    bool is_l2;                          /**< the inner frame keeps its Ethernet header */
    struct doca_flow_encap_action encap; /**< what is put on */
};

/** A header to take off, as a resource. Not offered. */
struct doca_flow_resource_decap_cfg {
    bool is_l2;                      /**< the inner frame has an Ethernet header */
    struct doca_flow_header_eth eth; /**< Ethernet */
    uint16_t l2_valid_headers;       /**< tags that are there, of enum doca_flow_l2_valid_header */
    struct doca_flow_header_eth_vlan eth_vlan[DOCA_FLOW_VLAN_MAX]; /**< tags, the outer one first */
};

/** What is done to a frame. Without a mask zero leaves a field and all ones takes the value of the
 * entry. Order: tag off, fields and metadata, tag on. */
struct doca_flow_actions {
    enum doca_flow_resource_type decap_type; /**< must be NONE */
    union {
        struct doca_flow_resource_decap_cfg decap_cfg; /**< when decap_type is NON_SHARED */
        uint32_t shared_decap_id;                      /**< when decap_type is SHARED */
    };
    bool pop_vlan;                            /**< takes the outer tag off */
    struct doca_flow_meta meta;               /**< metadata */
    struct doca_flow_parser_meta parser_meta; /**< what the parser found */
    struct doca_flow_header_format outer;     /**< outer headers */
    struct doca_flow_tun tun;                 /**< tunnel header */
    enum doca_flow_resource_type encap_type;  /**< must be NONE */
    union {
        struct doca_flow_resource_encap_cfg encap_cfg; /**< when encap_type is NON_SHARED */
        uint32_t shared_encap_id;                      /**< when encap_type is SHARED */
    };
    bool has_push;                                     /**< whether push holds */
    struct doca_flow_push_action push;                 /**< a header that is put on */
    struct doca_flow_nat64_action nat64;               /**< must be zero */
    bool has_crypto_encap;                             /**< must be false */
    struct doca_flow_crypto_encap_action crypto_encap; /**< when has_crypto_encap */
    struct doca_flow_crypto_action crypto;             /**< must be zero */
};

/** Encryption with its header. Not offered. */
struct doca_flow_crypto {
    bool has_crypto_encap;                             /**< crypto_encap counts */
    struct doca_flow_crypto_encap_action crypto_encap; /**< header of the encryption */
    struct doca_flow_crypto_action crypto;             /**< the encryption */
};

/** Targets outside of pipes. */
enum doca_flow_target_type {
    DOCA_FLOW_TARGET_KERNEL = 0, /**< the network stack of the interface */
};

/** What becomes of a packet. */
enum doca_flow_fwd_type {
    DOCA_FLOW_FWD_NONE =
        0, /**< as the pipe says; for a miss: the default of the port (root pipe), else dropped */
    DOCA_FLOW_FWD_RSS = 1,               /**< to receive queues, spread by a hash */
    DOCA_FLOW_FWD_PORT = 2,              /**< out of a port */
    DOCA_FLOW_FWD_PIPE = 3,              /**< on to another pipe of the port */
    DOCA_FLOW_FWD_DROP = 4,              /**< dropped and counted */
    DOCA_FLOW_FWD_TARGET = 5,            /**< to what doca_flow_get_target() gives */
    DOCA_FLOW_FWD_ORDERED_LIST_PIPE = 6, /**< to an entry of a list; not offered here */
    DOCA_FLOW_FWD_HASH_PIPE = 7,         /**< to a pipe of type HASH; not offered here */
    DOCA_FLOW_FWD_CHANGEABLE = 100,      /**< each entry brings its own */
};

/** What is hashed. */
enum doca_rss_type {
    DOCA_FLOW_RSS_IPV4 = 1,          /**< both addresses of IPv4 */
    DOCA_FLOW_RSS_IPV6 = 2,          /**< both addresses of IPv6 */
    DOCA_FLOW_RSS_UDP = 4,           /**< both ports of UDP */
    DOCA_FLOW_RSS_TCP = 8,           /**< both ports of TCP */
    DOCA_FLOW_RSS_ESP = 16,          /**< the SPI of ESP */
    DOCA_FLOW_RSS_IPV4_SRC = 32,     /**< IPv4 source */
    DOCA_FLOW_RSS_IPV4_DST = 64,     /**< IPv4 destination */
    DOCA_FLOW_RSS_IPV6_SRC = 128,    /**< IPv6 source */
    DOCA_FLOW_RSS_IPV6_DST = 256,    /**< IPv6 destination */
    DOCA_FLOW_RSS_UDP_SRC = 512,     /**< UDP source */
    DOCA_FLOW_RSS_UDP_DST = 1024,    /**< UDP destination */
    DOCA_FLOW_RSS_TCP_SRC = 2048,    /**< TCP source */
    DOCA_FLOW_RSS_TCP_DST = 4096,    /**< TCP destination */
    DOCA_FLOW_RSS_AUTO = 1073741824, /**< all of these that a frame has */
};

/** Where a frame goes: the type, and the members that belong to it. */
struct doca_flow_fwd {
    enum doca_flow_fwd_type type; /**< which kind */
    union {
        struct {
            enum doca_flow_resource_type rss_type; /**< of this rule, or shared */
            union {
                struct doca_flow_resource_rss_cfg rss; /**< of this rule */
                uint32_t shared_rss_id;                /**< when rss_type is SHARED */
            };
        };
        struct {
            uint16_t port_id; /**< the port it came from */
        };
        struct {
            struct doca_flow_pipe *next_pipe; /**< where to go on */
        };
        struct {
            struct doca_flow_pipe *pipe; /**< where to; a pipe of the same port */
            uint32_t idx;                /**< of the entry in it */
        } ordered_list_pipe;             /**< for ORDERED_LIST_PIPE */
        struct {
            struct doca_flow_target *target; /**< for TARGET: of doca_flow_get_target() */
        };
        struct {
            struct doca_flow_pipe *pipe; /**< where to; a pipe of the same port */
            enum doca_flow_pipe_hash_map_algorithm algorithm; /**< how the entry is chosen */
        } hash_pipe;                                          /**< for HASH_PIPE */
    };
};

/** RFC of a meter. */
enum doca_flow_meter_algorithm_type {
    DOCA_FLOW_METER_ALGORITHM_TYPE_RFC2697 = 0, /**< RFC 2697 */
    DOCA_FLOW_METER_ALGORITHM_TYPE_RFC2698 = 1, /**< RFC 2698 */
    DOCA_FLOW_METER_ALGORITHM_TYPE_RFC4115 = 2, /**< RFC 4115 */
};

/** Unit of a meter. */
enum doca_flow_meter_limit_type {
    DOCA_FLOW_METER_LIMIT_TYPE_BYTES = 0,   /**< rates in bytes */
    DOCA_FLOW_METER_LIMIT_TYPE_PACKETS = 1, /**< rates in packets */
};

/** What a meter makes of colors that are there. */
enum doca_flow_meter_color_mode {
    DOCA_FLOW_METER_COLOR_MODE_BLIND = 0, /**< colors that a packet has are not looked at */
    DOCA_FLOW_METER_COLOR_MODE_AWARE = 1, /**< colors that a packet has count */
};

/** A meter. Not offered. */
struct doca_flow_resource_meter_cfg {
    enum doca_flow_meter_limit_type limit_type; /**< unit of the rates */
    enum doca_flow_meter_color_mode color_mode; /**< whether colors count */
    enum doca_flow_meter_algorithm_type alg;    /**< which of the members below holds */
    uint64_t cir;                               /**< committed rate, a second */
    uint64_t cbs;                               /**< committed burst */
    union {
        struct {
            uint64_t ebs; /**< excess burst */
        } rfc2697;        /**< RFC 2697 */
        struct {
            uint64_t pir; /**< peak rate, a second */
            uint64_t pbs; /**< peak burst */
        } rfc2698;        /**< RFC 2698 */
        struct {
            uint64_t eir; /**< excess rate, a second */
            uint64_t ebs; /**< excess burst */
        } rfc4115;        /**< RFC 4115 */
    };
};

/** A key of PSP. Not offered. */
struct doca_flow_resource_psp_cfg {
    struct doca_flow_crypto_key_cfg key_cfg; /**< the key */
};

/** A security association of IPsec. Not offered. */
struct doca_flow_resource_ipsec_sa_cfg {
    struct doca_flow_crypto_key_cfg key_cfg; /**< the key */
    uint32_t salt;                           /**< of the nonce */
    uint64_t implicit_iv;                    /**< of the nonce, where packets do not carry it */
    enum doca_flow_crypto_icv_len icv_len;   /**< ICV length */
    enum doca_flow_crypto_sn_offload_type sn_offload_type; /**< sent or received */
    enum doca_flow_crypto_replay_win_size win_size;        /**< of the anti-replay window */
    bool esn_en;                                           /**< 64-bit sequence numbers */
    uint64_t sn_initial;                                   /**< first sequence number */
    uint32_t lifetime_threshold; /**< remaining packets that are reported */
};

/** A resource for several rules. Not offered. */
struct doca_flow_shared_resource_cfg {
    union {
        struct doca_flow_resource_meter_cfg meter_cfg;       /**< a meter */
        struct doca_flow_resource_rss_cfg rss_cfg;           /**< a group of queues */
        struct doca_flow_resource_psp_cfg psp_cfg;           /**< a key of PSP */
        struct doca_flow_resource_encap_cfg encap_cfg;       /**< a header to put on */
        struct doca_flow_resource_decap_cfg decap_cfg;       /**< a header to take off */
        struct doca_flow_resource_ipsec_sa_cfg ipsec_sa_cfg; /**< a security association */
    };
};

/** What is counted. Meters and shared counters are not offered. */
struct doca_flow_monitor {
    enum doca_flow_resource_type meter_type; /**< must be NONE */
    union {
        struct {
            enum doca_flow_meter_limit_type limit_type; /**< unit of the rates */
            uint64_t cir;                               /**< committed rate, a second */
            uint64_t cbs;                               /**< committed burst */
        } non_shared_meter;                             /**< when meter_type is NON_SHARED */
        struct {
            uint32_t shared_meter_id;                    /**< of the meter */
            enum doca_flow_meter_color meter_init_color; /**< before the meter */
        } shared_meter;                                  /**< when meter_type is SHARED */
    };
    enum doca_flow_resource_type counter_type; /**< whether it counts */
    union {
        struct {
            uint32_t shared_counter_id; /**< of the counter */
        } shared_counter;               /**< when counter_type is SHARED */
    };
    uint32_t aging_sec; /**< seconds until it is reported as idle; 0: never */
};

/** How a described action gets its value. */
enum doca_flow_action_type {
    DOCA_FLOW_ACTION_AUTO = 0, /**< as the actions of the pipe say */
    DOCA_FLOW_ACTION_ADD = 1,  /**< adds to a field; not offered here */
    DOCA_FLOW_ACTION_COPY = 2, /**< copies a field; not offered here */
};

/** A description of one action. Not offered. */
struct doca_flow_action_desc {
    enum doca_flow_action_type type; /**< which kind */
    union {
        struct {
            struct doca_flow_desc_field src; /**< source */
            struct doca_flow_desc_field dst; /**< destination */
            uint32_t width;                  /**< bits */
        } field_op;                          /**< field op */
    };
};

/** Descriptions of actions; there must be none. */
struct doca_flow_action_descs {
    uint8_t nb_action_desc;                   /**< how many */
    struct doca_flow_action_desc *desc_array; /**< the descriptions */
};

/** Which member of an element holds. */
enum doca_flow_ordered_list_element_type {
    DOCA_FLOW_ORDERED_LIST_ELEMENT_ACTIONS = 0, /**< the member actions holds */
    DOCA_FLOW_ORDERED_LIST_ELEMENT_MONITOR = 1, /**< the member monitor holds */
    DOCA_FLOW_ORDERED_LIST_ELEMENT_NAT64 = 2,   /**< the member nat64 holds */
    DOCA_FLOW_ORDERED_LIST_ELEMENT_CRYPTO = 3,  /**< the member crypto holds */
};

/** A step of a list. Not offered. */
struct doca_flow_ordered_list_element {
    enum doca_flow_ordered_list_element_type type; /**< which kind */
    union {
        struct {
            struct doca_flow_actions *actions;           /**< what is set */
            struct doca_flow_actions *actions_mask;      /**< bits of it; may be NULL */
            struct doca_flow_action_descs *action_descs; /**< how; may be NULL */
        };
        struct doca_flow_monitor *monitor;    /**< counter or meter */
        struct doca_flow_nat64_action *nat64; /**< translation */
        struct doca_flow_crypto *crypto;      /**< encryption */
    };
};

/** Steps in their order. Not offered. */
struct doca_flow_ordered_list {
    uint32_t idx;                                    /**< of the list in its pipe */
    uint32_t size;                                   /**< number of elements */
    struct doca_flow_ordered_list_element *elements; /**< in their order */
};

/** What was counted. */
struct doca_flow_resource_query {
    union {
        struct {
            uint64_t total_bytes; /**< bytes of all packets */
            uint64_t total_pkts;  /**< packets */
        } counter;                /**< of an entry or of misses */
        struct {
            uint64_t current_sn; /**< next sequence number */
        } ipsec_sa;              /**< of a security association */
    };
};

/** How the class of an option is matched. */
enum doca_flow_parser_geneve_opt_mode {
    DOCA_FLOW_PARSER_GENEVE_OPT_MODE_IGNORE = 0,    /**< the class is not looked at */
    DOCA_FLOW_PARSER_GENEVE_OPT_MODE_FIXED = 1,     /**< the class must be option_class */
    DOCA_FLOW_PARSER_GENEVE_OPT_MODE_MATCHABLE = 2, /**< rules may match the class */
};

/** What becomes of frames that the root pipe does not match. */
enum doca_flow_port_default_miss_type {
    DOCA_FLOW_PORT_DEFAULT_MISS_KERNEL = 0, /**< to the network stack */
    DOCA_FLOW_PORT_DEFAULT_MISS_RSS = 1,    /**< over all receive queues of the device */
    DOCA_FLOW_PORT_DEFAULT_MISS_DROP = 2,   /**< dropped */
};

/** An option of GENEVE to parse. Not offered. */
struct doca_flow_parser_geneve_opt_cfg {
    enum doca_flow_parser_geneve_opt_mode match_on_class_mode;   /**< what is done with the class */
    doca_be16_t option_class;                                    /**< class of the option */
    uint8_t option_type;                                         /**< type of the option */
    uint8_t option_len;                                          /**< option length */
    doca_be32_t data_mask[DOCA_FLOW_GENEVE_DATA_OPTION_LEN_MAX]; /**< bits of the data that rules
                                                                    may match */
};

/** Which of several processes steers a port. */
enum doca_flow_port_operation_state {
    DOCA_FLOW_PORT_OPERATION_STATE_ACTIVE = 0, /**< works, which a port here always does */
    DOCA_FLOW_PORT_OPERATION_STATE_ACTIVE_READY_TO_SWAP =
        1, /**< works until another process takes over; not offered here */
    DOCA_FLOW_PORT_OPERATION_STATE_STANDBY = 2,     /**< prepared to take over; not offered here */
    DOCA_FLOW_PORT_OPERATION_STATE_UNCONNECTED = 3, /**< without traffic; not offered here */
};

/** How much a tuning tool collects. */
enum doca_flow_tune_profile {
    DOCA_FLOW_TUNE_PROFILE_NONE = 0,      /**< no collection */
    DOCA_FLOW_TUNE_PROFILE_PIPELINE = 30, /**< of pipes and entries; without effect here */
    DOCA_FLOW_TUNE_PROFILE_FULL = 60,     /**< of all; without effect here */
};

/**
 * Report of the new size of a pipe.
 */
typedef doca_error_t (*doca_flow_pipe_resize_nr_entries_changed_cb)(void *pipe_user_ctx,
                                                                    uint32_t nr_entries);

/**
 * Report of an entry that moved.
 */
typedef doca_error_t (*doca_flow_pipe_resize_entry_relocate_cb)(void *pipe_user_ctx,
                                                                uint16_t pipe_queue,
                                                                void *entry_user_ctx,
                                                                void **new_entry_user_ctx);

/**
 * Say how many of a resource the port will use. Memory is taken when it is needed, so this only
 * checks.
 *
 * @resource: of which
 * @nr_resources: how many
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_cfg_set_nr_resources(struct doca_flow_port_cfg *cfg,
                                                 enum doca_flow_resource resource,
                                                 uint32_t nr_resources);

/**
 * Initialise the library. Once, before ports are started; queues may be created before or after.
 *
 * @cfg: may be destroyed right after
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 *   DOCA_ERROR_BAD_STATE: it is initialised already
 *   DOCA_ERROR_INVALID_VALUE: cfg is NULL, or lacks the mode
 */
DOCA_STABLE
doca_error_t doca_flow_init(struct doca_flow_cfg *cfg);

/**
 * End the library: stops ports that are started, with their pipes. No effect when it is not
 * initialised, nor in a callback of an entry.
 */
DOCA_STABLE
void doca_flow_destroy(void);

/**
 * Start the steering of a device. Frames go to the kernel until there is a root pipe.
 *
 * @cfg: with a port id and a device
 * @port: receives the port, ended by doca_flow_port_stop()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or id or device is missing
 *   DOCA_ERROR_ALREADY_EXIST: the id or the device is started already
 *   DOCA_ERROR_BAD_STATE: the library is not initialised
 *   DOCA_ERROR_DRIVER: the interface is missing
 *   DOCA_ERROR_NOT_PERMITTED: a right is missing, which the log names
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                                  struct doca_flow_port **port);

/**
 * Stop the steering of a device, with its pipes and entries. Its queues stay, and receive
 * nothing.
 *
 * @port: not valid afterwards
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_PERMITTED: in a callback of an entry of the port
 */
DOCA_STABLE
doca_error_t doca_flow_port_stop(struct doca_flow_port *port);

/**
 * Say that frames may go from one port to the other. Here they may in any case.
 *
 * @port: one
 * @pair_port: the other
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_pair(struct doca_flow_port *port, struct doca_flow_port *pair_port);

/**
 * Get the memory that the port holds for the program.
 *
 * Returns memory of the size given to doca_flow_port_cfg_set_priv_data_size(); NULL without one.
 */
DOCA_STABLE
uint8_t *doca_flow_port_priv_data(struct doca_flow_port *port);

/**
 * Change whether the port is active. Only active ports exist here.
 *
 * @state: DOCA_FLOW_PORT_OPERATION_STATE_ACTIVE
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_PERMITTED: the data path is on the CPU
 *   DOCA_ERROR_ALREADY_EXIST: another queue of the device has this id
 *   DOCA_ERROR_NOT_SUPPORTED: another state
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_operation_state_modify(struct doca_flow_port *port,
                                                   enum doca_flow_port_operation_state state);

/**
 * Shared resource set cfg. Resources are not shared here: each rule has its own.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_shared_resource_set_cfg(enum doca_flow_shared_resource_type type,
                                               uint32_t id,
                                               struct doca_flow_shared_resource_cfg *cfg);

/**
 * Shared resources bind. Resources are not shared here: each rule has its own.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_STABLE
doca_error_t doca_flow_shared_resources_bind(enum doca_flow_shared_resource_type type,
                                             uint32_t *res_array, uint32_t res_array_len,
                                             void *bindable_obj);

/**
 * Shared resources query. Resources are not shared here: each rule has its own.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_shared_resources_query(enum doca_flow_shared_resource_type type,
                                              uint32_t *res_array,
                                              struct doca_flow_resource_query *data_array,
                                              uint32_t array_len);

/**
 * Create a pipe. A root pipe sees frames at once, others when a rule leads to them.
 *
 * @cfg: may be destroyed right after
 * @fwd: what becomes of frames that match; NULL: each entry says
 * @fwd_miss: of those that do not match; NULL: dropped, for a root pipe left to the kernel
 * @pipe: receives the pipe
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_TOO_BIG: the total is above the limit of the queue
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the template contradicts itself
 *   DOCA_ERROR_NOT_SUPPORTED: a type, field or action outside of what is offered, named in the
 *     log
 *   DOCA_ERROR_ALREADY_EXIST: the port has a root pipe
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_create(const struct doca_flow_pipe_cfg *cfg,
                                   const struct doca_flow_fwd *fwd,
                                   const struct doca_flow_fwd *fwd_miss,
                                   struct doca_flow_pipe **pipe);

/**
 * Resize a pipe. Pipes have room for what they were created for.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_STABLE
doca_error_t
doca_flow_pipe_resize(struct doca_flow_pipe *pipe, uint8_t new_congestion_level,
                      doca_flow_pipe_resize_nr_entries_changed_cb nr_entries_changed_cb,
                      doca_flow_pipe_resize_entry_relocate_cb entry_relocation_cb);

/**
 * Add an entry to a pipe of type BASIC. Matches from the push on: at once, or with the next
 * doca_flow_entries_process() of the queue.
 *
 * @pipe_queue: below the number of queues; one thread at a time
 * @match: values of the fields that the pipe leaves open; may be NULL when there are none
 * @action_idx: which of the pipe's actions
 * @actions: values that the pipe leaves open; may be NULL
 * @monitor: NULL: that of the pipe
 * @fwd: when the pipe has none
 * @flags: of enum doca_flow_entry_flags
 * @usr_ctx: handed to the callback
 * @entry: receives the entry; may be NULL
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the queue is out of range, or fwd is missing
 *   DOCA_ERROR_NOT_SUPPORTED: a field or action that is not offered
 *   DOCA_ERROR_FULL: the pipe has as many entries as it was created for
 *   DOCA_ERROR_NO_MEMORY: memory or the counters are exhausted
 *   DOCA_ERROR_BAD_STATE: the pipe is not BASIC
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_basic_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                            const struct doca_flow_match *match, uint8_t action_idx,
                                            const struct doca_flow_actions *actions,
                                            const struct doca_flow_monitor *monitor,
                                            const struct doca_flow_fwd *fwd, uint32_t flags,
                                            void *usr_ctx, struct doca_flow_pipe_entry **entry);

/**
 * Replace actions, monitor and forward of an entry of a BASIC pipe, at once for frames.
 *
 * @pipe_queue: as for adding
 * @action_idx: which of the pipe's actions
 * @actions: new values; may be NULL
 * @monitor: ignored but for its presence
 * @fwd: NULL: that of the pipe
 * @flags: of enum doca_flow_entry_flags
 * @entry: the entry
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, a value is out of range, or the entry is of
 *     another pipe
 *   DOCA_ERROR_BAD_STATE: the pipe is not BASIC, or the entry was removed
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_SUPPORTED: an action that is not offered
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_basic_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                               uint8_t action_idx,
                                               const struct doca_flow_actions *actions,
                                               const struct doca_flow_monitor *monitor,
                                               const struct doca_flow_fwd *fwd, uint32_t flags,
                                               struct doca_flow_pipe_entry *entry);

/**
 * Add an entry to a pipe of type CONTROL. Of the entries that match, the one with the smallest
 * priority number decides, among equals the oldest.
 *
 * @pipe_queue: below the number of queues; one thread at a time
 * @match: NULL or all zero: every frame
 * @match_mask: NULL: fields that are not zero are compared in full
 * @condition: must be NULL
 * @actions: may be NULL
 * @actions_mask: may be NULL
 * @action_descs: must be NULL
 * @monitor: may be NULL
 * @priority: 0 to 65535
 * @fwd: what becomes of a frame
 * @usr_ctx: handed to the callback
 * @entry: receives the entry; may be NULL
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, the queue or priority is out of range, or fwd is
 *     missing
 *   DOCA_ERROR_NOT_SUPPORTED: a field, condition or action that is not offered
 *   DOCA_ERROR_FULL: the pipe has as many entries as it was created for
 *   DOCA_ERROR_NO_MEMORY: memory or the counters are exhausted
 *   DOCA_ERROR_BAD_STATE: the pipe is not CONTROL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_control_add_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, const struct doca_flow_match_condition *condition,
    const struct doca_flow_actions *actions, const struct doca_flow_actions *actions_mask,
    const struct doca_flow_action_descs *action_descs, const struct doca_flow_monitor *monitor,
    uint32_t priority, const struct doca_flow_fwd *fwd, void *usr_ctx,
    struct doca_flow_pipe_entry **entry);

/**
 * Pipe lpm add entry. There are no pipes of this type here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_lpm_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask,
                                          uint8_t action_idx,
                                          const struct doca_flow_actions *actions,
                                          const struct doca_flow_monitor *monitor,
                                          const struct doca_flow_fwd *fwd, uint32_t flags,
                                          void *usr_ctx, struct doca_flow_pipe_entry **entry);

/**
 * Pipe lpm update entry. There are no pipes of this type here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_lpm_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                             uint8_t action_idx,
                                             const struct doca_flow_actions *actions,
                                             const struct doca_flow_monitor *monitor,
                                             const struct doca_flow_fwd *fwd, uint32_t flags,
                                             struct doca_flow_pipe_entry *entry);

/**
 * Pipe ordered list add entry. There are no pipes of this type here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_ordered_list_add_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, uint32_t idx,
    const struct doca_flow_ordered_list *ordered_list, const struct doca_flow_fwd *fwd,
    uint32_t flags, void *user_ctx, struct doca_flow_pipe_entry **entry);

/**
 * Pipe acl add entry. There are no pipes of this type here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_acl_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask,
                                          uint8_t action_idx,
                                          const struct doca_flow_actions *actions,
                                          const uint32_t priority, const struct doca_flow_fwd *fwd,
                                          uint32_t flags, void *usr_ctx,
                                          struct doca_flow_pipe_entry **entry);

/**
 * Pipe acl update entry. There are no pipes of this type here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_acl_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                             uint8_t action_idx,
                                             const struct doca_flow_actions *actions,
                                             const struct doca_flow_fwd *fwd, uint32_t flags,
                                             struct doca_flow_pipe_entry *entry);

/**
 * Pipe hash add entry. There are no pipes of this type here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_hash_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                           uint32_t entry_index, uint8_t action_idx,
                                           const struct doca_flow_actions *actions,
                                           const struct doca_flow_monitor *monitor,
                                           const struct doca_flow_fwd *fwd, uint32_t flags,
                                           void *usr_ctx, struct doca_flow_pipe_entry **entry);

/**
 * Remove an entry: no frame matches it from the push on. It is valid until its removal was
 * reported.
 *
 * @pipe_queue: as for adding
 * @flags: of enum doca_flow_entry_flags
 * @entry: the entry
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the queue is out of range
 *   DOCA_ERROR_BAD_STATE: it was removed already
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted; the entry stays
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_remove_entry(uint16_t pipe_queue, uint32_t flags,
                                         struct doca_flow_pipe_entry *entry);

/**
 * Compute the hash of a pipe. There are no pipes of type HASH here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_calc_hash(struct doca_flow_pipe *pipe,
                                      const struct doca_flow_match *match, uint32_t *hash);

/**
 * Compute the entropy of a tunnel header. There are no tunnels here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_calc_entropy(struct doca_flow_port *port,
                                         struct doca_flow_entropy_format *header,
                                         uint16_t *entropy);

/**
 * Destroy a pipe with its entries; neither exists afterwards. Frames that a rule still leads to it
 * are dropped. NULL is ignored.
 */
DOCA_STABLE
void doca_flow_pipe_destroy(struct doca_flow_pipe *pipe);

/**
 * Destroy all pipes of a port. NULL is ignored.
 */
DOCA_STABLE
void doca_flow_port_pipes_flush(struct doca_flow_port *port);

/**
 * Write what a pipe is and how many entries it has as text.
 *
 * @f: where to
 */
DOCA_EXPERIMENTAL
void doca_flow_pipe_dump(struct doca_flow_pipe *pipe, FILE *f);

/**
 * Get the counter of an entry.
 *
 * @data: receives packets and bytes, without checksums
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: the entry does not count
 */
DOCA_STABLE
doca_error_t doca_flow_resource_query_entry(struct doca_flow_pipe_entry *entry,
                                            struct doca_flow_resource_query *data);

/**
 * Get the counter of frames that no entry of a pipe matched.
 *
 * @data: receives packets and bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: the pipe does not count them
 */
DOCA_STABLE
doca_error_t doca_flow_resource_query_pipe_miss(struct doca_flow_pipe *pipe,
                                                struct doca_flow_resource_query *data);

/**
 * Replace what becomes of frames that no entry of a pipe matches.
 *
 * @fwd_miss: as for doca_flow_pipe_create()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: not offered for misses
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_update_miss(struct doca_flow_pipe *pipe,
                                        const struct doca_flow_fwd *fwd_miss);

/**
 * Report entries that were idle for long. None is: ages are not kept.
 *
 * @quota: microseconds
 * @max_entries: most of one call
 *
 * Returns 0, or -1 when port is NULL.
 */
DOCA_STABLE
int doca_flow_aging_handle(struct doca_flow_port *port, uint16_t queue, uint64_t quota,
                           uint64_t max_entries);

/**
 * Push what waits on a queue and report what was done: callbacks run inside.
 *
 * @pipe_queue: the queue
 * @timeout: microseconds; what there is to do never takes long
 * @max_processed_entries: most of one call; 0 is no limit
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: port is NULL or the queue is out of range
 *   DOCA_ERROR_NOT_PERMITTED: called from a callback of the same queue
 */
DOCA_STABLE
doca_error_t doca_flow_entries_process(struct doca_flow_port *port, uint16_t pipe_queue,
                                       uint64_t timeout, uint32_t max_processed_entries);

/**
 * Get how far an entry is.
 *
 * Returns IN_PROCESS until it was reported, then SUCCESS; ERROR for NULL.
 */
DOCA_STABLE
enum doca_flow_entry_status doca_flow_pipe_entry_get_status(struct doca_flow_pipe_entry *entry);

/**
 * Get the port that manages a switch.
 *
 * Returns the port itself; NULL for NULL.
 */
DOCA_STABLE
struct doca_flow_port *doca_flow_port_switch_get(const struct doca_flow_port *port);

/**
 * Put an MPLS label together.
 *
 * @label: 20 bits
 * @traffic_class: 3 bits
 * @ttl: 8 bits
 * @bottom_of_stack: whether it is the last one
 * @mpls: receives the label
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mpls is NULL or a value has too many bits
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_mpls_label_encode(uint32_t label, uint8_t traffic_class, uint8_t ttl,
                                         bool bottom_of_stack, struct doca_flow_header_mpls *mpls);

/**
 * Take an MPLS label apart.
 *
 * @mpls: the label
 * @label: receives 20 bits
 * @traffic_class: receives 3 bits
 * @ttl: receives 8 bits
 * @bottom_of_stack: receives whether it is the last one
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_mpls_label_decode(const struct doca_flow_header_mpls *mpls, uint32_t *label,
                                         uint8_t *traffic_class, uint8_t *ttl,
                                         bool *bottom_of_stack);

/**
 * Teach the parser GENEVE options. It does not know tunnels here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_ALREADY_EXIST: another queue of the device has this id
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_flow_parser_geneve_opt_create(const struct doca_flow_port *port,
                                   const struct doca_flow_parser_geneve_opt_cfg tlv_list[],
                                   uint8_t nb_options, struct doca_flow_parser **parser);

/**
 * Forget GENEVE options.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_parser_geneve_opt_destroy(struct doca_flow_parser *parser);

/**
 * Get a target outside of pipes.
 *
 * @type: the kernel: the network stack of the interface
 * @target: receives the target, which belongs to the library
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NOT_SUPPORTED: the device or this configuration does not offer it
 *   DOCA_ERROR_INVALID_VALUE: target is NULL or the type is unknown
 *   DOCA_ERROR_BAD_STATE: the library is not initialised
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_get_target(enum doca_flow_target_type type,
                                  struct doca_flow_target **target);

/**
 * Create tuning settings.
 *
 * @tune_cfg: receives them
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_tune_cfg_create(struct doca_flow_tune_cfg **tune_cfg);

/**
 * Destroy tuning settings.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_tune_cfg_destroy(struct doca_flow_tune_cfg *tune_cfg);

/**
 * Choose a profile of tuning; without effect.
 *
 * @profile: of the enum
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_tune_cfg_set_profile(struct doca_flow_tune_cfg *tune_cfg,
                                            enum doca_flow_tune_profile profile);

/**
 * Create the settings of the library.
 *
 * @cfg: receives them; ended by doca_flow_cfg_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg);

/**
 * Destroy settings; also after they were used.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg);

/**
 * Add tuning settings; without effect.
 *
 * @tune_cfg: may be destroyed after the library was initialised
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_cfg_set_tune_cfg(struct doca_flow_cfg *cfg,
                                        struct doca_flow_tune_cfg *tune_cfg);

/**
 * Choose the number of queues for entries.
 *
 * @pipe_queues: at least 1; 1 by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_pipe_queues(struct doca_flow_cfg *cfg, uint16_t pipe_queues);

/**
 * Choose how many entries can count.
 *
 * @nr_counters: at most 2^24; 0 by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_nr_counters(struct doca_flow_cfg *cfg, uint32_t nr_counters);

/**
 * Choose how many meters there are.
 *
 * @nr_meters: 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: another number
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_nr_meters(struct doca_flow_cfg *cfg, uint32_t nr_meters);

/**
 * Choose how ACL pipes are built; without effect.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_nr_acl_collisions(struct doca_flow_cfg *cfg,
                                                 uint8_t nr_acl_collisions);

/**
 * Choose the mode.
 *
 * @mode_args: tokens with commas between them: vnf or switch; then any of hws, isolated, expert,
 *   cpds, use_doca_eth, remote_vnf, hairpinq_num=N. The text is copied
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, a token is unknown, or the mode is missing
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_mode_args(struct doca_flow_cfg *cfg, const char *mode_args);

/**
 * Choose how many shared resources there are.
 *
 * @nr_shared_resource: 0
 * @type: of which
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: another number
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_nr_shared_resource(struct doca_flow_cfg *cfg,
                                                  uint32_t nr_shared_resource,
                                                  enum doca_flow_shared_resource_type type);

/**
 * Choose how many operations wait on a queue before they are processed by themselves.
 *
 * @queue_depth: at least 1; 128 by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_queue_depth(struct doca_flow_cfg *cfg, uint32_t queue_depth);

/**
 * Set the callback for pipes; pipes are there at once, so it is called for none.
 *
 * @cb: the callback
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_cb_pipe_process(struct doca_flow_cfg *cfg,
                                               doca_flow_pipe_process_cb cb);

/**
 * Set the callback that reports entries.
 *
 * @cb: runs inside doca_flow_entries_process()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_cb_entry_process(struct doca_flow_cfg *cfg,
                                                doca_flow_entry_process_cb cb);

/**
 * Set the callback for shared resources, of which there are none.
 *
 * @cb: the callback
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_cb_shared_resource_unbind(struct doca_flow_cfg *cfg,
                                                         doca_flow_shared_resource_unbind_cb cb);

/**
 * Set the key of the hash.
 *
 * @rss_key: copied
 * @rss_key_len: 40 bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_flow_cfg_set_rss_key(struct doca_flow_cfg *cfg, const uint8_t *rss_key,
                                       uint32_t rss_key_len);

/**
 * Add definitions of fields by name.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_cfg_set_definitions(struct doca_flow_cfg *cfg,
                                           const struct doca_flow_definitions *defs);

/**
 * Choose whether resources are counted for the system or each port; without effect.
 *
 * @mode: of the enum
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_cfg_set_resource_mode(struct doca_flow_cfg *cfg,
                                             const enum doca_flow_resource_mode mode);

/**
 * Create the settings of a port.
 *
 * @cfg: receives them; ended by doca_flow_port_cfg_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_flow_port_cfg_create(struct doca_flow_port_cfg **cfg);

/**
 * Destroy settings of a port; also after they were used.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_port_cfg_destroy(struct doca_flow_port_cfg *cfg);

/**
 * Set arguments for the driver; ignored.
 *
 * @devargs: text
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_flow_port_cfg_set_devargs(struct doca_flow_port_cfg *cfg, const char *devargs);

/**
 * Choose how much memory the port holds for the program.
 *
 * @priv_data_size: bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_port_cfg_set_priv_data_size(struct doca_flow_port_cfg *cfg,
                                                   uint16_t priv_data_size);

/**
 * Set the device of the port.
 *
 * @dev: open, until the port is stopped
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_cfg_set_dev(struct doca_flow_port_cfg *cfg, struct doca_dev *dev);

/**
 * Set the representor of the port.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else: representors have no steering here
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_cfg_set_dev_rep(struct doca_flow_port_cfg *cfg,
                                            struct doca_dev_rep *dev);

/**
 * Set the number by which rules know the port.
 *
 * @port_id: any
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_cfg_set_port_id(struct doca_flow_port_cfg *cfg, uint16_t port_id);

/**
 * Switch off sequence numbers of IPsec, which are not there.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_port_cfg_set_ipsec_sn_offload_disable(struct doca_flow_port_cfg *cfg);

/**
 * Choose whether the port starts active.
 *
 * @state: DOCA_FLOW_PORT_OPERATION_STATE_ACTIVE
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: another state
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_cfg_set_operation_state(struct doca_flow_port_cfg *cfg,
                                                    enum doca_flow_port_operation_state state);

/**
 * Choose the memory for actions; without effect.
 *
 * @size: bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_cfg_set_actions_mem_size(struct doca_flow_port_cfg *cfg, uint32_t size);

/**
 * Choose where threads of the port run; there are none.
 *
 * @core: any
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_cfg_set_service_threads_core(struct doca_flow_port_cfg *cfg,
                                                         uint32_t core);

/**
 * Choose how often threads of the port run; there are none.
 *
 * @cycle_ms: any
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_cfg_set_service_threads_cycle(struct doca_flow_port_cfg *cfg,
                                                          uint32_t cycle_ms);

/**
 * Choose what becomes of frames that the root pipe does not match and has no rule for.
 *
 * @default_miss: kernel, by default; drop; or RSS, by addresses and ports over all receive queues
 *                that the device has when the frame arrives
 * @counter_en: whether they are counted
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: port is NULL or the value unknown
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_update_default_miss(struct doca_flow_port *port,
                                                enum doca_flow_port_default_miss_type default_miss,
                                                bool counter_en);

/**
 * Get the counter of frames that the root pipe does not match.
 *
 * @data: receives packets and bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not counted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_query_default_miss(struct doca_flow_port *port,
                                               struct doca_flow_resource_query *data);

/**
 * Port shared resource set cfg. Resources are not shared here: each rule has its own.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_shared_resource_set_cfg(struct doca_flow_port *port,
                                                    enum doca_flow_shared_resource_type type,
                                                    uint32_t shared_resource_id,
                                                    struct doca_flow_shared_resource_cfg *cfg);

/**
 * Port shared resource get. Resources are not shared here: each rule has its own.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_EMPTY: nothing
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_shared_resource_get(struct doca_flow_port *port,
                                                enum doca_flow_shared_resource_type type,
                                                uint32_t *shared_resource_id);

/**
 * Port shared resource put. Resources are not shared here: each rule has its own.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_shared_resource_put(struct doca_flow_port *port,
                                                enum doca_flow_shared_resource_type type,
                                                uint32_t shared_resource_id);

/**
 * Port shared resources query. Resources are not shared here: each rule has its own.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_shared_resources_query(struct doca_flow_port *port,
                                                   enum doca_flow_shared_resource_type type,
                                                   uint32_t *res_array,
                                                   struct doca_flow_resource_query *data_array,
                                                   uint32_t array_len);

/**
 * Create the settings of a pipe.
 *
 * @cfg: receives them; ended by doca_flow_pipe_cfg_destroy()
 * @port: of the pipe
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_create(struct doca_flow_pipe_cfg **cfg,
                                       struct doca_flow_port *port);

/**
 * Destroy settings of a pipe; also after they were used.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_destroy(struct doca_flow_pipe_cfg *cfg);

/**
 * Set what a BASIC pipe matches. Without mask: zero is any, all ones is left open to the entries,
 * else it is fixed. With a mask only its bits count.
 *
 * @match: copied; may be NULL
 * @match_mask: copied; may be NULL
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_match(struct doca_flow_pipe_cfg *cfg,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask);

/**
 * Set what is done with frames that match.
 *
 * @actions: copied, each
 * @actions_masks: may be NULL
 * @action_descs: may be NULL
 * @nr_actions: 0 to 8
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_SUPPORTED: descriptions of actions
 *   DOCA_ERROR_TOO_BIG: more than 8
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_actions(struct doca_flow_pipe_cfg *cfg,
                                            struct doca_flow_actions *const *actions,
                                            struct doca_flow_actions *const *actions_masks,
                                            struct doca_flow_action_descs *const *action_descs,
                                            size_t nr_actions);

/**
 * Set whether entries count.
 *
 * @monitor: copied
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_monitor(struct doca_flow_pipe_cfg *cfg,
                                            const struct doca_flow_monitor *monitor);

/**
 * Set ordered lists.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_STABLE
doca_error_t
doca_flow_pipe_cfg_set_ordered_lists(struct doca_flow_pipe_cfg *cfg,
                                     struct doca_flow_ordered_list *const *ordered_lists,
                                     size_t nr_ordered_lists);

/**
 * Set the name of the pipe, for messages.
 *
 * @name: copied
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_name(struct doca_flow_pipe_cfg *cfg, const char *name);

/**
 * Set a label of the pipe, for messages.
 *
 * @label: copied
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_cfg_set_label(struct doca_flow_pipe_cfg *cfg, const char *label);

/**
 * Set the type of the pipe.
 *
 * @type: BASIC by default, or CONTROL; others are refused when the pipe is created
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_type(struct doca_flow_pipe_cfg *cfg,
                                         enum doca_flow_pipe_type type);

/**
 * Set where in the device the pipe is. What is sent is never filtered: pipes for it are without
 * effect.
 *
 * @domain: DEFAULT by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 *   DOCA_ERROR_ALREADY_EXIST: another queue of the device has this id
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_domain(struct doca_flow_pipe_cfg *cfg,
                                           enum doca_flow_pipe_domain domain);

/**
 * Set whether frames of the port begin in the pipe.
 *
 * @is_root: of a port at most one
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_is_root(struct doca_flow_pipe_cfg *cfg, bool is_root);

/**
 * Set how many entries the pipe can have.
 *
 * @nr_entries: 8192 by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_nr_entries(struct doca_flow_pipe_cfg *cfg, uint32_t nr_entries);

/**
 * Set whether the pipe can be resized.
 *
 * @is_resizable: false
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_NOT_SUPPORTED: true
 *   DOCA_ERROR_INVALID_VALUE: cfg is NULL
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_is_resizable(struct doca_flow_pipe_cfg *cfg, bool is_resizable);

/**
 * Say that a queue is not used for the pipe; without effect.
 *
 * @pipe_queue: the queue
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_cfg_set_excluded_queue(struct doca_flow_pipe_cfg *cfg,
                                                   uint16_t pipe_queue);

/**
 * Set whether frames that no entry matches are counted.
 *
 * @miss_counter: false by default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_cfg_set_miss_counter(struct doca_flow_pipe_cfg *cfg, bool miss_counter);

/**
 * Set when to report that the pipe gets full; without effect.
 *
 * @congestion_level_threshold: percent
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_congestion_level_threshold(struct doca_flow_pipe_cfg *cfg,
                                                               uint8_t congestion_level_threshold);

/**
 * Set what the callbacks of the pipe get.
 *
 * @user_ctx: anything
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or a value is out of range
 */
DOCA_STABLE
doca_error_t doca_flow_pipe_cfg_set_user_ctx(struct doca_flow_pipe_cfg *cfg, void *user_ctx);

/**
 * Set how HASH pipes map.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: cfg is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_pipe_cfg_set_hash_map_algorithm(struct doca_flow_pipe_cfg *cfg,
                                                       uint32_t algorithm_flags);

#include <impl/opendoca_flow_generations.h>

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif /* DOCA_FLOW_H_ */
