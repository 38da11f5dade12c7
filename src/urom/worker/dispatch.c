/* SPDX-License-Identifier: BSD-3-Clause */
/* Between channels and plugins. Each command ends with exactly one notification, whatever the
 * plugin does. */
#include "urom/worker/worker_priv.h"

#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(UROM::WORKER::DISPATCH);

/* Behind each command: plugins follow pointers that may lead just past it. */
#define TAIL 64
/* How often a plugin that failed is asked for notifications, which ends when it has none. */
#define DRAIN_MAX 1000

/* ------------------------------------------------------------------------------------------------
 * Notifications
 */

static void count_end(struct urom_page *page, doca_error_t status)
{
    urom_page_set(&page->inflight, urom_page_get(&page->inflight) - 1);
    if (od_likely(status == DOCA_SUCCESS))
        urom_page_add(&page->ok, 1);
    else
        urom_page_add(&page->failed, 1);
    urom_page_add(&page->errors[status], 1);
}

/* Ends the command of a slot: `len` bytes of the plugin's go with it. */
static void send_end(struct worker *worker, struct worker_channel *channel,
                     struct worker_slot *slot, uint64_t type, doca_error_t status,
                     const void *bytes, size_t len)
{
    const struct urom_worker_notify head = {
        .type = type, .urom_context = slot->token, .len = len, .status = status};
    const struct iovec iov[] = {{(void *)&head, sizeof(head)}, {(void *)bytes, len}};

    slot->token = 0;
    count_end(worker->page, status);
    urom_page_add(&worker->page->bytes_out, sizeof(head) + len);
    if (od_likely(channel->link != NULL &&
                  soft_link_send(channel->link, iov, OD_ARRAY_SIZE(iov)) == 0)) {
        if (urom_page_get(&worker->page->inflight) > 0)
            soft_link_more(channel->link);
        return;
    }
    /* There is a place for each command: the client is gone, or does not take what it asked for.
     * Its end shows where commands are received. */
    urom_page_add(&worker->page->dropped, 1);
    if (channel->link != NULL)
        soft_link_shutdown(channel->link);
}

void worker_synthesise(struct worker *worker, struct worker_channel *channel, uint64_t type,
                       uint64_t token, doca_error_t status)
{
    struct worker_slot *slot = &channel->slots[urom_token_slot(token)];

    urom_page_add(&worker->page->synthesised, 1);
    send_end(worker, channel, slot, type, status, NULL, 0);
}

/* What travels behind the header, and its length; NULL and a status when there is none. */
static const void *pack(struct worker_plugin *plugin, struct urom_worker_notif_desc *desc,
                        size_t cap, size_t *body, doca_error_t *status)
{
    struct urom_worker_notify *notify = &desc->worker_notif;
    uint8_t *out = plugin->worker->packed;
    struct worker_call call;
    size_t len = cap;

    if (od_unlikely(notify->len > cap - sizeof(*notify))) {
        urom_page_add(&plugin->worker->page->oversize, 1);
        *status = DOCA_ERROR_TOO_BIG;
        return NULL;
    }
    *body = notify->len;
    if (od_likely(plugin->ctx.iface.notif_pack == NULL))
        return notify->plugin_notif;
    worker_call_begin(&call, plugin, UROM_CALL_NOTIF_PACK);
    *status = plugin->ctx.iface.notif_pack(notify, &len, out);
    worker_call_end(&call);
    if (od_unlikely(*status != DOCA_SUCCESS))
        return NULL;
    if (od_unlikely(len < sizeof(*notify) || len > cap)) {
        DOCA_LOG_ERR("notif_pack of plugin %s says %zu bytes, with room for %zu", plugin->name, len,
                     cap);
        *status = DOCA_ERROR_UNEXPECTED;
        return NULL;
    }
    *body = len - sizeof(*notify);
    return out + sizeof(*notify);
}

static inline doca_error_t sane_status(doca_error_t status)
{
    return od_likely((uint32_t)status <= (uint32_t)DOCA_ERROR_DEVICE_FATAL_ERROR)
               ? status
               : DOCA_ERROR_UNKNOWN;
}

static void notify_client(struct worker_plugin *plugin, struct urom_worker_notif_desc *desc)
{
    struct worker *worker = plugin->worker;
    struct worker_channel *channel = worker_channel_by_dest(worker, desc->dest_id);
    const uint64_t token = desc->worker_notif.urom_context;
    const doca_error_t status = sane_status(desc->worker_notif.status);
    doca_error_t packing = DOCA_SUCCESS;
    struct worker_slot *slot;
    const void *bytes;
    size_t len = 0;

    if (od_unlikely(channel == NULL || token == 0 ||
                    urom_token_slot(token) >= channel->admit.inflight)) {
        urom_page_add(&worker->page->dropped, 1);
        return;
    }
    slot = &channel->slots[urom_token_slot(token)];
    if (od_unlikely(slot->token != token || slot->plugin != plugin)) {
        urom_page_add(&worker->page->dropped, 1);
        return;
    }
    bytes = pack(plugin, desc, channel->admit.max_msg, &len, &packing);
    if (od_likely(bytes != NULL))
        send_end(worker, channel, slot, plugin->id, status, bytes, len);
    else
        worker_synthesise(worker, channel, plugin->id, token, sane_status(packing));
}

/* One call of progress. True when something came out. */
static inline bool progress_plugin(struct worker_plugin *plugin)
{
    ucs_list_link_t list;
    struct worker_call call;
    doca_error_t result;
    bool any = false;

    ucs_list_head_init(&list);
    worker_call_begin(&call, plugin, UROM_CALL_PROGRESS);
    result = plugin->ctx.iface.progress(&plugin->ctx, &list);
    worker_call_end(&call);
    while (!ucs_list_is_empty(&list)) {
        struct urom_worker_notif_desc *desc =
            ucs_list_extract_head(&list, struct urom_worker_notif_desc, entry);

        notify_client(plugin, desc);
        free(desc);
        any = true;
    }
    if (od_unlikely(result != DOCA_SUCCESS && result != DOCA_ERROR_EMPTY))
        DOCA_LOG_WARN("progress of plugin %s says %s", plugin->name, doca_error_get_name(result));
    return any;
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

static bool reserve_offer(struct worker_plugin *plugin)
{
    const size_t max = plugin->max_offers > 0 ? 2 * plugin->max_offers : 64;
    struct worker_offer *offers;

    if (od_likely(plugin->noffers < plugin->max_offers))
        return true;
    offers = realloc(plugin->offers, max * sizeof(offers[0]));
    if (offers == NULL)
        return false;
    plugin->offers = offers;
    plugin->max_offers = max;
    return true;
}

bool worker_queue_command(struct worker_plugin *plugin, uint64_t dest,
                          const struct urom_worker_cmd *head, const void *bytes)
{
    struct urom_worker_cmd_desc *desc;

    if (od_unlikely(!reserve_offer(plugin)))
        return false;
    desc = malloc(sizeof(*desc) + head->len + TAIL);
    if (od_unlikely(desc == NULL))
        return false;
    desc->dest_id = dest;
    desc->worker_cmd = *head;
    memcpy(desc->worker_cmd.plugin_cmd, bytes, head->len);
    memset(desc->worker_cmd.plugin_cmd + head->len, 0, TAIL);
    ucs_list_add_tail(&plugin->commands, &desc->entry);
    plugin->offers[plugin->noffers++] =
        (struct worker_offer){.desc = desc, .dest = dest, .token = head->urom_context};
    return true;
}

static void discard_of_plugin(struct worker_plugin *plugin, uint64_t dest)
{
    size_t kept = 0;

    for (size_t i = 0; i < plugin->noffers; i++) {
        struct urom_worker_cmd_desc *desc = (struct urom_worker_cmd_desc *)plugin->offers[i].desc;

        if (plugin->offers[i].dest != dest) {
            plugin->offers[kept++] = plugin->offers[i];
            continue;
        }
        ucs_list_del(&desc->entry);
        free(desc);
    }
    plugin->noffers = kept;
}

void worker_discard_commands(struct worker *worker, uint64_t dest)
{
    for (size_t i = 0; i < worker->nplugins; i++)
        discard_of_plugin(&worker->plugins[i], dest);
}

/* Which offers were taken: those that are no longer linked. Keeps the others, in their order, and
 * tells the last one that was taken. Never reads what the plugin has. */
static size_t settle_offers(struct worker_plugin *plugin, struct worker_offer *last)
{
    struct urom_worker_cmd_desc *desc;
    size_t i = 0, kept = 0, taken = 0;

    ucs_list_for_each(desc, &plugin->commands, entry)
    {
        for (; i < plugin->noffers && plugin->offers[i].desc != desc; i++, taken++)
            *last = plugin->offers[i];
        if (i < plugin->noffers)
            plugin->offers[kept++] = plugin->offers[i++];
    }
    for (; i < plugin->noffers; i++, taken++)
        *last = plugin->offers[i];
    plugin->noffers = kept;
    return taken;
}

/* The command ends with the plugin's error, unless that has been said already. */
static void end_suspect(struct worker_plugin *plugin, const struct worker_offer *suspect,
                        doca_error_t error)
{
    struct worker *worker = plugin->worker;
    struct worker_channel *channel = worker_channel_by_dest(worker, suspect->dest);

    if (channel != NULL && channel->slots[urom_token_slot(suspect->token)].token == suspect->token)
        worker_synthesise(worker, channel, plugin->id, suspect->token, error);
}

static void refuse_first(struct worker_plugin *plugin, doca_error_t error)
{
    struct urom_worker_cmd_desc *desc =
        ucs_list_extract_head(&plugin->commands, struct urom_worker_cmd_desc, entry);
    const struct worker_offer first = plugin->offers[0];

    free(desc);
    plugin->noffers--;
    memmove(plugin->offers, plugin->offers + 1, plugin->noffers * sizeof(plugin->offers[0]));
    end_suspect(plugin, &first, error);
}

/* worker_cmd failed: find out whose failure it was. */
static OD_COLD void attribute(struct worker_plugin *plugin, const struct worker_offer *last,
                              size_t taken, doca_error_t error)
{
    DOCA_LOG_DBG("worker_cmd of plugin %s says %s after %zu commands", plugin->name,
                 doca_error_get_name(error), taken);
    if (taken == 0) {
        /* AGAIN: later. Else the first one would come back for ever. */
        if (error != DOCA_ERROR_AGAIN)
            refuse_first(plugin, error);
        return;
    }
    for (unsigned int i = 0; i < DRAIN_MAX && progress_plugin(plugin); i++)
        ;
    end_suspect(plugin, last, error);
}

/* True when the plugin took something. */
static inline bool offer_commands(struct worker_plugin *plugin)
{
    struct worker_offer last = {0};
    struct worker_call call;
    doca_error_t result;
    size_t taken;

    worker_call_begin(&call, plugin, UROM_CALL_WORKER_CMD);
    result = plugin->ctx.iface.worker_cmd(&plugin->ctx, &plugin->commands);
    worker_call_end(&call);
    taken = settle_offers(plugin, &last);
    urom_page_add(&plugin->worker->page->handed, taken);
    if (od_unlikely(result != DOCA_SUCCESS))
        attribute(plugin, &last, taken, sane_status(result));
    return taken > 0;
}

bool worker_run_plugins(struct worker *worker)
{
    bool any = false;

    for (size_t i = 0; i < worker->nplugins; i++) {
        struct worker_plugin *plugin = &worker->plugins[i];

        if (plugin->noffers > 0)
            any = offer_commands(plugin) || any;
        any = progress_plugin(plugin) || any;
    }
    return any;
}
