/* SPDX-License-Identifier: BSD-3-Clause */
/* What an interface of the kernel does for those who send. */

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/opendoca/opendoca_tool.h"
#include "util/base.h"
#include "util/cleanup.h"

#define FEATURES_MAX 1024u

static bool call(int fd, const char *iface, void *command)
{
    struct ifreq ifr = {.ifr_data = command};

    snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", iface);
    return ioctl(fd, SIOCETHTOOL, &ifr) == 0;
}

/* Their names, of which there are `*n`; NULL: the kernel does not tell. */
static struct ethtool_gstrings *read_names(int fd, const char *iface, uint32_t *n)
{
    struct {
        struct ethtool_sset_info info;
        uint32_t n;
    } set = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ull << ETH_SS_FEATURES}};
    struct ethtool_gstrings *names;

    if (!call(fd, iface, &set) || set.info.sset_mask == 0 || set.n > FEATURES_MAX)
        return NULL;
    names = calloc(1, sizeof(*names) + (size_t)set.n * ETH_GSTRING_LEN);
    if (names == NULL)
        return NULL;
    names->cmd = ETHTOOL_GSTRINGS;
    names->string_set = ETH_SS_FEATURES;
    names->len = set.n;
    *n = set.n;
    if (call(fd, iface, names))
        return names;
    free(names);
    return NULL;
}

static bool is_about_tags(const uint8_t *name)
{
    static const char *const wanted[] = {"tx-vlan-hw-insert", "tx-vlan-stag-hw-insert"};

    for (size_t i = 0; i < OD_ARRAY_SIZE(wanted); i++) {
        if (strncmp((const char *)name, wanted[i], ETH_GSTRING_LEN) == 0)
            return true;
    }
    return false;
}

bool tool_write_own_tags(const char *iface)
{
    OD_AUTO_FD int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ethtool_sfeatures *change;
    struct ethtool_gstrings *names;
    uint32_t n = 0;
    bool fine;

    names = fd >= 0 ? read_names(fd, iface, &n) : NULL;
    if (names == NULL)
        return false;
    change = calloc(1, sizeof(*change) + (n + 31) / 32 * sizeof(change->features[0]));
    if (change == NULL) {
        free(names);
        return false;
    }
    change->cmd = ETHTOOL_SFEATURES;
    change->size = (n + 31) / 32;
    for (uint32_t i = 0; i < n; i++) {
        if (is_about_tags(names->data + (size_t)i * ETH_GSTRING_LEN))
            change->features[i / 32].valid |= 1u << i % 32;
    }
    fine = call(fd, iface, change);
    free(change);
    free(names);
    return fine;
}
