/* SPDX-License-Identifier: BSD-3-Clause */
/* threadIdx and its sisters. The runtime sets them whenever another CUDA thread goes on. */
#ifndef SIMT_DEVICE_LAUNCH_PARAMETERS_H
#define SIMT_DEVICE_LAUNCH_PARAMETERS_H

#include "vector_types.h"

#if defined(__cplusplus) && defined(__CUDACC__)
extern "C" {
extern __thread const uint3 threadIdx __attribute__((tls_model("initial-exec")));
extern __thread const uint3 blockIdx __attribute__((tls_model("initial-exec")));
extern __thread const dim3 blockDim __attribute__((tls_model("initial-exec")));
extern __thread const dim3 gridDim __attribute__((tls_model("initial-exec")));
}
static constexpr int warpSize = 32;
#endif

#endif
