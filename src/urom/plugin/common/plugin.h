/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_COMMON_PLUGIN_H_
#define OD_UROM_PLUGIN_COMMON_PLUGIN_H_

/* What plugins of the house share: answers to commands. */

#include <stdatomic.h>
#include <stdlib.h>

#include <doca_urom_ext.h>
#include <doca_urom_plugin.h>

#include "urom/plugin/common/ops_wire.h"
#include "util/base.h"
#include "util/list.h"
#include "util/waker.h"

/* Functions that several plugins call, and what the worker looks up in a plugin. */
#define PLUGIN_API __attribute__((visibility("default")))

PLUGIN_API doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
PLUGIN_API doca_error_t urom_plugin_get_version(uint64_t *version);
PLUGIN_API doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd);
PLUGIN_API void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id);

struct plugin_base {
    ucs_list_link_t done; /* notifications that progress hands over */
    /* errand.h */
    struct od_waker *waker; /* the plugin's, woken when an errand has ended */
    struct od_list finished;
    atomic_bool has_finished;
    uint32_t errands; /* under way */
    bool has_had;     /* errands at all */
};

/* `waker` may be NULL for plugins without errands. */
static inline void plugin_init(struct plugin_base *base, struct od_waker *waker)
{
    ucs_list_head_init(&base->done);
    od_list_init(&base->finished);
    atomic_init(&base->has_finished, false);
    base->waker = waker;
    base->errands = 0;
    base->has_had = false;
}

/* Notifications that nobody fetched. */
PLUGIN_API void plugin_fini(struct plugin_base *base);

/* A notification of a command, with `len` bytes of answer and `extra` bytes behind them that do not
 * travel, aligned to 64 from the end of the answer on; NULL: no memory. The bytes are not set. */
PLUGIN_API struct urom_worker_notif_desc *plugin_note(const struct urom_worker_cmd_desc *command,
                                                      size_t len, size_t extra);

/* Where the extra bytes of plugin_note() begin. */
static inline void *plugin_note_extra(const struct urom_worker_notif_desc *note, size_t len)
{
    const uintptr_t end = (uintptr_t)note->worker_notif.plugin_notif + len;

    return (void *)((end + OD_CACHE_LINE - 1) & ~(uintptr_t)(OD_CACHE_LINE - 1));
}

/* Hands a notification over at the next progress. */
static inline void plugin_finish(struct plugin_base *base, struct urom_worker_notif_desc *note,
                                 doca_error_t status)
{
    note->worker_notif.status = status;
    ucs_list_add_tail(&base->done, &note->entry);
}

/* Answers at once with `len` bytes. Without memory nothing is said; the result is for worker_cmd to
 * return then. */
PLUGIN_API doca_error_t plugin_answer(struct plugin_base *base,
                                      const struct urom_worker_cmd_desc *command,
                                      doca_error_t status, const void *bytes, size_t len);

/* What a plugin does with one command, which is freed behind it unless it sets `keeps`. */
typedef doca_error_t plugin_execute(struct urom_worker_ctx *ctx,
                                    struct urom_worker_cmd_desc *command, bool *keeps);

/* For worker_cmd: executes commands in their order, until one fails. */
static inline doca_error_t plugin_commands(struct urom_worker_ctx *ctx, ucs_list_link_t *list,
                                           plugin_execute *execute)
{
    while (!ucs_list_is_empty(list)) {
        struct urom_worker_cmd_desc *command =
            ucs_list_extract_head(list, struct urom_worker_cmd_desc, entry);
        bool keeps = false;
        doca_error_t result = execute(ctx, command, &keeps);

        if (!keeps)
            free(command);
        if (od_unlikely(result != DOCA_SUCCESS))
            return result;
    }
    return DOCA_SUCCESS;
}

/* For progress: what there is. */
static inline doca_error_t plugin_hand_over(struct plugin_base *base, ucs_list_link_t *list)
{
    if (ucs_list_is_empty(&base->done))
        return DOCA_ERROR_EMPTY;
    ucs_list_splice_tail(list, &base->done);
    ucs_list_head_init(&base->done);
    return DOCA_SUCCESS;
}

#endif /* OD_UROM_PLUGIN_COMMON_PLUGIN_H_ */
