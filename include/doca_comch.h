/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comch: messages between a server on the DPU side and its clients on the host side of one card. An
 * established connection also carries a fast path for bulk data, see doca_comch_producer.h and
 * doca_comch_consumer.h.
 *
 * A server listens under a name on a representor; the client on the host function behind that
 * representor finds it by that name. Names are free again when the server has stopped or its
 * process has ended.
 *
 * Legal order of a server: create, set the sizes, doca_comch_server_task_send_set_conf, register
 * the message event and the connection event, connect doca_comch_server_as_ctx() to a progress
 * engine, doca_ctx_start (returns running), work, doca_ctx_stop, progress until idle, destroy.
 * Stopping refuses new clients, transmits what was submitted, then closes every connection and
 * reports each as disconnected.
 *
 * A client does the same without the connection event, of which it has none: it has one connection,
 * and its context is running exactly while that is established. doca_ctx_start returns
 * DOCA_ERROR_IN_PROGRESS. The context becomes running once the server has answered; a server that
 * is absent is waited for until the connect deadline, then the context becomes idle without having
 * been running. When the server leaves, the context stops by itself.
 *
 * A message that was submitted travels, and is taken by the peer's library, without another
 * progress call of the sender, also when the context is stopped at once. Messages of a connection
 * arrive whole, in the order of their submission, each exactly once; those whose send succeeded
 * arrive before the end of the connection is reported. A receiver that does not progress holds
 * back its senders, and nothing is lost.
 *
 * A send that fails reports DOCA_ERROR_CONNECTION_RESET: the peer is gone and had not taken it,
 * DOCA_ERROR_CONNECTION_ABORTED or DOCA_ERROR_IO_FAILED: stopped before it could be transmitted, or
 * DOCA_ERROR_DRIVER: the transport broke. A submit refuses with DOCA_ERROR_AGAIN: the queue is
 * full, DOCA_ERROR_NOT_CONNECTED: the connection is gone, and DOCA_ERROR_BAD_STATE: the context is
 * not running.
 *
 * Threads: an instance, its connections and its tasks belong to the thread that drives their
 * progress engine; producers and consumers of a connection may be on other engines and threads.
 * Questions about a devinfo may come from any thread.
 */
#ifndef DOCA_COMCH_H_
#define DOCA_COMCH_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/** One server with one client, as either of them sees it. */
struct doca_comch_connection;

/**
 * Attach data of the program to a connection. It is kept apart from what the peer attaches.
 *
 * @user_data: replaces what was attached before; at first it is 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: connection is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
                                                 union doca_data user_data);

/**
 * Get the data that the program attached to a connection.
 *
 * Works also on a client's connection that has ended, until the client is destroyed.
 *
 * Returns what was attached last; 0 when nothing was, and for NULL.
 */
DOCA_STABLE
union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection);

/**
 * Get the server that a connection belongs to.
 *
 * Returns the instance of this process; NULL for a client's connection and for NULL.
 */
DOCA_STABLE
struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection);

/**
 * Get the client that a connection belongs to.
 *
 * Returns the instance of this process; NULL for a server's connection and for NULL.
 */
DOCA_STABLE
struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection);

/**
 * Get the longest name that a server can have.
 *
 * @max_name_len: receives the number of bytes, the closing NUL included
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                             uint32_t *max_name_len);

/**
 * Get the longest message that an instance can be configured for.
 *
 * @size: receives the number of bytes, small enough for a message on the stack
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);

/**
 * Get the longest receive queue that an instance can be configured with.
 *
 * @size: receives the number of messages
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                    uint32_t *size);

/**
 * Get the number of clients that a server on the device can have at the same time.
 *
 * One client more is refused: its context ends in idle.
 *
 * @num_clients: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                            uint32_t *num_clients);

/** The listening side, on the DPU. */
struct doca_comch_server;

/**
 * Create a server, with its context idle. Whether the name is free is seen at start, which answers
 * DOCA_ERROR_ALREADY_EXIST when it is not.
 *
 * @dev: a device of the DPU side, which start checks; must stay open until the server is destroyed
 * @repr: an open representor of dev, standing for the host function that clients come from; must
 *   stay open as long
 * @name: what clients ask for, at most doca_comch_cap_get_max_name_len() bytes; copied
 * @comch_server: receives the server; the caller ends it with doca_comch_server_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, name is empty or too long, or repr is not of dev
 *   DOCA_ERROR_NOT_PERMITTED: this process may not use dev or repr
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_INITIALIZATION: resources could not be built
 */
DOCA_STABLE
doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server);

/**
 * Destroy a server and take its context off the progress engine.
 *
 * Legal inside the state callback that reports idle.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: comch_server is NULL
 *   DOCA_ERROR_IN_USE: the context is not idle, or a task, producer or consumer is left
 */
DOCA_STABLE
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/**
 * Ask whether a device can carry a server; the returned code is the answer.
 *
 * Returns DOCA_SUCCESS if it can, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL or its list was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: it cannot, as on the host side
 */
DOCA_STABLE
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Limit the messages of an idle server. On a connection the smaller limit of the two sides holds in
 * both directions.
 *
 * @size: number of bytes; default is the device's limit
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: comch_server is NULL, or size is 0 or above the limit of
 *     doca_comch_cap_get_max_msg_size()
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
                                                uint32_t size);

/**
 * Get the message limit of a server, in any state.
 *
 * @size: receives the number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
                                                uint32_t *size);

/**
 * Say how many received messages an idle server holds for each of its connections while it does not
 * progress. Sends beyond that complete once there is room again.
 *
 * @size: number of messages
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: comch_server is NULL, or size is 0 or above the limit of
 *     doca_comch_cap_get_max_recv_queue_size()
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
                                                   uint32_t size);

/**
 * Get the length of a server's receive queue, in any state.
 *
 * @size: receives the number of messages
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
                                                   uint32_t *size);

/**
 * Get the device that a server was created on, in any state.
 *
 * @dev: receives the device; not opened once more, so not to be closed for this call
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
                                          struct doca_dev **dev);

/**
 * Get the representor that a server was created on, in any state.
 *
 * @rep: receives the representor; not opened once more, so not to be closed for this call
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
                                              struct doca_dev_rep **rep);

/**
 * Get the context of a server.
 *
 * Returns always the same pointer, which lives as long as the server; NULL for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/**
 * End one connection of a running server. Its client goes idle; no disconnect event comes for it
 * here, and the connection is invalid from now on. Legal inside the event that reports the client.
 *
 * @connection: a connection of this server without producers and consumers
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or connection is not one of this server
 *   DOCA_ERROR_IN_USE: a producer or consumer of the connection is left
 *   DOCA_ERROR_AGAIN: the client cannot be told now because the queue is full; progress and retry
 */
DOCA_STABLE
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection);

/** The asking side, on the host. */
struct doca_comch_client;

/**
 * Create a client, with its context idle.
 *
 * @dev: a device of the host side, which start checks; must stay open until the client is destroyed
 * @name: of the server wanted, at most doca_comch_cap_get_max_name_len() bytes; copied
 * @comch_client: receives the client; the caller ends it with doca_comch_client_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or name is empty or too long
 *   DOCA_ERROR_NOT_PERMITTED: this process may not use dev
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_INITIALIZATION: resources could not be built
 */
DOCA_STABLE
doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client);

/**
 * Destroy a client and its connection, and take its context off the progress engine.
 *
 * Legal inside the state callback that reports idle.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: comch_client is NULL
 *   DOCA_ERROR_IN_USE: the context is not idle, or a task, producer or consumer is left
 */
DOCA_STABLE
doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/**
 * Ask whether a device can carry a client; the returned code is the answer.
 *
 * Returns DOCA_SUCCESS if it can, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL or its list was destroyed
 *   DOCA_ERROR_NOT_SUPPORTED: it cannot, as on the DPU side
 */
DOCA_STABLE
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * Limit the messages of an idle client. On a connection the smaller limit of the two sides holds in
 * both directions.
 *
 * @size: number of bytes; default is the device's limit
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: comch_client is NULL, or size is 0 or above the limit of
 *     doca_comch_cap_get_max_msg_size()
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
                                                uint32_t size);

/**
 * Get the message limit of a client, in any state.
 *
 * @size: receives the number of bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
                                                uint32_t *size);

/**
 * Say how many received messages an idle client holds while it does not progress. Sends beyond that
 * complete once there is room again.
 *
 * @size: number of messages
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: comch_client is NULL, or size is 0 or above the limit of
 *     doca_comch_cap_get_max_recv_queue_size()
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
                                                   uint32_t size);

/**
 * Get the length of a client's receive queue, in any state.
 *
 * @size: receives the number of messages
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
                                                   uint32_t *size);

/**
 * Get the device that a client was created on, in any state.
 *
 * @dev: receives the device; not opened once more, so not to be closed for this call
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
                                          struct doca_dev **dev);

/**
 * Get the context of a client.
 *
 * Returns always the same pointer, which lives as long as the client; NULL for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/**
 * Get the connection of a client, from the state callback that reports running on.
 *
 * @connection: receives the connection; it belongs to the client and stays readable, for its user
 *   data, until the client is destroyed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context has not been running since its start
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
                                              struct doca_comch_connection **connection);

/** One message on its way. */
struct doca_comch_task_send;

/**
 * Report of one finished send; runs inside doca_pe_progress(). Sends of a connection are reported
 * in the order of their submission.
 *
 * Success says that the peer's library has the message, not that its program has seen it. The task
 * belongs to the callee from here on, who may submit it again, keep it or free it. What went wrong
 * is in doca_task_get_status().
 *
 * @task: the finished task
 * @task_user_data: user data of the task at completion time
 * @ctx_user_data: user data of the context at completion time
 */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/**
 * Get the largest number of send tasks that an instance can be configured with.
 *
 * @max_send_tasks: receives the number
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or the list of devinfo was destroyed
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_tasks);

/**
 * Configure the send tasks of an idle server; the last call wins. Without it the server can only
 * receive.
 *
 * @task_completion_cb: runs for each message that was sent
 * @task_error_cb: runs for each message that was not; may be the same function
 * @num_send_tasks: number of tasks that can be allocated at the same time, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or num_send_tasks is 0 or above the limit of
 *     doca_comch_cap_get_max_send_tasks()
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Configure the send tasks of an idle client; the last call wins. Without it the client can only
 * receive.
 *
 * @task_completion_cb: runs for each message that was sent
 * @task_error_cb: runs for each message that was not; may be the same function
 * @num_send_tasks: number of tasks that can be allocated at the same time, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or num_send_tasks is 0 or above the limit of
 *     doca_comch_cap_get_max_send_tasks()
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Take a send task from the pool of a running server and fill it in.
 *
 * @peer: whom to send to, a connection of this server
 * @msg: the message, in any readable memory; must stay as it is until the task has completed
 * @len: its length in bytes, at least 1
 * @task: receives the task, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0 or above the limit of the connection, or
 *     peer is not a connection of this server
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are in use
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);

/**
 * Take a send task from the pool of a running client and fill it in.
 *
 * @peer: the connection of this client
 * @msg: the message, in any readable memory; must stay as it is until the task has completed
 * @len: its length in bytes, at least 1
 * @task: receives the task, which the caller owns until it is submitted or freed
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0 or above the limit of the connection, or
 *     peer is not the connection of this client
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are in use
 *   DOCA_ERROR_BAD_STATE: the context is not running
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);

/**
 * Get the general form of a task, for doca_task_submit(), doca_task_free() and their like.
 *
 * Returns the same task under its general type; NULL for NULL.
 */
DOCA_STABLE
struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/** A message has come; valid inside the callback only. */
struct doca_comch_event_msg_recv;

/**
 * Report of one received message; runs inside doca_pe_progress().
 *
 * The callee may reply, stop or disconnect, and create producers and consumers.
 *
 * @event: the event
 * @recv_buffer: the bytes that were sent; valid until the callback returns
 * @msg_len: their number
 * @comch_connection: where the message came from
 */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
                                               uint8_t *recv_buffer, uint32_t msg_len,
                                               struct doca_comch_connection *comch_connection);

/**
 * Say who handles the messages that an idle server receives; mandatory before start.
 *
 * @recv_event_cb: runs once for each message; the last call wins
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Say who handles the messages that an idle client receives; mandatory before start.
 *
 * @recv_event_cb: runs once for each message; the last call wins
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);

/** A client has come or gone; valid inside the callback only. */
struct doca_comch_event_connection_status_changed;

/**
 * Report of a client of a server that has come or gone; runs inside doca_pe_progress().
 *
 * A new connection can be used at once, also for doca_comch_server_disconnect(). One that has ended
 * or failed is readable until the callback returns and invalid after that; all its messages have
 * been delivered and all its sends reported.
 *
 * @event: the event
 * @comch_connection: the connection that this is about
 * @change_successful: 1, or 0 for a client that could not be connected or did not leave in order
 */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
    struct doca_comch_event_connection_status_changed *event,
    struct doca_comch_connection *comch_connection, uint8_t change_successful);

/**
 * Say who is told when clients of an idle server come and go; mandatory before start.
 *
 * @connect_event_cb: runs for each client that came or failed to
 * @disconnect_event_cb: runs for each client that has gone, unless
 *   doca_comch_server_disconnect() sent it away; may be the same function
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/** What doca_comch_connection_get_counter() can tell. Messages and their bytes only. */
enum doca_comch_counter {
    DOCA_COMCH_COUNTER_SENT_MESSAGES = 1, /**< messages that the peer has taken */
    DOCA_COMCH_COUNTER_SENT_BYTES = 2,    /**< their bytes */
    DOCA_COMCH_COUNTER_RECV_MESSAGES = 3, /**< messages received */
    DOCA_COMCH_COUNTER_RECV_BYTES = 4,    /**< their bytes */
};

/**
 * Take a new reading of the counters of a connection, which
 * doca_comch_connection_get_counter() then answers from.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: comch_connection is NULL
 *   DOCA_ERROR_CONNECTION_INPROGRESS: the connection is not established yet
 *   DOCA_ERROR_CONNECTION_ABORTED: the connection failed
 */
DOCA_STABLE
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection);

/**
 * Get a counter as doca_comch_connection_update_info() found it last; 0 before that was called.
 *
 * @counter_value: receives the number since the connection was established
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or counter_type is unknown
 */
DOCA_STABLE
doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value);

/** A consumer of the peer has come or gone; valid inside the callback only. */
struct doca_comch_event_consumer;

/**
 * Report of a consumer that the peer has started or ended; runs inside doca_pe_progress().
 *
 * @event: the event
 * @comch_connection: the connection that the consumer is on
 * @id: its id, which producers of this connection send to
 */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
                                               struct doca_comch_connection *comch_connection,
                                               uint32_t id);

/**
 * Say who is told about consumers of the clients of an idle server; needed to send by producers.
 *
 * @new_consumer_event_cb: runs for each consumer that can be sent to
 * @expired_consumer_event_cb: runs for each that cannot any more, before its connection ends
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Say who is told about consumers of the server of an idle client; needed to send by producers.
 *
 * @new_consumer_event_cb: runs for each consumer that can be sent to
 * @expired_consumer_event_cb: runs for each that cannot any more, before the connection ends
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_H_ */
