/* SPDX-License-Identifier: BSD-3-Clause */
/* What doca_urom_ctl shows. */
#include "urom/daemon/daemon_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_error.h>
#include <doca_version.h>

/* Numbers of 64 bits that programs may take for doubles are texts. */
static json_t *id_text(uint64_t id)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)id);
    return json_string(text);
}

static json_t *hex_text(const uint8_t *bytes, size_t len)
{
    char text[2 * UROM_WIRE_KEY_SIZE + 1];

    for (size_t i = 0; i < len; i++)
        snprintf(text + 2 * i, sizeof(text) - 2 * i, "%02x", bytes[i]);
    return json_string(text);
}

static json_t *cpus_text(const struct urom_cpus *cpus)
{
    char text[512];

    urom_cpus_format(cpus, text, sizeof(text));
    return json_string(text);
}

static double seconds_since(uint64_t ms)
{
    return (double)(daemon_now_ms() - ms) / 1000;
}

static void set_count(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

/* ------------------------------------------------------------------------------------------------
 * Service
 */

/* Folders of the search path that cannot be read. */
static json_t *bad_folders(const struct daemon *daemon)
{
    json_t *list = json_array();
    char folder[PATH_MAX];
    int err;

    for (size_t i = 0; daemon_plugins_folder(daemon, i, folder, &err); i++) {
        if (err != 0)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s}", "path", folder, "error", strerror(err)));
    }
    return list;
}

static json_t *plugins(const struct daemon *daemon)
{
    json_t *list = json_array();

    for (size_t i = 0; i < daemon->nplugins; i++) {
        const struct daemon_plugin *plugin = &daemon->plugins[i];
        json_t *one = json_object();

        json_object_set_new(one, "name", json_string(plugin->name));
        json_object_set_new(one, "id", id_text(plugin->id));
        set_count(one, "version", plugin->version);
        json_object_set_new(one, "path", json_string(plugin->path));
        json_object_set_new(one, "present", json_boolean(plugin->present));
        json_object_set_new(one, "usable", json_boolean(plugin->present && plugin->usable));
        json_object_set_new(one, "error",
                            plugin->error[0] != '\0' ? json_string(plugin->error) : json_null());
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *sockets(const struct daemon *daemon)
{
    json_t *list = json_array();

    for (size_t i = 0; i < daemon->nlisteners; i++)
        json_array_append_new(list, json_string(soft_link_listener_addr(daemon->listeners[i])));
    return list;
}

static json_t *limits(const struct daemon_options *options)
{
    json_t *object = json_object();

    set_count(object, "max_msg_size", options->max_msg);
    set_count(object, "max_workers", options->max_workers);
    set_count(object, "max_workers_per_uid", options->max_workers_per_uid);
    set_count(object, "max_clients", options->max_clients);
    set_count(object, "max_inflight", options->max_inflight);
    set_count(object, "max_ring_mem_mib", options->max_ring_mem);
    set_count(object, "hang_timeout_s", options->hang_timeout);
    return object;
}

/* Of the first worker that has one: the daemon itself loads none. */
static json_t *ucx_version(const struct daemon *daemon)
{
    OD_LIST_FOR_EACH(link, &daemon->workers)
    {
        const struct daemon_worker *worker = OD_LIST_ENTRY(link, struct daemon_worker, entry);

        if (worker->ready.ucx[0] != '\0')
            return json_string(worker->ready.ucx);
    }
    return json_null();
}

static json_t *service(const struct daemon *daemon)
{
    json_t *object = json_object();
    char text[32];

    json_object_set_new(object, "version", json_string(OD_PRODUCT_VERSION));
    json_object_set_new(object, "api", json_string(doca_version_runtime()));
    snprintf(text, sizeof(text), "%d.%d", UROM_WIRE_MAJOR, UROM_WIRE_MINOR);
    json_object_set_new(object, "protocol", json_string(text));
    json_object_set_new(object, "uuid", hex_text(daemon->instance, sizeof(daemon->instance)));
    set_count(object, "pid", (uint64_t)getpid());
    json_object_set_new(object, "uptime_s", json_real(seconds_since(daemon->born)));
    json_object_set_new(object, "device", json_string(daemon->device->ibdev));
    json_object_set_new(object, "card", json_string(daemon->device->card));
    json_object_set_new(object, "pci", json_string(daemon->pci));
    json_object_set_new(object, "sockets", sockets(daemon));
    json_object_set_new(object, "limits", limits(&daemon->options));
    json_object_set_new(object, "cpuset", cpus_text(&daemon->options.cpus));
    json_object_set_new(object, "ucx", ucx_version(daemon));
    json_object_set_new(object, "plugins", plugins(daemon));
    json_object_set_new(object, "bad_plugin_folders", bad_folders(daemon));
    return object;
}

/* ------------------------------------------------------------------------------------------------
 * Clients
 */

static uint32_t contexts_of(const struct daemon *daemon, const struct daemon_client *service)
{
    uint32_t count = 0;

    OD_LIST_FOR_EACH(link, &daemon->clients)
    {
        const struct daemon_client *client = OD_LIST_ENTRY(link, struct daemon_client, entry);

        count += client->kind == UROM_KIND_WORKER && client->greeted &&
                 memcmp(client->hello.key, service->session, UROM_WIRE_KEY_SIZE) == 0;
    }
    return count;
}

static bool may_see(const struct daemon_identity *viewer, uid_t uid)
{
    return !viewer->remote && (viewer->uid == 0 || viewer->uid == uid);
}

static json_t *clients(const struct daemon *daemon, const struct daemon_identity *viewer)
{
    json_t *list = json_array();

    OD_LIST_FOR_EACH(link, &daemon->clients)
    {
        const struct daemon_client *client = OD_LIST_ENTRY(link, struct daemon_client, entry);
        json_t *one;

        if (client->kind != UROM_KIND_SERVICE || !client->greeted ||
            !may_see(viewer, client->identity.uid))
            continue;
        one = json_object();
        set_count(one, "pid", (uint64_t)client->identity.pid);
        set_count(one, "uid", client->identity.uid);
        json_object_set_new(one, "remote", json_boolean(client->identity.remote));
        json_object_set_new(one, "version", json_string(client->hello.version));
        json_object_set_new(one, "age_s", json_real(seconds_since(client->since)));
        set_count(one, "max_msg_size", client->hello.msg_size);
        set_count(one, "worker_contexts", contexts_of(daemon, client));
        json_array_append_new(list, one);
    }
    return list;
}

/* ------------------------------------------------------------------------------------------------
 * Workers
 */

static json_t *errors(const struct urom_page *page)
{
    json_t *object = json_object();

    for (unsigned int i = 1; i < UROM_PAGE_ERRORS; i++) {
        const uint64_t count = urom_page_get(&page->errors[i]);

        if (count > 0)
            set_count(object, doca_error_get_name((doca_error_t)i), count);
    }
    return object;
}

static json_t *calls(const struct urom_page *page)
{
    json_t *object = json_object();

    for (unsigned int i = UROM_CALL_NONE + 1; i < UROM_CALL_NUM; i++) {
        const struct urom_page_time *time = &page->calls[i];
        const uint64_t measured = urom_page_get(&time->measured);
        json_t *one = json_object();

        set_count(one, "calls", urom_page_get(&time->calls));
        set_count(one, "measured", measured);
        set_count(one, "total_ns", urom_page_get(&time->ns));
        set_count(one, "max_ns", urom_page_get(&time->max_ns));
        json_object_set_new(object, urom_call_name((enum urom_page_call)i), one);
    }
    return object;
}

static json_t *counters(const struct urom_page *page)
{
    json_t *object = json_object();

    set_count(object, "received", urom_page_get(&page->received));
    set_count(object, "handed", urom_page_get(&page->handed));
    set_count(object, "ok", urom_page_get(&page->ok));
    set_count(object, "failed", urom_page_get(&page->failed));
    json_object_set_new(object, "errors", errors(page));
    set_count(object, "synthesised", urom_page_get(&page->synthesised));
    set_count(object, "dropped", urom_page_get(&page->dropped));
    set_count(object, "oversize", urom_page_get(&page->oversize));
    set_count(object, "bytes_in", urom_page_get(&page->bytes_in));
    set_count(object, "bytes_out", urom_page_get(&page->bytes_out));
    set_count(object, "inflight", urom_page_get(&page->inflight));
    set_count(object, "inflight_max", urom_page_get(&page->high_water));
    set_count(object, "loops", urom_page_get(&page->loops));
    set_count(object, "naps", urom_page_get(&page->naps));
    json_object_set_new(object, "calls", calls(page));
    return object;
}

static json_t *plugin_names(const struct daemon *daemon, uint64_t mask)
{
    json_t *list = json_array();

    for (uint64_t left = mask; left != 0; left &= left - 1) {
        const struct daemon_plugin *plugin = daemon_plugin_by_id(daemon, left & -left);

        if (plugin != NULL)
            json_array_append_new(list, json_string(plugin->name));
    }
    return list;
}

static json_t *worker_object(const struct daemon *daemon, const struct daemon_worker *worker)
{
    json_t *one = json_object();

    json_object_set_new(one, "id", id_text(worker->id));
    json_object_set_new(one, "gid", worker->has_gid ? json_integer(worker->gid) : json_null());
    set_count(one, "pid", (uint64_t)worker->pid);
    set_count(one, "uid", worker->uid);
    json_object_set_new(one, "plugins", plugin_names(daemon, worker->plugins));
    json_object_set_new(one, "cpuset", cpus_text(&worker->cpus));
    json_object_set_new(one, "state", json_string(daemon_worker_state_name(worker->state)));
    set_count(one, "channels", urom_page_get(&worker->page->channels));
    json_object_set_new(one, "age_s", json_real(seconds_since(worker->born)));
    json_object_set_new(
        one, "ucx", worker->ready.ucx[0] != '\0' ? json_string(worker->ready.ucx) : json_null());
    for (size_t i = 0; i < daemon->nhistory; i++) {
        const struct daemon_history *history = &daemon->history[i];

        if (history->uid != worker->uid || history->id != worker->id)
            continue;
        set_count(one, "restarts", history->starts - 1);
        json_object_set_new(one, "last_exit",
                            history->last_exit[0] != '\0' ? json_string(history->last_exit)
                                                          : json_null());
    }
    json_object_set_new(one, "counters", counters(worker->page));
    return one;
}

static json_t *workers(const struct daemon *daemon, const struct daemon_identity *viewer)
{
    json_t *list = json_array();

    OD_LIST_FOR_EACH(link, &daemon->workers)
    {
        const struct daemon_worker *worker = OD_LIST_ENTRY(link, struct daemon_worker, entry);

        if (may_see(viewer, worker->uid))
            json_array_append_new(list, worker_object(daemon, worker));
    }
    return list;
}

/* Of ids that are not there now: how they ended. */
static json_t *ended(const struct daemon *daemon, const struct daemon_identity *viewer)
{
    json_t *list = json_array();

    for (size_t i = 0; i < daemon->nhistory; i++) {
        const struct daemon_history *history = &daemon->history[i];
        json_t *one;

        if (!may_see(viewer, history->uid) || history->last_exit[0] == '\0' ||
            daemon_worker_find((struct daemon *)daemon, history->uid, history->id) != NULL)
            continue;
        one = json_object();
        json_object_set_new(one, "id", id_text(history->id));
        set_count(one, "uid", history->uid);
        set_count(one, "starts", history->starts);
        json_object_set_new(one, "last_exit", json_string(history->last_exit));
        json_array_append_new(list, one);
    }
    return list;
}

/* ------------------------------------------------------------------------------------------------
 * Totals
 */

static json_t *totals(const struct daemon_totals *totals)
{
    json_t *object = json_object(), *exits = json_object(), *rejects = json_object();
    json_t *failures = json_object();

    set_count(object, "clients", totals->clients);
    set_count(object, "spawns", totals->spawns);
    set_count(failures, "spawn", totals->spawn_failures);
    set_count(failures, "start", totals->start_failures);
    set_count(failures, "timeout", totals->start_timeouts);
    json_object_set_new(object, "spawn_failures", failures);
    for (unsigned int i = 0; i < UROM_EXIT_NUM; i++)
        set_count(exits, urom_exit_name((enum urom_exit)i), totals->exits[i]);
    json_object_set_new(object, "exits", exits);
    for (unsigned int i = UROM_REASON_NONE + 1; i < UROM_REASON_NUM; i++)
        set_count(rejects, urom_reason_name((enum urom_reason)i), totals->rejects[i]);
    json_object_set_new(object, "rejects", rejects);
    return object;
}

static const char *health(const struct daemon *daemon)
{
    char folder[PATH_MAX];
    int err;

    for (size_t i = 0; daemon_plugins_folder(daemon, i, folder, &err); i++) {
        if (err != 0)
            return "degraded";
    }
    OD_LIST_FOR_EACH(link, &daemon->workers)
    {
        if (OD_LIST_ENTRY(link, struct daemon_worker, entry)->state == DAEMON_WORKER_STUCK)
            return "degraded";
    }
    for (size_t i = 0; i < daemon->nplugins; i++) {
        if (daemon->plugins[i].present && !daemon->plugins[i].usable)
            return "degraded";
    }
    return "healthy";
}

char *daemon_status(struct daemon *daemon, const struct daemon_identity *viewer)
{
    json_t *object = json_object();
    char *text;

    json_object_set_new(object, "health", json_string(health(daemon)));
    json_object_set_new(object, "service", service(daemon));
    json_object_set_new(object, "clients", clients(daemon, viewer));
    json_object_set_new(object, "workers", workers(daemon, viewer));
    json_object_set_new(object, "ended", ended(daemon, viewer));
    json_object_set_new(object, "totals", totals(&daemon->totals));
    text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}
