/* SPDX-License-Identifier: BSD-3-Clause */

/* Copies from, to and between memory of another process, mapped or reached through the kernel. */

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/copy/rig.h"

#define AREA ((size_t)3 << 20)
#define CARD "conformance"

/* A process that exports an area and then waits; this program again, with arguments. */
struct exporter {
    pid_t pid;
    int hold; /* a byte lets the child destroy its export and say so */
    int said;
    unsigned char desc[SOFT_PEER_DESC_MAX];
    size_t desc_len;
    struct soft_peer_map *map;
    uint64_t addr;
    bool mapped;
};

static void *exporter_area(bool shareable)
{
    int fd = shareable ? memfd_create("exported", MFD_ALLOW_SEALING) : -1;
    int flags = shareable ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void *at;

    if (shareable &&
        (fd < 0 || ftruncate(fd, (off_t)AREA) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0))
        return NULL;
    at = mmap(NULL, AREA, PROT_READ | PROT_WRITE, flags, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

static int export_and_wait(bool shareable, unsigned int access)
{
    const int hold = STDIN_FILENO, say = STDOUT_FILENO;
    struct soft_peer_range range = {
        .addr = exporter_area(shareable),
        .len = AREA,
        .kind = SOFT_PEER_KIND_PCI,
        .access = access,
        .card = CARD,
    };
    struct soft_peer_export *exp;
    const void *desc;
    size_t len;
    char byte;

    if (range.addr == NULL || soft_peer_export_create(&range, &exp) != 0)
        return 1;
    rig_fill(range.addr, AREA, 77);
    desc = soft_peer_export_desc(exp, &len);
    if (write(say, desc, len) != (ssize_t)len)
        return 1;
    if (read(hold, &byte, 1) < 0)
        return 1;
    soft_peer_export_destroy(exp);
    if (write(say, "d", 1) != 1)
        return 1;
    return read(hold, &byte, 1) < 0;
}

static void start_exporter(struct exporter *e, bool shareable, unsigned int access)
{
    int hold[2], say[2];
    struct soft_peer_info info;
    ssize_t n;

    assert_int_equal(pipe(hold), 0);
    assert_int_equal(pipe(say), 0);
    e->pid = fork();
    if (e->pid == 0) {
        dup2(hold[0], STDIN_FILENO);
        dup2(say[1], STDOUT_FILENO);
        execl("/proc/self/exe", "exporter", shareable ? "shareable" : "private",
              (access & SOFT_PEER_WRITE) != 0 ? "write" : "read", (char *)NULL);
        _exit(127);
    }
    close(hold[0]);
    close(say[1]);
    e->hold = hold[1];
    e->said = say[0];
    n = read(e->said, e->desc, sizeof(e->desc));
    assert_true(n > 0);
    e->desc_len = (size_t)n;
    if (soft_peer_import(e->desc, e->desc_len, SOFT_PEER_KIND_PCI, CARD, &e->map) != 0)
        fail_msg("import: %s", soft_reason());
    soft_peer_map_info(e->map, &info);
    e->addr = (uintptr_t)info.addr;
    e->mapped = soft_peer_local(e->map, e->addr) != NULL;
    assert_int_equal(e->mapped, shareable);
}

static void stop_exporter(struct exporter *e)
{
    soft_peer_map_close(e->map);
    kill(e->pid, SIGKILL);
    assert_int_equal(waitpid(e->pid, NULL, 0), e->pid);
    close(e->hold);
    close(e->said);
}

static struct soft_seg there(const struct exporter *e, size_t off, size_t len)
{
    return (struct soft_seg){.addr = e->addr + off, .len = len, .peer = e->map};
}

static struct soft_seg here(const void *at, size_t len)
{
    return (struct soft_seg){.addr = (uintptr_t)at, .len = len};
}

static int copy_segs(struct rig *rig, const struct soft_seg *dst, uint32_t ndst,
                     const struct soft_seg *src, uint32_t nsrc, size_t len)
{
    struct soft_copy_job job = {.src = src, .dst = dst, .nsrc = nsrc, .ndst = ndst, .len = len};

    rig_submit(rig, &job);
    assert_ptr_equal(rig_next(rig), &job);
    return job.status;
}

static int read_area(struct rig *rig, const struct exporter *e, void *dst, size_t off, size_t len)
{
    struct soft_seg from = there(e, off, len), to = here(dst, len);

    return copy_segs(rig, &to, 1, &from, 1, len);
}

static int write_area(struct rig *rig, const struct exporter *e, size_t off, const void *src,
                      size_t len)
{
    struct soft_seg from = here(src, len), to = there(e, off, len);

    return copy_segs(rig, &to, 1, &from, 1, len);
}

static const size_t sizes[] = {1, 64, 4095, 4096, 40000, 300001, 2500000};

static void check_both_directions(struct rig *rig, bool shareable)
{
    struct exporter e;
    char *expected = rig_map(AREA), *dst = rig_map(AREA);

    start_exporter(&e, shareable, SOFT_PEER_READ | SOFT_PEER_WRITE);
    rig_fill(expected, AREA, 77);
    for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++) {
        memset(dst, 0xee, AREA);
        assert_int_equal(read_area(rig, &e, dst, 33, sizes[i]), 0);
        assert_memory_equal(dst, expected + 33, sizes[i]);
        assert_true(rig_is_untouched(dst + sizes[i], AREA - sizes[i]));
    }
    for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++) {
        rig_fill(dst, sizes[i], (uint32_t)i);
        memcpy(expected + 777, dst, sizes[i]);
        assert_int_equal(write_area(rig, &e, 777, dst, sizes[i]), 0);
        memset(dst, 0, AREA);
        assert_int_equal(read_area(rig, &e, dst, 0, AREA), 0);
        assert_memory_equal(dst, expected, AREA);
    }
    stop_exporter(&e);
    munmap(expected, AREA);
    munmap(dst, AREA);
}

static void private_memory_is_read_and_written(void **state)
{
    check_both_directions(*state, false);
}

static void shareable_memory_is_read_and_written(void **state)
{
    check_both_directions(*state, true);
}

/* Neither side can be dereferenced: wherever both begin in their pages. */
static void private_memory_is_copied_to_private_memory(void **state)
{
    static const size_t offsets[] = {0, 1, 16, 4095};
    struct rig *rig = *state;
    struct exporter from, to;
    char *expected = rig_map(AREA), *got = rig_map(AREA);

    start_exporter(&from, false, SOFT_PEER_READ);
    start_exporter(&to, false, SOFT_PEER_READ | SOFT_PEER_WRITE);
    rig_fill(expected, AREA, 77);
    for (size_t i = 0; i < OD_ARRAY_SIZE(offsets) * OD_ARRAY_SIZE(sizes); i++) {
        const size_t len = sizes[i / OD_ARRAY_SIZE(offsets)];
        const size_t at = offsets[i % OD_ARRAY_SIZE(offsets)];
        const struct soft_seg src = there(&from, at, len), dst = there(&to, 5000 - at, len);

        assert_int_equal(copy_segs(rig, &dst, 1, &src, 1, len), 0);
        assert_int_equal(read_area(rig, &to, got, 5000 - at, len), 0);
        assert_memory_equal(got, expected + at, len);
    }
    stop_exporter(&from);
    stop_exporter(&to);
    munmap(expected, AREA);
    munmap(got, AREA);
}

/* Segments here, there and elsewhere in one list. */
static void mixed_lists_arrive(void **state)
{
    struct rig *rig = *state;
    struct exporter far, near;
    char *local = rig_map(AREA), *expected = rig_map(AREA), *dst = rig_map(AREA);

    start_exporter(&far, false, SOFT_PEER_READ | SOFT_PEER_WRITE);
    start_exporter(&near, true, SOFT_PEER_READ | SOFT_PEER_WRITE);
    rig_fill(expected, AREA, 77);
    rig_fill(local, AREA, 5);
    for (size_t part = 5; part < AREA / 4; part = part * 9 + 1) {
        struct soft_seg from[4] = {there(&far, 100, part), here(local, part + 1),
                                   there(&near, 200, part + 2), there(&far, AREA / 2, part)};
        struct soft_seg to[3] = {there(&far, AREA / 4, part * 2), here(dst, part - 2),
                                 there(&near, AREA / 2, part + 5)};
        size_t len = 4 * part + 3;
        char *want = malloc(len), *got = malloc(len);

        memcpy(want, expected + 100, part);
        memcpy(want + part, local, part + 1);
        memcpy(want + 2 * part + 1, expected + 200, part + 2);
        memcpy(want + 3 * part + 3, expected + AREA / 2, part);
        assert_int_equal(copy_segs(rig, to, 3, from, 4, len), 0);
        assert_int_equal(read_area(rig, &far, got, AREA / 4, part * 2), 0);
        memcpy(got + 2 * part, dst, part - 2);
        assert_int_equal(read_area(rig, &near, got + 3 * part - 2, AREA / 2, part + 5), 0);
        assert_memory_equal(got, want, len);
        free(want);
        free(got);
    }
    stop_exporter(&far);
    stop_exporter(&near);
    munmap(local, AREA);
    munmap(expected, AREA);
    munmap(dst, AREA);
}

/* Waiting small jobs go together; a bad one among them fails alone. */
static void small_jobs_that_go_together_fail_alone(void **state)
{
    struct rig *rig = *state;
    struct soft_copy_job job[RIG_DEPTH];
    struct soft_seg from[RIG_DEPTH], to[RIG_DEPTH];
    struct exporter e;
    char *expected = rig_map(AREA), *dst = rig_map(RIG_DEPTH * 64);
    char *bad = mmap(NULL, RIG_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    start_exporter(&e, false, SOFT_PEER_READ);
    rig_fill(expected, AREA, 77);
    for (uint32_t i = 0; i < RIG_DEPTH; i++) {
        from[i] = there(&e, i * 100, 64);
        to[i] = here(i % 10 == 3 ? bad : dst + i * 64, 64);
        job[i] =
            (struct soft_copy_job){.src = &from[i], .dst = &to[i], .nsrc = 1, .ndst = 1, .len = 64};
        rig_submit(rig, &job[i]);
    }
    for (uint32_t i = 0; i < RIG_DEPTH; i++) {
        assert_ptr_equal(rig_next(rig), &job[i]);
        assert_int_equal(job[i].status, i % 10 == 3 ? -EFAULT : 0);
        if (i % 10 != 3)
            assert_memory_equal(dst + i * 64, expected + i * 100, 64);
    }
    stop_exporter(&e);
    munmap(expected, AREA);
    munmap(dst, RIG_DEPTH * 64);
    munmap(bad, RIG_PAGE);
}

static void check_read_only(struct rig *rig, bool shareable)
{
    struct exporter e;
    char *dst = rig_map(AREA), *expected = rig_map(AREA);

    start_exporter(&e, shareable, SOFT_PEER_READ);
    rig_fill(expected, AREA, 77);
    for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++)
        assert_int_equal(write_area(rig, &e, 0, dst, sizes[i]), -EACCES);
    assert_int_equal(read_area(rig, &e, dst, 0, AREA), 0);
    assert_memory_equal(dst, expected, AREA);
    stop_exporter(&e);
    munmap(expected, AREA);
    munmap(dst, AREA);
}

static void what_is_not_granted_is_not_written(void **state)
{
    check_read_only(*state, false);
    check_read_only(*state, true);
}

static void check_outside(struct rig *rig, bool shareable)
{
    struct exporter e;
    char *dst = rig_map(AREA);

    start_exporter(&e, shareable, SOFT_PEER_READ | SOFT_PEER_WRITE);
    for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++) {
        assert_int_equal(read_area(rig, &e, dst, AREA - sizes[i] + 1, sizes[i]), -EFAULT);
        assert_int_equal(write_area(rig, &e, AREA - sizes[i] + 1, dst, sizes[i]), -EFAULT);
        assert_int_equal(read_area(rig, &e, dst, (size_t)-1, sizes[i]), -EFAULT);
    }
    stop_exporter(&e);
    munmap(dst, AREA);
}

static void outside_of_the_exported_range_is_an_error(void **state)
{
    check_outside(*state, false);
    check_outside(*state, true);
}

static void check_end_of_exporter(struct rig *rig, bool shareable)
{
    struct exporter revoked, dead;
    char *dst = rig_map(AREA);
    time_t deadline = rig_deadline();
    char byte;
    int status;

    start_exporter(&revoked, shareable, SOFT_PEER_READ);
    assert_int_equal(write(revoked.hold, "x", 1), 1);
    assert_int_equal(read(revoked.said, &byte, 1), 1);
    for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++)
        assert_int_equal(read_area(rig, &revoked, dst, 0, sizes[i]), -EPERM);
    stop_exporter(&revoked);

    start_exporter(&dead, shareable, SOFT_PEER_READ);
    assert_int_equal(kill(dead.pid, SIGKILL), 0);
    while ((status = read_area(rig, &dead, dst, 0, 64)) == 0)
        assert_true(whole_seconds_now() < deadline);
    assert_int_equal(status, -ENOTCONN);
    for (size_t i = 0; i < OD_ARRAY_SIZE(sizes); i++)
        assert_int_equal(read_area(rig, &dead, dst, 0, sizes[i]), -ENOTCONN);
    stop_exporter(&dead);
    munmap(dst, AREA);
}

static void revocation_and_death_are_errors(void **state)
{
    check_end_of_exporter(*state, false);
    check_end_of_exporter(*state, true);
}

int main(int argc, char **argv)
{
    static const struct rig_case cases[] = {
        RIG_CASE(private_memory_is_read_and_written),
        RIG_CASE(shareable_memory_is_read_and_written),
        RIG_CASE(private_memory_is_copied_to_private_memory),
        RIG_CASE(mixed_lists_arrive),
        RIG_CASE(small_jobs_that_go_together_fail_alone),
        RIG_CASE(what_is_not_granted_is_not_written),
        RIG_CASE(outside_of_the_exported_range_is_an_error),
        RIG_CASE(revocation_and_death_are_errors),
    };

    if (argc == 3)
        return export_and_wait(strcmp(argv[1], "shareable") == 0,
                               strcmp(argv[2], "write") == 0 ? SOFT_PEER_READ | SOFT_PEER_WRITE
                                                             : SOFT_PEER_READ);
    return rig_main(cases, OD_ARRAY_SIZE(cases));
}
