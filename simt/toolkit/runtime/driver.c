/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API, in terms of the runtime's. Error codes of both have the same numbers. */
#include <stdlib.h>
#include <string.h>

#include "cuda.h"
#include "rt.h"

enum { CONTEXT_DEPTH = 64 };

struct CUctx_st {
    bool primary;
};

static struct CUctx_st primary = {true};
static __thread CUcontext stack[CONTEXT_DEPTH];
static __thread int depth;

static CUresult as_driver(cudaError_t error)
{
    return (CUresult)error;
}

SIMT_API CUresult cuInit(unsigned int flags)
{
    return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

SIMT_API CUresult cuDriverGetVersion(int *version)
{
    return as_driver(cudaDriverGetVersion(version));
}

SIMT_API CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = cudaGetErrorName((cudaError_t)error);
    return CUDA_SUCCESS;
}

SIMT_API CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

/* Devices */

SIMT_API CUresult cuDeviceGetCount(int *count)
{
    return as_driver(cudaGetDeviceCount(count));
}

SIMT_API CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (ordinal)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}

SIMT_API CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp p;

    if (!name || length < 1)
        return CUDA_ERROR_INVALID_VALUE;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (!error) {
        size_t n = strnlen(p.name, (size_t)length - 1);
        memcpy(name, p.name, n);
        name[n] = 0;
    }
    return as_driver(error);
}

SIMT_API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (device)
        return CUDA_ERROR_INVALID_DEVICE;
    *bytes = config()->memory;
    return CUDA_SUCCESS;
}

SIMT_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    return as_driver(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

SIMT_API CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
    return as_driver(cudaDeviceGetByPCIBusId(device, id));
}

SIMT_API CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
    return as_driver(cudaDeviceGetPCIBusId(id, length, device));
}

/* Contexts */

SIMT_API CUresult cuCtxPushCurrent(CUcontext context)
{
    if (!context || depth == CONTEXT_DEPTH)
        return CUDA_ERROR_INVALID_CONTEXT;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

SIMT_API CUresult cuCtxPopCurrent(CUcontext *context)
{
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (context)
        *context = stack[depth];
    return CUDA_SUCCESS;
}

SIMT_API CUresult cuCtxSetCurrent(CUcontext context)
{
    if (depth)
        depth--;
    return context ? cuCtxPushCurrent(context) : CUDA_SUCCESS;
}

SIMT_API CUresult cuCtxGetCurrent(CUcontext *context)
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = depth ? stack[depth - 1] : NULL;
    return CUDA_SUCCESS;
}

SIMT_API CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device)
{
    (void)flags;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (device)
        return CUDA_ERROR_INVALID_DEVICE;
    CUcontext made = calloc(1, sizeof(*made));
    if (!made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = cuCtxPushCurrent(made);
    if (result)
        free(made);
    else
        *context = made;
    return result;
}

SIMT_API CUresult cuCtxDestroy(CUcontext context)
{
    if (!context || context->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth && stack[depth - 1] == context)
        depth--;
    free(context);
    return CUDA_SUCCESS;
}

SIMT_API CUresult cuCtxGetDevice(CUdevice *device)
{
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    return cuDeviceGet(device, 0);
}

SIMT_API CUresult cuCtxSynchronize(void)
{
    return as_driver(cudaDeviceSynchronize());
}

SIMT_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    if (device)
        return CUDA_ERROR_INVALID_DEVICE;
    *context = &primary;
    return CUDA_SUCCESS;
}

SIMT_API CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

/* Memory */

static void *pointer_of(CUdeviceptr pointer)
{
    return (void *)(uintptr_t)pointer;
}

static CUresult give(cudaError_t error, void *const *memory, CUdeviceptr *pointer)
{
    if (!error)
        *pointer = (CUdeviceptr)(uintptr_t)*memory;
    return as_driver(error);
}

SIMT_API CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes)
{
    void *memory = NULL;

    if (!pointer || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    return give(cudaMalloc(&memory, bytes), &memory, pointer);
}

SIMT_API CUresult cuMemFree(CUdeviceptr pointer)
{
    return as_driver(cudaFree(pointer_of(pointer)));
}

SIMT_API CUresult cuMemAllocHost(void **pointer, size_t bytes)
{
    return as_driver(cudaMallocHost(pointer, bytes));
}

SIMT_API CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    return as_driver(cudaHostAlloc(pointer, bytes, flags));
}

SIMT_API CUresult cuMemFreeHost(void *pointer)
{
    return as_driver(cudaFreeHost(pointer));
}

SIMT_API CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    return as_driver(cudaHostRegister(pointer, bytes, flags));
}

SIMT_API CUresult cuMemHostUnregister(void *pointer)
{
    return as_driver(cudaHostUnregister(pointer));
}

SIMT_API CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags)
{
    void *pointer = NULL;

    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    return give(cudaHostGetDevicePointer(&pointer, host, flags), &pointer, device);
}

SIMT_API CUresult cuMemGetInfo(size_t *available, size_t *total)
{
    return as_driver(cudaMemGetInfo(available, total));
}

SIMT_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return as_driver(cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault));
}

SIMT_API CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    return as_driver(cudaMemcpy(pointer_of(to), from, bytes, cudaMemcpyHostToDevice));
}

SIMT_API CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    return as_driver(cudaMemcpy(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost));
}

SIMT_API CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return cuMemcpy(to, from, bytes);
}

SIMT_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return as_driver(
        cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream));
}

SIMT_API CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return as_driver(cudaMemcpyAsync(pointer_of(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

SIMT_API CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return as_driver(cudaMemcpyAsync(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, stream));
}

SIMT_API CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count)
{
    return as_driver(cudaMemset(pointer_of(to), value, count));
}

SIMT_API CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute,
                                        CUdeviceptr pointer)
{
    struct cudaPointerAttributes a;

    if (!value || cudaPointerGetAttributes(&a, pointer_of(pointer)) ||
        a.type == cudaMemoryTypeUnregistered)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)value =
            a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)value = pointer_of(pointer);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(bool *)value = a.type == cudaMemoryTypeManaged;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)value = &primary;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

SIMT_API CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                                        CUdeviceptr pointer)
{
    if (!value || !pointer)
        return CUDA_ERROR_INVALID_VALUE;
    return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/* Streams and events */

SIMT_API CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    return as_driver(cudaStreamCreateWithFlags(stream, flags));
}

SIMT_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    return as_driver(cudaStreamCreateWithPriority(stream, flags, priority));
}

SIMT_API CUresult cuStreamDestroy(CUstream stream)
{
    return as_driver(cudaStreamDestroy(stream));
}

SIMT_API CUresult cuStreamSynchronize(CUstream stream)
{
    return as_driver(cudaStreamSynchronize(stream));
}

SIMT_API CUresult cuStreamQuery(CUstream stream)
{
    return as_driver(cudaStreamQuery(stream));
}

SIMT_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    return as_driver(cudaStreamWaitEvent(stream, event, flags));
}

SIMT_API CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    return as_driver(cudaEventCreateWithFlags(event, flags));
}

SIMT_API CUresult cuEventDestroy(CUevent event)
{
    return as_driver(cudaEventDestroy(event));
}

SIMT_API CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return as_driver(cudaEventRecord(event, stream));
}

SIMT_API CUresult cuEventSynchronize(CUevent event)
{
    return as_driver(cudaEventSynchronize(event));
}

SIMT_API CUresult cuEventQuery(CUevent event)
{
    return as_driver(cudaEventQuery(event));
}

SIMT_API CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return as_driver(cudaEventElapsedTime(ms, start, end));
}

SIMT_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return as_driver(cudaDeviceGetStreamPriorityRange(least, greatest));
}

/* Names under which programs look these up at run time: CUDA's library exports later forms so. */
#define SIMT_LATER_FORM(name)                                                                      \
    extern __typeof__(name) name##_v2 __attribute__((alias(#name), visibility("default")))
SIMT_LATER_FORM(cuCtxCreate);
SIMT_LATER_FORM(cuCtxDestroy);
SIMT_LATER_FORM(cuCtxPopCurrent);
SIMT_LATER_FORM(cuCtxPushCurrent);
SIMT_LATER_FORM(cuDevicePrimaryCtxRelease);
SIMT_LATER_FORM(cuDeviceTotalMem);
SIMT_LATER_FORM(cuEventDestroy);
SIMT_LATER_FORM(cuMemAlloc);
SIMT_LATER_FORM(cuMemAllocHost);
SIMT_LATER_FORM(cuMemFree);
SIMT_LATER_FORM(cuMemGetInfo);
SIMT_LATER_FORM(cuMemHostGetDevicePointer);
SIMT_LATER_FORM(cuMemHostRegister);
SIMT_LATER_FORM(cuMemcpyDtoD);
SIMT_LATER_FORM(cuMemcpyDtoH);
SIMT_LATER_FORM(cuMemcpyDtoHAsync);
SIMT_LATER_FORM(cuMemcpyHtoD);
SIMT_LATER_FORM(cuMemcpyHtoDAsync);
SIMT_LATER_FORM(cuMemsetD8);
SIMT_LATER_FORM(cuStreamDestroy);
