/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet sockets: every interface, at the price that the stack sees all frames as well. Receiving
 * goes through blocks of memory shared with the kernel (TPACKET_V3), sending through a socket of
 * each send queue. */

#include <errno.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/nic/iface.h"
#include "soft/nic/nic_priv.h"
#include "util/cleanup.h"

#define VLAN_BYTES 4u
/* The kernel puts a tag that it took off beside the frame; it goes back in front of it. */
#define HEADROOM 64u
/* The kernel hands a block over after a millisecond, also with a single frame in it: who stands
 * still while frames trickle in loses none for as many milliseconds as there are blocks. Hence many
 * small ones; each has room for some frames of the interface. */
#define RING_BYTES     (8u << 20)
#define SMALLEST_BLOCK 16384u
#define LARGEST_BLOCK  (16u << 20)
#define BLOCK_FRAMES   4u

struct af_packet {
    struct soft_nic_backend base;
    char iface[IFNAMSIZ];
    int ifindex;
    int fd;
    int tx_fd; /* of all send queues: so many frames of all of them are on their way at most */
    uint32_t mtu;
    uint8_t mac[6];
    char *ring;
    uint32_t block_size;
    uint32_t nblocks;
    uint32_t block;            /* that is read next, or being read */
    struct tpacket3_hdr *next; /* in it; NULL: it was not begun */
    uint32_t left;             /* frames of it that were not given out */
    bool is_read;              /* all of it was given out: it goes back at release */
    uint64_t lost;
};

static struct af_packet *from_base(struct soft_nic_backend *backend)
{
    return OD_CONTAINER_OF(backend, struct af_packet, base);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static int fail_socket(int err, const char *iface, const char *what)
{
    if (err == EPERM || err == EACCES)
        return soft_fail(-EPERM,
                         "%s of interface %s: CAP_NET_RAW is missing; run with it, or use a port "
                         "of kind loop or pcap",
                         what, iface);
    return soft_fail(-err, "%s of interface %s: %s", what, iface, strerror(err));
}

static int ask_interface(struct af_packet *self)
{
    OD_AUTO_FD int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq ifr = {0};

    if (fd < 0)
        return fail_socket(errno, self->iface, "a socket");
    memcpy(ifr.ifr_name, self->iface, sizeof(ifr.ifr_name));
    if (ioctl(fd, SIOCGIFINDEX, &ifr) != 0)
        return soft_fail(-ENODEV,
                         "there is no interface %s in this network namespace; see 'ip link'",
                         self->iface);
    self->ifindex = ifr.ifr_ifindex;
    if (ioctl(fd, SIOCGIFMTU, &ifr) != 0)
        return fail_socket(errno, self->iface, "the MTU");
    self->mtu = (uint32_t)ifr.ifr_mtu;
    if (ioctl(fd, SIOCGIFHWADDR, &ifr) != 0)
        return fail_socket(errno, self->iface, "the address");
    memcpy(self->mac, ifr.ifr_hwaddr.sa_data, sizeof(self->mac));
    return 0;
}

static int map_ring(struct af_packet *self)
{
    const int version = TPACKET_V3, headroom = HEADROOM;
    struct tpacket_req3 req = {
        .tp_block_size = self->block_size,
        .tp_block_nr = self->nblocks,
        .tp_frame_size = 2048, /* only has to divide; frames are as long as they are */
        .tp_frame_nr = self->block_size / 2048 * self->nblocks,
        .tp_retire_blk_tov = 1, /* ms until a block that is not full is handed over */
    };

    if (setsockopt(self->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) != 0 ||
        setsockopt(self->fd, SOL_PACKET, PACKET_RESERVE, &headroom, sizeof(headroom)) != 0 ||
        setsockopt(self->fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)) != 0)
        return fail_socket(errno, self->iface, "the receive ring");
    self->ring = mmap(NULL, (size_t)self->block_size * self->nblocks, PROT_READ | PROT_WRITE,
                      MAP_SHARED, self->fd, 0);
    if (self->ring == MAP_FAILED) {
        self->ring = NULL;
        return fail_socket(errno, self->iface, "the receive ring's memory");
    }
    return 0;
}

/* Frames for others arrive as well, and nothing before the ring is there. */
static int bind_socket(struct af_packet *self)
{
    const struct sockaddr_ll addr = {
        .sll_family = AF_PACKET, .sll_protocol = htobe16(ETH_P_ALL), .sll_ifindex = self->ifindex};
    const struct packet_mreq all = {.mr_ifindex = self->ifindex, .mr_type = PACKET_MR_PROMISC};
    const int yes = 1;

    /* Own frames are not received; older kernels show their type. */
    setsockopt(self->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof(yes));
    if (setsockopt(self->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) != 0)
        return fail_socket(errno, self->iface, "promiscuous mode");
    if (bind(self->fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0)
        return fail_socket(errno, self->iface, "binding");
    return 0;
}

static void af_packet_close(struct soft_nic_backend *backend)
{
    struct af_packet *self = from_base(backend);

    if (self->ring != NULL)
        munmap(self->ring, (size_t)self->block_size * self->nblocks);
    if (self->fd >= 0)
        close(self->fd);
    if (self->tx_fd >= 0)
        close(self->tx_fd);
    free(self);
}

static int open_sending(struct af_packet *self)
{
    const struct sockaddr_ll addr = {
        .sll_family = AF_PACKET, .sll_protocol = 0, .sll_ifindex = self->ifindex};
    const int yes = 1;

    self->tx_fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (self->tx_fd < 0)
        return fail_socket(errno, self->iface, "a packet socket");
    if (bind(self->tx_fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0)
        return fail_socket(errno, self->iface, "binding");
    /* Without it the queueing discipline has a say; slower, but fine. */
    setsockopt(self->tx_fd, SOL_PACKET, PACKET_QDISC_BYPASS, &yes, sizeof(yes));
    if (soft_nic_is_local(self->tx_fd, self->iface))
        soft_nic_limit_unseen(self->tx_fd);
    return 0;
}

static int read_spec(struct af_packet *self, const struct soft_nic_spec *spec,
                     const struct soft_device *device)
{
    static const char *const keys[] = {"blocks", "block_size", NULL};
    const char *iface = spec->where[0] != '\0' ? spec->where : device->iface;
    uint64_t blocks = 0, block_size = 0; /* set once the MTU is known */
    int err = soft_nic_spec_check(spec, keys);

    if (err == 0)
        err = soft_nic_spec_number(spec, "blocks", 2, 4096, &blocks);
    if (err == 0)
        err = soft_nic_spec_number(spec, "block_size", SMALLEST_BLOCK, LARGEST_BLOCK, &block_size);
    if (err != 0)
        return err;
    if ((block_size & (block_size - 1)) != 0)
        return soft_fail(-EINVAL, "block_size is %" PRIu64 ", allowed: a power of two", block_size);
    if (iface[0] == '\0' || strlen(iface) >= sizeof(self->iface))
        return soft_fail(-EINVAL, "'%.40s' is no name of an interface; write af_packet:veth0",
                         iface);
    memcpy(self->iface, iface, strlen(iface));
    self->nblocks = (uint32_t)blocks;
    self->block_size = (uint32_t)block_size;
    return 0;
}

static int af_packet_check_text(const struct soft_nic_spec *spec, const struct soft_device *device)
{
    struct af_packet unused = {0};

    return read_spec(&unused, spec, device);
}

/* What nobody has set. */
static void choose_ring(struct af_packet *self)
{
    if (self->block_size == 0) {
        self->block_size = SMALLEST_BLOCK;
        while (self->block_size < (uint64_t)BLOCK_FRAMES * self->mtu &&
               self->block_size < LARGEST_BLOCK)
            self->block_size *= 2;
    }
    if (self->nblocks == 0)
        self->nblocks = OD_MAX(RING_BYTES / self->block_size, 2u);
}

static int af_packet_open(const struct soft_nic_spec *spec, const struct soft_device *device,
                          struct soft_nic_backend **backend)
{
    struct af_packet *self = calloc(1, sizeof(*self));
    int err;

    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a port");
    self->base.ops = &soft_nic_af_packet_ops;
    self->fd = -1;
    self->tx_fd = -1;
    err = read_spec(self, spec, device);
    if (err == 0)
        err = ask_interface(self);
    if (err != 0)
        goto err_close;
    choose_ring(self);
    self->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (self->fd < 0) {
        err = fail_socket(errno, self->iface, "a packet socket");
        goto err_close;
    }
    err = map_ring(self);
    if (err == 0)
        err = bind_socket(self);
    if (err == 0)
        err = open_sending(self);
    if (err != 0)
        goto err_close;
    *backend = &self->base;
    return 0;

err_close:
    af_packet_close(&self->base);
    return err;
}

static void af_packet_info(const struct soft_nic_backend *backend, struct soft_nic_port_info *info)
{
    const struct af_packet *self = OD_CONTAINER_OF(backend, const struct af_packet, base);

    *info = (struct soft_nic_port_info){.kind = "af_packet",
                                        .where = self->iface,
                                        .mode = "TPACKET_V3, one copy",
                                        .mtu = self->mtu,
                                        .stack_sees_all = true};
    memcpy(info->mac, self->mac, sizeof(info->mac));
    soft_nic_ask_link(self->fd, self->ifindex, info);
}

static void af_packet_outside(struct soft_nic_backend *backend, struct soft_nic_outside *sum)
{
    struct af_packet *self = from_base(backend);
    struct tpacket_stats_v3 stats;
    socklen_t len = sizeof(stats);

    /* The kernel counts anew from each question on. */
    if (getsockopt(self->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len) == 0)
        self->lost += stats.tp_drops;
    sum->lost = self->lost;
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

static struct tpacket_block_desc *block_of(const struct af_packet *self)
{
    return (struct tpacket_block_desc *)(self->ring + (size_t)self->block * self->block_size);
}

/* Opens the block that is next, when the kernel has handed it over. */
static bool open_block(struct af_packet *self)
{
    struct tpacket_block_desc *block = block_of(self);

    if ((__atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER) == 0)
        return false;
    self->left = block->hdr.bh1.num_pkts;
    self->next = (void *)((char *)block + block->hdr.bh1.offset_to_first_pkt);
    return true;
}

/* The tag goes back between the addresses and the type. */
static void restore_tag(struct soft_nic_frame *frame, const struct tpacket3_hdr *hdr)
{
    uint16_t tpid = (hdr->tp_status & TP_STATUS_VLAN_TPID_VALID) != 0 ? hdr->hv1.tp_vlan_tpid
                                                                      : (uint16_t)ETH_P_8021Q;
    uint8_t *data = frame->data - VLAN_BYTES;
    uint16_t tag[2] = {htobe16(tpid), htobe16((uint16_t)hdr->hv1.tp_vlan_tci)};

    memmove(data, frame->data, 12);
    memcpy(data + 12, tag, sizeof(tag));
    frame->data = data;
    frame->len += VLAN_BYTES;
}

/* False: not a frame from outside. */
static bool read_frame(const struct tpacket3_hdr *hdr, struct soft_nic_frame *frame)
{
    const struct sockaddr_ll *from =
        (const void *)((const char *)hdr + TPACKET_ALIGN(sizeof(struct tpacket3_hdr)));

    if (from->sll_pkttype == PACKET_OUTGOING || hdr->tp_snaplen < ETH_HLEN)
        return false;
    *frame = (struct soft_nic_frame){
        .data = (uint8_t *)(uintptr_t)hdr + hdr->tp_mac,
        .len = hdr->tp_snaplen,
        .is_unsummed = (hdr->tp_status & TP_STATUS_CSUMNOTREADY) != 0,
        .time = (uint64_t)hdr->tp_sec * 1000000000u + hdr->tp_nsec,
    };
    if ((hdr->tp_status & TP_STATUS_VLAN_VALID) != 0)
        restore_tag(frame, hdr);
    return true;
}

static uint32_t read_block(struct af_packet *self, struct soft_nic_frame *frames, uint32_t max)
{
    uint32_t n = 0;

    while (n < max && self->left > 0) {
        n += read_frame(self->next, &frames[n]) ? 1 : 0;
        self->left--;
        self->next = (void *)((char *)self->next + self->next->tp_next_offset);
    }
    return n;
}

static void give_back(struct af_packet *self)
{
    __atomic_store_n(&block_of(self)->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    self->block = self->block + 1 == self->nblocks ? 0 : self->block + 1;
    self->next = NULL;
}

static uint32_t af_packet_rx(struct soft_nic_backend *backend, struct soft_nic_frame *frames,
                             uint32_t max)
{
    struct af_packet *self = from_base(backend);

    while (self->next != NULL || open_block(self)) {
        uint32_t n = read_block(self, frames, max);

        self->is_read = self->left == 0;
        if (n > 0)
            return n;
        give_back(self);
    }
    return 0;
}

static void af_packet_rx_release(struct soft_nic_backend *backend)
{
    struct af_packet *self = from_base(backend);

    if (self->is_read)
        give_back(self);
    self->is_read = false;
}

static int af_packet_sleep_fd(struct soft_nic_backend *backend)
{
    return from_base(backend)->fd;
}

/* ------------------------------------------------------------------------------------------------
 * Sending
 */

#define TX_PIECES 32

struct af_packet_tx {
    struct soft_nic_backend_tx base;
    int fd; /* of the port */
    struct mmsghdr messages[SOFT_NIC_BATCH];
    struct iovec iov[SOFT_NIC_BATCH * TX_PIECES];
};

static int af_packet_tx_open(struct soft_nic_backend *backend, struct soft_nic_backend_tx **out)
{
    struct af_packet_tx *tx = calloc(1, sizeof(*tx));

    if (tx == NULL)
        return soft_fail(-ENOMEM, "no memory for a send queue");
    tx->base.ops = &soft_nic_af_packet_ops;
    tx->fd = from_base(backend)->tx_fd;
    *out = &tx->base;
    return 0;
}

static void af_packet_tx_close(struct soft_nic_backend_tx *base)
{
    free(OD_CONTAINER_OF(base, struct af_packet_tx, base));
}

/* Frames from the first one on that fit into the arrays. */
static uint32_t gather(struct af_packet_tx *tx, const struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t used = 0, i;

    for (i = 0; i < n && i < SOFT_NIC_BATCH; i++) {
        if (used + frames[i].npieces > OD_ARRAY_SIZE(tx->iov))
            break;
        tx->messages[i].msg_hdr =
            (struct msghdr){.msg_iov = &tx->iov[used], .msg_iovlen = frames[i].npieces};
        for (uint32_t k = 0; k < frames[i].npieces; k++)
            tx->iov[used++] = (struct iovec){frames[i].pieces[k].addr, frames[i].pieces[k].len};
    }
    return i;
}

static uint32_t af_packet_send(struct soft_nic_backend_tx *base, struct soft_nic_tx_frame *frames,
                               uint32_t n)
{
    struct af_packet_tx *tx = OD_CONTAINER_OF(base, struct af_packet_tx, base);
    uint32_t done = 0;

    while (done < n) {
        uint32_t ready = gather(tx, frames + done, n - done);
        int sent = sendmmsg(tx->fd, tx->messages, ready, MSG_DONTWAIT);

        if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS))
            break;
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            frames[done++].status = sent < 0 ? -errno : -EIO;
            continue;
        }
        for (int i = 0; i < sent; i++)
            frames[done++].status = 0;
    }
    return done;
}

const struct soft_nic_ops soft_nic_af_packet_ops = {
    .name = "af_packet",
    .is_patient = soft_nic_never_patient,
    .check_text = af_packet_check_text,
    .open = af_packet_open,
    .close = af_packet_close,
    .rx = af_packet_rx,
    .rx_release = af_packet_rx_release,
    .sleep_fd = af_packet_sleep_fd,
    .tx_open = af_packet_tx_open,
    .tx_close = af_packet_tx_close,
    .tx = af_packet_send,
    .info = af_packet_info,
    .outside = af_packet_outside,
    .claim = soft_nic_claims_all,
    .to_stack = soft_nic_no_stack,
};
