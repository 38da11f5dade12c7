/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_AM_COMMON_AM_WIRE_H_
#define OD_UROM_PLUGIN_AM_COMMON_AM_WIRE_H_

/* What the plugin worker_am says to its host half, and to itself in other workers. */

#include "urom/plugin/common/ops_wire.h"

enum am_code {
    AM_SEND = 0,
    AM_RECV = 1,
    AM_CANCEL = 2,
};

/* Of head.flags. */
#define AM_NO_ACK 2u /* a send is complete when the message is on its way */

#define AM_ANY UINT32_MAX /* a receive of any handler */

/* Followed by the bytes. */
struct am_send {
    struct ops_head head;
    uint64_t dest;   /* domain id of the worker whose handler is to run */
    uint64_t source; /* of this worker */
    uint32_t handler;
    uint32_t zero;
};

/* Followed by what the handler answers, if anything. */
struct am_sent {
    struct ops_head head;
};

struct am_recv {
    struct ops_head head;
    uint32_t handler; /* or AM_ANY */
    uint32_t zero;
};

/* Followed by the bytes. */
struct am_received {
    struct ops_head head;
    uint64_t source;
    uint32_t handler;
    uint32_t zero;
};

struct am_cancel {
    struct ops_head head;
    uint64_t context; /* of the receive */
};

_Static_assert(sizeof(struct am_send) == 40, "wire format");
_Static_assert(sizeof(struct am_recv) == 24, "wire format");
_Static_assert(sizeof(struct am_received) == 32, "wire format");
_Static_assert(sizeof(struct am_cancel) == 24, "wire format");

union am_cmd {
    struct ops_head head;
    struct am_send send;
    struct am_recv recv;
    struct am_cancel cancel;
};

/* *data: what follows a send, inside of `bytes`. 0; -EINVAL: the length or a flag is none that the
 * operation can have; -ENOTSUP: no such operation. */
int am_cmd_read(const void *bytes, size_t len, union am_cmd *cmd, const uint8_t **data);

/* ---- Between workers ---- */

enum am_kind {
    AM_MESSAGE = 1, /* bytes follow */
    AM_MESSAGE_NO_ACK = 2,
    AM_ACK = 3, /* the answer of the handler follows */
};

struct am_packet {
    uint32_t kind;
    uint32_t value;  /* handler; of an acknowledgement its doca_error_t */
    uint64_t seq;    /* of the message that is acknowledged */
    uint64_t source; /* domain id of the sender */
};

_Static_assert(sizeof(struct am_packet) == 24, "wire format");

/* 0 or -EBADMSG. */
int am_packet_read(const void *bytes, size_t len, struct am_packet *packet);

#endif /* OD_UROM_PLUGIN_AM_COMMON_AM_WIRE_H_ */
