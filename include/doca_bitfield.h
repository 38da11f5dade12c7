/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bit fields by mask, in bytes and in big-endian numbers.
 *
 * A mask names a field: the run of its set bits. GENMASK builds a mask, SET places a value in the
 * field, GET takes it out again. The BE forms keep the mask and the packed number in network byte
 * order while the value is in host order; bit numbers count from the least significant bit of the
 * host number. All forms that yield a value are constant expressions for constant arguments, so
 * they fit static initialisers. Arguments may be evaluated more than once.
 *
 * The forms with a P write through the pointer _p, which points to the type in question and has
 * its alignment: GENMASK overwrites, SET adds bits and leaves the others as they are.
 */

#ifndef DOCA_BITFIELD_H_
#define DOCA_BITFIELD_H_

#include <arpa/inet.h>

#include <doca_types.h>

/** Number of the lowest set bit of _x, an int; 0 when no bit is set. */
#define DOCA_SHIFT(_x) ((_x) != 0 ? __builtin_ctzll((unsigned long long)(_x)) : 0)

/** Host to big-endian byte order and back, for 16, 32 and 64 bits. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define DOCA_HTOBE16(_x) ((doca_be16_t)(_x))
#define DOCA_HTOBE32(_x) ((doca_be32_t)(_x))
#define DOCA_HTOBE64(_x) ((doca_be64_t)(_x))
#else
#define DOCA_HTOBE16(_x) ((doca_be16_t)__builtin_bswap16((uint16_t)(_x)))
#define DOCA_HTOBE32(_x) ((doca_be32_t)__builtin_bswap32((uint32_t)(_x)))
#define DOCA_HTOBE64(_x) ((doca_be64_t)__builtin_bswap64((uint64_t)(_x)))
#endif
#define DOCA_BETOH16(_x) ((uint16_t)DOCA_HTOBE16(_x))
#define DOCA_BETOH32(_x) ((uint32_t)DOCA_HTOBE32(_x))
#define DOCA_BETOH64(_x) ((uint64_t)DOCA_HTOBE64(_x))

/* A mask with the bits _l to _h set, both included; 0 <= _l <= _h < width of the mask. */

/** As a byte. */
#define DOCA_U8_GENMASK(_h, _l) ((uint8_t)((0xFFu >> (7 - (_h))) & (0xFFu << (_l))))
/** As a 16-bit number in big-endian order. */
#define DOCA_BE16_GENMASK(_h, _l) DOCA_HTOBE16((0xFFFFu >> (15 - (_h))) & (0xFFFFu << (_l)))
/** As a 32-bit number in big-endian order. */
#define DOCA_BE32_GENMASK(_h, _l) DOCA_HTOBE32((0xFFFFFFFFu >> (31 - (_h))) & (0xFFFFFFFFu << (_l)))

/** The same masks, stored at _p. */
#define DOCA_U8P_GENMASK(_h, _l, _p)                                                               \
    do {                                                                                           \
        *(_p) = DOCA_U8_GENMASK(_h, _l);                                                           \
    } while (0)
#define DOCA_BE16P_GENMASK(_h, _l, _p)                                                             \
    do {                                                                                           \
        *(_p) = DOCA_BE16_GENMASK(_h, _l);                                                         \
    } while (0)
#define DOCA_BE32P_GENMASK(_h, _l, _p)                                                             \
    do {                                                                                           \
        *(_p) = DOCA_BE32_GENMASK(_h, _l);                                                         \
    } while (0)

/* A number whose field _m holds _v and whose other bits are 0; bits of _v beyond the field drop. */

/** As a byte. */
#define DOCA_U8_SET(_m, _v) ((uint8_t)(((uint32_t)(_v) << DOCA_SHIFT(_m)) & (_m)))
/** As a 16-bit number in big-endian order; _m is big-endian, _v is not. */
#define DOCA_BE16_SET(_m, _v)                                                                      \
    ((doca_be16_t)(DOCA_HTOBE16((uint32_t)(_v) << DOCA_SHIFT(DOCA_BETOH16(_m))) & (_m)))
/** As a 32-bit number in big-endian order; _m is big-endian, _v is not. */
#define DOCA_BE32_SET(_m, _v)                                                                      \
    ((doca_be32_t)(DOCA_HTOBE32((uint32_t)(_v) << DOCA_SHIFT(DOCA_BETOH32(_m))) & (_m)))

/** The same numbers, or-ed into what _p points to; a field that may be set is cleared first. */
#define DOCA_U8P_SET(_m, _v, _p)                                                                   \
    do {                                                                                           \
        *(_p) = (uint8_t)(*(_p) | DOCA_U8_SET(_m, _v));                                            \
    } while (0)
#define DOCA_BE16P_SET(_m, _v, _p)                                                                 \
    do {                                                                                           \
        *(_p) = (doca_be16_t)(*(_p) | DOCA_BE16_SET(_m, _v));                                      \
    } while (0)
#define DOCA_BE32P_SET(_m, _v, _p)                                                                 \
    do {                                                                                           \
        *(_p) = (doca_be32_t)(*(_p) | DOCA_BE32_SET(_m, _v));                                      \
    } while (0)

/* The value of the field _m of the number _f, in host order. */

/** From a byte. */
#define DOCA_U8_GET(_m, _f) ((uint8_t)(((_f) & (_m)) >> DOCA_SHIFT(_m)))
/** From a 16-bit number in big-endian order; _m is big-endian too. */
#define DOCA_BE16_GET(_m, _f)                                                                      \
    ((uint16_t)(DOCA_BETOH16((_f) & (_m)) >> DOCA_SHIFT(DOCA_BETOH16(_m))))
/** From a 32-bit number in big-endian order; _m is big-endian too. */
#define DOCA_BE32_GET(_m, _f)                                                                      \
    ((uint32_t)(DOCA_BETOH32((_f) & (_m)) >> DOCA_SHIFT(DOCA_BETOH32(_m))))

#endif /* DOCA_BITFIELD_H_ */
