/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GPUNETIO_ENDS_H_
#define TESTS_GPUNETIO_ENDS_H_

/* Programs with kernels at both ends of a wire: queues of the library, device functions, and the
 * software NIC between them. */

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>
#include <initializer_list>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_dev.h>
#include <doca_error.h>
#include <doca_eth_rxq.h>
#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_gpunetio.h>
#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_eth_txq.cuh>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "lib/eth_wire.h"

/* Kernels and CPUs talk by volatile words, as programs of GPUNetIO do; to ThreadSanitizer these are
 * plain memory. There they are atomics, which carry what was written before. */
#ifdef __SANITIZE_THREAD__
template <typename T> struct told_word {
    T *at;

    operator T() const
    {
        return __atomic_load_n(at, __ATOMIC_ACQUIRE);
    }

    void operator=(T value) const
    {
        __atomic_store_n(at, value, __ATOMIC_RELEASE);
    }
};

template <typename T> static inline told_word<T> tell_word(T *at)
{
    return {at};
}

#undef DOCA_GPUNETIO_VOLATILE
#define DOCA_GPUNETIO_VOLATILE(word) tell_word(&(word))
#endif

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            ends_forget();                                                                         \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define OK(call)   CHECK((call) == DOCA_SUCCESS)
#define CUDA(call) CHECK((call) == cudaSuccess)

/* Under a sanitizer programs do less of the same. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ENDS_SANITIZED true
#else
#define ENDS_SANITIZED false
#endif

#define ENDS_SECONDS 60 /* what anything may take on a busy machine */

static inline void ends_forget()
{
    const char *path = getenv("OPENDOCA_CONFIG");

    if (path != nullptr)
        unlink(path);
}

/* ThreadSanitizer does not see that what comes out of Linux went into it before: to it slots and
 * frames that are written anew are races. */
static inline bool ends_can(const char *wire)
{
#ifdef __SANITIZE_THREAD__
    for (const struct eth_wire &known : eth_wires) {
        if (known.needs_kernel && strcmp(known.kind, wire) == 0)
            return false;
    }
#endif
    return wire != nullptr;
}

/* Runs the test over each of these wires, in a process of its own. What cannot be made is skipped;
 * the exit status of the program. */
static inline int ends_on(std::initializer_list<const char *> wires, void (*test)())
{
    int rc = ETH_SKIP;

    for (const char *wire : wires) {
        int status = 0;
        pid_t pid;

        if (!ends_can(wire))
            continue;
        printf("%s:\n", wire);
        fflush(nullptr);
        pid = fork();
        if (pid == 0) {
            rc = eth_wire_up(wire);
            if (rc == 0)
                test();
            fflush(nullptr);
            _exit(rc);
        }
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        if (!WIFEXITED(status)) {
            fprintf(stderr, "signal %d\n", WTERMSIG(status));
            return 1;
        }
        if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != ETH_SKIP)
            return WEXITSTATUS(status);
        rc = WEXITSTATUS(status) == 0 ? 0 : rc;
    }
    return rc;
}

struct ends {
    struct doca_gpu *gpu;
    struct doca_dev *dev[2];

    ends()
    {
        struct doca_devinfo **list;
        uint32_t num;

        OK(doca_devinfo_create_list(&list, &num));
        CHECK(num >= 2);
        OK(doca_dev_open(list[0], &dev[0]));
        OK(doca_dev_open(list[1], &dev[1]));
        OK(doca_devinfo_destroy_list(list));
        ends_forget();
        CUDA(cudaFree(0));
        OK(doca_gpu_create("0000:41:00.0", &gpu));
    }

    ~ends()
    {
        OK(doca_gpu_destroy(gpu));
        OK(doca_dev_close(dev[0]));
        OK(doca_dev_close(dev[1]));
    }
};

/* Memory of a GPU, in a map of one device. */
struct memory {
    ends &e;
    char *gpu, *cpu;
    struct doca_mmap *map;
    uint32_t key_be;

    memory(ends &e, int dev, size_t size, enum doca_gpu_mem_type type) : e(e)
    {
        uint32_t key;

        OK(doca_gpu_mem_alloc(e.gpu, size, 4096, type, (void **)&gpu, (void **)&cpu));
        OK(doca_mmap_create(&map));
        OK(doca_mmap_add_dev(map, e.dev[dev]));
        OK(doca_mmap_set_memrange(map, gpu, size));
        OK(doca_mmap_start(map));
        OK(doca_mmap_get_mkey(map, e.dev[dev], &key));
        key_be = __builtin_bswap32(key);
    }

    ~memory()
    {
        OK(doca_gpu_mem_free(e.gpu, gpu));
        OK(doca_mmap_destroy(map));
    }
};

struct receiver {
    memory packets;
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    struct doca_gpu_eth_rxq *handle;

    receiver(ends &e, int dev, uint32_t slots, uint32_t stride)
        : packets(e, dev, (size_t)slots * stride, DOCA_GPU_MEM_TYPE_GPU)
    {
        OK(doca_eth_rxq_create(e.dev[dev], slots, stride, &rxq));
        OK(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
        OK(doca_eth_rxq_set_pkt_buf(rxq, packets.map, 0, slots * stride));
        ctx = doca_eth_rxq_as_doca_ctx(rxq);
        OK(doca_ctx_set_datapath_on_gpu(ctx, e.gpu));
        OK(doca_ctx_start(ctx));
        OK(doca_eth_rxq_get_gpu_handle(rxq, &handle));
    }

    ~receiver()
    {
        OK(doca_ctx_stop(ctx));
        OK(doca_eth_rxq_destroy(rxq));
    }
};

struct sender {
    struct doca_eth_txq *txq;
    struct doca_ctx *ctx;
    struct doca_gpu_eth_txq *handle;

    sender(ends &e, int dev, uint32_t slots, bool proxy = false)
    {
        OK(doca_eth_txq_create(e.dev[dev], slots, &txq));
        OK(doca_eth_txq_set_l3_chksum_offload(txq, 1));
        OK(doca_eth_txq_set_l4_chksum_offload(txq, 1));
        OK(doca_eth_txq_set_wait_on_time_offload(txq));
        OK(doca_eth_txq_gpu_set_completion_on_gpu(txq));
        if (proxy)
            OK(doca_eth_txq_gpu_set_uar_on_cpu(txq));
        ctx = doca_eth_txq_as_doca_ctx(txq);
        OK(doca_ctx_set_datapath_on_gpu(ctx, e.gpu));
        OK(doca_ctx_start(ctx));
        OK(doca_eth_txq_get_gpu_handle(txq, &handle));
    }

    ~sender()
    {
        OK(doca_ctx_stop(ctx));
        OK(doca_eth_txq_destroy(txq));
    }
};

/* Words between kernels and CPU, zeros at first. */
template <typename T> struct shared_words {
    ends &e;
    T *gpu, *cpu;

    shared_words(ends &e, size_t num) : e(e)
    {
        OK(doca_gpu_mem_alloc(e.gpu, num * sizeof(T), 64, DOCA_GPU_MEM_TYPE_CPU_GPU, (void **)&gpu,
                              (void **)&cpu));
    }

    ~shared_words()
    {
        OK(doca_gpu_mem_free(e.gpu, gpu));
    }
};

static inline uint64_t now_ns()
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

template <typename Condition> static inline void await(Condition condition)
{
    const uint64_t end = now_ns() + ENDS_SECONDS * 1000000000ull;

    while (!condition()) {
        CHECK(now_ns() < end);
        sched_yield();
    }
}

/* Streams, so that kernels run beside each other. */
struct streams {
    cudaStream_t at[3];

    streams()
    {
        for (cudaStream_t &stream : at)
            CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }

    void wait()
    {
        for (cudaStream_t stream : at)
            CUDA(cudaStreamSynchronize(stream));
    }

    ~streams()
    {
        for (cudaStream_t stream : at)
            CUDA(cudaStreamDestroy(stream));
    }
};

/* A frame that tells itself apart: type 0x88b5 and, aligned, its number. */
static inline void make_frame(char *at, size_t len, uint32_t number)
{
    static const unsigned char head[14] = {0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x20,
                                           0x21, 0x22, 0x23, 0x24, 0x25, 0x88, 0xb5};

    memset(at, (int)number, len);
    memcpy(at, head, sizeof(head));
    memcpy(at + 16, &number, sizeof(number));
}

#endif /* TESTS_GPUNETIO_ENDS_H_ */
