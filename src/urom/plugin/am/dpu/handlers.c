/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "urom/plugin/am/dpu/am_priv.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::AM::HANDLERS);

#define VARIABLE "UROM_AM_HANDLERS"
#define TABLE    "urom_am_handlers"

#define REPLY_MAX (AM_MESSAGE_MAX - sizeof(struct am_packet))

enum own_handler {
    HANDLER_DELIVER = 0,
    HANDLER_ECHO = 1,
    HANDLER_COUNT = 2,
};

static bool is_table(const struct urom_am_handler_table *table)
{
    if (table->version != 1 || (table->count > 0 && table->entries == NULL))
        return false;
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->entries[i].id < UROM_AM_HANDLER_FIRST || table->entries[i].id == AM_ANY ||
            table->entries[i].run == NULL)
            return false;
    }
    return true;
}

bool am_handlers_load(struct am *am)
{
    const char *path = getenv(VARIABLE);

    if (path == NULL || path[0] == '\0')
        return true;
    am->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (am->library == NULL) {
        DOCA_LOG_ERR(VARIABLE ": %s", dlerror());
        return false;
    }
    am->more = dlsym(am->library, TABLE);
    if (am->more != NULL && is_table(am->more))
        return true;
    DOCA_LOG_ERR(VARIABLE ": %s has no table " TABLE " of version 1 with ids from %u on", path,
                 UROM_AM_HANDLER_FIRST);
    am_handlers_unload(am);
    return false;
}

void am_handlers_unload(struct am *am)
{
    am->more = NULL;
    if (am->library != NULL)
        dlclose(am->library);
    am->library = NULL;
}

static urom_am_handler_t find(const struct am *am, uint32_t id)
{
    for (uint32_t i = 0; am->more != NULL && i < am->more->count; i++) {
        if (am->more->entries[i].id == id)
            return am->more->entries[i].run;
    }
    return NULL;
}

static doca_error_t run_more(struct am *am, uint32_t handler, uint64_t source, const void *bytes,
                             size_t len, size_t *reply_len)
{
    const urom_am_handler_t run = find(am, handler);
    doca_error_t result;

    if (run == NULL)
        return DOCA_ERROR_NOT_FOUND;
    *reply_len = REPLY_MAX;
    result = run(source, bytes, len, am->reply, reply_len);
    if (*reply_len > REPLY_MAX)
        *reply_len = 0;
    if (result != DOCA_ERROR_SKIPPED)
        return result;
    *reply_len = 0;
    return am_deliver(am, handler, source, bytes, len);
}

doca_error_t am_handle(struct am *am, uint32_t handler, uint64_t source, const void *bytes,
                       size_t len, size_t *reply_len)
{
    *reply_len = 0;
    switch (handler) {
    case HANDLER_DELIVER:
        return am_deliver(am, handler, source, bytes, len);
    case HANDLER_ECHO:
        memcpy(am->reply, bytes, len);
        *reply_len = len;
        return DOCA_SUCCESS;
    case HANDLER_COUNT:
        am->counted++;
        memcpy(am->reply, &am->counted, sizeof(am->counted));
        *reply_len = sizeof(am->counted);
        return DOCA_SUCCESS;
    default:
        return run_more(am, handler, source, bytes, len, reply_len);
    }
}
