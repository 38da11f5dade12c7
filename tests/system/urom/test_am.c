/* SPDX-License-Identifier: BSD-3-Clause */
/* Active messages through the plugin worker_am and its host half. */
#include "team.h"

#include <stdlib.h>
#include <string.h>

#include <doca_urom_am.h>

#include "handlers/handlers.h"
#include "urom/plugin/am/common/am_wire.h"

static struct fixture_daemon daemon_one;

struct outcome {
    unsigned int count;
    doca_error_t status;
    uint64_t source;
    uint32_t handler;
    size_t len;
    uint8_t bytes[4096];
};

struct side {
    struct team team;
    struct doca_urom_ops *ops[TEAM_MAX];
};

static void open_ops(struct side *side, unsigned int count)
{
    for (unsigned int i = 0; i < count; i++)
        assert_ok(doca_urom_ops_create(side->team.host.service, side->team.workers[i],
                                       side->team.plugin, &side->ops[i]));
}

static void open_side(struct side *side, unsigned int count)
{
    team_open(&side->team, "worker_am", count);
    open_ops(side, count);
}

static void close_side(struct side *side)
{
    for (unsigned int i = 0; i < side->team.count; i++)
        assert_ok(doca_urom_ops_destroy(side->ops[i]));
    team_close(&side->team);
}

static void set(struct outcome *outcome, doca_error_t status, const void *bytes, size_t len)
{
    outcome->count++;
    outcome->status = status;
    outcome->len = len;
    assert_true(len <= sizeof(outcome->bytes));
    if (len > 0)
        memcpy(outcome->bytes, bytes, len);
}

static void on_sent(struct doca_urom_ops *ops, doca_error_t status, const void *reply, size_t len,
                    void *user_data)
{
    (void)ops;
    set(user_data, status, reply, len);
}

static void on_received(struct doca_urom_ops *ops, doca_error_t status, uint64_t source,
                        uint32_t handler, const void *bytes, size_t len, void *user_data)
{
    struct outcome *outcome = user_data;

    (void)ops;
    outcome->source = source;
    outcome->handler = handler;
    set(outcome, status, bytes, len);
}

static void on_end(struct doca_urom_ops *ops, doca_error_t status, void *user_data)
{
    (void)ops;
    set(user_data, status, NULL, 0);
}

static void await(struct side *side, struct outcome *outcome)
{
    while (outcome->count == 0)
        fixture_event(side->team.host.pe);
    assert_int_equal(outcome->count, 1);
}

static void post(struct side *side, unsigned int from, uint64_t dest, uint32_t handler,
                 uint32_t flags, const void *bytes, size_t len, struct outcome *outcome)
{
    const struct doca_urom_am_message message = {.dest = dest,
                                                 .source = TEAM_DOMAIN_ID(from),
                                                 .handler = handler,
                                                 .flags = flags,
                                                 .bytes = bytes,
                                                 .len = len};

    memset(outcome, 0, sizeof(*outcome));
    assert_ok(doca_urom_am_send(side->ops[from], &message, on_sent, outcome));
}

static doca_error_t send_to(struct side *side, unsigned int from, unsigned int to, uint32_t handler,
                            const void *bytes, size_t len, struct outcome *outcome)
{
    post(side, from, TEAM_DOMAIN_ID(to), handler, 0, bytes, len, outcome);
    await(side, outcome);
    return outcome->status;
}

static void post_recv(struct side *side, unsigned int at, uint32_t handler, struct outcome *outcome)
{
    memset(outcome, 0, sizeof(*outcome));
    assert_ok(doca_urom_am_recv(side->ops[at], handler, on_received, outcome));
}

static void own_handlers(void **state)
{
    struct outcome outcome;
    struct side side;
    uint64_t count;

    (void)state;
    open_side(&side, 2);
    for (unsigned int to = 0; to < 2; to++) { /* to itself, too */
        assert_ok(send_to(&side, 0, to, DOCA_UROM_AM_ECHO, "echo", 4, &outcome));
        assert_int_equal(outcome.len, 4);
        assert_memory_equal(outcome.bytes, "echo", 4);
        assert_ok(send_to(&side, 0, to, DOCA_UROM_AM_ECHO, NULL, 0, &outcome));
        assert_int_equal(outcome.len, 0);
        for (uint64_t i = 1; i < 4; i++) {
            assert_ok(send_to(&side, 0, to, DOCA_UROM_AM_COUNT, "x", 1, &outcome));
            memcpy(&count, outcome.bytes, sizeof(count));
            assert_int_equal(outcome.len, sizeof(count));
            assert_int_equal(count, i);
        }
        assert_doca(DOCA_ERROR_NOT_FOUND, send_to(&side, 0, to, 3, "x", 1, &outcome));
    }
    close_side(&side);
}

static void receives(void **state)
{
    struct outcome sent, first, second;
    struct side side;

    (void)state;
    open_side(&side, 2);
    post_recv(&side, 1, DOCA_UROM_AM_DELIVER, &first);
    assert_ok(send_to(&side, 0, 1, DOCA_UROM_AM_DELIVER, "one", 3, &sent));
    assert_int_equal(sent.len, 0);
    await(&side, &first);
    assert_ok(first.status);
    assert_int_equal(first.source, TEAM_DOMAIN_ID(0));
    assert_int_equal(first.handler, DOCA_UROM_AM_DELIVER);
    assert_int_equal(first.len, 3);
    assert_memory_equal(first.bytes, "one", 3);

    /* the message comes first; no acknowledgement */
    post(&side, 1, TEAM_DOMAIN_ID(0), DOCA_UROM_AM_DELIVER, DOCA_UROM_AM_NO_ACK, "two", 3, &sent);
    await(&side, &sent);
    assert_ok(sent.status);
    post(&side, 1, TEAM_DOMAIN_ID(0), DOCA_UROM_AM_DELIVER, 0, NULL, 0, &sent);
    await(&side, &sent);
    post_recv(&side, 0, DOCA_UROM_AM_ANY, &first);
    post_recv(&side, 0, DOCA_UROM_AM_ANY, &second);
    await(&side, &first);
    await(&side, &second);
    assert_int_equal(first.len, 3);
    assert_memory_equal(first.bytes, "two", 3);
    assert_int_equal(first.source, TEAM_DOMAIN_ID(1));
    assert_int_equal(second.len, 0);
    close_side(&side);
}

static void cancelled(void **state)
{
    struct outcome recv, other, end = {0}, sent;
    struct side side;

    (void)state;
    open_side(&side, 1);
    post_recv(&side, 0, DOCA_UROM_AM_ANY, &recv);
    post_recv(&side, 0, DOCA_UROM_AM_ANY, &other);
    assert_ok(doca_urom_am_cancel(side.ops[0], &recv, on_end, &end));
    await(&side, &end);
    assert_ok(end.status);
    assert_int_equal(recv.count, 1);
    assert_doca(DOCA_ERROR_CONNECTION_ABORTED, recv.status);
    end.count = 0;
    assert_ok(doca_urom_am_cancel(side.ops[0], &recv, on_end, &end));
    await(&side, &end);
    assert_doca(DOCA_ERROR_NOT_FOUND, end.status);
    assert_ok(send_to(&side, 0, 0, DOCA_UROM_AM_DELIVER, "x", 1, &sent));
    await(&side, &other);
    assert_ok(other.status);
    close_side(&side);
}

enum { BATCH = 16 };

static void batch_of_sends(struct side *side, unsigned int first, struct outcome *outcomes)
{
    for (unsigned int i = 0; i < BATCH; i++) {
        const unsigned int number = first + i;

        post(side, 0, TEAM_DOMAIN_ID(1), DOCA_UROM_AM_DELIVER, 0, &number, sizeof(number),
             &outcomes[i]);
    }
    for (unsigned int i = 0; i < BATCH; i++) {
        await(side, &outcomes[i]);
        assert_ok(outcomes[i].status);
    }
}

static void batch_of_receives(struct side *side, unsigned int first, struct outcome *outcomes)
{
    for (unsigned int i = 0; i < BATCH; i++)
        post_recv(side, 1, DOCA_UROM_AM_DELIVER, &outcomes[i]);
    for (unsigned int i = 0; i < BATCH; i++) {
        const unsigned int number = first + i;

        await(side, &outcomes[i]);
        assert_memory_equal(outcomes[i].bytes, &number, sizeof(number));
    }
}

static void too_many_wait(void **state)
{
    static struct outcome outcomes[BATCH];
    struct outcome outcome;
    struct side side;

    (void)state;
    open_side(&side, 2);
    for (unsigned int i = 0; i < 1024; i += BATCH)
        batch_of_sends(&side, i, outcomes);
    assert_doca(DOCA_ERROR_AGAIN, send_to(&side, 0, 1, DOCA_UROM_AM_DELIVER, "x", 1, &outcome));
    for (unsigned int i = 0; i < 1024; i += BATCH)
        batch_of_receives(&side, i, outcomes);
    assert_ok(send_to(&side, 0, 1, DOCA_UROM_AM_DELIVER, "x", 1, &outcome));
    close_side(&side);
}

/* More at once than a connection holds, both ways and to itself. */
static void many_at_once(void **state)
{
    static struct outcome outcomes[3][BATCH];
    struct side side;
    static uint8_t bytes[4000];

    (void)state;
    open_side(&side, 2);
    for (unsigned int round = 0; round < 20; round++) {
        memset(bytes, (int)round, sizeof(bytes));
        for (unsigned int i = 0; i < BATCH; i++) {
            post(&side, 0, TEAM_DOMAIN_ID(1), DOCA_UROM_AM_ECHO, 0, bytes, sizeof(bytes),
                 &outcomes[0][i]);
            post(&side, 1, TEAM_DOMAIN_ID(0), DOCA_UROM_AM_ECHO, 0, bytes, sizeof(bytes),
                 &outcomes[1][i]);
            post(&side, 0, TEAM_DOMAIN_ID(0), DOCA_UROM_AM_ECHO, 0, bytes, sizeof(bytes),
                 &outcomes[2][i]);
        }
        for (unsigned int i = 0; i < 3 * BATCH; i++) {
            struct outcome *outcome = &outcomes[i / BATCH][i % BATCH];

            await(&side, outcome);
            assert_ok(outcome->status);
            assert_int_equal(outcome->len, sizeof(bytes));
            assert_memory_equal(outcome->bytes, bytes, sizeof(bytes));
        }
    }
    close_side(&side);
}

/* One worker, with messages of the service's that are so long; env may be NULL. */
static void open_alone(struct side *side, uint32_t msg_size, char *const *env)
{
    struct team *one = &side->team;

    *one = (struct team){.count = 1};
    fixture_host_prepare(&one->host);
    assert_ok(doca_urom_service_set_max_comm_msg_size(one->host.service, msg_size));
    assert_ok(doca_ctx_start(one->host.service_ctx));
    one->plugin = fixture_plugin(&one->host, "worker_am");
    one->workers[0] = fixture_worker(&one->host, 100, one->plugin);
    if (env != NULL)
        assert_ok(doca_urom_worker_set_env(one->workers[0], env, 1));
    assert_int_equal(fixture_worker_start(&one->host, one->workers[0]), DOCA_CTX_STATE_RUNNING);
    team_meet(one);
    open_ops(side, 1);
}

static void the_longest_message_is_told(void **state)
{
    static const uint32_t sizes[] = {4096, 1000, 128};
    struct outcome outcome, recv;
    struct side side;
    uint8_t bytes[4096];
    size_t max;

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct doca_urom_am_message message = {
            .source = TEAM_DOMAIN_ID(0), .dest = TEAM_DOMAIN_ID(0), .bytes = bytes};

        open_alone(&side, sizes[i], NULL);
        assert_ok(doca_urom_am_get_max_len(side.ops[0], &max));
        assert_int_equal(max, sizes[i] - 64); /* of which its head takes 40 */
        assert_ok(send_to(&side, 0, 0, DOCA_UROM_AM_ECHO, bytes, max, &outcome));
        assert_int_equal(outcome.len, max);
        assert_memory_equal(outcome.bytes, bytes, max);
        post_recv(&side, 0, DOCA_UROM_AM_ANY, &recv);
        assert_ok(send_to(&side, 0, 0, DOCA_UROM_AM_DELIVER, bytes, max, &outcome));
        await(&side, &recv);
        assert_ok(recv.status);
        assert_int_equal(recv.len, max);
        assert_memory_equal(recv.bytes, bytes, max);
        message.len = max + 1;
        assert_doca(DOCA_ERROR_INVALID_VALUE,
                    doca_urom_am_send(side.ops[0], &message, on_sent, &outcome));
        close_side(&side);
    }
}

static void without_the_plugin_there_is_no_longest_message(void **state)
{
    struct side side;
    size_t max = 7;

    (void)state;
    team_open(&side.team, "worker_rma", 1);
    open_ops(&side, 1);
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_urom_am_get_max_len(side.ops[0], &max));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_am_get_max_len(side.ops[0], NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_am_get_max_len(NULL, &max));
    assert_int_equal(max, 7);
    close_side(&side);
}

static void handlers_of_a_program(void **state)
{
    char variable[512], *env[] = {variable};
    struct outcome outcome, recv;
    struct handler_told told;
    struct side side;

    (void)state;
    assert_non_null(getenv("UROM_TEST_HANDLERS"));
    snprintf(variable, sizeof(variable), "UROM_AM_HANDLERS=%s", getenv("UROM_TEST_HANDLERS"));
    open_alone(&side, 4096, env);
    assert_ok(send_to(&side, 0, 0, HANDLER_TELL, "12345", 5, &outcome));
    assert_int_equal(outcome.len, sizeof(told));
    memcpy(&told, outcome.bytes, sizeof(told));
    assert_int_equal(told.source, TEAM_DOMAIN_ID(0));
    assert_int_equal(told.len, 5);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, send_to(&side, 0, 0, HANDLER_REFUSE, "x", 1, &outcome));
    post_recv(&side, 0, HANDLER_PASS_ON, &recv);
    assert_ok(send_to(&side, 0, 0, DOCA_UROM_AM_DELIVER, "x", 1, &outcome)); /* waits */
    assert_int_equal(recv.count, 0);
    assert_ok(send_to(&side, 0, 0, HANDLER_PASS_ON, "passed", 6, &outcome));
    assert_int_equal(outcome.len, 0);
    await(&side, &recv);
    assert_int_equal(recv.handler, HANDLER_PASS_ON);
    assert_memory_equal(recv.bytes, "passed", 6);
    close_side(&side);
}

static void handlers_that_are_none(void **state)
{
    char variable[] = "UROM_AM_HANDLERS=/nowhere.so", *env[] = {variable};
    struct fixture_host host;
    struct doca_urom_worker *worker;

    (void)state;
    fixture_host_open(&host);
    worker = fixture_worker(&host, 100, fixture_plugin(&host, "worker_am"));
    assert_ok(doca_urom_worker_set_env(worker, env, 1));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_IDLE);
    fixture_wait_log(&daemon_one, "/nowhere.so");
    assert_ok(doca_urom_worker_destroy(worker));
    fixture_host_close(&host);
}

static void refusals(void **state)
{
    struct doca_urom_am_message message = {.source = 999, .dest = TEAM_DOMAIN_ID(0)};
    struct am_recv recv = {.head = {.op = AM_RECV, .flags = 1}};
    struct team_command command;
    struct outcome outcome;
    struct side side;
    uint8_t bytes[64] = {0};

    (void)state;
    open_side(&side, 2);
    post(&side, 0, 999, DOCA_UROM_AM_ECHO, 0, "x", 1, &outcome);
    await(&side, &outcome);
    assert_doca(DOCA_ERROR_NOT_FOUND, outcome.status);
    for (uint64_t source = TEAM_DOMAIN_ID(1); source < 1000; source += 999 - TEAM_DOMAIN_ID(1)) {
        message.source = source; /* another worker's, nobody's */
        outcome.count = 0;
        assert_ok(doca_urom_am_send(side.ops[0], &message, on_sent, &outcome));
        await(&side, &outcome);
        assert_doca(DOCA_ERROR_INVALID_VALUE, outcome.status);
    }
    message.len = 1;
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_am_send(side.ops[0], &message, on_sent, &outcome));
    message = (struct doca_urom_am_message){.flags = 1};
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_am_send(side.ops[0], &message, on_sent, &outcome));
    message = (struct doca_urom_am_message){.bytes = bytes, .len = 4033};
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_urom_am_send(side.ops[0], &message, on_sent, &outcome));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_urom_am_recv(side.ops[0], 0, NULL, NULL));
    assert_doca(DOCA_ERROR_INVALID_VALUE, team_call(&side.team, 0, &command, &recv, sizeof(recv)));
    recv.head.flags = 0;
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                team_call(&side.team, 0, &command, &recv, sizeof(recv) - 1));
    recv.head.op = 3;
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, team_call(&side.team, 0, &command, &recv, sizeof(recv)));
    close_side(&side);
}

static void death_of_the_other(void **state)
{
    doca_error_t status = DOCA_SUCCESS;
    struct outcome outcome;
    struct side side;

    (void)state;
    open_side(&side, 2);
    assert_ok(send_to(&side, 0, 1, DOCA_UROM_AM_ECHO, "x", 1, &outcome));
    kill(team_pid(1), SIGKILL);
    while (status == DOCA_SUCCESS)
        status = send_to(&side, 0, 1, DOCA_UROM_AM_ECHO, "x", 1, &outcome);
    assert_doca(DOCA_ERROR_IO_FAILED, status);
    assert_ok(send_to(&side, 0, 0, DOCA_UROM_AM_ECHO, "x", 1, &outcome));
    close_side(&side);
}

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    fixture_daemon_start(&daemon_one, NULL);
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_handlers),
        cmocka_unit_test(receives),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(too_many_wait),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(the_longest_message_is_told),
        cmocka_unit_test(without_the_plugin_there_is_no_longest_message),
        cmocka_unit_test(handlers_of_a_program),
        cmocka_unit_test(handlers_that_are_none),
        cmocka_unit_test(refusals),
        cmocka_unit_test(death_of_the_other),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
