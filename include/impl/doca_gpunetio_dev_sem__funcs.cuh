/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of doca_gpunetio_dev_sem.cuh. */
#ifndef DOCA_GPUNETIO_DEV_SEM__FUNCS_CUH_
#define DOCA_GPUNETIO_DEV_SEM__FUNCS_CUH_

#include <impl/opendoca_gpu_dev.cuh>

/* Names of the first releases. */
#define doca_gpu_dev_sem_set_status             doca_gpu_dev_semaphore_set_status
#define doca_gpu_dev_sem_set_status_cas         doca_gpu_dev_semaphore_set_status_cas
#define doca_gpu_dev_sem_set_packet_info        doca_gpu_dev_semaphore_set_packet_info
#define doca_gpu_dev_sem_get_status             doca_gpu_dev_semaphore_get_status
#define doca_gpu_dev_sem_get_packet_info        doca_gpu_dev_semaphore_get_packet_info
#define doca_gpu_dev_sem_get_packet_info_status doca_gpu_dev_semaphore_get_packet_info_status
#define doca_gpu_dev_sem_get_custom_info_addr   doca_gpu_dev_semaphore_get_custom_info_addr

/* The item, or NULL and why. */
__device__ static inline struct opendoca_gpu_sem_item *
opendoca_dev_sem_item(const struct doca_gpu_semaphore_gpu *semaphore, uint32_t idx,
                      doca_error_t *code)
{
    *code = DOCA_ERROR_INVALID_VALUE;
    if (!semaphore)
        return NULL;
    *code = opendoca_dev_check(semaphore, OPENDOCA_GPU_SEM_MAGIC, "doca_gpu_dev_semaphore");
    if (*code != DOCA_SUCCESS)
        return NULL;
    if (idx >= semaphore->num) {
        *code = DOCA_ERROR_INVALID_VALUE;
        return NULL;
    }
    return (struct opendoca_gpu_sem_item *)semaphore->items + idx;
}

__device__ inline doca_error_t
doca_gpu_dev_semaphore_set_status(struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
                                  enum doca_gpu_semaphore_status status)
{
    doca_error_t code;
    struct opendoca_gpu_sem_item *item = opendoca_dev_sem_item(semaphore_gpu, idx, &code);

    if (!item)
        return code;
    opendoca_gpu_fence_before_doorbell();
    opendoca_gpu_publish32(&item->status, (uint32_t)status);
    opendoca_dev_step();
    return DOCA_SUCCESS;
}

__device__ inline doca_error_t
doca_gpu_dev_semaphore_set_status_cas(struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
                                      enum doca_gpu_semaphore_status status_compare,
                                      enum doca_gpu_semaphore_status status_val)
{
    doca_error_t code;
    struct opendoca_gpu_sem_item *item = opendoca_dev_sem_item(semaphore_gpu, idx, &code);

    if (!item)
        return code;
    opendoca_gpu_fence_before_doorbell();
    if (opendoca_gpu_exchange_if(&item->status, (uint32_t)status_compare, (uint32_t)status_val) !=
        (uint32_t)status_compare) {
        opendoca_dev_pause();
        return DOCA_ERROR_NOT_PERMITTED;
    }
    opendoca_dev_step();
    return DOCA_SUCCESS;
}

__device__ inline doca_error_t
doca_gpu_dev_semaphore_set_packet_info(const struct doca_gpu_semaphore_gpu *semaphore_gpu,
                                       uint32_t idx, enum doca_gpu_semaphore_status status,
                                       uint32_t num_packets, uint64_t doca_buf_idx_start)
{
    doca_error_t code;
    struct opendoca_gpu_sem_item *item = opendoca_dev_sem_item(semaphore_gpu, idx, &code);

    if (!item)
        return code;
    opendoca_gpu_poke32(&item->num_packets, num_packets);
    opendoca_gpu_poke(&item->first, doca_buf_idx_start);
    opendoca_gpu_fence_before_doorbell();
    opendoca_gpu_publish32(&item->status, (uint32_t)status);
    opendoca_dev_step();
    return DOCA_SUCCESS;
}

__device__ inline doca_error_t
doca_gpu_dev_semaphore_get_status(const struct doca_gpu_semaphore_gpu *semaphore_gpu, uint32_t idx,
                                  enum doca_gpu_semaphore_status *status)
{
    doca_error_t code;
    struct opendoca_gpu_sem_item *item = opendoca_dev_sem_item(semaphore_gpu, idx, &code);

    if (!item)
        return code;
    if (!status)
        return DOCA_ERROR_INVALID_VALUE;
    opendoca_dev_pause(); /* it is called in loops */
    *status = (enum doca_gpu_semaphore_status)opendoca_gpu_observe32(&item->status);
    return DOCA_SUCCESS;
}

__device__ inline doca_error_t
doca_gpu_dev_semaphore_get_packet_info(const struct doca_gpu_semaphore_gpu *semaphore_gpu,
                                       uint32_t idx, enum doca_gpu_semaphore_status *status,
                                       uint32_t *num_packets, uint64_t *doca_buf_idx_start)
{
    doca_error_t code = doca_gpu_dev_semaphore_get_status(semaphore_gpu, idx, status);
    const struct opendoca_gpu_sem_item *item;

    if (code != DOCA_SUCCESS)
        return code;
    if (!num_packets || !doca_buf_idx_start)
        return DOCA_ERROR_INVALID_VALUE;
    item = (const struct opendoca_gpu_sem_item *)semaphore_gpu->items + idx;
    *num_packets = opendoca_gpu_peek32(&item->num_packets);
    *doca_buf_idx_start = opendoca_gpu_peek(&item->first);
    return DOCA_SUCCESS;
}

__device__ inline doca_error_t
doca_gpu_dev_semaphore_get_packet_info_status(const struct doca_gpu_semaphore_gpu *semaphore_gpu,
                                              uint32_t idx, enum doca_gpu_semaphore_status status,
                                              uint32_t *num_packets, uint64_t *doca_buf_idx_start)
{
    enum doca_gpu_semaphore_status found = status;
    uint32_t num = 0;
    uint64_t first = 0;
    doca_error_t code =
        doca_gpu_dev_semaphore_get_packet_info(semaphore_gpu, idx, &found, &num, &first);

    if (code != DOCA_SUCCESS)
        return code;
    if (!num_packets || !doca_buf_idx_start)
        return DOCA_ERROR_INVALID_VALUE;
    if (found != status)
        return DOCA_ERROR_NOT_FOUND;
    *num_packets = num;
    *doca_buf_idx_start = first;
    return DOCA_SUCCESS;
}

__device__ inline doca_error_t
doca_gpu_dev_semaphore_get_custom_info_addr(struct doca_gpu_semaphore_gpu *semaphore_gpu,
                                            uint32_t idx, void **custom_info)
{
    doca_error_t code;

    if (!opendoca_dev_sem_item(semaphore_gpu, idx, &code))
        return code;
    if (!custom_info || !semaphore_gpu->custom)
        return DOCA_ERROR_INVALID_VALUE;
    *custom_info = (void *)(semaphore_gpu->custom + (uint64_t)idx * semaphore_gpu->custom_stride);
    return DOCA_SUCCESS;
}

#endif
