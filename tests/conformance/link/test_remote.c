/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>

#include "conformance/link/rig.h"

/* Two hosts: two network namespaces with a cable between them. Needs root and iproute2; the case
 * says so when it is skipped. */

#define ADDR     "ucx:10.99.7.2:18515"
#define BEAT_ALL 20 /* s within which a cut cable is noticed; 5 unless the machine is busy */

static struct rig rig;
static char here[64], there[64]; /* names of the namespaces */

static int run(const char *format, ...)
{
    char command[256], *args[32], *at = command;
    unsigned int n = 0;
    va_list ap;
    int status;
    pid_t pid;

    va_start(ap, format);
    vsnprintf(command, sizeof(command), format, ap);
    va_end(ap);
    while (n < 31 && (args[n] = strsep(&at, " ")) != NULL)
        n++;
    args[n] = NULL;
    pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);

        dup2(null, 2);
        execvp(args[0], args);
        _exit(127);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void remove_hosts(void)
{
    run("ip netns del %s", here);
    run("ip netns del %s", there);
}

/* A device that has just been set up is not yet ready, and UCX looks once. */
static void wait_for_cable(const char *host, const char *prefix)
{
    time_t deadline = rig_deadline();

    while (run("ip netns exec %s grep -q up /sys/class/net/%s%d/operstate", host, prefix,
               getpid() % 100000) != 0)
        rig_tick(deadline);
}

static bool make_hosts(void)
{
    snprintf(here, sizeof(here), "od-here-%d", getpid());
    snprintf(there, sizeof(there), "od-there-%d", getpid());
    if (run("ip netns add %s", here) == 0 && run("ip netns add %s", there) == 0 &&
        run("ip link add odh%d netns %s type veth peer name odt%d netns %s", getpid() % 100000,
            here, getpid() % 100000, there) == 0 &&
        run("ip -n %s addr add 10.99.7.1/24 dev odh%d", here, getpid() % 100000) == 0 &&
        run("ip -n %s addr add 10.99.7.2/24 dev odt%d", there, getpid() % 100000) == 0 &&
        run("ip -n %s link set odh%d up", here, getpid() % 100000) == 0 &&
        run("ip -n %s link set odt%d up", there, getpid() % 100000) == 0 &&
        run("ip -n %s link set lo up", here) == 0 && run("ip -n %s link set lo up", there) == 0)
        return true;
    remove_hosts();
    return false;
}

/* Through ip, which also shows the namespace's devices in /sys, where UCX looks for them. */
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
static int serve(void)
{
    time_t deadline = rig_deadline(), begin = 0;
    struct soft_link_msg msg;
    int rc, reason = 0;

    rig_init(&rig);
    snprintf(rig.addr, sizeof(rig.addr), ADDR);
    ACTOR_CHECK(soft_link_listen(rig.addr, &rig.conf, &rig.listener) == 0);
    rig.server = rig_next(&rig);
    ACTOR_CHECK(soft_link_accept(rig.server, NULL, 0) == 0);
    while ((rc = soft_link_recv(rig.server, &msg)) == -EAGAIN || rc == 0) {
        if (rc == 0) {
            struct iovec iov = {.iov_base = (void *)msg.data, .iov_len = msg.len};

            ACTOR_CHECK(soft_link_send(rig.server, &iov, 1) == 0);
            soft_link_release(rig.server);
            begin = time(NULL);
        }
        ACTOR_CHECK(time(NULL) < deadline);
    }
    while (soft_link_poll(rig.server, &reason) != SOFT_LINK_DOWN)
        ACTOR_CHECK(time(NULL) < deadline);
    ACTOR_CHECK(time(NULL) - begin <= BEAT_ALL);
    rig_close(&rig);
    return reason == -ECONNRESET ? 0 : 1;
}

static int use(const char *device)
{
    time_t begin, deadline = rig_deadline();
    char bytes[4000];
    int reason;

    rig_init(&rig);
    snprintf(rig.addr, sizeof(rig.addr), ADDR);
    memset(bytes, 'r', sizeof(bytes));
    rig.client = rig_connect(&rig);
    rig_wait(rig.client, SOFT_LINK_UP);
    for (unsigned int i = 0; i < 100; i++) {
        rig_send(rig.client, bytes, i * 40);
        rig_expect(rig.client, bytes, i * 40);
    }
    /* Pull the cable: no packet says so. */
    ACTOR_CHECK(run("ip link set %s down", device) == 0);
    begin = time(NULL);
    rig_send(rig.client, "into the void", 13);
    while (soft_link_poll(rig.client, &reason) != SOFT_LINK_DOWN)
        ACTOR_CHECK(time(NULL) < deadline);
    ACTOR_CHECK(reason == -ECONNRESET && time(NULL) - begin <= BEAT_ALL);
    rig_close(&rig);
    return 0;
}

static void a_cut_cable_is_noticed_by_both(void **state)
{
    pid_t server, client;
    char device[32];
    int rc;

    (void)state;
    if (!make_hosts()) {
        print_message("skipped: cannot make network namespaces (root and iproute2 are needed)\n");
        skip();
    }
    wait_for_cable(here, "odh");
    wait_for_cable(there, "odt");
    snprintf(device, sizeof(device), "odh%d", getpid() % 100000);
    server = spawn_on(there, "server", device);
    client = spawn_on(here, "client", device);
    rc = rig_reap(client);
    if (rc != 0)
        kill(server, SIGKILL);
    assert_int_equal(rig_reap(server), rc == 0 ? 0 : -SIGKILL);
    remove_hosts();
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
