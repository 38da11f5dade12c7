/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/opendoca_tool.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/device/device.h"

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: opendoca device list\n"
            "       opendoca device show NAME\n\n"
            "Devices of both roles, from the devices file or built in. NAME is a PCI address, an\n"
            "IB device name or an interface name.\n");
}

static const char *port_state(const struct soft_device *device)
{
    switch (device->port_state) {
    case SOFT_PORT_ACTIVE:
        return "active";
    case SOFT_PORT_DOWN:
        return "down";
    default:
        return "unknown";
    }
}

static void list(const struct soft_topology *topology)
{
    printf("devices: %s\n", topology->source);
    printf("%-5s %-13s %-3s %-12s %-12s %-12s %s\n", "role", "PCI", "fn", "ibdev", "interface",
           "card", "profile");
    for (uint32_t i = 0; i < topology->ndevices; i++) {
        const struct soft_device *device = &topology->devices[i];
        char pci[OD_PCI_ADDR_TEXT];

        od_format_pci_addr(&device->pci, pci);
        printf("%-5s %-13s %-3s %-12s %-12s %-12s %s\n", soft_role_name(device->role), pci,
               soft_func_type_name(device->func_type), device->ibdev,
               device->iface[0] != '\0' ? device->iface : "-", device->card, device->profile);
    }
}

bool tool_device_matches(const struct soft_device *device, const char *name)
{
    struct od_pci_addr addr;

    if (od_parse_pci_addr(name, &addr) == 0)
        return od_pci_addr_equal(&addr, &device->pci);
    return strcmp(device->ibdev, name) == 0 || strcmp(device->iface, name) == 0;
}

static void show_addresses(const struct soft_device *device)
{
    char text[INET6_ADDRSTRLEN];

    printf("  interface        %s (index %u)\n", device->iface[0] != '\0' ? device->iface : "none",
           device->iface_index);
    printf("  MAC              %02x:%02x:%02x:%02x:%02x:%02x\n", device->mac[0], device->mac[1],
           device->mac[2], device->mac[3], device->mac[4], device->mac[5]);
    printf("  IPv4             %s\n",
           device->has_ipv4 ? inet_ntop(AF_INET, device->ipv4, text, sizeof(text)) : "none");
    printf("  IPv6             %s\n",
           device->has_ipv6 ? inet_ntop(AF_INET6, device->ipv6, text, sizeof(text)) : "none");
    printf("  link             %s, %s, MTU %u, %" PRIu64 " Mbit/s\n",
           device->link_layer == SOFT_LINK_ETHERNET ? "Ethernet" : "InfiniBand", port_state(device),
           device->mtu, device->active_rate / 1000000);
}

static void show_caps(const struct soft_caps *caps)
{
    printf("  map export       %s, import %s\n", caps->mmap_export_pci ? "yes" : "no",
           caps->mmap_from_export_pci ? "yes" : "no");
    printf("  DMA memcpy       %s\n", caps->dma_memcpy ? "yes" : "no");
    if (caps->dma_memcpy)
        printf("    up to          %" PRIu64 " bytes, %u segments a side, %u tasks\n",
               caps->dma_max_buf_size, caps->dma_max_list_len, caps->dma_max_tasks);
    printf("  sync events      %s\n", caps->sync_event ? "yes" : "no");
    printf("  Comch            %s\n", caps->comch ? "yes" : "no");
    if (caps->comch)
        printf("    up to          %u bytes a message, %u clients a server, %s\n",
               caps->comch_max_msg_size, caps->comch_max_clients,
               caps->comch_fast_path ? "fast path" : "no fast path");
}

static void show(const struct soft_device *device)
{
    char pci[OD_PCI_ADDR_TEXT];

    od_format_pci_addr(&device->pci, pci);
    printf("%s device %s (%s), %s of card %s, profile %s\n", soft_role_name(device->role), pci,
           device->ibdev, soft_func_type_name(device->func_type), device->card, device->profile);
    show_addresses(device);
    printf("  VUID             %s\n", device->vuid);
    show_caps(&device->caps);
    printf("  copy engine      %s\n",
           device->copy.engine[0] != '\0' ? device->copy.engine : "threads (default)");
    for (uint32_t i = 0; i < device->nreps; i++) {
        od_format_pci_addr(&device->reps[i]->pci, pci);
        printf("  representor of   %s (%s)\n", pci, device->reps[i]->ibdev);
    }
}

static int show_named(const struct soft_topology *topology, const char *name)
{
    bool found = false;

    for (uint32_t i = 0; i < topology->ndevices; i++) {
        if (tool_device_matches(&topology->devices[i], name)) {
            show(&topology->devices[i]);
            found = true;
        }
    }
    if (!found)
        fprintf(stderr, "opendoca device: no device '%s' in %s\n", name, topology->source);
    return found ? EXIT_SUCCESS : EXIT_FAILURE;
}

int tool_device(int argc, char **argv)
{
    const struct soft_topology *topology;
    bool wants_list = argc == 2 && strcmp(argv[1], "list") == 0;

    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        usage(stdout);
        return EXIT_SUCCESS;
    }
    if (!wants_list && !(argc == 3 && strcmp(argv[1], "show") == 0)) {
        usage(stderr);
        return TOOL_USAGE;
    }
    if (soft_device_topology(&topology) != 0) {
        fprintf(stderr, "opendoca device: %s\n", soft_reason());
        return EXIT_FAILURE;
    }
    if (!wants_list)
        return show_named(topology, argv[2]);
    list(topology);
    return EXIT_SUCCESS;
}
