/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_OFFER_H_
#define EXTERNAL_OFFER_H_

/* What the two programs have in common: their command line, and the file with address and length.
 */

#include "../common/kit.h"

#define OFFER_PATH_SIZE 1024

struct offer_options {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char text[4096];
    char descriptor_path[OFFER_PATH_SIZE];
    char buffer_path[OFFER_PATH_SIZE];
    int src_pieces;
    int dst_pieces;
};

/* Log and command line; argp is alive afterwards if the result is success. */
doca_error_t offer_parse(struct offer_options *options, int argc, char **argv);
/* Two decimal lines. */
doca_error_t offer_write(const struct offer_options *options, const void *addr, size_t len);
doca_error_t offer_read(const struct offer_options *options, char **addr, size_t *len);

#endif /* EXTERNAL_OFFER_H_ */
