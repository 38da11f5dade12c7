/* SPDX-License-Identifier: BSD-3-Clause */
/* The device, as programs see it: one, numbered 0. */
#include <stdio.h>
#include <string.h>

#include "rt.h"

enum { CLOCK_KHZ = 1000000 }; /* of clock64() */

SIMT_API cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return error_set(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return error_set(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaSetDevice(int device)
{
    return device ? error_set(cudaErrorInvalidDevice) : error_set(error_check());
}

SIMT_API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags;
    (void)flags;
    return cudaSetDevice(device);
}

SIMT_API cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    return cudaSuccess;
}

/* Ends the reign of a fault. Memory and streams stay. */
SIMT_API cudaError_t cudaDeviceReset(void)
{
    (void)cudaDeviceSynchronize();
    fault_clear();
    (void)cudaGetLastError();
    return cudaSuccess;
}

SIMT_API cudaError_t cudaDriverGetVersion(int *version)
{
    if (!version)
        return error_set(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

SIMT_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (!properties)
        return error_set(cudaErrorInvalidValue);
    if (device)
        return error_set(cudaErrorInvalidDevice);
    *properties = (struct cudaDeviceProp){
        .name = "simt (CUDA on the CPU)",
        .totalGlobalMem = config()->memory,
        .sharedMemPerBlock = 48 * 1024,
        .sharedMemPerBlockOptin = MAX_SHARED,
        .sharedMemPerMultiprocessor = 228 * 1024,
        .regsPerBlock = 65536,
        .regsPerMultiprocessor = 65536,
        .warpSize = WARP,
        .memPitch = INT32_MAX,
        .maxThreadsPerBlock = MAX_THREADS,
        .maxThreadsPerMultiProcessor = 2048,
        .maxBlocksPerMultiProcessor = 32,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {INT32_MAX, 65535, 65535},
        .clockRate = CLOCK_KHZ,
        .memoryClockRate = CLOCK_KHZ,
        .memoryBusWidth = 64,
        .totalConstMem = 65536,
        .major = config()->major,
        .minor = config()->minor,
        .multiProcessorCount = config()->processors,
        .integrated = 1,
        .canMapHostMemory = 1,
        .concurrentKernels = 1,
        .asyncEngineCount = 1,
        .unifiedAddressing = 1,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .pageableMemoryAccess = 1,
        .pageableMemoryAccessUsesHostPageTables = 1,
        .directManagedMemAccessFromHost = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .hostNativeAtomicSupported = 1,
        .hostRegisterSupported = 1,
        .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .l2CacheSize = 1 << 20,
        .computePreemptionSupported = 1,
        .cooperativeLaunch = 0,
        .pciDomainID = 0,
        .pciBusID = 0x41,
        .pciDeviceID = 0,
        .textureAlignment = 512,
    };
    return cudaSuccess;
}

SIMT_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct cudaDeviceProp p;

    if (!value)
        return error_set(cudaErrorInvalidValue);
    if (cudaGetDeviceProperties(&p, device))
        return error_set(cudaErrorInvalidDevice);
    const struct {
        enum cudaDeviceAttr attribute;
        int value;
    } table[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (int)p.sharedMemPerBlock},
        {cudaDevAttrTotalConstantMemory, (int)p.totalConstMem},
        {cudaDevAttrWarpSize, p.warpSize},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrClockRate, p.clockRate},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrIntegrated, p.integrated},
        {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {cudaDevAttrConcurrentKernels, p.concurrentKernels},
        {cudaDevAttrPciBusId, p.pciBusID},
        {cudaDevAttrPciDeviceId, p.pciDeviceID},
        {cudaDevAttrPciDomainId, p.pciDomainID},
        {cudaDevAttrMemoryClockRate, p.memoryClockRate},
        {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)p.sharedMemPerMultiprocessor},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrHostNativeAtomicSupported, p.hostNativeAtomicSupported},
        {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
        {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
        {cudaDevAttrComputePreemptionSupported, p.computePreemptionSupported},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem},
        {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)p.sharedMemPerBlockOptin},
        {cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
    };
    /* GPUDirect RDMA, dmabuf and the like: the device has nothing of the kind. */
    *value = 0;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].attribute == attribute)
            *value = table[i].value;
    }
    return cudaSuccess;
}

/* PCI addresses. */

struct pci {
    unsigned domain, bus, device, function;
};

static bool parse_pci(const char *text, size_t length, struct pci *pci)
{
    char copy[33];
    int used = 0;

    if (!length || length >= sizeof(copy))
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    pci->domain = 0;
    if (sscanf(copy, "%8x:%2x:%2x.%1x%n", &pci->domain, &pci->bus, &pci->device, &pci->function,
               &used) == 4 &&
        used == (int)length)
        return true;
    pci->domain = 0;
    used = 0;
    return sscanf(copy, "%2x:%2x.%1x%n", &pci->bus, &pci->device, &pci->function, &used) == 3 &&
           used == (int)length;
}

static bool listed(const char *list, const struct pci *pci)
{
    while (list && *list) {
        size_t length = strcspn(list, ",");
        struct pci other;
        if (parse_pci(list, length, &other) && other.domain == pci->domain &&
            other.bus == pci->bus && other.device == pci->device && other.function == pci->function)
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

SIMT_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    struct pci pci;

    if (!device || !id || !parse_pci(id, strlen(id), &pci))
        return error_set(cudaErrorInvalidValue);
    if (listed(config()->pci_deny, &pci) || (config()->pci_ids && !listed(config()->pci_ids, &pci)))
        return error_set(cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    struct cudaDeviceProp p;

    if (!id || size < 13)
        return error_set(cudaErrorInvalidValue);
    if (cudaGetDeviceProperties(&p, device))
        return error_set(cudaErrorInvalidDevice);
    const char *ids = config()->pci_ids;
    size_t length = ids ? strcspn(ids, ",") : 0;
    if (length && length < (size_t)size)
        snprintf(id, (size_t)size, "%.*s", (int)length, ids);
    else
        snprintf(id, (size_t)size, "%04x:%02x:%02x.0", (unsigned)p.pciDomainID,
                 (unsigned)p.pciBusID, (unsigned)p.pciDeviceID);
    return cudaSuccess;
}

SIMT_API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can)
        return error_set(cudaErrorInvalidValue);
    *can = 0;
    return device || peer ? error_set(cudaErrorInvalidDevice) : cudaSuccess;
}

/* Limits, caches and kernels: accepted where they promise nothing. */

SIMT_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    (void)limit;
    (void)value;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!value)
        return error_set(cudaErrorInvalidValue);
    *value = limit == cudaLimitStackSize ? config()->stack : 1 << 20;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cache)
{
    (void)cache;
    return cudaSuccess;
}

SIMT_API cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache cache)
{
    (void)cache;
    return function ? cudaSuccess : error_set(cudaErrorInvalidDeviceFunction);
}

SIMT_API cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                          int value)
{
    if (!function)
        return error_set(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value > MAX_SHARED)
        return error_set(cudaErrorInvalidValue);
    return cudaSuccess;
}

SIMT_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                           const void *function)
{
    if (!attributes)
        return error_set(cudaErrorInvalidValue);
    if (!function)
        return error_set(cudaErrorInvalidDeviceFunction);
    *attributes = (struct cudaFuncAttributes){
        .maxThreadsPerBlock = MAX_THREADS,
        .numRegs = 32,
        .ptxVersion = config()->major * 10 + config()->minor,
        .binaryVersion = config()->major * 10 + config()->minor,
        .maxDynamicSharedSizeBytes = MAX_SHARED,
    };
    return cudaSuccess;
}

SIMT_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                   const void *function,
                                                                   int threads, size_t shared)
{
    if (!blocks || threads < 1 || threads > MAX_THREADS || shared > MAX_SHARED)
        return error_set(cudaErrorInvalidValue);
    if (!function)
        return error_set(cudaErrorInvalidDeviceFunction);
    int each = config()->resident / config()->processors;
    *blocks = each < 1 ? 1 : each > 32 ? 32 : each;
    return cudaSuccess;
}
