/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA runtime: API, typed forms of it for C++, and all that device code sees. */
#ifndef SIMT_CUDA_RUNTIME_H
#define SIMT_CUDA_RUNTIME_H

#include "host_defines.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#include "device_launch_parameters.h"

#ifdef __cplusplus
#include "simt/typed_api.h"
#ifdef __CUDACC__
#include "simt/launch.h"
#include "simt/device.h"
#include "simt/atomics.h"
#include "simt/math.h"
#include "simt/ptx.h"
#endif
#endif

#endif
