/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies into the memory of a GPU beside a kernel that stays on it: are they right, how late, how
 * fast. Built by devtools/gpu-check.sh; prints one JSON object a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check_gpu.h"
#include "soft/gpu/gpu.h"

enum { MOST_ROUNDS = 10000, BATCH = 512, PATIENCE_S = 20 };

static struct soft_gpu *gpu;
static struct soft_gpu_memory *on_gpu, *staging, *flags;
static struct soft_gpu_copier *copier;
static uint64_t written, expected;

static _Noreturn void end(const char *what)
{
    fprintf(stderr, "check_gpu: %s: %s\n", what, soft_reason());
    exit(1);
}

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The words of `flags`: taken, stop, written (to be copied), then sums. */
static volatile uint64_t *flag(size_t i)
{
    return (volatile uint64_t *)(void *)flags->cpu + i;
}

enum { TAKEN = 0, STOP = 8, WRITTEN = 16, SUMS = 32 };

static void copy_in(size_t at, const void *cpu, size_t len)
{
    if (copier == NULL)
        memcpy(on_gpu->cpu + at, cpu, len);
    else if (gpu->ops->copy_in(copier, on_gpu->at + at, cpu, len) != 0)
        end("a copy");
}

static void mark(void)
{
    uint64_t ignored;

    if (copier == NULL)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else if (gpu->ops->mark(copier, &ignored) != 0)
        end("a mark");
}

/* Packets into the ring, then how many there are: two copies, so that their order is kept. */
static void send(uint64_t packets)
{
    for (uint64_t i = 0; i < packets; i++) {
        uint64_t n = written + i;
        uint64_t *slot = (uint64_t *)(void *)(staging->cpu + n % SLOTS * WORDS * 8);

        for (uint64_t w = 0; w < WORDS; w++) {
            slot[w] = n * 0x9e3779b97f4a7c15u + w;
            expected += slot[w] ^ n;
        }
        copy_in(n % SLOTS * WORDS * 8, slot, WORDS * 8);
    }
    written += packets;
    /* A word for each batch that may be under way. */
    uint64_t *word = (uint64_t *)(void *)staging->cpu + SLOTS * WORDS + written / BATCH % 64;
    *word = written;
    copy_in(SLOTS * WORDS * 8 + 64, word, 8);
    mark();
}

static void wait_for_taken(uint64_t n)
{
    double until = now_us() + PATIENCE_S * 1e6;

    while (*flag(TAKEN) < n) {
        if (now_us() > until) {
            fprintf(stderr, "check_gpu: %" PRIu64 " of %" PRIu64 " packets taken\n", *flag(TAKEN),
                    n);
            exit(1);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void measure_latency(int rounds)
{
    static double late[MOST_ROUNDS];

    for (int i = 0; i < rounds; i++) {
        double start = now_us();

        send(1);
        wait_for_taken(written);
        late[i] = now_us() - start;
    }
    qsort(late, (size_t)rounds, sizeof(late[0]), by_value);
    printf("{\"check\": \"copy to kernel and back\", \"engine\": \"%s\", \"median_us\": %.2f, "
           "\"p99_us\": %.2f}\n",
           gpu->ops->name, late[rounds / 2], late[rounds * 99 / 100]);
}

static void measure_rate(double seconds)
{
    double start = now_us(), until = start + seconds * 1e6;
    uint64_t before = written;

    while (now_us() < until) {
        wait_for_taken(written < SLOTS - BATCH ? 0 : written + BATCH - SLOTS);
        send(BATCH);
    }
    wait_for_taken(written);
    printf("{\"check\": \"packets of 64 bytes into GPU memory\", \"engine\": \"%s\", "
           "\"million_per_s\": %.3f}\n",
           gpu->ops->name, (double)(written - before) / (now_us() - start));
}

static void set_up(struct ring *ring)
{
    char address[32];
    size_t ring_bytes = SLOTS * WORDS * 8;

    if (kernel_device(address, sizeof(address)) != 0)
        end("no CUDA device");
    if (soft_gpu_open(address, &gpu) != 0)
        end("the GPU does not open");
    if (soft_gpu_alloc(gpu, ring_bytes + 128, 65536, SOFT_GPU_ON_GPU, &on_gpu) != 0 ||
        soft_gpu_alloc(gpu, ring_bytes + 64 * 8, 4096, SOFT_GPU_ON_CPU, &staging) != 0 ||
        soft_gpu_alloc(gpu, 4096, 4096, SOFT_GPU_ON_CPU, &flags) != 0)
        end("no memory");
    if (on_gpu->cpu == NULL && gpu->ops->copier_open(gpu, &copier) != 0)
        end("no copies");
    /* Memory of the GPU holds anything. */
    copy_in(0, staging->cpu, ring_bytes);
    mark();
    copy_in(ring_bytes, staging->cpu, 128);
    mark();
    *ring = (struct ring){
        .slots = (const uint64_t *)(void *)on_gpu->at,
        .written = (const uint64_t *)(void *)(on_gpu->at + ring_bytes + 64),
        .taken = (uint64_t *)(void *)soft_gpu_at(flags, (const void *)(flags->cpu + TAKEN * 8)),
        .stop = (uint64_t *)(void *)soft_gpu_at(flags, (const void *)(flags->cpu + STOP * 8)),
        .sums = (uint64_t *)(void *)soft_gpu_at(flags, (const void *)(flags->cpu + SUMS * 8)),
    };
}

/* What was copied before the kernel began must be there when it begins. */
static void wait_for_copies(void)
{
    double until = now_us() + PATIENCE_S * 1e6;
    uint64_t last;
    int done = 0;

    if (copier == NULL)
        return;
    if (gpu->ops->mark(copier, &last) != 0)
        end("a mark");
    while (done == 0 && now_us() < until)
        done = gpu->ops->is_done(copier, last);
    if (done != 1)
        end("copies do not end");
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 2;
    int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1000;
    struct ring ring;
    const char *text;
    void *stream;
    uint64_t sum = 0;

    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: check_gpu [SECONDS [ROUNDS up to %d]]\n", MOST_ROUNDS);
        return 2;
    }
    set_up(&ring);
    wait_for_copies();
    if (kernel_start(&ring, &stream) != 0)
        end("the kernel does not start");
    measure_latency(rounds);
    measure_rate(seconds);
    *flag(STOP) = 1;
    if (kernel_wait(stream, &text) != 0) {
        fprintf(stderr, "check_gpu: the kernel failed: %s\n", text);
        return 1;
    }
    for (size_t lane = 0; lane < 32; lane++)
        sum += *flag(SUMS + lane);
    printf("{\"check\": \"content\", \"packets\": %" PRIu64 ", \"right\": %s}\n", written,
           sum == expected ? "true" : "false");
    if (copier != NULL)
        gpu->ops->copier_close(copier);
    soft_gpu_put(flags);
    soft_gpu_put(staging);
    soft_gpu_put(on_gpu);
    soft_gpu_close(gpu);
    return sum == expected ? 0 : 1;
}
