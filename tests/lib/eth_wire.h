/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_ETH_WIRE_H_
#define TESTS_LIB_ETH_WIRE_H_

/* A wire with a device at either end. It is of the kind that the program is told: inside the
 * process, or a veth pair in a network namespace of its own. For C and C++. */

#include <linux/bpf.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ETH_SKIP 77

/* How a wire is made and what the two devices are attached to. */
struct eth_wire {
    const char *kind;
    const char *port_a, *port_b;
    bool needs_kernel; /* interfaces, in a network namespace of their own */
    const char *more;  /* fields of both devices */
};

#define ETH_STRICT ", \"oversize\": \"error\""

static const struct eth_wire eth_wires[] = {
    {"loop", "loop:wire", "loop:wire", false, ""},
    {"af_packet", "af_packet:odva", "af_packet:odvb", true, ""},
    {"af_xdp", "af_xdp:odva", "af_xdp:odvb", true, ""},
    {"af_xdp_generic", "af_xdp:odva,mode=generic", "af_xdp:odvb,mode=generic", true, ""},
    {"third_fails", "error:fail_send=3;loop:wire", "loop:wire", false, ""},
    {"error", "error:seed=1;loop:wire", "error:seed=2;loop:wire", false, ""},
    {"tap", "af_packet:odtap", "tap:odtap", true, ""},
    {"loop_threads", "loop:wire", "loop:wire", false, ", \"engine\": {\"threads\": 3}"},
    {"loop_strict", "loop:wire", "loop:wire", false, ETH_STRICT},
    {"af_packet_strict", "af_packet:odva", "af_packet:odvb", true, ETH_STRICT},
    {"af_xdp_strict", "af_xdp:odva", "af_xdp:odvb", true, ETH_STRICT},
};

static inline int eth_skip(const char *why)
{
    printf("skipped: %s\n", why);
    return ETH_SKIP;
}

/* Nothing but the test sends on this wire: no IPv6, no addresses. */
static inline int eth_make_interfaces(bool is_tap)
{
    FILE *quiet;

    if (unshare(CLONE_NEWNET) != 0)
        return eth_skip("no right to make a network namespace (CAP_SYS_ADMIN)");
    quiet = fopen("/proc/sys/net/ipv6/conf/default/disable_ipv6", "w");
    if (quiet != NULL) {
        fputs("1", quiet);
        fclose(quiet);
    } else if (access("/proc/sys/net/ipv6", F_OK) == 0) {
        return eth_skip("IPv6 cannot be switched off in a network namespace");
    }
    if (system(is_tap ? "ip tuntap add odtap mode tap 2>/dev/null && ip link set odtap up"
                      : "ip link add odva type veth peer name odvb 2>/dev/null &&"
                        " ip link set odva up && ip link set odvb up") != 0)
        return eth_skip("no veth pair or TAP interface can be made (is iproute2 there?)");
    return 0;
}

/* The kernel has it, and this user the rights for it. */
static inline int eth_check_xdp(void)
{
    union bpf_attr map;
    int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return eth_skip("no AF_XDP socket can be made");
    close(fd);
    memset(&map, 0, sizeof(map));
    map.map_type = BPF_MAP_TYPE_XSKMAP;
    map.key_size = map.value_size = 4;
    map.max_entries = 1;
    fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map));
    if (fd < 0)
        return eth_skip("no map of AF_XDP sockets can be made");
    close(fd);
    return 0;
}

/* Before the first call of the library. 0, or what main() returns. */
static inline int eth_wire_up(const char *kind)
{
    static char path[] = "/tmp/opendoca-test-eth-XXXXXX";
    const struct eth_wire *wire = eth_wires;
    FILE *config;
    int rc;

    while (strcmp(wire->kind, kind) != 0) {
        if (++wire == eth_wires + sizeof(eth_wires) / sizeof(eth_wires[0]))
            return eth_skip("no such kind of wire");
    }
    rc = strncmp(kind, "af_xdp", 6) == 0 ? eth_check_xdp() : 0;
    if (rc == 0 && wire->needs_kernel)
        rc = eth_make_interfaces(strcmp(kind, "tap") == 0);
    if (rc != 0)
        return rc;
    config = fdopen(mkstemp(path), "w");
    if (config == NULL)
        return 1;
    fprintf(config,
            "{\"devices\": ["
            "{\"role\": \"host\", \"pci\": \"0000:03:00.0\", \"port\": \"%s\","
            " \"unmatched\": \"queues\"%s},"
            "{\"role\": \"host\", \"pci\": \"0000:03:00.1\", \"port\": \"%s\","
            " \"unmatched\": \"queues\"%s}]}",
            wire->port_a, wire->more, wire->port_b, wire->more);
    fclose(config);
    setenv("OPENDOCA_CONFIG", path, 1);
    setenv("OPENDOCA_ROLE", "host", 1);
    return 0;
}

static inline void eth_wire_down(void)
{
    unlink(getenv("OPENDOCA_CONFIG"));
}

#endif /* TESTS_LIB_ETH_WIRE_H_ */
