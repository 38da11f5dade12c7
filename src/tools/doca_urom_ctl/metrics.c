/* SPDX-License-Identifier: BSD-3-Clause */
/* Text format of Prometheus, version 0.0.4. */
#include "tools/doca_urom_ctl/doca_urom_ctl.h"

#include <stdio.h>
#include <string.h>

#include "util/base.h"

static void head(const char *name, const char *type, const char *help)
{
    printf("# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* ------------------------------------------------------------------------------------------------
 * Workers
 */

struct metric {
    const char *key;
    const char *name;
    const char *type;
    const char *help;
};

static const struct metric counters[] = {
    {"received", "urom_worker_commands_received_total", "counter", "Commands that arrived."},
    {"handed", "urom_worker_commands_handed_total", "counter", "Commands that plugins took."},
    {"ok", "urom_worker_commands_ok_total", "counter", "Commands that succeeded."},
    {"failed", "urom_worker_commands_failed_total", "counter", "Commands that failed."},
    {"synthesised", "urom_worker_failures_synthesised_total", "counter",
     "Failures that no plugin announced."},
    {"dropped", "urom_worker_notifications_dropped_total", "counter",
     "Notifications that nobody waited for."},
    {"oversize", "urom_worker_notifications_oversize_total", "counter",
     "Notifications longer than a message."},
    {"bytes_in", "urom_worker_bytes_in_total", "counter", "Bytes of commands."},
    {"bytes_out", "urom_worker_bytes_out_total", "counter", "Bytes of notifications."},
    {"inflight", "urom_worker_commands_in_flight", "gauge", "Commands in flight."},
    {"inflight_max", "urom_worker_commands_in_flight_max", "gauge",
     "Most commands that were in flight."},
    {"loops", "urom_worker_loops_total", "counter", "Turns of the main loop."},
    {"naps", "urom_worker_naps_total", "counter", "Times that the main loop slept."},
};

static void worker_labels(const json_t *worker)
{
    printf("{id=\"%s\",uid=\"%lld\",pid=\"%lld\"", ctl_text(worker, "id"),
           ctl_number(worker, "uid"), ctl_number(worker, "pid"));
}

static void print_counters(const json_t *workers)
{
    for (size_t m = 0; m < OD_ARRAY_SIZE(counters); m++) {
        json_t *worker;
        size_t i;

        head(counters[m].name, counters[m].type, counters[m].help);
        json_array_foreach((json_t *)workers, i, worker)
        {
            printf("%s", counters[m].name);
            worker_labels(worker);
            printf("} %lld\n", ctl_number(json_object_get(worker, "counters"), counters[m].key));
        }
    }
}

static void print_errors(const json_t *workers)
{
    json_t *worker, *value;
    const char *code;
    size_t i;

    head("urom_worker_errors_total", "counter", "Commands that failed, by code.");
    json_array_foreach((json_t *)workers, i, worker)
    {
        json_object_foreach(json_object_get(json_object_get(worker, "counters"), "errors"), code,
                            value)
        {
            printf("urom_worker_errors_total");
            worker_labels(worker);
            printf(",code=\"%s\"} %lld\n", code, (long long)json_integer_value(value));
        }
    }
}

static void print_calls(const json_t *workers, const char *name, const char *key, const char *type,
                        const char *help)
{
    json_t *worker, *value;
    const char *call;
    size_t i;

    head(name, type, help);
    json_array_foreach((json_t *)workers, i, worker)
    {
        json_object_foreach(json_object_get(json_object_get(worker, "counters"), "calls"), call,
                            value)
        {
            printf("%s", name);
            worker_labels(worker);
            printf(",call=\"%s\"} %lld\n", call, ctl_number(value, key));
        }
    }
}

static void print_workers(const json_t *status)
{
    const json_t *workers = json_object_get(status, "workers");
    json_t *worker;
    size_t i;

    head("urom_worker_up", "gauge", "1 while the worker moves.");
    json_array_foreach((json_t *)workers, i, worker)
    {
        printf("urom_worker_up");
        worker_labels(worker);
        printf("} %d\n", strcmp(ctl_text(worker, "state"), "running") == 0);
    }
    print_counters(workers);
    print_errors(workers);
    print_calls(workers, "urom_worker_plugin_calls_total", "calls", "counter",
                "Calls into plugins, by function.");
    print_calls(workers, "urom_worker_plugin_measured_total", "measured", "counter",
                "Of these, how many were measured.");
    print_calls(workers, "urom_worker_plugin_ns_total", "total_ns", "counter",
                "Nanoseconds of the measured calls.");
    print_calls(workers, "urom_worker_plugin_ns_max", "max_ns", "gauge",
                "Longest measured call in nanoseconds.");
}

/* ------------------------------------------------------------------------------------------------
 * Service
 */

static void print_group(const json_t *totals, const char *key, const char *name, const char *label,
                        const char *help)
{
    const char *which;
    json_t *value;

    head(name, "counter", help);
    json_object_foreach(json_object_get(totals, key), which, value)
    {
        printf("%s{%s=\"%s\"} %lld\n", name, label, which, (long long)json_integer_value(value));
    }
}

static void print_plugins(const json_t *service)
{
    json_t *plugin;
    size_t i;

    head("urom_plugin_usable", "gauge", "1 when the plugin can be used.");
    json_array_foreach(json_object_get(service, "plugins"), i, plugin)
    {
        printf("urom_plugin_usable{name=\"%s\",version=\"%lld\"} %d\n", ctl_text(plugin, "name"),
               ctl_number(plugin, "version"), json_is_true(json_object_get(plugin, "usable")));
    }
}

void ctl_print_metrics(const json_t *status)
{
    const json_t *service = json_object_get(status, "service");
    const json_t *totals = json_object_get(status, "totals");

    head("urom_service_info", "gauge", "Always 1; says what it is.");
    printf("urom_service_info{version=\"%s\",protocol=\"%s\",card=\"%s\",pci=\"%s\"} 1\n",
           ctl_text(service, "version"), ctl_text(service, "protocol"), ctl_text(service, "card"),
           ctl_text(service, "pci"));
    head("urom_service_healthy", "gauge", "0 when a worker is stuck or a plugin is unusable.");
    printf("urom_service_healthy %d\n", strcmp(ctl_text(status, "health"), "healthy") == 0);
    head("urom_service_uptime_seconds", "gauge", "Seconds since the start.");
    printf("urom_service_uptime_seconds %.3f\n", ctl_real(service, "uptime_s"));
    head("urom_clients", "gauge", "Service contexts that are connected.");
    printf("urom_clients %zu\n", json_array_size(json_object_get(status, "clients")));
    head("urom_workers", "gauge", "Workers that run.");
    printf("urom_workers %zu\n", json_array_size(json_object_get(status, "workers")));
    head("urom_clients_total", "counter", "Service contexts that were let in.");
    printf("urom_clients_total %lld\n", ctl_number(totals, "clients"));
    head("urom_spawns_total", "counter", "Workers that were started.");
    printf("urom_spawns_total %lld\n", ctl_number(totals, "spawns"));
    print_group(totals, "spawn_failures", "urom_spawn_failures_total", "reason",
                "Workers that did not get ready.");
    print_group(totals, "exits", "urom_worker_exits_total", "how", "Ends of workers.");
    print_group(totals, "rejects", "urom_rejects_total", "reason", "Clients that were refused.");
    print_plugins(service);
    print_workers(status);
}
