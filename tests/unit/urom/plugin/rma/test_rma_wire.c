/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "urom/plugin/rma/common/rma_wire.h"

struct put {
    struct rma_cmd cmd;
    uint8_t bytes[8];
};

static struct put put_inline(uint64_t len)
{
    return (struct put){.cmd = {.head = {.op = RMA_PUT, .context = 9},
                                .remote = 5,
                                .remote_va = 0x1000,
                                .len = len},
                        .bytes = "abcdefg"};
}

static void an_inline_put_has_exactly_its_bytes_behind_it(void **state)
{
    struct put put = put_inline(8);
    struct rma_cmd got;
    const void *bytes;

    (void)state;
    assert_int_equal(rma_cmd_read(&put, sizeof(put), &got, &bytes), 0);
    assert_memory_equal(&got, &put.cmd, sizeof(got));
    assert_ptr_equal(bytes, put.bytes);
    put.cmd.len = 7;
    assert_int_equal(rma_cmd_read(&put, sizeof(put), &got, &bytes), -EINVAL);
    put.cmd.len = 9;
    assert_int_equal(rma_cmd_read(&put, sizeof(put), &got, &bytes), -EINVAL);
    put.cmd.len = UINT64_MAX;
    assert_int_equal(rma_cmd_read(&put, sizeof(put), &got, &bytes), -EINVAL);
}

static void a_copy_between_regions_has_nothing_behind_it(void **state)
{
    struct put put = put_inline((uint64_t)1 << 40);
    struct rma_cmd got;
    const void *bytes;

    (void)state;
    put.cmd.local = 1;
    assert_int_equal(rma_cmd_read(&put, sizeof(put.cmd), &got, &bytes), 0);
    assert_int_equal(rma_cmd_read(&put, sizeof(put), &got, &bytes), -EINVAL);
    put.cmd.head.op = RMA_GET;
    assert_int_equal(rma_cmd_read(&put, sizeof(put.cmd), &got, &bytes), 0);
    put.cmd.local = 0; /* no answer is that long */
    assert_int_equal(rma_cmd_read(&put, sizeof(put.cmd), &got, &bytes), -EINVAL);
}

static void what_is_short_or_unknown_is_told_apart(void **state)
{
    struct put put = put_inline(8);
    struct rma_cmd got;
    const void *bytes;

    (void)state;
    for (size_t len = 0; len < sizeof(put.cmd); len++)
        assert_int_equal(rma_cmd_read(&put, len, &got, &bytes), -EINVAL);
    put.cmd.head.op = 77;
    assert_int_equal(rma_cmd_read(&put, sizeof(put), &got, &bytes), -ENOTSUP);
    put.cmd.head.op = RMA_FLUSH;
    assert_int_equal(rma_cmd_read(&put, sizeof(put.cmd.head), &got, &bytes), 0);
    assert_int_equal(rma_cmd_read(&put, sizeof(put), &got, &bytes), -EINVAL);
    put.cmd.head.flags = 2;
    assert_int_equal(rma_cmd_read(&put, sizeof(put.cmd.head), &got, &bytes), -EINVAL);
}

static void a_descriptor_ends_with_the_command(void **state)
{
    struct {
        struct ops_attach attach;
        uint8_t desc[4];
    } cmd = {.attach = {.head = {.op = OPS_ATTACH}, .desc_len = 4}};
    struct ops_attach got;
    const void *desc;

    (void)state;
    assert_int_equal(ops_attach_read(&cmd, sizeof(cmd.attach) + 4, &got, &desc), 0);
    assert_ptr_equal(desc, cmd.desc);
    assert_int_equal(ops_attach_read(&cmd, sizeof(cmd.attach) + 3, &got, &desc), -EINVAL);
    assert_int_equal(ops_attach_read(&cmd, sizeof(cmd.attach) - 1, &got, &desc), -EINVAL);
    cmd.attach.zero = 1;
    assert_int_equal(ops_attach_read(&cmd, sizeof(cmd.attach) + 4, &got, &desc), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inline_put_has_exactly_its_bytes_behind_it),
        cmocka_unit_test(a_copy_between_regions_has_nothing_behind_it),
        cmocka_unit_test(what_is_short_or_unknown_is_told_apart),
        cmocka_unit_test(a_descriptor_ends_with_the_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
