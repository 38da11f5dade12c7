/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/install.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *tool_prefix(void)
{
    static char prefix[PATH_MAX];
    ssize_t len;

    if (prefix[0] != '\0')
        return prefix;
    len = readlink("/proc/self/exe", prefix, sizeof(prefix) - 1);
    if (len > 0) {
        prefix[len] = '\0';
        for (int level = 0; level < 2; level++) {
            char *slash = strrchr(prefix, '/');

            if (slash != NULL)
                *slash = '\0';
        }
    }
    if (len <= 0 || prefix[0] == '\0')
        snprintf(prefix, sizeof(prefix), "%s", TOOL_PREFIX);
    return prefix;
}

const char *tool_libdir(void)
{
    static char libdir[2 * PATH_MAX];
    size_t len = strlen(TOOL_PREFIX);

    if (strncmp(TOOL_LIBDIR, TOOL_PREFIX, len) == 0)
        snprintf(libdir, sizeof(libdir), "%s%s", tool_prefix(), TOOL_LIBDIR + len);
    else
        snprintf(libdir, sizeof(libdir), "%s", TOOL_LIBDIR);
    return libdir;
}
