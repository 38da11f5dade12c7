/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucs/config/parser.h>
#include <ucs/debug/log_def.h>
#include <unistd.h>

#include "soft/link/ucx/module/ucx_priv.h"

#define PREFIX "OPENDOCA_UCX_"

/* UCX also reads the plain UCX_ variables, which are the program's and not for us. What matters is
 * therefore set by hand, unless the user says otherwise under our prefix. */
static const struct {
    const char *name;
    const char *value;
} settings[] = {
    /* The same machine is what local links are for; shared memory would only tell later of the
     * other side's death. */
    {"TLS", "^posix,sysv,cma,xpmem,knem"},
    {"NET_DEVICES", "all"},
    {"SOCKADDR_TLS_PRIORITY", "rdmacm,tcp"},
    {"PROTO_ENABLE", "n"},
    {"KEEPALIVE_INTERVAL", "inf"}, /* links have their own */
    /* A cache of registered memory would patch the program's memory functions. */
    {"RCACHE_ENABLE", "n"},
    {"TCP_TX_SEG_SIZE", "8k"},
    {"TCP_RX_SEG_SIZE", "128k"},
};

/* ---- Complaints ---- */

static __thread char complaint[SOFT_REASON_SIZE];
static __thread bool listening;

/* What UCX says while it works for us is kept for our own reason; libraries do not print. It may
 * work for the program as well. */
static ucs_log_func_rc_t keep_message(const char *file, unsigned int line, const char *function,
                                      ucs_log_level_t level,
                                      const ucs_log_component_config_t *component,
                                      const char *format, va_list ap)
{
    (void)file;
    (void)line;
    (void)function;
    (void)component;
    if (!listening)
        return UCS_LOG_FUNC_RC_CONTINUE;
    if (level <= UCS_LOG_LEVEL_DIAG)
        vsnprintf(complaint, sizeof(complaint), format, ap);
    return UCS_LOG_FUNC_RC_STOP;
}

void soft_ucx_listen_to_complaints(bool on)
{
    static bool installed;

    if (on && !installed) {
        ucs_log_push_handler(keep_message);
        installed = true;
    }
    listening = on;
}

const char *soft_ucx_complaint(ucs_status_t status)
{
    return complaint[0] != '\0' ? complaint : ucs_status_string(status);
}

/* ---- The context ---- */

/* A killed process leaves connections of its port behind that the kernel keeps for a minute. That
 * the port may be used nevertheless is a setting which UCX takes only from its environment, which
 * is not ours, or from a file. */
static void let_ports_be_reused(void)
{
    static const char text[] = "UCX_CM_REUSEADDR=y\n";
    int fd = memfd_create("ucx.conf", MFD_CLOEXEC);
    char name[16];

    if (fd < 0)
        return;
    snprintf(name, sizeof(name), "%d", fd);
    if (write(fd, text, strlen(text)) == (ssize_t)strlen(text))
        ucs_config_parse_config_file("/proc/self/fd", name, 1);
    close(fd);
}

static ucs_status_t configure(ucp_config_t *config)
{
    char variable[64];
    const char *value;
    ucs_status_t status = UCS_OK;

    for (size_t i = 0; i < OD_ARRAY_SIZE(settings) && status == UCS_OK; i++) {
        snprintf(variable, sizeof(variable), PREFIX "%s", settings[i].name);
        value = getenv(variable);
        status =
            ucp_config_modify(config, settings[i].name, value != NULL ? value : settings[i].value);
    }
    return status;
}

int soft_ucx_context(ucp_context_h *context)
{
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
                           .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
                           .name = "opendoca"};
    ucp_config_t *config;
    ucs_status_t status;

    complaint[0] = '\0';
    let_ports_be_reused();
    status = ucp_config_read("OPENDOCA", NULL, &config);
    if (status != UCS_OK)
        return soft_fail(-ENOTSUP, "UCX cannot read its configuration: %s",
                         soft_ucx_complaint(status));
    status = configure(config);
    if (status == UCS_OK)
        status = ucp_init(&params, config, context);
    ucp_config_release(config);
    if (status != UCS_OK)
        return soft_fail(-ENOTSUP, "UCX cannot start: %s; see the variables " PREFIX "*",
                         soft_ucx_complaint(status));
    return 0;
}
