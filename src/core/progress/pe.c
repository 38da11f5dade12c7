/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/progress/ctx_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

doca_error_t doca_pe_create(struct doca_pe **pe)
{
    struct doca_pe *created;
    int err;

    if (pe == NULL)
        return CORE_FAIL_NULL(CORE_LOG_PE, __func__, "pe");
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_PE, __func__, NULL, "progress engine",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    err = od_waker_open(&created->waker);
    if (err != 0)
        goto err_free;
    od_list_init(&created->ctxs);
    created->cursor = &created->ctxs;
    snprintf(created->name, sizeof(created->name), "pe#%u", core_next_id());
    core_live_add(CORE_LIVE_PE, created);
    *pe = created;
    return DOCA_SUCCESS;

err_free:
    free(created);
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_PE, __func__, NULL, "notification handle",
                     "%s" CORE_REMEDY "raise the limit of open files (ulimit -n)", strerror(-err));
}

static size_t count_ctxs(const struct doca_pe *pe)
{
    size_t n = 0;

    OD_LIST_FOR_EACH(link, &pe->ctxs)
    n++;
    return n;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
    if (!core_is_live(CORE_LIVE_PE, pe))
        return CORE_FAIL_DEAD(CORE_LOG_PE, __func__, "pe", pe);
    if (!od_list_is_empty(&pe->ctxs) || pe->holders > 0)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_PE, __func__, pe->name, "dependents",
                         "%zu contexts (one is %s) and %u graphs" CORE_LIMIT "none" CORE_REMEDY
                         "destroy them first",
                         count_ctxs(pe),
                         od_list_is_empty(&pe->ctxs)
                             ? "-"
                             : OD_LIST_ENTRY(pe->ctxs.next, struct doca_ctx, pe_link)->name,
                         pe->holders);
    if (pe->busy)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_PE, __func__, pe->name, "doca_pe_progress()",
                         "running" CORE_REMEDY "destroy the engine outside of its callbacks");
    core_live_remove(pe);
    od_waker_close(&pe->waker);
    free(pe);
    return DOCA_SUCCESS;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
    if (!core_is_live(CORE_LIVE_PE, pe))
        return CORE_FAIL_DEAD(CORE_LOG_PE, __func__, "pe", pe);
    if (!core_is_live(CORE_LIVE_CTX, ctx))
        return CORE_FAIL_DEAD(CORE_LOG_PE, __func__, "ctx", ctx);
    if (ctx->state != DOCA_CTX_STATE_IDLE)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_PE, __func__, ctx->name, "state",
                         "not IDLE" CORE_LIMIT "IDLE" CORE_REMEDY
                         "connect before doca_ctx_start()");
    if (ctx->pe != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_PE, __func__, ctx->name,
                         "progress engine",
                         "already %s" CORE_LIMIT "one for a context's whole life" CORE_REMEDY
                         "destroy the context to move it",
                         ctx->pe->name);
    ctx->pe = pe;
    od_list_append(&pe->ctxs, &ctx->pe_link);
    return DOCA_SUCCESS;
}

void core_pe_forget(struct doca_pe *pe, struct doca_ctx *ctx)
{
    if (pe->cursor == &ctx->pe_link)
        pe->cursor = ctx->pe_link.next;
    od_list_remove(&ctx->pe_link);
    ctx->pe = NULL;
}

void core_pe_defer(struct doca_pe *pe, struct core_work *work)
{
    work->next = NULL;
    if (pe->work_head == NULL)
        pe->work_head = work;
    else
        pe->work_tail->next = work;
    pe->work_tail = work;
    od_waker_wake_self(&pe->waker);
}

void core_pe_hold(struct doca_pe *pe)
{
    pe->holders++;
}

void core_pe_release(struct doca_pe *pe)
{
    pe->holders--;
}

static bool run_deferred(struct doca_pe *pe)
{
    /* Work that is deferred while this runs waits for the next call, so that the loop ends. */
    struct core_work *last = pe->work_tail;

    while (pe->work_head != NULL) {
        struct core_work *work = pe->work_head;
        bool was_last = work == last;

        pe->work_head = work->next;
        if (work->run(work))
            return true;
        if (was_last)
            break;
    }
    return false;
}

static inline struct od_list *next_ctx(const struct doca_pe *pe)
{
    return od_unlikely(pe->cursor == &pe->ctxs) ? pe->ctxs.next : pe->cursor;
}

static inline bool serve_one(struct doca_pe *pe, struct od_list *link)
{
    /* First the cursor: it survives contexts that callbacks destroy. */
    pe->cursor = link->next;
    return core_ctx_step(OD_LIST_ENTRY(link, struct doca_ctx, pe_link));
}

static OD_NOINLINE bool serve_others(struct doca_pe *pe, const struct od_list *first)
{
    for (struct od_list *link = next_ctx(pe); link != first; link = next_ctx(pe)) {
        if (serve_one(pe, link))
            return true;
    }
    return false;
}

/* One round over the contexts, beginning behind the one served last; ends at the first that has
 * something. */
static inline bool serve_ctxs(struct doca_pe *pe)
{
    struct od_list *first = next_ctx(pe);

    if (od_unlikely(first == &pe->ctxs))
        return false;
    return serve_one(pe, first) || serve_others(pe, first);
}

static pid_t thread_id(void)
{
    static __thread pid_t id;

    if (id == 0)
        id = gettid();
    return id;
}

/* Out of line: says once a progress call that callbacks may not progress their own engine. */
static OD_COLD void refuse_reentry(struct doca_pe *pe)
{
    if (OD_CHECKED && pe->user != thread_id()) {
        CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_PE, "doca_pe_progress", pe->name, "thread",
                  "%d while thread %d progresses" CORE_LIMIT "one thread at a time" CORE_REMEDY
                  "use one engine a thread, or hand it over with a lock",
                  (int)thread_id(), (int)pe->user);
        return;
    }
    if (pe->reentered)
        return;
    pe->reentered = true;
    CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_PE, "doca_pe_progress", pe->name, "caller",
              "a callback of the same engine" CORE_REMEDY
              "return from the callback; the loop outside progresses");
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
    bool seen;

    if (od_unlikely(!core_is_live(CORE_LIVE_PE, pe))) {
        if (OD_CHECKED && pe != NULL)
            CORE_FAIL_DEAD(CORE_LOG_PE, __func__, "pe", pe);
        return 0;
    }
    if (od_unlikely(pe->busy)) {
        refuse_reentry(pe);
        return 0;
    }
    pe->busy = true;
    if (OD_CHECKED)
        pe->user = thread_id();
    seen = (od_unlikely(pe->work_head != NULL) && run_deferred(pe)) || serve_ctxs(pe);
    pe->busy = false;
    if (od_unlikely(pe->reentered))
        pe->reentered = false;
    return seen ? 1 : 0;
}

doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle)
{
    if (!core_is_live(CORE_LIVE_PE, pe))
        return CORE_FAIL_DEAD(CORE_LOG_PE, __func__, "pe", pe);
    if (handle == NULL)
        return CORE_FAIL_NULL(CORE_LOG_PE, __func__, "handle");
    *handle = pe->waker.fd;
    return DOCA_SUCCESS;
}

static bool anything_pending(const struct doca_pe *pe)
{
    if (pe->work_head != NULL)
        return true;
    OD_LIST_FOR_EACH(link, &pe->ctxs)
    {
        if (core_ctx_pending(OD_LIST_ENTRY(link, struct doca_ctx, pe_link)))
            return true;
    }
    return false;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
    if (!core_is_live(CORE_LIVE_PE, pe))
        return CORE_FAIL_DEAD(CORE_LOG_PE, __func__, "pe", pe);
    /* In ALL mode the user need not clear: what is left of the last wake-up goes here. */
    if (pe->event_mode == DOCA_PE_EVENT_MODE_PROGRESS_ALL)
        od_waker_clear(&pe->waker);
    od_waker_arm(&pe->waker);
    if (anything_pending(pe))
        od_waker_fire(&pe->waker);
    return DOCA_SUCCESS;
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle)
{
    int err;

    (void)handle; /* one fd for the engine's whole life: nothing to choose */
    if (!core_is_live(CORE_LIVE_PE, pe))
        return CORE_FAIL_DEAD(CORE_LOG_PE, __func__, "pe", pe);
    err = od_waker_clear(&pe->waker);
    if (err != 0)
        return CORE_FAIL(
            DOCA_ERROR_OPERATING_SYSTEM, CORE_LOG_PE, __func__, pe->name, "notification handle",
            "%s" CORE_REMEDY "do not close or replace the engine's fd", strerror(-err));
    return DOCA_SUCCESS;
}

doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks)
{
    if (!core_is_live(CORE_LIVE_PE, pe))
        return CORE_FAIL_DEAD(CORE_LOG_PE, __func__, "pe", pe);
    if (num_inflight_tasks == NULL)
        return CORE_FAIL_NULL(CORE_LOG_PE, __func__, "num_inflight_tasks");
    *num_inflight_tasks = 0;
    OD_LIST_FOR_EACH(link, &pe->ctxs)
    *num_inflight_tasks += OD_LIST_ENTRY(link, struct doca_ctx, pe_link)->inflight;
    return DOCA_SUCCESS;
}

doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode)
{
    if (!core_is_live(CORE_LIVE_PE, pe))
        return CORE_FAIL_DEAD(CORE_LOG_PE, __func__, "pe", pe);
    if (event_mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE &&
        event_mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_PE, __func__, pe->name, "event_mode",
                         "%d" CORE_LIMIT "SELECTIVE (0) or ALL (1)", (int)event_mode);
    if (pe->busy)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_PE, __func__, pe->name, "caller",
                         "a callback of the same engine" CORE_REMEDY
                         "choose the mode outside of doca_pe_progress()");
    pe->event_mode = event_mode;
    return DOCA_SUCCESS;
}
