/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "urom/plugin/sandbox/common/sandbox_wire.h"

static uint8_t bytes[256];

static int read_cmd(const struct sandbox_cmd *cmd, size_t len, ptrdiff_t *at)
{
    struct sandbox_cmd copy;
    const uint8_t *data = NULL;
    int err;

    memcpy(bytes, cmd, sizeof(*cmd));
    err = sandbox_cmd_read(bytes, len, &copy, &data);
    if (err == 0) {
        assert_memory_equal(&copy, cmd, sizeof(copy));
        *at = data - bytes;
    }
    return err;
}

static void sends_of_both_sizes(void **state)
{
    struct sandbox_cmd cmd = {.type = SANDBOX_TAG_SEND, .send = {.count = 10, .tag = 1}};
    ptrdiff_t at = 0;

    (void)state;
    assert_int_equal(read_cmd(&cmd, 74, &at), 0);
    assert_int_equal(at, 64);
    assert_int_equal(read_cmd(&cmd, 82, &at), 0);
    assert_int_equal(at, 72);
    assert_int_equal(read_cmd(&cmd, 75, &at), -EINVAL);
    assert_int_equal(read_cmd(&cmd, 64, &at), -EINVAL);
    cmd.send.memh_id = 1; /* the data are elsewhere */
    assert_int_equal(read_cmd(&cmd, 64, &at), 0);
    assert_int_equal(read_cmd(&cmd, 72, &at), 0);
    assert_int_equal(read_cmd(&cmd, 74, &at), -EINVAL);
    cmd.send = (struct sandbox_tag_send){.count = UINT64_MAX};
    for (size_t len = 0; len < sizeof(bytes); len++)
        assert_int_equal(read_cmd(&cmd, len, &at), -EINVAL);
}

static void receives_bring_no_data(void **state)
{
    const struct sandbox_cmd cmd = {.type = SANDBOX_TAG_RECV, .recv = {.count = UINT64_MAX}};
    ptrdiff_t at = 0;

    (void)state;
    for (size_t len = 0; len < sizeof(bytes); len++)
        assert_int_equal(read_cmd(&cmd, len, &at), len == 64 || len == 72 ? 0 : -EINVAL);
}

static void maps_bring_a_handle(void **state)
{
    struct sandbox_cmd cmd = {.type = SANDBOX_MEM_MAP, .words = {[6] = 5}};
    const uint64_t five = 5;
    ptrdiff_t at = 0;

    (void)state;
    assert_int_equal(read_cmd(&cmd, 69, &at), 0);
    assert_int_equal(at, 64);
    cmd.words[6] = 0x1234; /* of the larger structure of UCX */
    memcpy(bytes + 64, &five, sizeof(five));
    assert_int_equal(read_cmd(&cmd, 77, &at), 0);
    assert_int_equal(at, 72);
    assert_int_equal(read_cmd(&cmd, 78, &at), -EINVAL);
    assert_int_equal(read_cmd(&cmd, 69, &at), -EINVAL);
}

static void others_are_not_known(void **state)
{
    const struct sandbox_cmd cmd = {.type = 3};
    ptrdiff_t at = 0;

    (void)state;
    assert_int_equal(read_cmd(&cmd, 64, &at), -ENOTSUP);
    assert_int_equal(read_cmd(&cmd, 63, &at), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_of_both_sizes),
        cmocka_unit_test(receives_bring_no_data),
        cmocka_unit_test(maps_bring_a_handle),
        cmocka_unit_test(others_are_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
