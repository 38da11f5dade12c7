/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "soft/peer/desc.h"

/* Exporter and importer in one process; what needs two is in tests/conformance/peer. */

#define CARD  "card-0"
#define MANY  10000
#define ARENA (1u << 20)

static char base[64];

static int make_base(void **state)
{
    (void)state;
    strcpy(base, "/tmp/opendoca-test-XXXXXX");
    if (mkdtemp(base) == NULL)
        return -1;
    return setenv("OPENDOCA_RUNTIME_DIR", base, 1);
}

static struct soft_peer_range range_of(void *addr, size_t len)
{
    return (struct soft_peer_range){
        .addr = addr,
        .len = len,
        .kind = SOFT_PEER_KIND_PCI,
        .access = SOFT_PEER_READ | SOFT_PEER_WRITE | SOFT_PEER_ATOMIC,
        .card = CARD,
    };
}

static struct soft_peer_export *export_range(void *addr, size_t len)
{
    struct soft_peer_range range = range_of(addr, len);
    struct soft_peer_export *exp = NULL;

    assert_int_equal(soft_peer_export_create(&range, &exp), 0);
    return exp;
}

static struct soft_peer_map *import(const struct soft_peer_export *exp)
{
    struct soft_peer_map *map = NULL;
    const void *desc;
    size_t len;

    desc = soft_peer_export_desc(exp, &len);
    assert_in_range(len, 1, SOFT_PEER_DESC_MAX);
    assert_int_equal(soft_peer_import(desc, len, SOFT_PEER_KIND_PCI, CARD, &map), 0);
    return map;
}

static int read_one(struct soft_peer_map *map, const uint8_t *addr, uint8_t *byte)
{
    struct iovec local = {byte, 1}, remote = {(void *)(uintptr_t)addr, 1};

    return soft_peer_readv(map, &local, 1, &remote, 1);
}

static unsigned int open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned int n = 0;

    assert_non_null(d);
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

static void bad_ranges_are_refused(void **state)
{
    struct soft_peer_export *exp = NULL;
    struct soft_peer_range range;
    char card[PEER_CARD_SIZE + 1];

    (void)state;
    range = range_of(NULL, 1);
    assert_int_equal(soft_peer_export_create(&range, &exp), -EINVAL);
    range = range_of(base, 0);
    assert_int_equal(soft_peer_export_create(&range, &exp), -EINVAL);
    range = range_of(base, SIZE_MAX);
    assert_int_equal(soft_peer_export_create(&range, &exp), -EINVAL);
    range = range_of(base, 1);
    range.access = 8;
    assert_int_equal(soft_peer_export_create(&range, &exp), -EINVAL);
    range = range_of(base, 1);
    memset(card, 'x', sizeof(card) - 1);
    card[sizeof(card) - 1] = '\0';
    range.card = card;
    assert_int_equal(soft_peer_export_create(&range, &exp), -EINVAL);
    assert_null(exp);
    soft_peer_export_destroy(NULL);
    soft_peer_map_close(NULL);
}

/* A range that cannot even be read is fine as long as nobody accesses it. */
static void memory_is_not_touched_by_an_export(void **state)
{
    void *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct soft_peer_export *exp = export_range(nothing, 4096);
    struct soft_peer_map *map = import(exp);
    uint8_t byte;

    (void)state;
    assert_int_equal(read_one(map, nothing, &byte), -EFAULT);
    soft_peer_map_close(map);
    soft_peer_export_destroy(exp);
    munmap(nothing, 4096);
}

static void ten_thousand_exports_at_once(void **state)
{
    struct soft_peer_export **exps = calloc(MANY, sizeof(*exps));
    struct soft_peer_map **maps = calloc(MANY, sizeof(*maps));
    const uint8_t **addrs = calloc(MANY, sizeof(*addrs));
    uint8_t *arena = malloc(ARENA), byte;
    unsigned int seed = 1, files;

    (void)state;
    for (size_t i = 0; i < ARENA; i++)
        arena[i] = (uint8_t)(i ^ i >> 8);
    exps[0] = export_range(arena, 1);
    maps[0] = import(exps[0]);
    files = open_files();
    for (int i = 1; i < MANY; i++) {
        size_t at = (size_t)rand_r(&seed) % ARENA;

        addrs[i] = arena + at;
        exps[i] = export_range(arena + at, 1 + (size_t)rand_r(&seed) % (ARENA - at));
    }
    for (int i = 1; i < MANY; i++)
        maps[i] = import(exps[i]);
    assert_int_equal(open_files(), files);
    for (int i = 1; i < MANY; i++) {
        assert_int_equal(read_one(maps[i], addrs[i], &byte), 0);
        assert_int_equal(byte, *addrs[i]);
        assert_int_equal(read_one(maps[i], addrs[i] - 1, &byte), -ERANGE);
    }
    for (int i = 0; i < MANY; i += 2)
        soft_peer_export_destroy(exps[i]);
    for (int i = 1; i < MANY; i++)
        assert_int_equal(read_one(maps[i], addrs[i], &byte), i % 2 == 0 ? -EPERM : 0);
    for (int i = 0; i < MANY; i++)
        soft_peer_map_close(maps[i]);
    for (int i = 1; i < MANY; i += 2)
        soft_peer_export_destroy(exps[i]);
    free(arena);
    free(addrs);
    free(maps);
    free(exps);
}

static void descriptors_are_unlike_each_other(void **state)
{
    char memory[64];
    struct soft_peer_export *a = export_range(memory, 64), *b = export_range(memory, 64);
    struct soft_peer_desc first, second;
    size_t len;

    (void)state;
    assert_int_equal(soft_peer_desc_parse(soft_peer_export_desc(a, &len), sizeof(first), &first),
                     0);
    assert_int_equal(soft_peer_desc_parse(soft_peer_export_desc(b, &len), sizeof(first), &second),
                     0);
    assert_memory_not_equal(first.token, second.token, sizeof(first.token));
    assert_true(first.id != second.id);
    assert_memory_equal(first.instance, second.instance, sizeof(first.instance));
    assert_int_equal(first.pid, getpid());
    assert_true(first.start_time > 0);
    soft_peer_export_destroy(a);
    /* The slot is used again, the old descriptor must not fit the new export. */
    a = export_range(memory, 64);
    assert_int_equal(soft_peer_import(&first, sizeof(first), SOFT_PEER_KIND_PCI, CARD,
                                      &(struct soft_peer_map *){NULL}),
                     -EPERM);
    soft_peer_export_destroy(a);
    soft_peer_export_destroy(b);
}

static void an_unknown_engine_is_named(void **state)
{
    char memory[64];
    struct soft_peer_export *exp = export_range(memory, 64);
    struct soft_peer_map *map = NULL;
    size_t len;
    const void *desc = soft_peer_export_desc(exp, &len);

    (void)state;
    setenv("OPENDOCA_PEER_ENGINE", "magic", 1);
    assert_int_equal(soft_peer_import(desc, len, SOFT_PEER_KIND_PCI, CARD, &map), -EINVAL);
    assert_non_null(strstr(soft_reason(), "magic"));
    setenv("OPENDOCA_PEER_ENGINE", "mapped", 1);
    assert_int_equal(soft_peer_import(desc, len, SOFT_PEER_KIND_PCI, CARD, &map), -ENOTSUP);
    assert_non_null(strstr(soft_reason(), "private"));
    unsetenv("OPENDOCA_PEER_ENGINE");
    soft_peer_export_destroy(exp);
}

#define THREADS 4

static _Atomic int failures;

/* Creation, import, access, revocation and closing, all at once. */
static void *live_a_life(void *arg)
{
    uint8_t memory[256], byte;

    (void)arg;
    memset(memory, 0x33, sizeof(memory));
    for (int i = 0; i < 300; i++) {
        struct soft_peer_range range = range_of(memory, sizeof(memory));
        struct soft_peer_export *exp;
        struct soft_peer_map *map;
        const void *desc;
        size_t len;

        if (soft_peer_export_create(&range, &exp) != 0) {
            failures++;
            break;
        }
        desc = soft_peer_export_desc(exp, &len);
        failures += soft_peer_import(desc, len, SOFT_PEER_KIND_PCI, CARD, &map) != 0;
        failures += read_one(map, memory + i % 256, &byte) != 0 || byte != 0x33;
        if (i % 2 == 0) {
            soft_peer_export_destroy(exp);
            failures += read_one(map, memory, &byte) != -EPERM;
            soft_peer_map_close(map);
        } else {
            soft_peer_map_close(map);
            soft_peer_export_destroy(exp);
        }
    }
    return NULL;
}

static void threads_do_not_get_into_each_others_way(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, live_a_life, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
}

/* Runs after the room's own exit handler, which was installed later. */
static void check_that_nothing_is_left(void)
{
    if (rmdir(base) != 0) {
        perror("the runtime folder is not empty after exit");
        _exit(1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_ranges_are_refused),
        cmocka_unit_test(memory_is_not_touched_by_an_export),
        cmocka_unit_test(ten_thousand_exports_at_once),
        cmocka_unit_test(descriptors_are_unlike_each_other),
        cmocka_unit_test(an_unknown_engine_is_named),
        cmocka_unit_test(threads_do_not_get_into_each_others_way),
    };

    atexit(check_that_nothing_is_left);
    return cmocka_run_group_tests(tests, make_base, NULL);
}
