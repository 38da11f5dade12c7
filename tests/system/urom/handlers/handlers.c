/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers of active messages as a program brings them. */
#include <string.h>

#include <doca_urom_am_handler.h>

#include "handlers.h"

extern __attribute__((visibility("default"))) const struct urom_am_handler_table urom_am_handlers;

/* Answers with the sender and the length. */
static doca_error_t tell(uint64_t source, const void *bytes, size_t len, void *reply,
                         size_t *reply_len)
{
    const struct handler_told told = {.source = source, .len = len};

    (void)bytes;
    if (*reply_len < sizeof(told))
        return DOCA_ERROR_TOO_BIG;
    memcpy(reply, &told, sizeof(told));
    *reply_len = sizeof(told);
    return DOCA_SUCCESS;
}

static doca_error_t refuse(uint64_t source, const void *bytes, size_t len, void *reply,
                           size_t *reply_len)
{
    (void)source;
    (void)bytes;
    (void)len;
    (void)reply;
    *reply_len = 0;
    return DOCA_ERROR_NOT_PERMITTED;
}

static doca_error_t pass_on(uint64_t source, const void *bytes, size_t len, void *reply,
                            size_t *reply_len)
{
    (void)source;
    (void)bytes;
    (void)len;
    (void)reply;
    *reply_len = 1; /* is not taken */
    return DOCA_ERROR_SKIPPED;
}

static const struct urom_am_handler_entry entries[] = {
    {HANDLER_TELL, tell},
    {HANDLER_REFUSE, refuse},
    {HANDLER_PASS_ON, pass_on},
};

const struct urom_am_handler_table urom_am_handlers = {
    .version = 1, .count = sizeof(entries) / sizeof(entries[0]), .entries = entries};
