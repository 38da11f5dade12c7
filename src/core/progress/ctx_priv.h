/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_CORE_PROGRESS_CTX_PRIV_H_
#define OD_CORE_PROGRESS_CTX_PRIV_H_

/* What the files of this room share. */

#include "core/core_priv.h"

struct doca_pe {
    struct od_waker waker;
    struct od_list ctxs;         /* every connected context */
    struct od_list *cursor;      /* next one to be served; &ctxs = start over */
    struct core_work *work_head; /* deferred work, FIFO */
    struct core_work *work_tail;
    enum doca_pe_event_mode event_mode;
    bool busy;        /* inside doca_pe_progress() */
    bool reentered;   /* the one diagnostic of this progress call was given */
    int user;         /* checked flavour: thread that progresses */
    uint32_t holders; /* graphs */
    char name[16];
};

/* STOPPING -> IDLE if nothing is left to wait for. The context may be gone when this says true. */
bool core_ctx_idle_step(struct doca_ctx *ctx);

/* One visible step of a context, STOPPING -> IDLE included. True when the user saw something; the
 * context may be gone then. */
static inline bool core_ctx_step(struct doca_ctx *ctx)
{
    if (od_unlikely(ctx->state == DOCA_CTX_STATE_IDLE))
        return false;
    return ctx->ops->progress(ctx) ||
           (od_unlikely(ctx->state == DOCA_CTX_STATE_STOPPING) && core_ctx_idle_step(ctx));
}

/* Would core_ctx_step() find something? */
bool core_ctx_pending(const struct doca_ctx *ctx);

/* The owner's thread gave the context work: the sleeper is woken when there is something to be had
 * by now. What an engine's own threads finish later wakes by itself. */
static inline void core_ctx_wake_self(struct doca_ctx *ctx)
{
    if (od_unlikely(od_waker_is_armed(&ctx->pe->waker)) && core_ctx_pending(ctx))
        od_waker_fire(&ctx->pe->waker);
}

/* STOPPING with nothing left to wait for. */
bool core_ctx_can_idle(const struct doca_ctx *ctx);

/* STOPPING -> IDLE; the context may be gone when this returns. */
void core_ctx_enter_idle(struct doca_ctx *ctx);

/* The engine forgets the context. */
void core_pe_forget(struct doca_pe *pe, struct doca_ctx *ctx);

#endif /* OD_CORE_PROGRESS_CTX_PRIV_H_ */
