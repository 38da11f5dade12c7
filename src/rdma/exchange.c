/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "soft/service/folder.h"

#define ENV       "OPENDOCA_PEER_LISTEN" /* the same as for exported memory */
#define FAULTS    "OPENDOCA_LINK_FAULTS" /* where it is set, links have faults, docs/faults.md */
#define TRANSPORT "tcp:"
#define BACKLOG   1024
#define DEPTH     128u /* frames of a link, one way */

/* ------------------------------------------------------------------------------------------------
 * Doors
 */

static struct rdma_door *find_door(struct doca_rdma *rdma, const struct rdma_hello *hello)
{
    OD_LIST_FOR_EACH(link, &rdma->doors)
    {
        struct rdma_door *door = OD_LIST_ENTRY(link, struct rdma_door, link);

        if (door->conn_id == hello->conn_id &&
            memcmp(door->token, hello->token, sizeof(door->token)) == 0)
            return door;
    }
    return NULL;
}

/* Lock held. When both sides connect, the link of the smaller token stays. */
static enum rdma_verdict enter(struct rdma_door *door, const struct rdma_hello *hello)
{
    if (door == NULL || door->taken ||
        (door->expects &&
         memcmp(door->peer_token, hello->own_token, sizeof(door->peer_token)) != 0))
        return RDMA_STRANGER;
    if (door->calling && memcmp(door->token, hello->own_token, sizeof(door->token)) < 0)
        return RDMA_CROSSED;
    memcpy(door->peer_token, hello->own_token, sizeof(door->peer_token));
    door->taken = true;
    return RDMA_WELCOME;
}

/* On the link's thread. */
static int admit(void *arg, const void *greeting, size_t len, void *buf, size_t *buf_len)
{
    struct doca_rdma *rdma = arg;
    struct rdma_answer answer = {.verdict = RDMA_VERSION, .permissions = rdma->permissions};
    struct rdma_hello hello;

    if (rdma_wire_get_hello(greeting, len, &hello) == 0) {
        pthread_mutex_lock(&rdma->lock);
        answer.verdict = enter(find_door(rdma, &hello), &hello);
        pthread_mutex_unlock(&rdma->lock);
    }
    rdma_wire_seal_answer(&answer);
    memcpy(buf, &answer, sizeof(answer));
    *buf_len = sizeof(answer);
    return answer.verdict == RDMA_WELCOME ? 0 : -EACCES;
}

static void open_door(struct doca_rdma_connection *conn)
{
    struct rdma_door *door = &conn->door;

    door->conn_id = conn->id;
    memcpy(door->token, conn->details.token, sizeof(door->token));
    pthread_mutex_lock(&conn->rdma->lock);
    od_list_append(&conn->rdma->doors, &door->link);
    pthread_mutex_unlock(&conn->rdma->lock);
}

void rdma_close_door(struct doca_rdma_connection *conn)
{
    pthread_mutex_lock(&conn->rdma->lock);
    od_list_remove(&conn->door.link);
    pthread_mutex_unlock(&conn->rdma->lock);
}

/* ------------------------------------------------------------------------------------------------
 * Listeners
 */

static struct soft_link_conf link_conf(struct doca_rdma *rdma)
{
    return (struct soft_link_conf){
        .max_msg = RDMA_LINK_MSG,
        .depth = DEPTH,
        .connect_timeout = rdma->request_timeout,
        .no_successor = true, /* an instance's number is never another's */
        .backlog = BACKLOG,
        /* With the data path on a GPU its thread looks, which opens and closes links, too. */
        .waker = rdma->gpu == NULL ? core_ctx_waker(&rdma->ctx) : NULL,
        .admit = admit,
        .admit_arg = rdma,
    };
}

static doca_error_t listen_failed(const struct doca_rdma *rdma, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, func, rdma->ctx.name, "listener",
                     "%s", soft_reason());
}

/* The link address of an instance on this machine. */
static void local_address(const uint8_t instance[RDMA_TOKEN_SIZE], char address[SOFT_LINK_ADDR_MAX])
{
    char plain[RDMA_ADDRESS_SIZE];

    rdma_wire_address(instance, plain);
    snprintf(address, SOFT_LINK_ADDR_MAX, "%s%s", getenv(FAULTS) != NULL ? "error:" : "", plain);
}

doca_error_t rdma_listen(struct doca_rdma *rdma, const char *func)
{
    const struct soft_link_conf conf = link_conf(rdma);
    char address[SOFT_LINK_ADDR_MAX];

    if (rdma->local != NULL)
        return DOCA_SUCCESS;
    if (getrandom(rdma->instance, sizeof(rdma->instance), 0) != (ssize_t)sizeof(rdma->instance))
        return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, func, rdma->ctx.name,
                         "random bytes", "%s", strerror(errno));
    local_address(rdma->instance, address);
    if (soft_link_listen(address, &conf, &rdma->local) != 0)
        return listen_failed(rdma, func);
    return DOCA_SUCCESS;
}

/* One for each address that is asked for. */
static doca_error_t listen_abroad(struct doca_rdma *rdma, const char *host, const char *func,
                                  const char **remote)
{
    const struct soft_link_conf conf = link_conf(rdma);
    char address[SOFT_LINK_ADDR_MAX];
    struct rdma_net *net;

    OD_LIST_FOR_EACH(link, &rdma->nets)
    {
        net = OD_LIST_ENTRY(link, struct rdma_net, link);
        if (strcmp(net->host, host) == 0) {
            *remote = soft_link_listener_addr(net->listener) + strlen(TRANSPORT);
            return DOCA_SUCCESS;
        }
    }
    net = calloc(1, sizeof(*net));
    if (net == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_RDMA, func, rdma->ctx.name, "listener",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*net));
    snprintf(net->host, sizeof(net->host), "%s", host);
    snprintf(address, sizeof(address), TRANSPORT "%s:0", host);
    if (soft_link_listen(address, &conf, &net->listener) != 0) {
        free(net);
        return listen_failed(rdma, func);
    }
    od_list_append(&rdma->nets, &net->link);
    *remote = soft_link_listener_addr(net->listener) + strlen(TRANSPORT);
    return DOCA_SUCCESS;
}

void rdma_unlisten(struct doca_rdma *rdma)
{
    soft_link_unlisten(rdma->local);
    rdma->local = NULL;
    OD_LIST_FOR_EACH_SAFE(link, &rdma->nets)
    {
        struct rdma_net *net = OD_LIST_ENTRY(link, struct rdma_net, link);

        od_list_remove(&net->link);
        soft_link_unlisten(net->listener);
        free(net);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Details
 */

static uint64_t mix(uint64_t value, const void *data, size_t len)
{
    const uint8_t *bytes = data;

    for (size_t i = 0; i < len; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return value;
}

/* Who has the same number sees our runtime folder: same boot of the same machine, same folder. */
static doca_error_t host_number(const struct doca_rdma *rdma, const char *func, uint64_t *number)
{
    char dir[4096], boot[64] = "";
    struct stat st = {0};
    FILE *file;
    int fd = soft_service_folder_open(dir, sizeof(dir));

    if (fd < 0)
        return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, func, rdma->ctx.name,
                         "runtime folder", "%s", soft_reason());
    fstat(fd, &st);
    close(fd);
    file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file != NULL) {
        if (fgets(boot, sizeof(boot), file) == NULL)
            boot[0] = '\0';
        fclose(file);
    }
    *number = mix(UINT64_C(0xcbf29ce484222325), boot, strlen(boot));
    *number = mix(*number, &st.st_dev, sizeof(st.st_dev));
    *number = mix(*number, &st.st_ino, sizeof(st.st_ino));
    return DOCA_SUCCESS;
}

/* The host of HOST:PORT, an empty one when the environment asks for none. */
static void host_of_env(char host[RDMA_REMOTE_SIZE])
{
    const char *text = getenv(ENV);
    const char *end = text != NULL ? strrchr(text, ':') : NULL;

    host[0] = '\0';
    if (end != NULL && end - text < RDMA_REMOTE_SIZE)
        snprintf(host, RDMA_REMOTE_SIZE, "%.*s", (int)(end - text), text);
}

static void host_of_text(const char *text, char host[RDMA_REMOTE_SIZE])
{
    bool is_v6 = strchr(text, ':') != NULL;

    snprintf(host, RDMA_REMOTE_SIZE, "%s%.50s%s", is_v6 ? "[" : "", text, is_v6 ? "]" : "");
}

doca_error_t rdma_make_details(struct doca_rdma_connection *conn, const char *host,
                               const char *func)
{
    struct doca_rdma *rdma = conn->rdma;
    struct rdma_details *details = &conn->details;
    char net_host[RDMA_REMOTE_SIZE];
    const char *remote = "";
    doca_error_t result = rdma_listen(rdma, func);

    if (result == DOCA_SUCCESS)
        result = host_number(rdma, func, &details->host);
    if (result != DOCA_SUCCESS)
        return result;
    if (host != NULL)
        host_of_text(host, net_host);
    else
        host_of_env(net_host);
    if (net_host[0] != '\0')
        result = listen_abroad(rdma, net_host, func, &remote);
    if (result != DOCA_SUCCESS)
        return result;
    if (getrandom(details->token, sizeof(details->token), 0) != (ssize_t)sizeof(details->token) ||
        strlen(remote) >= sizeof(details->remote))
        return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, func, rdma->ctx.name,
                         "details", "no random bytes, or an address too long: %s", remote);
    memcpy(details->instance, rdma->instance, sizeof(details->instance));
    memcpy(details->remote, remote, strlen(remote));
    details->conn_id = conn->id;
    rdma_wire_seal_details(details);
    open_door(conn);
    return DOCA_SUCCESS;
}

bool rdma_is_same_host(const struct rdma_details *peer, const struct doca_rdma_connection *conn)
{
    uint64_t number;

    if (conn->details.size != 0)
        return peer->host == conn->details.host;
    return host_number(conn->rdma, "doca_pe_progress", &number) == DOCA_SUCCESS &&
           peer->host == number;
}

/* ------------------------------------------------------------------------------------------------
 * Links
 */

static doca_error_t call_peer(struct doca_rdma_connection *conn, const struct rdma_details *peer,
                              const char *func)
{
    const struct doca_rdma *rdma = conn->rdma;
    const struct soft_link_conf conf = link_conf(conn->rdma);
    struct rdma_hello hello = {.conn_id = peer->conn_id, .permissions = rdma->permissions};
    char address[SOFT_LINK_ADDR_MAX];

    memcpy(hello.token, peer->token, sizeof(hello.token));
    memcpy(hello.own_token, conn->details.token, sizeof(hello.own_token));
    rdma_wire_seal_hello(&hello);
    if (rdma_is_same_host(peer, conn))
        local_address(peer->instance, address);
    else
        snprintf(address, sizeof(address), TRANSPORT "%s", peer->remote);
    if (soft_link_connect(address, &conf, &hello, sizeof(hello), &conn->link) == 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, func, rdma->ctx.name,
                     "connection", "%u: %s", conn->id, soft_reason());
}

/* Whether the peer can be called at all. */
static doca_error_t check_reach(const struct doca_rdma_connection *conn,
                                const struct rdma_details *peer, const char *func, bool *can_call)
{
    *can_call = rdma_is_same_host(peer, conn) || peer->remote[0] != '\0';
    if (*can_call || conn->details.remote[0] != '\0')
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, func, conn->rdma->ctx.name,
                     "peer",
                     "on another host, or with another runtime folder" CORE_REMEDY
                     "run one side at least with " ENV "=HOST:0, HOST an address of its own that "
                     "the other side reaches");
}

doca_error_t rdma_meet(struct doca_rdma_connection *conn, const struct rdma_details *peer,
                       const char *func)
{
    struct rdma_door *door = &conn->door;
    bool can_call, is_other = false;
    doca_error_t result = check_reach(conn, peer, func, &can_call);

    if (result != DOCA_SUCCESS)
        return result;
    pthread_mutex_lock(&conn->rdma->lock);
    if (door->taken)
        is_other = memcmp(door->peer_token, peer->token, sizeof(door->peer_token)) != 0;
    if (!is_other) {
        memcpy(door->peer_token, peer->token, sizeof(door->peer_token));
        door->expects = true;
        door->calling = !door->taken && can_call;
    }
    pthread_mutex_unlock(&conn->rdma->lock);
    if (is_other)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, func, conn->rdma->ctx.name,
                         "remote details",
                         "of another peer than the one that has connected" CORE_REMEDY
                         "pass the details of the peer that got ours");
    conn->peer_details = *peer;
    if (door->calling)
        result = call_peer(conn, peer, func);
    if (result != DOCA_SUCCESS)
        return result;
    conn->state = RDMA_CONN_CONNECTING;
    rdma_conn_set_deadline(conn, conn->rdma->request_timeout);
    return DOCA_SUCCESS;
}

bool rdma_is_taken(struct doca_rdma_connection *conn)
{
    bool taken;

    pthread_mutex_lock(&conn->rdma->lock);
    taken = conn->door.taken;
    pthread_mutex_unlock(&conn->rdma->lock);
    return taken;
}

doca_error_t rdma_call_again(struct doca_rdma_connection *conn)
{
    return rdma_is_taken(conn) ? DOCA_SUCCESS
                               : call_peer(conn, &conn->peer_details, "doca_pe_progress");
}

/* A link that was let in; the connection may have ended since. */
static void attach(struct doca_rdma *rdma, struct soft_link *link)
{
    struct doca_rdma_connection *conn = NULL;
    struct rdma_hello hello;
    struct rdma_door *door;
    size_t len;
    const void *greeting = soft_link_hello(link, &len);

    if (rdma_wire_get_hello(greeting, len, &hello) == 0) {
        pthread_mutex_lock(&rdma->lock);
        door = find_door(rdma, &hello);
        if (door != NULL && door->taken &&
            memcmp(door->peer_token, hello.own_token, sizeof(door->peer_token)) == 0) {
            door->calling = false;
            conn = OD_CONTAINER_OF(door, struct doca_rdma_connection, door);
        }
        pthread_mutex_unlock(&rdma->lock);
    }
    if (conn == NULL) {
        soft_link_close(link);
        return;
    }
    soft_link_close(conn->link);
    conn->link = link;
    conn->peer_permissions = hello.permissions;
}

static void take_links_of(struct doca_rdma *rdma, struct soft_link_listener *listener)
{
    struct soft_link *link;

    while (soft_link_listener_pending(listener) && (link = soft_link_next(listener)) != NULL)
        attach(rdma, link);
}

void rdma_take_links(struct doca_rdma *rdma)
{
    if (rdma->local == NULL)
        return;
    take_links_of(rdma, rdma->local);
    OD_LIST_FOR_EACH(link, &rdma->nets)
    take_links_of(rdma, OD_LIST_ENTRY(link, struct rdma_net, link)->listener);
}

bool rdma_links_pending(const struct doca_rdma *rdma)
{
    if (rdma->local == NULL)
        return false;
    if (soft_link_listener_pending(rdma->local))
        return true;
    OD_LIST_FOR_EACH(link, &rdma->nets)
    {
        if (soft_link_listener_pending(OD_LIST_ENTRY(link, struct rdma_net, link)->listener))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * What programs ask
 */

static doca_error_t check_running(const struct doca_rdma *rdma, const char *func)
{
    if (rdma->ctx.state == DOCA_CTX_STATE_RUNNING)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_RDMA, func, rdma->ctx.name, "state",
                     "not RUNNING" CORE_LIMIT "RUNNING" CORE_REMEDY
                     "make connections between start and stop");
}

doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **local_rdma_conn_details,
                              size_t *local_rdma_conn_details_size,
                              struct doca_rdma_connection **rdma_connection)
{
    RDMA_AUTO_LEAVE struct doca_rdma *entered = NULL;
    struct doca_rdma_connection *conn;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    entered = rdma_enter(rdma);
    if (local_rdma_conn_details == NULL || local_rdma_conn_details_size == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__,
                              local_rdma_conn_details == NULL ? "local_rdma_conn_details"
                                                              : "local_rdma_conn_details_size");
    if (rdma_connection == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "rdma_connection");
    result = check_running(rdma, __func__);
    if (result == DOCA_SUCCESS)
        result = rdma_conn_new(rdma, __func__, &conn);
    if (result != DOCA_SUCCESS)
        return result;
    result = rdma_make_details(conn, NULL, __func__);
    if (result != DOCA_SUCCESS) {
        rdma_conn_drop(conn);
        return result;
    }
    conn->state = RDMA_CONN_EXPORTED;
    *local_rdma_conn_details = &conn->details;
    *local_rdma_conn_details_size = sizeof(conn->details);
    *rdma_connection = conn;
    return DOCA_SUCCESS;
}

static doca_error_t check_details(const struct doca_rdma_connection *conn, const void *data,
                                  size_t len, const char *func, struct rdma_details *details)
{
    int err = rdma_wire_get_details(data, len, details);

    if (err != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, func, conn->rdma->ctx.name,
                         "remote details",
                         "%zu bytes, %s" CORE_REMEDY
                         "pass all the bytes that the peer's doca_rdma_export() gave",
                         len, err == -EPROTO ? "of another version" : "damaged or none at all");
    if (memcmp(details->token, conn->details.token, sizeof(details->token)) == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, func, conn->rdma->ctx.name,
                         "remote details",
                         "those of this very connection" CORE_REMEDY "pass the peer's");
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
                               size_t remote_rdma_conn_details_size,
                               struct doca_rdma_connection *rdma_connection)
{
    RDMA_AUTO_LEAVE struct doca_rdma *entered = NULL;
    struct rdma_details peer;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    entered = rdma_enter(rdma);
    if (remote_rdma_conn_details == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "remote_rdma_conn_details");
    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, rdma_connection))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma_connection", rdma_connection);
    result = check_running(rdma, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (rdma_connection->rdma != rdma)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, rdma->ctx.name,
                         "rdma_connection", "of another instance");
    if (rdma_connection->state != RDMA_CONN_EXPORTED)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_RDMA, __func__, rdma->ctx.name,
                         "rdma_connection",
                         "%s" CORE_LIMIT "exported" CORE_REMEDY
                         "connect once, what doca_rdma_export() has given",
                         rdma_connection->state == RDMA_CONN_OVER ? "over" : "connected before");
    result = check_details(rdma_connection, remote_rdma_conn_details, remote_rdma_conn_details_size,
                           __func__, &peer);
    return result == DOCA_SUCCESS ? rdma_meet(rdma_connection, &peer, __func__) : result;
}
