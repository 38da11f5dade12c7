/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue of an interface: its socket, and what comes through it. */

#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "soft/nic/af_xdp/module/af_xdp_priv.h"
#include "soft/nic/iface.h"
#include "soft/nic/packet.h"
#include "util/clock.h"

/* A queue that was closed is free again only after some milliseconds; a busy machine needs more. */
#define BUSY_TRIES 2000
#define BUSY_MS    5

#define LEAVING_NS UINT64_C(1000000000)

#define GRANT 32u /* slots of a ring that are given at once */

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static int fail(int err, const struct af_xdp_queue_conf *conf, const char *what)
{
    if (err == -EPERM || err == -EACCES)
        return soft_fail(-EPERM,
                         "%s of queue %u of interface %s: CAP_NET_RAW is missing; run with it, or "
                         "use a port of kind loop or pcap",
                         what, conf->number, conf->iface);
    return soft_fail(err, "%s of queue %u of interface %s: %s", what, conf->number, conf->iface,
                     strerror(-err));
}

static struct xsk_umem_config memory_config(const struct af_xdp_queue *self)
{
    uint32_t ring = self->slots.num != 0 ? self->slots.num : self->conf.ring;

    return (struct xsk_umem_config){
        .fill_size = ring,
        .comp_size = ring,
        .frame_size = self->conf.frame_size,
        .flags = self->area.stride != 0 ? XDP_UMEM_UNALIGNED_CHUNK_FLAG : 0,
    };
}

/* Frames come in the order of their slots only where the kernel copies them there. */
static struct xsk_socket_config socket_config(const struct af_xdp_queue *self)
{
    const struct af_xdp_queue_conf *conf = &self->conf;
    bool copy = conf->copy || self->area.stride != 0;

    return (struct xsk_socket_config){
        .rx_size = self->slots.num != 0 ? self->slots.num : conf->ring,
        .tx_size = conf->ring,
        .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
        .xdp_flags = conf->generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE,
        .bind_flags = XDP_USE_NEED_WAKEUP | (copy ? XDP_COPY : 0),
    };
}

/* The library maps a ring from its first word on. */
static struct soft_forked ring_of_socket(const void *producer, const void *entries, size_t len)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)producer;
    const uintptr_t to = ((uintptr_t)entries + len + page - 1) & ~(page - 1);

    return (struct soft_forked){
        .fd = -1, .map = (void *)(from & ~(page - 1)), .len = to - (from & ~(page - 1))};
}

/* A child that was forked would keep the queue when we have ended, and so would a program that it
 * execs: the library does not see to that. */
static void keep_from_children(struct af_xdp_queue *self)
{
    const size_t address = sizeof(uint64_t), frame = sizeof(struct xdp_desc);
    const int fd = xsk_socket__fd(self->socket);

    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    self->forked[0] = ring_of_socket(self->rx.producer, self->rx.ring, self->rx.size * frame);
    self->forked[1] = ring_of_socket(self->tx.producer, self->tx.ring, self->tx.size * frame);
    self->forked[2] =
        ring_of_socket(self->fill.producer, self->fill.ring, self->fill.size * address);
    self->forked[3] = ring_of_socket(self->completed.producer, self->completed.ring,
                                     self->completed.size * address);
    self->forked[0].fd = fd;
    self->forked[0].keeps_number = true;
    for (int i = 0; i < AF_XDP_RINGS; i++)
        soft_forked_add(&self->forked[i]);
}

/* Nobody forks meanwhile. -EBUSY: a queue that was just closed may not be free yet; other failures
 * with a reason. */
static int try_socket(struct af_xdp_queue *self)
{
    const struct xsk_umem_config memory = memory_config(self);
    const struct xsk_socket_config config = socket_config(self);
    int err;

    /* The library leaves parts of them as they are. */
    memset(&self->rx, 0, sizeof(self->rx));
    memset(&self->tx, 0, sizeof(self->tx));
    memset(&self->fill, 0, sizeof(self->fill));
    memset(&self->completed, 0, sizeof(self->completed));
    err = xsk_umem__create(&self->umem, self->area.at, self->area.size, &self->fill,
                           &self->completed, &memory);
    if (err != 0) {
        self->umem = NULL;
        return fail(err == -EBUSY ? -EIO : err, &self->conf, "memory");
    }
    err = xsk_socket__create(&self->socket, self->conf.iface, self->conf.number, self->umem,
                             &self->rx, &self->tx, &config);
    if (err == 0) {
        keep_from_children(self);
        return 0;
    }
    self->socket = NULL;
    xsk_umem__delete(self->umem);
    self->umem = NULL;
    return err == -EBUSY ? err : fail(err, &self->conf, "a socket");
}

static int make_socket(struct af_xdp_queue *self)
{
    const struct timespec pause = {.tv_nsec = BUSY_MS * 1000000};
    int err;

    for (int tries = 0;; tries++) {
        soft_forked_enter();
        err = try_socket(self);
        soft_forked_leave();
        if (err != -EBUSY)
            return err;
        if (tries == BUSY_TRIES)
            return fail(err, &self->conf, "another program has it, the socket");
        nanosleep(&pause, NULL);
    }
}

static void fill_all(struct af_xdp_queue *self, uint32_t n)
{
    uint32_t at;

    if (xsk_ring_prod__reserve(&self->fill, n, &at) != n)
        return; /* cannot be: it is as large and empty */
    for (uint32_t i = 0; i < n; i++)
        *xsk_ring_prod__fill_addr(&self->fill, at + i) = (uint64_t)i * self->conf.frame_size;
    xsk_ring_prod__submit(&self->fill, n);
}

static bool kernel_copies(const struct af_xdp_queue *self)
{
    struct xdp_options options = {0};
    socklen_t len = sizeof(options);

    return getsockopt(xsk_socket__fd(self->socket), SOL_XDP, XDP_OPTIONS, &options, &len) != 0 ||
           (options.flags & XDP_OPTIONS_ZEROCOPY) == 0;
}

static int make_own_memory(struct af_xdp_queue *self)
{
    uint32_t ring = self->conf.ring;
    int err = af_xdp_area_own(&self->area, 2 * ring, self->conf.frame_size);

    if (err != 0)
        return err;
    self->free = calloc(ring, sizeof(*self->free));
    if (self->free == NULL)
        return soft_fail(-ENOMEM, "no memory for %u frames", 2 * ring);
    for (self->nfree = 0; self->nfree < ring; self->nfree++)
        self->free[self->nfree] = (uint64_t)(ring + self->nfree) * self->conf.frame_size;
    return 0;
}

static int make_ring_memory(struct af_xdp_queue *self, const struct soft_nic_area *ring)
{
    if (!af_xdp_slots_open(&self->slots, ring->num))
        return soft_fail(-ENOMEM, "no memory for a ring of %u slots", ring->num);
    return af_xdp_area_of_ring(&self->area, ring, self->conf.frame_size);
}

static void stop(struct af_xdp_queue *self)
{
    if (self->socket != NULL)
        self->lost = af_xdp_queue_lost(self);
    soft_forked_enter();
    for (int i = 0; i < AF_XDP_RINGS; i++)
        soft_forked_remove(&self->forked[i]);
    if (self->socket != NULL)
        xsk_socket__delete(self->socket);
    if (self->umem != NULL)
        xsk_umem__delete(self->umem);
    soft_forked_leave();
    self->socket = NULL;
    self->umem = NULL;
    af_xdp_area_free(&self->area);
    af_xdp_slots_close(&self->slots);
    free(self->free);
    self->free = NULL;
    self->held = 0;
    atomic_store_explicit(&self->is_stuck, false, memory_order_relaxed);
}

static int start(struct af_xdp_queue *self, const struct soft_nic_area *ring)
{
    int err = ring != NULL ? make_ring_memory(self, ring) : make_own_memory(self);

    if (err == 0)
        err = make_socket(self);
    if (err != 0) {
        stop(self);
        return err;
    }
    if (ring == NULL)
        fill_all(self, self->conf.ring);
    self->copies = kernel_copies(self);
    if (self->copies && self->conf.is_local)
        soft_nic_limit_unseen(xsk_socket__fd(self->socket));
    return 0;
}

int af_xdp_queue_open(const struct af_xdp_queue_conf *conf, struct af_xdp_queue **out)
{
    struct af_xdp_queue *self = aligned_alloc(OD_CACHE_LINE, sizeof(*self));
    int err;

    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a queue of an interface");
    memset(self, 0, sizeof(*self));
    self->conf = *conf;
    err = start(self, NULL);
    if (err != 0) {
        free(self);
        return err;
    }
    *out = self;
    return 0;
}

/* What was sent leaves; no longer than it can take. */
static void finish_sending(struct af_xdp_queue *self)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const uint64_t end = od_now_ns() + LEAVING_NS;

    for (;;) {
        const uint64_t now = od_now_ns();

        af_xdp_queue_carry_on(self);
        if (!atomic_load_explicit(&self->is_stuck, memory_order_relaxed) || now >= end)
            return;
        nanosleep(&pause, NULL);
    }
}

void af_xdp_queue_close(struct af_xdp_queue *self)
{
    if (self == NULL)
        return;
    finish_sending(self);
    stop(self);
    free(self);
}

int af_xdp_queue_reopen(struct af_xdp_queue *self, const struct soft_nic_area *ring)
{
    int err;

    af_xdp_queue_lock_sending(self);
    stop(self);
    err = start(self, ring);
    af_xdp_queue_unlock_sending(self);
    return err;
}

uint64_t af_xdp_queue_lost(const struct af_xdp_queue *self)
{
    struct xdp_statistics stats = {0};
    socklen_t len = sizeof(stats);

    if (self->socket == NULL ||
        getsockopt(xsk_socket__fd(self->socket), SOL_XDP, XDP_STATISTICS, &stats, &len) != 0)
        return self->lost;
    return self->lost + stats.rx_dropped + stats.rx_ring_full;
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

/* Once the program has seen a frame that looks so, all are looked at. */
static OD_COLD void find_unsummed(struct soft_nic_frame *frames, uint32_t n)
{
    struct soft_nic_packet packet;

    for (uint32_t i = 0; i < n; i++) {
        soft_nic_parse(frames[i].data, frames[i].len, &packet);
        frames[i].is_unsummed = soft_nic_l4_is_open(frames[i].data, &packet);
    }
}

static uint32_t peek(struct af_xdp_queue *self, uint32_t max)
{
    return self->socket != NULL ? xsk_ring_cons__peek(&self->rx, max, &self->first) : 0;
}

uint32_t af_xdp_queue_waiting(const struct af_xdp_queue *self)
{
    return self->socket != NULL
               ? __atomic_load_n(self->rx.producer, __ATOMIC_RELAXED) - self->rx.cached_cons
               : 0;
}

uint32_t af_xdp_queue_rx(struct af_xdp_queue *self, struct soft_nic_frame *frames, uint32_t max)
{
    uint32_t n = peek(self, max);

    for (uint32_t i = 0; i < n; i++) {
        const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&self->rx, self->first + i);
        uint8_t *data = (uint8_t *)self->area.at + desc->addr;

        if (self->area.stride != 0)
            data = (uint8_t *)self->area.slot +
                   (size_t)af_xdp_slots_take(&self->slots) * self->area.stride;
        else
            /* Another core wrote it; what is waited for now is not waited for once a frame. What is
             * where it belongs need not be looked at here. */
            __builtin_prefetch(data);
        frames[i] = (struct soft_nic_frame){
            .data = data,
            .len = desc->len,
        };
    }
    if (self->conf.sums != NULL && *self->conf.sums == AF_XDP_SUMS_OPEN)
        find_unsummed(frames, n);
    self->held = n;
    self->is_idle = n == 0;
    return n;
}

static void wake_up(struct af_xdp_queue *self)
{
    if (od_unlikely(xsk_ring_prod__needs_wakeup(&self->fill)))
        recvfrom(xsk_socket__fd(self->socket), NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

/* The places go back to the kernel in the order in which they came. */
static void give_back(struct af_xdp_queue *self, uint32_t n)
{
    uint32_t at;

    /* There is room: no more places are about than the ring has. */
    if (xsk_ring_prod__reserve(&self->fill, n, &at) == n) {
        for (uint32_t i = 0; i < n; i++) {
            uint64_t addr = xsk_ring_cons__rx_desc(&self->rx, self->first + i)->addr;

            *xsk_ring_prod__fill_addr(&self->fill, at + i) =
                addr & ~(uint64_t)(self->conf.frame_size - 1);
        }
        xsk_ring_prod__submit(&self->fill, n);
    }
}

void af_xdp_queue_rx_release(struct af_xdp_queue *self)
{
    uint32_t n = self->held;

    if (n == 0)
        return;
    if (self->area.stride == 0)
        give_back(self, n); /* those of a ring when their packets were read */
    xsk_ring_cons__release(&self->rx, n);
    self->held = 0;
    wake_up(self);
}

/* A few at a time are not worth the way to the other core, while frames come. */
static bool is_worth_it(const struct af_xdp_queue *self)
{
    uint32_t due = af_xdp_slots_due(&self->slots);

    return self->is_idle || due >= OD_MIN(GRANT, self->slots.num / 4) ||
           due > af_xdp_slots_out(&self->slots);
}

void af_xdp_queue_grant(struct af_xdp_queue *self, uint64_t next, uint64_t end)
{
    uint32_t due, at, n = 0;

    self->slots.next = next;
    self->slots.end = end;
    if (self->socket == NULL || !is_worth_it(self))
        return;
    due = af_xdp_slots_due(&self->slots);
    due = OD_MIN(due, xsk_prod_nb_free(&self->fill, due));
    at = self->fill.cached_prod;
    while (n < due) {
        uint32_t slot = af_xdp_slots_give(&self->slots);

        if (slot == AF_XDP_NO_SLOT)
            break;
        *xsk_ring_prod__fill_addr(&self->fill, at + n++) =
            self->area.first + (uint64_t)slot * self->area.stride;
    }
    self->fill.cached_prod += n;
    if (n == 0)
        return;
    xsk_ring_prod__submit(&self->fill, n);
    wake_up(self);
}
