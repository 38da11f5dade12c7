/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports over AF_XDP: the program decides which frames stay with the network stack, the others come
 * through a socket for each queue of the interface. */

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/nic/af_xdp/module/af_xdp_priv.h"
#include "soft/nic/af_xdp/module/pace.h"
#include "soft/nic/iface.h"
#include "util/clock.h"

/* A header and two tags, as the port class allows them. */
#define HEADERS 22u

/* Slots of a program's ring that can be the memory of the socket. A slot that was read is the
 * kernel's again at the next look only: fewer would not last until then. */
#define RING_MIN 512u
#define RING_MAX 65536u

struct af_xdp {
    struct soft_nic_backend base;
    struct soft_af_xdp_conf conf;
    int ifindex;
    int fd; /* a packet socket: makes the interface promiscuous, asks about it */
    int poll_fd;
    uint32_t mtu;
    uint8_t mac[6];
    bool generic;
    uint32_t longest; /* frame that a place of the port's own has room for */
    char mode[32];
    char in_place_mode[32];
    bool loses_tags;
    _Atomic bool in_place; /* frames come into the ring of a program */
    struct af_xdp_program *program;
    uint32_t nqueues;
    uint32_t next; /* queue that is looked at first */
    struct af_xdp_queue *held;
    struct af_xdp_pace pace;
    _Atomic uint32_t senders;
    struct af_xdp_queue *queues[AF_XDP_QUEUES];
};

struct af_xdp_tx {
    struct soft_nic_backend_tx base;
    struct af_xdp_queue *queue;
};

static const struct soft_nic_ops ops;

static struct af_xdp *from_base(const struct soft_nic_backend *backend)
{
    return OD_CONTAINER_OF((struct soft_nic_backend *)(uintptr_t)backend, struct af_xdp, base);
}

/* ------------------------------------------------------------------------------------------------
 * The interface
 */

static int fail(int err, const struct af_xdp *self, const char *what)
{
    if (err == -EPERM || err == -EACCES)
        return soft_fail(-EPERM,
                         "%s of interface %s: CAP_NET_RAW is missing; run with it, or use a port "
                         "of kind loop or pcap",
                         what, self->conf.iface);
    return soft_fail(err, "%s of interface %s: %s", what, self->conf.iface, strerror(-err));
}

static int ask_interface(struct af_xdp *self)
{
    struct ifreq ifr = {0};

    memcpy(ifr.ifr_name, self->conf.iface, sizeof(ifr.ifr_name));
    if (ioctl(self->fd, SIOCGIFINDEX, &ifr) != 0)
        return soft_fail(-ENODEV,
                         "there is no interface %s in this network namespace; see 'ip link'",
                         self->conf.iface);
    self->ifindex = ifr.ifr_ifindex;
    if (ioctl(self->fd, SIOCGIFMTU, &ifr) != 0)
        return fail(-errno, self, "the MTU");
    self->mtu = (uint32_t)ifr.ifr_mtu;
    if (ioctl(self->fd, SIOCGIFHWADDR, &ifr) != 0)
        return fail(-errno, self, "the address");
    memcpy(self->mac, ifr.ifr_hwaddr.sa_data, sizeof(self->mac));
    return 0;
}

/* The interface takes tags out of frames, or those who send here leave them to the other end, which
 * is most likely like this one. */
static bool has_tags_beside(const struct af_xdp *self)
{
    struct ethtool_value flags = {.cmd = ETHTOOL_GFLAGS};
    struct ifreq ifr = {.ifr_data = (char *)&flags};

    memcpy(ifr.ifr_name, self->conf.iface, sizeof(ifr.ifr_name));
    return ioctl(self->fd, SIOCETHTOOL, &ifr) == 0 &&
           (flags.data & (soft_nic_is_local(self->fd, self->conf.iface) ? ETH_FLAG_TXVLAN
                                                                        : ETH_FLAG_RXVLAN)) != 0;
}

static uint32_t count_queues(const struct af_xdp *self)
{
    struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
    struct ifreq ifr = {.ifr_data = (char *)&channels};
    uint32_t n = 1;

    memcpy(ifr.ifr_name, self->conf.iface, sizeof(ifr.ifr_name));
    if (ioctl(self->fd, SIOCETHTOOL, &ifr) == 0)
        n = OD_MAX(channels.combined_count + channels.rx_count, 1u);
    n = OD_MIN(n, AF_XDP_QUEUES);
    return self->conf.queues != 0 ? OD_MIN(self->conf.queues, n) : n;
}

/* Frames for others arrive as well, for as long as the socket lives. */
static int open_interface(struct af_xdp *self)
{
    struct packet_mreq all = {.mr_type = PACKET_MR_PROMISC};
    int yes = 1, err;

    self->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (self->fd < 0)
        return fail(-errno, self, "a packet socket");
    err = ask_interface(self);
    if (err != 0)
        return err;
    /* What is sent here does not wait for others. */
    (void)setsockopt(self->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &yes, sizeof(yes));
    if (soft_nic_is_local(self->fd, self->conf.iface))
        soft_nic_limit_unseen(self->fd);
    all.mr_ifindex = self->ifindex;
    if (setsockopt(self->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) != 0)
        return fail(-errno, self, "promiscuous mode");
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static int choose_frame_size(const struct af_xdp *self, uint32_t *size)
{
    *size = self->mtu + HEADERS <= 2048 - AF_XDP_HEADROOM ? 2048 : 4096;
    if (self->mtu + HEADERS > *size - AF_XDP_HEADROOM)
        return soft_fail(-EINVAL,
                         "interface %s has an MTU of %u, AF_XDP can do %u; make it smaller or use "
                         "af_packet:%s",
                         self->conf.iface, self->mtu, *size - AF_XDP_HEADROOM - HEADERS,
                         self->conf.iface);
    return 0;
}

/* 0: to be attached to the stack. */
static int load(struct af_xdp *self, int ifindex)
{
    int err;

    af_xdp_program_unload(self->program);
    self->program = NULL;
    err = af_xdp_program_load(ifindex, &self->program);
    if (err == 0)
        af_xdp_program_set_longest(self->program, self->longest);
    return err;
}

static int attach(struct af_xdp *self)
{
    int err = -EOPNOTSUPP;

    if (self->conf.mode != SOFT_AF_XDP_GENERIC)
        err = af_xdp_program_attach(self->program, self->ifindex, false);
    self->generic =
        self->conf.mode == SOFT_AF_XDP_GENERIC ||
        (self->conf.mode == SOFT_AF_XDP_AUTO && err != 0 && err != -EPERM && err != -EBUSY);
    if (!self->generic)
        return err;
    err = load(self, 0);
    return err == 0 ? af_xdp_program_attach(self->program, self->ifindex, true) : err;
}

/* Its socket is a new one. */
static int connect_queue(struct af_xdp *self, struct af_xdp_queue *queue)
{
    struct epoll_event event = {.events = EPOLLIN};
    int fd = xsk_socket__fd(queue->socket);
    int err = af_xdp_program_add_socket(self->program, queue->conf.number, fd);

    if (err != 0)
        return err;
    return epoll_ctl(self->poll_fd, EPOLL_CTL_ADD, fd, &event) == 0
               ? 0
               : fail(-errno, self, "watching a socket");
}

static int open_queues(struct af_xdp *self, uint32_t frame_size)
{
    struct af_xdp_queue_conf conf = {
        .iface = self->conf.iface,
        .ifindex = self->ifindex,
        .packet_fd = self->fd,
        .ring = self->conf.ring,
        .frame_size = frame_size,
        .generic = self->generic,
        .is_local = soft_nic_is_local(self->fd, self->conf.iface),
        .sums = soft_nic_is_local(self->fd, self->conf.iface)
                    ? af_xdp_program_watch_sums(self->program)
                    : NULL,
        .copy = self->generic || self->conf.mode == SOFT_AF_XDP_COPY,
    };
    uint32_t n = count_queues(self);

    for (conf.number = 0; conf.number < n; conf.number++) {
        struct af_xdp_queue *queue;
        int err = af_xdp_queue_open(&conf, &queue);

        if (err != 0)
            return err;
        self->queues[self->nqueues++] = queue;
        err = connect_queue(self, queue);
        if (err != 0)
            return err;
    }
    return 0;
}

static void close_port(struct soft_nic_backend *backend)
{
    struct af_xdp *self = from_base(backend);

    af_xdp_program_unload(self->program);
    for (uint32_t i = 0; i < self->nqueues; i++)
        af_xdp_queue_close(self->queues[i]);
    if (self->poll_fd >= 0)
        close(self->poll_fd);
    if (self->fd >= 0)
        close(self->fd);
    free(self);
}

static int start(struct af_xdp *self)
{
    uint32_t frame_size;
    int err = open_interface(self);

    if (err == 0)
        err = choose_frame_size(self, &frame_size);
    if (err != 0)
        return err;
    self->longest = frame_size - AF_XDP_HEADROOM;
    err = self->conf.mode == SOFT_AF_XDP_GENERIC ? 0 : load(self, self->ifindex);
    if (err == 0)
        err = attach(self);
    if (err != 0)
        return err;
    self->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    return self->poll_fd < 0 ? fail(-errno, self, "watching sockets")
                             : open_queues(self, frame_size);
}

static int open_port(const struct soft_af_xdp_conf *conf, struct soft_nic_backend **backend)
{
    struct af_xdp *self = calloc(1, sizeof(*self));
    int err;

    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a port");
    self->base.ops = &ops;
    self->conf = *conf;
    self->fd = -1;
    self->poll_fd = -1;
    err = start(self);
    if (err != 0) {
        close_port(&self->base);
        return err;
    }
    snprintf(self->mode, sizeof(self->mode), "%s, %s, %u queue%s",
             self->generic ? "generic" : "native",
             self->queues[0]->copies ? "two copies" : "one copy", self->nqueues,
             self->nqueues == 1 ? "" : "s");
    self->loses_tags = !af_xdp_program_knows_tags(self->program) && has_tags_beside(self);
    snprintf(self->in_place_mode, sizeof(self->in_place_mode), "%s, in place, 1 queue",
             self->generic ? "generic" : "native");
    *backend = &self->base;
    return 0;
}

static void info(const struct soft_nic_backend *backend, struct soft_nic_port_info *out)
{
    const struct af_xdp *self = from_base(backend);

    *out = (struct soft_nic_port_info){.kind = "af_xdp",
                                       .where = self->conf.iface,
                                       .mode = self->in_place ? self->in_place_mode : self->mode,
                                       .mtu = self->mtu,
                                       .loses_tags = self->loses_tags};
    soft_nic_ask_link(self->fd, self->ifindex, out);
    memcpy(out->mac, self->mac, sizeof(out->mac));
}

static void carry_on(struct af_xdp *self)
{
    for (uint32_t i = 0; i < self->nqueues; i++)
        af_xdp_queue_carry_on(self->queues[i]);
}

/* Asked several times a second, whoever uses the port. */
static void outside(struct soft_nic_backend *backend, struct soft_nic_outside *sum)
{
    struct af_xdp *self = from_base(backend);
    struct af_xdp_sum program;

    carry_on(self);
    af_xdp_program_sums(self->program, &program);
    sum->kernel = program.passed;
    sum->oversize = program.oversize;
    sum->kernel_bytes = program.passed_bytes;
    sum->oversize_bytes = program.oversize_bytes;
    for (uint32_t i = 0; i < self->nqueues; i++)
        sum->lost += af_xdp_queue_lost(self->queues[i]);
}

static bool never_patient(const struct soft_nic_backend *backend)
{
    (void)backend;
    return false;
}

static int claim(struct soft_nic_backend *backend, const struct soft_nic_claim *what, bool on)
{
    return af_xdp_program_claim(from_base(backend)->program, what, on);
}

static bool to_stack(struct soft_nic_backend *backend, const struct soft_nic_frame *frame)
{
    struct af_xdp *self = from_base(backend);

    return af_xdp_program_to_stack(self->program, self->ifindex, frame->data, frame->len);
}

/* ------------------------------------------------------------------------------------------------
 * Memory of a program
 */

/* A driver that does not copy gives slots back in another order than it took them. */
static bool can_be_in_place(const struct af_xdp *self, const struct soft_nic_area *ring)
{
    return self->nqueues == 1 && (self->in_place || self->queues[0]->copies) &&
           ring->num >= RING_MIN && ring->num <= RING_MAX;
}

static int reopen(struct af_xdp *self, const struct soft_nic_area *ring)
{
    struct af_xdp_queue *queue = self->queues[0];
    int err;

    af_xdp_program_set_longest(self->program,
                               ring != NULL ? OD_MIN(self->longest, ring->stride) : self->longest);
    err = af_xdp_queue_reopen(queue, ring);
    if (err == 0)
        err = connect_queue(self, queue);
    self->in_place = err == 0 && ring != NULL;
    return err;
}

static int place(struct soft_nic_backend *backend, const struct soft_nic_area *ring)
{
    struct af_xdp *self = from_base(backend);

    if (ring == NULL)
        return self->in_place || self->queues[0]->socket == NULL ? reopen(self, NULL) : 0;
    if (!can_be_in_place(self, ring))
        return 1;
    if (reopen(self, ring) == 0)
        return 0;
    return reopen(self, NULL) == 0 ? 1 : -EIO;
}

static void grant(struct soft_nic_backend *backend, uint64_t next, uint64_t end)
{
    af_xdp_queue_grant(from_base(backend)->queues[0], next, end);
}

/* ------------------------------------------------------------------------------------------------
 * Frames
 */

static uint32_t count_waiting(const struct af_xdp *self)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < self->nqueues; i++)
        n += af_xdp_queue_waiting(self->queues[i]);
    return n;
}

static bool has_to_wait(struct af_xdp *self)
{
    struct af_xdp_pace *pace = &self->pace;
    uint64_t now;

    if (pace->until == 0)
        return false;
    now = od_now_ns();
    if (od_unlikely(af_xdp_pace_asks(pace, now)))
        af_xdp_pace_tell(pace, now, count_waiting(self));
    return af_xdp_pace_waits(pace, now);
}

static uint32_t look(struct af_xdp *self, struct soft_nic_frame *frames, uint32_t max)
{
    for (uint32_t i = 0; i < self->nqueues; i++) {
        struct af_xdp_queue *queue = self->queues[self->next];
        uint32_t n = af_xdp_queue_rx(queue, frames, max);

        self->next = self->next + 1 == self->nqueues ? 0 : self->next + 1;
        if (n > 0) {
            self->held = queue;
            return n;
        }
    }
    return 0;
}

static uint32_t rx(struct soft_nic_backend *backend, struct soft_nic_frame *frames, uint32_t max)
{
    struct af_xdp *self = from_base(backend);
    uint32_t n;

    if (has_to_wait(self))
        return 0;
    n = look(self, frames, max);
    if (n == 0) {
        af_xdp_pace_empty(&self->pace, od_now_ns());
        carry_on(self);
    }
    self->pace.frames += n;
    return n;
}

static void rx_release(struct soft_nic_backend *backend)
{
    af_xdp_queue_rx_release(from_base(backend)->held);
}

static int sleep_fd(struct soft_nic_backend *backend)
{
    struct af_xdp *self = from_base(backend);

    self->pace.until = 0;
    return self->poll_fd;
}

static int tx_open(struct soft_nic_backend *backend, struct soft_nic_backend_tx **out)
{
    struct af_xdp *self = from_base(backend);
    struct af_xdp_tx *tx = calloc(1, sizeof(*tx));

    if (tx == NULL)
        return soft_fail(-ENOMEM, "no memory for a send queue");
    tx->base.ops = &ops;
    tx->queue = self->queues[atomic_fetch_add(&self->senders, 1) % self->nqueues];
    *out = &tx->base;
    return 0;
}

static void tx_close(struct soft_nic_backend_tx *base)
{
    free(OD_CONTAINER_OF(base, struct af_xdp_tx, base));
}

static uint32_t tx(struct soft_nic_backend_tx *base, struct soft_nic_tx_frame *frames, uint32_t n)
{
    return af_xdp_queue_tx(OD_CONTAINER_OF(base, struct af_xdp_tx, base)->queue, frames, n);
}

static const struct soft_nic_ops ops = {
    .name = "af_xdp",
    .is_patient = never_patient,
    .open = NULL, /* the door is outside of the module */
    .close = close_port,
    .rx = rx,
    .rx_release = rx_release,
    .sleep_fd = sleep_fd,
    .tx_open = tx_open,
    .tx_close = tx_close,
    .tx = tx,
    .info = info,
    .outside = outside,
    .claim = claim,
    .to_stack = to_stack,
    .place = place,
    .grant = grant,
};

extern const struct soft_af_xdp_module soft_af_xdp_module;

__attribute__((visibility("default"))) const struct soft_af_xdp_module soft_af_xdp_module = {
    .head = {SOFT_AF_XDP_MODULE_VERSION, sizeof(soft_af_xdp_module)},
    .open = open_port,
};
