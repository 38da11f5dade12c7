/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_GPU_ICMP_ECHO_ECHO_H_
#define SAMPLES_GPU_ICMP_ECHO_ECHO_H_

/* What the host program and the kernel share. */

#include <stdint.h>

#include <doca_error.h>

struct doca_gpu_eth_rxq;
struct doca_gpu_eth_txq;

#define ECHO_SLOTS 1024 /* of the send queue */

/* In memory that the CPU and the GPU see. */
struct echo_report {
    uint32_t stop;   /* the CPU's: the kernel ends */
    int32_t result;  /* the kernel's: a doca_error_t */
    uint64_t frames; /* received */
    uint64_t requests;
    uint64_t others; /* ICMP, but no echo request that can be answered */
    /* When the request arrived that slot n of the send queue answers, in ns since 1970. */
    uint64_t arrived[ECHO_SLOTS];
};

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the kernel, which runs until report->stop is set. Addresses as the GPU sees them. */
doca_error_t echo_start(struct doca_gpu_eth_rxq *rxq, struct doca_gpu_eth_txq *txq,
                        struct echo_report *report);
/* Waits for its end. */
doca_error_t echo_wait(void);

#ifdef __cplusplus
}
#endif

#endif /* SAMPLES_GPU_ICMP_ECHO_ECHO_H_ */
