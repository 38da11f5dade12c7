/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "soft/nic/segment.h"

static const uint8_t tcp4[54] = {
    [12] = 0x08, [14] = 0x45, [18] = 0x12, [19] = 0xff, [23] = 6,   [38] = 0xff,
    [39] = 0xff, [40] = 0xff, [41] = 0x00, [46] = 0x50, [47] = 0x19};

static void tcp_headers_follow_the_payload(void **state)
{
    struct soft_nic_segmenter segmenter;
    uint8_t frame[54];

    (void)state;
    soft_nic_segment_begin(&segmenter, tcp4, sizeof(tcp4), 4000, 1500);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t len = i < 2 ? 1500 : 1000;

        memcpy(frame, tcp4, sizeof(frame));
        soft_nic_segment_adapt(&segmenter, frame, i * 1500, len);
        assert_int_equal(soft_nic_get16(frame + 16), 40 + len);
        assert_int_equal(soft_nic_get16(frame + 18), 0x12ff + i);
        assert_int_equal(soft_nic_get32(frame + 38), 0xffffff00u + i * 1500); /* wraps */
        assert_int_equal(frame[47], i < 2 ? 0x10 : 0x19); /* FIN and PSH on the last one */
    }
}

static void udp_headers_get_their_lengths(void **state)
{
    uint8_t header[62] = {[12] = 0x86, [13] = 0xdd, [14] = 0x60, [20] = 17};
    struct soft_nic_segmenter segmenter;
    uint8_t frame[62];

    (void)state;
    soft_nic_segment_begin(&segmenter, header, sizeof(header), 300, 200);
    memcpy(frame, header, sizeof(frame));
    soft_nic_segment_adapt(&segmenter, frame, 200, 100);
    assert_int_equal(soft_nic_get16(frame + 18), 108);
    assert_int_equal(soft_nic_get16(frame + 58), 108);
}

/* Cut in the middle of a header, or none that is known: repeated as it is. */
static void other_headers_are_left_alone(void **state)
{
    struct soft_nic_segmenter segmenter;
    uint8_t frame[54];

    (void)state;
    for (uint32_t len = 0; len < sizeof(tcp4); len++) {
        memcpy(frame, tcp4, sizeof(frame));
        soft_nic_segment_begin(&segmenter, tcp4, len, 4000, 1500);
        soft_nic_segment_adapt(&segmenter, frame, 1500, 1500);
        assert_memory_equal(frame, tcp4, sizeof(frame));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_headers_follow_the_payload),
        cmocka_unit_test(udp_headers_get_their_lengths),
        cmocka_unit_test(other_headers_are_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
