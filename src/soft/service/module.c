/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Modules lie beside this library. */
static int find_path(const char *file, const char *what, char path[PATH_MAX])
{
    static const char here;
    const char *slash;
    Dl_info info;
    int n;

    if (dladdr(&here, &info) == 0 || info.dli_fname == NULL)
        return soft_fail(-ENOTSUP, "%s: cannot tell where this library lies", what);
    slash = strrchr(info.dli_fname, '/');
    n = snprintf(path, PATH_MAX, "%.*s%s", slash == NULL ? 0 : (int)(slash + 1 - info.dli_fname),
                 info.dli_fname, file);
    return n < PATH_MAX ? 0 : soft_fail(-ENOTSUP, "%s: the path is too long", what);
}

int soft_module_load(const char *file, const char *what, const char *symbol,
                     const struct soft_module_head *wanted, const void **module)
{
    const struct soft_module_head *found;
    char path[PATH_MAX];
    void *handle;
    int err = find_path(file, what, path);

    if (err != 0)
        return err;
    /* Never unloaded: it may have threads. */
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL)
        return soft_fail(-ENOTSUP, "%s: not available: %s", what, dlerror());
    found = dlsym(handle, symbol);
    if (found == NULL || found->version != wanted->version || found->size != wanted->size)
        return soft_fail(-ENOTSUP, "%s: %s belongs to another release", what, path);
    *module = found;
    return 0;
}
