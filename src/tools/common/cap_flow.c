/* SPDX-License-Identifier: BSD-3-Clause */
/* The API of Flow has no questions about devices: what is here is what docs/flow.md says, and the
 * same for all devices that carry Ethernet. */

#include "tools/common/capability.h"

#include <stddef.h>

static doca_error_t offered(const struct doca_devinfo *devinfo)
{
    uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];

    return doca_devinfo_get_mac_addr(devinfo, mac, sizeof(mac));
}

static doca_error_t refused(const struct doca_devinfo *devinfo)
{
    (void)devinfo;
    return DOCA_ERROR_NOT_SUPPORTED;
}

const struct tool_cap tool_caps_flow[] = {
    {.name = "pipe_basic", .status = offered},
    {.name = "pipe_control", .status = offered},
    {.name = "pipe_lpm", .status = refused},
    {.name = "pipe_acl", .status = refused},
    {.name = "pipe_hash", .status = refused},
    {.name = "pipe_ordered_list", .status = refused},
    {.name = "counters", .status = offered},
    {.name = "meters", .status = refused},
    {.name = "shared_resources", .status = refused},
    {.name = "header_rewrite", .status = offered},
    {.name = "vlan_push_pop", .status = offered},
    {.name = "tunnels", .status = refused},
    {.name = "crypto", .status = refused},
    {.name = "fwd_rss", .status = offered},
    {.name = "fwd_port", .status = offered},
    {.name = "fwd_kernel", .status = offered},
    {.name = NULL},
};
