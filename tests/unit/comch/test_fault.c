/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes wrong under a connection: full and broken links, negotiations without an end, forks. */
#include "lib/comch_fast_fixture.h"

#define MANY 300u

/* The links of a context that is created from now on. */
static void set_faults(const char *faults)
{
    setenv("OPENDOCA_LINK_FAULTS", faults, 1);
}

/* ---- AGAIN from a disconnect ---- */

/* The link says three times that it is full. */
static void disconnects_a_full_connection(int peer)
{
    struct doca_comch_connection *conn;
    struct comch_end end;

    set_faults("again=1,again=2,again=3");
    start_server(&end);
    progress_until(&end, end.connects == 1);
    conn = end.conns[0];
    send_to(&end, conn, "last words", 10);
    need_code(DOCA_ERROR_AGAIN, doca_comch_server_disconnect(end.server, conn));
    /* Nothing has happened to it. */
    need(end_state(&end) == DOCA_CTX_STATE_RUNNING && end.disconnects == 0);
    progress_until(&end, end.sent == 1);
    need_ok(doca_comch_server_disconnect(end.server, conn));
    hear(peer, 'i');
    need(end.failed == 0 && end.disconnects == 0 && end.dirty_disconnects == 0);
    close_end(&end);
}

static void hears_the_last_words(int peer)
{
    struct comch_end end;

    start_client(&end);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.received == 1 && last_is(&end, "last words"));
    say(peer, 'i');
    close_end(&end);
}

static void disconnect_of_a_full_connection_says_again(void **state)
{
    (void)state;
    run_pair(disconnects_a_full_connection, hears_the_last_words);
}

/* ---- A consumer that the peer never hears of ---- */

static void dies_when_told(int peer)
{
    struct comch_end end;

    start_fast_server(&end);
    hear(peer, 'k');
    raise(SIGKILL);
}

static void starts_a_consumer_in_vain(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    set_faults("again=1+");
    start_fast_client(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    open_consumer(&fast, &end, &mem, 4, NULL);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast.ctx));
    for (unsigned int i = 0; i < 100; i++) {
        doca_pe_progress(fast.pe);
        doca_pe_progress(end.pe);
    }
    need(fast_state(&fast) == DOCA_CTX_STATE_STARTING);
    say(peer, 'k');
    for (uint64_t until = now_ms() + DEFAULT_MS; fast_state(&fast) != DOCA_CTX_STATE_IDLE;) {
        need(now_ms() < until);
        doca_pe_progress(end.pe);
        doca_pe_progress(fast.pe);
    }
    for (unsigned int i = 0; i < fast.nstates; i++)
        need(fast.states[i] != DOCA_CTX_STATE_RUNNING);
    close_fast(&fast);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_memory(&mem);
    close_end(&end);
}

static void negotiation_without_an_answer_ends_in_idle(void **state)
{
    const struct pair_side server = {"dpu", dies_when_told};
    const struct pair_side client = {"host", starts_a_consumer_in_vain};

    (void)state;
    run_sides(&server, 128 + SIGKILL, &client, 0);
}

/* ---- Faults of links ---- */

static void echo(struct comch_end *end, struct doca_comch_connection *conn)
{
    send_to(end, conn, end->last, end->last_len);
}

static void echoes_until_the_end(int peer)
{
    struct comch_end end;

    open_server(&end);
    end.on_message = echo;
    need_ok(doca_ctx_start(end.ctx));
    progress_until(&end, end.disconnects == 1);
    need(end.received == MANY && end.sent == MANY && end.failed == 0);
    close_end(&end);
    (void)peer;
}

static void talks_through_faults(int peer)
{
    struct comch_end end;

    start_client(&end);
    for (unsigned int i = 0; i < MANY; i++) {
        char text[16];

        snprintf(text, sizeof(text), "number %u", i);
        send_text(&end, text);
        progress_until(&end, end.received == i + 1);
        need(last_is(&end, text));
    }
    progress_until(&end, end.sent == MANY);
    need(end.failed == 0);
    close_end(&end);
    (void)peer;
}

static void slow_and_full_links_lose_nothing(void **state)
{
    (void)state;
    set_faults("delay=10%:1ms,again=20%,seed=7");
    run_pair(echoes_until_the_end, talks_through_faults);
    unsetenv("OPENDOCA_LINK_FAULTS");
}

static void sees_a_dirty_end(int peer)
{
    struct comch_end end;

    unsetenv("OPENDOCA_LINK_FAULTS");
    start_server(&end);
    progress_until(&end, end.dirty_disconnects == 1);
    need(end.disconnects == 0 && end.received == 2);
    close_end(&end);
    (void)peer;
}

static void is_cut_at_the_third(int peer)
{
    struct doca_comch_task_send *task;
    struct comch_end end;
    doca_error_t third;

    start_client(&end);
    send_text(&end, "first");
    send_text(&end, "second");
    need_ok(end_alloc(&end, end_conn(&end), "third", 5, &task));
    third = doca_task_submit(doca_comch_task_send_as_task(task));
    need(third == DOCA_SUCCESS || third == DOCA_ERROR_NOT_CONNECTED);
    if (third != DOCA_SUCCESS)
        doca_task_free(doca_comch_task_send_as_task(task));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.sent + end.failed == 2 + (third == DOCA_SUCCESS));
    close_end(&end);
    (void)peer;
}

static void a_cut_ends_both_sides(void **state)
{
    (void)state;
    set_faults("cut=3");
    run_pair(sees_a_dirty_end, is_cut_at_the_third);
    unsetenv("OPENDOCA_LINK_FAULTS");
}

static void finds_nobody(int peer)
{
    struct comch_end end;

    set_faults("refuse=1");
    open_client(&end);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    for (unsigned int i = 0; i < end.nstates; i++)
        need(end.states[i] != DOCA_CTX_STATE_RUNNING);
    /* The second attempt is another one. */
    end.nstates = 0;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    close_end(&end);
    (void)peer;
}

static void waits_for_one(int peer)
{
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
    (void)peer;
}

static void a_refused_connect_leaves_starting(void **state)
{
    (void)state;
    run_pair(waits_for_one, finds_nobody);
}

/* ---- Forks ---- */

/* It must not, but nothing terrible comes of it. */
static void misuse_in_child(struct comch_end *end)
{
    struct doca_comch_task_send *task;
    int status = -1;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        alarm(PAIR_SECONDS);
        if (end_alloc(end, end_conn(end), "child", 5, &task) == DOCA_SUCCESS)
            (void)!doca_task_submit(doca_comch_task_send_as_task(task));
        for (unsigned int i = 0; i < 100; i++)
            doca_pe_progress(end->pe);
        _exit(0);
    }
    need(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void forks_and_goes_on(int peer)
{
    struct comch_end end;

    start_client(&end);
    misuse_in_child(&end);
    send_text(&end, "parent");
    progress_until(&end, end.received == 1 && end.sent == 1);
    need(last_is(&end, "parent"));
    close_end(&end);
    (void)peer;
}

static void hears_the_parent_only(int peer)
{
    struct comch_end end;

    open_server(&end);
    end.on_message = echo;
    need_ok(doca_ctx_start(end.ctx));
    progress_until(&end, end.disconnects == 1);
    need(end.received == 1 && end.dirty_disconnects == 0);
    close_end(&end);
    (void)peer;
}

static void a_forked_child_harms_nobody(void **state)
{
    (void)state;
    run_pair(hears_the_parent_only, forks_and_goes_on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disconnect_of_a_full_connection_says_again),
        cmocka_unit_test(negotiation_without_an_answer_ends_in_idle),
        cmocka_unit_test(slow_and_full_links_lose_nothing),
        cmocka_unit_test(a_cut_ends_both_sides),
        cmocka_unit_test(a_refused_connect_leaves_starting),
        cmocka_unit_test(a_forked_child_harms_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
