/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_PAGE_H_
#define OD_UROM_WIRE_PAGE_H_

/* The page that a worker shares with its daemon: what it does now and what it has done. The worker
 * writes, the daemon reads and believes nothing: it only shows the numbers, and whether they move.
 */

#include <stdatomic.h>

#include "urom/wire/wire.h"

#define UROM_PAGE_VERSION 1
#define UROM_PAGE_ERRORS  32 /* one counter a doca_error_t */

enum urom_page_call {
    UROM_CALL_NONE,
    UROM_CALL_OPEN,
    UROM_CALL_CLOSE,
    UROM_CALL_ADDR,
    UROM_CALL_WORKER_CMD,
    UROM_CALL_PROGRESS,
    UROM_CALL_NOTIF_PACK,
    UROM_CALL_NUM
};

struct urom_page_time {
    _Atomic uint64_t calls;
    _Atomic uint64_t ns; /* of measured calls */
    _Atomic uint64_t measured;
    _Atomic uint64_t max_ns;
};

struct urom_page {
    uint32_t size;
    uint32_t version;
    _Atomic uint64_t loops; /* moves as long as the worker does */
    _Atomic uint64_t naps;
    _Atomic uint64_t inside;   /* plugin's bit index << 8 | enum urom_page_call; 0: in none */
    _Atomic uint64_t received; /* commands */
    _Atomic uint64_t handed;   /* to plugins */
    _Atomic uint64_t ok;       /* completed */
    _Atomic uint64_t failed;
    _Atomic uint64_t synthesised; /* failures that no plugin announced */
    _Atomic uint64_t dropped;     /* notifications that nobody waits for */
    _Atomic uint64_t oversize;
    _Atomic uint64_t bytes_in;
    _Atomic uint64_t bytes_out;
    _Atomic uint64_t inflight;
    _Atomic uint64_t high_water; /* most commands in flight */
    _Atomic uint64_t channels;
    _Atomic uint64_t errors[UROM_PAGE_ERRORS];
    struct urom_page_time calls[UROM_CALL_NUM];
};

_Static_assert(sizeof(struct urom_page) == 128 + 8 * UROM_PAGE_ERRORS + 32 * UROM_CALL_NUM,
               "shared between programs");

/* The worker is the only writer. */
static inline void urom_page_add(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

static inline void urom_page_set(_Atomic uint64_t *counter, uint64_t value)
{
    atomic_store_explicit(counter, value, memory_order_relaxed);
}

static inline uint64_t urom_page_get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

const char *urom_call_name(enum urom_page_call call);

#endif /* OD_UROM_WIRE_PAGE_H_ */
