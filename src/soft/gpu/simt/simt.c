/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels run in this process: memory of the GPU is memory of the process, between a page that a
 * kernel of Linux may want in front of what it receives into, and one that nobody may touch.
 * OPENDOCA_GPU_STRICT=1 gives kernels and CPU different addresses of the same memory, so that a
 * program that mixes them up faults. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft/gpu/gpu.h"

struct piece {
    char *map; /* what was mapped for `at` */
    char *twin;
    size_t len;
};

static int probe(void)
{
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Which GPUs there are: as the run-time library of kernels on the CPU has it
 */

/* The same address in any of its spellings. */
static bool is_same(const char *text, size_t len, const char *id)
{
    char buf[SOFT_GPU_ID_SIZE + 4];

    if (len == 0 || len >= sizeof(buf))
        return false;
    memcpy(buf, text, len);
    buf[len] = '\0';
    if (strcasecmp(buf, id) == 0)
        return true;
    if (strncmp(id, "0000:", 5) == 0 && strcasecmp(buf, id + 5) == 0)
        return true;
    return strncmp(buf, "0000", 4) == 0 && strcasecmp(buf + 4, id) == 0;
}

static bool is_listed(const char *list, const char *id)
{
    while (*list != '\0') {
        size_t len = strcspn(list, ", ");

        if (is_same(list, len, id))
            return true;
        list += len;
        list += strspn(list, ", ");
    }
    return false;
}

static int open_gpu(const char *id, struct soft_gpu **gpu)
{
    const char *ids = getenv("SIMT_PCI_IDS"), *deny = getenv("SIMT_PCI_DENY");

    if ((deny != NULL && is_listed(deny, id)) || (ids != NULL && !is_listed(ids, id)))
        return soft_fail(-ENOENT,
                         "no GPU at %s: SIMT_PCI_IDS and SIMT_PCI_DENY say which there are", id);
    *gpu = calloc(1, sizeof(**gpu));
    return *gpu != NULL ? 0 : soft_fail(-ENOMEM, "no memory for a GPU");
}

static void close_gpu(struct soft_gpu *gpu)
{
    free(gpu);
}

/* ------------------------------------------------------------------------------------------------
 * Memory
 */

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static void unmap(char *map, size_t len, size_t page)
{
    if (map != NULL)
        munmap(map - page, len + 2 * page);
}

/* Maps `len` bytes aligned to `align`, with a page in front and a forbidden one behind them.
 * Nothing is reserved: pages come when they are touched. */
static char *map_aligned(size_t len, size_t align, size_t page)
{
    size_t room, lead;
    char *map;

    if (len > SIZE_MAX - 2 * page - align)
        return NULL;
    room = len + 2 * page + (align > page ? align : 0);
    map = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    lead = round_up((uintptr_t)map + page, align) - (uintptr_t)map;
    if (lead > page)
        munmap(map, lead - page);
    if (room - lead > len + page)
        munmap(map + lead + len + page, room - lead - len - page);
    if (mprotect(map + lead - page, page, PROT_READ | PROT_WRITE) == 0)
        return map + lead;
    unmap(map + lead, len, page);
    return NULL;
}

static bool fill_private(char *map, size_t len)
{
    return mprotect(map, len, PROT_READ | PROT_WRITE) == 0;
}

static bool fill_from(int fd, char *map, size_t len)
{
    return mmap(map, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0) !=
           MAP_FAILED;
}

static bool fill_twins(struct piece *piece, size_t page)
{
    int fd = memfd_create("gpu", MFD_CLOEXEC);
    bool ok = fd >= 0 && ftruncate(fd, (off_t)piece->len) == 0;

    piece->twin = map_aligned(piece->len, page, page);
    ok = ok && piece->twin != NULL && fill_from(fd, piece->map, piece->len) &&
         fill_from(fd, piece->twin, piece->len);
    if (fd >= 0)
        close(fd);
    return ok;
}

static void drop(struct piece *piece, size_t page)
{
    unmap(piece->map, piece->len, page);
    unmap(piece->twin, piece->len, page);
    free(piece);
}

static bool is_strict(void)
{
    const char *value = getenv("OPENDOCA_GPU_STRICT");

    return value != NULL && strcmp(value, "1") == 0;
}

static int alloc_memory(struct soft_gpu *gpu, size_t align, struct soft_gpu_memory *memory)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct piece *piece = calloc(1, sizeof(*piece));
    bool ok;

    (void)gpu;
    if (piece == NULL || memory->len > SIZE_MAX - page) {
        free(piece);
        return soft_fail(-ENOMEM, "no memory of %zu bytes for kernels", memory->len);
    }
    piece->len = round_up(memory->len, page);
    piece->map = map_aligned(piece->len, align < page ? page : align, page);
    if (piece->map == NULL)
        ok = false;
    else if (memory->place != SOFT_GPU_ON_GPU && is_strict())
        ok = fill_twins(piece, page);
    else
        ok = fill_private(piece->map, piece->len);
    if (!ok) {
        drop(piece, page);
        return soft_fail(-ENOMEM, "no memory of %zu bytes for kernels: %s", memory->len,
                         strerror(errno));
    }
    memory->at = piece->map;
    memory->cpu = piece->twin != NULL ? piece->twin : piece->map;
    memory->handle = piece;
    return 0;
}

static void free_memory(struct soft_gpu_memory *memory)
{
    drop(memory->handle, (size_t)sysconf(_SC_PAGESIZE));
}

const struct soft_gpu_ops soft_gpu_simt_ops = {
    .name = "simt",
    .is_cpu = true,
    .probe = probe,
    .open = open_gpu,
    .close = close_gpu,
    .alloc = alloc_memory,
    .free = free_memory,
};
