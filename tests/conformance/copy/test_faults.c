/* SPDX-License-Identifier: BSD-3-Clause */

/* Bad pages end the job that meets them, and nothing else. */

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "conformance/copy/rig.h"

static const size_t sizes[] = {1, 8, 64, 500, 4096, 9000, 40000, 200000, 1500000};

/* `pages` pages of 0xee; page `bad` gets the protection. */
static char *map_with_bad_page(size_t pages, size_t bad, int protection)
{
    char *at = rig_map(pages * RIG_PAGE);

    memset(at, 0xee, pages * RIG_PAGE);
    assert_int_equal(mprotect(at + bad * RIG_PAGE, RIG_PAGE, protection), 0);
    return at;
}

/* The range ends in the bad page, from the beginning, the middle and the end of it. */
static void check_bad_source(struct rig *rig, int protection)
{
    size_t pages = 500;
    char *bad = map_with_bad_page(pages, pages - 1, protection);
    char *good = rig_map(pages * RIG_PAGE);

    for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++) {
        char *end = bad + (pages - 1) * RIG_PAGE;

        memset(good, 0xee, pages * RIG_PAGE);
        assert_int_equal(rig_copy(rig, good, end + 1 - sizes[i], sizes[i]), -EFAULT);
        assert_true(rig_is_untouched(good + sizes[i], pages * RIG_PAGE - sizes[i]));
        assert_int_equal(rig_copy(rig, good, end, OD_MIN(sizes[i], RIG_PAGE)), -EFAULT);
        assert_int_equal(rig_copy(rig, good, end - sizes[i], sizes[i]), 0);
    }
    munmap(bad, pages * RIG_PAGE);
    munmap(good, pages * RIG_PAGE);
}

static void an_unreadable_source_is_an_error(void **state)
{
    check_bad_source(*state, PROT_NONE);
}

static void check_bad_destination(struct rig *rig, int protection)
{
    size_t pages = 500;
    char *bad = map_with_bad_page(pages, pages - 1, protection);
    char *good = rig_map(pages * RIG_PAGE);

    for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++) {
        char *end = bad + (pages - 1) * RIG_PAGE;

        assert_int_equal(rig_copy(rig, end + 1 - sizes[i], good, sizes[i]), -EFAULT);
        assert_int_equal(rig_copy(rig, end, good, OD_MIN(sizes[i], RIG_PAGE)), -EFAULT);
        assert_int_equal(rig_copy(rig, end - sizes[i], good, sizes[i]), 0);
    }
    assert_int_equal(mprotect(bad, pages * RIG_PAGE, PROT_READ), 0);
    if (protection == PROT_READ)
        assert_true(rig_is_untouched(bad + (pages - 1) * RIG_PAGE, RIG_PAGE));
    munmap(bad, pages * RIG_PAGE);
    munmap(good, pages * RIG_PAGE);
}

static void an_inaccessible_destination_is_an_error(void **state)
{
    check_bad_destination(*state, PROT_NONE);
}

static void a_read_only_destination_is_an_error(void **state)
{
    check_bad_destination(*state, PROT_READ);
}

static void an_address_that_nothing_can_have_is_an_error(void **state)
{
    static const uint64_t wild[] = {0, 4096, 0x8123456789abcdef, UINT64_MAX - 1500000};
    char *good = rig_map(1500000);

    for (size_t w = 0; w < OD_ARRAY_SIZE(wild); w++) {
        void *bad = (void *)(uintptr_t)wild[w];

        for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++) {
            assert_int_equal(rig_copy(*state, good, bad, sizes[i]), -EFAULT);
            assert_int_equal(rig_copy(*state, bad, good, sizes[i]), -EFAULT);
        }
    }
    munmap(good, 1500000);
}

static void a_truncated_file_is_an_error(void **state)
{
    size_t len = 400 * RIG_PAGE;
    char *good = rig_map(len);
    int fd = memfd_create("truncated", 0);
    char *at;

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)len), 0);
    at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(at != MAP_FAILED);
    assert_int_equal(rig_copy(*state, at, good, len), 0);
    assert_int_equal(ftruncate(fd, (off_t)(len / 2)), 0);
    assert_int_equal(rig_copy(*state, good, at, len), -EFAULT);
    assert_int_equal(rig_copy(*state, at, good, len), -EFAULT);
    assert_int_equal(rig_copy(*state, good, at + len - 64, 64), -EFAULT);
    assert_int_equal(rig_copy(*state, at + len - 64, good, 64), -EFAULT);
    assert_int_equal(rig_copy(*state, good, at, len / 2), 0);
    munmap(at, len);
    munmap(good, len);
    close(fd);
}

static void the_ninth_of_sixteen_pages_fails_the_copy(void **state)
{
    char *bad = map_with_bad_page(16, 8, PROT_NONE);
    char *good = rig_map(18 * RIG_PAGE);

    memset(good, 0xee, 18 * RIG_PAGE);
    assert_int_equal(rig_copy(*state, good, bad, 16 * RIG_PAGE), -EFAULT);
    assert_true(rig_is_untouched(good + 16 * RIG_PAGE, 2 * RIG_PAGE));
    assert_int_equal(rig_copy(*state, bad, good, 16 * RIG_PAGE), -EFAULT);
    munmap(bad, 16 * RIG_PAGE);
    munmap(good, 18 * RIG_PAGE);
}

/* Small and large jobs, every third one bad: exactly those fail. */
static void only_the_jobs_that_meet_a_bad_page_fail(void **state)
{
    static const size_t lens[] = {64, 4096, 64, 300000, 16, 70000, 8};
    struct rig *rig = *state;
    struct soft_copy_job job[RIG_DEPTH];
    struct soft_seg seg[RIG_DEPTH][2];
    size_t room = 300000;
    char *src = rig_map(room), *dst = rig_map(room * RIG_DEPTH);
    /* Only its first page is bad: several lanes begin a job in several places. */
    size_t bad_pages = room / RIG_PAGE + 1;
    char *bad = map_with_bad_page(bad_pages, 0, PROT_NONE);

    rig_fill(src, room, 23);
    for (uint32_t i = 0; i < RIG_DEPTH; i++) {
        char *to = dst + i * room;

        job[i] = rig_job(seg[i], i % 6 == 3 ? bad : to, i % 6 == 0 ? bad : src, lens[i % 7]);
        rig_submit(rig, &job[i]);
    }
    for (uint32_t i = 0; i < RIG_DEPTH; i++) {
        assert_ptr_equal(rig_next(rig), &job[i]);
        assert_int_equal(job[i].status, i % 3 == 0 ? -EFAULT : 0);
        if (i % 3 != 0)
            assert_memory_equal(dst + i * room, src, job[i].len);
    }
    munmap(src, room);
    munmap(dst, room * RIG_DEPTH);
    munmap(bad, bad_pages * RIG_PAGE);
}

static void a_bad_page_in_a_list_is_an_error(void **state)
{
    struct rig *rig = *state;
    char *bad = map_with_bad_page(3, 1, PROT_NONE);
    char *good = rig_map(3 * RIG_PAGE);
    struct soft_seg from[3], to[1] = {{(uintptr_t)good, 3 * RIG_PAGE, NULL}};
    struct soft_copy_job job = {.src = from, .dst = to, .nsrc = 3, .ndst = 1, .len = 300};

    for (uint32_t i = 0; i < 3; i++)
        from[i] = (struct soft_seg){(uintptr_t)bad + i * RIG_PAGE, 100, NULL};
    memset(good, 0xee, 3 * RIG_PAGE);
    rig_submit(rig, &job);
    assert_ptr_equal(rig_next(rig), &job);
    assert_int_equal(job.status, -EFAULT);
    assert_true(rig_is_untouched(good + 300, 3 * RIG_PAGE - 300));
    munmap(bad, 3 * RIG_PAGE);
    munmap(good, 3 * RIG_PAGE);
}

/* The handler runs on the stack that the thread has set aside for it. */
static void an_alternate_signal_stack_is_used(void **state)
{
    stack_t stack = {.ss_size = 1u << 16}, before;

    stack.ss_sp = rig_map(stack.ss_size);
    assert_int_equal(sigaltstack(&stack, &before), 0);
    check_bad_source(*state, PROT_NONE);
    assert_int_equal(sigaltstack(&before, NULL), 0);
    munmap(stack.ss_sp, stack.ss_size);
}

int main(void)
{
    static const struct rig_case cases[] = {
        RIG_CASE(an_unreadable_source_is_an_error),
        RIG_CASE(an_inaccessible_destination_is_an_error),
        RIG_CASE(a_read_only_destination_is_an_error),
        RIG_CASE(an_address_that_nothing_can_have_is_an_error),
        RIG_CASE(a_truncated_file_is_an_error),
        RIG_CASE(the_ninth_of_sixteen_pages_fails_the_copy),
        RIG_CASE(only_the_jobs_that_meet_a_bad_page_fail),
        RIG_CASE(a_bad_page_in_a_list_is_an_error),
        RIG_CASE(an_alternate_signal_stack_is_used),
    };

    return rig_main(cases, OD_ARRAY_SIZE(cases));
}
