/* SPDX-License-Identifier: BSD-3-Clause */
/* A task of the CPU copies a text into memory of the GPU, a kernel copies its answer back: two
 * contexts of one device with one engine. Arrays and the GPU are left to the end of the process.
 *
 *     gpu_dma_memcpy DEVICE GPU
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_gpunetio.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "memcpy.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        doca_error_t tried = (call);                                                               \
        if (tried != DOCA_SUCCESS) {                                                               \
            printf("%s: %s\n", #call, doca_error_get_descr(tried));                                \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static int done;

static void copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)ctx_data;
    *(doca_error_t *)task_data.ptr = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    done = 1;
}

static int open_device(const char *address, struct doca_dev **dev)
{
    struct doca_devinfo **list;
    uint32_t num;
    uint8_t equal = 0;

    TRY(doca_devinfo_create_list(&list, &num));
    for (uint32_t i = 0; i < num && equal == 0; i++) {
        TRY(doca_devinfo_is_equal_pci_addr(list[i], address, &equal));
        if (equal != 0)
            TRY(doca_dev_open(list[i], dev));
    }
    TRY(doca_devinfo_destroy_list(list));
    return equal == 0;
}

static int map_memory(struct doca_dev *dev, void *at, struct doca_mmap **map)
{
    TRY(doca_mmap_create(map));
    TRY(doca_mmap_add_dev(*map, dev));
    TRY(doca_mmap_set_permissions(*map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    TRY(doca_mmap_set_memrange(*map, at, MEMCPY_SIZE));
    TRY(doca_mmap_start(*map));
    return 0;
}

static int make_array(struct doca_gpu *gpu, struct doca_mmap *map, struct doca_gpu_buf_arr **handle)
{
    struct doca_buf_arr *arr;

    TRY(doca_buf_arr_create(1, &arr));
    TRY(doca_buf_arr_set_params(arr, map, MEMCPY_SIZE, 0));
    TRY(doca_buf_arr_set_target_gpu(arr, gpu));
    TRY(doca_buf_arr_start(arr));
    TRY(doca_buf_arr_get_gpu_handle(arr, handle));
    return 0;
}

static int copy_by_task(struct doca_dma *dma, struct doca_pe *pe, struct doca_mmap *from, void *src,
                        struct doca_mmap *to, void *dst)
{
    doca_error_t status = DOCA_ERROR_UNKNOWN;
    union doca_data data = {.ptr = &status};
    struct doca_buf_inventory *inventory;
    struct doca_buf *src_buf, *dst_buf;
    struct doca_dma_task_memcpy *task;

    TRY(doca_buf_inventory_create(2, &inventory));
    TRY(doca_buf_inventory_start(inventory));
    TRY(doca_buf_inventory_buf_get_by_data(inventory, from, src, MEMCPY_SIZE, &src_buf));
    TRY(doca_buf_inventory_buf_get_by_addr(inventory, to, dst, MEMCPY_SIZE, &dst_buf));
    TRY(doca_dma_task_memcpy_alloc_init(dma, src_buf, dst_buf, data, &task));
    TRY(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    while (!done)
        (void)doca_pe_progress(pe);
    TRY(status);
    TRY(doca_buf_dec_refcount(src_buf, NULL));
    TRY(doca_buf_dec_refcount(dst_buf, NULL));
    TRY(doca_buf_inventory_destroy(inventory));
    return 0;
}

int main(int argc, char **argv)
{
    static char text[MEMCPY_SIZE] = "written by the CPU", back[MEMCPY_SIZE];
    struct doca_mmap *text_map, *back_map, *gpu_map;
    struct doca_gpu_buf_arr *src, *dst;
    struct doca_dma *of_cpu, *of_gpu;
    struct doca_gpu_dma *handle;
    void *at, *at_cpu;
    struct doca_dev *dev;
    struct doca_gpu *gpu;
    struct doca_pe *pe;

    if (argc != 3 || open_device(argv[1], &dev) != 0)
        return 1;
    TRY(doca_gpu_create(argv[2], &gpu));
    TRY(doca_gpu_mem_alloc(gpu, MEMCPY_SIZE, (size_t)sysconf(_SC_PAGESIZE),
                           DOCA_GPU_MEM_TYPE_GPU_CPU, &at, &at_cpu));
    if (map_memory(dev, text, &text_map) != 0 || map_memory(dev, back, &back_map) != 0 ||
        map_memory(dev, at, &gpu_map) != 0 || make_array(gpu, gpu_map, &src) != 0 ||
        make_array(gpu, back_map, &dst) != 0)
        return 1;
    TRY(doca_pe_create(&pe));
    TRY(doca_dma_create(dev, &of_cpu));
    TRY(doca_dma_create(dev, &of_gpu));
    TRY(doca_dma_task_memcpy_set_conf(of_cpu, copied, copied, 1));
    TRY(doca_ctx_set_datapath_on_gpu(doca_dma_as_ctx(of_gpu), gpu));
    TRY(doca_pe_connect_ctx(pe, doca_dma_as_ctx(of_cpu)));
    TRY(doca_pe_connect_ctx(pe, doca_dma_as_ctx(of_gpu)));
    TRY(doca_ctx_start(doca_dma_as_ctx(of_cpu)));
    TRY(doca_ctx_start(doca_dma_as_ctx(of_gpu)));
    TRY(doca_dma_get_gpu_handle(of_gpu, &handle));
    if (copy_by_task(of_cpu, pe, text_map, text, gpu_map, at) != 0)
        return 1;
    TRY(memcpy_kernel(handle, at, src, dst));
    printf("CPU sees: %s\n", back);
    TRY(doca_ctx_stop(doca_dma_as_ctx(of_gpu)));
    TRY(doca_ctx_stop(doca_dma_as_ctx(of_cpu)));
    TRY(doca_dma_destroy(of_gpu));
    TRY(doca_dma_destroy(of_cpu));
    TRY(doca_pe_destroy(pe));
    TRY(doca_gpu_mem_free(gpu, at));
    printf("finished successfully\n");
    return 0;
}
