/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_STREAM_H_
#define OD_SOFT_COPY_STREAM_H_

/* The copy loop that stores around the cache, with the widest registers of the processor. */

#include "soft/copy/loop.h"

#if defined(__x86_64__) || defined(__aarch64__)
#define SOFT_COPY_HAS_STREAM 1

/* Its stores are in order with later ones. */
void soft_copy_stream(void *dst, const void *src, size_t len);
#endif

#endif /* OD_SOFT_COPY_STREAM_H_ */
