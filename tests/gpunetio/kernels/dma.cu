/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies that kernels start: between memory of the process and of the GPU, made when the CPU is
 * told of the kernel's end; bad ones are left out, and the queue goes on. (GD-1) */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#include <doca_buf_array.h>
#include <doca_dma.h>
#include <doca_gpunetio_dev_buf.cuh>
#include <doca_gpunetio_dev_dma.cuh>

#define ELEMENTS 64u
#define BYTES    4096u
#define LARGE    (3u << 20)

enum word { WRONG, FAILED, WORDS };

/* Elements of `len` bytes over a map, for kernels. */
struct buffers {
    struct doca_buf_arr *arr;
    struct doca_gpu_buf_arr *handle;

    buffers(ends &e, struct doca_mmap *map, size_t num, size_t len)
    {
        OK(doca_buf_arr_create(num, &arr));
        OK(doca_buf_arr_set_target_gpu(arr, e.gpu));
        OK(doca_buf_arr_set_params(arr, map, len, 0));
        OK(doca_buf_arr_start(arr));
        OK(doca_buf_arr_get_gpu_handle(arr, &handle));
    }
    ~buffers()
    {
        OK(doca_buf_arr_destroy(arr));
    }
};

/* Memory of the process, in a map of device 0. */
struct host {
    char *at;
    struct doca_mmap *map;

    host(ends &e, size_t size) : at((char *)calloc(1, size))
    {
        OK(doca_mmap_create(&map));
        OK(doca_mmap_add_dev(map, e.dev[0]));
        OK(doca_mmap_set_memrange(map, at, size));
        OK(doca_mmap_start(map));
    }
    ~host()
    {
        OK(doca_mmap_destroy(map));
        free(at);
    }
};

struct copier {
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_gpu_dma *handle;

    explicit copier(ends &e)
    {
        OK(doca_dma_create(e.dev[0], &dma));
        ctx = doca_dma_as_ctx(dma);
        OK(doca_ctx_set_datapath_on_gpu(ctx, e.gpu));
        OK(doca_ctx_start(ctx));
        OK(doca_dma_get_gpu_handle(dma, &handle));
    }
    ~copier()
    {
        OK(doca_ctx_stop(ctx));
        OK(doca_dma_destroy(dma));
    }
};

/* Each thread copies its element, round by round; with a full queue it tries again. */
__global__ void copy_all(struct doca_gpu_dma *dma, struct doca_gpu_buf_arr *from,
                         struct doca_gpu_buf_arr *to, uint64_t bytes, uint32_t rounds,
                         uint64_t *words)
{
    struct doca_gpu_buf *src, *dst;

    doca_gpu_dev_buf_get_buf(from, threadIdx.x, &src);
    doca_gpu_dev_buf_get_buf(to, threadIdx.x, &dst);
    for (uint32_t round = 0; round < rounds; round++) {
        doca_error_t code = DOCA_ERROR_NO_MEMORY;

        do {
            if (code == DOCA_ERROR_NO_MEMORY)
                code = doca_gpu_dev_dma_memcpy(dma, src, 0, dst, 0, bytes);
            __syncthreads();
            if (threadIdx.x == 0 && doca_gpu_dev_dma_commit(dma) != DOCA_SUCCESS)
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
        } while (__syncthreads_or(code == DOCA_ERROR_NO_MEMORY));
        if (code != DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
    }
}

/* What a kernel may get wrong: keys and addresses that it made up; then a copy that is fine. */
__global__ void copy_badly(struct doca_gpu_dma *dma, struct doca_gpu_buf_arr *from,
                           struct doca_gpu_buf_arr *to, uint64_t elsewhere, uint64_t *words)
{
    const struct opendoca_gpu_dma_words *w = (const struct opendoca_gpu_dma_words *)dma->words;
    struct doca_gpu_buf *src, *dst, *made;

    doca_gpu_dev_buf_get_buf(from, 0, &src);
    doca_gpu_dev_buf_get_buf(to, 0, &dst);
    doca_gpu_dev_buf_create(src->addr, 0x12345678, &made);
    doca_gpu_dev_dma_memcpy(dma, made, 0, dst, 0, 8);
    doca_gpu_dev_buf_create(elsewhere, dst->key_be, &made);
    doca_gpu_dev_dma_memcpy(dma, src, 0, made, 0, 8);
    doca_gpu_dev_buf_create(src->addr, src->key_be, &made);
    doca_gpu_dev_dma_memcpy(dma, made, 0, dst, 0, 1);
    doca_gpu_dev_dma_memcpy(dma, made, 0x7fffffff, dst, 0, 8);
    if (doca_gpu_dev_dma_memcpy(dma, src, 0, dst, 16, 8) != DOCA_SUCCESS ||
        doca_gpu_dev_dma_commit(dma) != DOCA_SUCCESS)
        DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 3;
    while (opendoca_gpu_observe(&w->done) < opendoca_gpu_observe(&w->committed))
        opendoca_dev_pause();
    DOCA_GPUNETIO_VOLATILE(words[FAILED]) = opendoca_gpu_observe(&w->failed);
}

static char pattern(size_t at)
{
    return (char)(at * 7 + at / 251);
}

static void to_gpu_and_back(ends &e, enum doca_gpu_mem_type type, uint32_t rounds)
{
    host here(e, ELEMENTS * BYTES), there(e, ELEMENTS * BYTES);
    memory room(e, 0, ELEMENTS * BYTES, type);
    buffers from(e, here.map, ELEMENTS, BYTES), over(e, room.map, ELEMENTS, BYTES),
        to(e, there.map, ELEMENTS, BYTES);
    shared_words<uint64_t> words(e, WORDS);
    copier in(e), out(e);

    for (size_t i = 0; i < ELEMENTS * BYTES; i++)
        here.at[i] = pattern(i);
    copy_all<<<1, ELEMENTS>>>(in.handle, from.handle, over.handle, BYTES, rounds, words.gpu);
    CUDA(cudaDeviceSynchronize());
    copy_all<<<1, ELEMENTS>>>(out.handle, over.handle, to.handle, BYTES - 1, 1, words.gpu);
    CUDA(cudaDeviceSynchronize());
    for (size_t i = 0; i < ELEMENTS * BYTES; i++)
        CHECK(there.at[i] == (i % BYTES == BYTES - 1 ? 0 : pattern(i)));
    CHECK(words.cpu[WRONG] == 0);
}

static void large_copies(ends &e)
{
    host here(e, LARGE), there(e, LARGE);
    buffers from(e, here.map, 1, LARGE), to(e, there.map, 1, LARGE);
    shared_words<uint64_t> words(e, WORDS);
    copier in(e);

    for (size_t i = 0; i < LARGE; i++)
        here.at[i] = pattern(i);
    copy_all<<<1, 1>>>(in.handle, from.handle, to.handle, LARGE, 1, words.gpu);
    CUDA(cudaDeviceSynchronize());
    CHECK(memcmp(here.at, there.at, LARGE) == 0 && words.cpu[WRONG] == 0);
}

static void bad_copies(ends &e)
{
    host here(e, BYTES), there(e, BYTES);
    memory elsewhere(e, 0, BYTES, DOCA_GPU_MEM_TYPE_CPU_GPU);
    buffers from(e, here.map, 1, BYTES), to(e, there.map, 1, BYTES);
    shared_words<uint64_t> words(e, WORDS);
    copier in(e);

    memset(here.at, 'x', BYTES);
    copy_badly<<<1, 1>>>(in.handle, from.handle, to.handle, (uint64_t)elsewhere.gpu, words.gpu);
    CUDA(cudaDeviceSynchronize());
    printf("bad copies: %llu failed\n", (unsigned long long)words.cpu[FAILED]);
    CHECK(words.cpu[WRONG] == 0 && words.cpu[FAILED] == 3);
    CHECK(elsewhere.cpu[0] == 0 && there.at[0] == 'x' && there.at[1] == 0);
    for (int i = 2; i < 32; i++)
        CHECK(there.at[i] == (i >= 16 && i < 24 ? 'x' : 0));
}

static void all_copies()
{
    ends e;

    to_gpu_and_back(e, DOCA_GPU_MEM_TYPE_GPU, 1);
    to_gpu_and_back(e, DOCA_GPU_MEM_TYPE_GPU_CPU, 40);
    large_copies(e);
    bad_copies(e);
    printf("copies: right\n");
}

int main()
{
    return ends_on({"loop"}, all_copies);
}
