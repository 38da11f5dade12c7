/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_env/doca_env.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/install.h"
#include "tools/common/json.h"
#include "tools/common/library.h"

#define PATH_SIZE (3 * PATH_MAX)

/* Programs of the two sides are built with modules of the same names from two folders. */
static json_t *pc_path(const char *module, enum soft_role role)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), "%s/%s/%s.pc", tool_libdir(),
             role == SOFT_ROLE_DPU ? "pkgconfig-dpu" : "pkgconfig", module);
    return access(path, R_OK) == 0 ? tool_json_text(path) : json_null();
}

json_t *env_libraries(enum soft_role role)
{
    json_t *list = json_array();
    char module[TOOL_MODULE_SIZE];

    for (const struct tool_library *library = tool_libraries; library->name != NULL; library++) {
        tool_library_module(library, module);
        json_array_append_new(list,
                              json_pack("{s:s, s:b, s:o}", "pkg_config_name", module, "installed",
                                        tool_library_is_installed(library) ? 1 : 0, "pc_path",
                                        pc_path(module, role)));
    }
    return list;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

json_t *env_sample_paths(void)
{
    json_t *list = json_array();
    char module[TOOL_MODULE_SIZE], stem[TOOL_MODULE_SIZE], path[PATH_SIZE];

    for (const struct tool_library *library = tool_libraries; library->name != NULL; library++) {
        tool_library_module(library, module);
        tool_library_stem(library, stem);
        snprintf(path, sizeof(path), "%s/samples/%s", tool_prefix(), stem);
        if (is_folder(path))
            json_array_append_new(
                list, json_pack("{s:s, s:o}", "library", module, "path", tool_json_text(path)));
    }
    return list;
}
