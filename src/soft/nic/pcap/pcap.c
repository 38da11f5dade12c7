/* SPDX-License-Identifier: BSD-3-Clause */
/* Capture files: what is received is read from one, what is sent is written to one. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "soft/nic/nic_priv.h"
#include "soft/nic/pcap/pcap_file.h"
#include "util/cleanup.h"

#define PIECES 64u

struct pcap_port {
    struct soft_nic_backend base;
    char where[256];
    const struct soft_device *device;
    struct soft_pcap in;
    void *map; /* of the file that is replayed; private: frames may be changed */
    size_t map_len;
    uint64_t loops; /* left; UINT64_MAX: for ever */
    uint64_t gap;   /* nanoseconds between two frames; 0: as fast as they are taken */
    uint64_t next;  /* time of the next frame */
    int out;
    pthread_mutex_t lock; /* of those who write */
};

static struct pcap_port *from_base(struct soft_nic_backend *backend)
{
    return OD_CONTAINER_OF(backend, struct pcap_port, base);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static int map_replay(struct pcap_port *self, const char *path)
{
    OD_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return soft_fail(-errno,
                         "replay=%s: %s; write a file that this program can read, best with its "
                         "whole path",
                         path, strerror(errno));
    if (!S_ISREG(status.st_mode) || status.st_size == 0)
        return soft_fail(-EINVAL, "%s: not a capture file", path);
    self->map_len = (size_t)status.st_size;
    self->map = mmap(NULL, self->map_len, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (self->map == MAP_FAILED) {
        self->map = NULL;
        return soft_fail(-errno, "%s: %s", path, strerror(errno));
    }
    return soft_pcap_open(&self->in, self->map, self->map_len);
}

static int create_capture(struct pcap_port *self, const char *path)
{
    uint8_t head[SOFT_PCAP_HEAD];

    self->out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    soft_pcap_head(head);
    if (self->out < 0 || write(self->out, head, sizeof(head)) != (ssize_t)sizeof(head))
        return soft_fail(-errno,
                         "capture=%s: %s; write a file that this program can write, best with its "
                         "whole path",
                         path, strerror(errno));
    return 0;
}

static int read_spec(struct pcap_port *self, const struct soft_nic_spec *spec)
{
    static const char *const keys[] = {"replay", "capture", "loops", "rate", NULL};
    const char *replay = soft_nic_spec_get(spec, "replay");
    const char *capture = soft_nic_spec_get(spec, "capture");
    uint64_t loops = 1, rate = 0;
    int err = soft_nic_spec_check(spec, keys);

    if (err == 0)
        err = soft_nic_spec_number(spec, "loops", 0, UINT32_MAX, &loops);
    if (err == 0)
        err = soft_nic_spec_number(spec, "rate", 1, 1000000000, &rate);
    if (err == 0 && (spec->where[0] != '\0' || (replay == NULL && capture == NULL)))
        err = soft_fail(-EINVAL, "write pcap:replay=FILE, pcap:capture=FILE, or both");
    if (err != 0)
        return err;
    self->loops = loops == 0 ? UINT64_MAX : loops;
    self->gap = rate == 0 ? 0 : 1000000000u / rate;
    snprintf(self->where, sizeof(self->where), "%.255s", replay != NULL ? replay : capture);
    return 0;
}

static int pcap_check_text(const struct soft_nic_spec *spec, const struct soft_device *device)
{
    struct pcap_port unused = {0};

    (void)device;
    return read_spec(&unused, spec);
}

static int open_files(struct pcap_port *self, const struct soft_nic_spec *spec)
{
    const char *replay = soft_nic_spec_get(spec, "replay");
    const char *capture = soft_nic_spec_get(spec, "capture");
    int err = replay != NULL ? map_replay(self, replay) : 0;

    return err == 0 && capture != NULL ? create_capture(self, capture) : err;
}

static void pcap_close(struct soft_nic_backend *backend)
{
    struct pcap_port *self = from_base(backend);

    if (self->map != NULL)
        munmap(self->map, self->map_len);
    if (self->out >= 0)
        close(self->out);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static int pcap_open(const struct soft_nic_spec *spec, const struct soft_device *device,
                     struct soft_nic_backend **backend)
{
    struct pcap_port *self = calloc(1, sizeof(*self));
    int err;

    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a port");
    self->base.ops = &soft_nic_pcap_ops;
    self->device = device;
    self->out = -1;
    pthread_mutex_init(&self->lock, NULL);
    err = read_spec(self, spec);
    if (err == 0)
        err = open_files(self, spec);
    if (err != 0) {
        pcap_close(&self->base);
        return err;
    }
    *backend = &self->base;
    return 0;
}

static void pcap_info(const struct soft_nic_backend *backend, struct soft_nic_port_info *info)
{
    const struct pcap_port *self = OD_CONTAINER_OF(backend, const struct pcap_port, base);

    *info = (struct soft_nic_port_info){.kind = "pcap",
                                        .where = self->where,
                                        .mode = "",
                                        .mtu = self->device->mtu,
                                        .link_up = true};
    memcpy(info->mac, self->device->mac, sizeof(info->mac));
}

static void pcap_outside(struct soft_nic_backend *backend, struct soft_nic_outside *sum)
{
    (void)backend;
    (void)sum;
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

static bool read_next(struct pcap_port *self, struct soft_pcap_frame *frame)
{
    int got = self->loops > 0 ? soft_pcap_next(&self->in, frame) : 0;

    if (got > 0)
        return true;
    if (got < 0)
        self->loops = 1; /* what is cut is not played again */
    if (self->loops == 0 || (self->loops != UINT64_MAX && --self->loops == 0))
        return false;
    self->in.at = SOFT_PCAP_HEAD;
    return soft_pcap_next(&self->in, frame) > 0;
}

/* Without a rate nothing is lost: a queue without room makes the replay wait. */
static bool pcap_is_patient(const struct soft_nic_backend *backend)
{
    return OD_CONTAINER_OF(backend, const struct pcap_port, base)->gap == 0;
}

static uint32_t how_many(struct pcap_port *self, uint32_t max)
{
    uint64_t now;

    if (self->gap == 0)
        return max;
    now = soft_nic_now();
    if (self->next == 0)
        self->next = now;
    if (now < self->next)
        return 0;
    return (uint32_t)OD_MIN((now - self->next) / self->gap + 1, (uint64_t)max);
}

static uint32_t pcap_rx(struct soft_nic_backend *backend, struct soft_nic_frame *frames,
                        uint32_t max)
{
    struct pcap_port *self = from_base(backend);
    struct soft_pcap_frame frame;
    uint32_t n = 0;

    if (self->map == NULL)
        return 0;
    max = how_many(self, max);
    while (n < max && read_next(self, &frame)) {
        frames[n++] = (struct soft_nic_frame){
            .data = (uint8_t *)(uintptr_t)frame.data, .len = frame.len, .time = frame.time};
    }
    self->next += n * self->gap;
    return n;
}

static void pcap_rx_release(struct soft_nic_backend *backend)
{
    (void)backend; /* all of the file stays */
}

static int pcap_sleep_fd(struct soft_nic_backend *backend)
{
    (void)backend;
    return -1;
}

/* ------------------------------------------------------------------------------------------------
 * Sending
 */

struct pcap_tx {
    struct soft_nic_backend_tx base;
    struct pcap_port *port;
};

static int pcap_tx_open(struct soft_nic_backend *backend, struct soft_nic_backend_tx **out)
{
    struct pcap_tx *tx = calloc(1, sizeof(*tx));

    if (tx == NULL)
        return soft_fail(-ENOMEM, "no memory for a send queue");
    tx->base.ops = &soft_nic_pcap_ops;
    tx->port = from_base(backend);
    *out = &tx->base;
    return 0;
}

static void pcap_tx_close(struct soft_nic_backend_tx *base)
{
    free(OD_CONTAINER_OF(base, struct pcap_tx, base));
}

static int write_one(struct pcap_port *port, const struct soft_nic_tx_frame *frame)
{
    uint8_t record[SOFT_PCAP_RECORD];
    struct iovec iov[PIECES + 1] = {{record, sizeof(record)}};
    ssize_t done;

    if (port->out < 0)
        return 0; /* nobody asked for what is sent */
    if (frame->npieces > PIECES)
        return -EMSGSIZE;
    soft_pcap_record(record, frame->len, soft_nic_now());
    for (uint32_t i = 0; i < frame->npieces; i++)
        iov[i + 1] = (struct iovec){frame->pieces[i].addr, frame->pieces[i].len};
    done = writev(port->out, iov, (int)frame->npieces + 1);
    return done == (ssize_t)(frame->len + sizeof(record)) ? 0 : -EIO;
}

static uint32_t pcap_send(struct soft_nic_backend_tx *base, struct soft_nic_tx_frame *frames,
                          uint32_t n)
{
    struct pcap_port *port = OD_CONTAINER_OF(base, struct pcap_tx, base)->port;

    pthread_mutex_lock(&port->lock);
    for (uint32_t i = 0; i < n; i++)
        frames[i].status = write_one(port, &frames[i]);
    pthread_mutex_unlock(&port->lock);
    return n;
}

const struct soft_nic_ops soft_nic_pcap_ops = {
    .name = "pcap",
    .is_patient = pcap_is_patient,
    .check_text = pcap_check_text,
    .open = pcap_open,
    .close = pcap_close,
    .rx = pcap_rx,
    .rx_release = pcap_rx_release,
    .sleep_fd = pcap_sleep_fd,
    .tx_open = pcap_tx_open,
    .tx_close = pcap_tx_close,
    .tx = pcap_send,
    .info = pcap_info,
    .outside = pcap_outside,
    .claim = soft_nic_claims_all,
    .to_stack = soft_nic_no_stack,
};
