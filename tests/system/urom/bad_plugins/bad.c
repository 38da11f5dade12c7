/* SPDX-License-Identifier: BSD-3-Clause */
/* Plugins with one fault each, chosen by a macro. */
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <doca_urom_plugin.h>
#include <doca_version.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
EXPORT doca_error_t urom_plugin_get_version(uint64_t *version);

#ifdef BAD_CRASH
static void __attribute__((constructor)) at_load(void)
{
    abort();
}
#endif

#ifdef BAD_HANG
static void __attribute__((constructor)) at_load(void)
{
    for (;;)
        poll(NULL, 0, 1000);
}
#endif

static doca_error_t bad_open(struct urom_worker_ctx *ctx)
{
    (void)ctx;
    return DOCA_SUCCESS;
}

static doca_error_t bad_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *list)
{
    (void)ctx;
    (void)list;
    return DOCA_SUCCESS;
}

static doca_error_t bad_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *list)
{
    (void)ctx;
    (void)list;
    return DOCA_ERROR_EMPTY;
}

#ifndef BAD_SYMBOL
doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START,
        .open = bad_open,
        .worker_cmd = bad_worker_cmd,
        .progress = bad_progress,
    };
#ifdef BAD_VERSION
    iface->__doca_api_version = (size_t)2 << 24;
#endif
#ifdef BAD_NO_VERSION
    iface->__doca_api_version = 0;
#endif
#ifdef BAD_SLOT
    iface->progress = NULL;
#endif
    return DOCA_SUCCESS;
}
#else
doca_error_t urom_plugin_other(void);
EXPORT doca_error_t urom_plugin_other(void)
{
    return bad_open(NULL) + bad_worker_cmd(NULL, NULL) + bad_progress(NULL, NULL);
}
#endif

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    *version = 1;
#ifdef BAD_GET_VERSION
    return DOCA_ERROR_DRIVER;
#else
    return DOCA_SUCCESS;
#endif
}
