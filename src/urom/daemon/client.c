/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/daemon_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <doca_error.h>
#include <doca_log.h>

#include "urom/wire/pack.h"
#include "urom/wire/names.h"

DOCA_LOG_REGISTER(UROM::DAEMON::CLIENT);

#define ACCEPT_BATCH 64

/* ------------------------------------------------------------------------------------------------
 * Refusing
 */

/* Closes the link; the client stays for its caller to forget. */
static void refuse(struct daemon *daemon, struct daemon_client *client, enum urom_reason reason,
                   const char *why)
{
    struct urom_answer answer;

    daemon->totals.rejects[reason]++;
    DOCA_LOG_WARN("%s is refused (%s): %s", client->identity.text, urom_reason_name(reason), why);
    urom_answer_init(&answer, reason);
    urom_text_set(answer.text, sizeof(answer.text), why);
    answer.max_msg = daemon->options.max_msg;
    soft_link_refuse(client->link, &answer, sizeof(answer));
    client->link = NULL;
}

static bool check_version(struct daemon *daemon, struct daemon_client *client, int err)
{
    char text[UROM_WIRE_TEXT_SIZE];
    struct soft_link_peer peer;

    if (err == 0)
        return true;
    soft_link_peer_info(client->link, &peer);
    snprintf(client->identity.text, sizeof(client->identity.text), "process %d of user %u",
             (int)peer.pid, peer.uid);
    if (err == -EPROTO) {
        snprintf(text, sizeof(text), "its protocol %u.%u does not pair with %d.%d",
                 client->hello.major, client->hello.minor, UROM_WIRE_MAJOR, UROM_WIRE_MINOR);
        refuse(daemon, client, UROM_REASON_VERSION, text);
    } else {
        refuse(daemon, client, UROM_REASON_MALFORMED, "its greeting is malformed");
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Taking in
 */

static bool accept_link(struct daemon_client *client, const struct urom_answer *answer)
{
    if (soft_link_accept(client->link, answer, sizeof(*answer)) == 0) {
        client->greeted = true;
        return true;
    }
    DOCA_LOG_WARN("%s went away while it was taken in: %s", client->identity.text, soft_reason());
    return false;
}

static bool greet_service(struct daemon *daemon, struct daemon_client *client)
{
    struct doca_urom_service_plugin_info plugins[UROM_WIRE_PLUGINS_MAX];
    uint8_t table[sizeof(struct urom_plugins) + sizeof(plugins)];
    const uint32_t count = daemon_plugins_list(daemon, plugins);
    struct urom_answer answer;

    if (daemon_clients_count(daemon, UROM_KIND_SERVICE) >= daemon->options.max_clients) {
        refuse(daemon, client, UROM_REASON_CLIENTS, "--max-clients are connected");
        return false;
    }
    if (client->hello.msg_size > daemon->options.max_msg) {
        refuse(daemon, client, UROM_REASON_MSG_SIZE, "it asks for messages above --max-msg-size");
        return false;
    }
    if (client->hello.msg_size < UROM_WIRE_MSG_MIN) {
        refuse(daemon, client, UROM_REASON_MALFORMED, "it asks for too short messages");
        return false;
    }
    urom_answer_init(&answer, UROM_REASON_NONE);
    if (getrandom(client->session, sizeof(client->session), 0) != sizeof(client->session)) {
        refuse(daemon, client, UROM_REASON_RESOURCES, "no random bytes");
        return false;
    }
    answer.max_msg = daemon->options.max_msg;
    answer.max_workers = daemon->options.max_workers;
    answer.max_inflight = daemon->options.max_inflight;
    answer.pid = (uint32_t)getpid();
    answer.start_timeout = daemon->options.spawn_timeout;
    memcpy(answer.instance, daemon->instance, sizeof(answer.instance));
    memcpy(answer.session, client->session, sizeof(answer.session));
    memcpy(answer.cpus, &daemon->options.cpus, sizeof(answer.cpus));
    urom_text_set(answer.pci, sizeof(answer.pci), daemon->pci);
    urom_text_set(answer.card, sizeof(answer.card), daemon->device->card);
    if (!client->identity.remote && daemon->options.nlisten > 0)
        urom_name_open_port(daemon->options.listen[0], answer.net);
    for (uint32_t i = 0; i < count; i++)
        client->plugins |= plugins[i].id;
    daemon->totals.clients++;
    return accept_link(client, &answer) &&
           daemon_client_send(client, UROM_TYPE_PLUGINS, 0, table,
                              urom_plugins_encode(plugins, count, table, sizeof(table)));
}

/* A worker context belongs to a service context, which was let in before. */
static bool greet_worker(struct daemon *daemon, struct daemon_client *client)
{
    const struct daemon_client *service = daemon_client_by_session(daemon, client->hello.key);
    struct urom_answer answer;

    if (service == NULL || service->identity.uid != client->identity.uid ||
        service->identity.remote != client->identity.remote) {
        refuse(daemon, client, UROM_REASON_SESSION, "its service context is not connected");
        return false;
    }
    client->max_msg = service->hello.msg_size;
    client->session_plugins = service->plugins;
    urom_answer_init(&answer, UROM_REASON_NONE);
    return accept_link(client, &answer);
}

static bool greet_control(struct daemon *daemon, struct daemon_client *client)
{
    struct urom_answer answer;

    (void)daemon;
    urom_answer_init(&answer, UROM_REASON_NONE);
    return accept_link(client, &answer);
}

/* False: refused. */
static bool greet(struct daemon *daemon, struct daemon_client *client)
{
    const char *why = "";
    size_t len;
    const void *bytes = soft_link_hello(client->link, &len);
    int err = urom_hello_decode(bytes, len, &client->hello);

    if (!check_version(daemon, client, err))
        return false;
    if (!daemon_identify(daemon, client->link, &client->hello, &client->identity, &why)) {
        refuse(daemon, client, UROM_REASON_IDENTITY, why);
        return false;
    }
    if (daemon->stopping) {
        refuse(daemon, client, UROM_REASON_STOPPING, "the daemon is ending");
        return false;
    }
    client->kind = (enum urom_kind)client->hello.kind;
    switch (client->kind) {
    case UROM_KIND_SERVICE:
        return greet_service(daemon, client);
    case UROM_KIND_WORKER:
        return greet_worker(daemon, client);
    case UROM_KIND_CONTROL:
        return greet_control(daemon, client);
    default:
        refuse(daemon, client, UROM_REASON_MALFORMED, "its greeting is not for a daemon");
        return false;
    }
}

static void take_link(struct daemon *daemon, struct soft_link *link)
{
    struct daemon_client *client = calloc(1, sizeof(*client));

    if (client == NULL) {
        DOCA_LOG_ERR("no memory for a client");
        soft_link_close(link);
        return;
    }
    client->link = link;
    client->since = daemon_now_ms();
    client->join.limit = UROM_WIRE_ATTACH_MAX;
    od_list_init(&client->of_worker);
    od_list_append(&daemon->clients, &client->entry);
}

static void accept_links(struct daemon *daemon)
{
    for (size_t i = 0; i < daemon->nlisteners; i++) {
        for (unsigned int k = 0; k < ACCEPT_BATCH; k++) {
            struct soft_link *link = soft_link_next(daemon->listeners[i]);

            if (link == NULL)
                break;
            daemon_plugins_look(daemon);
            take_link(daemon, link);
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Requests
 */

bool daemon_client_send(struct daemon_client *client, enum urom_type type, uint64_t correlation,
                        const void *body, size_t len)
{
    const struct urom_frame frame = {
        .len = (uint32_t)len, .type = (uint16_t)type, .correlation = correlation};
    const struct iovec iov[] = {{(void *)&frame, sizeof(frame)}, {(void *)body, len}};

    /* There is room for every answer that an orderly client waits for. */
    return soft_link_send(client->link, iov, OD_ARRAY_SIZE(iov)) == 0;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The live workers of the client's user in a group. */
static bool answer_gid(struct daemon *daemon, struct daemon_client *client)
{
    static uint64_t ids[UROM_WIRE_WORKERS_MAX];
    static uint8_t body[sizeof(struct urom_gid_result) + sizeof(ids)];
    struct urom_gid_query query;
    uint32_t count = 0;

    if (urom_gid_query_decode(client->join.body, client->join.len, &query) != 0)
        return false;
    OD_LIST_FOR_EACH(link, &daemon->workers)
    {
        const struct daemon_worker *worker = OD_LIST_ENTRY(link, struct daemon_worker, entry);

        if (worker->uid == client->identity.uid && worker->has_gid && worker->gid == query.gid &&
            (worker->state == DAEMON_WORKER_RUNNING || worker->state == DAEMON_WORKER_STUCK) &&
            count < UROM_WIRE_WORKERS_MAX)
            ids[count++] = worker->id;
    }
    qsort(ids, count, sizeof(ids[0]), by_value);
    return daemon_client_send(client, UROM_TYPE_GID_RESULT, client->join.correlation, body,
                              urom_gid_result_encode(ids, count, body, sizeof(body)));
}

static bool begin_status(struct daemon *daemon, struct daemon_client *client)
{
    if (client->status != NULL)
        return false;
    client->status = daemon_status(daemon, &client->identity);
    if (client->status == NULL)
        return false;
    client->cut = (struct urom_cut){.body = client->status,
                                    .len = strlen(client->status),
                                    .room = soft_link_max_msg(client->link),
                                    .type = UROM_TYPE_STATUS,
                                    .correlation = client->join.correlation};
    return true;
}

/* Sends on as far as the client takes it. False: the link is of no use. */
static bool send_status(struct daemon_client *client)
{
    struct urom_frame frame;
    const void *part;

    if (client->status == NULL)
        return true;
    while (urom_cut_frame(&client->cut, &frame, &part)) {
        const struct iovec iov[] = {{&frame, sizeof(frame)}, {(void *)part, frame.len}};
        int err = soft_link_send(client->link, iov, OD_ARRAY_SIZE(iov));

        if (err == -EAGAIN)
            return true;
        if (err != 0)
            return false;
        urom_cut_next(&client->cut, &frame);
    }
    free(client->status);
    client->status = NULL;
    return true;
}

static bool serve(struct daemon *daemon, struct daemon_client *client)
{
    const struct urom_join *join = &client->join;

    if (client->kind == UROM_KIND_SERVICE && join->type == UROM_TYPE_GID_QUERY)
        return answer_gid(daemon, client);
    if (client->kind == UROM_KIND_WORKER && join->type == UROM_TYPE_ATTACH)
        return daemon_attach(daemon, client, join->body, join->len, join->correlation);
    if (client->kind == UROM_KIND_CONTROL && join->type == UROM_TYPE_STATUS_REQ)
        return begin_status(daemon, client);
    return false;
}

/* 0: nothing there; 1: more may be there; negative: the link is over. */
static int receive(struct daemon *daemon, struct daemon_client *client)
{
    struct soft_link_msg msg;
    int err = soft_link_recv(client->link, &msg);

    if (err != 0)
        return err == -EAGAIN ? 0 : err;
    err = urom_join_frame(&client->join, msg.data, msg.len);
    soft_link_release(client->link);
    if (err == 1 && !serve(daemon, client))
        err = -EBADMSG;
    if (err == -EBADMSG)
        DOCA_LOG_WARN("%s talks nonsense, or does not listen; its link is closed",
                      client->identity.text);
    return err < 0 ? err : 1;
}

/* ------------------------------------------------------------------------------------------------
 * All of them
 */

struct daemon_client *daemon_client_by_session(struct daemon *daemon,
                                               const uint8_t key[UROM_WIRE_KEY_SIZE])
{
    OD_LIST_FOR_EACH(link, &daemon->clients)
    {
        struct daemon_client *client = OD_LIST_ENTRY(link, struct daemon_client, entry);

        if (client->kind == UROM_KIND_SERVICE && client->greeted &&
            memcmp(client->session, key, UROM_WIRE_KEY_SIZE) == 0)
            return client;
    }
    return NULL;
}

uint32_t daemon_clients_count(const struct daemon *daemon, enum urom_kind kind)
{
    uint32_t count = 0;

    OD_LIST_FOR_EACH(link, &daemon->clients)
    {
        const struct daemon_client *client = OD_LIST_ENTRY(link, struct daemon_client, entry);

        count += client->greeted && client->kind == kind;
    }
    return count;
}

void daemon_client_close(struct daemon *daemon, struct daemon_client *client)
{
    daemon_detach(daemon, client);
    od_list_remove(&client->entry);
    if (client->link != NULL && client->greeted)
        soft_link_shutdown(client->link);
    soft_link_close(client->link);
    urom_join_free(&client->join);
    free(client->status);
    free(client);
}

/* False: the client is to be closed. */
static bool poll_client(struct daemon *daemon, struct daemon_client *client)
{
    int state;

    if (!client->greeted) {
        /* What it may have is not known yet. */
        if (daemon_plugins_busy(daemon) && !daemon->stopping)
            return true;
        return greet(daemon, client);
    }
    while ((state = receive(daemon, client)) == 1)
        ;
    return state == 0 && send_status(client);
}

void daemon_clients_poll(struct daemon *daemon)
{
    accept_links(daemon);
    OD_LIST_FOR_EACH_SAFE(link, &daemon->clients)
    {
        struct daemon_client *client = OD_LIST_ENTRY(link, struct daemon_client, entry);

        if (!poll_client(daemon, client))
            daemon_client_close(daemon, client);
    }
}

bool daemon_clients_pending(const struct daemon *daemon)
{
    for (size_t i = 0; i < daemon->nlisteners; i++) {
        if (soft_link_listener_pending(daemon->listeners[i]))
            return true;
    }
    OD_LIST_FOR_EACH(link, &daemon->clients)
    {
        const struct daemon_client *client = OD_LIST_ENTRY(link, struct daemon_client, entry);

        if (!client->greeted && !daemon_plugins_busy(daemon))
            return true;
        if (client->greeted && soft_link_pending(client->link))
            return true;
        if (client->status != NULL &&
            soft_link_await(client->link, soft_link_taken(client->link) + 1))
            return true;
    }
    return false;
}
