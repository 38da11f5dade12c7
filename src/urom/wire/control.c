/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/control.h"

#include <errno.h>

#include "urom/wire/pack.h"

size_t urom_plugins_encode(const struct doca_urom_service_plugin_info *plugins, uint32_t count,
                           void *buf, size_t cap)
{
    const struct urom_plugins head = {sizeof(head), count};
    struct urom_out out = {buf, cap, 0};

    urom_out_bytes(&out, &head, sizeof(head));
    urom_out_bytes(&out, plugins, count * sizeof(plugins[0]));
    return out.len;
}

static bool plugin_is_sane(struct doca_urom_service_plugin_info *plugin)
{
    return plugin->id != 0 && (plugin->id & (plugin->id - 1)) == 0 &&
           urom_text_clean(plugin->plugin_name, sizeof(plugin->plugin_name)) &&
           plugin->plugin_name[0] != '\0';
}

int urom_plugins_decode(const void *bytes, size_t len,
                        struct doca_urom_service_plugin_info *plugins, uint32_t *count)
{
    struct urom_in in = {.at = bytes, .left = len};
    struct urom_plugins head;
    const void *list;

    if (!urom_in_struct(&in, &head, sizeof(head)) || head.count > UROM_WIRE_PLUGINS_MAX)
        return -EBADMSG;
    list = urom_in_bytes(&in, head.count * sizeof(plugins[0]));
    if (!urom_in_done(&in))
        return -EBADMSG;
    memcpy(plugins, list, head.count * sizeof(plugins[0]));
    for (uint32_t i = 0; i < head.count; i++) {
        if (!plugin_is_sane(&plugins[i]) || (i > 0 && plugins[i].id <= plugins[i - 1].id))
            return -EBADMSG;
    }
    *count = head.count;
    return 0;
}

int urom_gid_query_decode(const void *bytes, size_t len, struct urom_gid_query *query)
{
    return urom_in_only(bytes, len, query, sizeof(*query));
}

size_t urom_gid_result_encode(const uint64_t *ids, uint32_t count, void *buf, size_t cap)
{
    const struct urom_gid_result head = {sizeof(head), count};
    struct urom_out out = {buf, cap, 0};

    urom_out_bytes(&out, &head, sizeof(head));
    urom_out_bytes(&out, ids, count * sizeof(ids[0]));
    return out.len;
}

int urom_gid_result_decode(const void *bytes, size_t len, const void **ids, uint32_t *count)
{
    struct urom_in in = {.at = bytes, .left = len};
    struct urom_gid_result head;
    const void *list;

    if (!urom_in_struct(&in, &head, sizeof(head)) || head.count > UROM_WIRE_WORKERS_MAX)
        return -EBADMSG;
    list = urom_in_bytes(&in, head.count * sizeof(uint64_t));
    if (!urom_in_done(&in))
        return -EBADMSG;
    *ids = list;
    *count = head.count;
    return 0;
}

size_t urom_attach_encode(const struct urom_attach *attach, const char *env, void *buf, size_t cap)
{
    struct urom_out out = {buf, cap, 0};

    urom_out_bytes(&out, attach, sizeof(*attach));
    urom_out_bytes(&out, env, attach->env_len);
    return out.len;
}

/* `count` strings of the form NAME=VALUE fill exactly `len` bytes. */
static bool env_is_sane(const char *env, size_t len, uint32_t count)
{
    for (; count > 0; count--) {
        size_t one = strnlen(env, len);
        const char *equal = memchr(env, '=', one);

        if (one == len || equal == NULL || equal == env)
            return false;
        env += one + 1;
        len -= one + 1;
    }
    return len == 0;
}

int urom_attach_decode(const void *bytes, size_t len, struct urom_attach *attach, const char **env)
{
    struct urom_in in = {.at = bytes, .left = len};
    struct urom_attach body;
    const char *list;

    if (!urom_in_struct(&in, &body, sizeof(body)))
        return -EBADMSG;
    list = urom_in_bytes(&in, body.env_len);
    if (!urom_in_done(&in) || !env_is_sane(list, body.env_len, body.env_count))
        return -EBADMSG;
    if (!urom_text_clean(body.net_devices, sizeof(body.net_devices)) || body.plugins == 0 ||
        body.inflight == 0 || body.inflight > UROM_WIRE_INFLIGHT_MAX ||
        (body.inflight & (body.inflight - 1)) != 0)
        return -EBADMSG;
    *attach = body;
    *env = list;
    return 0;
}

int urom_attach_ok_decode(const void *bytes, size_t len, struct urom_attach_ok *ok)
{
    struct urom_attach_ok body;

    if (urom_in_only(bytes, len, &body, sizeof(body)) != 0 ||
        !urom_text_clean(body.addr, sizeof(body.addr)))
        return -EBADMSG;
    *ok = body;
    return 0;
}

void urom_result_init(struct urom_result *result, doca_error_t error, const char *text)
{
    *result = (struct urom_result){.size = sizeof(*result), .error = (int32_t)error};
    urom_text_set(result->text, sizeof(result->text), text);
}

int urom_result_decode(const void *bytes, size_t len, struct urom_result *result)
{
    struct urom_result body;

    if (urom_in_only(bytes, len, &body, sizeof(body)) != 0 ||
        !urom_text_clean(body.text, sizeof(body.text)) || body.error < 0 ||
        body.error > DOCA_ERROR_DEVICE_FATAL_ERROR)
        return -EBADMSG;
    *result = body;
    return 0;
}

const char *urom_exit_name(enum urom_exit how)
{
    static const char *const names[UROM_EXIT_NUM] = {
        [UROM_EXIT_CLEAN] = "clean",       [UROM_EXIT_ERROR] = "error",
        [UROM_EXIT_SIGNAL] = "signal",     [UROM_EXIT_WATCHDOG] = "watchdog",
        [UROM_EXIT_SHUTDOWN] = "shutdown",
    };

    return (unsigned int)how < UROM_EXIT_NUM ? names[how] : "unknown";
}

int urom_worker_exit_decode(const void *bytes, size_t len, struct urom_worker_exit *gone)
{
    return urom_in_only(bytes, len, gone, sizeof(*gone));
}
