/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "soft/peer/peer_priv.h"
#include "util/abreast.h"

/* Accesses to memory of another host that nobody waits for. */

#define PROMPT_TRY 8u /* looks that follow a turn given away, before one that does not */

static struct soft_peer_job *job_of(struct soft_peer_item *item)
{
    return OD_CONTAINER_OF(item, struct soft_peer_job, item);
}

/* ---- Copies ---- */

/* From or to the memory on this side, at `offset` of the job. */
static int move(const struct soft_peer_job *job, uint64_t offset, void *bytes, size_t len)
{
    const struct iovec ours = {.iov_base = bytes, .iov_len = len};
    const struct iovec near = {.iov_base = (void *)(uintptr_t)(job->near_addr + offset),
                               .iov_len = len};

    if (job->kind == SOFT_PEER_JOB_WRITE)
        return soft_peer_readv(job->near, &ours, 1, &near, 1);
    return soft_peer_writev(job->near, &ours, 1, &near, 1);
}

static int ask_copy(struct soft_peer_item *item, struct soft_peer_ask *ask)
{
    struct soft_peer_job *job = job_of(item);
    const bool write = job->kind == SOFT_PEER_JOB_WRITE;
    const size_t len = (size_t)OD_MIN(job->len - job->asked, (uint64_t)PEER_FLOW_PIECE);
    char *chunk = od_abreast(job->map->conn->chunk, job->near_addr + job->asked);
    int rc = 0;

    soft_peer_remote_ask(job->map, write, len, ask);
    ask->msg.copy.nsegs = 1;
    ask->msg.copy.segs[0] = (struct soft_peer_seg){.addr = job->addr + job->asked, .len = len};
    if (write && job->near == NULL) {
        ask->payload = (const char *)(uintptr_t)job->near_addr + job->asked;
    } else if (write && soft_peer_local(job->near, job->near_addr) != NULL) {
        rc = soft_peer_check_copy(job->near, false, job->near_addr + job->asked, len);
        ask->payload = soft_peer_local(job->near, job->near_addr + job->asked);
        ask->foreign = true;
        ask->held = job->near;
    } else if (write) {
        ask->payload = chunk;
        rc = move(job, job->asked, chunk, len);
    }
    job->asked += len;
    ask->last = job->asked == job->len;
    return rc;
}

static int take_copy(struct soft_peer_item *item, const union soft_peer_msg *msg,
                     const void *payload, size_t len)
{
    struct soft_peer_job *job = job_of(item);
    int rc = 0;

    if (msg->hdr.type != PEER_MSG_DONE)
        return -EIO;
    if (job->kind == SOFT_PEER_JOB_WRITE)
        return 0;
    if (job->near == NULL)
        memcpy((char *)(uintptr_t)job->near_addr + job->taken, payload, len);
    else
        rc = move(job, job->taken, (void *)(uintptr_t)payload, len);
    job->taken += len;
    return rc;
}

/* ---- Atomic operations ---- */

static int ask_atomic(struct soft_peer_item *item, struct soft_peer_ask *ask)
{
    const struct soft_peer_job *job = job_of(item);

    ask->type = PEER_MSG_ATOMIC;
    soft_peer_remote_ask_atomic(job->map, &job->atomic, &ask->msg);
    return 0;
}

static int take_atomic(struct soft_peer_item *item, const union soft_peer_msg *msg,
                       const void *payload, size_t len)
{
    (void)payload;
    (void)len;
    if (msg->hdr.type != PEER_MSG_DONE)
        return -EIO;
    job_of(item)->before = msg->done.value;
    return 0;
}

/* ---- Jobs ---- */

static int refused(struct soft_peer_item *item, int status)
{
    return soft_peer_remote_status(job_of(item)->map, status);
}

static void put_out(struct soft_peer_job *job, int status)
{
    struct soft_peer_port *port = job->port;

    job->status = status;
    pthread_mutex_lock(&port->lock);
    od_list_append(&port->ended, &job->item.link);
    atomic_store_explicit(&port->has_ended, true, memory_order_release);
    od_waker_wake(port->waker); /* within the lock: who has the last job may close the port */
    pthread_mutex_unlock(&port->lock);
}

static void end(struct soft_peer_item *item)
{
    put_out(job_of(item), item->status == -ETIMEDOUT ? -EIO : item->status);
}

bool soft_peer_is_far(const struct soft_peer_map *map)
{
    return map->engine == &soft_peer_engine_remote;
}

int soft_peer_job_begin(struct soft_peer_port *port, struct soft_peer_job *job)
{
    static const struct soft_peer_item_ops copies = {
        .ask = ask_copy, .take = take_copy, .refused = refused, .end = end};
    static const struct soft_peer_item_ops atomics = {
        .ask = ask_atomic, .take = take_atomic, .refused = refused, .end = end};
    const bool atomic = job->kind == SOFT_PEER_JOB_ATOMIC;
    int rc = atomic ? soft_peer_check_atomic(job->map, &job->atomic)
                    : soft_peer_check_copy(job->map, job->kind == SOFT_PEER_JOB_WRITE, job->addr,
                                           job->len);

    if (rc != 0)
        return rc;
    job->port = port;
    job->asked = job->taken = 0;
    job->item.ops = atomic ? &atomics : &copies;
    port->under_way++;
    rc = soft_peer_check_live(job->map);
    if (rc != 0)
        put_out(job, rc);
    else
        soft_peer_flow_add(job->map->conn, &job->item);
    return 0;
}

/* ---- Ports ---- */

void soft_peer_port_open(struct soft_peer_port *port, struct od_waker *waker)
{
    port->waker = waker;
    port->epoll = -1;
    pthread_mutex_init(&port->lock, NULL);
    od_list_init(&port->ended);
    atomic_init(&port->has_ended, false);
    port->under_way = 0;
    port->spin = (struct soft_service_spin){0};
    port->prompt = false;
    port->turns = 0;
}

void soft_peer_port_close(struct soft_peer_port *port)
{
    if (port->epoll >= 0)
        close(port->epoll);
    pthread_mutex_destroy(&port->lock);
}

static bool is_of_port(const struct soft_peer_item *item, const void *port)
{
    return (item->ops->end == end) &&
           OD_CONTAINER_OF(item, const struct soft_peer_job, item)->port == port;
}

void soft_peer_port_cancel(struct soft_peer_port *port)
{
    if (port->under_way > 0)
        soft_peer_flows_cancel(is_of_port, port);
}

static bool look(const struct soft_peer_port *port)
{
    soft_peer_flows_progress();
    return atomic_load_explicit(&port->has_ended, memory_order_acquire);
}

/* Who answers may be on this processor. If it slept, it has had its turn while the request was
 * sent, and the answer is there; if it looks for requests it needs a turn of ours. Either is so for
 * many requests in a row, and to be wrong costs a system call. */
static bool look_again(struct soft_peer_port *port)
{
    if (port->prompt || ++port->turns % PROMPT_TRY == 0)
        port->prompt = look(port);
    if (port->prompt)
        return true;
    (void)soft_service_spin(&port->spin); /* its caller knows when to sleep */
    return look(port);
}

struct soft_peer_job *soft_peer_port_poll(struct soft_peer_port *port)
{
    struct soft_peer_item *item;

    if (port->under_way == 0)
        return NULL;
    if (!atomic_load_explicit(&port->has_ended, memory_order_acquire) && !look_again(port))
        return NULL;
    soft_service_spin_reset(&port->spin);
    pthread_mutex_lock(&port->lock);
    item = OD_LIST_ENTRY(port->ended.next, struct soft_peer_item, link);
    od_list_remove(&item->link);
    atomic_store_explicit(&port->has_ended, !od_list_is_empty(&port->ended), memory_order_relaxed);
    pthread_mutex_unlock(&port->lock);
    port->under_way--;
    return job_of(item);
}

static int open_epoll(const struct soft_peer_port *port)
{
    struct epoll_event event = {.events = EPOLLIN};
    int fd = epoll_create1(EPOLL_CLOEXEC);

    if (fd < 0 || epoll_ctl(fd, EPOLL_CTL_ADD, port->waker->fd, &event) == 0)
        return fd;
    close(fd);
    return -1;
}

bool soft_peer_port_nap(struct soft_peer_port *port, int *fd)
{
    *fd = port->waker->fd;
    if (port->under_way == 0)
        return false;
    if (atomic_load_explicit(&port->has_ended, memory_order_acquire))
        return true;
    if (port->epoll < 0)
        port->epoll = open_epoll(port);
    if (port->epoll < 0)
        return false;
    *fd = port->epoll;
    return soft_peer_flows_watch(port->epoll);
}
