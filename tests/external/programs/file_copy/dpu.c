/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what the host program exported, in one copy.
 *
 *     file_copy_dpu [-p PCI_ADDRESS] [-d DESCRIPTOR_FILE] [-b BUFFER_FILE] [-ns N] [-nd N]
 */

#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "../common/single.h"
#include "offer.h"

DOCA_LOG_REGISTER(FILE_COPY::DPU);

#ifdef DOCA_ARCH_DPU
#define MAX_DESCRIPTOR 512 /* bytes; no descriptor is longer */

static doca_error_t check_size(struct single *single, size_t len)
{
    uint64_t max = 0;
    doca_error_t result =
        doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(single->dev), &max);

    if (result != DOCA_SUCCESS)
        return result;
    if (len == 0)
        return DOCA_ERROR_EMPTY;
    if (len > max) {
        DOCA_LOG_ERR("%zu bytes are more than one copy can take, %llu", len,
                     (unsigned long long)max);
        return DOCA_ERROR_TOO_BIG;
    }
    return DOCA_SUCCESS;
}

/* The destination is created last and given back first. */
static doca_error_t fetch(struct single *single, struct doca_mmap *remote, char *addr, char *dst,
                          size_t len, const struct offer_options *options)
{
    struct doca_buf *from = NULL, *to = NULL;
    doca_error_t result = single_list(single, remote, addr, len, options->src_pieces, true, &from),
                 tmp;

    if (result == DOCA_SUCCESS)
        result = single_list(single, single->dst_map, dst, len, options->dst_pieces, false, &to);
    if (result == DOCA_SUCCESS)
        result = single_copy(single, from, to);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("The host says: %s", dst);
    if (to != NULL) {
        tmp = doca_buf_dec_refcount(to, NULL);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (from != NULL) {
        tmp = doca_buf_dec_refcount(from, NULL);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return result;
}

static doca_error_t import(struct single *single, const void *descriptor, size_t descriptor_len,
                           char *addr, size_t len, const struct offer_options *options)
{
    char *dst = calloc(1, len);
    struct doca_mmap *remote = NULL;
    doca_error_t result, tmp;

    if (dst == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = doca_mmap_set_memrange(single->dst_map, dst, len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(single->dst_map);
    if (result == DOCA_SUCCESS)
        result =
            doca_mmap_create_from_export(NULL, descriptor, descriptor_len, single->dev, &remote);
    if (result == DOCA_SUCCESS)
        result = fetch(single, remote, addr, dst, len, options);
    if (remote != NULL) {
        tmp = doca_mmap_destroy(remote);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    free(dst); /* the map that describes it is destroyed later */
    return result;
}

static doca_error_t run(const struct offer_options *options)
{
    char descriptor[MAX_DESCRIPTOR], *addr = NULL;
    size_t descriptor_len = 0, len = 0;
    struct single single;
    doca_error_t result = single_create(&single, options->pci_addr,
                                        (uint32_t)(options->src_pieces + options->dst_pieces)),
                 tmp;

    if (result == DOCA_SUCCESS)
        result = kit_read_file(options->descriptor_path, descriptor, sizeof(descriptor),
                               &descriptor_len);
    if (result == DOCA_SUCCESS)
        result = offer_read(options, &addr, &len);
    if (result == DOCA_SUCCESS)
        result = check_size(&single, len);
    if (result == DOCA_SUCCESS)
        result = import(&single, descriptor, descriptor_len, addr, len, options);
    tmp = single_destroy(&single);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}
#else
static doca_error_t run(const struct offer_options *options)
{
    (void)options;
    DOCA_LOG_ERR("This program runs on the DPU only");
    return DOCA_ERROR_NOT_SUPPORTED;
}
#endif

int main(int argc, char **argv)
{
    static struct offer_options options;
    doca_error_t result = offer_parse(&options, argc, argv), tmp;

    if (result != DOCA_SUCCESS)
        return kit_exit("file_copy_dpu", result);
    result = run(&options);
    tmp = doca_argp_destroy();
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("file_copy_dpu", result);
}
