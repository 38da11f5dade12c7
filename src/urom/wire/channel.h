/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_CHANNEL_H_
#define OD_UROM_WIRE_CHANNEL_H_

/* Channels carry commands one way (struct urom_worker_cmd) and notifications the other way (struct
 * urom_worker_notify), each a message of its own. Both sides copy the header out of the shared ring
 * before they look at it.
 *
 * A token (urom_context) names the task: its slot in the channel below, a count that grows with
 * each use of the slot above. It is never 0. */

#include <string.h>

#include <doca_urom_plugin.h>

#include "urom/wire/wire.h"

_Static_assert(sizeof(struct urom_worker_cmd) == 24, "wire format");
_Static_assert(sizeof(struct urom_worker_notify) == 32, "wire format");

static inline uint32_t urom_token_slot(uint64_t token)
{
    return (uint32_t)token;
}

/* False when the message is malformed. */
static inline bool urom_cmd_read(const void *msg, uint32_t len, struct urom_worker_cmd *head)
{
    if (od_unlikely(len < sizeof(*head)))
        return false;
    memcpy(head, msg, sizeof(*head));
    return od_likely(head->len == len - sizeof(*head));
}

static inline bool urom_notify_read(const void *msg, uint32_t len, struct urom_worker_notify *head)
{
    if (od_unlikely(len < sizeof(*head)))
        return false;
    memcpy(head, msg, sizeof(*head));
    return od_likely(head->len == len - sizeof(*head) &&
                     (uint32_t)head->status <= (uint32_t)DOCA_ERROR_DEVICE_FATAL_ERROR);
}

#endif /* OD_UROM_WIRE_CHANNEL_H_ */
