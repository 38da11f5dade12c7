/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/demo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/opendoca/opendoca_tool.h"
#include "util/cleanup.h"

/* The host side has no engine and makes no DOCA call while the DPU works: it sleeps in a read. */

struct host {
    struct doca_dev *dev;
    struct doca_mmap *input_map, *returned_map;
    char *input, *returned;
    size_t size;
};

static int load(struct host *host, const char *path)
{
    OD_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0) {
        fprintf(stderr, "demo host: cannot read %s: %s\n", path, strerror(errno));
        return -1;
    }
    host->size = (size_t)st.st_size;
    /* One of each kind: what any program has, and what can be mapped by the other side. */
    host->input = demo_memory(host->size, false);
    host->returned = demo_memory(host->size, true);
    if (host->input == NULL || host->returned == NULL)
        return -1;
    for (size_t done = 0; done < host->size;) {
        ssize_t n = read(fd, host->input + done, host->size - done);

        if (n <= 0) {
            fprintf(stderr, "demo host: %s is shorter than it was\n", path);
            return -1;
        }
        done += (size_t)n;
    }
    return 0;
}

static int export_one(struct doca_mmap *map, struct doca_dev *dev, char *desc, uint32_t *desc_len)
{
    const void *data;
    size_t len;

    if (demo_failed(doca_mmap_export_pci(map, dev, &data, &len), "export"))
        return -1;
    if (len > DEMO_DESC_MAX) {
        fprintf(stderr, "demo host: descriptor of %zu bytes\n", len);
        return -1;
    }
    memcpy(desc, data, len);
    *desc_len = (uint32_t)len;
    return 0;
}

static int offer(struct host *host)
{
    struct demo_offer offer = {
        .size = host->size, .input = (uintptr_t)host->input, .returned = (uintptr_t)host->returned};

    if (demo_failed(demo_open_device(&host->dev), "host device") ||
        demo_failed(demo_map(host->dev, host->input, host->size, DOCA_ACCESS_FLAG_PCI_READ_ONLY,
                             &host->input_map),
                    "map of the file") ||
        demo_failed(demo_map(host->dev, host->returned, host->size, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
                             &host->returned_map),
                    "map of the returned copy") ||
        export_one(host->input_map, host->dev, offer.input_desc, &offer.input_desc_len) != 0 ||
        export_one(host->returned_map, host->dev, offer.returned_desc, &offer.returned_desc_len))
        return -1;
    return write(STDIN_FILENO, &offer, sizeof(offer)) == sizeof(offer) ? 0 : -1;
}

static int save(const struct host *host, const char *path)
{
    OD_AUTO_FD int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0) {
        fprintf(stderr, "demo host: cannot create %s: %s\n", path, strerror(errno));
        return -1;
    }
    return demo_write(fd, path, host->returned, host->size);
}

static int verify(const struct host *host, const struct demo_report *report)
{
    uint64_t expected = demo_checksum(host->input, host->size);

    printf("host      %016" PRIx64 " sent, %016" PRIx64 " seen by the DPU, %016" PRIx64
           " came back\n",
           expected, report->checksum, demo_checksum(host->returned, host->size));
    return report->checksum == expected ? 0 : -1;
}

static void close_host(struct host *host)
{
    if (host->input_map != NULL)
        doca_mmap_destroy(host->input_map);
    if (host->returned_map != NULL)
        doca_mmap_destroy(host->returned_map);
    doca_dev_close(host->dev);
    demo_memory_free(host->input, host->size);
    demo_memory_free(host->returned, host->size);
}

int tool_demo_host(int argc, char **argv)
{
    struct host host = {.size = 0};
    struct demo_report report;
    int err = argc == 3 ? load(&host, argv[1]) : -1;

    if (err == 0)
        err = offer(&host);
    /* The end of the socket without a report: the DPU side has said why. */
    if (err == 0 && read(STDIN_FILENO, &report, sizeof(report)) != sizeof(report))
        err = -1;
    if (err == 0)
        err = verify(&host, &report);
    if (err == 0)
        err = save(&host, argv[2]);
    close_host(&host);
    return err == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
