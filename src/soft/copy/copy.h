/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_COPY_H_
#define OD_SOFT_COPY_COPY_H_

/* Copy engines: what executes a memory copy.
 *
 * A channel belongs to one thread (its owner: the one that progresses). The owner submits jobs and
 * polls for finished ones. A job belongs to the engine from a submit that returned 0 until
 * poll hands it back, exactly once and in the order of submission; jobs may run at the same time.
 * Engines never raise a signal for a bad page: the job ends with -EFAULT. A poll never takes longer
 * than one chunk of a large copy or a few small ones. */

#include "soft/device/device.h"
#include "soft/peer/peer.h"
#include "util/waker.h"

/* One contiguous piece. `peer` NULL: an address of this process; else an exporter address. */
struct soft_seg {
    uint64_t addr;
    size_t len;
    struct soft_peer_map *peer;
};

struct soft_copy_job {
    struct soft_copy_job *next; /* for lists of whoever owns the job */
    const struct soft_seg *src; /* the segments must stay as they are until the job is back */
    const struct soft_seg *dst;
    uint32_t nsrc;
    uint32_t ndst;
    uint64_t len; /* bytes; the sum of each side is at least this */
    int status;   /* after poll: see below */
};

struct soft_copy_chan;

struct soft_copy_ops {
    const char *name;
    /* Resources of a channel for `depth` jobs at once, 1 or more. `waker` is woken whenever a job
     * finishes that a poll would hand back while the owner may be asleep; it must outlive the
     * channel. 0 or a negative errno with a reason. */
    int (*open)(const struct soft_copy_conf *conf, uint32_t depth, struct od_waker *waker,
                struct soft_copy_chan **chan);
    /* No job may be with the engine. NULL is fine. */
    void (*close)(struct soft_copy_chan *chan);
    /* 0: the engine owns the job. -EAGAIN: no room now, poll first. */
    int (*submit)(struct soft_copy_chan *chan, struct soft_copy_job *job);
    /* Does a bounded piece of work and hands back one finished job, or NULL. */
    struct soft_copy_job *(*poll)(struct soft_copy_chan *chan);
    /* True when polling can get somewhere by itself, that is when the owner must not sleep. */
    bool (*pending)(const struct soft_copy_chan *chan);
    /* Takes back every job that has not begun; they come out of poll with -ECANCELED. Jobs that run
     * come out with their real result, or cut short with -ECANCELED when they are large. */
    void (*cancel)(struct soft_copy_chan *chan);
};

/* First member of every engine's channel. */
struct soft_copy_chan {
    const struct soft_copy_ops *ops;
};

/* Engine by name; NULL if there is none. */
SOFT_API const struct soft_copy_ops *soft_copy_find(const char *name);
/* All engines, NULL-terminated. */
SOFT_API const struct soft_copy_ops *const *soft_copy_engines(void);

/* Opens a channel of the engine that `conf` names; "" is "threads". The environment overrides it:
 * OPENDOCA_COPY_ENGINE, OPENDOCA_COPY_THREADS, and OPENDOCA_FAULTS (a fault list, which also puts
 * the error engine around the one that was chosen); OPENDOCA_COPY_LOOP fixes the loop of large
 * copies for the process. -EINVAL: a name or value that does not exist, -ENOTSUP: a loop that this
 * machine lacks, -ENOMEM, -EAGAIN: no thread can be started; all with a reason. */
SOFT_API int soft_copy_open(const struct soft_copy_conf *conf, uint32_t depth,
                            struct od_waker *waker, struct soft_copy_chan **chan);

/* What runs under the guard must be left without a trace: no sanitizer bookkeeping, no call that
 * takes a lock or allocates. This attribute goes on such functions. */
#if defined(__clang__)
#define SOFT_COPY_RAW                                                                              \
    __attribute__((no_sanitize("address", "thread", "undefined"),                                  \
                   disable_sanitizer_instrumentation))
#else
#define SOFT_COPY_RAW __attribute__((no_sanitize("address", "thread", "undefined")))
#endif

/* Runs fn(arg), which touches nothing but `len` bytes at `dst` and at `src` and what is its own,
 * and carries SOFT_COPY_RAW: 0, or -EFAULT when it met a bad page there. Some channel has been
 * opened by this process. Reads and writes of peers' memory are within brackets of theirs. */
SOFT_API int soft_copy_guarded(void (*fn)(void *arg), void *arg, void *dst, const void *src,
                               size_t len);

#endif /* OD_SOFT_COPY_COPY_H_ */
