/* SPDX-License-Identifier: BSD-3-Clause */
/* Several connections between two programs, made by address: each carries a message; then the
 * client sets a sync event of the server.
 *
 *     rdma_peers -p PORT -e FILE                        the server; the file is for the event
 *     rdma_peers -p PORT -e FILE -a ADDRESS -t TYPE     the client; IPv4, IPv6 or GID
 */
#include <string.h>

#include <doca_argp.h>

#include "peers.h"

DOCA_LOG_REGISTER(RDMA_PEERS);

/* ---- command line ---- */

static doca_error_t set_port(void *value, void *config)
{
    ((struct peer *)config)->port = *(int *)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_event(void *value, void *config)
{
    return kit_store(((struct peer *)config)->event_path, PATH_SIZE, value);
}

static doca_error_t set_address(void *value, void *config)
{
    struct peer *peer = config;

    return kit_store(peer->address, sizeof(peer->address), value);
}

static doca_error_t set_type(void *value, void *config)
{
    static const char *const names[] = {[DOCA_RDMA_ADDR_TYPE_IPv4] = "IPv4",
                                        [DOCA_RDMA_ADDR_TYPE_IPv6] = "IPv6",
                                        [DOCA_RDMA_ADDR_TYPE_GID] = "GID"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) == 0) {
            ((struct peer *)config)->type = (enum doca_rdma_addr_type)i;
            return DOCA_SUCCESS;
        }
    }
    return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t parse(struct peer *peer, int argc, char **argv)
{
    TRY(doca_argp_init("rdma_peers", peer));
    TRY(kit_param("p", "port", "of the server", DOCA_ARGP_TYPE_INT, true, set_port));
    TRY(kit_param("e", "event", "file of the exported event", DOCA_ARGP_TYPE_STRING, true,
                  set_event));
    TRY(kit_param("a", "address", "of the server", DOCA_ARGP_TYPE_STRING, false, set_address));
    TRY(kit_param("t", "type", "of the address", DOCA_ARGP_TYPE_STRING, false, set_type));
    return doca_argp_start(argc, argv);
}

/* ---- what both have ---- */

doca_error_t peer_buf(struct peer *peer, uint32_t i, bool is_full, struct doca_buf **buf)
{
    char *at = peer->memory.texts[i];

    if (is_full)
        return doca_buf_inventory_buf_get_by_data(peer->inventory, peer->map, at, TEXT_SIZE, buf);
    return doca_buf_inventory_buf_get_by_addr(peer->inventory, peer->map, at, TEXT_SIZE, buf);
}

doca_error_t peer_await(struct peer *peer, const uint32_t *value, uint32_t wanted)
{
    const double end = kit_seconds() + SECONDS;

    while (*value < wanted && peer->outcome == DOCA_SUCCESS) {
        if (kit_seconds() > end)
            return DOCA_ERROR_TIME_OUT;
        (void)doca_pe_progress(peer->pe);
    }
    return peer->outcome;
}

void peer_end_task(struct peer *peer, struct doca_task *task, struct doca_buf *buf)
{
    doca_error_t status = doca_task_get_status(task);

    DOCA_ERROR_PROPAGATE(peer->outcome, status);
    peer->done++;
    doca_buf_dec_refcount(buf, NULL);
    doca_task_free(task);
}

static void on_request(struct doca_rdma_connection *connection, union doca_data ctx)
{
    struct peer *peer = ctx.ptr;
    doca_error_t result =
        doca_rdma_connection_set_user_data(connection, (union doca_data){.u64 = peer->asked++});

    if (result == DOCA_SUCCESS)
        result = doca_rdma_connection_accept(connection, NULL, 0);
    DOCA_ERROR_PROPAGATE(peer->outcome, result);
}

static void on_established(struct doca_rdma_connection *connection, union doca_data own,
                           union doca_data ctx)
{
    struct peer *peer = ctx.ptr;

    peer->connections[own.u64] = connection;
    peer->up++;
}

static void on_failure(struct doca_rdma_connection *connection, union doca_data own,
                       union doca_data ctx)
{
    (void)connection;
    DOCA_LOG_ERR("Connection %llu failed", (unsigned long long)own.u64);
    ((struct peer *)ctx.ptr)->outcome = DOCA_ERROR_CONNECTION_ABORTED;
}

static void on_disconnection(struct doca_rdma_connection *connection, union doca_data own,
                             union doca_data ctx)
{
    struct peer *peer = ctx.ptr;

    if (peer->connections[own.u64] != connection)
        peer->outcome = DOCA_ERROR_UNEXPECTED;
    peer->over++;
}

/* All that a side may be asked for. */
static doca_error_t can(const struct doca_devinfo *devinfo)
{
    static const kit_capable needed[] = {
        doca_rdma_cap_task_send_is_supported,
        doca_rdma_cap_task_send_imm_is_supported,
        doca_rdma_cap_task_receive_is_supported,
        doca_rdma_cap_task_read_is_supported,
        doca_rdma_cap_task_write_is_supported,
        doca_rdma_cap_task_remote_net_sync_event_get_is_supported,
        doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported};
    doca_error_t result = DOCA_SUCCESS;

    for (size_t i = 0; result == DOCA_SUCCESS && i < sizeof(needed) / sizeof(needed[0]); i++)
        result = needed[i](devinfo);
    return result;
}

static doca_error_t tell_address(const struct doca_dev *dev)
{
    uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE];

    if (doca_devinfo_get_ipv4_addr(doca_dev_as_devinfo(dev), ipv4, sizeof(ipv4)) == DOCA_SUCCESS)
        DOCA_LOG_INFO("The device's address is %u.%u.%u.%u", ipv4[0], ipv4[1], ipv4[2], ipv4[3]);
    return DOCA_SUCCESS;
}

static doca_error_t choose_transport(struct peer *peer)
{
    enum doca_rdma_transport_type transport = DOCA_RDMA_TRANSPORT_TYPE_DC;

    if (doca_rdma_cap_transport_type_is_supported(doca_dev_as_devinfo(peer->dev), transport) ==
        DOCA_SUCCESS)
        DOCA_LOG_INFO("There would be DC as well");
    transport = DOCA_RDMA_TRANSPORT_TYPE_RC;
    return doca_rdma_set_transport_type(peer->rdma, transport);
}

static doca_error_t open_peer(struct peer *peer)
{
    TRY(kit_open_capable(can, &peer->dev));
    TRY(tell_address(peer->dev));
    TRY(kit_map(peer->dev, &peer->memory, sizeof(peer->memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
                &peer->map));
    TRY(doca_mmap_start(peer->map));
    TRY(doca_buf_inventory_create(CONNECTIONS, &peer->inventory));
    TRY(doca_buf_inventory_start(peer->inventory));
    TRY(doca_pe_create(&peer->pe));
    TRY(doca_rdma_create(peer->dev, &peer->rdma));
    peer->ctx = doca_rdma_as_ctx(peer->rdma);
    TRY(choose_transport(peer));
    TRY(doca_rdma_set_permissions(peer->rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                                  DOCA_ACCESS_FLAG_RDMA_ATOMIC));
    TRY(doca_rdma_set_max_num_connections(peer->rdma, CONNECTIONS));
    TRY(doca_rdma_set_connection_state_callbacks(peer->rdma, on_request, on_established, on_failure,
                                                 on_disconnection));
    TRY(peer->address[0] == '\0' ? server_configure(peer) : client_configure(peer));
    TRY(doca_ctx_set_user_data(peer->ctx, (union doca_data){.ptr = peer}));
    TRY(doca_pe_connect_ctx(peer->pe, peer->ctx));
    return doca_ctx_start(peer->ctx);
}

static doca_error_t close_peer(struct peer *peer)
{
    if (peer->ctx != NULL) {
        TRY(kit_stop(peer->pe, peer->ctx));
        TRY(doca_rdma_destroy(peer->rdma));
    }
    if (peer->pe != NULL)
        TRY(doca_pe_destroy(peer->pe));
    if (peer->inventory != NULL)
        TRY(doca_buf_inventory_destroy(peer->inventory));
    if (peer->map != NULL)
        TRY(doca_mmap_destroy(peer->map));
    return kit_close_device(&peer->dev);
}

int main(int argc, char **argv)
{
    static struct peer peer;
    doca_error_t result = kit_log(), tmp;

    if (result == DOCA_SUCCESS)
        result = parse(&peer, argc, argv);
    if (result != DOCA_SUCCESS)
        return kit_exit("rdma_peers", result);
    result = open_peer(&peer);
    if (result == DOCA_SUCCESS)
        result = peer.address[0] == '\0' ? server_run(&peer) : client_run(&peer);
    tmp = close_peer(&peer);
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_argp_destroy();
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("rdma_peers", result);
}
