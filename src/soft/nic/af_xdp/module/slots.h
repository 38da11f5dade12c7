/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_AF_XDP_MODULE_SLOTS_H_
#define OD_SOFT_NIC_AF_XDP_MODULE_SLOTS_H_

/* The slots of a program's ring, as places that the kernel fills.
 *
 * Packet n belongs into slot n modulo their number. The kernel fills slots in the order in which it
 * was given them, so packet n lands where it belongs, as long as each frame becomes a packet. One
 * that does not (a rule dropped it) leaves its slot empty, and those behind it are one slot too
 * far: the owner copies them down, into a slot that the kernel has not got. To get in step again a
 * frame is let into a slot further on, which is copied like the others; the frames behind it land
 * where they belong.
 *
 * A slot is with the kernel, or holds a packet, or is free. No packet's slot is with the kernel
 * when the packet comes: frames come in the order of the slots, and their numbers are never larger
 * than when their slots were given. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define AF_XDP_NO_SLOT UINT32_MAX
#define AF_XDP_TRIES   64u

struct af_xdp_slots {
    uint32_t num;          /* a power of two */
    uint64_t next;         /* number of the next packet, when nobody has slots in his hands */
    uint64_t end;          /* packets before it may come */
    uint64_t given, taken; /* slots that the kernel was given, and has filled */
    uint32_t *order;       /* `num`: of the slots that it has */
    bool *is_out;          /* `num`: it has the slot */
};

static inline bool af_xdp_slots_open(struct af_xdp_slots *slots, uint32_t num)
{
    *slots = (struct af_xdp_slots){.num = num,
                                   .order = calloc(num, sizeof(*slots->order)),
                                   .is_out = calloc(num, sizeof(*slots->is_out))};
    return slots->order != NULL && slots->is_out != NULL;
}

static inline void af_xdp_slots_close(struct af_xdp_slots *slots)
{
    free(slots->order);
    free(slots->is_out);
    *slots = (struct af_xdp_slots){0};
}

static inline uint32_t af_xdp_slots_out(const struct af_xdp_slots *slots)
{
    return (uint32_t)(slots->given - slots->taken);
}

/* Slots that can be given at most. */
static inline uint32_t af_xdp_slots_due(const struct af_xdp_slots *slots)
{
    uint64_t number = slots->next + af_xdp_slots_out(slots);

    return number < slots->end ? (uint32_t)(slots->end - number) : 0;
}

/* The kernel has packet `number`'s own slot for an earlier one. Another slot is so far on that it
 * has come back before its own packet comes. */
static inline uint32_t af_xdp_slots_find_other(const struct af_xdp_slots *slots, uint64_t number)
{
    uint64_t at = number + af_xdp_slots_out(slots) + 1;

    for (uint32_t tries = 0; tries < AF_XDP_TRIES && at < slots->end; tries++, at++) {
        if (!slots->is_out[at & (slots->num - 1)])
            return (uint32_t)at & (slots->num - 1);
    }
    return AF_XDP_NO_SLOT;
}

/* The slot that is given next; none: there is no free one that would do. */
static inline uint32_t af_xdp_slots_give(struct af_xdp_slots *slots)
{
    uint64_t number = slots->next + af_xdp_slots_out(slots);
    uint32_t slot = (uint32_t)number & (slots->num - 1);

    if (number >= slots->end)
        return AF_XDP_NO_SLOT;
    if (slots->is_out[slot])
        slot = af_xdp_slots_find_other(slots, number);
    if (slot == AF_XDP_NO_SLOT)
        return slot;
    slots->is_out[slot] = true;
    slots->order[slots->given++ & (slots->num - 1)] = slot;
    return slot;
}

/* The slot that the kernel filled next; there must be one. */
static inline uint32_t af_xdp_slots_take(struct af_xdp_slots *slots)
{
    uint32_t slot = slots->order[slots->taken++ & (slots->num - 1)];

    slots->is_out[slot] = false;
    return slot;
}

#endif /* OD_SOFT_NIC_AF_XDP_MODULE_SLOTS_H_ */
