/* SPDX-License-Identifier: BSD-3-Clause */
/* The initiator: knows nothing but UCX. Appends to the target's queue, scatters into its memory,
 * and asks the worker in between whether all is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_log.h>

#include <ucp/api/ucp.h>

#include "../common/kit.h"
#include "rdmo.h"

DOCA_LOG_REGISTER(INITIATOR);

/* usage: urom_rdmo_initiator [PORT [MORE_FEATURES_OF_UCX [linger]]]; with the last it stays after
 * its first part, to be killed. */

#define PATIENCE 30.0 /* seconds */

struct initiator {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h ep;
    struct invitation invitation;
    uint64_t flushed; /* the id that came last */
    bool lingers;
};

static void progress(void *arg)
{
    ucp_worker_progress((ucp_worker_h)arg);
}

static ucs_status_t on_answer(void *arg, const void *header, size_t header_len, void *data,
                              size_t len, const ucp_am_recv_param_t *param)
{
    struct initiator *self = arg;
    uint32_t op = 1;

    (void)data;
    (void)param;
    if (header_len != sizeof(op) + sizeof(self->flushed) || len != 0)
        return UCS_OK;
    memcpy(&op, header, sizeof(op));
    if (op == OP_FLUSH)
        memcpy(&self->flushed, (const char *)header + sizeof(op), sizeof(self->flushed));
    return UCS_OK;
}

static ucs_status_t open_ucx(struct initiator *self, uint64_t more_features)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | more_features};
    const ucp_worker_params_t worker_params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                               .thread_mode = UCS_THREAD_MODE_SINGLE};
    const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                          UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                          UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                            .id = 0,
                                            .cb = on_answer,
                                            .arg = self};
    ucs_status_t status = ucp_init(&params, NULL, &self->context);

    if (status == UCS_OK)
        status = ucp_worker_create(self->context, &worker_params, &self->worker);
    if (status == UCS_OK)
        status = ucp_worker_set_am_recv_handler(self->worker, &handler);
    return status;
}

static bool await(struct initiator *self, ucs_status_ptr_t request)
{
    const double end = kit_seconds() + PATIENCE;
    ucs_status_t status = UCS_PTR_STATUS(request);

    while (UCS_PTR_IS_PTR(request) &&
           (status = ucp_request_check_status(request)) == UCS_INPROGRESS && kit_seconds() < end)
        ucp_worker_progress(self->worker);
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
    if (status != UCS_OK)
        DOCA_LOG_ERR("A message is not sent: %s", ucs_status_string(status));
    return status == UCS_OK;
}

static bool send_op(struct initiator *self, const struct op_header *header, size_t header_len,
                    const void *data, size_t len)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_AM_SEND_FLAG_REPLY};

    return await(self, ucp_am_send_nbx(self->ep, 0, header, header_len, data, len, &param));
}

static struct op_header header_of(const struct initiator *self, uint32_t op, uint32_t flags)
{
    return (struct op_header){.client_id = self->invitation.client_id, .op = op, .flags = flags};
}

static bool flush(struct initiator *self, uint64_t id)
{
    const double end = kit_seconds() + PATIENCE;
    struct op_header header = header_of(self, OP_FLUSH, 0);

    header.flush_id = id;
    if (!send_op(self, &header, offsetof(struct op_header, flush_id) + sizeof(id), NULL, 0))
        return false;
    while (self->flushed != id && kit_seconds() < end)
        ucp_worker_progress(self->worker);
    if (self->flushed == id)
        return true;
    DOCA_LOG_ERR("The flush %lu is not answered", (unsigned long)id);
    return false;
}

static bool append(struct initiator *self, const void *data, size_t len)
{
    struct op_header header = header_of(self, OP_APPEND, 0);

    header.append.pointer = self->invitation.memory + offsetof(struct target_memory, pointer);
    header.append.pointer_rkey = self->invitation.rkey_id;
    header.append.data_rkey = self->invitation.rkey_id;
    return send_op(self, &header, sizeof(header), data, len);
}

static bool scatter(struct initiator *self)
{
    struct op_header header = header_of(self, OP_SCATTER, FLAG_FENCE);
    struct op_piece pieces[PIECES];

    header.count = PIECES;
    memset(pieces, 0, sizeof(pieces));
    for (size_t i = 0; i < PIECES; i++) {
        pieces[i].addr = self->invitation.memory + offsetof(struct target_memory, pieces) +
                         (PIECES - 1 - i) * PIECE_LEN;
        pieces[i].rkey_id = self->invitation.rkey_id;
        pieces[i].len = PIECE_LEN;
        memset(pieces[i].bytes, (int)(PIECES - 1 - i), PIECE_LEN);
    }
    return send_op(self, &header, offsetof(struct op_header, count) + sizeof(header.count), pieces,
                   sizeof(pieces));
}

/* Requests that the worker drops; what comes after them is done. */
static bool nonsense(struct initiator *self)
{
    struct op_header header = header_of(self, OP_APPEND, 0);
    char more[64] = "";

    header.append.pointer = self->invitation.memory + sizeof(struct target_memory) - 4;
    header.append.pointer_rkey = self->invitation.rkey_id;
    header.append.data_rkey = self->invitation.rkey_id + 1000;
    if (!send_op(self, &header, sizeof(header), more, sizeof(more)))
        return false;
    header.client_id++;
    if (!send_op(self, &header, sizeof(header), more, sizeof(more)))
        return false;
    header = header_of(self, 77, 0);
    if (!send_op(self, &header, sizeof(header), more, sizeof(more)))
        return false;
    header = header_of(self, OP_SCATTER, 0);
    header.count = 2;
    return send_op(self, &header, offsetof(struct op_header, count) + sizeof(header.count), more,
                   sizeof(more));
}

static bool next_part(struct initiator *self, int fd, char what)
{
    char answer = 0;

    return talk_send(fd, &what, 1) && talk_recv(fd, &answer, 1, progress, self->worker) &&
           answer == what;
}

static bool act(struct initiator *self, int fd)
{
    char eight[APPEND_LEN], *big = malloc(BIG_LEN);
    bool fine = big != NULL;

    memset(eight, APPEND_BYTE, sizeof(eight));
    if (fine)
        memset(big, APPEND_BYTE, BIG_LEN);
    fine =
        fine && append(self, eight, sizeof(eight)) && flush(self, 11) && next_part(self, fd, 'a');
    if (fine && self->lingers) {
        DOCA_LOG_INFO("Lingering");
        pause();
    }
    fine = fine && scatter(self) && flush(self, 12) && next_part(self, fd, 's');
    fine = fine && append(self, big, BIG_LEN) && flush(self, 13) && next_part(self, fd, 'b');
    fine = fine && nonsense(self) && append(self, eight, sizeof(eight)) && flush(self, 14) &&
           next_part(self, fd, 'n');
    free(big);
    return fine;
}

static bool meet_worker(struct initiator *self, int fd)
{
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                    .address = (ucp_address_t *)self->invitation.device_addr};
    struct introduction introduction = {0};
    ucp_address_t *addr;
    size_t len;

    if (ucp_worker_get_address(self->worker, &addr, &len) != UCS_OK)
        return false;
    if (len <= sizeof(introduction.addr)) {
        introduction.addr_len = len;
        memcpy(introduction.addr, addr, len);
    }
    ucp_worker_release_address(self->worker, addr);
    if (introduction.addr_len == 0 || !talk_send(fd, &introduction, sizeof(introduction)) ||
        !talk_recv(fd, &self->invitation, sizeof(self->invitation), progress, self->worker))
        return false;
    return ucp_ep_create(self->worker, &params, &self->ep) == UCS_OK;
}

static void close_ucx(struct initiator *self)
{
    const ucp_request_param_t param = {.op_attr_mask = 0};

    if (self->ep != NULL)
        (void)await(self, ucp_ep_close_nbx(self->ep, &param));
    if (self->worker != NULL)
        ucp_worker_destroy(self->worker);
    if (self->context != NULL)
        ucp_cleanup(self->context);
}

int main(int argc, char **argv)
{
    const uint64_t features = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
    struct initiator self = {.lingers = argc > 3};
    bool fine = kit_log() == DOCA_SUCCESS && open_ucx(&self, features) == UCS_OK;
    int fd = fine ? talk_connect(argc > 1 ? atoi(argv[1]) : RDMO_PORT) : -1;

    fine = fd >= 0 && meet_worker(&self, fd) && act(&self, fd);
    close_ucx(&self);
    if (fd >= 0)
        close(fd);
    return kit_exit("urom_rdmo_initiator", fine ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
}
