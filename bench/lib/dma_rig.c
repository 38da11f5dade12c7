/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/dma_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/bench.h"

void rig_must(doca_error_t result, const char *what)
{
    if (result != DOCA_SUCCESS)
        bench_die(what, doca_error_get_name(result));
}

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    (void)task;
    (void)task_data;
    ((struct dma_rig *)ctx_data.ptr)->done++;
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    bench_die("memcpy task",
              doca_error_get_name(doca_task_get_status(doca_dma_task_memcpy_as_task(task))));
}

struct doca_dev *rig_open_device(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t n;

    rig_must(doca_devinfo_create_list(&list, &n), "device list");
    if (n == 0)
        bench_die("device list", "empty");
    rig_must(doca_dev_open(list[0], &dev), "device");
    rig_must(doca_devinfo_destroy_list(list), "device list");
    return dev;
}

struct doca_mmap *rig_map(struct doca_dev *dev, void *addr, size_t len)
{
    struct doca_mmap *map;

    rig_must(doca_mmap_create(&map), "map");
    rig_must(doca_mmap_add_dev(map, dev), "map device");
    rig_must(doca_mmap_set_memrange(map, addr, len), "map range");
    rig_must(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                                DOCA_ACCESS_FLAG_PCI_READ_WRITE),
             "map access");
    rig_must(doca_mmap_start(map), "map start");
    return map;
}

static void choose_engine(const char *engine, unsigned int threads)
{
    char text[16];

    if (engine != NULL)
        setenv("OPENDOCA_COPY_ENGINE", engine, 1);
    else
        unsetenv("OPENDOCA_COPY_ENGINE");
    snprintf(text, sizeof(text), "%u", threads);
    if (threads != 0)
        setenv("OPENDOCA_COPY_THREADS", text, 1);
    else
        unsetenv("OPENDOCA_COPY_THREADS");
}

void rig_open(struct dma_rig *rig, struct doca_dev *dev, struct doca_mmap *src_map, char *src,
              struct doca_mmap *dst_map, char *dst, size_t len, size_t stride, unsigned int depth,
              const char *engine, unsigned int threads)
{
    *rig = (struct dma_rig){.dev = dev, .src_map = src_map, .dst_map = dst_map, .depth = depth};
    choose_engine(engine, threads);
    rig_must(doca_pe_create(&rig->pe), "progress engine");
    rig_must(doca_dma_create(dev, &rig->dma), "dma");
    rig->ctx = doca_dma_as_ctx(rig->dma);
    rig_must(doca_ctx_set_user_data(rig->ctx, (union doca_data){.ptr = rig}), "user data");
    rig_must(doca_dma_task_memcpy_set_conf(rig->dma, on_success, on_error, depth), "set_conf");
    rig_must(doca_pe_connect_ctx(rig->pe, rig->ctx), "connect");
    rig_must(doca_ctx_start(rig->ctx), "start");
    rig_must(doca_buf_inventory_create(2 * depth, &rig->inventory), "inventory");
    rig_must(doca_buf_inventory_start(rig->inventory), "inventory start");
    for (unsigned int i = 0; i < depth; i++) {
        rig_must(doca_buf_inventory_buf_get_by_data(rig->inventory, src_map, src + i * stride, len,
                                                    &rig->src[i]),
                 "source buffer");
        rig_must(doca_buf_inventory_buf_get_by_addr(rig->inventory, dst_map, dst + i * stride, len,
                                                    &rig->dst[i]),
                 "destination buffer");
        rig_must(doca_dma_task_memcpy_alloc_init(rig->dma, rig->src[i], rig->dst[i],
                                                 (union doca_data){0}, &rig->task[i]),
                 "task");
    }
}

void rig_round(struct dma_rig *rig)
{
    rig->done = 0;
    for (unsigned int i = 0; i < rig->depth; i++) {
        doca_buf_reset_data_len(rig->dst[i]);
        if (doca_task_submit(doca_dma_task_memcpy_as_task(rig->task[i])) != DOCA_SUCCESS)
            bench_die("submit", "refused");
    }
    while (rig->done < rig->depth)
        doca_pe_progress(rig->pe);
}

void rig_close(struct dma_rig *rig)
{
    for (unsigned int i = 0; i < rig->depth; i++) {
        doca_task_free(doca_dma_task_memcpy_as_task(rig->task[i]));
        rig_must(doca_buf_dec_refcount(rig->src[i], NULL), "source buffer");
        rig_must(doca_buf_dec_refcount(rig->dst[i], NULL), "destination buffer");
    }
    rig_must(doca_ctx_stop(rig->ctx), "stop");
    rig_must(doca_dma_destroy(rig->dma), "destroy");
    rig_must(doca_pe_destroy(rig->pe), "engine");
    rig_must(doca_buf_inventory_destroy(rig->inventory), "inventory");
}
