/* SPDX-License-Identifier: BSD-3-Clause */
/* Listens, receives a message of each connection, and owns an event that a client sets. */
#include <stdio.h>

#include "peers.h"

DOCA_LOG_REGISTER(RDMA_PEERS::SERVER);

static void on_receive(struct doca_rdma_task_receive *task, union doca_data data,
                       union doca_data ctx)
{
    const struct doca_rdma_connection *from =
        doca_rdma_task_receive_get_result_rdma_connection(task);
    struct doca_buf *buf = doca_rdma_task_receive_get_dst_buf(task);
    struct peer *peer = ctx.ptr;
    void *text;

    (void)data;
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        if (peer->connections[i] == from && doca_buf_get_data(buf, &text) == DOCA_SUCCESS)
            printf("connection %u: %u bytes: %s\n", i, doca_rdma_task_receive_get_result_len(task),
                   (const char *)text);
    }
    peer_end_task(peer, doca_rdma_task_receive_as_task(task), buf);
}

doca_error_t server_configure(struct peer *peer)
{
    return doca_rdma_task_receive_set_conf(peer->rdma, on_receive, on_receive, CONNECTIONS);
}

static doca_error_t post(struct peer *peer)
{
    struct doca_rdma_task_receive *task;
    struct doca_buf *buf;

    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        TRY(peer_buf(peer, i, false, &buf));
        TRY(doca_rdma_task_receive_allocate_init(peer->rdma, buf, (union doca_data){.u64 = i},
                                                 &task));
        TRY(doca_task_submit(doca_rdma_task_receive_as_task(task)));
    }
    return DOCA_SUCCESS;
}

static doca_error_t share_event(struct peer *peer, struct doca_sync_event *event)
{
    const uint8_t *data;
    uint64_t value;
    size_t len;

    TRY(doca_sync_event_add_publisher_location_remote_net(event));
    TRY(doca_sync_event_add_subscriber_location_cpu(event, peer->dev));
    TRY(doca_sync_event_start(event));
    TRY(doca_sync_event_export_to_remote_net(event, &data, &len));
    TRY(kit_write_file(peer->event_path, data, len));
    TRY(doca_sync_event_wait_gt(event, EVENT_VALUE - 1, UINT64_MAX));
    TRY(doca_sync_event_get(event, &value));
    printf("the event is %llu\n", (unsigned long long)value);
    return doca_sync_event_stop(event);
}

doca_error_t server_run(struct peer *peer)
{
    struct doca_sync_event *event;

    TRY(post(peer));
    TRY(doca_rdma_start_listen_to_port(peer->rdma, (uint16_t)peer->port));
    printf("Listening\n");
    fflush(stdout);
    TRY(peer_await(peer, &peer->done, CONNECTIONS));
    TRY(doca_rdma_stop_listen_to_port(peer->rdma, (uint16_t)peer->port));
    TRY(doca_sync_event_create(&event));
    TRY(share_event(peer, event));
    TRY(doca_sync_event_destroy(event));
    TRY(peer_await(peer, &peer->over, CONNECTIONS));
    printf("all have left\n");
    return DOCA_SUCCESS;
}
