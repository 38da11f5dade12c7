/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers of active messages: a worker loads this, and runs them for what other workers send. The
 * program that the worker belongs to may sleep meanwhile. */
#include "handlers.h"

#include <string.h>

extern __attribute__((visibility("default"))) const struct urom_am_handler_table urom_am_handlers;

static struct tally tally;

static doca_error_t run_reverse(uint64_t source, const void *bytes, size_t len, void *reply,
                                size_t *reply_len)
{
    (void)source;
    if (*reply_len < len)
        return DOCA_ERROR_TOO_BIG;
    reverse(reply, bytes, len);
    *reply_len = len;
    tally.messages++;
    tally.bytes += len;
    return DOCA_SUCCESS;
}

static doca_error_t run_tally(uint64_t source, const void *bytes, size_t len, void *reply,
                              size_t *reply_len)
{
    (void)source;
    (void)bytes;
    (void)len;
    if (*reply_len < sizeof(tally))
        return DOCA_ERROR_TOO_BIG;
    memcpy(reply, &tally, sizeof(tally));
    *reply_len = sizeof(tally);
    return DOCA_SUCCESS;
}

static const struct urom_am_handler_entry entries[] = {
    {HANDLER_REVERSE, run_reverse},
    {HANDLER_TALLY, run_tally},
};

const struct urom_am_handler_table urom_am_handlers = {
    .version = 1, .count = sizeof(entries) / sizeof(entries[0]), .entries = entries};
