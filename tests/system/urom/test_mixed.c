/* SPDX-License-Identifier: BSD-3-Clause */
/* Clients of several services do everything at once, with their results checked, for two seconds;
 * with UROM_TEST_LONG=1 for a minute. Nothing fails, and the workers do not grow. */
#include "hosts.h"
#include "ops_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <doca_urom_amo.h>
#include <doca_urom_coll.h>
#include <doca_urom_rma.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

#define SIZE  (300u << 10)
#define WARM  20u /* rounds until all memory is there that will be */
#define WORDS (SIZE / 8)

#define ACCESS                                                                                     \
    (DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE | DOCA_UROM_OPS_ACCESS_ATOMIC)

struct far {
    uint64_t addr;
    size_t len;
    uint8_t desc[512];
};

static struct ops_client client;
static struct ops_result result;
static struct doca_urom_coll_team *team;

/* What one client has: memory of its own, and of others. */
static struct {
    uint64_t *src, *dst, *counter;
    struct doca_urom_ops_region *src_region, *dst_region, *counter_region;
    struct doca_urom_ops_region *next; /* dst of the next client */
    uint64_t next_addr;
    struct doca_urom_ops_region *first; /* counter of the first client */
    uint64_t first_addr;
} have;

/* ------------------------------------------------------------------------------------------------
 * Setting up
 */

static struct far share(unsigned int seat, const void *memory,
                        const struct doca_urom_ops_region *region, unsigned int from)
{
    struct far own = {.addr = (uintptr_t)memory}, far;
    const void *desc;

    assert_ok(doca_urom_ops_region_get_desc(region, &desc, &own.len));
    memcpy(own.desc, desc, own.len);
    hosts_give(seat, &own, sizeof(own));
    hosts_get(seat, from, &far, sizeof(far));
    return far;
}

static void get_memory(void)
{
    const bool shareable = hosts_rank() % 2 == 0;
    struct far far;

    have.src = ops_memory(SIZE, shareable);
    have.dst = ops_memory(SIZE, !shareable);
    have.counter = ops_memory(4096, shareable);
    have.src_region = ops_region(&client, have.src, SIZE, 0);
    have.dst_region = ops_region(&client, have.dst, SIZE, ACCESS);
    have.counter_region = ops_region(&client, have.counter, 4096, ACCESS);
    far = share(1, have.dst, have.dst_region, (hosts_rank() + 1) % hosts_count());
    assert_ok(ops_attach(&client, far.desc, far.len, &have.next));
    have.next_addr = far.addr;
    far = share(2, have.counter, have.counter_region, 0);
    assert_ok(ops_attach(&client, far.desc, far.len, &have.first));
    have.first_addr = far.addr;
}

static void team_done(struct doca_urom_coll_team *one, doca_error_t status, void *user_data)
{
    (void)one;
    ops_done(NULL, status, user_data);
}

static void get_team(void)
{
    uint64_t ids[HOSTS_MAX];

    for (unsigned int i = 0; i < hosts_count(); i++)
        ids[i] = 10 + i;
    assert_ok(doca_urom_coll_team_create(client.ops, 5, 10 + hosts_rank(), ids, hosts_count(),
                                         team_done, &result, &team));
    assert_ok(ops_wait(&client, &result));
}

/* ------------------------------------------------------------------------------------------------
 * A round
 */

static uint64_t sum_of_all(uint64_t value)
{
    const struct doca_urom_coll_place from = {NULL, (uintptr_t)&value};
    uint64_t sum = 0;
    const struct doca_urom_coll_place to = {NULL, (uintptr_t)&sum};

    assert_ok(doca_urom_coll_allreduce(team, from, to, 1, DOCA_UROM_COLL_UINT64, DOCA_UROM_COLL_SUM,
                                       ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    return sum;
}

static void fill(uint64_t *words, unsigned int rank, unsigned int round)
{
    for (size_t i = 0; i < WORDS; i++)
        words[i] = i * (rank + 1) + round;
}

static void check(const uint64_t *words, unsigned int rank, unsigned int round)
{
    for (size_t i = 0; i < WORDS; i++)
        assert_true(words[i] == i * (rank + 1) + round);
}

/* To the next client, in halves with a fence, and what it has back into the own memory. */
static void put_and_get(unsigned int round)
{
    const uint64_t half = SIZE / 2;

    fill(have.src, hosts_rank(), round);
    assert_ok(doca_urom_rma_put(client.ops, have.src_region, (uintptr_t)have.src, have.next,
                                have.next_addr, half, 0, ops_done, &result));
    assert_ok(doca_urom_rma_put(client.ops, have.src_region, (uintptr_t)have.src + half, have.next,
                                have.next_addr + half, half, 0, ops_done, &result));
    assert_ok(doca_urom_rma_get(client.ops, have.src_region, (uintptr_t)have.src, have.next,
                                have.next_addr, SIZE, DOCA_UROM_OPS_FENCE, ops_done, &result));
    while (result.count < 3)
        fixture_event(client.host.pe);
    result.count = 0;
    assert_ok(result.status);
    check(have.src, hosts_rank(), round);
}

static void amo_done(struct doca_urom_ops *ops, doca_error_t status, uint64_t before,
                     void *user_data)
{
    (void)before;
    ops_done(ops, status, user_data);
}

static void count(void)
{
    const struct doca_urom_amo amo = {DOCA_UROM_AMO_FETCH_ADD, 8, have.first,
                                      have.first_addr,         1, 0};

    assert_ok(doca_urom_amo_post(client.ops, &amo, amo_done, &result));
    assert_ok(ops_wait(&client, &result));
}

static void reduce(void)
{
    const struct doca_urom_coll_place from = {have.src_region, (uintptr_t)have.src};
    const struct doca_urom_coll_place to = {have.dst_region, (uintptr_t)have.dst};
    const unsigned int n = hosts_count();

    fill(have.src, hosts_rank(), 0);
    assert_ok(doca_urom_coll_allreduce(team, from, to, WORDS, DOCA_UROM_COLL_UINT64,
                                       DOCA_UROM_COLL_SUM, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    for (size_t i = 0; i < WORDS; i++)
        assert_true(have.dst[i] == i * n * (n + 1) / 2);
}

/* Whether anybody's time is not over. */
static bool one_round(unsigned int round, uint64_t end)
{
    const unsigned int before = (hosts_rank() + hosts_count() - 1) % hosts_count();

    put_and_get(round);
    count();
    sum_of_all(0); /* all have written */
    check(have.dst, before, round);
    sum_of_all(0); /* all have looked */
    if (round % 4 == 0)
        reduce();
    return sum_of_all(fixture_now_ms() < end) > 0;
}

/* ------------------------------------------------------------------------------------------------
 * What the workers of this service have
 */

struct usage {
    size_t fds;
    struct fixture_memory memory;
};

static struct usage usage_of(pid_t pid)
{
    struct usage usage = {0};
    char path[64];
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        usage.fds++;
    closedir(folder);
    usage.memory = fixture_memory(pid);
    return usage;
}

static struct usage usage_of_workers(void)
{
    json_t *status = fixture_status(), *one;
    struct usage sum = {0};
    size_t i;

    json_array_foreach(json_object_get(status, "workers"), i, one)
    {
        struct usage usage = usage_of((pid_t)json_integer_value(json_object_get(one, "pid")));

        assert_string_equal(json_string_value(json_object_get(one, "state")), "running");
        sum.fds += usage.fds;
        sum.memory.resident += usage.memory.resident;
        sum.memory.own += usage.memory.own;
    }
    json_decref(status);
    return sum;
}

/* ------------------------------------------------------------------------------------------------
 * The load
 */

static void load(void)
{
    static const char *const plugins[] = {"worker_rma", "worker_amo", "worker_coll", NULL};
    const uint64_t ms = getenv("UROM_TEST_LONG") != NULL ? 60000 : 2000;
    struct fixture_daemon daemon = {0};
    struct doca_urom_domain *domain;
    struct usage before = {0}, after;
    unsigned int rounds = 0;
    uint64_t end;

    if (hosts_rank() % 2 == 0)
        fixture_daemon_start(&daemon, NULL);
    hosts_barrier(0);
    ops_client_open(&client, hosts_rank(), plugins);
    get_memory();
    domain = hosts_domain(client.host.pe, client.worker);
    get_team();
    end = fixture_now_ms() + ms;
    do {
        if (++rounds == WARM)
            before = usage_of_workers();
    } while (one_round(rounds, end) || rounds <= WARM);
    after = usage_of_workers();
    assert_int_equal(after.fds, before.fds);
    print_message("%u rounds; workers of a service: %lu KiB, their own %lu KiB, then %lu KiB\n",
                  rounds, before.memory.resident, before.memory.own, after.memory.own);
    if (!SANITIZED)
        assert_true(after.memory.own <= before.memory.own + before.memory.resident / 20);
    hosts_barrier(3);
    if (hosts_rank() == 0)
        assert_int_equal(have.counter[0], (uint64_t)rounds * hosts_count());
    assert_ok(doca_ctx_stop(doca_urom_domain_as_ctx(domain)));
    assert_ok(doca_urom_domain_destroy(domain));
    ops_region_end(&client, have.next);
    ops_region_end(&client, have.first);
    ops_client_close(&client);
    hosts_barrier(4);
    if (hosts_rank() % 2 == 0)
        assert_int_equal(fixture_daemon_stop(&daemon), 0);
}

static void four_clients_of_two_services(void **state)
{
    (void)state;
    hosts_pretend(4);
    hosts_run("load", 0);
}

int main(int argc, char **argv)
{
    static const struct hosts_case cases[] = {{"load", load}, {NULL, NULL}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_clients_of_two_services),
    };

    hosts_main(argc, argv, cases);
    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
