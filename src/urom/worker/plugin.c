/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/worker_priv.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>
#include <doca_version.h>

DOCA_LOG_REGISTER(UROM::WORKER::PLUGIN);

#define MAJOR_OF(version) ((unsigned int)((version) >> 24))

bool worker_fail(struct worker_reason *reason, doca_error_t error, const char *fmt, ...)
{
    va_list ap;

    reason->error = error;
    va_start(ap, fmt);
    vsnprintf(reason->text, sizeof(reason->text), fmt, ap);
    va_end(ap);
    return false;
}

/* "/a/b/worker_x.so" -> "worker_x". False: not a plugin's name. */
static bool set_name(struct worker_plugin *plugin)
{
    const char *file = strrchr(plugin->path, '/');
    size_t len;

    file = file != NULL ? file + 1 : plugin->path;
    len = strlen(file);
    if (len <= strlen(".so") || strcmp(file + len - strlen(".so"), ".so") != 0)
        return false;
    len -= strlen(".so");
    if (len >= sizeof(plugin->name))
        return false;
    memcpy(plugin->name, file, len);
    plugin->name[len] = '\0';
    return true;
}

static bool check_iface(const struct worker_plugin *plugin, struct worker_reason *reason)
{
    const struct urom_plugin_iface *iface = &plugin->ctx.iface;
    const unsigned int own = DOCA_VERSION_MAJOR;

    if (plugin->api_version != 0 && MAJOR_OF(plugin->api_version) != own)
        return worker_fail(reason, DOCA_ERROR_UNSUPPORTED_VERSION,
                           "%s was built for DOCA %u, this is DOCA %u", plugin->name,
                           MAJOR_OF(plugin->api_version), own);
    if (iface->open == NULL || iface->worker_cmd == NULL || iface->progress == NULL)
        return worker_fail(reason, DOCA_ERROR_INVALID_VALUE,
                           "%s fills in no %s, which is mandatory", plugin->name,
                           iface->open == NULL         ? "open"
                           : iface->worker_cmd == NULL ? "worker_cmd"
                                                       : "progress");
    if (plugin->api_version == 0)
        DOCA_LOG_WARN("plugin %s does not say which headers it was built with", plugin->name);
    return true;
}

/* The optional functions; a plugin that lacks them is none the worse. */
static void find_extensions(struct worker_plugin *plugin)
{
    plugin->ext_runtime =
        (urom_plugin_ext_runtime_t)dlsym(plugin->handle, "urom_plugin_ext_runtime");
    plugin->ext_conn_closed =
        (urom_plugin_ext_conn_closed_t)dlsym(plugin->handle, "urom_plugin_ext_conn_closed");
    plugin->ext_arm = (urom_plugin_ext_arm_t)dlsym(plugin->handle, "urom_plugin_ext_arm");
}

/* By its true name: a plugin finds its libraries beside itself, also where a link leads to it.
 * Plugins have functions of equal names: none may see the others'. */
static void *open_library(const char *path)
{
    char real[PATH_MAX];

    return dlopen(realpath(path, real) != NULL ? real : path, RTLD_NOW | RTLD_LOCAL);
}

bool worker_plugin_load(struct worker_plugin *plugin, struct worker_reason *reason)
{
    doca_error_t (*get_version)(uint64_t *);
    doca_error_t (*get_iface)(struct urom_plugin_iface *);
    doca_error_t result;

    if (!set_name(plugin))
        return worker_fail(reason, DOCA_ERROR_INVALID_VALUE,
                           "%.150s: no file name of the form NAME.so", plugin->path);
    plugin->handle = open_library(plugin->path);
    if (plugin->handle == NULL)
        return worker_fail(reason, DOCA_ERROR_NOT_FOUND, "%s", dlerror());
    get_version = (doca_error_t(*)(uint64_t *))dlsym(plugin->handle, "urom_plugin_get_version");
    get_iface =
        (doca_error_t(*)(struct urom_plugin_iface *))dlsym(plugin->handle, "urom_plugin_get_iface");
    if (get_version == NULL || get_iface == NULL)
        return worker_fail(reason, DOCA_ERROR_NOT_FOUND, "%s lacks the symbol %s", plugin->name,
                           get_version == NULL ? "urom_plugin_get_version"
                                               : "urom_plugin_get_iface");
    result = get_version(&plugin->version);
    if (result != DOCA_SUCCESS)
        return worker_fail(reason, result, "urom_plugin_get_version of %s says %s", plugin->name,
                           doca_error_get_name(result));
    result = get_iface(&plugin->ctx.iface);
    if (result != DOCA_SUCCESS)
        return worker_fail(reason, result, "urom_plugin_get_iface of %s says %s", plugin->name,
                           doca_error_get_name(result));
    plugin->api_version = DOCA_STRUCT_GET_VERSION(&plugin->ctx.iface);
    find_extensions(plugin);
    return check_iface(plugin, reason);
}

/* ------------------------------------------------------------------------------------------------
 * Open
 */

/* Asked twice: for the size, then for the bytes. */
static bool get_addr(struct worker_plugin *plugin, struct worker_reason *reason)
{
    struct worker_call call;
    doca_error_t result;
    size_t len = 0;

    if (plugin->ctx.iface.addr == NULL)
        return true;
    worker_call_begin(&call, plugin, UROM_CALL_ADDR);
    result = plugin->ctx.iface.addr(&plugin->ctx, NULL, &len);
    worker_call_end(&call);
    if (result == DOCA_SUCCESS || (result == DOCA_ERROR_INVALID_VALUE && len == 0))
        return true;
    if (result != DOCA_ERROR_INVALID_VALUE)
        return worker_fail(reason, result, "addr of %s says %s", plugin->name,
                           doca_error_get_name(result));
    if (len > UROM_WIRE_BLOB_MAX / 2)
        return worker_fail(reason, DOCA_ERROR_TOO_BIG, "the address of %s has %zu bytes",
                           plugin->name, len);
    plugin->addr = calloc(1, len);
    if (plugin->addr == NULL)
        return worker_fail(reason, DOCA_ERROR_NO_MEMORY, "no memory for the address of %s",
                           plugin->name);
    plugin->addr_len = len;
    worker_call_begin(&call, plugin, UROM_CALL_ADDR);
    result = plugin->ctx.iface.addr(&plugin->ctx, plugin->addr, &plugin->addr_len);
    worker_call_end(&call);
    if (result != DOCA_SUCCESS || plugin->addr_len > len)
        return worker_fail(reason, result != DOCA_SUCCESS ? result : DOCA_ERROR_UNEXPECTED,
                           "addr of %s does not give the address that it announced", plugin->name);
    return true;
}

bool worker_plugin_open(struct worker_plugin *plugin, struct worker_reason *reason)
{
    struct worker_call call;
    doca_error_t result;

    ucs_list_head_init(&plugin->commands);
    plugin->ctx.domain_iface = worker_lookups;
    plugin->ctx.plugin_ctx = NULL;
    if (plugin->ext_runtime != NULL)
        plugin->ext_runtime(&plugin->worker->runtime);
    worker_call_begin(&call, plugin, UROM_CALL_OPEN);
    result = plugin->ctx.iface.open(&plugin->ctx);
    worker_call_end(&call);
    if (result != DOCA_SUCCESS)
        return worker_fail(reason, result, "open of plugin %s says %s", plugin->name,
                           doca_error_get_name(result));
    plugin->is_open = true;
    return get_addr(plugin, reason);
}

void worker_plugin_close(struct worker_plugin *plugin)
{
    struct worker_call call;

    if (!plugin->is_open)
        return;
    plugin->is_open = false;
    if (plugin->ctx.iface.close != NULL) {
        worker_call_begin(&call, plugin, UROM_CALL_CLOSE);
        plugin->ctx.iface.close(&plugin->ctx);
        worker_call_end(&call);
    }
    free(plugin->addr);
    free(plugin->offers);
}

bool worker_plugin_ucx(const struct worker_plugin *plugin, char *text, size_t size)
{
    void (*get_version)(unsigned int *, unsigned int *, unsigned int *);
    unsigned int major, minor, patch;

    get_version = (void (*)(unsigned int *, unsigned int *, unsigned int *))dlsym(
        plugin->handle, "ucp_get_version");
    if (get_version == NULL)
        return false;
    get_version(&major, &minor, &patch);
    snprintf(text, size, "%u.%u.%u", major, minor, patch);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Calls
 */

/* One in so many calls is measured: a clock costs as much as a small plugin. */
#define MEASURE_EVERY 64

void worker_call_begin(struct worker_call *call, struct worker_plugin *plugin,
                       enum urom_page_call which)
{
    struct urom_page *page = plugin->worker->page;
    const uint64_t calls = urom_page_get(&page->calls[which].calls);

    *call = (struct worker_call){.plugin = plugin, .call = which};
    urom_page_set(&page->calls[which].calls, calls + 1);
    urom_page_set(&page->inside, (uint64_t)__builtin_ctzll(plugin->id) << 8 | (uint64_t)which);
    if (od_unlikely(calls % MEASURE_EVERY == 0))
        call->begin = worker_now_ns();
}

void worker_call_end(const struct worker_call *call)
{
    struct urom_page *page = call->plugin->worker->page;
    struct urom_page_time *time = &page->calls[call->call];
    uint64_t ns;

    urom_page_set(&page->inside, 0);
    if (od_likely(call->begin == 0))
        return;
    ns = worker_now_ns() - call->begin;
    urom_page_add(&time->ns, ns);
    urom_page_add(&time->measured, 1);
    if (ns > urom_page_get(&time->max_ns))
        urom_page_set(&time->max_ns, ns);
}
