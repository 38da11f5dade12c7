/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/library.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/install.h"

const struct tool_library tool_libraries[] = {
    {"common", tool_caps_common},
    {"argp", NULL},
    {"dma", tool_caps_dma},
    {"comch", tool_caps_comch},
    {"urom", NULL},
    {"rdma", NULL},
    {"verbs", NULL},
    {"eth", tool_caps_eth},
    {"flow", tool_caps_flow},
    {"gpunetio", NULL},
    {"telemetry-exporter", NULL},
    {"dpdk-bridge", NULL},
    {"aes-gcm", NULL},
    {"apsh", NULL},
    {"compress", NULL},
    {"devemu", NULL},
    {"dpa", NULL},
    {"erasure-coding", NULL},
    {"pcc", NULL},
    {"rmax", NULL},
    {"sha", NULL},
    {"sta", NULL},
    {NULL, NULL},
};

/* '-' and '_' are one letter here. */
static bool is_same_name(const char *a, const char *b)
{
    while (*a != '\0' && (*a == *b || (*a == '-' && *b == '_')))
        a++, b++;
    return *a == '\0' && *b == '\0';
}

const struct tool_library *tool_find_library(const char *name)
{
    const struct tool_library *library = tool_libraries;

    if (strncmp(name, "doca-", 5) == 0 || strncmp(name, "doca_", 5) == 0)
        name += 5;
    while (library->name != NULL && !is_same_name(library->name, name))
        library++;
    return library->name != NULL ? library : NULL;
}

void tool_library_module(const struct tool_library *library, char module[TOOL_MODULE_SIZE])
{
    snprintf(module, TOOL_MODULE_SIZE, "doca-%s", library->name);
}

void tool_library_stem(const struct tool_library *library, char stem[TOOL_MODULE_SIZE])
{
    snprintf(stem, TOOL_MODULE_SIZE, "doca_%s", library->name);
    for (char *c = stem; *c != '\0'; c++) {
        if (*c == '-')
            *c = '_';
    }
}

bool tool_library_is_installed(const struct tool_library *library)
{
    char stem[TOOL_MODULE_SIZE], path[3 * PATH_MAX];

    tool_library_stem(library, stem);
    snprintf(path, sizeof(path), "%s/lib%s.so", tool_libdir(), stem);
    return access(path, R_OK) == 0;
}
