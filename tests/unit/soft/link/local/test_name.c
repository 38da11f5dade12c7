/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "soft/link/local/name.h"

static char folder[64];

static int setup(void **state)
{
    (void)state;
    strncpy(folder, "/tmp/opendoca-name-XXXXXX", sizeof(folder) - 1);
    assert_non_null(mkdtemp(folder));
    setenv("OPENDOCA_RUNTIME_DIR", folder, 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return rmdir(folder);
}

static struct soft_link_name parse(const char *addr)
{
    struct soft_link_name name;

    if (soft_link_name_parse(addr, &name) != 0)
        fail_msg("%s: %s", addr, soft_reason());
    return name;
}

static int claim(const char *addr, struct soft_link_claim *c)
{
    struct soft_link_name name = parse(addr);

    return soft_link_name_claim(&name, c);
}

static int try_connect(const char *addr)
{
    struct soft_link_name name = parse(addr);
    int fd = soft_link_name_connect(&name);

    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : fd;
}

static bool exists(const char *file)
{
    char path[200];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return lstat(path, &st) == 0;
}

static void names_become_files(void **state)
{
    char long_name[250], other[250];
    struct soft_link_name a, b;

    (void)state;
    a = parse("simple-name_1.x@y");
    assert_string_equal(a.file, "link-simple-name_1.x@y");
    assert_string_equal(a.dir, folder);
    memset(long_name, 'n', sizeof(long_name));
    long_name[sizeof(long_name) - 1] = '\0';
    memcpy(other, long_name, sizeof(other));
    other[200] = 'm';
    a = parse(long_name);
    b = parse(other);
    assert_true(strlen(a.file) < SOFT_NAME_SIZE);
    assert_string_not_equal(a.file, b.file);
    a = parse("with blank");
    b = parse("with/blank");
    assert_null(strchr(b.file, '/'));
    assert_string_not_equal(a.file, b.file);
    a = parse("..");
    assert_string_equal(a.file, "link-..");
}

static void paths_are_taken_as_they_are(void **state)
{
    struct soft_link_name name = parse("/run/some/where.sock");

    (void)state;
    assert_string_equal(name.dir, "/run/some");
    assert_string_equal(name.file, "where.sock");
    name = parse("/x");
    assert_string_equal(name.dir, "/");
    assert_int_equal(soft_link_name_parse("/run/", &name), -EINVAL);
    assert_int_equal(soft_link_name_parse("", &name), -EINVAL);
}

static void a_name_is_held_until_it_is_given_back(void **state)
{
    struct soft_link_claim first, second;

    (void)state;
    assert_int_equal(try_connect("a"), -ENOENT);
    assert_int_equal(claim("a", &first), 0);
    assert_int_equal(try_connect("a"), 0);
    assert_int_equal(claim("a", &second), -EADDRINUSE);
    assert_int_equal(claim("b", &second), 0);
    soft_link_name_withdraw(&second);
    soft_link_name_withdraw(&first);
    assert_false(exists("link-a"));
    assert_int_equal(claim("a", &first), 0);
    soft_link_name_withdraw(&first);
}

static void a_full_queue_is_no_free_name(void **state)
{
    struct soft_link_claim first, second;
    struct soft_link_name name = parse("full");
    int fds[600], n = 0;

    (void)state;
    assert_int_equal(soft_link_name_claim(&name, &first), 0);
    while (n < 600 && (fds[n] = soft_link_name_connect(&name)) >= 0)
        n++;
    assert_in_range(n, 1, 599);
    assert_int_equal(fds[n], -EAGAIN);
    assert_int_equal(claim("full", &second), -EADDRINUSE);
    while (n > 0)
        close(fds[--n]);
    soft_link_name_withdraw(&first);
}

static void what_a_killed_process_left_is_taken(void **state)
{
    struct soft_link_claim c;

    (void)state;
    /* The socket stays, nobody listens. */
    assert_int_equal(claim("dead", &c), 0);
    soft_link_name_forget(&c);
    assert_true(exists("link-dead"));
    assert_int_equal(try_connect("dead"), -ECONNREFUSED);
    assert_int_equal(claim("dead", &c), 0);
    soft_link_name_withdraw(&c);
    assert_false(exists("link-dead"));
}

static void a_file_that_is_no_socket_is_left_alone(void **state)
{
    struct soft_link_claim c;
    char path[200];
    int fd;

    (void)state;
    snprintf(path, sizeof(path), "%s/precious", folder);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(claim(path, &c), -EADDRINUSE);
    assert_true(exists("precious"));
    unlink(path);
}

static void another_socket_of_the_name_is_not_removed(void **state)
{
    struct soft_link_claim first, second;
    char path[200];

    (void)state;
    assert_int_equal(claim("moved", &first), 0);
    snprintf(path, sizeof(path), "%s/link-moved", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(claim("moved", &second), 0);
    soft_link_name_withdraw(&first);
    assert_true(exists("link-moved"));
    soft_link_name_withdraw(&second);
}

/* ---- Many at once ---- */

static atomic_int holders;
static atomic_int claims;

static void *contend(void *wrong)
{
    for (unsigned int i = 0; i < 200; i++) {
        struct soft_link_claim c;

        if (claim("contended", &c) != 0)
            continue;
        if (atomic_fetch_add(&holders, 1) != 0)
            *(bool *)wrong = true;
        atomic_fetch_add(&claims, 1);
        atomic_fetch_sub(&holders, 1);
        /* Half of them as if they were killed. */
        if (i % 2 == 0)
            soft_link_name_withdraw(&c);
        else
            soft_link_name_forget(&c);
    }
    return NULL;
}

static void one_at_a_time_holds_a_name(void **state)
{
    pthread_t threads[4];
    struct soft_link_claim c;
    bool wrong[4] = {false};

    (void)state;
    for (unsigned int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, contend, &wrong[i]), 0);
    for (unsigned int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (unsigned int i = 0; i < 4; i++)
        assert_false(wrong[i]);
    assert_true(atomic_load(&claims) > 0);
    assert_int_equal(claim("contended", &c), 0);
    soft_link_name_withdraw(&c);
}

/* As one that got no processor at the wrong time. */
static void a_slow_holder_is_waited_for(void **state)
{
    struct soft_link_claim c;
    int ready[2], status;
    char byte;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        int fd = open(folder, O_RDONLY | O_DIRECTORY);

        if (flock(fd, LOCK_EX) != 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        poll(NULL, 0, 3000); /* what is waited for is that this takes long */
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(claim("slow", &c), 0);
    soft_link_name_withdraw(&c);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ready[0]);
    close(ready[1]);
}

static void a_locked_folder_is_not_waited_for_without_end(void **state)
{
    struct soft_link_claim c;
    int fd = open(folder, O_RDONLY | O_DIRECTORY);

    (void)state;
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(claim("locked", &c), -EBUSY);
    close(fd);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(names_become_files),
        CASE(paths_are_taken_as_they_are),
        CASE(a_name_is_held_until_it_is_given_back),
        CASE(a_full_queue_is_no_free_name),
        CASE(what_a_killed_process_left_is_taken),
        CASE(a_file_that_is_no_socket_is_left_alone),
        CASE(another_socket_of_the_name_is_not_removed),
        CASE(one_at_a_time_holds_a_name),
        CASE(a_slow_holder_is_waited_for),
        CASE(a_locked_folder_is_not_waited_for_without_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
