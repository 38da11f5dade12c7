/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver's half of the room: where each frame of a batch goes. */

#include "soft/nic/flow_priv.h"
#include "soft/nic/packet.h"

static void count(struct soft_nic_port *port, enum soft_nic_counter end)
{
    soft_nic_add(&port->page->counters, end, 1);
}

void soft_nic_to_stack(struct soft_nic_port *port, const struct soft_nic_frame *frame)
{
    bool fine = port->backend->ops->to_stack(port->backend, frame);

    count(port, fine ? SOFT_NIC_RX_KERNEL : SOFT_NIC_RX_KERNEL_LOST);
}

/* A sender on the same machine left the sum to hardware that is not there. */
static void complete(const struct soft_nic_frame *frame)
{
    struct soft_nic_packet packet;

    soft_nic_parse(frame->data, frame->len, &packet);
    soft_nic_l4_sum(frame->data, &packet);
}

static void steer_one(struct soft_nic_port *port, struct soft_nic_table *root,
                      const struct soft_nic_frame *frame, struct soft_nic_meta *meta)
{
    if (frame->is_unsummed)
        complete(frame);
    if (root != NULL) {
        soft_nic_flow_steer(port, root, frame, meta);
        return;
    }
    if (port->device->unmatched != SOFT_UNMATCHED_QUEUES)
        soft_nic_to_stack(port, frame);
    else if (port->nrxqs == 0)
        count(port, SOFT_NIC_RX_NO_QUEUE);
    else if (port->nrxqs == 1)
        soft_nic_rxq_deliver(port->rxqs[0], frame, meta);
    else
        soft_nic_flow_spread(port, frame, meta);
}

/* One wake-up a queue and batch. */
static void end_batch(struct soft_nic_port *port)
{
    for (uint32_t i = 0; i < port->nrxqs; i++) {
        if (port->rxqs[i]->touched)
            soft_nic_rxq_end_batch(port->rxqs[i]);
    }
}

static void count_seen(struct soft_nic_port *port, const struct soft_nic_frame *frames, uint32_t n)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < n; i++)
        bytes += frames[i].len;
    soft_nic_add(&port->page->counters, SOFT_NIC_RX_SEEN, n);
    soft_nic_add(&port->page->counters, SOFT_NIC_RX_BYTES, bytes);
}

/* Another core wrote them, right into the places of a queue: only rules look at them here. */
static void fetch(const struct soft_nic_frame *frames, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        __builtin_prefetch(frames[i].data);
}

void soft_nic_steer(struct soft_nic_port *port, struct soft_nic_frame *frames, uint32_t n)
{
    /* A header and two tags; what is longer are several frames in one. */
    const uint32_t longest = OD_MIN(port->info.mtu + 22u, SOFT_NIC_FRAME_MAX);
    struct soft_nic_table *root = soft_nic_flow_root(port);
    struct soft_nic_meta meta = {0};
    uint64_t now = 0;

    if (root != NULL && port->placed != NULL)
        fetch(frames, n);
    count_seen(port, frames, n);
    for (uint32_t i = 0; i < n; i++) {
        if (frames[i].time == 0 && now == 0)
            now = soft_nic_now();
        meta.time = frames[i].time != 0 ? frames[i].time : now;
        if (soft_nic_is_tapped(port))
            soft_nic_tap_rx(port, &frames[i], meta.time, -1);
        if (od_unlikely(frames[i].len > longest))
            count(port, SOFT_NIC_RX_GSO);
        else
            steer_one(port, root, &frames[i], &meta);
    }
    if (root != NULL)
        soft_nic_flow_flush(port);
    end_batch(port);
}
