/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_SYSTEM_UROM_OPS_FIXTURE_H_
#define OD_TESTS_SYSTEM_UROM_OPS_FIXTURE_H_

/* Typed operations: a client with a running worker, and a second process to operate on. */

#include <doca_urom_ops.h>

#include "fixture.h"

/* A client with one worker and its operations. */
struct ops_client {
    struct fixture_host host;
    struct doca_urom_worker *worker;
    struct doca_urom_ops *ops;
    uint64_t plugins;
};

/* `names` ends with NULL. */
void ops_client_open(struct ops_client *client, uint64_t id, const char *const *names);
void ops_client_close(struct ops_client *client);

/* What the callback of an operation said. */
struct ops_result {
    unsigned int count;
    doca_error_t status;
    uint64_t value;
};

/* A doca_urom_ops_cb_t whose user data are a struct ops_result. */
void ops_done(struct doca_urom_ops *ops, doca_error_t status, void *user_data);
/* Progress until it has an end; returns the status and forgets it. */
doca_error_t ops_wait(struct ops_client *client, struct ops_result *result);

/* Regions, complete when these return. */
struct doca_urom_ops_region *ops_region(struct ops_client *client, void *addr, size_t len,
                                        uint32_t access);
doca_error_t ops_attach(struct ops_client *client, const void *desc, size_t len,
                        struct doca_urom_ops_region **region);
void ops_region_end(struct ops_client *client, struct doca_urom_ops_region *region);
void ops_region_is(const struct doca_urom_ops_region *region, const char *engine);

/* Memory that others can map, and memory that they cannot; zeroed. Ended with munmap(). */
void *ops_memory(size_t len, bool shareable);

/* ---- a peer: another process with a client of its own ---- */

struct ops_peer {
    pid_t pid;
    int to, from;
    uint64_t addr; /* of its region */
    size_t len;
    uint8_t desc[512];
    size_t desc_len;
};

/* The same program anew, with a region of so many bytes, each its offset's low byte. It then sleeps
 * in read() and makes no progress. */
void ops_peer_start(struct ops_peer *peer, size_t len, bool shareable, uint32_t access);
/* Bytes of its memory as the peer itself sees them. */
void ops_peer_read(struct ops_peer *peer, size_t offset, void *bytes, size_t len);
/* It destroys its region and goes on sleeping. */
void ops_peer_revoke(struct ops_peer *peer);
void ops_peer_end(struct ops_peer *peer);

/* First thing in main(): does not return in a peer. */
void ops_peer_main(int argc, char **argv);

#endif /* OD_TESTS_SYSTEM_UROM_OPS_FIXTURE_H_ */
