/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA: messages, reads, writes and atomic operations between the memory maps of two processes,
 * over reliable connections.
 *
 * Legal order: doca_rdma_create, setters and task configurations, connect doca_rdma_as_ctx() to a
 * progress engine, doca_ctx_start (returns running); then connections, in one of two ways. By
 * details: doca_rdma_export on both sides, each side hands its bytes to the other one by means of
 * its own, doca_rdma_connect on both sides. By address: doca_rdma_start_listen_to_port on one side,
 * which accepts or rejects in its request callback, and doca_rdma_connect_to_addr on the other.
 * Then allocate, submit and progress tasks; free them, doca_ctx_stop, progress until idle,
 * doca_rdma_destroy.
 *
 * Tasks of one connection are executed and reported in the order of their submission; what one has
 * written is visible to the peer before the next one begins. Receive tasks belong to the instance:
 * the message that comes next, over whichever connection, takes the one posted first. A send or a
 * write with immediate for which the peer has no receive task waits for one, see
 * doca_rdma_set_rnr_retry_count().
 *
 * A task that is submitted before its connection is established waits for it. A task that fails
 * ends its connection: what else was submitted on it is flushed with DOCA_ERROR_IO_FAILED, and the
 * connection has to be made anew. The context goes on. Statuses of failed tasks:
 *   DOCA_ERROR_NOT_PERMITTED: the peer's instance or its memory map does not grant the access
 *   DOCA_ERROR_CONNECTION_RESET: the peer is gone
 *   DOCA_ERROR_CONNECTION_ABORTED: the connection could not be established
 *   DOCA_ERROR_TIME_OUT: the peer had no receive task for too long
 *   DOCA_ERROR_TOO_BIG: the receive task is too short; ends the sending task, too, as a reset
 *   DOCA_ERROR_IO_FAILED: memory that is not there, flushed by an earlier failure or by the stop
 * When all connections of an instance that does not listen are over, posted receive tasks end with
 * DOCA_ERROR_CONNECTION_RESET.
 *
 * Data of a source buffer (or list) go to the free room behind the data of the destination, whose
 * data length grows by them, as with DMA. An atomic operation works on the 8 bytes at the data
 * address of its destination, which is aligned to 8, and sets the data of the result buffer to the
 * 8 bytes that were there before, in the byte order of the machine. Remote buffers are made from a
 * map of doca_mmap_create_from_export().
 *
 * Submitting (doca_task_submit) refuses with DOCA_ERROR_INVALID_VALUE a NULL buffer, one whose map
 * lacks the device or lies on the wrong side, lists and messages above their limits, data outside
 * of its buffer, too little room; with DOCA_ERROR_NOT_PERMITTED a local map that may not be
 * written; with DOCA_ERROR_NOT_CONNECTED a connection that is over or that doca_rdma_connect() was
 * not called for; with DOCA_ERROR_AGAIN a queue that is full. doca_task_try_submit() also refuses
 * with DOCA_ERROR_NOT_PERMITTED what the peer's memory map does not grant.
 *
 * Threads: an instance, its connections and its tasks belong to the thread that drives their
 * progress engine. Questions about a devinfo, and addresses, may come from any thread. All calls
 * that take an object refuse NULL with DOCA_ERROR_INVALID_VALUE where they have a status to return.
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <stdbool.h>
#include <stdint.h>

/* Only names are needed of it: programs that do not use the bridge need not have it installed. */
#if !defined(__has_include) || __has_include(<rdma/rdma_cma.h>)
#include <rdma/rdma_cma.h>
#else
struct rdma_cm_id;
#endif

#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_sync_event_remote_net;
struct doca_task;

/** How packets travel. */
enum doca_rdma_transport_type {
    DOCA_RDMA_TRANSPORT_TYPE_RC = 0, /**< reliable connection */
    DOCA_RDMA_TRANSPORT_TYPE_DC = 1, /**< dynamically connected; not offered */
};

/** An address of a device, in network byte order. */
struct doca_rdma_gid {
    uint8_t raw[DOCA_GID_BYTE_LENGTH]; /**< 16 bytes */
};

/** What an address text is. */
enum doca_rdma_addr_type {
    DOCA_RDMA_ADDR_TYPE_IPv4 = 0, /**< four numbers, as 10.0.0.2 */
    DOCA_RDMA_ADDR_TYPE_IPv6 = 1, /**< an IPv6 address */
    DOCA_RDMA_ADDR_TYPE_GID =
        2, /**< a GID, written as an IPv6 address; ::ffff:10.0.0.2 means IPv4 */
};

/** An RDMA instance; see doca_rdma_as_ctx(). */
struct doca_rdma;

/** An address of a peer. */
struct doca_rdma_addr;

/** A connection; belongs to its instance and is readable until that is destroyed, but may stand for
 * a new connection once it is over and the program was told. */
struct doca_rdma_connection;

/** An instance as programs of a DPA processor see it. */
typedef uint64_t doca_dpa_dev_rdma_t;

/** An instance as GPU kernels see it. */
struct doca_gpu_dev_rdma;

/**
 * Create an RDMA instance on a device, with its context idle.
 *
 * @dev: must stay open until the instance is destroyed
 * @rdma: receives the instance; the caller ends it with doca_rdma_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the device is not open
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_INITIALIZATION: resources could not be built
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma);

/**
 * Destroy an idle instance with its connections.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle, or tasks are not freed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/** Get the context of the instance, which ends with it. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/**
 * Make a connection and the details by which the peer connects to it with doca_rdma_connect(). The
 * details are a secret: who has them can connect. They contain NUL bytes.
 *
 * @local_rdma_conn_details: receives the details; owned by the connection, valid until it is over
 * @local_rdma_conn_details_size: receives their length in bytes, at most 512
 * @rdma_connection: receives the connection
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_FULL: there are as many connections as doca_rdma_set_max_num_connections() allows
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_CONNECTION_ABORTED: the network cannot be reached
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **local_rdma_conn_details,
                              size_t *local_rdma_conn_details_size,
                              struct doca_rdma_connection **rdma_connection);

/**
 * Connect an exported connection to that of the peer. Both sides call this, in any order; tasks
 * may be submitted at once, and wait until the peer is there.
 *
 * @remote_rdma_conn_details: what the peer's doca_rdma_export() gave, all bytes of it; not needed
 *   after the call
 * @rdma_connection: a connection of doca_rdma_export() of this instance
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, the details are damaged, or belong to this
 *     very connection or to another one than the peer that came
 *   DOCA_ERROR_BAD_STATE: the context is not running, or the connection was connected before
 *   DOCA_ERROR_CONNECTION_ABORTED: the peer cannot be reached
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
                               size_t remote_rdma_conn_details_size,
                               struct doca_rdma_connection *rdma_connection);

/**
 * Make an address from text.
 *
 * @address: text of the type; copied
 * @port: 1 to 65535
 * @addr: receives the address; the caller ends it with doca_rdma_addr_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL or 0, the type is unknown, or the text is no
 *     address of this type
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type, const char *address,
                                   uint16_t port, struct doca_rdma_addr **addr);

/**
 * Destroy an address that the program made.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: addr is NULL
 *   DOCA_ERROR_BAD_STATE: the address belongs to a connection
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr);

/**
 * Listen for peers that call doca_rdma_connect_to_addr() with an address of this machine. Each one
 * is told by the request callback. Several ports may be listened to.
 *
 * @port: TCP port, 1 to 65535; from other hosts it must be reachable as such
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, port is 0, or the instance listens to it already
 *   DOCA_ERROR_BAD_STATE: the context is not running, or no callbacks were set
 *   DOCA_ERROR_NOT_SUPPORTED: the data path is not on the CPU or GPU
 *   DOCA_ERROR_CONNECTION_ABORTED: the port is in use or may not be used
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * Stop to listen. Requests that the program was told of may still be accepted; others are refused.
 *
 * @port: a port that the instance listens to
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the instance does not listen to port
 *   DOCA_ERROR_NOT_SUPPORTED: not in this build
 *   DOCA_ERROR_CONNECTION_ABORTED: the listener has failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * Accept a request, in the request callback or later. The established or the failure callback
 * follows.
 *
 * @private_data: may be NULL; travels with the answer, peers of this library do not show it
 * @private_data_len: bytes, at most 56
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL, private_data_len is too large, or
 *     private_data is NULL with a length
 *   DOCA_ERROR_CONNECTION_ABORTED: it is no request that waits, or the peer is gone
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection,
                                         void *private_data, uint8_t private_data_len);

/**
 * Reject a request. The connection is over with this call.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL
 *   DOCA_ERROR_CONNECTION_ABORTED: it is no request that waits
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection);

/**
 * Begin to connect to a peer that listens. The established or the failure callback follows within
 * the time of doca_rdma_set_connection_request_timeout(), and has the connection.
 *
 * @addr: where the peer listens; may be destroyed after the call
 * @connection_user_data: what callbacks of the connection are given
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running, or no callbacks were set
 *   DOCA_ERROR_NOT_SUPPORTED: not in this build
 *   DOCA_ERROR_FULL: there are as many connections as allowed
 *   DOCA_ERROR_CONNECTION_ABORTED: could not even begin
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
                                       union doca_data connection_user_data);

/**
 * End a connection. Messages that the peer has not taken are lost. Submitted tasks are flushed,
 * then the disconnection callback follows if the connection was made by address. For a request
 * that waits: reject it.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL
 *   DOCA_ERROR_CONNECTION_ABORTED: the connection is over already
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection);

/**
 * Make a connection for a connection manager id of the program. Refused: there is no connection
 * manager below.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: always, else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                                 struct doca_rdma_connection **rdma_connection);

/**
 * Accept on a connection that was prepared. Refused: there is no connection manager below.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: always, else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
                                     uint8_t private_data_len,
                                     struct doca_rdma_connection *rdma_connection);

/**
 * Say that a prepared connection is established. Refused: there is no connection manager below.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: always, else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
                                          struct doca_rdma_connection *rdma_connection);

/**
 * Ask for the largest size of a receive queue, tasks.
 *
 * @max_recv_queue_size: receives it
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_DRIVER: the device does not answer
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_recv_queue_size);

/**
 * Ask for the largest size of a send queue, tasks.
 *
 * @max_send_queue_size: receives it
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_DRIVER: the device does not answer
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_send_queue_size);

/**
 * Ask for the longest list of source buffers.
 *
 * @max_send_buf_list_len: receives it
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_DRIVER: the device does not answer
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_send_buf_list_len);

/**
 * Ask for the longest message, read or write, bytes.
 *
 * @max_message_size: receives it
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_DRIVER: the device does not answer
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
                                                uint32_t *max_message_size);

/**
 * Ask for the number of GIDs of a device: its addresses.
 *
 * @gid_table_size: receives it, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_DRIVER: the device does not answer
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
                                              uint32_t *gid_table_size);

/**
 * Ask for GIDs of a device. IPv4 addresses are GIDs with ::ffff: in front.
 *
 * @start_index: of the first one, from 0
 * @num_entries: how many; at least 1, not beyond the table
 * @gid_array: receives them
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the range is not in the table
 *   DOCA_ERROR_DRIVER: the device does not answer
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
                                   uint32_t num_entries, struct doca_rdma_gid *gid_array);

/**
 * Ask whether a transport is offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL or the type is unknown
 *   DOCA_ERROR_NOT_SUPPORTED: it is not
 *   DOCA_ERROR_DRIVER: the device does not answer
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
                                          enum doca_rdma_transport_type transport_type);

/**
 * Say how many tasks one connection holds; a submit beyond that answers DOCA_ERROR_AGAIN.
 *
 * @send_queue_size: 1 up to doca_rdma_cap_get_max_send_queue_size(); default 1024
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the device does not offer it
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size);

/**
 * Say how many receive tasks the instance holds; a submit beyond that answers DOCA_ERROR_AGAIN.
 *
 * @recv_queue_size: 1 up to doca_rdma_cap_get_max_recv_queue_size(); default 1024
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the device does not offer it
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size);

/**
 * Say how long lists of source buffers may be.
 *
 * @max_send_buf_list_len: 1 up to doca_rdma_cap_get_max_send_buf_list_len(); default 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
                                                 uint32_t max_send_buf_list_len);

/**
 * Choose the transport.
 *
 * @transport_type: DOCA_RDMA_TRANSPORT_TYPE_RC, the default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the device does not offer it
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type);

/**
 * Choose the path MTU. Kept, but without effect here.
 *
 * @mtu: DOCA_MTU_SIZE_256_BYTES to DOCA_MTU_SIZE_4K_BYTES; default DOCA_MTU_SIZE_1K_BYTES
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: no MTU of RDMA
 *   DOCA_ERROR_UNEXPECTED: does not happen here
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);

/**
 * Say what peers may do over connections of this instance, to maps that allow it themselves.
 *
 * @permissions: bits DOCA_ACCESS_FLAG_LOCAL_READ_WRITE and DOCA_ACCESS_FLAG_RDMA_*; default local
 *   read and write only
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);

/**
 * Say whether packets carry a global routing header. Kept, but without effect here.
 *
 * @grh_enabled: 0 or 1, the default
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the device does not offer it
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled);

/**
 * Choose the address that connections of this instance use.
 *
 * @gid_index: below doca_rdma_cap_get_gid_table_size(); default 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);

/**
 * Choose the service level. Kept, but without effect here.
 *
 * @sl: 0 to 15; default 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl);

/**
 * Say how long a connection may need to come up once both sides want it, or until a peer that was
 * asked for one answers.
 *
 * @timeout: milliseconds, 1 to 65535; default 5000
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout);

/**
 * Attach data to a connection, for its callbacks.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma_connection is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
                                                union doca_data connection_user_data);

/**
 * Say how many connections there may be at once.
 *
 * @max_num_connections: 1 to 8192; default 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the device does not offer it
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t max_num_connections);

/**
 * Say how often a send is tried again, 100 ms apart, when the peer has no receive task for it.
 *
 * @rnr_retry_count: 0 to 6; 7, the default: for ever
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_NOT_SUPPORTED: the device does not offer it
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count);

/**
 * Get the size of the send queue, tasks.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size);

/**
 * Get the size of the receive queue, tasks.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there is none
 *   DOCA_ERROR_BAD_STATE: does not happen here
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size);

/**
 * Get the longest list of source buffers.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
                                                 uint32_t *max_send_buf_list_len);

/**
 * Get the transport.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type *transport_type);

/**
 * Get the path MTU that was chosen.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu);

/**
 * Get what peers may do.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions);

/**
 * Get whether packets carry a global routing header: 0 or 1.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled);

/**
 * Get the index of the chosen GID.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index);

/**
 * Get the service level.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl);

/**
 * Get the handle for a DPA processor. Refused: there is none.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_BAD_STATE: the data path is not on a DPA
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma);

/**
 * Get the handle by which GPU kernels use a running instance whose data path is on a GPU.
 *
 * @gpu_rdma: receives the handle, valid until the context stops
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running, or its data path is on the CPU
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma);

/**
 * Get how long a connection may need to come up, milliseconds.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma,
                                                      uint16_t *timeout);

/**
 * Get the peer's address of a connection that was made by address.
 *
 * @addr: receives the address; owned by the connection
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the connection was not made by address
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_addr(const struct doca_rdma_connection *rdma_connection,
                                           struct doca_rdma_addr **addr);

/**
 * Get the parts of an address.
 *
 * @address: receives the text, owned by the address
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
                                       enum doca_rdma_addr_type *addr_type, const char **address,
                                       uint16_t *port);

/**
 * Get the data that is attached to a connection.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
                                                union doca_data *connection_user_data);

/**
 * Get the number of a connection: the lowest one, from 0, that no other connection of the instance
 * has.
 *
 * @connection_id: receives it; the same during the life of the connection
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
                                         uint32_t *connection_id);

/**
 * Get how many connections there may be at once.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t *max_num_connections);

/**
 * Get how often a send is tried again for want of a receive task.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count);

/**
 * A peer asks for a connection. It is accepted or rejected here or later; one that waits longer
 * than the request timeout fails.
 *
 * @rdma_connection: the connection
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_connection_request_cb_t)(struct doca_rdma_connection *rdma_connection,
                                                  union doca_data ctx_user_data);

/**
 * A connection by address can be used.
 *
 * @rdma_connection: the connection
 * @connection_user_data: data of the connection
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_connection_established_cb_t)(struct doca_rdma_connection *rdma_connection,
                                                      union doca_data connection_user_data,
                                                      union doca_data ctx_user_data);

/**
 * A connection by address did not come up. The connection is over when the callback returns.
 *
 * @rdma_connection: the connection
 * @connection_user_data: data of the connection
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_connection_failure_cb_t)(struct doca_rdma_connection *rdma_connection,
                                                  union doca_data connection_user_data,
                                                  union doca_data ctx_user_data);

/**
 * A connection by address has ended, and all its tasks were reported. The connection is over when
 * the callback returns.
 *
 * @rdma_connection: the connection
 * @connection_user_data: data of the connection
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_connection_disconnection_cb_t)(
    struct doca_rdma_connection *rdma_connection, union doca_data connection_user_data,
    union doca_data ctx_user_data);

/**
 * Say who is told of connections that are made by address; needed for these. They run inside
 * doca_pe_progress(). Connections by details do not call them.
 *
 * @doca_rdma_connect_request_cb: a peer asks; accept or reject. NULL in an instance that does not
 *   listen
 * @doca_rdma_connect_established_cb: the connection can be used
 * @doca_rdma_connect_failure_cb: it did not come up, and is over
 * @doca_rdma_disconnect_cb: it has ended, by either side; its tasks were reported
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: another argument is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_connection_state_callbacks(
    struct doca_rdma *rdma, doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
    doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
    doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
    doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb);

/** Takes one message, or the immediate data of one write. */
struct doca_rdma_task_receive;

/** What a receive task was taken by. */
enum doca_rdma_opcode {
    DOCA_RDMA_OPCODE_RECV_SEND = 0,          /**< a send */
    DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM = 1, /**< a send with immediate */
    DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM =
        2, /**< a write with immediate; its data are where it wrote them */
};

/**
 * Report of one finished receive task; runs inside doca_pe_progress(). The task belongs to the
 * callee from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_receive_completion_cb_t)(struct doca_rdma_task_receive *task,
                                                       union doca_data task_user_data,
                                                       union doca_data ctx_user_data);

/**
 * Ask whether receive tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo);

/**
 * Ask for the longest list of destination buffers of a receive task.
 *
 * @max_buf_list_len: receives it
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the transport is unknown or not offered
 *   DOCA_ERROR_DRIVER: the device does not answer
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                    enum doca_rdma_transport_type transport_type,
                                                    uint32_t *max_buf_list_len);

/**
 * Configure receive tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_receive_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_receive_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Say how long lists of destination buffers may be.
 *
 * @buf_list_len: 1 up to doca_rdma_cap_task_receive_get_max_dst_buf_list_len(); default 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the value is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
                                                         uint32_t buf_list_len);

/**
 * Get how long lists of destination buffers may be.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_BAD_STATE: does not happen here
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
                                                         uint32_t *buf_list_len);

/**
 * Take a receive task from those that were configured. Buffers and the rest are looked at when it
 * is submitted.
 *
 * @dst_buf: where a message goes, behind the data that is there; NULL for messages without bytes
 *   and immediates of writes
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                  union doca_data user_data,
                                                  struct doca_rdma_task_receive **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task);

/** Change the destination of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task,
                                        struct doca_buf *dst_buf);

/** Get the destination of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_receive_get_dst_buf(const struct doca_rdma_task_receive *task);

/** Get the kind of what it was taken by, of a task that succeeded. */
DOCA_EXPERIMENTAL
enum doca_rdma_opcode
doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task);

/** Get the number of bytes received, of a task that succeeded. */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task);

/** Get the immediate data that came; 0 without, of a task that succeeded. */
DOCA_EXPERIMENTAL
doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task);

/** Get the connection that it was taken over, of a task that succeeded. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task);

/** Sends one message. */
struct doca_rdma_task_send;

/**
 * Report of one finished send task; runs inside doca_pe_progress(). The task belongs to the callee
 * from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_send_completion_cb_t)(struct doca_rdma_task_send *task,
                                                    union doca_data task_user_data,
                                                    union doca_data ctx_user_data);

/**
 * Ask whether send tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure send tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_send_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_send_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Take a send task from those that were configured. Buffers and the rest are looked at when it is
 * submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @src_buf: the message; NULL: without bytes
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection is NULL, or the connection is not one
 *     of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *rdma_connection,
                                               const struct doca_buf *src_buf,
                                               union doca_data user_data,
                                               struct doca_rdma_task_send **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task);

/** Change the source of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task,
                                     const struct doca_buf *src_buf);

/** Get the source of a task. */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_send_get_src_buf(const struct doca_rdma_task_send *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_set_rdma_connection(struct doca_rdma_task_send *task,
                                             struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_send_get_rdma_connection(const struct doca_rdma_task_send *task);

/** Sends one message and 32 bits beside it. */
struct doca_rdma_task_send_imm;

/**
 * Report of one finished send with immediate task; runs inside doca_pe_progress(). The task
 * belongs to the callee from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_send_imm_completion_cb_t)(struct doca_rdma_task_send_imm *task,
                                                        union doca_data task_user_data,
                                                        union doca_data ctx_user_data);

/**
 * Ask whether send with immediate tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure send with immediate tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_imm_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_send_imm_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_send_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Take a send with immediate task from those that were configured. Buffers and the rest are looked
 * at when it is submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @src_buf: the message; NULL: without bytes
 * @immediate_data: as it arrives at the peer, in whichever byte order
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection is NULL, or the connection is not one
 *     of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
                                                   struct doca_rdma_connection *rdma_connection,
                                                   const struct doca_buf *src_buf,
                                                   doca_be32_t immediate_data,
                                                   union doca_data user_data,
                                                   struct doca_rdma_task_send_imm **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task);

/** Change the source of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_src_buf(struct doca_rdma_task_send_imm *task,
                                         const struct doca_buf *src_buf);

/** Get the source of a task. */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_rdma_task_send_imm_get_src_buf(const struct doca_rdma_task_send_imm *task);

/** Change the immediate data of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_immediate_data(struct doca_rdma_task_send_imm *task,
                                                doca_be32_t immediate_data);

/** Get the immediate data of a task. */
DOCA_EXPERIMENTAL
doca_be32_t doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_rdma_connection(struct doca_rdma_task_send_imm *task,
                                                 struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_send_imm_get_rdma_connection(const struct doca_rdma_task_send_imm *task);

/** Reads the peer's memory. */
struct doca_rdma_task_read;

/**
 * Report of one finished read task; runs inside doca_pe_progress(). The task belongs to the callee
 * from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_read_completion_cb_t)(struct doca_rdma_task_read *task,
                                                    union doca_data task_user_data,
                                                    union doca_data ctx_user_data);

/**
 * Ask whether read tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure read tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_read_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_read_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_read_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Take a read task from those that were configured. Buffers and the rest are looked at when it is
 * submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @src_buf: what is read, in memory of the peer
 * @dst_buf: where it goes, in local memory
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection is NULL, or the connection is not one
 *     of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *rdma_connection,
                                               const struct doca_buf *src_buf,
                                               struct doca_buf *dst_buf, union doca_data user_data,
                                               struct doca_rdma_task_read **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task);

/** Change the source of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_src_buf(struct doca_rdma_task_read *task,
                                     const struct doca_buf *src_buf);

/** Get the source of a task. */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_read_get_src_buf(const struct doca_rdma_task_read *task);

/** Change the destination of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task, struct doca_buf *dst_buf);

/** Get the destination of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_read_get_dst_buf(const struct doca_rdma_task_read *task);

/** Get the number of bytes received, of a task that succeeded. */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_rdma_connection(struct doca_rdma_task_read *task,
                                             struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_read_get_rdma_connection(const struct doca_rdma_task_read *task);

/** Writes the peer's memory. */
struct doca_rdma_task_write;

/**
 * Report of one finished write task; runs inside doca_pe_progress(). The task belongs to the
 * callee from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_write_completion_cb_t)(struct doca_rdma_task_write *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/**
 * Ask whether write tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure write tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_write_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Take a write task from those that were configured. Buffers and the rest are looked at when it is
 * submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @src_buf: what is written, in local memory
 * @dst_buf: where it goes, in memory of the peer
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection is NULL, or the connection is not one
 *     of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                struct doca_rdma_connection *rdma_connection,
                                                const struct doca_buf *src_buf,
                                                struct doca_buf *dst_buf, union doca_data user_data,
                                                struct doca_rdma_task_write **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task);

/** Change the source of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
                                      const struct doca_buf *src_buf);

/** Get the source of a task. */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task);

/** Change the destination of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task, struct doca_buf *dst_buf);

/** Get the destination of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
                                              struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task);

/** Writes the peer's memory, then takes a receive task of the peer and gives it 32 bits. */
struct doca_rdma_task_write_imm;

/**
 * Report of one finished write with immediate task; runs inside doca_pe_progress(). The task
 * belongs to the callee from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_write_imm_completion_cb_t)(struct doca_rdma_task_write_imm *task,
                                                         union doca_data task_user_data,
                                                         union doca_data ctx_user_data);

/**
 * Ask whether write with immediate tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure write with immediate tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_imm_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_write_imm_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_write_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Take a write with immediate task from those that were configured. Buffers and the rest are
 * looked at when it is submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @src_buf: what is written, in local memory; NULL with dst_buf NULL: only the immediate
 * @dst_buf: where it goes, in memory of the peer
 * @immediate_data: as it arrives at the peer, in whichever byte order
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection is NULL, or the connection is not one
 *     of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    const struct doca_buf *src_buf, struct doca_buf *dst_buf, doca_be32_t immediate_data,
    union doca_data user_data, struct doca_rdma_task_write_imm **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_write_imm_as_task(struct doca_rdma_task_write_imm *task);

/** Change the source of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_src_buf(struct doca_rdma_task_write_imm *task,
                                          const struct doca_buf *src_buf);

/** Get the source of a task. */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_rdma_task_write_imm_get_src_buf(const struct doca_rdma_task_write_imm *task);

/** Change the destination of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_dst_buf(struct doca_rdma_task_write_imm *task,
                                          struct doca_buf *dst_buf);

/** Get the destination of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(const struct doca_rdma_task_write_imm *task);

/** Change the immediate data of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_immediate_data(struct doca_rdma_task_write_imm *task,
                                                 doca_be32_t immediate_data);

/** Get the immediate data of a task. */
DOCA_EXPERIMENTAL
doca_be32_t
doca_rdma_task_write_imm_get_immediate_data(const struct doca_rdma_task_write_imm *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_rdma_connection(struct doca_rdma_task_write_imm *task,
                                                  struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_write_imm_get_rdma_connection(const struct doca_rdma_task_write_imm *task);

/** Compares 8 bytes of the peer and replaces them when they are equal. */
struct doca_rdma_task_atomic_cmp_swp;

/**
 * Report of one finished compare and swap task; runs inside doca_pe_progress(). The task belongs
 * to the callee from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_atomic_cmp_swp_completion_cb_t)(
    struct doca_rdma_task_atomic_cmp_swp *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Ask whether compare and swap tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure compare and swap tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_atomic_cmp_swp_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_atomic_cmp_swp_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Take a compare and swap task from those that were configured. Buffers and the rest are looked at
 * when it is submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @dst_buf: 8 bytes in memory of the peer
 * @result_buf: receives the 8 bytes that were there before, in local memory
 * @cmp_data: what is expected there
 * @swap_data: what is put there when it is so
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection is NULL, or the connection is not one
 *     of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
    struct doca_rdma_task_atomic_cmp_swp **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_atomic_cmp_swp_as_task(struct doca_rdma_task_atomic_cmp_swp *task);

/** Change the destination of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_dst_buf(struct doca_rdma_task_atomic_cmp_swp *task,
                                               struct doca_buf *dst_buf);

/** Get the destination of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_rdma_task_atomic_cmp_swp_get_dst_buf(const struct doca_rdma_task_atomic_cmp_swp *task);

/** Change the result buffer of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_result_buf(struct doca_rdma_task_atomic_cmp_swp *task,
                                                  struct doca_buf *result_buf);

/** Get the result buffer of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_rdma_task_atomic_cmp_swp_get_result_buf(const struct doca_rdma_task_atomic_cmp_swp *task);

/** Change the expected value of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_cmp_data(struct doca_rdma_task_atomic_cmp_swp *task,
                                                uint64_t cmp_data);

/** Get the expected value of a task. */
DOCA_EXPERIMENTAL
uint64_t
doca_rdma_task_atomic_cmp_swp_get_cmp_data(const struct doca_rdma_task_atomic_cmp_swp *task);

/** Change the new value of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_swap_data(struct doca_rdma_task_atomic_cmp_swp *task,
                                                 uint64_t swap_data);

/** Get the new value of a task. */
DOCA_EXPERIMENTAL
uint64_t
doca_rdma_task_atomic_cmp_swp_get_swap_data(const struct doca_rdma_task_atomic_cmp_swp *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_rdma_connection(
    struct doca_rdma_task_atomic_cmp_swp *task, struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_atomic_cmp_swp_get_rdma_connection(const struct doca_rdma_task_atomic_cmp_swp *task);

/** Adds to 8 bytes of the peer. */
struct doca_rdma_task_atomic_fetch_add;

/**
 * Report of one finished fetch and add task; runs inside doca_pe_progress(). The task belongs to
 * the callee from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_atomic_fetch_add_completion_cb_t)(
    struct doca_rdma_task_atomic_fetch_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Ask whether fetch and add tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure fetch and add tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_atomic_fetch_add_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_atomic_fetch_add_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Take a fetch and add task from those that were configured. Buffers and the rest are looked at
 * when it is submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @dst_buf: 8 bytes in memory of the peer
 * @result_buf: receives the 8 bytes that were there before, in local memory
 * @add_data: what is added
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection is NULL, or the connection is not one
 *     of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_atomic_fetch_add **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *
doca_rdma_task_atomic_fetch_add_as_task(struct doca_rdma_task_atomic_fetch_add *task);

/** Change the destination of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_dst_buf(struct doca_rdma_task_atomic_fetch_add *task,
                                                 struct doca_buf *dst_buf);

/** Get the destination of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_rdma_task_atomic_fetch_add_get_dst_buf(const struct doca_rdma_task_atomic_fetch_add *task);

/** Change the result buffer of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_result_buf(struct doca_rdma_task_atomic_fetch_add *task,
                                                    struct doca_buf *result_buf);

/** Get the result buffer of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_rdma_task_atomic_fetch_add_get_result_buf(const struct doca_rdma_task_atomic_fetch_add *task);

/** Change the addend of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_add_data(struct doca_rdma_task_atomic_fetch_add *task,
                                                  uint64_t add_data);

/** Get the addend of a task. */
DOCA_EXPERIMENTAL
uint64_t
doca_rdma_task_atomic_fetch_add_get_add_data(const struct doca_rdma_task_atomic_fetch_add *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_rdma_connection(
    struct doca_rdma_task_atomic_fetch_add *task, struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_atomic_fetch_add_get_rdma_connection(
    const struct doca_rdma_task_atomic_fetch_add *task);

/** Reads a sync event of the peer. */
struct doca_rdma_task_remote_net_sync_event_get;

/**
 * Report of one finished sync event get task; runs inside doca_pe_progress(). The task belongs to
 * the callee from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_remote_net_sync_event_get_completion_cb_t)(
    struct doca_rdma_task_remote_net_sync_event_get *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Ask whether sync event get tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_task_remote_net_sync_event_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * Configure sync event get tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_get_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_get_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_remote_net_sync_event_get_completion_cb_t error_task_completion_cb,
    uint32_t num_tasks);

/**
 * Take a sync event get task from those that were configured. Buffers and the rest are looked at
 * when it is submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @event: a sync event of the peer
 * @dst_buf: receives the 8 bytes of the value, behind its data, in local memory
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection or the event is NULL, or the connection
 *     is not one of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_get **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(
    struct doca_rdma_task_remote_net_sync_event_get *task);

/** Change the sync event of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_get_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_get *task,
    const struct doca_sync_event_remote_net *event);

/** Get the sync event of a task. */
DOCA_EXPERIMENTAL
const struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_get_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/** Change the destination of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(
    struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_buf *dst_buf);

/** Get the destination of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/** Get the number of bytes received, of a task that succeeded. */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_get *task,
    struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/** Sets a sync event of the peer. */
struct doca_rdma_task_remote_net_sync_event_notify_set;

/**
 * Report of one finished sync event set task; runs inside doca_pe_progress(). The task belongs to
 * the callee from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t)(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Ask whether sync event set tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(
    const struct doca_devinfo *devinfo);

/**
 * Configure sync event set tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t error_task_completion_cb,
    uint32_t num_tasks);

/**
 * Take a sync event set task from those that were configured. Buffers and the rest are looked at
 * when it is submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @event: a sync event of the peer
 * @src_buf: the value: 8 bytes of data in local memory
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection or the event is NULL, or the connection
 *     is not one of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_set **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_remote_net_sync_event_notify_set_as_task(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/** Change the sync event of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task,
    struct doca_sync_event_remote_net *event);

/** Get the sync event of a task. */
DOCA_EXPERIMENTAL
struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task,
    struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/** Change the source of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task, const struct doca_buf *src_buf);

/** Get the source of a task. */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/** Adds to a sync event of the peer. */
struct doca_rdma_task_remote_net_sync_event_notify_add;

/**
 * Report of one finished sync event add task; runs inside doca_pe_progress(). The task belongs to
 * the callee from here on.
 *
 * @task: the finished task
 * @task_user_data: data of the task
 * @ctx_user_data: data of the context
 */
typedef void (*doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t)(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Ask whether sync event add tasks are offered.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: they are not
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(
    const struct doca_devinfo *devinfo);

/**
 * Configure sync event add tasks; needed to allocate any.
 *
 * @successful_task_completion_cb: runs for each task that did what it says
 * @error_task_completion_cb: runs for each other one; may be the same function
 * @num_tasks: how many can be allocated at once, 1 up to the size of the queue that the device
 *   allows
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_tasks is out of range
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t error_task_completion_cb,
    uint32_t num_tasks);

/**
 * Take a sync event add task from those that were configured. Buffers and the rest are looked at
 * when it is submitted.
 *
 * @rdma_connection: what the task is for; of this instance
 * @event: a sync event of the peer
 * @result_buf: receives the 8 bytes that were there before, in local memory; may be NULL
 * @add_data: what is added
 * @user_data: of the task
 * @task: receives the task; the caller ends it with doca_task_free()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: rdma, task, the connection or the event is NULL, or the connection
 *     is not one of this instance
 *   DOCA_ERROR_BAD_STATE: the context is not running
 *   DOCA_ERROR_NO_MEMORY: all configured tasks are out
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    struct doca_sync_event_remote_net *event, struct doca_buf *result_buf, uint64_t add_data,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_add **task);

/** Get the task for doca_task_submit() and its like. NULL for NULL. */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_remote_net_sync_event_notify_add_as_task(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/** Change the sync event of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task,
    struct doca_sync_event_remote_net *event);

/** Get the sync event of a task. */
DOCA_EXPERIMENTAL
struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/** Change the result buffer of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, struct doca_buf *result_buf);

/** Get the result buffer of a task. */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/** Change the addend of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_add_data(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, uint64_t add_data);

/** Get the addend of a task. */
DOCA_EXPERIMENTAL
uint64_t doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/** Change the connection of a task that is not submitted. */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task,
    struct doca_rdma_connection *rdma_connection);

/** Get the connection of a task. */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/** A completion queue of a DPA processor; there is none here. */
struct doca_dpa_completion;

/**
 * Attach a completion queue of a DPA processor. Refused: there is none.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_BAD_STATE: the context is not idle
 *   DOCA_ERROR_NOT_SUPPORTED: always, else
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
                                             struct doca_dpa_completion *dpa_comp);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_H_ */
