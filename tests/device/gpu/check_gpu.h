/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_CHECK_GPU_H_
#define OD_TESTS_CHECK_GPU_H_

/* Between check_gpu.c and kernel.cu. */

#include <stdint.h>

enum {
    SLOTS = 4096,
    WORDS = 8 /* of 8 bytes: a packet of 64 */
};

/* Addresses for kernels. */
struct ring {
    const uint64_t *slots;            /* on the GPU */
    const volatile uint64_t *written; /* on the GPU: packets so far */
    volatile uint64_t *taken;         /* on the CPU */
    const volatile uint64_t *stop;    /* on the CPU */
    volatile uint64_t *sums;          /* on the CPU: one a lane */
};

#ifdef __cplusplus
extern "C" {
#endif
int kernel_device(char *address, int size);
int kernel_start(const struct ring *ring, void **stream);
int kernel_wait(void *stream, const char **text);
#ifdef __cplusplus
}
#endif

#endif /* OD_TESTS_CHECK_GPU_H_ */
