/* SPDX-License-Identifier: BSD-3-Clause */
/* Three members of a team, each a process of its own, at two services of one machine. The process
 * of one is killed in the midst of a collective operation: what the others are told, in bounded
 * time, what they can do afterwards, and that nothing has to be cleaned up. */
#include "hosts.h"
#include "ops_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_urom_coll.h>
#include <doca_urom_rma.h>

#define MEMBERS 3
#define VICTIM  1 /* shares its service with member 0, which kills it */
#define BLOCK   (256u << 10)
#define LEN     ((size_t)MEMBERS * BLOCK)
#define BOUND   10000 /* ms; it takes a fraction of a second when nothing else runs */

static struct fixture_daemon daemon_one;
static struct ops_client client;
static struct ops_result result;
static struct doca_urom_domain *domain;
static struct doca_urom_coll_team *team;
static uint8_t *src, *dst;
static struct doca_urom_ops_region *src_region, *dst_region;

/* ------------------------------------------------------------------------------------------------
 * A member
 */

static void team_done(struct doca_urom_coll_team *one, doca_error_t status, void *user_data)
{
    (void)one;
    ops_done(NULL, status, user_data);
}

static struct doca_urom_coll_team *make_team(uint64_t id, const uint64_t *ids, uint32_t size)
{
    struct doca_urom_coll_team *made;

    assert_ok(doca_urom_coll_team_create(client.ops, id, 10 + hosts_rank(), ids, size, team_done,
                                         &result, &made));
    assert_ok(ops_wait(&client, &result));
    return made;
}

static void end_team(struct doca_urom_coll_team *one)
{
    assert_ok(doca_urom_coll_team_destroy(one, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
}

static void open_member(void)
{
    static const char *const plugins[] = {"worker_rma", "worker_coll", NULL};
    static const uint64_t ids[] = {10, 11, 12};

    if (hosts_rank() % 2 == 0)
        fixture_daemon_start(&daemon_one, NULL);
    hosts_barrier(0);
    ops_client_open(&client, hosts_rank(), plugins);
    src = ops_memory(LEN, hosts_rank() == 0);
    dst = ops_memory(LEN, hosts_rank() != 0);
    src_region = ops_region(&client, src, LEN, 0);
    dst_region = ops_region(&client, dst, LEN, 0);
    domain = hosts_domain(client.host.pe, client.worker);
    team = make_team(5, ids, MEMBERS);
}

static void close_member(void)
{
    assert_ok(doca_ctx_stop(doca_urom_domain_as_ctx(domain)));
    assert_ok(doca_urom_domain_destroy(domain));
    ops_region_end(&client, src_region);
    ops_region_end(&client, dst_region);
    ops_client_close(&client);
    munmap(src, LEN);
    munmap(dst, LEN);
}

static void close_service(void)
{
    if (hosts_rank() % 2 == 0)
        assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void post_alltoall(void)
{
    const struct doca_urom_coll_place from = {src_region, (uintptr_t)src};
    const struct doca_urom_coll_place to = {dst_region, (uintptr_t)dst};

    for (unsigned int i = 0; i < MEMBERS; i++)
        memset(src + (size_t)i * BLOCK, (int)(16 * hosts_rank() + i), BLOCK);
    assert_ok(doca_urom_coll_alltoall(team, from, to, BLOCK, ops_done, &result));
}

static void check_alltoall(void)
{
    for (unsigned int i = 0; i < MEMBERS; i++) {
        for (size_t at = 0; at < BLOCK; at += 997)
            assert_int_equal(dst[(size_t)i * BLOCK + at], 16 * i + hosts_rank());
    }
}

static doca_error_t alltoall(void)
{
    doca_error_t status;

    post_alltoall();
    status = ops_wait(&client, &result);
    if (status == DOCA_SUCCESS)
        check_alltoall();
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * The death of one, and what is left
 */

static unsigned int moment(void)
{
    return (unsigned int)strtoul(getenv("OD_TEST_MOMENT"), NULL, 10);
}

static pid_t meet_victim(void)
{
    pid_t self = getpid(), victim;

    hosts_give(1, &self, sizeof(self));
    hosts_get(1, VICTIM, &victim, sizeof(victim));
    return victim;
}

/* The dead one does not come. */
static void survivors_barrier(unsigned int seat)
{
    if (hosts_rank() == 0)
        hosts_arrive(seat);
    hosts_barrier(seat);
}

/* The id of the one that was killed is free again, and its worker gone. */
static void take_its_place(void)
{
    struct doca_urom_worker *worker;

    fixture_wait_workers(1);
    worker = fixture_worker(&client.host, VICTIM, client.plugins);
    assert_int_equal(fixture_worker_start(&client.host, worker), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&client.host, worker);
}

static void go_on_without_it(void)
{
    static const uint64_t ids[] = {10, 12};
    struct doca_urom_coll_team *survivors;

    /* The team is of no more use, and says so at once. */
    assert_ok(doca_urom_coll_barrier(team, ops_done, &result));
    assert_doca(DOCA_ERROR_IO_FAILED, ops_wait(&client, &result));
    end_team(team);
    assert_ok(doca_urom_rma_put(client.ops, src_region, (uintptr_t)src, dst_region, (uintptr_t)dst,
                                LEN, 0, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    assert_memory_equal(dst, src, LEN);
    survivors = make_team(6, ids, 2);
    for (unsigned int i = 0; i < 10; i++) {
        assert_ok(doca_urom_coll_barrier(survivors, ops_done, &result));
        assert_ok(ops_wait(&client, &result));
    }
    end_team(survivors);
    if (hosts_rank() == 0)
        take_its_place();
    survivors_barrier(3);
    close_member();
    survivors_barrier(4);
    close_service();
}

/* One all-to-all after the other, until the kill. */
static void killed_in_alltoall(void)
{
    doca_error_t status = DOCA_SUCCESS;
    uint64_t begun = 0;
    pid_t victim;

    open_member();
    victim = meet_victim();
    for (unsigned int i = 0; hosts_rank() == 0 && i < moment(); i++)
        assert_ok(alltoall());
    if (hosts_rank() == 0) {
        post_alltoall();
        for (unsigned int i = 0; i < moment() * 20; i++)
            doca_pe_progress(client.host.pe);
        assert_int_equal(kill(victim, SIGKILL), 0);
        begun = fixture_now_ms();
        status = ops_wait(&client, &result); /* it may have had all it needs */
    }
    while (status == DOCA_SUCCESS) {
        if (hosts_rank() != 0)
            begun = fixture_now_ms();
        status = alltoall();
    }
    assert_doca(DOCA_ERROR_IO_FAILED, status);
    assert_true(fixture_now_ms() - begun < BOUND);
    go_on_without_it();
}

/* The others wait in a barrier, to which it has not come. */
static void killed_before_barrier(void)
{
    pid_t victim;
    uint64_t begun;

    open_member();
    assert_ok(alltoall()); /* workers know each other */
    victim = meet_victim();
    if (hosts_rank() == VICTIM)
        pause();
    assert_ok(doca_urom_coll_barrier(team, ops_done, &result));
    for (unsigned int i = 0; i < 1000; i++)
        doca_pe_progress(client.host.pe);
    assert_int_equal(result.count, 0);
    survivors_barrier(2);
    begun = fixture_now_ms();
    if (hosts_rank() == 0)
        assert_int_equal(kill(victim, SIGKILL), 0);
    assert_doca(DOCA_ERROR_IO_FAILED, ops_wait(&client, &result));
    assert_true(fixture_now_ms() - begun < BOUND);
    go_on_without_it();
}

static void nobody_is_killed(void)
{
    open_member();
    for (unsigned int i = 0; i < 3; i++)
        assert_ok(alltoall());
    hosts_barrier(2);
    end_team(team);
    hosts_barrier(3);
    close_member();
    hosts_barrier(4);
    close_service();
}

/* ------------------------------------------------------------------------------------------------
 * The test
 */

static void run_at(const char *name, unsigned int when)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", when);
    setenv("OD_TEST_MOMENT", text, 1);
    hosts_pretend(MEMBERS);
    hosts_run(name, 1u << VICTIM);
    /* In the same folders, where the dead one has left what it had. */
    hosts_run("nobody_is_killed", 0);
}

static void a_client_that_is_killed_in_an_alltoall_keeps_nobody(void **state)
{
    (void)state;
    for (unsigned int when = 0; when < 5; when++)
        run_at("killed_in_alltoall", when);
}

static void a_client_that_is_killed_before_a_barrier_keeps_nobody(void **state)
{
    (void)state;
    run_at("killed_before_barrier", 0);
}

int main(int argc, char **argv)
{
    static const struct hosts_case cases[] = {
        {"killed_in_alltoall", killed_in_alltoall},
        {"killed_before_barrier", killed_before_barrier},
        {"nobody_is_killed", nobody_is_killed},
        {NULL, NULL},
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_that_is_killed_in_an_alltoall_keeps_nobody),
        cmocka_unit_test(a_client_that_is_killed_before_a_barrier_keeps_nobody),
    };

    hosts_main(argc, argv, cases);
    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
