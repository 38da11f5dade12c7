/* SPDX-License-Identifier: BSD-3-Clause */
/* Launching. */
#include <stdlib.h>

#include "rt.h"

static cudaError_t refuse(const struct simt_kernel *kernel, cudaError_t error)
{
    if (kernel->destroy)
        kernel->destroy(kernel->arguments);
    return error_set(error);
}

static bool valid(dim3 grid, dim3 block, size_t shared)
{
    if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
        return false;
    if (grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535)
        return false;
    if (block.x > 1024 || block.y > 1024 || block.z > 64 || shared > MAX_SHARED)
        return false;
    return (uint64_t)block.x * block.y * block.z <= MAX_THREADS;
}

SIMT_API cudaError_t simt_launch(const struct simt_kernel *kernel, dim3 grid, dim3 block,
                                 size_t shared, cudaStream_t stream)
{
    if (here_block)
        fault_stop(here_block, cudaErrorNotSupported,
                   "a kernel launches a kernel: dynamic parallelism is not supported "
                   "[simt-dynamic-parallelism]");
    if (fault_get())
        return refuse(kernel, fault_get());
    if (!valid(grid, block, shared))
        return refuse(kernel, cudaErrorInvalidConfiguration);
    struct grid *g = calloc(1, sizeof(*g));
    if (!g)
        return refuse(kernel, cudaErrorMemoryAllocation);
    g->kernel = *kernel;
    g->size = grid;
    g->block = block;
    g->shared = shared;
    g->blocks = (uint64_t)grid.x * grid.y * grid.z;
    return error_set(config()->serial ? serial_run(stream, g) : stream_kernel(stream, g));
}

/* Kernels by address, for cudaLaunchKernel() with a plain pointer. */

typedef void (*capture_t)(const void *function, void **arguments, struct simt_kernel *kernel);

struct known {
    const void *function;
    capture_t capture;
    const char *name;
    struct known *next;
};

static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *known_kernels;

void simt_register_kernel(const void *function, capture_t capture, const char *name);

SIMT_API void simt_register_kernel(const void *function, capture_t capture, const char *name)
{
    struct known *k = malloc(sizeof(*k));

    if (!k)
        return; /* a launch by address will say that it knows no such kernel */
    pthread_mutex_lock(&known_lock);
    *k = (struct known){function, capture, name, known_kernels};
    known_kernels = k;
    pthread_mutex_unlock(&known_lock);
}

SIMT_API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                      size_t shared, cudaStream_t stream)
{
    struct simt_kernel kernel;

    pthread_mutex_lock(&known_lock);
    const struct known *k = known_kernels;
    while (k && k->function != function)
        k = k->next;
    pthread_mutex_unlock(&known_lock);
    if (!k)
        return error_set(cudaErrorInvalidDeviceFunction);
    k->capture(function, arguments, &kernel);
    kernel.name = k->name;
    return simt_launch(&kernel, grid, block, shared, stream);
}
