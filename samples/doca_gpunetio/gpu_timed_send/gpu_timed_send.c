/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel sends bursts of frames at times that the CPU has chosen, another one counts what arrives
 * at the other end of the wire and when.
 *
 *     gpu_timed_send [-d FROM] [-e TO] [-n BURSTS]
 *     gpu_timed_send -o [-d DEVICE] [-n BURSTS]
 *
 * With -o the other end of the wire is somebody else's, who is told by a line when which burst
 * leaves.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <doca_eth_txq_gpu_data_path.h>
#include <doca_gpunetio.h>
#include <doca_mmap.h>

#include "../../common/gpu_ring.h"
#include "../../common/packets.h"
#include "timed.h"

#define GPU         "0000:06:00.0"
#define RING        1024u
#define SLOT        2048u
#define SQ          512u
#define QUEUE_ID    0
#define LEAD_NS     100000000ull /* until the first burst */
#define INTERVAL_NS 2000000ull
#define SECONDS     20.0

struct app {
    struct packets packets;
    struct doca_gpu *gpu;
    struct gpu_ring ring;
    struct gpu_memory frames, shared;
    struct doca_eth_txq *txq;
    struct timed_report *report; /* in the shared memory, for the CPU */
    uint64_t times[TIMED_BURSTS_MAX];
};

static uint64_t now_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- set-up ---- */

/* Frames without a meaning, from nobody to nobody. */
static void make_frames(char *frames)
{
    memset(frames, 0x5a, TIMED_BURST * TIMED_LENGTH);
    for (int i = 0; i < TIMED_BURST; i++) {
        memcpy(frames + i * TIMED_LENGTH, "\2\0\0\0\0\2\2\0\0\0\0\1\x88\xb5", 14);
        snprintf(frames + i * TIMED_LENGTH + 14, 32, "frame %d of its burst", i);
    }
}

static doca_error_t open_memory(struct app *app)
{
    doca_error_t result = gpu_memory_open(app->gpu, app->packets.dev[0], TIMED_BURST * TIMED_LENGTH,
                                          DOCA_GPU_MEM_TYPE_CPU_GPU, &app->frames);

    if (result == DOCA_SUCCESS)
        result = gpu_memory_open(app->gpu, NULL, sizeof(struct timed_report),
                                 DOCA_GPU_MEM_TYPE_CPU_GPU, &app->shared);
    if (result != DOCA_SUCCESS)
        return result;
    make_frames(app->frames.cpu);
    app->report = app->shared.cpu;
    return DOCA_SUCCESS;
}

static doca_error_t open_rxq(struct app *app)
{
    doca_error_t result =
        gpu_ring_open(app->gpu, app->packets.dev[1], RING, SLOT, QUEUE_ID, &app->ring);

    return result == DOCA_SUCCESS ? packets_all_to_queue(&app->packets, 1, QUEUE_ID) : result;
}

static doca_error_t open_txq(struct app *app)
{
    doca_error_t result = doca_eth_txq_create(app->packets.dev[0], SQ, &app->txq);

    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_set_wait_on_time_offload(app->txq);
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_gpu_set_completion_on_gpu(app->txq);
    if (result == DOCA_SUCCESS)
        result = gpu_ring_start(doca_eth_txq_as_doca_ctx(app->txq), app->gpu);
    return result;
}

static doca_error_t open_all(struct app *app, const struct packets_options *options)
{
    doca_error_t result = packets_open(&app->packets, options->names, options->one_end ? 1 : 2);

    if (result == DOCA_SUCCESS)
        result = doca_gpu_create(GPU, &app->gpu);
    if (result == DOCA_SUCCESS)
        result = open_memory(app);
    if (result == DOCA_SUCCESS && !options->one_end)
        result = open_rxq(app);
    if (result == DOCA_SUCCESS)
        result = open_txq(app);
    return result;
}

static void close_all(struct app *app)
{
    if (app->txq != NULL) {
        doca_ctx_stop(doca_eth_txq_as_doca_ctx(app->txq));
        doca_eth_txq_destroy(app->txq);
    }
    gpu_ring_close(&app->ring);
    gpu_memory_close(&app->frames);
    gpu_memory_close(&app->shared);
    packets_close(&app->packets);
    if (app->gpu != NULL)
        doca_gpu_destroy(app->gpu);
}

/* ---- the program ---- */

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void show(struct app *app, uint32_t bursts)
{
    static uint64_t late[TIMED_BURSTS_MAX];
    uint32_t early = 0;

    for (uint32_t i = 0; i < bursts; i++) {
        if (app->report->arrived[i] < app->times[i])
            early++;
        else
            late[i] = app->report->arrived[i] - app->times[i];
    }
    qsort(late, bursts, sizeof(late[0]), by_size);
    printf("bursts    %u, %u of them early; late by %.0f us in the median, %.0f at most\n", bursts,
           early, (double)late[bursts / 2] * 1e-3, (double)late[bursts - 1] * 1e-3);
    printf("counted   %llu of %u frames\n", (unsigned long long)app->report->counted,
           bursts * TIMED_BURST);
}

static doca_error_t choose_times(struct app *app, uint32_t bursts)
{
    const uint64_t start = now_ns(CLOCK_REALTIME) + LEAD_NS;
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < bursts && result == DOCA_SUCCESS; i++) {
        app->times[i] = start + i * INTERVAL_NS;
        result =
            doca_eth_txq_calculate_timestamp(app->txq, app->times[i], &app->report->wait_for[i]);
    }
    return result;
}

/* Until all frames were counted; they are on their way when the sender is done. */
static doca_error_t wait_for_frames(const struct app *app, uint64_t frames)
{
    const uint64_t end = now_ns(CLOCK_MONOTONIC) + (uint64_t)(SECONDS * 1e9);
    const struct timespec pause = {.tv_nsec = 1000000};

    while (DOCA_GPUNETIO_VOLATILE(app->report->counted) < frames) {
        if (now_ns(CLOCK_MONOTONIC) > end)
            return DOCA_ERROR_TIME_OUT;
        nanosleep(&pause, NULL);
    }
    return DOCA_SUCCESS;
}

static doca_error_t run(struct app *app, uint32_t bursts)
{
    const bool one_end = app->ring.rxq == NULL;
    struct doca_gpu_eth_rxq *rxq = NULL;
    struct doca_gpu_eth_txq *txq;
    doca_error_t result = DOCA_SUCCESS, ended;
    uint32_t key;

    if (!one_end)
        result = doca_eth_rxq_get_gpu_handle(app->ring.rxq, &rxq);
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_get_gpu_handle(app->txq, &txq);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_get_mkey(app->frames.map, app->packets.dev[0], &key);
    if (result == DOCA_SUCCESS)
        result = choose_times(app, bursts);
    if (result == DOCA_SUCCESS && one_end) {
        printf(
            "ready     the first of %u bursts of %u frames leaves at %llu ns, others each %llu\n",
            bursts, TIMED_BURST, (unsigned long long)app->times[0],
            (unsigned long long)INTERVAL_NS);
        fflush(stdout);
    }
    if (result == DOCA_SUCCESS)
        result =
            timed_start(txq, app->frames.at, __builtin_bswap32(key), rxq, bursts, app->shared.at);
    if (result != DOCA_SUCCESS)
        return result;
    result = timed_wait_sender();
    if (result == DOCA_SUCCESS && !one_end)
        result = wait_for_frames(app, (uint64_t)bursts * TIMED_BURST);
    DOCA_GPUNETIO_VOLATILE(app->report->stop) = 1;
    ended = timed_wait();
    if (!one_end)
        show(app, bursts);
    if (result == DOCA_SUCCESS)
        result = ended;
    return result == DOCA_SUCCESS ? (doca_error_t)app->report->result : result;
}

int main(int argc, char **argv)
{
    struct packets_options options = {.names = {"0000:03:00.0", "0000:03:00.1"},
                                      .count = 100,
                                      .has_one_end = true,
                                      .ends_itself = true,
                                      .most = TIMED_BURSTS_MAX};
    static struct app app;
    doca_error_t result = packets_arguments(&options, argc, argv);

    if (result == DOCA_SUCCESS)
        result = open_all(&app, &options);
    if (result == DOCA_SUCCESS)
        result = run(&app, (uint32_t)options.count);
    close_all(&app);
    return packets_exit(result);
}
