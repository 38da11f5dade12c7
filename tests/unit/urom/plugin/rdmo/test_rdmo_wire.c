/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "urom/plugin/rdmo/common/rdmo_wire.h"

#define CMD sizeof(struct rdmo_cmd)

static int read_cmd(struct rdmo_cmd cmd, size_t len)
{
    uint8_t bytes[2048] = {0};
    const uint8_t *data = NULL;
    struct rdmo_cmd copy;
    int err;

    memcpy(bytes, &cmd, sizeof(cmd));
    err = rdmo_cmd_read(bytes, len, &copy, &data);
    if (err == 0) {
        assert_memory_equal(&copy, &cmd, sizeof(cmd));
        assert_ptr_equal(data, bytes + sizeof(cmd));
    }
    return err;
}

static void addresses(void **state)
{
    const uint64_t types[] = {RDMO_CLIENT_INIT, RDMO_RQ_CREATE};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rdmo_cmd cmd = {.type = types[i]};
        uint64_t *len = types[i] == RDMO_CLIENT_INIT ? &cmd.init.addr_len : &cmd.rq_create.addr_len;

        assert_int_equal(read_cmd(cmd, CMD), -EINVAL);
        *len = RDMO_ADDR_MAX;
        assert_int_equal(read_cmd(cmd, CMD + RDMO_ADDR_MAX), 0);
        assert_int_equal(read_cmd(cmd, CMD + RDMO_ADDR_MAX - 1), -EINVAL);
        *len = RDMO_ADDR_MAX + 1;
        assert_int_equal(read_cmd(cmd, CMD + RDMO_ADDR_MAX + 1), -EINVAL);
        *len = UINT64_MAX;
        assert_int_equal(read_cmd(cmd, CMD - 1), -EINVAL);
    }
}

static void ids(void **state)
{
    (void)state;
    assert_int_equal(read_cmd((struct rdmo_cmd){.type = RDMO_RQ_DESTROY, .rq_id = 1}, CMD), 0);
    assert_int_equal(read_cmd((struct rdmo_cmd){.type = RDMO_MR_DEREG, .rkey_id = 1}, CMD), 0);
    assert_int_equal(read_cmd((struct rdmo_cmd){.type = RDMO_MR_DEREG}, CMD + 1), -EINVAL);
    assert_int_equal(read_cmd((struct rdmo_cmd){.type = 5}, CMD), -ENOTSUP);
}

static void regions(void **state)
{
    struct rdmo_cmd cmd = {.type = RDMO_MR_REG, .mr_reg = {.va = 1 << 20, .len = 1, .rkey_len = 8}};

    (void)state;
    assert_int_equal(read_cmd(cmd, CMD + 8), 0);
    assert_int_equal(read_cmd(cmd, CMD + 9), -EINVAL);
    cmd.mr_reg.memh_len = 2;
    assert_int_equal(read_cmd(cmd, CMD + 10), 0);
    cmd.mr_reg.memh_len = UINT64_MAX - 5; /* the sum wraps */
    assert_int_equal(read_cmd(cmd, CMD + 2), -EINVAL);
    cmd.mr_reg.memh_len = 0;
    cmd.mr_reg.len = UINT64_MAX;
    assert_int_equal(read_cmd(cmd, CMD + 8), -EINVAL);
    cmd.mr_reg.len = 1;
    cmd.mr_reg.rkey_len = 0;
    assert_int_equal(read_cmd(cmd, CMD), -EINVAL);
}

static void requests(void **state)
{
    struct rdmo_request request = {.op = RDMO_FLUSH}, copy;

    (void)state;
    assert_int_equal(rdmo_request_read(&request, 24, 0, &copy), 0);
    assert_int_equal(rdmo_request_read(&request, 24, 1, &copy), -EINVAL);
    assert_int_equal(rdmo_request_read(&request, 25, 0, &copy), -EINVAL);
    assert_int_equal(rdmo_request_read(&request, 15, 0, &copy), -EINVAL);
    request.op = RDMO_APPEND;
    assert_int_equal(rdmo_request_read(&request, 40, 0, &copy), 0);
    assert_int_equal(rdmo_request_read(&request, 24, 0, &copy), -EINVAL);
    assert_int_equal(rdmo_request_read(&request, 41, 0, &copy), -EINVAL);
    request.op = RDMO_SCATTER;
    request.scatter.count = 2;
    assert_int_equal(rdmo_request_read(&request, 24, 48, &copy), 0);
    assert_int_equal(rdmo_request_read(&request, 24, 47, &copy), -EINVAL);
    request.op = 3;
    assert_int_equal(rdmo_request_read(&request, 24, 0, &copy), -ENOTSUP);
}

static void pieces(void **state)
{
    struct {
        struct rdmo_piece piece;
        char bytes[8];
    } two[2] = {{.piece = {.addr = 1, .len = 8}}, {.piece = {.addr = 2, .len = 8}}};
    const uint8_t *data = (const uint8_t *)two, *bytes;
    struct rdmo_piece piece;
    size_t offset = 0;

    (void)state;
    assert_int_equal(rdmo_piece_read(data, sizeof(two), &offset, &piece, &bytes), 0);
    assert_int_equal(piece.addr, 1);
    assert_ptr_equal(bytes, two[0].bytes);
    assert_int_equal(rdmo_piece_read(data, sizeof(two), &offset, &piece, &bytes), 0);
    assert_int_equal(piece.addr, 2);
    assert_int_equal(rdmo_piece_read(data, sizeof(two), &offset, &piece, &bytes), -ENOENT);
    assert_int_equal(rdmo_pieces_check(data, sizeof(two), 2), 0);
    assert_int_equal(rdmo_pieces_check(data, sizeof(two), 1), -EINVAL);
    assert_int_equal(rdmo_pieces_check(data, sizeof(two) - 1, 2), -EINVAL);
    assert_int_equal(rdmo_pieces_check(data, 0, 0), 0);
    two[1].piece.len = 9;
    assert_int_equal(rdmo_pieces_check(data, sizeof(two), 2), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses), cmocka_unit_test(ids),    cmocka_unit_test(regions),
        cmocka_unit_test(requests),  cmocka_unit_test(pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
