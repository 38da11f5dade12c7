/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/gpu/cuda/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
    const char *name;
    size_t offset; /* of its pointer in the table */
    bool is_optional;
};

static const struct symbol symbols[] = {
    {"cuInit", offsetof(struct cuda_driver, init), false},
    {"cuDeviceGetCount", offsetof(struct cuda_driver, device_count), false},
    {"cuDeviceGet", offsetof(struct cuda_driver, device_get), false},
    {"cuDeviceGetByPCIBusId", offsetof(struct cuda_driver, device_by_pci), false},
    {"cuDeviceGetPCIBusId", offsetof(struct cuda_driver, device_pci), false},
    {"cuDeviceGetAttribute", offsetof(struct cuda_driver, device_attribute), false},
    {"cuDevicePrimaryCtxRetain", offsetof(struct cuda_driver, context_retain), false},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(struct cuda_driver, context_release), false},
    {"cuCtxPushCurrent_v2", offsetof(struct cuda_driver, context_push), false},
    {"cuCtxPopCurrent_v2", offsetof(struct cuda_driver, context_pop), false},
    {"cuMemAlloc_v2", offsetof(struct cuda_driver, mem_alloc), false},
    {"cuMemFree_v2", offsetof(struct cuda_driver, mem_free), false},
    {"cuMemHostRegister_v2", offsetof(struct cuda_driver, host_register), false},
    {"cuMemHostUnregister", offsetof(struct cuda_driver, host_unregister), false},
    {"cuMemHostGetDevicePointer_v2", offsetof(struct cuda_driver, host_device_address), false},
    {"cuMemcpyHtoDAsync_v2", offsetof(struct cuda_driver, copy_in), false},
    {"cuMemcpyDtoHAsync_v2", offsetof(struct cuda_driver, copy_out), false},
    {"cuStreamCreate", offsetof(struct cuda_driver, stream_create), false},
    {"cuStreamQuery", offsetof(struct cuda_driver, stream_query), false},
    {"cuStreamDestroy_v2", offsetof(struct cuda_driver, stream_destroy), false},
    {"cuEventCreate", offsetof(struct cuda_driver, event_create), false},
    {"cuEventRecord", offsetof(struct cuda_driver, event_record), false},
    {"cuEventQuery", offsetof(struct cuda_driver, event_query), false},
    {"cuEventDestroy_v2", offsetof(struct cuda_driver, event_destroy), false},
    {"cuGetErrorString", offsetof(struct cuda_driver, error_text), true},
    {"cuStreamCreateWithPriority", offsetof(struct cuda_driver, stream_create_priority), true},
    {"cuCtxGetStreamPriorityRange", offsetof(struct cuda_driver, stream_priorities), true},
    {"cuPointerSetAttribute", offsetof(struct cuda_driver, pointer_set), true},
};

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static struct cuda_driver table;
static bool is_loaded;

int cuda_fail(const struct cuda_driver *driver, int result, const char *fmt, ...)
{
    const char *text = NULL;
    char what[160];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    if (driver->error_text == NULL || driver->error_text(result, &text) != CUDA_OK || text == NULL)
        text = "no text for it";
    switch (result) {
    case CUDA_OUT_OF_MEMORY:
        return soft_fail(-ENOMEM, "%s: CUDA error %d, %s", what, result, text);
    case CUDA_NO_DEVICE:
    case CUDA_INVALID_DEVICE:
        return soft_fail(-ENOENT, "%s: CUDA error %d, %s", what, result, text);
    default:
        return soft_fail(-EIO, "%s: CUDA error %d, %s", what, result, text);
    }
}

static int find_symbols(void *library, const char *name, struct cuda_driver *driver)
{
    for (size_t i = 0; i < OD_ARRAY_SIZE(symbols); i++) {
        void *found = dlsym(library, symbols[i].name);

        if (found == NULL && !symbols[i].is_optional)
            return soft_fail(-ENOTSUP, "%s has no %s: the driver is too old, or this is not CUDA's",
                             name, symbols[i].name);
        memcpy((char *)driver + symbols[i].offset, &found, sizeof(found));
    }
    return 0;
}

static int load(void)
{
    const char *name = getenv("OPENDOCA_CUDA_LIBRARY");
    struct cuda_driver driver;
    void *library;
    int err, result;

    if (name == NULL || *name == '\0')
        name = "libcuda.so.1";
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return soft_fail(-ENOTSUP, "no driver for CUDA GPUs: %s", dlerror());
    err = find_symbols(library, name, &driver);
    if (err != 0)
        goto err_close;
    result = driver.init(0);
    if (result != CUDA_OK) {
        err = cuda_fail(&driver, result, "%s does not start", name);
        /* A machine whose GPU is gone has the driver still. */
        err = err == -ENOENT ? -ENOTSUP : -EIO;
        goto err_close;
    }
    /* Never unloaded: it has threads. */
    table = driver;
    is_loaded = true;
    return 0;

err_close:
    dlclose(library);
    return err;
}

int cuda_driver_get(const struct cuda_driver **driver)
{
    int err = 0;

    pthread_mutex_lock(&loading);
    if (!is_loaded)
        err = load();
    pthread_mutex_unlock(&loading);
    *driver = &table;
    return err;
}
