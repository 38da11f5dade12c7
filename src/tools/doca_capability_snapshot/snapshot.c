/* SPDX-License-Identifier: BSD-3-Clause */
/* doca-capability-snapshot: what each device can do with each library, at this moment. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <doca_dev.h>
#include <opendoca.h>

#include "soft/device/device.h"
#include "tools/common/json.h"
#include "tools/common/library.h"
#include "tools/common/version.h"

#define PROGRAM "doca-capability-snapshot"

static json_t *now(void)
{
    char text[sizeof("2025-01-31T00:00:00Z") + 8];
    time_t seconds = time(NULL);
    struct tm utc;

    gmtime_r(&seconds, &utc);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_string(text);
}

static json_t *library_capabilities(const struct tool_library *library,
                                    struct doca_devinfo *devinfo)
{
    json_t *list = json_array();

    for (const struct tool_cap *cap = library->caps; cap != NULL && cap->name != NULL; cap++) {
        struct tool_cap_value value = tool_cap_query(cap, devinfo);

        if (value.kind == TOOL_CAP_SUPPORTED)
            json_array_append_new(list, json_string(cap->name));
        else if (value.kind == TOOL_CAP_NUMBER)
            json_array_append_new(list, json_sprintf("%s=%" PRIu64, cap->name, value.number));
    }
    return list;
}

static json_t *device_snapshot(struct doca_devinfo *devinfo)
{
    char pci[DOCA_DEVINFO_PCI_ADDR_SIZE] = "", module[TOOL_MODULE_SIZE];
    json_t *capabilities = json_object();

    (void)doca_devinfo_get_pci_addr_str(devinfo, pci);
    for (const struct tool_library *library = tool_libraries; library->name != NULL; library++) {
        tool_library_module(library, module);
        json_object_set_new(capabilities, module, library_capabilities(library, devinfo));
    }
    return json_pack("{s:s, s:o}", "pcie_address", pci, "library_capabilities", capabilities);
}

static json_t *snapshot(struct doca_devinfo **list, uint32_t num)
{
    json_t *devices = json_array();
    enum soft_role role;

    (void)soft_device_role(&role); /* a wrong one has already refused the list */
    for (uint32_t i = 0; i < num; i++)
        json_array_append_new(devices, device_snapshot(list[i]));
    return json_pack("{s:o, s:s, s:s, s:o}", "snapshot_at", now(), "doca_version", tool_version(),
                     "host_kind", role == SOFT_ROLE_DPU ? "bluefield" : "host", "devices", devices);
}

int main(int argc, char **argv)
{
    struct tool_options options = {
        .program = PROGRAM,
        .usage = "[--json]\n\n"
                 "Prints what each device can do with each DOCA library as one JSON object.\n"
                 "OPENDOCA_ROLE=host|dpu selects the side.\n\n"
                 "  --json         accepted, the output is always JSON\n"
                 "  -h, --help     this text\n"
                 "  -v, --version  version\n",
    };
    struct doca_devinfo **list;
    uint32_t num;
    int status, operand = tool_parse_options(&options, argc, argv, &status);
    json_t *root;

    if (operand < 0)
        return status;
    if (operand < argc)
        return tool_bad_usage(&options, "takes no operand");
    if (doca_devinfo_create_list(&list, &num) != DOCA_SUCCESS) {
        fprintf(stderr, PROGRAM ": %s\n", opendoca_last_error());
        return EXIT_FAILURE;
    }
    root = snapshot(list, num);
    (void)doca_devinfo_destroy_list(list);
    return tool_json_print(PROGRAM, root);
}
