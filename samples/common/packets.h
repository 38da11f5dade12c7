/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_COMMON_PACKETS_H_
#define SAMPLES_COMMON_PACKETS_H_

/* What the packet samples share: devices with one memory map and one progress engine, Flow with a
 * port for each device, receive queues that call for each packet, send queues. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_eth_rxq.h>
#include <doca_eth_txq.h>
#include <doca_flow.h>
#include <doca_pe.h>

#include "device.h"

#define PACKETS_DEVICES 2u

struct packets {
    struct doca_pe *pe;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map; /* with all devices: what one receives another one can send */
    char *mem;
    size_t used; /* parts of the memory that queues have */
    uint32_t ndevs;
    struct doca_dev *dev[PACKETS_DEVICES];
    struct doca_flow_port *port[PACKETS_DEVICES];
};

/* Devices by PCI address or by the name of their interface. After a failure call packets_close()
 * too. */
doca_error_t packets_open(struct packets *p, const char *const *names, uint32_t n);
/* Queues are closed before. */
void packets_close(struct packets *p);

struct packets_rxq {
    struct packets *packets;
    struct doca_eth_rxq *rxq; /* NULL: not open */
    uint64_t received;
    /* The buffer is the handler's: it releases it, or sends it. */
    void (*handle)(struct packets_rxq *rxq, struct doca_buf *pkt);
    void *user; /* the sample's own */
};

/* `handle` and `user` are set. Rules name the queue by its id. */
doca_error_t packets_rxq_open(struct packets *p, uint32_t device, uint16_t id,
                              struct packets_rxq *rxq);
void packets_rxq_close(struct packets_rxq *rxq);

struct packets_txq {
    struct packets *packets;
    struct doca_eth_txq *txq; /* NULL: not open */
    char *mem;                /* of packets_send() */
    uint32_t next;            /* place in it */
    uint32_t inflight;
    uint64_t sent, failed;
};

doca_error_t packets_txq_open(struct packets *p, uint32_t device, struct packets_txq *txq);
void packets_txq_close(struct packets_txq *txq);
/* Sends a copy; progresses while the queue is full. */
doca_error_t packets_send(struct packets_txq *txq, const void *bytes, size_t len);
/* Sends a buffer without copying and then releases it. AGAIN when the queue is full: then, as after
 * any failure, the buffer is still the caller's. */
doca_error_t packets_send_buf(struct packets_txq *txq, struct doca_buf *pkt);

/* A first pipe of the device that leads everything to one queue. */
doca_error_t packets_all_to_queue(struct packets *p, uint32_t device, uint16_t id);

/* Parameters -d and -e: two devices, -n: a number, and -o: somebody else has the other end. */
struct packets_options {
    const char *names[PACKETS_DEVICES];
    uint64_t count;
    bool has_one_end; /* -o is there, in samples that know of it */
    bool one_end;     /* it was given: of both ends of the wire the program has one only */
    bool ends_itself; /* 0 is no number for this sample; else it means until it is interrupted */
    uint32_t most;    /* 0: no limit */
};
/* Opens the log and reads the command line into `options`, which has the defaults. */
doca_error_t packets_arguments(struct packets_options *options, int argc, char **argv);

/* Prints what failed and why; returns the exit status of main. */
int packets_exit(doca_error_t result);

#endif /* SAMPLES_COMMON_PACKETS_H_ */
