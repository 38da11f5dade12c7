/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/device_priv.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "util/cleanup.h"

/* Everything is asked through a socket, because sysfs may show another network namespace than that
 * of this process. */
static bool ask(int fd, const char *iface, unsigned long request, struct ifreq *ifr, void *data)
{
    memset(ifr, 0, sizeof(*ifr));
    memcpy(ifr->ifr_name, iface, strnlen(iface, sizeof(ifr->ifr_name) - 1));
    if (data != NULL)
        ifr->ifr_data = data;
    return ioctl(fd, request, ifr) == 0;
}

static void read_link(struct soft_device *device, int fd)
{
    struct ethtool_cmd link = {.cmd = ETHTOOL_GSET};
    struct ifreq ifr;
    uint32_t mbit;

    if ((device->given & GIVEN_MTU) == 0 && ask(fd, device->iface, SIOCGIFMTU, &ifr, NULL))
        device->mtu = (uint32_t)ifr.ifr_mtu;
    if ((device->given & GIVEN_STATE) == 0 && ask(fd, device->iface, SIOCGIFFLAGS, &ifr, NULL))
        device->port_state = (ifr.ifr_flags & IFF_RUNNING) != 0 ? SOFT_PORT_ACTIVE : SOFT_PORT_DOWN;
    if ((device->given & GIVEN_MAC) == 0 && ask(fd, device->iface, SIOCGIFHWADDR, &ifr, NULL) &&
        ifr.ifr_hwaddr.sa_family == ARPHRD_ETHER)
        memcpy(device->mac, ifr.ifr_hwaddr.sa_data, sizeof(device->mac));
    if ((device->given & GIVEN_ACTIVE_RATE) == 0 &&
        ask(fd, device->iface, SIOCETHTOOL, &ifr, &link)) {
        mbit = ethtool_cmd_speed(&link);
        if (mbit != 0 && mbit != (uint32_t)SPEED_UNKNOWN)
            device->active_rate = (uint64_t)mbit * 1000 * 1000;
    }
}

static void take_ipv4(struct soft_device *device, const struct sockaddr_in *addr)
{
    if (device->has_ipv4)
        return;
    memcpy(device->ipv4, &addr->sin_addr, sizeof(device->ipv4));
    device->has_ipv4 = true;
}

/* The first address, but one that is valid beyond the link goes before one that is not. */
static void take_ipv6(struct soft_device *device, const struct sockaddr_in6 *addr)
{
    bool local = device->has_ipv6 && IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)device->ipv6);

    if (device->has_ipv6 && (!local || IN6_IS_ADDR_LINKLOCAL(&addr->sin6_addr)))
        return;
    memcpy(device->ipv6, &addr->sin6_addr, sizeof(device->ipv6));
    device->has_ipv6 = true;
}

static void read_addresses(struct soft_device *device)
{
    struct ifaddrs *all;

    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
        if (a->ifa_addr == NULL || strcmp(a->ifa_name, device->iface) != 0)
            continue;
        if (a->ifa_addr->sa_family == AF_INET && (device->given & GIVEN_IPV4) == 0)
            take_ipv4(device, (const void *)a->ifa_addr);
        if (a->ifa_addr->sa_family == AF_INET6 && (device->given & GIVEN_IPV6) == 0)
            take_ipv6(device, (const void *)a->ifa_addr);
    }
    freeifaddrs(all);
}

void soft_device_read_iface(struct soft_device *device)
{
    uint32_t index = if_nametoindex(device->iface);
    OD_AUTO_FD int fd = -1;

    if (index == 0) {
        if ((device->given & GIVEN_STATE) == 0)
            device->port_state = SOFT_PORT_UNKNOWN;
        return;
    }
    if ((device->given & GIVEN_IFACE_INDEX) == 0)
        device->iface_index = index;
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        read_link(device, fd);
    read_addresses(device);
}

void soft_device_read_rep_iface(struct soft_device *device)
{
    if ((device->given & GIVEN_REP_IFACE_INDEX) == 0)
        device->rep_iface_index = if_nametoindex(device->rep_iface);
}
