/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of events, held against every call of every test program of this folder: the linker
 * leads their calls through here (-Wl,--wrap, see meson.build).
 *
 *   - doca_pe_progress() delivers one event at most, a completion or a change of state, and returns
 * 1 then and only then
 *   - no completion comes out of a submit, a start or a stop
 *   - a start that fails is one event, which leads to IDLE
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_ctx.h>
#include <doca_pe.h>
#include <doca_urom.h>
#include <doca_urom_ext.h>

#define MAX 1024 /* contexts of a program */

struct watched {
    struct doca_ctx *ctx;
    struct doca_pe *pe;              /* NULL: not connected */
    struct doca_urom_worker *worker; /* NULL: no worker */
};

struct view {
    struct watched who;
    enum doca_ctx_states state;
    uint64_t completed; /* commands of a worker */
    size_t inflight;    /* tasks of another context */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watched all[MAX];
static size_t nall;

/* Of the call of progress that this thread is in. */
static __thread struct view *views;
static __thread size_t nviews;
static __thread size_t submitted;

#define RULE(condition, text)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __func__, __LINE__, text);                              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* ------------------------------------------------------------------------------------------------
 * Who is watched
 */

static struct watched *entry_of(struct doca_ctx *ctx)
{
    for (size_t i = 0; i < nall; i++) {
        if (all[i].ctx == ctx)
            return &all[i];
    }
    RULE(nall < MAX, "more contexts than can be watched");
    all[nall] = (struct watched){.ctx = ctx};
    return &all[nall++];
}

static void forget(struct doca_ctx *ctx)
{
    pthread_mutex_lock(&lock);
    *entry_of(ctx) = all[nall - 1];
    nall--;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < nviews; i++) {
        if (views[i].who.ctx == ctx)
            views[i--] = views[--nviews];
    }
}

static size_t inflight_of(const struct doca_ctx *ctx)
{
    size_t inflight = 0;

    RULE(doca_ctx_get_num_inflight_tasks(ctx, &inflight) == DOCA_SUCCESS, "no number of tasks");
    return inflight;
}

static uint64_t completed_of(struct doca_urom_worker *worker)
{
    struct doca_urom_ext_stats stats;

    RULE(doca_urom_ext_worker_get_stats(worker, &stats) == DOCA_SUCCESS, "no figures of a worker");
    return stats.completed;
}

static void look(struct view *view)
{
    RULE(doca_ctx_get_state(view->who.ctx, &view->state) == DOCA_SUCCESS, "no state");
    if (view->who.worker != NULL)
        view->completed = completed_of(view->who.worker);
    else
        view->inflight = inflight_of(view->who.ctx);
}

static size_t view_all(struct doca_pe *pe, struct view *seen)
{
    size_t n = 0;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nall; i++) {
        if (all[i].pe == pe)
            seen[n++].who = all[i];
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < n; i++)
        look(&seen[i]);
    return n;
}

/* A context changed its state by a call of the user's, which is no event. */
static void see_state(struct doca_ctx *ctx)
{
    for (size_t i = 0; i < nviews; i++) {
        if (views[i].who.ctx == ctx)
            doca_ctx_get_state(ctx, &views[i].state);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Progress
 */

uint8_t __real_doca_pe_progress(struct doca_pe *pe);
uint8_t __wrap_doca_pe_progress(struct doca_pe *pe);

static size_t events_of(const struct view *before)
{
    struct view after = {.who = before->who};
    size_t events;

    look(&after);
    events = before->who.worker != NULL ? after.completed - before->completed
                                        : before->inflight - after.inflight;
    if (after.state == before->state)
        return events;
    RULE(before->state != DOCA_CTX_STATE_STARTING || after.state == DOCA_CTX_STATE_RUNNING ||
             after.state == DOCA_CTX_STATE_IDLE,
         "a start ends neither in RUNNING nor in IDLE");
    return events + 1;
}

uint8_t __wrap_doca_pe_progress(struct doca_pe *pe)
{
    struct view seen[MAX];
    size_t events = 0;
    uint8_t said;

    nviews = view_all(pe, seen);
    views = seen;
    submitted = 0;
    said = __real_doca_pe_progress(pe);
    for (size_t i = 0; i < nviews; i++)
        events += events_of(&seen[i]);
    nviews = 0;
    events += submitted;
    RULE(said <= 1, "progress returns more than 1");
    RULE(events <= 1, "more than one event in one call");
    RULE(events == said, said == 0 ? "an event that progress does not tell"
                                   : "progress tells of an event that there was not");
    return said;
}

/* ------------------------------------------------------------------------------------------------
 * Calls that complete nothing
 */

doca_error_t __real_doca_task_submit(struct doca_task *task);
doca_error_t __wrap_doca_task_submit(struct doca_task *task);
doca_error_t __real_doca_ctx_start(struct doca_ctx *ctx);
doca_error_t __wrap_doca_ctx_start(struct doca_ctx *ctx);
doca_error_t __real_doca_ctx_stop(struct doca_ctx *ctx);
doca_error_t __wrap_doca_ctx_stop(struct doca_ctx *ctx);

doca_error_t __wrap_doca_task_submit(struct doca_task *task)
{
    struct doca_ctx *ctx = doca_task_get_ctx(task);
    const size_t before = inflight_of(ctx);
    const doca_error_t result = __real_doca_task_submit(task);
    bool counts = false;

    RULE(inflight_of(ctx) == before + (result == DOCA_SUCCESS), "a task ends inside of submit");
    for (size_t i = 0; i < nviews; i++)
        counts = counts || (views[i].who.ctx == ctx && views[i].who.worker == NULL);
    submitted += counts && result == DOCA_SUCCESS;
    return result;
}

doca_error_t __wrap_doca_ctx_start(struct doca_ctx *ctx)
{
    const doca_error_t result = __real_doca_ctx_start(ctx);
    enum doca_ctx_states state;

    RULE(result != DOCA_ERROR_IN_PROGRESS ||
             (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state == DOCA_CTX_STATE_STARTING),
         "a start in progress, and the state is not STARTING");
    see_state(ctx);
    return result;
}

doca_error_t __wrap_doca_ctx_stop(struct doca_ctx *ctx)
{
    size_t before = 0;
    doca_error_t result;

    (void)doca_ctx_get_num_inflight_tasks(ctx, &before);
    result = __real_doca_ctx_stop(ctx);
    RULE(ctx == NULL || inflight_of(ctx) == before, "a task ends inside of stop");
    see_state(ctx);
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * Coming and going
 */

doca_error_t __real_doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);
doca_error_t __wrap_doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);
doca_error_t __real_doca_urom_worker_create(struct doca_urom_worker **worker_ctx);
doca_error_t __wrap_doca_urom_worker_create(struct doca_urom_worker **worker_ctx);
doca_error_t __real_doca_urom_worker_destroy(struct doca_urom_worker *worker_ctx);
doca_error_t __wrap_doca_urom_worker_destroy(struct doca_urom_worker *worker_ctx);
doca_error_t __real_doca_urom_service_destroy(struct doca_urom_service *service_ctx);
doca_error_t __wrap_doca_urom_service_destroy(struct doca_urom_service *service_ctx);
doca_error_t __real_doca_urom_domain_destroy(struct doca_urom_domain *domain_ctx);
doca_error_t __wrap_doca_urom_domain_destroy(struct doca_urom_domain *domain_ctx);

doca_error_t __wrap_doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
    const doca_error_t result = __real_doca_pe_connect_ctx(pe, ctx);

    if (result != DOCA_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    entry_of(ctx)->pe = pe;
    pthread_mutex_unlock(&lock);
    return result;
}

doca_error_t __wrap_doca_urom_worker_create(struct doca_urom_worker **worker_ctx)
{
    const doca_error_t result = __real_doca_urom_worker_create(worker_ctx);

    if (result != DOCA_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    entry_of(doca_urom_worker_as_ctx(*worker_ctx))->worker = *worker_ctx;
    pthread_mutex_unlock(&lock);
    return result;
}

doca_error_t __wrap_doca_urom_worker_destroy(struct doca_urom_worker *worker_ctx)
{
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker_ctx);
    const doca_error_t result = __real_doca_urom_worker_destroy(worker_ctx);

    if (result == DOCA_SUCCESS)
        forget(ctx);
    return result;
}

doca_error_t __wrap_doca_urom_service_destroy(struct doca_urom_service *service_ctx)
{
    struct doca_ctx *ctx = doca_urom_service_as_ctx(service_ctx);
    const doca_error_t result = __real_doca_urom_service_destroy(service_ctx);

    if (result == DOCA_SUCCESS)
        forget(ctx);
    return result;
}

doca_error_t __wrap_doca_urom_domain_destroy(struct doca_urom_domain *domain_ctx)
{
    struct doca_ctx *ctx = doca_urom_domain_as_ctx(domain_ctx);
    const doca_error_t result = __real_doca_urom_domain_destroy(domain_ctx);

    if (result == DOCA_SUCCESS)
        forget(ctx);
    return result;
}
