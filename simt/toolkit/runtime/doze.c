/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel that waits for packets mostly waits by calls that end after some microseconds with
 * nothing: between two of them barriers open and collectives come together, which is no news. Once
 * nothing has come for a while, such a block naps at each look. It knows by simt_vain(): barriers
 * and collectives of kernels that do not say so are what they are, somebody's progress.
 */
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rt.h"

extern __thread unsigned simt_steps;

enum {
    QUIET_NS = 2000000,   /* until naps begin */
    LOOKS_PER_CLOCK = 16, /* a look is about a microsecond */
    VAINS_PER_YIELD = 4,
    LOOKS_CALLED = 64,       /* of one that was called; the loop has several places that poll */
    OPENINGS_PER_VAIN = 256, /* of barriers and collectives, until a kernel does something else */
    NAP_LEAST_NS = 50000,
    NAP_MOST_NS = 500000, /* of a block that is alone; going to sleep takes 5 to 20 us */
    NAP_LIMIT_NS = 20000000,
};

static _Atomic uint32_t calls, sleepers;

static void begin_naps(struct doze *d)
{
    d->asleep = true;
    d->looks = LOOKS_CALLED; /* who called until now was not heard */
    d->nap_ns = NAP_LEAST_NS;
    atomic_fetch_add(&sleepers, 1);
    d->call = atomic_load(&calls);
}

void doze_begin(struct block *b)
{
    b->openings = 0;
    b->doze = (struct doze){.openings = 0u - OPENINGS_PER_VAIN - 1, .news = simt_steps};
}

void doze_end(struct block *b)
{
    if (b->doze.asleep)
        atomic_fetch_sub(&sleepers, 1);
    b->doze.asleep = false;
    b->doze.looks = 0;
    b->doze.polls = 0;
}

static bool has_news(struct block *b)
{
    unsigned news = simt_steps - b->doze.vains;
    bool has = news != b->doze.news || b->openings - b->doze.openings > OPENINGS_PER_VAIN;

    b->doze.news = news;
    return has;
}

static int count_runnable(const struct block *b)
{
    int count = 0;

    for (int w = 0; w < b->warps; w++)
        count += __builtin_popcount(b->runnable[w]);
    return count;
}

bool doze_poll(struct block *b)
{
    struct doze *d = &b->doze;

    if (has_news(b)) {
        doze_end(b);
        return false;
    }
    if (++d->polls < count_runnable(b) || config()->clock == CLOCK_VIRTUAL)
        return false;
    d->polls = 0;
    if (d->asleep)
        return d->looks == 0 || --d->looks == 0;
    if (d->looks++ == 0)
        d->since_ns = now_ns();
    else if (d->looks % LOOKS_PER_CLOCK == 0 && now_ns() - d->since_ns > QUIET_NS)
        begin_naps(d);
    return false;
}

/* The more blocks there are, the longer: together they take a small part of a processor. */
void doze_nap(struct block *b)
{
    struct doze *d = &b->doze;
    const uint64_t most = (uint64_t)NAP_MOST_NS * atomic_load(&sleepers);
    const struct timespec time = {0, (long)d->nap_ns};

    (void)syscall(SYS_futex, &calls, FUTEX_WAIT_PRIVATE, d->call, &time, NULL, 0);
    if (atomic_load(&calls) != d->call) {
        d->call = atomic_load(&calls);
        d->looks = LOOKS_CALLED;
    }
    d->nap_ns += d->nap_ns / 16;
    if (d->nap_ns > most)
        d->nap_ns = (uint32_t)most;
    if (d->nap_ns > NAP_LIMIT_NS)
        d->nap_ns = NAP_LIMIT_NS;
}

SIMT_API void simt_call(void)
{
    if (!atomic_load_explicit(&sleepers, memory_order_relaxed))
        return;
    atomic_fetch_add(&calls, 1);
    (void)syscall(SYS_futex, &calls, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

SIMT_API void simt_vain(int goes_on)
{
    struct block *b = here_block;

    if (!b)
        return;
    b->doze.openings = b->openings;
    if (!goes_on)
        return;
    simt_steps++; /* it is not told of as one that hangs */
    b->doze.vains++;
    b->current->polled = true;
    /* Who brings what it waits for may have to share this processor, where the one has just woken
     * the other. */
    if (b->doze.vains % VAINS_PER_YIELD == 0 && !b->doze.asleep)
        sched_yield();
    block_yield(b, true, __builtin_return_address(0));
}
