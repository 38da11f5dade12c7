/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/common/net.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <doca_urom_ext.h>

#include "soft/link/link.h"
#include "soft/service/folder.h"
#include "util/list.h"

#define MAGIC           0x74656e75u /* "unet" */
#define VERSION         2
#define KEY_SIZE        16
#define REMOTE_MAX      96   /* bytes of an address that other hosts reach */
#define CONNECT_TIMEOUT 5000 /* ms; it listens since before it told its address */
#define BACKLOG         256
#define BATCH           32 /* messages of one connection in one progress */

/* What the domain carries. */
struct net_addr {
    uint32_t magic;
    uint16_t version;
    uint16_t size;
    uint8_t key[KEY_SIZE];
    char local[SOFT_LINK_ADDR_MAX]; /* as soft_link_connect() takes it */
    char remote[REMOTE_MAX];        /* likewise; "": there is none */
};

_Static_assert(sizeof(struct net_addr) <= PLUGIN_NET_ADDR_MAX, "room for an address");

struct net_hello {
    uint32_t magic;
    uint16_t version;
    uint16_t zero;
    uint8_t key[KEY_SIZE]; /* of who is greeted */
};

/* A message to the end itself. */
struct net_local {
    struct od_list entry;
    uint32_t len;
    uint8_t bytes[] OD_ALIGNED(16);
};

struct plugin_net_conn {
    struct od_list entry;
    struct plugin_net *net;
    struct soft_link *link; /* NULL: to the end itself */
    bool outgoing;
    bool dead;             /* has ended; whoever has the key does not come back */
    bool stalled;          /* a send found no room */
    bool fell;             /* seen while arming, which is news that the link tells once */
    uint8_t key[KEY_SIZE]; /* of who it leads to, when outgoing */
    void *user;
    bool holds; /* a message that nobody took yet */
    struct soft_link_msg held;
    struct od_list queue; /* net_local */
    uint32_t nqueue;
};

struct plugin_net {
    struct plugin_net_conf conf;
    struct soft_link_listener *listener;
    struct soft_link_listener *remote; /* NULL: this machine only */
    struct od_waker waker;
    struct od_list conns;
    struct net_addr addr;
};

/* ------------------------------------------------------------------------------------------------
 * Opening
 */

static struct soft_link_conf link_conf(struct plugin_net *net)
{
    return (struct soft_link_conf){.max_msg = net->conf.max_msg,
                                   .depth = net->conf.depth,
                                   .connect_timeout = CONNECT_TIMEOUT,
                                   .backlog = BACKLOG,
                                   .waker = &net->waker};
}

/* On the background thread: only looks at what does not change. */
static int admit(void *arg, const void *bytes, size_t len, void *answer, size_t *answer_len)
{
    const struct plugin_net *net = arg;
    struct net_hello hello;
    uint8_t differ = 0;

    (void)answer;
    *answer_len = 0;
    if (len != sizeof(hello))
        return -EPROTO;
    memcpy(&hello, bytes, sizeof(hello));
    if (hello.magic != MAGIC || hello.version != VERSION)
        return -EPROTO;
    for (size_t i = 0; i < KEY_SIZE; i++)
        differ |= hello.key[i] ^ net->addr.key[i];
    return differ == 0 ? 0 : -EACCES;
}

/* Other processes may have another runtime folder: they get the whole path. */
static int set_local(struct plugin_net *net, const char *name)
{
    char dir[SOFT_LINK_ADDR_MAX];
    int fd = soft_service_folder_open(dir, sizeof(dir));

    if (fd < 0)
        return fd;
    close(fd);
    if (snprintf(net->addr.local, sizeof(net->addr.local), "local:%s/link-%s", dir, name) >=
        (int)sizeof(net->addr.local))
        return soft_fail(-ENAMETOOLONG, "the path of the runtime folder is too long");
    return 0;
}

static int listen_local(struct plugin_net *net)
{
    struct soft_link_conf conf = link_conf(net);
    char name[32], addr[48];
    uint64_t number;
    int err;

    if (getrandom(net->addr.key, KEY_SIZE, 0) != KEY_SIZE ||
        getrandom(&number, sizeof(number), 0) != sizeof(number))
        return soft_fail(-EIO, "no random numbers");
    snprintf(name, sizeof(name), "uromp-%016" PRIx64, number);
    snprintf(addr, sizeof(addr), "local:%s", name);
    conf.admit = admit;
    conf.admit_arg = net;
    err = soft_link_listen(addr, &conf, &net->listener);
    if (err != 0)
        return err;
    return set_local(net, name);
}

/* As the worker told; NULL: it did not. */
static const struct urom_ext_runtime *worker_runtime;

/* Of each plugin that is linked with this file. */
__attribute__((visibility("default"))) void
urom_plugin_ext_runtime(const struct urom_ext_runtime *runtime);

void urom_plugin_ext_runtime(const struct urom_ext_runtime *runtime)
{
    worker_runtime = runtime;
}

static const char *remote_of(const struct plugin_net_conf *conf)
{
    if (conf->remote != NULL)
        return conf->remote;
    return worker_runtime != NULL && worker_runtime->size >= sizeof(*worker_runtime)
               ? worker_runtime->listen_addr
               : "";
}

static int listen_remote(struct plugin_net *net)
{
    struct soft_link_conf conf = link_conf(net);
    const char *addr = remote_of(&net->conf);
    int err;

    if (addr[0] == '\0')
        return 0;
    conf.admit = admit;
    conf.admit_arg = net;
    err = soft_link_listen(addr, &conf, &net->remote);
    if (err != 0)
        return err;
    if (snprintf(net->addr.remote, sizeof(net->addr.remote), "%s",
                 soft_link_listener_addr(net->remote)) >= (int)sizeof(net->addr.remote))
        return soft_fail(-ENAMETOOLONG, "the address %.64s... is too long", addr);
    return 0;
}

int plugin_net_open(const struct plugin_net_conf *conf, struct plugin_net **net_out)
{
    struct plugin_net *net = calloc(1, sizeof(*net));
    int err;

    if (net == NULL)
        return soft_fail(-ENOMEM, "no memory");
    net->conf = *conf;
    net->addr = (struct net_addr){.magic = MAGIC, .version = VERSION, .size = sizeof(net->addr)};
    od_list_init(&net->conns);
    err = od_waker_open(&net->waker);
    if (err != 0) {
        free(net);
        return soft_fail(err, "no eventfd: %s", strerror(-err));
    }
    err = listen_local(net);
    if (err == 0)
        err = listen_remote(net);
    if (err != 0) {
        plugin_net_close(net);
        return err;
    }
    *net_out = net;
    return 0;
}

static void close_link(struct plugin_net_conn *conn)
{
    if (conn->link != NULL)
        soft_link_shutdown(conn->link);
    soft_link_close(conn->link);
    conn->link = NULL;
}

static void conn_free(struct plugin_net_conn *conn)
{
    OD_LIST_FOR_EACH_SAFE(link, &conn->queue)
    free(OD_LIST_ENTRY(link, struct net_local, entry));
    close_link(conn);
    od_list_remove(&conn->entry);
    free(conn);
}

void plugin_net_close(struct plugin_net *net)
{
    if (net == NULL)
        return;
    OD_LIST_FOR_EACH_SAFE(link, &net->conns)
    conn_free(OD_LIST_ENTRY(link, struct plugin_net_conn, entry));
    soft_link_unlisten(net->listener);
    soft_link_unlisten(net->remote);
    od_waker_close(&net->waker);
    free(net);
}

const void *plugin_net_addr(const struct plugin_net *net, size_t *len)
{
    *len = sizeof(net->addr);
    return &net->addr;
}

/* ------------------------------------------------------------------------------------------------
 * Connections
 */

static int read_addr(const void *bytes, struct net_addr *addr)
{
    memcpy(addr, bytes, sizeof(*addr));
    return addr->magic == MAGIC && addr->version == VERSION && addr->size == sizeof(*addr) &&
                   memchr(addr->local, '\0', sizeof(addr->local)) != NULL &&
                   memchr(addr->remote, '\0', sizeof(addr->remote)) != NULL
               ? 0
               : soft_fail(-EINVAL, "not an address of this plugin");
}

bool plugin_net_is_own(const struct plugin_net *net, const void *bytes)
{
    struct net_addr addr;

    return read_addr(bytes, &addr) == 0 && memcmp(addr.key, net->addr.key, KEY_SIZE) == 0;
}

static struct plugin_net_conn *add_conn(struct plugin_net *net, struct soft_link *link)
{
    struct plugin_net_conn *conn = calloc(1, sizeof(*conn));

    if (conn == NULL)
        return NULL;
    conn->net = net;
    conn->link = link;
    od_list_init(&conn->queue);
    od_list_append(&net->conns, &conn->entry);
    return conn;
}

static struct plugin_net_conn *find_conn(const struct plugin_net *net, const struct net_addr *addr)
{
    OD_LIST_FOR_EACH(link, &net->conns)
    {
        struct plugin_net_conn *conn = OD_LIST_ENTRY(link, struct plugin_net_conn, entry);

        if (conn->outgoing && memcmp(conn->key, addr->key, KEY_SIZE) == 0)
            return conn;
    }
    return NULL;
}

/* The socket's name is random: who sees it is on its machine. */
static const char *way_to(const struct net_addr *addr)
{
    const bool is_near = strncmp(addr->local, "local:/", 7) == 0 &&
                         access(addr->local + strlen("local:"), F_OK) == 0;

    return is_near || addr->remote[0] == '\0' ? addr->local : addr->remote;
}

static int open_link(struct plugin_net *net, const struct net_addr *addr, struct soft_link **link)
{
    const struct soft_link_conf conf = link_conf(net);
    struct net_hello hello = {.magic = MAGIC, .version = VERSION};

    *link = NULL;
    memcpy(hello.key, addr->key, KEY_SIZE);
    if (memcmp(addr->key, net->addr.key, KEY_SIZE) == 0)
        return 0;
    return soft_link_connect(way_to(addr), &conf, &hello, sizeof(hello), link);
}

int plugin_net_connect(struct plugin_net *net, const void *bytes, struct plugin_net_conn **conn)
{
    struct plugin_net_conn *made;
    struct soft_link *link;
    struct net_addr addr;
    int err = read_addr(bytes, &addr);

    if (err != 0)
        return err;
    made = find_conn(net, &addr);
    if (made != NULL && made->dead)
        return soft_fail(-ECONNRESET, "its worker has ended");
    if (made == NULL) {
        err = open_link(net, &addr, &link);
        if (err != 0)
            return err;
        made = add_conn(net, link);
        if (made == NULL) {
            soft_link_close(link);
            return soft_fail(-ENOMEM, "no memory");
        }
        made->outgoing = true;
        memcpy(made->key, addr.key, KEY_SIZE);
    }
    *conn = made;
    return 0;
}

void **plugin_net_user(struct plugin_net_conn *conn)
{
    return &conn->user;
}

/* ------------------------------------------------------------------------------------------------
 * Sending
 */

static int send_to_self(struct plugin_net_conn *conn, const struct iovec *iov, unsigned int niov)
{
    struct net_local *message;
    size_t len = 0;

    for (unsigned int i = 0; i < niov; i++)
        len += iov[i].iov_len;
    if (len > conn->net->conf.max_msg)
        return -EMSGSIZE;
    /* The answer to the message that is being taken finds room in any case: who else could make
     * some? */
    if (conn->nqueue >= conn->net->conf.depth + conn->holds)
        return -EAGAIN;
    message = malloc(sizeof(*message) + len);
    if (message == NULL)
        return -EAGAIN;
    message->len = 0;
    for (unsigned int i = 0; i < niov; i++) {
        if (iov[i].iov_len > 0)
            memcpy(message->bytes + message->len, iov[i].iov_base, iov[i].iov_len);
        message->len += (uint32_t)iov[i].iov_len;
    }
    od_list_append(&conn->queue, &message->entry);
    conn->nqueue++;
    return 0;
}

int plugin_net_send(struct plugin_net_conn *conn, const struct iovec *iov, unsigned int niov)
{
    int err;

    if (conn->dead)
        return -EPIPE;
    if (conn->link == NULL)
        return send_to_self(conn, iov, niov);
    err = soft_link_send(conn->link, iov, niov);
    conn->stalled = err == -EAGAIN;
    return err;
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

/* 0: nothing left; 1: something was taken; else why the connection ends. */
static int take(struct plugin_net_conn *conn)
{
    const struct plugin_net_conf *conf = &conn->net->conf;
    int err = 0;

    if (!conn->holds)
        err = soft_link_recv(conn->link, &conn->held);
    if (err != 0)
        return err == -EAGAIN ? 0 : err;
    conn->holds = true;
    err = conf->message(conf->arg, conn, conn->held.data, conn->held.len);
    if (err == -EAGAIN)
        return 0;
    conn->holds = false;
    soft_link_release(conn->link);
    return err == 0 ? 1 : err;
}

static int take_own(struct plugin_net_conn *conn)
{
    const struct plugin_net_conf *conf = &conn->net->conf;
    struct net_local *message;
    int err;

    if (od_list_is_empty(&conn->queue))
        return 0;
    message = OD_LIST_ENTRY(conn->queue.next, struct net_local, entry);
    conn->holds = true;
    err = conf->message(conf->arg, conn, message->bytes, message->len);
    if (err == -EAGAIN)
        return 0;
    conn->holds = false;
    od_list_remove(&message->entry);
    conn->nqueue--;
    free(message);
    return err == 0 ? 1 : err;
}

/* Why the connection ends, or 0. */
static int progress_conn(struct plugin_net_conn *conn, bool *any)
{
    int result = 1, reason = 0;

    if (conn->link != NULL && !conn->holds && !conn->fell && !soft_link_pending(conn->link))
        return 0;
    for (unsigned int i = 0; i < BATCH && result == 1; i++) {
        result = conn->link != NULL ? take(conn) : take_own(conn);
        *any = *any || result == 1;
    }
    if (conn->link == NULL || conn->holds || soft_link_poll(conn->link, &reason) != SOFT_LINK_DOWN)
        return OD_MIN(result, 0);
    if (result >= 0 && soft_link_pending(conn->link))
        return 0; /* there is more that had arrived */
    if (reason == 0)
        reason = result < 0 ? result : -ESHUTDOWN;
    return reason;
}

static void accept_all(struct plugin_net *net, struct soft_link_listener *listener, bool *any)
{
    struct soft_link *link;

    while (listener != NULL && (link = soft_link_next(listener)) != NULL) {
        if (add_conn(net, link) == NULL)
            soft_link_close(link);
        *any = true;
    }
}

static void bury(struct plugin_net_conn *conn)
{
    close_link(conn);
    conn->dead = true;
    conn->holds = false;
}

bool plugin_net_progress(struct plugin_net *net)
{
    bool any = false;

    if (od_unlikely(od_waker_is_armed(&net->waker)))
        od_waker_clear(&net->waker);
    accept_all(net, net->listener, &any);
    accept_all(net, net->remote, &any);
    OD_LIST_FOR_EACH_SAFE(link, &net->conns)
    {
        struct plugin_net_conn *conn = OD_LIST_ENTRY(link, struct plugin_net_conn, entry);
        int reason = progress_conn(conn, &any);

        if (od_likely(reason == 0))
            continue;
        if (net->conf.ended != NULL)
            net->conf.ended(net->conf.arg, conn, reason);
        if (conn->outgoing)
            bury(conn);
        else
            conn_free(conn);
        any = true;
    }
    return any;
}

/* False: there is something to do now. What nobody took waits for a command, not for us. */
/* Of a link that goes down from one look to the next, the message that is held comes first. */
static bool arm_stalled(struct plugin_net_conn *conn)
{
    const enum soft_link_state state = soft_link_poll(conn->link, NULL);

    conn->fell = state == SOFT_LINK_DOWN;
    if (state != SOFT_LINK_UP)
        return conn->holds || !conn->fell;
    return !soft_link_await(conn->link, soft_link_taken(conn->link) + 1);
}

static bool arm_conn(struct plugin_net_conn *conn)
{
    if (conn->link == NULL)
        return conn->holds || od_list_is_empty(&conn->queue);
    if (!conn->holds && soft_link_pending(conn->link))
        return false;
    return !conn->stalled || arm_stalled(conn);
}

bool plugin_net_arm(struct plugin_net *net, int *fd)
{
    bool idle;

    od_waker_arm(&net->waker);
    idle = !soft_link_listener_pending(net->listener) &&
           (net->remote == NULL || !soft_link_listener_pending(net->remote));
    OD_LIST_FOR_EACH(link, &net->conns)
    idle = idle && arm_conn(OD_LIST_ENTRY(link, struct plugin_net_conn, entry));
    *fd = net->waker.fd;
    return idle;
}

struct od_waker *plugin_net_waker(struct plugin_net *net)
{
    return &net->waker;
}
