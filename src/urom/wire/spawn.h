/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_SPAWN_H_
#define OD_UROM_WIRE_SPAWN_H_

/* What the daemon and a worker that it spawned say to each other, over a socket pair that keeps
 * boundaries: a frame header and one of these. The worker trusts the daemon; the daemon does not
 * trust the worker, which runs code of clients. */

#include "urom/wire/control.h"
#include "urom/wire/wire.h"

/* Descriptors that a worker inherits. */
#define UROM_WORKER_CONTROL_FD 3
#define UROM_WORKER_PAGE_FD    4

/* READY: all plugins are open, and the worker listens. FAILED (struct urom_result) instead: it
 * ends. */
struct urom_ready {
    uint32_t size;
    uint32_t reserved;
    char local[UROM_WIRE_ADDR_SIZE];  /* address for clients of this machine */
    char remote[UROM_WIRE_ADDR_SIZE]; /* for others; "" when there is none */
    char ucx[UROM_WIRE_VERSION_SIZE]; /* version that plugins brought along; "" without */
};

_Static_assert(sizeof(struct urom_ready) == 552, "wire format");

#define UROM_ADMIT_REMOTE 0x1u /* the client is on another machine */

/* ADMIT: whoever shows the token may open one channel, and domain links while that is open. */
struct urom_admit {
    uint32_t size;
    uint32_t flags;
    uint8_t token[UROM_WIRE_KEY_SIZE];
    uint64_t plugins;    /* that the channel may use */
    uint64_t start_time; /* of the client process, clock ticks since boot; 0: not known */
    uint32_t inflight;
    uint32_t max_msg;
    uint32_t pid; /* of the client; 0: not known */
    uint32_t uid;
};

_Static_assert(sizeof(struct urom_admit) == 56, "wire format");

/* DROP: the token, and the channel that it opened, are void. */
struct urom_drop {
    uint32_t size;
    uint32_t reserved;
    uint8_t token[UROM_WIRE_KEY_SIZE];
};

_Static_assert(sizeof(struct urom_drop) == 24, "wire format");

/* What the daemon learns from `doca_urom_worker --probe`, on its standard output. */
struct urom_probe {
    uint32_t size;
    int32_t error; /* doca_error_t */
    uint64_t version;
    uint64_t api_version;
    char text[UROM_WIRE_TEXT_SIZE];
};

_Static_assert(sizeof(struct urom_probe) == 256, "wire format");

int urom_ready_decode(const void *bytes, size_t len, struct urom_ready *ready);
int urom_admit_decode(const void *bytes, size_t len, struct urom_admit *admit);
int urom_drop_decode(const void *bytes, size_t len, struct urom_drop *drop);
int urom_probe_decode(const void *bytes, size_t len, struct urom_probe *probe);

#endif /* OD_UROM_WIRE_SPAWN_H_ */
