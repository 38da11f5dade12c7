/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPU_RDMA_WRITE_H
#define GPU_RDMA_WRITE_H

#include <stdint.h>

#include <doca_error.h>

#define ROUNDS     4
#define HALF       128
#define INBOX      (2 * HALF) /* of the server's memory: where the last message goes */
#define DATA_BYTES (3 * HALF)
#define FLAG_BYTES 64

/* What the client writes in a round; the same everywhere. */
#define PATTERN(round, at) ((uint8_t)(7 * (round) + (at) / HALF * 100 + (at)))

struct doca_gpu_buf_arr;
struct doca_gpu_dev_rdma;

#ifdef __cplusplus
extern "C" {
#endif

/* Start kernels; the last argument is a word of the GPU that they set to the line of what was
 * wrong, and `go` one for which the client waits. */
doca_error_t start_server(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *data,
                          struct doca_gpu_buf_arr *flag, uint32_t connection, uint32_t *wrong);
doca_error_t start_client(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *local,
                          struct doca_gpu_buf_arr *remote, struct doca_gpu_buf_arr *flag,
                          uint32_t connection, uint32_t *go, uint32_t *wrong);

doca_error_t await_kernel(void);
doca_error_t fill(void *at, int value, size_t bytes);
doca_error_t fetch(void *to, const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
