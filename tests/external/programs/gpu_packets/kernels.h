/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_GPU_PACKETS_KERNELS_H_
#define EXTERNAL_GPU_PACKETS_KERNELS_H_

/* What the host program and the kernels share. */

#include <stdint.h>

#include <doca_error.h>

struct doca_gpu_buf_arr;
struct doca_gpu_eth_rxq;
struct doca_gpu_eth_txq;
struct doca_gpu_semaphore_gpu;

#define MAX_QUEUES      4    /* of a protocol */
#define ITEMS           1024 /* of a semaphore */
#define HEADERS         54   /* Ethernet, IPv4, TCP, without options */
#define FRAMES_PER_LANE 4    /* of a page */
#define FRAMES          (MAX_QUEUES * 32 * FRAMES_PER_LANE)

enum kind {
    UDP_DNS,
    UDP_OTHERS,
    TCP_GET,
    TCP_HEAD,
    TCP_POST,
    TCP_ACK, /* nothing but it */
    TCP_OTHERS,
    ICMP_ECHO,
    ICMP_OTHERS,
    KINDS
};

/* Custom information for the CPU: packets since the last item. */
struct counts {
    uint32_t of[KINDS];
};

/* Custom information for the kernel that answers. */
struct request {
    uint8_t headers[HEADERS]; /* of the request */
    uint32_t length;          /* of its text */
    uint32_t page;
};

enum page { PAGE_INDEX, PAGE_MISSING, PAGES };

struct queues {
    struct doca_gpu_eth_rxq *rxq[MAX_QUEUES];
    struct doca_gpu_semaphore_gpu *counts[MAX_QUEUES];
};

struct answers {
    struct doca_gpu_semaphore_gpu *requests[MAX_QUEUES];
    struct doca_gpu_eth_txq *txq[MAX_QUEUES];
    struct doca_gpu_buf_arr *page[PAGES]; /* its text behind room for the headers */
    uint32_t length[PAGES];
};

#ifdef __cplusplus
extern "C" {
#endif

/* Run until *ends is not 0; each on a stream of its own. */
doca_error_t kernels_open(void);
doca_error_t kernels_start(uint32_t num, const struct queues *udp, const struct queues *tcp,
                           const struct queues *icmp, struct doca_gpu_eth_txq *icmp_txq,
                           const struct answers *answers, uint32_t *ends);
doca_error_t kernels_wait(void);
doca_error_t kernels_close(void);

#ifdef __cplusplus
}
#endif

#endif
