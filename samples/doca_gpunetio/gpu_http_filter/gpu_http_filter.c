/* SPDX-License-Identifier: BSD-3-Clause */
/* A filter: a kernel receives all frames of a device, finds HTTP requests among them, and hands the
 * first line of each to the CPU by a semaphore.
 *
 *     gpu_http_filter [-d FROM] [-e TO] [-n REQUESTS]
 *     gpu_http_filter -o [-d DEVICE] [-n REQUESTS]
 *
 * The frames are sent out of FROM, which is the other end of TO's wire; every third is a request.
 * With -o somebody else sends them to DEVICE.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <doca_gpunetio.h>
#include <doca_mmap.h>

#include "../../common/gpu_ring.h"
#include "../../common/packets.h"
#include "filter.h"

#define GPU      "0000:06:00.0"
#define RING     1024u
#define SLOT     2048u
#define QUEUE_ID 0
#define AHEAD    512u /* frames that the kernel has not seen yet; the ring holds them */
#define SECONDS  60.0

struct filter {
    struct packets packets;
    uint32_t to;            /* which of the devices receives */
    struct packets_txq txq; /* where both are ours */
    struct doca_gpu *gpu;
    struct gpu_ring ring;
    struct gpu_memory shared;
    struct doca_gpu_semaphore *requests;
    struct filter_report *report; /* in the shared memory, for the CPU */
    uint64_t sent, seen, wrong;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- set-up ---- */

static doca_error_t open_semaphore(struct filter *f)
{
    doca_error_t result = doca_gpu_semaphore_create(f->gpu, &f->requests);

    if (result == DOCA_SUCCESS)
        result = doca_gpu_semaphore_set_memory_type(f->requests, DOCA_GPU_MEM_TYPE_CPU_GPU);
    if (result == DOCA_SUCCESS)
        result = doca_gpu_semaphore_set_items_num(f->requests, FILTER_ITEMS);
    if (result == DOCA_SUCCESS)
        result = doca_gpu_semaphore_set_custom_info(f->requests, sizeof(struct filter_request),
                                                    DOCA_GPU_MEM_TYPE_CPU_GPU);
    if (result == DOCA_SUCCESS)
        result = doca_gpu_semaphore_start(f->requests);
    return result;
}

static doca_error_t open_all(struct filter *f, const struct packets_options *options)
{
    doca_error_t result;

    f->to = options->one_end ? 0 : 1;
    result = packets_open(&f->packets, options->names, f->to + 1);
    if (result == DOCA_SUCCESS && !options->one_end)
        result = packets_txq_open(&f->packets, 0, &f->txq);
    if (result == DOCA_SUCCESS)
        result = doca_gpu_create(GPU, &f->gpu);
    if (result == DOCA_SUCCESS)
        result = gpu_memory_open(f->gpu, NULL, sizeof(struct filter_report),
                                 DOCA_GPU_MEM_TYPE_CPU_GPU, &f->shared);
    f->report = f->shared.cpu;
    if (result == DOCA_SUCCESS)
        result = gpu_ring_open(f->gpu, f->packets.dev[f->to], RING, SLOT, QUEUE_ID, &f->ring);
    if (result == DOCA_SUCCESS)
        result = packets_all_to_queue(&f->packets, f->to, QUEUE_ID);
    if (result == DOCA_SUCCESS)
        result = open_semaphore(f);
    return result;
}

static void close_all(struct filter *f)
{
    packets_txq_close(&f->txq);
    gpu_ring_close(&f->ring);
    if (f->requests != NULL)
        doca_gpu_semaphore_destroy(f->requests);
    gpu_memory_close(&f->shared);
    packets_close(&f->packets);
    if (f->gpu != NULL)
        doca_gpu_destroy(f->gpu);
}

/* ---- frames ---- */

/* Ethernet, IPv4, TCP and some text; without checksums, which nobody looks at. */
static size_t make_frame(uint8_t frame[128], const char *text)
{
    static const uint8_t headers[54] = {2,    0,         0,        0,         0,          2, 2,
                                        0,    0,         0,        0,         1,          8, 0,
                                        0x45, [22] = 64, [23] = 6, [37] = 80, [46] = 0x50};
    const size_t length = strlen(text);

    memcpy(frame, headers, sizeof(headers));
    frame[17] = (uint8_t)(40 + length);
    memcpy(frame + sizeof(headers), text, length);
    return sizeof(headers) + length;
}

static doca_error_t send_next(struct filter *f)
{
    char text[64];
    uint8_t frame[128];

    snprintf(text, sizeof(text), f->sent % 3 == 0 ? "GET /item/%llu HTTP/1.1\r\n" : "other %llu",
             (unsigned long long)(f->sent / 3));
    f->sent++;
    return packets_send(&f->txq, frame, make_frame(frame, text));
}

/* Reads the next request that the kernel has found, if there is one, and frees its item. */
static bool take_request(struct filter *f)
{
    const uint32_t item = (uint32_t)(f->seen % FILTER_ITEMS);
    const struct filter_request *request;
    enum doca_gpu_semaphore_status status;

    if (doca_gpu_semaphore_get_status(f->requests, item, &status) != DOCA_SUCCESS ||
        status != DOCA_GPU_SEMAPHORE_STATUS_READY)
        return false;
    doca_gpu_semaphore_get_custom_info_addr(f->requests, item, (void **)&request);
    if (request->length < 10 || memcmp(request->line, "GET /item/", 10) != 0)
        f->wrong++;
    if (f->seen < 3)
        printf("request   %.*s\n", (int)request->length, request->line);
    f->seen++;
    doca_gpu_semaphore_set_status(f->requests, item, DOCA_GPU_SEMAPHORE_STATUS_FREE);
    return true;
}

/* Until there were so many requests, and the kernel has seen all that was sent. */
static doca_error_t serve(struct filter *f, uint64_t wanted)
{
    const uint64_t to_send = f->txq.txq != NULL ? 3 * wanted : 0;
    const double end = now() + SECONDS;
    doca_error_t result = DOCA_SUCCESS;
    uint64_t frames = 0;

    while (result == DOCA_SUCCESS && (f->seen < wanted || frames < to_send)) {
        frames = DOCA_GPUNETIO_VOLATILE(f->report->frames);
        if (f->sent < to_send && f->sent - frames < AHEAD)
            result = send_next(f);
        doca_pe_progress(f->packets.pe);
        while (take_request(f))
            ;
        if (now() > end)
            result = DOCA_ERROR_TIME_OUT;
    }
    return result;
}

static doca_error_t run(struct filter *f, uint64_t wanted)
{
    struct doca_gpu_semaphore_gpu *requests;
    struct doca_gpu_eth_rxq *rxq;
    doca_error_t result = doca_eth_rxq_get_gpu_handle(f->ring.rxq, &rxq), ended;

    if (result == DOCA_SUCCESS)
        result = doca_gpu_semaphore_get_gpu_handle(f->requests, &requests);
    if (result == DOCA_SUCCESS)
        result = filter_start(rxq, requests, f->shared.at);
    if (result != DOCA_SUCCESS)
        return result;
    printf("ready\n");
    fflush(stdout);
    result = serve(f, wanted);
    DOCA_GPUNETIO_VOLATILE(f->report->stop) = 1;
    ended = filter_wait();
    printf("filter    %llu frames, %llu requests, %llu of them wrong\n",
           (unsigned long long)f->report->frames, (unsigned long long)f->seen,
           (unsigned long long)f->wrong);
    if (result == DOCA_SUCCESS)
        result = ended;
    return result == DOCA_SUCCESS ? (doca_error_t)f->report->result : result;
}

int main(int argc, char **argv)
{
    struct packets_options options = {.names = {"0000:03:00.0", "0000:03:00.1"},
                                      .count = 1000,
                                      .has_one_end = true,
                                      .ends_itself = true};
    static struct filter f;
    doca_error_t result = packets_arguments(&options, argc, argv);

    if (result == DOCA_SUCCESS)
        result = open_all(&f, &options);
    if (result == DOCA_SUCCESS)
        result = run(&f, options.count);
    close_all(&f);
    return packets_exit(result);
}
