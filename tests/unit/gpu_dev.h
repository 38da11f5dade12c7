/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_GPU_DEV_H_
#define TESTS_UNIT_GPU_DEV_H_

/* A GPU of the software kind and the first device, for instances whose data path is on a GPU. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <doca_dev.h>

#include "core/core_priv.h"

#define OK(call)           assert_int_equal(call, DOCA_SUCCESS)
#define EXPECT(code, call) assert_int_equal(call, code)

static struct doca_gpu gpu = {.name = "gpu"};
static struct doca_dev *dev;

static int open_all(void **state)
{
    struct doca_devinfo **list;
    uint32_t num;

    (void)state;
    setenv("OPENDOCA_GPU", "simt", 1);
    if (soft_gpu_open("0000:41:00.0", &gpu.soft) != 0)
        return -1;
    core_live_add(CORE_LIVE_GPU, &gpu); /* as doca_gpu_create() does */
    OK(doca_devinfo_create_list(&list, &num));
    assert_true(num > 0);
    OK(doca_dev_open(list[0], &dev));
    OK(doca_devinfo_destroy_list(list));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    OK(doca_dev_close(dev));
    core_live_remove(&gpu);
    return (int)soft_gpu_close(gpu.soft);
}

#endif /* TESTS_UNIT_GPU_DEV_H_ */
