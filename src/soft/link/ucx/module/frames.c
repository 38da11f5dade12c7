/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft/link/ucx/module/ucx_priv.h"

#define FRAME_ID 0

/* ---- Heads ---- */

static struct soft_ucx_head make_head(struct soft_ucx_link *self, enum soft_ucx_type type,
                                      uint64_t seq)
{
    struct soft_ucx_head head = soft_ucx_head_make(type);

    head.slot = type == SOFT_UCX_HELLO ? self->slot : self->peer_slot;
    head.cookie = type == SOFT_UCX_HELLO ? self->cookie : self->peer_cookie;
    head.taken = atomic_load_explicit(&self->inbox.taken, memory_order_acquire);
    head.arrived = atomic_load_explicit(&self->inbox.ready, memory_order_relaxed);
    head.seq = seq;
    self->told_taken = head.taken;
    self->told_arrived = head.arrived;
    return head;
}

/* 0: UCX is done with it already; 1: `done` will be called; negative errno. */
static int start_send(struct soft_ucx_link *self, const struct soft_ucx_head *head,
                      const void *bytes, size_t len, ucp_send_nbx_callback_t done, void *arg)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                 UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_AM_SEND_FLAG_EAGER,
                                 .cb = {.send = done},
                                 .user_data = arg};
    ucs_status_ptr_t request;

    if (self->ep == NULL || self->ep_broken || self->ep_closing)
        return -EPIPE;
    if (head->type == SOFT_UCX_HELLO)
        param.flags |= UCP_AM_SEND_FLAG_REPLY;
    request = ucp_am_send_nbx(self->ep, FRAME_ID, head, sizeof(*head), bytes, len, &param);
    if (request == NULL)
        return 0;
    if (UCS_PTR_IS_ERR(request)) {
        soft_ucx_ep_broke(self);
        soft_ucx_call_thread();
        return -EPIPE;
    }
    self->nsent++;
    soft_ucx_call_thread();
    return 1;
}

static void request_done(struct soft_ucx_link *self, void *request, ucs_status_t status)
{
    ucp_request_free(request);
    self->nsent--;
    self->connecting = false;
    if (status != UCS_OK)
        soft_ucx_ep_broke(self);
    else if (self->released || self->ep_unwanted)
        soft_ucx_put_to_work(self);
}

/* ---- Short frames ---- */

struct short_frame {
    struct soft_ucx_link *link;
    struct soft_ucx_head head;
    char body[];
};

static void short_done(void *request, ucs_status_t status, void *arg)
{
    struct short_frame *frame = arg;

    frame->link->met = frame->link->met || status == UCS_OK;
    request_done(frame->link, request, status);
    free(frame);
}

int soft_ucx_send_frame(struct soft_ucx_link *self, enum soft_ucx_type type, uint64_t seq,
                        const void *body, size_t len)
{
    struct short_frame *frame = malloc(sizeof(*frame) + len);
    int rc;

    if (frame == NULL)
        return -ENOMEM;
    frame->link = self;
    frame->head = make_head(self, type, seq);
    if (len > 0)
        memcpy(frame->body, body, len);
    rc = start_send(self, &frame->head, frame->body, len, short_done, frame);
    self->met = self->met || rc == 0;
    self->connecting = self->connecting && rc != 0;
    if (rc != 1)
        free(frame);
    return OD_MIN(rc, 0);
}

int soft_ucx_send_greeting(struct soft_ucx_link *self, enum soft_ucx_type type, const void *text,
                           size_t len)
{
    struct {
        struct soft_ucx_greeting greeting;
        char text[SOFT_LINK_HELLO_MAX];
    } body = {.greeting = {.cookie = self->cookie, .slot = self->slot, .len = (uint32_t)len}};

    body.greeting.max_msg = type == SOFT_UCX_HELLO ? self->base.conf.max_msg : self->base.max_msg;
    body.greeting.depth = type == SOFT_UCX_HELLO ? self->base.conf.depth : self->base.depth;
    if (len > 0)
        memcpy(body.text, text, len);
    return soft_ucx_send_frame(self, type, 0, &body, sizeof(body.greeting) + len);
}

int soft_ucx_send_refusal(struct soft_ucx_link *self, enum soft_ucx_refusal_code code,
                          const void *text, size_t len)
{
    struct {
        struct soft_ucx_refusal refusal;
        char text[SOFT_LINK_HELLO_MAX];
    } body = {.refusal = {.code = code, .len = (uint32_t)len}};

    if (len > 0)
        memcpy(body.text, text, len);
    return soft_ucx_send_frame(self, SOFT_UCX_REFUSAL, 0, &body, sizeof(body.refusal) + len);
}

void soft_ucx_ack(struct soft_ucx_link *self)
{
    if (soft_ucx_phase(self) == UCX_UP && !self->released &&
        (self->told_taken != atomic_load_explicit(&self->inbox.taken, memory_order_relaxed) ||
         self->told_arrived != atomic_load_explicit(&self->inbox.ready, memory_order_relaxed)))
        soft_ucx_send_frame(self, SOFT_UCX_ACK, 0, NULL, 0);
}

/* ---- Messages ---- */

static void piece_done(void *request, ucs_status_t status, void *arg)
{
    struct soft_ucx_parcel *parcel = arg;

    parcel->pending--;
    request_done(parcel->link, request, status);
}

static int pack(struct soft_ucx_parcel *parcel, const struct iovec *iov, unsigned int niov,
                size_t len, uint32_t npieces)
{
    char *to;

    if (parcel->cap < len) {
        to = realloc(parcel->bytes, len);
        if (to == NULL)
            return -ENOMEM;
        parcel->bytes = to;
        parcel->cap = len;
    }
    if (parcel->nheads < npieces) {
        struct soft_ucx_head *heads = reallocarray(parcel->heads, npieces, sizeof(*heads));

        if (heads == NULL)
            return -ENOMEM;
        parcel->heads = heads;
        parcel->nheads = npieces;
    }
    to = parcel->bytes;
    for (unsigned int i = 0; i < niov; i++) {
        if (iov[i].iov_len > 0)
            memcpy(to, iov[i].iov_base, iov[i].iov_len);
        to += iov[i].iov_len;
    }
    return 0;
}

int soft_ucx_send_message(struct soft_ucx_link *self, const struct iovec *iov, unsigned int niov,
                          size_t len)
{
    uint64_t seq = self->sent + 1;
    struct soft_ucx_parcel *parcel = &self->parcels[seq & self->parcel_mask];
    uint32_t npieces = len == 0 ? 1 : (uint32_t)((len + SOFT_UCX_PIECE - 1) / SOFT_UCX_PIECE);
    int rc;

    if (parcel->pending > 0)
        return -EAGAIN;
    parcel->link = self;
    rc = pack(parcel, iov, niov, len, npieces);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < npieces; i++) {
        size_t offset = (size_t)i * SOFT_UCX_PIECE;
        struct soft_ucx_head *head = &parcel->heads[i];

        *head = make_head(self, SOFT_UCX_MESSAGE, seq);
        head->offset = (uint32_t)offset;
        head->total = (uint32_t)len;
        rc = start_send(self, head, parcel->bytes + offset, OD_MIN(len - offset, SOFT_UCX_PIECE),
                        piece_done, parcel);
        if (rc < 0)
            return rc;
        parcel->pending += (uint32_t)rc;
    }
    self->sent = seq;
    return 0;
}

/* ---- Receiving ---- */

static bool take_counts(struct soft_ucx_link *self, const struct soft_ucx_head *head)
{
    uint64_t taken = atomic_load_explicit(&self->taken, memory_order_relaxed);
    uint64_t arrived = atomic_load_explicit(&self->arrived, memory_order_relaxed);

    if (head->taken > head->arrived || head->arrived > self->sent)
        return false;
    /* Frames overtake each other, so counts may be old. */
    if (head->taken > taken)
        atomic_store_explicit(&self->taken, head->taken, memory_order_release);
    if (head->arrived > arrived)
        atomic_store_explicit(&self->arrived, head->arrived, memory_order_release);
    if (self->released)
        soft_ucx_put_to_work(self);
    if ((head->taken > taken || head->arrived > arrived) && !self->released &&
        self->base.conf.waker != NULL) {
        /* Against the owner, who says what is awaited and then looks at the counts: one sees the
         * other. */
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load_explicit(&self->awaited, memory_order_relaxed) != 0)
            od_waker_wake(self->base.conf.waker);
    }
    return true;
}

static int take_message(struct soft_ucx_link *self, const struct soft_ucx_head *head,
                        const void *data, size_t len)
{
    uint64_t before = atomic_load_explicit(&self->inbox.ready, memory_order_relaxed);
    int rc = head->type == SOFT_UCX_END ? soft_inbox_put_end(&self->inbox, head->seq)
                                        : soft_inbox_put(&self->inbox, head->seq, head->offset,
                                                         head->total, data, (uint32_t)len);

    if (rc == 0 && self->base.conf.waker != NULL && !self->released &&
        atomic_load_explicit(&self->inbox.ready, memory_order_relaxed) != before)
        od_waker_wake(self->base.conf.waker);
    return rc;
}

static void take_up_frame(struct soft_ucx_link *self, const struct soft_ucx_head *head,
                          const void *data, size_t len)
{
    bool good = take_counts(self, head);

    self->heard = true;
    if (head->type == SOFT_UCX_PING)
        soft_ucx_send_frame(self, SOFT_UCX_ACK, 0, NULL, 0);
    else if (head->type == SOFT_UCX_MESSAGE || head->type == SOFT_UCX_END)
        good = good && take_message(self, head, data, len) == 0;
    else
        good = good && head->type == SOFT_UCX_ACK;
    if (!good)
        soft_ucx_ep_broke(self);
}

ucs_status_t soft_ucx_on_frame(void *arg, const void *header, size_t header_len, void *data,
                               size_t len, const ucp_am_recv_param_t *param)
{
    struct soft_ucx_link *self;
    struct soft_ucx_head head;
    int rc;

    (void)arg;
    /* We announce nothing; who does is not one of us. */
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
        return UCS_OK;
    rc = soft_ucx_head_parse(header, header_len, len, &head);
    if (rc == -EBADMSG)
        return UCS_OK;
    if (head.type == SOFT_UCX_HELLO) {
        if ((param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0)
            soft_ucx_on_hello(param->reply_ep, &head, data, len, rc);
        return UCS_OK;
    }
    self = soft_ucx_find(head.slot, head.cookie);
    if (rc != 0 || self == NULL || head.cookie == 0)
        return UCS_OK;
    if (head.type == SOFT_UCX_ANSWER)
        soft_ucx_on_answer(self, data, len);
    else if (head.type == SOFT_UCX_REFUSAL)
        soft_ucx_on_refusal(self, data, len);
    else if (soft_ucx_phase(self) == UCX_UP)
        take_up_frame(self, &head, data, len);
    return UCS_OK;
}
