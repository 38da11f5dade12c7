/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/fast.h"

#include <stdlib.h>
#include <string.h>

#include "comch/comch_priv.h"

struct comch_fast *comch_fast_create(struct comch_side *side)
{
    struct comch_fast *fast = calloc(1, sizeof(*fast));

    if (fast == NULL)
        return NULL;
    pthread_mutex_init(&fast->lock, NULL);
    atomic_init(&fast->refs, 1);
    fast->side = side;
    od_list_init(&fast->ends);
    od_list_init(&fast->targets);
    /* The two sides count apart, so that no two ends of a connection have the same id. */
    fast->last_id = side->is_server ? 0 : COMCH_ID_MAX - 1;
    return fast;
}

static void drop_notes(struct comch_fast *fast)
{
    struct comch_note *note;

    while ((note = fast->first_note) != NULL) {
        fast->first_note = note->next;
        free(note);
    }
}

void comch_fast_put(struct comch_fast *fast)
{
    if (fast == NULL || atomic_fetch_sub(&fast->refs, 1) != 1)
        return;
    drop_notes(fast);
    pthread_mutex_destroy(&fast->lock);
    free(fast);
}

static void wake(const struct comch_fast_end *end)
{
    if (end->waker != NULL)
        od_waker_wake(end->waker);
}

void comch_fast_finish(struct comch_fast *fast)
{
    pthread_mutex_lock(&fast->lock);
    atomic_store(&fast->over, true);
    OD_LIST_FOR_EACH(link, &fast->ends)
    wake(OD_LIST_ENTRY(link, struct comch_fast_end, link));
    pthread_mutex_unlock(&fast->lock);
}

/* ------------------------------------------------------------------------------------------------
 * Ends
 */

static bool is_taken(const struct comch_fast *fast, uint32_t id)
{
    OD_LIST_FOR_EACH(link, &fast->ends)
    {
        if (OD_LIST_ENTRY(link, struct comch_fast_end, link)->id == id)
            return true;
    }
    return false;
}

/* Each id is used once before any is used again. There are more of them than ends. */
static uint32_t next_id(struct comch_fast *fast)
{
    do {
        fast->last_id += 2;
        if (fast->last_id > COMCH_ID_MAX)
            fast->last_id -= COMCH_ID_MAX;
    } while (is_taken(fast, fast->last_id));
    return fast->last_id;
}

static bool take_place(struct comch_fast *fast, bool is_consumer)
{
    const struct soft_caps *caps = &fast->side->ctx.dev->info.soft->caps;
    uint32_t *num = is_consumer ? &fast->nconsumers : &fast->nproducers;

    /* Both kinds take their ids from one half of all. */
    if (*num >= (is_consumer ? caps->comch_max_consumers : caps->comch_max_producers) ||
        fast->nconsumers + fast->nproducers >= COMCH_ID_MAX / 2)
        return false;
    (*num)++;
    return true;
}

doca_error_t comch_fast_join(struct comch_fast *fast, struct comch_fast_end *end, bool is_consumer,
                             const char *func)
{
    bool taken;

    pthread_mutex_lock(&fast->lock);
    taken = take_place(fast, is_consumer);
    if (taken) {
        *end =
            (struct comch_fast_end){.fast = fast, .id = next_id(fast), .is_consumer = is_consumer};
        od_list_append(&fast->ends, &end->link);
        atomic_fetch_add(&fast->nends, 1);
        atomic_fetch_add(&fast->refs, 1);
        atomic_fetch_add(&fast->side->nends, 1);
    }
    pthread_mutex_unlock(&fast->lock);
    if (taken)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMCH, func, fast->side->ctx.name,
                     is_consumer ? "consumers" : "producers",
                     "as many as this side of a connection can have" CORE_REMEDY
                     "destroy one first");
}

void comch_fast_listen(struct comch_fast_end *end, struct od_waker *waker)
{
    pthread_mutex_lock(&end->fast->lock);
    end->waker = waker;
    pthread_mutex_unlock(&end->fast->lock);
}

void comch_fast_leave(struct comch_fast_end *end)
{
    struct comch_fast *fast = end->fast;

    pthread_mutex_lock(&fast->lock);
    od_list_remove(&end->link);
    if (end->is_consumer)
        fast->nconsumers--;
    else
        fast->nproducers--;
    atomic_fetch_sub(&fast->nends, 1);
    /* A side that stops waits for its ends. After the last it may be gone. */
    core_ctx_wake(&fast->side->ctx);
    atomic_fetch_sub(&fast->side->nends, 1);
    pthread_mutex_unlock(&fast->lock);
    comch_fast_put(fast);
}

/* ------------------------------------------------------------------------------------------------
 * Notes
 */

bool comch_fast_note(struct comch_fast_end *end, enum comch_frame_kind kind, const void *payload,
                     size_t len)
{
    struct comch_fast *fast = end->fast;
    struct comch_note *note = calloc(1, sizeof(*note) + len);

    if (note == NULL)
        return false;
    note->head = (struct comch_frame_head){.kind = kind, .id = end->id};
    note->len = len;
    if (len > 0)
        memcpy(note->payload, payload, len);
    pthread_mutex_lock(&fast->lock);
    if (fast->first_note == NULL)
        fast->first_note = note;
    else
        fast->last_note->next = note;
    fast->last_note = note;
    atomic_store(&fast->has_notes, true);
    core_ctx_wake(&fast->side->ctx);
    pthread_mutex_unlock(&fast->lock);
    return true;
}

struct comch_note *comch_fast_first_note(struct comch_fast *fast)
{
    struct comch_note *note;

    pthread_mutex_lock(&fast->lock);
    note = fast->first_note;
    pthread_mutex_unlock(&fast->lock);
    return note;
}

static void announce(struct comch_fast *fast, uint32_t id)
{
    OD_LIST_FOR_EACH(link, &fast->ends)
    {
        struct comch_fast_end *end = OD_LIST_ENTRY(link, struct comch_fast_end, link);

        if (end->id == id) {
            atomic_store(&end->announced, true);
            wake(end);
        }
    }
}

void comch_fast_note_sent(struct comch_fast *fast)
{
    struct comch_note *note;

    pthread_mutex_lock(&fast->lock);
    note = fast->first_note;
    fast->first_note = note->next;
    if (fast->first_note == NULL)
        atomic_store(&fast->has_notes, false);
    if (note->head.kind == COMCH_FRAME_CONSUMER)
        announce(fast, note->head.id);
    pthread_mutex_unlock(&fast->lock);
    free(note);
}
