/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <doca_argp.h>
#include <doca_bitfield.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(ETH_KIT);

#define SECONDS 60

/* ---- command line ---- */

static doca_error_t set_device(void *value, void *config)
{
    struct ek_options *options = (struct ek_options *)config;

    if (strlen((const char *)value) >= sizeof(options->device))
        return DOCA_ERROR_INVALID_VALUE;
    strcpy(options->device, (const char *)value);
    return DOCA_SUCCESS;
}

static doca_error_t set_mac(void *value, void *config)
{
    uint8_t *mac = ((struct ek_options *)config)->mac;

    return sscanf((const char *)value, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1], &mac[2],
                  &mac[3], &mac[4], &mac[5]) == 6
               ? DOCA_SUCCESS
               : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t set_timestamp(void *value, void *config)
{
    ((struct ek_options *)config)->timestamp = *(bool *)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_rx_hash(void *value, void *config)
{
    ((struct ek_options *)config)->rx_hash = *(bool *)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_metadata(void *value, void *config)
{
    ((struct ek_options *)config)->metadata = *(bool *)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_headroom(void *value, void *config)
{
    ((struct ek_options *)config)->headroom = *(int *)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_tailroom(void *value, void *config)
{
    ((struct ek_options *)config)->tailroom = *(int *)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_count(void *value, void *config)
{
    ((struct ek_options *)config)->count = *(int *)value;
    return DOCA_SUCCESS;
}

static doca_error_t add_param(const char *letter, const char *name, enum doca_argp_type type,
                              doca_argp_param_cb_t callback)
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);

    if (result != DOCA_SUCCESS)
        return result;
    doca_argp_param_set_short_name(param, letter);
    doca_argp_param_set_long_name(param, name);
    doca_argp_param_set_arguments(param, "<value>");
    doca_argp_param_set_description(param, name);
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type);
    if (strcmp(letter, "d") == 0)
        doca_argp_param_set_mandatory(param);
    return doca_argp_register_param(param);
}

static doca_error_t add_params(void)
{
    static const struct {
        const char *letter, *name;
        enum doca_argp_type type;
        doca_argp_param_cb_t callback;
    } params[] = {
        {"d", "device", DOCA_ARGP_TYPE_STRING, set_device},
        {"m", "mac-addr", DOCA_ARGP_TYPE_STRING, set_mac},
        {"ts", "timestamp", DOCA_ARGP_TYPE_BOOLEAN, set_timestamp},
        {"rh", "rx-hash", DOCA_ARGP_TYPE_BOOLEAN, set_rx_hash},
        {"md", "metadata", DOCA_ARGP_TYPE_BOOLEAN, set_metadata},
        {"hr", "headroom-size", DOCA_ARGP_TYPE_INT, set_headroom},
        {"tr", "tailroom-size", DOCA_ARGP_TYPE_INT, set_tailroom},
        {"n", "count", DOCA_ARGP_TYPE_INT, set_count},
    };
    doca_error_t result = DOCA_SUCCESS;

    for (size_t i = 0; i < sizeof(params) / sizeof(params[0]) && result == DOCA_SUCCESS; i++)
        result = add_param(params[i].letter, params[i].name, params[i].type, params[i].callback);
    return result;
}

doca_error_t ek_begin(struct ek_options *options, int argc, char **argv)
{
    struct doca_log_backend *sdk;
    doca_error_t result = doca_log_backend_create_standard();

    if (result == DOCA_SUCCESS)
        result = doca_log_backend_create_with_file_sdk(stderr, &sdk);
    if (result == DOCA_SUCCESS)
        result = doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING);
    if (result == DOCA_SUCCESS)
        result = doca_argp_init(NULL, options);
    if (result == DOCA_SUCCESS)
        result = add_params();
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    return result;
}

int ek_exit(const char *program, doca_error_t result)
{
    doca_argp_destroy();
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("%s finished successfully", program);
    else
        DOCA_LOG_ERR("%s finished with errors: %s, %s", program, doca_error_get_name(result),
                     doca_error_get_descr(result));
    return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- device and memory ---- */

doca_error_t ek_open_device(const char *name, ek_capable capable, struct doca_dev **dev)
{
    char found[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    struct doca_devinfo **list;
    uint32_t num;
    doca_error_t result = doca_devinfo_create_list(&list, &num);

    if (result != DOCA_SUCCESS)
        return result;
    result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < num && result != DOCA_SUCCESS; i++) {
        if (doca_devinfo_get_ibdev_name(list[i], found, sizeof(found)) != DOCA_SUCCESS ||
            strcmp(found, name) != 0 || capable(list[i]) != DOCA_SUCCESS)
            continue;
        result = doca_dev_open(list[i], dev);
    }
    doca_devinfo_destroy_list(list);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("No device is called %s and can do this", name);
    return result;
}

doca_error_t ek_create(struct ek *ek, const char *name, ek_capable capable, size_t size,
                       size_t bufs)
{
    doca_error_t result;

    memset(ek, 0, sizeof(*ek));
    result = ek_open_device(name, capable, &ek->dev);
    if (result != DOCA_SUCCESS)
        return result;
    ek->size = size;
    ek->mem = (char *)aligned_alloc(64, (size + 63) / 64 * 64);
    if (ek->mem == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = doca_mmap_create(&ek->mmap);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(ek->mmap, ek->dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(ek->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(ek->mmap, ek->mem, size);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(ek->mmap);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&ek->pe);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(bufs, &ek->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(ek->inventory);
    return result;
}

doca_error_t ek_destroy(struct ek *ek)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    if (ek->inventory != NULL) {
        tmp = doca_buf_inventory_stop(ek->inventory);
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_buf_inventory_destroy(ek->inventory);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (ek->pe != NULL) {
        tmp = doca_pe_destroy(ek->pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (ek->mmap != NULL) {
        tmp = doca_mmap_destroy(ek->mmap);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    free(ek->mem);
    if (ek->dev != NULL) {
        tmp = doca_dev_close(ek->dev);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return result;
}

/* ---- Flow ---- */

doca_error_t ek_init_flow(void)
{
    struct doca_flow_cfg *cfg;
    doca_error_t result = doca_flow_cfg_create(&cfg), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_flow_cfg_set_pipe_queues(cfg, 1);
    if (result == DOCA_SUCCESS)
        result = doca_flow_cfg_set_mode_args(cfg, "vnf,isolated");
    if (result == DOCA_SUCCESS)
        result = doca_flow_cfg_set_nr_counters(cfg, 1 << 19);
    if (result == DOCA_SUCCESS)
        result = doca_flow_init(cfg);
    tmp = doca_flow_cfg_destroy(cfg);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

doca_error_t ek_start_port(struct doca_dev *dev, uint16_t id, struct doca_flow_port **port)
{
    struct doca_flow_port_cfg *cfg;
    doca_error_t result = doca_flow_port_cfg_create(&cfg), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_flow_port_cfg_set_port_id(cfg, id);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_cfg_set_dev(cfg, dev);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_start(cfg, port);
    tmp = doca_flow_port_cfg_destroy(cfg);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t configure_pipe(struct doca_flow_pipe_cfg *cfg, struct doca_flow_match *match,
                                   struct doca_flow_actions **actions, size_t nactions)
{
    doca_error_t result = doca_flow_pipe_cfg_set_name(cfg, "EVERYTHING");

    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_type(cfg, DOCA_FLOW_PIPE_BASIC);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_is_root(cfg, true);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_match(cfg, match, NULL);
    if (result == DOCA_SUCCESS && nactions > 0)
        result = doca_flow_pipe_cfg_set_actions(cfg, actions, NULL, NULL, nactions);
    return result;
}

doca_error_t ek_create_pipe(struct doca_flow_port *port, uint16_t queue, bool metadata,
                            struct doca_flow_pipe **pipe)
{
    uint16_t queues[1] = {queue};
    struct doca_flow_fwd fwd, miss;
    struct doca_flow_match match;
    struct doca_flow_actions actions, *array[1] = {&actions};
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_pipe_cfg *cfg;
    doca_error_t result, tmp;

    memset(&match, 0, sizeof(match));
    memset(&actions, 0, sizeof(actions));
    memset(&fwd, 0, sizeof(fwd));
    memset(&miss, 0, sizeof(miss));
    actions.meta.pkt_meta = DOCA_HTOBE32(EK_METADATA);
    fwd.type = DOCA_FLOW_FWD_RSS;
    fwd.rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    fwd.rss.queues_array = queues;
    fwd.rss.nr_queues = 1;
    fwd.rss.outer_flags = DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_UDP;
    miss.type = DOCA_FLOW_FWD_DROP;
    result = doca_flow_pipe_cfg_create(&cfg, port);
    if (result != DOCA_SUCCESS)
        return result;
    result = configure_pipe(cfg, &match, array, metadata ? 1 : 0);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_create(cfg, &fwd, &miss, pipe);
    tmp = doca_flow_pipe_cfg_destroy(cfg);
    DOCA_ERROR_PROPAGATE(result, tmp);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_basic_add_entry(0, *pipe, &match, 0, NULL, NULL, NULL,
                                                DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, NULL, &entry);
    if (result == DOCA_SUCCESS)
        result = doca_flow_entries_process(port, 0, 10000, 1);
    return result;
}

doca_error_t ek_start_flow(struct ek *ek, uint16_t queue, bool metadata)
{
    doca_error_t result = ek_init_flow();

    if (result != DOCA_SUCCESS)
        return result;
    ek->has_flow = true;
    result = ek_start_port(ek->dev, 0, &ek->port);
    if (result == DOCA_SUCCESS)
        result = ek_create_pipe(ek->port, queue, metadata, &ek->pipe);
    return result;
}

void ek_stop_flow(struct ek *ek)
{
    if (ek->pipe != NULL)
        doca_flow_pipe_destroy(ek->pipe);
    if (ek->port != NULL)
        (void)doca_flow_port_stop(ek->port);
    if (ek->has_flow)
        doca_flow_destroy();
    ek->pipe = NULL;
    ek->port = NULL;
    ek->has_flow = false;
}

/* ---- progress ---- */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

doca_error_t ek_stop_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    doca_error_t result = doca_ctx_stop(ctx);
    double end = seconds() + SECONDS;

    if (result != DOCA_ERROR_IN_PROGRESS)
        return result;
    while (state != DOCA_CTX_STATE_IDLE) {
        (void)doca_pe_progress(pe);
        result = doca_ctx_get_state(ctx, &state);
        if (result != DOCA_SUCCESS)
            return result;
        if (seconds() > end)
            return DOCA_ERROR_TIME_OUT;
    }
    return DOCA_SUCCESS;
}

doca_error_t ek_await(struct doca_pe *pe, const int *counter, int wanted)
{
    double end = seconds() + SECONDS;

    while (*counter < wanted) {
        if (doca_pe_progress(pe) == 0 && seconds() > end)
            return DOCA_ERROR_TIME_OUT;
    }
    return DOCA_SUCCESS;
}
