/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_PEER_FLOW_H_
#define OD_SOFT_PEER_FLOW_H_

/* Requests to an exporter on another host, several of them under way, answered in their order.
 *
 * Nobody waits here: whoever holds the connection's lane_lock drives it, a thread that waits for
 * one of its own items as well as one that only looks for what has ended. */

#include "soft/peer/item.h"
#include "soft/peer/wire.h"
#include "util/list.h"

struct soft_peer_conn;

#define PEER_FLOW_REQUESTS                                                                         \
    12u                              /* under way at most; fewer than PEER_REMOTE_DEPTH, so that   \
                                        the exporter always finds room for its replies */
#define PEER_FLOW_BYTES (2u << 20)   /* under way, before nothing more is sent */
#define PEER_FLOW_PIECE (256u << 10) /* of a copy, in one request: it stays in the cache */

/* One request. */
struct soft_peer_ask {
    union soft_peer_msg msg; /* but its header */
    enum soft_peer_msg_type type;
    const void *payload; /* stays until the next ask of this connection */
    size_t len;
    bool foreign;               /* the payload is memory that may go away */
    struct soft_peer_map *held; /* whose memory it is: sent within a bracket; or NULL */
    size_t back;                /* bytes that travel with the reply */
    bool last;                  /* of the item */
    bool one_way;               /* has no reply, and is the item's last one */
};

struct soft_peer_item_ops {
    /* The next request. Negative: the item fails. */
    int (*ask)(struct soft_peer_item *item, struct soft_peer_ask *ask);
    /* Its reply, `len` of which is `back`, and which says that the access was done. */
    int (*take)(struct soft_peer_item *item, const union soft_peer_msg *msg, const void *payload,
                size_t len);
    /* What a reply other than success means for the item. */
    int (*refused)(struct soft_peer_item *item, int status);
    /* The item is its owner's again. */
    void (*end)(struct soft_peer_item *item);
};

struct soft_peer_flow {
    struct od_list active; /* in the list of connections to be looked at */
    struct od_list items;
    struct soft_peer_item *asking; /* the first one that is not `asked`, or NULL */
    bool held;                     /* `ask` is its next request, for which there was no room */
    bool broken;
    struct soft_peer_ask ask;
    struct {
        struct soft_peer_item *item; /* NULL: given up, the reply is for nobody */
        uint32_t seq;
        size_t back;
        size_t bytes;
    } out[PEER_FLOW_REQUESTS];
    uint32_t sent;
    uint32_t done;
    uint32_t seq;
    size_t bytes;
    uint64_t heard; /* ns */
};

void soft_peer_flow_init(struct soft_peer_flow *flow);
/* The connection goes away. */
void soft_peer_flow_close(struct soft_peer_conn *conn);

/* Puts an item into the queue. */
void soft_peer_flow_add(struct soft_peer_conn *conn, struct soft_peer_item *item);
/* Puts it there, and waits for its end, at most PEER_ANSWER_MS after the last sign of life. Its
 * status. */
int soft_peer_flow_run(struct soft_peer_conn *conn, struct soft_peer_item *item);
/* A message without reply. */
int soft_peer_flow_tell(struct soft_peer_conn *conn, union soft_peer_msg *msg,
                        enum soft_peer_msg_type type);
/* Drives all connections that have items, without waiting. */
void soft_peer_flows_progress(void);
/* Before a nap: lets the epoll descriptor tell of what comes for connections that have items, until
 * the next call. True: something has come already. */
bool soft_peer_flows_watch(int epoll);
/* Gives up the items that `is_one` says so of; they end with -ECANCELED. */
void soft_peer_flows_cancel(bool (*is_one)(const struct soft_peer_item *item, const void *arg),
                            const void *arg);
/* In a forked child. */
void soft_peer_flows_forget(void);

#endif /* OD_SOFT_PEER_FLOW_H_ */
