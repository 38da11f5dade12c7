/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/ucx/module.h"

#include <pthread.h>
#include <signal.h>

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

static int load(void)
{
    const struct soft_module_head wanted = {SOFT_LINK_MODULE_VERSION,
                                            sizeof(struct soft_link_module)};
    struct sigaction saved[NSIG];
    const void *found;
    int rc;

    keep_signals(saved, false);
    rc = soft_module_load(MODULE_NAME, "links over UCX", SOFT_LINK_MODULE_SYMBOL, &wanted, &found);
    keep_signals(saved, true);
    if (rc == 0)
        module = found;
    return rc;
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
