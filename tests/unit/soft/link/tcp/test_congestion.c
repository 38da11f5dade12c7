/* SPDX-License-Identifier: BSD-3-Clause */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "soft/link/tcp/tcp_priv.h"

#define ENV "OPENDOCA_TCP_CONGESTION"

static int sock;
static char name[32];

static int setup(void **state)
{
    (void)state;
    unsetenv(ENV);
    sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return sock < 0;
}

static int teardown(void **state)
{
    (void)state;
    unsetenv(ENV);
    return close(sock);
}

static bool set(const char *wanted)
{
    return setsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, wanted, (socklen_t)strlen(wanted)) == 0;
}

static const char *current(void)
{
    socklen_t len = sizeof(name) - 1;

    memset(name, 0, sizeof(name));
    assert_int_equal(getsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, name, &len), 0);
    return name;
}

static void bbr_is_replaced(void **state)
{
    (void)state;
    if (!set("bbr"))
        skip(); /* not in this kernel, or not for this user */
    soft_tcp_choose_congestion(sock);
    assert_string_not_equal(current(), "bbr");
}

static void another_one_stays(void **state)
{
    (void)state;
    assert_true(set("reno"));
    soft_tcp_choose_congestion(sock);
    assert_string_equal(current(), "reno");
}

static void the_user_has_the_last_word(void **state)
{
    (void)state;
    assert_true(set("reno"));
    setenv(ENV, "system", 1);
    soft_tcp_choose_congestion(sock);
    assert_string_equal(current(), "reno");
    if (!set("bbr"))
        skip();
    soft_tcp_choose_congestion(sock);
    assert_string_equal(current(), "bbr");
    setenv(ENV, "reno", 1);
    soft_tcp_choose_congestion(sock);
    assert_string_equal(current(), "reno");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bbr_is_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(another_one_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(the_user_has_the_last_word, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
