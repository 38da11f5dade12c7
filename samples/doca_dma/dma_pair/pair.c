/* SPDX-License-Identifier: BSD-3-Clause */
#include "pair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(PAIR);

static doca_error_t store(char *field, size_t size, const char *value)
{
    int n = snprintf(field, size, "%s", value);

    if (n >= 0 && (size_t)n < size)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("A value has %d characters, at most %zu are taken there", n, size - 1);
    return DOCA_ERROR_TOO_BIG;
}

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct pair_config *pair = config;

    return store(pair->pci_addr, sizeof(pair->pci_addr), value);
}

static doca_error_t set_text(void *value, void *config)
{
    struct pair_config *pair = config;

    return store(pair->text, sizeof(pair->text), value);
}

static doca_error_t set_desc_path(void *value, void *config)
{
    struct pair_config *pair = config;

    return store(pair->desc_path, sizeof(pair->desc_path), value);
}

static doca_error_t set_buffer_path(void *value, void *config)
{
    struct pair_config *pair = config;

    return store(pair->buffer_path, sizeof(pair->buffer_path), value);
}

static doca_error_t register_params(void)
{
    doca_error_t result = sample_register_param("p", "pci-addr", "PCI address of the device",
                                                DOCA_ARGP_TYPE_STRING, set_pci_addr);

    if (result == DOCA_SUCCESS)
        result = sample_register_param("t", "text", "Text that the host offers",
                                       DOCA_ARGP_TYPE_STRING, set_text);
    if (result == DOCA_SUCCESS)
        result = sample_register_param("d", "descriptor-path", "File of the export descriptor",
                                       DOCA_ARGP_TYPE_STRING, set_desc_path);
    if (result == DOCA_SUCCESS)
        result =
            sample_register_param("b", "buffer-path", "File of the buffer's address and length",
                                  DOCA_ARGP_TYPE_STRING, set_buffer_path);
    return result;
}

doca_error_t pair_parse(struct pair_config *config, int argc, char **argv)
{
    doca_error_t result;

    *config = (struct pair_config){.pci_addr = SAMPLE_PCI_ADDR,
                                   .text = "greetings from host memory",
                                   .desc_path = "/tmp/export_desc.txt",
                                   .buffer_path = "/tmp/buffer_info.txt"};
    device_open_log();
    result = doca_argp_init(NULL, config);
    if (result != DOCA_SUCCESS)
        return result;
    result = register_params();
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    doca_argp_destroy();
    return result;
}

doca_error_t pair_write_file(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    size_t written = f != NULL ? fwrite(data, 1, len, f) : 0;

    if (f != NULL && fclose(f) == 0 && written == len)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("Cannot write %s: %s", path, strerror(errno));
    return DOCA_ERROR_IO_FAILED;
}

doca_error_t pair_read_file(const char *path, void *data, size_t size, size_t *len)
{
    FILE *f = fopen(path, "rb");

    if (f == NULL) {
        DOCA_LOG_ERR("Cannot read %s: %s; start the host half first", path, strerror(errno));
        return DOCA_ERROR_IO_FAILED;
    }
    *len = fread(data, 1, size, f);
    fclose(f);
    if (*len > 0)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("There is nothing in %s; start the host half first", path);
    return DOCA_ERROR_EMPTY;
}

doca_error_t pair_write_buffer_info(const char *path, const void *addr, size_t len)
{
    char text[64];
    int n = snprintf(text, sizeof(text), "%" PRIuPTR "\n%zu\n", (uintptr_t)addr, len);

    return pair_write_file(path, text, (size_t)n);
}

doca_error_t pair_read_buffer_info(const char *path, void **addr, size_t *len)
{
    char text[65] = {0};
    uintptr_t value;
    size_t size;
    doca_error_t result = pair_read_file(path, text, sizeof(text) - 1, &size);

    if (result != DOCA_SUCCESS)
        return result;
    if (sscanf(text, "%" SCNuPTR "\n%zu", &value, len) != 2) {
        DOCA_LOG_ERR("%s is not what the host half writes, an address and a length", path);
        return DOCA_ERROR_INVALID_VALUE;
    }
    *addr = (void *)value;
    return DOCA_SUCCESS;
}
