/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between CPU and GPU on a stream of their own, which waits for no other: kernels that stay
 * occupy the GPU's processors, not its copy engines. Copies are held back until a mark, or until
 * the batch is full, so that neighbours travel as one and the context is pushed once for all. */

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "soft/gpu/cuda/cuda.h"

enum {
    BATCH = 64, /* copies held back */
    MARKS = 64, /* marks that are told apart; older ones are done when a later one is */
    CLOSE_WAIT_MS = 2000
};

struct segment {
    char *at;
    char *cpu;
    size_t len;
    bool is_in;
};

struct cuda_copier {
    struct soft_gpu_copier base;
    const struct cuda_gpu *gpu;
    cuda_stream_t stream;
    cuda_event_t events[MARKS];
    uint64_t recorded[MARKS]; /* the mark that an event stands for */
    uint64_t marked, done;
    int failed; /* the first failure: order is lost, nothing more is copied */
    unsigned int held;
    struct segment segments[BATCH];
};

static struct cuda_copier *to_cuda(struct soft_gpu_copier *copier)
{
    return OD_CONTAINER_OF(copier, struct cuda_copier, base);
}

static int fail(struct cuda_copier *c, int result, const char *what)
{
    c->failed = cuda_fail(c->gpu->driver, result, "GPU %s: %s", c->gpu->base.id, what);
    return c->failed;
}

static int say_failed(const struct cuda_copier *c)
{
    return soft_fail(c->failed, "GPU %s: an earlier copy failed", c->gpu->base.id);
}

/* ------------------------------------------------------------------------------------------------
 * Opening and closing
 */

/* Ahead of the program's streams where the driver knows of such. */
static int make_stream(struct cuda_copier *c)
{
    const struct cuda_driver *driver = c->gpu->driver;
    int least = 0, greatest = 0;

    if (driver->stream_create_priority != NULL && driver->stream_priorities != NULL &&
        driver->stream_priorities(&least, &greatest) == CUDA_OK)
        return driver->stream_create_priority(&c->stream, CUDA_STREAM_NON_BLOCKING, greatest);
    return driver->stream_create(&c->stream, CUDA_STREAM_NON_BLOCKING);
}

/* Half-built ones, too. */
static void end_stream(struct cuda_copier *c)
{
    const struct cuda_driver *driver = c->gpu->driver;

    for (int i = 0; i < MARKS; i++) {
        if (c->events[i] != NULL)
            (void)driver->event_destroy(c->events[i]);
    }
    if (c->stream != NULL)
        (void)driver->stream_destroy(c->stream);
}

int cuda_copier_open(struct soft_gpu *base, struct soft_gpu_copier **out)
{
    const struct cuda_gpu *gpu = OD_CONTAINER_OF(base, struct cuda_gpu, base);
    struct cuda_copier *c = calloc(1, sizeof(*c));
    int err, result;

    if (c == NULL)
        return soft_fail(-ENOMEM, "no memory for copies to GPU %s", base->id);
    c->gpu = gpu;
    c->base.ops = base->ops;
    err = cuda_enter(gpu);
    if (err != 0)
        goto err_free;
    result = make_stream(c);
    for (int i = 0; i < MARKS && result == CUDA_OK; i++)
        result = gpu->driver->event_create(&c->events[i], CUDA_EVENT_DISABLE_TIMING);
    if (result != CUDA_OK) {
        err = fail(c, result, "a stream for copies");
        goto err_end;
    }
    cuda_leave(gpu);
    *out = &c->base;
    return 0;

err_end:
    end_stream(c);
    cuda_leave(gpu);
err_free:
    free(c);
    return err;
}

/* What is under way still uses the caller's memory. */
static void wait_until_idle(const struct cuda_copier *c)
{
    const struct timespec pause = {0, 100000};

    for (int i = 0; i < CLOSE_WAIT_MS * 10; i++) {
        if (c->gpu->driver->stream_query(c->stream) != CUDA_NOT_READY)
            return;
        nanosleep(&pause, NULL);
    }
}

void cuda_copier_close(struct soft_gpu_copier *copier)
{
    struct cuda_copier *c;

    if (copier == NULL)
        return;
    c = to_cuda(copier);
    if (cuda_enter(c->gpu) == 0) {
        wait_until_idle(c);
        end_stream(c);
        cuda_leave(c->gpu);
    }
    free(c);
}

/* ------------------------------------------------------------------------------------------------
 * Copies
 */

/* With the context. */
static int begin_held(struct cuda_copier *c)
{
    const struct cuda_driver *driver = c->gpu->driver;
    unsigned int held = c->held;

    c->held = 0;
    for (unsigned int i = 0; i < held; i++) {
        const struct segment *s = &c->segments[i];
        cuda_address_t at = (cuda_address_t)(uintptr_t)s->at;
        int result = s->is_in ? driver->copy_in(at, s->cpu, s->len, c->stream)
                              : driver->copy_out(s->cpu, at, s->len, c->stream);

        if (od_unlikely(result != CUDA_OK))
            return fail(c, result, s->is_in ? "a copy to it" : "a copy from it");
    }
    return 0;
}

static int make_room(struct cuda_copier *c)
{
    int err;

    if (od_likely(c->held < BATCH))
        return 0;
    err = cuda_enter(c->gpu);
    if (err != 0) {
        c->failed = err;
        return err;
    }
    err = begin_held(c);
    cuda_leave(c->gpu);
    return err;
}

static int copy(struct soft_gpu_copier *copier, char *at, char *cpu, size_t len, bool is_in)
{
    struct cuda_copier *c = to_cuda(copier);
    struct segment *last = c->held > 0 ? &c->segments[c->held - 1] : NULL;
    int err;

    if (od_unlikely(c->failed != 0))
        return say_failed(c);
    if (last != NULL && last->is_in == is_in && last->at + last->len == at &&
        last->cpu + last->len == cpu) {
        last->len += len;
        return 0;
    }
    err = make_room(c);
    if (err != 0)
        return err;
    c->segments[c->held++] = (struct segment){.at = at, .cpu = cpu, .len = len, .is_in = is_in};
    return 0;
}

int cuda_copy_in(struct soft_gpu_copier *copier, char *at, const char *cpu, size_t len)
{
    return copy(copier, at, (char *)(uintptr_t)cpu, len, true);
}

int cuda_copy_out(struct soft_gpu_copier *copier, char *cpu, const char *at, size_t len)
{
    return copy(copier, (char *)(uintptr_t)at, cpu, len, false);
}

/* ------------------------------------------------------------------------------------------------
 * Marks
 */

static int record(struct cuda_copier *c, unsigned int slot)
{
    int err = begin_held(c), result;

    if (err != 0)
        return err;
    result = c->gpu->driver->event_record(c->events[slot], c->stream);
    return result == CUDA_OK ? 0 : fail(c, result, "a mark behind copies");
}

int cuda_mark(struct soft_gpu_copier *copier, uint64_t *mark)
{
    struct cuda_copier *c = to_cuda(copier);
    unsigned int slot = (unsigned int)((c->marked + 1) % MARKS);
    int err;

    if (od_unlikely(c->failed != 0))
        return say_failed(c);
    err = cuda_enter(c->gpu);
    if (err != 0)
        return err;
    err = record(c, slot);
    cuda_leave(c->gpu);
    if (err != 0)
        return err;
    c->recorded[slot] = ++c->marked;
    *mark = c->marked;
    return 0;
}

int cuda_is_done(struct soft_gpu_copier *copier, uint64_t mark)
{
    struct cuda_copier *c = to_cuda(copier);
    unsigned int slot = (unsigned int)(mark % MARKS);
    int err, result;

    if (mark <= c->done)
        return 1;
    if (od_unlikely(c->failed != 0))
        return say_failed(c);
    err = cuda_enter(c->gpu);
    if (err != 0)
        return err;
    result = c->gpu->driver->event_query(c->events[slot]);
    cuda_leave(c->gpu);
    if (result == CUDA_NOT_READY)
        return 0;
    if (od_unlikely(result != CUDA_OK))
        return fail(c, result, "copies");
    c->done = c->recorded[slot];
    return 1;
}
