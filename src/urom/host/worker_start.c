/* SPDX-License-Identifier: BSD-3-Clause */
/* From the daemon to a channel, and back. */
#include "urom/host/urom_priv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START "doca_ctx_start"

#define DETACH_MS 5000

static struct doca_urom_worker *from_ctx(const struct doca_ctx *ctx)
{
    return (struct doca_urom_worker *)((uintptr_t)ctx - offsetof(struct doca_urom_worker, ctx));
}

/* ------------------------------------------------------------------------------------------------
 * Start: what is checked at once
 */

static doca_error_t check_service(struct doca_urom_worker *worker)
{
    struct doca_urom_service *service = worker->service;
    const char *name = worker->ctx.name;

    if (!service->running)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_UROM, START, name, "service",
                         "%s is not running" CORE_REMEDY "start it first", service->ctx.name);
    if ((worker->plugins & ~service->plugin_mask) != 0)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_UROM, START, name, "plugins",
                         "0x%llx" CORE_LIMIT "0x%llx of the service" CORE_REMEDY
                         "take ids from doca_urom_service_get_plugins_list()",
                         (unsigned long long)worker->plugins,
                         (unsigned long long)service->plugin_mask);
    if (worker->has_cpus && !urom_cpus_covers(&service->cpus, &worker->cpus))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, START, name, "cpuset",
                         "has CPUs that the service does not give" CORE_REMEDY
                         "choose from doca_urom_service_get_cpuset()");
    if (service->active >= service->max_workers)
        return CORE_FAIL(DOCA_ERROR_FULL, CORE_LOG_UROM, START, name, "workers of the service",
                         "%u are not idle" CORE_LIMIT "%u" CORE_REMEDY
                         "raise doca_urom_service_set_max_workers()",
                         service->active, service->max_workers);
    if (!urom_service_is_alive(service))
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_UROM, START, name, "service",
                         "lost" CORE_REMEDY
                         "stop the service context and start it again when the daemon is back");
    return DOCA_SUCCESS;
}

/* Everything that the service's other threads may change is copied here, once. */
static doca_error_t greet_daemon(struct doca_urom_worker *worker)
{
    struct doca_urom_service *service = worker->service;
    struct soft_link_conf conf;
    struct urom_hello hello;
    int err;

    urom_hello_init(&hello, UROM_KIND_WORKER);
    hello.pid = (uint32_t)getpid();
    hello.msg_size = service->max_msg;
    memcpy(hello.key, service->session, sizeof(hello.key));
    memcpy(worker->instance, service->instance, sizeof(worker->instance));
    worker->max_msg = service->max_msg;
    urom_text_set(worker->net_devices, sizeof(worker->net_devices), service->net_devices);
    urom_control_conf(&conf, core_ctx_waker(&worker->ctx));
    /* The daemon bounds the start of a process itself; what is added to that is for a daemon that
     * hangs, with room for the end of an earlier process of the id. */
    conf.connect_timeout = service->start_timeout + service->answer_timeout;
    worker->channel_timeout = service->answer_timeout;
    worker->deadline = urom_now_ms() + conf.connect_timeout;
    err = soft_link_connect(service->addr, &conf, &hello, sizeof(hello), &worker->daemon);
    if (err != 0)
        goto err_log;
    err = soft_alarm_open(conf.waker, &worker->alarm);
    if (err != 0)
        goto err_close;
    soft_alarm_set(worker->alarm, conf.connect_timeout);
    return DOCA_SUCCESS;

err_close:
    soft_link_close(worker->daemon);
    worker->daemon = NULL;
err_log:
    return CORE_FAIL(err == -ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_OPERATING_SYSTEM,
                     CORE_LOG_UROM, START, worker->ctx.name, "service", "%s", soft_reason());
}

doca_error_t urom_worker_start(struct doca_ctx *ctx)
{
    struct doca_urom_worker *worker = from_ctx(ctx);
    doca_error_t result;

    if (worker->service == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, START, ctx->name, "service",
                         "none" CORE_REMEDY "call doca_urom_worker_set_service()");
    if (worker->plugins == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, START, ctx->name, "plugins",
                         "none" CORE_REMEDY "call doca_urom_worker_set_plugins()");
    pthread_mutex_lock(&worker->service->lock);
    result = check_service(worker);
    if (result == DOCA_SUCCESS)
        result = greet_daemon(worker);
    worker->service->active += result == DOCA_SUCCESS;
    pthread_mutex_unlock(&worker->service->lock);
    if (result != DOCA_SUCCESS)
        return result;
    worker->step = UROM_WORKER_GREETING;
    worker->join.limit = UROM_WIRE_FRAME_MAX;
    worker->lost = false;
    worker->stats = (struct doca_urom_ext_stats){0};
    worker->last_error[0] = '\0';
    return DOCA_ERROR_IN_PROGRESS;
}

/* ------------------------------------------------------------------------------------------------
 * Start: what follows
 */

/* The one event of a start that failed. */
static OD_PRINTF(3, 4) bool fail(struct doca_urom_worker *worker, doca_error_t code,
                                 const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(worker->last_error, sizeof(worker->last_error), fmt, ap);
    va_end(ap);
    CORE_FAIL(code, CORE_LOG_UROM, "doca_pe_progress", worker->ctx.name, "start", "impossible: %s",
              worker->last_error);
    worker->step = UROM_WORKER_DETACHED;
    core_ctx_established(&worker->ctx, code);
    return true;
}

static bool fail_lost(struct doca_urom_worker *worker)
{
    return fail(worker, DOCA_ERROR_NOT_PERMITTED, "the service went away");
}

static int send_attach(struct doca_urom_worker *worker)
{
    struct urom_attach attach = {
        .size = sizeof(attach),
        .flags =
            (worker->has_gid ? UROM_ATTACH_GID : 0) | (worker->has_cpus ? UROM_ATTACH_CPUS : 0),
        .id = worker->wanted_id,
        .plugins = worker->plugins,
        .gid = worker->wanted_gid,
        .inflight = worker->max_inflight,
        .env_count = worker->env_count,
        .env_len = (uint32_t)worker->env_len,
    };
    const size_t len = sizeof(attach) + worker->env_len;

    if (worker->attach != NULL)
        return urom_cut_send(worker->daemon, &worker->cut);
    worker->attach = malloc(len);
    if (worker->attach == NULL)
        return -ENOMEM;
    memcpy(attach.cpus, &worker->cpus, sizeof(attach.cpus));
    urom_text_set(attach.net_devices, sizeof(attach.net_devices), worker->net_devices);
    urom_attach_encode(&attach, worker->env, worker->attach, len);
    worker->cut = (struct urom_cut){.body = worker->attach,
                                    .len = len,
                                    .room = soft_link_max_msg(worker->daemon),
                                    .type = UROM_TYPE_ATTACH};
    return urom_cut_send(worker->daemon, &worker->cut);
}

static bool step_attaching(struct doca_urom_worker *worker);

/* GREETING: the daemon takes the link. */
static bool step_greeting(struct doca_urom_worker *worker)
{
    struct urom_answer answer;
    const void *bytes;
    size_t len;
    int reason = 0;
    enum soft_link_state state = soft_link_poll(worker->daemon, &reason);

    if (state == SOFT_LINK_CONNECTING)
        return false;
    if (state != SOFT_LINK_UP) {
        bytes = soft_link_answer(worker->daemon, &len);
        if (reason == -EACCES && urom_answer_decode(bytes, len, &answer) == 0)
            return fail(worker, DOCA_ERROR_NOT_PERMITTED, "the service refuses (%s): %s",
                        urom_reason_name((enum urom_reason)answer.reason), answer.text);
        return fail_lost(worker);
    }
    /* Goes on at once: a program that sleeps is woken by answers, not by what is yet to be asked.
     */
    worker->step = UROM_WORKER_ATTACHING;
    return step_attaching(worker);
}

/* Twice as many as tasks, where the link can: a sender that is never near the end of its room looks
 * seldom at what was taken, each of which looks costs both sides the line of that count. */
static uint32_t channel_depth(const struct doca_urom_worker *worker)
{
    const uint32_t roomy = 2 * worker->max_inflight - 1;

    return roomy <= SOFT_LINK_DEPTH_MAX && (uint64_t)roomy * worker->max_msg <= SOFT_LINK_BYTES_MAX
               ? roomy
               : worker->max_inflight;
}

static bool begin_channel(struct doca_urom_worker *worker, const struct urom_attach_ok *ok)
{
    struct soft_link_conf conf = {
        .max_msg = worker->max_msg,
        .depth = channel_depth(worker),
        .connect_timeout = worker->channel_timeout,
        .waker = core_ctx_waker(&worker->ctx),
    };
    struct urom_hello hello;
    int err;

    urom_hello_init(&hello, UROM_KIND_CHANNEL);
    hello.msg_size = worker->max_msg;
    memcpy(hello.key, ok->token, sizeof(hello.key));
    memcpy(worker->token, ok->token, sizeof(worker->token));
    memcpy(worker->addr, ok->addr, sizeof(worker->addr));
    worker->id = ok->id;
    worker->gid = (ok->flags & UROM_ATTACHED_GID) != 0 ? ok->gid : UINT32_MAX;
    if ((ok->flags & UROM_ATTACHED_JOINED) != 0 && (worker->has_cpus || worker->has_gid))
        CORE_WARN(CORE_LOG_UROM, "%s: worker %llu was there; its own CPUs and group count",
                  worker->ctx.name, (unsigned long long)ok->id);
    err = soft_link_connect(ok->addr, &conf, &hello, sizeof(hello), &worker->channel);
    if (err != 0)
        return fail(worker, DOCA_ERROR_OPERATING_SYSTEM, "%s", soft_reason());
    /* The link has a time limit of its own, and tells of it. */
    worker->deadline = urom_now_ms() + 2 * (uint64_t)worker->channel_timeout;
    worker->step = UROM_WORKER_CHANNEL;
    return false;
}

/* ATTACHING: the daemon finds or makes the process. */
static bool step_attaching(struct doca_urom_worker *worker)
{
    struct urom_attach_ok ok;
    struct urom_result refusal;
    int err = send_attach(worker);

    if (err == -ENOMEM)
        return fail(worker, DOCA_ERROR_NO_MEMORY, "no memory for the request");
    if (err == 0)
        err = urom_frame_recv(worker->daemon, &worker->join);
    if (err == -EAGAIN)
        return false;
    if (err != 0)
        return fail_lost(worker);
    if (worker->join.type == UROM_TYPE_ATTACH_ERR &&
        urom_result_decode(worker->join.body, worker->join.len, &refusal) == 0)
        return fail(worker, (doca_error_t)refusal.error, "%s", refusal.text);
    if (worker->join.type != UROM_TYPE_ATTACH_OK ||
        urom_attach_ok_decode(worker->join.body, worker->join.len, &ok) != 0)
        return fail(worker, DOCA_ERROR_NOT_PERMITTED, "the service talks nonsense");
    return begin_channel(worker, &ok);
}

static bool fail_unreached(struct doca_urom_worker *worker, int reason)
{
    return fail(worker, DOCA_ERROR_IO_FAILED, "worker %llu cannot be reached at %s: %s",
                (unsigned long long)worker->id, worker->addr,
                reason != 0 ? strerror(-reason) : "it is gone");
}

/* CHANNEL: the worker takes the link. */
static bool step_channel(struct doca_urom_worker *worker)
{
    int reason = 0;
    enum soft_link_state state = soft_link_poll(worker->channel, &reason);

    /* A worker that is busy answers later; one that is gone never will, as the daemon tells. */
    if (state == SOFT_LINK_CONNECTING && urom_frame_recv(worker->daemon, &worker->join) == -EAGAIN)
        return false;
    if (state != SOFT_LINK_UP)
        return fail_unreached(worker, reason);
    if (soft_link_max_msg(worker->channel) < worker->max_msg)
        return fail(worker, DOCA_ERROR_IO_FAILED, "worker %llu takes %u bytes a message, not %u",
                    (unsigned long long)worker->id, soft_link_max_msg(worker->channel),
                    worker->max_msg);
    if (urom_commands_open(worker) != DOCA_SUCCESS)
        return fail(worker, DOCA_ERROR_NO_MEMORY, "no memory for %u commands",
                    worker->max_inflight);
    worker->step = UROM_WORKER_OPEN;
    CORE_DEBUG(CORE_LOG_UROM, "%s: worker %llu at %s", worker->ctx.name,
               (unsigned long long)worker->id, worker->addr);
    core_ctx_established(&worker->ctx, DOCA_SUCCESS);
    return true;
}

bool urom_worker_start_progress(struct doca_urom_worker *worker)
{
    const uint64_t looked = urom_now_ms(); /* before the step: it may stand still behind it */
    bool event;

    if (worker->step == UROM_WORKER_GREETING)
        event = step_greeting(worker);
    else if (worker->step == UROM_WORKER_ATTACHING)
        event = step_attaching(worker);
    else
        event = step_channel(worker);
    if (event || looked < worker->deadline)
        return event;
    /* The link would have told the same, had its thread had a processor. */
    if (worker->step == UROM_WORKER_CHANNEL)
        return fail_unreached(worker, -ETIMEDOUT);
    return fail(worker, DOCA_ERROR_TIME_OUT, "no answer from the service");
}

/* ------------------------------------------------------------------------------------------------
 * Stop
 */

void urom_worker_stopping(struct doca_ctx *ctx)
{
    struct doca_urom_worker *worker = from_ctx(ctx);

    /* Nothing goes out any more; what comes in still counts. Fails of a start have no links. */
    if (worker->step == UROM_WORKER_OPEN)
        soft_link_shutdown(worker->channel);
}

/* The end of the link is the detach: the daemon sees it, does what follows, and ends its side. */
static void begin_detach(struct doca_urom_worker *worker)
{
    soft_link_close(worker->channel);
    worker->channel = NULL;
    soft_link_shutdown(worker->daemon);
    worker->deadline = urom_now_ms() + DETACH_MS;
    soft_alarm_set(worker->alarm, DETACH_MS);
    worker->step = UROM_WORKER_DETACHING;
}

/* Never an event by itself: becoming IDLE is, and that is the core's. */
bool urom_worker_detach_progress(struct doca_urom_worker *worker)
{
    if (worker->step == UROM_WORKER_DETACHED)
        return false;
    if (worker->step != UROM_WORKER_DETACHING)
        begin_detach(worker);
    if (soft_link_poll(worker->daemon, NULL) != SOFT_LINK_DOWN && urom_now_ms() < worker->deadline)
        return false;
    worker->step = UROM_WORKER_DETACHED;
    return false;
}

void urom_worker_stopped(struct doca_ctx *ctx)
{
    struct doca_urom_worker *worker = from_ctx(ctx);

    soft_link_close(worker->channel);
    soft_link_close(worker->daemon);
    soft_alarm_close(worker->alarm);
    worker->channel = NULL;
    worker->daemon = NULL;
    worker->alarm = NULL;
    urom_commands_close(worker);
    free(worker->attach);
    worker->attach = NULL;
    urom_join_free(&worker->join);
    worker->step = UROM_WORKER_UNUSED;
    worker->id = worker->wanted_id;
    worker->gid = worker->wanted_gid;
    pthread_mutex_lock(&worker->service->lock);
    worker->service->active--;
    pthread_mutex_unlock(&worker->service->lock);
}

/* ------------------------------------------------------------------------------------------------
 * Sleeping
 */

/* The alarm wakes those who sleep then, and not who goes to sleep later. */
static bool is_overdue(const struct doca_urom_worker *worker)
{
    return urom_now_ms() >= worker->deadline;
}

bool urom_worker_pending(const struct doca_ctx *ctx)
{
    const struct doca_urom_worker *worker = from_ctx(ctx);

    switch (worker->step) {
    case UROM_WORKER_GREETING:
        return soft_link_pending(worker->daemon) || is_overdue(worker);
    case UROM_WORKER_ATTACHING:
        return soft_link_pending(worker->daemon) || is_overdue(worker) ||
               (worker->cut.sent < worker->cut.len &&
                soft_link_await(worker->daemon, soft_link_taken(worker->daemon) + 1));
    case UROM_WORKER_CHANNEL:
        return soft_link_pending(worker->channel) || soft_link_pending(worker->daemon);
    case UROM_WORKER_OPEN:
        return ctx->state == DOCA_CTX_STATE_STOPPING || worker->failed.head != NULL ||
               (!worker->lost && soft_link_pending(worker->channel));
    case UROM_WORKER_DETACHING:
        return soft_link_pending(worker->daemon) || is_overdue(worker);
    default:
        return false;
    }
}
