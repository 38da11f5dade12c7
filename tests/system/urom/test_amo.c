/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics: executed by workers, atomic with those of the memory's owner. */
#include "ops_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include <doca_urom_amo.h>
#include <doca_urom_rma.h>

#include "urom/plugin/amo/common/amo_wire.h"
#include "urom/plugin/common/ops.h"

#define ADDS 200

static const char *const names[] = {"worker_amo", NULL};
static const char *const both[] = {"worker_amo", "worker_rma", NULL};
static struct fixture_daemon daemon_one;
static struct ops_client client;

static void amo_done(struct doca_urom_ops *ops, doca_error_t status, uint64_t before,
                     void *user_data)
{
    ((struct ops_result *)user_data)->value = before;
    ops_done(ops, status, user_data);
}

static doca_error_t amo(struct doca_urom_amo op, uint64_t *before)
{
    struct ops_result result = {0};
    doca_error_t status;

    assert_ok(doca_urom_amo_post(client.ops, &op, amo_done, &result));
    status = ops_wait(&client, &result);
    *before = result.value;
    return status;
}

/* All operations in both widths, on memory that is mapped and that is not. */
static void try_all(bool shareable)
{
    static const struct {
        enum doca_urom_amo_op op;
        uint64_t value, compare, after;
    } rows[] = {
        {DOCA_UROM_AMO_FETCH_ADD, 3, 0, 0xf3},
        {DOCA_UROM_AMO_COMPARE_SWAP, 5, 0xf0, 5},
        {DOCA_UROM_AMO_COMPARE_SWAP, 5, 0xf1, 0xf0},
        {DOCA_UROM_AMO_SWAP, 9, 0, 9},
        {DOCA_UROM_AMO_ADD, 1, 0, 0xf1},
        {DOCA_UROM_AMO_FETCH_AND, 0x30, 0, 0x30},
        {DOCA_UROM_AMO_FETCH_OR, 0x0f, 0, 0xff},
        {DOCA_UROM_AMO_FETCH_XOR, 0xff, 0, 0x0f},
    };
    /* Atomic: for memory that is not mapped, a thread of this process does the work. */
    _Atomic uint64_t *memory = ops_memory(4096, shareable);
    uint64_t before;
    struct doca_urom_ops_region *region;

    fixture_daemon_start(&daemon_one, NULL);
    ops_client_open(&client, 1, names);
    region = ops_region(&client, (void *)memory, 4096, 0);
    ops_region_is(region, shareable ? "mapped" : "vm");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (uint32_t size = 4; size <= 8; size += 4) {
            memory[0] = 0xf0;
            assert_ok(amo((struct doca_urom_amo){rows[i].op, size, region, (uintptr_t)memory,
                                                 rows[i].value, rows[i].compare},
                          &before));
            assert_int_equal(before, rows[i].op == DOCA_UROM_AMO_ADD ? 0 : 0xf0);
            assert_int_equal(memory[0], rows[i].after);
        }
    }
    memory[0] = UINT64_MAX; /* the upper half is not touched */
    assert_ok(
        amo((struct doca_urom_amo){DOCA_UROM_AMO_FETCH_ADD, 4, region, (uintptr_t)memory, 1, 0},
            &before));
    assert_int_equal(before, UINT32_MAX);
    assert_true(memory[0] == UINT64_MAX << 32);
    ops_region_end(&client, region);
    ops_client_close(&client);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    munmap((void *)memory, 4096);
}

static void every_operation_on_shared_memory(void **state)
{
    (void)state;
    try_all(true);
}

static void every_operation_on_private_memory(void **state)
{
    (void)state;
    try_all(false);
}

static void refusals(void **state)
{
    uint64_t *memory = ops_memory(4096, true), before;
    struct doca_urom_ops_region *region, *remote;
    struct ops_result result = {0};
    struct ops_peer peer;
    struct doca_urom_amo op;

    (void)state;
    fixture_daemon_start(&daemon_one, NULL);
    ops_client_open(&client, 1, names);
    ops_peer_start(&peer, 4096, true, DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE);
    region = ops_region(&client, memory, 4096, 0);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &remote));
    op = (struct doca_urom_amo){.size = 8, .region = remote, .addr = peer.addr};
    assert_doca(DOCA_ERROR_NOT_PERMITTED, amo(op, &before));
    op = (struct doca_urom_amo){.size = 8, .region = region, .addr = (uintptr_t)memory + 4096};
    assert_doca(DOCA_ERROR_INVALID_VALUE, amo(op, &before));
    op.addr = (uintptr_t)memory + 4;
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_amo_post(client.ops, &op, amo_done, &result));
    op = (struct doca_urom_amo){.size = 2, .region = region, .addr = (uintptr_t)memory};
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_amo_post(client.ops, &op, amo_done, &result));
    op = (struct doca_urom_amo){
        .op = (enum doca_urom_amo_op)7, .size = 8, .region = region, .addr = (uintptr_t)memory};
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_amo_post(client.ops, &op, amo_done, &result));
    /* Another family, which this worker has not loaded. */
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_urom_rma_flush(client.ops, NULL, NULL));
    ops_region_end(&client, remote);
    ops_region_end(&client, region);
    ops_peer_end(&peer);
    ops_client_close(&client);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    munmap(memory, 4096);
}

static void *add_here(void *arg)
{
    for (int i = 0; i < 100000; i++)
        atomic_fetch_add((_Atomic uint64_t *)arg, 1);
    return NULL;
}

/* The worker and the owner's own CPU add to one word. */
static void additions_of_worker_and_owner_add_up(void **state)
{
    (void)state;
    for (int shareable = 0; shareable < 2; shareable++) {
        _Atomic uint64_t *memory = ops_memory(4096, shareable == 1);
        struct doca_urom_ops_region *region;
        struct ops_result result = {0};
        doca_error_t posted;
        pthread_t thread;

        fixture_daemon_start(&daemon_one, NULL);
        ops_client_open(&client, 1, names);
        region = ops_region(&client, memory, 4096, 0);
        assert_int_equal(pthread_create(&thread, NULL, add_here, (void *)memory), 0);
        for (int i = 0; i < ADDS; i++) {
            const struct doca_urom_amo op = {.op = DOCA_UROM_AMO_ADD,
                                             .size = 8,
                                             .region = region,
                                             .addr = (uintptr_t)memory,
                                             .value = 1000000};

            while ((posted = doca_urom_amo_post(client.ops, &op, amo_done, &result)) ==
                   DOCA_ERROR_AGAIN)
                fixture_event(client.host.pe);
            assert_ok(posted);
        }
        while (doca_urom_ops_get_inflight(client.ops) > 0)
            fixture_event(client.host.pe);
        pthread_join(thread, NULL);
        assert_int_equal(result.count, ADDS);
        assert_ok(result.status);
        assert_int_equal(atomic_load(memory), ADDS * 1000000ull + 100000);
        ops_region_end(&client, region);
        ops_client_close(&client);
        assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
        munmap((void *)memory, 4096);
    }
}

/* What one plugin of a worker attached, the other one knows; a foreign channel does not. */
static void plugins_of_a_worker_share_regions(void **state)
{
    uint64_t *memory = ops_memory(4096, true), before;
    const uint64_t word = 41;
    struct doca_urom_ops_region *region;
    struct ops_result result = {0};

    (void)state;
    fixture_daemon_start(&daemon_one, NULL);
    ops_client_open(&client, 1, both);
    region = ops_region(&client, memory, 4096, 0);
    assert_ok(doca_urom_rma_put_inline(client.ops, &word, 8, region, (uintptr_t)memory, 0, ops_done,
                                       &result));
    assert_ok(ops_wait(&client, &result));
    assert_ok(
        amo((struct doca_urom_amo){DOCA_UROM_AMO_FETCH_ADD, 8, region, (uintptr_t)memory, 1, 0},
            &before));
    assert_int_equal(before, 41);
    assert_int_equal(memory[0], 42);
    ops_region_end(&client, region);
    ops_client_close(&client);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    munmap(memory, 4096);
}

static void region_done(struct doca_urom_ops_region *region, doca_error_t status, void *user_data)
{
    (void)region;
    ops_done(NULL, status, user_data);
}

/* While the owner of some memory does not move, the worker does what has nothing to do with it.
 * What waits for the owner has an end in any case. */
static void a_stopped_owner_holds_up_nobody_else(void **state)
{
    uint64_t *memory = ops_memory(4096, true), before;
    struct ops_result waits = {0}, attaches = {0};
    struct doca_urom_ops_region *own, *there, *more;
    struct doca_urom_amo op;
    struct ops_peer peer;
    uint64_t stopped;

    (void)state;
    fixture_daemon_start(&daemon_one, NULL);
    ops_client_open(&client, 1, names);
    ops_peer_start(&peer, 4096, false, DOCA_UROM_OPS_ACCESS_ATOMIC);
    own = ops_region(&client, memory, 4096, 0);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &there));
    stopped = fixture_now_ms();
    fixture_freeze(peer.pid);
    op = (struct doca_urom_amo){DOCA_UROM_AMO_FETCH_ADD, 8, there, peer.addr, 1, 0};
    assert_ok(doca_urom_amo_post(client.ops, &op, amo_done, &waits));
    assert_ok(doca_urom_ops_region_attach(client.ops, peer.desc, peer.desc_len, region_done,
                                          &attaches, &more));
    op = (struct doca_urom_amo){DOCA_UROM_AMO_FETCH_ADD, 8, own, (uintptr_t)memory, 1, 0};
    assert_ok(amo(op, &before));
    /* They take 5 s, or until it goes on. */
    assert_true(waits.count + attaches.count == 0 || fixture_now_ms() - stopped >= 5000);
    assert_int_equal(memory[0], 1);
    kill(peer.pid, SIGCONT);
    while (waits.count == 0 || attaches.count == 0)
        fixture_event(client.host.pe);
    assert_int_equal(waits.count, 1);
    assert_int_equal(attaches.count, 1);
    if (attaches.status == DOCA_SUCCESS)
        ops_region_end(&client, more);
    ops_region_end(&client, there);
    ops_region_end(&client, own);
    ops_peer_end(&peer);
    ops_client_close(&client);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    munmap(memory, 4096);
}

/* ---- fences, of which only the command knows ---- */

struct fenced {
    struct doca_urom_worker_cmd_task *task;
    unsigned int place; /* in the order of the ends; 0: has not ended */
    uint64_t before;
};

static unsigned int ended;

static void note_end(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct fenced *op = task_data.ptr;
    void *answer;

    (void)ctx_data;
    op->place = ++ended;
    assert_ok(doca_buf_get_data(doca_urom_worker_cmd_task_get_response(task), &answer));
    op->before = ((const struct amo_answer *)answer)->before;
    assert_ok(doca_urom_worker_cmd_task_release(task));
}

/* Adds 1 to the word. */
static void post_fenced(struct fenced *op, const struct doca_urom_ops_region *region, uint64_t addr,
                        uint32_t flags)
{
    const struct amo_cmd cmd = {.head = {.op = AMO_FADD, .flags = flags},
                                .remote = region->handle,
                                .va = addr,
                                .operand = 1,
                                .size = 8};

    *op = (struct fenced){
        .task = fixture_task(client.worker, fixture_plugin(&client.host, "worker_amo"), NULL)};
    doca_urom_worker_cmd_task_set_cb(op->task, note_end);
    doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(op->task),
                            (union doca_data){.ptr = op});
    fixture_payload(op->task, &cmd, sizeof(cmd));
    assert_ok(fixture_submit(op->task));
}

/* A fence waits for what its channel began before, also when that lasts and the memory is another;
 * what comes behind the fence waits for it; other channels do not. Without a fence nothing waits.
 */
static void a_fence_orders_the_operations_of_its_channel(void **state)
{
    enum { SLOW, UNFENCED, FENCED, BEHIND, COUNT };
    uint64_t *memory = ops_memory(4096, true), *others = ops_memory(4096, true);
    struct doca_urom_ops_region *own, *there, *elsewhere;
    struct ops_client other, *const first = &client;
    struct ops_result result = {0};
    struct fenced ops[COUNT];
    struct doca_urom_amo op;
    struct ops_peer peer;

    (void)state;
    fixture_daemon_start(&daemon_one, NULL);
    ops_client_open(first, 1, names);
    ops_client_open(&other, 1, names);
    ops_peer_start(&peer, 4096, false, DOCA_UROM_OPS_ACCESS_ATOMIC);
    own = ops_region(first, memory, 4096, 0);
    elsewhere = ops_region(&other, others, 4096, 0);
    assert_ok(ops_attach(first, peer.desc, peer.desc_len, &there));
    ended = 0;
    fixture_freeze(peer.pid);
    post_fenced(&ops[SLOW], there, peer.addr, 0);
    post_fenced(&ops[UNFENCED], own, (uintptr_t)memory, 0);
    post_fenced(&ops[FENCED], own, (uintptr_t)memory, OPS_FENCE);
    post_fenced(&ops[BEHIND], own, (uintptr_t)memory, 0);
    fixture_event(first->host.pe);
    op = (struct doca_urom_amo){DOCA_UROM_AMO_ADD, 8, elsewhere, (uintptr_t)others, 7, 0};
    assert_ok(doca_urom_amo_post(other.ops, &op, amo_done, &result));
    assert_ok(ops_wait(&other, &result));
    assert_int_equal(others[0], 7);
    kill(peer.pid, SIGCONT);
    while (ended < COUNT)
        fixture_event(first->host.pe);
    assert_int_equal(ops[UNFENCED].place, 1);
    assert_int_equal(ops[SLOW].place, 2);
    assert_int_equal(ops[FENCED].place, 3);
    assert_int_equal(ops[BEHIND].place, 4);
    assert_int_equal(ops[UNFENCED].before, 0);
    assert_int_equal(ops[FENCED].before, 1);
    assert_int_equal(ops[BEHIND].before, 2);
    ops_region_end(first, there);
    ops_region_end(first, own);
    ops_region_end(&other, elsewhere);
    ops_peer_end(&peer);
    ops_client_close(&other);
    ops_client_close(first);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    munmap(others, 4096);
    munmap(memory, 4096);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_on_shared_memory),
        cmocka_unit_test(every_operation_on_private_memory),
        cmocka_unit_test(refusals),
        cmocka_unit_test(additions_of_worker_and_owner_add_up),
        cmocka_unit_test(plugins_of_a_worker_share_regions),
        cmocka_unit_test(a_stopped_owner_holds_up_nobody_else),
        cmocka_unit_test(a_fence_orders_the_operations_of_its_channel),
    };

    ops_peer_main(argc, argv);
    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
