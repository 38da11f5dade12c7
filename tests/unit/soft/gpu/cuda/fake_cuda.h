/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_FAKE_CUDA_H_
#define OD_TESTS_FAKE_CUDA_H_

/* How a test steers the library that stands in for CUDA's driver (fake_libcuda.c). It has two GPUs,
 * 0000:3b:00.0 and 0000:af:00.0. Memory of theirs has addresses that nobody can read; copies are
 * done one by one, each time somebody asks whether they are. */

struct fake_cuda {
    /* The nth call from now (1 is the next) of that function answers `result` and does nothing. */
    void (*break_call)(const char *function, int nth, int result);
    int (*calls)(const char *function);
    /* What lies behind an address of GPU memory. */
    void *(*behind)(unsigned long long at);
    /* Contexts, memory, registrations, streams and events that are left. */
    int (*left)(void);
    /* Calls that would be wrong with a true driver: without a context, on the default stream, on
     * unknown memory; the last one's reason, or NULL. */
    const char *(*wrong)(void);
    /* While a kernel stays: calls that would wait for it count as wrong. */
    void (*stay)(int is_resident);
};

#define FAKE_CUDA_SYMBOL "fake_cuda_controls"

#endif /* OD_TESTS_FAKE_CUDA_H_ */
