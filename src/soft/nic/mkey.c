/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/mkey.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define PLACES_MAX 0xffffffu

struct place {
    struct soft_nic_mkey what; /* device NULL: nothing */
    uint32_t next_free;        /* while it is free; 0: the last one */
    uint8_t generation;
};

/* Engines read often and for a short while, programs change seldom: those go first. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct place *places; /* place 0 stays unused, so that no key is 0 */
static uint32_t nplaces, capacity, first_free;

static bool grow(void)
{
    uint32_t wanted = capacity == 0 ? 64 : capacity * 2;
    struct place *more = reallocarray(places, wanted, sizeof(*more));

    if (more == NULL)
        return false;
    places = more;
    capacity = wanted;
    return true;
}

static uint32_t take_place(void)
{
    uint32_t at = first_free;

    if (at != 0) {
        first_free = places[at].next_free;
        return at;
    }
    if (nplaces == 0)
        nplaces = 1;
    if (nplaces >= capacity && !grow())
        return 0;
    if (nplaces >= PLACES_MAX) /* the last number would be all ones in its last generation */
        return 0;
    places[nplaces] = (struct place){0};
    return nplaces++;
}

int soft_nic_mkey_new(uint32_t *key)
{
    uint32_t at;

    pthread_rwlock_wrlock(&lock);
    at = take_place();
    if (at != 0) {
        places[at].what = (struct soft_nic_mkey){0};
        places[at].generation++;
        *key = at << 8 | places[at].generation;
    }
    pthread_rwlock_unlock(&lock);
    return at != 0 ? 0 : soft_fail(-ENOMEM, "no memory for another memory key");
}

/* Under the lock; NULL: not a key that lives. */
static struct place *find(uint32_t key)
{
    uint32_t at = key >> 8;

    if (at == 0 || at >= nplaces || places[at].generation != (key & 0xffu))
        return NULL;
    return &places[at];
}

void soft_nic_mkey_free(uint32_t key)
{
    struct place *place;

    pthread_rwlock_wrlock(&lock);
    place = find(key);
    if (place != NULL) {
        place->what = (struct soft_nic_mkey){0};
        place->generation++; /* the next owner's differs by one more */
        place->next_free = first_free;
        first_free = key >> 8;
    }
    pthread_rwlock_unlock(&lock);
}

void soft_nic_mkey_set(uint32_t key, const struct soft_nic_mkey *what)
{
    struct place *place;

    pthread_rwlock_wrlock(&lock);
    place = find(key);
    if (place != NULL)
        place->what = *what;
    pthread_rwlock_unlock(&lock);
}

void soft_nic_mkey_clear(uint32_t key)
{
    const struct soft_nic_mkey nothing = {0};

    soft_nic_mkey_set(key, &nothing);
}

void soft_nic_mkeys_enter(void)
{
    pthread_rwlock_rdlock(&lock);
}

void soft_nic_mkeys_leave(void)
{
    pthread_rwlock_unlock(&lock);
}

static bool covers(const char *base, size_t size, uint64_t addr, uint64_t len)
{
    return addr >= (uintptr_t)base && addr - (uintptr_t)base <= size &&
           len <= size - (addr - (uintptr_t)base);
}

const struct soft_nic_mkey *soft_nic_mkey_find(uint32_t key, const struct soft_device *device,
                                               uint64_t addr, uint64_t len)
{
    const struct place *place = find(key);
    const struct soft_nic_mkey *what;
    const char *cpu;

    if (place == NULL || place->what.device != device)
        return NULL;
    what = &place->what;
    if (what->memory == NULL)
        return covers(what->addr, what->len, addr, len) ? what : NULL;
    /* By either address of the memory, whichever the program named; there may be one only. */
    if (covers(soft_gpu_at(what->memory, what->addr), what->len, addr, len))
        return what;
    cpu = soft_gpu_cpu(what->memory, what->addr);
    return cpu != NULL && covers(cpu, what->len, addr, len) ? what : NULL;
}

const char *soft_nic_mkey_reach(uint32_t key, const struct soft_device *device, uint64_t addr,
                                uint32_t len)
{
    const struct soft_nic_mkey *what = soft_nic_mkey_find(key, device, addr, len);
    const char *at = (const char *)(uintptr_t)addr;

    if (what == NULL || !what->can_read || what->peer != NULL)
        return NULL;
    return what->memory != NULL ? soft_gpu_cpu(what->memory, at) : at;
}
