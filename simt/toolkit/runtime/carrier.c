/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks for CUDA threads. A first-touched page is dear, so stacks are never given back: a worker
 * keeps those of its last block in a list of its own, and hands them to the common one when it
 * parks.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt.h"

enum { COLOURS = 16, COLOUR_BYTES = 320 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct carrier *free_carriers;
static _Atomic unsigned made;

static struct carrier *carrier_new(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t stack = (config()->stack + page - 1) / page * page;
    struct carrier *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    c->bytes = page + stack;
    c->memory = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (c->memory == MAP_FAILED) {
        free(c);
        return NULL;
    }
    /* The kernel limits the number of mappings; a stack without a guard is better than none. */
    (void)mprotect(c->memory, page, PROT_NONE);
    c->san.bottom = c->memory + page;
    /* Tops at one offset of all stacks would share a few sets of the first cache. */
    c->san.size = stack - made++ % COLOURS * COLOUR_BYTES;
    return c;
}

struct carrier *carrier_get(void)
{
    pthread_mutex_lock(&lock);
    struct carrier *c = free_carriers;
    if (c)
        free_carriers = c->next;
    pthread_mutex_unlock(&lock);
    return c ? c : carrier_new();
}

void carrier_put(struct carrier *carrier)
{
    pthread_mutex_lock(&lock);
    carrier->next = free_carriers;
    free_carriers = carrier;
    pthread_mutex_unlock(&lock);
}

unsigned carrier_number(void)
{
    return made;
}

bool carrier_guards(const struct carrier *carrier, uintptr_t address)
{
    uintptr_t start = (uintptr_t)carrier->memory;

    return address >= start && address < (uintptr_t)carrier->san.bottom;
}
