/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "urom/plugin/amo/common/amo_wire.h"

static struct amo_cmd sample(uint32_t op)
{
    return (struct amo_cmd){
        .head = {.op = op, .context = 3}, .remote = 1, .va = 0x1004, .operand = 5, .size = 4};
}

static void a_command_arrives_as_it_was_sent(void **state)
{
    (void)state;
    for (uint32_t op = 0; op < AMO_CODES; op++) {
        struct amo_cmd sent = sample(op), got;

        assert_int_equal(amo_cmd_read(&sent, sizeof(sent), &got), 0);
        assert_memory_equal(&sent, &got, sizeof(sent));
        for (size_t len = 0; len < sizeof(sent); len++)
            assert_int_equal(amo_cmd_read(&sent, len, &got), -EINVAL);
    }
}

static void operands_are_of_two_sizes_and_aligned(void **state)
{
    struct amo_cmd sent = sample(AMO_FADD), got;

    (void)state;
    sent.size = 8;
    assert_int_equal(amo_cmd_read(&sent, sizeof(sent), &got), -EINVAL);
    sent.va = 0x1008;
    assert_int_equal(amo_cmd_read(&sent, sizeof(sent), &got), 0);
    sent.size = 0;
    assert_int_equal(amo_cmd_read(&sent, sizeof(sent), &got), -EINVAL);
    sent.size = 16;
    assert_int_equal(amo_cmd_read(&sent, sizeof(sent), &got), -EINVAL);
}

static void only_one_operation_compares(void **state)
{
    struct amo_cmd sent = sample(AMO_FADD), got;

    (void)state;
    sent.compare = 1;
    assert_int_equal(amo_cmd_read(&sent, sizeof(sent), &got), -EINVAL);
    sent.head.op = AMO_CSWAP;
    assert_int_equal(amo_cmd_read(&sent, sizeof(sent), &got), 0);
    sent.head.op = AMO_CODES;
    assert_int_equal(amo_cmd_read(&sent, sizeof(sent), &got), -ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_arrives_as_it_was_sent),
        cmocka_unit_test(operands_are_of_two_sizes_and_aligned),
        cmocka_unit_test(only_one_operation_compares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
