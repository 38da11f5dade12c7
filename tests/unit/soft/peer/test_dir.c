/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "soft/peer/dir.h"
#include "soft/service/folder.h"

static char base[64];

static int make_base(void **state)
{
    (void)state;
    strcpy(base, "/tmp/opendoca-test-XXXXXX");
    if (mkdtemp(base) == NULL)
        return -1;
    unsetenv("XDG_RUNTIME_DIR");
    return setenv("OPENDOCA_RUNTIME_DIR", base, 1);
}

static int remove_base(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", base);
    return system(command);
}

static int open_in(const char *name, char dir[PEER_DIR_SIZE])
{
    char path[1024];

    snprintf(path, sizeof(path), "%s/%s", base, name);
    setenv("OPENDOCA_RUNTIME_DIR", path, 1);
    return soft_service_folder_open(dir, PEER_DIR_SIZE);
}

static void a_folder_is_made_for_this_user_alone(void **state)
{
    char dir[PEER_DIR_SIZE];
    struct stat st;
    int fd = open_in("fresh", dir);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_non_null(strstr(dir, "/fresh"));
    close(fd);
    fd = open_in("fresh/../fresh", dir);
    assert_true(fd >= 0);
    assert_null(strstr(dir, ".."));
    close(fd);
}

static void a_folder_that_others_may_write_is_refused(void **state)
{
    char dir[PEER_DIR_SIZE], path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/open", base);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chmod(path, 0770), 0);
    assert_int_equal(open_in("open", dir), -EACCES);
    assert_non_null(strstr(soft_reason(), "chmod"));
    if (geteuid() == 0) {
        assert_int_equal(chmod(path, 0700), 0);
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_int_equal(open_in("open", dir), -EACCES);
        assert_non_null(strstr(soft_reason(), "12345"));
    }
    assert_int_equal(open_in("no/such/parent", dir), -ENOENT);
    assert_non_null(strstr(soft_reason(), "OPENDOCA_RUNTIME_DIR"));
}

static void folders_are_tried_in_order(void **state)
{
    char dir[PEER_DIR_SIZE], expected[PEER_DIR_SIZE];
    int fd;

    (void)state;
    unsetenv("OPENDOCA_RUNTIME_DIR");
    setenv("XDG_RUNTIME_DIR", base, 1);
    fd = soft_service_folder_open(dir, PEER_DIR_SIZE);
    assert_true(fd >= 0);
    close(fd);
    snprintf(expected, sizeof(expected), "%s/opendoca", base);
    assert_string_equal(dir, expected);
    /* Somebody else's session folder, as after sudo, is not an error. */
    setenv("XDG_RUNTIME_DIR", "/proc/nonexistent", 1);
    fd = soft_service_folder_open(dir, PEER_DIR_SIZE);
    assert_true(fd >= 0);
    close(fd);
    snprintf(expected, sizeof(expected), "opendoca-%u", geteuid());
    assert_non_null(strstr(dir, expected));
    unsetenv("XDG_RUNTIME_DIR");
}

static unsigned int count_entries(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    unsigned int n = 0;

    assert_non_null(d);
    while ((entry = readdir(d)) != NULL)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(d);
    return n;
}

static void check_sockets(const char *name)
{
    const uint8_t living[PEER_INSTANCE_SIZE] = {1}, dead[PEER_INSTANCE_SIZE] = {2};
    char dir[PEER_DIR_SIZE], path[512];
    int dirfd = open_in(name, dir), fd, gone, client;

    assert_true(dirfd >= 0);
    fd = soft_peer_dir_listen(dir, dirfd, living);
    gone = soft_peer_dir_listen(dir, dirfd, dead);
    assert_true(fd >= 0);
    assert_true(gone >= 0);
    close(gone);
    snprintf(path, sizeof(path), "%s/peer-notes.txt", dir);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(count_entries(dir), 3);
    assert_int_equal(soft_peer_dir_connect(dir, dead), -ECONNREFUSED);
    soft_peer_dir_sweep(dir, dirfd);
    assert_int_equal(count_entries(dir), 2);
    assert_int_equal(soft_peer_dir_connect(dir, dead), -ENOENT);
    client = soft_peer_dir_connect(dir, living);
    assert_true(client >= 0);
    close(client);
    close(fd);
    close(dirfd);
}

static void sockets_of_the_dead_are_swept(void **state)
{
    (void)state;
    check_sockets("short");
}

static void a_long_path_works_as_well(void **state)
{
    char name[151], dir[PEER_DIR_SIZE];

    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    check_sockets(name);
    name[120] = '/';
    assert_int_equal(open_in(name, dir), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_made_for_this_user_alone),
        cmocka_unit_test(a_folder_that_others_may_write_is_refused),
        cmocka_unit_test(folders_are_tried_in_order),
        cmocka_unit_test(sockets_of_the_dead_are_swept),
        cmocka_unit_test(a_long_path_works_as_well),
    };

    return cmocka_run_group_tests(tests, make_base, remove_base);
}
