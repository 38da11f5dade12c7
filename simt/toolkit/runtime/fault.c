/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes wrong in a kernel is told with place and reason; then the device refuses work, as a GPU
 * does. */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt.h"

static _Atomic int sticky;

cudaError_t fault_get(void)
{
    return (cudaError_t)sticky;
}

void fault_set(cudaError_t error)
{
    int none = 0;

    atomic_compare_exchange_strong(&sticky, &none, (int)error);
}

void fault_clear(void)
{
    sticky = 0;
}

void say(const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    int n = snprintf(text, sizeof(text), "simt: ");
    n += vsnprintf(text + n, sizeof(text) - (size_t)n - 1, format, arguments);
    va_end(arguments);
    if (n > (int)sizeof(text) - 2)
        n = (int)sizeof(text) - 2;
    text[n] = '\n';
    /* One write: lines of several threads do not mix. */
    (void)!write(STDERR_FILENO, text, (size_t)n + 1);
}

/* Places. */

static void describe_address(const void *pc, char *text, size_t size)
{
    Dl_info info;
    char command[512], line[256] = "";

    if (!dladdr(pc, &info) || !info.dli_fname) {
        snprintf(text, size, "%p", pc);
        return;
    }
    /* A return address stands behind the call. */
    uintptr_t offset = (uintptr_t)pc - (uintptr_t)info.dli_fbase - 1;
    snprintf(command, sizeof(command), "addr2line -Cfps -e '%s' 0x%lx 2>/dev/null", info.dli_fname,
             (unsigned long)offset);
    FILE *pipe = strchr(info.dli_fname, '\'') ? NULL : popen(command, "r");
    if (pipe) {
        if (!fgets(line, sizeof(line), pipe))
            line[0] = 0;
        pclose(pipe);
        line[strcspn(line, "\n")] = 0;
    }
    if (line[0] && line[0] != '?')
        snprintf(text, size, "%s", line);
    else
        snprintf(text, size, "%s+0x%lx", info.dli_fname, (unsigned long)offset);
}

static void describe(const struct thread *t, char *text, size_t size)
{
    if (t->pc)
        describe_address(t->pc, text, size);
    else if (t->place.function)
        snprintf(text, size, "%s at %s:%d", t->place.function, t->place.file, t->place.line);
    else
        snprintf(text, size, "not begun");
}

static const char *state_name(const struct thread *t)
{
    static const char *const names[] = {
        [THREAD_AT_BARRIER] = "wait at a barrier",
        [THREAD_AT_COLLECTIVE] = "wait for lanes of their warp",
        [THREAD_DONE] = "have returned",
    };

    return t->state == THREAD_RUNNABLE ? t->pc ? "are running" : "could go on" : names[t->state];
}

static bool same_group(const struct thread *a, const struct thread *b)
{
    if (a->state != b->state)
        return false;
    if (a->state == THREAD_DONE)
        return true;
    return a->pc == b->pc &&
           (a->pc || (a->place.function == b->place.function && a->place.line == b->place.line));
}

static bool told_before(const struct block *b, int i)
{
    for (int j = 0; j < i; j++) {
        if (same_group(&b->thread[j], &b->thread[i]))
            return true;
    }
    return false;
}

static void tell_group(const struct block *b, int first)
{
    const struct thread *t = &b->thread[first];
    char where[512] = "";
    int number = 0, last = first;

    for (int i = first; i < b->threads; i++) {
        if (same_group(t, &b->thread[i])) {
            number++;
            last = i;
        }
    }
    if (t->state != THREAD_DONE)
        describe(t, where, sizeof(where));
    say("  %d thread%s (%d%s%.0d) %s%s%s", number, number == 1 ? "" : "s", first,
        number > 1 ? ".." : "", number > 1 ? last : 0, state_name(t), where[0] ? ": " : "", where);
}

void fault_report(struct block *b, const char *what)
{
    const struct grid *g = b->grid;

    say("kernel %s, block %lu of %lu, %d threads: %s", g->kernel.name, (unsigned long)b->number,
        (unsigned long)g->blocks, b->threads, what);
    for (int i = 0; i < b->threads; i++) {
        if (!told_before(b, i))
            tell_group(b, i);
    }
}

void fault_hang(void)
{
    int shown = 0;

    say("a host thread waits, and no CUDA thread got on for %d s [simt-hang]:",
        config()->hang_seconds);
    for (struct block *b = device_blocks(); b && shown < 16; b = b->next, shown++)
        fault_report(b, "no progress");
}

/* Ends. */

static _Noreturn void stop(struct block *b, cudaError_t error)
{
    fault_set(error);
    b->grid->killed = true;
    if (config()->abort_on_fault)
        abort();
    block_abandon(b);
}

void fault_stop(struct block *b, cudaError_t error, const char *format, ...)
{
    char what[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    fault_report(b, what);
    stop(b, error);
}

static void tell_thread(const struct block *b, const char *what, const char *file, unsigned line,
                        const char *function)
{
    const struct thread *t = b->current;

    say("%s:%u: %s: kernel %s, block %lu, thread (%u,%u,%u): %s", file, line, function,
        b->grid->kernel.name, (unsigned long)b->number, t->index.x, t->index.y, t->index.z, what);
}

SIMT_API void simt_trap(const char *file, const char *function, int line)
{
    struct block *b = here_block;

    if (!b)
        abort();
    tell_thread(b, "trap [simt-trap]", file, (unsigned)line, function);
    stop(b, cudaErrorLaunchFailure);
}

SIMT_API void simt_assert_fail(const char *expression, const char *file, unsigned line,
                               const char *function)
{
    struct block *b = here_block;
    char what[512];

    snprintf(what, sizeof(what), "Assertion `%s' failed. [simt-assert]", expression);
    if (!b) {
        say("%s:%u: %s: %s", file, line, function, what);
        abort();
    }
    tell_thread(b, what, file, line, function);
    stop(b, cudaErrorAssert);
}

SIMT_API void simt_uncaught(const char *what)
{
    struct block *b = here_block;

    if (!b)
        abort();
    fault_stop(b, cudaErrorLaunchFailure, "an exception leaves the kernel: %s [simt-exception]",
               what);
}

/* Signals. */

static void on_segv(int signal, siginfo_t *info, void *context)
{
    const struct block *b = here_block;
    uintptr_t address = (uintptr_t)info->si_addr;
    struct sigaction standard = {.sa_handler = SIG_DFL};

    (void)context;
    if (b && b->current->carrier && carrier_guards(b->current->carrier, address))
        say("kernel %s: a thread's stack of %zu KiB overflows; raise SIMT_STACK (KiB) [simt-stack]",
            b->grid->kernel.name, config()->stack / 1024);
    else if (b)
        say("kernel %s, block %lu, thread %d: bad address 0x%lx [simt-address]",
            b->grid->kernel.name, (unsigned long)b->number, b->current->linear,
            (unsigned long)address);
    /* The instruction is tried again, and ends the process as it would have without us. */
    sigaction(signal, &standard, NULL);
}

void fault_watch_stack(void)
{
    enum { SIZE = 64 * 1024 };
    struct sigaction before, ours = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_size = SIZE};

    sigaction(SIGSEGV, NULL, &before);
    if (san_address() || san_thread())
        return;
    stack.ss_sp = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp == MAP_FAILED)
        return;
    sigaltstack(&stack, NULL);
    if (before.sa_handler == SIG_DFL)
        sigaction(SIGSEGV, &ours, NULL);
}
