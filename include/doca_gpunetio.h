/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GPUNetIO, host side: a GPU, its memory, and semaphores between kernels and CPU. Kernels use
 * queues of doca_eth_rxq.h and doca_eth_txq.h, semaphores and buffer arrays by their GPU handles
 * and the functions of the doca_gpunetio_dev_*.cuh headers.
 *
 * Call order of a queue: create, configure, doca_ctx_set_datapath_on_gpu(), doca_ctx_start(), get
 * its GPU handle, launch kernels; end the kernels before doca_ctx_stop().
 *
 * Without a GPU kernels run on the CPU (see docs/gpunetio.md): GPU memory is then memory of the
 * process.
 *
 * Threads: any thread may allocate and free memory of a GPU at any time; a semaphore is created,
 * started and destroyed by one thread, and its items are used by all.
 */
#ifndef DOCA_GPUNETIO_H_
#define DOCA_GPUNETIO_H_

#include <inttypes.h>
#include <stddef.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_gpunetio_verbs_def.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_gpu;
struct doca_gpu_semaphore;
struct doca_gpu_semaphore_gpu;
struct doca_verbs_qp;
struct doca_gpu_verbs_qp;
struct doca_gpu_dev_verbs_qp;
struct doca_verbs_cq;
struct doca_gpu_verbs_cq;
struct doca_gpu_dev_verbs_cq;

/** Names x so that each use really reads or writes memory, for flags between CPU and kernels */
#define DOCA_GPUNETIO_VOLATILE(x) (*(volatile __typeof__(x) *)&(x))

/** Status of an item of a semaphore; only the program gives it a meaning */
enum doca_gpu_semaphore_status {
    DOCA_GPU_SEMAPHORE_STATUS_FREE = 0,  /**< at start */
    DOCA_GPU_SEMAPHORE_STATUS_READY = 1, /**< by custom: filled */
    DOCA_GPU_SEMAPHORE_STATUS_DONE = 2,  /**< by custom: handled */
    DOCA_GPU_SEMAPHORE_STATUS_HOLD = 3,  /**< by custom: taken */
    DOCA_GPU_SEMAPHORE_STATUS_ERROR = 4, /**< by custom: failed */
    DOCA_GPU_SEMAPHORE_STATUS_EXIT = 5   /**< by custom: nothing follows */
};

/**
 * Open a GPU.
 *
 * @gpu_bus_id: its PCI address, "0000:3b:00.0" or "3b:00.0"
 * @gpu_dev: receives the object; the caller ends it with doca_gpu_destroy()
 *
 * Each call gives an object of its own, also for the same GPU.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the address is malformed
 *   DOCA_ERROR_NOT_FOUND: there is no such GPU
 *   DOCA_ERROR_NO_MEMORY: out of memory
 *   DOCA_ERROR_DRIVER: the GPU's driver failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_create(const char *gpu_bus_id, struct doca_gpu **gpu_dev);

/**
 * Close a GPU. Memory that was not freed is freed now, as far as no queue refers to it.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: gpu_dev is NULL
 *   DOCA_ERROR_IN_USE: a context, a started semaphore or a started buffer array refers to it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_destroy(struct doca_gpu *gpu_dev);

/**
 * Allocate memory that kernels can use.
 *
 * @size: bytes, above 0
 * @alignment: of the GPU's address, a power of two; 0: of a page
 * @mtype: GPU: memory of the GPU; GPU_CPU: memory of the GPU that the CPU reaches; CPU_GPU: memory
 *   of the CPU that the GPU reaches. The last two are filled with zeros
 * @memptr_gpu: receives the address for kernels, and for doca_gpu_mem_free()
 * @memptr_cpu: receives the address for the CPU, which may be the same; NULL for type GPU, where
 *   the argument may be NULL
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, 0, or out of its range
 *   DOCA_ERROR_NO_MEMORY: so much is not there
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_mem_alloc(struct doca_gpu *gpu_dev, size_t size, size_t alignment,
                                enum doca_gpu_mem_type mtype, void **memptr_gpu, void **memptr_cpu);

/**
 * Free memory. What maps and queues refer to stays until they let go of it.
 *
 * @memptr_gpu: as doca_gpu_mem_alloc() gave it, not the CPU's address
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, or memptr_gpu is not memory of this GPU
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_mem_free(struct doca_gpu *gpu, void *memptr_gpu);

/**
 * Export memory as a file for doca_mmap_set_dmabuf_memrange(). Where that is refused,
 * doca_mmap_set_memrange() takes the address itself.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL or 0
 *   DOCA_ERROR_NOT_SUPPORTED: this memory is not exported
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_dmabuf_fd(struct doca_gpu *gpu_dev, void *memptr_gpu, size_t size,
                                int *dmabuf_fd);

/**
 * Create a semaphore: an array of items between kernels and CPU.
 *
 * @semaphore: receives the object; the caller ends it with doca_gpu_semaphore_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_create(struct doca_gpu *gpu_dev,
                                       struct doca_gpu_semaphore **semaphore);

/**
 * Destroy a semaphore; a started one is stopped first.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: semaphore is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_destroy(struct doca_gpu_semaphore *semaphore);

/**
 * Choose where the items lie; memory of the GPU without this call.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: semaphore is NULL, or there is no such type
 *   DOCA_ERROR_BAD_STATE: the semaphore is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_set_memory_type(struct doca_gpu_semaphore *semaphore,
                                                enum doca_gpu_mem_type mtype);

/**
 * Choose the number of items, above 0.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: semaphore is NULL, or num_items is 0
 *   DOCA_ERROR_BAD_STATE: the semaphore is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_set_items_num(struct doca_gpu_semaphore *semaphore,
                                              uint32_t num_items);

/**
 * Give each item memory for the program's own.
 *
 * @nbytes: for each item, above 0; zeros at start, aligned to 8
 * @mtype: where it lies, whatever the items do
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, 0, or out of its range
 *   DOCA_ERROR_BAD_STATE: the semaphore is started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_set_custom_info(struct doca_gpu_semaphore *semaphore,
                                                uint32_t nbytes, enum doca_gpu_mem_type mtype);

/**
 * Start: allocates the items, all of them FREE.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: semaphore is NULL, or the number of items was not set
 *   DOCA_ERROR_BAD_STATE: the semaphore is started
 *   DOCA_ERROR_NO_MEMORY: so much is not there
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_start(struct doca_gpu_semaphore *semaphore);

/**
 * Stop: the items are gone, no kernel may use them any more.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: semaphore is NULL
 *   DOCA_ERROR_BAD_STATE: the semaphore is not started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_stop(struct doca_gpu_semaphore *semaphore);

/**
 * Get what kernels use the semaphore by; valid until it stops.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_BAD_STATE: the semaphore is not started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_get_gpu_handle(struct doca_gpu_semaphore *semaphore_cpu,
                                               struct doca_gpu_semaphore_gpu **semaphore_gpu);

/**
 * Set the status of an item, after all that this thread wrote before. Any thread.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: semaphore_cpu is NULL, there is no such item or status, or the items
 *     lie in memory of the GPU that the CPU does not reach
 *   DOCA_ERROR_BAD_STATE: the semaphore is not started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_set_status(struct doca_gpu_semaphore *semaphore_cpu, uint32_t idx,
                                           enum doca_gpu_semaphore_status status);

/**
 * Get the status of an item; what was written before it was set is seen afterwards. Any thread.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, there is no such item, or the items lie in
 * memory of the GPU that the CPU does not reach DOCA_ERROR_BAD_STATE: the semaphore is not started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_get_status(struct doca_gpu_semaphore *semaphore_cpu, uint32_t idx,
                                           enum doca_gpu_semaphore_status *status);

/**
 * Get the program's own memory of an item, as the CPU sees it.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL, there is no such item, no memory was asked for,
 *     or it lies where the CPU does not reach
 *   DOCA_ERROR_BAD_STATE: the semaphore is not started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_semaphore_get_custom_info_addr(struct doca_gpu_semaphore *semaphore_cpu,
                                                     uint32_t idx, void **custom_info);

/**
 * Make a verbs queue pair usable by kernels. Refused by this release.
 *
 * Returns
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there are no verbs queues for kernels
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_verbs_export_qp(struct doca_gpu *gpu_dev, struct doca_dev *dev,
                                      struct doca_verbs_qp *qp,
                                      enum doca_gpu_dev_verbs_nic_handler nic_handler,
                                      void *gpu_qp_umem_dev_ptr, struct doca_verbs_cq *cq_sq,
                                      struct doca_verbs_cq *cq_rq,
                                      struct doca_gpu_verbs_qp **qp_out);

/**
 * Get what kernels use an exported queue pair by. Refused by this release.
 *
 * Returns
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there are no verbs queues for kernels
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_verbs_get_qp_dev(struct doca_gpu_verbs_qp *qp,
                                       struct doca_gpu_dev_verbs_qp **qp_gpu);

/**
 * Take a queue pair back from kernels. Refused by this release.
 *
 * Returns
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there are no verbs queues for kernels
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_verbs_unexport_qp(struct doca_gpu *gpu_dev, struct doca_gpu_verbs_qp *qp);

/**
 * Make queues of another library usable by kernels. Refused by this release.
 *
 * Returns
 *   DOCA_ERROR_INVALID_VALUE: gpu_dev or qp_out is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there are no verbs queues for kernels
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_verbs_bridge_export_qp(
    struct doca_gpu *gpu_dev, uint32_t sq_qpn, void *sq_wqe_addr, uint16_t sq_wqe_num,
    uint32_t *sq_dbrec, uint64_t *sq_db, size_t uar_size, uint32_t sq_cqn, void *sq_cqe_addr,
    uint32_t sq_cqe_num, uint32_t *sq_cq_dbrec, uint32_t rq_qpn, void *rq_wqe_addr,
    uint16_t rq_wqe_num, uint32_t *rq_dbrec, uint32_t rcv_wqe_size, uint32_t rq_cqn,
    void *rq_cqe_addr, uint32_t rq_cqe_num, uint32_t *rq_cq_dbrec,
    enum doca_gpu_dev_verbs_nic_handler nic_handler, uint8_t send_dbr_mode_ext,
    struct doca_gpu_verbs_qp **qp_out);

/**
 * Ask whether the CPU rings the doorbell of an exported queue pair. Refused by this release.
 *
 * Returns
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there are no verbs queues for kernels
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_verbs_cpu_proxy_enabled(struct doca_gpu_verbs_qp *qp_cpu, uint8_t *enabled);

/**
 * Ring the doorbell of an exported queue pair for its kernels. Refused by this release.
 *
 * Returns
 *   DOCA_ERROR_INVALID_VALUE: qp_cpu is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: there are no verbs queues for kernels
 */
DOCA_EXPERIMENTAL
doca_error_t doca_gpu_verbs_cpu_proxy_progress(struct doca_gpu_verbs_qp *qp_cpu);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GPUNETIO_H_ */
