/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of a port goes down, gets another name, or is deleted while frames are on their
 * way: it is counted, sends fail or are lost, and what comes back goes on. */

#include "lib/eth_fixture.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "soft/nic/nic.h"

#define DEPTH 64u
#define PLACE 2048u
#define MANY  1000u /* frames: more than the other end of a pair has room for */

enum { ANY = 7, COUNTED = 8 }; /* numbers of frames */

static struct {
    struct soft_device a, b;
    struct soft_nic_port *sends, *receives;
    struct soft_nic_rxq *rxq;
    struct soft_nic_txq *txq;
    char mem[DEPTH][PLACE];
    uint32_t posted;
} s;

static const char *kind = "af_packet";

/* What ports have told. */
static struct {
    pthread_mutex_t lock;
    char lines[8192];
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void hear(const char *line)
{
    size_t len;

    pthread_mutex_lock(&told.lock);
    len = strlen(told.lines);
    snprintf(told.lines + len, sizeof(told.lines) - len, "%s\n", line);
    pthread_mutex_unlock(&told.lock);
}

/* Lines of the port with the interface that have the text. */
static uint32_t count_told(const char *iface, const char *text)
{
    char lines[sizeof(told.lines)], head[64], *rest = NULL;
    uint32_t n = 0;

    pthread_mutex_lock(&told.lock);
    memcpy(lines, told.lines, sizeof(lines));
    pthread_mutex_unlock(&told.lock);
    snprintf(head, sizeof(head), ":%s of device ", iface);
    for (char *line = strtok_r(lines, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        n += strstr(line, head) != NULL && strstr(line, text) != NULL ? 1 : 0;
    return n;
}

static void wait_for_told(const char *iface, const char *text)
{
    struct patience patience = patience_of(20);

    while (count_told(iface, text) == 0 && patience_lasts(&patience))
        poll(NULL, 0, 1);
    assert_int_equal(count_told(iface, text), 1);
}

static void forget_told(void)
{
    pthread_mutex_lock(&told.lock);
    told.lines[0] = '\0';
    pthread_mutex_unlock(&told.lock);
}

static void hold_as(struct soft_device *device, const char *how, const char *iface,
                    struct soft_nic_port **port)
{
    memset(device, 0, sizeof(*device));
    snprintf(device->port, sizeof(device->port), "%s:%s", how, iface);
    device->mtu = 1500;
    device->unmatched = SOFT_UNMATCHED_QUEUES;
    if (soft_nic_port_hold(device, port) != 0)
        fail_msg("%s", soft_reason());
}

static void hold(struct soft_device *device, const char *iface, struct soft_nic_port **port)
{
    hold_as(device, kind, iface, port);
}

static void post_all(void)
{
    struct soft_nic_post *post;

    while ((post = soft_nic_rxq_next(s.rxq)) != NULL) {
        post->cookie = s.mem[s.posted++ % DEPTH];
        post->place = (struct soft_nic_piece){post->cookie, PLACE};
        soft_nic_rxq_post(s.rxq);
    }
}

static void make_interfaces(void)
{
    assert_int_equal(system("ip link add odva type veth peer name odvb 2>/dev/null &&"
                            " ip link set odva up && ip link set odvb up"),
                     0);
}

static void open_queues_as(const char *receiver)
{
    const struct soft_nic_rxq_conf conf = {.depth = DEPTH};

    memset(&s, 0, sizeof(s));
    hold(&s.a, "odva", &s.sends);
    hold_as(&s.b, receiver, "odvb", &s.receives);
    assert_int_equal(soft_nic_rxq_open(s.receives, &conf, &s.rxq), 0);
    assert_int_equal(soft_nic_txq_open(s.sends, &s.txq), 0);
    post_all();
}

static void open_queues(void)
{
    open_queues_as(kind);
}

static int open_all(void **state)
{
    (void)state;
    forget_told();
    make_interfaces();
    open_queues();
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    soft_nic_txq_close(s.txq);
    soft_nic_rxq_close(s.rxq);
    assert_true(soft_nic_port_adds_up(s.receives));
    assert_true(soft_nic_port_adds_up(s.sends));
    soft_nic_port_release(s.sends);
    soft_nic_port_release(s.receives);
    (void)!system("ip link del odva 2>/dev/null; ip link del odvz 2>/dev/null");
    return 0;
}

/* The status of the send, or 1: no room now. */
static int send_number(uint32_t number)
{
    char frame[64];
    struct soft_nic_piece piece = {frame, sizeof(frame)};
    struct soft_nic_tx_frame out = {.pieces = &piece, .npieces = 1, .len = sizeof(frame)};

    eth_frame(frame, sizeof(frame), number);
    return soft_nic_txq_send(s.txq, &out, 1) == 1 ? out.status : 1;
}

static int send_one(void)
{
    return send_number(ANY);
}

/* How many of that number there were. Places are posted at once, so that what comes behind others
 * has one. */
static uint32_t take_all_of(uint32_t number)
{
    const struct soft_nic_post *post;
    uint32_t n = 0;

    while ((post = soft_nic_rxq_take(s.rxq)) != NULL) {
        n += eth_frame_number(post->cookie) == number ? 1 : 0;
        soft_nic_rxq_done(s.rxq);
        post_all();
    }
    return n;
}

static uint32_t take_all(void)
{
    return take_all_of(ANY);
}

/* Sends until a frame arrives. */
static void assert_traffic(void)
{
    struct patience patience = patience_of(20);

    take_all();
    while (patience_lasts(&patience)) {
        send_one();
        if (take_all() > 0)
            return;
    }
    fail_msg("no frame arrives");
}

/* For as long as it takes, with traffic all the while. */
static void wait_for_count(struct soft_nic_port *port, enum soft_nic_counter counter)
{
    struct patience patience = patience_of(20);

    while (soft_nic_count(soft_nic_port_counters(port), counter) == 0 &&
           patience_lasts(&patience)) {
        send_one();
        take_all();
    }
    assert_true(soft_nic_count(soft_nic_port_counters(port), counter) > 0);
}

/* The kernel tells it some time after the interface was switched on. */
static void wait_for_link(struct soft_nic_port *port)
{
    struct soft_nic_port_info info;
    struct patience patience = patience_of(20);

    do
        soft_nic_port_info(port, &info);
    while (!info.link_up && patience_lasts(&patience));
    assert_true(info.link_up);
}

static void an_interface_that_went_down_is_counted_and_comes_back(void **state)
{
    (void)state;
    assert_traffic();
    wait_for_link(s.sends);
    wait_for_link(s.receives);
    assert_int_equal(system("ip link set odva down"), 0);
    wait_for_count(s.sends, SOFT_NIC_LINK_DOWN);
    wait_for_count(s.receives, SOFT_NIC_LINK_DOWN);
    wait_for_count(s.sends, SOFT_NIC_TX_ERR_PORT);
    wait_for_told("odva", "is switched off");
    wait_for_told("odvb", "has no link");
    assert_int_equal(system("ip link set odva up"), 0);
    assert_traffic();
    wait_for_told("odva", "is up again");
    wait_for_told("odvb", "is up again");
}

/* Nothing fails, so the log is all that can say why nothing comes. */
static void an_interface_that_is_off_from_the_start_is_told_once(void **state)
{
    (void)state;
    forget_told();
    make_interfaces();
    assert_int_equal(system("ip link set odvb down"), 0);
    open_queues();
    wait_for_told("odvb", "until 'ip link set dev odvb up'");
    assert_int_equal(system("ip link set odvb up"), 0);
    assert_traffic();
    wait_for_told("odvb", "is up again");
    assert_int_equal(count_told("odvb", "is switched off"), 1);
    close_all(NULL);
}

static void another_name_changes_nothing(void **state)
{
    (void)state;
    assert_traffic();
    /* Newer kernels rename what is up; older ones want it down. */
    assert_int_equal(system("ip link set odva name odvz 2>/dev/null ||"
                            " (ip link set odva down && ip link set odva name odvz &&"
                            " ip link set odvz up)"),
                     0);
    assert_traffic();
    wait_for_link(s.sends);
}

static void a_deleted_interface_ends_no_program(void **state)
{
    struct soft_nic_port_info info;

    (void)state;
    assert_traffic();
    wait_for_link(s.sends);
    wait_for_link(s.receives);
    assert_int_equal(system("ip link del odva"), 0);
    wait_for_count(s.sends, SOFT_NIC_LINK_DOWN);
    wait_for_count(s.receives, SOFT_NIC_LINK_DOWN);
    wait_for_count(s.sends, SOFT_NIC_TX_ERR_PORT);
    soft_nic_port_info(s.receives, &info);
    assert_false(info.link_up);
    wait_for_told("odva", "start the program again");
    wait_for_told("odvb", "start the program again");
    /* Others of their names are not taken for them. */
    make_interfaces();
    soft_nic_port_info(s.receives, &info);
    assert_true(info.is_gone);
}

/* The port of a TAP interface is one end of it, the kernel's stack the other. */
static void a_tap_interface_goes_down_gets_a_name_and_is_deleted(void **state)
{
    const struct soft_nic_rxq_conf conf = {.depth = DEPTH};
    struct patience patience = patience_of(20);

    (void)state;
    memset(&s, 0, sizeof(s));
    hold_as(&s.a, "tap", "odtap", &s.sends);
    s.receives = s.sends;
    assert_int_equal(soft_nic_rxq_open(s.sends, &conf, &s.rxq), 0);
    assert_int_equal(soft_nic_txq_open(s.sends, &s.txq), 0);
    post_all();
    assert_int_equal(send_one(), 0);
    assert_int_equal(system("ip link set odtap down"), 0);
    wait_for_count(s.sends, SOFT_NIC_LINK_DOWN);
    wait_for_count(s.sends, SOFT_NIC_TX_ERR_PORT);
    assert_int_equal(system("ip link set odtap name odtapz && ip link set odtapz up"), 0);
    wait_for_link(s.sends);
    while (send_one() != 0 && patience_lasts(&patience))
        continue;
    assert_int_equal(send_one(), 0);
    assert_int_equal(system("ip link del odtapz"), 0);
    while (soft_nic_count(soft_nic_port_counters(s.sends), SOFT_NIC_LINK_DOWN) < 2 &&
           patience_lasts(&patience))
        take_all();
    assert_int_equal(soft_nic_count(soft_nic_port_counters(s.sends), SOFT_NIC_LINK_DOWN), 2);
    wait_for_told("odtap", "start the program again");
    assert_true(send_one() < 0);
    soft_nic_txq_close(s.txq);
    soft_nic_rxq_close(s.rxq);
    assert_true(soft_nic_port_adds_up(s.sends));
    soft_nic_port_release(s.sends);
}

/* What a process that is killed leaves does not disturb the next one. */
static void a_killed_owner_leaves_nothing(void **state)
{
    int ready[2], status;
    char byte = 0;
    pid_t pid;

    (void)state;
    make_interfaces();
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        memset(&s, 0, sizeof(s));
        hold(&s.b, "odvb", &s.receives);
        (void)!write(ready[1], &byte, 1);
        pause();
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    open_queues();
    assert_traffic();
    close_all(NULL);
}

/* Lives until the other end of the pipe is closed, as it is or as another program. */
static void be_a_child(int until, bool execs)
{
    char byte;

    if (execs) {
        dup2(until, STDIN_FILENO);
        execlp("cat", "cat", (char *)NULL);
        _exit(1);
    }
    (void)!read(until, &byte, 1);
    _exit(0);
}

/* A child that outlives who has the port has no part in it. */
static void check_child_left_behind(bool execs)
{
    int ready[2], over[2], status;
    char byte = 0;
    pid_t pid;

    make_interfaces();
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe2(over, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        close(over[1]);
        memset(&s, 0, sizeof(s));
        hold(&s.b, "odvb", &s.receives);
        if (fork() == 0)
            be_a_child(over[0], execs);
        (void)!write(ready[1], &byte, 1);
        pause();
        _exit(0);
    }
    close(over[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    open_queues();
    assert_traffic();
    close(over[1]);
    close(ready[0]);
    close(ready[1]);
    close_all(NULL);
}

static void a_forked_child_keeps_nothing(void **state)
{
    (void)state;
    check_child_left_behind(false);
}

static void a_child_that_execs_keeps_nothing(void **state)
{
    (void)state;
    check_child_left_behind(true);
}

/* 0: refused, with the name of the capability. */
static int be_without_rights(void)
{
    struct soft_device device = {.mtu = 1500}, other = {.mtu = 1500};
    struct soft_nic_port *port;

    /* What has to be loaded may lie where others cannot read. */
    snprintf(device.port, sizeof(device.port), "%s:odnone", kind);
    if (soft_nic_port_hold(&device, &port) != -ENODEV || setresuid(65534, 65534, 65534) != 0)
        return 1;
    snprintf(device.port, sizeof(device.port), "%s:odvb", kind);
    if (soft_nic_port_hold(&device, &port) != -EPERM)
        return 2;
    if (strstr(soft_reason(), "CAP_NET_RAW") == NULL)
        return 3;
    snprintf(device.port, sizeof(device.port), "loop");
    if (soft_nic_port_hold(&device, &port) != 0)
        return 4;
    snprintf(other.port, sizeof(other.port), "pcap:capture=/dev/null");
    return soft_nic_port_hold(&other, &port) == 0 ? 0 : 5;
}

static void without_rights_the_capability_is_named(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    make_interfaces();
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        _exit(be_without_rights());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(system("ip link del odva"), 0);
}

/* One program of an interface is attached at a time. */
static void who_has_the_interface_is_asked_for(void **state)
{
    static struct soft_device device;
    struct soft_nic_port *port;

    (void)state;
    if (strcmp(kind, "af_xdp") != 0)
        skip();
    snprintf(device.port, sizeof(device.port), "af_xdp:odva");
    device.mtu = 1500;
    assert_int_equal(soft_nic_port_hold(&device, &port), -EBUSY);
    assert_non_null(strstr(soft_reason(), "interface odva has an XDP program already"));
    assert_non_null(strstr(soft_reason(), "'opendoca stats'"));
    assert_non_null(strstr(soft_reason(), "'ip link set dev odva xdp off'"));
}

/* Each send queue has one of its own. */
static void all_queues_of_an_interface_are_served(void **state)
{
    struct soft_nic_txq *first;
    struct soft_nic_port_info info;

    (void)state;
    assert_int_equal(system("ip link add odva numtxqueues 2 numrxqueues 2 type veth"
                            " peer name odvb numtxqueues 2 numrxqueues 2 2>/dev/null &&"
                            " ip link set odva up && ip link set odvb up"),
                     0);
    open_queues();
    assert_traffic();
    first = s.txq;
    assert_int_equal(soft_nic_txq_open(s.sends, &s.txq), 0);
    assert_traffic();
    soft_nic_txq_close(first);
    soft_nic_port_info(s.receives, &info);
    if (strcmp(kind, "af_xdp") == 0)
        assert_non_null(strstr(info.mode, "2 queues"));
    close_all(NULL);
}

/* The kernel may hand over a piece of its ring for each of them. The time between two is what is
 * tested here. */
static void frames_that_trickle_in_wait_for_who_stands_still(void **state)
{
    struct patience patience;
    uint32_t n = 0;

    (void)state;
    assert_traffic(); /* some of which may be on its way still */
    for (uint32_t i = 0; i < DEPTH;) {
        i += send_number(COUNTED) == 0 ? 1 : 0;
        for (patience = patience_of(0.0025); patience_lasts(&patience);)
            continue;
    }
    for (patience = patience_of(20); n < DEPTH && patience_lasts(&patience);)
        n += take_all_of(COUNTED);
    assert_int_equal(n, DEPTH);
}

/* ---- an end that looks late ---- */

/* The kernel's thread that looks for frames of the interface; 0: it is out of sight. */
static pid_t find_looker(const char *name)
{
    glob_t found;
    char comm[64];
    pid_t pid = 0;

    if (glob("/proc/[0-9]*/comm", 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc && pid == 0; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");

        if (file != NULL && fgets(comm, sizeof(comm), file) != NULL &&
            strncmp(comm, name, strlen(name)) == 0)
            pid = atoi(found.gl_pathv[i] + strlen("/proc/"));
        if (file != NULL)
            fclose(file);
    }
    globfree(&found);
    return pid;
}

/* On one core with us, who go before it: it looks when we sleep, and not before. */
static bool make_it_look_late(void)
{
    const struct sched_param first = {.sched_priority = 1};
    cpu_set_t one;
    pid_t pid;

    if (system("unshare -m sh -c 'mount -t sysfs sysfs /sys &&"
               " echo 1 >/sys/class/net/odvb/threaded' 2>/dev/null") != 0)
        return false;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    pid = find_looker("napi/odvb");
    return pid != 0 && sched_setaffinity(pid, sizeof(one), &one) == 0 &&
           sched_setaffinity(0, sizeof(one), &one) == 0 &&
           sched_setscheduler(0, SCHED_FIFO, &first) == 0;
}

/* The core is its own for a moment; what comes of it is looked at in any case. */
static void let_it_look(void)
{
    poll(NULL, 0, 1);
}

/* Frames that its two senders send by turns. */
static void assert_none_is_lost(struct soft_nic_txq *other)
{
    struct soft_nic_txq *const txqs[] = {s.txq, other};
    struct patience patience = patience_of(60);
    uint32_t n = 0, at_once = 0;

    for (uint32_t i = 0; i < MANY && patience_lasts(&patience);) {
        s.txq = txqs[i % 2];
        if (send_number(COUNTED) == 0) {
            i++;
            continue;
        }
        at_once = at_once == 0 ? i : at_once;
        let_it_look();
    }
    assert_in_range(at_once, 1, 200); /* of both together: the other end has room for 256 */
    s.txq = txqs[0];
    for (; n < MANY && patience_lasts(&patience); n += take_all_of(COUNTED))
        let_it_look();
    assert_int_equal(n, MANY);
}

static void frames_wait_for_an_end_that_looks_late(void **state)
{
    static const struct soft_device xdp = {.port = "af_xdp:odvb"};
    const struct sched_param normal = {0};
    struct soft_nic_txq *other;
    cpu_set_t all;
    bool can = soft_nic_port_check(&xdp) == 0;

    (void)state;
    make_interfaces();
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    if (can) {
        open_queues_as("af_xdp");
        assert_int_equal(soft_nic_txq_open(s.sends, &other), 0);
        assert_traffic();
        can = make_it_look_late();
        if (can)
            assert_none_is_lost(other);
        sched_setscheduler(0, SCHED_OTHER, &normal);
        sched_setaffinity(0, sizeof(all), &all);
        soft_nic_txq_close(other);
        close_all(NULL);
    } else {
        assert_int_equal(system("ip link del odva"), 0);
    }
    if (!can)
        skip();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        /* First: they fork. */
        cmocka_unit_test(without_rights_the_capability_is_named),
        cmocka_unit_test(a_killed_owner_leaves_nothing),
        cmocka_unit_test(a_forked_child_keeps_nothing),
        cmocka_unit_test(a_child_that_execs_keeps_nothing),
        cmocka_unit_test(all_queues_of_an_interface_are_served),
        cmocka_unit_test_setup_teardown(an_interface_that_went_down_is_counted_and_comes_back,
                                        open_all, close_all),
        cmocka_unit_test(an_interface_that_is_off_from_the_start_is_told_once),
        cmocka_unit_test_setup_teardown(who_has_the_interface_is_asked_for, open_all, close_all),
        cmocka_unit_test_setup_teardown(another_name_changes_nothing, open_all, close_all),
        cmocka_unit_test_setup_teardown(frames_that_trickle_in_wait_for_who_stands_still, open_all,
                                        close_all),
        cmocka_unit_test(frames_wait_for_an_end_that_looks_late),
        cmocka_unit_test_setup_teardown(a_deleted_interface_ends_no_program, open_all, close_all),
    };
    const struct CMUnitTest of_tap[] = {
        cmocka_unit_test(a_tap_interface_goes_down_gets_a_name_and_is_deleted),
    };
    int rc;

    kind = argc > 1 ? argv[1] : kind;
    soft_tell_to(hear);
    rc = eth_wire_up(kind);
    if (rc != 0)
        return rc;
    eth_wire_down();
    if (strcmp(kind, "tap") == 0)
        return cmocka_run_group_tests(of_tap, NULL, NULL);
    (void)!system("ip link del odva 2>/dev/null");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
