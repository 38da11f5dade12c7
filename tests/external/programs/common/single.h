/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_SINGLE_H_
#define EXTERNAL_SINGLE_H_

/* A context for one copy. It is stopped from the callback of the copy, and the loop ends when it
 * says that it is idle. */

#include "kit.h"

struct single {
    struct doca_dev *dev;
    struct doca_mmap *src_map; /* the device is added, the rest is the program's */
    struct doca_mmap *dst_map;
    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    bool waiting;         /* for the idle state */
    doca_error_t outcome; /* of the copy */
};

/* The context runs afterwards. */
doca_error_t single_create(struct single *single, const char *pci_addr, uint32_t bufs);
/* A list over the memory in at most `pieces` pieces, as data or as space. */
doca_error_t single_list(struct single *single, struct doca_mmap *map, char *addr, size_t len,
                         int pieces, bool is_data, struct doca_buf **head);
/* Copies, and waits until the context is idle. */
doca_error_t single_copy(struct single *single, struct doca_buf *src, struct doca_buf *dst);
/* Also after a failure of single_create(). */
doca_error_t single_destroy(struct single *single);

#endif /* EXTERNAL_SINGLE_H_ */
