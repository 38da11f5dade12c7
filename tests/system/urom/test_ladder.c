/* SPDX-License-Identifier: BSD-3-Clause */
/* Step by step, from one pair of clients upward, each step exactly as it is promised: what must
 * work first, and what must not work at all. */
#include "hosts.h"
#include "ops_fixture.h"
#include "plugins/test_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_urom_amo.h>
#include <doca_urom_rma.h>

#define ALL_HOSTS "10.99.8.0/24"
#define PUT_LEN   64u
#define LARGE     ((size_t)1 << 20)
#define ACCESS                                                                                     \
    (DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE | DOCA_UROM_OPS_ACCESS_ATOMIC)

static const char *const put_only[] = {"worker_rma", NULL};
static const char *const put_and_add[] = {"worker_rma", "worker_amo", NULL};

static struct fixture_daemon daemon_one;
static struct ops_client client;
static struct ops_result result;

/* ------------------------------------------------------------------------------------------------
 * A pair: each client puts into the memory of the next one, and gets it back
 */

struct far {
    uint64_t addr;
    size_t len;
    uint8_t desc[512];
};

static struct far tell_of(unsigned int seat, const void *memory,
                          const struct doca_urom_ops_region *region)
{
    struct far own = {.addr = (uintptr_t)memory}, far;
    const void *desc;

    assert_ok(doca_urom_ops_region_get_desc(region, &desc, &own.len));
    memcpy(own.desc, desc, own.len);
    hosts_give(seat, &own, sizeof(own));
    hosts_get(seat, (hosts_rank() + 1) % hosts_count(), &far, sizeof(far));
    return far;
}

static void fill(uint8_t *bytes, unsigned int rank)
{
    for (unsigned int i = 0; i < PUT_LEN; i++)
        bytes[i] = (uint8_t)(rank * 64 + i);
}

static void put_and_get_with_the_next(void)
{
    const unsigned int before = (hosts_rank() + hosts_count() - 1) % hosts_count();
    uint8_t *memory = ops_memory(4096, false), *target = ops_memory(4096, false);
    struct doca_urom_ops_region *own, *offered, *there;
    uint8_t expected[PUT_LEN];
    uint64_t executed;
    struct far far;

    ops_client_open(&client, hosts_rank(), put_only);
    own = ops_region(&client, memory, 4096, 0);
    offered = ops_region(&client, target, 4096, ACCESS);
    far = tell_of(0, target, offered);
    assert_ok(ops_attach(&client, far.desc, far.len, &there));
    executed = fixture_counter_of(hosts_rank(), "ok");
    fill(memory, hosts_rank());
    assert_ok(doca_urom_rma_put(client.ops, own, (uintptr_t)memory, there, far.addr, PUT_LEN, 0,
                                ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    hosts_barrier(1);
    fill(expected, before);
    assert_memory_equal(target, expected, PUT_LEN);
    assert_ok(doca_urom_rma_get(client.ops, own, (uintptr_t)memory + 2048, there, far.addr, PUT_LEN,
                                0, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    assert_memory_equal(memory + 2048, memory, PUT_LEN);
    assert_int_equal(fixture_counter_of(hosts_rank(), "ok") - executed, 2);
    assert_int_equal(fixture_counter_of(hosts_rank(), "failed"), 0);
    hosts_barrier(2);
    ops_region_end(&client, there);
    ops_region_end(&client, offered);
    ops_region_end(&client, own);
    ops_client_close(&client);
    munmap(target, 4096);
    munmap(memory, 4096);
}

/* Clients 0 and 1 have one service, client 2 has another. */
static void pairs_here(void)
{
    if (hosts_rank() % 2 == 0)
        fixture_daemon_start(&daemon_one, NULL);
    hosts_barrier(10);
    put_and_get_with_the_next();
    hosts_barrier(11);
    if (hosts_rank() % 2 == 0)
        assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void pairs_of_hosts(void)
{
    hosts_daemon_start(&daemon_one, ALL_HOSTS);
    put_and_get_with_the_next();
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void pairs_of_one_service_and_of_two(void **state)
{
    (void)state;
    hosts_pretend(3);
    hosts_run("pairs_here", 0);
}

static void a_pair_on_two_hosts(void **state)
{
    (void)state;
    if (!hosts_make(2))
        skip();
    hosts_run("pairs_of_hosts", 0);
}

/* ------------------------------------------------------------------------------------------------
 * A hundred puts, then a hundred additions
 */

static void amo_done(struct doca_urom_ops *ops, doca_error_t status, uint64_t before,
                     void *user_data)
{
    struct ops_result *one = user_data;

    assert_int_equal(before, one->value++); /* nobody else adds, and no addition is lost */
    ops_done(ops, status, user_data);
}

/* Posts one, with progress as long as there is no room. */
static void post(uint64_t number, struct doca_urom_ops_region *region, uint64_t addr,
                 struct ops_result *puts, struct ops_result *adds)
{
    const struct doca_urom_amo amo = {
        .op = DOCA_UROM_AMO_FETCH_ADD, .size = 8, .region = region, .addr = addr, .value = 1};
    doca_error_t posted = DOCA_ERROR_AGAIN;
    const uint64_t zero = 0;

    while (posted == DOCA_ERROR_AGAIN) {
        posted = number < 100 ? doca_urom_rma_put_inline(client.ops, &zero, 8, region, addr, 0,
                                                         ops_done, puts)
                              : doca_urom_amo_post(client.ops, &amo, amo_done, adds);
        if (posted == DOCA_ERROR_AGAIN)
            fixture_event(client.host.pe);
        doca_pe_progress(client.host.pe);
    }
    assert_ok(posted);
}

static void two_hundred_operations(bool shareable)
{
    struct ops_result puts = {0}, adds = {0};
    struct doca_urom_ops_region *region;
    struct ops_peer peer;
    uint64_t word;

    ops_client_open(&client, 1, put_and_add);
    ops_peer_start(&peer, 4096, shareable, ACCESS);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &region));
    for (uint64_t i = 0; i < 200; i++) {
        if (i == 100) { /* additions follow what they add to */
            while (puts.count < 100)
                fixture_event(client.host.pe);
        }
        post(i, region, peer.addr + 8, &puts, &adds);
    }
    while (adds.count < 100)
        fixture_event(client.host.pe);
    fixture_no_event(client.host.pe, 100);
    assert_int_equal(puts.count, 100);
    assert_int_equal(adds.count, 100);
    assert_ok(puts.status);
    assert_ok(adds.status);
    ops_peer_read(&peer, 8, &word, 8);
    assert_int_equal(word, 100);
    ops_region_end(&client, region);
    ops_peer_end(&peer);
    ops_client_close(&client);
}

static void a_hundred_puts_and_a_hundred_additions(void **state)
{
    (void)state;
    fixture_daemon_start(&daemon_one, NULL);
    two_hundred_operations(true);
    two_hundred_operations(false);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

/* ------------------------------------------------------------------------------------------------
 * Without collectives
 */

/* A folder with these plugins of the build. */
static void offer(const char *folder, const char *const *names)
{
    const char *all = getenv("UROM_PLUGIN_PATH");
    const int len = (int)strcspn(all, ";");
    char target[4096], name[512];

    assert_int_equal(mkdir(folder, 0700), 0);
    for (; *names != NULL; names++) {
        snprintf(target, sizeof(target), "%.*s/%s.so", len, all, *names);
        snprintf(name, sizeof(name), "%s/%s.so", folder, *names);
        assert_int_equal(symlink(target, name), 0);
    }
}

static void expect_no_collectives(uint64_t former)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    struct fixture_host host;

    fixture_host_open(&host);
    assert_false(fixture_has_plugin(&host, "worker_coll"));
    assert_ok(doca_urom_worker_create(&worker));
    assert_ok(doca_urom_worker_set_service(worker, host.service));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_urom_worker_set_plugins(worker, former));
    assert_ok(doca_urom_worker_destroy(worker));
    worker = fixture_worker(&host, 2, fixture_plugin(&host, "worker_rma"));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    task = fixture_task(worker, former, NULL);
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, fixture_submit(task));
    assert_ok(doca_urom_worker_cmd_task_release(task));
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

static void without_collectives_the_rest_works(void **state)
{
    static const char *const offered[] = {"worker_amo", "worker_coll", "worker_rma", NULL};
    char folder[256], name[300], *old = strdup(getenv("UROM_PLUGIN_PATH"));
    struct fixture_host host;
    uint64_t former;

    (void)state;
    snprintf(folder, sizeof(folder), "%s/families", fixture_dir());
    snprintf(name, sizeof(name), "%s/worker_coll.so", folder);
    offer(folder, offered);
    setenv("UROM_PLUGIN_PATH", folder, 1);
    fixture_daemon_start(&daemon_one, NULL);
    setenv("UROM_PLUGIN_PATH", old, 1);
    fixture_host_open(&host);
    former = fixture_plugin(&host, "worker_coll");
    fixture_host_close(&host);
    assert_int_equal(unlink(name), 0);
    expect_no_collectives(former);
    two_hundred_operations(false);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    setenv("UROM_PLUGIN_PATH", folder, 1);
    hosts_pretend(2);
    hosts_run("pairs_here", 0);
    setenv("UROM_PLUGIN_PATH", old, 1);
    free(old);
}

/* ------------------------------------------------------------------------------------------------
 * Without a service
 */

/* Nothing of it was ever there. */
static void a_service_that_is_absent_does_nothing(void **state)
{
    const struct doca_urom_service_plugin_info *plugins;
    struct doca_urom_service_get_workers_by_gid_task *query;
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    struct doca_urom_ops *ops;
    struct fixture_host host;
    size_t count;

    (void)state;
    fixture_host_prepare(&host);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(host.service_ctx));
    assert_doca(DOCA_ERROR_BAD_STATE,
                doca_urom_service_get_plugins_list(host.service, &plugins, &count));
    assert_doca(DOCA_ERROR_BAD_STATE,
                doca_urom_service_get_workers_by_gid_task_allocate(host.service, &query));
    worker = fixture_worker(&host, 1, 1);
    assert_doca(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_urom_worker_as_ctx(worker)));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_worker_cmd_task_allocate(worker, &task));
    assert_int_not_equal(doca_urom_ops_create(host.service, worker, 1, &ops), DOCA_SUCCESS);
    fixture_no_event(host.pe, 1000);
    assert_ok(doca_urom_worker_destroy(worker));
    fixture_host_close(&host);
}

static void region_never(struct doca_urom_ops_region *region, doca_error_t status, void *user_data)
{
    (void)region;
    (void)status;
    (void)user_data;
    fail_msg("a region although there is no service");
}

static void never(struct doca_urom_ops *ops, doca_error_t status, void *user_data)
{
    (void)ops;
    (void)status;
    (void)user_data;
    fail_msg("an operation although there is no service");
}

static void amo_never(struct doca_urom_ops *ops, doca_error_t status, uint64_t before,
                      void *user_data)
{
    (void)before;
    never(ops, status, user_data);
}

static void refuse_all(struct doca_urom_ops_region *own, uint64_t here,
                       struct doca_urom_ops_region *there, const struct ops_peer *peer)
{
    const struct doca_urom_amo amo = {
        .op = DOCA_UROM_AMO_ADD, .size = 8, .region = there, .addr = peer->addr, .value = 1};
    const uint64_t word = 99;
    struct doca_urom_ops_region *more;
    uint64_t fresh = 0;

    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_rma_put(client.ops, own, here, there,
                                                            peer->addr, PUT_LEN, 0, never, NULL));
    assert_doca(DOCA_ERROR_NOT_PERMITTED,
                doca_urom_rma_put_inline(client.ops, &word, 8, there, peer->addr, 0, never, NULL));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_rma_get(client.ops, own, here, there,
                                                            peer->addr, PUT_LEN, 0, never, NULL));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_rma_flush(client.ops, never, NULL));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_urom_amo_post(client.ops, &amo, amo_never, NULL));
    assert_doca(DOCA_ERROR_NOT_PERMITTED,
                doca_urom_ops_region_attach(client.ops, peer->desc, peer->desc_len, region_never,
                                            NULL, &more));
    assert_doca(DOCA_ERROR_NOT_PERMITTED,
                doca_urom_ops_region_create(client.ops, &fresh, sizeof(fresh), 0, region_never,
                                            NULL, &more));
}

/* It was there, and everything had been set up: not one operation is done without it, least of all
 * by this process. */
static void a_service_that_is_gone_does_nothing_more(void **state)
{
    uint64_t *memory = ops_memory(4096, true), before[512], after[512];
    struct doca_urom_ops_region *own, *there;
    struct ops_peer peer;
    int status;

    (void)state;
    fixture_daemon_start(&daemon_one, NULL);
    ops_client_open(&client, 1, put_and_add);
    ops_peer_start(&peer, 4096, true, ACCESS);
    own = ops_region(&client, memory, 4096, 0);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &there));
    memset(memory, 0x77, 4096);
    ops_peer_read(&peer, 0, before, sizeof(before));
    fixture_daemon_kill(&daemon_one);
    refuse_all(own, (uintptr_t)memory, there, &peer);
    fixture_no_event(client.host.pe, 1000);
    ops_peer_read(&peer, 0, after, sizeof(after));
    assert_memory_equal(after, before, sizeof(before));
    for (size_t i = 0; i < 512; i++)
        assert_true(memory[i] == 0x7777777777777777);
    kill(peer.pid, SIGKILL);
    assert_int_equal(waitpid(peer.pid, &status, 0), peer.pid);
    close(peer.to);
    close(peer.from);
    ops_client_close(&client);
    munmap(memory, 4096);
}

/* ------------------------------------------------------------------------------------------------
 * What dies or stands still on another host
 */

static bool has_no_workers(void *arg)
{
    (void)arg;
    return fixture_workers() == 0;
}

/* A client on host 1, all that it uses on host 0: the kernel is one, so its worker has a number. */
static void hold_commands(int out, unsigned int attempt)
{
    const struct test_cmd hold = {.op = TEST_HOLD}, who = {.op = TEST_WHO};
    struct fixture_result held[16] = {{0}}, told = {0};
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_worker *worker;
    struct fixture_host host;
    struct test_who answer;
    uint64_t plugin;
    pid_t pid;

    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_test");
    worker = fixture_worker(&host, 6 + attempt, plugin);
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    task = fixture_task(worker, plugin, &told);
    fixture_payload(task, &who, sizeof(who));
    assert_ok(fixture_submit(task));
    fixture_event(host.pe);
    assert_ok(told.status);
    memcpy(&answer, told.bytes, sizeof(answer));
    pid = (pid_t)answer.pid;
    for (unsigned int i = 0; i < 16; i++) {
        task = fixture_task(worker, plugin, &held[i]);
        fixture_payload(task, &hold, sizeof(hold));
        assert_ok(fixture_submit(task));
    }
    assert_int_equal(write(out, &pid, sizeof(pid)), sizeof(pid));
    for (;;)
        pause();
}

static void client_dies(void)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;

    if (hosts_rank() == 0)
        hosts_daemon_start(&daemon_one, ALL_HOSTS);
    hosts_barrier(0);
    if (hosts_rank() == 1) {
        setenv("DOCA_UROM_SOCKET", "tcp:10.99.8.1:18610", 1);
        hosts_secret("DOCA_UROM_TOKEN_FILE", "a secret of all hosts");
        fixture_gone_within(2000, hold_commands);
        hosts_barrier(1);
        return;
    }
    hosts_barrier(1);
    fixture_wait(has_no_workers, NULL);
    fixture_host_open(&host);
    worker = fixture_worker(&host, 6, fixture_plugin(&host, "worker_test"));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void put_large(uint64_t from, struct doca_urom_ops_region *own, struct far far,
                      struct doca_urom_ops_region *there)
{
    assert_ok(
        doca_urom_rma_put(client.ops, own, from, there, far.addr, LARGE, 0, ops_done, &result));
}

/* Host 1 has the memory, and does not move. */
static void use_one_that_stands_still(uint8_t *memory, struct doca_urom_ops_region *own,
                                      struct far far, pid_t owner)
{
    const uint64_t here = (uintptr_t)memory;
    struct doca_urom_ops_region *there;
    struct ops_result other = {0};
    uint64_t stopped;

    assert_ok(ops_attach(&client, far.desc, far.len, &there));
    stopped = fixture_now_ms();
    fixture_freeze(owner);
    put_large(here, own, far, there);
    /* What has nothing to do with it goes on. */
    assert_ok(doca_urom_rma_put(client.ops, own, here, own, here + 4096, 64, 0, ops_done, &other));
    assert_ok(ops_wait(&client, &other));
    assert_true(result.count == 0 || fixture_now_ms() - stopped >= 3000);
    /* After 5 s without a sign of life: the owner is there, but out of reach. */
    assert_doca(DOCA_ERROR_IO_FAILED, ops_wait(&client, &result));
    kill(owner, SIGCONT);
    ops_region_end(&client, there);
    assert_ok(ops_attach(&client, far.desc, far.len, &there)); /* as if nothing had been */
    put_large(here, own, far, there);
    assert_ok(ops_wait(&client, &result));
    ops_region_end(&client, there);
}

static void owner_stands_still(void)
{
    uint8_t *memory = ops_memory(LARGE, false);
    struct doca_urom_ops_region *own;
    pid_t self = getpid(), owner;
    struct far far;

    hosts_daemon_start(&daemon_one, ALL_HOSTS);
    ops_client_open(&client, hosts_rank(), put_only);
    own = ops_region(&client, memory, LARGE, ACCESS);
    far = tell_of(0, memory, own);
    hosts_give(1, &self, sizeof(self));
    hosts_get(1, 1, &owner, sizeof(owner));
    if (hosts_rank() == 0)
        use_one_that_stands_still(memory, own, far, owner);
    hosts_barrier(2);
    ops_region_end(&client, own);
    ops_client_close(&client);
    munmap(memory, LARGE);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void nothing_stays_of_a_client_of_another_host(void **state)
{
    (void)state;
    if (!hosts_make(2))
        skip();
    hosts_run("client_dies", 0);
}

static void an_owner_on_another_host_that_stands_still_holds_up_nobody_else(void **state)
{
    (void)state;
    if (!hosts_make(2))
        skip();
    hosts_run("owner_stands_still", 0);
}

static int remove_hosts(void **state)
{
    (void)state;
    hosts_remove();
    return 0;
}

int main(int argc, char **argv)
{
    static const struct hosts_case cases[] = {{"pairs_here", pairs_here},
                                              {"pairs_of_hosts", pairs_of_hosts},
                                              {"client_dies", client_dies},
                                              {"owner_stands_still", owner_stands_still},
                                              {NULL, NULL}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_one_service_and_of_two),
        cmocka_unit_test_teardown(a_pair_on_two_hosts, remove_hosts),
        cmocka_unit_test(a_hundred_puts_and_a_hundred_additions),
        cmocka_unit_test(without_collectives_the_rest_works),
        cmocka_unit_test(a_service_that_is_absent_does_nothing),
        cmocka_unit_test(a_service_that_is_gone_does_nothing_more),
        cmocka_unit_test_teardown(nothing_stays_of_a_client_of_another_host, remove_hosts),
        cmocka_unit_test_teardown(an_owner_on_another_host_that_stands_still_holds_up_nobody_else,
                                  remove_hosts),
    };

    hosts_main(argc, argv, cases);
    ops_peer_main(argc, argv);
    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
