/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/common/plugin.h"

#include <stdlib.h>
#include <string.h>

void plugin_fini(struct plugin_base *base)
{
    while (!ucs_list_is_empty(&base->done))
        free(ucs_list_extract_head(&base->done, struct urom_worker_notif_desc, entry));
}

struct urom_worker_notif_desc *plugin_note(const struct urom_worker_cmd_desc *command, size_t len,
                                           size_t extra)
{
    struct urom_worker_notif_desc *note =
        malloc(sizeof(*note) + len + (extra > 0 ? extra + OD_CACHE_LINE : 0));

    if (note == NULL)
        return NULL;
    note->dest_id = command->dest_id;
    note->worker_notif = (struct urom_worker_notify){
        .type = command->worker_cmd.type,
        .urom_context = command->worker_cmd.urom_context,
        .len = len,
    };
    return note;
}

doca_error_t plugin_answer(struct plugin_base *base, const struct urom_worker_cmd_desc *command,
                           doca_error_t status, const void *bytes, size_t len)
{
    struct urom_worker_notif_desc *note = plugin_note(command, len, 0);

    if (note == NULL)
        return DOCA_ERROR_NO_MEMORY;
    if (len > 0)
        memcpy(note->worker_notif.plugin_notif, bytes, len);
    plugin_finish(base, note, status);
    return DOCA_SUCCESS;
}
