/* SPDX-License-Identifier: BSD-3-Clause */
/* What nobody is answered, because no call fails for it: the state of the interface, frames that no
 * queue can be given. */

#include "soft/nic/nic_priv.h"

/* A link needs a moment to be there after the interface was switched on. */
#define LOOKS_WITHOUT 10u

static enum soft_nic_link state_of(struct soft_nic_told *told,
                                   const struct soft_nic_port_info *info)
{
    if (info->is_gone || told->link == SOFT_NIC_LINK_GONE)
        return SOFT_NIC_LINK_GONE;
    if (info->is_off)
        return SOFT_NIC_LINK_OFF;
    if (info->link_up)
        told->without = 0;
    else if (told->without < LOOKS_WITHOUT)
        told->without++;
    if (told->without == 0)
        return SOFT_NIC_LINK_UP;
    return told->without == LOOKS_WITHOUT ? SOFT_NIC_LINK_NONE : told->link;
}

static void tell_link(const char *device, enum soft_nic_link link,
                      const struct soft_nic_port_info *info)
{
    switch (link) {
    case SOFT_NIC_LINK_GONE:
        soft_tell("port %s:%s of device %s: the interface is gone; nothing is received any more, "
                  "and what is sent fails; one that is made again is not taken up: then start the "
                  "program again",
                  info->kind, info->where, device);
        break;
    case SOFT_NIC_LINK_OFF:
        soft_tell("port %s:%s of device %s: the interface is switched off; nothing is received, "
                  "and what is sent fails, until 'ip link set dev %s up'",
                  info->kind, info->where, device, info->where);
        break;
    case SOFT_NIC_LINK_NONE:
        soft_tell("port %s:%s of device %s: the interface has no link; nothing is received, and "
                  "what is sent is lost or fails, until its other end is there and switched on",
                  info->kind, info->where, device);
        break;
    default:
        soft_tell("port %s:%s of device %s: the interface is up again; frames are received and "
                  "sent",
                  info->kind, info->where, device);
        break;
    }
}

static void tell_gso(const char *device, const struct soft_nic_port_info *info)
{
    soft_tell("port %s:%s of device %s: frames longer than the MTU of %u allows are dropped "
              "(rx_gso in 'opendoca stats'); if they are several that a sender on this machine or "
              "the interface made one: 'ethtool -K NAME tso off gso off' there, 'gro off' here",
              info->kind, info->where, device, info->mtu);
}

void soft_nic_tell_news(struct soft_nic_port *port, const struct soft_nic_port_info *info)
{
    struct soft_nic_told *told = &port->told_of;
    enum soft_nic_link link = state_of(told, info);
    char device[SOFT_DEVICE_ID_SIZE];

    soft_device_id(port->device, device);
    if (link != told->link) {
        told->link = link;
        tell_link(device, link, info);
    }
    if (!told->gso && soft_nic_count(&port->page->counters, SOFT_NIC_RX_GSO) > 0) {
        told->gso = true;
        tell_gso(device, info);
    }
}
