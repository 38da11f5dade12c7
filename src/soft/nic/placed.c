/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues whose ring is the memory of their port: nothing is copied. While the port has one queue
 * and nobody else wants its frames. */

#include <stdio.h>

#include <impl/opendoca_gpu_barrier.h>

#include "soft/nic/flow_priv.h"
#include "soft/nic/nic_priv.h"

static void note_mode(struct soft_nic_port *port)
{
    struct soft_nic_page *page = port->page;

    port->backend->ops->info(port->backend, &port->info);
    snprintf(page->mode, sizeof(page->mode), "%.31s", port->info.mode);
}

/* Losses so far were those of whom they were. */
static int place(struct soft_nic_port *port, struct soft_nic_rxq *rxq,
                 const struct soft_nic_area *ring)
{
    int err;

    soft_nic_port_note(port);
    err = port->backend->ops->place(port->backend, ring);
    port->placed = err == 0 ? rxq : NULL;
    port->is_deaf = err < 0;
    note_mode(port);
    return err < 0 ? err : 0;
}

int soft_nic_place(struct soft_nic_rxq *rxq, const struct soft_nic_area *ring)
{
    struct soft_nic_port *port = rxq->port;

    int err;

    if (ring->num == 0 || port->nrxqs != 1 || port->flow->outs != NULL ||
        port->backend->ops->place == NULL)
        return 0;
    err = place(port, rxq, ring);
    /* What comes before the first look finds slots. */
    if (port->placed != NULL)
        port->backend->ops->grant(port->backend, 0, ring->num);
    return err;
}

int soft_nic_unplace(struct soft_nic_port *port)
{
    return port->placed != NULL || port->is_deaf ? place(port, NULL, NULL) : 0;
}

void soft_nic_grant(struct soft_nic_port *port)
{
    const struct soft_nic_rxq *rxq = port->placed;
    uint64_t next = atomic_load_explicit(&rxq->filled, memory_order_relaxed);
    uint64_t end = rxq->ring.num != 0 ? next + soft_nic_ring_room(rxq)
                                      : atomic_load_explicit(&rxq->posted, memory_order_acquire);

    port->backend->ops->grant(port->backend, next, end);
}

/* As if they had been seen and there was no slot, or none that is long enough. */
void soft_nic_count_placed(struct soft_nic_port *port, const struct soft_nic_outside *lost)
{
    struct soft_nic_rxq *rxq = port->placed;
    struct soft_nic_counters *counters = &rxq->counters;

    soft_nic_add(counters, SOFT_NIC_RX_SEEN, lost->lost + lost->oversize);
    soft_nic_add(counters, SOFT_NIC_RX_BYTES, lost->oversize_bytes);
    soft_nic_add(counters, SOFT_NIC_RX_NO_BUFFER, lost->lost);
    soft_nic_add(counters, SOFT_NIC_RX_OVERSIZE, lost->oversize);
    soft_nic_add(&port->page->counters, SOFT_NIC_RX_SEEN, lost->lost);
    soft_nic_add(&port->page->counters, SOFT_NIC_RX_NO_BUFFER, lost->lost);
    if (rxq->ring.num != 0 && lost->lost > 0)
        opendoca_gpu_poke(&rxq->ring.words->dropped,
                          opendoca_gpu_peek(&rxq->ring.words->dropped) + lost->lost);
}
