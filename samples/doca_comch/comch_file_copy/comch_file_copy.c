/* SPDX-License-Identifier: BSD-3-Clause */
/* The host offers a file, the DPU fetches it with DMA. What they must tell each other goes over
 * Comch: the host sends the export descriptor of its memory, with the address and the length, the
 * DPU says when it has everything. Start both, in any order.
 *
 *     comch_file_copy FILE        (host: what to copy; DPU: where to)
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

#include "../../common/channel.h"

DOCA_LOG_REGISTER(FILE_COPY);

#define SERVICE "file_copy"

/* What the host sends. */
struct offer {
    uint64_t addr;
    uint64_t len;
    uint32_t desc_len;
    uint8_t desc[512]; /* no descriptor is longer */
};

struct copy {
    char *bytes; /* the mapped file */
    size_t len;
    struct offer offer; /* DPU: as received */
    bool done;          /* host: the DPU said so */
};

static doca_error_t map_file(struct copy *copy, int file, size_t len, int protection)
{
    copy->len = len;
    copy->bytes = len > 0 ? mmap(NULL, len, protection, MAP_SHARED, file, 0) : NULL;
    return copy->bytes != MAP_FAILED ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM;
}

#ifdef DOCA_ARCH_DPU

static void keep_offer(struct sample_channel *channel, const uint8_t *bytes, uint32_t len)
{
    struct copy *copy = channel->user;

    if (len == sizeof(copy->offer))
        memcpy(&copy->offer, bytes, len);
}

/* In pieces, for a DMA task has a limit. */
static doca_error_t fetch_pieces(struct sample_dma *dma, struct copy *copy, struct doca_mmap *local,
                                 struct doca_mmap *remote)
{
    char *from = (char *)(uintptr_t)copy->offer.addr;
    uint64_t limit;
    doca_error_t result =
        doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(dma->dev), &limit);

    for (size_t at = 0; at < copy->len && result == DOCA_SUCCESS;) {
        size_t len = copy->len - at < limit ? copy->len - at : (size_t)limit;

        result = sample_dma_copy(dma, local, copy->bytes + at, remote, from + at, len);
        if (result == DOCA_SUCCESS)
            result = sample_dma_wait(dma, dma->completed + 1);
        at += len;
    }
    return result;
}

static doca_error_t fetch(struct doca_dev *dev, struct copy *copy)
{
    struct doca_mmap *remote = NULL, *local = NULL;
    struct sample_dma dma;
    doca_error_t result =
        doca_mmap_create_from_export(NULL, copy->offer.desc, copy->offer.desc_len, dev, &remote);

    if (result == DOCA_SUCCESS)
        result = sample_map(dev, copy->bytes, copy->len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &local);
    if (result == DOCA_SUCCESS)
        result = sample_dma_start(&dma, dev, 1, 2);
    if (result == DOCA_SUCCESS) {
        result = fetch_pieces(&dma, copy, local, remote);
        sample_dma_stop(&dma);
    }
    if (local != NULL)
        doca_mmap_destroy(local);
    if (remote != NULL)
        doca_mmap_destroy(remote);
    return result;
}

/* With room for all: what is mapped but has no place on the disk would fail the copy later. -1
 * after a message. */
static int open_destination(const char *path, uint64_t len)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int err = file < 0 ? errno : len > 0 ? posix_fallocate(file, 0, (off_t)len) : 0;

    if (err == 0)
        return file;
    DOCA_LOG_ERR("%s cannot have %llu bytes: %s", path, (unsigned long long)len, strerror(err));
    if (file >= 0)
        close(file);
    return -1;
}

static doca_error_t run(struct sample_channel *channel, struct copy *copy, const char *path)
{
    doca_error_t result = DOCA_SUCCESS;
    int file;

    while (copy->offer.desc_len == 0 && result == DOCA_SUCCESS)
        result = sample_channel_step(channel);
    if (result != DOCA_SUCCESS || copy->offer.desc_len > sizeof(copy->offer.desc))
        return result != DOCA_SUCCESS ? result : DOCA_ERROR_INVALID_VALUE;
    file = open_destination(path, copy->offer.len);
    if (file < 0)
        result = DOCA_ERROR_OPERATING_SYSTEM;
    if (result == DOCA_SUCCESS)
        result = map_file(copy, file, (size_t)copy->offer.len, PROT_READ | PROT_WRITE);
    if (result == DOCA_SUCCESS && copy->len > 0) {
        result = fetch(channel->dev, copy);
        munmap(copy->bytes, copy->len);
    }
    if (file >= 0)
        close(file);
    if (result != DOCA_SUCCESS)
        return result;
    printf("%zu bytes fetched\n", copy->len);
    return sample_channel_send(channel, "done", 4);
}

#else

static void note_done(struct sample_channel *channel, const uint8_t *bytes, uint32_t len)
{
    struct copy *copy = channel->user;

    copy->done = len == 4 && memcmp(bytes, "done", 4) == 0;
}

static doca_error_t offer_memory(struct sample_channel *channel, struct copy *copy,
                                 struct doca_mmap *map)
{
    struct offer offer = {.addr = (uintptr_t)copy->bytes, .len = copy->len};
    const void *desc;
    size_t len;
    doca_error_t result = doca_mmap_export_pci(map, channel->dev, &desc, &len);

    if (result == DOCA_SUCCESS && len > sizeof(offer.desc))
        result = DOCA_ERROR_TOO_BIG;
    if (result != DOCA_SUCCESS)
        return result;
    offer.desc_len = (uint32_t)len;
    memcpy(offer.desc, desc, len);
    result = sample_channel_send(channel, &offer, sizeof(offer));
    while (result == DOCA_SUCCESS && !copy->done)
        result = sample_channel_step(channel);
    printf("%zu bytes %s\n", copy->len, copy->done ? "offered and fetched" : "not fetched");
    return copy->done ? DOCA_SUCCESS : result;
}

static doca_error_t run(struct sample_channel *channel, struct copy *copy, const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct doca_mmap *map = NULL;
    doca_error_t result = DOCA_ERROR_OPERATING_SYSTEM;
    struct stat st;

    if (file >= 0 && fstat(file, &st) == 0 && st.st_size > 0)
        result = map_file(copy, file, (size_t)st.st_size, PROT_READ);
    else
        DOCA_LOG_ERR("Cannot read %s, or it is empty", path);
    if (file >= 0)
        close(file);
    if (result != DOCA_SUCCESS)
        return result;
    result = sample_map(channel->dev, copy->bytes, copy->len, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &map);
    if (result == DOCA_SUCCESS) {
        result = offer_memory(channel, copy, map);
        doca_mmap_destroy(map);
    }
    munmap(copy->bytes, copy->len);
    return result;
}

#endif

int main(int argc, char **argv)
{
    struct copy copy = {.len = 0};
    struct sample_channel channel = {.user = &copy};
    doca_error_t result;

    device_open_log();
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return EXIT_FAILURE;
    }
#ifdef DOCA_ARCH_DPU
    channel.on_message = keep_offer;
#else
    channel.on_message = note_done;
#endif
    result = sample_channel_open(&channel, SERVICE);
    if (result == DOCA_SUCCESS) {
        result = run(&channel, &copy, argv[1]);
        sample_channel_close(&channel);
    }
    return sample_exit(result);
}
