/* SPDX-License-Identifier: BSD-3-Clause */
/* Wraps another port and lets some frames go wrong: every N-th that is received is dropped, comes
 * twice, changes its place with the next one, or has a bit that is not its own; receiving stands
 * still for a time after every N-th; every N-th that is sent fails. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/nic_priv.h"

enum fault { DROP, DUPLICATE, REORDER, CORRUPT, PAUSE, FAIL_SEND, FAULTS };

static const char *const fault_keys[FAULTS] = {"drop",    "duplicate", "reorder",
                                               "corrupt", "pause",     "fail_send"};

struct error_port {
    struct soft_nic_backend base;
    struct soft_nic_spec below_spec;
    struct soft_nic_backend *below;
    uint64_t every[FAULTS]; /* 0: never */
    uint64_t pause_ns;
    uint64_t received;
    uint64_t resume; /* time until which nothing is received */
    uint64_t chance;
    struct soft_nic_frame held[SOFT_NIC_BATCH]; /* of the port below, in this batch */
};

static struct error_port *from_base(struct soft_nic_backend *backend)
{
    return OD_CONTAINER_OF(backend, struct error_port, base);
}

static int read_spec(struct error_port *self, const struct soft_nic_spec *spec)
{
    static const char *const keys[] = {"drop",      "duplicate", "reorder", "corrupt", "pause",
                                       "fail_send", "pause_ms",  "seed",    NULL};
    uint64_t pause_ms = 100, seed = 1;
    int err = soft_nic_spec_check(spec, keys);

    for (int i = 0; err == 0 && i < FAULTS; i++)
        err = soft_nic_spec_number(spec, fault_keys[i], 1, UINT32_MAX, &self->every[i]);
    if (err == 0)
        err = soft_nic_spec_number(spec, "pause_ms", 1, 60000, &pause_ms);
    if (err == 0)
        err = soft_nic_spec_number(spec, "seed", 1, UINT32_MAX, &seed);
    if (err != 0)
        return err;
    self->pause_ns = pause_ms * 1000000u;
    self->chance = seed * 0x9e3779b97f4a7c15u | 1;
    if (spec->base == NULL || spec->where[0] != '\0')
        return soft_fail(-EINVAL, "an error port wraps another one: error:drop=10;af_packet:veth0");
    err = soft_nic_spec_parse(spec->base, &self->below_spec);
    if (err == 0 && strcmp(self->below_spec.kind, soft_nic_error_ops.name) == 0)
        err = soft_fail(-EINVAL, "an error port cannot wrap another one");
    return err;
}

static int error_check_text(const struct soft_nic_spec *spec, const struct soft_device *device)
{
    struct error_port unused = {0};
    int err = read_spec(&unused, spec);

    return err != 0 ? err : soft_nic_check_spec(&unused.below_spec, device);
}

static int error_open(const struct soft_nic_spec *spec, const struct soft_device *device,
                      struct soft_nic_backend **backend)
{
    struct error_port *self = calloc(1, sizeof(*self));
    const struct soft_nic_ops *ops;
    int err;

    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a port");
    self->base.ops = &soft_nic_error_ops;
    err = read_spec(self, spec);
    if (err != 0)
        goto err_free;
    ops = soft_nic_find(self->below_spec.kind);
    if (ops == NULL) {
        err = -EINVAL;
        goto err_free;
    }
    err = ops->open(&self->below_spec, device, &self->below);
    if (err != 0)
        goto err_free;
    *backend = &self->base;
    return 0;

err_free:
    free(self);
    return err;
}

static void error_close(struct soft_nic_backend *backend)
{
    struct error_port *self = from_base(backend);

    self->below->ops->close(self->below);
    free(self);
}

static void error_info(const struct soft_nic_backend *backend, struct soft_nic_port_info *info)
{
    const struct error_port *self = OD_CONTAINER_OF(backend, const struct error_port, base);

    self->below->ops->info(self->below, info);
    info->mode = "with faults";
}

/* Half of what is asked for is taken from below, so doubles fit as well. */
static bool error_is_patient(const struct soft_nic_backend *backend)
{
    const struct error_port *self = OD_CONTAINER_OF(backend, const struct error_port, base);

    return self->below->ops->is_patient(self->below);
}

static void error_outside(struct soft_nic_backend *backend, struct soft_nic_outside *sum)
{
    struct error_port *self = from_base(backend);

    self->below->ops->outside(self->below, sum);
}

static int error_claim(struct soft_nic_backend *backend, const struct soft_nic_claim *claim,
                       bool on)
{
    struct error_port *self = from_base(backend);

    return self->below->ops->claim(self->below, claim, on);
}

static bool error_to_stack(struct soft_nic_backend *backend, const struct soft_nic_frame *frame)
{
    struct error_port *self = from_base(backend);

    return self->below->ops->to_stack(self->below, frame);
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

static bool is_due(const struct error_port *self, enum fault fault)
{
    return self->every[fault] != 0 && self->received % self->every[fault] == 0;
}

static void corrupt(struct error_port *self, struct soft_nic_frame *frame)
{
    self->chance ^= self->chance << 13;
    self->chance ^= self->chance >> 7;
    self->chance ^= self->chance << 17;
    if (frame->len > 0)
        frame->data[self->chance % frame->len] ^= (uint8_t)(1u << (self->chance >> 61));
}

/* What comes out in place of a frame is put behind the `n` that there are. */
static uint32_t pass(struct error_port *self, struct soft_nic_frame *frame,
                     struct soft_nic_frame *frames, uint32_t n)
{
    self->received++;
    if (is_due(self, PAUSE))
        self->resume = soft_nic_now() + self->pause_ns;
    if (is_due(self, DROP))
        return n;
    if (is_due(self, CORRUPT))
        corrupt(self, frame);
    frames[n++] = *frame;
    if (is_due(self, DUPLICATE))
        frames[n++] = *frame;
    return n;
}

static void swap(struct soft_nic_frame *a, struct soft_nic_frame *b)
{
    struct soft_nic_frame kept = *a;

    *a = *b;
    *b = kept;
}

static uint32_t error_rx(struct soft_nic_backend *backend, struct soft_nic_frame *frames,
                         uint32_t max)
{
    struct error_port *self = from_base(backend);
    uint32_t n = 0, got;

    if (self->resume != 0 && soft_nic_now() < self->resume)
        return 0;
    self->resume = 0;
    /* Each of them may come twice. */
    got = self->below->ops->rx(self->below, self->held, max / 2);
    for (uint32_t i = 0; i + 1 < got; i++) {
        if (self->every[REORDER] != 0 && (self->received + i + 1) % self->every[REORDER] == 0)
            swap(&self->held[i], &self->held[i + 1]);
    }
    for (uint32_t i = 0; i < got; i++)
        n = pass(self, &self->held[i], frames, n);
    /* All were dropped: nobody will release them. */
    if (got > 0 && n == 0)
        self->below->ops->rx_release(self->below);
    return n;
}

static void error_rx_release(struct soft_nic_backend *backend)
{
    struct error_port *self = from_base(backend);

    self->below->ops->rx_release(self->below);
}

static void error_expect_looks(struct soft_nic_backend *backend)
{
    struct soft_nic_backend *below = from_base(backend)->below;

    if (below->ops->expect_looks != NULL)
        below->ops->expect_looks(below);
}

static int error_sleep_fd(struct soft_nic_backend *backend)
{
    struct error_port *self = from_base(backend);

    return self->resume != 0 ? -1 : self->below->ops->sleep_fd(self->below);
}

/* ------------------------------------------------------------------------------------------------
 * Sending
 */

struct error_tx {
    struct soft_nic_backend_tx base;
    struct soft_nic_backend_tx *below;
    uint64_t every;
    uint64_t sent;
};

static int error_tx_open(struct soft_nic_backend *backend, struct soft_nic_backend_tx **out)
{
    struct error_port *self = from_base(backend);
    struct error_tx *tx = calloc(1, sizeof(*tx));
    int err;

    if (tx == NULL)
        return soft_fail(-ENOMEM, "no memory for a send queue");
    tx->base.ops = &soft_nic_error_ops;
    tx->every = self->every[FAIL_SEND];
    err = self->below->ops->tx_open(self->below, &tx->below);
    if (err != 0) {
        free(tx);
        return err;
    }
    *out = &tx->base;
    return 0;
}

static void error_tx_close(struct soft_nic_backend_tx *base)
{
    struct error_tx *tx = OD_CONTAINER_OF(base, struct error_tx, base);

    tx->below->ops->tx_close(tx->below);
    free(tx);
}

static uint32_t error_send(struct soft_nic_backend_tx *base, struct soft_nic_tx_frame *frames,
                           uint32_t n)
{
    struct error_tx *tx = OD_CONTAINER_OF(base, struct error_tx, base);
    uint32_t good = n;

    /* Up to the next one that fails. */
    if (tx->every != 0)
        good = (uint32_t)OD_MIN((uint64_t)n, tx->every - 1 - tx->sent % tx->every);
    if (good > 0) {
        uint32_t taken = tx->below->ops->tx(tx->below, frames, good);

        tx->sent += taken;
        return taken < good || good == n ? taken
                                         : taken + error_send(base, frames + taken, n - taken);
    }
    frames[0].status = -EIO;
    tx->sent++;
    return n > 1 ? 1 + error_send(base, frames + 1, n - 1) : 1;
}

const struct soft_nic_ops soft_nic_error_ops = {
    .name = "error",
    .is_patient = error_is_patient,
    .check_text = error_check_text,
    .open = error_open,
    .close = error_close,
    .rx = error_rx,
    .rx_release = error_rx_release,
    .expect_looks = error_expect_looks,
    .sleep_fd = error_sleep_fd,
    .tx_open = error_tx_open,
    .tx_close = error_tx_close,
    .tx = error_send,
    .info = error_info,
    .outside = error_outside,
    .claim = error_claim,
    .to_stack = error_to_stack,
};
