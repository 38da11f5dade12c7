/* SPDX-License-Identifier: BSD-3-Clause */

/* Wraps another engine and lets some of its jobs go wrong, as a fault list says. */

#include <errno.h>
#include <stdlib.h>

#include "soft/copy/copy_priv.h"
#include "soft/copy/error/faults.h"
#include "soft/copy/chooser.h"

/* A job that is with this engine. */
struct record {
    struct soft_copy_job *job;
    uint64_t len; /* the job's own; a short copy is told less */
    uint64_t due; /* not handed back before; 0 = at once */
    int status;   /* not 0: the job ends with this, unless it fails by itself */
    bool below;   /* the wrapped engine has it */
    bool done;    /* job->status is final */
};

struct error_chan {
    struct soft_copy_chan base;
    struct soft_copy_chan *below;
    struct soft_fault_list faults;
    uint64_t chance;
    uint64_t calls; /* of submit */
    uint64_t jobs;  /* accepted */
    uint32_t depth;
    uint32_t first; /* ring */
    uint32_t count;
    struct record ring[];
};

static struct error_chan *from_base(struct soft_copy_chan *chan)
{
    return OD_CONTAINER_OF(chan, struct error_chan, base);
}

static int open_below(const struct soft_copy_conf *conf, uint32_t depth, struct od_waker *waker,
                      struct soft_copy_chan **chan)
{
    const char *name = conf->error_base[0] != '\0' ? conf->error_base : "threads";
    const struct soft_copy_ops *ops = soft_copy_find(name);

    if (ops == NULL || ops == &soft_copy_error_ops)
        return soft_fail(-EINVAL, "the error engine cannot wrap '%s'; name inline or threads",
                         name);
    return ops->open(conf, depth, waker, chan);
}

static int error_open(const struct soft_copy_conf *conf, uint32_t depth, struct od_waker *waker,
                      struct soft_copy_chan **chan)
{
    struct error_chan *self = calloc(1, sizeof(*self) + depth * sizeof(self->ring[0]));
    int err;

    if (self == NULL)
        return soft_fail(-ENOMEM, "no memory for a copy channel");
    self->base.ops = &soft_copy_error_ops;
    self->depth = depth;
    err = soft_faults_parse(conf->faults, &self->faults);
    if (err == 0)
        err = open_below(conf, depth, waker, &self->below);
    if (err != 0)
        goto err_free;
    self->chance = self->faults.seed * 0x9e3779b97f4a7c15u | 1;
    *chan = &self->base;
    return 0;

err_free:
    free(self);
    return err;
}

static void error_close(struct soft_copy_chan *chan)
{
    struct error_chan *self = chan != NULL ? from_base(chan) : NULL;

    if (self == NULL)
        return;
    self->below->ops->close(self->below);
    free(self);
}

static bool is_refused(struct error_chan *self)
{
    bool refused = false;

    self->calls++;
    for (uint32_t i = 0; i < self->faults.n; i++) {
        const struct soft_fault_rule *rule = &self->faults.rules[i];

        if (rule->kind == SOFT_FAULT_AGAIN)
            refused |= od_when_applies(&rule->when, self->calls, &self->chance);
    }
    return refused;
}

static void apply_rule(const struct soft_fault_rule *rule, struct record *record)
{
    switch (rule->kind) {
    case SOFT_FAULT_FAIL:
        record->status = rule->status;
        record->below = false;
        break;
    case SOFT_FAULT_SHORT:
        if (record->status == 0)
            record->status = -EIO;
        record->job->len =
            OD_MIN(rule->amount == UINT64_MAX ? record->len / 2 : rule->amount, record->job->len);
        break;
    case SOFT_FAULT_DELAY:
        record->due = soft_copy_now() + rule->amount;
        break;
    case SOFT_FAULT_AGAIN:
        break;
    }
}

static struct record judge(struct error_chan *self, struct soft_copy_job *job)
{
    struct record record = {.job = job, .len = job->len, .below = true};

    for (uint32_t i = 0; i < self->faults.n; i++) {
        const struct soft_fault_rule *rule = &self->faults.rules[i];

        if (rule->kind != SOFT_FAULT_AGAIN &&
            od_when_applies(&rule->when, self->jobs + 1, &self->chance))
            apply_rule(rule, &record);
    }
    return record;
}

static struct record *nth(struct error_chan *self, uint32_t i)
{
    return &self->ring[(self->first + i) % self->depth];
}

static int error_submit(struct soft_copy_chan *chan, struct soft_copy_job *job)
{
    struct error_chan *self = from_base(chan);
    struct record record;
    int err = 0;

    if (is_refused(self) || self->count == self->depth)
        return -EAGAIN;
    record = judge(self, job);
    if (record.below)
        err = self->below->ops->submit(self->below, job);
    if (err != 0) {
        job->len = record.len;
        return err;
    }
    self->jobs++;
    *nth(self, self->count++) = record;
    return 0;
}

static void conclude(struct record *record)
{
    struct soft_copy_job *job = record->job;

    job->len = record->len;
    if (!record->below || job->status == 0)
        job->status = record->status;
    record->done = true;
}

static struct soft_copy_job *error_poll(struct soft_copy_chan *chan)
{
    struct error_chan *self = from_base(chan);
    struct record *record = nth(self, 0);

    if (self->count == 0)
        return NULL;
    if (!record->done) {
        /* The wrapped engine hands back in order, so what it hands back is this job. */
        if (record->below && self->below->ops->poll(self->below) == NULL)
            return NULL;
        conclude(record);
    }
    if (record->due != 0 && soft_copy_now() < record->due)
        return NULL;
    self->first = (self->first + 1) % self->depth;
    self->count--;
    return record->job;
}

static bool error_pending(const struct soft_copy_chan *chan)
{
    const struct error_chan *self = OD_CONTAINER_OF(chan, const struct error_chan, base);
    const struct record *record = &self->ring[self->first];

    if (self->count == 0)
        return false;
    return record->done || !record->below || self->below->ops->pending(self->below);
}

static void error_cancel(struct soft_copy_chan *chan)
{
    struct error_chan *self = from_base(chan);

    self->below->ops->cancel(self->below);
    for (uint32_t i = 0; i < self->count; i++) {
        struct record *record = nth(self, i);

        record->due = 0;
        if (!record->below && !record->done)
            record->status = -ECANCELED;
    }
}

const struct soft_copy_ops soft_copy_error_ops = {
    .name = "error",
    .open = error_open,
    .close = error_close,
    .submit = error_submit,
    .poll = error_poll,
    .pending = error_pending,
    .cancel = error_cancel,
};
