/* SPDX-License-Identifier: BSD-3-Clause */
/* Both sides call each other, and the one whose call counts is slow, or does not live to see it. */
#include "lib/rdma_fixture.h"

#include <stdatomic.h>

#include "rdma/wire.h"
#include "soft/link/link.h"

/* What an instance is to its peer. */
static struct {
    struct soft_link_listener *listener;
    struct rdma_details details;
    struct rdma_details caller;
    _Atomic uint32_t verdict;
    _Atomic unsigned int calls;
} peer;

static const uint8_t instance[RDMA_TOKEN_SIZE] = {0x5e};

static int admit(void *arg, const void *hello, size_t len, void *buf, size_t *buf_len)
{
    struct rdma_answer answer = {.verdict = atomic_load(&peer.verdict), .permissions = ALL_RIGHTS};

    (void)arg;
    (void)hello;
    (void)len;
    rdma_wire_seal_answer(&answer);
    memcpy(buf, &answer, sizeof(answer));
    *buf_len = sizeof(answer);
    atomic_fetch_add(&peer.calls, 1);
    return -EACCES;
}

static const struct soft_link_conf conf = {.max_msg = RDMA_LINK_MSG,
                                           .depth = 4,
                                           .connect_timeout = END_SECONDS * 1000,
                                           .backlog = 4,
                                           .admit = admit};

/* Its token is the smallest: both sides take its call for the one that counts. */
static void open_crossed(struct end *end)
{
    char address[RDMA_ADDRESS_SIZE];
    const void *bytes;
    size_t len;

    end_create(end, 4096);
    need_ok(doca_rdma_set_connection_request_timeout(end->rdma, UINT16_MAX));
    end_start(end);
    need_ok(doca_rdma_export(end->rdma, &bytes, &len, &end->conn));
    memcpy(&peer.caller, bytes, sizeof(peer.caller));
    peer.details = (struct rdma_details){.host = peer.caller.host};
    memcpy(peer.details.instance, instance, sizeof(instance));
    rdma_wire_seal_details(&peer.details);
    atomic_store(&peer.verdict, RDMA_CROSSED);
    atomic_store(&peer.calls, 0);
    rdma_wire_address(instance, address);
    need(soft_link_listen(address, &conf, &peer.listener) == 0);
    need_ok(doca_rdma_connect(end->rdma, &peer.details, sizeof(peer.details), end->conn));
    need_ok(end_send(end, end->conn, NULL, 0));
    sleep_until(end, atomic_load(&peer.calls) >= 2);
    assert_int_equal(end->failed, 0);
}

static void one_that_dies_is_missed_at_once(void **state)
{
    struct end end = {0};

    (void)state;
    open_crossed(&end);
    soft_link_unlisten(peer.listener);
    sleep_until(&end, end.failed == 1);
    assert_int_equal(end.status, DOCA_ERROR_CONNECTION_ABORTED);
    end_close(&end);
}

static void one_that_gives_up_is_missed_at_once(void **state)
{
    struct end end = {0};

    (void)state;
    open_crossed(&end);
    atomic_store(&peer.verdict, RDMA_STRANGER);
    sleep_until(&end, end.failed == 1);
    assert_int_equal(end.status, DOCA_ERROR_CONNECTION_ABORTED);
    end_close(&end);
    soft_link_unlisten(peer.listener);
}

static void one_that_is_slow_is_waited_for(void **state)
{
    struct end end = {0};
    struct rdma_hello hello = {.permissions = ALL_RIGHTS};
    struct soft_link *link;
    struct soft_link_msg msg;
    char address[RDMA_ADDRESS_SIZE];

    (void)state;
    open_crossed(&end);
    memcpy(hello.token, peer.caller.token, sizeof(hello.token));
    hello.conn_id = peer.caller.conn_id;
    rdma_wire_seal_hello(&hello);
    rdma_wire_address(peer.caller.instance, address);
    need(soft_link_connect(address, &conf, &hello, sizeof(hello), &link) == 0);
    progress_until(&end, soft_link_recv(link, &msg) == 0);
    soft_link_release(link);
    sleep_until(&end, end.ok == 1);
    soft_link_close(link);
    soft_link_unlisten(peer.listener);
    end_close(&end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_dies_is_missed_at_once),
        cmocka_unit_test(one_that_gives_up_is_missed_at_once),
        cmocka_unit_test(one_that_is_slow_is_waited_for),
    };

    return cmocka_run_group_tests(tests, rdma_setup, rdma_teardown);
}
