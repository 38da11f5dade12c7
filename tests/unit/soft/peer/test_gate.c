/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
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

#include "soft/peer/gate.h"

static char path[64];

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "/tmp/opendoca-gate-%d", getpid());
    unsetenv("OPENDOCA_TOKEN_FILE");
    unsetenv("OPENDOCA_ALLOW_NET");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void write_file(const void *bytes, size_t len, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, bytes, len), len);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    setenv("OPENDOCA_TOKEN_FILE", path, 1);
}

static void without_settings_all_may_come(void **state)
{
    struct soft_peer_gate gate;

    (void)state;
    assert_int_equal(soft_peer_gate_read(&gate), 0);
    assert_int_equal(soft_peer_gate_pass(&gate, "192.0.2.1:5", NULL, 0), 0);
    assert_int_equal(soft_peer_gate_pass(&gate, "192.0.2.1:5", "any", 3), 0);
}

static void networks_are_a_list(void **state)
{
    struct soft_peer_gate gate;

    (void)state;
    setenv("OPENDOCA_ALLOW_NET", "192.0.2.0/24,2001:db8::/32", 1);
    assert_int_equal(soft_peer_gate_read(&gate), 0);
    assert_int_equal(soft_peer_gate_pass(&gate, "192.0.2.1:5", NULL, 0), 0);
    assert_int_equal(soft_peer_gate_pass(&gate, "[2001:db8::7]:5", NULL, 0), 0);
    assert_int_equal(soft_peer_gate_pass(&gate, "192.0.3.1:5", NULL, 0), -EPERM);
    assert_int_equal(soft_peer_gate_pass(&gate, "127.0.0.1:5", NULL, 0), 0);
    assert_int_equal(soft_peer_gate_pass(&gate, "what", NULL, 0), -EPERM);
    setenv("OPENDOCA_ALLOW_NET", "192.0.2.0/24,here", 1);
    assert_int_equal(soft_peer_gate_read(&gate), -EINVAL);
    assert_non_null(strstr(soft_reason(), "here"));
}

static void the_token_must_be_the_same(void **state)
{
    struct soft_peer_gate gate;

    (void)state;
    write_file("secret\n", 7, 0600);
    assert_int_equal(soft_peer_gate_read(&gate), 0);
    assert_int_equal(soft_peer_gate_pass(&gate, "192.0.2.1:5", "secret", 6), 0);
    assert_int_equal(soft_peer_gate_pass(&gate, "127.0.0.1:5", "secreT", 6), -EKEYREJECTED);
    assert_int_equal(soft_peer_gate_pass(&gate, "127.0.0.1:5", "secre", 5), -EKEYREJECTED);
    assert_int_equal(soft_peer_gate_pass(&gate, "127.0.0.1:5", "secret\0", 7), -EKEYREJECTED);
    assert_int_equal(soft_peer_gate_pass(&gate, "127.0.0.1:5", NULL, 0), -EKEYREJECTED);
}

static void a_token_is_its_owners(void **state)
{
    static const char big[PEER_SECRET_SIZE + 1] = "big";
    struct soft_peer_secret secret;

    (void)state;
    write_file("secret", 6, 0640);
    assert_int_equal(soft_peer_secret_read(&secret), -EACCES);
    assert_non_null(strstr(soft_reason(), "chmod"));
    write_file("\n\n", 2, 0600);
    assert_int_equal(soft_peer_secret_read(&secret), -EINVAL);
    write_file(big, sizeof(big), 0600);
    assert_int_equal(soft_peer_secret_read(&secret), -EINVAL);
    write_file(big, sizeof(big) - 1, 0600);
    assert_int_equal(soft_peer_secret_read(&secret), 0);
    unlink(path);
    assert_int_equal(soft_peer_secret_read(&secret), -ENOENT);
    setenv("OPENDOCA_TOKEN_FILE", "/tmp", 1);
    assert_int_equal(soft_peer_secret_read(&secret), -EINVAL);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(without_settings_all_may_come),
        CASE(networks_are_a_list),
        CASE(the_token_must_be_the_same),
        CASE(a_token_is_its_owners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
