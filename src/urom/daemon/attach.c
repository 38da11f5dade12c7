/* SPDX-License-Identifier: BSD-3-Clause */
/* The way from a client to a worker: an existing one, or one that is made for it. */
#include "urom/daemon/daemon_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <doca_log.h>
#include <doca_urom.h>

#include "urom/wire/pack.h"

DOCA_LOG_REGISTER(UROM::DAEMON::ATTACH);

#define AUTO_ID (1ull << 63) /* ids that clients choose themselves are usually small */

static void free_request(struct daemon_request *request)
{
    if (request != NULL)
        free(request->env);
    free(request);
}

/* The client is told; its link stays until it goes by itself. */
static void refuse(struct daemon_client *client, const struct urom_result *why)
{
    DOCA_LOG_WARN("%s gets no worker: %s", client->identity.text, why->text);
    daemon_client_send(client, UROM_TYPE_ATTACH_ERR,
                       client->request != NULL ? client->request->correlation : 0, why,
                       sizeof(*why));
    free_request(client->request);
    client->request = NULL;
}

static void refuse_text(struct daemon_client *client, doca_error_t error, const char *text)
{
    struct urom_result why;

    urom_result_init(&why, error, text);
    refuse(client, &why);
}

/* ------------------------------------------------------------------------------------------------
 * Letting in
 */

static bool announce(struct daemon_worker *worker, struct daemon_client *client)
{
    struct urom_admit admit = {
        .size = sizeof(admit),
        .flags = client->identity.remote ? UROM_ADMIT_REMOTE : 0,
        .plugins = client->request->attach.plugins,
        .start_time = client->identity.pid > 0 ? daemon_start_ticks(client->identity.pid) : 0,
        .inflight = client->request->attach.inflight,
        .max_msg = client->request->max_msg,
        .pid = (uint32_t)client->identity.pid,
        .uid = client->identity.uid,
    };

    if (getrandom(client->token, sizeof(client->token), 0) != sizeof(client->token))
        return false;
    memcpy(admit.token, client->token, sizeof(admit.token));
    return daemon_worker_send(worker, UROM_TYPE_ADMIT, &admit, sizeof(admit));
}

static void let_in(struct daemon_worker *worker, struct daemon_client *client)
{
    struct urom_attach_ok ok = {
        .size = sizeof(ok),
        .flags =
            (worker->has_gid ? UROM_ATTACHED_GID : 0) | (client->joined ? UROM_ATTACHED_JOINED : 0),
        .id = worker->id,
        .plugins = worker->plugins,
        .gid = worker->gid,
        .pid = (uint32_t)worker->pid,
    };
    const char *addr = client->identity.remote ? worker->ready.remote : worker->ready.local;

    if (addr[0] == '\0') {
        refuse_text(client, DOCA_ERROR_NOT_SUPPORTED, "the worker does not listen for other hosts");
        return;
    }
    if (!announce(worker, client)) {
        refuse_text(client, DOCA_ERROR_IO_FAILED, "the worker went away");
        return;
    }
    urom_text_set(ok.addr, sizeof(ok.addr), addr);
    memcpy(ok.token, client->token, sizeof(ok.token));
    daemon_client_send(client, UROM_TYPE_ATTACH_OK, client->request->correlation, &ok, sizeof(ok));
    client->attached = true;
    free_request(client->request);
    client->request = NULL;
    DOCA_LOG_DBG("%s has worker %llu", client->identity.text, (unsigned long long)worker->id);
}

void daemon_attach_ready(struct daemon *daemon, struct daemon_worker *worker)
{
    (void)daemon;
    OD_LIST_FOR_EACH_SAFE(link, &worker->clients)
    {
        struct daemon_client *client = OD_LIST_ENTRY(link, struct daemon_client, of_worker);

        if (client->request != NULL)
            let_in(worker, client);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Finding
 */

/* Whether the client fits to a worker that is there. */
static bool may_join(const struct daemon_worker *worker, struct daemon_client *client)
{
    const struct urom_attach *attach = &client->request->attach;
    char text[UROM_WIRE_TEXT_SIZE];

    if (attach->env_count > 0) {
        refuse_text(client, DOCA_ERROR_ALREADY_EXIST,
                    "the worker is there already, and its environment cannot be changed");
        return false;
    }
    if ((attach->plugins & ~worker->plugins) != 0) {
        snprintf(text, sizeof(text), "worker %llu is there with plugins 0x%llx, not 0x%llx",
                 (unsigned long long)worker->id, (unsigned long long)worker->plugins,
                 (unsigned long long)attach->plugins);
        refuse_text(client, DOCA_ERROR_NOT_SUPPORTED, text);
        return false;
    }
    return true;
}

static uint64_t next_auto_id(struct daemon *daemon)
{
    do {
        daemon->last_auto_id++;
    } while ((AUTO_ID | daemon->last_auto_id) == DOCA_UROM_WORKER_ID_ANY);
    return AUTO_ID | daemon->last_auto_id;
}

static void join_list(struct daemon_worker *worker, struct daemon_client *client)
{
    client->worker = worker;
    od_list_append(&worker->clients, &client->of_worker);
}

static void find_worker(struct daemon *daemon, struct daemon_client *client)
{
    struct daemon_request *request = client->request;
    struct daemon_worker *worker = NULL;
    struct urom_result why;

    if (request->attach.id == DOCA_UROM_WORKER_ID_ANY)
        request->attach.id = next_auto_id(daemon);
    else
        worker = daemon_worker_find(daemon, request->uid, request->attach.id);
    if (worker == NULL) {
        worker = daemon_worker_spawn(daemon, request, &why);
        if (worker == NULL) {
            refuse(client, &why);
            return;
        }
        client->joined = false;
        join_list(worker, client);
        return;
    }
    /* One that is about to end is waited for: the next one comes when it is gone. */
    if (worker->state != DAEMON_WORKER_STOPPING && !may_join(worker, client))
        return;
    client->joined = true;
    join_list(worker, client);
    if (worker->state == DAEMON_WORKER_RUNNING || worker->state == DAEMON_WORKER_STUCK)
        let_in(worker, client);
}

/* ------------------------------------------------------------------------------------------------
 * Checking
 */

/* Strangers choose variables of communication libraries only: others could load code. */
static bool env_is_harmless(const char *variable)
{
    static const char *const prefixes[] = {"UCX_", "UCC_", "OMP_", "DOCA_LOG_LEVEL="};

    for (size_t i = 0; i < OD_ARRAY_SIZE(prefixes); i++) {
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}

static bool env_is_allowed(const struct daemon *daemon, const struct daemon_client *client)
{
    const char *at = client->request->env;

    if (!client->identity.remote || daemon->options.remote_allow_env)
        return true;
    for (uint32_t i = 0; i < client->request->attach.env_count; i++) {
        if (!env_is_harmless(at))
            return false;
        at += strlen(at) + 1;
    }
    return true;
}

static bool check(const struct daemon *daemon, struct daemon_client *client)
{
    const struct urom_attach *attach = &client->request->attach;
    const uint64_t ring = 2ull * attach->inflight * (client->request->max_msg + 64ull);
    char text[UROM_WIRE_TEXT_SIZE];
    struct urom_cpus cpus;

    if ((attach->plugins & ~client->session_plugins) != 0) {
        snprintf(text, sizeof(text), "plugins 0x%llx, of which the service has 0x%llx",
                 (unsigned long long)attach->plugins, (unsigned long long)client->session_plugins);
        refuse_text(client, DOCA_ERROR_NOT_SUPPORTED, text);
        return false;
    }
    if (attach->inflight > daemon->options.max_inflight) {
        snprintf(text, sizeof(text), "%u tasks in flight, the limit is %u (--max-inflight)",
                 attach->inflight, daemon->options.max_inflight);
        refuse_text(client, DOCA_ERROR_INVALID_VALUE, text);
        return false;
    }
    if (ring > (uint64_t)daemon->options.max_ring_mem << 20) {
        snprintf(text, sizeof(text),
                 "%u tasks of %u bytes need %llu MiB, the limit is %u (--max-ring-mem)",
                 attach->inflight, client->request->max_msg, (unsigned long long)(ring >> 20) + 1,
                 daemon->options.max_ring_mem);
        refuse_text(client, DOCA_ERROR_NO_MEMORY, text);
        return false;
    }
    memcpy(&cpus, attach->cpus, sizeof(cpus));
    if ((attach->flags & UROM_ATTACH_CPUS) != 0 &&
        !urom_cpus_covers(&daemon->options.cpus, &cpus)) {
        refuse_text(client, DOCA_ERROR_INVALID_VALUE, "CPUs that the service does not give");
        return false;
    }
    if (!env_is_allowed(daemon, client)) {
        refuse_text(client, DOCA_ERROR_NOT_PERMITTED,
                    "clients of other hosts may set UCX_*, UCC_*, OMP_* and DOCA_LOG_LEVEL only, "
                    "unless the service has --remote-allow-env");
        return false;
    }
    return true;
}

bool daemon_attach(struct daemon *daemon, struct daemon_client *client, const void *body,
                   size_t len, uint64_t correlation)
{
    struct daemon_request *request;
    struct urom_attach attach;
    const char *env;

    if (client->request != NULL || client->worker != NULL ||
        urom_attach_decode(body, len, &attach, &env) != 0)
        return false;
    request = calloc(1, sizeof(*request));
    if (request == NULL)
        return false;
    request->env = malloc(attach.env_len + 1);
    if (request->env == NULL) {
        free(request);
        return false;
    }
    memcpy(request->env, env, attach.env_len);
    request->attach = attach;
    request->correlation = correlation;
    request->uid = client->identity.uid;
    request->gid = client->identity.gid;
    request->remote = client->identity.remote;
    request->max_msg = client->max_msg;
    client->request = request;
    if (check(daemon, client))
        find_worker(daemon, client);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Parting
 */

static void tell_gone(struct daemon_client *client, const struct daemon_worker *worker,
                      const struct urom_worker_exit *gone)
{
    struct urom_result why;

    if (client->attached) {
        daemon_client_send(client, UROM_TYPE_WORKER_EXIT, 0, gone, sizeof(*gone));
        return;
    }
    if (worker->failure.error != DOCA_SUCCESS) {
        refuse(client, &worker->failure);
        return;
    }
    urom_result_init(&why, DOCA_ERROR_IO_FAILED, "");
    snprintf(why.text, sizeof(why.text), "the worker ended while it started (%s %d)",
             urom_exit_name((enum urom_exit)gone->how), gone->code);
    refuse(client, &why);
}

void daemon_attach_gone(struct daemon *daemon, struct daemon_worker *worker,
                        const struct urom_worker_exit *gone)
{
    const bool was_stopped = worker->state == DAEMON_WORKER_STOPPING;

    while (!od_list_is_empty(&worker->clients)) {
        struct daemon_client *client =
            OD_LIST_ENTRY(worker->clients.next, struct daemon_client, of_worker);

        od_list_remove(&client->of_worker);
        client->worker = NULL;
        if (was_stopped && client->request != NULL && !daemon->stopping)
            find_worker(daemon, client); /* waited for this end */
        else
            tell_gone(client, worker, gone);
    }
}

void daemon_detach(struct daemon *daemon, struct daemon_client *client)
{
    struct daemon_worker *worker = client->worker;
    struct urom_drop drop = {.size = sizeof(drop)};

    free_request(client->request);
    client->request = NULL;
    if (worker == NULL)
        return;
    od_list_remove(&client->of_worker);
    client->worker = NULL;
    if (client->attached) {
        memcpy(drop.token, client->token, sizeof(drop.token));
        daemon_worker_send(worker, UROM_TYPE_DROP, &drop, sizeof(drop));
    }
    if (od_list_is_empty(&worker->clients))
        daemon_worker_stop(daemon, worker);
}
