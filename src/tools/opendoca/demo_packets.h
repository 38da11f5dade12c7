/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_OPENDOCA_DEMO_PACKETS_H_
#define OD_TOOLS_OPENDOCA_DEMO_PACKETS_H_

/* The demo's part for packets: a CUDA kernel, built by the nvcc that runs kernels on the CPU,
 * answers ping over a pair of interfaces that nobody else sees. Returns the exit status; where
 * something is missing it says what, and that is no failure. */
int demo_packets(const char *folder);

#endif /* OD_TOOLS_OPENDOCA_DEMO_PACKETS_H_ */
