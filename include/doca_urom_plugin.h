/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UROM plugins: what a worker process and the shared objects that it loads have to agree on. A
 * plugin brings one family of operations. Its worker half is loaded by workers from a file whose
 * name, without ".so", is the name of the plugin; its host half, if any, packs commands for it.
 *
 * The worker half exports two C functions:
 *   doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface): fills in iface
 *   doca_error_t urom_plugin_get_version(uint64_t *version): tells the plugin's own version
 * Both answer DOCA_ERROR_INVALID_VALUE to NULL.
 *
 * Legal order: the worker calls open once, addr twice, then progress again and again, with
 * worker_cmd before it when there are commands, then close once. After an open that failed there is
 * no other call.
 *
 * Commands and notifications travel as they lie in memory: both halves are of one byte order and
 * have 64-bit pointers. The layouts below are fixed for good.
 *
 * Threads: the worker calls a plugin from one thread. A plugin may have threads of its own, which
 * may call the lookups doca_urom_worker_domain_*() at the same time, and nothing else.
 */
#ifndef DOCA_UROM_PLUGIN_H_
#define DOCA_UROM_PLUGIN_H_

#include <limits.h>

#include <ucs/datastruct/list.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Size of a plugin's name in bytes, the closing NUL included. */
#define DOCA_UROM_PLUGIN_NAME_MAX_LEN 48

struct urom_worker_ctx;

/** A plugin that a service offers. */
struct doca_urom_service_plugin_info {
    uint64_t id;                                     /**< one bit, unique within the service */
    uint64_t version;                                /**< what urom_plugin_get_version() tells */
    char plugin_name[DOCA_UROM_PLUGIN_NAME_MAX_LEN]; /**< the file's name without ".so" */
};

/* Open ends are not in ISO C++, and structs that end with such a struct are in neither standard. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

/** One command, as it travels from the host to the worker. */
struct urom_worker_cmd {
    uint64_t type;         /**< id of the plugin that it is for */
    uint64_t urom_context; /**< names the task at the host; goes back unchanged */
    uint64_t len;          /**< number of bytes in plugin_cmd */
    uint8_t plugin_cmd[];  /**< what the host half packed */
};

/** One command, as a plugin gets it: a block of its own from malloc(). */
struct urom_worker_cmd_desc {
    ucs_list_link_t entry; /**< place in the list */
    uint64_t dest_id;      /**< channel that the command came from; never used again for another */
    struct urom_worker_cmd worker_cmd; /**< the command; its end is the block's */
};

/** The end of one command, as it travels from the worker to the host. */
struct urom_worker_notify {
    uint64_t type;          /**< as in the command */
    uint64_t urom_context;  /**< as in the command */
    uint64_t len;           /**< number of bytes of the plugin's own */
    doca_error_t status;    /**< becomes the status of the task */
    uint32_t reserved;      /**< 0 */
    uint8_t plugin_notif[]; /**< becomes the response of the task */
};

/** The end of one command, as a plugin hands it over: a block of its own from malloc(). */
struct urom_worker_notif_desc {
    ucs_list_link_t entry;                  /**< place in the list */
    uint64_t dest_id;                       /**< channel that the command came from */
    struct urom_worker_notify worker_notif; /**< the notification */
};

#pragma GCC diagnostic pop

/** What a plugin does for a worker. */
struct urom_plugin_iface {
    /** Version of the headers that the plugin was compiled with, set by DOCA_STRUCT_CTOR() */
    DOCA_STRUCT_START;

    /**
     * Begin; may set ctx->plugin_ctx. Mandatory.
     *
     * @ctx: stays at its address until close returns
     *
     * Returns DOCA_SUCCESS, or any error, which makes the start of the worker fail.
     */
    doca_error_t (*open)(struct urom_worker_ctx *ctx);

    /** End, and free what open took. May be NULL. */
    void (*close)(struct urom_worker_ctx *ctx);

    /**
     * Tell the address under which plugins of the same name in other workers reach this one. May be
     * NULL: there is none.
     *
     * @addr: where to write it, may be NULL when *addr_len is 0
     * @addr_len: room at addr in bytes; set to the length of the address
     *
     * Returns DOCA_SUCCESS, also with a length of 0 for no address, or
     *   DOCA_ERROR_INVALID_VALUE: the room is too small; *addr_len tells what is needed
     */
    doca_error_t (*addr)(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len);

    /**
     * Take commands. Mandatory. What is taken is unlinked and, now or later, given to free(); what
     * stays in the list is offered again. The bytes of a command may be overwritten.
     *
     * @cmd_list: commands of type struct urom_worker_cmd_desc, oldest first, at least one
     *
     * Returns DOCA_SUCCESS, or
     *   DOCA_ERROR_AGAIN: with nothing taken, the rest is to be offered later
     *   any other error: the status of the command taken last, unless it has a notification, or of
     *     the first in the list when none was taken
     */
    doca_error_t (*worker_cmd)(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list);

    /**
     * Do a bit of work, without waiting, and hand over what has ended. Mandatory. Called also when
     * there are no commands.
     *
     * @notif_list: where to link, at the tail, blocks of type struct urom_worker_notif_desc, which
     *   the worker gives to free()
     *
     * Returns DOCA_SUCCESS when it has linked some, or
     *   DOCA_ERROR_EMPTY: nothing has ended
     *   any other error: goes to the log
     */
    doca_error_t (*progress)(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list);

    /**
     * Write a notification as it is to travel. May be NULL: header and len bytes behind it are
     * copied.
     *
     * @notif: one that progress handed over; its len may count bytes that are kept elsewhere
     * @packed_notif_len: room at packed_notif in bytes; set to the length, at least that of struct
     *   urom_worker_notify
     * @packed_notif: where to write, 16-byte aligned
     *
     * Returns DOCA_SUCCESS, or any error, which becomes the status of the task.
     */
    doca_error_t (*notif_pack)(struct urom_worker_notify *notif, size_t *packed_notif_len,
                               void *packed_notif);
};

/** What a worker does for a plugin; see the functions below, which call these. */
struct urom_domain_lookups_iface {
    /** Behind doca_urom_worker_domain_addr_lookup() */
    doca_error_t (*addr_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, void **addr);
    /** Behind doca_urom_worker_domain_seg_lookup() */
    doca_error_t (*seg_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, uint64_t va,
                               int *seg);
    /** Behind doca_urom_worker_domain_memh_lookup() */
    doca_error_t (*memh_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                size_t *len, void **memh);
    /** Behind doca_urom_worker_domain_mkey_lookup() */
    doca_error_t (*mkey_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                size_t *len, void **rkey);
};

/** One plugin in one worker. */
struct urom_worker_ctx {
    struct urom_plugin_iface iface;                /**< as the plugin filled it in */
    struct urom_domain_lookups_iface domain_iface; /**< filled in by the worker */
    void *plugin_ctx;                              /**< the plugin's own; NULL before open */
};

/**
 * Find the address of the plugin of the same name in a worker of the domain, this one included.
 *
 * @domain_id: id of that worker in the domain
 * @addr: receives the address, as that plugin told it; read only, valid until close returns
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_FOUND: no worker has the id, or its worker lacks the plugin
 */
static inline doca_error_t doca_urom_worker_domain_addr_lookup(struct urom_worker_ctx *ctx,
                                                               uint64_t domain_id, void **addr)
{
    return ctx->domain_iface.addr_lookup(ctx, domain_id, addr);
}

/**
 * Find the buffer of a worker of the domain that an address of its host process lies in.
 *
 * @domain_id: id of that worker in the domain
 * @va: the address
 * @seg: receives the number of the buffer, counted from 0 in the order in which it was added
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_FOUND: no worker has the id, or none of its buffers has the address
 */
static inline doca_error_t doca_urom_worker_domain_seg_lookup(struct urom_worker_ctx *ctx,
                                                              uint64_t domain_id, uint64_t va,
                                                              int *seg)
{
    return ctx->domain_iface.seg_lookup(ctx, domain_id, va, seg);
}

/**
 * Get the memory handle that a buffer of a worker of the domain was added with.
 *
 * @domain_id: id of that worker in the domain
 * @seg: number of the buffer
 * @len: receives the length of the handle in bytes
 * @memh: receives the handle; read only, valid until close returns
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_FOUND: no worker has the id, it has no such buffer, or that has no handle
 */
static inline doca_error_t doca_urom_worker_domain_memh_lookup(struct urom_worker_ctx *ctx,
                                                               uint64_t domain_id, int seg,
                                                               size_t *len, void **memh)
{
    return ctx->domain_iface.memh_lookup(ctx, domain_id, seg, len, memh);
}

/**
 * Get the memory key that a buffer of a worker of the domain was added with.
 *
 * @domain_id: id of that worker in the domain
 * @seg: number of the buffer
 * @len: receives the length of the key in bytes
 * @rkey: receives the key; read only, valid until close returns
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_FOUND: no worker has the id, it has no such buffer, or that has no key
 */
static inline doca_error_t doca_urom_worker_domain_mkey_lookup(struct urom_worker_ctx *ctx,
                                                               uint64_t domain_id, int seg,
                                                               size_t *len, void **rkey)
{
    return ctx->domain_iface.mkey_lookup(ctx, domain_id, seg, len, rkey);
}

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_PLUGIN_H_ */
