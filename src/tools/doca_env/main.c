/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_env/doca_env.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/common/facts.h"
#include "tools/common/json.h"

#define PROGRAM "doca-env"

static const char *host_kind(const struct soft_topology *topology, enum soft_role role)
{
    if (topology == NULL)
        return "unknown";
    return role == SOFT_ROLE_DPU ? "bluefield" : "host";
}

/* `topology` is NULL when the devices cannot be known. */
static json_t *describe(const struct soft_topology *topology, enum soft_role role)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "version", env_version(topology, role),
        "devices", topology != NULL ? tool_facts_devices(topology, role, true) : json_array(),
        "libraries", env_libraries(role), "sample_paths", env_sample_paths(), "drivers",
        env_drivers(), "hugepages", env_hugepages(), "host_kind", host_kind(topology, role),
        "bf_mode", topology != NULL ? tool_facts_bf_mode(topology, role) : json_null());
}

int main(int argc, char **argv)
{
    struct tool_options options = {
        .program = PROGRAM,
        .usage =
            "[--json]\n\n"
            "Prints what this installation and this machine have: versions, devices,\n"
            "libraries, samples, drivers, huge pages. OPENDOCA_ROLE=host|dpu selects the side.\n\n"
            "  --json         as one JSON object\n"
            "  -h, --help     this text\n"
            "  -v, --version  version\n",
    };
    const struct soft_topology *topology = NULL;
    enum soft_role role;
    int status, operand = tool_parse_options(&options, argc, argv, &status);
    json_t *root;

    if (operand < 0)
        return status;
    if (operand < argc)
        return tool_bad_usage(&options, "takes no operand");
    /* A broken devices file is a fact about the environment too: it is told and the rest shown. */
    if (soft_device_role(&role) != 0 || soft_device_topology(&topology) != 0) {
        topology = NULL;
        fprintf(stderr, PROGRAM ": %s\n", soft_reason());
    }
    root = describe(topology, role);
    if (options.is_json || root == NULL)
        return tool_json_print(PROGRAM, root);
    env_print_text(root);
    json_decref(root);
    return tool_end_output(PROGRAM);
}
