/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_GPU_RECEIVE_COUNT_COUNT_H_
#define SAMPLES_GPU_RECEIVE_COUNT_COUNT_H_

/* What the host program and the kernel share. */

#include <stdint.h>

#include <doca_error.h>

struct doca_gpu_eth_rxq;

/* In memory that the CPU and the GPU see. */
struct count_report {
    uint32_t stop;   /* the CPU's: the kernel ends */
    int32_t result;  /* the kernel's doca_error_t */
    uint64_t frames; /* the kernel's, from here on */
    uint64_t bytes;
    uint64_t ipv4, arp, others; /* by what the header says */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the kernel. Addresses as the GPU sees them. */
doca_error_t count_start(struct doca_gpu_eth_rxq *rxq, struct count_report *report);
/* Waits until it has ended. */
doca_error_t count_wait(void);

#ifdef __cplusplus
}
#endif

#endif /* SAMPLES_GPU_RECEIVE_COUNT_COUNT_H_ */
