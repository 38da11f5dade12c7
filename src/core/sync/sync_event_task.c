/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sync/sync_event_priv.h"

/* The context of an event, and its tasks.
 *
 * get, notify_set and notify_add are executed when they are released, as a device would do it
 * without help of the engine; progress reports them. Waits are looked at by progress. */

#define MAX_TASKS 65535u /* of one kind and context; the devices file has no limit of its own */

struct sync_task {
    struct doca_task task; /* first */
    enum sync_task_kind kind;
    doca_error_t outcome;
    uint64_t operand; /* value to set, to add, to wait for */
    uint64_t mask;
    uint64_t *out;
    uint64_t result; /* for `out` */
};

struct doca_sync_event_task_get {
    struct sync_task base;
};

struct doca_sync_event_task_notify_set {
    struct sync_task base;
};

struct doca_sync_event_task_notify_add {
    struct sync_task base;
};

struct doca_sync_event_task_wait_eq {
    struct sync_task base;
};

struct doca_sync_event_task_wait_neq {
    struct sync_task base;
};

static inline struct sync_task *from_task(struct doca_task *task)
{
    return (struct sync_task *)task;
}

static inline struct doca_sync_event *from_ctx(struct doca_ctx *ctx)
{
    return (struct doca_sync_event *)ctx;
}

/* ------------------------------------------------------------------------------------------------
 * Execution
 */

static void report(struct doca_sync_event *event, struct sync_task *task, doca_error_t outcome)
{
    task->outcome = outcome;
    core_task_queue_push(&event->done, &task->task);
}

static void release(struct doca_sync_event *event, struct sync_task *task)
{
    int err = 0;

    switch (task->kind) {
    case SYNC_TASK_GET:
        err = core_sync_event_load(event, &task->result);
        break;
    case SYNC_TASK_NOTIFY_SET:
        err = core_sync_event_store(event, task->operand);
        break;
    case SYNC_TASK_NOTIFY_ADD:
        err = core_sync_event_fetch_add(event, task->operand, &task->result);
        break;
    default:
        core_task_queue_push(&event->waits, &task->task);
        atomic_fetch_add_explicit(&event->nwaits, 1, memory_order_relaxed);
        return;
    }
    report(event, task, err == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
}

static void release_held(struct doca_ctx *ctx)
{
    struct doca_sync_event *event = from_ctx(ctx);
    struct doca_task *task;

    while ((task = core_task_queue_pop(&event->held)) != NULL)
        release(event, from_task(task));
}

static bool wants_out(const struct sync_task *task)
{
    return task->kind == SYNC_TASK_GET || task->kind == SYNC_TASK_NOTIFY_ADD;
}

static doca_error_t submit(struct doca_task *base, bool flush)
{
    struct sync_task *task = from_task(base);

    if (od_unlikely(wants_out(task) && task->out == NULL))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_SYNC_EVENT, "doca_task_submit",
                         base->ctx->name, "result pointer",
                         "NULL" CORE_REMEDY "give the task a place for its result");
    core_task_queue_push(&from_ctx(base->ctx)->held, base);
    if (flush)
        release_held(base->ctx);
    return DOCA_SUCCESS;
}

static bool is_satisfied(const struct sync_task *task, uint64_t value)
{
    return ((value & task->mask) == task->operand) == (task->kind == SYNC_TASK_WAIT_EQ);
}

/* Unlinks the first wait that `value` satisfies, or that of an import whose exporter is gone. */
static struct sync_task *take_wait(struct doca_sync_event *event, int err, uint64_t value)
{
    struct doca_task *prev = NULL;

    for (struct doca_task *task = event->waits.head; task != NULL; prev = task, task = task->next) {
        if (err == 0 && !is_satisfied(from_task(task), value))
            continue;
        if (prev == NULL)
            event->waits.head = task->next;
        else
            prev->next = task->next;
        if (event->waits.tail == task)
            event->waits.tail = prev;
        atomic_fetch_sub_explicit(&event->nwaits, 1, memory_order_relaxed);
        return from_task(task);
    }
    return NULL;
}

static bool complete_wait(struct doca_sync_event *event)
{
    struct sync_task *task;
    uint64_t value = 0;
    int err;

    if (event->waits.head == NULL)
        return false;
    err = core_sync_event_load(event, &value);
    task = take_wait(event, err, value);
    if (task == NULL)
        return false;
    core_task_complete(&task->task, err == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
    return true;
}

static bool complete_done(struct doca_sync_event *event)
{
    struct doca_task *base = core_task_queue_pop(&event->done);
    struct sync_task *task;

    if (base == NULL)
        return false;
    task = from_task(base);
    if (task->outcome == DOCA_SUCCESS && wants_out(task))
        *task->out = task->result;
    core_task_complete(base, task->outcome);
    return true;
}

/* Takes turns, so that a stream of one sort does not keep the other from being seen. */
static bool progress(struct doca_ctx *ctx)
{
    struct doca_sync_event *event = from_ctx(ctx);

    event->waits_first = !event->waits_first;
    if (event->waits_first)
        return complete_wait(event) || complete_done(event);
    return complete_done(event) || complete_wait(event);
}

/* Asked when the engine's user is about to sleep. */
static bool pending(const struct doca_ctx *ctx)
{
    struct doca_sync_event *event = from_ctx((struct doca_ctx *)ctx);
    uint64_t value;

    if (event->done.head != NULL)
        return true;
    if (event->waits.head == NULL)
        return false;
    atomic_thread_fence(memory_order_seq_cst);
    if (core_sync_event_load(event, &value) != 0)
        return true;
    for (struct doca_task *task = event->waits.head; task != NULL; task = task->next) {
        if (is_satisfied(from_task(task), value))
            return true;
    }
    return !core_sync_event_watch(event, value);
}

/* Waits that are satisfied by now have finished; the others, and what was held back, has not. */
static void stopping(struct doca_ctx *ctx)
{
    struct doca_sync_event *event = from_ctx(ctx);
    struct doca_task *base;
    struct sync_task *task;
    uint64_t value;

    if (event->waits.head != NULL && core_sync_event_load(event, &value) == 0) {
        while ((task = take_wait(event, 0, value)) != NULL)
            report(event, task, DOCA_SUCCESS);
    }
    while ((task = take_wait(event, -1, 0)) != NULL)
        report(event, task, DOCA_ERROR_IO_FAILED);
    while ((base = core_task_queue_pop(&event->held)) != NULL)
        report(event, from_task(base), DOCA_ERROR_IO_FAILED);
}

static bool drained(const struct doca_ctx *ctx)
{
    return ((const struct doca_sync_event *)ctx)->done.head == NULL;
}

static void close_pools(struct doca_sync_event *event)
{
    for (int i = 0; i < SYNC_TASK_NUM; i++)
        core_task_pool_close(&event->pools[i]);
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_sync_event *event = from_ctx(ctx);

    core_sync_event_unwatch(event);
    close_pools(event);
    atomic_store(&event->running, false);
}

static doca_error_t start(struct doca_ctx *ctx)
{
    static const char func[] = "doca_ctx_start";
    struct doca_sync_event *event = from_ctx(ctx);
    doca_error_t result;

    if (event->drive == SYNC_DRIVE_PLAIN)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_SYNC_EVENT, func, ctx->name, "mode",
                         "driven by doca_sync_event_start()" CORE_REMEDY
                         "use either the plain calls or the context");
    result = core_sync_event_open(event, func);
    if (result != DOCA_SUCCESS)
        return result;
    for (int i = 0; i < SYNC_TASK_NUM; i++) {
        if (core_task_pool_open(&event->pools[i]) == DOCA_SUCCESS)
            continue;
        close_pools(event);
        return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_SYNC_EVENT, func, ctx->name,
                         "task pool", "%u tasks, no memory" CORE_REMEDY "configure fewer tasks",
                         event->pools[i].num);
    }
    atomic_store(&event->running, true);
    return DOCA_SUCCESS;
}

const struct core_ctx_ops core_sync_event_ctx_ops = {
    .kind = "sync_event",
    .source = CORE_LOG_SYNC_EVENT,
    .start = start,
    .progress = progress,
    .pending = pending,
    .flush = release_held,
    .stopping = stopping,
    .drained = drained,
    .stopped = stopped,
};

/* ------------------------------------------------------------------------------------------------
 * Task kinds
 */

/* 0, 1, 2, 4 or 8 bytes of 0xFF in a row, the others 0. */
static bool is_valid_mask(uint64_t mask)
{
    if (mask == 0)
        return true;
    while ((mask & 0xff) == 0)
        mask >>= 8;
    return mask == 0xff || mask == 0xffff || mask == 0xffffffff || mask == UINT64_MAX;
}

static doca_error_t check_mask(const struct doca_ctx *ctx, uint64_t mask, const char *func)
{
    if (is_valid_mask(mask))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_SYNC_EVENT, func, ctx->name, "mask",
                     "0x%016llx" CORE_LIMIT "0, 1, 2, 4 or 8 bytes of 0xff in a row",
                     (unsigned long long)mask);
}

static doca_error_t validate_plain(struct doca_task *task)
{
    (void)task; /* a missing result pointer is refused by submit, the other operands are free */
    return DOCA_SUCCESS;
}

static doca_error_t validate_wait(struct doca_task *task)
{
    return check_mask(task->ctx, from_task(task)->mask, "doca_task_try_submit");
}

static void deliver_get(struct doca_task *task)
{
    const struct doca_sync_event *event = from_ctx(task->ctx);

    (task->status == DOCA_SUCCESS ? event->get_cb.done : event->get_cb.error)(
        (struct doca_sync_event_task_get *)task, task->user_data, task->ctx->user_data);
}

static void deliver_notify_set(struct doca_task *task)
{
    const struct doca_sync_event *event = from_ctx(task->ctx);

    (task->status == DOCA_SUCCESS ? event->notify_set_cb.done : event->notify_set_cb.error)(
        (struct doca_sync_event_task_notify_set *)task, task->user_data, task->ctx->user_data);
}

static void deliver_notify_add(struct doca_task *task)
{
    const struct doca_sync_event *event = from_ctx(task->ctx);

    (task->status == DOCA_SUCCESS ? event->notify_add_cb.done : event->notify_add_cb.error)(
        (struct doca_sync_event_task_notify_add *)task, task->user_data, task->ctx->user_data);
}

static void deliver_wait_eq(struct doca_task *task)
{
    const struct doca_sync_event *event = from_ctx(task->ctx);

    (task->status == DOCA_SUCCESS ? event->wait_eq_cb.done : event->wait_eq_cb.error)(
        (struct doca_sync_event_task_wait_eq *)task, task->user_data, task->ctx->user_data);
}

static void deliver_wait_neq(struct doca_task *task)
{
    const struct doca_sync_event *event = from_ctx(task->ctx);

    (task->status == DOCA_SUCCESS ? event->wait_neq_cb.done : event->wait_neq_cb.error)(
        (struct doca_sync_event_task_wait_neq *)task, task->user_data, task->ctx->user_data);
}

static const struct core_task_ops task_ops[SYNC_TASK_NUM] = {
    [SYNC_TASK_GET] = {submit, validate_plain, deliver_get},
    [SYNC_TASK_NOTIFY_SET] = {submit, validate_plain, deliver_notify_set},
    [SYNC_TASK_NOTIFY_ADD] = {submit, validate_plain, deliver_notify_add},
    [SYNC_TASK_WAIT_EQ] = {submit, validate_wait, deliver_wait_eq},
    [SYNC_TASK_WAIT_NEQ] = {submit, validate_wait, deliver_wait_neq},
};

void core_sync_event_init_tasks(struct doca_sync_event *event)
{
    for (int i = 0; i < SYNC_TASK_NUM; i++)
        core_task_pool_init(&event->pools[i], &event->ctx, &task_ops[i], sizeof(struct sync_task));
}

/* ------------------------------------------------------------------------------------------------
 * Configuration and allocation: what the five kinds share
 */

static doca_error_t answer_task_cap(const struct doca_devinfo *devinfo, const char *func)
{
    const struct soft_caps *caps = core_devinfo_caps(devinfo, func);

    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (caps->sync_event)
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_SYNC_EVENT, func, devinfo->name,
                       "sync_event", "false");
}

static doca_error_t set_conf(struct doca_sync_event *event, enum sync_task_kind kind, bool has_done,
                             bool has_error, uint32_t num, const char *func)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, func, "event", event);
    if (!has_done || !has_error)
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, func, has_done ? "error_cb" : "completion_cb");
    if (num == 0 || num > MAX_TASKS)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         "num_tasks", "%u" CORE_LIMIT "1..%u", num, MAX_TASKS);
    result = core_ctx_check_idle(&event->ctx, func);
    if (result != DOCA_SUCCESS)
        return result;
    if (event->drive == SYNC_DRIVE_PLAIN)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         "mode",
                         "driven by doca_sync_event_start()" CORE_REMEDY
                         "use either the plain calls or the context");
    if (event->ctx.dev != NULL && !event->ctx.dev->info.soft->caps.sync_event)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         "device", "%s has no sync events" CORE_REMEDY "use another device",
                         event->ctx.dev->info.name);
    event->pools[kind].num = num;
    return DOCA_SUCCESS;
}

/* The operands of a task before it is taken from its pool. */
static doca_error_t check_operands(struct doca_sync_event *event, const struct sync_task *operands,
                                   const void *task, const char *func)
{
    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, func, "event", event);
    if (task == NULL)
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, func, "task");
    if (wants_out(operands) && operands->out == NULL)
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, func,
                              operands->kind == SYNC_TASK_GET ? "ret_val_ptr" : "fetched_val_ptr");
    return check_mask(&event->ctx, operands->mask, func);
}

/* `task` is what the public call was given for its output; it is only compared with NULL. */
static doca_error_t take_task(struct doca_sync_event *event, const struct sync_task *operands,
                              union doca_data user_data, const void *task, const char *func,
                              struct sync_task **taken)
{
    struct doca_task *base;
    doca_error_t result = check_operands(event, operands, task, func);

    if (result == DOCA_SUCCESS)
        result = core_task_alloc(&event->pools[operands->kind], user_data, func, &base);
    if (result != DOCA_SUCCESS)
        return result;
    *taken = from_task(base);
    (*taken)->kind = operands->kind;
    (*taken)->operand = operands->operand;
    (*taken)->mask = operands->mask;
    (*taken)->out = operands->out;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * get
 */

doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo)
{
    return answer_task_cap(devinfo, __func__);
}

doca_error_t doca_sync_event_task_get_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
    doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks)
{
    doca_error_t result = set_conf(event, SYNC_TASK_GET, completion_cb != NULL, error_cb != NULL,
                                   num_tasks, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    event->get_cb.done = completion_cb;
    event->get_cb.error = error_cb;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event,
                                                 uint64_t *ret_val_ptr, union doca_data user_data,
                                                 struct doca_sync_event_task_get **task)
{
    const struct sync_task operands = {.kind = SYNC_TASK_GET, .out = ret_val_ptr};
    struct sync_task *taken;
    doca_error_t result = take_task(event, &operands, user_data, task, __func__, &taken);

    if (result == DOCA_SUCCESS)
        *task = (struct doca_sync_event_task_get *)taken;
    return result;
}

struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task)
{
    return task != NULL ? &task->base.task : NULL;
}

void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
                                              uint64_t *ret_val_ptr)
{
    if (core_task_is_live(task, __func__))
        task->base.out = ret_val_ptr;
}

uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task)
{
    return core_task_is_live(task, __func__) ? task->base.out : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * notify_set
 */

doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo)
{
    return answer_task_cap(devinfo, __func__);
}

doca_error_t doca_sync_event_task_notify_set_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks)
{
    doca_error_t result = set_conf(event, SYNC_TASK_NOTIFY_SET, completion_cb != NULL,
                                   error_cb != NULL, num_tasks, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    event->notify_set_cb.done = completion_cb;
    event->notify_set_cb.error = error_cb;
    return DOCA_SUCCESS;
}

doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
                                           union doca_data user_data,
                                           struct doca_sync_event_task_notify_set **task)
{
    const struct sync_task operands = {.kind = SYNC_TASK_NOTIFY_SET, .operand = set_val};
    struct sync_task *taken;
    doca_error_t result = take_task(event, &operands, user_data, task, __func__, &taken);

    if (result == DOCA_SUCCESS)
        *task = (struct doca_sync_event_task_notify_set *)taken;
    return result;
}

struct doca_task *
doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task)
{
    return task != NULL ? &task->base.task : NULL;
}

void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
                                                 uint64_t set_val)
{
    if (core_task_is_live(task, __func__))
        task->base.operand = set_val;
}

uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task)
{
    return core_task_is_live(task, __func__) ? task->base.operand : 0;
}

/* ------------------------------------------------------------------------------------------------
 * notify_add
 */

doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo)
{
    return answer_task_cap(devinfo, __func__);
}

doca_error_t doca_sync_event_task_notify_add_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks)
{
    doca_error_t result = set_conf(event, SYNC_TASK_NOTIFY_ADD, completion_cb != NULL,
                                   error_cb != NULL, num_tasks, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    event->notify_add_cb.done = completion_cb;
    event->notify_add_cb.error = error_cb;
    return DOCA_SUCCESS;
}

doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val,
                                           uint64_t *fetched_val_ptr, union doca_data user_data,
                                           struct doca_sync_event_task_notify_add **task)
{
    const struct sync_task operands = {
        .kind = SYNC_TASK_NOTIFY_ADD, .operand = inc_val, .out = fetched_val_ptr};
    struct sync_task *taken;
    doca_error_t result = take_task(event, &operands, user_data, task, __func__, &taken);

    if (result == DOCA_SUCCESS)
        *task = (struct doca_sync_event_task_notify_add *)taken;
    return result;
}

struct doca_task *
doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task)
{
    return task != NULL ? &task->base.task : NULL;
}

void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
                                                 uint64_t inc_val)
{
    if (core_task_is_live(task, __func__))
        task->base.operand = inc_val;
}

uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task)
{
    return core_task_is_live(task, __func__) ? task->base.operand : 0;
}

void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr)
{
    if (core_task_is_live(task, __func__))
        task->base.out = fetched_val_ptr;
}

uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task)
{
    return core_task_is_live(task, __func__) ? task->base.out : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * wait_eq
 */

doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo)
{
    return answer_task_cap(devinfo, __func__);
}

doca_error_t doca_sync_event_task_wait_eq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks)
{
    doca_error_t result = set_conf(event, SYNC_TASK_WAIT_EQ, completion_cb != NULL,
                                   error_cb != NULL, num_tasks, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    event->wait_eq_cb.done = completion_cb;
    event->wait_eq_cb.error = error_cb;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event,
                                                     uint64_t wait_val, uint64_t mask,
                                                     union doca_data user_data,
                                                     struct doca_sync_event_task_wait_eq **task)
{
    const struct sync_task operands = {
        .kind = SYNC_TASK_WAIT_EQ, .operand = wait_val, .mask = mask};
    struct sync_task *taken;
    doca_error_t result = take_task(event, &operands, user_data, task, __func__, &taken);

    if (result == DOCA_SUCCESS)
        *task = (struct doca_sync_event_task_wait_eq *)taken;
    return result;
}

struct doca_task *
doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task)
{
    return task != NULL ? &task->base.task : NULL;
}

void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
                                               uint64_t wait_val)
{
    if (core_task_is_live(task, __func__))
        task->base.operand = wait_val;
}

uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task)
{
    return core_task_is_live(task, __func__) ? task->base.operand : 0;
}

void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task, uint64_t mask)
{
    if (core_task_is_live(task, __func__))
        task->base.mask = mask;
}

uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task)
{
    return core_task_is_live(task, __func__) ? task->base.mask : 0;
}

/* ------------------------------------------------------------------------------------------------
 * wait_neq
 */

doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo)
{
    return answer_task_cap(devinfo, __func__);
}

doca_error_t doca_sync_event_task_wait_neq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks)
{
    doca_error_t result = set_conf(event, SYNC_TASK_WAIT_NEQ, completion_cb != NULL,
                                   error_cb != NULL, num_tasks, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    event->wait_neq_cb.done = completion_cb;
    event->wait_neq_cb.error = error_cb;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event,
                                                      uint64_t wait_val, uint64_t mask,
                                                      union doca_data user_data,
                                                      struct doca_sync_event_task_wait_neq **task)
{
    const struct sync_task operands = {
        .kind = SYNC_TASK_WAIT_NEQ, .operand = wait_val, .mask = mask};
    struct sync_task *taken;
    doca_error_t result = take_task(event, &operands, user_data, task, __func__, &taken);

    if (result == DOCA_SUCCESS)
        *task = (struct doca_sync_event_task_wait_neq *)taken;
    return result;
}

struct doca_task *
doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task)
{
    return task != NULL ? &task->base.task : NULL;
}

void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
                                                uint64_t wait_val)
{
    if (core_task_is_live(task, __func__))
        task->base.operand = wait_val;
}

uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task)
{
    return core_task_is_live(task, __func__) ? task->base.operand : 0;
}

void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
                                            uint64_t mask)
{
    if (core_task_is_live(task, __func__))
        task->base.mask = mask;
}

uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task)
{
    return core_task_is_live(task, __func__) ? task->base.mask : 0;
}
