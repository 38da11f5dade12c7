/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_caps/doca_caps.h"

#include <arpa/inet.h>
#include <stdio.h>

#define NOT_AVAILABLE "N/A"

static const char *func_type_name(doca_error_t result, enum doca_pci_func_type type)
{
    static const char *const names[] = {[DOCA_PCI_FUNC_TYPE_PF] = "PF",
                                        [DOCA_PCI_FUNC_TYPE_VF] = "VF",
                                        [DOCA_PCI_FUNC_TYPE_SF] = "SF"};

    if (result != DOCA_SUCCESS || (size_t)type >= sizeof(names) / sizeof(names[0]))
        return NOT_AVAILABLE;
    return names[type];
}

static void print_names(const struct doca_devinfo *devinfo)
{
    char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE] = NOT_AVAILABLE;
    char iface[DOCA_DEVINFO_IFACE_NAME_SIZE] = NOT_AVAILABLE;
    uint32_t index = 0;

    (void)doca_devinfo_get_ibdev_name(devinfo, ibdev, sizeof(ibdev));
    (void)doca_devinfo_get_iface_name(devinfo, iface, sizeof(iface));
    caps_print_attribute(1, "ibdev_name", ibdev);
    caps_print_attribute(1, "iface_name", iface);
    caps_print_number(1, "iface_index", doca_devinfo_get_iface_index(devinfo, &index), index);
}

static void print_mac(const struct doca_devinfo *devinfo)
{
    uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
    char text[3 * sizeof(mac)] = NOT_AVAILABLE;

    if (doca_devinfo_get_mac_addr(devinfo, mac, sizeof(mac)) == DOCA_SUCCESS)
        snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
                 mac[3], mac[4], mac[5]);
    caps_print_attribute(1, "mac_addr", text);
}

static void print_ip(const struct doca_devinfo *devinfo)
{
    uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE], ipv6[DOCA_DEVINFO_IPV6_ADDR_SIZE];
    char text4[INET_ADDRSTRLEN] = NOT_AVAILABLE, text6[INET6_ADDRSTRLEN] = NOT_AVAILABLE;

    if (doca_devinfo_get_ipv4_addr(devinfo, ipv4, sizeof(ipv4)) == DOCA_SUCCESS)
        inet_ntop(AF_INET, ipv4, text4, sizeof(text4));
    if (doca_devinfo_get_ipv6_addr(devinfo, ipv6, sizeof(ipv6)) == DOCA_SUCCESS)
        inet_ntop(AF_INET6, ipv6, text6, sizeof(text6));
    caps_print_attribute(1, "ipv4_addr", text4);
    caps_print_attribute(1, "ipv6_addr", text6);
}

void caps_print_devices(const struct caps_devices *devices, const struct caps_scope *scope)
{
    for (uint32_t i = 0; i < devices->num; i++) {
        const struct doca_devinfo *devinfo = devices->list[i];
        enum doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_PF;
        doca_error_t result;
        uint16_t port = 0;

        if (!caps_in_scope(devinfo, scope))
            continue;
        caps_print_heading(devinfo);
        print_names(devinfo);
        result = doca_devinfo_get_pci_func_type(devinfo, &type);
        caps_print_attribute(1, "pci_func_type", func_type_name(result, type));
        result = doca_devinfo_get_uplink_ib_port(devinfo, &port);
        caps_print_number(1, "uplink_ib_port", result, port);
        print_mac(devinfo);
        print_ip(devinfo);
    }
}

static void print_rep_numbers(const struct doca_devinfo_rep *rep)
{
    doca_error_t result;
    uint32_t index = 0;
    uint16_t port = 0;

    result = doca_devinfo_rep_get_ib_port(rep, &port);
    caps_print_number(2, "ib_port", result, port);
    result = doca_devinfo_rep_get_host_index(rep, &index);
    caps_print_number(2, "host_index", result, index);
    result = doca_devinfo_rep_get_pf_index(rep, &index);
    caps_print_number(2, "pf_index", result, index);
    result = doca_devinfo_rep_get_vf_index(rep, &index);
    caps_print_number(2, "vf_index", result, index);
}

static void print_rep_names(const struct doca_devinfo_rep *rep)
{
    char vuid[DOCA_DEVINFO_REP_VUID_SIZE] = NOT_AVAILABLE;
    char iface[DOCA_DEVINFO_IFACE_NAME_SIZE] = NOT_AVAILABLE;
    doca_error_t result;
    uint32_t index = 0;

    (void)doca_devinfo_rep_get_vuid(rep, vuid, sizeof(vuid));
    (void)doca_devinfo_rep_get_iface_name(rep, iface, sizeof(iface));
    caps_print_attribute(2, "vuid", vuid);
    caps_print_attribute(2, "iface_name", iface);
    result = doca_devinfo_rep_get_iface_index(rep, &index);
    caps_print_number(2, "iface_index", result, index);
}

static void print_representor(const struct doca_devinfo_rep *rep)
{
    enum doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_PF;
    char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE] = NOT_AVAILABLE;
    uint8_t hotplug = 0;
    doca_error_t result;

    (void)doca_devinfo_rep_get_pci_addr_str(rep, pci);
    printf("    representor-PCI: %s\n", pci);
    print_rep_numbers(rep);
    result = doca_devinfo_rep_get_pci_func_type(rep, &type);
    caps_print_attribute(2, "pci_func_type", func_type_name(result, type));
    result = doca_devinfo_rep_get_is_hotplug(rep, &hotplug);
    caps_print_number(2, "hotplug", result, hotplug);
    print_rep_names(rep);
}

/* A device that has no representors, or that cannot be opened now, is a heading with nothing under
 * it. */
static void print_representors_of(struct doca_devinfo *devinfo)
{
    struct doca_devinfo_rep **list;
    struct doca_dev *dev;
    uint32_t num;

    if (doca_dev_open(devinfo, &dev) != DOCA_SUCCESS)
        return;
    if (doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num) ==
        DOCA_SUCCESS) {
        for (uint32_t i = 0; i < num; i++)
            print_representor(list[i]);
        (void)doca_devinfo_rep_destroy_list(list);
    }
    (void)doca_dev_close(dev);
}

void caps_print_representors(const struct caps_devices *devices, const struct caps_scope *scope)
{
    for (uint32_t i = 0; i < devices->num; i++) {
        if (!caps_in_scope(devices->list[i], scope))
            continue;
        caps_print_heading(devices->list[i]);
        print_representors_of(devices->list[i]);
    }
}
