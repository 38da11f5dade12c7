/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "soft/link/ucx/module/ucx_priv.h"

#define FRAME_ID    0 /* active message; the worker is ours alone */
#define FIRST_LINKS 16u
#define BURST       64  /* calls that make progress before others get the lock */
#define DOZE_TIME   5   /* ms between looks whether owners still poll */
#define EXIT_TIME   500 /* ms for what is still on its way when the process exits */

static struct engine {
    pthread_mutex_t lock;
    enum {
        ENGINE_IDLE,
        ENGINE_RUNNING,
        ENGINE_ENDED, /* the process exits, or is a fork of one that used UCX */
    } state;
    bool stop;
    _Atomic bool dozing; /* the thread does not watch the worker */
    bool called;         /* the thread is to watch the worker from now on */
    ucp_context_h context;
    ucp_worker_h worker;
    int worker_fd;
    int bell;
    pthread_t thread;
    atomic_ulong owner_polls;
    uint64_t next_due; /* not later than the first timer; 0: none */
    struct od_list work;
    struct soft_ucx_link **links; /* by slot */
    uint32_t nlinks;
    uint32_t next_slot;
} engine = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .worker_fd = -1,
    .bell = -1,
    .work = {&engine.work, &engine.work},
};

void soft_ucx_lock(void)
{
    pthread_mutex_lock(&engine.lock);
    soft_ucx_listen_to_complaints(true);
}

void soft_ucx_unlock(void)
{
    soft_ucx_listen_to_complaints(false);
    pthread_mutex_unlock(&engine.lock);
}

ucp_worker_h soft_ucx_worker(void)
{
    return engine.worker;
}

uint64_t soft_ucx_now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* ---- The table of links ---- */

int soft_ucx_draw_cookie(uint64_t *cookie)
{
    do {
        if (getrandom(cookie, sizeof(*cookie), 0) != (ssize_t)sizeof(*cookie))
            return soft_fail(-EIO, "the kernel gives no random bytes: %s", strerror(errno));
    } while (*cookie == 0);
    return 0;
}

int soft_ucx_enter(struct soft_ucx_link *self)
{
    uint32_t n = engine.nlinks == 0 ? FIRST_LINKS : engine.nlinks * 2;
    struct soft_ucx_link **links;

    for (uint32_t i = 0; i < engine.nlinks; i++) {
        uint32_t slot = (engine.next_slot + i) % engine.nlinks;

        if (engine.links[slot] == NULL) {
            engine.links[slot] = self;
            engine.next_slot = slot + 1;
            self->slot = slot;
            return 0;
        }
    }
    links = reallocarray(engine.links, n, sizeof(*links));
    if (links == NULL)
        return soft_fail(-ENOMEM, "out of memory for a link");
    memset(links + engine.nlinks, 0, (n - engine.nlinks) * sizeof(*links));
    self->slot = engine.nlinks;
    links[self->slot] = self;
    engine.next_slot = self->slot + 1;
    engine.links = links;
    engine.nlinks = n;
    return 0;
}

void soft_ucx_leave(struct soft_ucx_link *self)
{
    if (self->slot < engine.nlinks && engine.links[self->slot] == self)
        engine.links[self->slot] = NULL;
}

struct soft_ucx_link *soft_ucx_find(uint32_t slot, uint64_t cookie)
{
    struct soft_ucx_link *self = slot < engine.nlinks ? engine.links[slot] : NULL;

    return self != NULL && self->cookie == cookie ? self : NULL;
}

/* ---- Times ---- */

static void ring(void)
{
    uint64_t one = 1;

    while (write(engine.bell, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

void soft_ucx_set_timer(struct soft_ucx_link *self, uint64_t delay_ms,
                        void (*expired)(struct soft_ucx_link *))
{
    self->due = soft_ucx_now_ms() + delay_ms;
    self->expired = expired;
    if (engine.next_due != 0 && engine.next_due <= self->due)
        return;
    engine.next_due = self->due;
    if (!pthread_equal(pthread_self(), engine.thread))
        ring();
}

void soft_ucx_cancel_timer(struct soft_ucx_link *self)
{
    self->due = 0;
}

static void run_timers(void)
{
    uint64_t now = soft_ucx_now_ms(), next = 0;

    if (engine.next_due == 0 || now < engine.next_due)
        return;
    for (uint32_t i = 0; i < engine.nlinks; i++) {
        struct soft_ucx_link *self = engine.links[i];

        if (self == NULL || self->due == 0 || self->due > now)
            continue;
        self->due = 0;
        self->expired(self);
    }
    for (uint32_t i = 0; i < engine.nlinks; i++) {
        struct soft_ucx_link *self = engine.links[i];

        if (self != NULL && self->due != 0 && (next == 0 || self->due < next))
            next = self->due;
    }
    engine.next_due = next;
}

static int time_left(int limit)
{
    uint64_t now = soft_ucx_now_ms();

    if (engine.next_due == 0)
        return limit;
    if (engine.next_due <= now)
        return 0;
    return limit < 0 ? (int)OD_MIN(engine.next_due - now, 60000u)
                     : (int)OD_MIN(engine.next_due - now, (uint64_t)limit);
}

/* ---- Progress ---- */

void soft_ucx_put_to_work(struct soft_ucx_link *self)
{
    od_list_remove(&self->work);
    od_list_append(&engine.work, &self->work);
}

static void settle_all(void)
{
    while (!od_list_is_empty(&engine.work)) {
        struct soft_ucx_link *self = OD_LIST_ENTRY(engine.work.next, struct soft_ucx_link, work);

        od_list_remove(&self->work);
        soft_ucx_settle(self);
    }
}

static void make_progress(void)
{
    for (unsigned int i = 0; i < BURST && ucp_worker_progress(engine.worker) != 0; i++)
        ;
    settle_all();
}

void soft_ucx_poll(void)
{
    atomic_fetch_add_explicit(&engine.owner_polls, 1, memory_order_relaxed);
    if (pthread_mutex_trylock(&engine.lock) != 0)
        return;
    soft_ucx_listen_to_complaints(true);
    if (engine.state == ENGINE_RUNNING)
        make_progress();
    soft_ucx_unlock();
}

void soft_ucx_owner_sleeps(void)
{
    if (!atomic_load_explicit(&engine.dozing, memory_order_relaxed))
        return;
    soft_ucx_lock();
    soft_ucx_call_thread();
    soft_ucx_unlock();
}

void soft_ucx_call_thread(void)
{
    if (engine.called || pthread_equal(pthread_self(), engine.thread))
        return;
    engine.called = true;
    ring();
}

/* ---- The thread ---- */

static void wait_for(bool worker, int timeout)
{
    struct pollfd fds[2] = {{.fd = engine.bell, .events = POLLIN},
                            {.fd = engine.worker_fd, .events = POLLIN}};
    uint64_t count;

    soft_ucx_unlock();
    if (poll(fds, worker ? 2 : 1, timeout) > 0 && fds[0].revents != 0)
        while (read(engine.bell, &count, sizeof(count)) < 0 && errno == EINTR)
            ;
    soft_ucx_lock();
}

static void ack_all(void)
{
    for (uint32_t i = 0; i < engine.nlinks; i++)
        if (engine.links[i] != NULL)
            soft_ucx_ack(engine.links[i]);
}

static void *run(void *arg)
{
    unsigned long polls, seen = 0;

    (void)arg;
    soft_ucx_lock();
    while (!engine.stop) {
        bool called = engine.called;

        engine.called = false;
        make_progress();
        run_timers();
        settle_all();
        ack_all();
        polls = atomic_load_explicit(&engine.owner_polls, memory_order_relaxed);
        if (polls != seen && !called) {
            seen = polls;
            atomic_store_explicit(&engine.dozing, true, memory_order_relaxed);
            wait_for(false, time_left(DOZE_TIME));
            atomic_store_explicit(&engine.dozing, false, memory_order_relaxed);
        } else if (ucp_worker_arm(engine.worker) == UCS_OK && !engine.called) {
            wait_for(true, time_left(-1));
        }
    }
    soft_ucx_unlock();
    return NULL;
}

static int start_thread(void)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&engine.thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0)
        return soft_fail(-rc, "cannot start a thread for UCX: %s", strerror(rc));
    pthread_setname_np(engine.thread, "opendoca-ucx");
    return 0;
}

/* ---- Start and end ---- */

static int fail(const char *what, ucs_status_t status)
{
    return soft_fail(-ENOTSUP, "UCX cannot %s: %s", what, soft_ucx_complaint(status));
}

static int create_worker(void)
{
    ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                  .thread_mode = UCS_THREAD_MODE_SERIALIZED};
    ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                    UCP_AM_HANDLER_PARAM_FIELD_CB,
                                      .id = FRAME_ID,
                                      .cb = soft_ucx_on_frame};
    ucs_status_t status = ucp_worker_create(engine.context, &params, &engine.worker);

    if (status != UCS_OK)
        return fail("create a worker", status);
    status = ucp_worker_get_efd(engine.worker, &engine.worker_fd);
    if (status == UCS_OK)
        status = ucp_worker_set_am_recv_handler(engine.worker, &handler);
    if (status == UCS_OK)
        return 0;
    ucp_worker_destroy(engine.worker);
    return fail("watch a worker", status);
}

static bool any_link(bool (*is)(const struct soft_ucx_link *))
{
    for (uint32_t i = 0; i < engine.nlinks; i++)
        if (engine.links[i] != NULL && is(engine.links[i]))
            return true;
    return false;
}

static bool is_released(const struct soft_ucx_link *self)
{
    return self->released;
}

static bool has_ep(const struct soft_ucx_link *self)
{
    return self->ep != NULL;
}

/* Lock held. */
static void progress_while(bool (*is)(const struct soft_ucx_link *))
{
    uint64_t end = soft_ucx_now_ms() + EXIT_TIME;

    while (any_link(is) && soft_ucx_now_ms() < end)
        make_progress();
}

/* Links that are closing get a moment to send what is left, the others are cut. UCX is left in
 * order, because its own exit handlers come after this one. */
static void stop_at_exit(void)
{
    bool running;

    soft_ucx_lock();
    running = engine.state == ENGINE_RUNNING;
    engine.stop = true;
    soft_ucx_unlock();
    if (!running)
        return;
    ring();
    pthread_join(engine.thread, NULL);
    soft_ucx_lock();
    progress_while(is_released);
    for (uint32_t i = 0; i < engine.nlinks; i++)
        if (engine.links[i] != NULL)
            soft_ucx_cut(engine.links[i]);
    progress_while(has_ep);
    soft_ucx_forget_listeners();
    engine.state = ENGINE_ENDED;
    if (!any_link(has_ep)) {
        ucp_worker_destroy(engine.worker);
        ucp_cleanup(engine.context);
    }
    soft_ucx_unlock();
}

/* UCX does not outlive a fork: the child's links are dead, and there are no new ones. */
static void in_child(void)
{
    if (engine.state == ENGINE_RUNNING)
        engine.state = ENGINE_ENDED;
    for (uint32_t i = 0; i < engine.nlinks; i++) {
        if (engine.links[i] == NULL)
            continue;
        engine.links[i]->reason = -ECONNRESET;
        atomic_store(&engine.links[i]->phase, UCX_FAILED);
    }
    soft_ucx_unlock();
}

int soft_ucx_start(void)
{
    int rc;

    if (engine.state == ENGINE_RUNNING)
        return 0;
    if (engine.state == ENGINE_ENDED)
        return soft_fail(-ENOTSUP, "UCX cannot be used after a fork or while the process exits");
    rc = soft_ucx_context(&engine.context);
    if (rc != 0)
        return rc;
    rc = create_worker();
    if (rc != 0)
        goto err_context;
    engine.bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (engine.bell < 0) {
        rc = soft_fail(-errno, "cannot create an eventfd: %s", strerror(errno));
        goto err_worker;
    }
    rc = start_thread();
    if (rc != 0)
        goto err_bell;
    if (pthread_atfork(soft_ucx_lock, soft_ucx_unlock, in_child) != 0 || atexit(stop_at_exit) != 0)
        soft_fail(-ENOMEM, "UCX goes on without fork and exit handlers");
    engine.state = ENGINE_RUNNING;
    return 0;

err_bell:
    close(engine.bell);
    engine.bell = -1;
err_worker:
    ucp_worker_destroy(engine.worker);
err_context:
    ucp_cleanup(engine.context);
    return rc;
}
