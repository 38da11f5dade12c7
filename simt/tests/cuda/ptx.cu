/* SPDX-License-Identifier: BSD-3-Clause */
/* Inline PTX that programs use. */
#include "check.h"

__device__ __forceinline__ unsigned long long globaltimer()
{
    unsigned long long t;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

__device__ inline unsigned lane()
{
    unsigned l;

    asm("mov.u32 %0, %%laneid;" : "=r"(l));
    return l;
}

__device__ inline unsigned swap(unsigned x)
{
    unsigned y;

    asm("{\n\t.reg .b32 mask;\n\t.reg .b32 zero;\n\tmov.b32 zero, 0;\n\tmov.b32 mask, 0x0123;\n\t"
        "prmt.b32 %0, %1, zero, mask;\n\t}"
        : "=r"(y)
        : "r"(x));
    return y;
}

__device__ inline void store_release(unsigned *p, unsigned v)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

__device__ inline unsigned load_acquire(const unsigned *p)
{
    unsigned v;

    asm volatile("ld.acquire.gpu.global.u32 %[value], [%[address]];"
                 : [value] "=r"(v)
                 : [address] "l"(p)
                 : "memory");
    return v;
}

__global__ void simple(unsigned long long *out, unsigned *in)
{
    unsigned long long t0 = globaltimer(), t1;
    long long c0 = clock64();

    __nanosleep(2000);
    t1 = globaltimer();
    out[0] = t1 - t0;
    out[1] = (unsigned long long)(clock64() - c0);
    out[2] = swap(0x11223344);
    unsigned long long packed;
    unsigned low, high;
    asm("mov.b64 %0, {%1, %2};" : "=l"(packed) : "r"(0x55667788), "r"(0x11223344));
    asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(packed + 1));
    out[3] = packed;
    out[4] = low - high;
    int is_less;
    asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.s32 %0, 1, 0, p; }"
        : "=r"(is_less)
        : "r"(-5), "r"(3));
    out[5] = is_less;
    asm volatile("{ .reg .pred q;\n setp.ne.u32 q, %1, 0;\n @q mov.u64 %0, 99;\n @!q mov.u64 %0, 1; }"
                 : "=l"(out[6])
                 : "r"(lane() == 0));
    unsigned old;
    asm volatile("atom.add.release.sys.global.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(in), "r"(5)
                 : "memory");
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 7;" ::"l"(in + 1));
    out[7] = old;
    asm volatile("membar.gl;");
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    asm volatile("" ::: "memory");
    uint4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4+16];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(in));
    out[8] = v.x + v.y * 10 + v.z * 100 + v.w * 1000;
    short s = -3;
    asm("cvt.s32.s16 %0, %1;" : "=r"(is_less) : "h"(s));
    out[9] = (unsigned long long)(long long)is_less;
    float f;
    asm("add.f32 %0, %1, 0f3F800000;" : "=f"(f) : "f"(2.5f));
    out[10] = (unsigned long long)(f * 2);
    unsigned field;
    asm("bfe.u32 %0, %1, 4, 8;" : "=r"(field) : "r"(0xabcdef));
    out[11] = field;
    asm("shf.l.wrap.b32 %0, %1, %2, 8;" : "=r"(field) : "r"(0x11223344), "r"(0x55667788));
    out[12] = field;
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(field) : "r"(0x80000000), "r"(6));
    out[13] = field;
}

/* All forms of a shuffle, whole warps and segments of eight lanes. */
__global__ void shuffles(unsigned *out)
{
    unsigned l = lane(), v = l * 3 + 1, r = 0, ok = 0;

    asm volatile("shfl.sync.idx.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=r"(r) : "r"(v));
    ok |= (r == 16) << 0;
    asm volatile("shfl.sync.up.b32 %0, %1, 2, 0x0, -1;" : "=r"(r) : "r"(v));
    ok |= (r == (l < 2 ? v : v - 6)) << 1;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, %3, %4;"
                 : "=r"(r)
                 : "r"(v), "r"(3), "r"(0x1f), "r"(~0u));
    ok |= (r == (l > 28 ? v : v + 9)) << 2;
    asm volatile("shfl.sync.bfly.b32 %0, %1, 16, 31, 0xffffffff;" : "=r"(r) : "r"(v));
    ok |= (r == (l ^ 16) * 3 + 1) << 3;
    int inside;
    asm volatile("{ .reg .pred p;\n\t"
                 "shfl.sync.down.b32 %0|p, %2, 1, 0x181f, 0xffffffff;\n\t"
                 "selp.s32 %1, 1, 0, p; }"
                 : "=r"(r), "=r"(inside)
                 : "r"(v));
    ok |= (r == (l % 8 == 7 ? v : v + 3) && inside == (l % 8 != 7)) << 4;
    asm volatile("shfl.sync.idx.b32 %0, %1, 2, 0x181f, -1;" : "=r"(r) : "r"(v));
    ok |= (r == (l / 8 * 8 + 2) * 3 + 1) << 5;
    out[l] = ok;
}

__global__ void logic(unsigned *out)
{
    unsigned a = 0xf0f0a5a5, b = 0xcccc3c3c, c = 0xaaaa0ff0;

    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(out[0]) : "r"(a), "r"(b), "r"(c));
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(out[1]) : "r"(a), "r"(b), "r"(c));
    asm("lop3.b32 %0, %1, %2, %3, 0;" : "=r"(out[2]) : "r"(a), "r"(b), "r"(c));
    out[3] = a ^ b ^ c;
    out[4] = (a & b) | (~a & c);
}

__global__ void handshake(unsigned *flag, unsigned *out)
{
    if (blockIdx.x == 0) {
        while (load_acquire(flag) != 4)
            ;
        *out = load_acquire(flag + 1);
    } else {
        flag[1] = 17;
        store_release(flag, 4);
    }
}

/* Not PTX: code of the host. */
static unsigned long long host_counter()
{
    unsigned low = 1, high = 0;
#ifdef __x86_64__
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
#endif
    return (unsigned long long)high << 32 | low;
}

int main()
{
    unsigned long long *out;
    unsigned *in;

    OK(cudaMallocManaged(&out, 16 * sizeof(*out)));
    OK(cudaMallocManaged(&in, 32 * sizeof(*in)));
    for (unsigned i = 0; i < 32; i++)
        in[i] = i;
    simple<<<1, 1>>>(out, in);
    OK(cudaDeviceSynchronize());
    CHECK(out[0] >= 2000 && out[0] < 60000000000ull);
    CHECK(out[1] >= 2000);
    CHECK(out[2] == 0x44332211);
    CHECK(out[3] == 0x1122334455667788ull);
    CHECK(out[4] == 0x55667789u - 0x11223344u);
    CHECK(out[5] == 1 && out[6] == 99 && out[7] == 0 && in[0] == 5 && in[1] == 8);
    CHECK(out[8] == 4 + 50 + 600 + 7000);
    CHECK((long long)out[9] == -3 && out[10] == 7 && out[11] == 0xde);
    CHECK(out[12] == 0x66778811 && out[13] == 3);
    shuffles<<<1, 32>>>(in);
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 32; i++)
        CHECK(in[i] == 0x3f);
    logic<<<1, 1>>>(in);
    OK(cudaDeviceSynchronize());
    CHECK(in[0] == in[3] && in[1] == in[4] && in[2] == 0);
    in[0] = in[1] = 0;
    handshake<<<2, 1>>>(in, in + 2);
    OK(cudaDeviceSynchronize());
    CHECK(in[2] == 17);
    CHECK(host_counter() > 0);
    return 0;
}
