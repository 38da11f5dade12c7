/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue of an interface: a socket and its memory, half of it for frames that come, half for
 * frames that go. */

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include "soft/nic/af_xdp/module/af_xdp_priv.h"
#include "soft/nic/packet.h"

/* A queue that was closed is free again only after some milliseconds. */
#define BUSY_TRIES 200
#define BUSY_MS    5

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

static int make_area(struct af_xdp_queue *self, const struct af_xdp_queue_conf *conf)
{
    /* Pinned by the kernel, so all of it is touched now. */
    self->area_size = (size_t)2 * conf->ring * conf->frame_size;
    self->area = mmap(NULL, self->area_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (self->area == MAP_FAILED) {
        self->area = NULL;
        return soft_fail(-ENOMEM, "no memory for %u frames", 2 * conf->ring);
    }
    self->free = calloc(conf->ring, sizeof(*self->free));
    if (self->free == NULL)
        return soft_fail(-ENOMEM, "no memory for %u frames", 2 * conf->ring);
    for (uint32_t i = 0; i < conf->ring; i++)
        self->free[self->nfree++] = (uint64_t)(conf->ring + i) * conf->frame_size;
    return 0;
}

/* Between the two calls a queue that was just closed may not be free yet. */
static int make_socket(struct af_xdp_queue *self, const struct af_xdp_queue_conf *conf)
{
    const struct xsk_umem_config memory = {
        .fill_size = conf->ring, .comp_size = conf->ring, .frame_size = conf->frame_size};
    const struct xsk_socket_config config = {
        .rx_size = conf->ring,
        .tx_size = conf->ring,
        .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
        .xdp_flags = conf->generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE,
        .bind_flags = XDP_USE_NEED_WAKEUP | (conf->copy ? XDP_COPY : 0),
    };
    const struct timespec pause = {.tv_nsec = BUSY_MS * 1000000};
    int err;

    for (int tries = 0;; tries++) {
        /* The library leaves parts of them as they are. */
        memset(&self->rx, 0, sizeof(self->rx));
        memset(&self->tx, 0, sizeof(self->tx));
        memset(&self->fill, 0, sizeof(self->fill));
        memset(&self->completed, 0, sizeof(self->completed));
        err = xsk_umem__create(&self->umem, self->area, self->area_size, &self->fill,
                               &self->completed, &memory);
        if (err != 0) {
            self->umem = NULL;
            return fail(err, conf, "memory");
        }
        err = xsk_socket__create(&self->socket, conf->iface, conf->number, self->umem, &self->rx,
                                 &self->tx, &config);
        if (err == 0)
            return 0;
        self->socket = NULL;
        xsk_umem__delete(self->umem);
        self->umem = NULL;
        if (err != -EBUSY || tries == BUSY_TRIES)
            return fail(err, conf,
                        err == -EBUSY ? "another program has it, the socket" : "a socket");
        nanosleep(&pause, NULL);
    }
}

static void fill_all(struct af_xdp_queue *self, uint32_t n)
{
    uint32_t at;

    if (xsk_ring_prod__reserve(&self->fill, n, &at) != n)
        return; /* cannot be: it is as large and empty */
    for (uint32_t i = 0; i < n; i++)
        *xsk_ring_prod__fill_addr(&self->fill, at + i) = (uint64_t)i * self->frame_size;
    xsk_ring_prod__submit(&self->fill, n);
}

static bool kernel_copies(const struct af_xdp_queue *self)
{
    struct xdp_options options = {0};
    socklen_t len = sizeof(options);

    return getsockopt(xsk_socket__fd(self->socket), SOL_XDP, XDP_OPTIONS, &options, &len) != 0 ||
           (options.flags & XDP_OPTIONS_ZEROCOPY) == 0;
}

int af_xdp_queue_open(const struct af_xdp_queue_conf *conf, struct af_xdp_queue **out)
{
    struct af_xdp_queue *self = aligned_alloc(OD_CACHE_LINE, sizeof(*self));
    int err;

    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a queue of an interface");
    memset(self, 0, sizeof(*self));
    self->number = conf->number;
    self->frame_size = conf->frame_size;
    self->local = conf->local;
    err = make_area(self, conf);
    if (err == 0)
        err = make_socket(self, conf);
    if (err != 0) {
        af_xdp_queue_close(self);
        return err;
    }
    fill_all(self, conf->ring);
    self->copies = kernel_copies(self);
    *out = self;
    return 0;
}

void af_xdp_queue_close(struct af_xdp_queue *self)
{
    if (self == NULL)
        return;
    if (self->socket != NULL)
        xsk_socket__delete(self->socket);
    if (self->umem != NULL)
        xsk_umem__delete(self->umem);
    if (self->area != NULL)
        munmap(self->area, self->area_size);
    free(self->free);
    free(self);
}

uint64_t af_xdp_queue_lost(const struct af_xdp_queue *self)
{
    struct xdp_statistics stats = {0};
    socklen_t len = sizeof(stats);

    if (getsockopt(xsk_socket__fd(self->socket), SOL_XDP, XDP_STATISTICS, &stats, &len) != 0)
        return 0;
    return stats.rx_dropped + stats.rx_ring_full;
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

/* Words of the pseudo header, in host order; 0: not TCP or UDP, or not told here. */
static uint32_t pseudo_sum(const uint8_t *ip, bool is_ipv4, uint32_t *proto)
{
    const uint8_t *addresses = is_ipv4 ? ip + 12 : ip + 8;
    uint32_t words = is_ipv4 ? 4 : 16, sum;

    *proto = is_ipv4 ? ip[9] : ip[6];
    if (*proto != IPPROTO_TCP && *proto != IPPROTO_UDP)
        return 0;
    sum = *proto + (is_ipv4 ? soft_nic_get16(ip + 2) - SOFT_NIC_IPV4_LEN : soft_nic_get16(ip + 4));
    for (uint32_t i = 0; i < words; i++)
        sum += soft_nic_get16(addresses + 2 * i);
    return sum;
}

/* The program cannot see that a sum was left open; but then it is that of the pseudo header. Frames
 * with options, tags or extension headers are not looked at. */
static bool is_unsummed(const uint8_t *data, uint32_t len)
{
    const uint8_t *ip = data + SOFT_NIC_ETHER_LEN, *field;
    bool is_ipv4;
    uint32_t sum, proto;

    if (len < SOFT_NIC_ETHER_LEN + SOFT_NIC_IPV4_LEN)
        return false;
    is_ipv4 = soft_nic_get16(data + 12) == ETH_P_IP && ip[0] == 0x45;
    if (!is_ipv4 &&
        (soft_nic_get16(data + 12) != ETH_P_IPV6 || len < SOFT_NIC_ETHER_LEN + SOFT_NIC_IPV6_LEN))
        return false;
    if (is_ipv4 && (soft_nic_get16(ip + 6) & 0x3fff) != 0)
        return false;
    sum = pseudo_sum(ip, is_ipv4, &proto);
    field =
        ip + (is_ipv4 ? SOFT_NIC_IPV4_LEN : SOFT_NIC_IPV6_LEN) + (proto == IPPROTO_TCP ? 16 : 6);
    if (sum == 0 || field + 2 > data + len)
        return false;
    sum = (sum & 0xffff) + (sum >> 16);
    return ((sum & 0xffff) + (sum >> 16)) == soft_nic_get16(field);
}

uint32_t af_xdp_queue_rx(struct af_xdp_queue *self, struct soft_nic_frame *frames, uint32_t max)
{
    uint32_t n = xsk_ring_cons__peek(&self->rx, max, &self->first);

    for (uint32_t i = 0; i < n; i++) {
        const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&self->rx, self->first + i);

        uint8_t *data = (uint8_t *)self->area + desc->addr;

        frames[i] = (struct soft_nic_frame){
            .data = data,
            .len = desc->len,
        };
        /* Another core wrote it; what is waited for now is not waited for once a frame. */
        __builtin_prefetch(data);
    }
    for (uint32_t i = 0; i < n && self->local; i++)
        frames[i].is_unsummed = is_unsummed(frames[i].data, frames[i].len);
    self->held = n;
    return n;
}

/* The places go back to the kernel in the order in which they came. */
void af_xdp_queue_rx_release(struct af_xdp_queue *self)
{
    uint32_t n = self->held, at;

    if (n == 0)
        return;
    /* There is room: no more places are about than the ring has. */
    if (xsk_ring_prod__reserve(&self->fill, n, &at) == n) {
        for (uint32_t i = 0; i < n; i++) {
            uint64_t addr = xsk_ring_cons__rx_desc(&self->rx, self->first + i)->addr;

            *xsk_ring_prod__fill_addr(&self->fill, at + i) =
                addr & ~(uint64_t)(self->frame_size - 1);
        }
        xsk_ring_prod__submit(&self->fill, n);
    }
    xsk_ring_cons__release(&self->rx, n);
    self->held = 0;
    if (od_unlikely(xsk_ring_prod__needs_wakeup(&self->fill)))
        recvfrom(xsk_socket__fd(self->socket), NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

/* ------------------------------------------------------------------------------------------------
 * Sending
 */

/* Places of frames that are out. */
static void reclaim(struct af_xdp_queue *self)
{
    uint32_t at, n = xsk_ring_cons__peek(&self->completed, self->completed.size, &at);

    for (uint32_t i = 0; i < n; i++)
        self->free[self->nfree++] = *xsk_ring_cons__comp_addr(&self->completed, at + i);
    if (n > 0)
        xsk_ring_cons__release(&self->completed, n);
}

static void gather(char *to, const struct soft_nic_tx_frame *frame)
{
    for (uint32_t i = 0; i < frame->npieces; i++) {
        memcpy(to, frame->pieces[i].addr, frame->pieces[i].len);
        to += frame->pieces[i].len;
    }
}

static uint32_t put(struct af_xdp_queue *self, const struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t at;

    n = OD_MIN(n, self->nfree);
    n = OD_MIN(n, xsk_prod_nb_free(&self->tx, n));
    if (n == 0 || xsk_ring_prod__reserve(&self->tx, n, &at) != n)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        struct xdp_desc *desc = xsk_ring_prod__tx_desc(&self->tx, at + i);

        desc->addr = self->free[--self->nfree];
        desc->len = frames[i].len;
        desc->options = 0;
        gather(self->area + desc->addr, &frames[i]);
    }
    xsk_ring_prod__submit(&self->tx, n);
    return n;
}

static uint32_t waiting(const struct af_xdp_queue *self)
{
    return self->tx.cached_prod - __atomic_load_n(self->tx.consumer, __ATOMIC_ACQUIRE);
}

/* Makes the kernel send, which takes some frames a call. 0, or why it does not. */
static int kick(struct af_xdp_queue *self)
{
    uint32_t before = waiting(self);

    while (before > 0 && xsk_ring_prod__needs_wakeup(&self->tx)) {
        uint32_t now;
        int err = 0;

        if (sendto(xsk_socket__fd(self->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) < 0)
            err = errno;
        now = waiting(self);
        if (err != 0 && err != EAGAIN && err != EBUSY && err != ENOBUFS && err != EINTR)
            return -err;
        /* Full for now; the next call goes on. */
        if (err != 0 && now == before)
            return 0;
        before = now;
    }
    return 0;
}

/* A dead interface takes nothing: what was just put comes back, as far as the kernel has not got
 * it. Only where it takes frames in our own calls. */
static uint32_t take_back(struct af_xdp_queue *self, uint32_t n)
{
    uint32_t left = OD_MIN(waiting(self), n);

    for (uint32_t i = 0; i < left; i++)
        self->free[self->nfree++] =
            xsk_ring_prod__tx_desc(&self->tx, self->tx.cached_prod - 1 - i)->addr;
    self->tx.cached_prod -= left;
    __atomic_store_n(self->tx.producer, self->tx.cached_prod, __ATOMIC_RELEASE);
    return left;
}

uint32_t af_xdp_queue_tx(struct af_xdp_queue *self, struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t taken, failed = 0;
    int err;

    while (atomic_exchange_explicit(&self->sending, true, memory_order_acquire))
        sched_yield();
    reclaim(self);
    taken = put(self, frames, n);
    err = kick(self);
    if (od_unlikely(err != 0) && self->copies)
        failed = take_back(self, taken);
    for (uint32_t i = 0; i < taken; i++)
        frames[i].status = i < taken - failed ? 0 : err;
    atomic_store_explicit(&self->sending, false, memory_order_release);
    return taken;
}
