/* SPDX-License-Identifier: BSD-3-Clause */
/* Semaphores between blocks and with the CPU; elements of buffer arrays; copies that kernels start. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
// SAYS: doca_gpu_dev_buf_get_buf\(\): element 8 of 8, the last one is taken
#include "nic.h"

#include <doca_gpunetio_dev_buf.cuh>
#include <doca_gpunetio_dev_dma.cuh>
#include <doca_gpunetio_dev_sem.cuh>

#define FREE  DOCA_GPU_SEMAPHORE_STATUS_FREE
#define READY DOCA_GPU_SEMAPHORE_STATUS_READY
#define DONE  DOCA_GPU_SEMAPHORE_STATUS_DONE
#define HOLD  DOCA_GPU_SEMAPHORE_STATUS_HOLD

static const uint32_t ITEMS = 5; /* no power of two */

struct info {
    uint64_t value, echo;
};

static doca_gpu_semaphore_gpu *semaphore()
{
    doca_gpu_semaphore_gpu *sem = gpu_array<doca_gpu_semaphore_gpu>(1);

    *sem = {OPENDOCA_GPU_SEM_MAGIC, OPENDOCA_GPU_VERSION, ITEMS, sizeof(info),
            (uint64_t)gpu_array<opendoca_gpu_sem_item>(ITEMS), (uint64_t)gpu_array<info>(ITEMS)};
    return sem;
}

/* Block 0 gives work to block 1, and takes it back from the CPU. */
__global__ void relay(doca_gpu_semaphore_gpu *one, doca_gpu_semaphore_gpu *two, uint64_t rounds, int *wrong)
{
    for (uint64_t i = 0; i < rounds; i++) {
        uint32_t idx = (uint32_t)(i % ITEMS), num = 0;
        uint64_t first = 0;
        enum doca_gpu_semaphore_status status;
        info *at;

        if (blockIdx.x == 0) {
            do {
                CHECK_IN_KERNEL(doca_gpu_dev_semaphore_get_status(one, idx, &status) == DOCA_SUCCESS, wrong);
            } while (status != FREE);
            CHECK_IN_KERNEL(doca_gpu_dev_semaphore_get_custom_info_addr(one, idx, (void **)&at) == DOCA_SUCCESS,
                            wrong);
            CHECK_IN_KERNEL(i < ITEMS || at->echo == (i - ITEMS) * 3, wrong);
            at->value = i * 3;
            CHECK_IN_KERNEL(doca_gpu_dev_semaphore_set_packet_info(one, idx, READY, (uint32_t)i, i << 20) ==
                                DOCA_SUCCESS, wrong);
        } else {
            while (doca_gpu_dev_semaphore_get_packet_info_status(one, idx, READY, &num, &first) ==
                   DOCA_ERROR_NOT_FOUND)
                ;
            CHECK_IN_KERNEL(num == (uint32_t)i && first == i << 20, wrong);
            doca_gpu_dev_semaphore_get_custom_info_addr(one, idx, (void **)&at);
            at->echo = at->value;
            CHECK_IN_KERNEL(doca_gpu_dev_semaphore_set_status_cas(one, idx, READY, HOLD) == DOCA_SUCCESS, wrong);
            while (doca_gpu_dev_semaphore_set_status_cas(two, idx, FREE, DONE) == DOCA_ERROR_NOT_PERMITTED)
                ;
        }
    }
}

static void check_relay(int *wrong)
{
    doca_gpu_semaphore_gpu *one = semaphore(), *two = semaphore();
    opendoca_gpu_sem_item *ones = (opendoca_gpu_sem_item *)one->items;
    opendoca_gpu_sem_item *twos = (opendoca_gpu_sem_item *)two->items;

    relay<<<2, 1>>>(one, two, 2000, wrong);
    for (uint64_t i = 0; i < 2000; i++) {
        while (opendoca_gpu_observe32(&twos[i % ITEMS].status) != DONE)
            ;
        CHECK(((info *)one->custom)[i % ITEMS].echo == i * 3);
        opendoca_gpu_publish32(&twos[i % ITEMS].status, FREE);
        opendoca_gpu_publish32(&ones[i % ITEMS].status, FREE);
    }
    OK(cudaDeviceSynchronize());
}

__global__ void refusals(doca_gpu_semaphore_gpu *sem, int *wrong)
{
    enum doca_gpu_semaphore_status status;
    uint32_t num = 0;
    uint64_t first = 0;
    void *at = NULL;
    const doca_error_t invalid = DOCA_ERROR_INVALID_VALUE;

    CHECK_IN_KERNEL(doca_gpu_dev_semaphore_set_status(NULL, 0, READY) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_semaphore_set_status(sem, ITEMS, READY) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_semaphore_set_status_cas(sem, ITEMS, READY, FREE) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_semaphore_set_packet_info(sem, ITEMS, READY, 0, 0) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_semaphore_get_status(sem, 0, NULL) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_semaphore_get_packet_info(sem, 0, &status, NULL, &first) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_semaphore_get_packet_info_status(sem, 0, FREE, &num, NULL) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_semaphore_get_custom_info_addr(sem, ITEMS, &at) == invalid, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_semaphore_get_custom_info_addr(sem, 0, &at) == invalid && !at, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_sem_get_packet_info(sem, ITEMS - 1, &status, &num, &first) == DOCA_SUCCESS &&
                        status == FREE, wrong);
}

/* Every thread copies an element of one array to one of another; 72 copies in a queue of 16. */
__global__ void copies(doca_gpu_dma *dma, doca_gpu_buf_arr *from, doca_gpu_buf_arr *to, int *wrong)
{
    doca_gpu_buf *src, *dst;
    doca_error_t code;

    doca_gpu_dev_buf_get_buf(from, threadIdx.x, &src);
    doca_gpu_dev_buf_get_buf(to, 7 - threadIdx.x, &dst);
    for (int i = 0; i < 9; i++) {
        code = DOCA_ERROR_NO_MEMORY;
        do {
            if (code == DOCA_ERROR_NO_MEMORY)
                code = doca_gpu_dev_dma_memcpy(dma, src, 8 * i, dst, 8 * (8 - i), 8);
            __syncthreads();
            if (threadIdx.x == 0)
                CHECK_IN_KERNEL(doca_gpu_dev_dma_commit(dma) == DOCA_SUCCESS, wrong);
        } while (__syncthreads_or(code == DOCA_ERROR_NO_MEMORY));
        CHECK_IN_KERNEL(code == DOCA_SUCCESS, wrong);
    }
    CHECK_IN_KERNEL(doca_gpu_dev_dma_memcpy(dma, src, 1, dst, 0, 72) == DOCA_ERROR_INVALID_VALUE, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_dma_memcpy(dma, src, 0, dst, 73, ~0ull) == DOCA_ERROR_INVALID_VALUE, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_dma_memcpy(dma, NULL, 0, dst, 0, 1) == DOCA_ERROR_INVALID_VALUE, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_dma_commit(NULL) == DOCA_ERROR_INVALID_VALUE, wrong);
}

static doca_gpu_buf_arr *buffers(uint32_t num, uint32_t stride, uint32_t key)
{
    doca_gpu_buf_arr *array = gpu_array<doca_gpu_buf_arr>(1);
    doca_gpu_buf *bufs = gpu_array<doca_gpu_buf>(num);
    uint64_t base = (uint64_t)gpu_array<uint8_t>((size_t)num * stride);

    for (uint32_t i = 0; i < num; i++)
        bufs[i] = {base + (uint64_t)i * stride, key, stride};
    *array = {OPENDOCA_GPU_BUFS_MAGIC, OPENDOCA_GPU_VERSION, num, base, stride, key, 0, (uint64_t)bufs};
    return array;
}

/* The worker: one copy at a time, as it is committed. */
static void copy_on(doca_gpu_dma *dma, uint64_t total)
{
    opendoca_gpu_dma_words *words = (opendoca_gpu_dma_words *)dma->words;

    for (uint64_t done = 0; done < total;) {
        if (opendoca_gpu_observe(&words->committed) == done)
            continue;
        const opendoca_gpu_dma_copy *c = (opendoca_gpu_dma_copy *)dma->copies + done % dma->num;
        CHECK(c->src_key_be == 11 && c->dst_key_be == 22);
        memcpy((void *)c->dst, (void *)c->src, c->bytes);
        opendoca_gpu_publish(&words->done, ++done);
    }
}

static void check_copies(int *wrong)
{
    doca_gpu_dma *dma = gpu_array<doca_gpu_dma>(1);
    doca_gpu_buf_arr *from = buffers(8, 72, 11), *to = buffers(8, 72, 22);

    *dma = {OPENDOCA_GPU_DMA_MAGIC, OPENDOCA_GPU_VERSION, (uint64_t)gpu_array<opendoca_gpu_dma_words>(1),
            (uint64_t)gpu_array<opendoca_gpu_dma_copy>(16), 16, 0, 0};
    for (uint64_t i = 0; i < 72; i++)
        ((uint64_t *)from->base)[i] = i;
    copies<<<1, 8>>>(dma, from, to, wrong);
    copy_on(dma, 72);
    OK(cudaDeviceSynchronize());
    for (uint64_t i = 0; i < 72; i++)
        CHECK(((uint64_t *)to->base)[(7 - i / 9) * 9 + 8 - i % 9] == i);
}

__global__ void elements(doca_gpu_buf_arr *array, int *wrong)
{
    doca_gpu_buf *buf, *made, *again;
    uintptr_t addr;
    uint32_t key;

    for (uint64_t i = 0; i < 9; i++) {
        doca_gpu_dev_buf_get_buf(array, i, &buf);
        doca_gpu_dev_buf_get_addr(buf, &addr);
        doca_gpu_dev_buf_get_mkey(buf, &key);
        CHECK_IN_KERNEL(addr == array->base + (i < 8 ? i : 7) * 100 && key == 33, wrong);
    }
    doca_gpu_dev_buf_create(4711, 44, &made);
    for (int i = 0; i < 1000; i++)
        doca_gpu_dev_buf_create(1, 2, &again);
    doca_gpu_dev_buf_get_addr(made, &addr);
    doca_gpu_dev_buf_get_mkey(made, &key);
    CHECK_IN_KERNEL(addr == 4711 && key == 44, wrong);
}

int main()
{
    int *wrong = gpu_array<int>(1);
    doca_gpu_semaphore_gpu *plain = semaphore();

    check_relay(wrong);
    plain->custom = 0;
    refusals<<<1, 1>>>(plain, wrong);
    OK(cudaDeviceSynchronize());
    elements<<<1, 1>>>(buffers(8, 100, 33), wrong);
    OK(cudaDeviceSynchronize());
    check_copies(wrong);
    CHECK(*wrong == 0);
    return 0;
}
