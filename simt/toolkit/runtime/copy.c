/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills, in the order of a stream. */
#include <stdlib.h>
#include <string.h>

#include "rt.h"

struct copy {
    void *to;
    const void *from; /* NULL: fill */
    int value;
    size_t width, rows, to_pitch, from_pitch;
    char staged[]; /* a copy of small pageable memory */
};

enum { STAGED_MOST = 64 * 1024 };

static void copy_now(void *argument)
{
    const struct copy *c = argument;

    for (size_t row = 0; row < c->rows; row++) {
        char *to = (char *)c->to + row * c->to_pitch;
        if (c->from)
            memmove(to, (const char *)c->from + row * c->from_pitch, c->width);
        else
            memset(to, c->value, c->width);
    }
}

static void copy_and_free(void *argument)
{
    copy_now(argument);
    free(argument);
}

static cudaError_t check(const struct copy *c, enum cudaMemcpyKind kind)
{
    if (fault_get())
        return fault_get();
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (c->width && c->rows && !c->to)
        return cudaErrorInvalidValue;
    if (c->rows > 1 && (c->to_pitch < c->width || (c->from && c->from_pitch < c->width)))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static bool pageable(const void *pointer)
{
    struct cudaPointerAttributes attributes;

    return !cudaPointerGetAttributes(&attributes, pointer) &&
           attributes.type == cudaMemoryTypeUnregistered;
}

static cudaError_t later(const struct copy *c, cudaStream_t stream)
{
    size_t staged =
        c->from && c->rows == 1 && c->width <= STAGED_MOST && pageable(c->from) ? c->width : 0;
    struct copy *own = malloc(sizeof(*own) + staged);

    if (!own)
        return cudaErrorMemoryAllocation;
    *own = *c;
    if (staged) {
        memcpy(own->staged, c->from, staged);
        own->from = own->staged;
    }
    cudaError_t error = stream_job(stream, (struct job){copy_and_free, own});
    if (error)
        free(own);
    return error;
}

static cudaError_t run(struct copy *c, enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    cudaError_t error = check(c, kind);

    if (error)
        return error_set(error);
    if (!c->width || !c->rows)
        return cudaSuccess;
    /* A copy that may start at once is done at once; large pageable memory is waited for. */
    bool staged = c->rows == 1 && c->width <= STAGED_MOST;
    bool host = c->from && !staged && (pageable(c->from) || pageable(c->to));
    if (async && !host && !stream_is_idle(stream))
        return error_set(later(c, stream));
    return error_set(stream_caller(stream, (struct job){copy_now, c}));
}

SIMT_API cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    struct copy c = {.to = to, .from = from, .width = size, .rows = 1};

    if (size && !from)
        return error_set(cudaErrorInvalidValue);
    return run(&c, kind, NULL, false);
}

SIMT_API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct copy c = {.to = to, .from = from, .width = size, .rows = 1};

    if (size && !from)
        return error_set(cudaErrorInvalidValue);
    return run(&c, kind, stream, true);
}

SIMT_API cudaError_t cudaMemset(void *to, int value, size_t size)
{
    struct copy c = {.to = to, .value = value, .width = size, .rows = 1};

    return run(&c, cudaMemcpyDefault, NULL, false);
}

SIMT_API cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    struct copy c = {.to = to, .value = value, .width = size, .rows = 1};

    return run(&c, cudaMemcpyDefault, stream, true);
}

SIMT_API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                       size_t from_pitch, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct copy c = {.to = to,
                     .from = from,
                     .width = width,
                     .rows = height,
                     .to_pitch = to_pitch,
                     .from_pitch = from_pitch};

    if (width && height && !from)
        return error_set(cudaErrorInvalidValue);
    return run(&c, kind, stream, true);
}

SIMT_API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct copy c = {.to = to,
                     .from = from,
                     .width = width,
                     .rows = height,
                     .to_pitch = to_pitch,
                     .from_pitch = from_pitch};

    if (width && height && !from)
        return error_set(cudaErrorInvalidValue);
    return run(&c, kind, NULL, false);
}

SIMT_API cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    struct copy c = {.to = to, .value = value, .width = width, .rows = height, .to_pitch = pitch};

    return run(&c, cudaMemcpyDefault, NULL, false);
}

SIMT_API cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                       size_t height, cudaStream_t stream)
{
    struct copy c = {.to = to, .value = value, .width = width, .rows = height, .to_pitch = pitch};

    return run(&c, cudaMemcpyDefault, stream, true);
}

SIMT_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
                                             size_t offset, enum cudaMemcpyKind kind,
                                             cudaStream_t stream)
{
    return cudaMemcpyAsync((char *)(uintptr_t)symbol + offset, from, size, kind, stream);
}

SIMT_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size,
                                        size_t offset, enum cudaMemcpyKind kind)
{
    return cudaMemcpy((char *)(uintptr_t)symbol + offset, from, size, kind);
}

SIMT_API cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size,
                                               size_t offset, enum cudaMemcpyKind kind,
                                               cudaStream_t stream)
{
    return cudaMemcpyAsync(to, (const char *)symbol + offset, size, kind, stream);
}

SIMT_API cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                          enum cudaMemcpyKind kind)
{
    return cudaMemcpy(to, (const char *)symbol + offset, size, kind);
}

SIMT_API cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    if (!pointer || !symbol)
        return error_set(cudaErrorInvalidValue);
    *pointer = (void *)(uintptr_t)symbol;
    return cudaSuccess;
}
