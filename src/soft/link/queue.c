/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/queue.h"

void soft_link_queue_init(struct soft_link_queue *queue)
{
    od_list_init(&queue->silent);
    od_list_init(&queue->waiting);
    queue->nsilent = 0;
    atomic_store(&queue->nwaiting, 0);
}

void soft_link_queue_enter(struct soft_link_queue *queue, struct soft_link_guest *guest)
{
    guest->queue = queue;
    guest->greeted = false;
    queue->nsilent++;
    od_list_append(&queue->silent, &guest->link);
}

void soft_link_queue_promote(struct soft_link_guest *guest)
{
    struct soft_link_queue *queue = guest->queue;

    od_list_remove(&guest->link);
    queue->nsilent--;
    guest->greeted = true;
    od_list_append(&queue->waiting, &guest->link);
    atomic_fetch_add(&queue->nwaiting, 1);
}

void soft_link_queue_leave(struct soft_link_guest *guest)
{
    if (guest->queue == NULL)
        return;
    if (guest->greeted)
        atomic_fetch_sub(&guest->queue->nwaiting, 1);
    else
        guest->queue->nsilent--;
    od_list_remove(&guest->link);
    guest->queue = NULL;
}

static struct soft_link_guest *first(const struct od_list *list)
{
    return od_list_is_empty(list) ? NULL : OD_LIST_ENTRY(list->next, struct soft_link_guest, link);
}

struct soft_link_guest *soft_link_queue_silent(const struct soft_link_queue *queue)
{
    return first(&queue->silent);
}

struct soft_link_guest *soft_link_queue_waiting(const struct soft_link_queue *queue)
{
    return first(&queue->waiting);
}
