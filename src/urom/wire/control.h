/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_CONTROL_H_
#define OD_UROM_WIRE_CONTROL_H_

/* What clients and the daemon say to each other: bodies of messages, behind their frame header. The
 * decoders return 0 or -EBADMSG and write only on success; pointers in what they fill in lead into
 * the decoded bytes. */

#include <doca_urom_plugin.h>

#include "urom/wire/wire.h"

/* ---- PLUGINS: the table of the service as of this greeting, ascending by id ---- */

struct urom_plugins {
    uint32_t size;
    uint32_t count;
    /* followed by `count` of struct doca_urom_service_plugin_info */
};

_Static_assert(sizeof(struct urom_plugins) == 8, "wire format");
_Static_assert(sizeof(struct doca_urom_service_plugin_info) == 64, "wire format");

size_t urom_plugins_encode(const struct doca_urom_service_plugin_info *plugins, uint32_t count,
                           void *buf, size_t cap);
/* `plugins` has room for UROM_WIRE_PLUGINS_MAX. */
int urom_plugins_decode(const void *bytes, size_t len,
                        struct doca_urom_service_plugin_info *plugins, uint32_t *count);

/* ---- GID_QUERY, GID_RESULT ---- */

struct urom_gid_query {
    uint32_t size;
    uint32_t gid;
};

struct urom_gid_result {
    uint32_t size;
    uint32_t count;
    /* followed by `count` ids, ascending */
};

_Static_assert(sizeof(struct urom_gid_query) == 8 && sizeof(struct urom_gid_result) == 8,
               "wire format");

int urom_gid_query_decode(const void *bytes, size_t len, struct urom_gid_query *query);
/* Returns the message's length, also when it exceeds `cap`. */
size_t urom_gid_result_encode(const uint64_t *ids, uint32_t count, void *buf, size_t cap);
int urom_gid_result_decode(const void *bytes, size_t len, const void **ids, uint32_t *count);

/* ---- ATTACH: find or make a worker and open a channel to it ---- */

#define UROM_ATTACH_GID  0x1u /* gid is set */
#define UROM_ATTACH_CPUS 0x2u /* cpus is set */

struct urom_attach {
    uint32_t size;
    uint32_t flags;
    uint64_t id;      /* all ones: any */
    uint64_t plugins; /* mask */
    uint32_t gid;
    uint32_t inflight;  /* slots of the channel, a power of two */
    uint32_t env_count; /* strings behind the structure */
    uint32_t env_len;   /* their bytes, NULs included */
    uint8_t cpus[UROM_WIRE_CPUS_SIZE];
    char net_devices[UROM_WIRE_NAME_SIZE]; /* default for the worker's environment */
};

_Static_assert(sizeof(struct urom_attach) == 232, "wire format");

size_t urom_attach_encode(const struct urom_attach *attach, const char *env, void *buf, size_t cap);
/* Each of the strings at `env` has a NUL, a "=" and something in front of it. */
int urom_attach_decode(const void *bytes, size_t len, struct urom_attach *attach, const char **env);

#define UROM_ATTACHED_JOINED 0x1u /* the worker was there already */
#define UROM_ATTACHED_GID    0x2u /* gid is set */

struct urom_attach_ok {
    uint32_t size;
    uint32_t flags;
    uint64_t id;
    uint64_t plugins; /* what the worker has loaded */
    uint32_t gid;
    uint32_t pid;
    uint8_t token[UROM_WIRE_KEY_SIZE]; /* opens the channel at the worker */
    char addr[UROM_WIRE_ADDR_SIZE];    /* of the worker's link */
};

_Static_assert(sizeof(struct urom_attach_ok) == 304, "wire format");

int urom_attach_ok_decode(const void *bytes, size_t len, struct urom_attach_ok *ok);

/* ATTACH_ERR, and FAILED and DOMAIN_ACK elsewhere. */
struct urom_result {
    uint32_t size;
    int32_t error; /* doca_error_t */
    char text[UROM_WIRE_TEXT_SIZE];
};

_Static_assert(sizeof(struct urom_result) == 240, "wire format");

void urom_result_init(struct urom_result *result, doca_error_t error, const char *text);
int urom_result_decode(const void *bytes, size_t len, struct urom_result *result);

/* ---- WORKER_EXIT ---- */

enum urom_exit {
    UROM_EXIT_CLEAN,
    UROM_EXIT_ERROR,  /* exit status other than 0 */
    UROM_EXIT_SIGNAL, /* killed by a signal that the daemon did not send */
    UROM_EXIT_WATCHDOG,
    UROM_EXIT_SHUTDOWN, /* killed because it did not end when told to */
    UROM_EXIT_NUM
};

struct urom_worker_exit {
    uint32_t size;
    uint32_t how; /* enum urom_exit */
    uint64_t id;
    int32_t code; /* exit status or signal */
    uint32_t reserved;
};

_Static_assert(sizeof(struct urom_worker_exit) == 24, "wire format");

const char *urom_exit_name(enum urom_exit how);
int urom_worker_exit_decode(const void *bytes, size_t len, struct urom_worker_exit *gone);

#endif /* OD_UROM_WIRE_CONTROL_H_ */
