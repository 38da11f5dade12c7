/* SPDX-License-Identifier: BSD-3-Clause */
/* Four rounds: the client writes two halves, each with an immediate, and waits for a byte that the server
 * writes when it has seen both; then a message with what the last round has left. */
#include <doca_gpunetio_dev_buf.cuh>
#include <doca_gpunetio_dev_rdma.cuh>
#include <doca_log.h>

#include "write.h"

DOCA_LOG_REGISTER(GPU_RDMA_WRITE::KERNEL);

/* Tells the line of what was wrong, and ends the kernel. */
#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            DOCA_GPUNETIO_VOLATILE(*wrong) = __LINE__;                                             \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#define WORKS(call) HOLDS((call) == DOCA_SUCCESS)

__global__ void server(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *data_arr,
                       struct doca_gpu_buf_arr *flag_arr, uint32_t connection, uint32_t *wrong)
{
    struct doca_gpu_buf *data, *flag;
    struct doca_gpu_dev_rdma_r *receives;
    uint32_t num, imm[2], from[2], position, mask;

    doca_gpu_dev_buf_get_buf(data_arr, 0, &data);
    doca_gpu_dev_buf_get_buf(flag_arr, 0, &flag);
    WORKS(doca_gpu_dev_rdma_get_recv(rdma, &receives));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint8_t round = (uint8_t)(i + 1);

        WORKS(doca_gpu_dev_rdma_recv_strong(receives, NULL, 0, 0, 0));
        WORKS(doca_gpu_dev_rdma_recv_strong(receives, NULL, 0, 0, 0));
        WORKS(doca_gpu_dev_rdma_recv_commit_strong(receives));
        WORKS(doca_gpu_dev_rdma_recv_wait_all(receives, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &num, imm,
                                              from));
        HOLDS(num == 2 && from[0] == connection && from[1] == connection);
        printf("connection %u: %u operations, immediates %u and %u\n", connection, num, imm[0], imm[1]);
        if (i % 2 == 0) {
            WORKS(doca_gpu_dev_rdma_write_inline_strong(rdma, connection, flag, 0, &round, 1, 0,
                                                        DOCA_GPU_RDMA_WRITE_FLAG_NONE));
            WORKS(doca_gpu_dev_rdma_commit_strong(rdma, connection));
        } else {
            WORKS(doca_gpu_dev_rdma_get_info(rdma, connection, &position, &mask));
            WORKS(doca_gpu_dev_rdma_write_inline_weak(rdma, connection, flag, 0, &round, 1, 0,
                                                      DOCA_GPU_RDMA_WRITE_FLAG_NONE,
                                                      position & mask));
            WORKS(doca_gpu_dev_rdma_commit_weak(rdma, connection, 1));
        }
        WORKS(doca_gpu_dev_rdma_wait_all(rdma, &num));
        HOLDS(num == 1);
    }
    WORKS(doca_gpu_dev_rdma_recv_strong(receives, data, HALF, INBOX, 0));
    WORKS(doca_gpu_dev_rdma_recv_commit_strong(receives));
    WORKS(doca_gpu_dev_rdma_recv_wait_all(receives, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &num, imm, from));
    HOLDS(num == 1 && imm[0] == ROUNDS && from[0] == connection);
}

__global__ void client(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *local_arr,
                       struct doca_gpu_buf_arr *remote_arr, struct doca_gpu_buf_arr *flag_arr,
                       uint32_t connection, uint32_t *go, uint32_t *wrong)
{
    struct doca_gpu_buf *local, *remote, *flag;
    uint32_t num, position, mask;
    uintptr_t bytes, byte;

    doca_gpu_dev_buf_get_buf(local_arr, 0, &local);
    doca_gpu_dev_buf_get_buf(remote_arr, 0, &remote);
    doca_gpu_dev_buf_get_buf(flag_arr, 0, &flag);
    doca_gpu_dev_buf_get_addr(local, &bytes);
    doca_gpu_dev_buf_get_addr(flag, &byte);
    while (DOCA_GPUNETIO_VOLATILE(*go) == 0)
        ;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        for (uint32_t at = 0; at < 2 * HALF; at++)
            ((uint8_t *)bytes)[at] = PATTERN(i, at);
        if (i % 2 == 0) {
            WORKS(doca_gpu_dev_rdma_write_strong(rdma, connection, remote, 0, local, 0, HALF, i,
                                                 DOCA_GPU_RDMA_WRITE_FLAG_IMM));
            WORKS(doca_gpu_dev_rdma_write_strong(rdma, connection, remote, HALF, local, HALF, HALF,
                                                 i + 1, DOCA_GPU_RDMA_WRITE_FLAG_IMM));
            WORKS(doca_gpu_dev_rdma_commit_strong(rdma, connection));
        } else {
            WORKS(doca_gpu_dev_rdma_get_info(rdma, connection, &position, &mask));
            HOLDS(position == 2 * i);
            WORKS(doca_gpu_dev_rdma_write_weak(rdma, connection, remote, 0, local, 0, HALF, i,
                                               DOCA_GPU_RDMA_WRITE_FLAG_IMM, position & mask));
            WORKS(doca_gpu_dev_rdma_write_weak(rdma, connection, remote, HALF, local, HALF, HALF,
                                               i + 1, DOCA_GPU_RDMA_WRITE_FLAG_IMM,
                                               (position + 1) & mask));
            WORKS(doca_gpu_dev_rdma_commit_weak(rdma, connection, 2));
        }
        while (DOCA_GPUNETIO_VOLATILE(*(uint8_t *)byte) != i + 1)
            ;
    }
    WORKS(doca_gpu_dev_rdma_wait_all(rdma, &num));
    printf("connection %u: %u commits\n", connection, num);
    HOLDS(num == ROUNDS);
    WORKS(doca_gpu_dev_rdma_send_strong(rdma, connection, local, HALF, HALF, ROUNDS,
                                        DOCA_GPU_RDMA_SEND_FLAG_IMM));
    WORKS(doca_gpu_dev_rdma_commit_strong(rdma, connection));
    WORKS(doca_gpu_dev_rdma_wait_all(rdma, &num));
    HOLDS(num == 1);
}

static doca_error_t code(cudaError_t error)
{
    if (error == cudaSuccess)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("CUDA: %s", cudaGetErrorString(error));
    return DOCA_ERROR_BAD_STATE;
}

extern "C" {

doca_error_t start_server(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *data,
                          struct doca_gpu_buf_arr *flag, uint32_t connection, uint32_t *wrong)
{
    server<<<1, 1>>>(rdma, data, flag, connection, wrong);
    return code(cudaGetLastError());
}

doca_error_t start_client(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *local,
                          struct doca_gpu_buf_arr *remote, struct doca_gpu_buf_arr *flag,
                          uint32_t connection, uint32_t *go, uint32_t *wrong)
{
    client<<<1, 1>>>(rdma, local, remote, flag, connection, go, wrong);
    return code(cudaGetLastError());
}

doca_error_t await_kernel(void)
{
    return code(cudaDeviceSynchronize());
}

doca_error_t fill(void *at, int value, size_t bytes)
{
    return code(cudaMemset(at, value, bytes));
}

doca_error_t fetch(void *to, const void *from, size_t bytes)
{
    return code(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}
}
