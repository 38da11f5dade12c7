/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp_fixture.h"

#include "argp/comments.c"

static void expect(const char *before, const char *after)
{
    char text[256];
    int line;

    snprintf(text, sizeof(text), "%s", before);
    line = argp_blank_comments(text, strlen(text));
    assert_int_equal(line, 0);
    assert_string_equal(text, after);
}

static void comments_become_blanks_of_the_same_size(void **state)
{
    (void)state;
    expect("{} // end\n{}", "{}       \n{}");
    expect("a/* b */c", "a       c");
    expect("a/* b\n\n c */d", "a    \n\n     d");
    expect("//", "  ");
    expect("/**/x", "    x");
    expect("/*/ */x", "      x");
    expect("/* // */x", "        x");
    expect("// /*\nx", "     \nx");
}

static void strings_stay(void **state)
{
    (void)state;
    expect("\"// /* */\"", "\"// /* */\"");
    expect("\"\\\"// \" // x", "\"\\\"// \"     ");
    expect("\"\\\\\" // x", "\"\\\\\"     ");
}

static void lone_slashes_stay(void **state)
{
    (void)state;
    expect("/", "/");
    expect("a / b /", "a / b /");
    expect("*/", "*/");
}

static void open_strings_end_with_the_text(void **state)
{
    (void)state;
    expect("\"// x", "\"// x");
    expect("\"\\", "\"\\");
    expect("\"", "\"");
}

static void an_open_comment_is_reported_with_its_line(void **state)
{
    char text[] = "{\n/* a */\n  /* b\n\n";
    char shortest[] = "/*";
    char overlapping[] = "/*/";

    (void)state;
    assert_int_equal(argp_blank_comments(text, strlen(text)), 3);
    assert_int_equal(argp_blank_comments(shortest, 2), 1);
    assert_int_equal(argp_blank_comments(overlapping, 3), 1);
}

static void only_the_given_length_is_touched(void **state)
{
    char text[] = "// ab// cd";

    (void)state;
    assert_int_equal(argp_blank_comments(text, 5), 0);
    assert_string_equal(text, "     // cd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_become_blanks_of_the_same_size),
        cmocka_unit_test(strings_stay),
        cmocka_unit_test(lone_slashes_stay),
        cmocka_unit_test(open_strings_end_with_the_text),
        cmocka_unit_test(an_open_comment_is_reported_with_its_line),
        cmocka_unit_test(only_the_given_length_is_touched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
