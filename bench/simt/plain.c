/* SPDX-License-Identifier: BSD-3-Clause */
#include "plain.h"

#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

#include "lib/bench.h"

enum { SWITCHES = 20000, THREADS = 200 };

static ucontext_t here, there;
static char stack[64 * 1024];

static void answer_switches(void)
{
    for (;;)
        swapcontext(&there, &here);
}

double plain_switch(void *ignored)
{
    double start;

    (void)ignored;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof(stack);
    there.uc_link = NULL;
    makecontext(&there, answer_switches, 0);
    start = bench_now();
    for (int i = 0; i < SWITCHES / 2; i++)
        swapcontext(&here, &there);
    return (bench_now() - start) * 1e9 / SWITCHES;
}

static void *nothing(void *argument)
{
    return argument;
}

double plain_thread(void *ignored)
{
    double start = bench_now();
    pthread_t thread;

    (void)ignored;
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread, NULL, nothing, NULL) != 0)
            bench_die("a thread", "cannot be created");
        pthread_join(thread, NULL);
    }
    return (bench_now() - start) * 1e9 / THREADS;
}

double plain_copy(void *ignored)
{
    uint64_t *from = calloc(COPY_WORDS, sizeof(*from)), *to = calloc(COPY_WORDS, sizeof(*to));
    double start;

    (void)ignored;
    if (from == NULL || to == NULL)
        bench_die("a copy", "no memory");
    start = bench_now();
    for (int n = 0; n < COPY_TIMES; n++) {
        for (size_t i = 0; i < COPY_WORDS; i++)
            to[i] = from[i] + (uint64_t)n;
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    start = bench_now() - start;
    free(from);
    free(to);
    return start * 1e9 / COPY_TIMES / COPY_WORDS;
}

double plain_spin(void *ignored)
{
    volatile uint64_t word = 1;
    double start = bench_now();

    (void)ignored;
    for (int i = 0; i < SPINS; i++) {
        if (word == 0)
            break;
    }
    return (bench_now() - start) * 1e9 / SPINS;
}

static void *answer_trips(void *argument)
{
    struct mailbox *box = argument;
    uint64_t sum = 0;

    for (uint64_t n = 1; n <= TRIPS; n++) {
        while (__atomic_load_n(&box->request, __ATOMIC_ACQUIRE) != n)
            ;
        for (int i = 0; i < 7; i++)
            sum += box->payload[i];
        __atomic_store_n(&box->answer, n, __ATOMIC_RELEASE);
    }
    return (void *)(uintptr_t)sum;
}

double plain_round_trip(void *ignored)
{
    static struct mailbox box;
    pthread_t thread;
    double start;

    (void)ignored;
    box.request = box.answer = 0;
    if (pthread_create(&thread, NULL, answer_trips, &box) != 0)
        bench_die("a thread", "cannot be created");
    start = bench_now();
    for (uint64_t n = 1; n <= TRIPS; n++) {
        box.payload[n % 7] = n;
        __atomic_store_n(&box.request, n, __ATOMIC_RELEASE);
        while (__atomic_load_n(&box.answer, __ATOMIC_ACQUIRE) != n)
            ;
    }
    start = bench_now() - start;
    pthread_join(thread, NULL);
    return start * 1e9 / TRIPS;
}
