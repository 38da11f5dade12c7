/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/pool.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "soft/copy/chooser.h"

#define SLOTS      64u
#define SPIN_NS    100000u /* how long a worker without work stays awake */
#define SPIN_STEPS 32u     /* looks between two looks at the clock */
#define STACK_SIZE (512u << 10)

struct worker {
    pthread_t thread;
    atomic_uint asleep; /* futex */
    uint32_t index;     /* lane number */
    struct soft_copy_lane lane;
} OD_ALIGNED(OD_CACHE_LINE);

static struct {
    _Atomic uint64_t active OD_ALIGNED(OD_CACHE_LINE); /* slots with chunks to take */
    atomic_bool stop;
    _Atomic uint64_t used OD_ALIGNED(OD_CACHE_LINE); /* slots that are somebody's */
    atomic_uint age;
    struct soft_copy_run slots[SLOTS];

    pthread_mutex_t lock; /* guards what follows */
    uint32_t users;
    uint32_t nworkers;
    pid_t pid;
    struct worker workers[SOFT_COPY_LANES - 1];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("yield" ::: "memory");
#endif
}

static uint64_t slot_bit(const struct soft_copy_run *run)
{
    return (uint64_t)1 << (run - pool.slots);
}

/* --- workers --- */

/* The oldest run that lane `index` may help with, or NULL. */
static struct soft_copy_run *find_run(uint32_t index)
{
    uint64_t active = atomic_load_explicit(&pool.active, memory_order_seq_cst);
    struct soft_copy_run *best = NULL;
    unsigned int best_age = 0;

    for (; active != 0; active &= active - 1) {
        struct soft_copy_run *run = &pool.slots[__builtin_ctzll(active)];
        unsigned int age = atomic_load_explicit(&run->age, memory_order_relaxed);

        if (atomic_load_explicit(&run->lanes, memory_order_relaxed) <= index)
            continue;
        if (best == NULL || (int)(age - best_age) < 0) {
            best = run;
            best_age = age;
        }
    }
    return best;
}

static void close_slot(struct soft_copy_run *run)
{
    atomic_fetch_and_explicit(&pool.active, ~slot_bit(run), memory_order_relaxed);
}

/* False when there was nothing to do. */
static bool do_chunk(struct worker *worker)
{
    struct soft_copy_run *run = find_run(worker->index);
    struct od_waker *waker;
    bool last = false;
    uint32_t chunk;

    if (run == NULL)
        return false;
    chunk = soft_copy_run_take_back(run, &last);
    if (chunk == SOFT_COPY_NO_CHUNK)
        return true;
    waker = run->waker;
    if (last)
        close_slot(run);
    if (soft_copy_run_chunk(run, chunk, &worker->lane)) {
        od_waker_wake(waker);
        atomic_store_explicit(&run->settled, true, memory_order_release);
    }
    return true;
}

static bool is_stopping(void)
{
    return atomic_load_explicit(&pool.stop, memory_order_seq_cst);
}

static void sleep_until_woken(struct worker *worker)
{
    atomic_store_explicit(&worker->asleep, 1, memory_order_seq_cst);
    if (find_run(worker->index) != NULL || is_stopping()) {
        atomic_store_explicit(&worker->asleep, 0, memory_order_relaxed);
        return;
    }
    while (atomic_load_explicit(&worker->asleep, memory_order_acquire) != 0)
        syscall(SYS_futex, &worker->asleep, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

static void wake_worker(struct worker *worker)
{
    if (atomic_load_explicit(&worker->asleep, memory_order_seq_cst) != 0 &&
        atomic_exchange_explicit(&worker->asleep, 0, memory_order_acq_rel) != 0)
        syscall(SYS_futex, &worker->asleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static bool spin_for_work(const struct worker *worker)
{
    uint64_t end = soft_copy_now() + SPIN_NS;

    do {
        for (unsigned int i = 0; i < SPIN_STEPS; i++) {
            if (find_run(worker->index) != NULL || is_stopping())
                return true;
            relax();
        }
    } while (soft_copy_now() < end);
    return false;
}

static void *work(void *arg)
{
    struct worker *worker = arg;

    pthread_setname_np(pthread_self(), "opendoca-copy");
    for (;;) {
        if (do_chunk(worker))
            continue;
        if (is_stopping())
            return NULL;
        if (!spin_for_work(worker))
            sleep_until_woken(worker);
    }
}

/* --- life of the pool; the lock is held --- */

static int start_thread(struct worker *worker)
{
    pthread_attr_t attr;
    sigset_t blocked, before;
    int err;

    err = pthread_attr_init(&attr);
    if (err != 0)
        return -err;
    /* A fault of a copy must be delivered; every other signal is the application's threads'. */
    sigfillset(&blocked);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    err = pthread_attr_setstacksize(&attr, STACK_SIZE);
    if (err == 0)
        err = pthread_create(&worker->thread, &attr, work, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return -err;
}

static int add_worker(void)
{
    struct worker *worker = &pool.workers[pool.nworkers];
    int err;

    worker->index = pool.nworkers + 1;
    atomic_store_explicit(&worker->asleep, 0, memory_order_relaxed);
    err = soft_copy_lane_init(&worker->lane);
    if (err != 0)
        return err;
    err = start_thread(worker);
    if (err != 0) {
        soft_copy_lane_fini(&worker->lane);
        return soft_fail(err, "copy worker %u cannot start (%s); lower OPENDOCA_COPY_THREADS",
                         worker->index, strerror(-err));
    }
    pool.nworkers++;
    return 0;
}

static void stop_workers(void)
{
    atomic_store_explicit(&pool.stop, true, memory_order_seq_cst);
    for (uint32_t i = 0; i < pool.nworkers; i++)
        wake_worker(&pool.workers[i]);
    for (uint32_t i = 0; i < pool.nworkers; i++) {
        if (pool.pid == getpid()) /* else a fork took us away from them */
            pthread_join(pool.workers[i].thread, NULL);
        soft_copy_lane_fini(&pool.workers[i].lane);
    }
    pool.nworkers = 0;
    atomic_store_explicit(&pool.stop, false, memory_order_relaxed);
}

int soft_copy_pool_enter(uint32_t lanes)
{
    int err = 0;

    pthread_mutex_lock(&pool.lock);
    if (pool.users++ == 0)
        pool.pid = getpid();
    while (err == 0 && pool.nworkers + 1 < lanes)
        err = add_worker();
    if (err != 0 && --pool.users == 0)
        stop_workers();
    pthread_mutex_unlock(&pool.lock);
    return err;
}

void soft_copy_pool_leave(void)
{
    pthread_mutex_lock(&pool.lock);
    if (--pool.users == 0)
        stop_workers();
    pthread_mutex_unlock(&pool.lock);
}

/* --- owners --- */

static struct soft_copy_run *claim_slot(void)
{
    uint64_t used = atomic_load_explicit(&pool.used, memory_order_relaxed);
    uint64_t bit;

    do {
        if (~used == 0)
            return NULL;
        bit = ~used & -~used;
    } while (!atomic_compare_exchange_weak_explicit(&pool.used, &used, used | bit,
                                                    memory_order_acquire, memory_order_relaxed));
    return &pool.slots[__builtin_ctzll(bit)];
}

struct soft_copy_run *soft_copy_pool_publish(struct soft_copy_job *job, uint64_t chunk,
                                             uint32_t lanes, struct od_waker *waker)
{
    struct soft_copy_run *run = claim_slot();

    if (run == NULL)
        return NULL;
    run->waker = waker;
    atomic_store_explicit(&run->lanes, lanes, memory_order_relaxed);
    atomic_store_explicit(&run->age, atomic_fetch_add_explicit(&pool.age, 1, memory_order_relaxed),
                          memory_order_relaxed);
    /* In this order: whoever takes the last chunk clears the bit, so it must be set by then. */
    atomic_fetch_or_explicit(&pool.active, slot_bit(run), memory_order_seq_cst);
    soft_copy_run_begin(run, job, chunk);
    return run;
}

void soft_copy_pool_wake(uint32_t lanes)
{
    for (uint32_t i = 0; i + 1 < lanes; i++)
        wake_worker(&pool.workers[i]);
}

bool soft_copy_pool_help(struct soft_copy_run *run, struct soft_copy_lane *lane)
{
    bool last = false;
    uint32_t chunk = soft_copy_run_take_front(run, &last);

    if (chunk == SOFT_COPY_NO_CHUNK)
        return false;
    if (last)
        close_slot(run);
    if (soft_copy_run_chunk(run, chunk, lane))
        atomic_store_explicit(&run->settled, true, memory_order_relaxed);
    return true;
}

void soft_copy_pool_cut(struct soft_copy_run *run)
{
    bool left;
    bool over = soft_copy_run_cut(run, &left);

    if (left)
        close_slot(run);
    if (over)
        atomic_store_explicit(&run->settled, true, memory_order_relaxed);
}

bool soft_copy_pool_retire(struct soft_copy_run *run)
{
    if (!atomic_load_explicit(&run->settled, memory_order_acquire))
        return false;
    atomic_fetch_and_explicit(&pool.used, ~slot_bit(run), memory_order_release);
    return true;
}
