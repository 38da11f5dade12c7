/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory. All of it is the process's own; what was allocated here is remembered, with its kind, so
 * that programs can ask what a pointer is and mistakes are answered. Allocation goes through the C
 * library, which gives AddressSanitizer its red zones.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "rt.h"

enum { ALIGNMENT = 256 };

struct region {
    char *start;
    size_t size;
    enum cudaMemoryType type;
    bool registered; /* the program's own memory */
    unsigned flags;
    struct region *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region *regions;
static size_t in_use;

static struct region **find(const void *pointer)
{
    for (struct region **p = &regions; *p; p = &(*p)->next) {
        if ((const char *)pointer >= (*p)->start &&
            (const char *)pointer < (*p)->start + (*p)->size)
            return p;
    }
    return NULL;
}

static cudaError_t remember(void *start, size_t size, enum cudaMemoryType type, bool registered,
                            unsigned flags)
{
    struct region *r = malloc(sizeof(*r));

    if (!r)
        return cudaErrorMemoryAllocation;
    *r = (struct region){start, size, type, registered, flags, NULL};
    pthread_mutex_lock(&lock);
    r->next = regions;
    regions = r;
    if (!registered)
        in_use += size;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* Forgets the region that starts at `start`; false if there is none of that kind. */
static bool forget(const void *start, bool registered, bool host, bool device)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    struct region **p = find(start);
    if (p && (*p)->start == start && (*p)->registered == registered &&
        ((host && (*p)->type == cudaMemoryTypeHost) ||
         (device && (*p)->type != cudaMemoryTypeHost))) {
        struct region *r = *p;
        *p = r->next;
        if (!registered)
            in_use -= r->size;
        free(r);
        found = true;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static cudaError_t allocate(void **pointer, size_t size, enum cudaMemoryType type, unsigned flags)
{
    void *memory;

    if (!pointer)
        return error_set(cudaErrorInvalidValue);
    if (!size) {
        *pointer = NULL;
        return cudaSuccess;
    }
    if (size > config()->memory || posix_memalign(&memory, ALIGNMENT, size))
        return error_set(cudaErrorMemoryAllocation);
    cudaError_t error = remember(memory, size, type, false, flags);
    if (error)
        free(memory);
    else
        *pointer = memory;
    return error_set(error);
}

static void nothing(void *argument)
{
    (void)argument;
}

SIMT_API cudaError_t cudaMalloc(void **pointer, size_t size)
{
    return allocate(pointer, size, cudaMemoryTypeDevice, 0);
}

SIMT_API cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return error_set(cudaErrorInvalidValue);
    return allocate(pointer, size, cudaMemoryTypeManaged, flags);
}

SIMT_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pitch)
        return error_set(cudaErrorInvalidValue);
    *pitch = (width + 511) & ~(size_t)511;
    return cudaMalloc(pointer, *pitch * height);
}

SIMT_API cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags)
{
    return allocate(pointer, size, cudaMemoryTypeHost, flags);
}

SIMT_API cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

/* Freed memory may still be used by kernels that run: as on a GPU, freeing waits for them. */
SIMT_API cudaError_t cudaFree(void *pointer)
{
    if (!pointer)
        return error_set(error_check());
    if (!forget(pointer, false, false, true))
        return error_set(cudaErrorInvalidValue);
    cudaError_t error = stream_caller(NULL, (struct job){nothing, NULL});
    free(pointer);
    return error_set(error ? error : error_check());
}

SIMT_API cudaError_t cudaFreeHost(void *pointer)
{
    if (!pointer)
        return cudaSuccess;
    if (!forget(pointer, false, true, false))
        return error_set(cudaErrorInvalidValue);
    free(pointer);
    return cudaSuccess;
}

/* In the order of a stream. */

static void free_now(void *pointer)
{
    free(pointer);
}

SIMT_API cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    (void)stream;
    return cudaMalloc(pointer, size);
}

SIMT_API cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    if (!pointer)
        return cudaSuccess;
    if (!forget(pointer, false, false, true))
        return error_set(cudaErrorInvalidValue);
    return error_set(stream_job(stream, (struct job){free_now, pointer}));
}

SIMT_API cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags)
{
    if (!pointer || !size)
        return error_set(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    bool known = find(pointer) != NULL;
    pthread_mutex_unlock(&lock);
    if (known)
        return error_set(cudaErrorHostMemoryAlreadyRegistered);
    return error_set(remember(pointer, size, cudaMemoryTypeHost, true, flags));
}

SIMT_API cudaError_t cudaHostUnregister(void *pointer)
{
    return forget(pointer, true, true, false) ? cudaSuccess
                                              : error_set(cudaErrorHostMemoryNotRegistered);
}

SIMT_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    if (!device || !host || flags)
        return error_set(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    cudaError_t error = cudaErrorInvalidValue;

    pthread_mutex_lock(&lock);
    struct region **p = find(host);
    if (p && flags && (*p)->type == cudaMemoryTypeHost) {
        *flags = (*p)->flags;
        error = cudaSuccess;
    }
    pthread_mutex_unlock(&lock);
    return error_set(error);
}

SIMT_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                              const void *pointer)
{
    if (!attributes)
        return error_set(cudaErrorInvalidValue);
    *attributes = (struct cudaPointerAttributes){cudaMemoryTypeUnregistered, -2, NULL,
                                                 (void *)(uintptr_t)pointer};
    pthread_mutex_lock(&lock);
    struct region **p = find(pointer);
    if (p)
        *attributes = (struct cudaPointerAttributes){(*p)->type, 0, (void *)(uintptr_t)pointer,
                                                     (void *)(uintptr_t)pointer};
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

SIMT_API cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    if (!available || !total)
        return error_set(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    *total = config()->memory;
    *available = in_use < *total ? *total - in_use : 0;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}
