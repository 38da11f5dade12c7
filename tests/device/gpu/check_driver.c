/* SPDX-License-Identifier: BSD-3-Clause */
/* Our declarations of CUDA's driver against those of a toolkit, where there is one: compiled only.
 */
#include <cuda.h>

#include "soft/gpu/cuda/driver.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)

SAME(CUDA_OK, CUDA_SUCCESS);
SAME(CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(CUDA_INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE);
SAME(CUDA_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(CUDA_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(CUDA_HOST_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE);
SAME(CUDA_HOST_DEVICEMAP, CU_MEMHOSTREGISTER_DEVICEMAP);
SAME(CUDA_DEVICE_CAN_MAP_HOST, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
SAME(CUDA_POINTER_SYNC_MEMOPS, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);

_Static_assert(sizeof(cuda_address_t) == sizeof(CUdeviceptr), "CUdeviceptr");
_Static_assert(sizeof(CUdevice) == sizeof(int) && sizeof(CUresult) == sizeof(int), "int");

/* The names that cuda.h maps to are those that we look up; arguments fit by kind and number. */
#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)

struct named {
    const char *theirs, *ours;
};

const struct named check_driver_names[] = {
    {NAME_OF(cuMemAlloc), "cuMemAlloc_v2"},
    {NAME_OF(cuMemFree), "cuMemFree_v2"},
    {NAME_OF(cuMemHostRegister), "cuMemHostRegister_v2"},
    {NAME_OF(cuMemHostGetDevicePointer), "cuMemHostGetDevicePointer_v2"},
    {NAME_OF(cuMemcpyHtoDAsync), "cuMemcpyHtoDAsync_v2"},
    {NAME_OF(cuMemcpyDtoHAsync), "cuMemcpyDtoHAsync_v2"},
    {NAME_OF(cuStreamDestroy), "cuStreamDestroy_v2"},
    {NAME_OF(cuEventDestroy), "cuEventDestroy_v2"},
    {NAME_OF(cuCtxPushCurrent), "cuCtxPushCurrent_v2"},
    {NAME_OF(cuCtxPopCurrent), "cuCtxPopCurrent_v2"},
    {NAME_OF(cuDevicePrimaryCtxRelease), "cuDevicePrimaryCtxRelease_v2"},
    {NAME_OF(cuMemHostUnregister), "cuMemHostUnregister"},
    {NAME_OF(cuStreamCreate), "cuStreamCreate"},
    {NAME_OF(cuStreamQuery), "cuStreamQuery"},
    {NAME_OF(cuEventRecord), "cuEventRecord"},
    {NAME_OF(cuEventQuery), "cuEventQuery"},
};

int main(void)
{
    for (unsigned int i = 0; i < sizeof(check_driver_names) / sizeof(check_driver_names[0]); i++) {
        if (__builtin_strcmp(check_driver_names[i].theirs, check_driver_names[i].ours) != 0) {
            __builtin_printf("check_driver: %s, not %s\n", check_driver_names[i].theirs,
                             check_driver_names[i].ours);
            return 1;
        }
    }
    return 0;
}
