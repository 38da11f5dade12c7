/* SPDX-License-Identifier: BSD-3-Clause */
/* The device: properties, PCI address, occupancy, and the driver API's view of it. */
// ENV: SIMT_PCI_DENY=0000:ff:00.0,0001:02:03.4 SIMT_CC=8.6
#include <cuda.h>
#include <string.h>

#include "check.h"

__global__ void k()
{
}

int main()
{
    cudaDeviceProp p;
    int value, device = -1;
    char id[32], again[32];

    OK(cudaGetDeviceCount(&value));
    CHECK(value == 1);
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(p.major == 8 && p.minor == 6 && p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
    CHECK(strstr(p.name, "simt"));
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(value == 8);
    OK(cudaDeviceGetPCIBusId(id, sizeof(id), 0));
    for (const char *good : {(const char *)id, "0000:17:00.0", "17:00.0", "00000000:AB:1f.7"}) {
        OK(cudaDeviceGetByPCIBusId(&device, good));
        CHECK(device == 0);
    }
    for (const char *bad : {"", "gpu", "17:00", "0000:17:00.0x", "000000000:17:00.0"})
        CHECK(cudaDeviceGetByPCIBusId(&device, bad) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetByPCIBusId(&device, "FF:00.0") == cudaErrorInvalidDevice);
    CHECK(cudaDeviceGetByPCIBusId(&device, "1:2:3.4") == cudaErrorInvalidDevice);
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidDevice), "cudaErrorInvalidDevice"));
    CHECK(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
    (void)cudaGetLastError();
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, k, 256, 0));
    CHECK(value >= 1);

    CUdevice cu;
    CUcontext context, current;
    CUdeviceptr pointer;
    CUevent start, end;
    float ms;
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuDeviceGet(&cu, 0) == CUDA_SUCCESS);
    CHECK(cuDeviceGet(&cu, 3) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuDeviceGetPCIBusId(again, sizeof(again), cu) == CUDA_SUCCESS && !strcmp(again, id));
    CHECK(cuCtxCreate(&context, 0, cu) == CUDA_SUCCESS);
    CHECK(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context);
    CHECK(cuCtxPopCurrent(&current) == CUDA_SUCCESS && current == context);
    CHECK(cuCtxPushCurrent(context) == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&pointer, 100) == CUDA_SUCCESS);
    printf("%d\n", cuMemcpyHtoD(pointer, "hello", 6));    CHECK(cuMemcpyHtoD(pointer, "hello", 6) == CUDA_SUCCESS);
    CHECK(!strcmp((const char *)pointer, "hello"));
    unsigned kind = 0, on = 1;
    CHECK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) == CUDA_SUCCESS);
    CHECK(kind == CU_MEMORYTYPE_DEVICE);
    CHECK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, pointer) == CUDA_SUCCESS);
    CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
    CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
    CHECK(cuEventRecord(start, 0) == CUDA_SUCCESS);
    k<<<1, 1>>>();
    CHECK(cuEventRecord(end, 0) == CUDA_SUCCESS);
    CHECK(cuEventSynchronize(end) == CUDA_SUCCESS);
    CHECK(cuEventElapsedTime(&ms, start, end) == CUDA_SUCCESS && ms >= 0);
    CHECK(cuEventDestroy(start) == CUDA_SUCCESS && cuEventDestroy(end) == CUDA_SUCCESS);
    CHECK(cuMemFree(pointer) == CUDA_SUCCESS);
    CHECK(cuCtxDestroy(context) == CUDA_SUCCESS);
    return 0;
}
