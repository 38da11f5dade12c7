/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "tools/common/json.h"
#include "util/cleanup.h"

static const char *state_name(enum soft_port_state state)
{
    switch (state) {
    case SOFT_PORT_ACTIVE:
        return "active";
    case SOFT_PORT_DOWN:
        return "down";
    default:
        return "unknown";
    }
}

static json_t *pci_text(const struct od_pci_addr *pci)
{
    char text[OD_PCI_ADDR_TEXT];

    od_format_pci_addr(pci, text);
    return json_string(text);
}

/* `owner` is the DPU function that represents `device`, or NULL when it is listed as itself. */
static json_t *device_facts(const struct soft_device *device, const struct soft_device *owner,
                            bool with_name)
{
    const char *iface = owner != NULL ? device->rep_iface : device->iface;
    json_t *facts = json_pack("{s:o, s:s, s:o, s:s, s:i}", "pcie_address",
                              pci_text(owner != NULL ? &owner->pci : &device->pci), "kind",
                              soft_func_type_name(device->func_type), "representor_of",
                              owner != NULL ? pci_text(&device->pci) : json_null(), "state",
                              state_name(device->port_state), "mtu", (int)device->mtu);

    if (with_name)
        json_object_set_new(facts, "name",
                            tool_json_text(iface[0] != '\0' ? iface : device->ibdev));
    return facts;
}

json_t *tool_facts_devices(const struct soft_topology *topology, enum soft_role role,
                           bool with_name)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < topology->ndevices; i++) {
        const struct soft_device *device = &topology->devices[i];

        if (device->role == role)
            json_array_append_new(list, device_facts(device, NULL, with_name));
    }
    for (uint32_t i = 0; i < topology->ndevices && role == SOFT_ROLE_DPU; i++) {
        const struct soft_device *device = &topology->devices[i];

        for (uint32_t j = 0; device->role == role && j < device->nreps; j++)
            json_array_append_new(list, device_facts(device->reps[j], device, with_name));
    }
    return list;
}

json_t *tool_facts_bf_mode(const struct soft_topology *topology, enum soft_role role)
{
    if (role != SOFT_ROLE_DPU)
        return json_null();
    return json_string(topology->bf_mode != NULL ? topology->bf_mode : "dpu");
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

#define MAX_MODULES 64

json_t *tool_facts_mlx5_modules(void)
{
    OD_AUTO_FILE FILE *f = fopen("/proc/modules", "re");
    json_t *names[MAX_MODULES], *list = json_array();
    size_t num = 0;
    char name[64];

    /* The first word of a line is the name. */
    while (f != NULL && num < MAX_MODULES && fscanf(f, "%63s%*[^\n]", name) == 1) {
        if (strncmp(name, "mlx5", 4) == 0)
            names[num++] = tool_json_text(name);
    }
    qsort(names, num, sizeof(names[0]), compare_names);
    for (size_t i = 0; i < num; i++)
        json_array_append_new(list, names[i]);
    return list;
}

json_t *tool_facts_kernel_version(void)
{
    struct utsname name;

    uname(&name);
    return tool_json_text(name.release);
}
