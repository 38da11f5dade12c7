/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_RDMO_DPU_RDMO_PRIV_H_
#define OD_UROM_PLUGIN_RDMO_DPU_RDMO_PRIV_H_

/* What the files of the plugin share.
 *
 *   worker_rdmo.c  its functions, commands
 *   target.c       clients, their initiators and memory
 *   request.c      what initiators ask for
 *
 * Ownership: rdmo owns clients; a client owns its queues and regions; a queue owns its requests. A
 * request that is at work in UCX cannot be taken back: a queue or region that it uses stays, marked
 * dying, until it has come back. */

#include <ucp/api/ucp.h>

#include "urom/plugin/common/plugin.h"
#include "urom/plugin/rdmo/common/rdmo_wire.h"
#include "util/list.h"

/* A worker of UCX. There are two. Initiators talk to the front, which can do nothing but active
 * messages: an endpoint of a worker that can do more than the other side's would choose other ways
 * to go, and UCX ends the process when the two do not agree. Targets are reached from the back. */
struct rdmo_side {
    ucp_context_h context;
    ucp_worker_h worker;
};

struct rdmo {
    struct plugin_base base;
    struct rdmo_side front;
    struct rdmo_side back;
    ucp_address_t *addr; /* of the front */
    size_t addr_len;
    int epoll; /* readable when either side has something to do */
    struct od_list clients;
    uint64_t last_id; /* of queues and regions */
};

/* A target. */
struct rdmo_client {
    struct od_list entry;
    struct rdmo *rdmo;
    uint64_t dest;
    uint64_t id;
    ucp_ep_h ep;
    bool by_force; /* the endpoint can be closed with what is at work */
    bool dying;
    struct od_list queues;
    struct od_list regions;
    struct rdmo_work *appending; /* appends to the memory of a client come one after the other */
};

struct rdmo_region {
    struct od_list entry;
    uint64_t id;
    uint64_t va;
    uint64_t len;
    ucp_rkey_h rkey;
    unsigned int users;
    bool dying;
};

/* An initiator. */
struct rdmo_queue {
    struct od_list entry;
    struct rdmo_client *client;
    uint64_t id;
    ucp_ep_h ep;
    bool dying;
    struct od_list works; /* the first is at work, or about to be */
};

/* ---- target.c ---- */

struct rdmo_client *rdmo_client_by_dest(struct rdmo *rdmo, uint64_t dest);
/* DOCA_SUCCESS; ALREADY_EXIST: the channel has one; IN_USE: the id has; DRIVER: UCX does not want
 * the address; NO_MEMORY. */
doca_error_t rdmo_client_add(struct rdmo *rdmo, uint64_t dest, uint64_t id, const void *addr);
/* It goes at once, or when its works have come back. */
void rdmo_client_remove(struct rdmo_client *client);

doca_error_t rdmo_queue_add(struct rdmo_client *client, const void *addr, uint64_t *id);
doca_error_t rdmo_queue_remove(struct rdmo_client *client, uint64_t id);
struct rdmo_queue *rdmo_queue_by_ep(struct rdmo *rdmo, ucp_ep_h ep);

doca_error_t rdmo_region_add(struct rdmo_client *client, uint64_t va, uint64_t len,
                             const void *rkey, uint64_t *id);
doca_error_t rdmo_region_remove(struct rdmo_client *client, uint64_t id);
/* The region, with one user more, when the bytes lie in it; else NULL. */
struct rdmo_region *rdmo_region_get(struct rdmo_client *client, uint64_t id, uint64_t va,
                                    uint64_t len);
void rdmo_region_put(struct rdmo_region *region);

/* What is dying and has no works any more is freed. */
void rdmo_bury(struct rdmo *rdmo);
/* All clients, before UCX is closed. */
void rdmo_remove_all(struct rdmo *rdmo);

/* ---- request.c ---- */

/* Active message handler; arg is struct rdmo. */
ucs_status_t rdmo_on_message(void *arg, const void *header, size_t header_len, void *data,
                             size_t len, const ucp_am_recv_param_t *param);
/* Brings all queues forward. */
void rdmo_advance(struct rdmo *rdmo);
/* Drops what has not begun. */
void rdmo_queue_clear(struct rdmo_queue *queue);

#endif /* OD_UROM_PLUGIN_RDMO_DPU_RDMO_PRIV_H_ */
