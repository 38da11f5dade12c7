/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_ABREAST_H_
#define OD_UTIL_ABREAST_H_

/* Buffers that the kernel copies into. Some processors (AMD's, `rep movsb`) copy at a seventh of
 * their speed when the destination lies 1 to 63 bytes behind the source in its page, where malloc()
 * puts every large buffer for every source that begins with a page. So bytes are kept at the place
 * in a page that they come from. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define OD_ABREAST_PAGE ((size_t)4096)

/* For up to `len` bytes; NULL: no memory. To be freed with free(). */
static inline void *od_abreast_alloc(size_t len)
{
    return aligned_alloc(OD_ABREAST_PAGE,
                         ((len + OD_ABREAST_PAGE - 1) & ~(OD_ABREAST_PAGE - 1)) + OD_ABREAST_PAGE);
}

/* Where bytes from `addr` on are kept in the buffer. */
static inline char *od_abreast(void *buffer, uint64_t addr)
{
    return (char *)buffer + (addr & (OD_ABREAST_PAGE - 1));
}

#endif /* OD_UTIL_ABREAST_H_ */
