/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_LIST_H_
#define OD_UTIL_LIST_H_

/* Circular doubly linked list with the links inside the elements. A list head is a link that
 * points to itself when the list is empty. Not thread safe. */

#include "util/base.h"

struct od_list {
    struct od_list *next;
    struct od_list *prev;
};

static inline void od_list_init(struct od_list *head)
{
    head->next = head;
    head->prev = head;
}

static inline bool od_list_is_empty(const struct od_list *head)
{
    return head->next == head;
}

static inline void od_list_append(struct od_list *head, struct od_list *link)
{
    link->prev = head->prev;
    link->next = head;
    head->prev->next = link;
    head->prev = link;
}

/* The removed link points to itself, so that removing twice is harmless. */
static inline void od_list_remove(struct od_list *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    od_list_init(link);
}

#define OD_LIST_ENTRY(link, type, member) OD_CONTAINER_OF(link, type, member)

#define OD_LIST_FOR_EACH(link, head)                                                               \
    for (struct od_list *link = (head)->next; link != (head); link = link->next)

#define OD_LIST_FOR_EACH_SAFE(link, head)                                                          \
    for (struct od_list *link = (head)->next, *link##_next = link->next; link != (head);           \
         link = link##_next, link##_next = link->next)

#endif /* OD_UTIL_LIST_H_ */
