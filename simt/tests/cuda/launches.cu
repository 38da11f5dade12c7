/* SPDX-License-Identifier: BSD-3-Clause */
/* All forms of launches. */
#include <vector>

#include "check.h"

struct triple {
    int a, b, c;
};

__global__ void set(int *p, int v)
{
    *p += v;
}

__global__ void with_null(int *p, const char *name, float f, triple t)
{
    *p += name ? 1000 : (int)(f * 2) + t.b;
}

template <class T, int N> __global__ void templated(T *p, T v)
{
    *p += v * N;
}

template <class T> __global__ void deduced(T *p, const T *other, int n)
{
    *p += other ? 1000 : n;
}

template <int N, class T> __global__ void partly_deduced(T *p)
{
    *p += N;
}

__global__ void overloaded(int *p)
{
    *p += 1;
}

__global__ void overloaded(int *p, int v)
{
    *p += v;
}

namespace inner
{
__global__ void named(int *p)
{
    *p += 7;
}
} // namespace inner

static __global__ __launch_bounds__(64, 2) void bounded(int *p)
{
    if (threadIdx.x == 0)
        *p += 3;
}

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)

extern "C" void through_c(int *p, cudaStream_t stream)
{
    set<<<1, 1, 0, stream>>>(p, 1);
}

template <class T> void from_template(T *p)
{
    templated<T, 2><<<1, 1>>>(p, (T)4);
    deduced<T><<<1, 1>>>(p, nullptr, 2);
}

__device__ int on_device(int x)
{
    auto square = [] __device__(int y) { return y * y; };
    return square(x);
}

template <class F> __global__ void call(F f, int *p)
{
    *p += f(3);
}

static int blocks()
{
    return 1;
}

int main()
{
    int *p, expected = 0;
    cudaStream_t stream;
    std::vector<void (*)(int *, int)> table = {set};
    auto pointer = &templated<int, 5>;

    OK(cudaMallocManaged(&p, sizeof(*p)));
    OK(cudaStreamCreate(&stream));
    *p = 0;
#define EXPECT(n)                                                                                  \
    OK(cudaDeviceSynchronize());                                                                   \
    OK(cudaGetLastError());                                                                        \
    expected += n;                                                                                 \
    CHECK(*p == expected)

    set<<<1, 1>>>(p, 2);
    EXPECT(2);
    set
        <<<
            dim3(1),
            1
        >>>
        (p,
         3);
    EXPECT(3);
    set<<<{1, 1, 1}, {1}, 0, 0>>>(p, 'a' - '`');
    EXPECT(1);
    with_null<<<1, 1>>>(p, 0, 2, {1, 2, 3});
    EXPECT(6);
    with_null<<<1, 1>>>(p, NULL, 2.5f, triple{1, 5, 3});
    EXPECT(10);
    templated<int, 3><<<1, 1>>>(p, 4);
    EXPECT(12);
    templated<int, (3 > 2)><<<1, 1>>>(p, 4);
    EXPECT(4);
    templated<
        int,
        (3 >> 1) + 1
        >
        <<<1,
           dim3(1)
        >>>(
        p, 5);
    EXPECT(10);
    LAUNCH((templated<int, 3>), p, 2);
    EXPECT(6);
    LAUNCH(with_null, p, 0, 1, {1, 2, 3});
    EXPECT(4);
    deduced<<<1, 1>>>(p, p, 4);
    EXPECT(1000);
    deduced<int><<<1, 1>>>(p, 0, 4);
    EXPECT(4);
    partly_deduced<9><<<1, 1>>>(p);
    EXPECT(9);
    overloaded<<<1, 1>>>(p);
    overloaded<<<1, 1>>>(p, 20);
    EXPECT(21);
    inner::named<<<blocks(), 1>>>(p);
    ::inner::named<<<std::max<int>(1, 0), 1>>>(p);
    EXPECT(14);
    bounded<<<1, 64, 0, stream>>>(p);
    EXPECT(3);
    LAUNCH(set, p, 8);
    EXPECT(8);
    through_c(p, stream);
    EXPECT(1);
    from_template(p);
    EXPECT(10);
    table[0]<<<1, 1>>>(p, 6);
    EXPECT(6);
    pointer<<<1, 1>>>(p, 2);
    (*pointer)<<<1, 1>>>(p, 1);
    EXPECT(15);
    int scale = 2;
    call<<<1, 1>>>([=] __device__(int x) { return on_device(x) * scale; }, p);
    EXPECT(18);
    if (expected)
        set<<<1, 1>>>(p, 1);
    else
        set<<<1, 1>>>(p, 2);
    EXPECT(1);

    /* By address. */
    int v = 30;
    void *arguments[] = {&p, &v};
    OK(cudaLaunchKernel((const void *)set, dim3(1), dim3(1), arguments, 0, stream));
    OK(cudaLaunchKernel((void *)templated<int, 2>, 1, 1, arguments, 0, stream));
    EXPECT(90);
    const void *address = (const void *)inner::named;
    OK(cudaLaunchKernel(address, 1, 1, arguments, 0, stream));
    EXPECT(7);
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, set));
    CHECK(attributes.maxThreadsPerBlock == 1024);

    /* What cannot be launched is not. */
    set<<<0, 1>>>(p, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    set<<<1, 1025>>>(p, 1);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaSuccess);
    set<<<1, 1, 300 * 1024>>>(p, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    EXPECT(0);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(p));
    return 0;
}
