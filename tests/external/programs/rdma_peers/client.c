/* SPDX-License-Identifier: BSD-3-Clause */
/* Connects several times, sends a message over each connection, sets the server's event and reads
 * it, and leaves. */
#include <stdio.h>
#include <unistd.h>

#include "peers.h"

DOCA_LOG_REGISTER(RDMA_PEERS::CLIENT);

static void on_send(struct doca_rdma_task_send *task, union doca_data data, union doca_data ctx)
{
    const struct doca_buf *buf = doca_rdma_task_send_get_src_buf(task);

    (void)data;
    peer_end_task(ctx.ptr, doca_rdma_task_send_as_task(task), (struct doca_buf *)buf);
}

static void on_set(struct doca_rdma_task_remote_net_sync_event_notify_set *task,
                   union doca_data data, union doca_data ctx)
{
    struct doca_task *base = doca_rdma_task_remote_net_sync_event_notify_set_as_task(task);

    (void)data;
    peer_end_task(ctx.ptr, base, doca_task_get_user_data(base).ptr);
}

static void on_get(struct doca_rdma_task_remote_net_sync_event_get *task, union doca_data data,
                   union doca_data ctx)
{
    struct doca_buf *buf = doca_rdma_task_remote_net_sync_event_get_get_dst_buf(task);
    void *value;

    (void)data;
    if (doca_buf_get_data(buf, &value) == DOCA_SUCCESS)
        printf("read: %llu\n", (unsigned long long)*(uint64_t *)value);
    peer_end_task(ctx.ptr, doca_rdma_task_remote_net_sync_event_get_as_task(task), buf);
}

doca_error_t client_configure(struct peer *peer)
{
    TRY(doca_rdma_task_send_set_conf(peer->rdma, on_send, on_send, CONNECTIONS));
    TRY(doca_rdma_task_remote_net_sync_event_notify_set_set_conf(peer->rdma, on_set, on_set, 1));
    return doca_rdma_task_remote_net_sync_event_get_set_conf(peer->rdma, on_get, on_get, 1);
}

static doca_error_t connect_all(struct peer *peer)
{
    struct doca_rdma_addr *addr;

    TRY(doca_rdma_addr_create(peer->type, peer->address, (uint16_t)peer->port, &addr));
    for (uint32_t i = 0; i < CONNECTIONS; i++)
        TRY(doca_rdma_connect_to_addr(peer->rdma, addr, (union doca_data){.u64 = i}));
    TRY(doca_rdma_addr_destroy(addr));
    return peer_await(peer, &peer->up, CONNECTIONS);
}

static doca_error_t send_all(struct peer *peer)
{
    struct doca_rdma_task_send *task;
    struct doca_buf *buf;

    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        snprintf(peer->memory.texts[i], TEXT_SIZE, "message %u", i);
        TRY(peer_buf(peer, i, true, &buf));
        TRY(doca_rdma_task_send_allocate_init(peer->rdma, peer->connections[i], buf,
                                              (union doca_data){.u64 = i}, &task));
        TRY(doca_task_submit(doca_rdma_task_send_as_task(task)));
    }
    return peer_await(peer, &peer->done, CONNECTIONS);
}

static doca_error_t set_event(struct peer *peer, struct doca_sync_event_remote_net *event)
{
    struct doca_rdma_task_remote_net_sync_event_notify_set *set;
    struct doca_rdma_task_remote_net_sync_event_get *get;
    struct doca_buf *buf;

    peer->memory.values[0] = EVENT_VALUE;
    TRY(doca_buf_inventory_buf_get_by_data(peer->inventory, peer->map, &peer->memory.values[0],
                                           sizeof(uint64_t), &buf));
    TRY(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
        peer->rdma, peer->connections[1], event, buf, (union doca_data){.ptr = buf}, &set));
    TRY(doca_task_submit(doca_rdma_task_remote_net_sync_event_notify_set_as_task(set)));
    TRY(peer_await(peer, &peer->done, CONNECTIONS + 1));
    TRY(doca_buf_inventory_buf_get_by_addr(peer->inventory, peer->map, &peer->memory.values[1],
                                           sizeof(uint64_t), &buf));
    TRY(doca_rdma_task_remote_net_sync_event_get_allocate_init(
        peer->rdma, peer->connections[2], event, buf, (union doca_data){.u64 = 0}, &get));
    TRY(doca_task_submit(doca_rdma_task_remote_net_sync_event_get_as_task(get)));
    return peer_await(peer, &peer->done, CONNECTIONS + 2);
}

static doca_error_t use_event(struct peer *peer)
{
    const double end = kit_seconds() + SECONDS;
    struct doca_sync_event_remote_net *event;
    uint8_t data[2048];
    size_t len;

    while (access(peer->event_path, R_OK) != 0 && kit_seconds() < end)
        (void)doca_pe_progress(peer->pe);
    TRY(kit_read_file(peer->event_path, data, sizeof(data), &len));
    TRY(doca_sync_event_remote_net_create_from_export(peer->dev, data, len, &event));
    TRY(set_event(peer, event));
    return doca_sync_event_remote_net_destroy(event);
}

doca_error_t client_run(struct peer *peer)
{
    TRY(connect_all(peer));
    TRY(send_all(peer));
    TRY(use_event(peer));
    for (uint32_t i = 0; i < CONNECTIONS; i++)
        TRY(doca_rdma_connection_disconnect(peer->connections[i]));
    return peer_await(peer, &peer->over, CONNECTIONS);
}
