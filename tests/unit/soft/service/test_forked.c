/* SPDX-License-Identifier: BSD-3-Clause */
/* What a forked child must not have. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "soft/service/forked.h"

enum { LEN = 3 * 4096 };

static char path[] = "/tmp/opendoca-test-forked-XXXXXX";
static struct soft_forked forked;

static int set_up(void **state)
{
    (void)state;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    forked = (struct soft_forked){.len = LEN};
    soft_forked_enter();
    forked.fd = mkostemp(path, O_CLOEXEC);
    if (forked.fd < 0 || ftruncate(forked.fd, LEN) != 0 || flock(forked.fd, LOCK_EX) != 0)
        return -1;
    forked.map = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, forked.fd, 0);
    if (forked.map == MAP_FAILED)
        return -1;
    memset(forked.map, 'p', LEN);
    soft_forked_add(&forked);
    soft_forked_leave();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    soft_forked_enter();
    soft_forked_remove(&forked);
    soft_forked_leave();
    if (forked.map != NULL)
        munmap(forked.map, LEN);
    if (forked.fd >= 0)
        close(forked.fd);
    return unlink(path);
}

/* Whether any mapping of this process is of the file. */
static bool maps_file(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    bool found = false;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
        found = found || strstr(line, path) != NULL;
    if (maps != NULL)
        fclose(maps);
    return found;
}

static bool is_null(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

/* 0: so it is. */
static int look_in_child(int number, bool is_kept)
{
    const char *map = forked.map;

    if (forked.fd != -1)
        return 1;
    if (is_kept ? !is_null(number) : fcntl(number, F_GETFD) >= 0)
        return 2;
    if (maps_file() || map[0] != 'p' || map[LEN - 1] != 'p')
        return 3;
    memset(forked.map, 'c', LEN);
    soft_forked_enter();
    soft_forked_remove(&forked);
    soft_forked_leave();
    return 0;
}

static void check_child(bool keeps_number)
{
    const int number = forked.fd;
    int status;
    pid_t pid;

    forked.keeps_number = keeps_number;
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        _exit(look_in_child(number, keeps_number));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(forked.fd, number);
    assert_true(maps_file());
    assert_int_equal(*(const char *)forked.map, 'p');
}

static void descriptors_and_maps_are_the_parents(void **state)
{
    (void)state;
    check_child(false);
}

static void a_number_that_others_know_is_nothing(void **state)
{
    (void)state;
    check_child(true);
}

/* A child that lives on holds no lock. */
static void a_lock_ends_with_the_parents(void **state)
{
    int over[2], other, status;
    char byte;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(over), 0);
    pid = fork();
    if (pid == 0) {
        close(over[1]);
        (void)!read(over[0], &byte, 1);
        _exit(0);
    }
    soft_forked_enter();
    soft_forked_remove(&forked);
    munmap(forked.map, LEN); /* it has the file open, too */
    forked.map = NULL;
    close(forked.fd);
    forked.fd = -1;
    soft_forked_leave();
    other = open(path, O_RDWR | O_CLOEXEC);
    assert_true(other >= 0);
    /* When its hooks have run, which nobody tells. */
    assert_int_equal(flock(other, LOCK_EX), 0);
    close(other);
    close(over[1]);
    close(over[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_number_of_another_file_is_left_alone(void **state)
{
    const int number = forked.fd;
    int status;
    pid_t pid;

    (void)state;
    close(number);
    assert_int_equal(open("/dev/zero", O_RDONLY | O_CLOEXEC), number);
    pid = fork();
    if (pid == 0)
        _exit(fcntl(number, F_GETFD) >= 0 && !is_null(number) ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(descriptors_and_maps_are_the_parents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_that_others_know_is_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lock_ends_with_the_parents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_of_another_file_is_left_alone, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
