/* SPDX-License-Identifier: BSD-3-Clause */
/* Like the C library's, once per inclusion; in a kernel a failed assertion ends the kernel. */
#undef assert
#ifndef __CUDACC__
#include_next <assert.h>
#else
#ifdef NDEBUG
#define assert(expression) ((void)0)
#else
#ifdef __cplusplus
extern "C"
#endif
    void
    simt_assert_fail(const char *expression, const char *file, unsigned line, const char *function)
        __attribute__((noreturn));
#define assert(expression)                                                                         \
    ((expression) ? (void)0 : simt_assert_fail(#expression, __FILE__, __LINE__, __func__))
#endif
#ifndef __cplusplus
#undef static_assert
#define static_assert _Static_assert
#endif
#endif
