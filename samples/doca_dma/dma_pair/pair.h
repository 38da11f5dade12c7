/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_DMA_PAIR_H_
#define SAMPLES_DMA_PAIR_H_

/* What the two halves agree on: a file with the export descriptor as it is, and a file with the
 * buffer's address and length as two decimal lines. */

#include "../../common/sample.h"

struct pair_config {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char text[1024];
    char desc_path[1024];
    char buffer_path[1024];
};

/* Defaults, log backend, command line. */
doca_error_t pair_parse(struct pair_config *config, int argc, char **argv);

doca_error_t pair_write_file(const char *path, const void *data, size_t len);
doca_error_t pair_read_file(const char *path, void *data, size_t size, size_t *len);
doca_error_t pair_write_buffer_info(const char *path, const void *addr, size_t len);
doca_error_t pair_read_buffer_info(const char *path, void **addr, size_t *len);

#endif /* SAMPLES_DMA_PAIR_H_ */
