/* SPDX-License-Identifier: BSD-3-Clause */
/* The data path on a GPU, with the test in the kernel's place. */
#include <sched.h>
#include <string.h>
#include <time.h>

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include <impl/opendoca_gpu_barrier.h>

#include "lib/seconds.h"
#include "unit/gpu_dev.h"

#define SECONDS 20
#define SIZE    4096u

static char from[SIZE], to[SIZE];

static struct doca_dma *start(struct doca_gpu_dma **handle)
{
    struct doca_dma *dma;

    OK(doca_dma_create(dev, &dma));
    OK(doca_ctx_set_datapath_on_gpu(doca_dma_as_ctx(dma), &gpu));
    OK(doca_ctx_start(doca_dma_as_ctx(dma)));
    OK(doca_dma_get_gpu_handle(dma, handle));
    return dma;
}

static void end(struct doca_dma *dma)
{
    OK(doca_ctx_stop(doca_dma_as_ctx(dma)));
    OK(doca_dma_destroy(dma));
}

static struct doca_mmap *map(char *addr, uint32_t access, uint32_t *key_be)
{
    struct doca_mmap *made;
    uint32_t key;

    OK(doca_mmap_create(&made));
    OK(doca_mmap_add_dev(made, dev));
    OK(doca_mmap_set_memrange(made, addr, SIZE));
    OK(doca_mmap_set_permissions(made, access));
    OK(doca_mmap_start(made));
    OK(doca_mmap_get_mkey(made, dev, &key));
    *key_be = opendoca_gpu_swap32(key);
    return made;
}

static struct opendoca_gpu_dma_words *words_of(const struct doca_gpu_dma *handle)
{
    return (struct opendoca_gpu_dma_words *)(uintptr_t)handle->words;
}

static void queue(struct doca_gpu_dma *handle, uint64_t src, uint32_t src_key, uint64_t dst,
                  uint32_t dst_key, uint64_t bytes)
{
    struct opendoca_gpu_dma_copy *copies =
        (struct opendoca_gpu_dma_copy *)(uintptr_t)handle->copies;

    copies[handle->queued++ & (handle->num - 1)] =
        (struct opendoca_gpu_dma_copy){src, dst, bytes, src_key, dst_key};
}

static bool await(const uint64_t *word, uint64_t value)
{
    const time_t end = whole_seconds_now() + SECONDS;

    while (opendoca_gpu_observe(word) != value) {
        if (whole_seconds_now() > end)
            return false;
        sched_yield();
    }
    return true;
}

static void commit(struct doca_gpu_dma *handle)
{
    opendoca_gpu_publish(&words_of(handle)->committed, handle->queued);
    assert_true(await(&words_of(handle)->done, handle->queued));
}

static void handles_exist_while_the_context_runs(void **state)
{
    struct doca_dma *dma;
    struct doca_gpu_dma *handle = NULL, *again;

    (void)state;
    OK(doca_dma_create(dev, &dma));
    EXPECT(DOCA_ERROR_BAD_STATE, doca_dma_get_gpu_handle(dma, &handle));
    OK(doca_ctx_set_datapath_on_gpu(doca_dma_as_ctx(dma), &gpu));
    assert_int_equal(gpu.users, 1);
    EXPECT(DOCA_ERROR_BAD_STATE, doca_dma_get_gpu_handle(dma, &handle));
    for (int i = 0; i < 2; i++) {
        OK(doca_ctx_start(doca_dma_as_ctx(dma)));
        EXPECT(DOCA_ERROR_BAD_STATE, doca_ctx_set_datapath_on_gpu(doca_dma_as_ctx(dma), &gpu));
        EXPECT(DOCA_ERROR_INVALID_VALUE, doca_dma_get_gpu_handle(dma, NULL));
        OK(doca_dma_get_gpu_handle(dma, &handle));
        OK(doca_dma_get_gpu_handle(dma, &again));
        assert_ptr_equal(handle, again);
        assert_int_equal(handle->magic, OPENDOCA_GPU_DMA_MAGIC);
        assert_int_equal(handle->queued, 0);
        OK(doca_ctx_stop(doca_dma_as_ctx(dma)));
        /* A kernel that is late sees it. */
        assert_int_equal(handle->magic, OPENDOCA_GPU_GONE_MAGIC);
        assert_int_equal(words_of(handle)->state, OPENDOCA_GPU_QUEUE_STOPPED);
        EXPECT(DOCA_ERROR_BAD_STATE, doca_dma_get_gpu_handle(dma, &handle));
    }
    OK(doca_dma_destroy(dma));
    assert_int_equal(gpu.users, 0);
}

static void tasks_are_for_the_cpu(void **state)
{
    struct doca_gpu_dma *handle;
    struct doca_dma *dma = start(&handle);
    struct doca_dma_task_memcpy *task;
    struct doca_buf buf = {.refcount = 1};

    (void)state;
    EXPECT(DOCA_ERROR_BAD_STATE,
           doca_dma_task_memcpy_alloc_init(dma, &buf, &buf, (union doca_data){.u64 = 0}, &task));
    end(dma);
}

static void copies_are_made_in_order(void **state)
{
    struct doca_gpu_dma *handle;
    struct doca_dma *dma = start(&handle);
    uint32_t src, dst;
    struct doca_mmap *a = map(from, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &src);
    struct doca_mmap *b = map(to, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &dst);

    (void)state;
    memset(from, 'a', SIZE);
    memset(to, 0, SIZE);
    from[8] = 'b';
    for (uint32_t round = 0; round < 3 * handle->num / 2; round += 2) {
        queue(handle, (uintptr_t)from, src, (uintptr_t)to, dst, SIZE);
        queue(handle, (uintptr_t)to + 8, dst, (uintptr_t)to + 100, dst, 1);
        commit(handle);
    }
    assert_int_equal(words_of(handle)->failed, 0);
    assert_int_equal(to[99], 'a');
    assert_int_equal(to[100], 'b');
    assert_int_equal(to[SIZE - 1], 'a');
    OK(doca_mmap_destroy(a));
    OK(doca_mmap_destroy(b));
    end(dma);
}

static void bad_copies_fail_and_the_queue_lives_on(void **state)
{
    struct doca_gpu_dma *handle;
    struct doca_dma *dma = start(&handle);
    const uintptr_t f = (uintptr_t)from, t = (uintptr_t)to;
    uint32_t src, dst, gone;
    struct doca_mmap *a = map(from, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &src);
    struct doca_mmap *b = map(to, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &dst);
    struct doca_mmap *c = map(to, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &gone);

    (void)state;
    OK(doca_mmap_destroy(c));
    memset(from, 'a', SIZE);
    memset(to, 0, SIZE);
    queue(handle, f, 0, t, dst, 1);          /* no key */
    queue(handle, f, src + 1, t, dst, 1);    /* nobody's */
    queue(handle, f, src, t, gone, 1);       /* of a map that is gone */
    queue(handle, f, src, t + SIZE, dst, 1); /* behind the range */
    queue(handle, f - 1, src, t, dst, 2);    /* before it */
    queue(handle, f, src, t, dst, SIZE + 1); /* over its end */
    queue(handle, f, src, t, dst, UINT64_MAX);
    queue(handle, t, dst, f, src, 1); /* only to be read */
    commit(handle);
    assert_int_equal(words_of(handle)->failed, 8);
    for (uint32_t i = 0; i < SIZE; i++)
        assert_true(to[i] == 0 && from[i] == 'a');
    queue(handle, f, src, t, dst, 1);
    commit(handle);
    assert_int_equal(words_of(handle)->failed, 8);
    assert_int_equal(to[0], 'a');
    OK(doca_mmap_destroy(a));
    OK(doca_mmap_destroy(b));
    end(dma);
}

/* What cannot be true ends the queue, not the program. */
static void a_corrupt_doorbell_breaks_the_queue(void **state)
{
    struct doca_gpu_dma *handle;
    struct doca_dma *dma = start(&handle);

    (void)state;
    opendoca_gpu_publish(&words_of(handle)->committed, handle->num + 1u);
    assert_true(await(&words_of(handle)->state, OPENDOCA_GPU_QUEUE_BROKEN));
    assert_int_equal(words_of(handle)->done, 0);
    end(dma);
}

static void an_overwritten_handle_breaks_the_queue(void **state)
{
    struct doca_gpu_dma *handle;
    struct doca_dma *dma = start(&handle);

    (void)state;
    opendoca_gpu_publish32(&handle->magic, 1);
    opendoca_gpu_publish(&words_of(handle)->committed, 1);
    assert_true(await(&words_of(handle)->state, OPENDOCA_GPU_QUEUE_BROKEN));
    end(dma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_exist_while_the_context_runs),
        cmocka_unit_test(tasks_are_for_the_cpu),
        cmocka_unit_test(copies_are_made_in_order),
        cmocka_unit_test(bad_copies_fail_and_the_queue_lives_on),
        cmocka_unit_test(a_corrupt_doorbell_breaks_the_queue),
        cmocka_unit_test(an_overwritten_handle_breaks_the_queue),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
