/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that a program reads itself, with slots that it gives back later than it consumes records. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "nic.h"

__global__ void raw(doca_gpu_eth_rxq *q, uint64_t total, int *wrong)
{
    uint64_t freed = 0;

    for (uint64_t seen = 0; seen < total;) {
        uint32_t ready = 0;

        while (ready < 5) {
            uint64_t at = q->cqe_ci + ready;
            volatile struct mlx5_cqe64 *cqe = (volatile struct mlx5_cqe64 *)q->cqe_addr + (at & q->cqe_mask);
            uint8_t op_own = doca_gpu_dev_eth_load_relaxed_sys_global((uint8_t *)&cqe->op_own);

            if (op_own >> DOCA_GPUNETIO_ETH_MLX5_CQE_OPCODE_SHIFT == MLX5_CQE_INVALID ||
                (op_own & MLX5_CQE_OWNER_MASK) != !!(at & q->cqe_num))
                break;
            CHECK_IN_KERNEL(DOCA_GPUNETIO_ETH_BSWAP16(cqe->wqe_counter) == (uint16_t)at, wrong);
            ready++;
        }
        if (!ready)
            continue;
        doca_gpu_dev_eth_rxq_mcst(&q->mcst_qp);
        doca_gpu_dev_eth_rxq_submit_cq_dbr(q, q->cqe_ci + ready);
        seen += ready;
        if (seen - freed > 20 || seen >= total) {
            doca_gpu_dev_eth_rxq_submit_dbr(q, q->wqe_pi + (seen - freed));
            freed = seen;
        }
    }
}

static void check(uint32_t slots, uint64_t total, int *wrong)
{
    rx_end nic(slots, 64);

    raw<<<1, 1>>>(nic.q, total, wrong);
    while (nic.stored < total) {
        if (!nic.store()) /* exactly the ring is held */
            sched_yield();
    }
    OK(cudaDeviceSynchronize());
    CHECK(nic.words->posted == total + slots && nic.words->consumed == total);
}

int main()
{
    int *wrong = gpu_array<int>(1);

    check(32, 3000, wrong);
    check(1024, 1000000, wrong);
    CHECK(*wrong == 0);
    return 0;
}
