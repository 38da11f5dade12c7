/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_COMCH_PAIR_H_
#define BENCH_COMCH_PAIR_H_

/* Two processes with one Comch connection: this one is the client and measures, the other one is
 * the server and does what it is told to. */

#include <stdatomic.h>
#include <stdbool.h>

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#define LINE 128 /* what one side writes is so far from what the other one does */

struct end {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_dev_rep *rep;
    struct doca_comch_server *server;
    struct doca_comch_client *client;
    struct doca_ctx *ctx;
    struct doca_comch_connection *conn; /* NULL: none yet, or over */
    uint32_t consumer;                  /* of the other side */
    uint64_t unsent;                    /* sends without a completion */
    uint64_t received;
    void (*on_message)(struct end *end, const uint8_t *bytes, uint32_t len); /* may be NULL */
};

/* Dies with the code's name unless the call succeeded. */
void must(doca_error_t result, const char *what);

/* The other process: runs `serve` with its end of the connection, on core 1. */
void pair_start(void (*serve)(struct end *end));
/* This process, on core 0. Waits for the connection. */
void pair_connect(struct end *end);
/* Both sides. The other process ends with it. */
void end_close(struct end *end);
void pair_finish(void);

/* The bytes stay as they are until the send has completed. */
void end_send(struct end *end, const void *bytes, uint32_t len);

/* ---- what the other process is to do ---- */

struct orders {
    _Alignas(LINE) _Atomic uint64_t now; /* number of the order << 8 | what */
};

/* Shared by the two: after the first line comes what programs put there. */
void *pair_shared(size_t size);
void give_order(struct orders *orders, unsigned int what);
/* The order after `*last`, or 0: there is none yet. */
unsigned int next_order(struct orders *orders, uint64_t *last);

#endif /* BENCH_COMCH_PAIR_H_ */
