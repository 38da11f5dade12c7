/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DOCA_UROM_AM_HANDLER_H_
#define DOCA_UROM_AM_HANDLER_H_

/**
 * @file doca_urom_am_handler.h
 *
 * Handlers of active messages of a program's own: functions that a worker with the plugin worker_am
 * runs for messages that come from other workers. They are in a shared object that the environment
 * variable UROM_AM_HANDLERS of the worker names, see doca_urom_worker_set_env(), and which defines
 * `const struct urom_am_handler_table urom_am_handlers`. A worker that cannot load it does not
 * start.
 *
 * The plugin has handlers of its own: 0 passes messages on to receives, 1 answers with the bytes
 * that came (echo), 2 counts messages and answers with their number so far.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The first id that a program may use. */
#define UROM_AM_HANDLER_FIRST 16u

/**
 * Runs for one message, in the thread of the worker, which it must not keep.
 *
 * @source: domain id of the sender, as the sender tells it and its own worker has checked it
 * @bytes: the message, valid until the handler returns
 * @reply: where an answer to the sender may be written
 * @reply_len: room there; set to the length of the answer, 0 if there is none
 *
 * Returns the status of the sender's operation: DOCA_SUCCESS or any error. DOCA_ERROR_SKIPPED
 * passes the message on to receives of this handler's id, whose fate is the status.
 */
typedef doca_error_t (*urom_am_handler_t)(uint64_t source, const void *bytes, size_t len,
                                          void *reply, size_t *reply_len);

/** One handler. */
struct urom_am_handler_entry {
    uint32_t id;           /**< UROM_AM_HANDLER_FIRST or above, each once */
    urom_am_handler_t run; /**< the function */
};

/** All handlers of a shared object. */
struct urom_am_handler_table {
    uint32_t version;                            /**< 1 */
    uint32_t count;                              /**< number of entries */
    const struct urom_am_handler_entry *entries; /**< the handlers */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_AM_HANDLER_H_ */
