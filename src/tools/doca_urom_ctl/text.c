/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_urom_ctl/doca_urom_ctl.h"

#include <stdio.h>

#define ENDED_MAX 8 /* lines about workers that have ended */

const char *ctl_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

long long ctl_number(const json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

double ctl_real(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void print_list(const json_t *list)
{
    json_t *item;
    size_t i;

    json_array_foreach((json_t *)list, i, item)
    {
        printf("%s%s", i > 0 ? " " : "", json_string_value(item));
    }
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

void ctl_print_plugins(const json_t *status)
{
    const json_t *list = json_object_get(json_object_get(status, "service"), "plugins");
    json_t *one;
    size_t i;

    json_array_foreach(json_object_get(json_object_get(status, "service"), "bad_plugin_folders"), i,
                       one)
    {
        printf("folder %s of UROM_PLUGIN_PATH cannot be read: %s\n", ctl_text(one, "path"),
               ctl_text(one, "error"));
    }
    if (json_array_size(list) == 0)
        printf("no plugins\n");
    json_array_foreach((json_t *)list, i, one)
    {
        printf("%-24s id %-6s version %-4lld %s", ctl_text(one, "name"), ctl_text(one, "id"),
               ctl_number(one, "version"), ctl_text(one, "path"));
        if (!json_is_true(json_object_get(one, "present")))
            printf("  (gone)");
        else if (!json_is_true(json_object_get(one, "usable")))
            printf("  (unusable: %s)", ctl_text(one, "error"));
        printf("\n");
    }
}

static void print_worker(const json_t *one)
{
    const json_t *counters = json_object_get(one, "counters");
    const json_t *gid = json_object_get(one, "gid");

    printf("worker %s  %s  pid %lld  user %lld", ctl_text(one, "id"), ctl_text(one, "state"),
           ctl_number(one, "pid"), ctl_number(one, "uid"));
    if (json_is_integer(gid))
        printf("  group %lld", (long long)json_integer_value(gid));
    printf("  %.1f s\n    plugins ", ctl_real(one, "age_s"));
    print_list(json_object_get(one, "plugins"));
    printf("  CPUs %s  channels %lld  restarts %lld", ctl_text(one, "cpuset"),
           ctl_number(one, "channels"), ctl_number(one, "restarts"));
    if (ctl_text(one, "ucx")[0] != '\0')
        printf("  UCX %s", ctl_text(one, "ucx"));
    if (ctl_text(one, "last_exit")[0] != '\0')
        printf("  last exit: %s", ctl_text(one, "last_exit"));
    printf("\n    commands %lld received, %lld handed, %lld ok, %lld failed, %lld in flight (most "
           "%lld)\n",
           ctl_number(counters, "received"), ctl_number(counters, "handed"),
           ctl_number(counters, "ok"), ctl_number(counters, "failed"),
           ctl_number(counters, "inflight"), ctl_number(counters, "inflight_max"));
    printf("    bytes %lld in, %lld out; %lld synthesised, %lld dropped, %lld oversize\n",
           ctl_number(counters, "bytes_in"), ctl_number(counters, "bytes_out"),
           ctl_number(counters, "synthesised"), ctl_number(counters, "dropped"),
           ctl_number(counters, "oversize"));
}

void ctl_print_workers(const json_t *status)
{
    const json_t *list = json_object_get(status, "workers");
    const json_t *ended = json_object_get(status, "ended");
    const size_t total = json_array_size(ended);
    json_t *one;
    size_t i;

    if (json_array_size(list) == 0)
        printf("no workers\n");
    json_array_foreach((json_t *)list, i, one)
    {
        print_worker(one);
    }
    if (total > ENDED_MAX)
        printf("%zu workers have ended, the last %d (--json status has all):\n", total, ENDED_MAX);
    json_array_foreach((json_t *)ended, i, one)
    {
        if (i + ENDED_MAX < total)
            continue;
        printf("worker %s of user %lld has ended: %s (%lld starts)\n", ctl_text(one, "id"),
               ctl_number(one, "uid"), ctl_text(one, "last_exit"), ctl_number(one, "starts"));
    }
}

static void print_clients(const json_t *status)
{
    json_t *one;
    size_t i;

    json_array_foreach(json_object_get(status, "clients"), i, one)
    {
        printf("client    pid %lld  user %lld  version %s  %.1f s  %lld worker contexts%s\n",
               ctl_number(one, "pid"), ctl_number(one, "uid"), ctl_text(one, "version"),
               ctl_real(one, "age_s"), ctl_number(one, "worker_contexts"),
               json_is_true(json_object_get(one, "remote")) ? "  (other host)" : "");
    }
}

static void print_totals(const json_t *status)
{
    static const char *const groups[] = {"spawn_failures", "exits", "rejects"};
    const json_t *totals = json_object_get(status, "totals");
    const char *key;
    json_t *value;

    printf("totals    %lld clients, %lld spawns\n", ctl_number(totals, "clients"),
           ctl_number(totals, "spawns"));
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        printf("  %-14s", groups[i]);
        json_object_foreach(json_object_get(totals, groups[i]), key, value)
        {
            printf("  %s %lld", key, (long long)json_integer_value(value));
        }
        printf("\n");
    }
}

void ctl_print_status(const json_t *status)
{
    const json_t *service = json_object_get(status, "service");
    const json_t *limits = json_object_get(service, "limits");

    printf("service   %s  version %s  protocol %s  DOCA %s\n", ctl_text(status, "health"),
           ctl_text(service, "version"), ctl_text(service, "protocol"), ctl_text(service, "api"));
    printf("card      %s  device %s (%s)\n", ctl_text(service, "card"), ctl_text(service, "device"),
           ctl_text(service, "pci"));
    printf("at        ");
    print_list(json_object_get(service, "sockets"));
    printf("\nprocess   %lld, up %.1f s\n", ctl_number(service, "pid"),
           ctl_real(service, "uptime_s"));
    printf(
        "limits    messages %lld bytes, %lld workers, %lld a user, %lld clients, %lld in flight\n",
        ctl_number(limits, "max_msg_size"), ctl_number(limits, "max_workers"),
        ctl_number(limits, "max_workers_per_uid"), ctl_number(limits, "max_clients"),
        ctl_number(limits, "max_inflight"));
    printf("CPUs      %s\n", ctl_text(service, "cpuset"));
    printf("plugins\n");
    ctl_print_plugins(status);
    print_clients(status);
    ctl_print_workers(status);
    print_totals(status);
}
