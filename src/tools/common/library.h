/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_COMMON_LIBRARY_H_
#define OD_TOOLS_COMMON_LIBRARY_H_

/* The public DOCA libraries, whether this tree has them or not. */

#include <stdbool.h>

#include "tools/common/capability.h"

struct tool_library {
    const char *name;            /* "dma" */
    const struct tool_cap *caps; /* what a device can do with it, ended by a NULL name; or NULL */
};

/* All of them, ended by a NULL name. */
extern const struct tool_library tool_libraries[];

/* Any of "dma", "doca-dma" and "doca_dma"; NULL when there is no such library. */
const struct tool_library *tool_find_library(const char *name);

#define TOOL_MODULE_SIZE 64

/* The pkg-config name, "doca-dma". */
void tool_library_module(const struct tool_library *library, char module[TOOL_MODULE_SIZE]);

/* Its name in folders and files, "doca_dma". */
void tool_library_stem(const struct tool_library *library, char stem[TOOL_MODULE_SIZE]);

/* Is the shared object there? */
bool tool_library_is_installed(const struct tool_library *library);

#endif /* OD_TOOLS_COMMON_LIBRARY_H_ */
