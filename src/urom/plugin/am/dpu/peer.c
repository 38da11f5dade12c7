/* SPDX-License-Identifier: BSD-3-Clause */
/* Both directions of a connection: messages and their acknowledgements, in equal order. A message
 * is not taken from a connection on which the acknowledgement before still waits for room. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "soft/soft.h"
#include "urom/plugin/am/dpu/am_priv.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::AM::PEER);

/* A connection, whoever opened it. */
struct peer {
    ucs_list_link_t entry;
    struct plugin_net_conn *conn;
    ucs_list_link_t unsent; /* struct urom_worker_cmd_desc */
    ucs_list_link_t unacked;
    uint64_t last_seq;  /* of messages sent */
    uint64_t acked_seq; /* the last that was acknowledged */
    size_t ack_len;     /* of an acknowledgement that waits for room; 0: none */
    uint8_t *ack;
};

static struct peer *peer_of(struct am *am, struct plugin_net_conn *conn)
{
    struct peer *peer = *plugin_net_user(conn);

    if (peer != NULL)
        return peer;
    peer = calloc(1, sizeof(*peer));
    if (peer == NULL)
        return NULL;
    peer->conn = conn;
    ucs_list_head_init(&peer->unsent);
    ucs_list_head_init(&peer->unacked);
    ucs_list_add_tail(&am->peers, &peer->entry);
    *plugin_net_user(conn) = peer;
    return peer;
}

static void free_commands(ucs_list_link_t *list)
{
    while (!ucs_list_is_empty(list))
        free(ucs_list_extract_head(list, struct urom_worker_cmd_desc, entry));
}

static void free_peer(struct peer *peer)
{
    free_commands(&peer->unsent);
    free_commands(&peer->unacked);
    ucs_list_del(&peer->entry);
    free(peer->ack);
    free(peer);
}

void am_peers_free(struct am *am)
{
    while (!ucs_list_is_empty(&am->peers))
        free_peer(ucs_list_head(&am->peers, struct peer, entry));
}

/* ------------------------------------------------------------------------------------------------
 * Sending
 */

/* The end of a send: head, then what the handler answered. */
static doca_error_t end_send(struct am *am, const struct urom_worker_cmd_desc *command,
                             doca_error_t status, const void *bytes, size_t len)
{
    const struct am_sent sent = {.head = am_cmd_of(command)->head};
    struct urom_worker_notif_desc *note = plugin_note(command, sizeof(sent) + len, 0);

    if (note == NULL)
        return DOCA_ERROR_NO_MEMORY;
    memcpy(note->worker_notif.plugin_notif, &sent, sizeof(sent));
    if (len > 0)
        memcpy(note->worker_notif.plugin_notif + sizeof(sent), bytes, len);
    plugin_finish(&am->base, note, status);
    return DOCA_SUCCESS;
}

static void end_and_free(struct am *am, struct urom_worker_cmd_desc *command, doca_error_t status,
                         const void *bytes, size_t len)
{
    if (end_send(am, command, status, bytes, len) != DOCA_SUCCESS)
        DOCA_LOG_ERR("no memory to tell the end of a send");
    free(command);
}

static bool wants_ack(const struct urom_worker_cmd_desc *command)
{
    return (am_cmd_of(command)->head.flags & AM_NO_ACK) == 0;
}

static int send_message(struct peer *peer, const struct urom_worker_cmd_desc *command)
{
    const struct am_send *send = &am_cmd_of(command)->send;
    const struct am_packet packet = {.kind = wants_ack(command) ? AM_MESSAGE : AM_MESSAGE_NO_ACK,
                                     .value = send->handler,
                                     .seq = peer->last_seq + 1,
                                     .source = send->source};
    const struct iovec iov[] = {{(void *)&packet, sizeof(packet)},
                                {(void *)(send + 1), command->worker_cmd.len - sizeof(*send)}};
    int err = plugin_net_send(peer->conn, iov, OD_ARRAY_SIZE(iov));

    if (err == 0 && wants_ack(command))
        peer->last_seq++;
    return err;
}

static void send_unsent(struct am *am, struct peer *peer)
{
    while (!ucs_list_is_empty(&peer->unsent)) {
        struct urom_worker_cmd_desc *command =
            ucs_list_head(&peer->unsent, struct urom_worker_cmd_desc, entry);
        int err = send_message(peer, command);

        /* The end of the connection comes with its reason. */
        if (err == -EAGAIN || err == -EPIPE)
            return;
        ucs_list_del(&command->entry);
        if (err == 0 && wants_ack(command))
            ucs_list_add_tail(&peer->unacked, &command->entry);
        else
            end_and_free(am, command, err == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED, NULL, 0);
    }
}

/* Who the dest is; NULL: *error says why there is nobody. */
static struct peer *find_peer(struct am *am, const struct am_send *send, doca_error_t *error)
{
    struct plugin_net_conn *conn;
    struct peer *peer;
    void *addr;
    int err;

    *error = DOCA_ERROR_INVALID_VALUE;
    if (doca_urom_worker_domain_addr_lookup(am->ctx, send->source, &addr) != DOCA_SUCCESS ||
        !plugin_net_is_own(am->net, addr)) {
        DOCA_LOG_WARN("the domain id %llu is not this worker's", (unsigned long long)send->source);
        return NULL;
    }
    *error = DOCA_ERROR_NOT_FOUND;
    if (doca_urom_worker_domain_addr_lookup(am->ctx, send->dest, &addr) != DOCA_SUCCESS) {
        DOCA_LOG_WARN("no worker has the domain id %llu", (unsigned long long)send->dest);
        return NULL;
    }
    *error = DOCA_ERROR_IO_FAILED;
    err = plugin_net_connect(am->net, addr, &conn);
    if (err != 0) {
        DOCA_LOG_WARN("no way to the worker %llu of the domain: %s", (unsigned long long)send->dest,
                      soft_reason());
        return NULL;
    }
    peer = peer_of(am, conn);
    *error = DOCA_ERROR_NO_MEMORY;
    return peer;
}

doca_error_t am_send(struct am *am, struct urom_worker_cmd_desc *command, bool *keeps)
{
    doca_error_t error;
    struct peer *peer = find_peer(am, &am_cmd_of(command)->send, &error);

    if (peer == NULL)
        return end_send(am, command, error, NULL, 0);
    *keeps = true;
    ucs_list_add_tail(&peer->unsent, &command->entry);
    send_unsent(am, peer);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

/* 0; -EAGAIN: it waits; else the connection is over. */
static int send_ack(struct am *am, struct peer *peer, const struct am_packet *ack, size_t len)
{
    const struct iovec iov[] = {{(void *)ack, sizeof(*ack)}, {am->reply, len}};
    int err = plugin_net_send(peer->conn, iov, OD_ARRAY_SIZE(iov));

    if (err != -EAGAIN)
        return err;
    peer->ack = malloc(sizeof(*ack) + len);
    if (peer->ack == NULL)
        return -ENOMEM;
    memcpy(peer->ack, ack, sizeof(*ack));
    memcpy(peer->ack + sizeof(*ack), am->reply, len);
    peer->ack_len = sizeof(*ack) + len;
    return 0;
}

static bool has_acked(struct peer *peer)
{
    const struct iovec iov = {peer->ack, peer->ack_len};

    if (peer->ack_len == 0)
        return true;
    if (plugin_net_send(peer->conn, &iov, 1) == -EAGAIN)
        return false;
    free(peer->ack);
    peer->ack = NULL;
    peer->ack_len = 0;
    return true;
}

static int on_ack(struct am *am, struct peer *peer, const struct am_packet *packet,
                  const void *bytes, size_t len)
{
    if (ucs_list_is_empty(&peer->unacked) || packet->seq != peer->acked_seq + 1)
        return -EBADMSG;
    peer->acked_seq++;
    end_and_free(am, ucs_list_extract_head(&peer->unacked, struct urom_worker_cmd_desc, entry),
                 (doca_error_t)packet->value, bytes, len);
    return 0;
}

int am_on_message(void *arg, struct plugin_net_conn *conn, const void *bytes, uint32_t len)
{
    const uint8_t *data = (const uint8_t *)bytes + sizeof(struct am_packet);
    struct am *am = arg;
    struct peer *peer = peer_of(am, conn);
    struct am_packet packet;
    doca_error_t status;
    size_t reply_len;

    if (peer == NULL)
        return -EAGAIN;
    if (am_packet_read(bytes, len, &packet) != 0)
        return -EBADMSG;
    len -= (uint32_t)sizeof(packet);
    if (packet.kind == AM_ACK)
        return on_ack(am, peer, &packet, data, len);
    if (!has_acked(peer))
        return -EAGAIN;
    status = am_handle(am, packet.value, packet.source, data, len, &reply_len);
    if (packet.kind == AM_MESSAGE_NO_ACK) {
        if (status != DOCA_SUCCESS)
            DOCA_LOG_WARN("a message that nobody waits for is lost: %s",
                          doca_error_get_name(status));
        return 0;
    }
    packet = (struct am_packet){.kind = AM_ACK, .value = (uint32_t)status, .seq = packet.seq};
    return send_ack(am, peer, &packet, reply_len);
}

void am_on_ended(void *arg, struct plugin_net_conn *conn, int reason)
{
    struct am *am = arg;
    struct peer *peer = *plugin_net_user(conn);

    if (peer == NULL)
        return;
    if (!ucs_list_is_empty(&peer->unacked) || !ucs_list_is_empty(&peer->unsent))
        DOCA_LOG_WARN("the connection to a worker ends: %s", strerror(-reason));
    while (!ucs_list_is_empty(&peer->unacked))
        end_and_free(am, ucs_list_extract_head(&peer->unacked, struct urom_worker_cmd_desc, entry),
                     DOCA_ERROR_IO_FAILED, NULL, 0);
    while (!ucs_list_is_empty(&peer->unsent))
        end_and_free(am, ucs_list_extract_head(&peer->unsent, struct urom_worker_cmd_desc, entry),
                     DOCA_ERROR_IO_FAILED, NULL, 0);
    free_peer(peer);
}

void am_send_waiting(struct am *am)
{
    struct peer *peer;

    ucs_list_for_each(peer, &am->peers, entry)
    {
        has_acked(peer);
        send_unsent(am, peer);
    }
}
