/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_caps/doca_caps.h"

#include <stdio.h>

#include <doca_log.h>
#include <opendoca.h>

static void print_capability(const struct tool_cap *cap, struct doca_devinfo *devinfo)
{
    static const char *const words[] = {[TOOL_CAP_UNKNOWN] = "N/A",
                                        [TOOL_CAP_UNSUPPORTED] = "unsupported",
                                        [TOOL_CAP_SUPPORTED] = "supported"};
    struct tool_cap_value value = tool_cap_query(cap, devinfo);

    if (value.kind == TOOL_CAP_NUMBER)
        caps_print_number(2, cap->name, DOCA_SUCCESS, value.number);
    else
        caps_print_attribute(2, cap->name, words[value.kind]);
}

static bool is_wanted(const struct tool_library *library, const struct caps_scope *scope)
{
    return scope->library == NULL || scope->library == library;
}

void caps_print_capabilities(const struct caps_devices *devices, const struct caps_scope *scope)
{
    for (uint32_t i = 0; i < devices->num; i++) {
        struct doca_devinfo *devinfo = devices->list[i];

        if (!caps_in_scope(devinfo, scope))
            continue;
        caps_print_heading(devinfo);
        for (const struct tool_library *library = tool_libraries; library->name != NULL;
             library++) {
            if (library->caps == NULL || !is_wanted(library, scope))
                continue;
            printf("    %s\n", library->name);
            for (const struct tool_cap *cap = library->caps; cap->name != NULL; cap++)
                print_capability(cap, devinfo);
        }
    }
}

void caps_print_libraries(const struct caps_scope *scope)
{
    char module[TOOL_MODULE_SIZE];

    for (const struct tool_library *library = tool_libraries; library->name != NULL; library++) {
        if (!is_wanted(library, scope))
            continue;
        tool_library_module(library, module);
        caps_print_attribute(0, module,
                             tool_library_is_installed(library) ? "installed" : "not installed");
    }
}

int caps_print_loggers(void)
{
    char name[DOCA_LOGGER_NAME_SIZE];
    struct doca_logger **list;
    uint32_t num;

    /* This program registers no source of its own: what is listed is the SDK's. */
    if (doca_logger_create_list(NULL, 0, &list, &num) != DOCA_SUCCESS) {
        fprintf(stderr, "doca_caps: %s\n", opendoca_last_error());
        return -1;
    }
    for (uint32_t i = 0; i < num; i++) {
        if (doca_logger_get_name(list[i], name) == DOCA_SUCCESS)
            printf("%s\n", name);
    }
    (void)doca_logger_destroy_list(list);
    return 0;
}
