/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_GPU_TIMED_SEND_TIMED_H_
#define SAMPLES_GPU_TIMED_SEND_TIMED_H_

/* What the host program and the kernels share. */

#include <stdint.h>

#include <doca_error.h>

struct doca_gpu_eth_rxq;
struct doca_gpu_eth_txq;

#define TIMED_BURST      32 /* frames, and threads of the sending kernel */
#define TIMED_BURSTS_MAX 1000
#define TIMED_LENGTH     256 /* of a frame */

/* In memory that the CPU and the GPU see. */
struct timed_report {
    uint32_t stop;    /* the CPU's: the counting kernel ends */
    int32_t result;   /* a kernel's doca_error_t */
    uint64_t counted; /* frames that arrived */
    uint64_t
        wait_for[TIMED_BURSTS_MAX]; /* the CPU's: values of doca_eth_txq_calculate_timestamp() */
    uint64_t arrived[TIMED_BURSTS_MAX]; /* first frame of each burst, in ns since 1970 */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Starts both kernels, without `rxq` the sending one. Addresses as the GPU sees them; `frames` has
 * TIMED_BURST frames. */
doca_error_t timed_start(struct doca_gpu_eth_txq *txq, void *frames, uint32_t key_be,
                         struct doca_gpu_eth_rxq *rxq, uint32_t bursts,
                         struct timed_report *report);
/* Waits for the sending one, and for both. */
doca_error_t timed_wait_sender(void);
doca_error_t timed_wait(void);

#ifdef __cplusplus
}
#endif

#endif /* SAMPLES_GPU_TIMED_SEND_TIMED_H_ */
