/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "urom/plugin/am/dpu/am_priv.h"

#define QUEUE_MAX 1024       /* messages that wait for a receive */
#define QUEUE_LEN (4u << 20) /* their bytes */

struct waiting {
    ucs_list_link_t entry;
    uint32_t handler;
    uint64_t source;
    size_t len;
    uint8_t bytes[];
};

void am_inbox_init(struct am *am)
{
    ucs_list_head_init(&am->posted);
    ucs_list_head_init(&am->queue);
}

static void drop(struct am *am, struct waiting *message)
{
    am->queued--;
    am->queued_len -= message->len;
    ucs_list_del(&message->entry);
    free(message);
}

void am_inbox_free(struct am *am)
{
    while (!ucs_list_is_empty(&am->posted))
        free(ucs_list_extract_head(&am->posted, struct urom_worker_cmd_desc, entry));
    while (!ucs_list_is_empty(&am->queue))
        drop(am, ucs_list_head(&am->queue, struct waiting, entry));
}

static bool fits(const struct urom_worker_cmd_desc *command, uint32_t handler)
{
    const uint32_t wanted = am_cmd_of(command)->recv.handler;

    return wanted == AM_ANY || wanted == handler;
}

/* Ends a receive. False: no memory, nothing has happened. */
static bool hand_over(struct am *am, const struct urom_worker_cmd_desc *command, uint32_t handler,
                      uint64_t source, const void *bytes, size_t len)
{
    const struct am_received received = {
        .head = am_cmd_of(command)->head, .source = source, .handler = handler};
    struct urom_worker_notif_desc *note = plugin_note(command, sizeof(received) + len, 0);

    if (note == NULL)
        return false;
    memcpy(note->worker_notif.plugin_notif, &received, sizeof(received));
    if (len > 0)
        memcpy(note->worker_notif.plugin_notif + sizeof(received), bytes, len);
    plugin_finish(&am->base, note, DOCA_SUCCESS);
    return true;
}

static doca_error_t keep(struct am *am, uint32_t handler, uint64_t source, const void *bytes,
                         size_t len)
{
    struct waiting *message;

    if (am->queued == QUEUE_MAX || len > QUEUE_LEN - am->queued_len)
        return DOCA_ERROR_AGAIN;
    message = malloc(sizeof(*message) + len);
    if (message == NULL)
        return DOCA_ERROR_NO_MEMORY;
    message->handler = handler;
    message->source = source;
    message->len = len;
    if (len > 0)
        memcpy(message->bytes, bytes, len);
    ucs_list_add_tail(&am->queue, &message->entry);
    am->queued++;
    am->queued_len += len;
    return DOCA_SUCCESS;
}

doca_error_t am_deliver(struct am *am, uint32_t handler, uint64_t source, const void *bytes,
                        size_t len)
{
    struct urom_worker_cmd_desc *command;

    ucs_list_for_each(command, &am->posted, entry)
    {
        if (!fits(command, handler))
            continue;
        if (!hand_over(am, command, handler, source, bytes, len))
            return DOCA_ERROR_NO_MEMORY;
        ucs_list_del(&command->entry);
        free(command);
        return DOCA_SUCCESS;
    }
    return keep(am, handler, source, bytes, len);
}

doca_error_t am_recv(struct am *am, struct urom_worker_cmd_desc *command, bool *keeps)
{
    struct waiting *message;

    ucs_list_for_each(message, &am->queue, entry)
    {
        if (!fits(command, message->handler))
            continue;
        if (!hand_over(am, command, message->handler, message->source, message->bytes,
                       message->len))
            return DOCA_ERROR_NO_MEMORY;
        drop(am, message);
        return DOCA_SUCCESS;
    }
    *keeps = true;
    ucs_list_add_tail(&am->posted, &command->entry);
    return DOCA_SUCCESS;
}

/* First the end of the receive, then that of the command that cancels it. */
doca_error_t am_cancel(struct am *am, const struct urom_worker_cmd_desc *command)
{
    const struct ops_head head = am_cmd_of(command)->head;
    struct urom_worker_cmd_desc *posted;
    doca_error_t result;

    ucs_list_for_each(posted, &am->posted, entry)
    {
        if (posted->dest_id != command->dest_id ||
            am_cmd_of(posted)->head.context != am_cmd_of(command)->cancel.context)
            continue;
        result = plugin_answer(&am->base, posted, DOCA_ERROR_CONNECTION_ABORTED,
                               &am_cmd_of(posted)->head, sizeof(head));
        if (result != DOCA_SUCCESS)
            return result;
        ucs_list_del(&posted->entry);
        free(posted);
        return plugin_answer(&am->base, command, DOCA_SUCCESS, &head, sizeof(head));
    }
    return plugin_answer(&am->base, command, DOCA_ERROR_NOT_FOUND, &head, sizeof(head));
}

void am_inbox_forget(struct am *am, uint64_t dest)
{
    struct urom_worker_cmd_desc *command, *next;

    ucs_list_for_each_safe(command, next, &am->posted, entry)
    {
        if (command->dest_id != dest)
            continue;
        ucs_list_del(&command->entry);
        free(command);
    }
}
