/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "soft/copy/guard.h"
#include "soft/copy/loop.h"

#define PAGE ((size_t)4096)

static char *bad; /* a page without access */
static volatile sig_atomic_t seen_signal, seen_info, calls;
static void *volatile seen_addr;
static sigjmp_buf escape;

struct touch {
    char *dst;
    char *src;
};

SOFT_COPY_RAW static void touch(void *arg)
{
    struct touch *touch = arg;

    soft_copy_short(touch->dst, touch->src, 16);
}

static int guarded_touch(char *dst, char *src)
{
    struct touch arg = {dst, src};

    return soft_copy_guarded(touch, &arg, dst, src, 16);
}

static void fault_outside_of_a_copy(void)
{
    *(volatile char *)(bad + 5) = 1;
}

/* --- the application's handlers --- */

static void plain_handler(int sig)
{
    seen_signal = sig;
    calls++;
    mprotect(bad, PAGE, PROT_READ | PROT_WRITE);
}

static void info_handler(int sig, siginfo_t *info, void *context)
{
    seen_info = context != NULL;
    seen_addr = info->si_addr;
    plain_handler(sig);
}

static void escaping_handler(int sig)
{
    seen_signal = sig;
    siglongjmp(escape, 1);
}

static struct sigaction previous;

/* What handlers often do: look, then call the one before. */
static void forwarding_handler(int sig, siginfo_t *info, void *context)
{
    calls++;
    if ((previous.sa_flags & SA_SIGINFO) != 0)
        previous.sa_sigaction(sig, info, context);
    else
        previous.sa_handler(sig);
}

static void set_handler(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(SIGSEGV, &action, NULL);
}

static void set_info_handler(void (*handler)(int, siginfo_t *, void *), struct sigaction *before)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

    sigaction(SIGSEGV, &action, before);
}

/* Each case runs in a child of its own: handlers belong to the process. */
static int in_child(bool (*body)(void))
{
    int status = -1;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        struct rlimit none = {0, 0};

        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        bad = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        _exit(body() ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void assert_true_in_child(bool (*body)(void))
{
    assert_int_equal(in_child(body), 0);
}

static void assert_killed_by_segv(bool (*body)(void))
{
    int status = in_child(body);

    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

/* --- bodies --- */

static bool copy_faults_do_not_reach_it(void)
{
    char good[16] = {0};
    sigset_t mask;

    set_handler(plain_handler, 0);
    soft_copy_guard_install();
    for (int i = 0; i < 3; i++) {
        if (guarded_touch(good, bad) != -EFAULT || guarded_touch(bad, good) != -EFAULT)
            return false;
    }
    sigprocmask(SIG_BLOCK, NULL, &mask);
    return calls == 0 && soft_copy_guard_self.sp == NULL && !sigismember(&mask, SIGSEGV) &&
           guarded_touch(good, good) == 0;
}

static bool plain_handler_is_called(void)
{
    set_handler(plain_handler, 0);
    soft_copy_guard_install();
    fault_outside_of_a_copy();
    return calls == 1 && seen_signal == SIGSEGV;
}

static bool info_handler_is_called(void)
{
    set_info_handler(info_handler, NULL);
    soft_copy_guard_install();
    fault_outside_of_a_copy();
    return calls == 1 && seen_info && seen_addr == bad + 5;
}

static bool fault_elsewhere_while_armed(void)
{
    static char page[16];

    set_handler(plain_handler, 0);
    soft_copy_guard_install();
    soft_copy_guard_span(&soft_copy_guard_self, page, page, 16);
    struct touch arg = {bad, page};

    /* not what was announced: the program's own mistake */
    return soft_copy_guard_call(&soft_copy_guard_self, touch, &arg) == 0 && calls == 1;
}

static bool default_action(void)
{
    soft_copy_guard_install();
    fault_outside_of_a_copy();
    return true;
}

static bool ignored_fault(void)
{
    set_handler(SIG_IGN, 0);
    soft_copy_guard_install();
    fault_outside_of_a_copy();
    return true;
}

static bool sent_signal_default(void)
{
    soft_copy_guard_install();
    raise(SIGSEGV);
    return true;
}

static bool sent_signal_ignored(void)
{
    set_handler(SIG_IGN, 0);
    soft_copy_guard_install();
    raise(SIGSEGV);
    return true;
}

static bool handler_that_escapes(void)
{
    char good[16];

    set_handler(escaping_handler, 0);
    soft_copy_guard_install();
    for (int i = 0; i < 3; i++) {
        if (sigsetjmp(escape, 1) == 0) {
            fault_outside_of_a_copy();
            return false;
        }
        if (guarded_touch(good, bad) != -EFAULT)
            return false;
    }
    return seen_signal == SIGSEGV;
}

static bool one_shot_handler(void)
{
    set_handler(escaping_handler, (int)SA_RESETHAND);
    soft_copy_guard_install();
    if (sigsetjmp(escape, 1) == 0)
        fault_outside_of_a_copy();
    fault_outside_of_a_copy(); /* the handler is spent: the default action */
    return true;
}

/* Installed after ours, in front of it, and calling it: copies still work after the next open, and
 * its own faults end where they should. */
static bool later_handler_forwards(void)
{
    char good[16];

    set_handler(plain_handler, 0);
    soft_copy_guard_install();
    set_info_handler(forwarding_handler, &previous);
    soft_copy_guard_install();
    if (guarded_touch(good, bad) != -EFAULT || calls != 0)
        return false;
    fault_outside_of_a_copy();
    return calls == 2 && seen_signal == SIGSEGV;
}

static bool later_handler_forwards_to_default(void)
{
    soft_copy_guard_install();
    set_info_handler(forwarding_handler, &previous);
    soft_copy_guard_install();
    fault_outside_of_a_copy();
    return true;
}

static bool installing_often_changes_nothing(void)
{
    char good[16];

    set_handler(plain_handler, 0);
    for (int i = 0; i < 100; i++) {
        if (soft_copy_guard_install() != 0)
            return false;
        set_handler(plain_handler, 0);
    }
    soft_copy_guard_install();
    if (guarded_touch(good, bad) != -EFAULT || calls != 0)
        return false;
    fault_outside_of_a_copy();
    return calls == 1;
}

/* --- cases --- */

static void a_copy_fault_is_an_error_and_the_application_never_hears_of_it(void **state)
{
    (void)state;
    assert_true_in_child(copy_faults_do_not_reach_it);
    assert_true_in_child(installing_often_changes_nothing);
}

static void another_fault_goes_to_the_application(void **state)
{
    (void)state;
    assert_true_in_child(plain_handler_is_called);
    assert_true_in_child(info_handler_is_called);
    assert_true_in_child(fault_elsewhere_while_armed);
    assert_true_in_child(handler_that_escapes);
    assert_true_in_child(later_handler_forwards);
}

static void without_a_handler_the_default_action_is_taken(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the sanitizer is the handler there */
#endif
    assert_killed_by_segv(default_action);
    assert_killed_by_segv(ignored_fault);
    assert_killed_by_segv(sent_signal_default);
    assert_killed_by_segv(one_shot_handler);
    assert_killed_by_segv(later_handler_forwards_to_default);
}

static void a_sent_signal_is_no_fault(void **state)
{
    (void)state;
    assert_true_in_child(sent_signal_ignored);
}

static int dirty_registers(char *dst, char *src)
{
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    double x = 1.5, y = 2.5;

    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    int err = guarded_touch(dst, src);
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    return a + b + c + d + e + f == 21 && x + y == 4.0 ? err : 1;
}

static bool registers_survive(void)
{
    char good[16];

    soft_copy_guard_install();
    for (int i = 0; i < 100; i++) {
        if (dirty_registers(good, bad) != -EFAULT)
            return false;
    }
    return true;
}

static void *touch_bad_page(void *good)
{
    return (void *)(intptr_t)guarded_touch(good, bad);
}

/* As programs do that handle their signals in one thread: all are blocked before any other starts.
 */
static bool blocked_signals_are_let_through(void)
{
    pthread_t thread;
    void *result;
    char good[16];
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    soft_copy_guard_install();
    if (pthread_create(&thread, NULL, touch_bad_page, good) != 0)
        return false;
    pthread_join(thread, &result);
    if ((intptr_t)result != -EFAULT || guarded_touch(good, bad) != -EFAULT)
        return false;
    sigprocmask(SIG_SETMASK, &all, NULL); /* again, then another context starts */
    soft_copy_guard_install();
    return guarded_touch(good, bad) == -EFAULT;
}

static void a_thread_that_blocks_all_signals_is_safe_too(void **state)
{
    (void)state;
    assert_true_in_child(blocked_signals_are_let_through);
}

static void the_caller_finds_its_registers_again(void **state)
{
    (void)state;
    assert_true_in_child(registers_survive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_fault_is_an_error_and_the_application_never_hears_of_it),
        cmocka_unit_test(another_fault_goes_to_the_application),
        cmocka_unit_test(without_a_handler_the_default_action_is_taken),
        cmocka_unit_test(a_sent_signal_is_no_fault),
        cmocka_unit_test(a_thread_that_blocks_all_signals_is_safe_too),
        cmocka_unit_test(the_caller_finds_its_registers_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
