/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "urom/wire/hello.h"
#include "urom/wire/pack.h"

static void a_greeting_arrives_as_it_was_sent(void **state)
{
    struct urom_hello sent, got;

    (void)state;
    urom_hello_init(&sent, UROM_KIND_SERVICE);
    sent.msg_size = 4096;
    sent.pid = 77;
    urom_text_set(sent.card, sizeof(sent.card), "card0");
    assert_int_equal(urom_hello_decode(&sent, sizeof(sent), &got), 0);
    assert_memory_equal(&sent, &got, sizeof(sent));
}

static void another_major_version_is_told_from_noise(void **state)
{
    struct urom_hello sent, got;

    (void)state;
    urom_hello_init(&sent, UROM_KIND_SERVICE);
    sent.major = 9;
    sent.minor = 3;
    /* Only the head has the same form in all versions. */
    assert_int_equal(urom_hello_decode(&sent, 16, &got), -EPROTO);
    assert_int_equal(got.major, 9);
    assert_int_equal(got.minor, 3);
    sent.magic ^= 1;
    assert_int_equal(urom_hello_decode(&sent, sizeof(sent), &got), -EBADMSG);
    assert_int_equal(urom_hello_decode("", 0, &got), -EBADMSG);
}

static void a_longer_greeting_of_a_later_minor_is_taken_when_the_rest_is_zero(void **state)
{
    struct urom_hello got;
    struct {
        struct urom_hello hello;
        uint64_t more;
    } sent = {.more = 0};

    (void)state;
    urom_hello_init(&sent.hello, UROM_KIND_CONTROL);
    sent.hello.size = sizeof(sent);
    sent.hello.minor = UROM_WIRE_MINOR + 1;
    assert_int_equal(urom_hello_decode(&sent, sizeof(sent), &got), 0);
    assert_int_equal(got.kind, UROM_KIND_CONTROL);
    sent.more = 1;
    assert_int_equal(urom_hello_decode(&sent, sizeof(sent), &got), -EBADMSG);
}

static void a_cut_greeting_or_a_text_without_end_is_refused(void **state)
{
    struct urom_hello sent, got;

    (void)state;
    urom_hello_init(&sent, UROM_KIND_SERVICE);
    for (size_t len = 0; len < sizeof(sent); len++)
        assert_int_equal(urom_hello_decode(&sent, len, &got), -EBADMSG);
    memset(sent.card, 'x', sizeof(sent.card));
    assert_int_equal(urom_hello_decode(&sent, sizeof(sent), &got), -EBADMSG);
    urom_hello_init(&sent, UROM_KIND_SERVICE);
    sent.secret_len = UROM_SECRET_SIZE + 1;
    assert_int_equal(urom_hello_decode(&sent, sizeof(sent), &got), -EBADMSG);
}

static void an_answer_says_why_in_printable_words(void **state)
{
    struct urom_answer sent, got;

    (void)state;
    urom_answer_init(&sent, UROM_REASON_IDENTITY);
    urom_text_set(sent.text, sizeof(sent.text), "user 7\n is not allowed");
    assert_int_equal(urom_answer_decode(&sent, sizeof(sent), &got), 0);
    assert_int_equal(got.reason, UROM_REASON_IDENTITY);
    assert_string_equal(got.text, "user 7? is not allowed");
    assert_string_equal(urom_reason_name(UROM_REASON_IDENTITY), "identity");
    assert_string_equal(urom_reason_name((enum urom_reason)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_greeting_arrives_as_it_was_sent),
        cmocka_unit_test(another_major_version_is_told_from_noise),
        cmocka_unit_test(a_longer_greeting_of_a_later_minor_is_taken_when_the_rest_is_zero),
        cmocka_unit_test(a_cut_greeting_or_a_text_without_end_is_refused),
        cmocka_unit_test(an_answer_says_why_in_printable_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
