/* SPDX-License-Identifier: BSD-3-Clause */
/* Clients: how they come up, and servers that mean no good. */
#include "lib/comch_raw.h"

/* ---- the handshake takes few calls ---- */

/* Sleeps between calls as slow programs do; the calls made until a condition holds. */
#define count_calls(end, calls, condition)                                                         \
    do {                                                                                           \
        doca_notification_handle_t fd_;                                                            \
        need_ok(doca_pe_get_notification_handle((end)->pe, &fd_));                                 \
        for ((calls) = 0; !(condition); (calls)++) {                                               \
            struct pollfd poll_ = {.fd = fd_, .events = POLLIN};                                   \
            need_ok(doca_pe_request_notification((end)->pe));                                      \
            need(poll(&poll_, 1, DEFAULT_MS) == 1 || !"woken: " #condition);                       \
            need_ok(doca_pe_clear_notification((end)->pe, 0));                                     \
            doca_pe_progress((end)->pe);                                                           \
        }                                                                                          \
    } while (0)

static void server_of_few_calls(int peer)
{
    struct comch_end end;
    unsigned int calls;

    open_server(&end);
    need_ok(doca_ctx_start(end.ctx));
    count_calls(&end, calls, end.connects == 1);
    need(calls <= 10);
    say(peer, 'l');
    count_calls(&end, calls, end.disconnects == 1);
    need(calls <= 10);
    close_end(&end);
}

static void client_of_few_calls(int peer)
{
    struct comch_end end;
    unsigned int calls;

    open_client(&end);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    count_calls(&end, calls, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    need(calls <= 10);
    hear(peer, 'l');
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end.ctx));
    count_calls(&end, calls, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(calls <= 10);
    close_end(&end);
}

static void coming_and_going_take_few_calls(void **state)
{
    (void)state;
    run_pair(server_of_few_calls, client_of_few_calls);
}

/* ---- servers that mean no good ---- */

enum trick {
    NO_ANSWER,
    REFUSAL,
    GARBAGE,
    OTHER_VERSION,
    NO_SIZE,
    NO_QUEUE,
    NO_WELCOME,
    LAST_BAD_ANSWER = NO_WELCOME,
    CUT, /* after the welcome, as what follows */
    BAD_FRAME,
    NUM_TRICKS = BAD_FRAME + (int)OD_ARRAY_SIZE(bad_frames),
};

/* What a good server would answer, with one thing wrong. */
static int answer_badly(void *arg, const void *hello, size_t len, void *buf, size_t *buf_len)
{
    struct comch_answer answer = {
        .verdict = COMCH_WELCOME, .max_msg = BAD_MAX, .recv_queue = 16, .fast_path = true};
    int trick = *(const int *)arg;

    (void)hello;
    (void)len;
    *buf_len = 0;
    if (trick == NO_ANSWER || trick == REFUSAL)
        return trick == REFUSAL ? -EACCES : 0;
    if (trick == NO_SIZE)
        answer.max_msg = 0;
    if (trick == NO_QUEUE)
        answer.recv_queue = 0;
    if (trick == NO_WELCOME)
        answer.verdict = COMCH_FULL;
    *buf_len = comch_wire_put_answer(buf, &answer);
    if (trick == GARBAGE)
        memset(buf, 0xee, *buf_len);
    if (trick == OTHER_VERSION)
        ((uint32_t *)buf)[1]++;
    return 0;
}

/* One client is received so; until it says that it has ended. */
static void play(const struct comch_side *side, int trick, int peer)
{
    struct soft_link_conf conf = raw_conf();
    uint64_t until = now_ms() + DEFAULT_MS;
    struct soft_link_listener *listener;
    char address[COMCH_ADDRESS_SIZE];
    struct soft_link *link = NULL;

    conf.backlog = 4;
    conf.admit = answer_badly;
    conf.admit_arg = &trick;
    comch_wire_address(side->identity, side->identity_len, address);
    need(soft_link_listen(address, &conf, &listener) == 0);
    say(peer, 'l');
    while (trick != REFUSAL && (link = soft_link_next(listener)) == NULL)
        need(now_ms() < until);
    if (trick >= BAD_FRAME)
        raw_send_bad(link, &bad_frames[trick - BAD_FRAME]);
    if (trick != CUT && trick != REFUSAL)
        raw_await_end(link);
    soft_link_close(link);
    hear(peer, 'd');
    soft_link_unlisten(listener);
}

static void bad_server(int peer)
{
    struct comch_end end;

    open_server(&end); /* for its identity */
    for (int trick = 0; trick < NUM_TRICKS; trick++)
        play(side_of(&end), trick, peer);
    need_ok(doca_ctx_start(end.ctx));
    say(peer, 'l');
    progress_until(&end, end.disconnects == 1);
    need(last_is(&end, "a good one"));
    close_end(&end);
}

static void client_of_a_bad_server(int peer)
{
    struct comch_end end;

    open_client(&end);
    need_ok(doca_comch_client_set_max_msg_size(end.client, BAD_MAX));
    for (int trick = 0; trick < NUM_TRICKS; trick++) {
        bool ran = false;

        hear(peer, 'l');
        end.nstates = 0;
        need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
        progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
        for (unsigned int i = 0; i < end.nstates; i++)
            ran = ran || end.states[i] == DOCA_CTX_STATE_RUNNING;
        need(ran == (trick > LAST_BAD_ANSWER));
        need(end.received == 0);
        say(peer, 'd');
    }
    /* The same client with a good server. */
    hear(peer, 'l');
    end.nstates = 0;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    send_text(&end, "a good one");
    close_end(&end);
    need(end.sent == 1);
}

static void bad_servers_end_the_client(void **state)
{
    (void)state;
    run_pair(bad_server, client_of_a_bad_server);
}

/* ---- a server that listens and says nothing ---- */

static const char impatient[] =
    "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"representors\": [\"b1:00.0\"]},"
    "{\"role\": \"host\", \"pci\": \"b1:00.0\", \"caps\": {\"comch_connect_timeout\": 200}}]}";

static void silent_server(int peer)
{
    struct soft_link_conf conf = raw_conf();
    struct soft_link_listener *listener;
    char address[COMCH_ADDRESS_SIZE];
    struct comch_end end;

    use_devices(impatient);
    open_server(&end);
    conf.backlog = 4;
    conf.answer_timeout = 60000;
    comch_wire_address(side_of(&end)->identity, side_of(&end)->identity_len, address);
    need(soft_link_listen(address, &conf, &listener) == 0);
    say(peer, 'l');
    hear(peer, 'd');
    soft_link_unlisten(listener);
    close_end(&end);
}

static void client_of_a_silent_server(int peer)
{
    struct comch_end end;

    use_devices(impatient);
    open_client(&end);
    hear(peer, 'l');
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.nstates == 3 && end.states[1] == DOCA_CTX_STATE_STOPPING);
    close_end(&end);
    say(peer, 'd');
}

static void silence_ends_at_the_deadline(void **state)
{
    (void)state;
    run_pair(silent_server, client_of_a_silent_server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coming_and_going_take_few_calls),
        cmocka_unit_test(bad_servers_end_the_client),
        cmocka_unit_test(silence_ends_at_the_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
