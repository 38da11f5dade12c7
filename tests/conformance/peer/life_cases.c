/* SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "cases.h"
#include "lib/seconds.h"

#define PAGE     4096u
#define LEN      (64 * PAGE)
#define THREADS  8
#define BOUND    20000u /* ms; far above what it takes, for machines that are busy */
#define PATIENCE 2000u  /* ms that an exporter waits for the end of an access */

/* ---- Threads that access until it fails ---- */

struct load {
    struct soft_peer_map *map;
    uint64_t addr;
    uint64_t limit; /* accesses; 0: until one fails */
    _Atomic uint64_t accesses;
    _Atomic int result[THREADS];
    pthread_t threads[THREADS];
    _Atomic int next;
};

/* As a copy engine would: directly when the memory is mapped, else through the engine. */
static int access_once(struct soft_peer_map *map, uint64_t addr, uint8_t *bytes, size_t len)
{
    char *p = soft_peer_local(map, addr);
    int rc;

    if (p == NULL)
        return write_bytes(map, addr, bytes, len);
    rc = soft_peer_begin(map);
    if (rc != 0)
        return rc;
    memcpy(p, bytes, len);
    soft_peer_end(map);
    return read_bytes(map, addr, bytes, len);
}

static void *access_until_it_fails(void *arg)
{
    uint8_t bytes[3 * PAGE];
    struct load *load = arg;
    int me = atomic_fetch_add(&load->next, 1);
    int rc = 0;

    memset(bytes, 0xee, sizeof(bytes));
    for (uint64_t i = 0; rc == 0 && (load->limit == 0 || i < load->limit); i++) {
        rc =
            access_once(load->map, load->addr + (uint64_t)me * 7 * PAGE + 11, bytes, sizeof(bytes));
        atomic_fetch_add(&load->accesses, 1);
    }
    atomic_store(&load->result[me], rc);
    return NULL;
}

static void load_start(struct load *load, struct soft_peer_map *map, uint64_t addr, uint64_t limit)
{
    memset(load, 0, sizeof(*load));
    load->map = map;
    load->addr = addr;
    load->limit = limit;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&load->threads[i], NULL, access_until_it_fails, load), 0);
}

static void load_wait(struct load *load, uint64_t accesses)
{
    while (atomic_load(&load->accesses) < accesses)
        sched_yield();
}

static void load_finish(struct load *load, int result)
{
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(load->threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(atomic_load(&load->result[i]), result);
}

/* On another host a bracket holds nothing back. */
static void skip_on_another_host(const struct setting *setting)
{
    if (strcmp(setting->engine, "remote") == 0) {
        print_message("not so for memory of another host\n");
        skip();
    }
}

static struct answer order_revoke(struct actor *exporter, uint32_t slot)
{
    return actor_ask(exporter, (struct order){.what = ORDER_REVOKE, .slot = slot, .c = 0x5a});
}

/* ---- Revocation ---- */

/* Whether the exporter has waited for all accesses, as it does unless one stands still for long. */
static bool revoke_under_load(const struct setting *setting)
{
    struct answer exported;
    struct soft_peer_map *map;
    struct actor exporter;
    struct load load;
    uint64_t took;

    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    load_start(&load, map, exported.value, 0);
    load_wait(&load, 100);
    took = now_ms();
    assert_int_equal(order_revoke(&exporter, 0).rc, 0);
    took = now_ms() - took;
    load_finish(&load, -EPERM);
    /* It filled its memory with 0x5a after the export was destroyed. */
    if (took < PATIENCE)
        assert_int_equal(actor_count_others(&exporter, 0, LEN, 0x5a), 0);
    assert_int_equal(soft_peer_begin(map), -EPERM);
    assert_int_equal(try_import(exported.desc, exported.desc_len), -EPERM);
    soft_peer_map_close(map);
    actor_finish(&exporter);
    return took < PATIENCE;
}

static void no_touch_after_revocation(void **state)
{
    unsigned int rounds = 0;

    while (!revoke_under_load(*state))
        assert_true(++rounds < 5);
}

static void revocation_waits_for_a_running_access(void **state)
{
    const struct setting *setting = *state;
    struct answer exported;
    struct soft_peer_map *map;
    struct actor exporter;
    struct pollfd early;
    uint64_t told;

    skip_on_another_host(setting);
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    early = (struct pollfd){.fd = exporter.from, .events = POLLIN};
    assert_int_equal(soft_peer_begin(map), 0);
    told = now_ms();
    actor_tell(&exporter, (struct order){.what = ORDER_REVOKE});
    /* Unless this process waited for a CPU for so long that the exporter gave up on it. */
    assert_true(poll(&early, 1, 200) == 0 || now_ms() - told >= PATIENCE);
    soft_peer_end(map);
    assert_int_equal(actor_answer(&exporter).rc, 0);
    assert_int_equal(soft_peer_begin(map), -EPERM);
    soft_peer_map_close(map);
    actor_finish(&exporter);
}

static void revocation_does_not_wait_for_the_dead(void **state)
{
    const struct setting *setting = *state;
    struct order order = {.what = ORDER_IMPORT};
    struct actor exporter, importer;
    struct answer exported;
    uint64_t before;

    skip_on_another_host(setting);
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    soft_peer_map_close(import(setting, &exported)); /* sets the engine that the actor inherits */
    actor_start(&importer, 0);
    order.desc_len = exported.desc_len;
    memcpy(order.desc, exported.desc, sizeof(order.desc));
    assert_int_equal(actor_ask(&importer, order).rc, 0);
    assert_int_equal(actor_ask(&importer, (struct order){.what = ORDER_BEGIN}).rc, 0);
    actor_kill(&importer);
    before = now_ms();
    assert_int_equal(order_revoke(&exporter, 0).rc, 0);
    assert_true(now_ms() - before < BOUND);
    actor_finish(&exporter);
}

static void a_stuck_importer_delays_revocations_once(void **state)
{
    const struct setting *setting = *state;
    struct soft_peer_map *maps[3];
    struct answer exported[3];
    struct actor exporter;
    uint64_t before;

    skip_on_another_host(setting);
    actor_start(&exporter, 0);
    exported[0] = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    for (uint32_t i = 1; i < 3; i++)
        exported[i] = actor_ask(
            &exporter,
            (struct order){.what = ORDER_EXPORT, .kind = ALL_ACCESS, .slot = i, .b = PAGE});
    for (int i = 0; i < 3; i++)
        maps[i] = import(setting, &exported[i]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(soft_peer_begin(maps[i]), 0);
    before = now_ms();
    assert_int_equal(order_revoke(&exporter, 0).rc, 0);
    assert_true(now_ms() - before < BOUND);
    before = now_ms();
    assert_int_equal(order_revoke(&exporter, 1).rc, 0);
    assert_true(now_ms() - before < BOUND);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(soft_peer_begin(maps[i]), -EPERM);
        soft_peer_end(maps[i]);
    }
    assert_int_equal(soft_peer_begin(maps[2]), 0);
    soft_peer_end(maps[2]);
    for (int i = 0; i < 3; i++)
        soft_peer_map_close(maps[i]);
    actor_finish(&exporter);
}

static void maps_are_independent(void **state)
{
    const struct setting *setting = *state;
    struct soft_peer_map *a, *b, *c;
    struct answer first, second;
    struct actor exporter;
    uint8_t bytes[64];

    actor_start(&exporter, 0);
    first = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    second = actor_ask(
        &exporter, (struct order){.what = ORDER_EXPORT, .kind = ALL_ACCESS, .slot = 1, .b = PAGE});
    a = import(setting, &first);
    b = import(setting, &first);
    c = import(setting, &second);
    for (int i = 0; i < 100; i++)
        soft_peer_map_close(import(setting, &first));
    soft_peer_map_close(a);
    assert_int_equal(read_bytes(b, first.value, bytes, 64), 0);
    assert_int_equal(order_revoke(&exporter, 0).rc, 0);
    assert_int_equal(read_bytes(b, first.value, bytes, 64), -EPERM);
    assert_int_equal(read_bytes(c, second.value, bytes, 64), 0);
    assert_int_equal(try_import(first.desc, first.desc_len), -EPERM);
    soft_peer_map_close(b);
    assert_int_equal(read_bytes(c, second.value, bytes, 64), 0);
    soft_peer_map_close(c);
    actor_finish(&exporter);
}

/* ---- Stop and death ---- */

static void a_stopped_exporter_delays_only(void **state)
{
    const struct setting *setting = *state;
    struct answer exported;
    struct soft_peer_map *map;
    struct actor exporter;
    struct load load;

    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    load_start(&load, map, exported.value, 50);
    load_wait(&load, 10);
    actor_pause(&exporter);
    actor_resume(&exporter);
    actor_pause(&exporter);
    actor_resume(&exporter);
    load_finish(&load, 0);
    for (uint64_t i = 0; i < THREADS; i++)
        assert_int_equal(actor_count_others(&exporter, i * 7 * PAGE + 11, 3 * PAGE, 0xee), 0);
    soft_peer_map_close(map);
    actor_finish(&exporter);
}

static void death_reaches_every_access(void **state)
{
    const struct setting *setting = *state;
    struct answer exported;
    struct soft_peer_map *map;
    struct actor exporter;
    struct load load;
    uint64_t before;

    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    load_start(&load, map, exported.value, 0);
    load_wait(&load, 100);
    before = now_ms();
    actor_kill(&exporter);
    load_finish(&load, -ENOTCONN);
    assert_true(now_ms() - before < BOUND);
    assert_int_equal(soft_peer_begin(map), -ENOTCONN);
    assert_int_equal(try_import(exported.desc, exported.desc_len), -ECONNREFUSED);
    soft_peer_map_close(map);
}

/* Polls for some seconds at most. */
static int read_until_dead(struct soft_peer_map *map, uint64_t addr)
{
    struct patience patience = patience_of(60);
    uint8_t bytes[64];
    int rc;

    while ((rc = read_bytes(map, addr, bytes, sizeof(bytes))) == 0 && patience_lasts(&patience))
        sched_yield();
    return rc;
}

/* A child that was forked without exec has copies of all descriptors. */
static void death_is_seen_past_a_forked_child(void **state)
{
    const struct setting *setting = *state;
    struct soft_peer_map *map;
    struct answer exported, child;
    struct actor exporter;
    uint8_t bytes[64];

    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    child = actor_ask(&exporter, (struct order){.what = ORDER_FORK});
    assert_int_equal(child.rc, 0);
    /* The child has destroyed its copies of the exports; the parent's are untouched. */
    assert_int_equal(read_bytes(map, exported.value, bytes, 64), 0);
    assert_int_equal(try_import(exported.desc, exported.desc_len), 0);
    actor_kill(&exporter);
    assert_int_equal(read_until_dead(map, exported.value), -ENOTCONN);
    assert_int_equal(try_import(exported.desc, exported.desc_len), -ECONNREFUSED);
    assert_int_equal(kill((pid_t)child.value, SIGKILL), 0);
    soft_peer_map_close(map);
}

static void an_importer_may_fork(void **state)
{
    const struct setting *setting = *state;
    struct order order = {.what = ORDER_IMPORT};
    struct answer exported, child, sum;
    struct actor exporter, importer;

    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, LEN, 1, ALL_ACCESS);
    soft_peer_map_close(import(setting, &exported)); /* sets the engine that the actor inherits */
    actor_start(&importer, 0);
    order.desc_len = exported.desc_len;
    memcpy(order.desc, exported.desc, sizeof(order.desc));
    assert_int_equal(actor_ask(&importer, order).rc, 0);
    child = actor_ask(&importer, (struct order){.what = ORDER_FORK});
    assert_int_equal(child.rc, 0);
    sum = actor_ask(&importer, (struct order){.what = ORDER_READ, .a = exported.value, .b = 100});
    assert_int_equal(sum.rc, 0);
    assert_int_equal(sum.value, 100);
    assert_int_equal(kill((pid_t)child.value, SIGKILL), 0);
    actor_finish(&importer);
    actor_finish(&exporter);
}

const struct peer_case life_cases[] = {
    {"no touch after revocation", no_touch_after_revocation},
    {"revocation waits for a running access", revocation_waits_for_a_running_access},
    {"revocation does not wait for the dead", revocation_does_not_wait_for_the_dead},
    {"a stuck importer delays revocations once", a_stuck_importer_delays_revocations_once},
    {"maps are independent", maps_are_independent},
    {"a stopped exporter delays only", a_stopped_exporter_delays_only},
    {"death reaches every access", death_reaches_every_access},
    {"death is seen past a forked child", death_is_seen_past_a_forked_child},
    {"an importer may fork", an_importer_may_fork},
    {NULL, NULL},
};
