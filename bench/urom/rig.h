/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_UROM_RIG_H_
#define BENCH_UROM_RIG_H_

/* A daemon of the benchmark's own, and a client of it. */

#include <stddef.h>
#include <sys/types.h>

#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_urom.h>
#include <doca_urom_ops.h>

struct rig {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_urom_service *service;
    struct doca_urom_worker *worker;
    struct doca_urom_ops *ops;
    uint64_t graph; /* id of worker_graph; 0 without */
};

/* In a folder of its own, which OPENDOCA_RUNTIME_DIR names afterwards. `cpus`: of its workers, as
 * in "1"; NULL: all. Returns when it can be reached, or soon. */
pid_t rig_daemon_start(const char *cpus);
void rig_daemon_stop(pid_t pid);

/* Up to a running worker; `names` ends with NULL. */
void rig_open(struct rig *rig, uint64_t id, const char *const *names, uint32_t inflight);
void rig_close(struct rig *rig);
/* The worker's context again, from idle to running. */
void rig_worker_start(struct rig *rig);
void rig_worker_stop(struct rig *rig);

struct doca_urom_ops_region *rig_region(struct rig *rig, void *addr, size_t len);
void rig_region_end(struct rig *rig, struct doca_urom_ops_region *region);

/* A doca_urom_ops_cb_t that counts down the unsigned int that the user data point to, and dies of a
 * failure. */
void rig_done(struct doca_urom_ops *ops, doca_error_t status, void *left);
void rig_wait(struct rig *rig, const unsigned int *left);
/* Sleeps until at most so many are left. */
void rig_sleep(struct rig *rig, const unsigned int *left, unsigned int most);

/* Memory that others can map, or not; touched. */
void *rig_memory(size_t len, int shareable);

void rig_check(doca_error_t result, const char *what);

/* A null command there and back, in us, the median of the last of `trips`; the rig has
 * worker_graph. */
double rig_command_us(struct rig *rig, unsigned int trips);

#endif /* BENCH_UROM_RIG_H_ */
