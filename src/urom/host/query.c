/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries for the workers of a group. Made one by one: they are rare, and their number has no
 * limit. */
#include "urom/host/urom_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct doca_urom_service_get_workers_by_gid_task {
    struct doca_task base;
    uint64_t correlation;
    uint32_t gid;
    uint32_t count;
    uint64_t *ids;
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb;
};

typedef struct doca_urom_service_get_workers_by_gid_task query_t;

static query_t *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, query_t, base);
}

static struct doca_urom_service *service_of(const struct doca_task *task)
{
    return OD_CONTAINER_OF(task->ctx, struct doca_urom_service, ctx);
}

static void forget_result(query_t *query)
{
    free(query->ids);
    query->ids = NULL;
    query->count = 0;
}

/* ------------------------------------------------------------------------------------------------
 * Asking
 */

static void await_answer(struct doca_urom_service *service)
{
    service->query_deadline = urom_now_ms() + service->answer_timeout;
    soft_alarm_set(service->alarm, service->answer_timeout);
}

bool urom_query_is_overdue(const struct doca_urom_service *service)
{
    return service->asked.head != NULL && urom_now_ms() >= service->query_deadline;
}

static OD_COLD doca_error_t refuse_lost(const struct doca_ctx *ctx)
{
    return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_UROM, "doca_task_submit", ctx->name,
                     "service",
                     "lost" CORE_REMEDY "stop the contexts and start them again when the daemon is "
                     "back");
}

static doca_error_t query_submit(struct doca_task *task, bool flush)
{
    struct doca_urom_service *service = service_of(task);
    query_t *query = from_task(task);
    const struct urom_gid_query body = {.size = sizeof(body), .gid = query->gid};
    bool alive;
    int err = 0;

    (void)flush;
    if (query->cb == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, "doca_task_submit",
                         service->ctx.name, "callback",
                         "none" CORE_REMEDY "set one with ..._get_workers_by_gid_task_set_cb()");
    query->correlation = ++service->last_query;
    pthread_mutex_lock(&service->lock);
    alive = urom_service_is_alive(service);
    if (alive)
        err = urom_frame_send(service->link, UROM_TYPE_GID_QUERY, query->correlation, &body,
                              sizeof(body));
    pthread_mutex_unlock(&service->lock);
    if (err == -EAGAIN)
        return CORE_FAIL(DOCA_ERROR_AGAIN, CORE_LOG_UROM, "doca_task_submit", service->ctx.name,
                         "link", "full" CORE_REMEDY "progress and try again");
    if (!alive || err != 0)
        return refuse_lost(&service->ctx);
    forget_result(query);
    if (service->asked.head == NULL)
        await_answer(service);
    core_task_queue_push(&service->asked, task);
    return DOCA_SUCCESS;
}

static doca_error_t query_validate(struct doca_task *task)
{
    (void)task; /* submit checks everything */
    return DOCA_SUCCESS;
}

static void query_deliver(struct doca_task *task)
{
    from_task(task)->cb(from_task(task), task->user_data, task->ctx->user_data);
}

const struct core_task_ops urom_query_ops = {
    .submit = query_submit,
    .validate = query_validate,
    .deliver = query_deliver,
};

/* ------------------------------------------------------------------------------------------------
 * The answer
 */

/* The daemon answers in order. SUCCESS, IN_PROGRESS (nothing there yet), or IO_FAILED, logged. */
static doca_error_t take_result(struct doca_urom_service *service, query_t *query)
{
    const bool is_overdue = urom_query_is_overdue(service); /* before the look, not since it */
    const void *ids;
    uint32_t count;
    int err = urom_frame_recv(service->link, &service->join);

    if (err == -EAGAIN && !is_overdue)
        return DOCA_ERROR_IN_PROGRESS;
    if (err != 0 || service->join.type != UROM_TYPE_GID_RESULT ||
        service->join.correlation != query->correlation ||
        urom_gid_result_decode(service->join.body, service->join.len, &ids, &count) != 0) {
        /* Whatever this is, later answers cannot be believed either. */
        soft_link_shutdown(service->link);
        return CORE_FAIL(DOCA_ERROR_IO_FAILED, CORE_LOG_UROM, "doca_pe_progress", service->ctx.name,
                         "query", "%s",
                         err == -EAGAIN ? "no answer in time"
                         : err != 0     ? "the service went away"
                                        : "answered by nonsense");
    }
    if (count == 0)
        return DOCA_SUCCESS;
    query->ids = malloc(count * sizeof(query->ids[0]));
    if (query->ids == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, "doca_pe_progress", service->ctx.name,
                         "query", "%u ids", count);
    memcpy(query->ids, ids, count * sizeof(query->ids[0]));
    query->count = count;
    return DOCA_SUCCESS;
}

bool urom_query_progress(struct doca_urom_service *service)
{
    query_t *query = from_task(service->asked.head);
    doca_error_t status = DOCA_ERROR_IO_FAILED;

    if (service->ctx.state != DOCA_CTX_STATE_STOPPING) {
        pthread_mutex_lock(&service->lock);
        status = take_result(service, query);
        pthread_mutex_unlock(&service->lock);
        if (status == DOCA_ERROR_IN_PROGRESS)
            return false;
    }
    core_task_queue_pop(&service->asked);
    if (service->asked.head != NULL)
        await_answer(service);
    service->delivering = true;
    core_task_complete(&query->base, status);
    service->delivering = false;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Tasks
 */

void urom_query_free_all(struct doca_urom_service *service)
{
    while (service->pool.free != NULL) {
        struct doca_task *task = service->pool.free;

        service->pool.free = task->next;
        core_live_remove(task);
        forget_result(from_task(task));
        free(from_task(task));
    }
}

/* The pool grows by what is asked for. */
static doca_error_t query_make(struct doca_urom_service *service, const char *func)
{
    query_t *query = calloc(1, sizeof(*query));

    if (query == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, func, service->ctx.name, "query",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*query));
    query->base.ctx = &service->ctx;
    query->base.pool = &service->pool;
    query->base.state = CORE_TASK_FREE;
    service->pool.free = &query->base;
    core_live_add(CORE_LIVE_TASK, &query->base);
    return DOCA_SUCCESS;
}

static doca_error_t query_allocate(struct doca_urom_service *service, uint32_t gid,
                                   doca_urom_service_get_workers_by_gid_task_completion_cb_t cb,
                                   query_t **task, const char *func)
{
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_UROM_SERVICE, service))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, func, "service_ctx", service);
    if (task == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, func, "task");
    if (service->ctx.state == DOCA_CTX_STATE_RUNNING && service->pool.free == NULL) {
        result = query_make(service, func);
        if (result != DOCA_SUCCESS)
            return result;
    }
    result = core_task_alloc(&service->pool, (union doca_data){.u64 = 0}, func, &base);
    if (result != DOCA_SUCCESS)
        return result;
    *task = from_task(base);
    forget_result(*task);
    (*task)->gid = gid;
    (*task)->cb = cb;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_get_workers_by_gid_task_allocate(
    struct doca_urom_service *service_ctx, struct doca_urom_service_get_workers_by_gid_task **task)
{
    return query_allocate(service_ctx, 0, NULL, task, __func__);
}

doca_error_t doca_urom_service_get_workers_by_gid_task_allocate_init(
    struct doca_urom_service *service_ctx, uint32_t gid,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb,
    struct doca_urom_service_get_workers_by_gid_task **task)
{
    return query_allocate(service_ctx, gid, cb, task, __func__);
}

doca_error_t doca_urom_service_get_workers_by_gid_task_release(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
    if (!core_is_live(CORE_LIVE_TASK, task))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, __func__, "task", task);
    if (task->base.state == CORE_TASK_SUBMITTED)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_UROM, __func__, task->base.ctx->name,
                         "task", "in flight" CORE_REMEDY "release it in or after its callback");
    doca_task_free(&task->base);
    return DOCA_SUCCESS;
}

/* Whether a task may be changed; says so when not. */
static bool is_owned(const query_t *task, const char *func)
{
    if (!core_task_is_live(task, func))
        return false;
    if (task->base.state == CORE_TASK_OWNED)
        return true;
    CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_UROM, func, task->base.ctx->name, "task",
              "in flight; ignored" CORE_REMEDY "change it before submit or after its callback");
    return false;
}

void doca_urom_service_get_workers_by_gid_task_set_gid(
    struct doca_urom_service_get_workers_by_gid_task *task, uint32_t gid)
{
    if (is_owned(task, __func__))
        task->gid = gid;
}

void doca_urom_service_get_workers_by_gid_task_set_cb(
    struct doca_urom_service_get_workers_by_gid_task *task,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb)
{
    if (is_owned(task, __func__))
        task->cb = cb;
}

struct doca_task *doca_urom_service_get_workers_by_gid_task_as_task(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
    return task != NULL ? &task->base : NULL;
}

size_t doca_urom_service_get_workers_by_gid_task_get_workers_count(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
    return task != NULL ? task->count : 0;
}

const uint64_t *doca_urom_service_get_workers_by_gid_task_get_worker_ids(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
    return task != NULL ? task->ids : NULL;
}
