/* SPDX-License-Identifier: BSD-3-Clause */
/* Registration of events, and sleeping until one comes. */
#include "lib/comch_fixture.h"

/* ---- registration ---- */

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
                        uint32_t id)
{
    (void)event;
    (void)conn;
    (void)id;
}

static void server_registers(int peer)
{
    struct doca_comch_server *bare;
    struct comch_end end;

    open_server(&end);
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_event_msg_recv_register(NULL, end_on_message));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_event_msg_recv_register(end.server, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_event_connection_status_changed_register(
                                            NULL, end_on_connect, end_on_disconnect));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_event_connection_status_changed_register(
                                            end.server, NULL, end_on_disconnect));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_event_connection_status_changed_register(
                                            end.server, end_on_connect, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_event_consumer_register(NULL, on_consumer, on_consumer));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_event_consumer_register(end.server, NULL, on_consumer));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_event_consumer_register(end.server, on_consumer, NULL));
    need_ok(doca_comch_server_event_consumer_register(end.server, on_consumer, on_consumer));
    need_ok(doca_ctx_start(end.ctx));
    need_code(DOCA_ERROR_BAD_STATE,
              doca_comch_server_event_msg_recv_register(end.server, end_on_message));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_server_event_connection_status_changed_register(
                                        end.server, end_on_connect, end_on_disconnect));
    need_code(DOCA_ERROR_BAD_STATE,
              doca_comch_server_event_consumer_register(end.server, on_consumer, on_consumer));
    /* Messages and connections must have somebody to tell. */
    need_ok(doca_comch_server_create(end.dev, end.rep, "bare", &bare));
    need_ok(doca_pe_connect_ctx(end.pe, doca_comch_server_as_ctx(bare)));
    need_code(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_comch_server_as_ctx(bare)));
    need_ok(doca_comch_server_event_msg_recv_register(bare, end_on_message));
    need_code(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_comch_server_as_ctx(bare)));
    need_ok(doca_comch_server_event_connection_status_changed_register(bare, end_on_connect,
                                                                       end_on_disconnect));
    need_ok(doca_ctx_start(doca_comch_server_as_ctx(bare)));
    need_ok(doca_ctx_stop(doca_comch_server_as_ctx(bare)));
    need_ok(doca_comch_server_destroy(bare));
    close_end(&end);
    (void)peer;
}

static void client_registers(int peer)
{
    struct doca_comch_client *bare;
    struct comch_end end;

    open_client(&end);
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_event_msg_recv_register(NULL, end_on_message));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_event_msg_recv_register(end.client, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_event_consumer_register(NULL, on_consumer, on_consumer));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_event_consumer_register(end.client, NULL, on_consumer));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_event_consumer_register(end.client, on_consumer, NULL));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    need_code(DOCA_ERROR_BAD_STATE,
              doca_comch_client_event_msg_recv_register(end.client, end_on_message));
    need_code(DOCA_ERROR_BAD_STATE,
              doca_comch_client_event_consumer_register(end.client, on_consumer, on_consumer));
    need_ok(doca_comch_client_create(end.dev, "bare", &bare));
    need_ok(doca_pe_connect_ctx(end.pe, doca_comch_client_as_ctx(bare)));
    need_code(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_comch_client_as_ctx(bare)));
    need_ok(doca_comch_client_destroy(bare));
    close_end(&end);
    (void)peer;
}

static void events_are_registered_before_the_start(void **state)
{
    (void)state;
    run_pair(server_registers, client_registers);
}

/* ---- sleeping ---- */

#define ROUNDS 1000u

static void bounce(struct comch_end *end, struct doca_comch_connection *conn)
{
    static const char ball = 'o';

    if (end->received < ROUNDS || end->server != NULL)
        send_to(end, conn, &ball, 1);
}

static void sleeping_server(int peer)
{
    struct comch_end end;

    open_server(&end);
    end.on_message = bounce;
    need_ok(doca_ctx_start(end.ctx));
    sleep_until(&end, end.connects == 1);
    sleep_until(&end, end.disconnects == 1);
    need(end.received == ROUNDS && end.sent == ROUNDS);
    close_end(&end);
    (void)peer;
}

static void sleeping_client(int peer)
{
    struct comch_end end;

    open_client(&end);
    end.on_message = bounce;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    sleep_until(&end, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    send_text(&end, "o");
    sleep_until(&end, end.received == ROUNDS && end.sent == ROUNDS);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end.ctx));
    sleep_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
    (void)peer;
}

static void every_event_wakes(void **state)
{
    (void)state;
    run_pair(sleeping_server, sleeping_client);
}

/* A sender that sleeps until the receiver has made room. */
static void makes_room(int peer)
{
    struct comch_end end;

    open_server(&end);
    need_ok(doca_comch_server_set_recv_queue_size(end.server, 2));
    need_ok(doca_ctx_start(end.ctx));
    hear(peer, 's');
    progress_until(&end, end.received == 500);
    sleep_until(&end, end.disconnects == 1);
    close_end(&end);
}

static void waits_for_room(int peer)
{
    struct comch_end end;

    start_client(&end);
    for (int i = 0; i < 500; i++)
        send_text(&end, "many of these");
    sleep_until(&end, end.sent == 2);
    say(peer, 's');
    sleep_until(&end, end.sent == 500);
    close_end(&end);
}

static void room_wakes_a_sender(void **state)
{
    (void)state;
    run_pair(makes_room, waits_for_room);
}

/* ---- death wakes, too ---- */

static void dies(int peer)
{
    struct comch_end end;

    start_client(&end);
    hear(peer, 'd');
    kill(getpid(), SIGKILL);
}

static void sleeps_until_death(int peer)
{
    struct comch_end end;

    start_server(&end);
    sleep_until(&end, end.connects == 1);
    say(peer, 'd');
    sleep_until(&end, end.dirty_disconnects == 1);
    close_end(&end);
}

static void fails_to_connect(int peer)
{
    struct comch_end end;

    use_devices("{\"devices\": [{\"role\": \"host\", \"pci\": \"b1:00.0\","
                "\"caps\": {\"comch_connect_timeout\": 100}}]}");
    open_client(&end);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    sleep_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
    (void)peer;
}

static void ends_wake(void **state)
{
    (void)state;
    run_sides(&(struct pair_side){"dpu", sleeps_until_death}, 0, &(struct pair_side){"host", dies},
              128 + SIGKILL);
    run_pair(do_nothing, fails_to_connect);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_registered_before_the_start),
        cmocka_unit_test(every_event_wakes),
        cmocka_unit_test(room_wakes_a_sender),
        cmocka_unit_test(ends_wake),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
