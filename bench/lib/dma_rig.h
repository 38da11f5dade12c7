/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_LIB_DMA_RIG_H_
#define BENCH_LIB_DMA_RIG_H_

/* A running DMA context with `depth` tasks that are resubmitted for ever, as real users do. */

#include <stddef.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#define RIG_MAX_DEPTH 256

struct dma_rig {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *src_map, *dst_map;
    struct doca_buf *src[RIG_MAX_DEPTH], *dst[RIG_MAX_DEPTH];
    struct doca_dma_task_memcpy *task[RIG_MAX_DEPTH];
    unsigned int depth;
    unsigned int done;
};

/* Dies with the code's name unless the call succeeded. */
void rig_must(doca_error_t result, const char *what);

/* Opens the first device of the process's role. Dies when anything fails. */
struct doca_dev *rig_open_device(void);

struct doca_mmap *rig_map(struct doca_dev *dev, void *addr, size_t len);

/* The source map may be imported: `src` are then the exporter's addresses. Copy i of a round goes
 * from src + i * stride to dst + i * stride. `engine` and `threads` choose the copy engine (NULL
 * and 0 = default). */
void rig_open(struct dma_rig *rig, struct doca_dev *dev, struct doca_mmap *src_map, char *src,
              struct doca_mmap *dst_map, char *dst, size_t len, size_t stride, unsigned int depth,
              const char *engine, unsigned int threads);
void rig_close(struct dma_rig *rig);

/* Submits all tasks and progresses until all are back. */
void rig_round(struct dma_rig *rig);

#endif /* BENCH_LIB_DMA_RIG_H_ */
