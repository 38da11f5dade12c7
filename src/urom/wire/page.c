/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/page.h"

const char *urom_call_name(enum urom_page_call call)
{
    static const char *const names[UROM_CALL_NUM] = {
        [UROM_CALL_NONE] = "none",
        [UROM_CALL_OPEN] = "open",
        [UROM_CALL_CLOSE] = "close",
        [UROM_CALL_ADDR] = "addr",
        [UROM_CALL_WORKER_CMD] = "worker_cmd",
        [UROM_CALL_PROGRESS] = "progress",
        [UROM_CALL_NOTIF_PACK] = "notif_pack",
    };

    return (unsigned int)call < UROM_CALL_NUM ? names[call] : "unknown";
}
