/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_CAPTURE_RING_H_
#define OD_SOFT_NIC_CAPTURE_RING_H_

/* The ring between who captures and the port: a file in the runtime folder that both map. What the
 * other side writes is believed only within these bounds. */

#include <limits.h>
#include <stdatomic.h>

#include "soft/nic/capture.h"
#include "util/base.h"

#define CAPTURE_MAGIC   "ODNICCA"
#define CAPTURE_VERSION 1u
#define CAPTURE_DATA    4096u      /* where the bytes begin */
#define CAPTURE_SIZE    (4u << 20) /* of them; a power of two */

struct capture_ring {
    char magic[8];
    uint32_t version;
    uint32_t pid;          /* of who captures */
    _Atomic uint32_t size; /* 0 until all of this is there */
    uint32_t directions;
    int32_t queue;
    _Atomic uint32_t is_on;     /* the port has it */
    _Atomic uint32_t is_over;   /* the port has ended */
    _Atomic uint32_t is_closed; /* nobody reads any more */
    _Atomic uint64_t lost;
    OD_ALIGNED(64) _Atomic uint64_t head; /* the port */
    OD_ALIGNED(64) _Atomic uint64_t tail; /* the reader */
};

struct capture_record {
    uint64_t time;
    uint32_t len;
    uint32_t direction;
};

#define CAPTURE_ROOM(len) (sizeof(struct capture_record) + (((len) + 7u) & ~7u))

/* "cap-PID-DEVICE-"; sub functions have a '/' in their id. */
void capture_prefix(uint32_t pid, const char *device, char prefix[NAME_MAX]);

/* Bytes of the ring from `at` on, which may go over its end. */
static inline void capture_put(struct capture_ring *ring, uint64_t at, const void *from, size_t len)
{
    uint8_t *data = (uint8_t *)ring + CAPTURE_DATA;
    size_t place = at & (CAPTURE_SIZE - 1), first = OD_MIN(len, CAPTURE_SIZE - place);

    __builtin_memcpy(data + place, from, first);
    __builtin_memcpy(data, (const uint8_t *)from + first, len - first);
}

static inline void capture_get(const struct capture_ring *ring, uint64_t at, void *to, size_t len)
{
    const uint8_t *data = (const uint8_t *)ring + CAPTURE_DATA;
    size_t place = at & (CAPTURE_SIZE - 1), first = OD_MIN(len, CAPTURE_SIZE - place);

    __builtin_memcpy(to, data + place, first);
    __builtin_memcpy((uint8_t *)to + first, data, len - first);
}

#endif /* OD_SOFT_NIC_CAPTURE_RING_H_ */
