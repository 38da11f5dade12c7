/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/iface.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "util/base.h"

/* Two ends of one machine: 256 frames find room at the other end before it looks, more are lost
 * without a word. To the kernel the shortest ones are of 768 bytes. */
#define UNSEEN_BYTES (192 * 768)

void soft_nic_ask_link(int fd, int ifindex, struct soft_nic_port_info *info)
{
    struct ifreq ifr = {.ifr_ifindex = ifindex};
    bool is_there;

    info->is_gone = ioctl(fd, SIOCGIFNAME, &ifr) != 0;
    is_there = !info->is_gone && ioctl(fd, SIOCGIFFLAGS, &ifr) == 0;
    info->link_up = is_there && (ifr.ifr_flags & IFF_RUNNING) != 0;
    info->is_off = !is_there || (ifr.ifr_flags & IFF_UP) == 0;
}

bool soft_nic_is_local(int fd, const char *iface)
{
    static const char *const drivers[] = {"veth", "tun", "virtio_net", "xen_netfront"};
    struct ethtool_drvinfo drvinfo = {.cmd = ETHTOOL_GDRVINFO};
    struct ifreq ifr = {.ifr_data = (char *)&drvinfo};

    strncpy(ifr.ifr_name, iface, sizeof(ifr.ifr_name) - 1);
    if (ioctl(fd, SIOCETHTOOL, &ifr) != 0)
        return true;
    for (uint32_t i = 0; i < OD_ARRAY_SIZE(drivers); i++) {
        if (strcmp(drvinfo.driver, drivers[i]) == 0)
            return true;
    }
    return false;
}

void soft_nic_limit_unseen(int fd)
{
    const int bytes = UNSEEN_BYTES / 2; /* the kernel doubles it */

    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}
