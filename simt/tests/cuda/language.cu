/* SPDX-License-Identifier: BSD-3-Clause */
/* Corners of the language: where specifiers, shared memory and PTX may stand. */
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

extern __shared__ unsigned long long dynamic_at_file_scope[];
__shared__ int static_at_file_scope[4];

#define SHARED_IN_MACRO(type, name) __shared__ type name

struct plain {
    int a;
    __device__ __host__ int twice() const
    {
        return 2 * a;
    }
    __device__ unsigned lane() const
    {
        unsigned l;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
        return l;
    }
};

template <class T> struct generic {
    static __device__ T add(T a, T b);
};

template <class T> __device__ T generic<T>::add(T a, T b)
{
    return a + b;
}

namespace
{
__device__ __noinline__ int not_inlined(int x)
{
    return x + 1;
}
} // namespace

__device__ __constant__ const int table[3] = {1, 2, 3};
static __device__ volatile int counter = 5;

__global__ void scopes(int *out, const plain p)
{
    SHARED_IN_MACRO(volatile int, single);
    __shared__ int first[4], second[2][2];
    static __shared__ double also_static;
    __shared__ __align__(16) char aligned[32];
    __shared__ plain object;

    if (threadIdx.x == 0) {
        dynamic_at_file_scope[1] = 11;
        static_at_file_scope[3] = 22;
        single = 33;
        first[3] = 44;
        second[1][1] = 55;
        also_static = 66;
        object.a = 77;
        aligned[0] = 0;
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        out[0] = (int)dynamic_at_file_scope[1];
        out[1] = static_at_file_scope[3];
        out[2] = single;
        out[3] = first[3] + second[1][1];
        out[4] = (int)also_static;
        out[5] = object.twice() + p.twice();
        out[6] = generic<int>::add(table[2], counter);
        out[7] = not_inlined((int)p.lane());
        out[8] = (size_t)aligned % 16 == 0;
        clock_t c = clock();
        out[9] = c != 0;
        auto square = [&](int x) {
            unsigned t;
            asm("mul.lo.u32 %0, %1, %1;" : "=r"(t) : "r"(x));
            return (int)t;
        };
        out[10] = square(9);
    }
    int shifted = (int)threadIdx.x << 1 >> 1; /* no launch */
    if (shifted < 0)
        out[11] = shifted;
}

/* Two-dimensional dynamic memory, and two views of it. */
__global__ void views(int *out)
{
    extern __shared__ float matrix[][4];
    extern __shared__ char bytes[];

    matrix[1][2] = 1.0f;
    *out = bytes[(4 + 2) * 4 + 3];
}

template <int N> __global__ void unrolled(int *out)
{
    int sum = 0;

#pragma unroll
    for (int i = 0; i < N; i++)
        sum += i;
    *out = sum;
}

static std::string host_code()
{
    std::map<std::string, std::vector<int>> m = {{"a", {3, 1, 2}}};
    std::ostringstream text;

    std::sort(m["a"].begin(), m["a"].end(), std::less<int>());
    for (int x : m["a"])
        text << x << (x << 2 >> 1);
    text << R"(<<<not a launch>>>(x))";
    return text.str();
}

int main()
{
    int *out;

    OK(cudaMallocManaged(&out, 64 * sizeof(*out)));
    scopes<<<1, 64, 4096>>>(out, plain{100});
    OK(cudaDeviceSynchronize());
    const int wanted[] = {11, 22, 33, 99, 66, 354, 8, 32, 1, 1, 81};
    for (int i = 0; i < 11; i++)
        CHECK(out[i] == wanted[i]);
    views<<<1, 1, 256>>>(out);
    OK(cudaDeviceSynchronize());
    CHECK(*out == 0x3f);
    unrolled<10><<<1, 1>>>(out);
    OK(cudaDeviceSynchronize());
    CHECK(*out == 45);
    CHECK(host_code() == "1224" + std::string("36<<<not a launch>>>(x)"));
    CHECK(plain{4}.twice() == 8);
    std::thread([=] {
        unrolled<3><<<1, 1>>>(out);
        (void)cudaStreamSynchronize(0);
    }).join();
    CHECK(*out == 3);
    CHECK(threadIdx.x == 0 && gridDim.x == 0);
    return 0;
}
