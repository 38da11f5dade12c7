/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies a file of any size: the files are mapped, and DMA moves chunks no longer than the device
 * takes, several at a time.
 *
 *     dma_file_copy SOURCE DESTINATION
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_log.h>

#include "../../common/sample.h"

DOCA_LOG_REGISTER(FILE_COPY);

#define IN_FLIGHT 16u

struct transfer {
    struct doca_mmap *src_map, *dst_map;
    char *src, *dst;
    size_t size; /* of the file */
    size_t next; /* first byte that no task covers yet */
    size_t chunk;
    unsigned int submitted;
};

static doca_error_t submit_next(struct sample_dma *dma)
{
    struct transfer *t = dma->user;
    size_t len = t->size - t->next < t->chunk ? t->size - t->next : t->chunk;
    doca_error_t result =
        sample_dma_copy(dma, t->dst_map, t->dst + t->next, t->src_map, t->src + t->next, len);

    if (result == DOCA_SUCCESS) {
        t->next += len;
        t->submitted++;
    }
    return result;
}

/* Each completed chunk makes room for the next one. */
static void chunk_done(struct sample_dma *dma, struct doca_dma_task_memcpy *task)
{
    struct transfer *t = dma->user;

    sample_task_done(task);
    if (t->next < t->size && submit_next(dma) != DOCA_SUCCESS)
        t->size = t->next; /* begin nothing more; the size check below tells */
}

static doca_error_t move(struct doca_dev *dev, struct transfer *t)
{
    struct sample_dma dma;
    size_t size = t->size;
    uint64_t max_chunk;
    doca_error_t result =
        doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(dev), &max_chunk);

    if (result != DOCA_SUCCESS)
        return result;
    t->chunk = max_chunk < (1u << 30) ? (size_t)max_chunk : 1u << 30;
    result = sample_dma_start(&dma, dev, IN_FLIGHT, 2 * IN_FLIGHT);
    if (result != DOCA_SUCCESS)
        return result;
    dma.user = t;
    dma.on_success = chunk_done;
    while (result == DOCA_SUCCESS && t->submitted < IN_FLIGHT && t->next < t->size)
        result = submit_next(&dma);
    while (dma.completed < t->submitted)
        doca_pe_progress(dma.pe);
    if (result == DOCA_SUCCESS && (dma.failed > 0 || t->size != size))
        result = DOCA_ERROR_IO_FAILED;
    printf("%zu bytes in %u chunks of at most %zu\n", size, t->submitted, t->chunk);
    sample_dma_stop(&dma);
    return result;
}

static doca_error_t copy_mapped(struct doca_dev *dev, struct transfer *t)
{
    doca_error_t result =
        sample_map(dev, t->src, t->size, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &t->src_map);

    if (result != DOCA_SUCCESS)
        return result;
    result = sample_map(dev, t->dst, t->size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &t->dst_map);
    if (result == DOCA_SUCCESS) {
        result = move(dev, t);
        doca_mmap_destroy(t->dst_map);
    }
    doca_mmap_destroy(t->src_map);
    return result;
}

/* Room for `size` bytes in a file, mapped; what is mapped but has no place on the disk would fail
 * the copy later. NULL after a message. */
static char *map_destination(int to, size_t size)
{
    int err = posix_fallocate(to, 0, (off_t)size);
    void *dst = MAP_FAILED;

    if (err == 0) {
        dst = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
        err = errno;
    }
    if (dst != MAP_FAILED)
        return dst;
    DOCA_LOG_ERR("The destination cannot have %zu bytes: %s", size, strerror(err));
    return NULL;
}

static doca_error_t copy_file(struct doca_dev *dev, int from, int to, size_t size)
{
    struct transfer t = {.size = size};
    doca_error_t result = DOCA_ERROR_OPERATING_SYSTEM;
    void *src;

    if (size == 0)
        return DOCA_SUCCESS; /* an empty file is copied by creating it */
    src = mmap(NULL, size, PROT_READ, MAP_SHARED, from, 0);
    if (src == MAP_FAILED) {
        DOCA_LOG_ERR("The source cannot be mapped: %s", strerror(errno));
        return DOCA_ERROR_OPERATING_SYSTEM;
    }
    t.src = src;
    t.dst = map_destination(to, size);
    if (t.dst != NULL) {
        result = copy_mapped(dev, &t);
        munmap(t.dst, size);
    }
    munmap(src, size);
    return result;
}

/* Only regular files can be mapped and have a size. -1 after a message. */
static int open_source(const char *path, struct stat *st)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK);

    if (fd < 0 || fstat(fd, st) != 0) {
        perror(path);
    } else if (!S_ISREG(st->st_mode)) {
        fprintf(stderr, "%s: not a regular file\n", path);
    } else {
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The file is emptied only when it is known not to be the source. */
static int open_destination(const char *path, const struct stat *source)
{
    int fd = open(path, O_RDWR | O_CREAT | O_NONBLOCK, 0666);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0) {
        perror(path);
    } else if (!S_ISREG(st.st_mode)) {
        fprintf(stderr, "%s: not a regular file\n", path);
    } else if (st.st_dev == source->st_dev && st.st_ino == source->st_ino) {
        fprintf(stderr, "%s: this is the source itself\n", path);
    } else if (ftruncate(fd, 0) != 0) {
        perror(path);
    } else {
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

int main(int argc, char **argv)
{
    struct doca_dev *dev = NULL;
    doca_error_t result;
    struct stat st;
    int from, to;

    device_open_log();
    if (argc != 3) {
        fprintf(stderr, "usage: %s SOURCE DESTINATION\n", argv[0]);
        return EXIT_FAILURE;
    }
    from = open_source(argv[1], &st);
    to = from >= 0 ? open_destination(argv[2], &st) : -1;
    if (to < 0) {
        if (from >= 0)
            close(from);
        return EXIT_FAILURE;
    }
    result = sample_open_device(SAMPLE_PCI_ADDR, &dev);
    if (result == DOCA_SUCCESS)
        result = copy_file(dev, from, to, (size_t)st.st_size);
    doca_dev_close(dev);
    close(to);
    close(from);
    return sample_exit(result);
}
