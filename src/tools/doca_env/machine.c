/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_env/doca_env.h"

#include <mntent.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/facts.h"
#include "tools/common/json.h"
#include "util/cleanup.h"

static bool has_text(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (strcmp(json_string_value(json_array_get(list, i)), text) == 0)
            return true;
    }
    return false;
}

json_t *env_drivers(void)
{
    json_t *modules = tool_facts_mlx5_modules();
    json_t *drivers = json_pack(
        "{s:b, s:b, s:o}", "mlx5_core_loaded", has_text(modules, "mlx5_core"), "mlx5_ib_loaded",
        has_text(modules, "mlx5_ib"), "kernel_version", tool_facts_kernel_version());

    json_decref(modules);
    return drivers;
}

static json_int_t free_pages(const char *size)
{
    char path[128];
    long long pages = 0;
    OD_AUTO_FILE FILE *f = NULL;

    snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%s/free_hugepages", size);
    f = fopen(path, "re");
    if (f == NULL || fscanf(f, "%lld", &pages) != 1)
        return 0;
    return pages;
}

static json_t *mount_point(void)
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    struct mntent *mount;
    json_t *path = NULL;

    if (mounts == NULL)
        return json_null();
    while (path == NULL && (mount = getmntent(mounts)) != NULL) {
        if (strcmp(mount->mnt_type, "hugetlbfs") == 0)
            path = tool_json_text(mount->mnt_dir);
    }
    endmntent(mounts);
    return path != NULL ? path : json_null();
}

json_t *env_hugepages(void)
{
    return json_pack("{s:I, s:I, s:o}", "available_2m", free_pages("2048kB"), "available_1g",
                     free_pages("1048576kB"), "mount_point", mount_point());
}
