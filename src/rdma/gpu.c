/* SPDX-License-Identifier: BSD-3-Clause */
/* The data path on a GPU: what kernels and the instance share, and the thread that looks at it. The
 * program's thread makes connections and is told of them; it and this thread keep out of each
 * other's way by the lock of rdma_enter(), for which this one never waits. */

#include "rdma/gpu.h"

#include <errno.h>
#include <stdlib.h>

#include <impl/opendoca_gpu_barrier.h>

#define PLACES_MIN 64u

static uint32_t power_of_two(uint32_t wanted)
{
    uint32_t num = PLACES_MIN;

    while (num < wanted)
        num *= 2;
    return num;
}

/* ------------------------------------------------------------------------------------------------
 * The thread
 */

static uint32_t step(struct doca_rdma_connection *conn)
{
    uint32_t found = 0;

    switch (conn->state) {
    case RDMA_CONN_UP:
        found = rdma_gpu_run(conn);
        if (conn->state == RDMA_CONN_UP)
            found += rdma_gpu_receive(conn);
        if (conn->state != RDMA_CONN_UP)
            core_ctx_wake(&conn->rdma->ctx);
        return found;
    case RDMA_CONN_CONNECTING:
    case RDMA_CONN_ENDING:
        /* Of connections by address the program is told, in its own thread. */
        if (!conn->by_addr)
            (void)rdma_conn_step(conn);
        else if (rdma_conn_pending(conn))
            core_ctx_wake(&conn->rdma->ctx);
        return 0;
    default:
        return 0;
    }
}

/* What kernels still ask for of connections that have ended. */
static void fail_ended(struct rdma_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->nconns; i++) {
        const struct rdma_gpu_conn *g = &gpu->conns[i];

        if (g->ended && opendoca_gpu_observe(&g->words->committed) != g->done)
            opendoca_gpu_publish(&g->words->failed, 1);
    }
}

static uint32_t look(void *arg, uint64_t *wake_at)
{
    struct doca_rdma *rdma = arg;
    uint32_t found = 0;

    (void)wake_at;
    if (pthread_mutex_trylock(&rdma->gpu_lock) != 0)
        return 0;
    rdma_take_links(rdma);
    OD_LIST_FOR_EACH_SAFE(link, &rdma->conns)
    found += step(OD_LIST_ENTRY(link, struct doca_rdma_connection, link_in_rdma));
    fail_ended(rdma->gpu);
    pthread_mutex_unlock(&rdma->gpu_lock);
    return found;
}

/* ------------------------------------------------------------------------------------------------
 * Connections
 */

void rdma_gpu_began(struct doca_rdma_connection *conn)
{
    struct rdma_gpu *gpu = conn->rdma->gpu;
    struct rdma_gpu_conn *g;

    if (gpu == NULL)
        return;
    g = &gpu->conns[conn->id];
    if (g->ended) {
        /* What was asked of the one before is over. */
        g->begun = g->done = opendoca_gpu_observe(&g->words->committed);
        opendoca_gpu_publish(&g->words->done, g->done);
        opendoca_gpu_publish(&g->words->failed, 0);
    }
    *g = (struct rdma_gpu_conn){
        .words = g->words, .ops = g->ops, .seqs = g->seqs, .begun = g->begun, .done = g->done};
    opendoca_gpu_publish(&gpu->r_words->failed, 0);
}

void rdma_gpu_ended(struct doca_rdma_connection *conn)
{
    struct rdma_gpu *gpu = conn->rdma->gpu;
    struct rdma_gpu_conn *g;

    if (gpu == NULL)
        return;
    g = &gpu->conns[conn->id];
    if (g->is_receiving || (conn->rdma->nconns == 1 && od_list_is_empty(&conn->rdma->ports) &&
                            opendoca_gpu_observe(&gpu->r_words->committed) != gpu->arrived))
        opendoca_gpu_publish(&gpu->r_words->failed, 1);
    g->ended = true;
}

/* ------------------------------------------------------------------------------------------------
 * Start and stop
 */

static int alloc(struct doca_rdma *rdma, size_t size, struct soft_gpu_memory **memory)
{
    return soft_gpu_alloc(rdma->ctx.gpu->soft, size, 0, SOFT_GPU_ON_CPU, memory);
}

static int alloc_rings(struct doca_rdma *rdma, struct rdma_gpu *gpu)
{
    const size_t conns = gpu->nconns;
    int err = alloc(rdma, sizeof(struct doca_gpu_dev_rdma), &gpu->handle);

    if (err == 0)
        err = alloc(rdma, sizeof(struct doca_gpu_dev_rdma_r), &gpu->r_handle);
    if (err == 0)
        err = alloc(rdma, conns * sizeof(struct opendoca_gpu_rdma_conn), &gpu->conn);
    if (err == 0)
        err = alloc(rdma, (conns + 1) * sizeof(struct opendoca_gpu_rdma_words), &gpu->words);
    if (err == 0)
        err = alloc(rdma, conns * gpu->num * sizeof(struct opendoca_gpu_rdma_op), &gpu->ops);
    if (err == 0)
        err = alloc(rdma, gpu->r_num * sizeof(struct opendoca_gpu_rdma_recv), &gpu->recvs);
    if (err == 0)
        err = alloc(rdma, gpu->r_num * sizeof(struct opendoca_gpu_rdma_arrival), &gpu->arrivals);
    return err;
}

static void fill_conns(struct rdma_gpu *gpu)
{
    struct opendoca_gpu_rdma_words *words = (struct opendoca_gpu_rdma_words *)gpu->words->cpu;
    struct opendoca_gpu_rdma_op *ops = (struct opendoca_gpu_rdma_op *)gpu->ops->cpu;
    struct opendoca_gpu_rdma_conn *conn = (struct opendoca_gpu_rdma_conn *)gpu->conn->cpu;

    for (uint32_t i = 0; i < gpu->nconns; i++) {
        const size_t first = (size_t)i * gpu->num;

        gpu->conns[i] = (struct rdma_gpu_conn){
            .words = &words[i], .ops = ops + first, .seqs = gpu->seqs + first};
        words[i].state = OPENDOCA_GPU_QUEUE_RUNS;
        conn[i].words = (uintptr_t)gpu->words->at + i * sizeof(words[0]);
        conn[i].ops = (uintptr_t)gpu->ops->at + first * sizeof(ops[0]);
    }
    gpu->r_words = &words[gpu->nconns];
    gpu->r_words->state = OPENDOCA_GPU_QUEUE_RUNS;
}

static void fill_handles(const struct rdma_gpu *gpu)
{
    *(struct doca_gpu_dev_rdma *)gpu->handle->cpu =
        (struct doca_gpu_dev_rdma){.magic = OPENDOCA_GPU_RDMA_MAGIC,
                                   .version = OPENDOCA_GPU_VERSION,
                                   .num = gpu->num,
                                   .conns = gpu->nconns,
                                   .conn = (uintptr_t)gpu->conn->at,
                                   .recv = (uintptr_t)gpu->r_handle->at};
    *(struct doca_gpu_dev_rdma_r *)gpu->r_handle->cpu = (struct doca_gpu_dev_rdma_r){
        .magic = OPENDOCA_GPU_RDMR_MAGIC,
        .version = OPENDOCA_GPU_VERSION,
        .num = gpu->r_num,
        .words = (uintptr_t)gpu->words->at + gpu->nconns * sizeof(struct opendoca_gpu_rdma_words),
        .recvs = (uintptr_t)gpu->recvs->at,
        .arrivals = (uintptr_t)gpu->arrivals->at};
}

static void end_gpu(struct rdma_gpu *gpu)
{
    soft_dma_mover_close(gpu->mover);
    soft_gpu_put(gpu->handle);
    soft_gpu_put(gpu->r_handle);
    soft_gpu_put(gpu->conn);
    soft_gpu_put(gpu->words);
    soft_gpu_put(gpu->ops);
    soft_gpu_put(gpu->recvs);
    soft_gpu_put(gpu->arrivals);
    free(gpu->conns);
    free(gpu->seqs);
    free(gpu);
}

static int open_gpu(struct doca_rdma *rdma, struct rdma_gpu *gpu)
{
    int err;

    gpu->nconns = rdma->max_conns;
    gpu->num = power_of_two(rdma->send_queue);
    gpu->r_num = power_of_two(rdma->recv_queue);
    gpu->conns = calloc(gpu->nconns, sizeof(*gpu->conns));
    gpu->seqs = calloc((size_t)gpu->nconns * gpu->num, sizeof(*gpu->seqs));
    if (gpu->conns == NULL || gpu->seqs == NULL)
        return soft_fail(-ENOMEM, "no memory for queues of kernels");
    err = alloc_rings(rdma, gpu);
    if (err == 0)
        err = soft_dma_mover_open(rdma->ctx.gpu->soft, rdma->ctx.dev->info.soft, &gpu->mover);
    if (err != 0)
        return err;
    fill_conns(gpu);
    fill_handles(gpu);
    return 0;
}

static doca_error_t check_tasks(const struct doca_rdma *rdma)
{
    bool any = rdma->receives.num != 0;

    for (int i = 0; i < RDMA_TASK_NUM; i++)
        any = any || rdma->pools[i].num != 0;
    if (!any)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_RDMA, "doca_ctx_start", rdma->ctx.name,
                     "tasks",
                     "configured" CORE_LIMIT "none with the data path on a GPU" CORE_REMEDY
                     "leave them out: kernels have functions of their own");
}

doca_error_t rdma_gpu_start(struct doca_rdma *rdma)
{
    doca_error_t result = check_tasks(rdma);
    struct rdma_gpu *gpu;
    int err = -ENOMEM;

    if (result != DOCA_SUCCESS)
        return result;
    rdma_gpu_destroyed(rdma);
    gpu = calloc(1, sizeof(*gpu));
    if (gpu == NULL)
        soft_fail(err, "no memory for queues of kernels");
    else
        err = open_gpu(rdma, gpu);
    if (err == 0) {
        rdma->gpu = gpu;
        err = soft_gpu_watch_start("operations of kernels", &rdma->ctx.dev->info.soft->engine,
                                   SOFT_GPU_WATCH_ANY, look, rdma, &gpu->watch);
    }
    if (err == 0)
        return DOCA_SUCCESS;
    result =
        CORE_FAIL(err == -ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_INITIALIZATION, CORE_LOG_RDMA,
                  "doca_ctx_start", rdma->ctx.name, "queues for kernels", "%s", soft_reason());
    rdma->gpu = NULL;
    if (gpu != NULL)
        end_gpu(gpu);
    return result;
}

/* Kernels that still look at the queues see that it is over: their memory stays until the next
 * start, or the end. */
void rdma_gpu_stopping(struct doca_rdma *rdma)
{
    struct rdma_gpu *gpu = rdma->gpu;

    if (gpu == NULL || gpu->watch == NULL)
        return;
    soft_gpu_watch_stop(gpu->watch);
    gpu->watch = NULL;
    for (uint32_t i = 0; i < gpu->nconns; i++)
        opendoca_gpu_publish(&gpu->conns[i].words->state, OPENDOCA_GPU_QUEUE_STOPPED);
    opendoca_gpu_publish(&gpu->r_words->state, OPENDOCA_GPU_QUEUE_STOPPED);
    opendoca_gpu_publish32(&((struct doca_gpu_dev_rdma *)gpu->handle->cpu)->magic,
                           OPENDOCA_GPU_GONE_MAGIC);
    opendoca_gpu_publish32(&((struct doca_gpu_dev_rdma_r *)gpu->r_handle->cpu)->magic,
                           OPENDOCA_GPU_GONE_MAGIC);
}

void rdma_gpu_destroyed(struct doca_rdma *rdma)
{
    if (rdma->gpu != NULL)
        end_gpu(rdma->gpu);
    rdma->gpu = NULL;
}

doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma)
{
    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (gpu_rdma == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "gpu_rdma");
    if (rdma->ctx.gpu == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_RDMA, __func__, rdma->ctx.name, "data path",
                         "on the CPU" CORE_LIMIT "on a GPU" CORE_REMEDY
                         "call doca_ctx_set_datapath_on_gpu() before the start");
    if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_RDMA, __func__, rdma->ctx.name, "state",
                         "not running" CORE_REMEDY "call doca_ctx_start() first");
    *gpu_rdma = (struct doca_gpu_dev_rdma *)rdma->gpu->handle->at;
    return DOCA_SUCCESS;
}
