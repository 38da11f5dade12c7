/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress engine and context life cycle, with a context of the test's own: it is asynchronous when
 * told so, and its events come from another thread. */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <opendoca.h>

#include "core/core_priv.h"
#include "lib/seconds.h"

#define assert_doca(expected, call) assert_string_equal(doca_error_get_name(call), #expected)
#define assert_ok(call)             assert_doca(DOCA_SUCCESS, call)

struct fake {
    struct doca_ctx ctx;
    doca_error_t start_result;
    atomic_int events; /* published by whoever, consumed by progress */
    unsigned int seen;
    unsigned int held; /* become events at a flush */
    bool established;  /* asynchronous start may finish */
    doca_error_t established_status;
    bool undone; /* the library's own undo is over */
    doca_error_t stop_result;
    unsigned int nstates;
    enum doca_ctx_states states[16];
    doca_error_t stop_in_callback;
    bool stop_when_running;
    bool destroy_when_idle;
};

static struct fake *from_ctx(const struct doca_ctx *ctx)
{
    return (struct fake *)((uintptr_t)ctx - offsetof(struct fake, ctx));
}

static doca_error_t fake_start(struct doca_ctx *ctx)
{
    return from_ctx(ctx)->start_result;
}

static bool fake_progress(struct doca_ctx *ctx)
{
    struct fake *fake = from_ctx(ctx);

    if (ctx->state == DOCA_CTX_STATE_STARTING && fake->established) {
        core_ctx_established(ctx, fake->established_status);
        return true;
    }
    if (atomic_load(&fake->events) == 0)
        return false;
    atomic_fetch_sub(&fake->events, 1);
    fake->seen++;
    return true;
}

static bool fake_pending(const struct doca_ctx *ctx)
{
    struct fake *fake = from_ctx(ctx);

    return atomic_load(&fake->events) != 0 ||
           (ctx->state == DOCA_CTX_STATE_STARTING && fake->established);
}

static void fake_nothing(struct doca_ctx *ctx)
{
    (void)ctx;
}

static void fake_flush(struct doca_ctx *ctx)
{
    struct fake *fake = from_ctx(ctx);

    atomic_fetch_add(&fake->events, (int)fake->held);
    fake->held = 0;
}

static bool fake_drained(const struct doca_ctx *ctx)
{
    return from_ctx(ctx)->undone;
}

static doca_error_t fake_can_stop(const struct doca_ctx *ctx)
{
    return from_ctx(ctx)->stop_result;
}

static const struct core_ctx_ops fake_ops = {
    .kind = "fake",
    .source = CORE_LOG_CTX,
    .start = fake_start,
    .can_stop = fake_can_stop,
    .progress = fake_progress,
    .pending = fake_pending,
    .flush = fake_flush,
    .stopping = fake_nothing,
    .drained = fake_drained,
    .stopped = fake_nothing,
};

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev, enum doca_ctx_states next)
{
    struct fake *fake = user_data.ptr;

    (void)prev;
    fake->states[fake->nstates++] = next;
    if (next == DOCA_CTX_STATE_RUNNING && fake->stop_when_running)
        fake->stop_in_callback = doca_ctx_stop(ctx);
    if (next == DOCA_CTX_STATE_IDLE && fake->destroy_when_idle) {
        assert_ok(core_ctx_fini(ctx, "test"));
        memset(&fake->ctx, 0xa5, sizeof(fake->ctx)); /* whoever looks at it now, crashes */
    }
}

static void open_fake(struct fake *fake, struct doca_pe *pe)
{
    memset(fake, 0, sizeof(*fake));
    fake->undone = true;
    core_ctx_init(&fake->ctx, &fake_ops, NULL);
    assert_ok(doca_ctx_set_user_data(&fake->ctx, (union doca_data){.ptr = fake}));
    assert_ok(doca_ctx_set_state_changed_cb(&fake->ctx, on_state));
    assert_ok(doca_pe_connect_ctx(pe, &fake->ctx));
}

/* A running one on an engine of its own. */
static struct doca_pe *start_fake(struct fake *fake)
{
    struct doca_pe *pe;

    assert_ok(doca_pe_create(&pe));
    open_fake(fake, pe);
    assert_ok(doca_ctx_start(&fake->ctx));
    return pe;
}

static void end_fake(struct fake *fake, struct doca_pe *pe)
{
    assert_ok(doca_ctx_stop(&fake->ctx));
    assert_ok(core_ctx_fini(&fake->ctx, "test"));
    assert_ok(doca_pe_destroy(pe));
}

static bool is_readable(struct doca_pe *pe, int timeout_ms)
{
    struct pollfd p = {.events = POLLIN};

    assert_ok(doca_pe_get_notification_handle(pe, &p.fd));
    return poll(&p, 1, timeout_ms) == 1;
}

/* ---- life cycle ---- */

static void asynchronous_start_finishes_in_progress(void **state)
{
    struct doca_pe *pe;
    struct fake fake;

    (void)state;
    assert_ok(doca_pe_create(&pe));
    open_fake(&fake, pe);
    fake.start_result = DOCA_ERROR_IN_PROGRESS;
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(&fake.ctx));
    assert_int_equal(fake.states[0], DOCA_CTX_STATE_STARTING);
    assert_int_equal(doca_pe_progress(pe), 0);
    fake.established = true;
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(fake.states[1], DOCA_CTX_STATE_RUNNING);
    fake.undone = false;
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(&fake.ctx));
    assert_int_equal(doca_pe_progress(pe), 0);
    fake.undone = true;
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(fake.nstates, 4);
    assert_int_equal(fake.states[3], DOCA_CTX_STATE_IDLE);
    assert_doca(DOCA_ERROR_IN_USE, doca_pe_destroy(pe));
    assert_ok(core_ctx_fini(&fake.ctx, "test"));
    assert_ok(doca_pe_destroy(pe));
}

static void a_refused_stop_changes_nothing(void **state)
{
    struct doca_pe *pe;
    struct fake fake;

    (void)state;
    assert_ok(doca_pe_create(&pe));
    open_fake(&fake, pe);
    fake.stop_result = DOCA_ERROR_IN_USE;
    assert_ok(doca_ctx_stop(&fake.ctx)); /* an idle context is not asked */
    assert_ok(doca_ctx_start(&fake.ctx));
    assert_doca(DOCA_ERROR_IN_USE, doca_ctx_stop(&fake.ctx));
    assert_int_equal(fake.nstates, 1);
    assert_int_equal(fake.ctx.state, DOCA_CTX_STATE_RUNNING);
    fake.stop_result = DOCA_SUCCESS;
    end_fake(&fake, pe);
}

static void failed_start_is_one_step(void **state)
{
    struct doca_pe *pe;
    struct fake fake;

    (void)state;
    assert_ok(doca_pe_create(&pe));
    open_fake(&fake, pe);
    fake.start_result = DOCA_ERROR_INITIALIZATION;
    assert_doca(DOCA_ERROR_INITIALIZATION, doca_ctx_start(&fake.ctx));
    assert_int_equal(fake.nstates, 0);
    fake.start_result = DOCA_ERROR_IN_PROGRESS;
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(&fake.ctx));
    fake.established = true;
    fake.established_status = DOCA_ERROR_TIME_OUT;
    fake.destroy_when_idle = true;
    assert_int_equal(doca_pe_progress(pe), 1);
    /* Nothing was to be undone: one step back. */
    assert_int_equal(fake.nstates, 2);
    assert_int_equal(fake.states[1], DOCA_CTX_STATE_IDLE);
    assert_int_equal(doca_pe_progress(pe), 0);
    assert_ok(doca_pe_destroy(pe));
}

static void stop_inside_the_running_callback(void **state)
{
    struct doca_pe *pe;
    struct fake fake;

    (void)state;
    assert_ok(doca_pe_create(&pe));
    open_fake(&fake, pe);
    fake.stop_when_running = true;
    fake.destroy_when_idle = true;
    assert_ok(doca_ctx_start(&fake.ctx)); /* the start succeeded all the same */
    assert_doca(DOCA_ERROR_IN_PROGRESS, fake.stop_in_callback);
    assert_int_equal(fake.nstates, 2);
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(fake.nstates, 3);
    assert_ok(doca_pe_destroy(pe));
}

static void contexts_are_served_in_turn(void **state)
{
    struct doca_pe *pe;
    struct fake fakes[3];

    (void)state;
    assert_ok(doca_pe_create(&pe));
    for (int i = 0; i < 3; i++) {
        open_fake(&fakes[i], pe);
        assert_ok(doca_ctx_start(&fakes[i].ctx));
        atomic_store(&fakes[i].events, 100);
    }
    for (int i = 0; i < 30; i++)
        assert_int_equal(doca_pe_progress(pe), 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(fakes[i].seen, 10);
    for (int i = 0; i < 3; i++) {
        atomic_store(&fakes[i].events, 0);
        assert_ok(doca_ctx_stop(&fakes[i].ctx));
        assert_ok(core_ctx_fini(&fakes[i].ctx, "test"));
    }
    assert_ok(doca_pe_destroy(pe));
}

/* ---- notification ---- */

#define SECONDS 10 /* enough of it where others want the processors, too */

static void work_between_drain_and_arm_is_never_missed(void **state)
{
    const time_t end = whole_seconds_now() + SECONDS;
    struct doca_pe *pe;
    struct fake fake;

    (void)state;
    pe = start_fake(&fake);
    for (unsigned int i = 0; i < 1000000 && whole_seconds_now() < end; i++) {
        assert_int_equal(doca_pe_progress(pe), 0);
        atomic_fetch_add(&fake.events, 1);
        core_ctx_wake(&fake.ctx);
        doca_pe_request_notification(pe);
        if (!is_readable(pe, 0))
            fail_msg("round %u: armed with work pending, but not readable", i);
        doca_pe_clear_notification(pe, 0);
        assert_int_equal(doca_pe_progress(pe), 1);
    }
    end_fake(&fake, pe);
}

static _Atomic unsigned int races; /* how many there are; fewer than meant when time is over */

static void *publish(void *arg)
{
    const time_t end = whole_seconds_now() + SECONDS;
    struct fake *fake = arg;

    for (unsigned int i = 0; i < atomic_load(&races); i++) {
        /* Without pause at first; the engine may be on this processor. */
        for (unsigned int looks = 1; atomic_load(&fake->events) != 0; looks++) {
            if (looks % 1000 == 0)
                sched_yield();
        }
        if (whole_seconds_now() >= end)
            atomic_store(&races, i + 1);
        atomic_fetch_add(&fake->events, 1);
        core_ctx_wake(&fake->ctx);
    }
    return NULL;
}

static void racing_publisher_always_wakes(void **state)
{
    struct doca_pe *pe;
    struct fake fake;
    pthread_t thread;

    (void)state;
    pe = start_fake(&fake);
    atomic_store(&races, 100000);
    assert_int_equal(pthread_create(&thread, NULL, publish, &fake), 0);
    while (fake.seen < atomic_load(&races)) {
        while (doca_pe_progress(pe) != 0)
            ;
        if (fake.seen == atomic_load(&races))
            break;
        doca_pe_request_notification(pe);
        if (!is_readable(pe, 60000))
            fail_msg("no wake-up after %u events", fake.seen);
        doca_pe_clear_notification(pe, 0);
    }
    pthread_join(thread, NULL);
    end_fake(&fake, pe);
}

static void state_changes_wake_too(void **state)
{
    struct doca_pe *pe;
    struct fake fake;

    (void)state;
    pe = start_fake(&fake);
    doca_pe_request_notification(pe);
    assert_false(is_readable(pe, 0));
    fake.undone = false;
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(&fake.ctx));
    doca_pe_clear_notification(pe, 0);
    assert_int_equal(doca_pe_progress(pe), 0);
    doca_pe_request_notification(pe);
    assert_false(is_readable(pe, 0));
    fake.undone = true;
    core_ctx_wake(&fake.ctx);
    assert_true(is_readable(pe, 0));
    assert_true(is_readable(pe, 0)); /* level: stays readable until cleared */
    assert_ok(doca_pe_clear_notification(pe, 77));
    assert_false(is_readable(pe, 0));
    /* the IDLE step still waits: arming fires at once */
    doca_pe_request_notification(pe);
    assert_true(is_readable(pe, 0));
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_ok(core_ctx_fini(&fake.ctx, "test"));
    assert_ok(doca_pe_destroy(pe));
}

static void a_flush_wakes_when_it_makes_work(void **state)
{
    struct doca_pe *pe;
    struct fake fake;

    (void)state;
    pe = start_fake(&fake);
    assert_ok(doca_pe_request_notification(pe));
    doca_ctx_flush_tasks(&fake.ctx);
    assert_false(is_readable(pe, 0));
    fake.held = 1;
    doca_ctx_flush_tasks(&fake.ctx);
    assert_true(is_readable(pe, 0));
    assert_int_equal(doca_pe_progress(pe), 1);
    end_fake(&fake, pe);
}

static void all_mode_needs_no_clear(void **state)
{
    struct doca_pe *pe;
    struct fake fake;

    (void)state;
    assert_ok(doca_pe_create(&pe));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_set_event_mode(pe, (enum doca_pe_event_mode)9));
    assert_ok(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
    open_fake(&fake, pe);
    assert_ok(doca_ctx_start(&fake.ctx));
    for (int i = 0; i < 3; i++) {
        doca_pe_request_notification(pe);
        assert_false(is_readable(pe, 0));
        atomic_fetch_add(&fake.events, 1);
        core_ctx_wake(&fake.ctx);
        assert_true(is_readable(pe, 0));
        assert_int_equal(doca_pe_progress(pe), 1);
    }
    end_fake(&fake, pe);
}

/* ---- misuse ---- */

static void null_is_refused_or_harmless(void **state)
{
    struct doca_pe *pe;
    size_t n;
    int handle;

    (void)state;
    assert_ok(doca_pe_create(&pe));
    assert_int_equal(doca_pe_progress(NULL), 0);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_create(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_destroy(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_connect_ctx(pe, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_connect_ctx(NULL, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_get_notification_handle(NULL, &handle));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_get_notification_handle(pe, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_request_notification(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_clear_notification(NULL, 0));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_pe_get_num_inflight_tasks(pe, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_stop(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_num_inflight_tasks(NULL, &n));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_submit(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_submit_ex(NULL, 0));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_task_batch_submit(NULL));
    doca_task_free(NULL);
    doca_ctx_flush_tasks(NULL);
    assert_null(doca_task_get_ctx(NULL));
    assert_non_null(strstr(opendoca_last_error(), "doca_task_batch_submit"));
    assert_ok(doca_pe_destroy(pe));
}

static void data_paths_elsewhere_are_refused(void **state)
{
    struct doca_gpu *gpu = (struct doca_gpu *)&state;
    struct doca_dpa *dpa = (struct doca_dpa *)&state;
    struct doca_pe *pe;
    struct fake fake;

    assert_ok(doca_pe_create(&pe));
    open_fake(&fake, pe);
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_set_datapath_on_gpu(&fake.ctx, gpu));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_set_datapath_on_dpa(&fake.ctx, dpa));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_gpu(&fake.ctx, NULL));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_profiler_set_max_nranges(&fake.ctx, 1));
    assert_ok(doca_ctx_start(&fake.ctx));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_set_datapath_on_gpu(&fake.ctx, gpu));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_set_completion_vector(&fake.ctx, 0));
    end_fake(&fake, pe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asynchronous_start_finishes_in_progress),
        cmocka_unit_test(a_refused_stop_changes_nothing),
        cmocka_unit_test(failed_start_is_one_step),
        cmocka_unit_test(stop_inside_the_running_callback),
        cmocka_unit_test(contexts_are_served_in_turn),
        cmocka_unit_test(work_between_drain_and_arm_is_never_missed),
        cmocka_unit_test(racing_publisher_always_wakes),
        cmocka_unit_test(state_changes_wake_too),
        cmocka_unit_test(a_flush_wakes_when_it_makes_work),
        cmocka_unit_test(all_mode_needs_no_clear),
        cmocka_unit_test(null_is_refused_or_harmless),
        cmocka_unit_test(data_paths_elsewhere_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
