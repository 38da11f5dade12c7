/* SPDX-License-Identifier: BSD-3-Clause */
/* True GPUs, through CUDA's driver. Nothing here waits for kernels but what a program asks for: the
 * driver's own allocation and release of GPU memory may, so they happen in its calls only. */

#include "soft/gpu/cuda/cuda.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    OWN_ALIGNMENT = 256 /* what the driver's allocations have anyway */
};

/* What `handle` of a piece of memory is. */
struct piece {
    cuda_address_t base; /* of GPU memory; 0: it is memory of the CPU */
    char *map;           /* of the CPU's */
    size_t len;
};

static struct cuda_gpu *to_cuda(struct soft_gpu *gpu)
{
    return OD_CONTAINER_OF(gpu, struct cuda_gpu, base);
}

int cuda_enter(const struct cuda_gpu *gpu)
{
    int result = gpu->driver->context_push(gpu->context);

    return result == CUDA_OK ? 0
                             : cuda_fail(gpu->driver, result, "GPU %s: its context", gpu->base.id);
}

void cuda_leave(const struct cuda_gpu *gpu)
{
    cuda_context_t before;

    (void)gpu->driver->context_pop(&before);
}

/* ------------------------------------------------------------------------------------------------
 * GPUs
 */

static int probe(void)
{
    const struct cuda_driver *driver;
    int count = 0, result;
    int err = cuda_driver_get(&driver);

    if (err != 0)
        return err;
    result = driver->device_count(&count);
    if (result != CUDA_OK) {
        (void)cuda_fail(driver, result, "cannot count the GPUs");
        return -EIO;
    }
    return count > 0 ? 0 : soft_fail(-ENOTSUP, "CUDA's driver is here, but no GPU");
}

/* Says which GPUs there are. */
static int no_such_gpu(const struct cuda_driver *driver, const char *id)
{
    char known[160] = " none", one[32];
    size_t used = 0;
    int count = 0, device;

    (void)driver->device_count(&count);
    for (int i = 0; i < count && used < sizeof(known); i++) {
        if (driver->device_get(&device, i) != CUDA_OK ||
            driver->device_pci(one, sizeof(one), device) != CUDA_OK)
            continue;
        one[sizeof(one) - 1] = '\0';
        used += (size_t)snprintf(known + used, sizeof(known) - used, " %s", one);
    }
    return soft_fail(-ENOENT, "no GPU at %s; there are:%s", id, known);
}

static int check_device(const struct cuda_driver *driver, const char *id, int device)
{
    int can_map = 0;
    int result = driver->device_attribute(&can_map, CUDA_DEVICE_CAN_MAP_HOST, device);

    if (result != CUDA_OK)
        return cuda_fail(driver, result, "GPU %s: its abilities", id);
    return can_map != 0 ? 0 : soft_fail(-EIO, "GPU %s cannot reach memory of the CPU", id);
}

static int open_gpu(const char *id, struct soft_gpu **out)
{
    const struct cuda_driver *driver;
    struct cuda_gpu *gpu;
    int device, result;
    int err = cuda_driver_get(&driver);

    if (err != 0)
        return err;
    if (driver->device_by_pci(&device, id) != CUDA_OK)
        return no_such_gpu(driver, id);
    err = check_device(driver, id, device);
    if (err != 0)
        return err;
    gpu = calloc(1, sizeof(*gpu));
    if (gpu == NULL)
        return soft_fail(-ENOMEM, "no memory for a GPU");
    gpu->driver = driver;
    gpu->device = device;
    result = driver->context_retain(&gpu->context, device);
    if (result != CUDA_OK) {
        free(gpu);
        return cuda_fail(driver, result, "GPU %s: its primary context", id);
    }
    *out = &gpu->base;
    return 0;
}

static void close_gpu(struct soft_gpu *base)
{
    struct cuda_gpu *gpu = to_cuda(base);

    (void)gpu->driver->context_release(gpu->device);
    free(gpu);
}

/* ------------------------------------------------------------------------------------------------
 * Memory
 */

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static int alloc_on_gpu(const struct cuda_gpu *gpu, size_t align, struct soft_gpu_memory *memory,
                        struct piece *piece)
{
    const struct cuda_driver *driver = gpu->driver;
    const unsigned int yes = 1;
    size_t more = align > OWN_ALIGNMENT ? align : 0;
    int result;

    if (memory->len > SIZE_MAX - more)
        return soft_fail(-ENOMEM, "no memory of %zu bytes on GPU %s", memory->len, gpu->base.id);
    piece->len = memory->len + more;
    result = driver->mem_alloc(&piece->base, piece->len);
    if (result != CUDA_OK)
        return cuda_fail(driver, result, "%zu bytes of GPU %s, aligned to %zu", memory->len,
                         gpu->base.id, align);
    /* Copies that others begin on it are done when they return. Not all memory can have this. */
    if (driver->pointer_set != NULL)
        (void)driver->pointer_set(&yes, CUDA_POINTER_SYNC_MEMOPS, piece->base);
    memory->at = (char *)(uintptr_t)round_up(piece->base, more > 0 ? align : 1);
    memory->cpu = NULL;
    return 0;
}

/* Zeros, on pages of their own that a child process does not get: it would make the GPU's view and
 * the parent's part ways. */
static char *map_for_gpu(size_t len, size_t align, size_t page)
{
    size_t room = len + (align > page ? align : 0), lead;
    char *map;

    if (len > SIZE_MAX - align)
        return NULL;
    map = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    lead = round_up((uintptr_t)map, align) - (uintptr_t)map;
    if (lead > 0)
        munmap(map, lead);
    if (room - lead > len)
        munmap(map + lead + len, room - lead - len);
    (void)madvise(map + lead, len, MADV_DONTFORK);
    return map + lead;
}

static int alloc_on_cpu(const struct cuda_gpu *gpu, size_t align, struct soft_gpu_memory *memory,
                        struct piece *piece)
{
    const struct cuda_driver *driver = gpu->driver;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    cuda_address_t at;
    int result;

    if (memory->len > SIZE_MAX - page)
        return soft_fail(-ENOMEM, "no memory of %zu bytes", memory->len);
    piece->len = round_up(memory->len, page);
    piece->map = map_for_gpu(piece->len, align > page ? align : page, page);
    if (piece->map == NULL)
        return soft_fail(-ENOMEM, "no memory of %zu bytes: %s", memory->len, strerror(errno));
    result =
        driver->host_register(piece->map, piece->len, CUDA_HOST_PORTABLE | CUDA_HOST_DEVICEMAP);
    if (result != CUDA_OK)
        goto err_unmap;
    result = driver->host_device_address(&at, piece->map, 0);
    if (result != CUDA_OK)
        goto err_unregister;
    memory->at = (char *)(uintptr_t)at;
    memory->cpu = piece->map;
    return 0;

err_unregister:
    (void)driver->host_unregister(piece->map);
err_unmap:
    munmap(piece->map, piece->len);
    return cuda_fail(driver, result, "%zu bytes of the CPU for GPU %s", memory->len, gpu->base.id);
}

static int alloc_memory(struct soft_gpu *base, size_t align, struct soft_gpu_memory *memory)
{
    const struct cuda_gpu *gpu = to_cuda(base);
    struct piece *piece = calloc(1, sizeof(*piece));
    int err;

    if (piece == NULL)
        return soft_fail(-ENOMEM, "no memory for a piece of a GPU's memory");
    if (align == 0)
        align = (size_t)sysconf(_SC_PAGESIZE);
    err = cuda_enter(gpu);
    if (err == 0) {
        /* GPU memory that the CPU reaches needs a module of the kernel that few machines have. */
        err = memory->place == SOFT_GPU_ON_GPU ? alloc_on_gpu(gpu, align, memory, piece)
                                               : alloc_on_cpu(gpu, align, memory, piece);
        cuda_leave(gpu);
    }
    if (err != 0)
        free(piece);
    else
        memory->handle = piece;
    return err;
}

static void free_memory(struct soft_gpu_memory *memory)
{
    const struct cuda_gpu *gpu = to_cuda(memory->gpu);
    struct piece *piece = memory->handle;
    bool has_context = cuda_enter(gpu) == 0;

    if (piece->map == NULL) {
        (void)gpu->driver->mem_free(piece->base);
    } else {
        (void)gpu->driver->host_unregister(piece->map);
        munmap(piece->map, piece->len);
    }
    if (has_context)
        cuda_leave(gpu);
    free(piece);
}

const struct soft_gpu_ops soft_gpu_cuda_ops = {
    .name = "cuda",
    .probe = probe,
    .open = open_gpu,
    .close = close_gpu,
    .alloc = alloc_memory,
    .free = free_memory,
    .copier_open = cuda_copier_open,
    .copier_close = cuda_copier_close,
    .copy_in = cuda_copy_in,
    .copy_out = cuda_copy_out,
    .mark = cuda_mark,
    .is_done = cuda_is_done,
};
