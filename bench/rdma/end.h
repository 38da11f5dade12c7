/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_RDMA_END_H_
#define BENCH_RDMA_END_H_

/* One end of a connection with memory that the other end may use. */

#include <stdbool.h>
#include <stddef.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#define END_WINDOW 16u        /* tasks in flight */
#define END_HALF   (1u << 20) /* of the memory: what goes out, and what comes in */

struct end {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map, *peer_map;
    struct doca_rdma_connection *conn;
    char *memory, *peer_memory;
    struct doca_buf *out, *in[END_WINDOW]; /* of our memory */
    struct doca_buf *far_in[END_WINDOW];   /* of the peer's, to be written; in turn, as `in` */
    struct doca_buf *far_out;              /* of the peer's, to be read */
    unsigned int next_in, next_far;
    size_t size;         /* of all of them */
    unsigned int flying; /* operations without a completion; END_WINDOW at most */
    unsigned long received;
    bool reposts; /* receives */
};

/* Dies with the code's name unless the call succeeded. */
void must(doca_error_t result, const char *what);

/* `peer`: a socket whose other end does the same. */
void end_open(struct end *end, int peer);
void end_close(struct end *end);

/* Buffers of this many bytes from here on. */
void end_resize(struct end *end, size_t size);

/* Start one task; those with a completion are counted in `flying`. */
void end_receive(struct end *end);
void end_send(struct end *end);
void end_write(struct end *end);
void end_read(struct end *end);

/* Progress until at most `most` operations fly. */
void end_wait(struct end *end, unsigned int most);

#endif /* BENCH_RDMA_END_H_ */
