/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_env/doca_env.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/install.h"
#include "tools/common/json.h"
#include "tools/common/version.h"

#define BFB_FILE "/etc/mlnx-release"

struct versions {
    char pkg_config[TOOL_VERSION_SIZE];
    char applications[TOOL_VERSION_SIZE]; /* <prefix>/applications/VERSION */
    char prefix[TOOL_VERSION_SIZE];       /* <prefix>/VERSION: a copy, no field of its own */
    char doca_caps[TOOL_VERSION_SIZE];
    char bfb[TOOL_VERSION_SIZE]; /* "" = not counted */
};

static void of_file_in_prefix(const char *file, char version[TOOL_VERSION_SIZE])
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", tool_prefix(), file);
    tool_version_of_file(path, version);
}

/* What doca_caps would say: it runs with the library that this program runs with. */
static void of_doca_caps(char version[TOOL_VERSION_SIZE])
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof(path), "%s/tools/doca_caps", tool_prefix());
    snprintf(version, TOOL_VERSION_SIZE, "%s", access(path, X_OK) == 0 ? tool_version() : "");
}

static bool is_consistent(const struct versions *v)
{
    const char *counted[] = {v->applications, v->doca_caps, v->prefix, v->bfb};

    if (v->pkg_config[0] == '\0' || v->applications[0] == '\0' || v->doca_caps[0] == '\0')
        return false;
    for (size_t i = 0; i < OD_ARRAY_SIZE(counted); i++) {
        if (counted[i][0] != '\0' && strcmp(counted[i], v->pkg_config) != 0)
            return false;
    }
    return true;
}

json_t *env_version(const struct soft_topology *topology, enum soft_role role)
{
    const char *bfb_file = topology != NULL ? topology->bfb_file : NULL;
    struct versions v = {.bfb = ""};

    tool_version_of_pkg_config(v.pkg_config);
    of_file_in_prefix("applications/VERSION", v.applications);
    of_file_in_prefix("VERSION", v.prefix);
    of_doca_caps(v.doca_caps);
    if (role == SOFT_ROLE_DPU)
        tool_version_of_file(bfb_file != NULL ? bfb_file : BFB_FILE, v.bfb);
    if (v.prefix[0] != '\0' && strcmp(v.prefix, v.applications) != 0)
        fprintf(stderr, "doca-env: %s/VERSION says %s, %s/applications/VERSION says %s\n",
                tool_prefix(), v.prefix, tool_prefix(), v.applications);
    return json_pack("{s:o, s:o, s:o, s:o, s:b}", "pkg_config", tool_json_text(v.pkg_config),
                     "applications_version", tool_json_text(v.applications), "doca_caps",
                     tool_json_text(v.doca_caps), "bfb", tool_json_text_or_null(v.bfb),
                     "consistent", is_consistent(&v) ? 1 : 0);
}
