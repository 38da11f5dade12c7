/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_COMCH_WIRE_H_
#define OD_COMCH_WIRE_H_

/* What the two sides of a connection say to each other. All of it comes from another process: it is
 * copied before it is looked at, and checked here. Both ends are on one machine, so integers are in
 * its byte order. */

#include "util/base.h"

#define COMCH_WIRE_MAGIC   0x686d6f63u /* "comh" */
#define COMCH_WIRE_VERSION 1

/* ---- Greeting and answer ---- */

/* Card, host function and name, each with its NUL: what client and server must agree on. */
#define COMCH_IDENTITY_MAX (64 + 32 + 1024)

struct comch_hello {
    uint32_t max_msg;    /* longest message that the client sends and receives */
    uint32_t recv_queue; /* messages that it holds for its program */
    bool fast_path;
    const char *identity;
    size_t identity_len;
};

enum comch_verdict {
    COMCH_WELCOME,
    COMCH_FULL,     /* the server has all its clients */
    COMCH_STRANGER, /* another card, function or name */
    COMCH_VERSION,  /* the greeting is of another version, or none at all */
    COMCH_VERDICT_NUM
};

struct comch_answer {
    enum comch_verdict verdict;
    uint32_t max_msg;
    uint32_t recv_queue;
    bool fast_path;
};

#define COMCH_HELLO_MAX  (32 + COMCH_IDENTITY_MAX)
#define COMCH_ANSWER_LEN 24

/* Returns the number of bytes. `buf` has room for COMCH_HELLO_MAX, or COMCH_ANSWER_LEN bytes. */
size_t comch_wire_put_hello(uint8_t *buf, const struct comch_hello *hello);
size_t comch_wire_put_answer(uint8_t *buf, const struct comch_answer *answer);

/* 0, -EBADMSG, or -EPROTO for another version. The identity points into `data`. */
int comch_wire_get_hello(const void *data, size_t len, struct comch_hello *hello);
int comch_wire_get_answer(const void *data, size_t len, struct comch_answer *answer);

/* The link address of a server: tells apart what identities tell apart. */
#define COMCH_ADDRESS_SIZE 48
void comch_wire_address(const char *identity, size_t len, char address[COMCH_ADDRESS_SIZE]);

/* ---- Frames: one link message each ---- */

enum comch_frame_kind {
    COMCH_FRAME_MESSAGE = 1,  /* the program's, follows the head */
    COMCH_FRAME_CONSUMER = 2, /* a consumer can be sent to */
    COMCH_FRAME_EXPIRED = 3,  /* it cannot any more */
};

/* As long as a link's alignment, so that the program's bytes are aligned too. */
struct comch_frame_head {
    uint32_t kind;
    uint32_t id; /* of a consumer, else 0 */
    uint64_t zero;
};
_Static_assert(sizeof(struct comch_frame_head) == 16, "frozen");

struct comch_frame {
    enum comch_frame_kind kind;
    uint32_t id;
    uint8_t *payload; /* what follows the head; of a message at least one byte */
    uint32_t len;
};

/* 0 or -EBADMSG. */
int comch_wire_get_frame(uint8_t *data, uint32_t len, struct comch_frame *frame);

#define COMCH_ID_MAX 65534u /* ids of producers and consumers are 1..COMCH_ID_MAX */

/* What follows the head of COMCH_FRAME_CONSUMER: how the peer's producers reach the consumer. */
struct comch_consumer_info {
    uint32_t nslots;       /* of its page, a power of two */
    uint32_t imm_len;      /* bytes of immediate data that it accepts */
    const void *page_desc; /* export descriptors of the page and of the memory to land in */
    size_t page_desc_len;
    const void *data_desc;
    size_t data_desc_len;
};

#define COMCH_CONSUMER_MAX (16 + 2 * 512)

/* Returns the number of bytes. `buf` has room for COMCH_CONSUMER_MAX. */
size_t comch_wire_put_consumer(uint8_t *buf, const struct comch_consumer_info *info);
/* 0 or -EBADMSG. The descriptors point into `payload`. */
int comch_wire_get_consumer(const uint8_t *payload, uint32_t len, struct comch_consumer_info *info);

/* Longest frame but for messages. */
#define COMCH_CONTROL_MAX 2048

#endif /* OD_COMCH_WIRE_H_ */
