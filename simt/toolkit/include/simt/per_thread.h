/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the forms that take the calling thread's stream where no stream is given. */
#ifndef SIMT_PER_THREAD_H
#define SIMT_PER_THREAD_H

#define cudaMemcpy                cudaMemcpy_ptds
#define cudaMemcpy2D              cudaMemcpy2D_ptds
#define cudaMemset                cudaMemset_ptds
#define cudaMemset2D              cudaMemset2D_ptds
#define cudaMemcpyToSymbol        cudaMemcpyToSymbol_ptds
#define cudaMemcpyFromSymbol      cudaMemcpyFromSymbol_ptds
#define cudaMemcpyAsync           cudaMemcpyAsync_ptsz
#define cudaMemcpy2DAsync         cudaMemcpy2DAsync_ptsz
#define cudaMemset2DAsync         cudaMemset2DAsync_ptsz
#define cudaMemsetAsync           cudaMemsetAsync_ptsz
#define cudaMemcpyToSymbolAsync   cudaMemcpyToSymbolAsync_ptsz
#define cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync_ptsz
#define cudaMallocAsync           cudaMallocAsync_ptsz
#define cudaFreeAsync             cudaFreeAsync_ptsz
#define cudaStreamGetPriority     cudaStreamGetPriority_ptsz
#define cudaStreamGetFlags        cudaStreamGetFlags_ptsz
#define cudaStreamSynchronize     cudaStreamSynchronize_ptsz
#define cudaStreamQuery           cudaStreamQuery_ptsz
#define cudaStreamWaitEvent       cudaStreamWaitEvent_ptsz
#define cudaLaunchHostFunc        cudaLaunchHostFunc_ptsz
#define cudaEventRecord           cudaEventRecord_ptsz
#define cudaEventRecordWithFlags  cudaEventRecordWithFlags_ptsz
#define cudaLaunchKernel          cudaLaunchKernel_ptsz

#endif
