/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/soft/nic/port_rig.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "util/clock.h"

/* Who opens a queue looks at it a moment later, perhaps after the thread of an engine has had its
 * first turn. */
static void a_full_wire_waits_for_the_first_look(void **state)
{
    static struct rig rig;
    uint8_t bytes[64] = {0};
    struct soft_nic_piece piece = {bytes, sizeof(bytes)};
    struct soft_nic_tx_frame frame = {.pieces = &piece, .npieces = 1, .len = sizeof(bytes)};
    uint32_t sent = 0;

    rig_open(&rig, *state);
    while (sent < 100000 && soft_nic_txq_send(rig.txq, &frame, 1) == 1)
        sent++;
    assert_in_range(sent, 1, 99999);
    soft_nic_port_refresh(rig.port);
    assert_int_equal(soft_nic_count(soft_nic_port_counters(rig.port), SOFT_NIC_RX_PORT_DROP), 0);
    rig_close(&rig);
}

static void a_device_has_one_port(void **state)
{
    static struct rig rig;
    struct soft_nic_port *again;
    struct soft_nic_port_info info;

    (void)state;
    rig_open(&rig, "loop");
    assert_int_equal(soft_nic_port_hold(&rig.device, &again), 0);
    assert_ptr_equal(again, rig.port);
    soft_nic_port_release(again);
    soft_nic_port_info(rig.port, &info);
    assert_string_equal(info.kind, "loop");
    assert_int_equal(info.mtu, 1500);
    assert_int_equal(rig_send(&rig, 7, 100), 0);
    assert_int_equal(rig_receive(&rig, NULL), 7);
    rig_close(&rig);
}

static void the_ends_of_a_wire_hear_each_other(void **state)
{
    static struct rig a, b;
    struct soft_device third = {.mtu = 1500, .port = "loop:wire"};
    struct soft_nic_port *port;
    uint32_t len;

    (void)state;
    rig_open(&a, "loop:wire");
    assert_int_equal(rig_send(&a, 1, 64), 0); /* nobody there: lost */
    rig_open(&b, "loop:wire");
    assert_int_equal(rig_send(&a, 2, 64), 0);
    assert_int_equal(rig_send(&b, 3, 1514), 0);
    assert_int_equal(rig_receive(&a, &len), 3);
    assert_int_equal(len, 1514);
    assert_int_equal(rig_receive(&b, NULL), 2);
    assert_int_equal(rig_receive(&b, NULL), -1);
    assert_int_equal(soft_nic_port_hold(&third, &port), -EBUSY);
    /* Each has counters of its own, also when their devices have one name. */
    assert_int_equal(rig_count(&a, SOFT_NIC_TX_FRAMES), 2);
    assert_int_equal(rig_count(&b, SOFT_NIC_TX_FRAMES), 1);
    rig_close(&a);
    rig_close(&b);
}

static void every_frame_is_counted_once(void **state)
{
    static struct rig rig;

    (void)state;
    rig_open(&rig, "loop");
    for (uint32_t i = 0; i < RIG_DEPTH + 10; i++)
        assert_int_equal(rig_send(&rig, 1, 64), 0);
    while (rig_drive(&rig) > 0)
        continue;
    assert_int_equal(rig_count(&rig, SOFT_NIC_RX_SEEN), RIG_DEPTH + 10);
    assert_int_equal(rig_count(&rig, SOFT_NIC_RX_DELIVERED), RIG_DEPTH);
    assert_int_equal(rig_count(&rig, SOFT_NIC_RX_NO_BUFFER), 10);
    assert_int_equal(rig_count(&rig, SOFT_NIC_TX_FRAMES), RIG_DEPTH + 10);
    assert_int_equal(rig_send(&rig, 1, 1519), -EMSGSIZE);
    assert_int_equal(rig_send(&rig, 1, 0), -EMSGSIZE);
    assert_int_equal(rig_count(&rig, SOFT_NIC_TX_ERR_SIZE), 2);
    assert_int_equal(soft_nic_count(soft_nic_rxq_counters(rig.rxq), SOFT_NIC_RX_DELIVERED),
                     RIG_DEPTH);
    rig_close(&rig);
}

static void unmatched_frames_stay_with_the_kernel(void **state)
{
    static struct rig rig;

    (void)state;
    rig_open(&rig, "loop");
    rig.device.unmatched = SOFT_UNMATCHED_KERNEL;
    assert_int_equal(rig_send(&rig, 1, 64), 0);
    assert_int_equal(rig_receive(&rig, NULL), -1);
    assert_int_equal(rig_count(&rig, SOFT_NIC_RX_KERNEL), 1);
    rig_close(&rig);
}

static void a_detached_queue_hands_its_places_back(void **state)
{
    static struct rig rig;
    struct soft_nic_post *post;
    uint32_t filled = 0, empty = 0;

    (void)state;
    rig_open(&rig, "loop");
    assert_int_equal(rig_send(&rig, 5, 64), 0);
    assert_int_equal(rig_drive(&rig), 1);
    soft_nic_rxq_detach(rig.rxq);
    while ((post = soft_nic_rxq_take(rig.rxq)) != NULL) {
        filled += post->status == 0 ? 1 : 0;
        empty += post->status == -ECANCELED ? 1 : 0;
        soft_nic_rxq_done(rig.rxq);
    }
    assert_int_equal(filled, 1);
    assert_int_equal(empty, RIG_DEPTH - 1);
    rig_close(&rig);
}

static void wrong_ports_are_refused_by_name(void **state)
{
    static const struct {
        const char *port;
        const char *reason;
        int err;
    } cases[] = {
        {"nonsense", "af_packet", -EINVAL},
        {"loop:a,blocks=3", "blocks", -EINVAL},
        {"af_packet:no-such-iface", "no-such-iface", -ENODEV},
        {"af_packet:lo,blocks=1", "blocks", -EINVAL},
        {"error:drop=3", "wraps", -EINVAL},
        {"error:drop=3;error:drop=4;loop", "wrap", -EINVAL},
        {"error:drop=0;loop", "drop", -EINVAL},
        {"pcap:replay=/no/such/file", "/no/such/file", -ENOENT},
        {"pcap", "replay", -EINVAL},
        {"tap:much-too-long-a-name", "tap:tap0", -EINVAL},
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(cases); i++) {
        struct soft_device device = {.mtu = 1500};
        struct soft_nic_port *port;

        snprintf(device.port, sizeof(device.port), "%s", cases[i].port);
        assert_int_equal(soft_nic_port_hold(&device, &port), cases[i].err);
        assert_non_null(strstr(soft_reason(), cases[i].reason));
    }
}

/* A port that is opened again while its last holder closes it. */
static struct {
    struct soft_nic_ops ops;
    void (*close)(struct soft_nic_backend *backend);
    struct rig rig;
    pthread_t thread;
    _Atomic bool is_closed, is_open;
    bool was_closed;
} late;

static void *open_again(void *arg)
{
    struct soft_nic_port *port;
    int err = soft_nic_port_hold(&late.rig.device, &port);

    late.was_closed = atomic_load(&late.is_closed);
    atomic_store(&late.is_open, true);
    return err == 0 ? port : arg;
}

/* Long enough for whoever does not wait. */
static void close_slowly(struct soft_nic_backend *backend)
{
    uint64_t end = od_now_ns() + 200000000u;

    assert_int_equal(pthread_create(&late.thread, NULL, open_again, NULL), 0);
    while (!atomic_load(&late.is_open) && od_now_ns() < end)
        sched_yield();
    late.close(backend);
    atomic_store(&late.is_closed, true);
}

static void count_page(const struct soft_nic_page *page, void *arg)
{
    char id[sizeof(page->device)];

    soft_device_id(&late.rig.device, id);
    *(uint32_t *)arg += page->pid == (uint32_t)getpid() && strcmp(page->device, id) == 0;
}

static void a_port_is_closed_before_it_is_opened_again(void **state)
{
    uint32_t pages = 0;
    void *port;

    (void)state;
    rig_open(&late.rig, "loop");
    late.ops = *late.rig.port->backend->ops;
    late.close = late.ops.close;
    late.ops.close = close_slowly;
    late.rig.port->backend->ops = &late.ops;
    rig_close(&late.rig);
    assert_int_equal(pthread_join(late.thread, &port), 0);
    assert_true(late.was_closed);
    assert_non_null(port);
    /* The counters can be read under their name: it was not taken from the new port. */
    assert_int_equal(soft_nic_pages_read(count_page, &pages), 0);
    assert_int_equal(pages, 1);
    soft_nic_port_release(port);
}

int main(void)
{
    static char loop[] = "loop", wrapped[] = "error:drop=7;loop";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_full_wire_waits_for_the_first_look, loop),
        cmocka_unit_test_prestate(a_full_wire_waits_for_the_first_look, wrapped),
        cmocka_unit_test(a_device_has_one_port),
        cmocka_unit_test(the_ends_of_a_wire_hear_each_other),
        cmocka_unit_test(every_frame_is_counted_once),
        cmocka_unit_test(unmatched_frames_stay_with_the_kernel),
        cmocka_unit_test(a_detached_queue_hands_its_places_back),
        cmocka_unit_test(wrong_ports_are_refused_by_name),
        cmocka_unit_test(a_port_is_closed_before_it_is_opened_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
