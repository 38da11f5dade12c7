/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_KIT_H_
#define EXTERNAL_KIT_H_

/* What the programs of this folder share. They are written as users of the API write theirs, see
 * nothing but the installed tree, and end with status 0 or 1. */

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
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The addresses that programs take when they are told none. */
#ifdef DOCA_ARCH_DPU
#define KIT_PCI_ADDR "03:00.0"
#else
#define KIT_PCI_ADDR "b1:00.0"
#endif

/* Log to stdout and stderr, and what the libraries have to say from warnings on to stderr. */
doca_error_t kit_log(void);

typedef doca_error_t (*kit_capable)(const struct doca_devinfo *devinfo);

/* The device with this address, and with the ability unless `capable` is NULL. */
doca_error_t kit_open_by_address(const char *pci_addr, kit_capable capable, struct doca_dev **dev);
/* The first device with the ability. */
doca_error_t kit_open_capable(kit_capable capable, struct doca_dev **dev);
/* Closes what is there and forgets it. */
doca_error_t kit_close_device(struct doca_dev **dev);
/* The representor of the host function with this address. */
doca_error_t kit_open_rep(struct doca_dev *dev, enum doca_devinfo_rep_filter filter,
                          const char *pci_addr, struct doca_dev_rep **rep);

/* A map of the caller's memory, with the device and these rights, not started; 0 in `access` leaves
 * the rights as they are by default. */
doca_error_t kit_map(struct doca_dev *dev, void *addr, size_t len, uint32_t access,
                     struct doca_mmap **map);

/* `blocks` blocks of `block` bytes on either side, buffers for all of them, and an engine. */
struct kit {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *src_map;
    struct doca_mmap *dst_map;
    char *src;
    char *dst;
    uint32_t blocks;
    size_t block;
};

doca_error_t kit_create(struct kit *kit, uint32_t blocks, size_t block);
/* Takes what kit_create() left, also after it failed. Engine first, device last. */
doca_error_t kit_destroy(struct kit *kit);
/* Buffers over block i of either side: full and empty. */
doca_error_t kit_bufs(struct kit *kit, uint32_t i, struct doca_buf **src, struct doca_buf **dst);
/* Gives back source, destination and task. */
void kit_put(struct doca_dma_task_memcpy *task);
/* INVALID_VALUE unless the destination block of the task holds what its source block holds. */
doca_error_t kit_compare(const struct doca_dma_task_memcpy *task);
/* A context on the kit's device, configured and connected, not started. */
doca_error_t kit_dma(struct kit *kit, doca_dma_task_memcpy_completion_cb_t done,
                     doca_dma_task_memcpy_completion_cb_t failed, uint32_t tasks, void *user,
                     struct doca_dma **dma);
/* A task over block i of either side. */
doca_error_t kit_task(struct kit *kit, struct doca_dma *dma, uint32_t i,
                      struct doca_dma_task_memcpy **task);

/* Progresses while `more` says so; TIME_OUT after 30 seconds. */
doca_error_t kit_progress(struct doca_pe *pe, bool (*more)(void *arg), void *arg);
/* Stops what runs, and progresses until it is idle. */
doca_error_t kit_stop(struct doca_pe *pe, struct doca_ctx *ctx);
/* Seconds of a clock that does not jump. */
double kit_seconds(void);

/* Adds a parameter to the command line. Names may be NULL. */
doca_error_t kit_param(const char *short_name, const char *long_name, const char *description,
                       int type, bool mandatory, doca_error_t (*callback)(void *, void *));
/* Copies the text of a parameter into a field; INVALID_VALUE when it does not fit. */
doca_error_t kit_store(char *field, size_t size, const char *text);

/* The whole file, or INVALID_VALUE when it is larger than `size`. */
doca_error_t kit_read_file(const char *path, void *data, size_t size, size_t *len);
/* Readers see all of it or no such file. */
doca_error_t kit_write_file(const char *path, const void *data, size_t len);

/* Says how it went; status for main. */
int kit_exit(const char *program, doca_error_t result);

#ifdef __cplusplus
}
#endif

#endif /* EXTERNAL_KIT_H_ */
