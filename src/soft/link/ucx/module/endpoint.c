/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft/link/ucx/module/ucx_priv.h"

#define BEAT_TIME   900  /* ms */
#define BEATS_MAX   4    /* without a sign of life: dead within 5 s */
#define LINGER_TIME 2000 /* ms for what is still to be sent of a closed link */

struct soft_ucx_link *soft_ucx_link_create(const struct soft_link_conf *conf)
{
    struct soft_ucx_link *self = calloc(1, sizeof(*self));

    if (self == NULL)
        return NULL;
    self->base.ops = &soft_ucx_ops;
    self->base.conf = *conf;
    self->base.peer = (struct soft_link_peer){.uid = (uid_t)-1, .gid = (gid_t)-1};
    od_list_init(&self->work);
    od_list_init(&self->guest.link);
    if (soft_ucx_draw_cookie(&self->cookie) != 0 || soft_ucx_enter(self) != 0) {
        free(self);
        return NULL;
    }
    return self;
}

static void wake_owner(struct soft_ucx_link *self)
{
    if (self->base.conf.waker != NULL && !self->released)
        od_waker_wake(self->base.conf.waker);
}

void soft_ucx_news(struct soft_ucx_link *self, enum soft_ucx_phase phase, int reason)
{
    self->reason = reason;
    atomic_store_explicit(&self->phase, phase, memory_order_release);
    if (phase == UCX_GONE || phase == UCX_FAILED) {
        soft_ucx_cancel_timer(self);
        self->ep_unwanted = true;
        soft_ucx_put_to_work(self);
        soft_ucx_call_thread();
    }
    wake_owner(self);
}

/* ---- Life signs ---- */

static void beat(struct soft_ucx_link *self)
{
    if (self->heard)
        self->silent_beats = 0;
    else if (++self->silent_beats >= BEATS_MAX) {
        soft_ucx_news(self, UCX_GONE, -ECONNRESET);
        return;
    }
    if (!self->heard)
        soft_ucx_send_frame(self, SOFT_UCX_PING, 0, NULL, 0);
    self->heard = false;
    soft_ucx_set_timer(self, BEAT_TIME, beat);
}

int soft_ucx_come_up(struct soft_ucx_link *self, const struct soft_ucx_greeting *peer,
                     uint32_t max_msg, uint32_t depth)
{
    uint32_t nparcels = 2;

    /* One that wants more than fits gets less. */
    while (depth > 1 && (uint64_t)depth * max_msg > SOFT_LINK_BYTES_MAX)
        depth = (depth + 1) / 2;
    while (nparcels < depth + 1)
        nparcels *= 2;
    self->parcels = calloc(nparcels, sizeof(*self->parcels));
    if (self->parcels == NULL || soft_inbox_open(&self->inbox, depth, max_msg) != 0)
        return soft_fail(-ENOMEM, "out of memory for a link of %u messages", depth);
    self->parcel_mask = nparcels - 1;
    self->peer_slot = peer->slot;
    self->peer_cookie = peer->cookie;
    self->base.max_msg = max_msg;
    self->base.depth = depth;
    self->heard = true;
    soft_ucx_set_timer(self, BEAT_TIME, beat);
    return 0;
}

/* ---- Endpoints ---- */

/* Within a call of UCX, where the endpoint must not be closed. */
static void on_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    struct soft_ucx_link *self = arg;

    (void)status;
    if (self->ep == ep)
        soft_ucx_ep_broke(self);
}

void soft_ucx_ep_broke(struct soft_ucx_link *self)
{
    self->ep_broken = true;
    self->connecting = false;
    soft_ucx_put_to_work(self);
}

int soft_ucx_open_ep(struct soft_ucx_link *self, ucp_conn_request_h request)
{
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                            UCP_EP_PARAM_FIELD_ERR_HANDLER,
                              .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                              .err_handler = {.cb = on_error, .arg = self}};
    ucs_status_t status;

    if (request != NULL) {
        params.field_mask |= UCP_EP_PARAM_FIELD_CONN_REQUEST;
        params.conn_request = request;
    } else {
        params.field_mask |= UCP_EP_PARAM_FIELD_SOCK_ADDR | UCP_EP_PARAM_FIELD_FLAGS;
        params.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
        params.sockaddr.addr = (const struct sockaddr *)&self->addr.sa;
        params.sockaddr.addrlen = self->addr.len;
    }
    self->ep_broken = self->ep_closing = self->ep_unwanted = false;
    status = ucp_ep_create(soft_ucx_worker(), &params, &self->ep);
    self->connecting = status == UCS_OK && request == NULL;
    if (status == UCS_OK)
        return 0;
    self->ep = NULL;
    return soft_fail(-ECONNREFUSED, "UCX cannot connect: %s", soft_ucx_complaint(status));
}

static void closed(void *request, ucs_status_t status, void *arg)
{
    struct soft_ucx_link *self = arg;

    (void)status;
    ucp_request_free(request);
    self->ep = NULL;
    self->ep_closing = false;
    soft_ucx_put_to_work(self);
}

/* One that still connects is closed once it is connected or has failed: else an event of its socket
 * that UCX's own thread has seen meanwhile goes to the next endpoint whose socket gets the same
 * number, which ends the process in an assertion. */
void soft_ucx_close_ep(struct soft_ucx_link *self)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                 UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_EP_CLOSE_FLAG_FORCE,
                                 .cb = {.send = closed},
                                 .user_data = self};
    ucs_status_ptr_t request;

    if (self->ep == NULL || self->ep_closing || self->connecting)
        return;
    self->ep_closing = true;
    request = ucp_ep_close_nbx(self->ep, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        self->ep = NULL;
        self->ep_closing = false;
        soft_ucx_put_to_work(self);
    }
    soft_ucx_call_thread();
}

/* ---- Death ---- */

static void destroy(struct soft_ucx_link *self)
{
    soft_ucx_leave(self);
    od_list_remove(&self->work);
    for (uint32_t i = 0; self->parcels != NULL && i <= self->parcel_mask; i++) {
        free(self->parcels[i].bytes);
        free(self->parcels[i].heads);
    }
    free(self->parcels);
    soft_inbox_close(&self->inbox);
    free(self->base.hello.bytes);
    free(self->base.answer.bytes);
    free(self);
}

static void lingered(struct soft_ucx_link *self)
{
    self->lingers = false;
    soft_ucx_put_to_work(self);
}

/* A closed socket throws away what the peer has not read yet, if we have not read everything of the
 * peer. So the peer must say that it has it; or it hangs up. */
static bool is_delivered(const struct soft_ucx_link *self)
{
    return soft_ucx_phase((struct soft_ucx_link *)self) == UCX_UP &&
           atomic_load_explicit(&self->arrived, memory_order_relaxed) >= self->sent;
}

void soft_ucx_release(struct soft_ucx_link *self, bool orderly)
{
    self->released = true;
    soft_ucx_cancel_timer(self);
    self->lingers = orderly && self->ep != NULL && !self->ep_broken;
    if (self->lingers)
        soft_ucx_set_timer(self, LINGER_TIME, lingered);
    soft_ucx_put_to_work(self);
    soft_ucx_call_thread();
}

static void take_loss(struct soft_ucx_link *self)
{
    switch (soft_ucx_phase(self)) {
    case UCX_ASKED:
        soft_ucx_seek_later(self, -ECONNREFUSED);
        break;
    case UCX_SILENT:
    case UCX_WAITING:
        soft_ucx_drop(self, -ECONNRESET);
        break;
    case UCX_UP:
        soft_ucx_news(self, UCX_GONE, -ECONNRESET);
        break;
    default:
        break;
    }
}

void soft_ucx_settle(struct soft_ucx_link *self)
{
    if (self->ep_unwanted ||
        (self->released && (self->ep_broken || !self->lingers || is_delivered(self))))
        soft_ucx_close_ep(self);
    if (self->ep_broken && !self->released) {
        self->ep_broken = false;
        soft_ucx_close_ep(self);
        take_loss(self);
    }
    if (self->released && self->ep == NULL && self->nsent == 0)
        destroy(self);
}

void soft_ucx_cut(struct soft_ucx_link *self)
{
    if (soft_ucx_phase(self) < UCX_GONE)
        soft_ucx_news(self, soft_ucx_phase(self) == UCX_UP ? UCX_GONE : UCX_FAILED, -ECONNRESET);
    self->lingers = false;
    self->connecting = false; /* no endpoint comes after it */
    self->ep_unwanted = true;
    soft_ucx_put_to_work(self);
}
