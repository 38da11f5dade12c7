/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/peer/dir.h"
#include "soft/service/folder.h"
#include "util/cleanup.h"

#define MAX_CLIENTS 1024
#define PAUSE_MS    100
#define MAX_SILENT  64 /* connections that have not said hello; the oldest make room */
#define NO_CELL     PEER_BOARD_CELLS

/* Importers that map a file do not notice when the exporter unmaps it: the exporter looks now and
 * then, and spends a small part of its time at that. */
#define LOOK_MS    250u
#define LOOK_SHARE 64u

static struct {
    struct soft_service_watch listener;
    struct soft_service_timer pause;
    struct soft_service_timer look;
    char dir[PEER_DIR_SIZE];
    int dirfd;
    uint8_t instance[PEER_INSTANCE_SIZE];
    uint64_t start_time;
    struct od_list clients; /* oldest first */
    unsigned int nclients;
    unsigned int nsilent;
    bool tracing_allowed; /* Yama was asked */
    /* What importers read to find out whether they can read this process. */
    uint8_t probe[PEER_TOKEN_SIZE];
} server = {
    .listener = {.fd = -1},
    .dirfd = -1,
    .clients = {&server.clients, &server.clients},
};

/* ---- Cells ---- */

static struct soft_peer_binding *grow_cells(struct soft_peer_client *client)
{
    struct soft_peer_binding *binding;

    if (client->ncells == client->cells_cap) {
        uint32_t cap = client->cells_cap == 0 ? 16 : client->cells_cap * 2;
        struct soft_peer_binding **bindings =
            reallocarray(client->bindings, cap, sizeof(*bindings));

        if (bindings == NULL)
            return NULL;
        client->bindings = bindings;
        client->cells_cap = cap;
    }
    binding = calloc(1, sizeof(*binding));
    if (binding == NULL)
        return NULL;
    binding->client = client;
    binding->cell = client->ncells;
    od_list_init(&binding->link);
    client->bindings[client->ncells++] = binding;
    return binding;
}

static int bind_cell(struct soft_peer_client *client, struct soft_peer_export *exp,
                     struct soft_peer_binding **out)
{
    struct soft_peer_binding *binding;
    struct soft_peer_cell *cell;

    if (client->free_cell != NO_CELL) {
        binding = client->bindings[client->free_cell];
        client->free_cell = binding->next_free;
    } else if (client->ncells < PEER_BOARD_CELLS) {
        binding = grow_cells(client);
    } else {
        return -ENOSPC;
    }
    if (binding == NULL)
        return -ENOMEM;
    binding->used = true;
    binding->mapped = false;
    binding->exp = exp;
    od_list_append(&exp->bindings, &binding->link);
    cell = &client->board[binding->cell];
    atomic_store(&cell->inflight, 0);
    atomic_store(&cell->state, PEER_CELL_LIVE);
    *out = binding;
    return 0;
}

static void unbind_cell(struct soft_peer_binding *binding)
{
    struct soft_peer_client *client = binding->client;

    atomic_store(&client->board[binding->cell].state, PEER_CELL_DEAD);
    od_list_remove(&binding->link);
    binding->exp = NULL;
    binding->used = false;
    binding->next_free = client->free_cell;
    client->free_cell = binding->cell;
}

/* ---- Clients ---- */

static void client_free(struct soft_peer_client *client)
{
    int sock = client->sock.fd, proc = client->proc.fd;

    soft_service_watch_del(&client->sock);
    soft_service_watch_del(&client->proc);
    if (sock >= 0)
        close(sock);
    if (proc >= 0)
        close(proc);
    if (client->lane != NULL)
        soft_peer_lane_cut(client->lane);
    for (uint32_t i = 0; i < client->ncells; i++) {
        if (client->board != NULL)
            atomic_store(&client->board[i].state, PEER_CELL_DEAD);
        od_list_remove(&client->bindings[i]->link);
        free(client->bindings[i]);
    }
    free(client->bindings);
    if (client->board != NULL)
        munmap(client->board, PEER_BOARD_SIZE);
    od_list_remove(&client->link);
    server.nclients--;
    server.nsilent -= !client->greeted;
    free(client);
}

/* Connections that never say hello must not keep importers out. */
static bool evict_silent_client(void)
{
    OD_LIST_FOR_EACH(link, &server.clients)
    {
        struct soft_peer_client *client = OD_LIST_ENTRY(link, struct soft_peer_client, link);

        if (!client->greeted) {
            client_free(client);
            return true;
        }
    }
    return false;
}

/* Never waits: a client that does not read its replies is not worth it. */
static bool reply(struct soft_peer_client *client, union soft_peer_msg *msg,
                  enum soft_peer_msg_type type, int status, const int *fds, unsigned int nfds)
{
    size_t size = soft_peer_wire_seal(msg, type, client->seq, status);
    struct iovec iov = {.iov_base = msg, .iov_len = size};
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct msghdr mh = {.msg_iov = &iov, .msg_iovlen = 1};

    if (status == 0 && nfds > 0) {
        struct cmsghdr *cmsg;

        mh.msg_control = control.bytes;
        mh.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
        cmsg = CMSG_FIRSTHDR(&mh);
        cmsg->cmsg_level = SOL_SOCKET;
        cmsg->cmsg_type = SCM_RIGHTS;
        cmsg->cmsg_len = CMSG_LEN(nfds * sizeof(int));
        memcpy(CMSG_DATA(cmsg), fds, nfds * sizeof(int));
    }
    return sendmsg(client->sock.fd, &mh, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
}

/* Yama's scope 1 lets only ancestors read a process, unless the process itself allows more. */
static void allow_tracing(void)
{
    OD_AUTO_FILE FILE *f = NULL;
    int scope = 0;

    if (server.tracing_allowed)
        return;
    server.tracing_allowed = true;
    f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    if (f != NULL && fscanf(f, "%d", &scope) == 1 && scope == 1)
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

static void client_ended(struct soft_service_watch *watch, uint32_t events)
{
    (void)events;
    client_free(OD_CONTAINER_OF(watch, struct soft_peer_client, proc));
}

static void watch_process(struct soft_peer_client *client)
{
    struct ucred cred = {0};
    socklen_t len = sizeof(cred);
    int fd;

    getsockopt(client->sock.fd, SOL_SOCKET, SO_PEERCRED, &cred, &len);
    fd = soft_service_pidfd(client->sock.fd, cred.pid);
    if (fd >= 0 && soft_service_watch_add(&client->proc, fd, EPOLLIN, client_ended) != 0)
        close(fd);
}

static bool handle_hello(struct soft_peer_client *client, const struct soft_peer_msg_hello *hello)
{
    union soft_peer_msg out = {0};
    OD_AUTO_FD int board = -1;
    void *addr;
    int rc;

    if (client->greeted || memcmp(hello->instance, server.instance, PEER_INSTANCE_SIZE) != 0)
        return false;
    client->greeted = true;
    server.nsilent--;
    do
        rc = soft_service_shared_create("opendoca-peer-board", PEER_BOARD_SIZE, &addr, &board);
    while (rc == -EMFILE && evict_silent_client());
    if (rc != 0)
        return reply(client, &out, PEER_MSG_WELCOME, rc, NULL, 0);
    client->board = addr;
    watch_process(client);
    allow_tracing();
    out.welcome.probe_addr = (uintptr_t)server.probe;
    memcpy(out.welcome.probe, server.probe, sizeof(server.probe));
    out.welcome.cells = PEER_BOARD_CELLS;
    return reply(client, &out, PEER_MSG_WELCOME, 0, &board, 1);
}

/* ---- Memory that importers have mapped ---- */

static bool is_watched(const struct soft_peer_binding *binding)
{
    return binding->used && binding->mapped && binding->exp != NULL;
}

/* The number of bindings that must be looked at again. */
static uint32_t look_at_client(struct soft_peer_client *client,
                               const struct soft_peer_mappings *all)
{
    uint32_t watched = 0;

    for (uint32_t i = 0; i < client->ncells; i++) {
        struct soft_peer_binding *binding = client->bindings[i];
        uint32_t live = PEER_CELL_LIVE;

        if (!is_watched(binding))
            continue;
        watched++;
        if (soft_peer_mappings_show(all, binding->exp->desc.base, binding->exp->desc.len,
                                    &binding->memory))
            continue;
        binding->mapped = false;
        atomic_compare_exchange_strong(&client->board[i].state, &live, PEER_CELL_MOVED);
    }
    return watched;
}

/* The lock is given up while the kernel tells the mappings; bindings come and go on this thread. */
static void look_at_memory(struct soft_service_timer *timer)
{
    uint64_t start = soft_service_now_ms();
    struct soft_peer_mappings all;
    uint32_t watched = 0;
    int rc;

    soft_service_unlock();
    rc = soft_peer_mappings_read(&all);
    soft_service_lock();
    OD_LIST_FOR_EACH(link, &server.clients)
    {
        if (rc == 0)
            watched += look_at_client(OD_LIST_ENTRY(link, struct soft_peer_client, link), &all);
    }
    if (rc == 0)
        soft_peer_mappings_free(&all);
    if (rc != 0 || watched > 0)
        soft_service_timer_set(timer, OD_MAX(LOOK_MS, LOOK_SHARE * (soft_service_now_ms() - start)),
                               look_at_memory);
}

static void watch_memory(struct soft_peer_binding *binding, const struct soft_peer_memory *memory)
{
    binding->mapped = true;
    binding->memory = *memory;
    if (server.look.due == 0)
        soft_service_timer_set(&server.look, LOOK_MS, look_at_memory);
}

/* The lock is given up while the memory's file is looked for, which takes system calls. */
static int find_memory(const struct soft_peer_desc *desc, struct soft_peer_memory *memory)
{
    int fd;

    soft_service_unlock();
    fd = soft_peer_memory_find(desc->base, desc->len,
                               (desc->access & (SOFT_PEER_WRITE | SOFT_PEER_ATOMIC)) != 0, memory);
    soft_service_lock();
    return fd;
}

static bool handle_import(struct soft_peer_client *client, const struct soft_peer_msg_import *in)
{
    struct soft_peer_msg_imported *out;
    union soft_peer_msg msg = {0};
    struct soft_peer_binding *binding;
    struct soft_peer_export *exp;
    struct soft_peer_desc desc;
    struct soft_peer_memory place = {0};
    OD_AUTO_FD int memory = -1;
    int rc = soft_peer_export_find(&in->desc, &exp);

    if (rc == 0 && strcmp(exp->desc.card, in->card) != 0)
        rc = -EXDEV;
    if (rc == 0)
        rc = bind_cell(client, exp, &binding);
    if (rc != 0)
        return reply(client, &msg, PEER_MSG_IMPORTED, rc, NULL, 0);
    desc = exp->desc;
    out = &msg.imported;
    if (in->want_memory)
        memory = find_memory(&desc, &place);
    if (binding->exp == NULL) {
        unbind_cell(binding);
        return reply(client, &msg, PEER_MSG_IMPORTED, -EPERM, NULL, 0);
    }
    out->base = desc.base;
    out->len = desc.len;
    out->kind = desc.kind;
    out->access = desc.access;
    out->mask = desc.mask;
    out->cell = binding->cell;
    out->has_memory = memory >= 0;
    out->memory_offset = place.offset;
    if (memory >= 0)
        watch_memory(binding, &place);
    return reply(client, &msg, PEER_MSG_IMPORTED, 0, &memory, memory >= 0);
}

static bool handle_close(struct soft_peer_client *client, const struct soft_peer_msg_close *msg)
{
    if (msg->cell >= client->ncells || !client->bindings[msg->cell]->used)
        return false;
    unbind_cell(client->bindings[msg->cell]);
    return true;
}

/* The export may have been revoked meanwhile. */
static bool handle_ring(struct soft_peer_client *client, const struct soft_peer_msg_ring *msg)
{
    struct soft_peer_export *exp;

    if (msg->cell >= client->ncells || !client->bindings[msg->cell]->used)
        return false;
    exp = client->bindings[msg->cell]->exp;
    if (exp != NULL && exp->waker != NULL)
        od_waker_wake(exp->waker);
    return true;
}

static bool handle_lane(struct soft_peer_client *client)
{
    union soft_peer_msg out = {0};
    OD_AUTO_FD int sock = -1;
    OD_AUTO_FD int bounce = -1;
    int rc;

    /* The importer gave up on the old one because an answer took too long. */
    if (client->lane != NULL)
        soft_peer_lane_cut(client->lane);
    rc = soft_peer_lane_create(client, &sock, &bounce);
    out.opened.bounce_len = PEER_BOUNCE_SIZE;
    return reply(client, &out, PEER_MSG_OPENED, rc, (int[]){sock, bounce}, 2);
}

/* False: the client broke the protocol, or cannot be answered. */
static bool handle(struct soft_peer_client *client, const union soft_peer_msg *msg)
{
    if (msg->hdr.type == PEER_MSG_HELLO)
        return handle_hello(client, &msg->hello);
    if (!client->greeted)
        return false;
    switch (msg->hdr.type) {
    case PEER_MSG_IMPORT:
        return handle_import(client, &msg->import);
    case PEER_MSG_CLOSE:
        return handle_close(client, &msg->close);
    case PEER_MSG_RING:
        return handle_ring(client, &msg->ring);
    case PEER_MSG_LANE:
        return handle_lane(client);
    default:
        return false;
    }
}

/* One message an event, so that no client keeps the thread from the others. */
static void client_ready(struct soft_service_watch *watch, uint32_t events)
{
    struct soft_peer_client *client = OD_CONTAINER_OF(watch, struct soft_peer_client, sock);
    union soft_peer_msg msg, out = {0};
    ssize_t n;
    int rc;

    (void)events;
    n = recv(watch->fd, &msg, sizeof(msg), MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    rc = n <= 0 ? -EBADMSG : soft_peer_wire_parse(&msg, (size_t)n, &msg);
    if (rc == 0)
        client->seq = msg.hdr.seq;
    if (rc == -EPROTO)
        reply(client, &out, PEER_MSG_WELCOME, rc, NULL, 0);
    if (rc != 0 || !handle(client, &msg))
        client_free(client);
}

static bool client_create(int sock)
{
    struct soft_peer_client *client = calloc(1, sizeof(*client));

    if (client == NULL)
        return false;
    client->sock.fd = -1;
    client->proc.fd = -1;
    client->free_cell = NO_CELL;
    if (soft_service_watch_add(&client->sock, sock, EPOLLIN | EPOLLRDHUP, client_ready) != 0) {
        free(client);
        return false;
    }
    od_list_append(&server.clients, &client->link);
    server.nclients++;
    server.nsilent++;
    return true;
}

/* ---- The socket ---- */

static struct ucred peer_of(int sock)
{
    struct ucred cred = {.uid = (uid_t)-1};
    socklen_t len = sizeof(cred);

    if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
        cred.uid = (uid_t)-1;
    return cred;
}

static bool is_allowed(int sock)
{
    const uid_t uid = peer_of(sock).uid;

    return uid == geteuid() || uid == 0;
}

/* The lock is given up: whoever hears of it may use this library. */
static void tell_of_refusal(int sock, int status)
{
    const struct ucred cred = peer_of(sock);
    char who[64];

    snprintf(who, sizeof(who), "process %d of user %u", (int)cred.pid, cred.uid);
    soft_service_unlock();
    if (status == -EACCES)
        soft_peer_refused(who, "memory is for processes of one user",
                          "run importer and exporter as the same user");
    else if (status == -EMFILE)
        soft_peer_refused(who, "too many importers are connected", "close some");
    else
        soft_peer_refused(who, "memory is exhausted", "free memory");
    soft_service_lock();
}

static void refuse(int sock, int status)
{
    struct soft_peer_client nobody = {.sock = {.fd = sock}};
    union soft_peer_msg msg = {0};

    reply(&nobody, &msg, PEER_MSG_WELCOME, status, NULL, 0);
    tell_of_refusal(sock, status);
    close(sock);
}

static void resume_listener(struct soft_service_timer *timer)
{
    (void)timer;
    soft_service_watch_events(&server.listener, EPOLLIN);
}

/* A full table of descriptors would else spin the thread. */
static void pause_listener(void)
{
    soft_service_watch_events(&server.listener, 0);
    soft_service_timer_set(&server.pause, PAUSE_MS, resume_listener);
}

static void listener_ready(struct soft_service_watch *watch, uint32_t events)
{
    int sock = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    (void)events;
    if (sock < 0) {
        if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) &&
            !evict_silent_client())
            pause_listener();
        return;
    }
    if (server.nsilent >= MAX_SILENT)
        evict_silent_client();
    if (!is_allowed(sock))
        refuse(sock, -EACCES);
    else if (server.nclients >= MAX_CLIENTS)
        refuse(sock, -EMFILE);
    else if (!client_create(sock))
        refuse(sock, -ENOMEM);
}

static uint64_t own_start_time(void)
{
    OD_AUTO_FILE FILE *f = fopen("/proc/self/stat", "re");
    char line[1024], *p;
    unsigned long long ticks = 0;

    if (f == NULL || fgets(line, sizeof(line), f) == NULL)
        return 0;
    /* The name in parentheses may hold anything; 20 fields follow it up to the start time. */
    p = strrchr(line, ')');
    if (p == NULL ||
        sscanf(p + 1,
               "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
               "%llu",
               &ticks) != 1)
        return 0;
    return ticks;
}

static int open_socket(void)
{
    OD_AUTO_FD int dirfd = -1;
    int fd, rc;

    rc = soft_service_random(server.instance, sizeof(server.instance));
    if (rc == 0)
        rc = soft_service_random(server.probe, sizeof(server.probe));
    if (rc != 0)
        return rc;
    dirfd = soft_service_folder_open(server.dir, sizeof(server.dir));
    if (dirfd < 0)
        return dirfd;
    soft_peer_dir_sweep(server.dir, dirfd);
    fd = soft_peer_dir_listen(server.dir, dirfd, server.instance);
    if (fd < 0)
        return fd;
    rc = soft_service_watch_add(&server.listener, fd, EPOLLIN, listener_ready);
    if (rc != 0) {
        soft_fail(rc, "cannot watch the socket in %s: %s", server.dir, strerror(-rc));
        goto err_unlink;
    }
    server.dirfd = od_move_fd(&dirfd);
    server.start_time = own_start_time();
    return 0;

err_unlink:
    soft_peer_dir_unlink(dirfd, server.instance);
    close(fd);
    return rc;
}

int soft_peer_server_start(struct soft_peer_desc *desc)
{
    int rc = soft_peer_service_start();

    if (rc == 0 && server.listener.fd < 0)
        rc = open_socket();
    if (rc != 0)
        return rc;
    desc->pid = (uint32_t)soft_service_self();
    desc->start_time = server.start_time;
    memcpy(desc->instance, server.instance, sizeof(desc->instance));
    memcpy(desc->dir, server.dir, strlen(server.dir) + 1);
    return 0;
}

void soft_peer_server_stop(bool process_ends)
{
    int fd = server.listener.fd;

    OD_LIST_FOR_EACH_SAFE(link, &server.clients)
    {
        struct soft_peer_client *client = OD_LIST_ENTRY(link, struct soft_peer_client, link);

        /* A child lets go of the board without a word on it: its importers are the parent's. */
        if (!process_ends && client->board != NULL) {
            munmap(client->board, PEER_BOARD_SIZE);
            client->board = NULL;
        }
        client_free(client);
    }
    if (fd < 0)
        return;
    soft_service_timer_cancel(&server.pause);
    soft_service_timer_cancel(&server.look);
    soft_service_watch_del(&server.listener);
    close(fd);
    if (process_ends)
        soft_peer_dir_unlink(server.dirfd, server.instance);
    close(server.dirfd);
    server.dirfd = -1;
    server.tracing_allowed = false;
}
