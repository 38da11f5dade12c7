/* SPDX-License-Identifier: BSD-3-Clause */
/* doca-collect-host-state and doca-collect-dpu-state: the same facts from either side, to be
 * compared field by field. COLLECT_SIDE tells which of the two this is. */

#include <stdio.h>
#include <stdlib.h>

#include <opendoca.h>

#include "tools/common/facts.h"
#include "tools/common/json.h"
#include "tools/common/version.h"

#define PROGRAM "doca-collect-" COLLECT_SIDE "-state"

static json_t *collect(const struct soft_topology *topology, enum soft_role role)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "side", soft_role_name(role),
                     "doca_version", tool_version(), "firmware_version", opendoca_version(),
                     "kernel_version", tool_facts_kernel_version(), "mlx5_modules",
                     tool_facts_mlx5_modules(), "bf_mode", tool_facts_bf_mode(topology, role),
                     "devices", tool_facts_devices(topology, role, false));
}

int main(int argc, char **argv)
{
    struct tool_options options = {
        .program = PROGRAM,
        .usage = "[--json]\n\n"
                 "Prints the state of the " COLLECT_SIDE " side as one JSON object.\n\n"
                 "  --json         accepted, the output is always JSON\n"
                 "  -h, --help     this text\n"
                 "  -v, --version  version\n",
    };
    const struct soft_topology *topology;
    enum soft_role role;
    int status, operand;

    /* The side is what this program is for; before anything asks for the role. */
    setenv("OPENDOCA_ROLE", COLLECT_SIDE, 1);
    operand = tool_parse_options(&options, argc, argv, &status);
    if (operand < 0)
        return status;
    if (operand < argc)
        return tool_bad_usage(&options, "takes no operand");
    if (soft_device_role(&role) != 0 || soft_device_topology(&topology) != 0) {
        fprintf(stderr, PROGRAM ": %s\n", soft_reason());
        return EXIT_FAILURE;
    }
    return tool_json_print(PROGRAM, collect(topology, role));
}
