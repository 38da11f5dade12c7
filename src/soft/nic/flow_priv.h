/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_FLOW_PRIV_H_
#define OD_SOFT_NIC_FLOW_PRIV_H_

/* Tables as the driver reads them. */

#include "soft/nic/flow.h"
#include "soft/nic/nic_priv.h"

/* Words of the keys that count. */
struct soft_nic_match {
    uint32_t n;
    struct {
        uint32_t word;
        uint64_t mask;
        uint64_t value;
    } terms[SOFT_NIC_KEY_WORDS];
};

/* What becomes of a frame; never changed, only replaced. */
struct soft_nic_result {
    struct soft_nic_fwd fwd;
    const struct soft_nic_action *action; /* of the same memory; NULL: none */
    struct soft_nic_out *out;             /* PORT */
    uint16_t spread[];                    /* QUEUES: id by hash, SOFT_NIC_RSS_TABLE of them */
};

struct soft_nic_entry {
    struct soft_nic_table *table;
    struct soft_nic_entry *_Atomic next; /* HASH: in its bucket */
    uint64_t *key;                       /* HASH: the open words */
    struct soft_nic_match match;         /* LIST */
    uint32_t priority;
    bool counts;
    bool is_removed;
    bool is_claimed; /* of the port */
    struct soft_nic_result *_Atomic result;
    /* Written by the driver only. */
    OD_ALIGNED(OD_CACHE_LINE) _Atomic uint64_t packets;
    _Atomic uint64_t bytes;
};

struct soft_nic_list {
    uint32_t n;
    struct soft_nic_entry *entries[];
};

struct soft_nic_table {
    struct soft_nic_port *port;
    _Atomic uint32_t refs; /* its owner, and each result that leads to it */
    enum soft_nic_table_kind kind;
    bool is_open; /* frames come to it without a match before; under the lock of the interest */
    bool counts_misses;
    struct soft_nic_match common;
    struct soft_nic_match open; /* HASH: words and masks; values are of the entries */
    uint32_t mask;              /* HASH: buckets - 1 */
    struct soft_nic_entry *_Atomic *buckets;
    struct soft_nic_list *_Atomic list; /* LIST */
    struct soft_nic_result *_Atomic fwd;
    struct soft_nic_result *_Atomic miss;
    uint32_t nentries, max_entries;
    pthread_mutex_t lock; /* of those who change it */
    OD_ALIGNED(OD_CACHE_LINE) _Atomic uint64_t missed_packets;
    _Atomic uint64_t missed_bytes;
};

#define SOFT_NIC_DEPTH 32u

/* A frame that gets longer: as many tags as there can be actions, then the frame. */
#define SOFT_NIC_HEADROOM (SOFT_NIC_DEPTH * SOFT_NIC_REWRITE_ROOM)
#define SOFT_NIC_PLACE    (SOFT_NIC_HEADROOM + SOFT_NIC_FRAME_MAX)

/* The hash of the buckets; nothing but speed depends on it. */
#define SOFT_NIC_HASH_SEED 0x9e3779b97f4a7c15u

static inline uint64_t soft_nic_hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 32);
}

static inline uint32_t soft_nic_hash_end(uint64_t hash)
{
    return (uint32_t)(hash ^ (hash >> 29));
}

/* Frames that steering sends out of another port; the driver's. */
struct soft_nic_out {
    struct soft_nic_out *next;
    struct soft_nic_port *to;
    struct soft_nic_txq *tx;
    uint32_t n;
    struct soft_nic_tx_frame frames[SOFT_NIC_BATCH];
    struct soft_nic_piece pieces[SOFT_NIC_BATCH];
};

/* What the rules want to see of the port's frames. */
struct soft_nic_interest {
    pthread_mutex_t lock;
    bool all;
    uint32_t n;
    struct soft_nic_table *chain[SOFT_NIC_DEPTH];
};

/* Steering of a port; part of it. */
struct soft_nic_flow {
    struct soft_nic_table *_Atomic root;
    struct soft_nic_result *_Atomic fallback; /* NULL: the kernel */
    struct soft_nic_toeplitz *_Atomic toeplitz;
    _Atomic uint32_t sums; /* tables and entries that ask for checksums */
    _Atomic uint16_t id;
    _Atomic uint64_t missed_packets, missed_bytes;
    struct soft_nic_out *outs; /* under the port's lock */
    /* Places for frames that get longer, a batch of them; NULL: no rule makes them so. */
    uint8_t *_Atomic room;
    uint32_t nroom; /* driver: of this batch */
    struct soft_nic_interest interest;
};

/* After a change of root, misses or defaults. */
void soft_nic_interest_update(struct soft_nic_port *port);
/* After an entry was added, changed or taken out. */
void soft_nic_interest_entry(struct soft_nic_entry *entry, bool on);
/* Frames that the port leaves to the stack are those that its root table misses. */
bool soft_nic_interest_is_root_only(struct soft_nic_port *port);

/* Waits until no frame is on its way that may have seen what was taken out. */
void soft_nic_port_quiesce(struct soft_nic_port *port);

int soft_nic_flow_open(struct soft_nic_port *port);
void soft_nic_flow_close(struct soft_nic_port *port);

/* Driver: through the tables of the port, to the end of the frame. */
void soft_nic_flow_steer(struct soft_nic_port *port, struct soft_nic_table *root,
                         const struct soft_nic_frame *frame, struct soft_nic_meta *meta);
/* Driver: to one of all queues of the port, by its hash. */
void soft_nic_flow_spread(struct soft_nic_port *port, const struct soft_nic_frame *frame,
                          struct soft_nic_meta *meta);
/* Driver, after a batch: sends what was collected. */
void soft_nic_flow_flush(struct soft_nic_port *port);

struct soft_nic_table *soft_nic_flow_root(struct soft_nic_port *port);

#endif /* OD_SOFT_NIC_FLOW_PRIV_H_ */
