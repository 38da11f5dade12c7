/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernel<<<grid, block, shared, stream>>>(arguments) is rewritten to. */
#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device_api.h"
#include "cuda_runtime_api.h"

extern "C" void simt_register_kernel(const void *function,
                                     void (*capture)(const void *function, void **arguments,
                                                     simt_kernel *kernel),
                                     const char *name);

namespace simt
{
struct config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    config(dim3 g, dim3 b, size_t s = 0, cudaStream_t st = 0)
        : grid(g), block(b), shared(s), stream(st)
    {
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
        if (!stream)
            stream = cudaStreamPerThread;
#endif
    }
};

/* A function with its arguments. */
template <class F, class... P> struct call {
    F function;
    std::tuple<P...> arguments;

    template <size_t... I> void run(std::index_sequence<I...>)
    {
        function(std::get<I>(arguments)...);
    }
    static void run_thread(void *self)
    {
#ifdef __cpp_exceptions
        try {
            static_cast<call *>(self)->run(std::index_sequence_for<P...>());
        } catch (const std::exception &e) {
            simt_uncaught(e.what());
        } catch (...) {
            simt_uncaught("not of type std::exception");
        }
#else
        static_cast<call *>(self)->run(std::index_sequence_for<P...>());
#endif
    }
    static void destroy(void *self)
    {
        delete static_cast<call *>(self);
    }
    simt_kernel kernel(const char *name, const void *address)
    {
        return {run_thread, destroy, this, address, name};
    }
};

template <class... P> struct launcher {
    void (*function)(P...);
    const char *name;
    config c;

    void operator()(P... p) const
    {
        using stored = call<void (*)(P...), std::remove_cv_t<P>...>;
        auto *s = new stored{function, std::tuple<std::remove_cv_t<P>...>(std::move(p)...)};
        simt_kernel k = s->kernel(name, (const void *)function);
        (void)simt_launch(&k, c.grid, c.block, c.shared, c.stream);
    }
};

template <class... P> launcher<P...> launch(void (*function)(P...), const char *name, config c)
{
    return {function, name, c};
}

/* Kernels whose template arguments are left to deduce. */
template <class F> struct deducing_launcher {
    F function;
    const char *name;
    config c;

    template <class... P> void operator()(P... p) const
    {
        using stored = call<F, P...>;
        auto *s = new stored{function, std::tuple<P...>(std::move(p)...)};
        simt_kernel k = s->kernel(name, nullptr);
        (void)simt_launch(&k, c.grid, c.block, c.shared, c.stream);
    }
};

template <class F> deducing_launcher<F> launch_deduced(F function, const char *name, config c)
{
    return {function, name, c};
}

/* A literal 0 or NULL on its way through deduction. */
struct zero_t {
    template <class T,
              class = std::enable_if_t<std::is_pointer<T>::value || std::is_arithmetic<T>::value>>
    operator T() const
    {
        return T();
    }
};

/* cudaLaunchKernel(): arguments by address. */
template <class... P> struct by_address {
    using stored = call<void (*)(P...), std::remove_cv_t<P>...>;

    template <size_t... I>
    static stored *copy(void (*function)(P...), void **a, std::index_sequence<I...>)
    {
        (void)a;
        return new stored{function, std::tuple<std::remove_cv_t<P>...>(
                                        *static_cast<std::remove_cv_t<P> *>(a[I])...)};
    }
    static void capture(const void *function, void **arguments, simt_kernel *kernel)
    {
        auto *f = (void (*)(P...))function;
        *kernel = copy(f, arguments, std::index_sequence_for<P...>())->kernel(nullptr, function);
    }
};

template <class... P> int know(void (*function)(P...), const char *name)
{
    simt_register_kernel((const void *)function, by_address<P...>::capture, name);
    return 0;
}
} // namespace simt

template <class... P>
static inline cudaError_t cudaLaunchKernel(void (*function)(P...), dim3 grid, dim3 block,
                                           void **arguments, size_t shared = 0,
                                           cudaStream_t stream = 0)
{
    simt_kernel k;
    simt::config c(grid, block, shared, stream);
    simt::by_address<P...>::capture((const void *)function, arguments, &k);
    k.name = "cudaLaunchKernel";
    return simt_launch(&k, c.grid, c.block, c.shared, c.stream);
}

#endif
