/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/text.h"

static void text_is_cut_at_the_end_of_the_buffer(void **state)
{
    char buf[8];
    struct od_text text;

    (void)state;
    od_text_init(&text, buf, sizeof(buf));
    od_text_printf(&text, "%d", 1234);
    od_text_printf(&text, "%d", 56789);
    assert_string_equal(buf, "1234567");
    assert_int_equal(text.len, 7);
    od_text_printf(&text, "more");
    assert_string_equal(buf, "1234567");

    buf[0] = 'x';
    od_text_init(&text, buf, 0);
    od_text_printf(&text, "more");
    assert_int_equal(buf[0], 'x');
}

static void json_strings_are_escaped(void **state)
{
    char buf[64];
    struct od_text text;

    (void)state;
    od_text_init(&text, buf, sizeof(buf));
    od_text_json_string(&text, "a\"b\\c\n\x01");
    assert_string_equal(buf, "\"a\\\"b\\\\c\\u000a\\u0001\"");
}

static void json_strings_are_valid_utf8(void **state)
{
    static const struct {
        const char *in;
        const char *out;
    } cases[] = {
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
         "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\""},
        {"\xc3", "\"?\""},
        {"\x80", "\"?\""},
        {"\xc0\xaf", "\"??\""},
        {"\xe0\x9f\xbf", "\"???\""},
        {"\xed\xa0\x80", "\"???\""},
        {"\xf0\x8f\xbf\xbf", "\"????\""},
        {"\xf4\x90\x80\x80", "\"????\""},
        {"\xff", "\"?\""},
    };
    char buf[64];
    struct od_text text;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(cases); i++) {
        od_text_init(&text, buf, sizeof(buf));
        od_text_json_string(&text, cases[i].in);
        assert_string_equal(buf, cases[i].out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_cut_at_the_end_of_the_buffer),
        cmocka_unit_test(json_strings_are_escaped),
        cmocka_unit_test(json_strings_are_valid_utf8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
