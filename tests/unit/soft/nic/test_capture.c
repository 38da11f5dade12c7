/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/capture.h"

#include <errno.h>
#include <time.h>

#include "lib/seconds.h"
#include "unit/soft/nic/port_rig.h"

static char folder[] = "/tmp/opendoca-test-capture-XXXXXX";
static uint8_t bytes[SOFT_NIC_FRAME_MAX];

static struct soft_nic_capture *begin(uint32_t directions, int32_t queue)
{
    const struct soft_nic_capture_conf conf = {.directions = directions, .queue = queue};
    struct soft_nic_capture *capture;
    struct patience patience = patience_of(60);

    if (soft_nic_capture_open((uint32_t)getpid(), "0000:00:00.0", &conf, &capture) != 0)
        fail_msg("%s", soft_reason());
    while (!soft_nic_capture_is_on(capture) && patience_lasts(&patience))
        continue;
    assert_true(soft_nic_capture_is_on(capture));
    return capture;
}

static void expect(struct soft_nic_capture *capture, uint8_t number, uint32_t len,
                   uint32_t direction)
{
    struct soft_nic_captured frame;

    assert_int_equal(soft_nic_capture_next(capture, &frame, bytes), 1);
    assert_int_equal(frame.len, len);
    assert_int_equal(frame.direction, direction);
    assert_true(frame.time > 0);
    for (uint32_t i = 0; i < len; i++)
        assert_int_equal(bytes[i], number);
}

static void expect_none(struct soft_nic_capture *capture)
{
    struct soft_nic_captured frame;

    assert_int_equal(soft_nic_capture_next(capture, &frame, bytes), 0);
}

static void frames_are_seen_in_both_directions(void **state)
{
    static struct rig rig;
    struct soft_nic_capture *both, *received;

    (void)state;
    rig_open(&rig, "loop");
    both = begin(SOFT_NIC_CAPTURE_RX | SOFT_NIC_CAPTURE_TX, -1);
    received = begin(SOFT_NIC_CAPTURE_RX, -1);
    for (uint8_t i = 1; i <= 3; i++) {
        rig_send(&rig, i, 60 + i);
        assert_int_equal(rig_receive(&rig, NULL), i);
        expect(both, i, 60 + i, SOFT_NIC_CAPTURE_TX);
        expect(both, i, 60 + i, SOFT_NIC_CAPTURE_RX);
        expect(received, i, 60 + i, SOFT_NIC_CAPTURE_RX);
    }
    expect_none(both);
    expect_none(received);
    soft_nic_capture_close(both);
    rig_send(&rig, 9, 64);
    assert_int_equal(rig_receive(&rig, NULL), 9);
    expect(received, 9, 64, SOFT_NIC_CAPTURE_RX);
    soft_nic_capture_close(received);
    rig_close(&rig);
}

static void a_queue_has_its_own(void **state)
{
    static struct rig rig;
    struct soft_nic_capture *of_queue, *of_another;

    (void)state;
    rig_open(&rig, "loop");
    assert_int_equal(soft_nic_rxq_set_id(rig.rxq, 7), 0);
    of_queue = begin(SOFT_NIC_CAPTURE_RX | SOFT_NIC_CAPTURE_TX, 7);
    of_another = begin(SOFT_NIC_CAPTURE_RX, 8);
    rig_send(&rig, 5, 100);
    assert_int_equal(rig_receive(&rig, NULL), 5);
    expect(of_queue, 5, 100, SOFT_NIC_CAPTURE_RX);
    expect_none(of_queue);
    expect_none(of_another);
    soft_nic_capture_close(of_queue);
    soft_nic_capture_close(of_another);
    rig_close(&rig);
}

/* Nobody reads: the port goes on, what does not fit is counted; what fitted is whole. */
static void a_full_ring_loses_and_counts(void **state)
{
    static struct rig rig;
    struct soft_nic_capture *capture;
    struct soft_nic_captured frame;
    uint32_t kept = 0, sent = 6000;

    (void)state;
    rig_open(&rig, "loop");
    capture = begin(SOFT_NIC_CAPTURE_RX, -1);
    for (uint32_t i = 0; i < sent; i++) {
        rig_send(&rig, (uint8_t)i, 1500);
        assert_int_equal(rig_receive(&rig, NULL), (uint8_t)i);
    }
    while (soft_nic_capture_next(capture, &frame, bytes) == 1) {
        assert_int_equal(frame.len, 1500);
        assert_int_equal(bytes[1499], (uint8_t)kept);
        kept++;
    }
    assert_in_range(kept, 1000, sent - 1);
    assert_int_equal(soft_nic_capture_lost(capture), sent - kept);
    rig_send(&rig, 77, 60);
    assert_int_equal(rig_receive(&rig, NULL), 77);
    expect(capture, 77, 60, SOFT_NIC_CAPTURE_RX);
    soft_nic_capture_close(capture);
    rig_close(&rig);
}

static void the_end_of_the_port_is_told_after_its_frames(void **state)
{
    static struct rig rig;
    struct soft_nic_capture *capture;
    struct soft_nic_captured frame;
    const struct soft_nic_capture_conf conf = {.directions = SOFT_NIC_CAPTURE_RX, .queue = -1};

    (void)state;
    rig_open(&rig, "loop");
    capture = begin(SOFT_NIC_CAPTURE_TX, -1);
    rig_send(&rig, 1, 60);
    rig_receive(&rig, NULL);
    rig_close(&rig);
    expect(capture, 1, 60, SOFT_NIC_CAPTURE_TX);
    assert_int_equal(soft_nic_capture_next(capture, &frame, bytes), -EPIPE);
    soft_nic_capture_close(capture);
    assert_int_equal(soft_nic_capture_open((uint32_t)getpid(), "0000:00:00.0", &conf, &capture),
                     -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_seen_in_both_directions),
        cmocka_unit_test(a_queue_has_its_own),
        cmocka_unit_test(a_full_ring_loses_and_counts),
        cmocka_unit_test(the_end_of_the_port_is_told_after_its_frames),
    };
    int rc;

    if (mkdtemp(folder) == NULL)
        return 1;
    setenv("OPENDOCA_RUNTIME_DIR", folder, 1);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) == 0 ? rc : 1; /* nothing is left behind */
}
