/* SPDX-License-Identifier: BSD-3-Clause */
/* Put and get: the worker does it, both processes are free. */
#include "ops_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <doca_urom_rma.h>

#define MIB    ((size_t)1 << 20)
#define ACCESS (DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE)

static const char *const names[] = {"worker_rma", NULL};
static struct fixture_daemon daemon_one;
static struct ops_client client;
static struct ops_result result;

static void open_all(void)
{
    fixture_daemon_start(&daemon_one, NULL);
    ops_client_open(&client, 1, names);
}

static void close_all(void)
{
    ops_client_close(&client);
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
}

static void fill(uint8_t *bytes, size_t len, unsigned int seed)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(seed + i * 7 + (i >> 8));
}

/* There and back, in all four combinations of memory. */
static void put_and_get(bool local_shareable, bool remote_shareable)
{
    uint8_t *memory = ops_memory(2 * MIB, local_shareable), *seen = malloc(MIB);
    struct doca_urom_ops_region *local, *remote;
    const uint64_t va = (uintptr_t)memory;
    struct ops_peer peer;

    open_all();
    ops_peer_start(&peer, 2 * MIB, remote_shareable, ACCESS);
    local = ops_region(&client, memory, 2 * MIB, 0);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &remote));
    ops_region_is(local, local_shareable ? "mapped" : "vm");
    ops_region_is(remote, remote_shareable ? "mapped" : "vm");

    fill(memory, MIB, 3);
    assert_ok(doca_urom_rma_put(client.ops, local, va, remote, peer.addr + 100, MIB, 0, ops_done,
                                &result));
    assert_ok(ops_wait(&client, &result));
    ops_peer_read(&peer, 100, seen, MIB);
    assert_memory_equal(seen, memory, MIB);
    ops_peer_read(&peer, 0, seen, 100); /* and nothing else */
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(seen[i], i);

    assert_ok(doca_urom_rma_get(client.ops, local, va + MIB, remote, peer.addr + 100, MIB, 0,
                                ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    assert_memory_equal(memory + MIB, memory, MIB);

    ops_region_end(&client, remote);
    ops_region_end(&client, local);
    ops_peer_end(&peer);
    close_all();
    munmap(memory, 2 * MIB);
    free(seen);
}

static void shared_to_shared(void **state)
{
    (void)state;
    put_and_get(true, true);
}

static void private_to_private(void **state)
{
    (void)state;
    put_and_get(false, false);
}

static void private_to_shared(void **state)
{
    (void)state;
    put_and_get(false, true);
}

static void shared_to_private(void **state)
{
    (void)state;
    put_and_get(true, false);
}

static void keep_bytes(struct doca_urom_ops *ops, doca_error_t status, const void *bytes,
                       size_t len, void *user_data)
{
    if (status == DOCA_SUCCESS && len == sizeof(uint64_t))
        memcpy(&result.value, bytes, len);
    ops_done(ops, status, user_data);
}

/* All that goes wrong is told, and what is right still works. */
static void what_is_not_granted_or_not_there_is_refused(void **state)
{
    uint8_t *memory = ops_memory(4096, true);
    const uint64_t va = (uintptr_t)memory, word = 0x1122334455667788;
    struct doca_urom_ops_region *local, *remote, *other;
    struct ops_peer peer;
    uint8_t bad[512];
    uint64_t seen;

    (void)state;
    open_all();
    ops_peer_start(&peer, 4096, true, DOCA_UROM_OPS_ACCESS_READ);
    local = ops_region(&client, memory, 4096, 0);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &remote));

    assert_ok(doca_urom_rma_put(client.ops, local, va, remote, peer.addr, 8, 0, ops_done, &result));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, ops_wait(&client, &result));
    assert_ok(
        doca_urom_rma_put_inline(client.ops, &word, 8, remote, peer.addr, 0, ops_done, &result));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, ops_wait(&client, &result));
    assert_ok(doca_urom_rma_get(client.ops, local, va, remote, peer.addr + 4090, 8, 0, ops_done,
                                &result));
    assert_doca(DOCA_ERROR_INVALID_VALUE, ops_wait(&client, &result));
    assert_ok(
        doca_urom_rma_get(client.ops, local, va - 1, remote, peer.addr, 8, 0, ops_done, &result));
    assert_doca(DOCA_ERROR_INVALID_VALUE, ops_wait(&client, &result));
    assert_ok(doca_urom_rma_get(client.ops, local, va, remote, peer.addr, UINT64_MAX, 0, ops_done,
                                &result));
    assert_doca(DOCA_ERROR_INVALID_VALUE, ops_wait(&client, &result));
    assert_ok(doca_urom_rma_get(client.ops, local, va, remote, peer.addr, 0, 0, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_rma_get(client.ops, local, va, remote,
                                                            peer.addr, 8, 2, ops_done, &result));

    memcpy(bad, peer.desc, peer.desc_len);
    bad[100] ^= 1;
    assert_doca(DOCA_ERROR_INVALID_VALUE, ops_attach(&client, bad, peer.desc_len, &other));
    assert_doca(DOCA_ERROR_INVALID_VALUE, ops_attach(&client, "?", 1, &other));

    assert_ok(
        doca_urom_rma_get_inline(client.ops, remote, peer.addr + 8, 8, 0, keep_bytes, &result));
    assert_ok(ops_wait(&client, &result));
    ops_peer_read(&peer, 8, &seen, 8);
    assert_int_equal(result.value, seen);
    ops_region_end(&client, remote);
    ops_region_end(&client, local);
    ops_peer_end(&peer);
    close_all();
    munmap(memory, 4096);
}

/* As its header says: a longer one, or one with a fence, is read later. */
static void a_short_put_has_read_its_bytes_when_the_call_returns(void **state)
{
    uint8_t *memory = ops_memory(4096, false);
    const uint64_t va = (uintptr_t)memory;
    struct doca_urom_ops_region *local, *remote;
    struct ops_peer peer;
    uint8_t seen[64];

    (void)state;
    open_all();
    ops_peer_start(&peer, 4096, false, ACCESS);
    local = ops_region(&client, memory, 4096, 0);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &remote));
    fill(memory, 128, 9);
    assert_ok(doca_urom_rma_put(client.ops, local, va + 64, remote, peer.addr + 4032, 64, 0,
                                ops_done, &result));
    memset(memory + 64, 0, 64);
    assert_ok(ops_wait(&client, &result));
    fill(memory, 128, 9);
    ops_peer_read(&peer, 4032, seen, 64);
    assert_memory_equal(seen, memory + 64, 64);

    assert_ok(doca_urom_rma_put(client.ops, local, va + 4090, remote, peer.addr, 8, 0, ops_done,
                                &result));
    assert_doca(DOCA_ERROR_INVALID_VALUE, ops_wait(&client, &result));
    assert_ok(
        doca_urom_rma_put(client.ops, local, va - 1, remote, peer.addr, 8, 0, ops_done, &result));
    assert_doca(DOCA_ERROR_INVALID_VALUE, ops_wait(&client, &result));
    assert_ok(doca_urom_rma_put(client.ops, local, va, remote, peer.addr + 4090, 8, 0, ops_done,
                                &result));
    assert_doca(DOCA_ERROR_INVALID_VALUE, ops_wait(&client, &result));
    ops_region_end(&client, remote);
    ops_region_end(&client, local);
    ops_peer_end(&peer);
    close_all();
    munmap(memory, 4096);
}

/* Which may have changed what it reads. */
static void a_put_with_a_fence_reads_after_all_earlier_operations(void **state)
{
    uint8_t *memory = ops_memory(2 * MIB, false), seen[8];
    const uint64_t va = (uintptr_t)memory;
    struct doca_urom_ops_region *local, *remote;
    struct ops_peer peer;

    (void)state;
    open_all();
    ops_peer_start(&peer, 2 * MIB, false, ACCESS);
    local = ops_region(&client, memory, 2 * MIB, 0);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &remote));
    memset(memory, 0, 2 * MIB);
    assert_ok(doca_urom_rma_get(client.ops, local, va, remote, peer.addr, MIB, 0, NULL, NULL));
    assert_ok(doca_urom_rma_put(client.ops, local, va + MIB - 8, remote, peer.addr + MIB, 8,
                                DOCA_UROM_OPS_FENCE, ops_done, &result));
    assert_ok(ops_wait(&client, &result));
    ops_peer_read(&peer, MIB - 8, seen, 8);
    assert_memory_equal(seen, memory + MIB - 8, 8);
    ops_peer_read(&peer, MIB, seen, 8);
    assert_memory_equal(seen, memory + MIB - 8, 8);
    assert_int_not_equal(seen[7] | seen[6], 0);
    ops_region_end(&client, remote);
    ops_region_end(&client, local);
    ops_peer_end(&peer);
    close_all();
    munmap(memory, 2 * MIB);
}

static void memory_that_its_owner_took_back_is_not_found(void **state)
{
    const uint64_t word = 5;
    struct doca_urom_ops_region *remote, *late;
    struct ops_peer peer;

    (void)state;
    open_all();
    ops_peer_start(&peer, 4096, false, ACCESS);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &remote));
    ops_peer_revoke(&peer);
    assert_ok(
        doca_urom_rma_put_inline(client.ops, &word, 8, remote, peer.addr, 0, ops_done, &result));
    assert_doca(DOCA_ERROR_NOT_FOUND, ops_wait(&client, &result));
    assert_doca(DOCA_ERROR_NOT_FOUND, ops_attach(&client, peer.desc, peer.desc_len, &late));
    ops_peer_end(&peer);
    assert_ok(
        doca_urom_rma_put_inline(client.ops, &word, 8, remote, peer.addr, 0, ops_done, &result));
    assert_doca(DOCA_ERROR_NOT_FOUND, ops_wait(&client, &result));
    ops_region_end(&client, remote);
    close_all();
}

/* 100 puts, the last one wins; a fence and a flush see all of them; the worker has counted. */
static void a_hundred_operations_in_order(void **state)
{
    struct doca_urom_ops_region *remote;
    struct ops_result puts = {0};
    struct ops_peer peer;
    uint64_t seen, before;
    doca_error_t posted;

    (void)state;
    open_all();
    ops_peer_start(&peer, 4096, false, ACCESS);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &remote));
    before = fixture_counter("received");
    for (uint64_t i = 0; i < 100; i++) {
        while ((posted = doca_urom_rma_put_inline(client.ops, &i, 8, remote, peer.addr,
                                                  i % 10 == 9 ? DOCA_UROM_OPS_FENCE : 0, ops_done,
                                                  &puts)) == DOCA_ERROR_AGAIN)
            fixture_event(client.host.pe);
        assert_ok(posted);
    }
    while ((posted = doca_urom_rma_flush(client.ops, ops_done, &result)) == DOCA_ERROR_AGAIN)
        fixture_event(client.host.pe);
    assert_ok(posted);
    assert_ok(ops_wait(&client, &result));
    assert_int_equal(puts.count, 100);
    assert_ok(puts.status);
    ops_peer_read(&peer, 0, &seen, 8);
    assert_int_equal(seen, 99);
    assert_int_equal(fixture_counter("received") - before, 101);
    ops_region_end(&client, remote);
    ops_peer_end(&peer);
    close_all();
}

/* Detaching lets what was posted before finish, and nothing posted after it begin. */
static void a_region_ends_after_its_operations(void **state)
{
    uint8_t *memory = ops_memory(MIB, true);
    struct doca_urom_ops_region *local, *remote;
    struct ops_result first = {0}, late = {0}, end = {0};
    struct ops_peer peer;
    uint8_t seen;

    (void)state;
    open_all();
    ops_peer_start(&peer, MIB, true, ACCESS);
    memset(memory, 0xab, MIB);
    local = ops_region(&client, memory, MIB, 0);
    assert_ok(ops_attach(&client, peer.desc, peer.desc_len, &remote));
    assert_ok(doca_urom_rma_put(client.ops, local, (uintptr_t)memory, remote, peer.addr, MIB, 0,
                                ops_done, &first));
    assert_ok(doca_urom_ops_region_destroy(remote, ops_done, &end));
    assert_ok(doca_urom_rma_put(client.ops, local, (uintptr_t)memory, remote, peer.addr, MIB, 0,
                                ops_done, &late));
    assert_doca(DOCA_ERROR_BAD_STATE, doca_urom_ops_region_destroy(remote, ops_done, &end));
    assert_doca(DOCA_ERROR_IN_USE, doca_urom_ops_destroy(client.ops));
    assert_ok(ops_wait(&client, &first));
    while (end.count == 0 || late.count == 0)
        fixture_event(client.host.pe);
    assert_ok(end.status);
    assert_doca(DOCA_ERROR_INVALID_VALUE, late.status);
    ops_peer_read(&peer, MIB - 1, &seen, 1);
    assert_int_equal(seen, 0xab);
    ops_region_end(&client, local);
    ops_peer_end(&peer);
    close_all();
    munmap(memory, MIB);
}

/* ---- a buffer of a domain, whose key is the descriptor ---- */

static doca_error_t meet_alone(void *from, void *to, size_t len, void *info, void **req)
{
    memcpy(to, from, len);
    *req = info;
    return DOCA_SUCCESS;
}

static doca_error_t met(void *req)
{
    (void)req;
    return DOCA_SUCCESS;
}

static struct doca_urom_domain *domain_with(struct ops_peer *peer, uint64_t id)
{
    struct doca_urom_domain_oob_coll oob = {.allgather = meet_alone,
                                            .req_test = met,
                                            .req_free = met,
                                            .coll_info = &client,
                                            .n_oob_indexes = 1};
    struct doca_urom_domain *domain;

    assert_ok(doca_urom_domain_create(&domain));
    assert_ok(doca_pe_connect_ctx(client.host.pe, doca_urom_domain_as_ctx(domain)));
    assert_ok(doca_urom_domain_set_oob(domain, &oob));
    assert_ok(doca_urom_domain_set_workers(domain, &id, &client.worker, 1));
    assert_ok(doca_urom_domain_set_buffers_count(domain, 1));
    assert_ok(doca_urom_domain_add_buffer(domain, (void *)(uintptr_t)peer->addr, peer->len, NULL, 0,
                                          peer->desc, peer->desc_len));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_urom_domain_as_ctx(domain)));
    fixture_event(client.host.pe);
    assert_int_equal(fixture_state(doca_urom_domain_as_ctx(domain)), DOCA_CTX_STATE_RUNNING);
    return domain;
}

static void attached(struct doca_urom_ops_region *region, doca_error_t status, void *user_data)
{
    (void)region;
    ops_done(NULL, status, user_data);
}

static void a_buffer_of_a_domain_is_found_by_its_address(void **state)
{
    struct doca_urom_ops_region *region;
    struct doca_urom_domain *domain;
    const uint64_t word = 77;
    struct ops_peer peer;
    uint64_t seen;

    (void)state;
    open_all();
    ops_peer_start(&peer, 4096, true, ACCESS);
    domain = domain_with(&peer, 5);
    assert_ok(
        doca_urom_ops_region_attach_domain(client.ops, 6, peer.addr, attached, &result, &region));
    assert_doca(DOCA_ERROR_NOT_FOUND, ops_wait(&client, &result));
    assert_ok(doca_urom_ops_region_attach_domain(client.ops, 5, peer.addr + 4096, attached, &result,
                                                 &region));
    assert_doca(DOCA_ERROR_NOT_FOUND, ops_wait(&client, &result));
    assert_ok(doca_urom_ops_region_attach_domain(client.ops, 5, peer.addr + 100, attached, &result,
                                                 &region));
    assert_ok(ops_wait(&client, &result));
    assert_ok(doca_urom_rma_put_inline(client.ops, &word, 8, region, peer.addr + 16, 0, ops_done,
                                       &result));
    assert_ok(ops_wait(&client, &result));
    ops_peer_read(&peer, 16, &seen, 8);
    assert_int_equal(seen, 77);
    ops_region_end(&client, region);
    assert_ok(doca_ctx_stop(doca_urom_domain_as_ctx(domain)));
    assert_ok(doca_urom_domain_destroy(domain));
    ops_peer_end(&peer);
    close_all();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_to_shared),
        cmocka_unit_test(private_to_private),
        cmocka_unit_test(private_to_shared),
        cmocka_unit_test(shared_to_private),
        cmocka_unit_test(what_is_not_granted_or_not_there_is_refused),
        cmocka_unit_test(a_short_put_has_read_its_bytes_when_the_call_returns),
        cmocka_unit_test(a_put_with_a_fence_reads_after_all_earlier_operations),
        cmocka_unit_test(memory_that_its_owner_took_back_is_not_found),
        cmocka_unit_test(a_hundred_operations_in_order),
        cmocka_unit_test(a_region_ends_after_its_operations),
        cmocka_unit_test(a_buffer_of_a_domain_is_found_by_its_address),
    };

    ops_peer_main(argc, argv);
    return cmocka_run_group_tests(tests, fixture_group_setup, fixture_group_teardown);
}
