/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel answers ping: ICMP frames of a device go to a receive queue in memory of the GPU, a
 * kernel that stays resident turns echo requests round and sends them from where they lie. The CPU
 * only hears of each reply that went out.
 *
 *     gpu_icmp_echo [-n DEVICE] [-g PCI_ADDRESS_OF_GPU] [-c REPLIES]
 *
 * DEVICE is a PCI address or an interface, else the first Ethernet device of the role. Ends after
 * that many replies, or when interrupted.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_eth_rxq.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_flow.h>
#include <doca_gpunetio.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "../../common/gpu_ring.h"
#include "../../common/sample.h"
#include "echo.h"

#define RING     1024
#define SLOT     2048
#define QUEUE_ID 0
#define KEPT     100000 /* times that are remembered */

struct echo_config {
    char nic[DOCA_DEVINFO_IFACE_NAME_SIZE]; /* "": the first one */
    char gpu[DOCA_DEVINFO_PCI_ADDR_SIZE];
    int replies; /* 0: until interrupted */
};

struct echo_app {
    struct doca_dev *dev;
    struct doca_gpu *gpu;
    struct doca_pe *pe;
    struct gpu_ring ring;
    struct gpu_memory shared;
    struct doca_eth_txq *txq;
    struct doca_flow_port *port;
    struct doca_flow_pipe *pipe;
    struct echo_report *report; /* in the shared memory, for the CPU */
    int sent, failed;
    double us[KEPT]; /* from the arrival of a request to the end of sending its reply */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

/* ---- events: a reply left, or could not ---- */

static void on_sent(struct doca_eth_txq_gpu_event_notify_send_packet *event, union doca_data data)
{
    struct echo_app *app = data.ptr;
    uint16_t position;
    uint64_t sent;

    doca_eth_txq_gpu_event_notify_send_packet_get_position(event, &position);
    doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(event, &sent);
    if (app->sent < KEPT)
        app->us[app->sent] =
            (double)(int64_t)(sent - app->report->arrived[position % ECHO_SLOTS]) * 1e-3;
    app->sent++;
}

static void on_failed(struct doca_eth_txq_gpu_event_error_send_packet *event, union doca_data data)
{
    (void)event;
    ((struct echo_app *)data.ptr)->failed++;
}

/* ---- set-up ---- */

static doca_error_t open_txq(struct echo_app *app)
{
    doca_error_t result = doca_eth_txq_create(app->dev, ECHO_SLOTS, &app->txq);
    const union doca_data data = {.ptr = app};
    struct doca_ctx *ctx;

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_eth_txq_as_doca_ctx(app->txq);
    result = doca_eth_txq_gpu_event_notify_send_packet_register(app->txq, on_sent, data);
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_gpu_event_error_send_packet_register(app->txq, on_failed, data);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(app->pe, ctx);
    if (result == DOCA_SUCCESS)
        result = gpu_ring_start(ctx, app->gpu);
    return result;
}

static doca_error_t open_port(struct echo_app *app)
{
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_cfg *cfg;
    doca_error_t result = doca_flow_cfg_create(&cfg);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_flow_cfg_set_pipe_queues(cfg, 1);
    if (result == DOCA_SUCCESS)
        result = doca_flow_cfg_set_mode_args(cfg, "vnf,hws,isolated");
    if (result == DOCA_SUCCESS)
        result = doca_flow_init(cfg);
    doca_flow_cfg_destroy(cfg);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_cfg_create(&port_cfg);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_flow_port_cfg_set_port_id(port_cfg, 0);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_cfg_set_dev(port_cfg, app->dev);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_start(port_cfg, &app->port);
    doca_flow_port_cfg_destroy(port_cfg);
    return result;
}

/* ICMP goes to the kernel; what else comes stays with the network stack. */
static doca_error_t steer(struct echo_app *app)
{
    const struct doca_flow_match match = {.parser_meta = {.outer_l3_type = DOCA_FLOW_L3_META_IPV4,
                                                          .outer_l4_type = DOCA_FLOW_L4_META_ICMP}};
    uint16_t queue = QUEUE_ID;
    const struct doca_flow_fwd to_queue = {.type = DOCA_FLOW_FWD_RSS,
                                           .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                           .rss = {.queues_array = &queue, .nr_queues = 1}};
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_pipe_cfg *cfg;
    doca_error_t result = doca_flow_pipe_cfg_create(&cfg, app->port);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_flow_pipe_cfg_set_name(cfg, "icmp");
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_is_root(cfg, true);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_match(cfg, &match, NULL);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_create(cfg, &to_queue, NULL, &app->pipe);
    doca_flow_pipe_cfg_destroy(cfg);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_basic_add_entry(0, app->pipe, &match, 0, NULL, NULL, NULL,
                                                DOCA_FLOW_ENTRY_FLAGS_NO_WAIT, NULL, &entry);
    if (result == DOCA_SUCCESS)
        result = doca_flow_entries_process(app->port, 0, 10000, 1);
    return result;
}

static bool has_queues(const struct doca_devinfo *info)
{
    return doca_eth_rxq_cap_is_type_supported(info, DOCA_ETH_RXQ_TYPE_CYCLIC,
                                              DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU) == DOCA_SUCCESS;
}

static doca_error_t open_all(struct echo_app *app, const struct echo_config *config)
{
    doca_error_t result = device_open(config->nic[0] != '\0' ? config->nic : NULL, has_queues,
                                      "Ethernet queues for kernels", &app->dev);

    if (result == DOCA_SUCCESS)
        result = doca_gpu_create(config->gpu, &app->gpu);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&app->pe);
    if (result == DOCA_SUCCESS)
        result = gpu_memory_open(app->gpu, NULL, sizeof(struct echo_report),
                                 DOCA_GPU_MEM_TYPE_CPU_GPU, &app->shared);
    app->report = app->shared.cpu;
    if (result == DOCA_SUCCESS)
        result = open_port(app);
    if (result == DOCA_SUCCESS)
        result = gpu_ring_open(app->gpu, app->dev, RING, SLOT, QUEUE_ID, &app->ring);
    if (result == DOCA_SUCCESS)
        result = open_txq(app);
    if (result == DOCA_SUCCESS)
        result = steer(app);
    return result;
}

static void close_all(struct echo_app *app)
{
    if (app->port != NULL)
        doca_flow_port_stop(app->port);
    doca_flow_destroy();
    if (app->txq != NULL) {
        doca_ctx_stop(doca_eth_txq_as_doca_ctx(app->txq));
        doca_eth_txq_destroy(app->txq);
    }
    gpu_ring_close(&app->ring);
    gpu_memory_close(&app->shared);
    if (app->pe != NULL)
        doca_pe_destroy(app->pe);
    if (app->gpu != NULL)
        doca_gpu_destroy(app->gpu);
    doca_dev_close(app->dev);
}

/* ---- the program ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void show(struct echo_app *app)
{
    const struct echo_report *report = app->report;
    const int kept = app->sent < KEPT ? app->sent : KEPT;

    printf("frames    %llu: %llu echo requests, %llu others\n", (unsigned long long)report->frames,
           (unsigned long long)report->requests, (unsigned long long)report->others);
    printf("replies   %d sent by the kernel, %d failed\n", app->sent, app->failed);
    if (kept == 0)
        return;
    qsort(app->us, (size_t)kept, sizeof(app->us[0]), by_size);
    printf("latency   from arrival to sent: %.0f us at least, %.0f in the median, %.0f at most\n",
           app->us[0], app->us[kept / 2], app->us[kept - 1]);
}

/* Until the CPU has heard of each request that the kernel answered; 20 seconds at most. */
static void hear_the_rest(struct echo_app *app)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 20000; i++) {
        if ((uint64_t)(app->sent + app->failed) >= app->report->requests)
            return;
        if (doca_pe_progress(app->pe) == 0)
            nanosleep(&pause, NULL);
    }
}

static doca_error_t serve(struct echo_app *app, int replies)
{
    const struct timespec pause = {.tv_nsec = 200000};
    struct doca_gpu_eth_rxq *rxq;
    struct doca_gpu_eth_txq *txq;
    doca_error_t result = doca_eth_rxq_get_gpu_handle(app->ring.rxq, &rxq), ended;

    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_get_gpu_handle(app->txq, &txq);
    if (result == DOCA_SUCCESS)
        result = echo_start(rxq, txq, app->shared.at);
    if (result != DOCA_SUCCESS)
        return result;
    printf("ready\n");
    fflush(stdout);
    while (!interrupted && (replies == 0 || app->sent < replies)) {
        if (doca_pe_progress(app->pe) == 0)
            nanosleep(&pause, NULL);
    }
    DOCA_GPUNETIO_VOLATILE(app->report->stop) = 1;
    ended = echo_wait();
    hear_the_rest(app);
    show(app);
    return ended != DOCA_SUCCESS ? ended : (doca_error_t)app->report->result;
}

static doca_error_t set_nic(void *value, void *config)
{
    snprintf(((struct echo_config *)config)->nic, DOCA_DEVINFO_IFACE_NAME_SIZE, "%s",
             (const char *)value);
    return DOCA_SUCCESS;
}

static doca_error_t set_gpu(void *value, void *config)
{
    snprintf(((struct echo_config *)config)->gpu, DOCA_DEVINFO_PCI_ADDR_SIZE, "%s",
             (const char *)value);
    return DOCA_SUCCESS;
}

static doca_error_t set_replies(void *value, void *config)
{
    ((struct echo_config *)config)->replies = *(const int *)value;
    return DOCA_SUCCESS;
}

static doca_error_t read_arguments(int argc, char **argv, struct echo_config *config)
{
    doca_error_t result = doca_argp_init(NULL, config);

    if (result == DOCA_SUCCESS)
        result = sample_register_param("n", "nic-addr", "Ethernet device: PCI address or interface",
                                       DOCA_ARGP_TYPE_STRING, set_nic);
    if (result == DOCA_SUCCESS)
        result = sample_register_param("g", "gpu-addr", "PCI address of the GPU",
                                       DOCA_ARGP_TYPE_STRING, set_gpu);
    if (result == DOCA_SUCCESS)
        result = sample_register_param("c", "count", "Replies after which it ends",
                                       DOCA_ARGP_TYPE_INT, set_replies);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    return result;
}

int main(int argc, char **argv)
{
    struct echo_config config = {.gpu = "0000:06:00.0"};
    static struct echo_app app;
    doca_error_t result;

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    device_open_log();
    result = read_arguments(argc, argv, &config);
    if (result == DOCA_SUCCESS)
        result = open_all(&app, &config);
    if (result == DOCA_SUCCESS)
        result = serve(&app, config.replies);
    close_all(&app);
    doca_argp_destroy();
    return sample_exit(result);
}
