/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_COMMON_SAMPLE_H_
#define SAMPLES_COMMON_SAMPLE_H_

/* What the samples share: finding a device, a DMA context with its engine, memory maps, and the
 * wait loop. Each sample then shows one thing. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "device.h"

/* Default addresses of the built-in topology. */
#ifdef DOCA_ARCH_DPU
#define SAMPLE_PCI_ADDR "0000:03:00.0"
#else
#define SAMPLE_PCI_ADDR "0000:b1:00.0"
#endif

/* device_open() of one that offers memcpy tasks. */
doca_error_t sample_open_device(const char *name, struct doca_dev **dev);

/* A started map of memory that stays the caller's. */
doca_error_t sample_map(struct doca_dev *dev, void *addr, size_t len, uint32_t access,
                        struct doca_mmap **map);

/* A DMA context that runs, and what it needs. */
struct sample_dma {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_buf_inventory *inventory;
    unsigned int completed; /* tasks whose callback ran */
    unsigned int failed;    /* those of them that failed */
    /* Called in the completion callback of a successful task; NULL frees the task. */
    void (*on_success)(struct sample_dma *s, struct doca_dma_task_memcpy *task);
    void *user; /* the sample's own */
};

/* Fills and starts *s; on failure nothing is left behind. `num_tasks` tasks, `num_bufs` buffers. */
doca_error_t sample_dma_start(struct sample_dma *s, struct doca_dev *dev, uint32_t num_tasks,
                              size_t num_bufs);

/* Stops, waits until everything is idle, and destroys. */
void sample_dma_stop(struct sample_dma *s);

/* Progresses until `count` callbacks ran. */
doca_error_t sample_dma_wait(struct sample_dma *s, unsigned int count);

/* One copy of `len` bytes, begun but not waited for. The buffers go back when the task completes.
 */
doca_error_t sample_dma_copy(struct sample_dma *s, struct doca_mmap *dst_map, void *dst,
                             struct doca_mmap *src_map, void *src, size_t len);

/* Releases the two buffers of a completed task and the task. */
void sample_task_done(struct doca_dma_task_memcpy *task);

/* Registers a string parameter that is stored in *(const char **) of `config` by the callback. */
doca_error_t sample_register_param(const char *short_name, const char *long_name,
                                   const char *description, int type,
                                   doca_error_t (*callback)(void *value, void *config));

/* For a program that is only started: INVALID_VALUE, with its usage on stderr, if there are any. */
doca_error_t sample_takes_no_arguments(int argc, char **argv);

/* Prints what failed and why; returns the exit status of main. */
int sample_exit(doca_error_t result);

#endif /* SAMPLES_COMMON_SAMPLE_H_ */
