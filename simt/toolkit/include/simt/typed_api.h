/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime API with the types that C++ programs use: pointers to pointers, symbols, kernels. */
#ifndef SIMT_TYPED_API_H
#define SIMT_TYPED_API_H

#include "cuda_runtime_api.h"

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t size)
{
    return cudaMalloc((void **)pointer, size);
}

template <class T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)pointer, size, flags);
}

template <class T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)pointer, pitch, width, height);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync((void **)pointer, size, stream);
}

template <class T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0)
{
    return cudaHostAlloc((void **)pointer, size, flags);
}

template <class T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags)
{
    return cudaHostAlloc((void **)pointer, size, flags);
}

template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return cudaHostGetDevicePointer((void **)device, host, flags);
}

/* Symbols are given by name. */

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}

template <class T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                        enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}

template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

template <class T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    return cudaGetSymbolAddress(pointer, (const void *)&symbol);
}

template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &)
{
    *size = sizeof(T);
    return cudaSuccess;
}

/* Kernels are given by name. */

template <class... P>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, void (*func)(P...))
{
    return cudaFuncGetAttributes(attr, (const void *)func);
}

template <class... P>
static inline cudaError_t cudaFuncSetAttribute(void (*func)(P...), enum cudaFuncAttribute attr,
                                               int value)
{
    return cudaFuncSetAttribute((const void *)func, attr, value);
}

template <class... P>
static inline cudaError_t cudaFuncSetCacheConfig(void (*func)(P...), enum cudaFuncCache cache)
{
    return cudaFuncSetCacheConfig((const void *)func, cache);
}

template <class... P>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                        void (*func)(P...),
                                                                        int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)func, threads,
                                                         shared);
}

template <class F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGrid, int *threads, F,
                                                             size_t = 0, int limit = 0)
{
    int processors = 0;
    cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);

    *minGrid = processors;
    *threads = limit > 0 && limit < 1024 ? limit : 1024;
    return error;
}

#endif
