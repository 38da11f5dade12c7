/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clocks that kernels see. The virtual one stands still while anybody computes, and goes on
 * when all resident blocks wait: to the end of the shortest sleep, or by a step. So what a kernel
 * does does not depend on the machine's speed.
 */
#include <time.h>

#include "rt.h"

enum { CLOCK_COST = 64, STEP_NS = 1000 };

static struct {
    pthread_mutex_t lock;
    _Atomic uint64_t now;
    uint64_t epoch;    /* of times that the clock went on */
    int idle;          /* blocks that wait since then */
    uint64_t earliest; /* end of a sleep; 0: there is none */
} virtual_clock = {.lock = PTHREAD_MUTEX_INITIALIZER, .now = 1000000000u, .epoch = 1};

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;

    if (config()->clock == CLOCK_VIRTUAL)
        return virtual_clock.now;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void clock_block_waits(struct block *b)
{
    if (config()->clock != CLOCK_VIRTUAL)
        return;
    pthread_mutex_lock(&virtual_clock.lock);
    if (b->clock_epoch != virtual_clock.epoch) {
        b->clock_epoch = virtual_clock.epoch;
        virtual_clock.idle++;
    }
    if (virtual_clock.idle >= device_resident()) {
        if (virtual_clock.earliest > virtual_clock.now)
            virtual_clock.now = virtual_clock.earliest;
        else
            virtual_clock.now += STEP_NS;
        virtual_clock.earliest = 0;
        virtual_clock.idle = 0;
        virtual_clock.epoch++;
    }
    pthread_mutex_unlock(&virtual_clock.lock);
}

void clock_block_goes_on(struct block *b)
{
    if (config()->clock != CLOCK_VIRTUAL)
        return;
    pthread_mutex_lock(&virtual_clock.lock);
    if (b->clock_epoch == virtual_clock.epoch) {
        b->clock_epoch = 0;
        virtual_clock.idle--;
    }
    pthread_mutex_unlock(&virtual_clock.lock);
}

static void sleep_ends_at(uint64_t until)
{
    pthread_mutex_lock(&virtual_clock.lock);
    if (!virtual_clock.earliest || until < virtual_clock.earliest)
        virtual_clock.earliest = until;
    pthread_mutex_unlock(&virtual_clock.lock);
}

SIMT_API uint64_t simt_globaltimer(void)
{
    simt_poll(CLOCK_COST);
    return clock_ns(config()->clock == CLOCK_MONOTONIC_TIME ? CLOCK_MONOTONIC : CLOCK_REALTIME);
}

SIMT_API int64_t simt_clock64(void)
{
    simt_poll(CLOCK_COST);
    return (int64_t)clock_ns(CLOCK_MONOTONIC); /* of a clock of 1 GHz */
}

SIMT_API void simt_nanosleep(unsigned ns)
{
    struct block *b = here_block;
    uint64_t until = clock_ns(CLOCK_MONOTONIC) + ns;

    if (!b)
        return;
    do {
        if (config()->clock == CLOCK_VIRTUAL)
            sleep_ends_at(until);
        block_yield(b, true, __builtin_return_address(0));
    } while (clock_ns(CLOCK_MONOTONIC) < until);
}
