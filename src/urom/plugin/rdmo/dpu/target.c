/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include <doca_log.h>

#include "urom/plugin/rdmo/dpu/rdmo_priv.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::RDMO::TARGET);

#define PATIENCE 100000 /* rounds of progress in which UCX gives back what was cancelled */

/* ------------------------------------------------------------------------------------------------
 * Endpoints
 */

static void on_ep_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    (void)arg;
    (void)ep;
    DOCA_LOG_WARN("an endpoint fails: %s", ucs_status_string(status));
}

/* The mode must be that of the other side's endpoint: an initiator makes one, which is as UCX makes
 * them by default, a target none. */
static doca_error_t open_ep(const struct rdmo_side *side, const void *addr,
                            ucp_err_handling_mode_t mode, ucp_ep_h *ep)
{
    const ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLER |
                      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
        .address = addr,
        .err_mode = mode,
        .err_handler = {.cb = on_ep_error},
    };
    ucs_status_t status = ucp_ep_create(side->worker, &params, ep);

    if (status == UCS_OK)
        return DOCA_SUCCESS;
    DOCA_LOG_WARN("no endpoint to an address: %s", ucs_status_string(status));
    return status == UCS_ERR_NO_MEMORY ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_DRIVER;
}

/* What is on its way arrives, unless by force: then what is at work comes back as cancelled. Force
 * needs an endpoint that notices the other side's death. */
static void close_ep(ucp_ep_h *ep, bool force)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = force ? UCP_EP_CLOSE_FLAG_FORCE : 0};
    ucs_status_ptr_t request;

    if (*ep == NULL)
        return;
    request = ucp_ep_close_nbx(*ep, &param);
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
    *ep = NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Regions
 */

doca_error_t rdmo_region_add(struct rdmo_client *client, uint64_t va, uint64_t len,
                             const void *rkey, uint64_t *id)
{
    struct rdmo_region *region = calloc(1, sizeof(*region));
    ucs_status_t status;

    if (region == NULL)
        return DOCA_ERROR_NO_MEMORY;
    status = ucp_ep_rkey_unpack(client->ep, rkey, &region->rkey);
    if (status != UCS_OK) {
        DOCA_LOG_ERR("a key is of no use: %s", ucs_status_string(status));
        free(region);
        return DOCA_ERROR_DRIVER;
    }
    region->id = ++client->rdmo->last_id;
    region->va = va;
    region->len = len;
    od_list_append(&client->regions, &region->entry);
    *id = region->id;
    return DOCA_SUCCESS;
}

static void free_region(struct rdmo_region *region)
{
    od_list_remove(&region->entry);
    ucp_rkey_destroy(region->rkey);
    free(region);
}

static struct rdmo_region *find_region(struct rdmo_client *client, uint64_t id)
{
    OD_LIST_FOR_EACH(link, &client->regions)
    {
        struct rdmo_region *region = OD_LIST_ENTRY(link, struct rdmo_region, entry);

        if (region->id == id && !region->dying)
            return region;
    }
    return NULL;
}

static void remove_region(struct rdmo_region *region)
{
    region->dying = true;
    if (region->users == 0)
        free_region(region);
}

doca_error_t rdmo_region_remove(struct rdmo_client *client, uint64_t id)
{
    struct rdmo_region *region = find_region(client, id);

    if (region == NULL)
        return DOCA_ERROR_NOT_FOUND;
    remove_region(region);
    return DOCA_SUCCESS;
}

struct rdmo_region *rdmo_region_get(struct rdmo_client *client, uint64_t id, uint64_t va,
                                    uint64_t len)
{
    struct rdmo_region *region = find_region(client, id);

    if (region == NULL || va < region->va || len > region->len ||
        va - region->va > region->len - len)
        return NULL;
    region->users++;
    return region;
}

void rdmo_region_put(struct rdmo_region *region)
{
    if (region == NULL)
        return;
    region->users--;
    if (region->users == 0 && region->dying)
        free_region(region);
}

/* ------------------------------------------------------------------------------------------------
 * Queues
 */

doca_error_t rdmo_queue_add(struct rdmo_client *client, const void *addr, uint64_t *id)
{
    struct rdmo_queue *queue = calloc(1, sizeof(*queue));
    doca_error_t result;

    if (queue == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = open_ep(&client->rdmo->front, addr, UCP_ERR_HANDLING_MODE_NONE, &queue->ep);
    if (result != DOCA_SUCCESS) {
        free(queue);
        return result;
    }
    queue->client = client;
    queue->id = ++client->rdmo->last_id;
    od_list_init(&queue->works);
    od_list_append(&client->queues, &queue->entry);
    *id = queue->id;
    return DOCA_SUCCESS;
}

static void free_queue(struct rdmo_queue *queue)
{
    od_list_remove(&queue->entry);
    close_ep(&queue->ep, false);
    free(queue);
}

static void remove_queue(struct rdmo_queue *queue)
{
    queue->dying = true;
    rdmo_queue_clear(queue);
    if (od_list_is_empty(&queue->works))
        free_queue(queue);
}

doca_error_t rdmo_queue_remove(struct rdmo_client *client, uint64_t id)
{
    OD_LIST_FOR_EACH(link, &client->queues)
    {
        struct rdmo_queue *queue = OD_LIST_ENTRY(link, struct rdmo_queue, entry);

        if (queue->id != id || queue->dying)
            continue;
        remove_queue(queue);
        return DOCA_SUCCESS;
    }
    return DOCA_ERROR_NOT_FOUND;
}

struct rdmo_queue *rdmo_queue_by_ep(struct rdmo *rdmo, ucp_ep_h ep)
{
    OD_LIST_FOR_EACH(link, &rdmo->clients)
    {
        struct rdmo_client *client = OD_LIST_ENTRY(link, struct rdmo_client, entry);

        OD_LIST_FOR_EACH(inner, &client->queues)
        {
            struct rdmo_queue *queue = OD_LIST_ENTRY(inner, struct rdmo_queue, entry);

            if (queue->ep == ep && !queue->dying)
                return queue;
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Clients
 */

struct rdmo_client *rdmo_client_by_dest(struct rdmo *rdmo, uint64_t dest)
{
    OD_LIST_FOR_EACH(link, &rdmo->clients)
    {
        struct rdmo_client *client = OD_LIST_ENTRY(link, struct rdmo_client, entry);

        if (client->dest == dest && !client->dying)
            return client;
    }
    return NULL;
}

static bool id_is_used(const struct rdmo *rdmo, uint64_t id)
{
    OD_LIST_FOR_EACH(link, &rdmo->clients)
    {
        const struct rdmo_client *client = OD_LIST_ENTRY(link, struct rdmo_client, entry);

        if (client->id == id && !client->dying)
            return true;
    }
    return false;
}

/* Not all ways to go can notice that the target dies. */
static doca_error_t open_target_ep(struct rdmo_client *client, const struct rdmo_side *side,
                                   const void *addr)
{
    client->by_force = open_ep(side, addr, UCP_ERR_HANDLING_MODE_PEER, &client->ep) == DOCA_SUCCESS;
    return client->by_force ? DOCA_SUCCESS
                            : open_ep(side, addr, UCP_ERR_HANDLING_MODE_NONE, &client->ep);
}

doca_error_t rdmo_client_add(struct rdmo *rdmo, uint64_t dest, uint64_t id, const void *addr)
{
    struct rdmo_client *client;
    doca_error_t result;

    if (rdmo_client_by_dest(rdmo, dest) != NULL)
        return DOCA_ERROR_ALREADY_EXIST;
    if (id_is_used(rdmo, id))
        return DOCA_ERROR_IN_USE;
    client = calloc(1, sizeof(*client));
    if (client == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = open_target_ep(client, &rdmo->back, addr);
    if (result != DOCA_SUCCESS) {
        free(client);
        return result;
    }
    client->rdmo = rdmo;
    client->dest = dest;
    client->id = id;
    od_list_init(&client->queues);
    od_list_init(&client->regions);
    od_list_append(&rdmo->clients, &client->entry);
    return DOCA_SUCCESS;
}

static void free_client(struct rdmo_client *client)
{
    od_list_remove(&client->entry);
    free(client);
}

static void close_eps(struct rdmo_client *client)
{
    OD_LIST_FOR_EACH(link, &client->queues)
    close_ep(&OD_LIST_ENTRY(link, struct rdmo_queue, entry)->ep, false);
    close_ep(&client->ep, client->by_force);
}

void rdmo_client_remove(struct rdmo_client *client)
{
    client->dying = true;
    close_eps(client);
    OD_LIST_FOR_EACH_SAFE(link, &client->queues)
    remove_queue(OD_LIST_ENTRY(link, struct rdmo_queue, entry));
    OD_LIST_FOR_EACH_SAFE(link, &client->regions)
    remove_region(OD_LIST_ENTRY(link, struct rdmo_region, entry));
    if (od_list_is_empty(&client->queues) && od_list_is_empty(&client->regions))
        free_client(client);
}

void rdmo_bury(struct rdmo *rdmo)
{
    OD_LIST_FOR_EACH_SAFE(link, &rdmo->clients)
    {
        struct rdmo_client *client = OD_LIST_ENTRY(link, struct rdmo_client, entry);

        OD_LIST_FOR_EACH_SAFE(inner, &client->queues)
        {
            struct rdmo_queue *queue = OD_LIST_ENTRY(inner, struct rdmo_queue, entry);

            if (queue->dying && od_list_is_empty(&queue->works))
                free_queue(queue);
        }
        if (client->dying && od_list_is_empty(&client->queues) &&
            od_list_is_empty(&client->regions))
            free_client(client);
    }
}

void rdmo_remove_all(struct rdmo *rdmo)
{
    OD_LIST_FOR_EACH_SAFE(link, &rdmo->clients)
    {
        struct rdmo_client *client = OD_LIST_ENTRY(link, struct rdmo_client, entry);

        if (!client->dying)
            rdmo_client_remove(client);
    }
    for (unsigned int i = 0; i < PATIENCE && !od_list_is_empty(&rdmo->clients); i++) {
        ucp_worker_progress(rdmo->back.worker);
        ucp_worker_progress(rdmo->front.worker);
        rdmo_advance(rdmo);
    }
    if (!od_list_is_empty(&rdmo->clients))
        DOCA_LOG_WARN("UCX does not give back what it works at");
}
