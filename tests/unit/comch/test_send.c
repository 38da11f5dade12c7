/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: order, content, limits, and what becomes of them at the end of a connection. */
#include "lib/comch_fixture.h"

#define MAX_MSG 4080u

/* ---- ping-pong, as programs do it ---- */

static void reply(struct comch_end *end, struct doca_comch_connection *conn)
{
    send_to(end, conn, "pong", 4);
}

static void stop_when_sent(struct comch_end *end, struct doca_comch_task_send *task)
{
    (void)task;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end->ctx));
}

static void stop_at_message(struct comch_end *end, struct doca_comch_connection *conn)
{
    (void)conn;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end->ctx));
}

static void pong_server(int peer)
{
    struct comch_end end;

    open_server(&end);
    end.on_message = reply;
    end.on_sent = stop_when_sent;
    need_ok(doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.sent == 1 && end.failed == 0 && last_is(&end, "ping"));
    close_end(&end);
    (void)peer;
}

static void send_ping(struct comch_end *end, enum doca_ctx_states next)
{
    if (next == DOCA_CTX_STATE_RUNNING)
        send_text(end, "ping");
}

static void ping_client(int peer)
{
    struct comch_end end;

    open_client(&end);
    end.on_state = send_ping;
    end.on_message = stop_at_message;
    end.destroy_in_idle = true;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.sent == 1 && end.failed == 0 && last_is(&end, "pong"));
    close_end(&end);
    (void)peer;
}

static void ping_pong_many_times(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct pair_side sides[] = {{"dpu", pong_server}, {"host", ping_client}};

        run_sides(&sides[i % 2], 0, &sides[1 - i % 2], 0);
    }
}

/* ---- content and order ---- */

#define MANY 10000u

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

struct flow {
    uint32_t send_seed, recv_seed;
    unsigned int to_send, wrong;
    uint64_t bytes;
    char messages[64][MAX_MSG]; /* of the tasks in flight, in turn */
    unsigned int next;
};

/* Length and bytes of a message follow from the place in the sequence. */
static uint32_t make_message(uint32_t *seed, char *message)
{
    uint32_t len = 1 + next_random(seed) % MAX_MSG;
    uint32_t word = next_random(seed);

    if (next_random(seed) % 8 != 0)
        len = 1 + len % 64;
    for (uint32_t i = 0; i < len; i++)
        message[i] = (char)(word + i * 31);
    return len;
}

static void check_message(struct comch_end *end, struct doca_comch_connection *conn)
{
    struct flow *flow = end->arg;
    static char expected[MAX_MSG];
    uint32_t len = make_message(&flow->recv_seed, expected);

    (void)conn;
    if (len != end->last_len || memcmp(expected, end->last, len) != 0)
        flow->wrong++;
}

static void send_next(struct comch_end *end)
{
    struct flow *flow = end->arg;
    char *message = flow->messages[flow->next++ % 64];
    uint32_t len = make_message(&flow->send_seed, message);

    send_to(end, end_conn(end), message, len);
    flow->to_send--;
    flow->bytes += len;
}

static void pump(struct comch_end *end, int peer)
{
    struct flow *flow = end->arg;
    struct doca_comch_connection *conn = end_conn(end);

    while (end->sent < MANY || end->received < MANY) {
        if (flow->to_send > 0 && MANY - flow->to_send - end->sent < 64)
            send_next(end);
        if (doca_pe_progress(end->pe) == 0)
            sched_yield();
    }
    need(flow->wrong == 0 && end->failed == 0);
    need_ok(doca_comch_connection_update_info(conn));
    need(counter(conn, DOCA_COMCH_COUNTER_SENT_MESSAGES) == MANY);
    need(counter(conn, DOCA_COMCH_COUNTER_RECV_MESSAGES) == MANY);
    need(counter(conn, DOCA_COMCH_COUNTER_SENT_BYTES) == flow->bytes);
    need(counter(conn, DOCA_COMCH_COUNTER_RECV_BYTES) == end->received_bytes);
    say(peer, 'e');
    progress_until(end, has_said(peer) || end_state(end) == DOCA_CTX_STATE_IDLE);
}

static void flow_server(int peer)
{
    static struct flow flow = {.send_seed = 1, .recv_seed = 2, .to_send = MANY};
    struct comch_end end;

    open_server(&end);
    end.arg = &flow;
    end.on_message = check_message;
    need_ok(doca_ctx_start(end.ctx));
    progress_until(&end, end.connects == 1);
    pump(&end, peer);
    close_end(&end);
}

static void flow_client(int peer)
{
    static struct flow flow = {.send_seed = 2, .recv_seed = 1, .to_send = MANY};
    struct comch_end end;

    open_client(&end);
    end.arg = &flow;
    end.on_message = check_message;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    pump(&end, peer);
    close_end(&end);
}

static void ten_thousand_messages_each_way(void **state)
{
    (void)state;
    run_pair(flow_server, flow_client);
}

/* ---- back-pressure ---- */

#define QUEUE 8u

static void comes_in_turn(struct comch_end *end, struct doca_comch_connection *conn)
{
    const uint32_t number = end->received - 1;

    (void)conn;
    need(end->last_len == sizeof(number) && memcmp(end->last, &number, sizeof(number)) == 0);
}

static void slow_server(int peer)
{
    struct comch_end end;

    open_server(&end);
    need_ok(doca_comch_server_set_recv_queue_size(end.server, QUEUE));
    end.keep_tasks = false;
    end.on_message = comes_in_turn;
    need_ok(doca_ctx_start(end.ctx));
    say(peer, 'r');
    hear(peer, 'f');
    progress_until(&end, end.received == 1000);
    close_end(&end);
}

static void impatient_client(int peer)
{
    static uint32_t numbers[1000];
    struct comch_end end;

    hear(peer, 'r');
    start_client(&end);
    for (uint32_t i = 0; i < 1000; i++) {
        numbers[i] = i;
        send_to(&end, end_conn(&end), &numbers[i], sizeof(numbers[i]));
    }
    /* What the receiver's queue holds is delivered, the rest waits. */
    progress_until(&end, end.sent == QUEUE);
    for (int i = 0; i < 1000; i++)
        need(doca_pe_progress(end.pe) == 0);
    need(end.failed == 0);
    say(peer, 'f');
    progress_until(&end, end.sent == 1000);
    need(end.failed == 0);
    close_end(&end);
}

static void idle_receiver_loses_nothing(void **state)
{
    (void)state;
    run_pair(slow_server, impatient_client);
}

/* ---- stop right after submit ---- */

static void server_says_and_stops(int peer)
{
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.connects == 1);
    send_text(&end, "the end");
    doca_ctx_stop(end.ctx);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.sent == 1 && end.failed == 0);
    close_end(&end);
    (void)peer;
}

static void client_hears_the_end(int peer)
{
    struct comch_end end;

    start_client(&end);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(last_is(&end, "the end"));
    close_end(&end);
    (void)peer;
}

static void server_hears_the_end(int peer)
{
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.disconnects == 1);
    need(last_is(&end, "the end"));
    close_end(&end);
    (void)peer;
}

static void client_says_and_stops(int peer)
{
    struct comch_end end;

    start_client(&end);
    send_text(&end, "the end");
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.sent == 1 && end.failed == 0);
    close_end(&end);
    (void)peer;
}

static void stop_does_not_overtake_messages(void **state)
{
    (void)state;
    run_pair(server_says_and_stops, client_hears_the_end);
    run_pair(server_hears_the_end, client_says_and_stops);
}

/* Both submit and stop at once: what is reported as sent has arrived, the rest is not reported so.
 */
static unsigned int both_stop(struct comch_end *end, int peer)
{
    for (int i = 0; i < 20; i++)
        send_text(end, "crossing");
    say(peer, 's');
    hear(peer, 's');
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end->ctx));
    progress_until(end, end_state(end) == DOCA_CTX_STATE_IDLE);
    need(end->sent + end->failed == 20);
    return end->sent;
}

static void compare(int peer, unsigned int sent, unsigned int received)
{
    say(peer, (char)('A' + sent));
    need(received == (unsigned int)(hear_any(peer) - 'A'));
}

static void crossing_server(int peer)
{
    struct comch_end end;
    unsigned int sent;

    start_server(&end);
    progress_until(&end, end.connects == 1);
    sent = both_stop(&end, peer);
    compare(peer, sent, end.received);
    close_end(&end);
}

static void crossing_client(int peer)
{
    struct comch_end end;
    unsigned int sent;

    start_client(&end);
    sent = both_stop(&end, peer);
    compare(peer, sent, end.received);
    close_end(&end);
}

static void crossing_stops_agree(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        run_pair(crossing_server, crossing_client);
}

/* ---- no progress after submit ---- */

#define IN_TIME 100 /* ms; what the quickest of some takes: a busy machine delays any of them */
#define TRIES   20u

static void sleeper(int peer)
{
    static uint64_t sent[TRIES];
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.connects == 1);
    for (unsigned int i = 0; i < TRIES; i++) {
        sent[i] = now_ms();
        send_to(&end, end_conn(&end), &sent[i], sizeof(sent[i]));
        hear(peer, 'g'); /* sleeps until then */
    }
    need(end.sent == 0);
    close_end(&end);
    need(end.sent == TRIES);
}

static void gets_it_in_time(int peer)
{
    uint64_t sent, took, quickest = UINT64_MAX;
    struct comch_end end;

    start_client(&end);
    for (unsigned int i = 0; i < TRIES; i++) {
        progress_until(&end, end.received == i + 1);
        need(end.last_len == sizeof(sent));
        memcpy(&sent, end.last, sizeof(sent));
        took = now_ms() - sent;
        quickest = took < quickest ? took : quickest;
        say(peer, 'g');
    }
    need(quickest <= IN_TIME);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
}

static void submitted_messages_need_no_progress(void **state)
{
    (void)state;
    run_pair(sleeper, gets_it_in_time);
}

/* ---- limits ---- */

static void limited_server(int peer)
{
    struct comch_end end;

    open_server(&end);
    need_ok(doca_comch_server_set_max_msg_size(end.server, 100));
    need_ok(doca_ctx_start(end.ctx));
    progress_until(&end, end.received == 2 && end.disconnects == 1);
    need(end.last_len == 100);
    close_end(&end);
    (void)peer;
}

static void limited_client(int peer)
{
    struct doca_comch_task_send *tasks[3], *extra = NULL;
    struct doca_comch_connection *conn;
    struct comch_end end, stranger;
    static char message[101];

    open_client(&end);
    open_client(&stranger);
    need_ok(doca_comch_client_task_send_set_conf(end.client, end_on_sent, end_on_failed, 3));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(&end, NULL, message, 1, &extra));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    conn = end_conn(&end);
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(&end, conn, message, 101, &extra));
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(&end, conn, message, 0, &extra));
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(&end, conn, NULL, 1, &extra));
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(&end, conn, message, 1, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(&end, NULL, message, 1, &extra));
    need_code(DOCA_ERROR_BAD_STATE, end_alloc(&stranger, conn, message, 1, &extra));
    for (int i = 0; i < 3; i++)
        need_ok(end_alloc(&end, conn, message, i == 2 ? 100 : 1, &tasks[i]));
    need_code(DOCA_ERROR_NO_MEMORY, end_alloc(&end, conn, message, 1, &extra));
    need(extra == NULL);
    doca_task_free(doca_comch_task_send_as_task(tasks[0]));
    for (int i = 1; i < 3; i++)
        need_ok(doca_task_try_submit(doca_comch_task_send_as_task(tasks[i])));
    need_code(DOCA_ERROR_BAD_STATE, doca_task_submit(doca_comch_task_send_as_task(tasks[2])));
    need_code(DOCA_ERROR_IN_USE, doca_comch_client_destroy(end.client));
    close_end(&end);
    close_end(&stranger);
    need(end.sent == 2);
    need(doca_comch_task_send_as_task(NULL) == NULL);
    (void)peer;
}

static void limits_hold(void **state)
{
    (void)state;
    run_pair(limited_server, limited_client);
}

/* ---- fate when the peer dies ---- */

static void count_gone(struct comch_end *end, struct doca_comch_connection *conn)
{
    struct doca_comch_task_send *task = NULL;

    /* All its sends are reported before, and none can be made any more. */
    need(end->sent + end->failed == 20);
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(end, conn, "x", 1, &task));
    need(task == NULL);
}

static void sends_to_the_dying(int peer)
{
    struct comch_end end;

    open_server(&end);
    end.on_disconnect = count_gone;
    need_ok(doca_ctx_start(end.ctx));
    progress_until(&end, end.connects == 1);
    hear(peer, 'u');
    for (int i = 0; i < 20; i++)
        send_text(&end, "never read");
    for (int i = 0; i < 1000; i++)
        doca_pe_progress(end.pe);
    need(end.sent == QUEUE && end.failed == 0);
    say(peer, 'k');
    progress_until(&end, end.dirty_disconnects == 1);
    need(end.sent == QUEUE && end.failed == 20 - QUEUE);
    need(end.last_status == DOCA_ERROR_CONNECTION_RESET);
    need(end_state(&end) == DOCA_CTX_STATE_RUNNING);
    close_end(&end);
}

static void dies_without_reading(int peer)
{
    struct comch_end end;

    open_client(&end);
    need_ok(doca_comch_client_set_recv_queue_size(end.client, QUEUE));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    say(peer, 'u');
    hear(peer, 'k');
    kill(getpid(), SIGKILL);
}

static void sends_to_a_dead_client_fail(void **state)
{
    (void)state;
    run_sides(&(struct pair_side){"dpu", sends_to_the_dying}, 0,
              &(struct pair_side){"host", dies_without_reading}, 128 + SIGKILL);
}

/* ---- tasks of connections that are over ---- */

static void keeps_a_task(int peer)
{
    struct doca_comch_task_send *task;
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.connects == 1);
    need_ok(end_alloc(&end, end.conns[0], "late", 4, &task));
    say(peer, 'l');
    progress_until(&end, end.disconnects == 1);
    need_code(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(doca_comch_task_send_as_task(task)));
    /* Also when the connection's place has been taken by another client. */
    say(peer, 'n');
    progress_until(&end, end.connects == 2);
    need_code(DOCA_ERROR_NOT_CONNECTED, doca_task_submit(doca_comch_task_send_as_task(task)));
    doca_task_free(doca_comch_task_send_as_task(task));
    close_end(&end);
    need(end.sent == 0 && end.failed == 0);
}

static void leaves_and_comes_again(int peer)
{
    struct comch_end end;

    start_client(&end);
    hear(peer, 'l');
    close_end(&end);
    hear(peer, 'n');
    start_client(&end);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.received == 0);
    close_end(&end);
}

static void tasks_do_not_outlive_their_connection(void **state)
{
    (void)state;
    run_pair(keeps_a_task, leaves_and_comes_again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ping_pong_many_times),
        cmocka_unit_test(ten_thousand_messages_each_way),
        cmocka_unit_test(idle_receiver_loses_nothing),
        cmocka_unit_test(stop_does_not_overtake_messages),
        cmocka_unit_test(crossing_stops_agree),
        cmocka_unit_test(submitted_messages_need_no_progress),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(sends_to_a_dead_client_fail),
        cmocka_unit_test(tasks_do_not_outlive_their_connection),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
