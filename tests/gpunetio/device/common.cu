/* SPDX-License-Identifier: BSD-3-Clause */
/* What the device headers have in common: time, byte order, atomics, fences, locks. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
// SAYS: completion with an error: queue 7, counter 513, opcode 13, syndrome 0x15, vendor 0x2
#include "nic.h"

#define ALONE DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE
#define CTA   DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA
#define GPU   DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU

__global__ void alone(opendoca_gpu_cqe *cqe, int *wrong)
{
    uint64_t a = doca_gpu_dev_eth_query_globaltimer(), quarter[2] = {1, 2}, big = 5;
    uint8_t byte = 3;
    uint16_t half = 4;
    uint32_t word = 6;
    int32_t negative = -5;
    __attribute__((aligned(16))) uint64_t copy[2];

    CHECK_IN_KERNEL(doca_gpu_dev_eth_query_globaltimer() >= a && a > 1600000000ull * 1000000000, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_bswap64(0x0102030405060708) == 0x0807060504030201, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_bswap32(0x01020304) == 0x04030201, wrong);
    doca_gpu_dev_eth_store_wqe_seg(copy, quarter);
    CHECK_IN_KERNEL(copy[0] == 1 && copy[1] == 2, wrong);
    doca_gpu_dev_eth_store_relaxed_mmio(&copy[1], 9);
    CHECK_IN_KERNEL(copy[1] == 9, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_load_relaxed_sys_global(&byte) == 3, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_load_relaxed_sys_global(&half) == 4, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_load_relaxed_sys_global(&word) == 6, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_load_relaxed_sys_global(&big) == 5, wrong);
    CHECK_IN_KERNEL((doca_gpu_dev_eth_atomic_max<uint64_t, ALONE>(&big, 4)) == 5 && big == 5, wrong);
    CHECK_IN_KERNEL((doca_gpu_dev_eth_atomic_max<uint64_t, CTA, true>(&big, 8)) == 5 && big == 8, wrong);
    CHECK_IN_KERNEL((doca_gpu_dev_eth_atomic_max<int32_t, GPU>(&negative, -9)) == -5 && negative == -5, wrong);
    CHECK_IN_KERNEL((doca_gpu_dev_eth_atomic_max<int32_t, GPU>(&negative, 1)) == -5 && negative == 1, wrong);
    CHECK_IN_KERNEL((doca_gpu_dev_eth_atomic_add<uint32_t, ALONE>(&word, 4)) == 6 && word == 10, wrong);
    CHECK_IN_KERNEL((doca_gpu_dev_eth_atomic_read<uint32_t, ALONE>(&word)) == 10, wrong);
    CHECK_IN_KERNEL((doca_gpu_dev_eth_atomic_read<uint64_t, CTA>(&big)) == 8, wrong);
    CHECK_IN_KERNEL((doca_gpu_dev_eth_atomic_read<uint32_t, GPU>(&word)) == 10, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_prepare_dbr(0x12345) == 0x45230000, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_prepare_cq_dbr(0x81234567) == 0x67452300, wrong);
    DOCA_GPUNETIO_ETH_WRITE_ONCE(word, 77);
    CHECK_IN_KERNEL(DOCA_GPUNETIO_ETH_VOLATILE(word) == 77 && READ_ONCE(word) == 77, wrong);
    doca_gpu_dev_eth_print_cqe_err((volatile struct mlx5_cqe64 *)cqe);
}

/* What the lock guards is not atomic itself. */
template <enum doca_gpu_dev_eth_resource_sharing_mode share>
__global__ void counts(int *lock, uint64_t *guarded, uint64_t *added, uint64_t *most, int *wrong)
{
    const uint64_t mine = blockIdx.x * 1000 + threadIdx.x + blockDim.x * threadIdx.y;

    CHECK_IN_KERNEL(doca_gpu_dev_eth_get_lane_id() == (threadIdx.x + blockDim.x * threadIdx.y) % 32, wrong);
    for (int i = 0; i < 20; i++) {
        doca_gpu_dev_eth_lock<share>(lock);
        *guarded += 1;
        doca_gpu_dev_eth_unlock<share>(lock);
        doca_gpu_dev_eth_atomic_add<uint64_t, share>(added, 2);
        doca_gpu_dev_eth_atomic_max<uint64_t, share>(most, mine + 1);
        CHECK_IN_KERNEL((doca_gpu_dev_eth_atomic_read<uint64_t, share>(most)) > mine, wrong);
    }
    doca_gpu_dev_eth_fence_acquire<DOCA_GPUNETIO_ETH_SYNC_SCOPE_SYS>();
    doca_gpu_dev_eth_fence_release<DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU>();
    doca_gpu_dev_eth_fence_acquire<DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA>();
}

template <enum doca_gpu_dev_eth_resource_sharing_mode share>
static void check_counts(unsigned int blocks, dim3 threads, int *wrong)
{
    int *lock = gpu_array<int>(1);
    uint64_t *sums = gpu_array<uint64_t>(3), all = (uint64_t)blocks * threads.x * threads.y;

    counts<share><<<blocks, threads>>>(lock, &sums[0], &sums[1], &sums[2], wrong);
    OK(cudaDeviceSynchronize());
    CHECK(sums[0] == all * 20 && sums[1] == all * 40 && !*lock);
    CHECK(sums[2] == (blocks - 1) * 1000 + threads.x * threads.y);
    OK(cudaFree(sums));
    OK(cudaFree(lock));
}

int main()
{
    int *wrong = gpu_array<int>(1);
    opendoca_gpu_cqe *cqe = gpu_array<opendoca_gpu_cqe>(1);

    cqe->queue = 7;
    cqe->time_be = opendoca_gpu_syndromes(2, OPENDOCA_GPU_SYNDROME_PORT);
    cqe->tail = opendoca_gpu_cqe_tail(OPENDOCA_GPU_CQE_TX_ERROR, 1, 513);
    alone<<<1, 1>>>(cqe, wrong);
    OK(cudaDeviceSynchronize());
    check_counts<ALONE>(1, 1, wrong);
    check_counts<CTA>(1, dim3(20, 5), wrong);
    check_counts<GPU>(4, 40, wrong);
    CHECK(*wrong == 0);
    return 0;
}
