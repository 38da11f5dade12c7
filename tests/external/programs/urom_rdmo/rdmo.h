/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_RDMO_H_
#define EXTERNAL_RDMO_H_

/* What the target tells its initiator, what both send to the worker, and how the two of them talk.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RDMO_PORT      18515
#define RDMO_CLIENT_ID 1
#define RDMO_ADDR_MAX  1024
#define APPEND_BYTE    0x33
#define APPEND_LEN     8
#define BIG_LEN        100000 /* more than travels with a message of its own */
#define PIECES         16
#define PIECE_LEN      8
#define QUEUE_LEN      200000

/* The target's memory: all of it is one region. */
struct target_memory {
    uint64_t pointer;
    uint8_t queue[QUEUE_LEN];
    uint8_t pieces[PIECES * PIECE_LEN];
};

/* From the target to the initiator, by TCP. */
struct invitation {
    uint64_t client_id;
    uint64_t rkey_id;
    uint64_t memory; /* address of struct target_memory */
    uint64_t device_addr_len;
    uint8_t device_addr[RDMO_ADDR_MAX];
};

/* From the initiator to the target, by TCP. */
struct introduction {
    uint64_t addr_len;
    uint8_t addr[RDMO_ADDR_MAX];
};

/* From the initiator to the worker: header of the active message 0. */
enum { OP_FLUSH, OP_APPEND, OP_SCATTER };
enum { FLAG_FENCE = 1 };

struct op_header {
    uint64_t client_id;
    uint32_t op;
    uint32_t flags;
    union {
        uint64_t flush_id;
        struct {
            uint64_t pointer;
            uint64_t pointer_rkey;
            uint64_t data_rkey;
        } append;
        uint64_t count;
    };
};

struct op_piece {
    uint64_t addr;
    uint64_t rkey_id;
    uint16_t len;
    uint8_t pad[6];
    uint8_t bytes[PIECE_LEN];
};

/* TCP; -1 and a line of the log when it fails. */
int talk_listen(int port);
int talk_accept(int listener);
int talk_connect(int port);
bool talk_send(int fd, const void *bytes, size_t len);
/* Waits, and calls `meanwhile` again and again. */
bool talk_recv(int fd, void *bytes, size_t len, void (*meanwhile)(void *arg), void *arg);

#endif /* EXTERNAL_RDMO_H_ */
