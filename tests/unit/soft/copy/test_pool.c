/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/copy/pool.h"

#define LEN     (8u << 20)
#define SECONDS 60

struct fixture {
    struct od_waker waker;
    struct soft_copy_lane lane;
    struct soft_seg seg[2];
    struct soft_copy_job job;
    char *src;
    char *dst;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->src = malloc(LEN);
    f->dst = malloc(LEN);
    memset(f->src, 1, LEN);
    memset(f->dst, 2, LEN);
    f->seg[0] = (struct soft_seg){(uintptr_t)f->src, LEN, NULL};
    f->seg[1] = (struct soft_seg){(uintptr_t)f->dst, LEN, NULL};
    f->job = (struct soft_copy_job){
        .src = &f->seg[0], .dst = &f->seg[1], .nsrc = 1, .ndst = 1, .len = LEN};
    *state = f;
    return od_waker_open(&f->waker) != 0 || soft_copy_lane_init(&f->lane) != 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    od_waker_close(&f->waker);
    soft_copy_lane_fini(&f->lane);
    free(f->src);
    free(f->dst);
    free(f);
    return 0;
}

/* A field of a worker's status; "" when there is no such thread. Returns the number of workers. */
static unsigned int read_workers(const char *field, char *value, size_t size)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned int n = 0;

    assert_non_null(tasks);
    value[0] = '\0';
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        char path[300], line[256], found[256] = "";
        bool is_worker = false;
        FILE *file;

        snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
        file = fopen(path, "r");
        if (file == NULL)
            continue;
        while (fgets(line, sizeof(line), file) != NULL) {
            if (strcmp(line, "Name:\topendoca-copy\n") == 0)
                is_worker = true;
            if (strncmp(line, field, strlen(field)) == 0)
                snprintf(found, sizeof(found), "%s", line + strlen(field));
        }
        fclose(file);
        if (is_worker) {
            n++;
            snprintf(value, size, "%s", found);
        }
    }
    closedir(tasks);
    return n;
}

static unsigned int count_workers(void)
{
    char value[256];

    return read_workers("State:", value, sizeof(value));
}

/* A new thread has its name a moment after it was started; one that was joined is in the list a
 * moment longer. */
static void await_workers(unsigned int n)
{
    time_t deadline = whole_seconds_now() + SECONDS;

    while (count_workers() != n)
        assert_true(whole_seconds_now() < deadline);
}

static void await_sleep(void)
{
    time_t deadline = whole_seconds_now() + SECONDS;
    char state[256];

    do {
        assert_true(whole_seconds_now() < deadline);
        read_workers("State:\t", state, sizeof(state));
    } while (state[0] != 'S');
}

static void workers_exist_while_somebody_needs_them(void **state)
{
    (void)state;
    assert_int_equal(soft_copy_pool_enter(1), 0);
    assert_int_equal(count_workers(), 0);
    assert_int_equal(soft_copy_pool_enter(3), 0);
    await_workers(2);
    assert_int_equal(soft_copy_pool_enter(2), 0);
    await_workers(2);
    soft_copy_pool_leave();
    soft_copy_pool_leave();
    await_workers(2);
    soft_copy_pool_leave();
    await_workers(0);
}

static void workers_take_no_signals_but_faults(void **state)
{
    unsigned long long blocked;
    char value[256];

    (void)state;
    assert_int_equal(soft_copy_pool_enter(2), 0);
    await_workers(1);
    read_workers("SigBlk:\t", value, sizeof(value));
    blocked = strtoull(value, NULL, 16);
    assert_false(blocked & 1ull << (SIGSEGV - 1));
    assert_false(blocked & 1ull << (SIGBUS - 1));
    assert_true(blocked & 1ull << (SIGTERM - 1));
    assert_true(blocked & 1ull << (SIGALRM - 1));
    soft_copy_pool_leave();
}

static void finish(struct fixture *f, struct soft_copy_run *run)
{
    time_t deadline = whole_seconds_now() + SECONDS;

    assert_true(soft_copy_run_is_over(run));
    assert_int_equal(atomic_load(&run->status), 0);
    while (!soft_copy_pool_retire(run))
        assert_true(whole_seconds_now() < deadline);
    assert_memory_equal(f->src, f->dst, LEN);
    memset(f->dst, 2, LEN);
}

/* Published, woken, and nobody helps: the workers do it all and wake the owner. */
static void sleeping_workers_and_owners_are_woken(void **state)
{
    struct fixture *f = *state;
    struct pollfd fd = {.fd = f->waker.fd, .events = POLLIN};

    assert_int_equal(soft_copy_pool_enter(3), 0);
    for (int i = 0; i < 20; i++) {
        struct soft_copy_run *run;

        await_sleep();
        run = soft_copy_pool_publish(&f->job, 64u << 10, 3, &f->waker);
        assert_non_null(run);
        soft_copy_pool_wake(3);
        for (bool over = false; !over;) {
            od_waker_arm(&f->waker);
            over = soft_copy_run_is_over(run);
            if (!over)
                assert_int_equal(poll(&fd, 1, SECONDS * 1000), 1);
            od_waker_clear(&f->waker);
        }
        finish(f, run);
    }
    soft_copy_pool_leave();
}

static void an_owner_that_helps_finishes_alone_when_workers_sleep(void **state)
{
    struct fixture *f = *state;
    struct soft_copy_run *run;

    assert_int_equal(soft_copy_pool_enter(2), 0);
    await_sleep();
    run = soft_copy_pool_publish(&f->job, 64u << 10, 2, &f->waker);
    while (soft_copy_pool_help(run, &f->lane))
        ;
    finish(f, run);
    soft_copy_pool_leave();
}

static void slots_run_out_and_come_back(void **state)
{
    struct fixture *f = *state;
    struct soft_copy_run *run[64];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 64; i++) {
            run[i] = soft_copy_pool_publish(&f->job, LEN, 1, &f->waker);
            assert_non_null(run[i]);
        }
        assert_null(soft_copy_pool_publish(&f->job, LEN, 1, &f->waker));
        for (int i = 0; i < 64; i++) {
            soft_copy_pool_cut(run[i]);
            assert_true(soft_copy_pool_retire(run[i]));
        }
    }
}

static uint64_t process_cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CPU time of all threads during a fifth of a second. */
static uint64_t idle_cpu_ns(void)
{
    uint64_t before = process_cpu_ns();

    poll(NULL, 0, 200);
    return process_cpu_ns() - before;
}

static void idle_workers_use_no_time(void **state)
{
    time_t deadline = whole_seconds_now() + SECONDS;

    (void)state;
    assert_int_equal(soft_copy_pool_enter(2), 0);
    await_sleep();
    /* Time of others on the same processor may be counted as ours; who spins spins all the time. */
    while (idle_cpu_ns() >= 20000000)
        assert_true(whole_seconds_now() < deadline);
    soft_copy_pool_leave();
}

static void a_forked_child_can_end(void **state)
{
    int status = -1;
    pid_t pid;

    (void)state;
    assert_int_equal(soft_copy_pool_enter(2), 0);
    await_sleep();
    pid = fork();
    if (pid == 0) {
        alarm(SECONDS);
        soft_copy_pool_leave(); /* as a destructor that runs in it may do */
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    soft_copy_pool_leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_exist_while_somebody_needs_them),
        cmocka_unit_test(workers_take_no_signals_but_faults),
        cmocka_unit_test_setup_teardown(sleeping_workers_and_owners_are_woken, setup, teardown),
        cmocka_unit_test_setup_teardown(an_owner_that_helps_finishes_alone_when_workers_sleep,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(slots_run_out_and_come_back, setup, teardown),
        cmocka_unit_test(idle_workers_use_no_time),
        cmocka_unit_test(a_forked_child_can_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
