/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

#define GENERATIONS 8
#define PAGE_BITS   ((uintptr_t)4095)

__thread struct soft_copy_guard soft_copy_guard_self;

extern void soft_copy_guard_land(struct soft_copy_guard *guard)
    __attribute__((visibility("hidden")));

/* The handlers that ours was put in front of. More than one when the application installed its own
 * after ours, which may itself call ours as "the previous one". Only ever appended to. */
struct chain {
    struct sigaction action[GENERATIONS];
    atomic_bool spent[GENERATIONS]; /* SA_RESETHAND and called once */
    atomic_uint n;
};

static struct chain segv_chain;
static struct chain bus_chain;
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

/* A fault that is being passed on by this thread. A handler that was left by longjmp leaves it
 * behind, so it counts only when ours is really called again from below. */
static __thread struct {
    void *context;
    char *frame;
    unsigned int steps;
} passing;

static uintptr_t untagged(uintptr_t addr)
{
#if defined(__aarch64__)
    return addr & (((uintptr_t)1 << 56) - 1);
#else
    return addr;
#endif
}

static bool in_span(uintptr_t addr, uintptr_t start, size_t len)
{
    uintptr_t page = untagged(addr) & ~PAGE_BITS;

    start = untagged(start);
    return (page | PAGE_BITS) >= start && (page < start || page - start < len);
}

static bool is_synchronous(int sig, const siginfo_t *info)
{
    return info->si_code > 0 && !(sig == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

static bool is_copy_fault(const struct soft_copy_guard *guard, int sig, const siginfo_t *info)
{
    uintptr_t addr = (uintptr_t)info->si_addr;

    if (guard->sp == NULL || !is_synchronous(sig, info))
        return false;
    if (info->si_code == SI_KERNEL) /* x86, address that no page can have: it is not reported */
        return true;
    if (guard->job != NULL)
        return in_span(addr, guard->job->src->addr, guard->job->len) ||
               in_span(addr, guard->job->dst->addr, guard->job->len);
    return in_span(addr, guard->src, guard->len) || in_span(addr, guard->dst, guard->len);
}

static void return_to_landing(ucontext_t *context, struct soft_copy_guard *guard)
{
#if defined(__x86_64__)
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)soft_copy_guard_land;
    context->uc_mcontext.gregs[REG_RDI] = (greg_t)(uintptr_t)guard;
#else
    context->uc_mcontext.pc = (uintptr_t)soft_copy_guard_land;
    context->uc_mcontext.regs[0] = (uintptr_t)guard;
#endif
}

/* The default action, at the place of the fault: it happens again when the handler returns. */
static void take_default_action(int sig, const siginfo_t *info)
{
    struct sigaction action = {.sa_handler = SIG_DFL};

    sigaction(sig, &action, NULL);
    if (!is_synchronous(sig, info))
        raise(sig);
}

static void call_previous(struct chain *chain, unsigned int i, int sig, siginfo_t *info,
                          void *context)
{
    const struct sigaction *action = &chain->action[i];

    if ((action->sa_flags & (int)SA_RESETHAND) != 0 && atomic_exchange(&chain->spent[i], true))
        take_default_action(sig, info);
    else if ((action->sa_flags & SA_SIGINFO) != 0)
        action->sa_sigaction(sig, info, context);
    else if (action->sa_handler == SIG_DFL)
        take_default_action(sig, info);
    else if (action->sa_handler != SIG_IGN)
        action->sa_handler(sig);
    else if (is_synchronous(sig, info))
        take_default_action(sig, info); /* as the kernel does: such a fault cannot be ignored */
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
    struct chain *chain = sig == SIGBUS ? &bus_chain : &segv_chain;
    unsigned int n = atomic_load_explicit(&chain->n, memory_order_acquire);
    char *frame = __builtin_frame_address(0);
    unsigned int steps = 0;

    /* Same fault, deeper in the stack: the handler that we called has called us. */
    if (passing.context == context && frame < passing.frame)
        steps = passing.steps;
    if (steps >= n) {
        take_default_action(sig, info);
        return;
    }
    passing.context = context;
    passing.frame = frame;
    passing.steps = steps + 1;
    call_previous(chain, n - 1 - steps, sig, info, context);
    passing.context = NULL;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    struct soft_copy_guard *guard = &soft_copy_guard_self;

    if (is_copy_fault(guard, sig, info))
        return_to_landing(context, guard);
    else
        pass_on(sig, info, context);
}

static bool is_newest(const struct chain *chain, unsigned int n, const struct sigaction *action)
{
    return n > 0 && chain->action[n - 1].sa_flags == action->sa_flags &&
           chain->action[n - 1].sa_handler == action->sa_handler;
}

static int install_one(int sig, struct chain *chain)
{
    unsigned int n = atomic_load_explicit(&chain->n, memory_order_relaxed);
    struct sigaction action = {.sa_sigaction = on_fault};
    struct sigaction old;

    if (sigaction(sig, NULL, &old) != 0)
        return soft_fail(-errno, "no fault handler for signal %d: %s", sig, strerror(errno));
    if ((old.sa_flags & SA_SIGINFO) != 0 && old.sa_sigaction == on_fault)
        return 0;
    if (!is_newest(chain, n, &old)) {
        if (n == GENERATIONS)
            return 0; /* a program that keeps changing its handlers has the last word */
        chain->action[n] = old;
        atomic_store_explicit(&chain->n, n + 1, memory_order_release);
    }
    action.sa_mask = old.sa_mask;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | (old.sa_flags & (SA_NODEFER | SA_RESTART));
    if (sigaction(sig, &action, NULL) != 0)
        return soft_fail(-errno, "no fault handler for signal %d: %s", sig, strerror(errno));
    return 0;
}

void soft_copy_guard_unblock(struct soft_copy_guard *guard)
{
    sigset_t faults;

    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
    guard->reachable = true;
}

int soft_copy_guard_install(void)
{
    int err;

    soft_copy_guard_self.reachable = false;
    pthread_mutex_lock(&install_lock);
    err = install_one(SIGSEGV, &segv_chain);
    if (err == 0)
        err = install_one(SIGBUS, &bus_chain);
    pthread_mutex_unlock(&install_lock);
    return err;
}

int soft_copy_guarded(void (*fn)(void *arg), void *arg, void *dst, const void *src, size_t len)
{
    struct soft_copy_guard *guard = soft_copy_guard_own();

    soft_copy_guard_span(guard, dst, src, len);
    return soft_copy_guard_call(guard, fn, arg);
}
