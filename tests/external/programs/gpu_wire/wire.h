/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_GPU_WIRE_WIRE_H_
#define EXTERNAL_GPU_WIRE_WIRE_H_

#include <stdint.h>

#include <doca_error.h>
#include <doca_gpunetio_eth_def.h>

#define WIRE_MAX_RX 2048
#define WIRE_BURSTS 8
#define WIRE_BURST  32 /* frames */

enum wire_mode {
    WIRE_SHARED,  /* several blocks send on one queue */
    WIRE_ALONE,   /* one block that numbers its sends by itself */
    WIRE_AT_TIMES /* bursts, each at a time */
};

/* In memory that the CPU and the GPU see. */
struct wire_report {
    uint32_t exit; /* the CPU's */
    uint32_t failed;
    uint64_t received;
    uint64_t wrong; /* not what was sent, or out of order in time */
    uint64_t sent;
    uint64_t completions;
    uint64_t arrived[WIRE_BURSTS * WIRE_BURST]; /* when the first frames came */
};

struct wire_frames {
    uintptr_t addr; /* of frame 0; frames are alike but for their place */
    uint32_t mkey_be;
    uint32_t size;
    uint32_t threads;
    uint32_t rounds;
};

#if defined(__cplusplus)
extern "C" {
#endif

doca_error_t wire_start_receive(struct doca_gpu_eth_rxq *rxq, struct wire_report *report,
                                enum doca_gpu_dev_eth_exec_scope scope, uint32_t threads,
                                uint32_t size);
doca_error_t wire_start_send(struct doca_gpu_eth_txq *txq, struct wire_report *report,
                             enum wire_mode mode, enum doca_gpu_dev_eth_exec_scope scope,
                             enum doca_gpu_dev_eth_nic_handler handler,
                             const struct wire_frames *frames, const uint64_t *times);
doca_error_t wire_wait(int receive);

#if defined(__cplusplus)
}
#endif

#endif
