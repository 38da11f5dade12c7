/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_PEERS_PEERS_H_
#define RDMA_PEERS_PEERS_H_

#include <stdbool.h>
#include <stdint.h>

#include <doca_ctx.h>
#include <doca_log.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>

#include "../common/kit.h"

#define CONNECTIONS 4
#define TEXT_SIZE   64
#define PATH_SIZE   1024
#define EVENT_VALUE 7
#define SECONDS     60.0

#define TRY(call)                                                                                  \
    do {                                                                                           \
        doca_error_t try_result = (call);                                                          \
        if (try_result != DOCA_SUCCESS) {                                                          \
            DOCA_LOG_ERR("%s: %s", #call, doca_error_get_descr(try_result));                       \
            return try_result;                                                                     \
        }                                                                                          \
    } while (0)

struct peer {
    char address[DOCA_DEVINFO_IPV6_ADDR_SIZE * 3]; /* "" for the server */
    char event_path[PATH_SIZE];
    enum doca_rdma_addr_type type;
    int port;

    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_rdma_connection *connections[CONNECTIONS]; /* by their user data */
    uint32_t asked, up, over;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    union {
        char texts[CONNECTIONS][TEXT_SIZE]; /* one a connection */
        uint64_t values[CONNECTIONS];
    } memory;
    uint32_t done; /* tasks */
    doca_error_t outcome;
};

/* A buffer over the text of a connection, full or empty. */
doca_error_t peer_buf(struct peer *peer, uint32_t i, bool is_full, struct doca_buf **buf);
/* Progresses until `*value` is `wanted`. */
doca_error_t peer_await(struct peer *peer, const uint32_t *value, uint32_t wanted);
/* A task is over; its buffer is given back. */
void peer_end_task(struct peer *peer, struct doca_task *task, struct doca_buf *buf);

/* Before and after the start of the context. */
doca_error_t server_configure(struct peer *peer);
doca_error_t server_run(struct peer *peer);
doca_error_t client_configure(struct peer *peer);
doca_error_t client_run(struct peer *peer);

#endif /* RDMA_PEERS_PEERS_H_ */
