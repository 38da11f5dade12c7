/* SPDX-License-Identifier: BSD-3-Clause */
/* The slots of a ring that the kernel fills: whatever becomes of frames, each packet ends in its
 * own slot, none is written while it is somebody's, and those behind are in step again soon. The
 * kernel is the test. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/nic/af_xdp/module/slots.h"

#define NUM 64u

static struct {
    struct af_xdp_slots slots;
    uint64_t content[NUM]; /* the packet that is in it, from 1 */
    uint64_t read;         /* packets that the program has read */
    uint64_t packets, copied, lost;
    uint32_t fill[NUM];
    uint64_t filled, used; /* of the fill ring */
    uint32_t came[NUM];    /* slots with frames nobody has looked at */
    uint32_t ncame;
} s;

static int open_slots(void **state)
{
    (void)state;
    memset(&s, 0, sizeof(s));
    return af_xdp_slots_open(&s.slots, NUM) ? 0 : -1;
}

static int close_slots(void **state)
{
    (void)state;
    af_xdp_slots_close(&s.slots);
    return 0;
}

static void give(void)
{
    uint32_t slot;

    s.slots.next = s.packets;
    s.slots.end = s.read + NUM;
    while ((slot = af_xdp_slots_give(&s.slots)) != AF_XDP_NO_SLOT) {
        /* No packet that was not read. */
        assert_true(s.content[slot] == 0 || s.content[slot] <= s.read);
        s.fill[s.filled++ % NUM] = slot;
        assert_true(s.filled - s.used <= NUM);
    }
}

/* The kernel writes a frame. */
static void arrive(void)
{
    if (s.used == s.filled) {
        s.lost++;
        return;
    }
    s.came[s.ncame] = s.fill[s.used++ % NUM];
    s.content[s.came[s.ncame++]] = UINT64_MAX;
}

/* The owner looks at what came; every one for which `is_hole` does not become a packet. */
static void look(bool (*is_hole)(void))
{
    for (uint32_t i = 0; i < s.ncame; i++) {
        uint32_t slot = af_xdp_slots_take(&s.slots), own = s.packets % NUM;

        assert_int_equal(slot, s.came[i]);
        assert_true(s.content[slot] == UINT64_MAX);
        s.content[slot] = 0;
        if (is_hole())
            continue;
        assert_false(s.slots.is_out[own]);
        assert_true(s.content[own] == 0 || s.content[own] <= s.read);
        s.content[own] = ++s.packets;
        s.copied += own != slot;
    }
    s.ncame = 0;
}

static void read_packets(uint64_t n)
{
    while (n-- > 0 && s.read < s.packets) {
        assert_true(s.content[s.read % NUM] == s.read + 1);
        s.read++;
    }
}

static bool never(void)
{
    return false;
}

static bool always(void)
{
    return true;
}

static uint64_t chance = 88172645463325252u;

static uint64_t draw(void)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance;
}

static uint32_t hole_of = 2;

static bool sometimes(void)
{
    return draw() % hole_of == 0;
}

static void nothing_is_copied_without_holes(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        give();
        for (uint64_t n = draw() % 50; n > 0; n--)
            arrive();
        look(never);
        read_packets(draw() % 60);
    }
    assert_true(s.packets > 10000);
    assert_int_equal(s.copied, 0);
}

static void a_ring_left_unread_is_full_exactly(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        give();
        arrive();
        look(i % 3 == 0 ? always : never);
    }
    assert_int_equal(s.packets, NUM);
    assert_true(s.lost > 0);
    read_packets(NUM);
    assert_int_equal(s.read, NUM);
}

static void it_gets_in_step_again(void **state)
{
    uint64_t copied = 0;

    (void)state;
    give();
    arrive();
    look(always);
    for (int i = 0; i < 1000; i++) {
        give();
        arrive();
        look(never);
        read_packets(NUM);
        if (i == 2 * (int)NUM)
            copied = s.copied;
    }
    assert_true(s.copied > 0);
    assert_int_equal(s.copied, copied);
    assert_int_equal(s.packets, 1000);
    assert_int_equal(s.lost, 0);
}

static void each_packet_ends_in_its_slot_whatever_comes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        hole_of = 1 + (uint32_t)(i / 1000);
        give();
        for (uint64_t n = draw() % (i % 2 == 0 ? 8 : 80); n > 0 && s.ncame < NUM; n--)
            arrive();
        look(sometimes);
        read_packets(draw() % (i % 3 == 0 ? 3 : 90));
    }
    assert_true(s.packets > 50000);
}

/* Half of the frames go elsewhere, the reader is quick: none is lost for want of slots. */
static void holes_cost_no_frames(void **state)
{
    (void)state;
    hole_of = 2;
    for (int i = 0; i < 10000; i++) {
        give();
        for (int n = 0; n < 16; n++)
            arrive();
        look(sometimes);
        read_packets(NUM);
    }
    assert_int_equal(s.lost, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_copied_without_holes, open_slots, close_slots),
        cmocka_unit_test_setup_teardown(a_ring_left_unread_is_full_exactly, open_slots,
                                        close_slots),
        cmocka_unit_test_setup_teardown(it_gets_in_step_again, open_slots, close_slots),
        cmocka_unit_test_setup_teardown(each_packet_ends_in_its_slot_whatever_comes, open_slots,
                                        close_slots),
        cmocka_unit_test_setup_teardown(holes_cost_no_frames, open_slots, close_slots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
