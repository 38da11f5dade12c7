/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_FLOW_H_
#define OD_SOFT_NIC_FLOW_H_

/* Steering: which frames go where.
 *
 * A table has entries, each with what becomes of a frame that matches it. Tables of kind HASH look
 * at the same fields for all entries, tables of kind LIST take the first entry that matches. A
 * frame begins in the root table of its port.
 *
 * Changes are seen by the next frame, as a whole, and never stop frames that are on their way. One
 * thread at a time changes a table; what is taken out of it is freed when nobody looks at it any
 * more. */

#include "soft/nic/keys.h"
#include "soft/nic/nic.h"
#include "soft/nic/rewrite.h"
#include "soft/nic/toeplitz.h"

struct soft_nic_table;
struct soft_nic_entry;

enum soft_nic_fwd_kind {
    SOFT_NIC_FWD_NONE, /* as the table says */
    SOFT_NIC_FWD_DROP,
    SOFT_NIC_FWD_KERNEL,
    SOFT_NIC_FWD_QUEUES,
    SOFT_NIC_FWD_ALL_QUEUES, /* that the port has when the frame comes, by its hash */
    SOFT_NIC_FWD_TABLE,
    SOFT_NIC_FWD_PORT,
};

#define SOFT_NIC_FWD_QUEUES_MAX 64u
#define SOFT_NIC_RSS_TABLE      512u

struct soft_nic_fwd {
    enum soft_nic_fwd_kind kind;
    struct soft_nic_table *table; /* TABLE */
    struct soft_nic_port *port;   /* PORT */
    uint32_t nqueues;             /* QUEUES: ids; one that is not there drops */
    uint16_t queues[SOFT_NIC_FWD_QUEUES_MAX];
    uint32_t rss; /* enum soft_nic_rss_flag bits; 0: the first queue */
    bool symmetric;
};

struct soft_nic_tally {
    uint64_t packets;
    uint64_t bytes;
};

enum soft_nic_table_kind { SOFT_NIC_TABLE_HASH, SOFT_NIC_TABLE_LIST };

struct soft_nic_table_conf {
    enum soft_nic_table_kind kind;
    uint32_t max_entries;
    struct soft_nic_keys mask;  /* HASH: what all entries have in common: a frame must have it */
    struct soft_nic_keys value; /* of these bits */
    struct soft_nic_keys open;  /* HASH: bits that each entry chooses */
    struct soft_nic_fwd fwd;    /* of entries that say NONE */
    struct soft_nic_fwd miss;   /* NONE: the port's default for a root table, else dropped */
    bool counts_misses;
};

/* -ENOMEM with a reason. */
SOFT_API int soft_nic_table_create(struct soft_nic_port *port,
                                   const struct soft_nic_table_conf *conf,
                                   struct soft_nic_table **table);
/* From here on frames that come to it and find no entry with a way of its own are dropped. */
SOFT_API void soft_nic_table_close(struct soft_nic_table *table);
/* Its entries were freed before. Rules that lead to it drop from here on; its memory goes with the
 * last of them. NULL is fine. */
SOFT_API void soft_nic_table_destroy(struct soft_nic_table *table);
SOFT_API int soft_nic_table_set_miss(struct soft_nic_table *table, const struct soft_nic_fwd *miss);
SOFT_API void soft_nic_table_misses(const struct soft_nic_table *table,
                                    struct soft_nic_tally *tally);
SOFT_API uint32_t soft_nic_table_entries(const struct soft_nic_table *table);

struct soft_nic_entry_conf {
    struct soft_nic_keys mask;  /* LIST */
    struct soft_nic_keys value; /* LIST; HASH: of the open bits */
    uint32_t priority;          /* LIST: smallest first, then the oldest */
    struct soft_nic_action action;
    struct soft_nic_fwd fwd;
    bool counts;
};

/* -ENOSPC: as many entries as it may have; -ENOMEM. */
SOFT_API int soft_nic_entry_add(struct soft_nic_table *table,
                                const struct soft_nic_entry_conf *conf,
                                struct soft_nic_entry **entry);
/* Replaces action and forward. */
SOFT_API int soft_nic_entry_update(struct soft_nic_entry *entry,
                                   const struct soft_nic_action *action,
                                   const struct soft_nic_fwd *fwd);
/* No frame matches it from here on; it can still be asked for its tally. -ENOMEM: it stays. */
SOFT_API int soft_nic_entry_remove(struct soft_nic_entry *entry);
/* After the removal. NULL is fine. */
SOFT_API void soft_nic_entry_free(struct soft_nic_entry *entry);
/* False: it does not count. */
SOFT_API bool soft_nic_entry_tally(const struct soft_nic_entry *entry,
                                   struct soft_nic_tally *tally);

/* Where frames of a port begin; NULL: nowhere, they are unmatched. */
SOFT_API void soft_nic_port_set_root(struct soft_nic_port *port, struct soft_nic_table *table);
/* Back to no steering: no root, no default, no ways to other ports. Tables are destroyed before. */
SOFT_API void soft_nic_port_clear(struct soft_nic_port *port);
/* What becomes of frames that the root table does not match and has no rule for. */
SOFT_API int soft_nic_port_set_default(struct soft_nic_port *port, const struct soft_nic_fwd *fwd);
SOFT_API void soft_nic_port_misses(const struct soft_nic_port *port, struct soft_nic_tally *tally);
/* The number that rules can match as the port a frame came from. */
SOFT_API void soft_nic_port_set_id(struct soft_nic_port *port, uint16_t id);
SOFT_API void soft_nic_port_set_rss_key(struct soft_nic_port *port,
                                        const uint8_t key[SOFT_NIC_RSS_KEY]);

#endif /* OD_SOFT_NIC_FLOW_H_ */
