/* SPDX-License-Identifier: BSD-3-Clause */
/* Owners that want to sleep on until there is more. Whoever drives counts what came since the owner
 * went to sleep; the thread of the port looks at the clock. */

#include "soft/nic/nic_priv.h"
#include "util/clock.h"

void soft_nic_rxq_moderate(struct soft_nic_rxq *rxq, uint32_t count, uint64_t period)
{
    struct soft_nic_port *port = rxq->port;
    bool is_on = rxq->conf.waker != NULL && count > 1 && period > 0;

    soft_nic_port_lock(port);
    port->nmoderated += (uint32_t)is_on - (uint32_t)rxq->is_moderated;
    rxq->is_moderated = is_on;
    rxq->many = count;
    rxq->period = period;
    rxq->due = 0;
    soft_nic_port_unlock(port);
    /* Who sleeps by the old rule begins anew. */
    if (rxq->conf.waker != NULL)
        od_waker_wake(rxq->conf.waker);
}

/* Wakes the owner, or tells when it is to be woken; UINT64_MAX: when more has come. */
static uint64_t tell(struct soft_nic_rxq *rxq, uint64_t now)
{
    uint64_t slept, ready;

    atomic_thread_fence(memory_order_seq_cst);
    slept = od_waker_is_armed(rxq->conf.waker) ? atomic_load(&rxq->slept) : SOFT_NIC_AWAKE;
    ready = atomic_load_explicit(&rxq->filled, memory_order_relaxed) - slept;
    if (slept == SOFT_NIC_AWAKE || ready == 0 || ready < atomic_load(&rxq->enough)) {
        rxq->due = 0;
        return UINT64_MAX;
    }
    if (rxq->due == 0)
        rxq->due = now + rxq->period;
    if (ready < rxq->many && now < rxq->due)
        return rxq->due;
    rxq->due = 0;
    od_waker_wake(rxq->conf.waker);
    return UINT64_MAX;
}

uint64_t soft_nic_port_tell(struct soft_nic_port *port)
{
    uint64_t now = od_now_ns(), due = UINT64_MAX;

    for (uint32_t i = 0; i < port->nrxqs; i++) {
        if (port->rxqs[i]->is_moderated)
            due = OD_MIN(due, tell(port->rxqs[i], now));
    }
    return due;
}
