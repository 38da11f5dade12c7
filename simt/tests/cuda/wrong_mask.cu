/* SPDX-License-Identifier: BSD-3-Clause */
/* A lane that its own mask does not name. */
// NOT WITH: thread all lanes write one word
// SAYS: lane 3 calls __ballot_sync at .*wrong_mask\.cu:10 with mask 0x00000007, which does not name it
#include "check.h"

__global__ void k(unsigned *out)
{
    if (threadIdx.x < 4)
        *out = __ballot_sync(0x7, 1);
}

int main()
{
    unsigned *out;

    OK(cudaMalloc(&out, sizeof(*out)));
    k<<<1, 32>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    return 0;
}
