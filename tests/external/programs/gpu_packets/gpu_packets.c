/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that stay, for UDP, TCP, ICMP and HTTP, behind rules that lead each protocol to its
 * queues; the CPU prints what they have counted, once a second, until it is interrupted.
 *
 *     gpu_packets -n NIC -g GPU [-q QUEUES]
 *
 * Connections are opened and closed by the CPU, their data go to kernels; /index.html is what can
 * be had from them. Echo requests are answered.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <doca_argp.h>

#include "gpu_packets.h"

DOCA_LOG_REGISTER(GPU_PACKETS);

#define SECONDS 600.0 /* nobody lets it run longer, also on a machine that is busy */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static doca_error_t set_nic(void *value, void *config)
{
    struct app *app = config;

    return kit_store(app->nic, sizeof(app->nic), value);
}

static doca_error_t set_card(void *value, void *config)
{
    struct app *app = config;

    return kit_store(app->card, sizeof(app->card), value);
}

static doca_error_t set_num(void *value, void *config)
{
    struct app *app = config;

    app->num = *(int *)value;
    return app->num >= 1 && app->num <= MAX_QUEUES ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t arguments(struct app *app, int argc, char **argv)
{
    TRY(doca_argp_init(NULL, app));
    TRY(kit_param("n", "nic", "PCI address of the device", DOCA_ARGP_TYPE_STRING, true, set_nic));
    TRY(kit_param("g", "gpu", "PCI address of the GPU", DOCA_ARGP_TYPE_STRING, true, set_card));
    TRY(kit_param("q", "queue", "Queues of UDP and of TCP, 1 to 4", DOCA_ARGP_TYPE_INT, false,
                  set_num));
    return doca_argp_start(argc, argv);
}

static doca_error_t capable(const struct doca_devinfo *devinfo)
{
    return doca_eth_rxq_cap_is_type_supported(devinfo, DOCA_ETH_RXQ_TYPE_CYCLIC,
                                              DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU);
}

static doca_error_t start_kernels(struct app *app)
{
    struct queues udp = {{NULL}, {NULL}}, tcp = udp, icmp = udp;
    struct doca_gpu_eth_txq *icmp_txq;

    TRY(gpu_queues(app, &udp, &tcp, &icmp, &icmp_txq));
    return kernels_start((uint32_t)app->num, &udp, &tcp, &icmp, icmp_txq, &app->answers,
                         app->ends.gpu);
}

static void tell(struct app *app)
{
    const uint32_t *of = app->sums.of;

    printf("UDP: dns %u, others %u. TCP: get %u, head %u, post %u, ack %u, others %u. "
           "ICMP: echo %u, others %u, replies %u. CPU: syn %u, fin %u, rst %u.\n",
           of[UDP_DNS], of[UDP_OTHERS], of[TCP_GET], of[TCP_HEAD], of[TCP_POST], of[TCP_ACK],
           of[TCP_OTHERS], of[ICMP_ECHO], of[ICMP_OTHERS], app->replies, app->control.syn,
           app->control.fin, app->control.rst);
}

static void tell_blocks(const struct app *app)
{
    printf("Datagrams of each block:");
    for (int i = 0; i < app->num; i++)
        printf(" %u", app->udp[i].total);
    printf("\n");
}

static doca_error_t serve(struct app *app)
{
    const double end = kit_seconds() + SECONDS;
    double next = kit_seconds() + 1;

    while (!interrupted && kit_seconds() < end) {
        bool busy = doca_pe_progress(app->pe) != 0;

        busy |= take_counts(app);
        if (kit_seconds() >= next) {
            tell(app);
            next = kit_seconds() + 1;
        }
        if (!busy)
            sched_yield();
    }
    return interrupted ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT;
}

/* Once for nothing, so that nothing is loaded when packets come. */
static doca_error_t warm_up(struct app *app)
{
    DOCA_GPUNETIO_VOLATILE(*(uint32_t *)app->ends.cpu) = 1;
    TRY(start_kernels(app));
    TRY(kernels_wait());
    DOCA_GPUNETIO_VOLATILE(*(uint32_t *)app->ends.cpu) = 0;
    return DOCA_SUCCESS;
}

static doca_error_t run(struct app *app)
{
    doca_error_t result, tmp;

    TRY(make_rules(app));
    TRY(start_kernels(app));
    TRY(start_control(&app->control));
    printf("Serving\n");
    result = serve(app);
    DOCA_GPUNETIO_VOLATILE(*(uint32_t *)app->ends.cpu) = 1;
    tmp = kernels_wait();
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = end_control(&app->control);
    DOCA_ERROR_PROPAGATE(result, tmp);
    (void)take_counts(app);
    while (doca_pe_progress(app->pe) != 0)
        ;
    tell(app);
    tell_blocks(app);
    if (result == DOCA_SUCCESS && app->failed > 0)
        result = DOCA_ERROR_IO_FAILED;
    return result;
}

static doca_error_t open_all(struct app *app)
{
    TRY(kit_log());
    TRY(kit_open_by_address(app->nic, capable, &app->dev));
    TRY(doca_gpu_create(app->card, &app->gpu));
    TRY(open_flow(app));
    TRY(open_queues(app));
    TRY(open_control(&app->control, app->dev));
    return kernels_open();
}

static doca_error_t close_all(struct app *app)
{
    TRY(kernels_close());
    TRY(close_flow(app));
    TRY(close_control(&app->control));
    TRY(close_queues(app));
    TRY(doca_gpu_destroy(app->gpu));
    return kit_close_device(&app->dev);
}

int main(int argc, char **argv)
{
    static struct app app = {.num = 1};
    doca_error_t result, tmp;

    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    result = arguments(&app, argc, argv);
    if (result != DOCA_SUCCESS || open_all(&app) != DOCA_SUCCESS)
        return EXIT_FAILURE;
    result = warm_up(&app);
    if (result == DOCA_SUCCESS)
        result = run(&app);
    tmp = close_all(&app);
    DOCA_ERROR_PROPAGATE(result, tmp);
    doca_argp_destroy();
    return kit_exit("gpu_packets", result);
}
