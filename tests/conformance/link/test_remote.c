/* SPDX-License-Identifier: BSD-3-Clause */
#include "conformance/link/rig.h"
#include "lib/two_hosts.h"

#define ADDR     "%s:" TWO_HOSTS_THERE ":18515"
#define BEAT_ALL 20 /* s within which a cut cable is noticed; 5 unless the machine is busy */

static struct rig rig;

static pid_t spawn_on(const char *host, const char *role, const char *addr)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        execlp("ip", "ip", "netns", "exec", host, rig_program, rig_transport, "actor", role, addr,
               (char *)NULL);
        _exit(126);
    }
    return pid;
}

/* ---- The hosts ---- */

/* Echoes; then the link stays idle until it ends. The exit status says how. */
/* The silence, or what the system makes of it. */
static bool is_loss(int reason)
{
    return reason == -ETIMEDOUT || reason == -ECONNRESET;
}

static int serve(void)
{
    time_t deadline = rig_deadline(), begin = 0;
    struct soft_link_msg msg;
    int rc, reason = 0;

    rig_init(&rig);
    snprintf(rig.addr, sizeof(rig.addr), ADDR, rig_transport);
    ACTOR_CHECK(soft_link_listen(rig.addr, &rig.conf, &rig.listener) == 0);
    rig.server = rig_next(&rig);
    ACTOR_CHECK(soft_link_accept(rig.server, NULL, 0) == 0);
    while ((rc = soft_link_recv(rig.server, &msg)) == -EAGAIN || rc == 0) {
        if (rc == 0) {
            struct iovec iov = {.iov_base = (void *)msg.data, .iov_len = msg.len};

            ACTOR_CHECK(soft_link_send(rig.server, &iov, 1) == 0);
            soft_link_release(rig.server);
            begin = whole_seconds_now();
        }
        ACTOR_CHECK(whole_seconds_now() < deadline);
    }
    while (soft_link_poll(rig.server, &reason) != SOFT_LINK_DOWN)
        ACTOR_CHECK(whole_seconds_now() < deadline);
    ACTOR_CHECK(whole_seconds_now() - begin <= BEAT_ALL);
    rig_close(&rig);
    return is_loss(reason) ? 0 : 1;
}

static int use(const char *device)
{
    time_t begin, deadline = rig_deadline();
    char bytes[4000];
    int reason;

    rig_init(&rig);
    snprintf(rig.addr, sizeof(rig.addr), ADDR, rig_transport);
    memset(bytes, 'r', sizeof(bytes));
    rig.client = rig_connect(&rig);
    rig_wait(rig.client, SOFT_LINK_UP);
    for (unsigned int i = 0; i < 100; i++) {
        rig_send(rig.client, bytes, i * 40);
        rig_expect(rig.client, bytes, i * 40);
    }
    /* Pull the cable: no packet says so. */
    ACTOR_CHECK(two_hosts_run("ip link set %s down", device) == 0);
    begin = whole_seconds_now();
    rig_send(rig.client, "into the void", 13);
    while (soft_link_poll(rig.client, &reason) != SOFT_LINK_DOWN)
        ACTOR_CHECK(whole_seconds_now() < deadline);
    ACTOR_CHECK(is_loss(reason) && whole_seconds_now() - begin <= BEAT_ALL);
    rig_close(&rig);
    return 0;
}

static void a_cut_cable_is_noticed_by_both(void **state)
{
    struct two_hosts hosts;
    pid_t server, client;
    int rc;

    (void)state;
    if (!two_hosts_make(&hosts))
        skip();
    server = spawn_on(hosts.there, "server", hosts.here_device);
    client = spawn_on(hosts.here, "client", hosts.here_device);
    rc = rig_reap(client);
    if (rc != 0)
        kill(server, SIGKILL);
    assert_int_equal(rig_reap(server), rc == 0 ? 0 : -SIGKILL);
    two_hosts_remove(&hosts);
    assert_int_equal(rc, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_cable_is_noticed_by_both),
    };

    if (rig_main(argc, argv))
        return strcmp(argv[3], "server") == 0 ? serve() : use(argv[4]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
