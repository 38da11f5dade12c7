/* SPDX-License-Identifier: BSD-3-Clause */
/* What the rules of a port do not want reaches a socket of the interface's network stack, once, and
 * what they want does not, where the kind of port can keep it away. */

#include "lib/eth_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>

#include "soft/nic/flow.h"
#include "soft/nic/nic.h"
#include "soft/nic/packet.h"

#define DEPTH  64u
#define PLACE  2048u
#define LEN    60u
#define FRAMES 20u
#define FORMS  60u

static struct {
    struct soft_device a, b;
    struct soft_nic_port *sends, *receives;
    struct soft_nic_rxq *rxq;
    struct soft_nic_txq *txq;
    struct soft_nic_table *table;
    struct soft_nic_entry *entry;
    bool stack_sees_all;
    char mem[DEPTH][PLACE];
} s;

static const char *kind = "af_packet";

static void hold(struct soft_device *device, const char *iface, struct soft_nic_port **port)
{
    memset(device, 0, sizeof(*device));
    snprintf(device->port, sizeof(device->port), "%s:%s", kind, iface);
    device->mtu = 1500;
    if (soft_nic_port_hold(device, port) != 0)
        fail_msg("%s", soft_reason());
}

static int open_all(void **state)
{
    const struct soft_nic_rxq_conf conf = {.depth = DEPTH};
    struct soft_nic_port_info info;

    (void)state;
    memset(&s, 0, sizeof(s));
    hold(&s.a, "odva", &s.sends);
    hold(&s.b, "odvb", &s.receives);
    assert_int_equal(soft_nic_rxq_open(s.receives, &conf, &s.rxq), 0);
    assert_int_equal(soft_nic_rxq_set_id(s.rxq, 0), 0);
    assert_int_equal(soft_nic_txq_open(s.sends, &s.txq), 0);
    soft_nic_port_info(s.receives, &info);
    s.stack_sees_all = info.stack_sees_all;
    for (uint32_t i = 0; i < DEPTH; i++) {
        soft_nic_rxq_next(s.rxq)->place = (struct soft_nic_piece){s.mem[i], PLACE};
        soft_nic_rxq_post(s.rxq);
    }
    return 0;
}

/* UDP to a port, and what else the entry asks for, goes to the queue. */
static void add_rule(enum soft_nic_table_kind table_kind, uint16_t port, uint8_t ttl)
{
    const struct soft_nic_fwd queue = {.kind = SOFT_NIC_FWD_QUEUES, .nqueues = 1};
    const bool is_list = table_kind == SOFT_NIC_TABLE_LIST;
    const struct soft_nic_table_conf conf = {
        .kind = table_kind,
        .max_entries = 4,
        .mask = {.l3 = 0xff, .l4 = 0xff},
        .value = {.l3 = SOFT_NIC_L3_IPV4, .l4 = SOFT_NIC_L4_UDP},
        .open = {.dst_port = is_list ? 0 : 0xffff, .ttl = is_list || ttl == 0 ? 0 : 0xff},
        .fwd = queue,
    };
    const struct soft_nic_entry_conf entry = {
        .mask = {.dst_port = 0xffff, .ttl = ttl != 0 ? 0xff : 0},
        .value = {.dst_port = htons(port), .ttl = ttl},
        .counts = true,
    };

    assert_int_equal(soft_nic_table_create(s.receives, &conf, &s.table), 0);
    soft_nic_port_set_root(s.receives, s.table);
    assert_int_equal(soft_nic_entry_add(s.table, &entry, &s.entry), 0);
}

static int close_all(void **state)
{
    (void)state;
    if (s.entry != NULL) {
        assert_int_equal(soft_nic_entry_remove(s.entry), 0);
        soft_nic_entry_free(s.entry);
    }
    soft_nic_table_destroy(s.table);
    soft_nic_txq_close(s.txq);
    soft_nic_rxq_close(s.rxq);
    assert_true(soft_nic_port_adds_up(s.receives));
    soft_nic_port_release(s.sends);
    soft_nic_port_release(s.receives);
    return 0;
}

static int open_socket(uint16_t port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    return fd;
}

/* From an address that is not here; the stack takes it when nothing says otherwise. */
static void send_to(uint16_t port, uint8_t ttl)
{
    uint8_t frame[LEN] = {2, 0, 0, 0, 0, 0x22, 2, 0, 0, 0, 0, 0x11, 8, 0, 0x45, 0};
    static const uint8_t addresses[8] = {192, 0, 2, 1, 192, 0, 2, 2};
    struct soft_nic_piece piece = {frame, LEN};
    struct soft_nic_tx_frame out = {.pieces = &piece, .npieces = 1, .len = LEN};
    struct soft_nic_packet packet;
    struct patience patience = patience_of(20);

    soft_nic_put16(frame + 16, LEN - 14);
    frame[22] = ttl;
    frame[23] = IPPROTO_UDP;
    memcpy(frame + 26, addresses, sizeof(addresses));
    soft_nic_put16(frame + 34, 4000);
    soft_nic_put16(frame + 36, port);
    soft_nic_put16(frame + 38, LEN - 34);
    soft_nic_parse(frame, LEN, &packet);
    soft_nic_l3_sum(frame, &packet);
    while (soft_nic_txq_send(s.txq, &out, 1) == 0 && patience_lasts(&patience))
        ;
    assert_int_equal(out.status, 0);
}

static uint32_t count_received(int fd)
{
    char bytes[PLACE];
    uint32_t n = 0;

    while (recv(fd, bytes, sizeof(bytes), 0) > 0)
        n++;
    return n;
}

static uint32_t count_taken(void)
{
    uint32_t n = 0;

    while (soft_nic_rxq_take(s.rxq) != NULL) {
        soft_nic_rxq_done(s.rxq);
        n++;
    }
    return n;
}

/* Until both numbers are reached, and for a moment longer, so that one too many is seen. */
static void expect(int fd, uint32_t in_socket, uint32_t in_queue)
{
    uint32_t received = 0, taken = 0;
    struct patience patience = patience_of(20);

    while ((received < in_socket || taken < in_queue) && patience_lasts(&patience)) {
        received += count_received(fd);
        taken += count_taken();
    }
    patience = patience_of(0.05);
    do {
        received += count_received(fd);
        taken += count_taken();
    } while (patience_lasts(&patience));
    assert_int_equal(received, in_socket);
    assert_int_equal(taken, in_queue);
}

static void send_and_expect(uint16_t port, uint8_t ttl, bool is_wanted)
{
    int fd = open_socket(port);

    for (uint32_t i = 0; i < FRAMES; i++)
        send_to(port, ttl);
    expect(fd, !is_wanted || s.stack_sees_all ? FRAMES : 0, is_wanted ? FRAMES : 0);
    close(fd);
}

static void without_rules_all_is_for_the_stack(void **state)
{
    (void)state;
    send_and_expect(5000, 64, false);
}

static void what_no_rule_wants_is_for_the_stack(void **state)
{
    (void)state;
    add_rule(SOFT_NIC_TABLE_HASH, 5000, 0);
    send_and_expect(5000, 64, true);
    send_and_expect(6000, 64, false);
}

/* Rules that a port cannot tell to the kernel: what was claimed too much is given back. */
static void expect_exact(enum soft_nic_table_kind table_kind)
{
    add_rule(table_kind, 5000, 99);
    send_and_expect(5000, 64, false);
    send_and_expect(5000, 99, true);
    send_and_expect(6000, 99, false);
}

static void rules_on_other_fields_are_as_exact(void **state)
{
    (void)state;
    expect_exact(SOFT_NIC_TABLE_HASH);
}

static void so_are_those_of_a_list(void **state)
{
    (void)state;
    expect_exact(SOFT_NIC_TABLE_LIST);
}

static void a_rule_that_goes_gives_back_its_frames(void **state)
{
    (void)state;
    add_rule(SOFT_NIC_TABLE_HASH, 5000, 0);
    send_and_expect(5000, 64, true);
    assert_int_equal(soft_nic_entry_remove(s.entry), 0);
    soft_nic_entry_free(s.entry);
    s.entry = NULL;
    send_and_expect(5000, 64, false);
}

/* Each asks for other bits, so that there are more forms of rules than a port can tell the kernel;
 * only the last one matches. */
static void rules_of_many_forms_are_as_exact(void **state)
{
    const struct soft_nic_table_conf conf = {.kind = SOFT_NIC_TABLE_LIST, .max_entries = FORMS};
    struct soft_nic_entry *entries[FORMS];

    (void)state;
    assert_int_equal(soft_nic_table_create(s.receives, &conf, &s.table), 0);
    soft_nic_port_set_root(s.receives, s.table);
    for (uint32_t i = 0; i < FORMS; i++) {
        const bool is_last = i == FORMS - 1;
        struct soft_nic_entry_conf entry = {
            .mask = {.l3 = 0xff, .dst_port = is_last ? 0xffff : 0},
            .value = {.l3 = SOFT_NIC_L3_IPV4, .dst_port = htons(is_last ? 5000 : 0)},
            .fwd = {.kind = SOFT_NIC_FWD_QUEUES, .nqueues = 1},
        };

        if (!is_last) {
            entry.mask.src_ip[0] = entry.value.src_ip[0] = 0x20;
            entry.mask.src_ip[2 + i / 8] = (uint8_t)(1u << i % 8);
        }
        assert_int_equal(soft_nic_entry_add(s.table, &entry, &entries[i]), 0);
    }
    send_and_expect(5000, 64, true);
    send_and_expect(6000, 64, false);
    for (uint32_t i = 0; i < FORMS; i++) {
        assert_int_equal(soft_nic_entry_remove(entries[i]), 0);
        soft_nic_entry_free(entries[i]);
    }
    send_and_expect(5000, 64, false);
}

static void frames_that_are_left_alone_are_counted(void **state)
{
    struct patience patience = patience_of(20);
    const struct soft_nic_counters *counters = soft_nic_port_counters(s.receives);

    (void)state;
    add_rule(SOFT_NIC_TABLE_HASH, 5000, 0);
    send_and_expect(6000, 64, false);
    while (soft_nic_count(counters, SOFT_NIC_RX_KERNEL) < FRAMES && patience_lasts(&patience))
        count_taken();
    assert_int_equal(soft_nic_count(counters, SOFT_NIC_RX_KERNEL), FRAMES);
    assert_int_equal(soft_nic_count(counters, SOFT_NIC_RX_SEEN), FRAMES);
    assert_int_equal(soft_nic_count(counters, SOFT_NIC_RX_BYTES), FRAMES * LEN);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_rules_all_is_for_the_stack, open_all, close_all),
        cmocka_unit_test_setup_teardown(what_no_rule_wants_is_for_the_stack, open_all, close_all),
        cmocka_unit_test_setup_teardown(rules_on_other_fields_are_as_exact, open_all, close_all),
        cmocka_unit_test_setup_teardown(so_are_those_of_a_list, open_all, close_all),
        cmocka_unit_test_setup_teardown(rules_of_many_forms_are_as_exact, open_all, close_all),
        cmocka_unit_test_setup_teardown(a_rule_that_goes_gives_back_its_frames, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(frames_that_are_left_alone_are_counted, open_all,
                                        close_all),
    };
    int rc;

    kind = argc > 1 ? argv[1] : kind;
    rc = eth_wire_up(kind);
    if (rc != 0)
        return rc;
    eth_wire_down();
    if (system("ip link set odvb address 02:00:00:00:00:22 &&"
               " ip addr add 192.0.2.2/24 dev odvb") != 0)
        return eth_skip("no address can be given");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
