/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "soft/service/token.h"

static char path[64];

static int setup(void **state)
{
    int fd;

    (void)state;
    strcpy(path, "/tmp/opendoca-test-XXXXXX");
    fd = mkstemp(path);
    return fd >= 0 ? close(fd) : -1;
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

/* What reading a file of so many bytes and this mode answers. */
static int try_file(const char *bytes, size_t count, mode_t mode, uint32_t *len)
{
    uint8_t token[SOFT_TOKEN_MAX];
    FILE *file = fopen(path, "we");
    int rc;

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
    rc = soft_token_read("token file", path, token, len);
    if (rc == 0)
        assert_memory_equal(token, bytes, *len);
    else
        assert_non_null(strstr(soft_reason(), path));
    return rc;
}

static void one_to_256_bytes(void **state)
{
    char bytes[SOFT_TOKEN_MAX + 2];
    uint32_t len = 77;

    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    assert_int_equal(try_file(bytes, 0, 0600, &len), -EINVAL);
    assert_int_equal(try_file("\r\n", 2, 0600, &len), -EINVAL);
    assert_int_equal(try_file(bytes, SOFT_TOKEN_MAX + 1, 0600, &len), -EINVAL);
    assert_int_equal(len, 77);
    assert_int_equal(try_file("x\n", 2, 0600, &len), 0);
    assert_int_equal(len, 1);
    bytes[SOFT_TOKEN_MAX] = '\r';
    bytes[SOFT_TOKEN_MAX + 1] = '\n';
    assert_int_equal(try_file(bytes, sizeof(bytes), 0400, &len), 0);
    assert_int_equal(len, SOFT_TOKEN_MAX);
}

static void a_file_of_the_owner_alone(void **state)
{
    static const mode_t modes[] = {0640, 0620, 0604, 0602, 0601};
    uint8_t token[SOFT_TOKEN_MAX];
    uint32_t len = 77;

    (void)state;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        assert_int_equal(try_file("x", 1, modes[i], &len), -EACCES);
        assert_non_null(strstr(soft_reason(), "chmod it to 600"));
    }
    assert_int_equal(soft_token_read("token file", "/tmp", token, &len), -EINVAL);
    assert_int_equal(soft_token_read("token file", "/dev/null", token, &len), -EINVAL);
    assert_int_equal(soft_token_read("token file", "/nowhere/x", token, &len), -ENOENT);
    assert_int_equal(len, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_to_256_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_of_the_owner_alone, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
