/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies a text inside the DPU, from a list of pieces to a list of other pieces.
 *
 *     local_copy [-p PCI_ADDRESS] [-t TEXT] [-ns PIECES] [-nd PIECES]
 */

#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "../common/single.h"

DOCA_LOG_REGISTER(LOCAL_COPY);

struct options {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char text[4096];
    int src_pieces;
    int dst_pieces;
};

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct options *options = config;

    return kit_store(options->pci_addr, sizeof(options->pci_addr), value);
}

static doca_error_t set_text(void *value, void *config)
{
    struct options *options = config;

    return kit_store(options->text, sizeof(options->text), value);
}

static doca_error_t add_params(void)
{
    doca_error_t result = kit_param("p", "pci-addr", "PCI address of the device",
                                    DOCA_ARGP_TYPE_STRING, false, set_pci_addr);

    if (result == DOCA_SUCCESS)
        result = kit_param("t", "text", "Text to copy", DOCA_ARGP_TYPE_STRING, false, set_text);
    return result;
}

#ifdef DOCA_ARCH_DPU
static doca_error_t set_src_pieces(void *value, void *config)
{
    ((struct options *)config)->src_pieces = *(int *)value;
    return *(int *)value > 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t set_dst_pieces(void *value, void *config)
{
    ((struct options *)config)->dst_pieces = *(int *)value;
    return *(int *)value > 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t add_dpu_params(void)
{
    doca_error_t result = kit_param("ns", "num-src-buf", "Pieces of the source", DOCA_ARGP_TYPE_INT,
                                    false, set_src_pieces);

    if (result == DOCA_SUCCESS)
        result = kit_param("nd", "num-dst-buf", "Pieces of the destination", DOCA_ARGP_TYPE_INT,
                           false, set_dst_pieces);
    return result;
}

static doca_error_t check_list_len(const struct single *single, const struct options *options)
{
    uint32_t max = 0;
    doca_error_t result =
        doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(single->dev), &max);

    if (result == DOCA_SUCCESS && (int64_t)options->src_pieces + options->dst_pieces > max) {
        DOCA_LOG_ERR("The device takes no more than %u pieces", max);
        result = DOCA_ERROR_INVALID_VALUE;
    }
    return result;
}

/* The context runs already when its memory is registered. */
static doca_error_t copy(struct single *single, const struct options *options, char *src, char *dst,
                         size_t len)
{
    struct doca_buf *from = NULL, *to = NULL;
    doca_error_t result = doca_mmap_set_memrange(single->dst_map, dst, len), tmp;

    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(single->dst_map);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(single->src_map, src, len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(single->src_map);
    if (result == DOCA_SUCCESS)
        result = single_list(single, single->src_map, src, len, options->src_pieces, true, &from);
    if (result == DOCA_SUCCESS)
        result = single_list(single, single->dst_map, dst, len, options->dst_pieces, false, &to);
    if (result == DOCA_SUCCESS)
        result = single_copy(single, from, to);
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

static doca_error_t run(const struct options *options)
{
    size_t len = strlen(options->text) + 1;
    char *src = malloc(len), *dst = calloc(1, len);
    struct single single;
    doca_error_t result = DOCA_ERROR_NO_MEMORY, tmp;

    if (src == NULL || dst == NULL)
        goto err_memory;
    memcpy(src, options->text, len);
    result = single_create(&single, options->pci_addr,
                           (uint32_t)(options->src_pieces + options->dst_pieces));
    if (result == DOCA_SUCCESS)
        result = check_list_len(&single, options);
    if (result == DOCA_SUCCESS)
        result = copy(&single, options, src, dst, len);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("The copy reads: %s", dst);
    tmp = single_destroy(&single);
    DOCA_ERROR_PROPAGATE(result, tmp);
err_memory:
    free(src);
    free(dst);
    return result;
}
#else
static doca_error_t add_dpu_params(void)
{
    return DOCA_SUCCESS;
}

static doca_error_t run(const struct options *options)
{
    (void)options;
    DOCA_LOG_ERR("This program runs on the DPU only");
    return DOCA_ERROR_NOT_SUPPORTED;
}
#endif

int main(int argc, char **argv)
{
    struct options options = {.pci_addr = "03:00.0",
                              .text = "a text for the DPU itself",
                              .src_pieces = 1,
                              .dst_pieces = 1};
    doca_error_t result = kit_log(), tmp;

    if (result == DOCA_SUCCESS)
        result = doca_argp_init(NULL, &options);
    if (result != DOCA_SUCCESS)
        return kit_exit("local_copy", result);
    result = add_params();
    if (result == DOCA_SUCCESS)
        result = add_dpu_params();
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = run(&options);
    tmp = doca_argp_destroy();
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("local_copy", result);
}
