/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "lib/seconds.h"

#define PAGE 4096u

static bool can_open_memory_without_name(void)
{
    void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char path[80];
    int fd;

    assert_true(page != MAP_FAILED);
    snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (unsigned long)(uintptr_t)page,
             (unsigned long)(uintptr_t)page + PAGE);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    munmap(page, PAGE);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void memory_is_read_and_written(void **state)
{
    const struct setting *setting = *state;
    size_t len = setting->memory == MEMORY_HUGE ? 2u << 20 : 64 * PAGE;
    struct answer exported;
    struct soft_peer_map *map;
    struct soft_peer_info info;
    uint8_t bytes[100];
    struct actor actor;

    if (setting->memory == MEMORY_SHARED && strcmp(setting->engine, "mapped") == 0 &&
        !can_open_memory_without_name()) {
        print_message("only a privileged process can open memory without a name\n");
        skip();
    }
    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, len, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    soft_peer_map_info(map, &info);
    assert_int_equal((uintptr_t)info.addr, exported.value);
    assert_int_equal(info.len, len);
    assert_int_equal(info.access, ALL_ACCESS);
    assert_int_equal(info.mask, 0x1234);
    assert_int_equal(read_bytes(map, exported.value + PAGE - 50, bytes, 100), 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(bytes[i], 0x11);
    memset(bytes, 0x22, sizeof(bytes));
    assert_int_equal(write_bytes(map, exported.value + PAGE - 50, bytes, 100), 0);
    assert_int_equal(actor_count_others(&actor, PAGE - 50, 100, 0x22), 0);
    assert_int_equal(actor_count_others(&actor, 0, len, 0x11), 100);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

static void mapped_memory_has_a_local_address(void **state)
{
    const struct setting *setting = *state;
    struct soft_peer_map *map;
    struct answer exported;
    struct actor actor;
    char *p;

    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, 2 * PAGE, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    p = soft_peer_local(map, exported.value + 5);
    assert_int_equal(p != NULL, strcmp(setting->engine, "mapped") == 0);
    if (p != NULL) {
        assert_int_equal(soft_peer_begin(map), 0);
        assert_int_equal(*p, 0x11);
        *p = 0x33;
        soft_peer_end(map);
        assert_int_equal(actor_count_others(&actor, 5, 1, 0x33), 0);
    }
    soft_peer_map_close(map);
    actor_finish(&actor);
}

static void ranges_of_any_place_and_size(void **state)
{
    static const struct {
        uint64_t offset, len;
    } ranges[] = {{0, 1}, {1, 1}, {4095, 2}, {4097, 7}, {123, 4095}, {5000, 4096}, {1, 20000}};
    const struct setting *setting = *state;
    struct answer exported[OD_ARRAY_SIZE(ranges)];
    uint8_t *bytes = malloc(20000);
    struct actor actor;

    actor_start(&actor, 0);
    actor_export(&actor, setting->memory, 8 * PAGE, 0x11, ALL_ACCESS);
    for (size_t i = 0; i < OD_ARRAY_SIZE(ranges); i++) {
        struct order order = {.what = ORDER_EXPORT,
                              .kind = ALL_ACCESS,
                              .slot = 1 + (uint32_t)i,
                              .a = ranges[i].offset,
                              .b = ranges[i].len};
        uint8_t value = (uint8_t)(0x40 + i);
        struct soft_peer_map *map;

        exported[i] = actor_ask(&actor, order);
        assert_int_equal(exported[i].rc, 0);
        map = import(setting, &exported[i]);
        memset(bytes, value, ranges[i].len);
        assert_int_equal(write_bytes(map, exported[i].value, bytes, ranges[i].len), 0);
        assert_int_equal(actor_count_others(&actor, ranges[i].offset, ranges[i].len, value), 0);
        memset(bytes, 0, ranges[i].len);
        assert_int_equal(read_bytes(map, exported[i].value, bytes, ranges[i].len), 0);
        for (size_t k = 0; k < ranges[i].len; k++)
            assert_int_equal(bytes[k], value);
        soft_peer_map_close(map);
    }
    assert_int_equal(actor_count_others(&actor, 20001, 8 * PAGE - 20001, 0x11), 0);
    free(bytes);
    actor_finish(&actor);
}

#define PIECES 200

/* Pieces of unequal sizes on both sides, more of them than one system call or message takes. */
static void vectors_keep_the_order_of_bytes(void **state)
{
    const struct setting *setting = *state;
    const size_t len = PIECES * (PIECES + 1) / 2;
    struct iovec local[PIECES + 1], remote[PIECES];
    uint8_t *out = malloc(len), *in = calloc(1, len);
    struct answer exported;
    struct soft_peer_map *map;
    struct actor actor;
    size_t at = 0;

    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, 2 * len, 0, ALL_ACCESS);
    map = import(setting, &exported);
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(i * 7 + i / 251);
    /* Local: growing pieces and an empty one; remote: shrinking ones, each followed by a gap. */
    for (size_t i = 0; i < PIECES; i++) {
        local[i] = (struct iovec){out + i * (i + 1) / 2, i + 1};
        remote[i] = (struct iovec){(void *)(exported.value + 2 * at), PIECES - i};
        at += PIECES - i;
    }
    local[PIECES] = (struct iovec){NULL, 0};
    assert_int_equal(soft_peer_writev(map, local, PIECES + 1, remote, PIECES), 0);
    for (size_t i = 0; i < PIECES; i++)
        local[i].iov_base = in + i * (i + 1) / 2;
    assert_int_equal(soft_peer_readv(map, local, PIECES + 1, remote, PIECES), 0);
    assert_memory_equal(in, out, len);
    assert_int_equal(actor_count_others(&actor, PIECES, PIECES, 0), 0);
    free(in);
    free(out);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

static void large_copies(void **state)
{
    const struct setting *setting = *state;
    const size_t len = (40u << 20) + 123;
    uint8_t *bytes = malloc(len);
    struct answer exported;
    struct soft_peer_map *map;
    struct actor actor;

    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, len + PAGE, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    memset(bytes, 0x22, len);
    assert_int_equal(write_bytes(map, exported.value + 1, bytes, len), 0);
    assert_int_equal(actor_count_others(&actor, 1, len, 0x22), 0);
    assert_int_equal(actor_count_others(&actor, 0, len + PAGE, 0x22), PAGE);
    memset(bytes, 0, len);
    assert_int_equal(read_bytes(map, exported.value + 1, bytes, len), 0);
    for (size_t i = 0; i < len; i += 4093)
        assert_int_equal(bytes[i], 0x22);
    free(bytes);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

static void nothing_outside_of_the_range(void **state)
{
    const struct setting *setting = *state;
    struct answer exported;
    struct soft_peer_map *map;
    struct actor actor;
    uint8_t bytes[64] = {0};
    uint64_t value;

    actor_start(&actor, 0);
    actor_export(&actor, setting->memory, 4 * PAGE, 0x11, ALL_ACCESS);
    exported = actor_ask(
        &actor,
        (struct order){.what = ORDER_EXPORT, .kind = ALL_ACCESS, .slot = 1, .a = PAGE, .b = PAGE});
    map = import(setting, &exported);
    assert_int_equal(read_bytes(map, exported.value - 1, bytes, 1), -ERANGE);
    assert_int_equal(write_bytes(map, exported.value + PAGE - 1, bytes, 2), -ERANGE);
    assert_int_equal(write_bytes(map, exported.value + PAGE, bytes, 1), -ERANGE);
    assert_int_equal(write_bytes(map, UINT64_MAX, bytes, 64), -ERANGE);
    assert_int_equal(soft_peer_load(map, exported.value + PAGE, &value), -ERANGE);
    assert_int_equal(soft_peer_store(map, exported.value + 4, 1), -ERANGE);
    assert_int_equal(actor_count_others(&actor, 0, 4 * PAGE, 0x11), 0);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

static void only_what_was_granted(void **state)
{
    const struct setting *setting = *state;
    struct answer exported;
    struct soft_peer_map *map;
    struct actor actor;
    uint8_t bytes[64] = {0};
    uint64_t value;

    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, PAGE, 0x11, SOFT_PEER_READ);
    map = import(setting, &exported);
    assert_int_equal(read_bytes(map, exported.value, bytes, 64), 0);
    assert_int_equal(soft_peer_load(map, exported.value, &value), 0);
    assert_true(value == 0x1111111111111111u);
    memset(bytes, 0, sizeof(bytes));
    assert_int_equal(write_bytes(map, exported.value, bytes, 64), -EACCES);
    assert_non_null(strstr(soft_reason(), "write"));
    assert_int_equal(soft_peer_store(map, exported.value, 1), -EACCES);
    assert_int_equal(soft_peer_fetch_add(map, exported.value, 1, &value), -EACCES);
    assert_int_equal(actor_count_others(&actor, 0, PAGE, 0x11), 0);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

static void lengths_must_agree(void **state)
{
    const struct setting *setting = *state;
    uint8_t bytes[64] = {0};
    struct answer exported;
    struct iovec local = {bytes, 63}, remote;
    struct soft_peer_map *map;
    struct actor actor;

    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, PAGE, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    remote = (struct iovec){(void *)exported.value, 64};
    assert_int_equal(soft_peer_writev(map, &local, 1, &remote, 1), -EINVAL);
    local.iov_len = remote.iov_len = 0;
    assert_int_equal(soft_peer_writev(map, &local, 1, &remote, 1), 0);
    assert_int_equal(soft_peer_readv(map, NULL, 0, NULL, 0), 0);
    assert_int_equal(actor_count_others(&actor, 0, PAGE, 0x11), 0);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

static void a_protected_page_is_an_error(void **state)
{
    const struct setting *setting = *state;
    uint8_t *bytes = calloc(16, PAGE);
    struct answer exported;
    struct soft_peer_map *map;
    struct actor actor;
    uint64_t value;

    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, 16 * PAGE, 0x11, ALL_ACCESS);
    actor_ask(&actor, (struct order){.what = ORDER_PROTECT, .a = 8 * PAGE, .b = PAGE});
    if (strcmp(setting->engine, "mapped") == 0) {
        /* What the exporter itself cannot touch is not handed over; another engine says -EFAULT. */
        setenv("OPENDOCA_PEER_ENGINE", "mapped", 1);
        assert_int_equal(try_import(exported.desc, exported.desc_len), -ENOTSUP);
        map = import(&(struct setting){0}, &exported);
    } else {
        map = import(setting, &exported);
    }
    assert_int_equal(read_bytes(map, exported.value, bytes, 16 * PAGE), -EFAULT);
    assert_int_equal(write_bytes(map, exported.value, bytes, 16 * PAGE), -EFAULT);
    assert_int_equal(soft_peer_load(map, exported.value + 8 * PAGE, &value), -EFAULT);
    assert_int_equal(soft_peer_store(map, exported.value + 8 * PAGE, 1), -EFAULT);
    assert_int_equal(soft_peer_fetch_add(map, exported.value + 8 * PAGE, 1, &value), -EFAULT);
    assert_int_equal(read_bytes(map, exported.value + 9 * PAGE, bytes, 7 * PAGE), 0);
    assert_int_equal(actor_count_others(&actor, 9 * PAGE, 7 * PAGE, 0x11), 0);
    free(bytes);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

static void a_bad_local_page_is_an_error(void **state)
{
    const struct setting *setting = *state;
    char *bytes = mmap(NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct answer exported;
    struct soft_peer_map *map;
    struct actor actor;

    assert_ptr_not_equal(bytes, MAP_FAILED);
    assert_int_equal(mprotect(bytes + PAGE, PAGE, PROT_NONE), 0);
    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, 4 * PAGE, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    assert_int_equal(read_bytes(map, exported.value, bytes, 4 * PAGE), -EFAULT);
    assert_int_equal(write_bytes(map, exported.value, bytes, 4 * PAGE), -EFAULT);
    assert_int_equal(write_bytes(map, exported.value, bytes, PAGE), 0);
    assert_int_equal(actor_count_others(&actor, 0, PAGE, 0), 0);
    assert_int_equal(actor_count_others(&actor, 2 * PAGE, 2 * PAGE, 0x11), 0);
    munmap(bytes, 4 * PAGE);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

/* A shared mapping stays: what an importer holds outlives the exporter's munmap, as pinned memory
 * does. Otherwise the access fails. The exporter is fine in both cases. */
static void the_exporter_unmaps(void **state)
{
    const struct setting *setting = *state;
    uint8_t bytes[64] = {0};
    struct answer exported;
    struct soft_peer_map *map;
    struct actor actor;
    uint64_t value = 0;
    time_t deadline = whole_seconds_now() + 20;

    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, 4 * PAGE, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    assert_int_equal(soft_peer_fetch_add(map, exported.value, 0, &value), 0);
    actor_ask(&actor, (struct order){.what = ORDER_UNMAP, .a = 0, .b = 4 * PAGE});
    /* An importer that maps the file sees the old memory until the exporter has looked. */
    while (strcmp(setting->engine, "mapped") == 0 && whole_seconds_now() < deadline &&
           read_bytes(map, exported.value, bytes, 64) == 0)
        sched_yield();
    assert_int_equal(read_bytes(map, exported.value, bytes, 64), -EFAULT);
    assert_int_equal(write_bytes(map, exported.value, bytes, 64), -EFAULT);
    assert_int_equal(soft_peer_load(map, exported.value, &value), -EFAULT);
    assert_int_equal(soft_peer_fetch_add(map, exported.value, 1, &value), -EFAULT);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

static void a_truncated_file_is_an_error(void **state)
{
    const struct setting *setting = *state;
    uint8_t bytes[64] = {0};
    struct answer exported;
    struct soft_peer_map *map;
    struct actor actor;

    if (setting->memory == MEMORY_HEAP)
        skip();
    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, 4 * PAGE, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    actor_ask(&actor, (struct order){.what = ORDER_TRUNCATE, .a = PAGE});
    assert_int_equal(read_bytes(map, exported.value, bytes, 64), 0);
    assert_int_equal(read_bytes(map, exported.value + 2 * PAGE, bytes, 64), -EFAULT);
    assert_int_equal(write_bytes(map, exported.value + 2 * PAGE, bytes, 64), -EFAULT);
    soft_peer_map_close(map);
    actor_finish(&actor);
}

#define ADDS 2000

/* A network is slower. */
static int adds_of(const struct setting *setting)
{
    return strcmp(setting->engine, "remote") == 0 ? ADDS / 10 : ADDS;
}

/* The exporter's CPU, this process and another importer add to one cell at the same time. */
static void additions_from_all_sides_add_up(void **state)
{
    const struct setting *setting = *state;
    const int adds = adds_of(setting);
    struct order order = {.what = ORDER_IMPORT};
    struct answer exported;
    struct soft_peer_map *map;
    struct actor exporter, importer;
    uint64_t before, value;

    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, PAGE, 0, ALL_ACCESS);
    map = import(setting, &exported); /* sets the engine that the actor inherits */
    actor_start(&importer, 0);
    order.desc_len = exported.desc_len;
    memcpy(order.desc, exported.desc, sizeof(order.desc));
    assert_int_equal(actor_ask(&importer, order).rc, 0);
    actor_tell(&exporter,
               (struct order){.what = ORDER_CPU_ADD, .a = 8, .b = 1000 * (uint64_t)adds});
    actor_tell(
        &importer,
        (struct order){.what = ORDER_PEER_ADD, .a = exported.value + 8, .b = (uint64_t)adds});
    for (int i = 0; i < adds; i++)
        assert_int_equal(soft_peer_fetch_add(map, exported.value + 8, 1, &before), 0);
    assert_int_equal(actor_answer(&importer).rc, 0);
    assert_int_equal(actor_answer(&exporter).rc, 0);
    assert_int_equal(soft_peer_load(map, exported.value + 8, &value), 0);
    assert_int_equal(value, 1002 * adds);
    assert_int_equal(soft_peer_store(map, exported.value + 8, 0x5a5a5a5a5a5a5a5au), 0);
    assert_int_equal(actor_count_others(&exporter, 8, 8, 0x5a), 0);
    assert_int_equal(soft_peer_fetch_add(map, exported.value + 8, 1, &before), 0);
    assert_true(before == 0x5a5a5a5a5a5a5a5au);
    soft_peer_map_close(map);
    actor_finish(&importer);
    actor_finish(&exporter);
}

static void each_operation_of_each_width(void **state)
{
    static const struct {
        enum soft_peer_atomic_op op;
        uint64_t value, compare, after; /* the cell holds 0xf0f0f0f0 in each half before */
    } rows[] = {
        {SOFT_PEER_OP_LOAD, 0, 0, 0xf0f0f0f0},   {SOFT_PEER_OP_STORE, 7, 0, 7},
        {SOFT_PEER_OP_ADD, 0x0f0f0f10, 0, 0},    {SOFT_PEER_OP_SWAP, 9, 0, 9},
        {SOFT_PEER_OP_CSWAP, 5, 0xf0f0f0f0, 5},  {SOFT_PEER_OP_CSWAP, 5, 0xf0f0f0f1, 0xf0f0f0f0},
        {SOFT_PEER_OP_AND, 0xff, 0, 0xf0},       {SOFT_PEER_OP_OR, 1, 0, 0xf0f0f0f1},
        {SOFT_PEER_OP_XOR, 0xff, 0, 0xf0f0f00f},
    };
    const struct setting *setting = *state;
    struct answer exported;
    struct soft_peer_map *map;
    struct actor actor;
    uint64_t found;

    actor_start(&actor, 0);
    exported = actor_export(&actor, setting->memory, PAGE, 0, ALL_ACCESS);
    map = import(setting, &exported);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct soft_peer_atomic atomic = {.op = rows[i].op,
                                          .width = 4,
                                          .addr = exported.value + 12,
                                          .value = rows[i].value,
                                          .compare = rows[i].compare};

        assert_int_equal(soft_peer_store(map, exported.value + 8, 0xf0f0f0f0f0f0f0f0u), 0);
        assert_int_equal(soft_peer_atomic(map, &atomic, &found), 0);
        assert_int_equal(found, 0xf0f0f0f0u);
        assert_int_equal(soft_peer_load(map, exported.value + 8, &found), 0);
        assert_true(found == (rows[i].after << 32 | 0xf0f0f0f0u)); /* and not its neighbour */
        atomic.width = 8;
        atomic.addr = exported.value + 8;
        atomic.compare = (rows[i].compare & 1) != 0 ? 1 : 0xf0f0f0f0f0f0f0f0u;
        assert_int_equal(soft_peer_store(map, exported.value + 8, 0xf0f0f0f0f0f0f0f0u), 0);
        assert_int_equal(soft_peer_atomic(map, &atomic, &found), 0);
        assert_true(found == 0xf0f0f0f0f0f0f0f0u);
        atomic.addr += 4;
        assert_int_equal(soft_peer_atomic(map, &atomic, &found), -ERANGE);
        atomic.width = 2;
        assert_int_equal(soft_peer_atomic(map, &atomic, &found), -EINVAL);
    }
    soft_peer_map_close(map);
    actor_finish(&actor);
}

const struct peer_case memory_cases[] = {
    {"memory is read and written", memory_is_read_and_written},
    {NULL, NULL},
};

const struct peer_case copy_cases[] = {
    {"mapped memory has a local address", mapped_memory_has_a_local_address},
    {"ranges of any place and size", ranges_of_any_place_and_size},
    {"vectors keep the order of bytes", vectors_keep_the_order_of_bytes},
    {"large copies", large_copies},
    {"nothing outside of the range", nothing_outside_of_the_range},
    {"only what was granted", only_what_was_granted},
    {"lengths must agree", lengths_must_agree},
    {"a protected page is an error", a_protected_page_is_an_error},
    {"a bad local page is an error", a_bad_local_page_is_an_error},
    {"the exporter unmaps", the_exporter_unmaps},
    {"a truncated file is an error", a_truncated_file_is_an_error},
    {"additions from all sides add up", additions_from_all_sides_add_up},
    {"each operation of each width", each_operation_of_each_width},
    {NULL, NULL},
};
