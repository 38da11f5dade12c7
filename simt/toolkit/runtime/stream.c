/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams hold operations in order; the first one runs. Waiting for others (events, the legacy
 * default stream) is a list of operations that an operation needs.
 */
#include <stdlib.h>
#include <string.h>

#include "rt.h"
#include "stream_priv.h"

static CUstream_st legacy = {.blocking = true};
static CUstream_st *streams = &legacy; /* all of them */

/* Operations. */

static void op_put(struct op *op)
{
    if (!op || --op->refs)
        return;
    for (int i = 0; i < op->needs_number; i++)
        op_put(op->needs[i]);
    free(op->needs);
    grid_free(op->grid);
    free(op);
}

static struct op *op_new(enum op_kind kind)
{
    struct op *op = calloc(1, sizeof(*op));

    if (op) {
        op->kind = kind;
        op->refs = 1;
    }
    return op;
}

static int op_need(struct op *op, struct op *other)
{
    if (!other || other->done)
        return 0;
    struct op **grown = realloc(op->needs, (size_t)(op->needs_number + 1) * sizeof(*grown));
    if (!grown)
        return -1;
    op->needs = grown;
    op->needs[op->needs_number++] = other;
    other->refs++;
    return 0;
}

static bool op_may_start(const struct op *op)
{
    for (int i = 0; i < op->needs_number; i++) {
        if (!op->needs[i]->done)
            return false;
    }
    return true;
}

static void job_of_op(void *argument)
{
    struct op *op = argument;

    op->job.run(op->job.argument);
    device_lock();
    op_complete(op);
    device_unlock();
}

static void op_start(struct op *op)
{
    op->started = true;
    switch (op->kind) {
    case OP_KERNEL:
        if (fault_get())
            op_complete(op);
        else
            device_start_grid(op->grid);
        break;
    case OP_JOB:
        if (device_start_job((struct job){job_of_op, op}))
            op_complete(op);
        break;
    case OP_EVENT:
        op_complete(op);
        break;
    case OP_CALLER:
        device_changed();
        break;
    }
}

static void reap(void)
{
    for (CUstream_st **p = &streams; *p;) {
        CUstream_st *s = *p;
        if (s->destroyed && !s->first) {
            *p = s->next;
            free(s);
        } else {
            p = &s->next;
        }
    }
}

/* Starts whatever may start. What ends at once calls this again, and is seen by the outer loop. */
static void advance(void)
{
    static bool running, again;

    again = true;
    if (running)
        return;
    running = true;
    while (again) {
        again = false;
        for (CUstream_st *s = streams; s; s = s->next) {
            if (s->first && !s->first->started && op_may_start(s->first))
                op_start(s->first);
        }
    }
    running = false;
    reap();
}

void op_complete(struct op *op)
{
    CUstream_st *s = op->stream;

    op->done = true;
    op->done_ns = now_ns();
    s->first = op->next;
    if (!s->first)
        s->last = NULL;
    op_put(op);
    device_changed();
    advance();
}

/* The streams' view of each other. */

static int need_other_streams(struct op *op, const CUstream_st *s)
{
    if (!s->blocking)
        return 0;
    if (s != &legacy)
        return op_need(op, legacy.last);
    for (CUstream_st *other = streams; other; other = other->next) {
        if (other != &legacy && other->blocking && op_need(op, other->last))
            return -1;
    }
    return 0;
}

/* Appends; `extra` is a further operation to wait for. Takes op over. */
static cudaError_t append(CUstream_st *s, struct op *op, struct op *extra)
{
    if (need_other_streams(op, s) || op_need(op, extra)) {
        op_put(op);
        return cudaErrorMemoryAllocation;
    }
    op->stream = s;
    if (s->last)
        s->last->next = op;
    else
        s->first = op;
    s->last = op;
    advance();
    return cudaSuccess;
}

/* A thread's own stream goes with the thread, once it is empty. */

static __thread CUstream_st *own_stream;
static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static void thread_ends(void *stream)
{
    device_lock();
    ((CUstream_st *)stream)->destroyed = true;
    reap();
    device_unlock();
}

static void make_key(void)
{
    (void)pthread_key_create(&own_key, thread_ends);
}

static CUstream_st *find_own(void)
{
    if (!own_stream && !stream_new(&own_stream, 0)) {
        pthread_once(&own_once, make_key);
        (void)pthread_setspecific(own_key, own_stream);
    }
    return own_stream;
}

CUstream_st *stream_find(cudaStream_t stream)
{
    if (!stream || stream == cudaStreamLegacy)
        return &legacy;
    if (stream == cudaStreamPerThread)
        return find_own();
    for (CUstream_st *s = streams; s; s = s->next) {
        if (s == stream && !s->destroyed)
            return s;
    }
    return NULL;
}

cudaError_t stream_new(CUstream_st **stream, unsigned flags)
{
    CUstream_st *s = calloc(1, sizeof(*s));

    if (!s)
        return cudaErrorMemoryAllocation;
    s->blocking = !(flags & cudaStreamNonBlocking);
    s->flags = flags;
    s->next = legacy.next;
    legacy.next = s;
    *stream = s;
    return cudaSuccess;
}

/* What the rest of the library asks for; all but the first take the lock. */

static void wait_for(struct op *op)
{
    op->refs++;
    while (!op->done)
        device_wait();
    op_put(op);
}

/* Takes the operation over. */
static cudaError_t enqueue(cudaStream_t stream, struct op *op)
{
    device_lock();
    CUstream_st *s = stream_find(stream);
    cudaError_t error = s ? append(s, op, NULL) : cudaErrorInvalidResourceHandle;
    if (!s)
        op_put(op);
    device_unlock();
    return error;
}

cudaError_t stream_kernel(cudaStream_t stream, struct grid *grid)
{
    struct op *op = op_new(OP_KERNEL);

    if (!op) {
        grid_free(grid);
        return cudaErrorMemoryAllocation;
    }
    op->grid = grid;
    grid->op = op;
    return enqueue(stream, op);
}

cudaError_t stream_job(cudaStream_t stream, struct job job)
{
    struct op *op = op_new(OP_JOB);

    if (!op)
        return cudaErrorMemoryAllocation;
    op->job = job;
    return enqueue(stream, op);
}

cudaError_t stream_caller(cudaStream_t stream, struct job job)
{
    struct op *op = op_new(OP_CALLER);

    if (!op)
        return cudaErrorMemoryAllocation;
    device_lock();
    CUstream_st *s = stream_find(stream);
    if (!s) {
        op_put(op);
        device_unlock();
        return cudaErrorInvalidResourceHandle;
    }
    op->refs++;
    cudaError_t error = append(s, op, NULL);
    if (!error) {
        while (!op->started)
            device_wait();
        device_unlock();
        job.run(job.argument);
        device_lock();
        op_complete(op);
    }
    op_put(op);
    device_unlock();
    return error;
}

bool stream_is_idle(cudaStream_t stream)
{
    device_lock();
    CUstream_st *s = stream_find(stream);
    bool idle = s && !s->first;
    for (CUstream_st *o = streams; idle && s->blocking && o; o = o->next) {
        if ((s == &legacy || o == &legacy) && o->blocking && o->first)
            idle = false;
    }
    device_unlock();
    return idle;
}

/* The runtime API of streams. */

SIMT_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (!stream || flags & ~(unsigned)cudaStreamNonBlocking)
        return error_set(cudaErrorInvalidValue);
    device_lock();
    cudaError_t error = stream_new(stream, flags);
    device_unlock();
    return error_set(error);
}

SIMT_API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

SIMT_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                                  int priority)
{
    cudaError_t error = cudaStreamCreateWithFlags(stream, flags);

    if (!error)
        (*stream)->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    return error;
}

SIMT_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    device_lock();
    CUstream_st *s = stream_find(stream);
    if (s && priority)
        *priority = s->priority;
    device_unlock();
    return error_set(!s         ? cudaErrorInvalidResourceHandle
                     : priority ? cudaSuccess
                                : cudaErrorInvalidValue);
}

SIMT_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    device_lock();
    CUstream_st *s = stream_find(stream);
    if (s && flags)
        *flags = s->flags;
    device_unlock();
    return error_set(!s      ? cudaErrorInvalidResourceHandle
                     : flags ? cudaSuccess
                             : cudaErrorInvalidValue);
}

SIMT_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    device_lock();
    CUstream_st *s = stream_find(stream);
    bool own = s && s != &legacy && stream != cudaStreamPerThread;
    if (own) {
        s->destroyed = true;
        reap();
    }
    device_unlock();
    return error_set(own ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* Waits for what one stream (the legacy one stands for all blocking ones) or all hold now, not for
 * what is added meanwhile. */
static cudaError_t wait_for_streams(CUstream_st *only, bool all)
{
    struct op *gathered = op_new(OP_EVENT);
    cudaError_t error = gathered ? cudaSuccess : cudaErrorMemoryAllocation;

    for (CUstream_st *s = streams; s && !error; s = s->next) {
        if ((all || s == only || (only == &legacy && s->blocking)) && op_need(gathered, s->last))
            error = cudaErrorMemoryAllocation;
    }
    for (int i = 0; !error && i < gathered->needs_number; i++)
        wait_for(gathered->needs[i]);
    op_put(gathered);
    return error;
}

SIMT_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    device_lock();
    CUstream_st *s = stream_find(stream);
    cudaError_t error = s ? wait_for_streams(s, false) : cudaErrorInvalidResourceHandle;
    device_unlock();
    return error_set(error ? error : error_check());
}

SIMT_API cudaError_t cudaDeviceSynchronize(void)
{
    device_lock();
    cudaError_t error = wait_for_streams(NULL, true);
    device_unlock();
    return error_set(error ? error : error_check());
}

SIMT_API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    device_lock();
    CUstream_st *s = stream_find(stream);
    bool busy = s && s->first;
    device_unlock();
    if (!s)
        return error_set(cudaErrorInvalidResourceHandle);
    if (error_check())
        return error_set(error_check());
    return busy ? cudaErrorNotReady : cudaSuccess;
}

SIMT_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    struct op *op = op_new(OP_EVENT);

    if (!op)
        return error_set(cudaErrorMemoryAllocation);
    device_lock();
    CUstream_st *s = stream_find(stream);
    cudaError_t error = !s || !event ? cudaErrorInvalidResourceHandle
                        : flags      ? cudaErrorInvalidValue
                                     : append(s, op, event->op);
    if (!s || !event || flags)
        op_put(op);
    device_unlock();
    return error_set(error);
}

/* Events. */

SIMT_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    if (!event)
        return error_set(cudaErrorInvalidValue);
    struct CUevent_st *e = calloc(1, sizeof(*e));
    if (!e)
        return error_set(cudaErrorMemoryAllocation);
    e->flags = flags;
    *event = e;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

SIMT_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!event)
        return error_set(cudaErrorInvalidResourceHandle);
    device_lock();
    op_put(event->op);
    device_unlock();
    free(event);
    return cudaSuccess;
}

SIMT_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    struct op *op = op_new(OP_EVENT);

    if (!op)
        return error_set(cudaErrorMemoryAllocation);
    device_lock();
    CUstream_st *s = stream_find(stream);
    if (!event || !s) {
        op_put(op);
        device_unlock();
        return error_set(cudaErrorInvalidResourceHandle);
    }
    op_put(event->op);
    event->op = op;
    op->refs++;
    cudaError_t error = append(s, op, NULL);
    device_unlock();
    return error_set(error);
}

SIMT_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                              unsigned flags)
{
    return flags ? error_set(cudaErrorInvalidValue) : cudaEventRecord(event, stream);
}

SIMT_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (!event)
        return error_set(cudaErrorInvalidResourceHandle);
    device_lock();
    if (event->op)
        wait_for(event->op);
    device_unlock();
    return error_set(error_check());
}

SIMT_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    if (!event)
        return error_set(cudaErrorInvalidResourceHandle);
    device_lock();
    bool done = !event->op || event->op->done;
    device_unlock();
    return done ? error_set(error_check()) : cudaErrorNotReady;
}

SIMT_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return error_set(cudaErrorInvalidValue);
    if (!start || !end || !start->op || !end->op ||
        (start->flags | end->flags) & cudaEventDisableTiming)
        return error_set(cudaErrorInvalidResourceHandle);
    device_lock();
    bool done = start->op->done && end->op->done;
    if (done)
        *ms = (float)((double)(int64_t)(end->op->done_ns - start->op->done_ns) / 1e6);
    device_unlock();
    return done ? cudaSuccess : cudaErrorNotReady;
}

/* Host functions. */

struct host_call {
    cudaHostFn_t function;
    void *argument;
};

static void call_host(void *argument)
{
    struct host_call call = *(struct host_call *)argument;

    free(argument);
    call.function(call.argument);
}

SIMT_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    if (!function)
        return error_set(cudaErrorInvalidValue);
    struct host_call *call = malloc(sizeof(*call));
    if (!call)
        return error_set(cudaErrorMemoryAllocation);
    *call = (struct host_call){function, argument};
    cudaError_t error = stream_job(stream, (struct job){call_host, call});
    if (error)
        free(call);
    return error_set(error);
}
