/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a connection, as both sides see it. */
#include "lib/comch_fixture.h"

#include <sys/mman.h>

/* ---- coming up ---- */

static void server_runs_inside_start(int peer)
{
    struct comch_end end;

    open_server(&end);
    need_ok(doca_ctx_start(end.ctx));
    need(end.nstates == 1 && end.states[0] == DOCA_CTX_STATE_RUNNING);
    say(peer, 'r');
    progress_until(&end, end.connects == 1);
    need(end.failed_connects == 0);
    hear(peer, 'c');
    /* Without a connection the stop is over at once. */
    progress_until(&end, end.disconnects == 1);
    need_ok(doca_ctx_stop(end.ctx));
    need(end.nstates == 3 && end.states[1] == DOCA_CTX_STATE_STOPPING &&
         end.states[2] == DOCA_CTX_STATE_IDLE);
    close_end(&end);
}

static void client_runs_from_progress(int peer)
{
    struct doca_comch_connection *conn;
    struct comch_end end;

    hear(peer, 'r');
    open_client(&end);
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_client_get_connection(end.client, &conn));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    need(end.nstates == 1 && end.states[0] == DOCA_CTX_STATE_STARTING);
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_client_get_connection(end.client, &conn));
    need_code(DOCA_ERROR_BAD_STATE, doca_ctx_start(end.ctx));
    progress_until(&end, end.nstates == 2);
    need(end.states[1] == DOCA_CTX_STATE_RUNNING);
    need_ok(doca_comch_client_get_connection(end.client, &conn));
    need(doca_comch_client_get_client_ctx(conn) == end.client);
    need(doca_comch_server_get_server_ctx(conn) == NULL);
    say(peer, 'c');
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end.ctx));
    need(end.states[2] == DOCA_CTX_STATE_STOPPING);
    progress_until(&end, end.nstates == 4);
    need(end.states[3] == DOCA_CTX_STATE_IDLE);
    close_end(&end);
}

static void both_sides_come_and_go(void **state)
{
    (void)state;
    run_pair(server_runs_inside_start, client_runs_from_progress);
}

/* ---- order of starting ---- */

static void server_comes_late(int peer)
{
    struct comch_end end;

    hear(peer, 's');
    start_server(&end);
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
}

static void client_waits(int peer)
{
    struct comch_end end;

    open_client(&end);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    for (uint64_t until = now_ms() + 3000; now_ms() < until; poll(NULL, 0, 10))
        need(doca_pe_progress(end.pe) == 0);
    need(end_state(&end) == DOCA_CTX_STATE_STARTING);
    say(peer, 's');
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    close_end(&end);
}

static void client_may_start_first(void **state)
{
    (void)state;
    run_pair(server_comes_late, client_waits);
}

/* The deadline of the first function is short, that of the second one is far away. */
static const char impatient[] =
    "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"representors\": [\"b1:00.0\", "
    "\"b1:00.1\"]},"
    "{\"role\": \"host\", \"pci\": \"b1:00.0\", \"caps\": {\"comch_connect_timeout\": 200}},"
    "{\"role\": \"host\", \"pci\": \"b1:00.1\", \"caps\": {\"comch_connect_timeout\": 3600000}}]}";

/* The device that is not the first. */
static struct doca_dev *open_second(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t num;

    need_ok(doca_devinfo_create_list(&list, &num));
    need(num == 2);
    need_ok(doca_dev_open(list[1], &dev));
    need_ok(doca_devinfo_destroy_list(list));
    return dev;
}

static void client_gives_up(int peer)
{
    struct comch_end end, patient = {0};
    uint64_t begin;

    (void)peer;
    use_devices(impatient);
    patient.dev = open_second();
    need_ok(doca_pe_create(&patient.pe));
    end_create_client(&patient, SERVICE);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(patient.ctx));
    open_client(&end);
    begin = now_ms();
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(now_ms() - begin >= 200);
    /* One that began earlier waits on, however long all of this has taken. */
    doca_pe_progress(patient.pe);
    need(end_state(&patient) == DOCA_CTX_STATE_STARTING);
    close_end(&patient);
    for (unsigned int i = 0; i < end.nstates; i++)
        need(end.states[i] != DOCA_CTX_STATE_RUNNING);
    need(end.nstates == 3 && end.states[1] == DOCA_CTX_STATE_STOPPING);
    /* And once more. */
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
}

static void absent_server_ends_the_client(void **state)
{
    (void)state;
    run_pair(do_nothing, client_gives_up);
}

static void client_stops_while_starting(int peer)
{
    struct comch_end end;

    (void)peer;
    open_client(&end);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end.ctx));
    need(end_state(&end) == DOCA_CTX_STATE_STOPPING);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
}

static void connecting_can_be_cancelled(void **state)
{
    (void)state;
    run_pair(do_nothing, client_stops_while_starting);
}

/* ---- progress of the other side ---- */

static void server_does_not_progress(int peer)
{
    struct comch_end end;

    start_server(&end);
    say(peer, 'r');
    /* The client connects, sends and leaves meanwhile. */
    hear(peer, 'g');
    need(end.connects == 0);
    progress_until(&end, end.disconnects == 1);
    need(end.connects == 1 && end.received == 1 && last_is(&end, "hello"));
    close_end(&end);
}

static void client_needs_no_progress_of_the_server(int peer)
{
    struct comch_end end;

    hear(peer, 'r');
    start_client(&end);
    send_text(&end, "hello");
    progress_until(&end, end.sent == 1);
    close_end(&end);
    say(peer, 'g');
}

static void nothing_depends_on_the_servers_progress(void **state)
{
    (void)state;
    run_pair(server_does_not_progress, client_needs_no_progress_of_the_server);
}

static void server_needs_no_progress_of_the_client(int peer)
{
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.connects == 1);
    send_text(&end, "bye");
    close_end(&end);
    need(end.sent == 1 && end.failed == 0 && end.disconnects == 1);
    say(peer, 'g');
}

static void client_does_not_progress(int peer)
{
    struct comch_end end;

    start_client(&end);
    hear(peer, 'g');
    need(end.received == 0);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.received == 1 && last_is(&end, "bye"));
    close_end(&end);
}

static void nothing_depends_on_the_clients_progress(void **state)
{
    (void)state;
    run_pair(server_needs_no_progress_of_the_client, client_does_not_progress);
}

/* ---- going down ---- */

static void server_with_three_clients(int peer)
{
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.connects == 3);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end.ctx));
    need(end.states[1] == DOCA_CTX_STATE_STOPPING);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.disconnects == 3 && end.dirty_disconnects == 0);
    need(end.nstates == 3);
    close_end(&end);
    hear(peer, 'e');
}

static void three_clients(int peer)
{
    struct comch_end ends[3];

    for (int i = 0; i < 3; i++)
        start_client(&ends[i]);
    for (int i = 0; i < 3; i++) {
        progress_until(&ends[i], end_state(&ends[i]) == DOCA_CTX_STATE_IDLE);
        need(ends[i].nstates == 4 && ends[i].states[2] == DOCA_CTX_STATE_STOPPING);
        close_end(&ends[i]);
    }
    say(peer, 'e');
}

static void stop_of_the_server_ends_all_clients(void **state)
{
    (void)state;
    run_pair(server_with_three_clients, three_clients);
}

static void server_looks_late(int peer)
{
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.connects == 3);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end.ctx));
    /* Makes the end known to all three, which then close. */
    doca_pe_progress(end.pe);
    hear(peer, 'e');
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.disconnects == 3 && end.dirty_disconnects == 0);
    close_end(&end);
}

/* A client that has taken the server's end may be gone before the server looks again. */
static void clients_that_close_at_once_have_left(void **state)
{
    (void)state;
    run_pair(server_looks_late, three_clients);
}

static void refuse_second(struct comch_end *end, struct doca_comch_connection *conn)
{
    if (end->connects == 1)
        return;
    need_ok(doca_comch_server_disconnect(end->server, conn));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(end->server, conn));
    for (int i = 0; i < MAX_CONNS; i++)
        end->conns[i] = end->conns[i] == conn ? NULL : end->conns[i];
}

static void server_keeps_the_first(int peer)
{
    struct comch_end end;

    open_server(&end);
    end.on_connect = refuse_second;
    need_ok(doca_ctx_start(end.ctx));
    progress_until(&end, has_said(peer));
    hear(peer, '2');
    need(end.connects == 2 && end.disconnects == 0 && end.dirty_disconnects == 0);
    progress_until(&end, end.received == 1);
    need(last_is(&end, "still here"));
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
}

static void second_client_is_sent_away(int peer)
{
    struct comch_end first, second;

    start_client(&first);
    open_client(&second);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(second.ctx));
    progress_until(&second, end_state(&second) == DOCA_CTX_STATE_IDLE);
    say(peer, '2');
    for (int i = 0; i < 100; i++)
        doca_pe_progress(first.pe);
    need(end_state(&first) == DOCA_CTX_STATE_RUNNING);
    send_text(&first, "still here");
    close_end(&second);
    close_end(&first);
    need(first.sent == 1 && first.failed == 0);
}

static void disconnect_inside_the_connect_event(void **state)
{
    (void)state;
    run_pair(server_keeps_the_first, second_client_is_sent_away);
}

/* ---- too many ---- */

static const char two_clients[] =
    "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"representors\": [\"b1:00.0\"],"
    "\"caps\": {\"comch_max_clients\": 2}}, {\"role\": \"host\", \"pci\": \"b1:00.0\","
    "\"caps\": {" PATIENCE "}}]}";

static void server_has_room_for_two(int peer)
{
    struct comch_end end;

    use_devices(two_clients);
    start_server(&end);
    progress_until(&end, has_said(peer));
    hear(peer, 'e');
    progress_until(&end, end.disconnects == 3);
    need(end.connects == 3);
    close_end(&end);
}

static void third_client_is_refused(int peer)
{
    struct comch_end ends[3];

    use_devices(two_clients);
    start_client(&ends[0]);
    start_client(&ends[1]);
    open_client(&ends[2]);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ends[2].ctx));
    progress_until(&ends[2], end_state(&ends[2]) == DOCA_CTX_STATE_IDLE);
    need(ends[2].nstates == 3); /* never RUNNING */
    close_end(&ends[0]);
    /* A place is free again once the server has seen it. */
    while (end_state(&ends[2]) != DOCA_CTX_STATE_RUNNING) {
        if (end_state(&ends[2]) == DOCA_CTX_STATE_IDLE) {
            ends[2].nstates = 0;
            need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ends[2].ctx));
        }
        doca_pe_progress(ends[2].pe);
    }
    close_end(&ends[1]);
    close_end(&ends[2]);
    say(peer, 'e');
}

static void clients_above_the_limit_are_refused(void **state)
{
    (void)state;
    run_pair(server_has_room_for_two, third_client_is_refused);
}

/* ---- names ---- */

static void names_are_unique(int peer)
{
    struct comch_end first, second, other;

    start_server(&first);
    open_server(&second);
    need_code(DOCA_ERROR_ALREADY_EXIST, doca_ctx_start(second.ctx));
    need(end_state(&second) == DOCA_CTX_STATE_IDLE && second.nstates == 0);
    memset(&other, 0, sizeof(other));
    end_open_device(&other);
    end_open_rep(&other);
    end_create_server(&other, "another service");
    need_ok(doca_ctx_start(other.ctx));
    close_end(&first);
    need_ok(doca_ctx_start(second.ctx));
    close_end(&second);
    close_end(&other);
    (void)peer;
}

static void a_name_belongs_to_one_server(void **state)
{
    (void)state;
    run_pair(names_are_unique, do_nothing);
}

/* ---- user data ---- */

static void server_keeps_data(int peer)
{
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.connects == 1);
    need(doca_comch_connection_get_user_data(end.conns[0]).u64 == 0);
    need_ok(doca_comch_connection_set_user_data(end.conns[0], (union doca_data){.u64 = 7}));
    need(doca_comch_connection_get_user_data(end.conns[0]).u64 == 7);
    need(doca_comch_server_get_server_ctx(end.conns[0]) == end.server);
    need(doca_comch_client_get_client_ctx(end.conns[0]) == NULL);
    close_end(&end);
    (void)peer;
}

static void client_keeps_data(int peer)
{
    struct doca_comch_connection *conn;
    struct comch_end end;

    start_client(&end);
    need_ok(doca_comch_client_get_connection(end.client, &conn));
    need(doca_comch_connection_get_user_data(conn).u64 == 0);
    need_ok(doca_comch_connection_set_user_data(conn, (union doca_data){.u64 = 9}));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    /* Readable until the client is destroyed. */
    need(doca_comch_connection_get_user_data(conn).u64 == 9);
    need_ok(doca_comch_client_get_connection(end.client, &conn));
    need(doca_comch_connection_get_user_data(conn).u64 == 9);
    close_end(&end);
    (void)peer;
}

static void user_data_belongs_to_one_side(void **state)
{
    (void)state;
    run_pair(server_keeps_data, client_keeps_data);
}

/* ---- death ---- */

static void killed(int peer)
{
    struct comch_end end;

    start_client(&end);
    say(peer, 'u');
    progress_until_within(&end, 60000, false);
}

static void killed_server(int peer)
{
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.connects == 1);
    send_text(&end, "last words");
    send_text(&end, "very last");
    say(peer, 'u');
    progress_until_within(&end, 60000, false);
}

static void outlives_clients(int peer)
{
    struct comch_end end;

    start_server(&end);
    for (unsigned int i = 0; i < 2; i++) {
        progress_until(&end, end.connects == i + 1);
        hear(peer, 'u');
        say(peer, 'k');
        progress_until(&end, end.dirty_disconnects == i + 1);
        need(end.disconnects == 0);
    }
    for (int i = 0; i < 1000; i++)
        need(doca_pe_progress(end.pe) == 0);
    close_end(&end);
}

/* Runs `victim` in a process of its own and kills it once the other side has asked. */
static void kill_one(void (*victim)(int peer), const char *role, int peer)
{
    int ends[2];
    pid_t pid;

    need(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    pid = pair_start(&(struct pair_side){role, victim}, ends[0], ends[1]);
    close(ends[0]);
    hear(ends[1], 'u');
    say(peer, 'u');
    hear(peer, 'k');
    need(kill(pid, SIGKILL) == 0);
    need(pair_wait(pid) == 128 + SIGKILL);
    close(ends[1]);
}

static void kills_two_clients(int peer)
{
    kill_one(killed, "host", peer);
    kill_one(killed, "host", peer);
}

static void server_sees_dead_clients(void **state)
{
    (void)state;
    run_pair(outlives_clients, kills_two_clients);
}

/* ms until a client has seen its server's end; of the quickest, seen by all processes. */
static uint64_t *quickest;

static void outlives_server(int peer)
{
    struct comch_end end;
    uint64_t dead, took;

    start_client(&end);
    hear(peer, 'u');
    say(peer, 'k');
    hear(peer, 'd');
    dead = now_ms();
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    took = now_ms() - dead;
    *quickest = took < *quickest ? took : *quickest;
    need(end.received == 2 && last_is(&end, "very last"));
    need(end.nstates == 4 && end.states[2] == DOCA_CTX_STATE_STOPPING);
    close_end(&end);
    /* The name is free at once. */
    setenv("OPENDOCA_ROLE", "host", 1);
}

static void kills_server(int peer)
{
    struct comch_end end;

    kill_one(killed_server, "dpu", peer);
    say(peer, 'd');
    start_server(&end);
    close_end(&end);
}

static void client_sees_a_dead_server(void **state)
{
    (void)state;
    quickest =
        mmap(NULL, sizeof(*quickest), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(quickest != MAP_FAILED);
    *quickest = UINT64_MAX;
    /* A busy machine may make any of them late. */
    for (unsigned int i = 0; i < 5 && *quickest > 1000; i++)
        run_pair(kills_server, outlives_server);
    assert_true(*quickest <= 1000);
    munmap(quickest, sizeof(*quickest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_come_and_go),
        cmocka_unit_test(client_may_start_first),
        cmocka_unit_test(absent_server_ends_the_client),
        cmocka_unit_test(connecting_can_be_cancelled),
        cmocka_unit_test(nothing_depends_on_the_servers_progress),
        cmocka_unit_test(nothing_depends_on_the_clients_progress),
        cmocka_unit_test(stop_of_the_server_ends_all_clients),
        cmocka_unit_test(clients_that_close_at_once_have_left),
        cmocka_unit_test(disconnect_inside_the_connect_event),
        cmocka_unit_test(clients_above_the_limit_are_refused),
        cmocka_unit_test(a_name_belongs_to_one_server),
        cmocka_unit_test(user_data_belongs_to_one_side),
        cmocka_unit_test(server_sees_dead_clients),
        cmocka_unit_test(client_sees_a_dead_server),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
