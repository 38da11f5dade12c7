/* SPDX-License-Identifier: BSD-3-Clause */
/* An instruction that is not translated is refused with its place. */
// NO BUILD: ptx_unknown\.cu:8:5: error: unknown PTX instruction "mma\.sync\.aligned\.m8n8k4 %0, %0, %0"
// NO BUILD: ptx_unknown\.cu:14:5: error: unknown PTX instruction "mov\.u32 %0, %nonsense"
__device__ unsigned f()
{
    unsigned x = 0;
    asm volatile("mma.sync.aligned.m8n8k4 %0, %0, %0;" : "+r"(x));
    return x;
}

__global__ void k(unsigned *x)
{
    asm("mov.u32 %0, %nonsense;" : "=r"(*x));
    *x += f();
}

int main()
{
    return 0;
}
