/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "soft/link/tcp/wire.h"

struct hello {
    struct soft_tcp_greeting greeting;
    char text[8];
};

static struct hello make_hello(void)
{
    struct hello hello = {.greeting = soft_tcp_greeting_make(SOFT_TCP_HELLO), .text = "hellohe"};

    hello.greeting.max_msg = 100;
    hello.greeting.depth = 4;
    hello.greeting.len = 5;
    return hello;
}

static int parse(const struct hello *hello, size_t have)
{
    struct soft_tcp_greeting greeting;

    return soft_tcp_greeting_parse(hello, have, SOFT_TCP_HELLO, SOFT_TCP_REFUSAL, &greeting);
}

static void a_greeting_is_whole_with_its_last_byte(void **state)
{
    const struct hello hello = make_hello();
    size_t whole = sizeof(hello.greeting) + 5;

    (void)state;
    for (size_t have = 0; have < whole; have++)
        assert_int_equal(parse(&hello, have), -EAGAIN);
    assert_int_equal(parse(&hello, whole), 0);
    assert_int_equal(parse(&hello, whole + 3), 0);
}

/* Before all of it has come, so that nobody sends megabytes of nonsense. */
static void what_is_none_is_seen_early(void **state)
{
    struct hello hello = make_hello();

    (void)state;
    hello.greeting.magic++;
    assert_int_equal(parse(&hello, sizeof(hello.greeting.magic)), -EBADMSG);
    hello = make_hello();
    hello.greeting.version++;
    assert_int_equal(parse(&hello, 8), -EPROTO);
    hello = make_hello();
    hello.greeting.type = SOFT_TCP_ANSWER;
    assert_int_equal(parse(&hello, 8), -EBADMSG);
}

static void sizes_have_limits(void **state)
{
    static const struct {
        uint32_t max_msg, depth, len, code;
    } bad[] = {
        {0, 4, 5, 0},
        {SOFT_LINK_MSG_MAX + 1, 4, 5, 0},
        {100, 0, 5, 0},
        {100, SOFT_LINK_DEPTH_MAX + 1, 5, 0},
        {100, 4, SOFT_LINK_HELLO_MAX + 1, 0},
        {100, 4, 5, 1},
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++) {
        struct hello hello = make_hello();

        hello.greeting.max_msg = bad[i].max_msg;
        hello.greeting.depth = bad[i].depth;
        hello.greeting.len = bad[i].len;
        hello.greeting.code = bad[i].code;
        assert_int_equal(parse(&hello, sizeof(hello.greeting)), -EBADMSG);
    }
}

static void a_refusal_of_another_version_is_understood(void **state)
{
    struct hello refusal = {.greeting = soft_tcp_greeting_make(SOFT_TCP_REFUSAL)};

    (void)state;
    refusal.greeting.version = 77;
    assert_int_equal(parse(&refusal, sizeof(refusal.greeting)), -EBADMSG);
    refusal.greeting.code = SOFT_TCP_OTHER;
    assert_int_equal(parse(&refusal, sizeof(refusal.greeting)), 0);
    refusal.greeting.code = SOFT_TCP_OTHER + 1;
    assert_int_equal(parse(&refusal, sizeof(refusal.greeting)), -EBADMSG);
}

static void heads_are_checked(void **state)
{
    static const struct {
        struct soft_tcp_head head;
        int rc;
    } cases[] = {
        {{.len = 100, .type = SOFT_TCP_MESSAGE}, 0},
        {{.len = 101, .type = SOFT_TCP_MESSAGE}, -EBADMSG},
        {{.len = 1, .type = SOFT_TCP_END}, -EBADMSG},
        {{.type = SOFT_TCP_ACK, .taken = 2, .arrived = 2}, 0},
        {{.type = SOFT_TCP_ACK, .taken = 3, .arrived = 2}, -EBADMSG},
        {{.type = SOFT_TCP_PING, .zero = 1}, -EBADMSG},
        {{.type = SOFT_TCP_HELLO}, -EBADMSG},
        {{.type = SOFT_TCP_PING + 1}, -EBADMSG},
    };
    struct soft_tcp_head head;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(cases); i++)
        assert_int_equal(soft_tcp_head_parse(&cases[i].head, 100, &head), cases[i].rc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_greeting_is_whole_with_its_last_byte),
        cmocka_unit_test(what_is_none_is_seen_early),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(a_refusal_of_another_version_is_understood),
        cmocka_unit_test(heads_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
