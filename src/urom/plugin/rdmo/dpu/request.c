/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of initiators. Those of one queue are executed one after the other, each until its bytes
 * are in the target's memory: so a flush has only to wait for its turn, and a fence is nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "urom/plugin/rdmo/dpu/rdmo_priv.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::RDMO::REQUEST);

#define DATA_MAX       (256u << 20) /* bytes of one request */
#define PIECES_AT_ONCE 64u

enum step {
    STEP_RECEIVE, /* the data come */
    STEP_BEGIN,
    STEP_POINTER, /* the pointer is read */
    STEP_WRITE,   /* the bytes are written */
    STEP_SETTLE,  /* until they are there */
    STEP_ANSWER,
    STEP_END,
};

struct rdmo_work {
    struct od_list entry;
    struct rdmo_queue *queue;
    struct rdmo_request request;
    enum step step;
    unsigned int pending; /* with UCX; it stays while there are any */
    ucs_status_t status;  /* the first that is not fine */
    struct rdmo_region *pointer_region;
    struct rdmo_region *data_region;
    uint64_t pointer; /* as read; then as written */
    size_t offset;    /* of the next piece */
    struct rdmo_flushed answer;
    size_t len;
    uint8_t data[];
};

/* ------------------------------------------------------------------------------------------------
 * Calls of UCX
 */

static void finish(struct rdmo_work *work, ucs_status_t status)
{
    work->pending--;
    if (status != UCS_OK && work->status == UCS_OK)
        work->status = status;
}

static void on_done(void *request, ucs_status_t status, void *arg)
{
    finish(arg, status);
    ucp_request_free(request);
}

static void on_data(void *request, ucs_status_t status, size_t len, void *arg)
{
    struct rdmo_work *work = arg;

    finish(work, status == UCS_OK && len != work->len ? UCS_ERR_MESSAGE_TRUNCATED : status);
    ucp_request_free(request);
}

static ucp_request_param_t param_of(struct rdmo_work *work)
{
    return (ucp_request_param_t){.op_attr_mask =
                                     UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb = {.send = on_done},
                                 .user_data = work};
}

/* What a call of UCX answered; to be counted before the call is made. */
static void begun(struct rdmo_work *work, ucs_status_ptr_t request)
{
    if (!UCS_PTR_IS_PTR(request))
        finish(work, UCS_PTR_STATUS(request));
}

static ucp_ep_h target_of(const struct rdmo_work *work)
{
    return work->queue->client->ep;
}

static void get(struct rdmo_work *work, void *to, size_t len, uint64_t va,
                const struct rdmo_region *region)
{
    const ucp_request_param_t param = param_of(work);

    work->pending++;
    begun(work, ucp_get_nbx(target_of(work), to, len, va, region->rkey, &param));
}

static void put(struct rdmo_work *work, const void *from, size_t len, uint64_t va,
                const struct rdmo_region *region)
{
    const ucp_request_param_t param = param_of(work);

    if (len == 0)
        return;
    work->pending++;
    begun(work, ucp_put_nbx(target_of(work), from, len, va, region->rkey, &param));
}

static void settle(struct rdmo_work *work)
{
    const ucp_request_param_t param = param_of(work);

    work->pending++;
    begun(work, ucp_ep_flush_nbx(target_of(work), &param));
    work->step = STEP_SETTLE;
}

/* ------------------------------------------------------------------------------------------------
 * Steps
 */

static void refuse(struct rdmo_work *work, const char *why)
{
    DOCA_LOG_WARN("a request for client %llu is dropped: %s",
                  (unsigned long long)work->queue->client->id, why);
    work->step = STEP_END;
}

static void begin_append(struct rdmo_work *work)
{
    struct rdmo_client *client = work->queue->client;

    work->pointer_region = rdmo_region_get(client, work->request.append.pointer_rkey,
                                           work->request.append.pointer, sizeof(work->pointer));
    if (work->pointer_region == NULL) {
        refuse(work, "its pointer is in no region");
        return;
    }
    client->appending = work;
    get(work, &work->pointer, sizeof(work->pointer), work->request.append.pointer,
        work->pointer_region);
    work->step = STEP_POINTER;
}

static void append(struct rdmo_work *work)
{
    const uint64_t va = work->pointer;

    work->data_region =
        rdmo_region_get(work->queue->client, work->request.append.data_rkey, va, work->len);
    if (work->data_region == NULL) {
        refuse(work, "it does not fit where the pointer points");
        return;
    }
    put(work, work->data, work->len, va, work->data_region);
    work->pointer = va + work->len;
    put(work, &work->pointer, sizeof(work->pointer), work->request.append.pointer,
        work->pointer_region);
    work->step = STEP_WRITE;
}

/* Holds the region of a piece, until the work needs another one. *fits: the piece lies in it.
 * False: pieces of another region have to be over first. */
static bool hold_region(struct rdmo_work *work, const struct rdmo_piece *piece, bool *fits)
{
    struct rdmo_region *region =
        rdmo_region_get(work->queue->client, piece->rkey_id, piece->addr, piece->len);

    if (region != NULL && region != work->data_region && work->pending > 0) {
        rdmo_region_put(region);
        return false;
    }
    *fits = region != NULL;
    if (region == NULL) {
        DOCA_LOG_WARN("a piece of %u bytes is in no region of client %llu", piece->len,
                      (unsigned long long)work->queue->client->id);
        return true;
    }
    rdmo_region_put(work->data_region);
    work->data_region = region;
    return true;
}

/* Many pieces at once, as long as they lie in one region. */
static void scatter(struct rdmo_work *work)
{
    struct rdmo_piece piece;
    const uint8_t *bytes;

    work->step = STEP_WRITE;
    while (work->pending < PIECES_AT_ONCE && work->status == UCS_OK) {
        const size_t offset = work->offset;
        bool fits;

        if (rdmo_piece_read(work->data, work->len, &work->offset, &piece, &bytes) != 0) {
            if (work->pending == 0)
                settle(work);
            return;
        }
        if (!hold_region(work, &piece, &fits)) {
            work->offset = offset;
            return;
        }
        if (fits)
            put(work, bytes, piece.len, piece.addr, work->data_region);
    }
}

static void answer_flush(struct rdmo_work *work)
{
    const ucp_request_param_t param = param_of(work);

    work->answer = (struct rdmo_flushed){.op = RDMO_FLUSH, .id = work->request.flush.id};
    work->pending++;
    work->step = STEP_ANSWER;
    begun(work, ucp_am_send_nbx(work->queue->ep, RDMO_AM_ID, &work->answer, sizeof(work->answer),
                                NULL, 0, &param));
}

static void begin(struct rdmo_work *work)
{
    switch (work->request.op) {
    case RDMO_FLUSH:
        answer_flush(work);
        break;
    case RDMO_APPEND:
        if (work->queue->client->appending == NULL)
            begin_append(work);
        break;
    default:
        if (rdmo_pieces_check(work->data, work->len, work->request.scatter.count) != 0)
            refuse(work, "its pieces are not what it says");
        else
            scatter(work);
    }
}

/* One step, when nothing is pending. */
static void next_step(struct rdmo_work *work)
{
    if (work->queue->client->dying || (work->queue->dying && work->step <= STEP_BEGIN)) {
        work->step = STEP_END;
        return;
    }
    if (work->status != UCS_OK) {
        refuse(work, ucs_status_string(work->status));
        return;
    }
    switch (work->step) {
    case STEP_RECEIVE:
    case STEP_BEGIN:
        begin(work);
        break;
    case STEP_POINTER:
        append(work);
        break;
    case STEP_WRITE:
        if (work->request.op == RDMO_SCATTER)
            scatter(work);
        else
            settle(work);
        break;
    default:
        work->step = STEP_END;
    }
}

static void free_work(struct rdmo_work *work)
{
    struct rdmo_client *client = work->queue->client;

    if (client->appending == work)
        client->appending = NULL;
    rdmo_region_put(work->pointer_region);
    rdmo_region_put(work->data_region);
    od_list_remove(&work->entry);
    free(work);
}

static void advance_queue(struct rdmo_queue *queue)
{
    while (!od_list_is_empty(&queue->works)) {
        struct rdmo_work *work = OD_LIST_ENTRY(queue->works.next, struct rdmo_work, entry);
        enum step before = work->step;

        if (work->pending > 0)
            return;
        if (work->step != STEP_END)
            next_step(work);
        if (work->step == STEP_END)
            free_work(work);
        else if (work->step == before && work->pending == 0)
            return; /* another one's append comes first */
    }
}

void rdmo_advance(struct rdmo *rdmo)
{
    OD_LIST_FOR_EACH(link, &rdmo->clients)
    {
        struct rdmo_client *client = OD_LIST_ENTRY(link, struct rdmo_client, entry);

        OD_LIST_FOR_EACH(inner, &client->queues)
        advance_queue(OD_LIST_ENTRY(inner, struct rdmo_queue, entry));
    }
    rdmo_bury(rdmo);
}

void rdmo_queue_clear(struct rdmo_queue *queue)
{
    OD_LIST_FOR_EACH_SAFE(link, &queue->works)
    {
        struct rdmo_work *work = OD_LIST_ENTRY(link, struct rdmo_work, entry);

        if (work->pending == 0)
            free_work(work);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Arrival
 */

/* Takes the data, which may still be on their way. */
static ucs_status_t fetch(struct rdmo *rdmo, struct rdmo_work *work, void *data,
                          const ucp_am_recv_param_t *param)
{
    ucp_request_param_t receive = param_of(work);

    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
        if (work->len > 0)
            memcpy(work->data, data, work->len);
        work->step = STEP_BEGIN;
        return UCS_OK;
    }
    receive.cb.recv_am = on_data;
    receive.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    work->pending++;
    begun(work, ucp_am_recv_data_nbx(rdmo->front.worker, data, work->data, work->len, &receive));
    return UCS_INPROGRESS;
}

static struct rdmo_queue *sender_of(struct rdmo *rdmo, const ucp_am_recv_param_t *param)
{
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) == 0)
        return NULL;
    return rdmo_queue_by_ep(rdmo, param->reply_ep);
}

static ucs_status_t drop(const char *why)
{
    DOCA_LOG_WARN("a message is dropped: %s", why);
    return UCS_OK;
}

ucs_status_t rdmo_on_message(void *arg, const void *header, size_t header_len, void *data,
                             size_t len, const ucp_am_recv_param_t *param)
{
    struct rdmo *rdmo = arg;
    struct rdmo_queue *queue = sender_of(rdmo, param);
    struct rdmo_request request;
    struct rdmo_work *work;

    if (queue == NULL)
        return drop("nobody has created a queue for its sender");
    if (rdmo_request_read(header, header_len, len, &request) != 0)
        return drop("it is no request");
    if (request.client_id != queue->client->id)
        return drop("its client is not the queue's");
    if (len > DATA_MAX)
        return drop("it is too long");
    work = calloc(1, sizeof(*work) + len);
    if (work == NULL)
        return drop("no memory");
    work->queue = queue;
    work->request = request;
    work->len = len;
    od_list_append(&queue->works, &work->entry);
    return fetch(rdmo, work, data, param);
}
