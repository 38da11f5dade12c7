/* SPDX-License-Identifier: BSD-3-Clause */
/* Host half of the pair: offers a text in its own memory and waits for Enter. Nothing else runs
 * here while the DPU half reads it: no engine, no DOCA call.
 *
 *     dma_pair_host [-p PCI_ADDRESS] [-t TEXT] [-d DESCRIPTOR_FILE] [-b BUFFER_FILE]
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

static doca_error_t offer(struct doca_mmap *map, struct doca_dev *dev, char *text, size_t len,
                          const struct pair_config *config)
{
    const void *desc;
    size_t desc_len;
    doca_error_t result = doca_mmap_export_pci(map, dev, &desc, &desc_len);

    if (result == DOCA_SUCCESS)
        result = pair_write_file(config->desc_path, desc, desc_len);
    if (result == DOCA_SUCCESS)
        result = pair_write_buffer_info(config->buffer_path, text, len);
    if (result != DOCA_SUCCESS)
        return result;
    printf("offered %zu bytes; start the DPU half, then press Enter\n", len);
    fflush(stdout);
    getchar();
    return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
    struct pair_config config;
    struct doca_mmap *map = NULL;
    struct doca_dev *dev = NULL;
    char *text = NULL;
    size_t len = 0;
    doca_error_t result = pair_parse(&config, argc, argv);

    if (result == DOCA_SUCCESS)
        result = sample_open_device(config.pci_addr, &dev);
    if (result == DOCA_SUCCESS) {
        text = strdup(config.text);
        len = strlen(config.text) + 1;
        result = text != NULL ? sample_map(dev, text, len, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &map)
                              : DOCA_ERROR_NO_MEMORY;
    }
    if (result == DOCA_SUCCESS)
        result = offer(map, dev, text, len, &config);
    if (map != NULL)
        doca_mmap_destroy(map);
    free(text);
    doca_dev_close(dev);
    return sample_exit(result);
}
