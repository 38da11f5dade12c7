/* SPDX-License-Identifier: BSD-3-Clause */
/* A pair of interfaces for a first try: what one device sends, the other one receives. */

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "tools/opendoca/opendoca_tool.h"
#include "util/base.h"
#include "util/cleanup.h"

#define FILE_NAME "opendoca-wire.json"

static const char *const ends[2] = {"odw0", "odw1"};
static const char *const addresses[2] = {"0000:03:00.0", "0000:03:00.1"};

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: opendoca wire [on] [--file DEVICES]\n"
            "       opendoca wire off\n\n"
            "on     makes a veth pair, %s and %s, and a devices file (" FILE_NAME " in this\n"
            "       folder) in which they are the host devices %s and %s\n"
            "off    takes the pair away\n\n"
            "The addresses are those of the devices in that file, whatever they are elsewhere:\n"
            "programs for the host side find both.\n\n"
            "Needs the right to make interfaces (CAP_NET_ADMIN); 'unshare -n' gives a place where\n"
            "nobody else sees them, and 'unshare -rn' that right as well, without being root. In\n"
            "the latter everybody is user 0: set OPENDOCA_RUNTIME_DIR to a folder of your own.\n"
            "docs/ports.md shows a ping over the wire.\n",
            ends[0], ends[1], addresses[0], addresses[1]);
}

static int add_pair(void)
{
    const char *const argv[] = {"ip",   "link", "add",  ends[0], "type",
                                "veth", "peer", "name", ends[1], NULL};

    return tool_call(argv, -1, -1);
}

static int set_up(const char *iface)
{
    const char *const argv[] = {"ip", "link", "set", iface, "up", NULL};

    return tool_call(argv, -1, -1);
}

static int remove_pair(void)
{
    const char *const argv[] = {"ip", "link", "del", ends[0], NULL};

    return tool_call(argv, -1, -1) == EXIT_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The interface is one end of a veth pair; 0: it is something else. */
static uint64_t peer_of(int fd, const char *iface)
{
    struct ethtool_drvinfo drvinfo = {.cmd = ETHTOOL_GDRVINFO};
    struct ifreq ifr = {.ifr_data = (char *)&drvinfo};
    struct {
        struct ethtool_stats head;
        uint64_t values[1024]; /* the first one of veth is the number of the peer */
    } stats = {.head.cmd = ETHTOOL_GSTATS};

    snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", iface);
    if (ioctl(fd, SIOCETHTOOL, &ifr) != 0 || strcmp(drvinfo.driver, "veth") != 0 ||
        drvinfo.n_stats == 0 || drvinfo.n_stats > OD_ARRAY_SIZE(stats.values))
        return 0;
    stats.head.n_stats = drvinfo.n_stats;
    ifr.ifr_data = (char *)&stats;
    return ioctl(fd, SIOCETHTOOL, &ifr) == 0 ? stats.values[0] : 0;
}

/* What is there already is the pair that is wanted. */
static bool is_pair(void)
{
    OD_AUTO_FD int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    uint64_t index = if_nametoindex(ends[1]);

    return fd >= 0 && index != 0 && peer_of(fd, ends[0]) == index;
}

static int ensure_pair(bool *is_new)
{
    *is_new = false;
    for (int i = 0; i < 2; i++) {
        if (if_nametoindex(ends[i]) != 0 && !is_pair()) {
            fprintf(stderr,
                    "opendoca wire: there is an interface %s that is no end of a wire between %s "
                    "and %s; 'ip link del %s' if nobody needs it, or go on in 'unshare -n'\n",
                    ends[i], ends[0], ends[1], ends[i]);
            return EXIT_FAILURE;
        }
    }
    if (if_nametoindex(ends[0]) != 0)
        return EXIT_SUCCESS;
    *is_new = add_pair() == EXIT_SUCCESS;
    if (*is_new)
        return EXIT_SUCCESS;
    fprintf(stderr, "opendoca wire: the interfaces cannot be made; is iproute2 installed, and is "
                    "the right there?\n");
    return EXIT_FAILURE;
}

static int make_ready(void)
{
    for (int i = 0; i < 2; i++) {
        if (set_up(ends[i]) != EXIT_SUCCESS) {
            fprintf(stderr, "opendoca wire: %s cannot be switched on\n", ends[i]);
            return EXIT_FAILURE;
        }
        if (!tool_write_own_tags(ends[i]))
            fprintf(stderr, "opendoca wire: VLAN tags of sockets may get lost on %s\n", ends[i]);
    }
    return EXIT_SUCCESS;
}

static int switch_on(const char *file)
{
    bool is_new;
    int status = ensure_pair(&is_new);

    if (status == EXIT_SUCCESS)
        status = make_ready();
    for (int i = 0; status == EXIT_SUCCESS && i < 2; i++) {
        const char *const argv[] = {"port",       "add",    ends[i], "--as",
                                    addresses[i], "--file", file,    NULL};

        status = tool_port(OD_ARRAY_SIZE(argv) - 1, (char **)(uintptr_t)argv);
    }
    if (status == EXIT_SUCCESS)
        printf("now run programs with OPENDOCA_CONFIG=%s\n", file);
    else if (is_new)
        remove_pair();
    return status;
}

int tool_wire(int argc, char **argv)
{
    const char *file = FILE_NAME;
    int at = argc > 1 && strcmp(argv[1], "on") == 0 ? 2 : 1;

    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        usage(stdout);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "off") == 0)
        return remove_pair();
    if (argc == at + 2 && strcmp(argv[at], "--file") == 0) {
        file = argv[at + 1];
        at = argc;
    }
    if (argc == at)
        return switch_on(file);
    usage(stderr);
    return TOOL_USAGE;
}
