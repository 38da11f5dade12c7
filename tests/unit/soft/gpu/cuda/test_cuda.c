/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine for true GPUs, with a driver of our own making that has none. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_cuda.h"
#include "soft/gpu/cuda/cuda.h"

static const struct soft_gpu_ops *const ops = &soft_gpu_cuda_ops;
static const struct fake_cuda *fake;

static void needs_fake(void)
{
    if (fake == NULL)
        skip();
}

static void assert_reason(const char *part)
{
    if (strstr(soft_reason(), part) == NULL)
        fail_msg("the reason does not say \"%s\": %s", part, soft_reason());
}

static void assert_clean(void)
{
    const char *wrong = fake->wrong();

    if (wrong != NULL)
        fail_msg("a true driver would refuse: %s", wrong);
    assert_int_equal(fake->left(), 0);
}

static void assert_no_fault(void)
{
    const char *wrong = fake->wrong();

    if (wrong != NULL)
        fail_msg("a true driver would refuse: %s", wrong);
}

/* ------------------------------------------------------------------------------------------------
 * Loading; the order matters: what is loaded once stays
 */

static void test_no_driver(void **state)
{
    struct soft_gpu *gpu = NULL;

    (void)state;
    setenv("OPENDOCA_CUDA_LIBRARY", "/nonexistent/libcuda.so.1", 1);
    assert_int_equal(ops->probe(), -ENOTSUP);
    assert_reason("/nonexistent/libcuda.so.1");
    assert_int_equal(ops->open("0000:3b:00.0", &gpu), -ENOTSUP);
    assert_null(gpu);
}

static void test_not_the_driver(void **state)
{
    (void)state;
    setenv("OPENDOCA_CUDA_LIBRARY", "libm.so.6", 1);
    assert_int_equal(ops->probe(), -ENOTSUP);
    assert_reason("libm.so.6 has no cuInit");
}

static void test_driver_does_not_start(void **state)
{
    (void)state;
    if (getenv("OD_FAKE_CUDA") == NULL)
        skip();
    setenv("OPENDOCA_CUDA_LIBRARY", getenv("OD_FAKE_CUDA"), 1);
    setenv("FAKE_CUDA_INIT", "803", 1); /* driver and kernel module do not fit */
    assert_int_equal(ops->probe(), -EIO);
    assert_reason("does not start: CUDA error 803");
    setenv("FAKE_CUDA_INIT", "100", 1);
    assert_int_equal(ops->probe(), -ENOTSUP);
    assert_reason("CUDA error 100");
    unsetenv("FAKE_CUDA_INIT");
}

static void test_probe(void **state)
{
    void *library;

    (void)state;
    if (getenv("OD_FAKE_CUDA") == NULL)
        skip();
    assert_int_equal(ops->probe(), 0);
    library = dlopen(getenv("OD_FAKE_CUDA"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    fake = dlsym(library, FAKE_CUDA_SYMBOL);
    assert_non_null(fake);
    fake->break_call("cuDeviceGetCount", 1, 999);
    assert_int_equal(ops->probe(), -EIO);
    assert_clean();
}

/* ------------------------------------------------------------------------------------------------
 * GPUs
 */

static struct soft_gpu *open_gpu(void)
{
    struct soft_gpu *gpu;

    assert_int_equal(ops->open("0000:3b:00.0", &gpu), 0);
    gpu->ops = ops; /* as soft_gpu_open() does */
    return gpu;
}

static void test_open(void **state)
{
    struct soft_gpu *gpu = NULL;

    (void)state;
    needs_fake();
    assert_int_equal(ops->open("0000:41:00.0", &gpu), -ENOENT);
    assert_reason("no GPU at 0000:41:00.0; there are: 0000:3b:00.0 0000:AF:00.0");
    fake->break_call("cuDevicePrimaryCtxRetain", 1, 2);
    assert_int_equal(ops->open("0000:af:00.0", &gpu), -ENOMEM);
    assert_reason("out of memory");
    assert_null(gpu);
    assert_clean();
    gpu = open_gpu();
    ops->close(gpu);
    assert_clean();
}

static struct soft_gpu_memory allocate(struct soft_gpu *gpu, size_t len, size_t align,
                                       enum soft_gpu_place place)
{
    struct soft_gpu_memory memory = {.gpu = gpu, .len = len, .place = place};

    assert_int_equal(ops->alloc(gpu, align, &memory), 0);
    return memory;
}

static void test_memory(void **state)
{
    static const size_t aligns[] = {0, 1, 256, 4096, 65536, 1u << 20};
    struct soft_gpu *gpu;

    (void)state;
    needs_fake();
    gpu = open_gpu();
    for (size_t i = 0; i < OD_ARRAY_SIZE(aligns); i++) {
        size_t align = aligns[i] == 0 ? 4096 : aligns[i];
        struct soft_gpu_memory on_gpu = allocate(gpu, 10000, aligns[i], SOFT_GPU_ON_GPU);
        struct soft_gpu_memory on_cpu = allocate(gpu, 10000, aligns[i], SOFT_GPU_ON_CPU);
        struct soft_gpu_memory shared = allocate(gpu, 4, aligns[i], SOFT_GPU_ON_GPU_SHARED);

        assert_int_equal((uintptr_t)on_gpu.at % align, 0);
        assert_null(on_gpu.cpu);
        /* All of it is the GPU's. */
        assert_non_null(fake->behind((uintptr_t)on_gpu.at));
        assert_non_null(fake->behind((uintptr_t)on_gpu.at + 9999));
        assert_int_equal((uintptr_t)on_cpu.cpu % align, 0);
        assert_int_equal(on_cpu.cpu[0] | on_cpu.cpu[9999] | shared.cpu[3], 0);
        assert_non_null(shared.at);
        ops->free(&shared);
        ops->free(&on_cpu);
        ops->free(&on_gpu);
    }
    ops->close(gpu);
    assert_clean();
}

static void test_memory_fails(void **state)
{
    struct soft_gpu *gpu;
    struct soft_gpu_memory memory = {.len = 4096};

    (void)state;
    needs_fake();
    gpu = open_gpu();
    memory.gpu = gpu;
    memory.place = SOFT_GPU_ON_GPU;
    fake->break_call("cuMemAlloc", 1, 2);
    assert_int_equal(ops->alloc(gpu, 4096, &memory), -ENOMEM);
    assert_reason("4096 bytes of GPU");
    fake->break_call("cuCtxPushCurrent", 1, 201);
    assert_int_equal(ops->alloc(gpu, 4096, &memory), -EIO);
    /* An attribute that this memory cannot have changes nothing. */
    fake->break_call("cuPointerSetAttribute", 1, 801);
    assert_int_equal(ops->alloc(gpu, 4096, &memory), 0);
    ops->free(&memory);
    memory.place = SOFT_GPU_ON_CPU;
    fake->break_call("cuMemHostRegister", 1, 2);
    assert_int_equal(ops->alloc(gpu, 4096, &memory), -ENOMEM);
    fake->break_call("cuMemHostGetDevicePointer", 1, 1);
    assert_int_equal(ops->alloc(gpu, 4096, &memory), -EIO);
    memory.len = SIZE_MAX - 100;
    assert_int_equal(ops->alloc(gpu, 4096, &memory), -ENOMEM);
    memory.place = SOFT_GPU_ON_GPU;
    assert_int_equal(ops->alloc(gpu, 65536, &memory), -ENOMEM);
    ops->close(gpu);
    assert_clean();
}

/* ------------------------------------------------------------------------------------------------
 * Copies
 */

enum { SLOTS = 300, SLOT = 512 };

struct rig {
    struct soft_gpu *gpu;
    struct soft_gpu_memory on_gpu, on_cpu;
    struct soft_gpu_copier *copier;
};

static struct rig start(void)
{
    struct rig r = {.gpu = open_gpu()};

    r.on_gpu = allocate(r.gpu, SLOTS * SLOT, 4096, SOFT_GPU_ON_GPU);
    r.on_cpu = allocate(r.gpu, SLOTS * SLOT, 4096, SOFT_GPU_ON_CPU);
    assert_int_equal(ops->copier_open(r.gpu, &r.copier), 0);
    for (size_t i = 0; i < SLOTS * SLOT; i++)
        r.on_cpu.cpu[i] = (char)(i * 7 / 3);
    /* From here on a kernel stays on the GPU: nothing may wait for it. */
    fake->stay(1);
    return r;
}

static void end(struct rig *r)
{
    ops->copier_close(r->copier);
    fake->stay(0);
    ops->free(&r->on_gpu);
    ops->free(&r->on_cpu);
    ops->close(r->gpu);
    assert_clean();
}

/* The driver does one thing a look. */
static void wait_for(struct rig *r, uint64_t mark)
{
    int done = 0;

    for (int i = 0; i < 10000 && done == 0; i++)
        done = ops->is_done(r->copier, mark);
    assert_int_equal(done, 1);
}

static void test_copies(void **state)
{
    struct rig r;
    uint64_t mark, back;
    const char *behind;

    (void)state;
    needs_fake();
    r = start();
    behind = fake->behind((uintptr_t)r.on_gpu.at);
    for (size_t i = 0; i < SLOTS; i += 2)
        assert_int_equal(
            ops->copy_in(r.copier, r.on_gpu.at + i * SLOT, r.on_cpu.cpu + i * SLOT, 100), 0);
    assert_int_equal(ops->mark(r.copier, &mark), 0);
    assert_int_equal(ops->is_done(r.copier, mark), 0);
    wait_for(&r, mark);
    for (size_t i = 0; i < SLOTS; i++) {
        assert_int_equal(memcmp(behind + i * SLOT, r.on_cpu.cpu + i * SLOT, 100) == 0, i % 2 == 0);
        assert_int_equal((unsigned char)behind[i * SLOT + 100], 0xee);
    }
    /* Back, into other places; order holds between both directions. */
    assert_int_equal(ops->copy_out(r.copier, r.on_cpu.cpu + SLOT, r.on_gpu.at, 100), 0);
    assert_int_equal(ops->copy_in(r.copier, r.on_gpu.at + 5 * SLOT, r.on_cpu.cpu + SLOT, 100), 0);
    assert_int_equal(ops->mark(r.copier, &back), 0);
    wait_for(&r, back);
    assert_int_equal(ops->is_done(r.copier, mark), 1);
    assert_memory_equal(r.on_cpu.cpu + SLOT, r.on_cpu.cpu, 100);
    assert_memory_equal(behind + 5 * SLOT, r.on_cpu.cpu, 100);
    assert_no_fault();
    end(&r);
}

/* Slots that follow each other travel as one, and the context is pushed once for a batch. */
static void test_neighbours_are_one_copy(void **state)
{
    struct rig r;
    uint64_t mark;
    int copies, pushes;

    (void)state;
    needs_fake();
    r = start();
    copies = fake->calls("cuMemcpyHtoDAsync");
    pushes = fake->calls("cuCtxPushCurrent");
    for (size_t i = 0; i < SLOTS; i++)
        assert_int_equal(
            ops->copy_in(r.copier, r.on_gpu.at + i * SLOT, r.on_cpu.cpu + i * SLOT, SLOT), 0);
    assert_int_equal(ops->mark(r.copier, &mark), 0);
    assert_int_equal(fake->calls("cuMemcpyHtoDAsync"), copies + 1);
    assert_int_equal(fake->calls("cuCtxPushCurrent"), pushes + 1);
    wait_for(&r, mark);
    assert_memory_equal(fake->behind((uintptr_t)r.on_gpu.at), r.on_cpu.cpu, SLOTS * SLOT);
    end(&r);
}

/* More marks than are told apart: an old one is never done too early. */
static void test_many_marks(void **state)
{
    struct rig r;
    uint64_t marks[SLOTS];
    const char *behind;

    (void)state;
    needs_fake();
    r = start();
    behind = fake->behind((uintptr_t)r.on_gpu.at);
    for (size_t i = 0; i < SLOTS; i++) {
        assert_int_equal(
            ops->copy_in(r.copier, r.on_gpu.at + i * SLOT, r.on_cpu.cpu + i * SLOT, SLOT), 0);
        assert_int_equal(ops->mark(r.copier, &marks[i]), 0);
    }
    for (size_t i = 0; i < SLOTS; i++) {
        wait_for(&r, marks[i]);
        assert_memory_equal(behind + i * SLOT, r.on_cpu.cpu + i * SLOT, SLOT);
    }
    end(&r);
}

static void test_a_copy_fails(void **state)
{
    struct rig r;
    uint64_t first, mark = 77;

    (void)state;
    needs_fake();
    r = start();
    assert_int_equal(ops->copy_in(r.copier, r.on_gpu.at, r.on_cpu.cpu, 64), 0);
    assert_int_equal(ops->mark(r.copier, &first), 0);
    fake->break_call("cuMemcpyHtoDAsync", 1, 700);
    assert_int_equal(ops->copy_in(r.copier, r.on_gpu.at, r.on_cpu.cpu, 64), 0);
    assert_int_equal(ops->mark(r.copier, &mark), -EIO);
    assert_reason("a copy to it: CUDA error 700");
    assert_int_equal(mark, 77);
    /* It stays so; nobody waits for what will not come. */
    assert_int_equal(ops->copy_in(r.copier, r.on_gpu.at, r.on_cpu.cpu, 64), -EIO);
    assert_int_equal(ops->copy_out(r.copier, r.on_cpu.cpu, r.on_gpu.at, 64), -EIO);
    assert_int_equal(ops->is_done(r.copier, first), -EIO);
    assert_reason("an earlier copy failed");
    end(&r);
    r = start();
    assert_int_equal(ops->mark(r.copier, &mark), 0);
    fake->break_call("cuEventQuery", 1, 719);
    assert_int_equal(ops->is_done(r.copier, mark), -EIO);
    end(&r);
}

static void test_copier_does_not_open(void **state)
{
    struct soft_gpu *gpu;
    struct soft_gpu_copier *copier = NULL;

    (void)state;
    needs_fake();
    gpu = open_gpu();
    fake->break_call("cuStreamCreate", 1, 2);
    assert_int_equal(ops->copier_open(gpu, &copier), -ENOMEM);
    fake->break_call("cuEventCreate", 30, 2);
    assert_int_equal(ops->copier_open(gpu, &copier), -ENOMEM);
    fake->break_call("cuCtxPushCurrent", 1, 201);
    assert_int_equal(ops->copier_open(gpu, &copier), -EIO);
    /* Without priorities it is an ordinary stream. */
    fake->break_call("cuCtxGetStreamPriorityRange", 1, 801);
    assert_int_equal(ops->copier_open(gpu, &copier), 0);
    ops->copier_close(copier);
    ops->copier_close(NULL);
    ops->close(gpu);
    assert_clean();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_driver),
        cmocka_unit_test(test_not_the_driver),
        cmocka_unit_test(test_driver_does_not_start),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_fails),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_neighbours_are_one_copy),
        cmocka_unit_test(test_many_marks),
        cmocka_unit_test(test_a_copy_fails),
        cmocka_unit_test(test_copier_does_not_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
