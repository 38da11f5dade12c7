/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA's function and variable specifiers. Under simt's nvcc they become words that its rewriter
 * knows; for other compilers, which see host code only, they are nothing.
 */
#ifndef SIMT_HOST_DEFINES_H
#define SIMT_HOST_DEFINES_H

#ifdef __CUDACC__
#define __global__            __simt_global__
#define __device__            __simt_device__
#define __shared__            __simt_shared__
#define __constant__          __simt_constant__
#define __managed__           __simt_managed__
#define __cluster_dims__(...) __simt_cluster_dims__
#else
#define __global__
#define __device__
#define __shared__
#define __constant__
#define __managed__
#define __cluster_dims__(...)
#endif
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __device_builtin__
#define __cudart_builtin__

#endif
