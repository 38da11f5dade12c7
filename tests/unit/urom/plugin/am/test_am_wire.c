/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "urom/plugin/am/common/am_wire.h"

static int read_cmd(uint32_t op, uint32_t flags, size_t len)
{
    const struct ops_head head = {.op = op, .flags = flags, .context = 5};
    uint8_t bytes[64] = {0};
    const uint8_t *data = NULL;
    union am_cmd cmd;
    int err;

    memcpy(bytes, &head, sizeof(head));
    err = am_cmd_read(bytes, len, &cmd, &data);
    if (err == 0) {
        assert_memory_equal(&cmd.head, &head, sizeof(head));
        assert_true(data <= bytes + len);
    }
    return err;
}

static void lengths(void **state)
{
    (void)state;
    for (size_t len = 0; len < 64; len++) {
        assert_int_equal(read_cmd(AM_SEND, 0, len), len >= sizeof(struct am_send) ? 0 : -EINVAL);
        assert_int_equal(read_cmd(AM_RECV, 0, len), len == sizeof(struct am_recv) ? 0 : -EINVAL);
        assert_int_equal(read_cmd(AM_CANCEL, 0, len),
                         len == sizeof(struct am_cancel) ? 0 : -EINVAL);
        assert_int_equal(read_cmd(3, 0, len), len >= sizeof(struct ops_head) ? -ENOTSUP : -EINVAL);
    }
}

static void flags(void **state)
{
    (void)state;
    assert_int_equal(read_cmd(AM_SEND, AM_NO_ACK, sizeof(struct am_send)), 0);
    assert_int_equal(read_cmd(AM_SEND, AM_NO_ACK | 1, sizeof(struct am_send)), -EINVAL);
    assert_int_equal(read_cmd(AM_RECV, AM_NO_ACK, sizeof(struct am_recv)), -EINVAL);
}

static void packets(void **state)
{
    struct am_packet packet = {.kind = AM_MESSAGE}, copy;

    (void)state;
    assert_int_equal(am_packet_read(&packet, sizeof(packet), &copy), 0);
    assert_int_equal(am_packet_read(&packet, sizeof(packet) - 1, &copy), -EBADMSG);
    packet.kind = AM_ACK;
    assert_int_equal(am_packet_read(&packet, sizeof(packet), &copy), 0);
    packet.kind = AM_ACK + 1;
    assert_int_equal(am_packet_read(&packet, sizeof(packet), &copy), -EBADMSG);
    packet.kind = 0;
    assert_int_equal(am_packet_read(&packet, sizeof(packet), &copy), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),
        cmocka_unit_test(flags),
        cmocka_unit_test(packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
