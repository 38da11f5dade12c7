/* SPDX-License-Identifier: BSD-3-Clause */
#include <time.h>

#include "soft/nic/nic_priv.h"

static const char *const names[SOFT_NIC_COUNTERS] = {
    [SOFT_NIC_RX_SEEN] = "rx_seen",
    [SOFT_NIC_RX_BYTES] = "rx_bytes",
    [SOFT_NIC_RX_DELIVERED] = "rx_delivered",
    [SOFT_NIC_RX_KERNEL] = "rx_kernel",
    [SOFT_NIC_RX_FORWARDED] = "rx_forwarded",
    [SOFT_NIC_RX_NO_BUFFER] = "rx_no_buffer",
    [SOFT_NIC_RX_OVERSIZE] = "rx_oversize",
    [SOFT_NIC_RX_GSO] = "rx_gso",
    [SOFT_NIC_RX_FLOW_DROP] = "rx_flow_drop",
    [SOFT_NIC_RX_NO_QUEUE] = "rx_no_queue",
    [SOFT_NIC_RX_FLOW_LOOP] = "rx_flow_loop",
    [SOFT_NIC_RX_FORWARD_DROP] = "rx_forward_drop",
    [SOFT_NIC_RX_KERNEL_LOST] = "rx_kernel_lost",
    [SOFT_NIC_RX_PORT_DROP] = "rx_port_drop",
    [SOFT_NIC_TX_FRAMES] = "tx_frames",
    [SOFT_NIC_TX_BYTES] = "tx_bytes",
    [SOFT_NIC_TX_ERR_SIZE] = "tx_err_size",
    [SOFT_NIC_TX_ERR_PORT] = "tx_err_port",
    [SOFT_NIC_LINK_DOWN] = "link_down",
    [SOFT_NIC_TX_ERR_KEY] = "tx_err_key",
    [SOFT_NIC_TX_ERR_SLOT] = "tx_err_slot",
    [SOFT_NIC_TX_WAITS] = "tx_waits",
    [SOFT_NIC_TX_LATE] = "tx_late",
    [SOFT_NIC_TX_NOTIFIED] = "tx_notified",
    [SOFT_NIC_TX_DOORBELLS] = "tx_doorbells",
    [SOFT_NIC_TX_EVENTS_LOST] = "tx_events_lost",
    [SOFT_NIC_TX_PROXY_CALLS] = "tx_proxy_calls",
};

const char *soft_nic_counter_name(enum soft_nic_counter counter)
{
    return names[counter];
}

bool soft_nic_port_adds_up(struct soft_nic_port *port)
{
    const struct soft_nic_counters *counters = &port->page->counters;
    uint64_t ends = 0;
    bool same;

    soft_nic_port_lock(port);
    for (int i = SOFT_NIC_RX_DELIVERED; i <= SOFT_NIC_RX_KERNEL_LOST; i++)
        ends += soft_nic_count(counters, (enum soft_nic_counter)i);
    same = ends == soft_nic_count(counters, SOFT_NIC_RX_SEEN);
    soft_nic_port_unlock(port);
    return same;
}

uint64_t soft_nic_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
