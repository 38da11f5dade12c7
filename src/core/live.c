/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked flavour: the addresses of all objects that exist, so that a pointer can be judged without
 * reading what it points to. The release flavour keeps no table. */

#include <pthread.h>
#include <stdlib.h>

#include "core/core_priv.h"

#define FIRST_SLOTS 256u /* a power of two, as every size of the table */

struct slot {
    uintptr_t address; /* 0 = empty */
    uint64_t kinds;    /* bit for each core_live_kind: an instance is a context as well */
};
_Static_assert(CORE_LIVE_FLOW_ENTRY < 64, "a bit for the last of the kinds");

/* Linear probing. Never freed: objects may be destroyed by the last exit handler. */
static struct {
    pthread_mutex_t lock;
    struct slot *slots;
    size_t nslots;
    size_t nused;
    bool incomplete; /* no memory for an object: from then on all pointers pass */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t home_of(uintptr_t address)
{
    return (size_t)((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table.nslots - 1);
}

/* The slot of the address, or the empty one where it belongs. The table has slots, and one of them
 * is empty. */
static struct slot *find(uintptr_t address)
{
    size_t i = home_of(address);

    while (table.slots[i].address != 0 && table.slots[i].address != address)
        i = (i + 1) & (table.nslots - 1);
    return &table.slots[i];
}

/* Room for one more, with at least half of the slots empty. */
static bool make_room(void)
{
    struct slot *old = table.slots;
    size_t nold = table.nslots;
    struct slot *grown;

    if (table.nused < nold / 2)
        return true;
    grown = calloc(nold != 0 ? nold * 2 : FIRST_SLOTS, sizeof(*grown));
    if (grown == NULL)
        return false;
    table.slots = grown;
    table.nslots = nold != 0 ? nold * 2 : FIRST_SLOTS;
    for (size_t i = 0; i < nold; i++) {
        if (old[i].address != 0)
            *find(old[i].address) = old[i];
    }
    free(old);
    return true;
}

void core_live_add(enum core_live_kind kind, const void *object)
{
    struct slot *slot;

    if (!OD_CHECKED)
        return;
    pthread_mutex_lock(&table.lock);
    if (make_room()) {
        slot = find((uintptr_t)object);
        if (slot->address == 0)
            table.nused++;
        slot->address = (uintptr_t)object;
        slot->kinds |= UINT64_C(1) << kind;
    } else {
        table.incomplete = true;
    }
    pthread_mutex_unlock(&table.lock);
}

/* Empties the slot and moves up what was placed behind it for want of room. */
static void vacate(struct slot *slot)
{
    size_t hole = (size_t)(slot - table.slots);
    size_t mask = table.nslots - 1;

    for (size_t i = (hole + 1) & mask; table.slots[i].address != 0; i = (i + 1) & mask) {
        size_t distance = (i - home_of(table.slots[i].address)) & mask;

        if (distance < ((i - hole) & mask))
            continue;
        table.slots[hole] = table.slots[i];
        hole = i;
    }
    table.slots[hole] = (struct slot){0};
    table.nused--;
}

void core_live_remove(const void *object)
{
    struct slot *slot;

    if (!OD_CHECKED || object == NULL)
        return;
    pthread_mutex_lock(&table.lock);
    if (table.slots != NULL) {
        slot = find((uintptr_t)object);
        if (slot->address != 0)
            vacate(slot);
    }
    pthread_mutex_unlock(&table.lock);
}

bool core_live_is(enum core_live_kind kind, const void *object)
{
    bool found;

    if (object == NULL)
        return false;
    if (!OD_CHECKED)
        return true;
    pthread_mutex_lock(&table.lock);
    found = table.incomplete ||
            (table.slots != NULL && (find((uintptr_t)object)->kinds >> kind & 1) != 0);
    pthread_mutex_unlock(&table.lock);
    return found;
}
