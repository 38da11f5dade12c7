/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/soft/nic/port_rig.h"

#include <errno.h>

static struct rig rig;

/* What arrives of 1, 2, ... 12, as a list of numbers that ends with -1. */
static void send_twelve(const char *port, int arrived[64])
{
    int n = 0;

    rig_open(&rig, port);
    for (uint8_t i = 1; i <= 12; i++)
        assert_int_equal(rig_send(&rig, i, 64), 0);
    do {
        assert_true(n < 64);
        arrived[n] = rig_receive(&rig, NULL);
    } while (arrived[n++] != -1);
    rig_close(&rig);
}

static void every_third_is_dropped(void **state)
{
    static const int wanted[] = {1, 2, 4, 5, 7, 8, 10, 11, -1};
    int arrived[64];

    (void)state;
    send_twelve("error:drop=3;loop", arrived);
    assert_memory_equal(arrived, wanted, sizeof(wanted));
    send_twelve("error:drop=1;loop", arrived);
    assert_int_equal(arrived[0], -1);
}

static void every_fifth_comes_twice(void **state)
{
    static const int wanted[] = {1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 10, 11, 12, -1};
    int arrived[64];

    (void)state;
    send_twelve("error:duplicate=5;loop", arrived);
    assert_memory_equal(arrived, wanted, sizeof(wanted));
}

static void every_fourth_lets_the_next_one_pass(void **state)
{
    static const int wanted[] = {1, 2, 3, 5, 4, 6, 7, 9, 8, 10, 11, 12, -1};
    int arrived[64];

    (void)state;
    send_twelve("error:reorder=4;loop", arrived);
    assert_memory_equal(arrived, wanted, sizeof(wanted));
}

static void every_second_has_a_wrong_bit(void **state)
{
    uint32_t wrong = 0;

    (void)state;
    rig_open(&rig, "error:corrupt=2,seed=5;loop");
    for (uint8_t i = 1; i <= 12; i++)
        assert_int_equal(rig_send(&rig, i, 64), 0);
    for (uint8_t i = 1; i <= 12; i++) {
        struct soft_nic_post *post = rig_take(&rig);
        const uint8_t *bytes;

        assert_non_null(post);
        bytes = post->cookie;
        for (uint32_t k = 0; k < 64; k++)
            wrong += bytes[k] != i ? (uint32_t)__builtin_popcount(bytes[k] ^ i) : 0;
        assert_int_equal(wrong, i / 2);
        soft_nic_rxq_done(rig.rxq);
    }
    rig_close(&rig);
}

static void after_a_pause_it_goes_on(void **state)
{
    uint64_t end = soft_nic_now() + 20000000000u;
    int number = -1;

    (void)state;
    rig_open(&rig, "error:pause=1,pause_ms=20;loop");
    assert_int_equal(rig_send(&rig, 1, 64), 0);
    assert_int_equal(rig_receive(&rig, NULL), 1);
    assert_int_equal(rig_send(&rig, 2, 64), 0);
    while (number == -1 && soft_nic_now() < end)
        number = rig_receive(&rig, NULL);
    assert_int_equal(number, 2);
    rig_close(&rig);
}

static void every_third_that_is_sent_fails(void **state)
{
    (void)state;
    rig_open(&rig, "error:fail_send=3;loop");
    for (uint8_t i = 1; i <= 9; i++)
        assert_int_equal(rig_send(&rig, i, 64), i % 3 == 0 ? -EIO : 0);
    assert_int_equal(rig_count(&rig, SOFT_NIC_TX_ERR_PORT), 3);
    assert_int_equal(rig_count(&rig, SOFT_NIC_TX_FRAMES), 6);
    rig_close(&rig);
}

static void a_failure_in_a_batch_is_told_of_its_frame(void **state)
{
    uint8_t bytes[64] = {0};
    struct soft_nic_piece piece = {bytes, sizeof(bytes)};
    struct soft_nic_tx_frame frames[10];

    (void)state;
    rig_open(&rig, "error:fail_send=4;loop");
    for (int i = 0; i < 10; i++)
        frames[i] = (struct soft_nic_tx_frame){.pieces = &piece, .npieces = 1, .len = 64};
    assert_int_equal(soft_nic_txq_send(rig.txq, frames, 10), 10);
    for (int i = 0; i < 10; i++)
        assert_int_equal(frames[i].status, i % 4 == 3 ? -EIO : 0);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_third_is_dropped),
        cmocka_unit_test(every_fifth_comes_twice),
        cmocka_unit_test(every_fourth_lets_the_next_one_pass),
        cmocka_unit_test(every_second_has_a_wrong_bit),
        cmocka_unit_test(after_a_pause_it_goes_on),
        cmocka_unit_test(every_third_that_is_sent_fails),
        cmocka_unit_test(a_failure_in_a_batch_is_told_of_its_frame),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
