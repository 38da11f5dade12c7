/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_RDMO_HOST_H_
#define EXTERNAL_RDMO_HOST_H_

/* The host half of worker_rdmo. Calls wait until the worker has answered. */

#include <doca_pe.h>
#include <doca_urom.h>

#define RDMO_PLUGIN  "worker_rdmo"
#define RDMO_VERSION 1

struct rdmo_host {
    struct doca_pe *pe;
    struct doca_urom_worker *worker;
    uint64_t plugin;
    void (*meanwhile)(void *arg); /* while it waits */
    void *arg;
};

/* *device_addr has room for *len bytes. */
doca_error_t rdmo_client_init(struct rdmo_host *host, uint64_t id, const void *addr,
                              size_t addr_len, void *device_addr, uint64_t *len);
doca_error_t rdmo_rq_create(struct rdmo_host *host, const void *addr, size_t addr_len,
                            uint64_t *rq_id);
doca_error_t rdmo_rq_destroy(struct rdmo_host *host, uint64_t rq_id);
doca_error_t rdmo_mr_reg(struct rdmo_host *host, const void *va, size_t len, const void *rkey,
                         size_t rkey_len, const void *memh, size_t memh_len, uint64_t *rkey_id);
doca_error_t rdmo_mr_dereg(struct rdmo_host *host, uint64_t rkey_id);

#endif /* EXTERNAL_RDMO_HOST_H_ */
