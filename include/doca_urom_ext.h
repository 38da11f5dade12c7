/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DOCA_UROM_EXT_H_
#define DOCA_UROM_EXT_H_

/**
 * @file doca_urom_ext.h
 *
 * What opendoca offers for UROM beyond the DOCA API: figures and reasons on the host side, services
 * of the worker for plugins on the other side. Programs and plugins that must also build against
 * another DOCA do without, or test `#if __has_include(<doca_urom_ext.h>)`.
 */

#include <sys/types.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_urom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Host side
 */

/** What a worker context has done since its last start. */
struct doca_urom_ext_stats {
    uint64_t submitted; /**< commands that the channel took */
    uint64_t completed; /**< of these, handed back with any status */
    uint64_t again;     /**< submits refused because too many were in flight */
    uint64_t stale;     /**< notifications that no task waited for */
};

/**
 * Get the figures of a worker context, in any state; all are 0 before its first start. Together
 * with the counters of `doca_urom_ctl workers` they tell what was submitted, executed, completed.
 *
 * @worker_ctx: the worker
 * @stats: receives the figures
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ext_worker_get_stats(struct doca_urom_worker *worker_ctx,
                                            struct doca_urom_ext_stats *stats);

/**
 * Tell why the last start of a worker context failed after doca_ctx_start() had returned.
 *
 * Returns one line of text, "" when it did not fail, and for NULL. It belongs to the worker and is
 * valid until the next start.
 */
DOCA_EXPERIMENTAL
const char *doca_urom_ext_worker_last_error(struct doca_urom_worker *worker_ctx);

/**
 * Tell where workers of other hosts would reach memory that this process offers.
 *
 * @service_ctx: the service
 * @addr: receives HOST:0, an address of this machine with the port left open; "" when the service
 *   is not running, or is for one machine only. It belongs to the service and is valid until that
 *   is stopped
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_ext_service_get_listen_addr(const struct doca_urom_service *service_ctx,
                                                   const char **addr);

/* ------------------------------------------------------------------------------------------------
 * Worker side. A plugin may export any of the functions below, as C functions of these names; the
 * worker calls them from the thread that calls the rest of the plugin.
 */

/** Who is at the other end of a channel. */
struct urom_ext_conn_info {
    pid_t pid;            /**< of the client as this process sees it; 0: on another machine */
    uid_t uid;            /**< its user; (uid_t)-1: on another machine */
    uint64_t start_time;  /**< of the client, clock ticks since boot; 0: not known */
    uint8_t same_machine; /**< 1 or 0 */
};

/** What the worker does for plugins that ask. */
struct urom_ext_runtime {
    size_t size;        /**< of this structure; later versions append */
    uint64_t worker_id; /**< id of this worker */
    /**
     * Tell who is behind a dest id.
     *
     * Returns DOCA_SUCCESS, or DOCA_ERROR_NOT_FOUND: the channel is closed,
     * DOCA_ERROR_INVALID_VALUE: info is NULL
     */
    doca_error_t (*conn_info)(struct urom_worker_ctx *ctx, uint64_t dest_id,
                              struct urom_ext_conn_info *info);
    /**
     * Have the worker call progress soon, also when it sleeps. The only one of these functions that
     * other threads of a plugin may call.
     */
    void (*wake)(struct urom_worker_ctx *ctx);
    /** Where plugins may listen for workers of other hosts: an address of this one with the port
     * left open, "ucx:HOST:0"; "" when the service is for this machine only. */
    const char *listen_addr;
};

/** Name: urom_plugin_ext_runtime. Called once, before open; `runtime` is valid until close. */
typedef void (*urom_plugin_ext_runtime_t)(const struct urom_ext_runtime *runtime);

/** Name: urom_plugin_ext_conn_closed. A client left; its dest id is never used again. */
typedef void (*urom_plugin_ext_conn_closed_t)(struct urom_worker_ctx *ctx, uint64_t dest_id);

/**
 * Name: urom_plugin_ext_arm. The worker wants to sleep and asks what would wake the plugin. Without
 * this function progress is called every millisecond, and every eight after a second without
 * work.
 *
 * @fd: receives a descriptor that becomes readable when there is something to progress; -1 when
 *   only commands give the plugin something to do. It stays the plugin's.
 *
 * Returns DOCA_SUCCESS, or DOCA_ERROR_AGAIN: there is something to progress now,
 * DOCA_ERROR_IN_PROGRESS: the descriptor does not tell everything, progress is to be called as
 * without this function, too
 */
typedef doca_error_t (*urom_plugin_ext_arm_t)(struct urom_worker_ctx *ctx, int *fd);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_EXT_H_ */
