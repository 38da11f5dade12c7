/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of memory, what pointers are, symbols, errors. */
#include <string.h>

#include "check.h"

__constant__ int factors[4];
__device__ int result = 3;
__managed__ int managed;

__global__ void multiply(int *mapped)
{
    result = result * factors[2] + *mapped;
    managed = result + 1;
    *mapped = 9;
}

static enum cudaMemoryType type_of(const void *p)
{
    cudaPointerAttributes a;

    OK(cudaPointerGetAttributes(&a, p));
    return a.type;
}

int main()
{
    int *device, *host, *mapped, *managed_memory, own[4], values[4] = {1, 2, 5, 7}, got;
    void *symbol;
    size_t before, after, total, pitch;
    char *rows;

    OK(cudaFree(0));
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaMalloc(&device, 1 << 20));
    OK(cudaMemGetInfo(&after, &total));
    CHECK(before - after == 1 << 20);
    CHECK((size_t)device % 256 == 0);
    OK(cudaHostAlloc(&host, 4096, cudaHostAllocMapped));
    OK(cudaHostGetDevicePointer(&mapped, host, 0));
    OK(cudaMallocManaged(&managed_memory, 64));
    CHECK(type_of(device + 100) == cudaMemoryTypeDevice);
    CHECK(type_of(host) == cudaMemoryTypeHost);
    CHECK(type_of(managed_memory) == cudaMemoryTypeManaged);
    CHECK(type_of(own) == cudaMemoryTypeUnregistered);
    OK(cudaHostRegister(own, sizeof(own), cudaHostRegisterMapped));
    CHECK(type_of(own) == cudaMemoryTypeHost);
    CHECK(cudaHostRegister(own, sizeof(own), 0) == cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostUnregister(own));
    CHECK(cudaHostUnregister(own) == cudaErrorHostMemoryNotRegistered);

    OK(cudaMemcpyToSymbol(factors, values, sizeof(values)));
    *host = 4;
    multiply<<<1, 1>>>(mapped);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(&got, result, sizeof(got)));
    CHECK(got == 19 && managed == 20 && *host == 9);
    OK(cudaGetSymbolAddress(&symbol, result));
    CHECK(symbol == &result);

    OK(cudaMemset(device, 0x11, 64));
    OK(cudaMemcpy(own, device, sizeof(own), cudaMemcpyDefault));
    CHECK(own[3] == 0x11111111);
    OK(cudaMallocPitch(&rows, &pitch, 100, 3));
    CHECK(pitch >= 100);
    OK(cudaMemset2D(rows, pitch, 7, 100, 3));
    char flat[300];
    OK(cudaMemcpy2D(flat, 100, rows, pitch, 100, 3, cudaMemcpyDeviceToHost));
    for (char c : flat)
        CHECK(c == 7);

    CHECK(cudaMalloc(&symbol, (size_t)1 << 50) == cudaErrorMemoryAllocation);
    CHECK(cudaMemcpy(NULL, own, 4, cudaMemcpyDefault) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(device, own, 4, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaFree(own) == cudaErrorInvalidValue);
    CHECK(cudaFreeHost(device) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
    OK(cudaFree(device));
    CHECK(cudaFree(device) == cudaErrorInvalidValue);
    OK(cudaFree(rows));
    OK(cudaFree(managed_memory));
    OK(cudaFreeHost(host));
    OK(cudaMemGetInfo(&after, &total));
    CHECK(after == before);
    return 0;
}
