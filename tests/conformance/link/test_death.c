/* SPDX-License-Identifier: BSD-3-Clause */
#include "conformance/link/rig.h"

/* A process that kills itself at each step of a scripted run, on either side. The other side must
 * come to an end, with what had arrived whole, and the next run needs no cleanup. */

#define MESSAGES 5u
#define LONG     3000u /* bytes */

enum step {
    STEP_BEFORE_ANSWER,
    STEP_UP,
    STEP_SOME_SENT,
    STEP_ALL_SENT,
    STEP_ONE_RECEIVED, /* and not released */
    STEP_ALL_RECEIVED,
    STEP_SHUT,
    STEP_END_SEEN,
    STEP_CLOSED,
    STEP_COUNT,
};

static unsigned int kill_at = STEP_COUNT;

static void at(enum step step)
{
    if (kill_at == step)
        raise(SIGKILL);
}

static void make(char bytes[LONG], unsigned int i)
{
    memset(bytes, 'a' + (int)i, LONG);
    memcpy(bytes, &i, sizeof(i));
}

/* ---- What both sides do ---- */

/* What happened, for the side that lives. */
struct result {
    unsigned int sent;
    unsigned int received;
    int end;    /* of receiving */
    int reason; /* of the link */
};

static void send_some(struct soft_link *link, unsigned int from, unsigned int to, struct result *r)
{
    time_t deadline = rig_deadline();
    char bytes[LONG];

    for (unsigned int i = from; i < to; i++) {
        size_t len = i % 2 == 0 ? LONG : 20;
        int rc;

        make(bytes, i);
        while ((rc = rig_try_send(link, bytes, len)) == -EAGAIN)
            rig_tick(deadline);
        if (rc != 0)
            return;
        r->sent++;
    }
}

static bool receive_one(struct soft_link *link, struct result *r, bool release)
{
    time_t deadline = rig_deadline();
    struct soft_link_msg msg;
    char bytes[LONG];

    while ((r->end = soft_link_recv(link, &msg)) == -EAGAIN)
        rig_tick(deadline);
    if (r->end != 0)
        return false;
    make(bytes, r->received);
    if (msg.len != (r->received % 2 == 0 ? LONG : 20) || memcmp(msg.data, bytes, msg.len) != 0)
        r->end = -EILSEQ;
    r->received++;
    if (release)
        soft_link_release(link);
    return r->end == 0;
}

static void wait_down(struct soft_link *link, struct result *r)
{
    time_t deadline = rig_deadline();

    while (soft_link_poll(link, &r->reason) != SOFT_LINK_DOWN)
        rig_tick(deadline);
}

static void run_script(struct soft_link *link, struct result *r)
{
    at(STEP_UP);
    send_some(link, 0, 2, r);
    at(STEP_SOME_SENT);
    send_some(link, 2, MESSAGES, r);
    at(STEP_ALL_SENT);
    if (receive_one(link, r, kill_at != STEP_ONE_RECEIVED)) {
        at(STEP_ONE_RECEIVED);
        while (r->received < MESSAGES && receive_one(link, r, true))
            ;
        at(STEP_ALL_RECEIVED);
    }
    soft_link_shutdown(link);
    at(STEP_SHUT);
    while (r->end == 0 && receive_one(link, r, true))
        ;
    wait_down(link, r);
    at(STEP_END_SEEN);
}

/* ---- The sides ---- */

static struct rig rig;

static bool child_has_ended(void)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

static bool run_server(struct result *r)
{
    time_t deadline = rig_deadline();

    rig_listen(&rig);
    while ((rig.server = soft_link_next(rig.listener)) == NULL) {
        if (child_has_ended())
            return false;
        rig_tick(deadline);
    }
    at(STEP_BEFORE_ANSWER);
    if (soft_link_accept(rig.server, NULL, 0) != 0)
        return false;
    run_script(rig.server, r);
    return true;
}

/* Until the server has ended, if it ends without an answer. */
static bool run_client(struct result *r, bool is_answered)
{
    time_t deadline = rig_deadline();
    enum soft_link_state state;

    rig.conf.connect_timeout = 1000 * RIG_SECONDS;
    rig.client = rig_connect(&rig);
    /* The answer may be with us already: whether it was read makes no difference. */
    soft_link_poll(rig.client, NULL);
    at(STEP_BEFORE_ANSWER);
    while ((state = soft_link_poll(rig.client, &r->reason)) == SOFT_LINK_CONNECTING) {
        if (!is_answered && child_has_ended())
            return false;
        rig_tick(deadline);
    }
    if (state == SOFT_LINK_DOWN && r->reason != -ECONNRESET && r->reason != 0)
        return false;
    run_script(rig.client, r);
    return true;
}

/* Until somebody ends it. */
static void run_sleeper(const void *hello, size_t len)
{
    rig.client = rig_greet(&rig, hello, len);
    rig_wait(rig.client, SOFT_LINK_UP);
    for (;;)
        pause();
}

static int actor(const char *role, const char *step, const char *addr)
{
    struct result r = {0};
    pid_t pid = getpid();

    rig_init(&rig);
    snprintf(rig.addr, sizeof(rig.addr), "%s", addr);
    if (strcmp(role, "sleeper") == 0)
        run_sleeper("hello", 5);
    if (strcmp(role, "number") == 0)
        run_sleeper(&pid, sizeof(pid));
    kill_at = (unsigned int)strtoul(step, NULL, 10);
    ACTOR_CHECK(strcmp(role, "client") == 0 ? run_client(&r, true) : run_server(&r));
    ACTOR_CHECK(r.end == -ESHUTDOWN || kill_at < STEP_COUNT);
    rig_close(&rig);
    at(STEP_CLOSED);
    return 0;
}

static void check(unsigned int step, bool ran, const struct result *r)
{
    if (!ran) {
        assert_true(step == STEP_BEFORE_ANSWER);
        return;
    }
    assert_int_equal(r->end != -EILSEQ, 1);
    /* What was with us before the death is received. Over a network it may have been on its way. */
    if (step >= STEP_ALL_SENT && step < STEP_COUNT && !rig_is_network())
        assert_int_equal(r->received, MESSAGES);
    if (step < STEP_SHUT) {
        assert_int_equal(r->end, -ECONNRESET);
        assert_int_equal(r->reason, -ECONNRESET);
    } else if (step >= STEP_END_SEEN) {
        assert_int_equal(r->received, MESSAGES);
        assert_int_equal(r->end, -ESHUTDOWN);
        assert_int_equal(r->reason, 0);
    }
}

static void run_with(const char *role, unsigned int step)
{
    struct result r = {0};
    char number[16];
    bool ran;
    pid_t pid;
    int rc;

    snprintf(number, sizeof(number), "%u", step);
    pid = rig_spawn(role, number, rig.addr);
    ran = strcmp(role, "client") == 0 ? run_server(&r) : run_client(&r, step > STEP_BEFORE_ANSWER);
    rc = rig_reap(pid);
    check(step, ran, &r);
    assert_int_equal(rc, step < STEP_COUNT ? -SIGKILL : 0);
    rig_close(&rig);
}

static int setup(void **state)
{
    (void)state;
    rig_init(&rig);
    return 0;
}

/* The address is the same in all runs, one right after the other. */
static void a_client_dies_at_each_step(void **state)
{
    (void)state;
    for (unsigned int step = 0; step <= STEP_COUNT; step++)
        run_with("client", step);
}

static void a_server_dies_at_each_step(void **state)
{
    (void)state;
    for (unsigned int step = 0; step <= STEP_COUNT; step++)
        run_with("server", step);
}

/* What the kernel knows once the process is reaped, a check knows, whatever the background thread
 * has had time for. */
static void a_check_sees_a_death_that_was_before_it(void **state)
{
    int reason = 0;

    (void)state;
    if (!rig_is("local"))
        skip();
    for (unsigned int i = 0; i < 20; i++) {
        pid_t pid;

        rig_listen(&rig);
        pid = rig_spawn("sleeper", "0", rig.addr);
        rig.server = rig_next(&rig);
        assert_int_equal(soft_link_accept(rig.server, "welcome", 7), 0);
        rig_wait(rig.server, SOFT_LINK_UP);
        soft_link_check(rig.server);
        assert_int_equal(soft_link_poll(rig.server, NULL), SOFT_LINK_UP);
        kill(pid, SIGKILL);
        assert_int_equal(rig_reap(pid), -SIGKILL);
        soft_link_check(rig.server);
        assert_int_equal(soft_link_poll(rig.server, &reason), SOFT_LINK_DOWN);
        assert_int_equal(reason, -ECONNRESET);
        rig_close(&rig);
    }
}

/* The listener's owner said yes and waits for the link, which the client's death must not hide. */
static int admit_and_kill(void *arg, const void *hello, size_t len, void *answer,
                          size_t *answer_len)
{
    pid_t pid;

    (void)arg;
    (void)answer;
    if (len != sizeof(pid))
        return -EACCES;
    memcpy(&pid, hello, sizeof(pid));
    kill(pid, SIGKILL);
    waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT);
    *answer_len = 0;
    return 0;
}

static void one_that_dies_while_it_is_taken_in_is_handed_out(void **state)
{
    pid_t pid;

    (void)state;
    rig.conf.admit = admit_and_kill;
    rig_listen(&rig);
    pid = rig_spawn("number", "0", rig.addr);
    rig.server = rig_next(&rig);
    assert_int_equal(rig_wait(rig.server, SOFT_LINK_DOWN), -ECONNRESET);
    assert_int_equal(rig_recv_end(rig.server), -ECONNRESET);
    assert_int_equal(rig_reap(pid), -SIGKILL);
    rig_close(&rig);
}

/* A client that knows that its address has one owner. */
static void nobody_comes_in_the_place_of_the_dead(void **state)
{
    time_t begin = whole_seconds_now();

    (void)state;
    if (rig_is_network())
        skip();
    rig.conf.connect_timeout = 3600 * 1000;
    rig.conf.no_successor = true;
    rig.client = rig_connect(&rig);
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -ECONNREFUSED);
    assert_true(whole_seconds_now() - begin < RIG_SECONDS);
    rig_close(&rig);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_client_dies_at_each_step, setup),
        cmocka_unit_test_setup(a_server_dies_at_each_step, setup),
        cmocka_unit_test_setup(a_check_sees_a_death_that_was_before_it, setup),
        cmocka_unit_test_setup(one_that_dies_while_it_is_taken_in_is_handed_out, setup),
        cmocka_unit_test_setup(nobody_comes_in_the_place_of_the_dead, setup),
    };

    if (rig_main(argc, argv))
        return actor(argv[3], argv[4], argv[5]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
