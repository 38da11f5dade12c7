/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the ports that processes have open. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/page.h"
#include "tools/common/json.h"
#include "tools/opendoca/opendoca_tool.h"

struct reading {
    json_t *ports; /* NULL: as text */
    uint32_t num;
};

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: opendoca stats [--json]\n\n"
            "What the Ethernet ports of running programs have counted, of those programs that\n"
            "share the runtime folder (OPENDOCA_RUNTIME_DIR). docs/ports.md explains the names.\n");
}

static void print_page(const struct soft_nic_page *page)
{
    printf("process %u, device %s, port %s of %s%s%s\n", page->pid, page->device, page->kind,
           page->where, page->mode[0] != '\0' ? ", " : "", page->mode);
    for (int i = 0; i < SOFT_NIC_COUNTERS; i++)
        printf("  %-16s %llu\n", soft_nic_counter_name((enum soft_nic_counter)i),
               (unsigned long long)soft_nic_count(&page->counters, (enum soft_nic_counter)i));
}

static json_t *page_object(const struct soft_nic_page *page)
{
    json_t *counters = json_object();

    for (int i = 0; i < SOFT_NIC_COUNTERS; i++)
        json_object_set_new(
            counters, soft_nic_counter_name((enum soft_nic_counter)i),
            json_integer((json_int_t)soft_nic_count(&page->counters, (enum soft_nic_counter)i)));
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "pid", (int)page->pid, "device",
                     tool_json_text(page->device), "kind", tool_json_text(page->kind), "where",
                     tool_json_text(page->where), "mode", tool_json_text(page->mode), "counters",
                     counters);
}

static void see(const struct soft_nic_page *page, void *arg)
{
    struct reading *reading = arg;

    reading->num++;
    if (reading->ports != NULL)
        json_array_append_new(reading->ports, page_object(page));
    else
        print_page(page);
}

int tool_stats(int argc, char **argv)
{
    bool is_json = argc == 2 && strcmp(argv[1], "--json") == 0;
    struct reading reading = {0};
    int err;

    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        usage(stdout);
        return EXIT_SUCCESS;
    }
    if (argc > 1 && !is_json) {
        usage(stderr);
        return TOOL_USAGE;
    }
    if (is_json)
        reading.ports = json_array();
    err = soft_nic_pages_read(see, &reading);
    if (err != 0) {
        json_decref(reading.ports);
        fprintf(stderr, "opendoca stats: %s\n", soft_reason());
        return EXIT_FAILURE;
    }
    if (is_json)
        return tool_json_print("opendoca stats", json_pack("{s:o}", "ports", reading.ports));
    if (reading.num == 0)
        printf("no program has a port open\n");
    return EXIT_SUCCESS;
}
