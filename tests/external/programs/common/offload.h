/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_OFFLOAD_H_
#define EXTERNAL_OFFLOAD_H_

/* Service, worker and domain of UROM, up to running and back. */

#include <doca_urom.h>
#include <doca_urom_plugin.h>

#include "kit.h"

/* The device of this name, mlx5_0 for NULL. */
doca_error_t offload_open_device(const char *ibdev, struct doca_dev **dev);

/* A running service of the device. */
doca_error_t offload_service(struct doca_pe *pe, struct doca_dev *dev, uint32_t max_workers,
                             struct doca_urom_service **service);
doca_error_t offload_service_end(struct doca_urom_service *service);
/* A plugin of the service by its name, and in the version. */
doca_error_t offload_find_plugin(struct doca_urom_service *service, const char *name,
                                 uint64_t version, uint64_t *id);
/* Whether the service has the CPUs 0 to n - 1. */
bool offload_has_cpus(struct doca_urom_service *service, int n);

struct offload_worker_config {
    uint64_t id;
    const uint32_t *gid; /* NULL: none */
    uint32_t inflight;
    uint64_t plugins;
    char **env;
    size_t env_count;
    int cpus; /* the first of the service's; 0: all */
};

/* A worker that has begun to start. */
doca_error_t offload_worker(struct doca_pe *pe, struct doca_urom_service *service,
                            const struct offload_worker_config *config,
                            struct doca_urom_worker **worker);
/* Progresses until it runs; counts the events. */
doca_error_t offload_worker_run(struct doca_pe *pe, struct doca_urom_worker *worker, int *events);
/* Stops, progresses until it is idle, counts the events, destroys. */
doca_error_t offload_worker_end(struct doca_pe *pe, struct doca_urom_worker *worker, int *events);

struct offload_buffer {
    void *addr;
    size_t len;
    void *memh;
    size_t memh_len;
    void *mkey;
    size_t mkey_len;
};

/* A running domain to which this process brings one worker. */
doca_error_t offload_domain(struct doca_pe *pe, struct doca_urom_domain_oob_coll *oob, uint64_t id,
                            struct doca_urom_worker *worker, const struct offload_buffer *buffers,
                            size_t count, struct doca_urom_domain **domain);
doca_error_t offload_domain_end(struct doca_urom_domain *domain);

#endif /* EXTERNAL_OFFLOAD_H_ */
