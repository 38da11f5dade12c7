/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers are OS threads; each runs one block, or one job of a stream, at a time. A grid begins
 * with as many workers as there are cores. More are added only when blocks that run do not come to
 * an end: at once if they merely poll, after a while if they may be computing. So any number of
 * blocks that wait for each other becomes resident, and a plain large grid makes do with few
 * stacks.
 */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "rt.h"

enum {
    GROW_AFTER_NS = 1000000,
    MANY_STACKS = 65536,
    GROW_SLOWLY_NS = 100000000,
    WAIT_NS = 100000000,
    WARN_AFTER_NS = 2000000000
};

/*
 * Who calls a worker has given it all that it needs, so that it begins without the lock: a hundred
 * that begin at once would hand the lock from one to the next, at a time slice each when others are
 * busy.
 */
struct worker {
    sem_t called;
    struct worker *next; /* parked */
    struct grid *grid;   /* to run the next block of, or NULL */
    struct job job;      /* run() is NULL if there is none */
    struct block block;
    size_t shared_bytes;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_once_t once;
    struct worker *parked;
    struct grid *pending; /* grids with blocks to start, the oldest first */
    struct block *running;
    _Atomic int resident;
    _Atomic int64_t waiting_blocks; /* may be looked at without the lock */
    uint64_t grown_ns;
    uint64_t reported_laps, quiet_since_ns;
    bool reported;
    void (*retire_hook)(void);
} device = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, .once = PTHREAD_ONCE_INIT};

static void prepare(void)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&device.changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void device_lock(void)
{
    pthread_once(&device.once, prepare);
    pthread_mutex_lock(&device.lock);
}

void device_unlock(void)
{
    pthread_mutex_unlock(&device.lock);
}

void device_changed(void)
{
    pthread_cond_broadcast(&device.changed);
}

struct block *device_blocks(void)
{
    return device.running;
}

uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

SIMT_API void simt_on_retire(void (*hook)(void))
{
    device_lock();
    device.retire_hook = hook;
    device_unlock();
}

/* Grids. */

void grid_free(struct grid *g)
{
    if (!g)
        return;
    if (g->kernel.destroy)
        g->kernel.destroy(g->kernel.arguments);
    free(g);
}

static void forget_pending(struct grid *g)
{
    for (struct grid **p = &device.pending; *p; p = &(*p)->next) {
        if (*p == g) {
            *p = g->next;
            return;
        }
    }
}

static void append_pending(struct grid *g)
{
    struct grid **p = &device.pending;

    while (*p)
        p = &(*p)->next;
    g->next = NULL;
    *p = g;
}

/* Takes the next block of the grid for a worker. */
static void take_block(struct worker *w, struct grid *g)
{
    w->grid = g;
    w->block.grid = g;
    w->block.threads = w->block.live = 0; /* until it begins */
    w->block.number = g->started++;
    w->block.next = device.running;
    device.running = &w->block;
    g->resident++;
    device.resident++;
    device.waiting_blocks--;
    if (g->started == g->blocks)
        forget_pending(g);
}

static void forget_running(const struct block *b)
{
    for (struct block **p = &device.running; *p; p = &(*p)->next) {
        if (*p == b) {
            *p = b->next;
            return;
        }
    }
}

int device_resident(void)
{
    return device.resident;
}

void device_block_begins(struct block *b)
{
    b->next = device.running;
    device.running = b;
    device.resident++;
}

void device_block_ends(struct block *b)
{
    forget_running(b);
    device.resident--;
}

void device_retire(void)
{
    void (*hook)(void) = device.retire_hook;

    device_unlock();
    if (hook)
        hook();
    fflush(stdout); /* what kernels printed is out when the host is told of their end */
    device_lock();
}

static void grid_ends(struct grid *g)
{
    device_retire();
    op_complete(g->op);
}

/* A killed grid starts no more blocks. */
static void drop_pending(struct grid *g)
{
    if (g->started < g->blocks) {
        device.waiting_blocks -= (int64_t)(g->blocks - g->started);
        g->finished += g->blocks - g->started;
        g->started = g->blocks;
        forget_pending(g);
    }
}

static void block_ends(struct worker *w)
{
    struct grid *g = w->grid;

    forget_running(&w->block);
    w->grid = NULL;
    g->resident--;
    g->finished++;
    g->last_end_ns = now_ns();
    device.resident--;
    device.quiet_since_ns = 0;
    if (g->killed)
        drop_pending(g);
    if (g->finished == g->blocks)
        grid_ends(g);
}

/* Workers. */

static bool make_room_for_shared(struct worker *w)
{
    size_t wanted = w->grid->shared;

    if (wanted <= w->shared_bytes && w->block.shared)
        return true;
    free(w->block.shared);
    w->block.shared = NULL;
    void *memory;
    if (posix_memalign(&memory, 128, wanted ? wanted : 128))
        return false;
    w->block.shared = memory;
    w->shared_bytes = wanted;
    return true;
}

/* What the worker has been called for; without the lock. */
static void run(struct worker *w)
{
    struct job job = w->job;

    w->job.run = NULL;
    if (job.run)
        job.run(job.argument);
    else if (make_room_for_shared(w))
        block_run(&w->block);
    else
        fault_set(cudaErrorMemoryAllocation);
}

/* Locked; returns unlocked, with something to run. */
static void park(struct worker *w)
{
    while (w->block.spare) {
        struct carrier *c = w->block.spare;
        w->block.spare = c->next;
        carrier_put(c);
    }
    w->next = device.parked;
    device.parked = w;
    device_unlock();
    while (sem_wait(&w->called))
        ; /* a signal */
}

static void *worker_main(void *argument)
{
    struct worker *w = argument;

    prctl(PR_SET_TIMERSLACK, 1UL);
    pthread_setname_np(pthread_self(), "simt-worker");
    san_find_stack(&w->block.main.san);
    fault_watch_stack();
    for (;;) {
        run(w);
        device_lock();
        if (w->grid)
            block_ends(w);
        if (device.pending && device.resident < config()->resident) {
            take_block(w, device.pending);
            device_unlock();
        } else {
            park(w);
        }
    }
    return NULL;
}

static struct worker *worker_new(void)
{
    struct worker *w = calloc(1, sizeof(*w));

    if (w)
        sem_init(&w->called, 0, 0);
    return w;
}

static int worker_start(struct worker *w)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    pthread_t thread;
    sigset_t all, before;

    /* Signals are for the program's own threads, but for those that an instruction raises. */
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, NULL, worker_main, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        pthread_detach(thread);
    return error;
}

/* Gives a parked or a new worker what assign() chooses. */
static bool add_worker(struct grid *g, struct job job)
{
    struct worker *w = device.parked;
    bool fresh = !w;

    if (fresh)
        w = worker_new();
    else
        device.parked = w->next;
    if (!w)
        return false;
    w->job = job;
    if (g)
        take_block(w, g);
    if (!fresh) {
        sem_post(&w->called);
        return true;
    }
    if (!worker_start(w))
        return true;
    if (g) { /* give the block back */
        forget_running(&w->block);
        device.resident--;
        device.waiting_blocks++;
        g->resident--;
        if (g->started-- == g->blocks)
            append_pending(g);
    }
    free(w);
    return false;
}

void device_start_grid(struct grid *g)
{
    g->born_ns = g->last_end_ns = now_ns();
    device.waiting_blocks += (int64_t)g->blocks;
    append_pending(g);
    for (int i = 0; i < config()->cpus && g->started < g->blocks; i++) {
        if (device.resident >= config()->resident)
            break;
        if (!add_worker(g, (struct job){NULL, NULL})) {
            if (!device.resident)
                say("no thread to run kernel %s on: %s", g->kernel.name, strerror(errno));
            break;
        }
    }
}

int device_start_job(struct job job)
{
    return add_worker(NULL, job) ? 0 : -EAGAIN;
}

/* A block does not get on: perhaps it waits for one that has not started. */
static void grow(bool spinning)
{
    struct grid *g = device.pending;
    int cpus = config()->cpus;
    int more = 1;

    if (!g || device.resident >= config()->resident)
        return;
    if (!spinning) {
        uint64_t now = now_ns();
        uint64_t pause = GROW_AFTER_NS;
        if (device.resident > 8 * cpus)
            pause *= (uint64_t)(device.resident / (8 * cpus));
        /* Half a gigabyte of stacks: perhaps they only compute. */
        bool many = carrier_number() > MANY_STACKS;
        if (many)
            pause = GROW_SLOWLY_NS;
        uint64_t last = g->last_end_ns > device.grown_ns ? g->last_end_ns : device.grown_ns;
        if (now - last < pause)
            return;
        device.grown_ns = now;
        more = many ? 1 : 2 * device.resident;
    }
    while (more-- > 0 && device.pending && device.resident < config()->resident) {
        g = device.pending;
        if (!add_worker(g, (struct job){NULL, NULL}))
            break;
        if (device.pending == g && g->next) { /* the next one is another grid's turn */
            forget_pending(g);
            append_pending(g);
        }
    }
}

void device_idle(struct grid *grid, bool spinning)
{
    (void)grid;
    if (!device.waiting_blocks)
        return;
    if (pthread_mutex_trylock(&device.lock))
        return;
    grow(spinning);
    device_unlock();
}

/* Waiting, with an eye on what does not move. */

static void warn_of_full_device(uint64_t now)
{
    struct grid *g = device.pending;

    if (!g || device.resident < config()->resident || g->warned || g->started ||
        now < g->born_ns + WARN_AFTER_NS)
        return;
    g->warned = true;
    say("kernel %s waits: all %d blocks that may be resident are taken, one by kernel %s; raise "
        "SIMT_RESIDENT [simt-resident]",
        g->kernel.name, config()->resident,
        device.running ? device.running->grid->kernel.name : "?");
}

static void watch_progress(uint64_t now)
{
    uint64_t laps = 0;

    for (struct block *b = device.running; b; b = b->next)
        laps += __atomic_load_n(&b->laps, __ATOMIC_RELAXED);
    if (!device.running || !device.quiet_since_ns || laps != device.reported_laps) {
        device.reported_laps = laps;
        device.quiet_since_ns = now;
        device.reported = false;
        return;
    }
    int limit = config()->hang_seconds;
    /* Another host thread that waits may have looked since this one read the clock. */
    if (!limit || device.reported || now < device.quiet_since_ns + (uint64_t)limit * 1000000000u)
        return;
    device.reported = true;
    fault_hang();
}

void device_wait(void)
{
    uint64_t now = now_ns();
    struct timespec until = {(time_t)((now + WAIT_NS) / 1000000000u),
                             (long)((now + WAIT_NS) % 1000000000u)};

    if (pthread_cond_timedwait(&device.changed, &device.lock, &until) == ETIMEDOUT) {
        warn_of_full_device(now);
        watch_progress(now);
    }
}
