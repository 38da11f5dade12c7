/* SPDX-License-Identifier: BSD-3-Clause */
/* DPU half of the pair: imports what the host half exported, copies it here and prints it.
 *
 *     dma_pair_dpu [-p PCI_ADDRESS] [-d DESCRIPTOR_FILE] [-b BUFFER_FILE]
 */

#include <stdio.h>
#include <stdlib.h>

#include "pair.h"

static doca_error_t fetch(struct sample_dma *dma, struct doca_mmap *remote, void *remote_addr,
                          size_t len)
{
    char *text = calloc(1, len + 1);
    struct doca_mmap *local = NULL;
    doca_error_t result = DOCA_ERROR_NO_MEMORY;

    if (text != NULL)
        result = sample_map(dma->dev, text, len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &local);
    if (result == DOCA_SUCCESS)
        result = sample_dma_copy(dma, local, text, remote, remote_addr, len);
    if (result == DOCA_SUCCESS)
        result = sample_dma_wait(dma, 1);
    if (result == DOCA_SUCCESS)
        printf("the host says: %s\n", text);
    if (local != NULL)
        doca_mmap_destroy(local);
    free(text);
    return result;
}

int main(int argc, char **argv)
{
    char desc[512]; /* no descriptor is longer */
    struct pair_config config;
    struct doca_mmap *remote = NULL;
    struct doca_dev *dev = NULL;
    struct sample_dma dma;
    void *addr = NULL;
    size_t desc_len = 0, len = 0;
    doca_error_t result = pair_parse(&config, argc, argv);

    if (result == DOCA_SUCCESS)
        result = pair_read_file(config.desc_path, desc, sizeof(desc), &desc_len);
    if (result == DOCA_SUCCESS)
        result = pair_read_buffer_info(config.buffer_path, &addr, &len);
    if (result == DOCA_SUCCESS)
        result = sample_open_device(config.pci_addr, &dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_create_from_export(NULL, desc, desc_len, dev, &remote);
    if (result == DOCA_SUCCESS)
        result = sample_dma_start(&dma, dev, 1, 2);
    if (result == DOCA_SUCCESS) {
        result = fetch(&dma, remote, addr, len);
        sample_dma_stop(&dma);
    }
    if (remote != NULL)
        doca_mmap_destroy(remote);
    doca_dev_close(dev);
    return sample_exit(result);
}
