/* SPDX-License-Identifier: BSD-3-Clause */
/* Exports a text of this process for the DPU to read, then waits for Enter.
 *
 *     file_copy_host [-p PCI_ADDRESS] [-t TEXT] [-d DESCRIPTOR_FILE] [-b BUFFER_FILE]
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "offer.h"

DOCA_LOG_REGISTER(FILE_COPY::HOST);

#ifdef DOCA_ARCH_HOST
static doca_error_t offer(struct doca_mmap *map, struct doca_dev *dev,
                          const struct offer_options *options, const char *text, size_t len)
{
    const void *descriptor;
    size_t descriptor_len;
    doca_error_t result = doca_mmap_start(map);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_export_pci(map, dev, &descriptor, &descriptor_len);
    if (result == DOCA_SUCCESS)
        result = kit_write_file(options->descriptor_path, descriptor, descriptor_len);
    if (result == DOCA_SUCCESS)
        result = offer_write(options, text, len);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Cannot offer the text: %s", doca_error_get_descr(result));
        return result;
    }
    DOCA_LOG_INFO("Take both files to the DPU, run the other program there, then press Enter");
    (void)getchar();
    return DOCA_SUCCESS;
}

static doca_error_t run(const struct offer_options *options)
{
    size_t len = strlen(options->text) + 1;
    char *text = malloc(len);
    struct doca_dev *dev = NULL;
    struct doca_mmap *map = NULL;
    doca_error_t result, tmp;

    if (text == NULL)
        return DOCA_ERROR_NO_MEMORY;
    memcpy(text, options->text, len);
    result = kit_open_by_address(options->pci_addr, doca_dma_cap_task_memcpy_is_supported, &dev);
    if (result == DOCA_SUCCESS)
        result = kit_map(dev, text, len, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &map);
    if (result == DOCA_SUCCESS)
        result = offer(map, dev, options, text, len);
    if (map != NULL) {
        tmp = doca_mmap_destroy(map);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = kit_close_device(&dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    free(text);
    return result;
}
#else
static doca_error_t run(const struct offer_options *options)
{
    (void)options;
    DOCA_LOG_ERR("This program runs on the host only");
    return DOCA_ERROR_NOT_SUPPORTED;
}
#endif

int main(int argc, char **argv)
{
    static struct offer_options options;
    doca_error_t result = offer_parse(&options, argc, argv), tmp;

    if (result != DOCA_SUCCESS)
        return kit_exit("file_copy_host", result);
    result = run(&options);
    tmp = doca_argp_destroy();
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("file_copy_host", result);
}
