/* SPDX-License-Identifier: BSD-3-Clause */
#include "sync_fixture.h"

#define NTASKS 4

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_sync_event *event;
static struct doca_ctx *ctx;

static unsigned int done_calls;
static unsigned int error_calls;
static union doca_data last_data;
static struct doca_task *last_task;

static void note(struct doca_task *task, bool done, union doca_data task_data,
                 union doca_data ctx_data)
{
    assert_int_equal(ctx_data.u64, 99);
    assert_int_equal(doca_task_get_status(task), done ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
    last_data = task_data;
    last_task = task;
    if (done)
        done_calls++;
    else
        error_calls++;
}

static void get_done(struct doca_sync_event_task_get *t, union doca_data td, union doca_data cd)
{
    note(doca_sync_event_task_get_as_doca_task(t), true, td, cd);
}

static void get_error(struct doca_sync_event_task_get *t, union doca_data td, union doca_data cd)
{
    note(doca_sync_event_task_get_as_doca_task(t), false, td, cd);
}

static void set_done(struct doca_sync_event_task_notify_set *t, union doca_data td,
                     union doca_data cd)
{
    note(doca_sync_event_task_notify_set_as_doca_task(t), true, td, cd);
}

static void set_error(struct doca_sync_event_task_notify_set *t, union doca_data td,
                      union doca_data cd)
{
    note(doca_sync_event_task_notify_set_as_doca_task(t), false, td, cd);
}

static void add_done(struct doca_sync_event_task_notify_add *t, union doca_data td,
                     union doca_data cd)
{
    note(doca_sync_event_task_notify_add_as_doca_task(t), true, td, cd);
}

static void add_error(struct doca_sync_event_task_notify_add *t, union doca_data td,
                      union doca_data cd)
{
    note(doca_sync_event_task_notify_add_as_doca_task(t), false, td, cd);
}

static void eq_done(struct doca_sync_event_task_wait_eq *t, union doca_data td, union doca_data cd)
{
    note(doca_sync_event_task_wait_eq_as_doca_task(t), true, td, cd);
}

static void eq_error(struct doca_sync_event_task_wait_eq *t, union doca_data td, union doca_data cd)
{
    note(doca_sync_event_task_wait_eq_as_doca_task(t), false, td, cd);
}

static void neq_done(struct doca_sync_event_task_wait_neq *t, union doca_data td,
                     union doca_data cd)
{
    note(doca_sync_event_task_wait_neq_as_doca_task(t), true, td, cd);
}

static void neq_error(struct doca_sync_event_task_wait_neq *t, union doca_data td,
                      union doca_data cd)
{
    note(doca_sync_event_task_wait_neq_as_doca_task(t), false, td, cd);
}

static void configure(void)
{
    OK(doca_sync_event_task_get_set_conf(event, get_done, get_error, NTASKS));
    OK(doca_sync_event_task_notify_set_set_conf(event, set_done, set_error, NTASKS));
    OK(doca_sync_event_task_notify_add_set_conf(event, add_done, add_error, NTASKS));
    OK(doca_sync_event_task_wait_eq_set_conf(event, eq_done, eq_error, NTASKS));
    OK(doca_sync_event_task_wait_neq_set_conf(event, neq_done, neq_error, NTASKS));
}

static int set_up(void **state)
{
    (void)state;
    done_calls = error_calls = 0;
    dev = open_device(0);
    OK(doca_pe_create(&pe));
    event = make_event(dev);
    configure();
    ctx = doca_sync_event_as_ctx(event);
    OK(doca_ctx_set_user_data(ctx, (union doca_data){.u64 = 99}));
    OK(doca_pe_connect_ctx(pe, ctx));
    OK(doca_ctx_start(ctx));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (event != NULL) {
        OK(doca_ctx_stop(ctx));
        OK(doca_sync_event_destroy(event));
    }
    OK(doca_pe_destroy(pe));
    OK(doca_dev_close(dev));
    return 0;
}

static const union doca_data data = {.u64 = 7};

static struct doca_task *new_get(uint64_t *out)
{
    struct doca_sync_event_task_get *task;

    OK(doca_sync_event_task_get_alloc_init(event, out, data, &task));
    assert_ptr_equal(doca_sync_event_task_get_get_ret_val_ptr(task), out);
    return doca_sync_event_task_get_as_doca_task(task);
}

static struct doca_task *new_set(uint64_t value)
{
    struct doca_sync_event_task_notify_set *task;

    OK(doca_sync_event_task_notify_set_alloc_init(event, value, data, &task));
    assert_int_equal(doca_sync_event_task_notify_set_get_set_val(task), value);
    return doca_sync_event_task_notify_set_as_doca_task(task);
}

static struct doca_task *new_add(uint64_t value, uint64_t *out)
{
    struct doca_sync_event_task_notify_add *task;

    OK(doca_sync_event_task_notify_add_alloc_init(event, value, out, data, &task));
    assert_int_equal(doca_sync_event_task_notify_add_get_inc_val(task), value);
    assert_ptr_equal(doca_sync_event_task_notify_add_get_fetched_val_ptr(task), out);
    return doca_sync_event_task_notify_add_as_doca_task(task);
}

static struct doca_task *new_eq(uint64_t value, uint64_t mask)
{
    struct doca_sync_event_task_wait_eq *task;

    OK(doca_sync_event_task_wait_eq_alloc_init(event, value, mask, data, &task));
    assert_int_equal(doca_sync_event_task_wait_eq_get_wait_val(task), value);
    assert_int_equal(doca_sync_event_task_wait_eq_get_mask(task), mask);
    return doca_sync_event_task_wait_eq_as_doca_task(task);
}

static struct doca_task *new_neq(uint64_t value, uint64_t mask)
{
    struct doca_sync_event_task_wait_neq *task;

    OK(doca_sync_event_task_wait_neq_alloc_init(event, value, mask, data, &task));
    assert_int_equal(doca_sync_event_task_wait_neq_get_wait_val(task), value);
    assert_int_equal(doca_sync_event_task_wait_neq_get_mask(task), mask);
    return doca_sync_event_task_wait_neq_as_doca_task(task);
}

static void run(struct doca_task *task)
{
    unsigned int before = done_calls;

    OK(doca_task_submit(task));
    assert_int_equal(done_calls, before); /* never from submit */
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(done_calls, before + 1);
    assert_int_equal(last_data.u64, 7);
    assert_ptr_equal(last_task, task);
    assert_int_equal(doca_pe_progress(pe), 0);
}

static void set_add_get(void **state)
{
    uint64_t before = 1;
    uint64_t value = 1;
    struct doca_task *get = new_get(&value);
    struct doca_task *set = new_set(40);
    struct doca_task *add = new_add(2, &before);

    (void)state;
    run(set);
    assert_int_equal(value_of(event), 40);
    run(add);
    assert_int_equal(before, 40);
    run(get);
    assert_int_equal(value, 42);

    doca_sync_event_task_notify_set_set_set_val((struct doca_sync_event_task_notify_set *)set, 50);
    run(set);
    doca_sync_event_task_notify_add_set_inc_val((struct doca_sync_event_task_notify_add *)add, 5);
    doca_sync_event_task_notify_add_set_fetched_val_ptr(
        (struct doca_sync_event_task_notify_add *)add, &value);
    run(add);
    assert_int_equal(value, 50);
    doca_sync_event_task_get_set_ret_val_ptr((struct doca_sync_event_task_get *)get, &before);
    run(get);
    assert_int_equal(before, 55);
    doca_task_free(get);
    doca_task_free(set);
    doca_task_free(add);
}

static void waits_return_nothing_until_satisfied(void **state)
{
    struct doca_task *eq = new_eq(5, UINT64_MAX);
    struct doca_task *neq = new_neq(5, UINT64_MAX);
    size_t inflight;

    (void)state;
    OK(doca_sync_event_update_set(event, 5));
    OK(doca_task_submit(neq));
    for (int i = 0; i < 100; i++)
        assert_int_equal(doca_pe_progress(pe), 0);
    OK(doca_ctx_get_num_inflight_tasks(ctx, &inflight));
    assert_int_equal(inflight, 1);
    OK(doca_sync_event_update_set(event, 6));
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_ptr_equal(last_task, neq);

    OK(doca_task_submit(eq));
    assert_int_equal(doca_pe_progress(pe), 0);
    OK(doca_sync_event_update_set(event, 5));
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_ptr_equal(last_task, eq);
    doca_sync_event_task_wait_eq_set_wait_val((struct doca_sync_event_task_wait_eq *)eq, 0x500);
    doca_sync_event_task_wait_eq_set_mask((struct doca_sync_event_task_wait_eq *)eq, 0xff00);
    doca_sync_event_task_wait_neq_set_wait_val((struct doca_sync_event_task_wait_neq *)neq, 0);
    doca_sync_event_task_wait_neq_set_mask((struct doca_sync_event_task_wait_neq *)neq, 0xff0000);
    OK(doca_task_submit(eq));
    OK(doca_task_submit(neq));
    assert_int_equal(doca_pe_progress(pe), 0);
    OK(doca_sync_event_update_set(event, 0x0505));
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_ptr_equal(last_task, eq);
    assert_int_equal(doca_pe_progress(pe), 0);
    OK(doca_sync_event_update_set(event, 0x010505));
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_ptr_equal(last_task, neq);
    assert_int_equal(done_calls, 4);
    doca_task_free(eq);
    doca_task_free(neq);
}

static void a_task_wakes_a_waiting_one(void **state)
{
    struct doca_task *waits[NTASKS];
    struct doca_task *set = new_set(3);

    (void)state;
    for (uint64_t i = 0; i < NTASKS; i++) {
        waits[i] = new_eq(3 + i / 3, UINT64_MAX); /* the last one stays behind */
        OK(doca_task_submit(waits[i]));
    }
    OK(doca_task_submit(set));
    for (int i = 0; i < NTASKS; i++)
        assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(doca_pe_progress(pe), 0);
    OK(doca_task_submit(waits[0]));
    OK(doca_sync_event_update_set(event, 4));
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_ptr_equal(last_task, waits[3]);
    OK(doca_sync_event_update_set(event, 3));
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_ptr_equal(last_task, waits[0]);
    for (int i = 0; i < NTASKS; i++)
        doca_task_free(waits[i]);
    doca_task_free(set);
}

static void masks_are_whole_bytes(void **state)
{
    static const uint64_t good[] = {0,        0xff,       0xff000000,         0xffff,
                                    0xffff00, 0xffffffff, 0xffffffff00000000, UINT64_MAX};
    static const uint64_t bad[] = {1, 0x0ff0, 0xffffff, 0xff00ff, 0xffffffffff, 0x7fffffffffffffff};
    struct doca_sync_event_task_wait_eq *eq;
    struct doca_sync_event_task_wait_neq *neq;
    struct doca_task *task;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        doca_task_free(new_eq(0, good[i]));
        doca_task_free(new_neq(0, good[i]));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(doca_sync_event_task_wait_eq_alloc_init(event, 0, bad[i], data, &eq),
                         DOCA_ERROR_INVALID_VALUE);
        assert_int_equal(doca_sync_event_task_wait_neq_alloc_init(event, 0, bad[i], data, &neq),
                         DOCA_ERROR_INVALID_VALUE);
    }
    task = new_neq(1, 0xff);
    doca_sync_event_task_wait_neq_set_mask((struct doca_sync_event_task_wait_neq *)task, 0xf0f);
    assert_int_equal(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
    doca_sync_event_task_wait_neq_set_mask((struct doca_sync_event_task_wait_neq *)task, 0xff);
    OK(doca_task_try_submit(task));
    assert_int_equal(doca_pe_progress(pe), 1);
    doca_task_free(task);
}

static void tasks_without_flush_are_held(void **state)
{
    struct doca_task *first = new_set(1);
    struct doca_task *second = new_set(2);

    (void)state;
    OK(doca_task_submit_ex(first, DOCA_TASK_SUBMIT_FLAG_NONE));
    assert_int_equal(doca_pe_progress(pe), 0);
    assert_int_equal(value_of(event), 0);
    OK(doca_task_submit_ex(second, DOCA_TASK_SUBMIT_FLAG_FLUSH));
    assert_int_equal(value_of(event), 2);
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_ptr_equal(last_task, first);
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_ptr_equal(last_task, second);

    OK(doca_task_submit_ex(first, DOCA_TASK_SUBMIT_FLAG_NONE));
    assert_int_equal(value_of(event), 2);
    doca_ctx_flush_tasks(ctx);
    assert_int_equal(value_of(event), 1);
    assert_int_equal(doca_pe_progress(pe), 1);
    doca_task_free(first);
    doca_task_free(second);
}

static void stopping_flushes(void **state)
{
    uint64_t value = 0;
    struct doca_task *finished = new_get(&value);
    struct doca_task *satisfied = new_eq(8, UINT64_MAX);
    struct doca_task *waiting = new_eq(9, UINT64_MAX);
    struct doca_task *held = new_set(9);
    enum doca_ctx_states ctx_state;

    (void)state;
    OK(doca_sync_event_update_set(event, 8));
    OK(doca_task_submit(finished));
    OK(doca_task_submit(waiting));
    OK(doca_task_submit(satisfied));
    OK(doca_task_submit_ex(held, DOCA_TASK_SUBMIT_FLAG_NONE));
    assert_int_equal(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
    assert_int_equal(done_calls + error_calls, 0);
    assert_int_equal(doca_task_submit(held), DOCA_ERROR_BAD_STATE);
    for (int i = 0; i < 4; i++)
        assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(done_calls, 2);
    assert_int_equal(error_calls, 2);
    assert_int_equal(value, 8);
    assert_int_equal(doca_task_get_status(waiting), DOCA_ERROR_IO_FAILED);
    assert_int_equal(doca_task_get_status(held), DOCA_ERROR_IO_FAILED);
    assert_int_equal(value_of(event), 8); /* the held one did not run */
    doca_task_free(finished);
    doca_task_free(satisfied);
    doca_task_free(waiting);
    doca_task_free(held);
    assert_int_equal(doca_pe_progress(pe), 1);
    OK(doca_ctx_get_state(ctx, &ctx_state));
    assert_int_equal(ctx_state, DOCA_CTX_STATE_IDLE);
    assert_int_equal(doca_sync_event_get(event, &value), DOCA_ERROR_BAD_STATE);

    OK(doca_ctx_start(ctx)); /* and again */
    done_calls = 0;
    finished = new_get(&value);
    run(finished);
    doca_task_free(finished);
}

static void destroy_when_idle(const union doca_data user_data, struct doca_ctx *c,
                              enum doca_ctx_states prev, enum doca_ctx_states next)
{
    (void)user_data;
    (void)c;
    (void)prev;
    if (next != DOCA_CTX_STATE_IDLE)
        return;
    OK(doca_sync_event_destroy(event));
    event = NULL;
}

static void destroyed_in_the_idle_callback(void **state)
{
    struct doca_task *waiting = new_eq(9, UINT64_MAX);

    (void)state;
    OK(doca_ctx_set_state_changed_cb(ctx, destroy_when_idle));
    OK(doca_task_submit(waiting));
    assert_int_equal(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(error_calls, 1);
    doca_task_free(waiting);
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_null(event);
}

static void configuration_codes(void **state)
{
    struct doca_sync_event *idle = make_event(dev);
    struct doca_sync_event_task_get *get;
    uint64_t value;

    (void)state;
    assert_int_equal(doca_sync_event_task_get_set_conf(NULL, get_done, get_error, 1),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_task_get_set_conf(idle, NULL, get_error, 1),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_task_get_set_conf(idle, get_done, NULL, 1),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_task_get_set_conf(idle, get_done, get_error, 0),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_task_get_set_conf(event, get_done, get_error, 1),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_sync_event_task_get_alloc_init(idle, &value, data, &get),
                     DOCA_ERROR_BAD_STATE);
    OK(doca_sync_event_start(idle));
    assert_int_equal(doca_sync_event_task_get_set_conf(idle, get_done, get_error, 1),
                     DOCA_ERROR_NOT_PERMITTED);
    OK(doca_sync_event_destroy(idle));
}

static void allocation_codes(void **state)
{
    struct doca_sync_event_task_get *get;
    struct doca_sync_event_task_notify_set *set;
    struct doca_sync_event_task_notify_add *add;
    struct doca_task *tasks[NTASKS];
    uint64_t value;

    (void)state;
    assert_int_equal(doca_sync_event_task_get_alloc_init(NULL, &value, data, &get),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_task_get_alloc_init(event, NULL, data, &get),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_task_get_alloc_init(event, &value, data, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_task_notify_add_alloc_init(event, 1, NULL, data, &add),
                     DOCA_ERROR_INVALID_VALUE);
    for (int i = 0; i < NTASKS; i++)
        tasks[i] = new_set(1);
    assert_int_equal(doca_sync_event_task_notify_set_alloc_init(event, 1, data, &set),
                     DOCA_ERROR_NO_MEMORY);
    for (int i = 0; i < NTASKS; i++)
        doca_task_free(tasks[i]);

    tasks[0] = new_get(&value);
    doca_sync_event_task_get_set_ret_val_ptr((struct doca_sync_event_task_get *)tasks[0], NULL);
    assert_int_equal(doca_task_submit(tasks[0]), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_task_try_submit(tasks[0]), DOCA_ERROR_INVALID_VALUE);
    doca_task_free(tasks[0]);
}

static void null_tasks_are_harmless(void **state)
{
    (void)state;
    assert_null(doca_sync_event_task_get_as_doca_task(NULL));
    assert_null(doca_sync_event_task_notify_set_as_doca_task(NULL));
    assert_null(doca_sync_event_task_notify_add_as_doca_task(NULL));
    assert_null(doca_sync_event_task_wait_eq_as_doca_task(NULL));
    assert_null(doca_sync_event_task_wait_neq_as_doca_task(NULL));
    assert_null(doca_sync_event_task_get_get_ret_val_ptr(NULL));
    assert_null(doca_sync_event_task_notify_add_get_fetched_val_ptr(NULL));
    assert_int_equal(doca_sync_event_task_notify_set_get_set_val(NULL), 0);
    assert_int_equal(doca_sync_event_task_notify_add_get_inc_val(NULL), 0);
    assert_int_equal(doca_sync_event_task_wait_eq_get_wait_val(NULL), 0);
    assert_int_equal(doca_sync_event_task_wait_eq_get_mask(NULL), 0);
    assert_int_equal(doca_sync_event_task_wait_neq_get_wait_val(NULL), 0);
    assert_int_equal(doca_sync_event_task_wait_neq_get_mask(NULL), 0);
    doca_sync_event_task_get_set_ret_val_ptr(NULL, NULL);
    doca_sync_event_task_notify_set_set_set_val(NULL, 1);
    doca_sync_event_task_notify_add_set_inc_val(NULL, 1);
    doca_sync_event_task_notify_add_set_fetched_val_ptr(NULL, NULL);
    doca_sync_event_task_wait_eq_set_wait_val(NULL, 1);
    doca_sync_event_task_wait_eq_set_mask(NULL, 1);
    doca_sync_event_task_wait_neq_set_wait_val(NULL, 1);
    doca_sync_event_task_wait_neq_set_mask(NULL, 1);
}

static void capabilities(void **state)
{
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);

    (void)state;
    OK(doca_sync_event_cap_task_get_is_supported(info));
    OK(doca_sync_event_cap_task_notify_set_is_supported(info));
    OK(doca_sync_event_cap_task_notify_add_is_supported(info));
    OK(doca_sync_event_cap_task_wait_eq_is_supported(info));
    OK(doca_sync_event_cap_task_wait_neq_is_supported(info));
    assert_int_equal(doca_sync_event_cap_task_get_is_supported(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_cap_task_wait_neq_is_supported(NULL),
                     DOCA_ERROR_INVALID_VALUE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(set_add_get),
        CASE(waits_return_nothing_until_satisfied),
        CASE(a_task_wakes_a_waiting_one),
        CASE(masks_are_whole_bytes),
        CASE(tasks_without_flush_are_held),
        CASE(stopping_flushes),
        CASE(destroyed_in_the_idle_callback),
        CASE(configuration_codes),
        CASE(allocation_codes),
        CASE(null_tasks_are_harmless),
        CASE(capabilities),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
