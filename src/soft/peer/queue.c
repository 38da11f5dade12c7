/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/peer/peer_priv.h"
#include "soft/service/shared.h"

/* Queues: memory that both processes write, and a bell for the one that sleeps. */

int soft_peer_queue_open(size_t len, struct soft_peer_queue *queue)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t whole = (len + page - 1) & ~(page - 1);
    void *addr;
    int fd, rc;

    rc = soft_service_shared_create("opendoca-queue", whole, &addr, &fd);
    if (rc != 0)
        return soft_fail(rc, "no shared memory of %zu bytes for a queue: %s", whole, strerror(-rc));
    *queue = (struct soft_peer_queue){.addr = addr, .len = whole, .fd = fd};
    return 0;
}

void soft_peer_queue_close(struct soft_peer_queue *queue)
{
    if (queue->addr == NULL)
        return;
    munmap(queue->addr, queue->len);
    close(queue->fd);
    *queue = (struct soft_peer_queue){0};
}

/* Without the connection's lock: a packet is sent whole, whoever else sends or waits. */
static int ring_now(struct soft_peer_map *map)
{
    union soft_peer_msg msg = {.ring = {.cell = map->index}};
    size_t size = soft_peer_wire_seal(&msg, PEER_MSG_RING, 0, 0);

    if (send(map->conn->sock, &msg, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size)
        return 0;
    return errno == EAGAIN || errno == EINTR ? -EAGAIN : -ENOTCONN;
}

void soft_peer_ring_owed(struct soft_peer_conn *conn)
{
    bool full = false;

    OD_LIST_FOR_EACH(link, &conn->maps)
    {
        struct soft_peer_map *map = OD_LIST_ENTRY(link, struct soft_peer_map, link);

        if (!full && map->owes_ring)
            full = map->owes_ring = ring_now(map) == -EAGAIN;
    }
    if (!full)
        soft_service_watch_events(&conn->watch, PEER_CONN_EVENTS);
}

int soft_peer_ring(struct soft_peer_map *map)
{
    union soft_peer_msg msg = {.ring = {.cell = map->index}};
    int rc;

    if (map->conn->remote != NULL)
        return soft_peer_flow_tell(map->conn, &msg, PEER_MSG_RING) == 0 ? 0 : -EAGAIN;
    rc = ring_now(map);
    if (od_likely(rc != -EAGAIN))
        return rc;
    /* The exporter stands still: the background thread rings as soon as there is room. */
    soft_service_lock();
    map->owes_ring = true;
    soft_service_watch_events(&map->conn->watch, PEER_CONN_EVENTS | EPOLLOUT);
    soft_service_unlock();
    return 0;
}
