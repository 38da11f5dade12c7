/* SPDX-License-Identifier: BSD-3-Clause */
/* Send queues: what all kinds of ports have in common. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/nic_priv.h"

#define ETHERNET_ROOM 18u /* header and a VLAN tag */

int soft_nic_txq_open(struct soft_nic_port *port, struct soft_nic_txq **out)
{
    struct soft_nic_txq *txq = calloc(1, sizeof(*txq));
    int err;

    if (txq == NULL)
        return soft_fail(-ENOMEM, "no memory for a send queue");
    txq->padded = malloc((size_t)SOFT_NIC_BATCH * SOFT_NIC_FRAME_MIN);
    if (txq->padded == NULL) {
        err = soft_fail(-ENOMEM, "no memory for a send queue");
        goto err_free;
    }
    err = port->backend->ops->tx_open(port->backend, &txq->tx);
    if (err != 0)
        goto err_free_padded;
    txq->port = port;
    txq->max_len = OD_MIN(port->info.mtu + ETHERNET_ROOM, SOFT_NIC_FRAME_MAX);
    txq->number = atomic_fetch_add(&port->next_number, 1) + 1;
    *out = txq;
    return 0;

err_free_padded:
    free(txq->padded);
err_free:
    free(txq);
    return err;
}

void soft_nic_txq_close(struct soft_nic_txq *txq)
{
    if (txq == NULL)
        return;
    txq->tx->ops->tx_close(txq->tx);
    free(txq->padded);
    free(txq);
}

uint32_t soft_nic_txq_max_len(const struct soft_nic_txq *txq)
{
    return txq->max_len;
}

uint32_t soft_nic_txq_number(const struct soft_nic_txq *txq)
{
    return txq->number;
}

/* A run of frames that the port can take as they are. */
static bool is_plain(const struct soft_nic_txq *txq, const struct soft_nic_tx_frame *frame)
{
    return frame->len >= SOFT_NIC_FRAME_MIN && frame->len <= txq->max_len;
}

static void count_sent(struct soft_nic_txq *txq, const struct soft_nic_tx_frame *frames, uint32_t n)
{
    struct soft_nic_counters *counters = &txq->port->page->counters;
    uint64_t bytes = 0, good = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (od_likely(frames[i].status == 0)) {
            bytes += frames[i].len;
            good++;
        }
    }
    soft_nic_add_shared(counters, SOFT_NIC_TX_FRAMES, good);
    soft_nic_add_shared(counters, SOFT_NIC_TX_BYTES, bytes);
    if (od_unlikely(good != n))
        soft_nic_add_shared(counters, SOFT_NIC_TX_ERR_PORT, n - good);
}

static uint32_t give(struct soft_nic_txq *txq, struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t taken = txq->tx->ops->tx(txq->tx, frames, n);

    count_sent(txq, frames, taken);
    if (soft_nic_is_tapped(txq->port))
        soft_nic_tap_tx(txq->port, frames, taken);
    return taken;
}

static uint32_t send_short(struct soft_nic_txq *txq, struct soft_nic_tx_frame *frame)
{
    struct soft_nic_piece piece = {.addr = txq->padded, .len = SOFT_NIC_FRAME_MIN};
    struct soft_nic_tx_frame padded = {.pieces = &piece, .npieces = 1, .len = SOFT_NIC_FRAME_MIN};
    uint32_t done = 0;

    for (uint32_t i = 0; i < frame->npieces; i++) {
        memcpy(txq->padded + done, frame->pieces[i].addr, frame->pieces[i].len);
        done += frame->pieces[i].len;
    }
    memset(txq->padded + done, 0, SOFT_NIC_FRAME_MIN - done);
    if (give(txq, &padded, 1) == 0)
        return 0;
    frame->status = padded.status;
    return 1;
}

uint32_t soft_nic_txq_send(struct soft_nic_txq *txq, struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t done = 0;

    while (done < n) {
        uint32_t run = 0, taken;

        while (done + run < n && is_plain(txq, &frames[done + run]))
            run++;
        if (run > 0) {
            taken = give(txq, &frames[done], run);
            done += taken;
            if (taken < run)
                break;
        } else if (frames[done].len == 0 || frames[done].len > txq->max_len) {
            frames[done++].status = -EMSGSIZE;
            soft_nic_add_shared(&txq->port->page->counters, SOFT_NIC_TX_ERR_SIZE, 1);
        } else if (send_short(txq, &frames[done]) == 0) {
            break;
        } else {
            done++;
        }
    }
    return done;
}
