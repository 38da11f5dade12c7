/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest DMA program: one copy inside this process.
 *
 *     dma_local_copy [-p PCI_ADDRESS] [-t TEXT]
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "../../common/sample.h"

DOCA_LOG_REGISTER(LOCAL_COPY);

struct config {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char text[1024];
};

static doca_error_t set_pci_addr(void *value, void *config)
{
    snprintf(((struct config *)config)->pci_addr, DOCA_DEVINFO_PCI_ADDR_SIZE, "%s",
             (const char *)value);
    return DOCA_SUCCESS;
}

static doca_error_t set_text(void *value, void *config)
{
    struct config *c = config;
    int n = snprintf(c->text, sizeof(c->text), "%s", (const char *)value);

    if (n < (int)sizeof(c->text))
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("The text has %d characters, at most %zu are taken", n, sizeof(c->text) - 1);
    return DOCA_ERROR_TOO_BIG;
}

static doca_error_t copy_text(struct sample_dma *dma, const struct config *config)
{
    size_t len = strlen(config->text) + 1;
    char *src = strdup(config->text), *dst = calloc(1, len);
    struct doca_mmap *src_map = NULL, *dst_map = NULL;
    doca_error_t result = src != NULL && dst != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;

    if (result == DOCA_SUCCESS)
        result = sample_map(dma->dev, src, len, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &src_map);
    if (result == DOCA_SUCCESS)
        result = sample_map(dma->dev, dst, len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &dst_map);
    if (result == DOCA_SUCCESS)
        result = sample_dma_copy(dma, dst_map, dst, src_map, src, len);
    if (result == DOCA_SUCCESS)
        result = sample_dma_wait(dma, 1);
    if (result == DOCA_SUCCESS)
        printf("copied %zu bytes: %s\n", len, dst);
    doca_mmap_destroy(dst_map);
    doca_mmap_destroy(src_map);
    free(dst);
    free(src);
    return result;
}

int main(int argc, char **argv)
{
    struct config config = {.pci_addr = SAMPLE_PCI_ADDR, .text = "hello from the other buffer"};
    struct doca_dev *dev = NULL;
    struct sample_dma dma;
    doca_error_t result;

    device_open_log();
    result = doca_argp_init(NULL, &config);
    if (result == DOCA_SUCCESS)
        result = sample_register_param("p", "pci-addr", "PCI address of the device",
                                       DOCA_ARGP_TYPE_STRING, set_pci_addr);
    if (result == DOCA_SUCCESS)
        result =
            sample_register_param("t", "text", "Text to copy", DOCA_ARGP_TYPE_STRING, set_text);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = sample_open_device(config.pci_addr, &dev);
    if (result == DOCA_SUCCESS)
        result = sample_dma_start(&dma, dev, 1, 2);
    if (result == DOCA_SUCCESS) {
        result = copy_text(&dma, &config);
        sample_dma_stop(&dma);
    }
    doca_dev_close(dev);
    doca_argp_destroy();
    return sample_exit(result);
}
