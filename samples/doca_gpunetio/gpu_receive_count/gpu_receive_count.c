/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest program whose kernel receives: all frames of a device go to a receive queue in
 * memory of the GPU, a kernel that stays resident counts them, the CPU shows the counts each
 * second.
 *
 *     gpu_receive_count [-d PCI_ADDRESS] [-n FRAMES]
 *
 * Ends after that many frames, or when interrupted.
 */

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include <doca_gpunetio.h>

#include "../../common/gpu_ring.h"
#include "../../common/packets.h"
#include "count.h"

#define RING     4096
#define SLOT     2048
#define QUEUE_ID 0
#define GPU      "0000:06:00.0"
#define LOOKS    100 /* in a second */

struct app {
    struct packets packets;
    struct doca_gpu *gpu;
    struct gpu_ring ring;
    struct gpu_memory shared;
    struct count_report *report; /* in the shared memory, for the CPU */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static doca_error_t open_all(struct app *app, const struct packets_options *options)
{
    doca_error_t result = packets_open(&app->packets, options->names, 1);

    if (result == DOCA_SUCCESS)
        result = doca_gpu_create(GPU, &app->gpu);
    if (result == DOCA_SUCCESS)
        result = gpu_memory_open(app->gpu, NULL, sizeof(struct count_report),
                                 DOCA_GPU_MEM_TYPE_CPU_GPU, &app->shared);
    app->report = app->shared.cpu;
    if (result == DOCA_SUCCESS)
        result = gpu_ring_open(app->gpu, app->packets.dev[0], RING, SLOT, QUEUE_ID, &app->ring);
    if (result == DOCA_SUCCESS)
        result = packets_all_to_queue(&app->packets, 0, QUEUE_ID);
    return result;
}

static void close_all(struct app *app)
{
    gpu_ring_close(&app->ring);
    gpu_memory_close(&app->shared);
    packets_close(&app->packets);
    if (app->gpu != NULL)
        doca_gpu_destroy(app->gpu);
}

static void show(const struct count_report *report)
{
    printf("%llu frames, %llu bytes: %llu IPv4, %llu ARP, %llu others\n",
           (unsigned long long)report->frames, (unsigned long long)report->bytes,
           (unsigned long long)report->ipv4, (unsigned long long)report->arp,
           (unsigned long long)report->others);
    fflush(stdout);
}

static void look_on(const struct count_report *report, uint64_t frames)
{
    const struct timespec pause = {.tv_nsec = 1000000000 / LOOKS};
    uint64_t shown = 0;

    for (unsigned int looks = 1; !interrupted; looks++) {
        const uint64_t counted = DOCA_GPUNETIO_VOLATILE(report->frames);

        if (frames != 0 && counted >= frames)
            return;
        if (looks % LOOKS == 0 && counted != shown) {
            show(report);
            shown = counted;
        }
        nanosleep(&pause, NULL);
    }
}

static doca_error_t run(struct app *app, uint64_t frames)
{
    struct doca_gpu_eth_rxq *rxq;
    doca_error_t result = doca_eth_rxq_get_gpu_handle(app->ring.rxq, &rxq);

    if (result == DOCA_SUCCESS)
        result = count_start(rxq, app->shared.at);
    if (result != DOCA_SUCCESS)
        return result;
    printf("ready\n");
    fflush(stdout);
    look_on(app->report, frames);
    DOCA_GPUNETIO_VOLATILE(app->report->stop) = 1;
    result = count_wait();
    show(app->report);
    return result == DOCA_SUCCESS ? (doca_error_t)app->report->result : result;
}

int main(int argc, char **argv)
{
    struct packets_options options = {.names = {"0000:03:00.0", "0000:03:00.1"}};
    static struct app app;
    doca_error_t result = packets_arguments(&options, argc, argv);

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (result == DOCA_SUCCESS)
        result = open_all(&app, &options);
    if (result == DOCA_SUCCESS)
        result = run(&app, options.count);
    close_all(&app);
    return packets_exit(result);
}
