/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "soft/peer/peer_priv.h"

#define SIZE 8192u

struct file {
    char path[64];
    int fd;
    char *at;
};

static void open_file(struct file *file, int protection)
{
    strcpy(file->path, "/dev/shm/opendoca-test-XXXXXX");
    file->fd = mkstemp(file->path);
    assert_true(file->fd >= 0);
    assert_int_equal(ftruncate(file->fd, SIZE), 0);
    file->at = mmap(NULL, SIZE, protection, MAP_SHARED, file->fd, 0);
    assert_true(file->at != MAP_FAILED);
}

static void close_file(struct file *file)
{
    munmap(file->at, SIZE);
    if (file->fd >= 0)
        close(file->fd);
    unlink(file->path);
}

static int find(const struct file *file, bool write, struct soft_peer_memory *memory)
{
    return soft_peer_memory_find((uintptr_t)file->at + 100, SIZE - 200, write, memory);
}

static void assert_is_found(const struct file *file, bool write)
{
    struct stat mine, found;
    struct soft_peer_memory memory = {0};
    int fd = find(file, write, &memory);

    assert_true(fd >= 0);
    assert_int_equal(memory.offset, 100);
    assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, write ? O_RDWR : O_RDONLY);
    assert_int_equal(fstat(fd, &found), 0);
    assert_int_equal(stat(file->path, &mine), 0);
    assert_int_equal(found.st_ino, mine.st_ino);
    close(fd);
}

static void the_file_is_found_by_its_name_or_among_the_open_ones(void **state)
{
    struct file file;

    (void)state;
    open_file(&file, PROT_READ | PROT_WRITE);
    assert_is_found(&file, true);
    assert_is_found(&file, false);
    close(file.fd);
    file.fd = -1;
    assert_is_found(&file, true);
    close_file(&file);
}

static void private_and_unwritable_memory_has_none(void **state)
{
    struct file file;
    struct soft_peer_memory memory;

    (void)state;
    open_file(&file, PROT_READ);
    assert_is_found(&file, false);
    assert_int_equal(find(&file, true, &memory), -1);
    assert_ptr_equal(
        mmap(file.at, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
        file.at);
    assert_int_equal(find(&file, false, &memory), -1);
    close_file(&file);
}

static bool is_shown(const struct file *file, const struct soft_peer_memory *memory)
{
    struct soft_peer_mappings all;
    bool shown;

    assert_int_equal(soft_peer_mappings_read(&all), 0);
    shown = soft_peer_mappings_show(&all, (uintptr_t)file->at + 100, SIZE - 200, memory);
    soft_peer_mappings_free(&all);
    return shown;
}

static void a_range_that_shows_something_else_is_noticed(void **state)
{
    struct soft_peer_memory memory, shifted, other;
    struct file file;

    (void)state;
    open_file(&file, PROT_READ | PROT_WRITE);
    close(find(&file, true, &memory));
    shifted = other = memory;
    shifted.offset++;
    other.inode++;
    assert_true(is_shown(&file, &memory));
    assert_false(is_shown(&file, &shifted));
    assert_false(is_shown(&file, &other));
    /* Rights come and go, and split the mapping. */
    assert_int_equal(mprotect(file.at, SIZE / 2, PROT_NONE), 0);
    assert_true(is_shown(&file, &memory));
    /* Half of it is the wrong half of the file, then memory of another kind, then nothing. */
    assert_ptr_equal(mmap(file.at, SIZE / 2, PROT_READ, MAP_SHARED | MAP_FIXED, file.fd, SIZE / 2),
                     file.at);
    assert_false(is_shown(&file, &memory));
    assert_ptr_equal(mmap(file.at, SIZE / 2, PROT_READ, MAP_SHARED | MAP_FIXED, file.fd, 0),
                     file.at);
    assert_true(is_shown(&file, &memory));
    assert_ptr_equal(mmap(file.at + SIZE / 2, SIZE / 2, PROT_READ,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
                     file.at + SIZE / 2);
    assert_false(is_shown(&file, &memory));
    munmap(file.at, SIZE);
    assert_false(is_shown(&file, &memory));
    close_file(&file);
}

/* Asked by another process: one's own locks are never in one's own way. */
static bool is_locked(const struct file *file)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
        int fd = open(file->path, O_RDWR);

        _exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) != 0;
}

static void record_locks_survive_the_search(void **state)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    struct file file;
    struct soft_peer_memory memory;

    (void)state;
    open_file(&file, PROT_READ | PROT_WRITE);
    assert_false(is_locked(&file));
    assert_int_equal(fcntl(file.fd, F_SETLK, &lock), 0);
    assert_true(is_locked(&file));
    assert_int_equal(find(&file, true, &memory), -1);
    assert_int_equal(find(&file, false, &memory), -1);
    assert_true(is_locked(&file));
    lock.l_type = F_UNLCK;
    assert_int_equal(fcntl(file.fd, F_SETLK, &lock), 0);
    assert_is_found(&file, true);
    close_file(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_found_by_its_name_or_among_the_open_ones),
        cmocka_unit_test(private_and_unwritable_memory_has_none),
        cmocka_unit_test(a_range_that_shows_something_else_is_noticed),
        cmocka_unit_test(record_locks_survive_the_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
