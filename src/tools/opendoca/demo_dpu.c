/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/demo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include "tools/opendoca/opendoca_tool.h"

#define IN_FLIGHT 16u

/* One direction of the copy: chunk after chunk, a bounded number at once. */
struct stream {
    struct doca_dma *dma;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *src_map, *dst_map;
    char *src, *dst;
    size_t size, chunk;
    size_t next;  /* first byte that no task has */
    size_t done;  /* bytes that arrived */
    size_t shown; /* bytes when progress was last printed */
    unsigned int in_flight;
    bool failed;
    const char *name;
};

struct dpu {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *input_map, *returned_map, *local_map;
    char *local;
    struct demo_offer offer;
    struct stream stream;
    double seconds[2];
};

static void show_progress(struct stream *stream)
{
    size_t step = stream->size / 4 + 1;

    if (stream->done - stream->shown < step && stream->done < stream->size)
        return;
    stream->shown = stream->done;
    printf("%-9s %3zu %%\n", stream->name, stream->done * 100 / stream->size);
    fflush(stdout);
}

static doca_error_t submit_next(struct stream *stream)
{
    size_t left = stream->size - stream->next, len = left < stream->chunk ? left : stream->chunk;
    struct doca_dma_task_memcpy *task;
    struct doca_buf *src, *dst;
    doca_error_t result = doca_buf_inventory_buf_get_by_data(stream->inventory, stream->src_map,
                                                             stream->src + stream->next, len, &src);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_buf_inventory_buf_get_by_addr(stream->inventory, stream->dst_map,
                                                stream->dst + stream->next, len, &dst);
    if (result != DOCA_SUCCESS)
        goto err_src;
    result = doca_dma_task_memcpy_alloc_init(stream->dma, src, dst, (union doca_data){.u64 = len},
                                             &task);
    if (result != DOCA_SUCCESS)
        goto err_dst;
    result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS)
        goto err_task;
    stream->next += len;
    stream->in_flight++;
    return DOCA_SUCCESS;

err_task:
    doca_task_free(doca_dma_task_memcpy_as_task(task));
err_dst:
    doca_buf_dec_refcount(dst, NULL);
err_src:
    doca_buf_dec_refcount(src, NULL);
    return result;
}

static void release(struct stream *stream, struct doca_dma_task_memcpy *task)
{
    doca_buf_dec_refcount((struct doca_buf *)doca_dma_task_memcpy_get_src(task), NULL);
    doca_buf_dec_refcount(doca_dma_task_memcpy_get_dst(task), NULL);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    stream->in_flight--;
}

static void chunk_done(struct doca_dma_task_memcpy *task, union doca_data len,
                       union doca_data ctx_data)
{
    struct stream *stream = ctx_data.ptr;

    stream->done += len.u64;
    release(stream, task);
    show_progress(stream);
    if (stream->next < stream->size && demo_failed(submit_next(stream), "next chunk"))
        stream->failed = true;
}

static void chunk_failed(struct doca_dma_task_memcpy *task, union doca_data len,
                         union doca_data ctx_data)
{
    struct stream *stream = ctx_data.ptr;

    (void)len;
    if (!stream->failed)
        demo_failed(doca_task_get_status(doca_dma_task_memcpy_as_task(task)), "copy");
    stream->failed = true;
    release(stream, task);
}

static int copy(struct dpu *dpu, const char *name, struct doca_mmap *src_map, char *src,
                struct doca_mmap *dst_map, char *dst, double *seconds)
{
    struct stream *stream = &dpu->stream;
    double begin = demo_now();

    stream->name = name;
    stream->src_map = src_map;
    stream->dst_map = dst_map;
    stream->src = src;
    stream->dst = dst;
    stream->next = stream->done = stream->shown = 0;
    while (!stream->failed && stream->in_flight < IN_FLIGHT && stream->next < stream->size)
        stream->failed = demo_failed(submit_next(stream), "first chunks");
    while (stream->in_flight > 0)
        doca_pe_progress(dpu->pe);
    *seconds = demo_now() - begin;
    return stream->failed ? -1 : 0;
}

static bool start_dma(struct dpu *dpu)
{
    struct doca_ctx *ctx;
    uint64_t max;

    if (demo_failed(doca_pe_create(&dpu->pe), "engine") ||
        demo_failed(doca_dma_create(dpu->dev, &dpu->dma), "DMA"))
        return false;
    ctx = doca_dma_as_ctx(dpu->dma);
    if (demo_failed(doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(dpu->dev), &max),
                    "limits") ||
        demo_failed(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = &dpu->stream}), "data") ||
        demo_failed(
            doca_dma_task_memcpy_set_conf(dpu->dma, chunk_done, chunk_failed, IN_FLIGHT + 1),
            "tasks") ||
        demo_failed(doca_pe_connect_ctx(dpu->pe, ctx), "engine") ||
        demo_failed(doca_ctx_start(ctx), "start") ||
        demo_failed(doca_buf_inventory_create(2 * (IN_FLIGHT + 1), &dpu->inventory), "buffers") ||
        demo_failed(doca_buf_inventory_start(dpu->inventory), "buffers"))
        return false;
    dpu->stream.dma = dpu->dma;
    dpu->stream.inventory = dpu->inventory;
    dpu->stream.size = dpu->offer.size;
    dpu->stream.chunk = max < (64u << 20) ? max : 64u << 20;
    return true;
}

static bool import(struct dpu *dpu)
{
    const struct demo_offer *offer = &dpu->offer;

    return !demo_failed(demo_open_device(&dpu->dev), "DPU device") &&
           !demo_failed(doca_mmap_create_from_export(NULL, offer->input_desc, offer->input_desc_len,
                                                     dpu->dev, &dpu->input_map),
                        "import of the file") &&
           !demo_failed(doca_mmap_create_from_export(NULL, offer->returned_desc,
                                                     offer->returned_desc_len, dpu->dev,
                                                     &dpu->returned_map),
                        "import of the returned copy") &&
           !demo_failed(demo_map(dpu->dev, dpu->local, offer->size,
                                 DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &dpu->local_map),
                        "map of the DPU's memory");
}

static double memcpy_seconds(const struct dpu *dpu)
{
    size_t size = dpu->offer.size, part = size < (256u << 20) ? size : 256u << 20;
    char *other = demo_memory(part, false);
    double begin, seconds;

    if (other == NULL)
        return 0;
    begin = demo_now();
    for (size_t done = 0; done < size; done += part)
        memcpy(other, dpu->local + done, size - done < part ? size - done : part);
    seconds = demo_now() - begin;
    demo_memory_free(other, part);
    return seconds;
}

static void show_rates(const struct dpu *dpu)
{
    double gib = (double)dpu->offer.size / (1u << 30), plain = memcpy_seconds(dpu);

    printf("DMA       host to DPU %.2f GiB/s out of private memory\n"
           "          DPU to host %.2f GiB/s into a memfd (both in chunks of %zu KiB)\n",
           gib / dpu->seconds[0], gib / dpu->seconds[1], dpu->stream.chunk >> 10);
    if (plain > 0)
        printf("memcpy    %.2f GiB/s, one thread inside one process\n", gib / plain);
    fflush(stdout);
}

static int transfer(struct dpu *dpu)
{
    char *input = (char *)(uintptr_t)dpu->offer.input;
    char *returned = (char *)(uintptr_t)dpu->offer.returned;
    struct demo_report report;

    dpu->local = demo_memory(dpu->offer.size, false);
    if (dpu->local == NULL || !import(dpu) || !start_dma(dpu))
        return -1;
    if (copy(dpu, "to DPU", dpu->input_map, input, dpu->local_map, dpu->local, &dpu->seconds[0]) !=
        0)
        return -1;
    report.checksum = demo_checksum(dpu->local, dpu->offer.size);
    if (copy(dpu, "to host", dpu->local_map, dpu->local, dpu->returned_map, returned,
             &dpu->seconds[1]) != 0)
        return -1;
    show_rates(dpu);
    return write(STDIN_FILENO, &report, sizeof(report)) == sizeof(report) ? 0 : -1;
}

static void close_dpu(struct dpu *dpu)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    if (dpu->dma != NULL) {
        doca_ctx_stop(doca_dma_as_ctx(dpu->dma));
        while (doca_ctx_get_state(doca_dma_as_ctx(dpu->dma), &state) == DOCA_SUCCESS &&
               state != DOCA_CTX_STATE_IDLE)
            doca_pe_progress(dpu->pe);
        doca_dma_destroy(dpu->dma);
    }
    if (dpu->pe != NULL)
        doca_pe_destroy(dpu->pe);
    if (dpu->inventory != NULL)
        doca_buf_inventory_destroy(dpu->inventory);
    if (dpu->local_map != NULL)
        doca_mmap_destroy(dpu->local_map);
    if (dpu->returned_map != NULL)
        doca_mmap_destroy(dpu->returned_map);
    if (dpu->input_map != NULL)
        doca_mmap_destroy(dpu->input_map);
    doca_dev_close(dpu->dev);
    demo_memory_free(dpu->local, dpu->offer.size);
}

int tool_demo_dpu(int argc, char **argv)
{
    struct dpu dpu = {.dev = NULL};
    int err;

    (void)argc;
    (void)argv;
    if (read(STDIN_FILENO, &dpu.offer, sizeof(dpu.offer)) != sizeof(dpu.offer))
        return EXIT_FAILURE; /* the host side has said why */
    err = transfer(&dpu);
    close_dpu(&dpu);
    return err == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
