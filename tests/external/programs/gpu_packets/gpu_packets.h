/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_GPU_PACKETS_GPU_PACKETS_H_
#define EXTERNAL_GPU_PACKETS_GPU_PACKETS_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <doca_buf_array.h>
#include <doca_buf_pool.h>
#include <doca_eth_rxq.h>
#include <doca_eth_txq.h>
#include <doca_flow.h>
#include <doca_gpunetio.h>
#include <doca_log.h>

#include "../common/kit.h"
#include "kernels.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        doca_error_t try_result = (call);                                                          \
        if (try_result != DOCA_SUCCESS) {                                                          \
            DOCA_LOG_ERR("%s: %s", #call, doca_error_get_descr(try_result));                       \
            return try_result;                                                                     \
        }                                                                                          \
    } while (0)

#define ID_UDP     0 /* and the next MAX_QUEUES - 1 */
#define ID_TCP     4
#define ID_TCP_CPU 12
#define ID_ICMP    16

#define MAX_CONNECTIONS 64

struct memory {
    void *gpu, *cpu;
    struct doca_mmap *mmap;
};

/* Receives for a block, which tells the CPU by the semaphore. */
struct rxq {
    struct memory packets;
    struct doca_eth_rxq *rxq;
    struct doca_gpu_semaphore *counts;
    uint32_t next;  /* item */
    uint32_t total; /* packets */
};

struct connection {
    uint32_t ip;
    uint16_t port;
    struct doca_flow_pipe_entry *entry;
};

/* What opens and closes connections is for the CPU, on a thread of its own. */
struct control {
    struct doca_flow_port *port;
    struct doca_flow_pipe *pipe; /* that lets known connections through */
    struct doca_pe *pe;
    struct doca_eth_rxq *rxq;
    struct doca_eth_txq *txq;
    struct doca_mmap *rx_map, *tx_map;
    void *rx_mem, *tx_mem;
    struct doca_buf_pool *pool;
    struct connection connections[MAX_CONNECTIONS];
    atomic_uint syn, fin, rst;
    doca_error_t outcome; /* the thread's, until it has ended */
    atomic_bool ends;
    pthread_t thread;
};

struct app {
    char nic[DOCA_DEVINFO_PCI_ADDR_SIZE], card[DOCA_DEVINFO_PCI_ADDR_SIZE];
    int num; /* queues of UDP, and of TCP */
    struct doca_dev *dev;
    struct doca_gpu *gpu;
    struct doca_pe *pe;
    struct memory ends; /* a word */
    struct rxq udp[MAX_QUEUES], tcp[MAX_QUEUES], icmp;
    struct doca_eth_txq *icmp_txq, *http_txq[MAX_QUEUES];
    struct doca_gpu_semaphore *requests[MAX_QUEUES];
    struct memory pages[PAGES];
    struct doca_buf_arr *page_bufs[PAGES];
    struct answers answers;
    struct control control;
    struct doca_flow_port *port;
    struct doca_flow_pipe *udp_pipe, *tcp_pipe, *tcp_cpu_pipe, *icmp_pipe, *root;
    struct counts sums;
    uint32_t replies, failed;
};

/* queues.c */
doca_error_t open_queues(struct app *app);
doca_error_t close_queues(struct app *app);
/* Adds up what kernels have told; whether they had. */
bool take_counts(struct app *app);
doca_error_t gpu_queues(struct app *app, struct queues *udp, struct queues *tcp,
                        struct queues *icmp, struct doca_gpu_eth_txq **icmp_txq);

/* rules.c */
doca_error_t open_flow(struct app *app);
doca_error_t make_rules(struct app *app);
doca_error_t close_flow(struct app *app);

/* connections.c */
doca_error_t open_control(struct control *control, struct doca_dev *dev);
doca_error_t start_control(struct control *control);
doca_error_t end_control(struct control *control);
doca_error_t close_control(struct control *control);

#endif
