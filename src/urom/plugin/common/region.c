/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/common/region.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(UROM::PLUGIN::REGION);

#define NONE UINT32_MAX

/* An attach that is under way: its owner is asked, which may take a while. */
struct attaching {
    struct plugin_errand errand;
    struct plugin_line line; /* of its own */
    struct od_list entry;
    struct urom_worker_cmd_desc *command;
    uint64_t dest; /* 0: the channel has ended */
    struct ops_head head;
    struct soft_peer_map *map;
    int err;
    char reason[256];
    uint32_t len;
    uint8_t desc[SOFT_PEER_DESC_MAX];
};

static struct od_list attachings = {&attachings, &attachings};

/* By the low half of the handle; the high half tells uses of a place apart. Regions stay at their
 * addresses, users have pointers. */
static struct {
    struct plugin_region **regions;
    uint32_t count;
    uint32_t cap;
    uint32_t free; /* place, or NONE */
    uint32_t generation;
} table = {.free = NONE};

static struct plugin_region *find(uint64_t dest, uint64_t handle)
{
    const uint32_t place = (uint32_t)handle;

    if (od_unlikely(place >= table.count))
        return NULL;
    if (od_unlikely(table.regions[place]->handle != handle || table.regions[place]->dest != dest ||
                    handle == 0))
        return NULL;
    return table.regions[place];
}

static struct plugin_region *add_place(void)
{
    const uint32_t cap = table.cap > 0 ? 2 * table.cap : 16;
    struct plugin_region *region;

    if (table.count == table.cap) {
        struct plugin_region **regions = realloc(table.regions, cap * sizeof(regions[0]));

        if (regions == NULL)
            return NULL;
        table.regions = regions;
        table.cap = cap;
    }
    region = calloc(1, sizeof(*region));
    if (region == NULL)
        return NULL;
    region->next_free = NONE;
    plugin_line_init(&region->line);
    region->handle = table.count; /* only the place, until it is used */
    table.regions[table.count++] = region;
    return region;
}

static struct plugin_region *take_place(void)
{
    struct plugin_region *region;
    uint32_t place;

    if (table.free == NONE) {
        region = add_place();
        if (region == NULL)
            return NULL;
    } else {
        region = table.regions[table.free];
        table.free = region->next_free;
    }
    place = (uint32_t)region->handle;
    table.generation += table.generation == UINT32_MAX ? 2 : 1; /* never 0 */
    region->handle = (uint64_t)table.generation << 32 | place;
    return region;
}

static void give_back(struct plugin_region *region)
{
    soft_peer_map_close(region->map);
    region->map = NULL;
    if (region->waiter != NULL)
        plugin_finish(region->waiter, region->note, DOCA_SUCCESS);
    region->waiter = NULL;
    region->note = NULL;
    region->dest = 0;
    region->handle = (uint32_t)region->handle;
    region->next_free = table.free;
    table.free = (uint32_t)region->handle;
}

static doca_error_t attach_error(int err)
{
    switch (err) {
    case -EBADMSG:
    case -EINVAL:
    case -EXDEV:
        return DOCA_ERROR_INVALID_VALUE;
    case -EPROTO:
        return DOCA_ERROR_UNSUPPORTED_VERSION;
    case -EPERM:
    case -ECONNREFUSED:
        return DOCA_ERROR_NOT_FOUND;
    case -EACCES:
        return DOCA_ERROR_NOT_PERMITTED;
    case -ENOMEM:
    case -EMFILE:
        return DOCA_ERROR_NO_MEMORY;
    default:
        return DOCA_ERROR_IO_FAILED;
    }
}

doca_error_t plugin_region_error(int err)
{
    switch (err) {
    case 0:
        return DOCA_SUCCESS;
    case -EPERM:
    case -ENOTCONN:
        return DOCA_ERROR_NOT_FOUND;
    case -EACCES:
        return DOCA_ERROR_NOT_PERMITTED;
    case -EINVAL:
    case -ERANGE:
        return DOCA_ERROR_INVALID_VALUE;
    default:
        return DOCA_ERROR_IO_FAILED;
    }
}

bool plugin_region_waits(const struct soft_peer_info *info)
{
    return strcmp(info->engine, "mapped") != 0 && strcmp(info->engine, "vm") != 0;
}

struct plugin_region *plugin_region_get(uint64_t dest, uint64_t handle)
{
    struct plugin_region *region = find(dest, handle);

    if (od_unlikely(region == NULL || region->dying))
        return NULL;
    region->refs++;
    return region;
}

void plugin_region_put(struct plugin_region *region)
{
    if (--region->refs == 0)
        give_back(region);
}

static void drop_waiter(struct plugin_region *region)
{
    free(region->note);
    region->note = NULL;
    region->waiter = NULL;
}

void plugin_regions_forget(uint64_t dest)
{
    for (uint32_t i = 0; i < table.count; i++) {
        struct plugin_region *region = table.regions[i];

        if (region->map == NULL || region->dest != dest)
            continue;
        region->dest = 0; /* nobody names it any more */
        drop_waiter(region);
        if (!region->dying)
            plugin_region_put(region);
    }
    OD_LIST_FOR_EACH(link, &attachings)
    {
        struct attaching *wish = OD_LIST_ENTRY(link, struct attaching, entry);

        if (wish->dest == dest)
            wish->dest = 0;
    }
}

void plugin_regions_abandon(const struct plugin_base *base)
{
    for (uint32_t i = 0; i < table.count; i++) {
        if (table.regions[i]->waiter == base)
            drop_waiter(table.regions[i]);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

/* The descriptor that the owner of a buffer gave to the domain. */
static doca_error_t look_up(struct urom_worker_ctx *ctx, const struct ops_attach *attach,
                            const void **desc, size_t *len)
{
    doca_error_t result;
    void *key;
    int seg;

    result = doca_urom_worker_domain_seg_lookup(ctx, attach->domain_id, attach->va, &seg);
    if (result == DOCA_SUCCESS)
        result = doca_urom_worker_domain_mkey_lookup(ctx, attach->domain_id, seg, len, &key);
    if (result == DOCA_SUCCESS)
        *desc = key;
    return result;
}

/* On a thread of the pool. */
static void import(struct plugin_errand *errand, struct soft_copy_chan *copy)
{
    struct attaching *wish = OD_CONTAINER_OF(errand, struct attaching, errand);

    (void)copy;
    wish->err = soft_peer_import(wish->desc, wish->len, SOFT_PEER_KIND_RDMA, OPS_CARD, &wish->map);
    if (wish->err == 0)
        return;
    wish->map = NULL;
    snprintf(wish->reason, sizeof(wish->reason), "%s", soft_reason());
}

/* Takes the map over. */
static doca_error_t add_region(struct attaching *wish, struct plugin_region **region)
{
    struct plugin_region *made = take_place();

    if (made == NULL)
        return DOCA_ERROR_NO_MEMORY;
    made->map = wish->map;
    wish->map = NULL;
    made->dest = wish->dest;
    made->refs = 1;
    made->dying = false;
    made->desc_len = wish->len; /* an imported one is not longer than a descriptor can be */
    memcpy(made->desc, wish->desc, wish->len);
    soft_peer_map_info(made->map, &made->info);
    made->mapped = strcmp(made->info.engine, "mapped") == 0;
    made->far = plugin_region_waits(&made->info);
    DOCA_LOG_DBG("channel %llu attached %zu bytes, %s", (unsigned long long)made->dest,
                 made->info.len, made->info.engine);
    *region = made;
    return DOCA_SUCCESS;
}

static doca_error_t settle(struct attaching *wish, struct ops_attached *answer)
{
    struct plugin_region *region;
    doca_error_t result;

    if (wish->err != 0) {
        DOCA_LOG_WARN("a region cannot be attached: %s", wish->reason);
        return attach_error(wish->err);
    }
    result = add_region(wish, &region);
    if (result != DOCA_SUCCESS)
        return result;
    answer->handle = region->handle;
    answer->addr = (uintptr_t)region->info.addr;
    answer->len = region->info.len;
    answer->access = region->info.access;
    strncpy(answer->engine, region->info.engine, sizeof(answer->engine) - 1);
    return DOCA_SUCCESS;
}

static void attached(struct plugin_errand *errand, bool ran)
{
    struct attaching *wish = OD_CONTAINER_OF(errand, struct attaching, errand);
    struct ops_attached answer = {.head = wish->head};

    od_list_remove(&wish->entry);
    if (ran && wish->dest != 0) {
        const doca_error_t result = settle(wish, &answer);

        if (plugin_answer(errand->base, wish->command, result, &answer, sizeof(answer)) !=
            DOCA_SUCCESS)
            DOCA_LOG_ERR("no memory to tell the end of an attach");
    }
    soft_peer_map_close(wish->map);
    free(wish->command);
    free(wish);
}

static doca_error_t attach(struct plugin_base *base, struct urom_worker_ctx *ctx,
                           struct urom_worker_cmd_desc *command, bool *keeps)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    struct attaching *made;
    struct ops_attach wish;
    const void *desc;
    doca_error_t result;
    size_t len;

    if (ops_attach_read(cmd->plugin_cmd, cmd->len, &wish, &desc) != 0)
        return plugin_answer(base, command, DOCA_ERROR_INVALID_VALUE, NULL, 0);
    len = wish.desc_len;
    result = len > 0 ? DOCA_SUCCESS : look_up(ctx, &wish, &desc, &len);
    if (result == DOCA_SUCCESS && len > SOFT_PEER_DESC_MAX)
        result = DOCA_ERROR_INVALID_VALUE;
    if (result != DOCA_SUCCESS)
        return plugin_answer(base, command, result, &wish.head, sizeof(wish.head));
    made = calloc(1, sizeof(*made));
    if (made == NULL)
        return DOCA_ERROR_NO_MEMORY;
    made->errand.run = import;
    made->errand.done = attached;
    made->command = command;
    made->dest = command->dest_id;
    made->head = wish.head;
    made->len = (uint32_t)len;
    memcpy(made->desc, desc, len);
    plugin_line_init(&made->line);
    if (plugin_errand_start(base, &made->line, &made->errand) != 0) {
        free(made);
        return DOCA_ERROR_NO_MEMORY;
    }
    od_list_append(&attachings, &made->entry);
    *keeps = true;
    return DOCA_SUCCESS;
}

/* Answered by the last user, which may be this call. */
static doca_error_t detach(struct plugin_base *base, const struct urom_worker_cmd_desc *command)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    struct plugin_region *region;
    struct ops_detach wish;

    if (ops_detach_read(cmd->plugin_cmd, cmd->len, &wish) != 0)
        return plugin_answer(base, command, DOCA_ERROR_INVALID_VALUE, NULL, 0);
    region = find(command->dest_id, wish.handle);
    if (region == NULL || region->dying)
        return plugin_answer(base, command, DOCA_ERROR_NOT_FOUND, &wish.head, sizeof(wish.head));
    region->note = plugin_note(command, sizeof(wish.head), 0);
    if (region->note == NULL)
        return DOCA_ERROR_NO_MEMORY;
    memcpy(region->note->worker_notif.plugin_notif, &wish.head, sizeof(wish.head));
    region->waiter = base;
    region->dying = true;
    plugin_region_put(region);
    return DOCA_SUCCESS;
}

doca_error_t plugin_region_command(struct plugin_base *base, struct urom_worker_ctx *ctx,
                                   struct urom_worker_cmd_desc *command, uint32_t op, bool *keeps)
{
    return op == OPS_ATTACH ? attach(base, ctx, command, keeps) : detach(base, command);
}
