/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives: each member issues one command, the workers do the rest among themselves. */
#include "ops_fixture.h"
#include "team.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <doca_urom_coll.h>

#define LARGE 100003 /* elements of 8 bytes: read from memory, in uneven slices */
#define SMALL 100

/* Rounds of many: what sanitizers look for shows earlier. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MANY 1000
#else
#define MANY (1000 * KINDS)
#endif

static struct fixture_daemon daemon_one;
static struct team team;
static struct doca_urom_ops *ops[TEAM_MAX];
static struct doca_urom_coll_team *teams[TEAM_MAX];
static struct ops_result results[TEAM_MAX];

/* ------------------------------------------------------------------------------------------------
 * All members in one process
 */

static void wait_all(unsigned int n)
{
    for (unsigned int i = 0; i < n; i++) {
        while (results[i].count == 0)
            fixture_event(team.host.pe);
        assert_int_equal(results[i].count, 1);
        results[i].count = 0;
    }
}

static void all_are(unsigned int n, doca_error_t status)
{
    wait_all(n);
    for (unsigned int i = 0; i < n; i++)
        assert_string_equal(doca_error_get_name(results[i].status), doca_error_get_name(status));
}

static void team_done(struct doca_urom_coll_team *one, doca_error_t status, void *user_data)
{
    (void)one;
    ops_done(NULL, status, user_data);
}

static void create_teams(uint64_t id, unsigned int n, struct doca_urom_coll_team **made)
{
    uint64_t ids[TEAM_MAX];

    for (unsigned int i = 0; i < n; i++)
        ids[i] = TEAM_DOMAIN_ID(i);
    for (unsigned int i = 0; i < n; i++)
        assert_ok(doca_urom_coll_team_create(ops[i], id, ids[i], ids, n, team_done, &results[i],
                                             &made[i]));
    all_are(n, DOCA_SUCCESS);
}

static void destroy_teams(unsigned int n, struct doca_urom_coll_team **made)
{
    for (unsigned int i = 0; i < n; i++)
        assert_ok(doca_urom_coll_team_destroy(made[i], ops_done, &results[i]));
    all_are(n, DOCA_SUCCESS);
}

static void open_members(unsigned int n)
{
    fixture_daemon_start(&daemon_one, NULL);
    team_open(&team, "worker_coll", n);
    for (unsigned int i = 0; i < n; i++)
        assert_ok(doca_urom_ops_create(team.host.service, team.workers[i], team.plugin, &ops[i]));
    create_teams(7, n, teams);
}

static void close_members(void)
{
    for (unsigned int i = 0; i < team.count; i++)
        assert_ok(doca_urom_ops_destroy(ops[i]));
    team_close(&team);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static struct doca_urom_coll_place inlined(const void *at)
{
    return (struct doca_urom_coll_place){NULL, (uintptr_t)at};
}

/* Memory of a member, with its region. */
struct area {
    uint64_t *words;
    size_t len;
    struct doca_urom_ops_region *region;
};

static void region_done(struct doca_urom_ops_region *region, doca_error_t status, void *user_data)
{
    (void)region;
    ops_done(NULL, status, user_data);
}

static struct area area_open(unsigned int i, size_t words, bool shareable)
{
    struct area area = {.words = ops_memory(words * 8, shareable), .len = words * 8};

    assert_ok(doca_urom_ops_region_create(ops[i], area.words, area.len, 0, region_done, &results[i],
                                          &area.region));
    while (results[i].count == 0)
        fixture_event(team.host.pe);
    assert_ok(results[i].status);
    results[i].count = 0;
    return area;
}

static void area_close(unsigned int i, struct area *area)
{
    assert_ok(doca_urom_ops_region_destroy(area->region, ops_done, &results[i]));
    while (results[i].count == 0)
        fixture_event(team.host.pe);
    assert_ok(results[i].status);
    results[i].count = 0;
    munmap(area->words, area->len);
}

static struct doca_urom_coll_place at(const struct area *area, size_t word)
{
    return (struct doca_urom_coll_place){area->region, (uintptr_t)(area->words + word)};
}

/* ------------------------------------------------------------------------------------------------
 * Each operation
 */

static void every_inline_operation(unsigned int n)
{
    uint64_t src[TEAM_MAX][TEAM_MAX], dst[TEAM_MAX][TEAM_MAX];

    for (unsigned int i = 0; i < n; i++)
        assert_ok(doca_urom_coll_barrier(teams[i], ops_done, &results[i]));
    all_are(n, DOCA_SUCCESS);
    for (unsigned int root = 0; root < n; root++) {
        for (unsigned int i = 0; i < n; i++) {
            src[i][0] = i == root ? 100 + root : 0;
            assert_ok(doca_urom_coll_bcast(teams[i], root, inlined(&src[i][0]), 8, ops_done,
                                           &results[i]));
        }
        all_are(n, DOCA_SUCCESS);
        for (unsigned int i = 0; i < n; i++)
            assert_int_equal(src[i][0], 100 + root);
    }
    for (unsigned int i = 0; i < n; i++) {
        src[i][0] = 10 + i;
        assert_ok(doca_urom_coll_allgather(teams[i], inlined(src[i]), inlined(dst[i]), 8, ops_done,
                                           &results[i]));
    }
    all_are(n, DOCA_SUCCESS);
    for (unsigned int i = 0; i < n; i++) {
        for (unsigned int k = 0; k < n; k++)
            assert_int_equal(dst[i][k], 10 + k);
    }
    for (unsigned int i = 0; i < n; i++) {
        for (unsigned int k = 0; k < n; k++)
            src[i][k] = 10 * i + k;
        assert_ok(doca_urom_coll_alltoall(teams[i], inlined(src[i]), inlined(dst[i]), 8, ops_done,
                                          &results[i]));
    }
    all_are(n, DOCA_SUCCESS);
    for (unsigned int i = 0; i < n; i++) {
        for (unsigned int k = 0; k < n; k++)
            assert_int_equal(dst[i][k], 10 * k + i);
    }
    for (unsigned int i = 0; i < n; i++) {
        src[i][0] = (uint64_t)1 << (8 * i);
        assert_ok(doca_urom_coll_allreduce(teams[i], inlined(src[i]), inlined(dst[i]), 1,
                                           DOCA_UROM_COLL_UINT64, DOCA_UROM_COLL_SUM, ops_done,
                                           &results[i]));
    }
    all_are(n, DOCA_SUCCESS);
    for (unsigned int i = 0; i < n; i++)
        assert_true(dst[i][0] == 0x01010101u >> 8 * (4 - n));
}

static void region_bcast(unsigned int n, struct area *src, size_t count)
{
    for (unsigned int i = 0; i < n; i++) {
        for (size_t k = 0; k < count; k++)
            src[i].words[k] = i == n - 1 ? k * 3 : 0;
        assert_ok(doca_urom_coll_bcast(teams[i], n - 1, at(&src[i], 0), count * 8, ops_done,
                                       &results[i]));
    }
    all_are(n, DOCA_SUCCESS);
    for (unsigned int i = 0; i < n; i++) {
        for (size_t k = 0; k < count; k++)
            assert_true(src[i].words[k] == k * 3);
    }
}

static void region_alltoall(unsigned int n, struct area *src, struct area *dst, size_t count)
{
    for (unsigned int i = 0; i < n; i++) {
        for (size_t k = 0; k < n * count; k++)
            src[i].words[k] = i * 1000000 + k;
        memset(dst[i].words, 0, dst[i].len);
        assert_ok(doca_urom_coll_alltoall(teams[i], at(&src[i], 0), at(&dst[i], 0), count * 8,
                                          ops_done, &results[i]));
    }
    all_are(n, DOCA_SUCCESS);
    for (unsigned int i = 0; i < n; i++) {
        for (size_t k = 0; k < n * count; k++)
            assert_true(dst[i].words[k] == k / count * 1000000 + i * count + k % count);
    }
}

static void region_allgather(unsigned int n, struct area *dst, size_t count)
{
    for (unsigned int i = 0; i < n; i++) {
        memset(dst[i].words, 0, dst[i].len);
        for (size_t k = 0; k < count; k++)
            dst[i].words[i * count + k] = i * 1000000 + k;
        assert_ok(doca_urom_coll_allgather(teams[i], at(&dst[i], i * count), at(&dst[i], 0),
                                           count * 8, ops_done, &results[i])); /* in place */
    }
    all_are(n, DOCA_SUCCESS);
    for (unsigned int i = 0; i < n; i++) {
        for (size_t k = 0; k < n * count; k++)
            assert_true(dst[i].words[k] == k / count * 1000000 + k % count);
    }
}

static void region_allreduce(unsigned int n, struct area *src, struct area *dst, size_t count)
{
    for (unsigned int i = 0; i < n; i++) {
        for (size_t k = 0; k < count; k++)
            src[i].words[k] = (i + 1) * k;
        assert_ok(doca_urom_coll_allreduce(teams[i], at(&src[i], 0), at(&dst[i], 0), count,
                                           DOCA_UROM_COLL_INT64, DOCA_UROM_COLL_SUM, ops_done,
                                           &results[i]));
    }
    all_are(n, DOCA_SUCCESS);
    for (unsigned int i = 0; i < n; i++) {
        for (size_t k = 0; k < count; k++)
            assert_true(dst[i].words[k] == n * (n + 1) / 2 * k);
    }
}

/* Numbers that lie across the borders of words. */
static void odd_allreduce(unsigned int n, struct area *src, struct area *dst, size_t count)
{
    for (unsigned int i = 0; i < n; i++) {
        struct doca_urom_coll_place from = at(&src[i], 0), to = at(&dst[i], 0);

        memset(src[i].words, (int)i + 1, src[i].len);
        from.addr += 3;
        to.addr += 5;
        assert_ok(doca_urom_coll_allreduce(teams[i], from, to, count, DOCA_UROM_COLL_UINT32,
                                           DOCA_UROM_COLL_SUM, ops_done, &results[i]));
    }
    all_are(n, DOCA_SUCCESS);
    for (unsigned int i = 0; i < n; i++) {
        const uint8_t *bytes = (const uint8_t *)dst[i].words + 5;

        for (size_t k = 0; k < count * 4; k++)
            assert_int_equal(bytes[k], n * (n + 1) / 2);
    }
}

static void every_operation_on_regions(unsigned int n)
{
    struct area src[TEAM_MAX], dst[TEAM_MAX];

    for (unsigned int i = 0; i < n; i++) {
        src[i] = area_open(i, (size_t)n * LARGE, i % 2 == 0);
        dst[i] = area_open(i, (size_t)n * LARGE, i % 2 != 0);
    }
    for (size_t count = SMALL; count <= LARGE; count += LARGE - SMALL) {
        region_bcast(n, src, count);
        region_alltoall(n, src, dst, count);
        region_allgather(n, dst, count);
        region_allreduce(n, src, dst, count);
        region_allreduce(n, src, src, count); /* in place */
        odd_allreduce(n, src, dst, count);
    }
    for (unsigned int i = 0; i < n; i++) {
        area_close(i, &src[i]);
        area_close(i, &dst[i]);
    }
}

static void every_operation_on_one_to_four_members(void **state)
{
    (void)state;
    for (unsigned int n = 1; n <= TEAM_MAX; n++) {
        open_members(n);
        every_inline_operation(n);
        every_operation_on_regions(n);
        destroy_teams(n, teams);
        close_members();
    }
}

static void types_and_reductions(void **state)
{
    const float reals[] = {1.5f, -2.25f, 4};
    const int8_t bytes[] = {100, 100, -3};
    float real[3] = {0};
    int8_t byte[3] = {0};

    (void)state;
    open_members(3);
    for (unsigned int i = 0; i < 3; i++)
        assert_ok(doca_urom_coll_allreduce(teams[i], inlined(&reals[i]), inlined(&real[i]), 1,
                                           DOCA_UROM_COLL_FLOAT32, DOCA_UROM_COLL_PROD, ops_done,
                                           &results[i]));
    all_are(3, DOCA_SUCCESS);
    assert_true(real[0] == -13.5f && real[1] == -13.5f && real[2] == -13.5f);
    for (unsigned int i = 0; i < 3; i++)
        assert_ok(doca_urom_coll_allreduce(teams[i], inlined(&bytes[i]), inlined(&byte[i]), 1,
                                           DOCA_UROM_COLL_INT8, DOCA_UROM_COLL_MIN, ops_done,
                                           &results[i]));
    all_are(3, DOCA_SUCCESS);
    assert_int_equal(byte[0], -3);
    for (unsigned int i = 0; i < 3; i++)
        assert_ok(doca_urom_coll_allreduce(teams[i], inlined(&bytes[i]), inlined(&byte[i]), 1,
                                           DOCA_UROM_COLL_INT8, DOCA_UROM_COLL_SUM, ops_done,
                                           &results[i]));
    all_are(3, DOCA_SUCCESS);
    assert_int_equal(byte[2], (int8_t)197);
    /* There is no such thing. */
    assert_ok(doca_urom_coll_allreduce(teams[0], inlined(&reals[0]), inlined(&real[0]), 1,
                                       DOCA_UROM_COLL_FLOAT32, DOCA_UROM_COLL_XOR, ops_done,
                                       &results[0]));
    all_are(1, DOCA_ERROR_INVALID_VALUE);
    destroy_teams(3, teams);
    close_members();
}

/* ------------------------------------------------------------------------------------------------
 * Many, in any order, and what goes wrong
 */

/* One of each kind by turns, of three members. */
enum kind { SUM, EXCHANGE, COLLECT, SPREAD, MEET, KINDS };

static void post_small(enum kind kind, struct doca_urom_coll_team *one, unsigned int i,
                       unsigned int round, uint64_t *src, uint64_t *dst)
{
    const unsigned int root = round % 3;
    doca_error_t posted = DOCA_ERROR_UNKNOWN;

    for (unsigned int k = 0; k < 3; k++)
        src[k] = 100 * round + 10 * i + k;
    if (kind == SUM)
        posted = doca_urom_coll_allreduce(one, inlined(src), inlined(dst), 3, DOCA_UROM_COLL_UINT64,
                                          DOCA_UROM_COLL_SUM, ops_done, &results[i]);
    else if (kind == EXCHANGE)
        posted = doca_urom_coll_alltoall(one, inlined(src), inlined(dst), 8, ops_done, &results[i]);
    else if (kind == COLLECT)
        posted =
            doca_urom_coll_allgather(one, inlined(src), inlined(dst), 8, ops_done, &results[i]);
    else if (kind == SPREAD)
        posted = doca_urom_coll_bcast(one, root, inlined(i == root ? src : dst), 24, ops_done,
                                      &results[i]);
    else
        posted = doca_urom_coll_barrier(one, ops_done, &results[i]);
    assert_ok(posted);
}

static void check_small(enum kind kind, unsigned int i, unsigned int round, const uint64_t *dst)
{
    const unsigned int root = round % 3;

    for (unsigned int k = 0; k < 3; k++) {
        if (kind == SUM)
            assert_int_equal(dst[k], 300 * round + 30 + 3 * k);
        else if (kind == EXCHANGE)
            assert_int_equal(dst[k], 100 * round + 10 * k + i);
        else if (kind == COLLECT)
            assert_int_equal(dst[k], 100 * round + 10 * k);
        else if (kind == SPREAD && i != root)
            assert_int_equal(dst[k], 100 * round + 10 * root + k);
    }
}

/* Each kind 1000 times, members ahead of each other, two teams of the same workers by turns. */
static void two_teams_a_thousand_times(void **state)
{
    struct doca_urom_coll_team *others[3];
    uint64_t src[3][3], dst[3][3];

    (void)state;
    open_members(3);
    create_teams(8, 3, others);
    for (unsigned int round = 0; round < MANY; round++) {
        struct doca_urom_coll_team **used = round % 2 == 0 ? teams : others;

        for (unsigned int k = 0; k < 3; k++) {
            const unsigned int i = (round + k) % 3;

            post_small(round % KINDS, used[i], i, round, src[i], dst[i]);
        }
        all_are(3, DOCA_SUCCESS);
        for (unsigned int i = 0; i < 3; i++)
            check_small(round % KINDS, i, round, dst[i]);
    }
    destroy_teams(3, others);
    destroy_teams(3, teams);
    close_members();
}

/* One member posts more than may be under way before the other one begins. */
static void a_member_far_ahead(void **state)
{
    uint64_t sums[2][20], one = 1;

    (void)state;
    open_members(2);
    for (unsigned int i = 0; i < 2; i++) {
        for (unsigned int k = 0; k < 20; k++) {
            assert_ok(doca_urom_coll_allreduce(teams[i], inlined(&one), inlined(&sums[i][k]), 1,
                                               DOCA_UROM_COLL_UINT64, DOCA_UROM_COLL_SUM, ops_done,
                                               &results[i]));
            one++;
        }
        fixture_no_event(team.host.pe, i == 0 ? 1000 : 0);
    }
    while (results[0].count < 20 || results[1].count < 20)
        fixture_event(team.host.pe);
    for (unsigned int k = 0; k < 20; k++) {
        assert_int_equal(sums[0][k], 22 + 2 * k);
        assert_int_equal(sums[1][k], 22 + 2 * k);
    }
    results[0].count = results[1].count = 0;
    destroy_teams(2, teams);
    close_members();
}

static void members_that_disagree_all_hear_of_it(void **state)
{
    uint64_t words[3][4] = {{0}};
    struct area area;

    (void)state;
    open_members(3);
    for (unsigned int i = 0; i < 3; i++) /* root */
        assert_ok(doca_urom_coll_bcast(teams[i], i == 2 ? 1 : 0, inlined(words[i]), 8, ops_done,
                                       &results[i]));
    all_are(3, DOCA_ERROR_INVALID_VALUE);
    for (unsigned int i = 0; i < 3; i++) /* length */
        assert_ok(doca_urom_coll_allgather(teams[i], inlined(words[i]), inlined(words[i]),
                                           i == 0 ? 8 : 4, ops_done, &results[i]));
    all_are(3, DOCA_ERROR_INVALID_VALUE);
    for (unsigned int i = 0; i < 3; i++) /* operation */
        assert_ok(i == 1 ? doca_urom_coll_barrier(teams[i], ops_done, &results[i])
                         : doca_urom_coll_bcast(teams[i], 0, inlined(words[i]), 8, ops_done,
                                                &results[i]));
    all_are(3, DOCA_ERROR_INVALID_VALUE);
    area = area_open(1, 8, true); /* a region that is too short */
    for (unsigned int i = 0; i < 3; i++)
        assert_ok(doca_urom_coll_alltoall(teams[i], i == 1 ? at(&area, 6) : inlined(words[i]),
                                          i == 1 ? at(&area, 0) : inlined(words[i]), 8, ops_done,
                                          &results[i]));
    all_are(3, DOCA_ERROR_INVALID_VALUE);
    area_close(1, &area);
    for (unsigned int i = 0; i < 3; i++) /* and then as usual */
        assert_ok(doca_urom_coll_barrier(teams[i], ops_done, &results[i]));
    all_are(3, DOCA_SUCCESS);
    destroy_teams(3, teams);
    close_members();
}

static void lists_that_differ_make_no_team(void **state)
{
    const uint64_t good[] = {TEAM_DOMAIN_ID(0), TEAM_DOMAIN_ID(1)};
    const uint64_t longer[] = {TEAM_DOMAIN_ID(0), TEAM_DOMAIN_ID(1), TEAM_DOMAIN_ID(2)};
    const uint64_t twice[] = {TEAM_DOMAIN_ID(0), TEAM_DOMAIN_ID(0)};
    const uint64_t unknown[] = {TEAM_DOMAIN_ID(0), 4711};
    struct doca_urom_coll_team *made[2];

    (void)state;
    open_members(3);
    assert_ok(
        doca_urom_coll_team_create(ops[0], 9, good[0], good, 2, team_done, &results[0], &made[0]));
    assert_ok(doca_urom_coll_team_create(ops[1], 9, good[1], longer, 3, team_done, &results[1],
                                         &made[1]));
    all_are(1, DOCA_ERROR_INVALID_VALUE);
    while (results[1].count == 0)
        fixture_event(team.host.pe);
    assert_int_not_equal(results[1].status, DOCA_SUCCESS); /* bad list, or the other one left */
    results[1].count = 0;
    assert_ok(doca_urom_coll_team_create(ops[0], 10, twice[0], twice, 2, team_done, &results[0],
                                         &made[0]));
    all_are(1, DOCA_ERROR_INVALID_VALUE);
    assert_ok(doca_urom_coll_team_create(ops[0], 10, 5, good, 2, team_done, &results[0], &made[0]));
    all_are(1, DOCA_ERROR_INVALID_VALUE);
    assert_ok(doca_urom_coll_team_create(ops[0], 10, unknown[0], unknown, 2, team_done, &results[0],
                                         &made[0]));
    all_are(1, DOCA_ERROR_NOT_FOUND);
    assert_ok(doca_urom_coll_team_create(ops[0], 7, longer[0], longer, 3, team_done, &results[0],
                                         &made[0]));
    all_are(1, DOCA_ERROR_ALREADY_EXIST);
    create_teams(9, 2, made); /* the id is free again */
    destroy_teams(2, made);
    destroy_teams(3, teams);
    close_members();
}

static void a_member_that_leaves_fails_what_needs_it(void **state)
{
    (void)state;
    open_members(3);
    for (unsigned int i = 0; i < 2; i++)
        assert_ok(doca_urom_coll_barrier(teams[i], ops_done, &results[i]));
    assert_ok(doca_urom_coll_team_destroy(teams[2], ops_done, &results[2]));
    wait_all(3);
    assert_doca(DOCA_ERROR_IO_FAILED, results[0].status);
    assert_doca(DOCA_ERROR_IO_FAILED, results[1].status);
    assert_ok(results[2].status);
    assert_ok(doca_urom_coll_barrier(teams[0], ops_done, &results[0]));
    all_are(1, DOCA_ERROR_IO_FAILED);
    destroy_teams(2, teams);
    close_members();
}

/* Both reach the other one at the same time, whose worker stands still until then. */
static void a_member_that_begins_and_leaves_fails_what_needs_it(void **state)
{
    struct area src[2], dst[2], other;
    pid_t pid;

    (void)state;
    open_members(2);
    for (unsigned int i = 0; i < 2; i++) {
        src[i] = area_open(i, LARGE, true);
        dst[i] = area_open(i, LARGE, true);
    }
    pid = team_pid(1);
    for (unsigned int k = 0; k < 2; k++) {
        const unsigned int i = 1 - k;
        struct ops_result *end = i == 0 ? &results[2] : &results[3];

        assert_ok(doca_urom_coll_allreduce(teams[i], at(&src[i], 0), at(&dst[i], 0), LARGE,
                                           DOCA_UROM_COLL_INT64, DOCA_UROM_COLL_SUM, ops_done,
                                           end));
        other = area_open(i, 8, true); /* it has begun when this is done */
        area_close(i, &other);
        if (i == 1)
            fixture_freeze(pid);
    }
    assert_ok(doca_urom_coll_team_destroy(teams[0], ops_done, &results[0]));
    all_are(1, DOCA_SUCCESS);
    assert_int_equal(kill(pid, SIGCONT), 0);
    while (results[3].count == 0)
        fixture_event(team.host.pe);
    assert_int_equal(results[2].count, 1);
    assert_doca(DOCA_ERROR_IO_FAILED, results[2].status);
    assert_doca(DOCA_ERROR_IO_FAILED, results[3].status);
    results[2].count = results[3].count = 0;
    assert_ok(doca_urom_coll_team_destroy(teams[1], ops_done, &results[0]));
    all_are(1, DOCA_SUCCESS);
    for (unsigned int i = 0; i < 2; i++) {
        area_close(i, &src[i]);
        area_close(i, &dst[i]);
    }
    close_members();
}

/* What a member whose worker is dead had in flight, and its team. */
static void bury(unsigned int i)
{
    /* IO_FAILED, now or later; in the first case the team stays until its operations end. */
    (void)doca_urom_coll_team_destroy(teams[i], ops_done, &results[i]);
    while (doca_urom_ops_get_inflight(ops[i]) > 0)
        fixture_event(team.host.pe);
    results[i].count = 0;
}

static void a_worker_that_dies_fails_the_team(void **state)
{
    (void)state;
    open_members(3);
    for (unsigned int i = 0; i < 2; i++)
        assert_ok(doca_urom_coll_barrier(teams[i], ops_done, &results[i]));
    kill(team_pid(2), SIGKILL);
    all_are(2, DOCA_ERROR_IO_FAILED);
    destroy_teams(2, teams);
    bury(2);
    close_members();
}

/* Its end cannot even be begun: nothing is lost, nothing waits, and no callback comes. */
static void a_team_without_its_worker_ends_with_its_operations(void **state)
{
    pid_t pid;

    (void)state;
    open_members(2);
    pid = team_pid(1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    fixture_wait_dead(pid);
    while (doca_urom_coll_barrier(teams[1], NULL, NULL) == DOCA_SUCCESS) {
        while (doca_urom_ops_get_inflight(ops[1]) > 0)
            fixture_event(team.host.pe);
    }
    for (unsigned int i = 0; i < 2; i++)
        assert_doca(DOCA_ERROR_IO_FAILED,
                    doca_urom_coll_team_destroy(teams[1], ops_done, &results[1]));
    fixture_daemon_kill(&daemon_one);
    for (unsigned int i = 0; i < 2; i++) {
        assert_doca(DOCA_ERROR_NOT_PERMITTED,
                    doca_urom_coll_team_destroy(teams[i], ops_done, &results[i]));
        assert_ok(doca_urom_ops_destroy(ops[i]));
        assert_int_equal(results[i].count, 0);
    }
    team_close(&team);
}

/* A member's worker has taken all that was posted before, and told the others. */
static void settle(unsigned int i)
{
    struct area area = area_open(i, 8, true);

    area_close(i, &area);
}

/* Of three, two wait in a barrier that the third one has not begun. It tells that nothing will come
 * of it: the one that is left learns, whether or not the third one ever begins. */
static void a_member_that_begins_and_dies_fails_who_waits_for_another(void **state)
{
    struct ops_result end = {0}, lost = {0};

    (void)state;
    open_members(3);
    for (unsigned int i = 0; i < 3; i++)
        assert_ok(doca_urom_coll_barrier(teams[i], ops_done, &results[i]));
    all_are(3, DOCA_SUCCESS);
    assert_ok(doca_urom_coll_barrier(teams[0], ops_done, &end));
    assert_ok(doca_urom_coll_barrier(teams[2], ops_done, &lost));
    settle(0);
    settle(2);
    assert_int_equal(end.count + lost.count, 0);
    kill(team_pid(2), SIGKILL);
    while (end.count == 0)
        fixture_event(team.host.pe);
    assert_doca(DOCA_ERROR_IO_FAILED, end.status);
    for (unsigned int i = 0; i < 2; i++)
        assert_ok(doca_urom_coll_barrier(teams[i], ops_done, &results[i]));
    all_are(2, DOCA_ERROR_IO_FAILED);
    destroy_teams(2, teams);
    bury(2);
    assert_int_equal(lost.count, 1);
    close_members();
}

/* The same without a death: it leaves, and another one begins too late. */
static void a_member_that_begins_and_leaves_fails_who_waits_for_another(void **state)
{
    struct ops_result end = {0}, lost = {0};

    (void)state;
    open_members(3);
    assert_ok(doca_urom_coll_barrier(teams[0], ops_done, &end));
    assert_ok(doca_urom_coll_barrier(teams[2], ops_done, &lost));
    settle(2);
    assert_ok(doca_urom_coll_team_destroy(teams[2], ops_done, &results[2]));
    while (results[2].count == 0 || end.count == 0)
        fixture_event(team.host.pe);
    results[2].count = 0;
    assert_doca(DOCA_ERROR_IO_FAILED, end.status);
    assert_doca(DOCA_ERROR_IO_FAILED, lost.status);
    assert_ok(doca_urom_coll_barrier(teams[1], ops_done, &results[1]));
    while (results[1].count == 0)
        fixture_event(team.host.pe);
    assert_doca(DOCA_ERROR_IO_FAILED, results[1].status);
    results[1].count = 0;
    destroy_teams(2, teams);
    close_members();
}

/* Long ones, each of another kind, which read one another's memory. */
static void post_long_ones(unsigned int i, const struct area *src, const struct area *dst,
                           struct ops_result *end)
{
    const size_t block = LARGE / 4;

    assert_ok(doca_urom_coll_bcast(teams[i], 0, at(src, 0), block * 8, ops_done, end));
    assert_ok(doca_urom_coll_alltoall(teams[i], at(src, 0), at(dst, 0), block * 8, ops_done, end));
    assert_ok(doca_urom_coll_allreduce(teams[i], at(src, 0), at(dst, 0), LARGE,
                                       DOCA_UROM_COLL_INT64, DOCA_UROM_COLL_SUM, ops_done, end));
    assert_ok(doca_urom_coll_allgather(teams[i], at(src, 0), at(dst, 0), block * 8, ops_done, end));
    assert_ok(doca_urom_coll_barrier(teams[i], ops_done, end));
}

/* Its worker stands still at one moment, and dies there. */
static void a_member_that_dies_at_any_moment_keeps_nobody(void **state)
{
    (void)state;
    for (unsigned int moment = 0; moment < 6; moment++) {
        struct ops_result ends[3] = {{0}};
        struct area src[3], dst[3];
        pid_t pid;

        open_members(3);
        for (unsigned int i = 0; i < 3; i++) {
            src[i] = area_open(i, LARGE, true);
            dst[i] = area_open(i, LARGE, i == 1);
        }
        pid = team_pid(2);
        for (unsigned int i = 3; i-- > 0;)
            post_long_ones(i, &src[i], &dst[i], &ends[i]);
        for (unsigned int calls = 0; calls < moment * moment * 100; calls++)
            doca_pe_progress(team.host.pe);
        kill(pid, SIGKILL);
        while (ends[0].count < 5 || ends[1].count < 5)
            fixture_event(team.host.pe);
        for (unsigned int i = 0; i < 2; i++)
            assert_ok(doca_urom_coll_barrier(teams[i], ops_done, &results[i]));
        all_are(2, DOCA_ERROR_IO_FAILED);
        destroy_teams(2, teams);
        bury(2);
        for (unsigned int i = 0; i < 2; i++) {
            area_close(i, &src[i]);
            area_close(i, &dst[i]);
        }
        doca_urom_ops_region_destroy(src[2].region, ops_done, &results[2]);
        doca_urom_ops_region_destroy(dst[2].region, ops_done, &results[2]);
        while (doca_urom_ops_get_inflight(ops[2]) > 0)
            fixture_event(team.host.pe);
        munmap(src[2].words, src[2].len);
        munmap(dst[2].words, dst[2].len);
        close_members();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_on_one_to_four_members),
        cmocka_unit_test(types_and_reductions),
        cmocka_unit_test(two_teams_a_thousand_times),
        cmocka_unit_test(a_member_far_ahead),
        cmocka_unit_test(members_that_disagree_all_hear_of_it),
        cmocka_unit_test(lists_that_differ_make_no_team),
        cmocka_unit_test(a_member_that_leaves_fails_what_needs_it),
        cmocka_unit_test(a_member_that_begins_and_leaves_fails_what_needs_it),
        cmocka_unit_test(a_worker_that_dies_fails_the_team),
        cmocka_unit_test(a_team_without_its_worker_ends_with_its_operations),
        cmocka_unit_test(a_member_that_begins_and_dies_fails_who_waits_for_another),
        cmocka_unit_test(a_member_that_begins_and_leaves_fails_who_waits_for_another),
        cmocka_unit_test(a_member_that_dies_at_any_moment_keeps_nobody),
    };

    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
