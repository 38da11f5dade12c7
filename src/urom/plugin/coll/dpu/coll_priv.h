/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_COLL_DPU_COLL_PRIV_H_
#define OD_UROM_PLUGIN_COLL_DPU_COLL_PRIV_H_

/* What the files of worker_coll share.
 *
 *   worker_coll.c  the plugin: commands, life
 *   team.c         teams, and messages between their members
 *   op.c           operations, from the first message to the answer
 *   move.c         operations whose data are read from memory
 *   reach.c        memory of members, and work that waits for it
 *   buffer.c       what came with messages
 *   reduce.c       arithmetic
 *
 * Each member of a team tells each other one, by an OPEN, that it has begun an operation and what
 * it thinks the operation is. Short data travel with it; for long ones it says where its memory is,
 * and who needs a part reads it straight from there, with one copy, and says DONE. So everybody
 * hears of everybody, and all come to the same verdict when they disagree.
 *
 * A team that loses a member begins nothing more, and each member tells the others where it
 * stopped: what it has not begun then cannot succeed for them, whether or not they have heard of
 * the loss. Whoever fails otherwise than by the verdict tells all others, so that nobody waits for
 * it.
 *
 * Work on memory that another process has a part in is an errand: its operation is away until then,
 * and so are its end and that of its team, since what is away still uses their memory.
 *
 * A team has up to COLL_WINDOW operations under way. Another member cannot be further ahead than
 * that, counted from what this one has begun, so twice as many slots take all that may arrive. */

#include "soft/copy/copy.h"
#include "urom/plugin/coll/common/coll_wire.h"
#include "urom/plugin/common/net.h"
#include "urom/plugin/common/plugin.h"
#include "urom/plugin/common/region.h"
#include "util/list.h"

#define COLL_WINDOW 8u
#define COLL_SLOTS  (2 * COLL_WINDOW)
#define COLL_CHUNK  (256u << 10) /* bytes that are copied at a time */
#define COLL_PIECE  (64u << 10)  /* bytes that are reduced at a time: they stay in the cache */
#define COLL_SMALL  64u          /* bytes that need no buffer */
#define COLL_MAPS   4            /* regions of a member that stay attached */

/* The same of errands, which pay for the way to another thread, or host. */
#define COLL_FAR_CHUNK (4u << 20)
#define COLL_FAR_PIECE (512u << 10)

/* What work is done with. */
struct coll_hand {
    struct soft_copy_chan *copy; /* empty; NULL: there is no memory for one */
    uint8_t *scratch;            /* `piece` bytes twice */
    uint32_t piece;
    uint32_t chunk;
};

/* Bytes that came with a message. */
struct coll_buffer;

struct coll {
    struct plugin_base base;
    struct urom_worker_ctx *ctx;
    struct plugin_net *net;
    struct coll_hand hand; /* the worker's own */
    struct od_waker waker; /* the copy engine wants one */
    struct od_list teams;
    struct od_list strangers; /* who greeted before its team was made here */
    struct coll_buffer *spare;
    unsigned int nspare;
    uint64_t last_team; /* handle */
    bool busy;          /* the last progress left something that can go on */
};

/* A region of another member, attached here. */
struct coll_map {
    uint32_t refs; /* operations, and the member's list */
    uint64_t handle;
    struct soft_peer_map *map;
    uint64_t base, len;
    unsigned int access;
    bool far; /* an access waits for another process */
};

struct coll_member {
    struct plugin_net_conn *conn; /* NULL: this member itself */
    uint64_t nonce;
    bool joined;  /* has greeted; nonce is valid */
    bool gone;    /* left, or its worker is dead */
    bool greeted; /* it has our HELLO */
    bool stopped; /* it has our STOP */
    uint64_t end; /* it begins no operation from here on */
    struct coll_map *maps[COLL_MAPS];
    unsigned int next_map;   /* to be replaced */
    struct plugin_line line; /* of errands to its memory */
};

enum coll_got {
    COLL_GOT_OPEN = 1,
    COLL_GOT_SLICE = 2,
    COLL_GOT_DONE = 4,
};

enum coll_owe {
    COLL_OWE_OPEN = 1,
    COLL_OWE_SLICE = 2,
    COLL_OWE_DONE = 4,
    COLL_OWE_FAIL = 8,
};

/* What one member has said about one operation, and is still to be told. */
struct coll_from {
    uint8_t got;
    uint8_t owe;
    bool read; /* what is needed of its memory is here */
    uint32_t code, dtype, reduction, root;
    uint64_t len;
    uint32_t status;
    uint32_t data_len;
    uint8_t *data;              /* owned, as coll_buffer_take() gives it; or `small` */
    struct coll_memory *memory; /* owned in that way; source and destination, or NULL */
    uint8_t small[COLL_SMALL];
};

struct coll_op;

struct coll_slot {
    uint64_t seq;
    struct coll_op *op; /* NULL: not begun here */
    uint32_t failed;    /* a member's status; 0: none */
    struct coll_from *from;
};

enum coll_state {
    COLL_GATHERING, /* what goes with the messages */
    COLL_OPENING,
    COLL_REDUCING, /* this member's part of an all-reduce */
    COLL_MOVING,
    COLL_ENDING, /* only messages are left, to be sent or to come */
};

/* A bounded piece of work of an operation, on the worker's thread or another one. */
typedef doca_error_t coll_work(struct coll_op *op, const struct coll_hand *hand);

/* Lies behind the notification that it ends with. */
struct coll_op {
    struct od_list entry; /* in the team, ascending by seq */
    struct coll_team *team;
    struct coll_slot *slot; /* NULL: waits for its turn */
    uint64_t seq;
    struct coll_cmd cmd;
    struct urom_worker_cmd_desc *command; /* for the bytes behind it */
    struct urom_worker_notif_desc *note;
    const void *inlined;
    size_t inlined_len;
    enum coll_state state;
    doca_error_t status;
    bool eager;
    uint64_t bytes;            /* of a block, or of the vector that is reduced */
    struct plugin_region *src; /* held; NULL: inline */
    struct plugin_region *dst;
    const uint8_t *own; /* eager: what this member gives; `own_len` bytes; NULL: nothing */
    uint8_t *result;    /* inline: bytes of the answer */
    size_t own_len;
    size_t result_len;
    bool peers_read;        /* others read this member's memory */
    bool own_moved;         /* what this member gives itself is in its place */
    uint32_t at;            /* member whose memory is being read, counted from this one */
    uint64_t done;          /* bytes of it */
    struct coll_map **maps; /* held; of each member source and destination; NULL: not needed yet */
    struct plugin_errand errand;
    bool away;  /* the errand is under way, and owns what its work uses */
    bool ended; /* but for that */
    coll_work *work;
    doca_error_t outcome; /* of the work */
    uint8_t *scratch;     /* of errands */
    uint32_t rank;        /* member that the work is about */
    bool source;          /* of its memories */
    struct soft_peer_map *imported;
};

struct coll_team {
    struct od_list entry;
    struct coll *coll;
    uint64_t dest; /* channel */
    uint64_t handle;
    uint64_t id;
    uint64_t nonce;
    uint64_t checksum; /* of the member list */
    uint32_t size;
    uint32_t rank;
    struct urom_worker_cmd_desc *creating;   /* command to be answered; NULL: done */
    struct urom_worker_cmd_desc *destroying; /* the same; NULL: nobody asked */
    bool leaving;                            /* is destroyed, not all know it yet */
    bool refused;                            /* members disagree on the list */
    bool broken;                             /* has lost a member: begins nothing any more */
    uint64_t base;                           /* lowest operation that has not ended */
    uint64_t begun;                          /* the next one to be begun */
    uint64_t next;                           /* the next one to be posted */
    struct od_list ops;
    struct coll_slot slots[COLL_SLOTS];
    struct coll_member *members;
};

/* ---- team.c ---- */

/* Answers at once, or when all have greeted. Takes the command over when *taken. */
doca_error_t coll_team_create(struct coll *coll, struct urom_worker_cmd_desc *command, bool *taken);
struct coll_team *coll_team_find(struct coll *coll, uint64_t dest, uint64_t handle);
/* Fails what is under way. Frees the team, and answers the command, which is kept and may be NULL,
 * as soon as the others are told and nothing is away. */
void coll_team_destroy(struct coll_team *team, struct urom_worker_cmd_desc *command);
/* It has no operations. */
void coll_team_free(struct coll_team *team);
void coll_team_progress(struct coll_team *team);
bool coll_send(struct coll_team *team, uint32_t to, const struct iovec *iov, unsigned int niov);
struct coll_msg coll_msg(const struct coll_team *team, enum coll_msg_type type, uint32_t to,
                         uint64_t seq);
int coll_message(void *arg, struct plugin_net_conn *conn, const void *bytes, uint32_t len);
void coll_ended(void *arg, struct plugin_net_conn *conn, int reason);
void coll_strangers_free(struct coll *coll);

/* ---- op.c ---- */

doca_error_t coll_op_post(struct coll_team *team, struct urom_worker_cmd_desc *command,
                          bool *taken);
/* A member's message about an operation. */
void coll_op_message(struct coll_team *team, const struct coll_open *open, const void *data,
                     const void *memory);
/* The errand of one that has ended otherwise is back. */
void coll_op_end(struct coll_op *op);
/* A member is gone, or has stopped: what needs it fails, here and at the others. */
void coll_ops_lose(struct coll_team *team);
void coll_ops_progress(struct coll_team *team);
void coll_ops_fail(struct coll_team *team, doca_error_t status);
void coll_op_fail(struct coll_op *op, doca_error_t status);
void coll_slot_clear(struct coll_team *team, struct coll_slot *slot);

/* ---- move.c ---- */

/* The next steps of an operation whose members agree, and that is not away. */
void coll_op_move(struct coll_op *op);

/* ---- reach.c ---- */

/* Does work: at once, or, with a line, as an errand, which leaves the operation away. A failure is
 * the operation's status. */
void coll_op_work(struct coll_op *op, struct plugin_line *line, coll_work *work);
/* A member's source or destination, attached, held until the operation ends. NULL: it is being
 * attached, or the status says why not. */
struct coll_map *coll_op_reach(struct coll_op *op, uint32_t rank, bool source);
void coll_op_release_maps(struct coll_op *op);
void coll_maps_close(struct coll_member *member);

/* The line for work on a region, which may be NULL. NULL: it waits for nobody. */
static inline struct plugin_line *coll_line_of(struct plugin_region *region)
{
    return region != NULL && region->far ? &region->line : NULL;
}

static inline struct soft_peer_map *coll_map_of(const struct plugin_region *region)
{
    return region != NULL ? region->map : NULL;
}

/* Whoever's memory it is has a part in the operation: it is a failure when the owner is gone. */
static inline doca_error_t coll_error(int err)
{
    const doca_error_t result = plugin_region_error(err);

    return result == DOCA_ERROR_NOT_FOUND ? DOCA_ERROR_IO_FAILED : result;
}

static inline doca_error_t coll_copy(const struct coll_hand *hand, struct soft_peer_map *to,
                                     uint64_t to_va, struct soft_peer_map *from, uint64_t from_va,
                                     uint64_t len)
{
    return coll_error(plugin_copy(hand->copy, to, to_va, from, from_va, len));
}

/* ---- buffer.c ---- */

/* COLL_EAGER_MAX bytes; NULL: no memory. */
void *coll_buffer_take(struct coll *coll);
/* NULL is fine. */
void coll_buffer_give(struct coll *coll, void *bytes);
void coll_buffers_free(struct coll *coll);

#endif /* OD_UROM_PLUGIN_COLL_DPU_COLL_PRIV_H_ */
