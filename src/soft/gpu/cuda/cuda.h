/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_GPU_CUDA_CUDA_H_
#define OD_SOFT_GPU_CUDA_CUDA_H_

/* Inside of the engine `cuda`. Every call of the driver that needs the GPU's context has it pushed
 * around it and no longer: the threads belong to the program. */

#include "soft/gpu/cuda/driver.h"
#include "soft/gpu/gpu.h"

struct cuda_gpu {
    struct soft_gpu base;
    const struct cuda_driver *driver;
    int device;
    cuda_context_t context; /* the primary one, which kernels of the program use, too */
};

/* 0 or -EIO with a reason; after 0, cuda_leave(). */
int cuda_enter(const struct cuda_gpu *gpu);
void cuda_leave(const struct cuda_gpu *gpu);

int cuda_copier_open(struct soft_gpu *gpu, struct soft_gpu_copier **copier);
void cuda_copier_close(struct soft_gpu_copier *copier);
int cuda_copy_in(struct soft_gpu_copier *copier, char *at, const char *cpu, size_t len);
int cuda_copy_out(struct soft_gpu_copier *copier, char *cpu, const char *at, size_t len);
int cuda_mark(struct soft_gpu_copier *copier, uint64_t *mark);
int cuda_is_done(struct soft_gpu_copier *copier, uint64_t mark);

#endif /* OD_SOFT_GPU_CUDA_CUDA_H_ */
