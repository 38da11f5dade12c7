/* SPDX-License-Identifier: BSD-3-Clause */
/* Cooperative groups, half precision, integer intrinsics. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
#include <string.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void tiles(int *out, const int *in)
{
    __shared__ int part[64];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int sum = (int)block.thread_rank();

    cg::memcpy_async(block, part, in, sizeof(part));
    cg::wait(block);
    for (unsigned i = tile.size() / 2; i; i /= 2)
        sum += tile.shfl_xor(sum, i);
    int first = tile.shfl((int)threadIdx.x, 0);
    unsigned ballot = tile.ballot(tile.thread_rank() < 3);
    block.sync();
    out[threadIdx.x] = sum + first * 1000 + (ballot == 7) * 100000 + part[63 - threadIdx.x] * 1000000;
    if (threadIdx.x % 2) {
        cg::coalesced_group odd = cg::coalesced_threads();
        if (odd.thread_rank() == 0 && threadIdx.x < 32)
            out[64] = (int)odd.size();
    }
}

__global__ void halves(__half *h, float *f)
{
    *h = __float2half(1.5f) + *h * __half(2);
    *f = __half2float(*h);
}

__global__ void bits(unsigned *o)
{
    o[0] = (unsigned)__popc(0xf0f0);
    o[1] = (unsigned)__ffs(8);
    o[2] = (unsigned)__clz(1);
    o[3] = __brev(1);
    o[4] = __byte_perm(0x33221100, 0x77665544, 0x7531);
    o[5] = __funnelshift_l(0x80000000, 1, 1);
    o[6] = __umulhi(0x80000000, 4);
    o[7] = (unsigned)min(3, 5) + max(2u, 7u);
    o[8] = (unsigned)__float2int_rn(2.5f);
    o[9] = __float_as_uint(1.0f);
    o[10] = __ldg(o + 9);
    o[11] = (unsigned)warpSize;
}

int main()
{
    int *out, *in;
    unsigned *o;
    __half *h;
    float *f;

    OK(cudaMallocManaged(&out, 65 * sizeof(*out)));
    OK(cudaMallocManaged(&in, 64 * sizeof(*in)));
    OK(cudaMallocManaged(&o, 64));
    OK(cudaMallocManaged(&h, 2));
    OK(cudaMallocManaged(&f, 4));
    for (int i = 0; i < 64; i++)
        in[i] = i;
    tiles<<<1, 64>>>(out, in);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        int first = i / 8 * 8;
        CHECK(out[i] == first * 8 + 28 + first * 1000 + 100000 + (63 - i) * 1000000);
    }
    CHECK(out[64] == 16);
    *h = __half(3.0f);
    halves<<<1, 1>>>(h, f);
    OK(cudaDeviceSynchronize());
    CHECK(*f == 7.5f && __half_as_ushort(*h) == 0x4780);
    CHECK(__half_as_ushort(__half(65520.0f)) == 0x7c00 && __half_as_ushort(__half(5.9604645e-8f)) == 1);
    CHECK((float)__ushort_as_half(0x0001) == 5.9604645e-8f && (float)__ushort_as_half(0x3c01) > 1);
    bits<<<1, 1>>>(o);
    OK(cudaDeviceSynchronize());
    const unsigned wanted[] = {8, 4, 31, 0x80000000, 0x77553311, 3, 2, 10, 2, 0x3f800000, 0x3f800000, 32};
    CHECK(!memcmp(o, wanted, sizeof(wanted)));
    return 0;
}
