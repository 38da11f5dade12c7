/* SPDX-License-Identifier: BSD-3-Clause */
/* Clients and services on different hosts, which share nothing but a network. */
#include "hosts.h"
#include "ops_fixture.h"
#include "plugins/test_wire.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_urom_amo.h>
#include <doca_urom_coll.h>
#include <doca_urom_rma.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

#define ALL_HOSTS "10.99.8.0/24"
#define SIZE      (((size_t)5 << 20) + 12345) /* chunks, and an odd rest */
#define WORDS     100003

#define ACCESS                                                                                     \
    (DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE | DOCA_UROM_OPS_ACCESS_ATOMIC)

/* What a host has in most cases. */
static struct fixture_daemon daemon_one;
static struct ops_client client;
static struct ops_result result;

static void open_all(const char *const *plugins)
{
    hosts_daemon_start(&daemon_one, ALL_HOSTS);
    ops_client_open(&client, hosts_rank(), plugins);
}

static void close_all(void)
{
    ops_client_close(&client);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

/* ------------------------------------------------------------------------------------------------
 * Memory of another host
 */

struct area {
    uint8_t *bytes;
    struct doca_urom_ops_region *region;
};

struct far {
    uint64_t addr;
    size_t len;
    uint8_t desc[512];
};

static uint8_t pattern(unsigned int rank, size_t at)
{
    return (uint8_t)(at * 7 + rank * 31 + at / 4096);
}

static struct area area_open(size_t len, bool shareable)
{
    struct area area = {.bytes = ops_memory(len, shareable)};

    area.region = ops_region(&client, area.bytes, len, ACCESS);
    return area;
}

static void area_close(struct area *area, size_t len)
{
    ops_region_end(&client, area->region);
    munmap(area->bytes, len);
}

/* Tells the others of an area, and what host `of` tells. */
static struct far tell(unsigned int seat, const struct area *area, unsigned int of)
{
    struct far own = {.addr = (uintptr_t)area->bytes}, far;
    const void *desc;

    assert_ok(doca_urom_ops_region_get_desc(area->region, &desc, &own.len));
    memcpy(own.desc, desc, own.len);
    hosts_give(seat, &own, sizeof(own));
    hosts_get(seat, of, &far, sizeof(far));
    return far;
}

/* The same, and attaches that of the next host. */
static struct far exchange(unsigned int seat, const struct area *area,
                           struct doca_urom_ops_region **region)
{
    struct far far = tell(seat, area, (hosts_rank() + 1) % hosts_count());

    assert_ok(ops_attach(&client, far.desc, far.len, region));
    ops_region_is(*region, "remote");
    return far;
}

static void check_bytes(const uint8_t *bytes, unsigned int rank, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        assert_int_equal(bytes[i], pattern(rank, i));
}

static void put_and_get(struct area *src, struct doca_urom_ops_region *there, uint64_t addr,
                        struct area *back)
{
    assert_ok(doca_urom_rma_put(client.ops, src->region, (uintptr_t)src->bytes, there, addr, 64, 0,
                                ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    assert_ok(doca_urom_rma_put(client.ops, src->region, (uintptr_t)src->bytes + 64, there,
                                addr + 64, SIZE - 64, 0, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    assert_ok(doca_urom_rma_get(client.ops, back->region, (uintptr_t)back->bytes, there, addr, SIZE,
                                0, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    check_bytes(back->bytes, hosts_rank(), 0, SIZE);
}

/* Many at once: the last one, behind a fence, says that all are there. */
static void put_in_pieces(struct area *src, struct doca_urom_ops_region *there, uint64_t addr)
{
    const size_t piece = SIZE / 32;

    for (size_t i = 0; i < 32; i++)
        assert_ok(doca_urom_rma_put(client.ops, src->region, (uintptr_t)src->bytes + i * piece,
                                    there, addr + i * piece, piece, 0, ops_done, &result));
    assert_ok(doca_urom_rma_put_inline(client.ops, "end", 4, there, addr + 32 * piece,
                                       DOCA_UROM_OPS_FENCE, ops_done, &result));
    while (result.count < 33)
        fixture_event(client.host.pe);
    result.count = 0;
    assert_ok(result.status);
}

/* Of each kind of memory: everybody writes to the next one, and all at the same time. */
static void copies_of(bool shareable, unsigned int seat)
{
    const unsigned int before = (hosts_rank() + hosts_count() - 1) % hosts_count();
    struct area src = area_open(SIZE, shareable), dst = area_open(SIZE, shareable);
    struct area back = area_open(SIZE, !shareable);
    struct doca_urom_ops_region *there;
    struct far far;

    for (size_t i = 0; i < SIZE; i++)
        src.bytes[i] = pattern(hosts_rank(), i);
    far = exchange(seat, &dst, &there);
    put_and_get(&src, there, far.addr, &back);
    hosts_barrier(seat + 1);
    check_bytes(dst.bytes, before, 0, SIZE);
    memset(dst.bytes, 0, SIZE);
    hosts_barrier(seat + 2);
    put_in_pieces(&src, there, far.addr);
    hosts_barrier(seat + 3);
    check_bytes(dst.bytes, before, 0, SIZE / 32 * 32);
    assert_string_equal((char *)dst.bytes + SIZE / 32 * 32, "end");
    hosts_barrier(seat + 4);
    ops_region_end(&client, there);
    area_close(&src, SIZE);
    area_close(&dst, SIZE);
    area_close(&back, SIZE);
}

static void copies(void)
{
    static const char *const plugins[] = {"worker_rma", NULL};

    open_all(plugins);
    copies_of(true, 0);
    copies_of(false, 10);
    close_all();
}

static void amo_done(struct doca_urom_ops *ops, doca_error_t status, uint64_t before,
                     void *user_data)
{
    struct ops_result *one = user_data;

    ops_done(ops, status, user_data);
    one->value = before;
}

static doca_error_t atomic(struct doca_urom_ops_region *region, uint64_t addr,
                           enum doca_urom_amo_op op, uint64_t operand)
{
    const struct doca_urom_amo amo = {
        .op = op, .region = region, .addr = addr, .value = operand, .size = 8};

    assert_ok(doca_urom_amo_post(client.ops, &amo, amo_done, &result));
    return ops_wait(&client, &result);
}

/* All count in the memory of host 0, those on it too. */
static void counters(void)
{
    static const char *const plugins[] = {"worker_amo", NULL};
    struct area area;
    struct doca_urom_ops_region *there;
    struct far far;

    open_all(plugins);
    for (unsigned int kind = 0; kind < 2; kind++) {
        area = area_open(4096, kind == 0);
        far = exchange(4 * kind, &area, &there);
        for (unsigned int i = 0; i < 100; i++)
            assert_ok(atomic(there, far.addr + 8, DOCA_UROM_AMO_FETCH_ADD, 1));
        assert_int_equal(result.value, 99);
        assert_ok(atomic(there, far.addr + 8, DOCA_UROM_AMO_SWAP, 7));
        assert_int_equal(result.value, 100);
        hosts_barrier(4 * kind + 1);
        assert_int_equal(atomic_load((_Atomic uint64_t *)area.bytes + 1), 7);
        assert_doca(DOCA_ERROR_INVALID_VALUE,
                    atomic(there, far.addr + 4096, DOCA_UROM_AMO_SWAP, 7));
        hosts_barrier(4 * kind + 2);
        ops_region_end(&client, there);
        area_close(&area, 4096);
    }
    close_all();
}

/* ------------------------------------------------------------------------------------------------
 * Collectives
 */

static struct doca_urom_domain *domain;
static struct doca_urom_coll_team *team, *second_team;

static void team_done(struct doca_urom_coll_team *one, doca_error_t status, void *user_data)
{
    (void)one;
    ops_done(NULL, status, user_data);
}

/* Of the first `n` hosts. */
static struct doca_urom_coll_team *make_team(uint64_t id, unsigned int n)
{
    struct doca_urom_coll_team *made;
    uint64_t ids[HOSTS_MAX];

    for (unsigned int i = 0; i < n; i++)
        ids[i] = 10 + i;
    assert_ok(doca_urom_coll_team_create(client.ops, id, 10 + hosts_rank(), ids, n, team_done,
                                         &result, &made));
    assert_ok(ops_wait(&client, &result));
    return made;
}

static void open_team(void)
{
    domain = hosts_domain(client.host.pe, client.worker);
    team = make_team(3, hosts_count());
}

static void close_domain(void)
{
    assert_ok(doca_ctx_stop(doca_urom_domain_as_ctx(domain)));
    assert_ok(doca_urom_domain_destroy(domain));
}

static void close_team(void)
{
    assert_ok(doca_urom_coll_team_destroy(team, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    close_domain();
}

static struct doca_urom_coll_place place_of(const struct area *area)
{
    return (struct doca_urom_coll_place){area->region, (uintptr_t)area->bytes};
}

static struct doca_urom_coll_place inlined(const void *at)
{
    return (struct doca_urom_coll_place){NULL, (uintptr_t)at};
}

static doca_error_t post_allreduce(struct doca_urom_coll_team *one, const struct area *src,
                                   const struct area *dst, size_t count, struct ops_result *end)
{
    return doca_urom_coll_allreduce(one, place_of(src), place_of(dst), count, DOCA_UROM_COLL_UINT64,
                                    DOCA_UROM_COLL_SUM, ops_done, end);
}

static doca_error_t allreduce(const struct area *src, const struct area *dst, size_t count)
{
    doca_error_t status = post_allreduce(team, src, dst, count, &result);

    return status == DOCA_SUCCESS ? ops_wait(&client, &result) : status;
}

static void small_collectives(void)
{
    const unsigned int n = hosts_count(), rank = hosts_rank();
    uint64_t value = rank + 1, sum = 0, all[HOSTS_MAX];

    for (unsigned int i = 0; i < 100; i++) {
        assert_ok(doca_urom_coll_allreduce(team, inlined(&value), inlined(&sum), 1,
                                           DOCA_UROM_COLL_UINT64, DOCA_UROM_COLL_SUM, ops_done,
                                           &result));
        assert_ok(ops_wait(&client, &result));
        assert_int_equal(sum, n * (n + 1) / 2);
    }
    assert_ok(doca_urom_coll_barrier(team, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    assert_ok(doca_urom_coll_allgather(team, inlined(&value), inlined(all), 8, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    for (unsigned int i = 0; i < n; i++)
        assert_int_equal(all[i], i + 1);
}

static void large_collectives(struct area *src, struct area *dst)
{
    const unsigned int n = hosts_count(), rank = hosts_rank();
    uint64_t *from = (uint64_t *)src->bytes, *to = (uint64_t *)dst->bytes;

    for (size_t i = 0; i < WORDS * n; i++)
        from[i] = (rank + 1) * i;
    assert_ok(allreduce(src, dst, 10)); /* with the messages, out of memory and into it */
    for (size_t i = 0; i < 10; i++)
        assert_true(to[i] == n * (n + 1) / 2 * i);
    assert_ok(allreduce(src, dst, WORDS));
    for (size_t i = 0; i < WORDS; i++)
        assert_true(to[i] == n * (n + 1) / 2 * i);
    assert_ok(
        doca_urom_coll_alltoall(team, place_of(src), place_of(dst), WORDS * 8, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    for (size_t i = 0; i < WORDS * n; i++)
        assert_true(to[i] == (i / WORDS + 1) * (rank * WORDS + i % WORDS));
    assert_ok(doca_urom_coll_bcast(team, n - 1, place_of(src), WORDS * 8, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    for (size_t i = 0; i < WORDS; i++)
        assert_true(from[i] == n * i);
}

static void every_collective(void)
{
    struct area src = area_open(WORDS * 8 * hosts_count(), hosts_rank() % 2 == 0);
    struct area dst = area_open(WORDS * 8 * hosts_count(), hosts_rank() < 2);

    open_team();
    small_collectives();
    large_collectives(&src, &dst);
    close_team();
    hosts_barrier(20);
    area_close(&src, WORDS * 8 * hosts_count());
    area_close(&dst, WORDS * 8 * hosts_count());
}

static void collectives(void)
{
    static const char *const plugins[] = {"worker_coll", NULL};

    open_all(plugins);
    every_collective();
    close_all();
}

/* ------------------------------------------------------------------------------------------------
 * Clients of a service that is elsewhere
 */

/* The one of host 0, for all. */
static void open_elsewhere(const char *const *plugins, const char *net)
{
    if (hosts_rank() == 0)
        hosts_daemon_start(&daemon_one, net);
    hosts_barrier(30);
    if (hosts_rank() > 0) {
        setenv("DOCA_UROM_SOCKET", "tcp:10.99.8.1:18610", 1);
        hosts_secret("DOCA_UROM_TOKEN_FILE", "a secret of all hosts");
    }
    if (plugins != NULL)
        ops_client_open(&client, hosts_rank(), plugins);
}

static void close_elsewhere(void)
{
    ops_client_close(&client);
    hosts_barrier(31);
    if (hosts_rank() == 0)
        assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void clients_elsewhere(void)
{
    static const char *const plugins[] = {"worker_rma", "worker_coll", NULL};
    struct area src, dst;

    open_elsewhere(plugins, ALL_HOSTS);
    src = area_open(SIZE, false);
    dst = area_open(SIZE, true);
    ops_region_is(src.region, hosts_rank() == 0 ? "vm" : "remote");
    for (size_t i = 0; i < SIZE; i++)
        src.bytes[i] = pattern(hosts_rank(), i);
    assert_ok(doca_urom_rma_put(client.ops, src.region, (uintptr_t)src.bytes, dst.region,
                                (uintptr_t)dst.bytes, SIZE, 0, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    check_bytes(dst.bytes, hosts_rank(), 0, SIZE);
    area_close(&src, SIZE);
    area_close(&dst, SIZE);
    every_collective();
    close_elsewhere();
}

/* ------------------------------------------------------------------------------------------------
 * Who is refused
 */

static doca_error_t start_service(void)
{
    struct fixture_host host;
    doca_error_t status;

    fixture_host_prepare(&host);
    status = doca_ctx_start(host.service_ctx);
    if (status == DOCA_SUCCESS)
        assert_ok(doca_ctx_stop(host.service_ctx));
    assert_ok(doca_urom_service_destroy(host.service));
    assert_ok(doca_pe_destroy(host.pe));
    assert_ok(doca_dev_close(host.dev));
    return status;
}

/* Host 1 is of the network that is allowed, host 2 is not. */
static void refusals(void)
{
    open_elsewhere(NULL, "10.99.8.2/32");
    if (hosts_rank() == 1) {
        assert_ok(start_service());
        hosts_secret("DOCA_UROM_TOKEN_FILE", "another secret");
        assert_doca(DOCA_ERROR_NOT_PERMITTED, start_service());
        unsetenv("DOCA_UROM_TOKEN_FILE");
        assert_doca(DOCA_ERROR_NOT_PERMITTED, start_service());
    }
    if (hosts_rank() == 2)
        assert_doca(DOCA_ERROR_NOT_PERMITTED, start_service());
    hosts_barrier(1);
    if (hosts_rank() > 0)
        return;
    assert_int_equal(fixture_log_count(&daemon_one, "is refused (identity)"), 3);
    assert_int_equal(fixture_log_count(&daemon_one, "(DOCA_UROM_TOKEN_FILE) is missing"), 2);
    assert_int_equal(fixture_log_count(&daemon_one, "--allow-net does not admit"), 1);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

/* Over the devices file, the socket over the mapping file. */
static void variables_win(void)
{
    setenv("DOCA_UROM_SERVICE_FILE", "/dev/null", 1);
    assert_doca(DOCA_ERROR_BAD_CONFIG, start_service());
    setenv("DOCA_UROM_SOCKET", "unix:/nowhere", 1);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, start_service());
    unsetenv("DOCA_UROM_SOCKET");
    unsetenv("DOCA_UROM_SERVICE_FILE");
}

/* Nothing but the devices file, the same on both hosts, says where the service is. On its own host
 * that is the local one. */
static void devices_file_leads_there(void)
{
    static const char *const plugins[] = {"worker_rma", NULL};
    struct area area;
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/devices.json", fixture_dir());
    file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fprintf(file,
                        "{\"devices\": [{\"role\": \"host\", \"pci\": \"b1:00.0\"},\n"
                        "{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"urom_service\": \"%s\"}]}\n",
                        hosts_addr(0)) > 0);
    assert_int_equal(fclose(file), 0);
    setenv("OPENDOCA_CONFIG", path, 1);
    if (hosts_rank() == 0)
        hosts_daemon_start(&daemon_one, ALL_HOSTS);
    hosts_barrier(30);
    hosts_secret("DOCA_UROM_TOKEN_FILE", "a secret of all hosts");
    variables_win();
    ops_client_open(&client, hosts_rank(), plugins);
    area = area_open(4096, false);
    ops_region_is(area.region, hosts_rank() == 0 ? "vm" : "remote");
    assert_ok(doca_urom_rma_put_inline(client.ops, "there", 6, area.region, (uintptr_t)area.bytes,
                                       0, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    assert_string_equal((char *)area.bytes, "there");
    area_close(&area, 4096);
    close_elsewhere();
}

/* ------------------------------------------------------------------------------------------------
 * Deaths
 */

/* The worker goes on with what has nothing to do with it. */
static void still_works(struct area *src, struct area *dst)
{
    assert_ok(doca_urom_rma_put(client.ops, src->region, (uintptr_t)src->bytes, dst->region,
                                (uintptr_t)dst->bytes, SIZE, 0, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
}

/* Writes to host 1 until that fails. */
static doca_error_t put_until_lost(struct area *src, struct doca_urom_ops_region *there,
                                   uint64_t addr)
{
    const uint64_t end = fixture_now_ms() + PATIENCE;
    doca_error_t status;

    do {
        assert_ok(doca_urom_rma_put(client.ops, src->region, (uintptr_t)src->bytes, there, addr,
                                    SIZE, 0, ops_done, &result));
        status = ops_wait(&client, &result);
        assert_true(fixture_now_ms() < end);
    } while (status == DOCA_SUCCESS);
    return status;
}

/* Host 1 loses its client, or its network, while host 0 writes there. */
static void lose_memory(bool cable)
{
    static const char *const plugins[] = {"worker_rma", NULL};
    struct doca_urom_ops_region *there;
    struct area src, dst;
    struct far far;

    open_all(plugins);
    src = area_open(SIZE, false);
    dst = area_open(SIZE, true);
    far = exchange(0, &dst, &there);
    hosts_barrier(1);
    if (hosts_rank() == 1) {
        poll(NULL, 0, 20); /* it may also be lost before the first write */
        if (!cable)
            kill(getpid(), SIGKILL);
        hosts_cut();
    } else {
        doca_error_t status = put_until_lost(&src, there, far.addr);

        assert_true(status == DOCA_ERROR_NOT_FOUND || (cable && status == DOCA_ERROR_IO_FAILED));
        still_works(&src, &dst);
        ops_region_end(&client, there);
        status = ops_attach(&client, far.desc, far.len, &there);
        assert_true(status == DOCA_ERROR_NOT_FOUND || status == DOCA_ERROR_IO_FAILED);
        still_works(&src, &dst);
    }
    if (cable)
        hosts_barrier(2);
    if (hosts_rank() == 1)
        ops_region_end(&client, there);
    area_close(&src, SIZE);
    area_close(&dst, SIZE);
    close_all();
}

static void owner_dies(void)
{
    lose_memory(false);
}

static void cable_is_cut(void)
{
    lose_memory(true);
}

static pid_t own_worker(void)
{
    json_t *status = fixture_status();
    json_t *worker = json_array_get(json_object_get(status, "workers"), 0);
    pid_t pid = (pid_t)json_integer_value(json_object_get(worker, "pid"));

    json_decref(status);
    assert_true(pid > 0);
    return pid;
}

/* Operations that have begun everywhere, and one that has not. */
static void worker_dies(void)
{
    static const char *const plugins[] = {"worker_coll", NULL};
    struct area src, dst;
    doca_error_t status;

    open_all(plugins);
    src = area_open(WORDS * 8, true);
    dst = area_open(WORDS * 8, false);
    open_team();
    assert_ok(allreduce(&src, &dst, WORDS));
    hosts_barrier(1);
    if (hosts_rank() == 1)
        kill(own_worker(), SIGKILL);
    else
        while ((status = allreduce(&src, &dst, WORDS)) == DOCA_SUCCESS)
            ;
    if (hosts_rank() != 1)
        assert_doca(DOCA_ERROR_IO_FAILED, status);
    hosts_barrier(2);
    exit(0); /* whose end is not what this is about */
}

static void await(struct ops_result *end)
{
    while (end->count == 0)
        fixture_event(client.host.pe);
}

/* Of a few bytes of one's own. */
static void small_put(struct area *src, struct area *dst)
{
    assert_ok(doca_urom_rma_put(client.ops, src->region, (uintptr_t)src->bytes, dst->region,
                                (uintptr_t)dst->bytes, 64, 0, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
}

/* Host 0, whose worker cannot attach host 1's memory: everything else goes on. A team that is
 * destroyed meanwhile is gone when what is away has come back. */
static void go_on_without(pid_t owner, struct area *src, struct area *dst)
{
    struct ops_result one = {0}, two = {0}, gone = {0};
    uint64_t frozen;

    fixture_freeze(owner);
    hosts_barrier(1);
    frozen = fixture_now_ms();
    assert_ok(post_allreduce(team, src, dst, WORDS, &one));
    assert_ok(post_allreduce(second_team, src, dst, WORDS, &two));
    small_put(src, dst);
    /* They are given up after 5 s. */
    assert_true(one.count + two.count == 0 || fixture_now_ms() - frozen >= 3000);
    assert_ok(doca_urom_coll_team_destroy(second_team, ops_done, &gone));
    await(&gone);
    assert_int_equal(two.count, 1);
    await(&one);
    hosts_barrier(2);
    assert_int_equal(kill(owner, SIGCONT), 0);
    assert_doca(DOCA_ERROR_IO_FAILED, one.status);
    assert_doca(DOCA_ERROR_IO_FAILED, two.status);
    assert_ok(gone.status);
}

/* Host 1, which stands still meanwhile. */
static void stand_still(const struct area *src, const struct area *dst)
{
    struct ops_result one = {0}, two = {0};
    const pid_t self = getpid();

    assert_ok(post_allreduce(team, src, dst, WORDS, &one));
    assert_ok(post_allreduce(second_team, src, dst, WORDS, &two));
    hosts_arrive(1);
    hosts_arrive(2);
    hosts_give(0, &self, sizeof(self)); /* may be stopped from now on */
    await(&one);
    await(&two);
    assert_doca(DOCA_ERROR_IO_FAILED, one.status);
    assert_doca(DOCA_ERROR_IO_FAILED, two.status);
    assert_ok(doca_urom_coll_team_destroy(second_team, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
}

/* Host 2 has attached it before: the memory is there, but out of reach. */
static void write_in_vain(struct area *src, struct doca_urom_ops_region *there, uint64_t addr)
{
    hosts_barrier(1);
    for (unsigned int i = 0; i < 2; i++) {
        assert_ok(doca_urom_rma_put(client.ops, src->region, (uintptr_t)src->bytes, there, addr, 64,
                                    0, ops_done, &result));
        assert_doca(DOCA_ERROR_IO_FAILED, ops_wait(&client, &result));
    }
    hosts_barrier(2);
}

/* The client of host 1 does when its memory is needed. */
static void owner_stands_still(void)
{
    static const char *const plugins[] = {"worker_rma", "worker_coll", NULL};
    struct doca_urom_ops_region *there = NULL;
    struct area src, dst;
    struct far far;
    pid_t owner = 0;

    open_all(plugins);
    src = area_open(WORDS * 8, true);
    dst = area_open(WORDS * 8, false);
    domain = hosts_domain(client.host.pe, client.worker);
    if (hosts_rank() < 2) {
        team = make_team(3, 2);
        second_team = make_team(4, 2);
    }
    far = tell(3, &dst, 1);
    if (hosts_rank() == 2)
        assert_ok(ops_attach(&client, far.desc, far.len, &there));
    if (hosts_rank() == 1) {
        stand_still(&src, &dst);
    } else {
        hosts_give(0, &owner, sizeof(owner));
        hosts_get(0, 1, &owner, sizeof(owner));
        if (hosts_rank() == 0)
            go_on_without(owner, &src, &dst);
        else
            write_in_vain(&src, there, far.addr);
    }
    if (hosts_rank() < 2) {
        assert_ok(allreduce(&src, &dst, WORDS)); /* as usual */
        close_team();
    } else {
        ops_region_end(&client, there);
        close_domain();
    }
    hosts_barrier(4);
    area_close(&src, WORDS * 8);
    area_close(&dst, WORDS * 8);
    close_all();
}

/* Host 0, whose results go to host 1's client, which stands still. The first one is under way and
 * the second one waits for it when the team is destroyed; both are what they were until they end.
 */
static void leave_before_the_results(struct area *src, struct doca_urom_ops_region *there,
                                     uint64_t addr, struct area *dst)
{
    const struct doca_urom_coll_place far_dst = {there, addr};
    struct ops_result ends[2] = {0}, all = {0}, gone = {0};
    pid_t owner;

    hosts_get(0, 1, &owner, sizeof(owner));
    fixture_freeze(owner);
    for (unsigned int i = 0; i < 2; i++)
        assert_ok(doca_urom_coll_allreduce(team, place_of(src), far_dst, 8, DOCA_UROM_COLL_UINT64,
                                           DOCA_UROM_COLL_SUM, ops_done, &ends[i]));
    assert_ok(doca_urom_coll_barrier(team, ops_done, &all));
    await(&all); /* what came before it has begun everywhere */
    assert_ok(all.status);
    assert_ok(doca_urom_coll_team_destroy(team, ops_done, &gone));
    small_put(src, dst);
    assert_int_equal(kill(owner, SIGCONT), 0);
    await(&gone);
    assert_ok(gone.status);
    for (unsigned int i = 0; i < 2; i++) {
        assert_int_equal(ends[i].count, 1);
        assert_doca(DOCA_ERROR_IO_FAILED, ends[i].status);
    }
}

static void stand_still_with_results(const struct area *src, const struct area *dst)
{
    struct ops_result ends[2] = {0}, all = {0};
    const pid_t self = getpid();

    for (unsigned int i = 0; i < 2; i++)
        assert_ok(post_allreduce(team, src, dst, 8, &ends[i]));
    assert_ok(doca_urom_coll_barrier(team, ops_done, &all));
    hosts_give(0, &self, sizeof(self)); /* may be stopped from now on */
    for (unsigned int i = 0; i < 2; i++) {
        await(&ends[i]);
        assert_ok(ends[i].status);
    }
    await(&all);
    assert_ok(all.status);
    assert_ok(doca_urom_coll_team_destroy(team, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
}

static void team_goes_before_its_results(void)
{
    static const char *const plugins[] = {"worker_rma", "worker_coll", NULL};
    struct doca_urom_ops_region *there = NULL;
    struct area src, dst;
    const pid_t nobody = 0;
    struct far far;

    open_all(plugins);
    src = area_open(WORDS * 8, true);
    dst = area_open(WORDS * 8, false);
    domain = hosts_domain(client.host.pe, client.worker);
    team = make_team(3, 2);
    far = tell(3, &dst, 1);
    if (hosts_rank() == 1) {
        stand_still_with_results(&src, &dst);
    } else {
        assert_ok(ops_attach(&client, far.desc, far.len, &there));
        hosts_give(0, &nobody, sizeof(nobody));
        leave_before_the_results(&src, there, far.addr, &dst);
        ops_region_end(&client, there);
    }
    close_domain();
    hosts_barrier(4);
    area_close(&src, WORDS * 8);
    area_close(&dst, WORDS * 8);
    close_all();
}

/* The one of host 1, while it is read. */
static void owner_of_a_team_dies(void)
{
    static const char *const plugins[] = {"worker_rma", "worker_coll", NULL};
    const pid_t self = getpid();
    struct ops_result end = {0};
    struct area src, dst;
    pid_t owner;

    open_all(plugins);
    src = area_open(SIZE / 8 * 8, true);
    dst = area_open(SIZE / 8 * 8, false);
    open_team();
    hosts_give(0, &self, sizeof(self));
    hosts_get(0, 1, &owner, sizeof(owner));
    for (unsigned int i = 0; hosts_rank() == 1 || i < 3; i++)
        (void)allreduce(&src, &dst, SIZE / 8);
    assert_ok(post_allreduce(team, &src, &dst, SIZE / 8, &end));
    if (hosts_rank() == 0)
        assert_int_equal(kill(owner, SIGKILL), 0);
    await(&end);
    if (end.status == DOCA_SUCCESS) /* it was faster */
        end.status = allreduce(&src, &dst, SIZE / 8);
    assert_doca(DOCA_ERROR_IO_FAILED, end.status);
    small_put(&src, &dst);
    close_team();
    area_close(&src, SIZE / 8 * 8);
    area_close(&dst, SIZE / 8 * 8);
    close_all();
}

/* A client loses its service with the network: what is in flight fails, and nothing else can be
 * begun. */
static void far_service_is_cut_off(void)
{
    struct doca_urom_worker_cmd_task *task;
    struct fixture_result done = {0};
    struct fixture_host host;
    struct doca_urom_worker *worker;
    const struct test_cmd hold = {.op = TEST_HOLD};
    doca_error_t status;
    uint64_t cut;

    open_elsewhere(NULL, ALL_HOSTS);
    if (hosts_rank() == 0) {
        hosts_barrier(1);
        hosts_barrier(2);
        assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
        return;
    }
    fixture_host_open(&host);
    worker = fixture_worker(&host, 5, fixture_plugin(&host, "worker_test"));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    task = fixture_task(worker, fixture_plugin(&host, "worker_test"), &done);
    fixture_payload(task, &hold, sizeof(hold));
    assert_ok(fixture_submit(task));
    hosts_barrier(1);
    hosts_cut();
    cut = fixture_now_ms();
    fixture_event(host.pe);
    assert_true(fixture_now_ms() - cut <
                15000); /* 5 s without a sign of life, and a busy machine */
    assert_int_equal(done.count, 1);
    assert_doca(DOCA_ERROR_IO_FAILED, done.status);
    status = fixture_submit(task);
    assert_true(status == DOCA_ERROR_IO_FAILED || status == DOCA_ERROR_NOT_PERMITTED);
    doca_task_free(doca_urom_worker_cmd_task_as_task(task));
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
    hosts_barrier(2);
}

/* ------------------------------------------------------------------------------------------------
 * The test
 */

static const struct hosts_case cases[] = {
    {"copies", copies},
    {"counters", counters},
    {"collectives", collectives},
    {"devices_file_leads_there", devices_file_leads_there},
    {"clients_elsewhere", clients_elsewhere},
    {"refusals", refusals},
    {"owner_dies", owner_dies},
    {"cable_is_cut", cable_is_cut},
    {"worker_dies", worker_dies},
    {"owner_stands_still", owner_stands_still},
    {"team_goes_before_its_results", team_goes_before_its_results},
    {"owner_of_a_team_dies", owner_of_a_team_dies},
    {"far_service_is_cut_off", far_service_is_cut_off},
    {NULL, NULL},
};

static void run_on(unsigned int n, const char *name)
{
    /* Pulled cables take their time, not the processor's: once is enough. */
    if ((HAS_SANITIZER && strstr(name, "cut") != NULL) || !hosts_make(n))
        skip();
    hosts_run(name, strncmp(name, "owner", 5) == 0 && strstr(name, "dies") != NULL ? 1u << 1 : 0);
}

static int remove_hosts(void **state)
{
    (void)state;
    hosts_remove();
    return 0;
}

#define CASE(name, n)                                                                              \
    static void name##_on_##n##_hosts(void **state)                                                \
    {                                                                                              \
        (void)state;                                                                               \
        run_on(n, #name);                                                                          \
    }

CASE(copies, 2)
CASE(copies, 3)
CASE(counters, 2)
CASE(collectives, 2)
CASE(collectives, 4)
CASE(devices_file_leads_there, 2)
CASE(clients_elsewhere, 3)
CASE(refusals, 3)
CASE(owner_dies, 2)
CASE(cable_is_cut, 2)
CASE(worker_dies, 3)
CASE(owner_stands_still, 3)
CASE(team_goes_before_its_results, 2)
CASE(owner_of_a_team_dies, 3)
CASE(far_service_is_cut_off, 2)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(copies_on_2_hosts, remove_hosts),
        cmocka_unit_test_teardown(copies_on_3_hosts, remove_hosts),
        cmocka_unit_test_teardown(counters_on_2_hosts, remove_hosts),
        cmocka_unit_test_teardown(collectives_on_2_hosts, remove_hosts),
        cmocka_unit_test_teardown(collectives_on_4_hosts, remove_hosts),
        cmocka_unit_test_teardown(devices_file_leads_there_on_2_hosts, remove_hosts),
        cmocka_unit_test_teardown(clients_elsewhere_on_3_hosts, remove_hosts),
        cmocka_unit_test_teardown(refusals_on_3_hosts, remove_hosts),
        cmocka_unit_test_teardown(owner_dies_on_2_hosts, remove_hosts),
        cmocka_unit_test_teardown(cable_is_cut_on_2_hosts, remove_hosts),
        cmocka_unit_test_teardown(worker_dies_on_3_hosts, remove_hosts),
        cmocka_unit_test_teardown(owner_stands_still_on_3_hosts, remove_hosts),
        cmocka_unit_test_teardown(team_goes_before_its_results_on_2_hosts, remove_hosts),
        cmocka_unit_test_teardown(owner_of_a_team_dies_on_3_hosts, remove_hosts),
        cmocka_unit_test_teardown(far_service_is_cut_off_on_2_hosts, remove_hosts),
    };

    hosts_main(argc, argv, cases);
    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
