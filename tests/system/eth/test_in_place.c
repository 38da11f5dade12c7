/* SPDX-License-Identifier: BSD-3-Clause */
/* A port whose memory is the ring of its only queue: packets lie in their slots without having been
 * copied, whatever becomes of others, and the port goes back to memory of its own when it must. */

#include "lib/eth_fixture.h"

#include <sys/mman.h>

#include "soft/nic/flow.h"
#include "soft/nic/nic.h"

#define NUM  512u
#define SOME 64u /* frames on their way: a pair of interfaces holds 256 for who does not look */

static struct {
    struct soft_device a, b;
    struct soft_nic_port *sends, *receives;
    struct soft_nic_rxq *rxq;
    struct soft_nic_txq *txq;
    char *ring;
    uint32_t stride;
    uint32_t posted, sent, received;
} s;

static const char *settings = ""; /* of the ports */

static void hold(struct soft_device *device, const char *iface, struct soft_nic_port **port)
{
    memset(device, 0, sizeof(*device));
    snprintf(device->port, sizeof(device->port), "af_xdp:%s%s", iface, settings);
    device->mtu = 1500;
    device->unmatched = SOFT_UNMATCHED_QUEUES;
    if (soft_nic_port_hold(device, port) != 0)
        fail_msg("%s", soft_reason());
}

static void post_all(void)
{
    struct soft_nic_post *post;

    while ((post = soft_nic_rxq_next(s.rxq)) != NULL) {
        post->place =
            (struct soft_nic_piece){s.ring + (size_t)(s.posted++ % NUM) * s.stride, s.stride};
        soft_nic_rxq_post(s.rxq);
    }
}

static void open_ports(void)
{
    memset(&s, 0, sizeof(s));
    hold(&s.a, "odva", &s.sends);
    hold(&s.b, "odvb", &s.receives);
    assert_int_equal(soft_nic_txq_open(s.sends, &s.txq), 0);
}

static void close_ports(void)
{
    soft_nic_txq_close(s.txq);
    soft_nic_port_release(s.sends);
    soft_nic_port_release(s.receives);
}

static void open_queue(char *ring, uint32_t stride)
{
    const struct soft_nic_rxq_conf conf = {.depth = NUM, .area = {ring, NUM, stride}};

    s.ring = ring;
    s.stride = stride;
    s.posted = 0;
    if (soft_nic_rxq_open(s.receives, &conf, &s.rxq) != 0)
        fail_msg("%s", soft_reason());
    post_all();
}

static void close_queue(void)
{
    soft_nic_rxq_close(s.rxq);
    assert_true(soft_nic_port_adds_up(s.receives));
}

static bool is_in_place(void)
{
    struct soft_nic_port_info info;

    soft_nic_port_info(s.receives, &info);
    return strstr(info.mode, "in place") != NULL;
}

static void send_bytes(struct soft_nic_txq *txq, const struct soft_nic_piece *pieces, uint32_t n,
                       uint32_t len)
{
    struct soft_nic_tx_frame frame = {.pieces = pieces, .npieces = n, .len = len};
    struct patience patience = patience_of(20);

    while (soft_nic_txq_send(txq, &frame, 1) == 0)
        assert_true(patience_lasts(&patience));
    assert_int_equal(frame.status, 0);
}

static void send_frame(uint32_t number, uint32_t len)
{
    char bytes[2048];
    const struct soft_nic_piece piece = {bytes, len};

    eth_frame(bytes, len, number);
    send_bytes(s.txq, &piece, 1, len);
}

/* Which is what was sent, in its slot. */
static void take_frame(uint32_t number, uint32_t len)
{
    struct patience patience = patience_of(20);
    const struct soft_nic_post *post;

    while ((post = soft_nic_rxq_take(s.rxq)) == NULL)
        assert_true(patience_lasts(&patience));
    assert_int_equal(post->len, len);
    assert_ptr_equal(post->place.addr, s.ring + (size_t)(s.received++ % NUM) * s.stride);
    assert_true(eth_frame_is(post->place.addr, len, number));
    soft_nic_rxq_done(s.rxq);
}

/* Looks give slots back; the last one that finds nothing gives all of them. Many, because a look
 * may be none: while frames came closely, or when the port's thread is at it, which is waited for.
 */
static void settle(void)
{
    double end = eth_seconds() + 0.005;

    for (uint32_t looks = 0; looks < 1000 || eth_seconds() < end; looks++) {
        assert_int_equal(soft_nic_rxq_set_id(s.rxq, soft_nic_rxq_id(s.rxq)), 0);
        soft_nic_rxq_drive(s.rxq);
    }
}

static void exchange(uint32_t n)
{
    const uint32_t longest = s.stride < 1400 ? s.stride : 1400;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t some = 1 + i % 20;

        for (uint32_t k = 0; k < some; k++)
            send_frame(s.sent + k, 60 + (s.sent + k) * 13 % (longest - 60));
        for (uint32_t k = 0; k < some; k++, s.sent++)
            take_frame(s.sent, 60 + s.sent * 13 % (longest - 60));
        post_all();
    }
    settle();
}

static uint64_t count(enum soft_nic_counter counter)
{
    return soft_nic_count(soft_nic_port_counters(s.receives), counter);
}

static void wait_for_count(enum soft_nic_counter counter, uint64_t wanted)
{
    struct patience patience = patience_of(20);

    while (count(counter) < wanted && patience_lasts(&patience))
        soft_nic_rxq_drive(s.rxq);
    assert_int_equal(count(counter), wanted);
}

static void wait_for_ready(uint32_t wanted)
{
    struct patience patience = patience_of(20);

    while (soft_nic_rxq_ready(s.rxq) < wanted && patience_lasts(&patience))
        soft_nic_rxq_drive(s.rxq);
    assert_int_equal(soft_nic_rxq_ready(s.rxq), wanted);
}

static char *map(size_t size, int fd)
{
    char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);

    assert_true(at != MAP_FAILED);
    return at;
}

/* In the middle of other memory of the program. */
static void packets_lie_in_their_slots_for_any_stride(void **state)
{
    static const uint32_t strides[] = {512, 1500, 1600, 2048, 4096, 8192};

    (void)state;
    for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++) {
        char *memory = calloc(1, (size_t)NUM * strides[i] + 16384);

        open_ports();
        open_queue(memory + 8192 + i * 64, strides[i]);
        assert_true(is_in_place());
        exchange(40);
        close_queue();
        assert_false(is_in_place());
        close_ports();
        free(memory);
    }
}

/* Its neighbours are what the kernel of Linux made of it. */
static void pages_of_their_own_will_do(void **state)
{
    const size_t size = (size_t)NUM * 2048;
    int fd = memfd_create("ring", MFD_CLOEXEC);
    char *memory;

    (void)state;
    assert_true(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
    for (int i = 0; i < 2; i++) {
        /* A hole in front. */
        char *room = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        assert_true(room != MAP_FAILED);
        munmap(room, size + 8192);
        memory = mmap(room + 4096, size, PROT_READ | PROT_WRITE,
                      MAP_FIXED_NOREPLACE | (i == 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED),
                      i == 0 ? -1 : fd, 0);
        assert_ptr_equal(memory, room + 4096);
        open_ports();
        open_queue(memory, 2048);
        assert_true(is_in_place());
        exchange(40);
        close_queue();
        close_ports();
        munmap(memory, size);
    }
    close(fd);
}

/* The kernel's headroom has no place: frames are copied. */
static void memory_without_neighbours_is_served_by_copies(void **state)
{
    const size_t size = (size_t)NUM * 2048;
    char *memory = map(size + 8192, -1);

    (void)state;
    mprotect(memory, 4096, PROT_NONE);
    open_ports();
    open_queue(memory + 4096, 2048);
    assert_false(is_in_place());
    exchange(20);
    close_queue();
    close_ports();
    munmap(memory, size + 8192);
}

static char *memory_of(uint32_t stride)
{
    char *memory = calloc(1, (size_t)NUM * stride + 16384);

    assert_non_null(memory);
    return memory;
}

static char *start(uint32_t stride)
{
    char *memory = memory_of(stride);

    open_ports();
    open_queue(memory + 8192, stride);
    assert_true(is_in_place());
    return memory;
}

static void finish(char *memory)
{
    close_queue();
    close_ports();
    free(memory);
}

static void a_ring_left_unread_holds_its_size_and_the_rest_is_counted(void **state)
{
    char *memory = start(2048);

    (void)state;
    exchange(5);
    for (int turn = 0; turn < 3; turn++) {
        uint64_t before = count(SOFT_NIC_RX_NO_BUFFER);

        for (uint32_t i = 0; i < NUM + 100; i++) {
            send_frame(s.sent + i, 100);
            if (i < NUM && i % SOME == SOME - 1)
                wait_for_ready(i + 1);
        }
        wait_for_count(SOFT_NIC_RX_NO_BUFFER, before + 100);
        assert_int_equal(soft_nic_rxq_ready(s.rxq), NUM);
        for (uint32_t i = 0; i < NUM; i++)
            take_frame(s.sent + i, 100);
        s.sent += NUM + 100;
        post_all();
        settle();
        exchange(5);
    }
    assert_int_equal(soft_nic_count(soft_nic_rxq_counters(s.rxq), SOFT_NIC_RX_NO_BUFFER), 300);
    assert_int_equal(count(SOFT_NIC_RX_PORT_DROP), 0);
    finish(memory);
}

static void frames_longer_than_a_slot_are_dropped_and_counted(void **state)
{
    char *memory = start(512);

    (void)state;
    for (int i = 0; i < 10; i++) {
        send_frame(1000, 513);
        send_frame(1001, 1514);
        exchange(2);
    }
    wait_for_count(SOFT_NIC_RX_OVERSIZE, 20);
    assert_int_equal(soft_nic_count(soft_nic_rxq_counters(s.rxq), SOFT_NIC_RX_OVERSIZE), 20);
    finish(memory);
}

static void a_second_queue_ends_it(void **state)
{
    const struct soft_nic_rxq_conf conf = {.depth = NUM};
    char *memory = start(2048);
    struct soft_nic_rxq *second;

    (void)state;
    exchange(5);
    assert_int_equal(soft_nic_rxq_open(s.receives, &conf, &second), 0);
    assert_false(is_in_place());
    soft_nic_rxq_close(second);
    exchange(20);
    finish(memory);
}

static void it_can_be_done_again_and_again(void **state)
{
    char *memory = memory_of(2048);

    (void)state;
    open_ports();
    for (int i = 0; i < 8; i++) {
        s.received = 0;
        open_queue(memory + 8192, 2048);
        assert_true(is_in_place());
        exchange(5);
        close_queue();
    }
    close_ports();
    free(memory);
}

/* Every third frame is dropped by a rule: those behind move up, into their slots. */
static void frames_that_rules_drop_leave_no_gap(void **state)
{
    const struct soft_nic_table_conf conf = {
        .kind = SOFT_NIC_TABLE_LIST, .max_entries = 4, .miss = {.kind = SOFT_NIC_FWD_ALL_QUEUES}};
    struct soft_nic_entry_conf drop = {.mask = {.ether_type = 0xffff},
                                       .value = {.ether_type = __builtin_bswap16(0x88b6)},
                                       .fwd = {.kind = SOFT_NIC_FWD_DROP}};
    char *memory = start(2048), other[64] = {0};
    struct soft_nic_piece piece = {other, sizeof(other)};
    struct soft_nic_table *table;
    struct soft_nic_entry *entry;

    (void)state;
    eth_frame(other, sizeof(other), 0);
    other[13] = (char)0xb6;
    assert_int_equal(soft_nic_table_create(s.receives, &conf, &table), 0);
    assert_int_equal(soft_nic_entry_add(table, &drop, &entry), 0);
    soft_nic_port_set_root(s.receives, table);
    for (int i = 0; i < 100; i++) {
        send_bytes(s.txq, &piece, 1, sizeof(other));
        exchange(2);
    }
    assert_int_equal(count(SOFT_NIC_RX_FLOW_DROP), 100);
    assert_true(is_in_place());
    soft_nic_port_clear(s.receives);
    soft_nic_entry_remove(entry);
    soft_nic_entry_free(entry);
    soft_nic_table_destroy(table);
    finish(memory);
}

/* Its own socket has no memory for that. */
static void the_port_sends_as_well(void **state)
{
    const struct soft_nic_rxq_conf conf = {.depth = NUM};
    char *memory = start(2048), bytes[1000], got[2048];
    struct soft_nic_piece pieces[2] = {{bytes, 300}, {bytes + 300, 700}};
    struct soft_nic_rxq *back;
    struct soft_nic_txq *txq;
    struct soft_nic_post *post;

    (void)state;
    assert_int_equal(soft_nic_rxq_open(s.sends, &conf, &back), 0);
    assert_int_equal(soft_nic_txq_open(s.receives, &txq), 0);
    assert_true(is_in_place());
    for (uint32_t i = 0; i < 100; i++) {
        struct patience patience = patience_of(20);

        eth_frame(bytes, sizeof(bytes), i);
        post = soft_nic_rxq_next(back);
        post->place = (struct soft_nic_piece){got, sizeof(got)};
        soft_nic_rxq_post(back);
        send_bytes(txq, pieces, 2, sizeof(bytes));
        while ((post = soft_nic_rxq_take(back)) == NULL)
            assert_true(patience_lasts(&patience));
        assert_int_equal(post->len, sizeof(bytes));
        assert_true(eth_frame_is(got, sizeof(bytes), i));
        soft_nic_rxq_done(back);
    }
    exchange(5);
    soft_nic_txq_close(txq);
    soft_nic_rxq_close(back);
    finish(memory);
}

/* The kernel tells it some time after the interface was switched. */
static void wait_for_link(bool up)
{
    struct soft_nic_port_info info;
    struct patience patience = patience_of(20);

    do {
        soft_nic_rxq_drive(s.rxq);
        soft_nic_port_info(s.receives, &info);
    } while (info.link_up != up && patience_lasts(&patience));
    assert_true(info.link_up == up);
}

/* It may also tell of what was switched before this test. */
static void wait_for_link_down(void)
{
    wait_for_link(false);
    assert_true(count(SOFT_NIC_LINK_DOWN) >= 1);
}

static void an_interface_that_went_down_comes_back(void **state)
{
    char *memory = start(2048);
    const struct soft_nic_post *post = NULL;
    struct patience patience = patience_of(20);
    struct soft_nic_tx_frame frame;
    char bytes[64];
    struct soft_nic_piece piece = {bytes, sizeof(bytes)};

    (void)state;
    exchange(5);
    wait_for_link(true);
    assert_int_equal(system("ip link set odvb down"), 0);
    wait_for_link_down();
    assert_int_equal(system("ip link set odvb up"), 0);
    eth_frame(bytes, sizeof(bytes), 7);
    while (post == NULL && patience_lasts(&patience)) {
        frame = (struct soft_nic_tx_frame){.pieces = &piece, .npieces = 1, .len = sizeof(bytes)};
        soft_nic_txq_send(s.txq, &frame, 1);
        post = soft_nic_rxq_take(s.rxq);
    }
    assert_non_null(post);
    assert_true(eth_frame_is(post->place.addr, sizeof(bytes), 7));
    soft_nic_rxq_done(s.rxq);
    finish(memory);
}

static void a_deleted_interface_ends_no_program(void **state)
{
    char *memory = start(2048);

    (void)state;
    exchange(5);
    wait_for_link(true);
    assert_int_equal(system("ip link del odva"), 0);
    wait_for_link_down();
    finish(memory);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_lie_in_their_slots_for_any_stride),
        cmocka_unit_test(pages_of_their_own_will_do),
        cmocka_unit_test(memory_without_neighbours_is_served_by_copies),
        cmocka_unit_test(a_ring_left_unread_holds_its_size_and_the_rest_is_counted),
        cmocka_unit_test(frames_longer_than_a_slot_are_dropped_and_counted),
        cmocka_unit_test(a_second_queue_ends_it),
        cmocka_unit_test(it_can_be_done_again_and_again),
        cmocka_unit_test(frames_that_rules_drop_leave_no_gap),
        cmocka_unit_test(the_port_sends_as_well),
        cmocka_unit_test(an_interface_that_went_down_comes_back),
        cmocka_unit_test(a_deleted_interface_ends_no_program),
    };
    const char *kind = argc > 1 ? argv[1] : "af_xdp";
    int rc = eth_wire_up(kind);

    if (rc != 0)
        return rc;
    eth_wire_down();
    settings = strcmp(kind, "af_xdp_generic") == 0 ? ",mode=generic" : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
