/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

/* What the CPU does, on whichever side it is done. */

static uint64_t cpu_atomic_64(enum soft_peer_atomic_op op, _Atomic uint64_t *cell, uint64_t value,
                              uint64_t compare)
{
    switch (op) {
    case SOFT_PEER_OP_STORE:
    case SOFT_PEER_OP_SWAP:
        return atomic_exchange(cell, value);
    case SOFT_PEER_OP_ADD:
        return atomic_fetch_add(cell, value);
    case SOFT_PEER_OP_CSWAP:
        atomic_compare_exchange_strong(cell, &compare, value);
        return compare;
    case SOFT_PEER_OP_AND:
        return atomic_fetch_and(cell, value);
    case SOFT_PEER_OP_OR:
        return atomic_fetch_or(cell, value);
    case SOFT_PEER_OP_XOR:
        return atomic_fetch_xor(cell, value);
    default:
        return atomic_load(cell);
    }
}

static uint32_t cpu_atomic_32(enum soft_peer_atomic_op op, _Atomic uint32_t *cell, uint32_t value,
                              uint32_t compare)
{
    switch (op) {
    case SOFT_PEER_OP_STORE:
    case SOFT_PEER_OP_SWAP:
        return atomic_exchange(cell, value);
    case SOFT_PEER_OP_ADD:
        return atomic_fetch_add(cell, value);
    case SOFT_PEER_OP_CSWAP:
        atomic_compare_exchange_strong(cell, &compare, value);
        return compare;
    case SOFT_PEER_OP_AND:
        return atomic_fetch_and(cell, value);
    case SOFT_PEER_OP_OR:
        return atomic_fetch_or(cell, value);
    case SOFT_PEER_OP_XOR:
        return atomic_fetch_xor(cell, value);
    default:
        return atomic_load(cell);
    }
}

uint64_t soft_peer_cpu_atomic(const struct soft_peer_atomic *atomic, void *addr)
{
    if (atomic->width == sizeof(uint32_t))
        return cpu_atomic_32(atomic->op, addr, (uint32_t)atomic->value, (uint32_t)atomic->compare);
    return cpu_atomic_64(atomic->op, addr, atomic->value, atomic->compare);
}

uint32_t soft_peer_atomic_access(enum soft_peer_atomic_op op)
{
    switch (op) {
    case SOFT_PEER_OP_LOAD:
        return SOFT_PEER_READ | SOFT_PEER_ATOMIC;
    case SOFT_PEER_OP_STORE:
        return SOFT_PEER_WRITE | SOFT_PEER_ATOMIC;
    default:
        return SOFT_PEER_ATOMIC;
    }
}
