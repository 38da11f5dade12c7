/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring whose other side writes what it wants between any two calls.
 *
 * Input: depth, message size (2 bytes), then commands of 4 bytes. */
#include <stdlib.h>
#include <string.h>

#include "soft/link/local/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two rings: we consume one and produce into the other, the peer writes into both. */
struct rings {
    struct soft_ring_shape shape;
    struct soft_ring_place at[2];
    struct soft_ring_tx tx;
    struct soft_ring_rx rx;
};

static bool open_rings(struct rings *r, uint32_t depth, uint32_t max_msg)
{
    if (!soft_ring_shape(&r->shape, depth, max_msg))
        return false;
    for (unsigned int i = 0; i < 2; i++) {
        r->at[i].control = calloc(1, sizeof(*r->at[i].control));
        r->at[i].slots = calloc(1, r->shape.slots_len);
        r->at[i].cells = calloc(1, r->shape.cells_len + 1);
        if (r->at[i].control == NULL || r->at[i].slots == NULL || r->at[i].cells == NULL)
            abort();
    }
    if (soft_ring_tx_open(&r->tx, &r->shape, &r->at[0]) != 0)
        abort();
    soft_ring_rx_open(&r->rx, &r->shape, &r->at[1]);
    return true;
}

static void close_rings(struct rings *r)
{
    soft_ring_tx_close(&r->tx);
    for (unsigned int i = 0; i < 2; i++) {
        free(r->at[i].control);
        free(r->at[i].slots);
        free(r->at[i].cells);
    }
}

static void receive(struct rings *r)
{
    static char copy[65536];
    const void *bytes;
    uint32_t len;
    int rc = soft_ring_peek(&r->rx, &bytes, &len);

    if (rc == 0) {
        if (len > r->shape.max_msg)
            abort();
        memcpy(copy, bytes, len);
        soft_ring_take(&r->rx);
    } else if (rc == -ESHUTDOWN) {
        soft_ring_take_end(&r->rx);
    } else if (rc != -EAGAIN && rc != -EBADMSG) {
        abort();
    }
}

static void send_one(struct rings *r, uint16_t len)
{
    static char bytes[65536];
    struct iovec iov = {.iov_base = bytes, .iov_len = len};
    int rc;

    if (r->tx.ended)
        return;
    rc = soft_ring_send(&r->tx, &iov, 1);
    if (rc != 0 && rc != -EAGAIN && rc != -EMSGSIZE)
        abort();
    if (r->tx.sent - r->tx.taken > r->shape.depth || (rc == 0 && len > r->shape.max_msg))
        abort();
}

/* The peer, who knows what hurts. */
static void scribble(struct rings *r, unsigned int what, uint16_t value)
{
    struct soft_ring_slot *slot =
        (void *)(r->at[1].slots + value % r->shape.nslots * r->shape.slot_size);

    switch (what) {
    case 0:
        atomic_store(&slot->mark, (uint32_t)r->rx.next + 1);
        break;
    case 1:
        atomic_store(&slot->len, value * 77u);
        break;
    case 2:
        atomic_store(&slot->where, value % 3 == 0 ? UINT32_MAX - value % 5 : value);
        break;
    case 3:
        atomic_store(&r->at[0].control->taken, value);
        break;
    case 4:
        memset(r->at[0].slots, value, r->shape.slots_len);
        break;
    default:
        atomic_store(&r->at[1].control->awaited, value);
        break;
    }
}

static void run(struct rings *r, const uint8_t *command)
{
    uint16_t value;

    memcpy(&value, command + 2, sizeof(value));
    switch (command[0] % 6) {
    case 0:
        receive(r);
        break;
    case 1:
        send_one(r, value);
        break;
    case 2:
        soft_ring_tx_look(&r->tx);
        break;
    case 3:
        if (value == 0)
            soft_ring_end(&r->tx);
        soft_ring_has_end(&r->rx);
        soft_ring_is_awaited(&r->rx);
        break;
    default:
        scribble(r, command[1] % 6, value);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rings rings;
    uint16_t max_msg;

    if (size < 3)
        return 0;
    memcpy(&max_msg, data + 1, sizeof(max_msg));
    if (!open_rings(&rings, data[0] % 32, max_msg % 8192))
        return 0;
    for (size_t at = 3; at + 4 <= size; at += 4)
        run(&rings, data + at);
    close_rings(&rings);
    return 0;
}
