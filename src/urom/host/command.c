/* SPDX-License-Identifier: BSD-3-Clause */
/* Command tasks: the hot path. */
#include "urom/host/urom_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define USER_DATA_SIZE    32
#define RESPONSE_MIN      256u
#define ALIGNMENT         64u
#define STALE_IN_ONE_CALL 32
/* Of the processor's counter between two looks at who is still there: less than a millisecond. */
#define CHECK_TICKS (1u << 20)

struct doca_urom_worker_cmd_task {
    struct doca_task base;
    uint64_t plugin;
    doca_urom_worker_cmd_task_completion_cb_t cb;
    struct doca_buf *payload;
    struct doca_buf *response;
    uint32_t slot;          /* while in flight */
    uint32_t response_used; /* bytes that an answer left in it */
    uint8_t user_data[USER_DATA_SIZE] OD_ALIGNED(16);
};

typedef struct doca_urom_worker_cmd_task command_t;

static command_t *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, command_t, base);
}

static struct doca_urom_worker *worker_of(const struct doca_task *task)
{
    return OD_CONTAINER_OF(task->ctx, struct doca_urom_worker, ctx);
}

/* ------------------------------------------------------------------------------------------------
 * Submit
 */

#define SUBMIT "doca_task_submit"

static OD_COLD doca_error_t refuse_task(const struct doca_urom_worker *worker,
                                        const command_t *command)
{
    if (command->cb == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, SUBMIT, worker->ctx.name,
                         "callback",
                         "none" CORE_REMEDY "set one with doca_urom_worker_cmd_task_set_cb()");
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, SUBMIT, worker->ctx.name, "payload",
                     "%zu bytes at offset %td" CORE_LIMIT "inside of the buffer's %zu" CORE_REMEDY
                     "set data with doca_buf_set_data() within the task's own buffer",
                     command->payload->data_len, command->payload->data - command->payload->head,
                     command->payload->len);
}

static OD_COLD doca_error_t refuse_plugin(const struct doca_urom_worker *worker, uint64_t plugin)
{
    if (plugin == 0 || (plugin & (plugin - 1)) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, SUBMIT, worker->ctx.name,
                         "plugin", "0x%llx" CORE_LIMIT "one id", (unsigned long long)plugin);
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_UROM, SUBMIT, worker->ctx.name, "plugin",
                     "0x%llx" CORE_LIMIT "0x%llx of this worker" CORE_REMEDY
                     "select it with doca_urom_worker_set_plugins() before the start",
                     (unsigned long long)plugin, (unsigned long long)worker->plugins);
}

static OD_COLD doca_error_t refuse_lost(const struct doca_urom_worker *worker, bool daemon)
{
    if (daemon)
        return CORE_FAIL(
            DOCA_ERROR_NOT_PERMITTED, CORE_LOG_UROM, SUBMIT, worker->ctx.name, "service",
            "lost" CORE_REMEDY "stop the contexts and start them again when the daemon is back");
    return CORE_FAIL(DOCA_ERROR_IO_FAILED, CORE_LOG_UROM, SUBMIT, worker->ctx.name, "worker",
                     "%llu, which has gone" CORE_REMEDY
                     "see doca_urom_ctl workers for why; stop the context and start it again",
                     (unsigned long long)worker->id);
}

static OD_COLD doca_error_t refuse_again(struct doca_urom_worker *worker)
{
    worker->stats.again++;
    return CORE_FAIL(DOCA_ERROR_AGAIN, CORE_LOG_UROM, SUBMIT, worker->ctx.name, "tasks in flight",
                     "%u" CORE_LIMIT "%u" CORE_REMEDY
                     "progress, or raise doca_urom_worker_set_max_inflight_tasks()",
                     worker->max_inflight - worker->nfree, worker->max_inflight);
}

static inline bool payload_is_inside(const struct doca_buf *payload)
{
    size_t offset = (size_t)(payload->data - payload->head);

    return offset <= payload->len && payload->data_len <= payload->len - offset;
}

static inline void clear_response(command_t *command)
{
    if (command->response_used > 0)
        memset(command->response->head, 0, command->response_used);
    command->response_used = 0;
    command->response->data = command->response->head;
    command->response->data_len = 0;
}

/* A token that no earlier use of any slot had, as far as anybody can remember. */
static inline uint64_t next_token(struct doca_urom_worker *worker, uint32_t slot)
{
    worker->generation += worker->generation == UINT32_MAX ? 2 : 1;
    return (uint64_t)worker->generation << 32 | slot;
}

/* A counter that costs nothing; where there is none, each call is later than the last. */
static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    static __thread uint64_t calls;

    return calls += CHECK_TICKS;
#endif
}

/* A death that is older than the last progress call must be known, without a system call a command.
 */
static inline void look_around(struct doca_urom_worker *worker)
{
    const uint64_t now = ticks();

    if (od_likely(now - worker->checked < CHECK_TICKS))
        return;
    worker->checked = now;
    soft_link_check(worker->daemon);
    soft_link_check(worker->channel);
}

static doca_error_t command_submit(struct doca_task *task, bool flush)
{
    struct doca_urom_worker *worker = worker_of(task);
    command_t *command = from_task(task);
    const struct doca_buf *payload = command->payload;
    struct urom_worker_cmd head;
    const struct iovec iov[] = {{&head, sizeof(head)}, {payload->data, payload->data_len}};
    uint32_t slot;
    int err;

    (void)flush;
    if (od_unlikely(command->cb == NULL || !payload_is_inside(payload)))
        return refuse_task(worker, command);
    if (od_unlikely((command->plugin & (command->plugin - 1)) != 0 ||
                    (command->plugin & worker->plugins) == 0))
        return refuse_plugin(worker, command->plugin);
    look_around(worker);
    if (od_unlikely(soft_link_poll(worker->daemon, NULL) != SOFT_LINK_UP))
        return refuse_lost(worker, true);
    if (od_unlikely(worker->lost))
        return refuse_lost(worker, false);
    if (od_unlikely(worker->nfree == 0))
        return refuse_again(worker);

    slot = worker->free_slots[worker->nfree - 1];
    head.type = command->plugin;
    head.urom_context = next_token(worker, slot);
    head.len = payload->data_len;
    err = soft_link_send(worker->channel, iov, OD_ARRAY_SIZE(iov));
    if (od_unlikely(err != 0))
        return err == -EAGAIN ? refuse_again(worker) : refuse_lost(worker, false);
    clear_response(command);
    worker->nfree--;
    if (worker->max_inflight - worker->nfree > 1)
        soft_link_more(worker->channel);
    worker->slots[slot] = (struct urom_worker_slot){command, head.urom_context};
    command->slot = slot;
    worker->stats.submitted++;
    return DOCA_SUCCESS;
}

static doca_error_t command_validate(struct doca_task *task)
{
    (void)task; /* submit checks everything */
    return DOCA_SUCCESS;
}

static void command_deliver(struct doca_task *task)
{
    from_task(task)->cb(from_task(task), task->user_data, task->ctx->user_data);
}

const struct core_task_ops urom_command_ops = {
    .submit = command_submit,
    .validate = command_validate,
    .deliver = command_deliver,
};

/* ------------------------------------------------------------------------------------------------
 * Completion
 */

static inline void give_back_slot(struct doca_urom_worker *worker, uint32_t slot)
{
    worker->slots[slot].token = 0;
    worker->free_slots[worker->nfree++] = slot;
}

static inline void hand_back(struct doca_urom_worker *worker, command_t *command,
                             doca_error_t status)
{
    worker->stats.completed++;
    worker->delivering = true;
    core_task_complete(&command->base, status);
    worker->delivering = false;
}

static int by_age(const void *a, const void *b)
{
    const uint32_t x = (uint32_t)(((const struct urom_worker_slot *)a)->token >> 32);
    const uint32_t y = (uint32_t)(((const struct urom_worker_slot *)b)->token >> 32);
    const int32_t difference = (int32_t)(x - y);

    return (difference > 0) - (difference < 0);
}

void urom_commands_fail(struct doca_urom_worker *worker)
{
    uint32_t n = 0;

    worker->lost = true;
    for (uint32_t i = 0; i < worker->max_inflight; i++) {
        if (worker->slots[i].token != 0)
            worker->slots[n++] = worker->slots[i];
    }
    qsort(worker->slots, n, sizeof(worker->slots[0]), by_age);
    for (uint32_t i = 0; i < n; i++)
        core_task_queue_push(&worker->failed, &worker->slots[i].task->base);
    worker->nfree = 0;
    for (uint32_t i = 0; i < worker->max_inflight; i++)
        give_back_slot(worker, i);
}

static OD_COLD void lose(struct doca_urom_worker *worker, const char *why)
{
    if (worker->ctx.inflight > 0 && worker->ctx.state == DOCA_CTX_STATE_RUNNING)
        CORE_FAIL(DOCA_ERROR_IO_FAILED, CORE_LOG_UROM, "doca_pe_progress", worker->ctx.name,
                  "worker",
                  "%llu, which %s, with %zu tasks in flight" CORE_REMEDY
                  "see doca_urom_ctl workers; stop the context and start it again",
                  (unsigned long long)worker->id, why, worker->ctx.inflight);
    urom_commands_fail(worker);
}

/* Takes a notification into its task. NULL: it is nobody's. */
static inline command_t *take_notification(struct doca_urom_worker *worker,
                                           const struct soft_link_msg *msg,
                                           const struct urom_worker_notify *head)
{
    const uint32_t slot = urom_token_slot(head->urom_context);
    command_t *command;

    if (od_unlikely(slot >= worker->max_inflight ||
                    worker->slots[slot].token != head->urom_context || head->urom_context == 0))
        return NULL;
    command = worker->slots[slot].task;
    give_back_slot(worker, slot);
    /* As long as messages of the channel at most, which the buffer is made for. */
    memcpy(command->response->head, (const uint8_t *)msg->data + sizeof(*head), head->len);
    command->response->data_len = head->len;
    command->response_used = (uint32_t)head->len;
    return command;
}

/* The next notification that a task waits for. */
static inline command_t *next_notification(struct doca_urom_worker *worker, doca_error_t *status)
{
    for (unsigned int i = 0; i < STALE_IN_ONE_CALL; i++) {
        struct urom_worker_notify head;
        struct soft_link_msg msg;
        command_t *command;
        int err = soft_link_recv(worker->channel, &msg);

        if (od_likely(err == -EAGAIN))
            return NULL;
        if (od_unlikely(err != 0)) {
            lose(worker, "has gone");
            return NULL;
        }
        if (od_unlikely(msg.len > worker->max_msg || !urom_notify_read(msg.data, msg.len, &head))) {
            soft_link_release(worker->channel);
            lose(worker, "talks nonsense");
            return NULL;
        }
        command = take_notification(worker, &msg, &head);
        soft_link_release(worker->channel);
        if (od_likely(command != NULL)) {
            *status = head.status;
            return command;
        }
        worker->stats.stale++;
    }
    return NULL;
}

bool urom_commands_progress(struct doca_urom_worker *worker)
{
    command_t *command = NULL;
    doca_error_t status = DOCA_ERROR_IO_FAILED;

    if (od_likely(!worker->lost)) {
        command = next_notification(worker, &status);
        /* A stop waits for what has been produced, not for what might be. */
        if (od_unlikely(command == NULL && worker->ctx.state == DOCA_CTX_STATE_STOPPING &&
                        !worker->lost))
            urom_commands_fail(worker);
    }
    if (od_unlikely(command == NULL && worker->failed.head != NULL)) {
        command = from_task(core_task_queue_pop(&worker->failed));
        status = DOCA_ERROR_IO_FAILED;
    }
    if (command == NULL)
        return false;
    hand_back(worker, command, status);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Room
 */

doca_error_t urom_commands_open(struct doca_urom_worker *worker)
{
    worker->bufs = core_task_bufs_create();
    worker->slots = calloc(worker->max_inflight, sizeof(worker->slots[0]));
    worker->free_slots = malloc(worker->max_inflight * sizeof(worker->free_slots[0]));
    if (worker->bufs == NULL || worker->slots == NULL || worker->free_slots == NULL)
        return DOCA_ERROR_NO_MEMORY; /* the stop that follows frees */
    worker->nfree = 0;
    /* The lowest slot comes out first: few in flight touch little memory. */
    for (uint32_t i = worker->max_inflight; i-- > 0;)
        give_back_slot(worker, i);
    return DOCA_SUCCESS;
}

void urom_commands_close(struct doca_urom_worker *worker)
{
    while (worker->pool.free != NULL) {
        struct doca_task *task = worker->pool.free;

        worker->pool.free = task->next;
        core_live_remove(task);
        core_task_buf_put(from_task(task)->payload);
        core_task_buf_put(from_task(task)->response);
        free(from_task(task));
    }
    core_task_bufs_destroy(worker->bufs);
    free(worker->slots);
    free(worker->free_slots);
    worker->bufs = NULL;
    worker->slots = NULL;
    worker->free_slots = NULL;
}

static inline size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* A task with its buffers in one block; the pool grows by what is asked for. */
static doca_error_t command_make(struct doca_urom_worker *worker, const char *func)
{
    const size_t payload = worker->max_msg - sizeof(struct urom_worker_cmd);
    const size_t response =
        OD_MAX(worker->max_msg - sizeof(struct urom_worker_notify), RESPONSE_MIN);
    const size_t size = aligned(sizeof(command_t)) + aligned(payload) + aligned(response);
    command_t *command = aligned_alloc(ALIGNMENT, size);
    char *memory = (char *)command + aligned(sizeof(*command));

    if (command == NULL)
        goto err_no_memory;
    memset(command, 0, size);
    command->base.ctx = &worker->ctx;
    command->base.pool = &worker->pool;
    command->base.state = CORE_TASK_FREE;
    command->payload = core_task_buf_take(worker->bufs, memory, payload);
    if (command->payload == NULL)
        goto err_free;
    command->response = core_task_buf_take(worker->bufs, memory + aligned(payload), response);
    if (command->response == NULL)
        goto err_put_payload;
    command->base.next = worker->pool.free;
    worker->pool.free = &command->base;
    core_live_add(CORE_LIVE_TASK, &command->base);
    return DOCA_SUCCESS;

err_put_payload:
    core_task_buf_put(command->payload);
err_free:
    free(command);
err_no_memory:
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, func, worker->ctx.name, "task",
                     "%zu bytes" CORE_REMEDY "free memory", size);
}

static doca_error_t command_allocate(struct doca_urom_worker *worker, uint64_t plugin,
                                     command_t **task, const char *func)
{
    struct doca_task *base;
    struct doca_buf *payload;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_UROM_WORKER, worker))
        return CORE_FAIL_DEAD(CORE_LOG_UROM, func, "worker_ctx", worker);
    if (task == NULL)
        return CORE_FAIL_NULL(CORE_LOG_UROM, func, "task");
    if (worker->ctx.state == DOCA_CTX_STATE_RUNNING && worker->pool.free == NULL) {
        result = command_make(worker, func);
        if (result != DOCA_SUCCESS)
            return result;
    }
    result = core_task_alloc(&worker->pool, (union doca_data){.u64 = 0}, func, &base);
    if (result != DOCA_SUCCESS)
        return result;
    *task = from_task(base);
    payload = (*task)->payload;
    memset(payload->head, 0, payload->len);
    payload->data = payload->head;
    payload->data_len = payload->len;
    clear_response(*task);
    memset((*task)->user_data, 0, sizeof((*task)->user_data));
    (*task)->plugin = plugin;
    (*task)->cb = NULL;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Public calls
 */

doca_error_t doca_urom_worker_cmd_task_allocate(struct doca_urom_worker *worker_ctx,
                                                struct doca_urom_worker_cmd_task **task)
{
    return command_allocate(worker_ctx, 0, task, __func__);
}

doca_error_t doca_urom_worker_cmd_task_allocate_init(struct doca_urom_worker *worker_ctx,
                                                     uint64_t plugin,
                                                     struct doca_urom_worker_cmd_task **task)
{
    return command_allocate(worker_ctx, plugin, task, __func__);
}

doca_error_t doca_urom_worker_cmd_task_release(struct doca_urom_worker_cmd_task *task)
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
static inline bool is_owned(const command_t *task, const char *func)
{
    if (!core_task_is_live(task, func))
        return false;
    if (od_likely(task->base.state == CORE_TASK_OWNED))
        return true;
    CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_UROM, func, task->base.ctx->name, "task",
              "in flight; ignored" CORE_REMEDY "change it before submit or after its callback");
    return false;
}

void doca_urom_worker_cmd_task_set_plugin(struct doca_urom_worker_cmd_task *task, uint64_t plugin)
{
    if (is_owned(task, __func__))
        task->plugin = plugin;
}

void doca_urom_worker_cmd_task_set_cb(struct doca_urom_worker_cmd_task *task,
                                      doca_urom_worker_cmd_task_completion_cb_t cb)
{
    if (is_owned(task, __func__))
        task->cb = cb;
}

struct doca_buf *doca_urom_worker_cmd_task_get_payload(struct doca_urom_worker_cmd_task *task)
{
    return task != NULL ? task->payload : NULL;
}

struct doca_buf *doca_urom_worker_cmd_task_get_response(struct doca_urom_worker_cmd_task *task)
{
    return task != NULL ? task->response : NULL;
}

void *doca_urom_worker_cmd_task_get_user_data(struct doca_urom_worker_cmd_task *task)
{
    return task != NULL ? task->user_data : NULL;
}

struct doca_task *doca_urom_worker_cmd_task_as_task(struct doca_urom_worker_cmd_task *task)
{
    return task != NULL ? &task->base : NULL;
}
