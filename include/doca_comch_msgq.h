/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comch message queue: a fast path between programs of the CPU and of a DPA processor on one
 * device, without a connection.
 *
 * Call order: create, say which side the DPA processor takes and how many consumers and producers
 * there will be, start, create them, destroy them, stop, destroy the queue.
 *
 * There is no DPA processor here: the calls exist so that programs link, and create answers
 * DOCA_ERROR_NOT_SUPPORTED.
 *
 * Threads: one thread at a time.
 */
#ifndef DOCA_COMCH_MSGQ_H_
#define DOCA_COMCH_MSGQ_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_msgq;
struct doca_comch_producer;
struct doca_comch_consumer;
struct doca_dev;
struct doca_dpa;

/**
 * Create a queue on a device, not started.
 *
 * @dev: must stay open until the queue is destroyed
 * @msgq: receives the queue; the caller ends it with doca_comch_msgq_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);

/**
 * Destroy a stopped queue.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: msgq is NULL
 *   DOCA_ERROR_IN_USE: the queue is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);

/**
 * Put the consumers of the queue on a DPA processor and its producers on the CPU.
 *
 * @dpa: must outlive the queue
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the queue is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * Say how many consumers the queue can have.
 *
 * @max_num_consumers: at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: msgq is NULL or max_num_consumers is 0
 *   DOCA_ERROR_BAD_STATE: the queue is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_consumers);

/**
 * Put the producers of the queue on a DPA processor and its consumers on the CPU.
 *
 * @dpa: must outlive the queue
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the queue is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * Say how many producers the queue can have.
 *
 * @max_num_producers: at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: msgq is NULL or max_num_producers is 0
 *   DOCA_ERROR_BAD_STATE: the queue is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_producers);

/**
 * Start a queue. The configuration is closed.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: msgq is NULL
 *   DOCA_ERROR_BAD_STATE: the queue is started
 *   DOCA_ERROR_NOT_SUPPORTED: the device cannot carry what was configured
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);

/**
 * Stop a queue that has no consumers and producers any more.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: msgq is NULL
 *   DOCA_ERROR_BAD_STATE: the queue is not started
 *   DOCA_ERROR_IN_USE: a consumer or producer of the queue is left
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/**
 * Create a consumer on a started queue.
 *
 * @consumer: receives the consumer; the caller ends it with doca_comch_consumer_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the queue is not started
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted, or the queue has all its consumers
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_consumer **consumer);

/**
 * Create a producer on a started queue.
 *
 * @producer: receives the producer; the caller ends it with doca_comch_producer_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_BAD_STATE: the queue is not started
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted, or the queue has all its producers
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_MSGQ_H_ */
