/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_DMA_DMA_PRIV_H_
#define OD_DMA_DMA_PRIV_H_

#include <doca_dma.h>

#include "core/core_priv.h"
#include "soft/dma/queue.h"

/* Segments of one task whose source or destination is a list; there are as many as such tasks were
 * ever in flight at once. */
struct dma_segs {
    struct dma_segs *next;
    struct soft_seg seg[]; /* max_list_len of the source, then as many of the destination */
};

struct doca_dma_task_memcpy {
    struct doca_task base;
    const struct doca_buf *src;
    struct doca_buf *dst;
    struct soft_copy_job job;
    struct soft_seg src_seg; /* single buffers need no list */
    struct soft_seg dst_seg;
    struct dma_segs *segs; /* NULL for single buffers */
    const char *why;       /* accepted, but cannot be executed: the reason; else NULL */
    uint32_t turn;         /* in `failed`: due when `handed_back` is there */
    bool done;             /* ordered completions: finished, waits for its turn */
};

/* FIFO of jobs that the engine does not have yet (it owns their link afterwards). */
struct dma_job_queue {
    struct soft_copy_job *head;
    struct soft_copy_job *tail;
};

/* With the data path on a GPU; all NULL else. */
struct dma_gpu {
    struct soft_dma_queue *queue;                    /* while running */
    struct soft_gpu_memory *handle, *words, *copies; /* until the next start, or the end */
};

struct doca_dma {
    struct doca_ctx ctx;
    struct core_task_pool pool;
    struct soft_copy_chan *chan;
    doca_dma_task_memcpy_completion_cb_t success_cb;
    doca_dma_task_memcpy_completion_cb_t error_cb;
    struct dma_job_queue held;     /* submitted without FLUSH */
    struct dma_job_queue released; /* flushed, but the engine had no room; retried in progress */
    struct core_task_queue failed; /* accepted, but cannot be executed; completed in progress */
    struct core_task_queue order;  /* ordered completions: all submitted tasks */
    struct dma_segs *free_segs;
    uint64_t max_buf_size; /* limits of the device, copied for the hot path */
    uint32_t max_list_len;
    uint32_t depth;       /* tasks in flight before submit answers AGAIN */
    uint32_t handed_back; /* tasks, counted while there are failed ones */
    bool ordered;
    struct dma_gpu gpu;
    bool failure_logged; /* the first reason was told, flushes follow */
};

/* dma_task.c: the task's life. */
extern const struct core_task_ops dma_memcpy_ops;

/* Largest configuration and geometry checks, shared by alloc, submit and try_submit. */
struct dma_extent {
    uint64_t bytes; /* of the source: data; of the destination: room behind the data */
    uint32_t elements;
    bool sane; /* every data segment lies in its slice */
};

struct dma_extent dma_src_extent(const struct doca_buf *buf);
struct dma_extent dma_dst_extent(const struct doca_buf *buf);

/* dma_copy.c: between tasks and the copy engine. */

/* Fills the job from the buffers as they are now. NULL, or why the task cannot be executed. */
const char *dma_build_job(struct doca_dma *dma, struct doca_dma_task_memcpy *task);

/* The same for single buffers that need no explanation: false when dma_build_job() must look. */
static inline bool dma_build_single(const struct doca_dma *dma, struct doca_dma_task_memcpy *task)
{
    const struct doca_buf *src = task->src, *dst = task->dst;
    size_t len = src->data_len, src_offset = (size_t)(src->data - src->head);
    size_t dst_offset = (size_t)(dst->data - dst->head), room = dst->len - dst_offset;

    /* len - 1 also catches 0 */
    if (od_unlikely(src->next != NULL || dst->next != NULL || src_offset > src->len ||
                    len > src->len - src_offset || dst_offset > dst->len || dst->data_len > room ||
                    len - 1 >= room - dst->data_len || len > dma->max_buf_size))
        return false;
    task->src_seg = (struct soft_seg){(uintptr_t)src->data, len, src->mmap->peer};
    task->dst_seg = (struct soft_seg){(uintptr_t)(dst->data + dst->data_len), room - dst->data_len,
                                      dst->mmap->peer};
    task->job.len = len;
    return true;
}

/* A job for single buffers, as dma_build_single() expects it. */
static inline void dma_init_job(struct doca_dma_task_memcpy *task)
{
    task->segs = NULL;
    task->job.src = &task->src_seg;
    task->job.dst = &task->dst_seg;
    task->job.nsrc = 1;
    task->job.ndst = 1;
}
void dma_drop_job(struct doca_dma *dma, struct doca_dma_task_memcpy *task);
void dma_free_segs(struct doca_dma *dma);

static inline struct doca_dma_task_memcpy *dma_task_of_job(struct soft_copy_job *job)
{
    return OD_CONTAINER_OF(job, struct doca_dma_task_memcpy, job);
}

static inline void dma_job_queue_push(struct dma_job_queue *queue, struct soft_copy_job *job)
{
    job->next = NULL;
    if (queue->head == NULL)
        queue->head = job;
    else
        queue->tail->next = job;
    queue->tail = job;
}

static inline struct soft_copy_job *dma_job_queue_pop(struct dma_job_queue *queue)
{
    struct soft_copy_job *job = queue->head;

    if (job != NULL)
        queue->head = job->next;
    return job;
}

/* Gives released tasks to the engine, as far as it takes them. */
void dma_release_held(struct doca_dma *dma);

/* The task fails (job.status is set), but callbacks come from progress only, and not before those
 * of the `older` tasks in flight, which still may succeed. */
void dma_fail_later(struct doca_dma *dma, struct doca_dma_task_memcpy *task, size_t older);

/* dma_gpu.c: copies of kernels. */
doca_error_t dma_gpu_start(struct doca_dma *dma, const char *func);
void dma_gpu_stopped(struct doca_dma *dma);
void dma_gpu_destroyed(struct doca_dma *dma);

bool dma_progress(struct doca_ctx *ctx);
bool dma_pending(const struct doca_ctx *ctx);
void dma_stopping(struct doca_ctx *ctx);

#endif /* OD_DMA_DMA_PRIV_H_ */
