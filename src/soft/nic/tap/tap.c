/* SPDX-License-Identifier: BSD-3-Clause */
/* TAP interfaces: the other end is an interface of the kernel, with addresses and routes as any
 * other. Made when it is not there, and then gone with the port. */

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "soft/nic/nic_priv.h"

#define FRAME_ROOM 18u
#define PIECES     64u
#define LOOK_INTERVAL                                                                              \
    20000u /* ns between two looks at an interface that had nothing: a system call */

struct tap {
    struct soft_nic_backend base;
    char iface[IFNAMSIZ];
    int fd;
    int ask; /* a socket, to ask about the interface */
    uint32_t mtu;
    uint8_t mac[6];
    uint32_t room; /* of a frame */
    uint64_t look; /* not before */
    uint8_t *frames;
};

static struct tap *from_base(struct soft_nic_backend *backend)
{
    return OD_CONTAINER_OF(backend, struct tap, base);
}

static int fail_tap(const struct tap *self, int err, const char *what)
{
    if (err == EPERM || err == EACCES)
        return soft_fail(-EPERM, "%s of TAP interface %s: CAP_NET_ADMIN is missing", what,
                         self->iface);
    return soft_fail(-err, "%s of TAP interface %s: %s", what, self->iface, strerror(err));
}

/* The kernel's end is switched on; its MTU is what it has. */
static int bring_up(struct tap *self, const struct soft_device *device)
{
    struct ifreq ifr = {0};

    self->ask = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    memcpy(ifr.ifr_name, self->iface, sizeof(ifr.ifr_name));
    if (self->ask < 0 || ioctl(self->ask, SIOCGIFFLAGS, &ifr) != 0)
        return fail_tap(self, errno, "the state");
    ifr.ifr_flags |= IFF_UP;
    if (ioctl(self->ask, SIOCSIFFLAGS, &ifr) != 0)
        return fail_tap(self, errno, "switching on");
    if (ioctl(self->ask, SIOCGIFMTU, &ifr) != 0)
        return fail_tap(self, errno, "the MTU");
    self->mtu = (uint32_t)ifr.ifr_mtu;
    memcpy(self->mac, device->mac, sizeof(self->mac));
    return 0;
}

static int open_tun(struct tap *self)
{
    struct ifreq ifr = {.ifr_flags = IFF_TAP | IFF_NO_PI};

    memcpy(ifr.ifr_name, self->iface, sizeof(ifr.ifr_name));
    self->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (self->fd < 0 || ioctl(self->fd, TUNSETIFF, &ifr) != 0)
        return fail_tap(self, errno, "opening");
    return 0;
}

static void tap_close(struct soft_nic_backend *backend)
{
    struct tap *self = from_base(backend);

    if (self->ask >= 0)
        close(self->ask);
    if (self->fd >= 0)
        close(self->fd);
    free(self->frames);
    free(self);
}

static const char *iface_of(const struct soft_nic_spec *spec, const struct soft_device *device)
{
    return spec->where[0] != '\0' ? spec->where : device->iface;
}

static int tap_check_text(const struct soft_nic_spec *spec, const struct soft_device *device)
{
    static const char *const keys[] = {NULL};
    const char *iface = iface_of(spec, device);
    int err = soft_nic_spec_check(spec, keys);

    if (err == 0 && (iface[0] == '\0' || strlen(iface) >= IFNAMSIZ))
        err = soft_fail(-EINVAL, "'%.40s' is no name of an interface; write tap:tap0", iface);
    return err;
}

static int tap_open(const struct soft_nic_spec *spec, const struct soft_device *device,
                    struct soft_nic_backend **backend)
{
    const char *iface = iface_of(spec, device);
    struct tap *self;
    int err = tap_check_text(spec, device);

    if (err != 0)
        return err;
    self = calloc(1, sizeof(*self));
    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a port");
    self->base.ops = &soft_nic_tap_ops;
    self->ask = -1;
    memcpy(self->iface, iface, strlen(iface));
    err = open_tun(self);
    if (err == 0)
        err = bring_up(self, device);
    self->room = self->mtu + FRAME_ROOM + 4u;
    if (err == 0) {
        self->frames = malloc((size_t)SOFT_NIC_BATCH * self->room);
        if (self->frames == NULL)
            err = soft_fail(-ENOMEM, "no memory for a port");
    }
    if (err != 0) {
        tap_close(&self->base);
        return err;
    }
    *backend = &self->base;
    return 0;
}

static void tap_info(const struct soft_nic_backend *backend, struct soft_nic_port_info *info)
{
    const struct tap *self = OD_CONTAINER_OF(backend, const struct tap, base);
    struct ifreq ifr = {0};

    *info = (struct soft_nic_port_info){
        .kind = "tap", .where = self->iface, .mode = "", .mtu = self->mtu};
    /* It may have got another name. */
    info->is_gone = ioctl(self->fd, TUNGETIFF, &ifr) != 0;
    info->link_up = !info->is_gone && ioctl(self->ask, SIOCGIFFLAGS, &ifr) == 0 &&
                    (ifr.ifr_flags & IFF_UP) != 0;
    info->is_off = !info->link_up;
    memcpy(info->mac, self->mac, sizeof(info->mac));
}

static void tap_outside(struct soft_nic_backend *backend, struct soft_nic_outside *sum)
{
    (void)backend; /* the kernel counts them at its end */
    (void)sum;
}

static uint32_t tap_rx(struct soft_nic_backend *backend, struct soft_nic_frame *frames,
                       uint32_t max)
{
    struct tap *self = from_base(backend);
    uint64_t now = soft_nic_now();
    uint32_t n = 0;

    if (now < self->look)
        return 0;
    while (n < max) {
        uint8_t *data = self->frames + (size_t)n * self->room;
        ssize_t len = read(self->fd, data, self->room);

        if (len < 14)
            break;
        frames[n++] = (struct soft_nic_frame){.data = data, .len = (uint32_t)len, .time = now};
    }
    self->look = n == 0 ? now + LOOK_INTERVAL : 0;
    return n;
}

static void tap_rx_release(struct soft_nic_backend *backend)
{
    (void)backend; /* read again into the same memory */
}

static int tap_sleep_fd(struct soft_nic_backend *backend)
{
    from_base(backend)->look = 0;
    return from_base(backend)->fd;
}

struct tap_tx {
    struct soft_nic_backend_tx base;
    int fd; /* of the port */
};

static int tap_tx_open(struct soft_nic_backend *backend, struct soft_nic_backend_tx **out)
{
    struct tap_tx *tx = calloc(1, sizeof(*tx));

    if (tx == NULL)
        return soft_fail(-ENOMEM, "no memory for a send queue");
    tx->base.ops = &soft_nic_tap_ops;
    tx->fd = from_base(backend)->fd;
    *out = &tx->base;
    return 0;
}

static void tap_tx_close(struct soft_nic_backend_tx *base)
{
    free(OD_CONTAINER_OF(base, struct tap_tx, base));
}

static int send_one(const struct tap_tx *tx, const struct soft_nic_tx_frame *frame)
{
    struct iovec iov[PIECES];
    ssize_t done;

    if (frame->npieces > PIECES)
        return -EMSGSIZE;
    for (uint32_t i = 0; i < frame->npieces; i++)
        iov[i] = (struct iovec){frame->pieces[i].addr, frame->pieces[i].len};
    do {
        done = writev(tx->fd, iov, (int)frame->npieces);
    } while (done < 0 && errno == EINTR);
    return done >= 0 ? 0 : -errno;
}

static uint32_t tap_send(struct soft_nic_backend_tx *base, struct soft_nic_tx_frame *frames,
                         uint32_t n)
{
    const struct tap_tx *tx = OD_CONTAINER_OF(base, struct tap_tx, base);

    for (uint32_t i = 0; i < n; i++) {
        frames[i].status = send_one(tx, &frames[i]);
        if (frames[i].status == -EAGAIN)
            return i;
    }
    return n;
}

const struct soft_nic_ops soft_nic_tap_ops = {
    .name = "tap",
    .is_patient = soft_nic_never_patient,
    .check_text = tap_check_text,
    .open = tap_open,
    .close = tap_close,
    .rx = tap_rx,
    .rx_release = tap_rx_release,
    .sleep_fd = tap_sleep_fd,
    .tx_open = tap_tx_open,
    .tx_close = tap_tx_close,
    .tx = tap_send,
    .info = tap_info,
    .outside = tap_outside,
    .claim = soft_nic_claims_all,
    .to_stack = soft_nic_no_stack,
};
