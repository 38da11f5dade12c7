/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_GPU_WATCH_H_
#define OD_SOFT_GPU_WATCH_H_

/* Threads that look at what kernels write: a kernel cannot call. When there was nothing for a while
 * they sleep some microseconds at a time. */

#include "soft/device/device.h"

struct soft_gpu_watch;

#define SOFT_GPU_NO_TIME UINT64_MAX

/* Looks once; returns how much it found, 0 when it may sleep. It lowers `*wake_at` (nanoseconds,
 * realtime clock; SOFT_GPU_NO_TIME before) to the time at which it wants to look again. */
typedef uint32_t (*soft_gpu_look_fn)(void *arg, uint64_t *wake_at);

/* One thread of several, for `number`; the others run on any of the device's processors. */
#define SOFT_GPU_WATCH_ANY UINT32_MAX

/* Polls and runs as the device's settings say. -EAGAIN, -ENOMEM, -EINVAL (a processor that is not
 * there) with a reason that names `what` for. Signals are for other threads. */
SOFT_API int soft_gpu_watch_start(const char *what, const struct soft_engine_conf *conf,
                                  uint32_t number, soft_gpu_look_fn look, void *arg,
                                  struct soft_gpu_watch **watch);
/* When it returns nobody looks any more. NULL is fine. */
SOFT_API void soft_gpu_watch_stop(struct soft_gpu_watch *watch);

#endif /* OD_SOFT_GPU_WATCH_H_ */
