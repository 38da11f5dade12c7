/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/gpu/watch.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "soft/gpu/gpu.h"

#define LOOKS_AWAKE 64u    /* without a find, before it sleeps */
#define NAP_NS      20000u /* batches better than looking all the time */
#define LONG_NAP_NS 50000u
#define LOOKS_LONG  2000u
#define SPIN_NS     70000u /* before a time that somebody waits for */

struct soft_gpu_watch {
    pthread_t thread;
    soft_gpu_look_fn look;
    void *arg;
    soft_gpu_caller_fn call_kernels; /* NULL: there are none */
    bool spins;
    _Atomic bool over;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void nap(uint64_t ns)
{
    struct timespec time = {.tv_nsec = (long)ns};

    nanosleep(&time, NULL);
}

static void rest(const struct soft_gpu_watch *watch, uint32_t looks, uint64_t wake_at)
{
    uint64_t ns = looks < LOOKS_LONG ? NAP_NS : LONG_NAP_NS, now;

    if (watch->spins || looks < LOOKS_AWAKE) {
        sched_yield();
        return;
    }
    if (wake_at != SOFT_GPU_NO_TIME) {
        now = now_ns();
        if (wake_at <= now + SPIN_NS)
            return;
        ns = OD_MIN(ns, wake_at - now - SPIN_NS + 1000);
    }
    nap(ns);
}

static void *run(void *arg)
{
    struct soft_gpu_watch *watch = arg;
    uint32_t looks = 0;

    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    while (!atomic_load_explicit(&watch->over, memory_order_relaxed)) {
        uint64_t wake_at = SOFT_GPU_NO_TIME;

        if (watch->look(watch->arg, &wake_at) > 0) {
            if (watch->call_kernels != NULL)
                watch->call_kernels();
            looks = 0;
        } else {
            rest(watch, ++looks, wake_at);
        }
    }
    return NULL;
}

static bool add_cpus(cpu_set_t *set, const struct soft_engine_conf *conf, uint32_t number)
{
    CPU_ZERO(set);
    for (uint32_t i = 0; i < conf->ncpus; i++) {
        if (number == SOFT_GPU_WATCH_ANY || number % conf->ncpus == i)
            CPU_SET(conf->cpus[i], set);
    }
    return conf->ncpus > 0;
}

static int create(struct soft_gpu_watch *watch, const struct soft_engine_conf *conf,
                  uint32_t number)
{
    pthread_attr_t attr;
    sigset_t all, old;
    cpu_set_t set;
    int err;

    pthread_attr_init(&attr);
    err = add_cpus(&set, conf, number) ? pthread_attr_setaffinity_np(&attr, sizeof(set), &set) : 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (err == 0)
        err = pthread_create(&watch->thread, &attr, run, watch);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return err;
}

int soft_gpu_watch_start(const char *what, const struct soft_engine_conf *conf, uint32_t number,
                         soft_gpu_look_fn look, void *arg, struct soft_gpu_watch **out)
{
    struct soft_gpu_watch *watch = calloc(1, sizeof(*watch));
    int err;

    if (watch == NULL)
        return soft_fail(-ENOMEM, "no memory for %s", what);
    watch->look = look;
    watch->arg = arg;
    watch->call_kernels = soft_gpu_caller();
    watch->spins = conf->poll == SOFT_POLL_SPIN;
    err = create(watch, conf, number);
    if (err == 0) {
        *out = watch;
        return 0;
    }
    free(watch);
    if (err == EINVAL && conf->ncpus > 0)
        return soft_fail(
            -EINVAL,
            "no thread for %s may run on the processors that the devices file"
            " names under \"engine\"; take \"cpus\" out of it, or name some of those that"
            " 'taskset -cp $$' shows",
            what);
    return soft_fail(-err, "no thread for %s: %s", what, strerror(err));
}

void soft_gpu_watch_stop(struct soft_gpu_watch *watch)
{
    if (watch == NULL)
        return;
    atomic_store(&watch->over, true);
    pthread_join(watch->thread, NULL);
    free(watch);
}
