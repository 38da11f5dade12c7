/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/ucx/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define MODULE_NAME "libopendoca_link_ucx.so"

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static const struct soft_link_module *module; /* once loaded */

/* UCX takes over the signals of faults when it is loaded; they belong to the program, and to our
 * own handling of bad pages. */
static void keep_signals(struct sigaction saved[NSIG], bool restore)
{
    for (int sig = 1; sig < NSIG; sig++) {
        if (!restore && sigaction(sig, NULL, &saved[sig]) != 0)
            saved[sig].sa_flags = -1;
        else if (restore && saved[sig].sa_flags != -1)
            sigaction(sig, &saved[sig], NULL);
    }
}

/* The module lies beside this library. */
static int module_path(char path[PATH_MAX])
{
    Dl_info info;
    const char *slash;
    int n;

    if (dladdr(&module, &info) == 0 || info.dli_fname == NULL)
        return soft_fail(-ENOTSUP, "links over UCX: cannot tell where this library lies");
    slash = strrchr(info.dli_fname, '/');
    n = snprintf(path, PATH_MAX, "%.*s%s", slash == NULL ? 0 : (int)(slash + 1 - info.dli_fname),
                 info.dli_fname, MODULE_NAME);
    return n < PATH_MAX ? 0 : soft_fail(-ENOTSUP, "links over UCX: the path is too long");
}

static int load(void)
{
    struct sigaction saved[NSIG];
    const struct soft_link_module *found;
    char path[PATH_MAX];
    void *handle;
    int rc = module_path(path);

    if (rc != 0)
        return rc;
    keep_signals(saved, false);
    /* Never unloaded: it has a thread. */
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    keep_signals(saved, true);
    if (handle == NULL)
        return soft_fail(-ENOTSUP, "links over UCX are not available: %s", dlerror());
    found = dlsym(handle, SOFT_LINK_MODULE_SYMBOL);
    if (found == NULL || found->version != SOFT_LINK_MODULE_VERSION ||
        found->size != sizeof(*found))
        return soft_fail(-ENOTSUP, "links over UCX: %s belongs to another release", path);
    module = found;
    return 0;
}

static int get_module(void)
{
    int rc = 0;

    pthread_mutex_lock(&loading);
    if (module == NULL)
        rc = load();
    pthread_mutex_unlock(&loading);
    return rc;
}

static int ucx_listen(const char *addr, const struct soft_link_conf *conf,
                      struct soft_link_listener **listener)
{
    int rc = get_module();

    return rc != 0 ? rc : module->ops->listen(addr, conf, listener);
}

static int ucx_connect(const char *addr, const struct soft_link_conf *conf, const void *hello,
                       size_t len, struct soft_link **link)
{
    int rc = get_module();

    return rc != 0 ? rc : module->ops->connect(addr, conf, hello, len, link);
}

/* What these make carries the module's own table. */
const struct soft_link_ops soft_link_ucx_ops = {
    .name = "ucx",
    .listen = ucx_listen,
    .connect = ucx_connect,
};
