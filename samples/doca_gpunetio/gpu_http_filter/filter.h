/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_GPU_HTTP_FILTER_FILTER_H_
#define SAMPLES_GPU_HTTP_FILTER_FILTER_H_

/* What the host program and the kernel share. */

#include <stdint.h>

#include <doca_error.h>

struct doca_gpu_eth_rxq;
struct doca_gpu_semaphore_gpu;

#define FILTER_ITEMS 64 /* of the semaphore: requests on their way to the CPU */

/* Custom information of an item. */
struct filter_request {
    uint32_t length;
    char line[124]; /* the first line, or what fits */
};

/* In memory that the CPU and the GPU see. */
struct filter_report {
    uint32_t stop;   /* the CPU's: the kernel ends */
    int32_t result;  /* the kernel's: a doca_error_t */
    uint64_t frames; /* the kernel's: received */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the kernel, which runs until report->stop is set. Addresses as the GPU sees them. */
doca_error_t filter_start(struct doca_gpu_eth_rxq *rxq, struct doca_gpu_semaphore_gpu *requests,
                          struct filter_report *report);
/* Waits for its end. */
doca_error_t filter_wait(void);

#ifdef __cplusplus
}
#endif

#endif /* SAMPLES_GPU_HTTP_FILTER_FILTER_H_ */
