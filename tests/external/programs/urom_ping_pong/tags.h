/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_TAGS_H_
#define EXTERNAL_TAGS_H_

/* The host half of worker_sandbox: what a program that uses its tags packs and unpacks. */

#include <doca_urom.h>

#define TAGS_PLUGIN  "worker_sandbox"
#define TAGS_VERSION 1

struct tags_sent {
    doca_error_t result; /* of the task */
    union doca_data context;
    int8_t status; /* of UCX */
};

struct tags_received {
    doca_error_t result;
    union doca_data context;
    const void *data; /* within the response, until the callback returns */
    uint64_t count;
    uint64_t sender_tag;
    int8_t status;
};

typedef void (*tags_sent_cb)(const struct tags_sent *sent);
typedef void (*tags_received_cb)(const struct tags_received *received);

/* Remembers the id that the service gave the plugin; UNSUPPORTED_VERSION if it is another one. */
doca_error_t tags_init(uint64_t plugin_id, uint64_t version);
doca_error_t tags_send(struct doca_urom_worker *worker, union doca_data context, uint64_t dest,
                       const void *data, uint64_t count, uint64_t tag, tags_sent_cb done);
doca_error_t tags_recv(struct doca_urom_worker *worker, union doca_data context, uint64_t room,
                       uint64_t tag, uint64_t mask, tags_received_cb done);

#endif /* EXTERNAL_TAGS_H_ */
