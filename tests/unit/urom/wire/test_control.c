/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "urom/wire/control.h"

static void plugins_come_ascending_and_with_one_bit_each(void **state)
{
    struct doca_urom_service_plugin_info sent[2] = {{1, 1, "worker_a"}, {4, 2, "worker_b"}};
    struct doca_urom_service_plugin_info got[UROM_WIRE_PLUGINS_MAX];
    uint8_t buf[256];
    size_t len = urom_plugins_encode(sent, 2, buf, sizeof(buf));
    uint32_t count;

    (void)state;
    assert_int_equal(len, 8 + 2 * 64);
    assert_int_equal(urom_plugins_decode(buf, len, got, &count), 0);
    assert_int_equal(count, 2);
    assert_memory_equal(got, sent, sizeof(sent));
    assert_int_equal(urom_plugins_decode(buf, len - 1, got, &count), -EBADMSG);
    sent[1].id = 3;
    urom_plugins_encode(sent, 2, buf, sizeof(buf));
    assert_int_equal(urom_plugins_decode(buf, len, got, &count), -EBADMSG);
    sent[1].id = 1;
    urom_plugins_encode(sent, 2, buf, sizeof(buf));
    assert_int_equal(urom_plugins_decode(buf, len, got, &count), -EBADMSG);
}

static void an_attach_carries_its_environment(void **state)
{
    static const char env[] = "A=1\0UCX_TLS=tcp";
    struct urom_attach sent = {.size = sizeof(sent),
                               .id = 5,
                               .plugins = 3,
                               .inflight = 32,
                               .env_count = 2,
                               .env_len = sizeof(env)};
    struct urom_attach got;
    const char *got_env;
    uint8_t buf[512];
    size_t len = urom_attach_encode(&sent, env, buf, sizeof(buf));

    (void)state;
    assert_int_equal(urom_attach_decode(buf, len, &got, &got_env), 0);
    assert_memory_equal(&got, &sent, sizeof(sent));
    assert_memory_equal(got_env, env, sizeof(env));
}

static void expect_refused(struct urom_attach sent, const char *env)
{
    struct urom_attach got;
    const char *got_env;
    uint8_t buf[512];
    size_t len = urom_attach_encode(&sent, env, buf, sizeof(buf));

    assert_int_equal(urom_attach_decode(buf, len, &got, &got_env), -EBADMSG);
}

static void a_senseless_attach_is_refused(void **state)
{
    struct urom_attach fine = {.size = sizeof(fine), .plugins = 1, .inflight = 1}, bad;

    (void)state;
    bad = fine;
    bad.inflight = 3;
    expect_refused(bad, "");
    bad.inflight = 0;
    expect_refused(bad, "");
    bad.inflight = 2 * UROM_WIRE_INFLIGHT_MAX;
    expect_refused(bad, "");
    bad = fine;
    bad.plugins = 0;
    expect_refused(bad, "");
    bad = fine;
    bad.env_count = 1;
    bad.env_len = 4;
    expect_refused(bad, "A=12"); /* no NUL within */
    bad.env_len = 3;
    expect_refused(bad, "A1");
    expect_refused(bad, "=1");
    bad.env_count = 2;
    expect_refused(bad, "A=1");
    bad.env_count = 0;
    bad.env_len = 4;
    expect_refused(bad, "A=1");
}

static void results_are_codes_that_exist(void **state)
{
    struct urom_result sent, got;

    (void)state;
    urom_result_init(&sent, DOCA_ERROR_FULL, "no more workers");
    assert_int_equal(urom_result_decode(&sent, sizeof(sent), &got), 0);
    assert_int_equal(got.error, DOCA_ERROR_FULL);
    assert_string_equal(got.text, "no more workers");
    sent.error = 4711;
    assert_int_equal(urom_result_decode(&sent, sizeof(sent), &got), -EBADMSG);
    sent.error = -1;
    assert_int_equal(urom_result_decode(&sent, sizeof(sent), &got), -EBADMSG);
}

static void ids_of_a_group_come_with_their_number(void **state)
{
    const uint64_t ids[] = {1, 3, UINT64_MAX - 1};
    uint8_t buf[64];
    size_t len = urom_gid_result_encode(ids, 3, buf, sizeof(buf));
    const void *got;
    uint32_t count;

    (void)state;
    assert_int_equal(urom_gid_result_decode(buf, len, &got, &count), 0);
    assert_int_equal(count, 3);
    assert_memory_equal(got, ids, sizeof(ids));
    assert_int_equal(urom_gid_result_decode(buf, len - 8, &got, &count), -EBADMSG);
    /* The length is told also when it does not fit, and nothing is written beyond. */
    assert_int_equal(urom_gid_result_encode(ids, 3, buf, 16), len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugins_come_ascending_and_with_one_bit_each),
        cmocka_unit_test(an_attach_carries_its_environment),
        cmocka_unit_test(a_senseless_attach_is_refused),
        cmocka_unit_test(results_are_codes_that_exist),
        cmocka_unit_test(ids_of_a_group_come_with_their_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
