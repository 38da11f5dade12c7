/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sync/sync_event_priv.h"

#include <sched.h>

/* Sequentially consistent accesses to the value: the sleeper of an engine arms and then reads it,
 * an update writes it and then looks for a sleeper; neither may miss the other. */

int core_sync_event_load(const struct doca_sync_event *event, uint64_t *value)
{
    if (od_unlikely(event->map != NULL))
        return soft_peer_load(event->map, event->map_addr, value);
    *value = __atomic_load_n(event->value, __ATOMIC_SEQ_CST);
    return 0;
}

/* The value changed by this process: an engine that sleeps over this event need not wait for the
 * watcher. */
static void wake_waiter(struct doca_sync_event *event)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&event->nwaits, memory_order_relaxed) > 0)
        core_ctx_wake(&event->ctx);
}

int core_sync_event_store(struct doca_sync_event *event, uint64_t value)
{
    int err = 0;

    if (od_unlikely(event->map != NULL))
        err = soft_peer_store(event->map, event->map_addr, value);
    else
        __atomic_store_n(event->value, value, __ATOMIC_SEQ_CST);
    if (err == 0)
        wake_waiter(event);
    return err;
}

int core_sync_event_fetch_add(struct doca_sync_event *event, uint64_t value, uint64_t *before)
{
    int err = 0;

    if (od_unlikely(event->map != NULL))
        err = soft_peer_fetch_add(event->map, event->map_addr, value, before);
    else
        *before = __atomic_fetch_add(event->value, value, __ATOMIC_SEQ_CST);
    if (err == 0)
        wake_waiter(event);
    return err;
}

/* ------------------------------------------------------------------------------------------------
 * Plain calls
 */

static OD_COLD doca_error_t refuse_call(const struct doca_sync_event *event, const char *func)
{
    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, func, "event", event);
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "state",
                     "not started" CORE_LIMIT "started" CORE_REMEDY
                     "call doca_sync_event_start() or start the event's context");
}

static inline bool is_running(const struct doca_sync_event *event)
{
    return od_likely(core_is_live(CORE_LIVE_SYNC_EVENT, event)) &&
           od_likely(atomic_load_explicit(&event->running, memory_order_acquire));
}

static OD_COLD doca_error_t fail_exporter(const struct doca_sync_event *event, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_DRIVER, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "exporter",
                     "%s" CORE_REMEDY "the exporting process and its event must stay alive",
                     soft_reason());
}

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
    if (od_unlikely(value == NULL))
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, __func__, "value");
    if (!is_running(event))
        return refuse_call(event, __func__);
    if (od_unlikely(core_sync_event_load(event, value) != 0))
        return fail_exporter(event, __func__);
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
    if (!is_running(event))
        return refuse_call(event, __func__);
    if (od_unlikely(core_sync_event_store(event, value) != 0))
        return fail_exporter(event, __func__);
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched)
{
    if (od_unlikely(fetched == NULL))
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, __func__, "fetched");
    if (!is_running(event))
        return refuse_call(event, __func__);
    if (od_unlikely(core_sync_event_fetch_add(event, value, fetched) != 0))
        return fail_exporter(event, __func__);
    return DOCA_SUCCESS;
}

enum comparison {
    GREATER,
    EQUAL,
    DIFFERENT,
};

static inline bool holds(uint64_t now, enum comparison comparison, uint64_t wanted)
{
    switch (comparison) {
    case GREATER:
        return now > wanted;
    case EQUAL:
        return now == wanted;
    case DIFFERENT:
        break;
    }
    return now != wanted;
}

static inline void relax_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The interface sets no limit of time; an exporter that vanishes ends the wait. */
static inline doca_error_t wait_until(struct doca_sync_event *event, enum comparison comparison,
                                      uint64_t wanted, uint64_t mask, bool yields, const char *func)
{
    uint64_t now;

    if (!is_running(event))
        return refuse_call(event, func);
    for (;;) {
        if (od_unlikely(core_sync_event_load(event, &now) != 0))
            return fail_exporter(event, func);
        if (holds(now & mask, comparison, wanted))
            return DOCA_SUCCESS;
        if (yields)
            sched_yield();
        else
            relax_cpu();
    }
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
    return wait_until(event, GREATER, value, mask, false, __func__);
}

doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask)
{
    return wait_until(event, GREATER, value, mask, true, __func__);
}

doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
    return wait_until(event, EQUAL, value, mask, false, __func__);
}

doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask)
{
    return wait_until(event, EQUAL, value, mask, true, __func__);
}

doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
    return wait_until(event, DIFFERENT, value, mask, false, __func__);
}

doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
                                            uint64_t mask)
{
    return wait_until(event, DIFFERENT, value, mask, true, __func__);
}
