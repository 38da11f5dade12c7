/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "urom/wire/control.h"
#include "urom/wire/frames.h"
#include "urom/wire/spawn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_attach(const void *body, size_t len)
{
    struct urom_attach attach;
    const char *env;

    if (urom_attach_decode(body, len, &attach, &env) != 0)
        return;
    for (uint32_t i = 0; i < attach.env_count; i++) {
        if (strchr(env, '=') == NULL)
            abort();
        env += strlen(env) + 1;
    }
}

static void check_plugins(const void *body, size_t len)
{
    struct doca_urom_service_plugin_info plugins[UROM_WIRE_PLUGINS_MAX];
    uint32_t count;

    if (urom_plugins_decode(body, len, plugins, &count) != 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (strlen(plugins[i].plugin_name) >= sizeof(plugins[i].plugin_name))
            abort();
    }
}

static void check_ids(const void *body, size_t len)
{
    uint64_t id, sum = 0;
    const void *ids;
    uint32_t count;

    if (urom_gid_result_decode(body, len, &ids, &count) != 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&id, (const uint8_t *)ids + i * sizeof(id), sizeof(id));
        sum += id;
    }
    __asm__ volatile("" : : "r"(sum));
}

static void check_body(const void *body, size_t len)
{
    union {
        struct urom_gid_query query;
        struct urom_attach_ok ok;
        struct urom_result result;
        struct urom_worker_exit gone;
        struct urom_ready ready;
        struct urom_admit admit;
        struct urom_drop drop;
        struct urom_probe probe;
    } any;

    check_attach(body, len);
    check_plugins(body, len);
    check_ids(body, len);
    urom_gid_query_decode(body, len, &any.query);
    urom_attach_ok_decode(body, len, &any.ok);
    urom_result_decode(body, len, &any.result);
    urom_worker_exit_decode(body, len, &any.gone);
    urom_ready_decode(body, len, &any.ready);
    urom_admit_decode(body, len, &any.admit);
    urom_drop_decode(body, len, &any.drop);
    urom_probe_decode(body, len, &any.probe);
}

/* A stream of link messages, each behind a 16-bit length; what they make up is decoded as
 * everything that it could be. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct urom_join join = {.limit = 1 << 16};

    check_body(data, size);
    while (size >= 2) {
        size_t len = OD_MIN((size_t)(data[0] | data[1] << 8), size - 2);
        int state = urom_join_frame(&join, data + 2, len);

        if (state < 0)
            break;
        if (state == 1)
            check_body(join.body, join.len);
        data += 2 + len;
        size -= 2 + len;
    }
    urom_join_free(&join);
    return 0;
}
