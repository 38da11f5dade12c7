/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_COMMON_CHANNEL_H_
#define SAMPLES_COMMON_CHANNEL_H_

/* One Comch connection, the server on the DPU and the client on the host: built for the DPU this is
 * the server, built for the host the client. All events come out of sample_channel_step(). */

#include <doca_comch.h>

#include "sample.h"

struct sample_channel {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct doca_dev_rep *rep;                 /* DPU: which host function is listened for */
    struct doca_comch_server *server;         /* DPU */
    struct doca_comch_client *client;         /* host */
    struct doca_comch_connection *connection; /* NULL: not yet, or over */
    unsigned int unsent;                      /* messages whose send has not completed */
    unsigned int failed;                      /* those that could not be sent */
    uint64_t received;
    uint32_t consumer; /* of the other side, or 0 */
    /* Called for each message; may be NULL. The bytes go away when it returns. */
    void (*on_message)(struct sample_channel *channel, const uint8_t *bytes, uint32_t len);
    void *user; /* the sample's own */
};

/* Opens the device of this side and waits until the other side is there, a minute at most.
 * `channel` has its last two fields set. On failure nothing is left behind. */
doca_error_t sample_channel_open(struct sample_channel *channel, const char *service);

/* Ends the connection once all is sent, and destroys. */
void sample_channel_close(struct sample_channel *channel);

/* Sends a copy of the bytes, at most 4080 of them. */
doca_error_t sample_channel_send(struct sample_channel *channel, const void *bytes, uint32_t len);

/* One call of the engine. NOT_CONNECTED when the other side is gone. */
doca_error_t sample_channel_step(struct sample_channel *channel);

/* Stops a context of any kind and progresses both engines until it is idle. */
void sample_stop_ctx(struct doca_ctx *ctx, struct doca_pe *pe, struct sample_channel *channel);

#endif /* SAMPLES_COMMON_CHANNEL_H_ */
