/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/worker_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "urom/wire/pack.h"

DOCA_LOG_REGISTER(UROM::WORKER::CHANNEL);

/* Commands of one channel in one turn. As many as the allocator keeps at hand. */
#define BATCH 6

/* ------------------------------------------------------------------------------------------------
 * Who may come, and who is there
 */

struct worker_channel *worker_channel_by_token(struct worker *worker, const uint8_t *token)
{
    OD_LIST_FOR_EACH(link, &worker->channels)
    {
        struct worker_channel *channel = OD_LIST_ENTRY(link, struct worker_channel, entry);

        if (memcmp(channel->admit.token, token, UROM_WIRE_KEY_SIZE) == 0)
            return channel;
    }
    return NULL;
}

struct worker_channel *worker_channel_by_dest(struct worker *worker, uint64_t dest)
{
    OD_LIST_FOR_EACH(link, &worker->channels)
    {
        struct worker_channel *channel = OD_LIST_ENTRY(link, struct worker_channel, entry);

        if (channel->dest == dest)
            return channel;
    }
    return NULL;
}

/* Notifications of any channel must fit. */
static bool grow_packed(struct worker *worker, uint32_t max_msg)
{
    uint8_t *packed;

    if (max_msg <= worker->max_msg)
        return true;
    packed = aligned_alloc(OD_CACHE_LINE, (max_msg + OD_CACHE_LINE - 1) & ~(OD_CACHE_LINE - 1));
    if (packed == NULL)
        return false;
    free(worker->packed);
    worker->packed = packed;
    worker->max_msg = max_msg;
    return true;
}

void worker_channel_admit(struct worker *worker, const struct urom_admit *admit)
{
    struct worker_channel *channel = calloc(1, sizeof(*channel));

    if (channel == NULL || !grow_packed(worker, admit->max_msg))
        goto err_free;
    channel->slots = calloc(admit->inflight, sizeof(channel->slots[0]));
    if (channel->slots == NULL)
        goto err_free;
    channel->admit = *admit;
    channel->dest = ++worker->last_dest;
    od_list_append(&worker->channels, &channel->entry);
    return;

err_free:
    free(channel);
    DOCA_LOG_ERR("no memory for a channel; the client will not be taken in");
}

static void forget_outstanding(struct worker *worker, const struct worker_channel *channel)
{
    uint64_t left = 0;

    for (uint32_t i = 0; i < channel->admit.inflight; i++)
        left += channel->slots[i].token != 0;
    urom_page_set(&worker->page->inflight, urom_page_get(&worker->page->inflight) - left);
}

void worker_channel_drop(struct worker *worker, struct worker_channel *channel)
{
    const bool was_open = channel->link != NULL;

    DOCA_LOG_DBG("channel %llu of process %u closes", (unsigned long long)channel->dest,
                 channel->admit.pid);
    od_list_remove(&channel->entry);
    worker_discard_commands(worker, channel->dest);
    forget_outstanding(worker, channel);
    /* A client that shut down has what was sent; another one is gone or out of line. */
    if (was_open)
        soft_link_shutdown(channel->link);
    soft_link_close(channel->link);
    for (size_t i = 0; was_open && i < worker->nplugins; i++) {
        if (worker->plugins[i].ext_conn_closed != NULL)
            worker->plugins[i].ext_conn_closed(&worker->plugins[i].ctx, channel->dest);
    }
    if (was_open)
        urom_page_set(&worker->page->channels, urom_page_get(&worker->page->channels) - 1);
    free(channel->slots);
    free(channel);
}

/* ------------------------------------------------------------------------------------------------
 * Greetings
 */

static void refuse(struct soft_link *link, enum urom_reason reason, const char *text)
{
    struct urom_answer answer;

    DOCA_LOG_WARN("a client is refused: %s", text);
    urom_answer_init(&answer, reason);
    urom_text_set(answer.text, sizeof(answer.text), text);
    soft_link_refuse(link, &answer, sizeof(answer));
}

/* The daemon told who comes before it told the client where to go. */
static struct worker_channel *find_admitted(struct worker *worker, const uint8_t *token)
{
    struct worker_channel *channel = worker_channel_by_token(worker, token);

    if (channel != NULL)
        return channel;
    worker_control_read(worker);
    return worker_channel_by_token(worker, token);
}

static bool is_expected(const struct worker_channel *channel, const struct soft_link *link)
{
    struct soft_link_peer peer;

    soft_link_peer_info(link, &peer);
    return (channel->admit.flags & UROM_ADMIT_REMOTE) != 0 || peer.uid == channel->admit.uid;
}

static bool answer(struct soft_link *link, uint64_t dest)
{
    struct urom_answer yes;

    urom_answer_init(&yes, UROM_REASON_NONE);
    yes.dest = dest;
    if (soft_link_accept(link, &yes, sizeof(yes)) == 0)
        return true;
    DOCA_LOG_WARN("a client went away while it was taken in: %s", soft_reason());
    return false;
}

static void greet(struct worker *worker, struct soft_link *link)
{
    struct worker_channel *channel;
    struct urom_hello hello;
    size_t len;
    const void *bytes = soft_link_hello(link, &len);

    if (urom_hello_decode(bytes, len, &hello) != 0 ||
        (hello.kind != UROM_KIND_CHANNEL && hello.kind != UROM_KIND_DOMAIN)) {
        refuse(link, UROM_REASON_MALFORMED, "not a greeting for a worker");
        return;
    }
    channel = find_admitted(worker, hello.key);
    if (channel == NULL || !is_expected(channel, link) ||
        (hello.kind == UROM_KIND_CHANNEL && channel->link != NULL)) {
        refuse(link, UROM_REASON_SESSION, "its token is not valid");
        return;
    }
    if (!answer(link, channel->dest)) {
        soft_link_close(link);
        return;
    }
    if (hello.kind == UROM_KIND_DOMAIN) {
        worker_domain_accept(worker, link);
        return;
    }
    channel->link = link;
    urom_page_add(&worker->page->channels, 1);
    DOCA_LOG_DBG("channel %llu of process %u is open", (unsigned long long)channel->dest,
                 channel->admit.pid);
}

static bool accept_from(struct worker *worker, struct soft_link_listener *listener)
{
    struct soft_link *link = soft_link_next(listener);

    if (link == NULL)
        return false;
    greet(worker, link);
    return true;
}

bool worker_channels_accept(struct worker *worker)
{
    bool any = accept_from(worker, worker->local);

    if (worker->remote != NULL)
        any = accept_from(worker, worker->remote) || any;
    return any;
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

static struct worker_plugin *plugin_of(const struct worker *worker,
                                       const struct worker_channel *channel, uint64_t type)
{
    if (od_unlikely((type & (type - 1)) != 0 || (type & channel->admit.plugins) == 0))
        return NULL;
    return worker->by_bit[__builtin_ctzll(type)];
}

static void note_inflight(struct urom_page *page)
{
    const uint64_t inflight = urom_page_get(&page->inflight) + 1;

    urom_page_set(&page->inflight, inflight);
    if (inflight > urom_page_get(&page->high_water))
        urom_page_set(&page->high_water, inflight);
}

/* False: the client is out of line. */
static inline bool take_command(struct worker *worker, struct worker_channel *channel,
                                const struct soft_link_msg *msg)
{
    struct urom_page *page = worker->page;
    struct worker_plugin *plugin;
    struct urom_worker_cmd head;
    struct worker_slot *slot;

    if (od_unlikely(msg->len > channel->admit.max_msg ||
                    !urom_cmd_read(msg->data, msg->len, &head)))
        return false;
    if (od_unlikely(urom_token_slot(head.urom_context) >= channel->admit.inflight ||
                    head.urom_context == 0))
        return false;
    slot = &channel->slots[urom_token_slot(head.urom_context)];
    if (od_unlikely(slot->token != 0))
        return false;
    urom_page_add(&page->received, 1);
    urom_page_add(&page->bytes_in, msg->len);
    note_inflight(page);
    plugin = plugin_of(worker, channel, head.type);
    slot->token = head.urom_context;
    slot->plugin = plugin;
    if (od_unlikely(plugin == NULL))
        worker_synthesise(worker, channel, head.type, head.urom_context, DOCA_ERROR_NOT_SUPPORTED);
    else if (od_unlikely(!worker_queue_command(plugin, channel->dest, &head,
                                               (const uint8_t *)msg->data + sizeof(head))))
        worker_synthesise(worker, channel, head.type, head.urom_context, DOCA_ERROR_NO_MEMORY);
    return true;
}

/* False when the channel has ended. */
static inline bool receive(struct worker *worker, struct worker_channel *channel, bool *any)
{
    struct soft_link_msg msg;

    for (unsigned int i = 0; i < BATCH; i++) {
        int err = soft_link_recv(channel->link, &msg);
        bool fine;

        if (od_likely(err == -EAGAIN))
            return true;
        if (od_unlikely(err != 0))
            return false;
        fine = take_command(worker, channel, &msg);
        soft_link_release(channel->link);
        if (od_unlikely(!fine)) {
            DOCA_LOG_WARN("process %u of user %u sends nonsense; its channel is closed",
                          channel->admit.pid, channel->admit.uid);
            return false;
        }
        *any = true;
    }
    return true;
}

bool worker_channels_receive(struct worker *worker)
{
    bool any = false;

    OD_LIST_FOR_EACH_SAFE(link, &worker->channels)
    {
        struct worker_channel *channel = OD_LIST_ENTRY(link, struct worker_channel, entry);

        if (channel->link != NULL && od_unlikely(!receive(worker, channel, &any))) {
            worker_channel_drop(worker, channel);
            any = true;
        }
    }
    return any;
}

bool worker_channels_pending(const struct worker *worker)
{
    if (soft_link_listener_pending(worker->local) ||
        (worker->remote != NULL && soft_link_listener_pending(worker->remote)))
        return true;
    OD_LIST_FOR_EACH(link, &worker->channels)
    {
        const struct worker_channel *channel = OD_LIST_ENTRY(link, struct worker_channel, entry);

        if (channel->link != NULL && soft_link_pending(channel->link))
            return true;
    }
    return false;
}
