/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_COMMON_SESSION_H_
#define SAMPLES_COMMON_SESSION_H_

/* What the samples of UROM share: a service, one worker with some plugins, and its operations. A
 * service must be running: opendoca up. */

#include <stddef.h>
#include <stdint.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_urom.h>
#include <doca_urom_ops.h>

struct session {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_urom_service *service;
    struct doca_urom_worker *worker;
    struct doca_urom_ops *ops;
    struct doca_urom_domain *domain; /* of session_join() */
    unsigned int pending;            /* operations begun and not ended */
    doca_error_t status;             /* the first failure of an operation */
};

/* Up to a running worker; `plugins` ends with NULL. After a failure call session_close() too. */
doca_error_t session_open(struct session *s, uint64_t worker_id, const char *const *plugins);
/* The same; the worker's environment gets a variable, NAME=VALUE. */
doca_error_t session_open_env(struct session *s, uint64_t worker_id, const char *const *plugins,
                              char *variable);
/* Makes the worker a member of a domain, with this id in it. */
doca_error_t session_join(struct session *s, struct doca_urom_domain_oob_coll *oob, uint64_t id);
/* Whatever there is of it. */
void session_close(struct session *s);

/* Callback of operations; their user data are the session. */
void session_done(struct doca_urom_ops *ops, doca_error_t status, void *session);
/* Counts an operation whose call returned `begun`, which is passed on. */
doca_error_t session_begun(struct session *s, doca_error_t begun);
/* Until all have ended; the first failure. */
doca_error_t session_wait(struct session *s);

/* Regions, ready when these return. */
doca_error_t session_region(struct session *s, void *addr, size_t len, uint32_t access,
                            struct doca_urom_ops_region **region);
doca_error_t session_attach(struct session *s, const void *desc, size_t len,
                            struct doca_urom_ops_region **region);
/* NULL: there is nothing to do. The memory is the program's alone when this returns. */
doca_error_t session_release(struct session *s, struct doca_urom_ops_region *region);

/* What the owner of memory tells a peer, by whatever means. */
struct session_offer {
    uint64_t addr;
    uint64_t len; /* of the memory */
    uint64_t desc_len;
    unsigned char desc[512];
};

doca_error_t session_offer(struct session *s, void *addr, size_t len, uint32_t access,
                           struct doca_urom_ops_region **region, struct session_offer *offer);
doca_error_t session_accept(struct session *s, const struct session_offer *offer,
                            struct doca_urom_ops_region **region);

/* Memory that a worker can map; NULL: none. */
void *session_memory(size_t len);

/* Progresses until a context has left a state; the state it is in then. */
enum doca_ctx_states session_leave(struct session *s, struct doca_ctx *ctx,
                                   enum doca_ctx_states state);

/* Prints what failed and why; returns the exit status of main. */
int session_exit(doca_error_t result);

#endif /* SAMPLES_COMMON_SESSION_H_ */
