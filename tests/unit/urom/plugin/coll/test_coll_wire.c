/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "urom/plugin/coll/common/coll_wire.h"

static void a_team_has_as_many_ids_as_it_says(void **state)
{
    struct {
        struct coll_create create;
        uint64_t ids[3];
    } cmd = {.create = {.head = {.op = COLL_TEAM_CREATE}, .size = 3}, .ids = {1, 2, 3}};
    struct coll_create got;
    const void *ids;

    (void)state;
    assert_int_equal(coll_create_read(&cmd, sizeof(cmd), &got, &ids), 0);
    assert_ptr_equal(ids, cmd.ids);
    assert_int_equal(coll_create_read(&cmd, sizeof(cmd) - 8, &got, &ids), -EINVAL);
    cmd.create.size = 0;
    assert_int_equal(coll_create_read(&cmd, sizeof(cmd.create), &got, &ids), -EINVAL);
    cmd.create.size = COLL_TEAM_MAX + 1;
    assert_int_equal(coll_create_read(&cmd, sizeof(cmd), &got, &ids), -EINVAL);
}

static void types_and_reductions_go_together(void **state)
{
    struct coll_cmd cmd = {.head = {.op = COLL_ALLREDUCE}, .src = 1}, got;
    const void *bytes;
    size_t len;

    (void)state;
    for (cmd.dtype = 0; cmd.dtype < COLL_DTYPES; cmd.dtype++) {
        for (cmd.reduction = 0; cmd.reduction < COLL_REDUCTIONS; cmd.reduction++)
            assert_int_equal(coll_cmd_read(&cmd, sizeof(cmd), &got, &bytes, &len),
                             cmd.dtype >= COLL_F32 && cmd.reduction >= COLL_AND ? -EINVAL : 0);
        assert_int_equal(coll_cmd_read(&cmd, sizeof(cmd), &got, &bytes, &len), -EINVAL);
    }
    cmd.reduction = 0;
    assert_int_equal(coll_cmd_read(&cmd, sizeof(cmd), &got, &bytes, &len), -EINVAL);
}

static void an_inline_command_has_bytes_behind_it(void **state)
{
    struct {
        struct coll_cmd cmd;
        uint8_t bytes[8];
    } cmd = {.cmd = {.head = {.op = COLL_ALLGATHER}, .len = 8}};
    struct coll_cmd got;
    const void *bytes;
    size_t len;

    (void)state;
    assert_int_equal(coll_cmd_read(&cmd, sizeof(cmd), &got, &bytes, &len), 0);
    assert_ptr_equal(bytes, cmd.bytes);
    assert_int_equal(len, 8);
    cmd.cmd.src = 1;
    assert_int_equal(coll_cmd_read(&cmd, sizeof(cmd), &got, &bytes, &len), -EINVAL);
    assert_int_equal(coll_cmd_read(&cmd, sizeof(cmd.cmd) - 1, &got, &bytes, &len), -EINVAL);
}

static void messages_of_workers_hold_what_they_announce(void **state)
{
    struct {
        struct coll_open open;
        uint8_t data[8];
        struct coll_memory memory[2];
    } msg = {.open = {.msg = {.type = COLL_OPEN}, .data_len = 5, .has_memory = 1}};
    struct coll_open got;
    const void *data, *memory;
    const size_t all = sizeof(msg);

    (void)state;
    assert_int_equal(coll_msg_read(&msg, all, &got, &data, &memory), 0);
    assert_ptr_equal(data, msg.data);
    assert_ptr_equal(memory, msg.memory);
    assert_int_equal(coll_msg_read(&msg, all - 1, &got, &data, &memory), -EINVAL);
    msg.memory[1].desc_len = COLL_DESC_MAX + 1;
    assert_int_equal(coll_msg_read(&msg, all, &got, &data, &memory), -EINVAL);
    msg.open.has_memory = 0;
    assert_int_equal(coll_msg_read(&msg, sizeof(msg.open) + 8, &got, &data, &memory), 0);
    assert_null(memory);
    msg.open.data_len = COLL_EAGER_MAX + 1;
    assert_int_equal(coll_msg_read(&msg, all, &got, &data, &memory), -EINVAL);
    msg.open.msg.type = COLL_DONE;
    assert_int_equal(coll_msg_read(&msg, sizeof(msg.open.msg), &got, &data, &memory), 0);
    msg.open.msg.type = COLL_STOP;
    assert_int_equal(coll_msg_read(&msg, sizeof(msg.open.msg), &got, &data, &memory), 0);
    assert_int_equal(coll_msg_read(&msg, sizeof(msg.open), &got, &data, &memory), -EINVAL);
    msg.open.msg.type = COLL_STOP + 1;
    assert_int_equal(coll_msg_read(&msg, sizeof(msg.open.msg), &got, &data, &memory), -EINVAL);
    msg.open.msg.type = COLL_DONE;
    msg.open.msg.src = COLL_TEAM_MAX;
    assert_int_equal(coll_msg_read(&msg, sizeof(msg.open.msg), &got, &data, &memory), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_team_has_as_many_ids_as_it_says),
        cmocka_unit_test(types_and_reductions_go_together),
        cmocka_unit_test(an_inline_command_has_bytes_behind_it),
        cmocka_unit_test(messages_of_workers_hold_what_they_announce),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
