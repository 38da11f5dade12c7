/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_GPU_CUDA_DRIVER_H_
#define OD_SOFT_GPU_CUDA_DRIVER_H_

/* What we need of CUDA's driver library, declared from its public documentation: no header of a
 * toolkit is used, and the library is loaded when a GPU is asked for. */

#include "soft/soft.h"

/* Opaque to us. */
typedef void *cuda_context_t;
typedef void *cuda_stream_t;
typedef void *cuda_event_t;
typedef unsigned long long cuda_address_t; /* CUdeviceptr */

/* CUresult, as far as we tell them apart. */
enum {
    CUDA_OK = 0,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_NOT_READY = 600
};

enum {
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_DISABLE_TIMING = 2,
    CUDA_HOST_PORTABLE = 1,
    CUDA_HOST_DEVICEMAP = 2
};

/* CUdevice_attribute, CUpointer_attribute */
enum { CUDA_DEVICE_CAN_MAP_HOST = 19, CUDA_POINTER_SYNC_MEMOPS = 6 };

/* The functions under the names that the library exports: later forms end in _v2. Those from
 * `error_text` on may be NULL. */
struct cuda_driver {
    int (*init)(unsigned int flags);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*device_by_pci)(int *device, const char *id);
    int (*device_pci)(char *id, int size, int device);
    int (*device_attribute)(int *value, int attribute, int device);
    int (*context_retain)(cuda_context_t *context, int device);
    int (*context_release)(int device);
    int (*context_push)(cuda_context_t context);
    int (*context_pop)(cuda_context_t *context);
    int (*mem_alloc)(cuda_address_t *at, size_t len);
    int (*mem_free)(cuda_address_t at);
    int (*host_register)(void *addr, size_t len, unsigned int flags);
    int (*host_unregister)(void *addr);
    int (*host_device_address)(cuda_address_t *at, void *addr, unsigned int flags);
    int (*copy_in)(cuda_address_t at, const void *cpu, size_t len, cuda_stream_t stream);
    int (*copy_out)(void *cpu, cuda_address_t at, size_t len, cuda_stream_t stream);
    int (*stream_create)(cuda_stream_t *stream, unsigned int flags);
    int (*stream_query)(cuda_stream_t stream);
    int (*stream_destroy)(cuda_stream_t stream);
    int (*event_create)(cuda_event_t *event, unsigned int flags);
    int (*event_record)(cuda_event_t event, cuda_stream_t stream);
    int (*event_query)(cuda_event_t event);
    int (*event_destroy)(cuda_event_t event);
    int (*error_text)(int result, const char **text);
    int (*stream_create_priority)(cuda_stream_t *stream, unsigned int flags, int priority);
    int (*stream_priorities)(int *least, int *greatest);
    int (*pointer_set)(const void *value, int attribute, cuda_address_t at);
};

/* Loads OPENDOCA_CUDA_LIBRARY, else libcuda.so.1, and initialises it; once it has worked it stays.
 * -ENOTSUP: it is not there, or lacks a function; -EIO: it refuses to start; with a reason. */
int cuda_driver_get(const struct cuda_driver **driver);

/* Leaves the reason "`what`: text of the driver" and returns -ENOMEM, -ENOENT or -EIO. */
int cuda_fail(const struct cuda_driver *driver, int result, const char *fmt, ...) OD_PRINTF(3, 4);

#endif /* OD_SOFT_GPU_CUDA_DRIVER_H_ */
