/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of a warp: results, parts of a warp, lanes that are gone. */
#include "check.h"

__global__ void shuffles(int *out)
{
    int lane = threadIdx.x;
    int *o = out + lane * 8;

    o[0] = __shfl_sync(0xffffffff, lane * 10, 5);
    o[1] = __shfl_up_sync(0xffffffff, lane, 3);
    o[2] = __shfl_down_sync(0xffffffff, lane, 4);
    o[3] = __shfl_xor_sync(0xffffffff, lane, 1);
    o[4] = __shfl_sync(0xffffffff, lane, 9, 8);
    o[5] = __shfl_down_sync(0xffffffff, lane, 1, 4);
    o[6] = (int)(__shfl_sync(0xffffffff, lane + 0.5, 31) * 2);
    o[7] = (int)(__shfl_sync(0xffffffff, (unsigned long long)lane << 40, 2) >> 40);
}

__global__ void votes(unsigned *out)
{
    int lane = threadIdx.x;
    unsigned *o = out + lane * 12;
    int all;

    o[0] = __ballot_sync(0xffffffff, lane & 1);
    o[1] = __any_sync(0xffffffff, lane == 31);
    o[2] = __all_sync(0xffffffff, lane < 31);
    o[3] = __match_any_sync(0xffffffff, lane / 8);
    o[4] = __match_all_sync(0xffffffff, 7, &all) + (unsigned)all;
    o[5] = __match_all_sync(0xffffffff, lane, &all) + (unsigned)all;
    o[6] = __reduce_add_sync(0xffffffff, lane);
    o[7] = (unsigned)__reduce_min_sync(0xffffffff, lane - 16);
    o[8] = __reduce_max_sync(0xffffffff, (unsigned)lane);
    o[9] = __reduce_xor_sync(0xffffffff, 1u << lane);
    o[10] = __activemask();
    if (lane < 8)
        o[11] = __activemask();
    else
        o[11] = __ballot_sync(0xffffff00, lane >= 16);
}

/* Two halves go their own ways and meet again. */
__global__ void halves(int *out)
{
    int lane = threadIdx.x;
    unsigned mine = lane < 16 ? 0x0000ffff : 0xffff0000;
    int sum = lane;

    for (int i = 8; i; i /= 2)
        sum += __shfl_xor_sync(mine, sum, i);
    if (lane >= 16)
        __syncwarp(mine);
    __syncwarp();
    out[lane] = sum;
}

/* Lanes that have returned are not waited for; the last warp of the block is not full. */
__global__ void partial(unsigned *out)
{
    if (threadIdx.x % 3 == 0)
        return;
    out[threadIdx.x] = __ballot_sync(0xffffffff, 1);
}

int main()
{
    int *a;
    unsigned *b;

    OK(cudaMallocManaged(&a, 32 * 8 * sizeof(*a)));
    OK(cudaMallocManaged(&b, 64 * 12 * sizeof(*b)));
    shuffles<<<1, 32>>>(a);
    votes<<<1, 32>>>(b);
    OK(cudaDeviceSynchronize());
    for (int lane = 0; lane < 32; lane++) {
        int *o = a + lane * 8;
        CHECK(o[0] == 50);
        CHECK(o[1] == (lane < 3 ? lane : lane - 3));
        CHECK(o[2] == (lane > 27 ? lane : lane + 4));
        CHECK(o[3] == (lane ^ 1));
        CHECK(o[4] == lane / 8 * 8 + 1);
        CHECK(o[5] == (lane % 4 == 3 ? lane : lane + 1));
        CHECK(o[6] == 63);
        CHECK(o[7] == 2);
        unsigned *v = b + lane * 12;
        CHECK(v[0] == 0xaaaaaaaa);
        CHECK(v[1] == 1 && v[2] == 0);
        CHECK(v[3] == 0xffu << lane / 8 * 8);
        CHECK(v[4] == 0 && v[5] == 0);
        CHECK(v[6] == 496 && (int)v[7] == -16 && v[8] == 31 && v[9] == 0xffffffff);
        CHECK(v[10] == 0xffffffff);
        CHECK(v[11] == (lane < 8 ? 0xffu : 0xffff0000));
    }
    halves<<<1, 32>>>(a);
    OK(cudaDeviceSynchronize());
    for (int lane = 0; lane < 32; lane++)
        CHECK(a[lane] == (lane < 16 ? 120 : 376));
    OK(cudaMemset(b, 0, 64 * sizeof(*b)));
    partial<<<1, 40>>>(b);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 40; i++) {
        unsigned first = 0xb6db6db6, second = 0x0000006d;
        CHECK(b[i] == (i % 3 == 0 ? 0 : i < 32 ? first : second));
    }
    OK(cudaFree(a));
    OK(cudaFree(b));
    return 0;
}
