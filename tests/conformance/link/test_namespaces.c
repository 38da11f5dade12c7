/* SPDX-License-Identifier: BSD-3-Clause */
#include "conformance/link/rig.h"

/* Processes that see each other neither by network nor by number, but share the runtime folder. */

#define EXIT_SKIP 77

static struct rig rig;

static int run_client(bool sees_server)
{
    struct soft_link_peer peer;

    rig.client = rig_connect(&rig);
    rig_wait(rig.client, SOFT_LINK_UP);
    soft_link_peer_info(rig.client, &peer);
    ACTOR_CHECK((peer.pid != 0) == sees_server);
    ACTOR_CHECK(peer.same_machine && peer.uid == geteuid());
    rig_send(rig.client, "from afar", 9);
    rig_expect(rig.client, "hello there", 11);
    soft_link_close(rig.client);
    return 0;
}

static int actor(const char *flags_text, const char *addr)
{
    int flags = (int)strtol(flags_text, NULL, 10), status = 1;
    pid_t pid;

    rig_init(&rig);
    snprintf(rig.addr, sizeof(rig.addr), "%s", addr);
    if (unshare(flags) != 0)
        return EXIT_SKIP;
    if ((flags & CLONE_NEWPID) == 0)
        return run_client(true);
    pid = fork();
    if (pid == 0)
        _exit(run_client(false));
    ACTOR_CHECK(waitpid(pid, &status, 0) == pid);
    return WEXITSTATUS(status);
}

static void serve_from_namespace(int flags)
{
    struct soft_link_peer peer;
    char text[16];
    pid_t pid;
    int rc;

    snprintf(text, sizeof(text), "%d", flags);
    rig_init(&rig);
    rig_listen(&rig);
    pid = rig_spawn("client", text, rig.addr);
    while (!soft_link_listener_pending(rig.listener)) {
        siginfo_t info = {.si_pid = 0};

        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
            break;
        sched_yield();
    }
    rig.server = soft_link_next(rig.listener);
    if (rig.server != NULL) {
        assert_int_equal(soft_link_accept(rig.server, NULL, 0), 0);
        soft_link_peer_info(rig.server, &peer);
        assert_int_equal(peer.uid, geteuid());
        rig_expect(rig.server, "from afar", 9);
        rig_send(rig.server, "hello there", 11);
    }
    rc = rig_reap(pid);
    rig_close(&rig);
    if (rc == EXIT_SKIP)
        skip();
    assert_int_equal(rc, 0);
}

static void another_network_namespace(void **state)
{
    (void)state;
    serve_from_namespace(CLONE_NEWNET);
}

static void another_pid_namespace(void **state)
{
    (void)state;
    serve_from_namespace(CLONE_NEWPID);
}

static void both_and_another_ipc_namespace(void **state)
{
    (void)state;
    serve_from_namespace(CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_network_namespace),
        cmocka_unit_test(another_pid_namespace),
        cmocka_unit_test(both_and_another_ipc_namespace),
    };

    if (rig_main(argc, argv))
        return actor(argv[4], argv[5]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
