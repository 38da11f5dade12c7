/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem_test.h"

static char memory[256];

static struct doca_mmap *empty_map(void)
{
    struct doca_mmap *map = GARBAGE;

    ok(doca_mmap_create(&map));
    ok(doca_mmap_add_dev(map, devs[DEV_MAIN]));
    return map;
}

static void range_is_checked(void **state)
{
    struct doca_mmap *map = empty_map();

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(NULL, memory, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(map, NULL, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(map, memory, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(map, memory, SIZE_MAX));
    ok(doca_mmap_destroy(map));
}

static void range_is_set_once(void **state)
{
    struct doca_mmap *map = empty_map();
    void *addr = NULL;
    size_t len = 0;

    (void)state;
    ok(doca_mmap_set_memrange(map, memory + 3, 1));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(map, memory, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(map, memory, 0));
    expect(DOCA_ERROR_NOT_PERMITTED,
           doca_mmap_set_dpa_memrange(map, (struct doca_dpa *)memory, 64, 64));
    ok(doca_mmap_get_memrange(map, &addr, &len));
    assert_ptr_equal(addr, memory + 3);
    assert_int_equal(len, 1);
    ok(doca_mmap_start(map));
    ok(doca_mmap_stop(map));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(map, memory, 1));
    ok(doca_mmap_destroy(map));
}

static void memory_is_not_touched(void **state)
{
    char *pages = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct doca_mmap *map = started_map(pages + 1, 3 * 4096 - 1, DOCA_ACCESS_FLAG_PCI_READ_WRITE);

    (void)state;
    ok(doca_mmap_stop(map));
    ok(doca_mmap_destroy(map));
    map = started_map(pages, 3 * 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    munmap(pages, 3 * 4096); /* gone before the map */
    ok(doca_mmap_destroy(map));
}

static void dpa_range_is_not_supported(void **state)
{
    struct doca_mmap *map = empty_map();
    struct doca_dpa *dpa = (struct doca_dpa *)memory;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(NULL, dpa, 64, 64));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(map, NULL, 64, 64));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(map, dpa, 64, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(map, dpa, UINT64_MAX, 2));
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_set_dpa_memrange(map, dpa, 64, 64));
    ok(doca_mmap_set_memrange(map, memory, 1)); /* the refusal left nothing behind */
    ok(doca_mmap_destroy(map));
}

/* ------------------------------------------------------------------------------------------------
 * dmabuf
 */

#define FILE_SIZE ((size_t)3 * 4096)

static int new_file(void)
{
    int fd = memfd_create("range", 0);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, FILE_SIZE), 0);
    return fd;
}

/* An address where nothing is mapped. */
static char *free_pages(size_t len)
{
    char *at = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(at != MAP_FAILED);
    munmap(at, len);
    return at;
}

static void file_is_mapped_where_tasks_name_it(void **state)
{
    struct doca_mmap *map = empty_map();
    char *at = free_pages(2 * 4096);
    char byte = 0;
    int fd = new_file();
    void *addr;
    size_t len;

    (void)state;
    ok(doca_mmap_set_dmabuf_memrange(map, fd, at + 5, 4096 + 5, 5000));
    ok(doca_mmap_get_memrange(map, &addr, &len));
    assert_ptr_equal(addr, at + 5);
    assert_int_equal(len, 5000);
    at[5] = 'x';
    assert_int_equal(pread(fd, &byte, 1, 4096 + 5), 1);
    assert_int_equal(byte, 'x');
    close(fd);
    at[6] = 'y'; /* needs no descriptor any more */
    ok(doca_mmap_start(map));
    ok(doca_mmap_destroy(map));
    assert_true(msync(at, 4096, MS_ASYNC) != 0); /* unmapped again */
}

static void mapping_of_the_program_is_used(void **state)
{
    int fd = new_file();
    char *at = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    struct doca_mmap *map = empty_map();

    (void)state;
    mprotect(at + 4096, 4096, PROT_READ); /* several areas */
    ok(doca_mmap_set_dmabuf_memrange(map, fd, at + 4000, 4000, 5000));
    ok(doca_mmap_start(map));
    ok(doca_mmap_destroy(map));
    at[0] = 'x'; /* still there */
    munmap(at, FILE_SIZE);
    close(fd);
}

static void other_memory_at_the_address_is_refused(void **state)
{
    int fd = new_file(), other = new_file();
    char *at = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    struct doca_mmap *map = empty_map();
    size_t len;
    void *addr;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, other, at, 0, 4096));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, fd, at, 4096, 4096));
    munmap(at + 4096, 4096);
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, fd, at, 0, FILE_SIZE));
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_get_memrange(map, &addr, &len));
    ok(doca_mmap_set_dmabuf_memrange(map, fd, at, 0, 4096));
    ok(doca_mmap_destroy(map));
    munmap(at, FILE_SIZE);
    close(fd);
    close(other);
}

static void dmabuf_arguments_are_checked(void **state)
{
    struct doca_mmap *map = empty_map();
    char *at = free_pages(4096);
    int fd = new_file(), pipes[2];

    (void)state;
    assert_int_equal(pipe(pipes), 0);
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(NULL, fd, at, 0, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, fd, NULL, 0, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, fd, at, 0, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, fd, at, 0, SIZE_MAX));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, fd, at, SIZE_MAX, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, -1, at, 0, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, pipes[0], at, 0, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, fd, at, FILE_SIZE, 1));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(map, fd, at + 1, 0, 1));
    ok(doca_mmap_set_dmabuf_memrange(map, fd, at, FILE_SIZE - 4096, 4096));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_dmabuf_memrange(map, fd, at, 0, 1));
    ok(doca_mmap_destroy(map));
    close(fd);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(range_is_checked),
        cmocka_unit_test(range_is_set_once),
        cmocka_unit_test(memory_is_not_touched),
        cmocka_unit_test(dpa_range_is_not_supported),
        cmocka_unit_test(file_is_mapped_where_tasks_name_it),
        cmocka_unit_test(mapping_of_the_program_is_used),
        cmocka_unit_test(other_memory_at_the_address_is_refused),
        cmocka_unit_test(dmabuf_arguments_are_checked),
    };

    use_test_devices();
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
