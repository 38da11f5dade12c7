/* SPDX-License-Identifier: BSD-3-Clause */
#include "offer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <doca_argp.h>

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct offer_options *options = config;

    return kit_store(options->pci_addr, sizeof(options->pci_addr), value);
}

static doca_error_t set_text(void *value, void *config)
{
    struct offer_options *options = config;

    return kit_store(options->text, sizeof(options->text), value);
}

static doca_error_t set_descriptor_path(void *value, void *config)
{
    struct offer_options *options = config;

    return kit_store(options->descriptor_path, sizeof(options->descriptor_path), value);
}

static doca_error_t set_buffer_path(void *value, void *config)
{
    struct offer_options *options = config;

    return kit_store(options->buffer_path, sizeof(options->buffer_path), value);
}

#ifdef DOCA_ARCH_DPU
static doca_error_t set_src_pieces(void *value, void *config)
{
    ((struct offer_options *)config)->src_pieces = *(int *)value;
    return *(int *)value > 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t set_dst_pieces(void *value, void *config)
{
    ((struct offer_options *)config)->dst_pieces = *(int *)value;
    return *(int *)value > 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t add_role_params(void)
{
    doca_error_t result = kit_param("ns", "num-src-buf", "Pieces of the source", DOCA_ARGP_TYPE_INT,
                                    false, set_src_pieces);

    if (result == DOCA_SUCCESS)
        result = kit_param("nd", "num-dst-buf", "Pieces of the destination", DOCA_ARGP_TYPE_INT,
                           false, set_dst_pieces);
    return result;
}
#else
static doca_error_t add_role_params(void)
{
    return DOCA_SUCCESS;
}
#endif

static doca_error_t add_params(void)
{
    doca_error_t result = kit_param("p", "pci-addr", "PCI address of the device",
                                    DOCA_ARGP_TYPE_STRING, false, set_pci_addr);

    if (result == DOCA_SUCCESS)
        result = kit_param("t", "text", "Text that the host has", DOCA_ARGP_TYPE_STRING, false,
                           set_text);
    if (result == DOCA_SUCCESS)
        result = kit_param("d", "descriptor-path", "File of the export descriptor",
                           DOCA_ARGP_TYPE_STRING, false, set_descriptor_path);
    if (result == DOCA_SUCCESS)
        result = kit_param("b", "buffer-path", "File of address and length", DOCA_ARGP_TYPE_STRING,
                           false, set_buffer_path);
    return result == DOCA_SUCCESS ? add_role_params() : result;
}

doca_error_t offer_parse(struct offer_options *options, int argc, char **argv)
{
    doca_error_t result;

    *options = (struct offer_options){.pci_addr = KIT_PCI_ADDR,
                                      .text = "what the host wants to say",
                                      .descriptor_path = "/tmp/export_desc.txt",
                                      .buffer_path = "/tmp/buffer_info.txt",
                                      .src_pieces = 1,
                                      .dst_pieces = 1};
    result = kit_log();
    if (result == DOCA_SUCCESS)
        result = doca_argp_init("file_copy", options);
    if (result != DOCA_SUCCESS)
        return result;
    result = add_params();
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result != DOCA_SUCCESS)
        (void)doca_argp_destroy();
    return result;
}

doca_error_t offer_write(const struct offer_options *options, const void *addr, size_t len)
{
    char text[64];
    int n = snprintf(text, sizeof(text), "%" PRIu64 "\n%zu", (uint64_t)(uintptr_t)addr, len);

    return kit_write_file(options->buffer_path, text, (size_t)n);
}

doca_error_t offer_read(const struct offer_options *options, char **addr, size_t *len)
{
    char text[65] = "";
    size_t n;
    uint64_t value;
    doca_error_t result = kit_read_file(options->buffer_path, text, sizeof(text) - 1, &n);

    if (result != DOCA_SUCCESS)
        return result;
    if (sscanf(text, "%" SCNu64 "\n%zu", &value, len) != 2)
        return DOCA_ERROR_INVALID_VALUE;
    *addr = (char *)(uintptr_t)value;
    return DOCA_SUCCESS;
}
