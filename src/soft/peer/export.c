/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Index by the low half of an export's id; the high half counts, so that an id is never reused. */
#define NO_SLOT UINT32_MAX

struct slot {
    struct soft_peer_export *exp;
    uint32_t next_free;
};

static struct {
    struct slot *slots;
    uint32_t cap;
    uint32_t used; /* slots that were ever used */
    uint32_t free;
    uint32_t count;
    uint64_t epoch; /* changes in a forked child */
} table = {.free = NO_SLOT};

static int table_insert(struct soft_peer_export *exp)
{
    uint32_t i = table.free;

    if (i != NO_SLOT) {
        table.free = table.slots[i].next_free;
    } else {
        if (table.used == table.cap) {
            uint32_t cap = table.cap == 0 ? 64 : table.cap * 2;
            struct slot *slots = reallocarray(table.slots, cap, sizeof(*slots));

            if (slots == NULL)
                return soft_fail(-ENOMEM, "out of memory for export number %u", table.used);
            table.slots = slots;
            table.cap = cap;
        }
        i = table.used++;
    }
    table.slots[i].exp = exp;
    exp->desc.id = (uint64_t)++table.count << 32 | i;
    exp->epoch = table.epoch;
    return 0;
}

static void table_remove(struct soft_peer_export *exp)
{
    uint32_t i = (uint32_t)exp->desc.id;

    table.slots[i] = (struct slot){.next_free = table.free};
    table.free = i;
}

struct soft_peer_export *soft_peer_export_by_id(uint64_t id)
{
    uint32_t i = (uint32_t)id;
    struct soft_peer_export *exp = i < table.used ? table.slots[i].exp : NULL;

    return exp != NULL && exp->desc.id == id ? exp : NULL;
}

int soft_peer_export_find(const struct soft_peer_desc *desc, struct soft_peer_export **exp)
{
    struct soft_peer_export *found = soft_peer_export_by_id(desc->id);

    if (found == NULL)
        return -EPERM;
    if (!soft_peer_desc_equal(&found->desc, desc))
        return -EBADMSG;
    *exp = found;
    return 0;
}

void soft_peer_exports_forget(void)
{
    free(table.slots);
    table.slots = NULL;
    table.cap = 0;
    table.used = 0;
    table.free = NO_SLOT;
    table.epoch++;
}

static int check_range(const struct soft_peer_range *range)
{
    const unsigned int access = SOFT_PEER_READ | SOFT_PEER_WRITE | SOFT_PEER_ATOMIC;

    if (range->addr == NULL || range->len == 0 || (uintptr_t)range->addr > UINTPTR_MAX - range->len)
        return soft_fail(-EINVAL, "range %p of %zu bytes is empty or wraps", range->addr,
                         range->len);
    if (range->kind < SOFT_PEER_KIND_PCI || range->kind > SOFT_PEER_KIND_QUEUE)
        return soft_fail(-EINVAL, "export kind %d does not exist", (int)range->kind);
    if ((range->access & ~access) != 0)
        return soft_fail(-EINVAL, "access bits 0x%x are not defined", range->access & ~access);
    if (range->card == NULL || range->card[0] == '\0' || strlen(range->card) >= PEER_CARD_SIZE)
        return soft_fail(-EINVAL, "the card's identity must have 1 to %d bytes",
                         PEER_CARD_SIZE - 1);
    if (range->token_len > 0 && range->token == NULL)
        return soft_fail(-EINVAL, "the access token of %zu bytes has no address", range->token_len);
    return 0;
}

static void fill_desc(struct soft_peer_desc *desc, const struct soft_peer_range *range)
{
    desc->kind = range->kind;
    desc->access = range->access;
    desc->mask = range->mask;
    desc->base = (uintptr_t)range->addr;
    desc->len = range->len;
    memcpy(desc->card, range->card, strlen(range->card) + 1);
}

static int start_serving(struct soft_peer_desc *desc, const char *listen)
{
    int rc;

    soft_service_lock();
    rc = soft_peer_server_start(desc);
    soft_service_unlock();
    return rc != 0 ? rc : soft_peer_abroad_start(desc->instance, listen, desc->remote);
}

int soft_peer_export_create(const struct soft_peer_range *range, struct soft_peer_export **exp)
{
    struct soft_peer_export *e;
    int rc = check_range(range);

    if (rc != 0)
        return rc;
    e = calloc(1, sizeof(*e));
    if (e == NULL)
        return soft_fail(-ENOMEM, "out of memory for an export");
    od_list_init(&e->bindings);
    e->waker = range->waker;
    fill_desc(&e->desc, range);
    rc = start_serving(&e->desc, range->listen);
    if (rc != 0)
        goto err_free;
    soft_service_lock();
    rc = soft_service_random(e->desc.token, sizeof(e->desc.token));
    if (rc != 0)
        goto err_unlock;
    rc = table_insert(e);
    if (rc != 0)
        goto err_unlock;
    soft_peer_desc_seal(&e->desc, range->token, range->token_len);
    soft_service_unlock();
    *exp = e;
    return 0;

err_unlock:
    soft_service_unlock();
err_free:
    free(e);
    return rc;
}

const void *soft_peer_export_desc(const struct soft_peer_export *exp, size_t *len)
{
    *len = exp->desc.size;
    return &exp->desc;
}

/* ---- Revocation ---- */

static struct soft_peer_cell *binding_cell(struct soft_peer_binding *binding)
{
    return &binding->client->board[binding->cell];
}

static bool is_busy(struct soft_peer_binding *binding)
{
    return atomic_load(&binding_cell(binding)->inflight) != 0;
}

static bool must_wait(const struct soft_peer_export *exp, uint64_t waited)
{
    if (soft_peer_is_served(exp) && waited < PEER_REVOKE_MS)
        return true;
    OD_LIST_FOR_EACH(link, &exp->bindings)
    {
        struct soft_peer_binding *b = OD_LIST_ENTRY(link, struct soft_peer_binding, link);

        if (is_busy(b) && waited < (b->client->stuck ? PEER_STUCK_MS : PEER_REVOKE_MS))
            return true;
    }
    return false;
}

static void refuse_new_accesses(struct soft_peer_export *exp)
{
    OD_LIST_FOR_EACH(link, &exp->bindings)
    {
        struct soft_peer_binding *b = OD_LIST_ENTRY(link, struct soft_peer_binding, link);

        atomic_store(&binding_cell(b)->state, PEER_CELL_REVOKED);
    }
}

/* Lock held; given up while waiting. Accesses take microseconds to milliseconds, so looking again
 * after a growing pause costs less than a wake-up that every access would have to consider. */
static void wait_for_accesses(struct soft_peer_export *exp)
{
    const uint64_t start = soft_service_now_ms();
    struct timespec pause = {.tv_nsec = 5000};

    while (must_wait(exp, soft_service_now_ms() - start)) {
        soft_service_unlock();
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 500000)
            pause.tv_nsec *= 2;
        soft_service_lock();
    }
}

static void detach_bindings(struct soft_peer_export *exp)
{
    OD_LIST_FOR_EACH_SAFE(link, &exp->bindings)
    {
        struct soft_peer_binding *b = OD_LIST_ENTRY(link, struct soft_peer_binding, link);

        /* One that is stuck inside of an access (stopped by a debugger, or broken) gets less time
         * from now on, so that it does not delay thousands of revocations. */
        b->client->stuck = is_busy(b);
        b->exp = NULL;
        od_list_remove(&b->link);
    }
}

void soft_peer_export_destroy(struct soft_peer_export *exp)
{
    if (exp == NULL)
        return;
    soft_service_lock();
    if (exp->epoch == table.epoch) {
        table_remove(exp);
        refuse_new_accesses(exp);
        wait_for_accesses(exp);
        soft_peer_serve_abandon(exp);
        detach_bindings(exp);
    }
    soft_service_unlock();
    free(exp);
}
