/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/net.h"

static bool has(const char *net_text, const char *host_text)
{
    struct od_host host;
    struct od_net net;

    assert_int_equal(od_net_parse(net_text, &net), 0);
    assert_int_equal(od_host_parse(host_text, &host), 0);
    return od_net_has(&net, &host);
}

static void networks_have_their_hosts(void **state)
{
    (void)state;
    assert_true(has("192.0.2.0/24", "192.0.2.77:1234"));
    assert_false(has("192.0.2.0/24", "192.0.3.77"));
    assert_true(has("192.0.2.128/25", "192.0.2.128"));
    assert_false(has("192.0.2.128/25", "192.0.2.127"));
    assert_true(has("0.0.0.0/0", "8.8.8.8"));
    assert_false(has("0.0.0.0/0", "2001:db8::1"));
    assert_true(has("2001:db8::/32", "[2001:db8::9]:80"));
    assert_false(has("2001:db8::/32", "2001:db9::9"));
    assert_true(has("192.0.2.1", "192.0.2.1"));
    assert_true(has("192.0.2.1", "::ffff:192.0.2.1"));
    assert_false(has("192.0.2.1", "192.0.2.2"));
}

static void loopback_is_known(void **state)
{
    static const char *const ours[] = {"127.0.0.1:1", "127.9.9.9", "::1", "[::1]:7"};
    static const char *const others[] = {"128.0.0.1", "::2", "192.0.2.127"};
    struct od_host host;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(ours); i++) {
        assert_int_equal(od_host_parse(ours[i], &host), 0);
        assert_true(od_host_is_loopback(&host));
    }
    for (size_t i = 0; i < OD_ARRAY_SIZE(others); i++) {
        assert_int_equal(od_host_parse(others[i], &host), 0);
        assert_false(od_host_is_loopback(&host));
    }
}

static void places_of_services_are_told_from_nonsense(void **state)
{
    static const char *const places[] = {
        "/run/x.sock",         "unix:/run/x.sock", "dpu-1",           "dpu-1.example.org:18610",
        "192.0.2.1",           "192.0.2.1:1",      "2001:db8::1",     "[2001:db8::1]",
        "[2001:db8::1]:65535", "tcp:dpu-1",        "tcp:dpu-1:18610", "tcp:[::1]:18610"};
    static const char *const others[] = {"",       "unix:",  "unix:x",  "tcp:",      ":18610",
                                         "tcp::1", "dpu-1:", "dpu-1:0", "dpu:65536", "dpu:1:2",
                                         "dpu:+1", "a b",    "a/b",     "[dpu]:1",   "[::1",
                                         "[::1]1", "[]:1",   "tcp:/x",  "::g"};

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(places); i++)
        assert_true(od_is_place(places[i]));
    for (size_t i = 0; i < OD_ARRAY_SIZE(others); i++)
        assert_false(od_is_place(others[i]));
    assert_string_equal(od_host_port("tcp:[::1]:18610"), "18610");
    assert_null(od_host_port("[::1]"));
}

static void what_is_none_is_refused(void **state)
{
    static const char *const nets[] = {"",
                                       "x",
                                       "192.0.2.0/33",
                                       "192.0.2.0/",
                                       "/24",
                                       "192.0.2/24",
                                       "2001:db8::/129",
                                       "192.0.2.0/-1",
                                       "1.2.3.4.5",
                                       "192.0.2.0/24 ",
                                       "host.example/24"};
    static const char *const hosts[] = {"", "x", "[::1", "192.0.2", "192.0.2.1.1:5", "::g"};
    struct od_host host;
    struct od_net net;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(nets); i++)
        assert_int_equal(od_net_parse(nets[i], &net), -EINVAL);
    for (size_t i = 0; i < OD_ARRAY_SIZE(hosts); i++)
        assert_int_equal(od_host_parse(hosts[i], &host), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_have_their_hosts),
        cmocka_unit_test(loopback_is_known),
        cmocka_unit_test(places_of_services_are_told_from_nonsense),
        cmocka_unit_test(what_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
