/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"
#include "soft/service/spin.h"
#include "util/abreast.h"
#include "util/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A thread that serves importers on other hosts. They know this process by the random name in its
 * descriptors, without which the link refuses them, and exports by the whole descriptor. */

#define ENV         "OPENDOCA_PEER_LISTEN"
#define TRANSPORT   "tcp:"
#define MAX_CLIENTS 256u
#define BURST       16u /* messages of one importer before others get their turn */
#define SLEEP_MS    1000
#define LONG_COPY   4096u /* bytes: of such ones more is looked for, see spin.h */

struct client {
    struct od_list link;
    struct soft_link *wire;
    uint64_t stalled;       /* ns, since when a reply finds no room; 0: not so */
    unsigned long received; /* bytes, of which it is known */
    bool is_long;           /* the copy that came last */
    uint64_t *ids;          /* of exports, by cell; 0: free */
    uint32_t ncells;
    uint32_t cells_cap;
};

static struct {
    pthread_mutex_t starting;
    bool running;
    bool barred; /* in a forked child */
    atomic_bool stop;
    pthread_t thread;
    struct od_waker waker;
    struct soft_link_listener *listener;
    char remote[PEER_REMOTE_SIZE];
    uint8_t instance[PEER_INSTANCE_SIZE];
    struct soft_peer_gate gate;
    /* The thread's own. */
    struct od_list clients;
    unsigned int nclients;
    char *chunk;
    struct pollfd fds[1 + MAX_CLIENTS];
} abroad = {
    .starting = PTHREAD_MUTEX_INITIALIZER,
    .clients = {&abroad.clients, &abroad.clients},
};

/* ---- Greetings ---- */

static bool is_ours(const uint8_t instance[PEER_INSTANCE_SIZE])
{
    volatile uint8_t diff = 0;

    for (size_t i = 0; i < PEER_INSTANCE_SIZE; i++)
        diff |= instance[i] ^ abroad.instance[i];
    return diff == 0;
}

static int check_hello(struct soft_link *wire)
{
    struct soft_link_peer peer;
    union soft_peer_msg in;
    const void *hello, *secret;
    size_t len, secret_len;
    int rc;

    hello = soft_link_hello(wire, &len);
    rc = soft_peer_wire_split(hello, len, &in, &secret, &secret_len);
    if (rc == 0 && (in.hdr.type != PEER_MSG_HELLO || !is_ours(in.hello.instance)))
        rc = -EACCES;
    if (rc != 0)
        return rc;
    soft_link_peer_info(wire, &peer);
    return soft_peer_gate_pass(&abroad.gate, peer.addr, secret, secret_len);
}

/* ---- Cells ---- */

static int find_cell(struct client *client, uint32_t *cell)
{
    uint64_t *ids;

    for (uint32_t i = 0; i < client->ncells; i++)
        if (client->ids[i] == 0) {
            *cell = i;
            return 0;
        }
    if (client->ncells == PEER_BOARD_CELLS)
        return -ENOSPC;
    if (client->ncells == client->cells_cap) {
        uint32_t cap = client->cells_cap == 0 ? 16 : client->cells_cap * 2;

        ids = reallocarray(client->ids, cap, sizeof(*ids));
        if (ids == NULL)
            return -ENOMEM;
        client->ids = ids;
        client->cells_cap = cap;
    }
    *cell = client->ncells++;
    client->ids[*cell] = 0;
    return 0;
}

/* Lock held. NULL: revoked, or no such cell. */
static const struct soft_peer_export *export_of(const struct client *client, uint32_t cell)
{
    return cell < client->ncells && client->ids[cell] != 0
               ? soft_peer_export_by_id(client->ids[cell])
               : NULL;
}

/* ---- Requests ---- */

/* 0; -EAGAIN, of those with a payload: the network is behind; negative: the importer takes no
 * replies, though it has asked for so many only. */
static int reply(struct client *client, union soft_peer_msg *msg, enum soft_peer_msg_type type,
                 uint32_t seq, int status, const void *payload, size_t len, bool foreign)
{
    const size_t size = soft_peer_wire_seal(msg, type, seq, status);
    int rc = soft_peer_send(client->wire, msg, size, payload, len, foreign);

    return rc == -EAGAIN && len == 0 ? -EPIPE : rc;
}

static int handle_import(struct client *client, const struct soft_peer_msg_import *in)
{
    struct soft_peer_export *exp = NULL;
    union soft_peer_msg out = {0};
    uint32_t cell = 0;
    int rc = find_cell(client, &cell);

    soft_service_lock();
    if (rc == 0)
        rc = soft_peer_export_find(&in->desc, &exp);
    if (rc == 0 && exp->desc.remote[0] == '\0')
        rc = -EACCES; /* for this host only */
    if (rc == 0 && strcmp(exp->desc.card, in->card) != 0)
        rc = -EXDEV;
    if (rc == 0) {
        client->ids[cell] = exp->desc.id;
        out.imported = (struct soft_peer_msg_imported){
            .base = exp->desc.base,
            .len = exp->desc.len,
            .kind = exp->desc.kind,
            .access = exp->desc.access,
            .mask = exp->desc.mask,
            .cell = cell,
        };
    }
    soft_service_unlock();
    return reply(client, &out, PEER_MSG_IMPORTED, in->hdr.seq, rc, NULL, 0, false);
}

static int begin(const struct client *client, uint32_t cell, uint32_t access,
                 const struct soft_peer_seg *segs, uint32_t nsegs)
{
    int rc;

    soft_service_lock();
    rc = soft_peer_serve_begin(PEER_SERVER_REMOTE, export_of(client, cell), access, segs, nsegs);
    soft_service_unlock();
    return rc;
}

/* One piece of memory is sent from where it is. */
static int serve_read(struct client *client, const struct soft_peer_msg_copy *in)
{
    const bool direct = in->nsegs == 1;
    union soft_peer_msg out = {0};
    char *chunk = od_abreast(abroad.chunk, in->nsegs > 0 ? in->segs[0].addr : 0);
    int rc = direct ? 0 : soft_peer_serve_copy(in, chunk);

    return reply(client, &out, PEER_MSG_DONE, in->hdr.seq, rc,
                 direct ? (const void *)(uintptr_t)in->segs[0].addr : chunk,
                 rc == 0 ? (size_t)soft_peer_wire_bytes(in) : 0, direct);
}

/* `status`: 0, or why the bytes of a write are none. */
static int handle_copy(struct client *client, const struct soft_peer_msg_copy *in,
                       const void *payload, int status)
{
    const bool read = in->op == PEER_COPY_READ;
    union soft_peer_msg out = {0};
    int rc = status;

    client->is_long = soft_peer_wire_bytes(in) > LONG_COPY;
    if (rc == 0)
        rc = begin(client, in->cell, read ? SOFT_PEER_READ : SOFT_PEER_WRITE, in->segs, in->nsegs);
    if (rc != 0)
        return reply(client, &out, PEER_MSG_DONE, in->hdr.seq, rc, NULL, 0, false);
    if (read) {
        rc = serve_read(client, in);
        soft_peer_serve_end(PEER_SERVER_REMOTE);
        return rc;
    }
    rc = soft_peer_serve_copy(in, (void *)(uintptr_t)payload);
    soft_peer_serve_end(PEER_SERVER_REMOTE);
    return reply(client, &out, PEER_MSG_DONE, in->hdr.seq, rc, NULL, 0, false);
}

static int handle_atomic(struct client *client, const struct soft_peer_msg_atomic *in)
{
    struct soft_peer_seg seg = {.addr = in->addr, .len = in->width};
    union soft_peer_msg out = {0};
    int rc =
        begin(client, in->cell, soft_peer_atomic_access((enum soft_peer_atomic_op)in->op), &seg, 1);

    if (rc == 0) {
        rc = soft_peer_serve_atomic(in, &out.done.value);
        soft_peer_serve_end(PEER_SERVER_REMOTE);
    }
    return reply(client, &out, PEER_MSG_DONE, in->hdr.seq, rc, NULL, 0, false);
}

static int handle_close(struct client *client, uint32_t cell)
{
    if (cell >= client->ncells || client->ids[cell] == 0)
        return -EBADMSG;
    client->ids[cell] = 0;
    return 0;
}

static int handle_ring(const struct client *client, uint32_t cell)
{
    const struct soft_peer_export *exp;

    soft_service_lock();
    exp = export_of(client, cell);
    if (exp != NULL && exp->waker != NULL)
        od_waker_wake(exp->waker);
    soft_service_unlock();
    return 0;
}

/* 0; -EAGAIN: once more, later, which only a read says, whose replies are long; negative: the
 * importer broke the protocol. */
static int handle(struct client *client, const struct soft_link_msg *raw)
{
    union soft_peer_msg msg;
    const void *payload;
    size_t len;
    int rc = soft_peer_wire_split(raw->data, raw->len, &msg, &payload, &len);

    if (rc != 0 && (rc != -EFAULT || msg.hdr.type != PEER_MSG_COPY))
        return -EBADMSG;
    switch (msg.hdr.type) {
    case PEER_MSG_IMPORT:
        return handle_import(client, &msg.import);
    case PEER_MSG_CLOSE:
        return handle_close(client, msg.close.cell);
    case PEER_MSG_RING:
        return handle_ring(client, msg.ring.cell);
    case PEER_MSG_COPY:
        return handle_copy(client, &msg.copy, payload, rc);
    case PEER_MSG_ATOMIC:
        return handle_atomic(client, &msg.atomic);
    default:
        return -EBADMSG;
    }
}

/* ---- Importers ---- */

static void client_free(struct client *client)
{
    soft_link_close(client->wire);
    od_list_remove(&client->link);
    abroad.nclients--;
    free(client->ids);
    free(client);
}

static struct client *client_create(struct soft_link *wire)
{
    struct client *client = abroad.nclients < MAX_CLIENTS ? calloc(1, sizeof(*client)) : NULL;

    if (client == NULL)
        return NULL;
    client->wire = wire;
    od_list_append(&abroad.clients, &client->link);
    abroad.nclients++;
    return client;
}

static void tell_of_refusal(const struct soft_link *wire, int rc)
{
    const char *why = "it does not speak this protocol", *remedy = "use one release on both hosts";
    struct soft_link_peer peer;

    if (rc == -EPERM) {
        why = "its network is not in OPENDOCA_ALLOW_NET";
        remedy = "add the network there if it may come";
    } else if (rc == -EKEYREJECTED) {
        why = "its token is missing or wrong";
        remedy = "give it the token of this process's OPENDOCA_TOKEN_FILE";
    } else if (rc == -EACCES) {
        why = "its descriptor is none of this process";
        remedy = "export again and hand over the new descriptor";
    } else if (rc == -EMFILE) {
        why = "too many importers are connected, or memory is exhausted";
        remedy = "close some";
    }
    soft_link_peer_info(wire, &peer);
    soft_peer_refused(peer.addr, why, remedy);
}

static bool take_clients(void)
{
    struct soft_link *wire = soft_link_next(abroad.listener);
    union soft_peer_msg welcome = {0};
    struct client *client = NULL;
    size_t size;
    int rc;

    if (wire == NULL)
        return false;
    rc = check_hello(wire);
    if (rc == 0) {
        client = client_create(wire);
        rc = client != NULL ? 0 : -EMFILE;
    }
    size = soft_peer_wire_seal(&welcome, PEER_MSG_WELCOME, 0, rc);
    if (client == NULL) {
        tell_of_refusal(wire, rc);
        soft_link_refuse(wire, &welcome, size);
    } else if (soft_link_accept(wire, &welcome, size) != 0) {
        client_free(client);
    }
    return true;
}

/* A read whose reply finds no room is done once more, later. -EAGAIN, or the importer has had its
 * time. */
static int stall(struct client *client)
{
    uint64_t now = od_now_ns();

    if (client->stalled == 0)
        client->stalled = now;
    return now - client->stalled < (uint64_t)PEER_ANSWER_MS * 1000000u ? -EAGAIN : -ETIMEDOUT;
}

enum outcome {
    NOTHING, /* was there */
    PART,    /* of something long */
    SOME,
    MORE, /* may be there */
};

/* Since the last call. While a long message comes it is too soon to sleep: to wake this thread for
 * each piece of it costs the sender's processor, too, where it is on the same machine. */
static bool has_received(struct client *client)
{
    const unsigned long received = soft_link_received(client->wire);
    const bool more = received != client->received;

    client->received = received;
    return more;
}

/* When all that had come is served, more is looked for after a turn of others, not at once. */
static enum outcome serve(struct client *client)
{
    struct soft_link_msg msg;
    unsigned int n = 0;
    bool received;
    int rc = 0;

    do {
        rc = soft_link_recv(client->wire, &msg);
        if (rc != 0)
            break;
        rc = handle(client, &msg);
        if (rc == -EAGAIN)
            rc = stall(client);
        if (rc != 0)
            break;
        client->stalled = 0;
        soft_link_release(client->wire);
    } while (++n < BURST && soft_link_pending(client->wire));
    if (rc != 0 && rc != -EAGAIN) {
        client_free(client);
        return SOME;
    }
    received = has_received(client);
    if (n == 0)
        return received ? PART : NOTHING;
    if (n == BURST)
        return MORE;
    return client->is_long ? PART : SOME;
}

static enum outcome serve_all(void)
{
    enum outcome outcome = take_clients() ? MORE : NOTHING;

    OD_LIST_FOR_EACH_SAFE(link, &abroad.clients)
    {
        enum outcome one = serve(OD_LIST_ENTRY(link, struct client, link));

        outcome = OD_MAX(outcome, one);
    }
    return outcome;
}

/* Whether there is no reason to sleep, and else what to wait for. */
static bool is_pending(nfds_t *nfds)
{
    bool pending = atomic_load(&abroad.stop) || soft_link_listener_pending(abroad.listener);

    *nfds = 1;
    OD_LIST_FOR_EACH(link, &abroad.clients)
    {
        struct client *client = OD_LIST_ENTRY(link, struct client, link);
        struct pollfd *pfd = &abroad.fds[*nfds];

        pending |= client->stalled == 0 && soft_link_pending(client->wire);
        pfd->fd = soft_link_fd(client->wire, client->stalled != 0, &pfd->events);
        *nfds += pfd->fd >= 0;
    }
    return pending;
}

static void sleep_a_while(void)
{
    nfds_t nfds;

    abroad.fds[0] = (struct pollfd){.fd = abroad.waker.fd, .events = POLLIN};
    od_waker_arm(&abroad.waker);
    if (!is_pending(&nfds) && poll(abroad.fds, nfds, SLEEP_MS) > 0 && abroad.fds[0].revents != 0)
        od_waker_clear(&abroad.waker);
    else
        od_waker_disarm(&abroad.waker);
}

static void *run(void *arg)
{
    struct soft_service_spin spin = {0};

    (void)arg;
    while (!atomic_load(&abroad.stop)) {
        enum outcome outcome = serve_all();

        if (outcome == PART)
            soft_service_spin_part(&spin);
        else if (outcome != NOTHING)
            soft_service_spin_found(&spin);
        if (outcome != MORE && !soft_service_spin(&spin))
            sleep_a_while();
    }
    OD_LIST_FOR_EACH_SAFE(link, &abroad.clients)
    {
        client_free(OD_LIST_ENTRY(link, struct client, link));
    }
    return NULL;
}

/* ---- Start and stop ---- */

static bool is_any_host(const char *addr)
{
    return strncmp(addr, "0.0.0.0:", 8) == 0 || strncmp(addr, "[::]:", 5) == 0;
}

/* "tcp:" is ours. */
static int open_listener(const char *where)
{
    const struct soft_link_conf conf = {
        .max_msg = PEER_REMOTE_MSG,
        .depth = PEER_REMOTE_DEPTH,
        .backlog = MAX_CLIENTS, /* all of them may come while this thread stands still */
        .waker = &abroad.waker,
        .waits_itself = true,
    };
    char addr[SOFT_LINK_ADDR_MAX];
    const char *bound;
    int rc;

    if (is_any_host(where))
        return soft_fail(-EINVAL,
                         ENV "=%.64s names all addresses of this host; name the one that other "
                             "hosts reach it at",
                         where);
    if ((size_t)snprintf(addr, sizeof(addr), TRANSPORT "%s", where) >= sizeof(addr))
        return soft_fail(-EINVAL, ENV " is too long");
    rc = soft_link_listen(addr, &conf, &abroad.listener);
    if (rc != 0)
        return rc;
    bound = soft_link_listener_addr(abroad.listener) + strlen(TRANSPORT);
    if (strlen(bound) < sizeof(abroad.remote)) {
        memcpy(abroad.remote, bound, strlen(bound) + 1);
        return 0;
    }
    soft_link_unlisten(abroad.listener);
    return soft_fail(-EINVAL, ENV "=%.64s is too long for descriptors", where);
}

static int start(const char *where, const uint8_t instance[PEER_INSTANCE_SIZE])
{
    int rc = soft_peer_gate_read(&abroad.gate);

    if (rc != 0)
        return rc;
    rc = od_waker_open(&abroad.waker);
    if (rc != 0)
        return soft_fail(rc, "no descriptor for importers on other hosts: %s", strerror(-rc));
    abroad.chunk = od_abreast_alloc(PEER_REMOTE_CHUNK);
    if (abroad.chunk == NULL) {
        rc = soft_fail(-ENOMEM, "out of memory for importers on other hosts");
        goto err_waker;
    }
    memcpy(abroad.instance, instance, sizeof(abroad.instance));
    rc = open_listener(where);
    if (rc != 0)
        goto err_chunk;
    rc = soft_service_thread_start(&abroad.thread, "opendoca-abroad", run, NULL);
    if (rc != 0)
        goto err_listener;
    abroad.running = true;
    return 0;

err_listener:
    soft_link_unlisten(abroad.listener);
err_chunk:
    free(abroad.chunk);
    abroad.chunk = NULL;
err_waker:
    od_waker_close(&abroad.waker);
    return rc;
}

int soft_peer_abroad_start(const uint8_t instance[PEER_INSTANCE_SIZE], const char *wishes,
                           char remote[PEER_REMOTE_SIZE])
{
    const char *where = secure_getenv(ENV);
    const bool must = where != NULL && where[0] != '\0';
    int rc = 0;

    if (!must)
        where = wishes;
    if (where == NULL)
        return 0;
    pthread_mutex_lock(&abroad.starting);
    if (!abroad.running && !abroad.barred)
        rc = start(where, instance);
    if (rc == 0)
        memcpy(remote, abroad.remote, PEER_REMOTE_SIZE);
    pthread_mutex_unlock(&abroad.starting);
    return must ? rc : 0;
}

void soft_peer_abroad_stop(void)
{
    if (!abroad.running)
        return;
    atomic_store(&abroad.stop, true);
    od_waker_wake(&abroad.waker);
    pthread_join(abroad.thread, NULL);
    soft_link_unlisten(abroad.listener);
    od_waker_close(&abroad.waker);
    free(abroad.chunk);
    abroad.running = false;
}

void soft_peer_abroad_forget(void)
{
    pthread_mutex_init(&abroad.starting, NULL);
    abroad.barred = abroad.barred || abroad.running;
    abroad.running = false;
    abroad.listener = NULL;
    memset(abroad.remote, 0, sizeof(abroad.remote));
    od_list_init(&abroad.clients);
    soft_peer_serve_forget(PEER_SERVER_REMOTE);
}
