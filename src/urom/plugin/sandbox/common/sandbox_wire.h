/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_SANDBOX_COMMON_SANDBOX_WIRE_H_
#define OD_UROM_PLUGIN_SANDBOX_COMMON_SANDBOX_WIRE_H_

/* What the plugin worker_sandbox and its host half say to each other.
 *
 * A command is one structure; inline data follow it. Its size depends on the UCX that the host half
 * was built with, because one kind of command carries a structure of UCX: 64 bytes with UCX 1.13,
 * 72 with later ones. What is common lies at the same places, so both are understood. */

#include <stddef.h>
#include <stdint.h>

#define SANDBOX_VERSION 1

enum sandbox_type {
    SANDBOX_MEM_MAP = 0,
    SANDBOX_TAG_SEND = 1,
    SANDBOX_TAG_RECV = 2,
};

struct sandbox_tag_send {
    uint64_t context; /* comes back */
    uint64_t dest;    /* domain id of the worker that receives */
    uint64_t buffer;
    uint64_t count; /* bytes */
    uint64_t tag;
    uint64_t memh_id; /* 0: the data follow the command */
};

struct sandbox_tag_recv {
    uint64_t context;
    uint64_t buffer;
    uint64_t count; /* bytes that there is room for */
    uint64_t tag;
    uint64_t tag_mask;
    uint64_t memh_id; /* 0: the data come with the notification */
};

struct sandbox_cmd {
    uint64_t type;
    union {
        uint64_t context; /* of all */
        struct sandbox_tag_send send;
        struct sandbox_tag_recv recv;
        uint64_t words[7]; /* MEM_MAP: context, parameters of UCX, length of the handle behind */
    };
};

#define SANDBOX_CMD_SIZE       64u /* UCX 1.13 */
#define SANDBOX_CMD_SIZE_LATER 72u

struct sandbox_notify {
    uint64_t type;
    union {
        uint64_t context; /* of all */
        struct {
            uint64_t context;
            uint64_t memh_id; /* 0: none */
        } map;
        struct {
            uint64_t context;
            int8_t status; /* of UCX */
        } send;
        struct {
            uint64_t context;
            uint64_t buffer; /* not 0: the data follow */
            uint64_t count;
            uint64_t sender_tag;
            int8_t status; /* of UCX */
        } recv;
    };
};

_Static_assert(sizeof(struct sandbox_cmd) == SANDBOX_CMD_SIZE, "wire format");
_Static_assert(sizeof(struct sandbox_notify) == 48, "wire format");
_Static_assert(offsetof(struct sandbox_cmd, send.memh_id) == 48, "wire format");
_Static_assert(offsetof(struct sandbox_cmd, recv.memh_id) == 48, "wire format");
_Static_assert(offsetof(struct sandbox_notify, map.memh_id) == 16, "wire format");
_Static_assert(offsetof(struct sandbox_notify, send.status) == 16, "wire format");
_Static_assert(offsetof(struct sandbox_notify, recv.status) == 40, "wire format");

/* Checks a command and copies what is common of it; *data is where inline data begin.
 * 0; -EINVAL: its length is none that its type can have; -ENOTSUP: no such type. */
int sandbox_cmd_read(const void *bytes, size_t len, struct sandbox_cmd *cmd, const uint8_t **data);

/* A message between two workers, before its data. */
struct sandbox_message {
    uint64_t tag;
};

#endif /* OD_UROM_PLUGIN_SANDBOX_COMMON_SANDBOX_WIRE_H_ */
