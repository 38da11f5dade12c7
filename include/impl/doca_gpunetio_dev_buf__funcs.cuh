/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of doca_gpunetio_dev_buf.cuh. */
#ifndef DOCA_GPUNETIO_DEV_BUF__FUNCS_CUH_
#define DOCA_GPUNETIO_DEV_BUF__FUNCS_CUH_

#include <impl/opendoca_gpu_dev.cuh>

__device__ inline void doca_gpu_dev_buf_get_buf(const struct doca_gpu_buf_arr *buf_arr_gpu,
                                                const uint64_t doca_gpu_buf_idx,
                                                struct doca_gpu_buf **buf)
{
    uint64_t index = doca_gpu_buf_idx;

#ifdef __SIMT__
    if (index >= buf_arr_gpu->num) {
        printf("doca_gpu_dev_buf_get_buf(): element %llu of %llu, the last one is taken\n",
               (unsigned long long)index, (unsigned long long)buf_arr_gpu->num);
        index = buf_arr_gpu->num - 1;
    }
#endif
    *buf = (struct doca_gpu_buf *)buf_arr_gpu->bufs + index;
}

__device__ inline void doca_gpu_dev_buf_get_addr(const struct doca_gpu_buf *buf, uintptr_t *addr)
{
    *addr = buf->addr;
}

__device__ inline void doca_gpu_dev_buf_get_mkey(const struct doca_gpu_buf *buf, uint32_t *mkey)
{
    *mkey = buf->key_be;
}

#define OPENDOCA_DEV_MADE_BUFS 1024u

__device__ inline void doca_gpu_dev_buf_create(uintptr_t addr, uint32_t mkey,
                                               struct doca_gpu_buf **buf)
{
    static __device__ struct doca_gpu_buf made[OPENDOCA_DEV_MADE_BUFS];
    static __device__ uint32_t next;
    struct doca_gpu_buf *mine = &made[opendoca_dev_add<false>(&next, 1u) % OPENDOCA_DEV_MADE_BUFS];

    mine->addr = addr;
    mine->key_be = mkey;
    mine->bytes = UINT32_MAX;
    *buf = mine;
}

#endif
