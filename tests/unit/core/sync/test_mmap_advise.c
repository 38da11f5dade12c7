/* SPDX-License-Identifier: BSD-3-Clause */
#include "sync_fixture.h"

#include <doca_mmap_advise.h>

#define NTASKS 3
#define LIMIT  64 /* bytes, of the devices file below */

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_mmap_advise *advise;
static struct doca_ctx *ctx;
static struct doca_mmap *mmap_;
static struct doca_buf_inventory *inventory;
static struct doca_buf *buf;
static char memory[4 * LIMIT];

static unsigned int done_calls;
static unsigned int error_calls;
static struct doca_mmap_advise_task_invalidate_cache *to_submit; /* by the next callback */

static void advice_done(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data td,
                        union doca_data cd)
{
    assert_int_equal(td.u64, 7);
    assert_int_equal(cd.u64, 8);
    OK(doca_task_get_status(doca_mmap_advise_task_invalidate_cache_as_doca_task(task)));
    done_calls++;
    if (to_submit != NULL) {
        task = to_submit;
        to_submit = NULL;
        OK(doca_task_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(task)));
    }
}

static void advice_failed(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data td,
                          union doca_data cd)
{
    (void)td;
    (void)cd;
    assert_int_equal(
        doca_task_get_status(doca_mmap_advise_task_invalidate_cache_as_doca_task(task)),
        DOCA_ERROR_IO_FAILED);
    error_calls++;
}

static int set_up(void **state)
{
    (void)state;
    done_calls = error_calls = 0;
    to_submit = NULL;
    memset(memory, 'm', sizeof(memory));
    dev = open_device(0);
    OK(doca_pe_create(&pe));
    OK(doca_mmap_create(&mmap_));
    OK(doca_mmap_add_dev(mmap_, dev));
    OK(doca_mmap_set_memrange(mmap_, memory, sizeof(memory)));
    OK(doca_mmap_start(mmap_));
    OK(doca_buf_inventory_create(4, &inventory));
    OK(doca_buf_inventory_start(inventory));
    OK(doca_buf_inventory_buf_get_by_data(inventory, mmap_, memory, LIMIT, &buf));
    OK(doca_mmap_advise_create(dev, &advise));
    OK(doca_mmap_advise_task_invalidate_cache_set_conf(advise, advice_done, advice_failed, NTASKS));
    ctx = doca_mmap_advise_as_ctx(advise);
    OK(doca_ctx_set_user_data(ctx, (union doca_data){.u64 = 8}));
    OK(doca_pe_connect_ctx(pe, ctx));
    OK(doca_ctx_start(ctx));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    OK(doca_ctx_stop(ctx));
    OK(doca_mmap_advise_destroy(advise));
    OK(doca_buf_dec_refcount(buf, NULL));
    OK(doca_buf_inventory_destroy(inventory));
    OK(doca_mmap_destroy(mmap_));
    OK(doca_pe_destroy(pe));
    OK(doca_dev_close(dev));
    return 0;
}

static struct doca_mmap_advise_task_invalidate_cache *new_task(struct doca_buf *of)
{
    struct doca_mmap_advise_task_invalidate_cache *task;

    OK(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, of, (union doca_data){.u64 = 7},
                                                         &task));
    assert_ptr_equal(doca_mmap_advise_task_invalidate_cache_get_buf(task), of);
    return task;
}

static struct doca_task *base(struct doca_mmap_advise_task_invalidate_cache *task)
{
    return doca_mmap_advise_task_invalidate_cache_as_doca_task(task);
}

static void a_task_completes_without_effect(void **state)
{
    struct doca_mmap_advise_task_invalidate_cache *task = new_task(buf);

    (void)state;
    OK(doca_task_try_submit(base(task)));
    assert_int_equal(done_calls, 0);
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(doca_pe_progress(pe), 0);
    assert_int_equal(done_calls, 1);
    for (size_t i = 0; i < sizeof(memory); i++)
        assert_int_equal(memory[i], 'm');
    doca_task_free(base(task));
}

static void a_callback_may_submit(void **state)
{
    struct doca_mmap_advise_task_invalidate_cache *first = new_task(buf);
    struct doca_mmap_advise_task_invalidate_cache *second = new_task(buf);

    (void)state;
    to_submit = second;
    OK(doca_task_submit(base(first)));
    while (doca_pe_progress(pe) == 1)
        ;
    assert_int_equal(done_calls, 2);
    doca_task_free(base(first));
    doca_task_free(base(second));
}

static void the_limit_is_kept(void **state)
{
    struct doca_mmap_advise_task_invalidate_cache *task;
    struct doca_buf *big;
    struct doca_buf *wild;

    (void)state;
    OK(doca_buf_inventory_buf_get_by_data(inventory, mmap_, memory, LIMIT + 1, &big));
    OK(doca_buf_inventory_buf_get_by_data(inventory, mmap_, memory, LIMIT, &wild));
    OK(doca_buf_set_data(wild, memory + LIMIT / 2, LIMIT)); /* ends behind the buffer */
    task = new_task(big);
    assert_int_equal(doca_task_try_submit(base(task)), DOCA_ERROR_INVALID_VALUE);
    OK(doca_task_submit(base(task)));
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(error_calls, 1);
    doca_mmap_advise_task_invalidate_cache_set_buf(task, wild);
    assert_int_equal(doca_task_try_submit(base(task)), DOCA_ERROR_INVALID_VALUE);
    doca_mmap_advise_task_invalidate_cache_set_buf(task, NULL);
    assert_int_equal(doca_task_submit(base(task)), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_task_try_submit(base(task)), DOCA_ERROR_INVALID_VALUE);
    doca_mmap_advise_task_invalidate_cache_set_buf(task, buf);
    OK(doca_task_try_submit(base(task))); /* the context still runs */
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(done_calls, 1);
    doca_task_free(base(task));
    OK(doca_buf_dec_refcount(big, NULL));
    OK(doca_buf_dec_refcount(wild, NULL));
}

static void stopping_flushes_what_is_held(void **state)
{
    struct doca_mmap_advise_task_invalidate_cache *held = new_task(buf);
    struct doca_mmap_advise_task_invalidate_cache *finished = new_task(buf);

    (void)state;
    OK(doca_task_submit(base(finished)));
    OK(doca_task_submit_ex(base(held), DOCA_TASK_SUBMIT_FLAG_NONE));
    assert_int_equal(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
    assert_int_equal(doca_mmap_advise_destroy(advise), DOCA_ERROR_IN_USE);
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(done_calls, 1);
    assert_int_equal(error_calls, 1);
    doca_task_free(base(held));
    doca_task_free(base(finished));
    assert_int_equal(doca_pe_progress(pe), 1); /* IDLE */
    OK(doca_ctx_start(ctx));
}

static void held_tasks_are_released_by_flush(void **state)
{
    struct doca_mmap_advise_task_invalidate_cache *task = new_task(buf);

    (void)state;
    OK(doca_task_submit_ex(base(task), DOCA_TASK_SUBMIT_FLAG_NONE));
    assert_int_equal(doca_pe_progress(pe), 0);
    doca_ctx_flush_tasks(ctx);
    assert_int_equal(doca_pe_progress(pe), 1);
    doca_task_free(base(task));
}

static void codes(void **state)
{
    struct doca_mmap_advise_task_invalidate_cache *tasks[NTASKS];
    struct doca_mmap_advise_task_invalidate_cache *task;
    const union doca_data data = {.u64 = 7};
    struct doca_mmap_advise *other;

    (void)state;
    assert_int_equal(doca_mmap_advise_create(NULL, &other), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_mmap_advise_create(dev, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_mmap_advise_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_null(doca_mmap_advise_as_ctx(NULL));
    assert_null(doca_mmap_advise_task_invalidate_cache_as_doca_task(NULL));
    assert_null(doca_mmap_advise_task_invalidate_cache_get_buf(NULL));
    doca_mmap_advise_task_invalidate_cache_set_buf(NULL, buf);
    assert_int_equal(
        doca_mmap_advise_task_invalidate_cache_set_conf(advise, advice_done, advice_failed, 1),
        DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_mmap_advise_task_invalidate_cache_alloc_init(NULL, buf, data, &task),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, NULL, data, &task),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, data, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    for (int i = 0; i < NTASKS; i++)
        tasks[i] = new_task(buf);
    assert_int_equal(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, data, &task),
                     DOCA_ERROR_NO_MEMORY);
    for (int i = 0; i < NTASKS; i++)
        doca_task_free(base(tasks[i]));

    OK(doca_mmap_advise_create(dev, &other));
    assert_int_equal(
        doca_mmap_advise_task_invalidate_cache_set_conf(NULL, advice_done, advice_failed, 1),
        DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_mmap_advise_task_invalidate_cache_set_conf(other, NULL, advice_failed, 1),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_mmap_advise_task_invalidate_cache_set_conf(other, advice_done, NULL, 1),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(
        doca_mmap_advise_task_invalidate_cache_set_conf(other, advice_done, advice_failed, 0),
        DOCA_ERROR_INVALID_VALUE);
    OK(doca_pe_connect_ctx(pe, doca_mmap_advise_as_ctx(other)));
    assert_int_equal(doca_ctx_start(doca_mmap_advise_as_ctx(other)), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_mmap_advise_task_invalidate_cache_alloc_init(other, buf, data, &task),
                     DOCA_ERROR_BAD_STATE);
    OK(doca_mmap_advise_destroy(other));
}

static void capabilities(void **state)
{
    struct doca_dev *card = open_device(1);
    struct doca_mmap_advise *other;
    uint64_t size;

    (void)state;
    OK(doca_mmap_advise_cap_task_cache_invalidate_is_supported(doca_dev_as_devinfo(dev)));
    OK(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(doca_dev_as_devinfo(dev), &size));
    assert_int_equal(size, LIMIT);
    assert_int_equal(doca_mmap_advise_cap_task_cache_invalidate_is_supported(NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(NULL, &size),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(
        doca_mmap_advise_task_cache_invalidate_get_max_buf_size(doca_dev_as_devinfo(dev), NULL),
        DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(
        doca_mmap_advise_cap_task_cache_invalidate_is_supported(doca_dev_as_devinfo(card)),
        DOCA_ERROR_NOT_SUPPORTED);
    OK(doca_mmap_advise_create(card, &other));
    assert_int_equal(
        doca_mmap_advise_task_invalidate_cache_set_conf(other, advice_done, advice_failed, 1),
        DOCA_ERROR_NOT_SUPPORTED);
    OK(doca_pe_connect_ctx(pe, doca_mmap_advise_as_ctx(other)));
    assert_int_equal(doca_ctx_start(doca_mmap_advise_as_ctx(other)), DOCA_ERROR_NOT_SUPPORTED);
    OK(doca_mmap_advise_destroy(other));
    OK(doca_dev_close(card));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(a_task_completes_without_effect),
        CASE(a_callback_may_submit),
        CASE(the_limit_is_kept),
        CASE(stopping_flushes_what_is_held),
        CASE(held_tasks_are_released_by_flush),
        CASE(codes),
        CASE(capabilities),
    };

    use_devices("{\"devices\": ["
                "{\"role\": \"host\", \"pci\": \"b1:00.0\","
                " \"caps\": {\"mmap_advise_max_buf_size\": 64}},"
                "{\"role\": \"host\", \"pci\": \"b1:00.1\", \"profile\": \"cx7\"}]}");
    return cmocka_run_group_tests(cases, NULL, NULL);
}
