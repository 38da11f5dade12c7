/* SPDX-License-Identifier: BSD-3-Clause */
/* The peer is on another host: another network, another runtime folder. */
#include "lib/rdma_fixture.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include "lib/two_hosts.h"

static struct two_hosts hosts;

/* `listens`: an address that others may use. */
static void move_to(const char *name, const char *listens)
{
    char path[128];
    int fd;

    snprintf(path, sizeof(path), "/var/run/netns/%s", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    need(fd >= 0 && setns(fd, CLONE_NEWNET) == 0);
    close(fd);
    snprintf(path, sizeof(path), "%s/%s", rdma_runtime_dir(), name);
    need(mkdir(path, 0700) == 0 || errno == EEXIST);
    setenv("OPENDOCA_RUNTIME_DIR", path, 1);
    if (listens != NULL)
        setenv("OPENDOCA_PEER_LISTEN", listens, 1);
}

/* ---- by details ---- */

static void owner_there(int peer)
{
    struct end end = {0};

    move_to(hosts.there, TWO_HOSTS_THERE ":0");
    end_open(&end, 1u << 20);
    side_connect(&end, peer);
    side_share(&end, peer);
    need_ok(end_receive(&end, end_room(&end, 0, 100000)));
    progress_until(&end, end.received == 1);
    need(end.len == 100000 && end.mem[99999] == 'm');
    need_ok(end_send(&end, end.conn, end_data(&end, 0, 5), 0));
    progress_until(&end, end.ok == 1);
    hear(peer, 'd');
    need(end.mem[200000] == 'w' && end.mem[299999] == 'w');
    end_close(&end);
}

static void user_here(int peer)
{
    struct end end = {0};
    struct far far;
    uint64_t before;

    move_to(hosts.here, NULL);
    end_open(&end, 1u << 20);
    side_connect(&end, peer);
    far = side_import(&end, peer);
    memset(end.mem, 'm', 100000);
    need_ok(end_receive(&end, end_room(&end, 500000, 64)));
    need_ok(end_send(&end, end.conn, end_data(&end, 0, 100000), 0));
    sleep_until(&end, end.ok == 1 && end.received == 1);
    memset(end.mem, 'w', 100000);
    need_ok(end_write(&end, end.conn, end_data(&end, 0, 100000),
                      far_room(&end, &far, 200000, 100000), 0));
    need_ok(end_read(&end, end.conn, far_data(&end, &far, 200000, 100000),
                     end_room(&end, 600000, 100000), 0));
    need_ok(end_add(&end, end.conn, far_room(&end, &far, 400000, 8), end_room(&end, 800000, 8), 5));
    need_ok(end_add(&end, end.conn, far_room(&end, &far, 400000, 8), end_room(&end, 800008, 8), 5));
    sleep_until(&end, end.ok == 5);
    need(end.mem[699999] == 'w');
    memcpy(&before, end.mem + 800008, sizeof(before));
    need(before == 5);
    say(peer, 'd');
    end_close(&end);
}

static void details_lead_to_other_hosts(void **state)
{
    (void)state;
    run_two(owner_there, user_here);
}

/* ---- by address ---- */

static void callee_there(int peer)
{
    const uint16_t port = 4791; /* of a network of its own */
    struct end end = {0};

    move_to(hosts.there, NULL);
    end_open(&end, 4096);
    need_ok(doca_rdma_start_listen_to_port(end.rdma, port));
    say(peer, 'l');
    sleep_until(&end, end.established == 1);
    need_ok(end_receive(&end, end_room(&end, 0, 64)));
    sleep_until(&end, end.received == 1);
    need(memcmp(end.mem, "far away", 8) == 0);
    sleep_until(&end, end.disconnects == 1);
    end_close(&end);
}

static void caller_here(int peer)
{
    struct doca_rdma_addr *addr;
    struct end end = {0};

    move_to(hosts.here, NULL);
    end_open(&end, 4096);
    hear(peer, 'l');
    need_ok(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_GID, "::ffff:" TWO_HOSTS_THERE, 4791, &addr));
    need_ok(doca_rdma_connect_to_addr(end.rdma, addr, number(0)));
    need_ok(doca_rdma_addr_destroy(addr));
    sleep_until(&end, end.established == 1);
    memcpy(end.mem, "far away", 8);
    need_ok(end_send(&end, end.conn, end_data(&end, 0, 8), 0));
    sleep_until(&end, end.ok == 1);
    need_ok(doca_rdma_connection_disconnect(end.conn));
    sleep_until(&end, end.disconnects == 1);
    end_close(&end);
}

static void addresses_lead_to_other_hosts(void **state)
{
    (void)state;
    run_two(callee_there, caller_here);
}

/* ---- no way ---- */

static void cannot_be_reached(const char *host, int peer)
{
    struct end end = {0};
    char details[1024];
    const void *own;
    size_t len;

    move_to(host, NULL);
    end_open(&end, 4096);
    need_ok(doca_rdma_export(end.rdma, &own, &len, &end.conn));
    tell(peer, own, len);
    len = ask(peer, details, sizeof(details));
    need_code(DOCA_ERROR_CONNECTION_ABORTED, doca_rdma_connect(end.rdma, details, len, end.conn));
    end_close(&end);
}

static void is_there(int peer)
{
    cannot_be_reached(hosts.there, peer);
}

static void is_here(int peer)
{
    cannot_be_reached(hosts.here, peer);
}

static void nobody_listens_unless_told_to(void **state)
{
    (void)state;
    run_two(is_there, is_here);
}

/* ---- the cable; the last case ---- */

static void waits_there(int peer)
{
    struct end end = {0};

    move_to(hosts.there, TWO_HOSTS_THERE ":0");
    end_open(&end, 4096);
    side_connect(&end, peer);
    need_ok(end_receive(&end, NULL));
    progress_until(&end, end.received == 1);
    need_ok(end_receive(&end, NULL));
    say(peer, 'c');
    sleep_until(&end, end.receives_failed == 1);
    end_close(&end);
}

static void cuts_here(int peer)
{
    struct end end = {0};

    move_to(hosts.here, NULL);
    end_open(&end, 4096);
    side_connect(&end, peer);
    need_ok(end_send(&end, end.conn, NULL, 0));
    progress_until(&end, end.ok == 1);
    hear(peer, 'c');
    need(two_hosts_cut(hosts.here, hosts.here_device));
    need_ok(end_send(&end, end.conn, NULL, 0));
    sleep_until(&end, end.failed == 1);
    need(end.status == DOCA_ERROR_CONNECTION_RESET);
    end_close(&end);
}

static void a_cut_cable_is_noticed(void **state)
{
    (void)state;
    run_two(waits_there, cuts_here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(details_lead_to_other_hosts),
        cmocka_unit_test(addresses_lead_to_other_hosts),
        cmocka_unit_test(nobody_listens_unless_told_to),
        cmocka_unit_test(a_cut_cable_is_noticed),
    };
    int failed;

    if (!two_hosts_make(&hosts))
        return TWO_HOSTS_SKIP;
    failed = cmocka_run_group_tests(tests, rdma_setup, rdma_teardown);
    two_hosts_remove(&hosts);
    return failed;
}
