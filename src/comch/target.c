/* SPDX-License-Identifier: BSD-3-Clause */
/* Consumers of the peer, as this side's producers reach them. */
#include <errno.h>
#include <stdlib.h>

#include "comch/comch_priv.h"

static void free_target(struct comch_target *target)
{
    soft_peer_map_close(target->data);
    soft_peer_map_close(target->page);
    free(target);
}

void comch_target_put(struct comch_target *target)
{
    if (atomic_fetch_sub(&target->refs, 1) == 1)
        free_target(target);
}

/* Lock held. */
static struct comch_target *find(struct comch_fast *fast, uint32_t id)
{
    OD_LIST_FOR_EACH(link, &fast->targets)
    {
        struct comch_target *target = OD_LIST_ENTRY(link, struct comch_target, link);

        if (target->id == id)
            return target;
    }
    return NULL;
}

struct comch_target *comch_target_find(struct comch_fast *fast, uint32_t id)
{
    struct comch_target *target;

    pthread_mutex_lock(&fast->lock);
    target = find(fast, id);
    if (target != NULL && atomic_load(&target->expired))
        target = NULL;
    if (target != NULL)
        atomic_fetch_add(&target->refs, 1);
    pthread_mutex_unlock(&fast->lock);
    return target;
}

uint32_t comch_target_first(struct comch_fast *fast)
{
    uint32_t id = 0;

    pthread_mutex_lock(&fast->lock);
    if (!od_list_is_empty(&fast->targets))
        id = OD_LIST_ENTRY(fast->targets.next, struct comch_target, link)->id;
    pthread_mutex_unlock(&fast->lock);
    return id;
}

/* ------------------------------------------------------------------------------------------------
 * Coming and going
 */

/* The peer may announce as many as a device of ours could have. */
static int check_place(struct comch_fast *fast, uint32_t id)
{
    uint32_t max = COMCH_ID_MAX / 2;
    uint32_t num = 0;
    bool known;

    pthread_mutex_lock(&fast->lock);
    known = find(fast, id) != NULL;
    OD_LIST_FOR_EACH(link, &fast->targets)
    num++;
    pthread_mutex_unlock(&fast->lock);
    return known || num >= max ? -EBADMSG : 0;
}

static int import_page(struct comch_target *target, const struct comch_consumer_info *info,
                       const char *card)
{
    struct soft_peer_info page;
    int err = soft_peer_import(info->page_desc, info->page_desc_len, SOFT_PEER_KIND_QUEUE, card,
                               &target->page);

    if (err != 0)
        return err;
    soft_peer_map_info(target->page, &page);
    if (page.len < comch_posts_size(info->nslots, info->imm_len))
        return soft_fail(-EBADMSG, "its page is too short");
    comch_posts_view(&target->posts, soft_peer_local(target->page, (uintptr_t)page.addr),
                     info->nslots, info->imm_len);
    return 0;
}

/* One that has stopped meanwhile, or cannot be reached, is announced all the same: its end will
 * be. */
static void import_consumer(struct comch_target *target, const struct comch_consumer_info *info,
                            const struct doca_ctx *ctx)
{
    const char *card = ctx->dev->info.soft->card;
    int err = import_page(target, info, card);

    if (err == 0)
        err = soft_peer_import(info->data_desc, info->data_desc_len, SOFT_PEER_KIND_PCI, card,
                               &target->data);
    if (err == 0)
        return;
    atomic_store(&target->expired, true);
    if (err != -EPERM)
        CORE_WARN(CORE_LOG_COMCH, "%s: consumer %u of the peer cannot be reached: %s", ctx->name,
                  target->id, soft_reason());
}

int comch_target_add(struct comch_fast *fast, const struct comch_frame *frame)
{
    struct comch_consumer_info info;
    struct comch_target *target;
    int err;

    if (comch_wire_get_consumer(frame->payload, frame->len, &info) != 0)
        return -EBADMSG;
    err = check_place(fast, frame->id);
    if (err != 0)
        return err;
    target = calloc(1, sizeof(*target));
    if (target == NULL)
        return -ENOMEM;
    atomic_init(&target->refs, 1);
    target->id = frame->id;
    import_consumer(target, &info, &fast->side->ctx);
    pthread_mutex_lock(&fast->lock);
    od_list_append(&fast->targets, &target->link);
    pthread_mutex_unlock(&fast->lock);
    return 0;
}

bool comch_target_expire(struct comch_fast *fast, uint32_t id)
{
    struct comch_target *target;

    pthread_mutex_lock(&fast->lock);
    target = find(fast, id);
    if (target != NULL)
        od_list_remove(&target->link);
    pthread_mutex_unlock(&fast->lock);
    if (target == NULL)
        return false;
    atomic_store(&target->expired, true);
    comch_target_put(target);
    return true;
}

void comch_target_ring(struct comch_target *target)
{
    uint32_t sleep = comch_posts_sleeps(&target->posts);

    if (od_likely(sleep == 0) ||
        atomic_load_explicit(&target->told, memory_order_relaxed) == sleep ||
        atomic_exchange(&target->told, sleep) == sleep)
        return;
    soft_peer_ring(target->page);
}
