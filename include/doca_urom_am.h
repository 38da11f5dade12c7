/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DOCA_UROM_AM_H_
#define DOCA_UROM_AM_H_

/**
 * @file doca_urom_am.h
 *
 * Active messages between the workers of a domain, with the plugin worker_am. See doca_urom_ops.h
 * for objects, threads and the codes of all operations, doca_urom_am_handler.h for handlers of a
 * program's own.
 *
 * A message names a handler, which runs in the worker that it goes to; the program there takes no
 * part in it. Messages of one worker to one handler of another one arrive in order.
 */

#include <doca_urom_ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Handler that passes messages on to receives. */
#define DOCA_UROM_AM_DELIVER 0u
/** Handler that answers with the bytes that came. */
#define DOCA_UROM_AM_ECHO 1u
/** Handler that answers with the number of its messages so far, 8 bytes, this one included. */
#define DOCA_UROM_AM_COUNT 2u

/** For receives: of any handler. */
#define DOCA_UROM_AM_ANY UINT32_MAX

/** Flag of a send: it is complete when the message is on its way, whatever becomes of it. */
#define DOCA_UROM_AM_NO_ACK 2u

/**
 * The end of a send.
 *
 * @status: DOCA_SUCCESS: the handler has run; DOCA_ERROR_NOT_FOUND: no worker has the id, or there
 *   is no such handler; DOCA_ERROR_INVALID_VALUE: the source is not this worker's id;
 *   DOCA_ERROR_AGAIN: too many messages wait for a receive there; DOCA_ERROR_IO_FAILED: a worker
 *   was lost or stopped; or what the handler says
 * @reply: what the handler answered, valid until the callback returns
 * @len: its length in bytes, 0 if it did not
 */
typedef void (*doca_urom_am_sent_cb_t)(struct doca_urom_ops *ops, doca_error_t status,
                                       const void *reply, size_t len, void *user_data);

/**
 * The end of a receive.
 *
 * @status: DOCA_SUCCESS; DOCA_ERROR_CONNECTION_ABORTED: it was cancelled; DOCA_ERROR_TOO_BIG: the
 *   message, which is lost, is longer than the service's messages; DOCA_ERROR_IO_FAILED: the worker
 *   was lost or stopped
 * @source: domain id of the sender
 * @handler: handler that the message was for
 * @bytes: the message, valid until the callback returns
 * @len: its length in bytes
 */
typedef void (*doca_urom_am_received_cb_t)(struct doca_urom_ops *ops, doca_error_t status,
                                           uint64_t source, uint32_t handler, const void *bytes,
                                           size_t len, void *user_data);

/** A message. */
struct doca_urom_am_message {
    uint64_t dest;     /**< domain id of the worker that it goes to */
    uint64_t source;   /**< domain id of this worker */
    uint32_t handler;  /**< who runs there */
    uint32_t flags;    /**< 0 or DOCA_UROM_AM_NO_ACK */
    const void *bytes; /**< copied; may be NULL when len is 0 */
    size_t len;        /**< at most doca_urom_am_get_max_len() */
};

/**
 * Get how long a message may be. It follows from the service's messages, see
 * doca_urom_service_set_max_comm_msg_size(): 4032 bytes by default. A receiver whose messages are
 * shorter is told DOCA_ERROR_TOO_BIG.
 *
 * @max_len: receives the number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: the worker has not loaded worker_am
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_am_get_max_len(const struct doca_urom_ops *ops, size_t *max_len);

/**
 * Send a message.
 *
 * @cb: runs when the handler has run, or when the message is on its way with DOCA_UROM_AM_NO_ACK;
 *   may be NULL
 * @user_data: for cb
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, flags are unknown or the message is too long; or
 *     one of the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_am_send(struct doca_urom_ops *ops,
                               const struct doca_urom_am_message *message,
                               doca_urom_am_sent_cb_t cb, void *user_data);

/**
 * Receive one message. Messages that no receive is there for wait, 1024 of them or 4 MiB.
 *
 * @handler: of messages for this one, or DOCA_UROM_AM_ANY
 * @cb: gets the message; must not be NULL
 * @user_data: for cb, and names the receive for doca_urom_am_cancel()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ops or cb is NULL; or one of the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_am_recv(struct doca_urom_ops *ops, uint32_t handler,
                               doca_urom_am_received_cb_t cb, void *user_data);

/**
 * End the oldest receive that has these user data. Its callback runs first, then this one's.
 *
 * @recv_user_data: of the receive
 * @cb: is told DOCA_SUCCESS, or DOCA_ERROR_NOT_FOUND: there is no such receive; may be NULL
 * @user_data: for cb
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: ops is NULL; or one of the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_am_cancel(struct doca_urom_ops *ops, void *recv_user_data,
                                 doca_urom_ops_cb_t cb, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_AM_H_ */
