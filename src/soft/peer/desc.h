/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_PEER_DESC_H_
#define OD_SOFT_PEER_DESC_H_

/* The export descriptor: bytes that a user carries from one process to another.
 *
 * Two guards protect it. `check` lets an importer see by itself that a byte was changed, cut or
 * added. It proves no origin: whoever knows the format can compute it. Origin is proven by the
 * exporter, which compares every byte (the random token among them) with what it issued and then
 * answers with its own idea of range and access, never with what the descriptor says. */

#include "soft/peer/peer.h"

#define PEER_DESC_VERSION  2u
#define PEER_DIR_SIZE      256
#define PEER_CARD_SIZE     64
#define PEER_REMOTE_SIZE   64
#define PEER_INSTANCE_SIZE 16
#define PEER_TOKEN_SIZE    16

/* Little-endian, as all machines that we know. Unused bytes are 0. */
struct soft_peer_desc {
    char magic[8];
    uint32_t version;
    uint32_t size; /* of the whole descriptor, bytes */
    uint32_t kind;
    uint32_t access;
    uint32_t mask;
    uint32_t pid;        /* the exporter's own view; with start_time only for messages */
    uint64_t start_time; /* clock ticks after boot, as in /proc/PID/stat */
    uint64_t base;
    uint64_t len;
    uint64_t id;                          /* the exporter's name of this export */
    uint8_t instance[PEER_INSTANCE_SIZE]; /* names the exporter's socket */
    uint8_t token[PEER_TOKEN_SIZE];       /* random: possession grants access */
    uint64_t binding;                     /* ties the user's access token in */
    char dir[PEER_DIR_SIZE];              /* folder of the exporter's socket */
    char card[PEER_CARD_SIZE];
    char remote[PEER_REMOTE_SIZE]; /* HOST:PORT for importers on other hosts; empty: none */
    uint64_t check;                /* over everything before it */
};

_Static_assert(sizeof(struct soft_peer_desc) == 496, "the layout is frozen by its version");
_Static_assert(offsetof(struct soft_peer_desc, kind) == 16, "the layout is frozen");
_Static_assert(offsetof(struct soft_peer_desc, start_time) == 32, "the layout is frozen");
_Static_assert(offsetof(struct soft_peer_desc, instance) == 64, "the layout is frozen");
_Static_assert(offsetof(struct soft_peer_desc, dir) == 104, "the layout is frozen");
_Static_assert(offsetof(struct soft_peer_desc, card) == 360, "the layout is frozen");
_Static_assert(offsetof(struct soft_peer_desc, remote) == 424, "the layout is frozen");
_Static_assert(offsetof(struct soft_peer_desc, check) == 488, "the check comes last");
_Static_assert(sizeof(struct soft_peer_desc) <= SOFT_PEER_DESC_MAX, "users read 512 bytes");

/* Sets magic, version, size, binding and check of a descriptor whose other fields are filled in.
 * `token` is the user's access token (NULL, 0: none). */
SOFT_API void soft_peer_desc_seal(struct soft_peer_desc *desc, const void *token, size_t token_len);

/* Takes outside bytes, any alignment, any length. 0 and a copy in *desc, or -EBADMSG, or -EPROTO
 * (intact, but of a version that this code does not know). Leaves a reason. After 0 the strings are
 * terminated, the range does not wrap and is not empty, kind and access hold known values only. */
SOFT_API int soft_peer_desc_parse(const void *bytes, size_t len, struct soft_peer_desc *desc);

/* Compares all bytes in a time that does not depend on where they differ. */
SOFT_API bool soft_peer_desc_equal(const struct soft_peer_desc *a, const struct soft_peer_desc *b);

#endif /* OD_SOFT_PEER_DESC_H_ */
