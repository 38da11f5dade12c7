/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that stays, and takes packets out of a ring in the GPU's memory as they are copied in.
 */
#include <stdint.h>

#include "check_gpu.h"

__device__ static uint64_t look(const volatile uint64_t *p)
{
    return *p;
}

/* One warp. Lane 0 waits for the next batch, all lanes add up its words. */
__global__ static void take(struct ring ring)
{
    __shared__ volatile uint64_t upto_shared;
    uint64_t taken = 0, sum = 0;

    for (;;) {
        if (threadIdx.x == 0) {
            uint64_t upto = taken;
            while (upto == taken) {
                upto = look(ring.written);
                if (upto == taken && look(ring.stop) != 0)
                    break;
            }
            __threadfence_system();
            upto_shared = upto;
        }
        __syncwarp();
        uint64_t upto = upto_shared;
        if (upto == taken)
            break;
        for (uint64_t n = taken + threadIdx.x; n < upto; n += 32) {
            const volatile uint64_t *slot = ring.slots + n % SLOTS * WORDS;
            for (int w = 0; w < WORDS; w++)
                sum += slot[w] ^ n;
        }
        taken = upto;
        __syncwarp();
        if (threadIdx.x == 0) {
            *ring.taken = taken;
            __threadfence_system();
        }
    }
    ring.sums[threadIdx.x] = sum;
    __threadfence_system();
}

extern "C" int kernel_start(const struct ring *ring, void **stream)
{
    cudaStream_t s;
    cudaError_t error = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);

    if (error == cudaSuccess) {
        take<<<1, 32, 0, s>>>(*ring);
        error = cudaGetLastError();
    }
    *stream = s;
    return (int)error;
}

/* 0, or the error with its text. */
extern "C" int kernel_wait(void *stream, const char **text)
{
    cudaError_t error = cudaStreamSynchronize((cudaStream_t)stream);

    *text = cudaGetErrorString(error);
    (void)cudaStreamDestroy((cudaStream_t)stream);
    return (int)error;
}

extern "C" int kernel_device(char *address, int size)
{
    cudaError_t error = cudaSetDevice(0);

    if (error == cudaSuccess)
        error = cudaFree(0);
    return (int)(error == cudaSuccess ? cudaDeviceGetPCIBusId(address, size, 0) : error);
}
