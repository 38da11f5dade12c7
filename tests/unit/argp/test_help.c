/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp_fixture.h"

static void register_dma_flags(void)
{
    struct doca_argp_param *param = make_param("p", "pci-addr", DOCA_ARGP_TYPE_STRING, 0);

    doca_argp_param_set_arguments(param, "<addr>");
    doca_argp_param_set_description(param, "PCI address\nof the device");
    assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
    add_param("ns", "num-src-buf", DOCA_ARGP_TYPE_INT, 0);
    add_param("nd", "num-dst-buf", DOCA_ARGP_TYPE_INT, 0);
    add_param(NULL, "async", DOCA_ARGP_TYPE_BOOLEAN, 0);
    add_param("q", NULL, DOCA_ARGP_TYPE_BOOLEAN, 0);
    add_param("x", "a-name-that-is-too-long-for-its-column", DOCA_ARGP_TYPE_BOOLEAN, 0);
    add_param(NULL, "secret", DOCA_ARGP_TYPE_BOOLEAN, HIDDEN);
}

static void help_has_the_contractual_shape(void **state)
{
    struct outcome outcome = RUN(register_dma_flags, "-h");

    (void)state;
    assert_int_equal(outcome.status, 0);
    assert_string_equal(outcome.err, "");
    assert_int_equal(strncmp(outcome.out,
                             "Usage: prog [DOCA Flags] [Program Flags]\n\n"
                             "DOCA Flags:\n"
                             "  -h, --help                        Print this help and exit\n",
                             strlen("Usage: prog [DOCA Flags] [Program Flags]\n\n"
                                    "DOCA Flags:\n") +
                                 36 + strlen("Print this help and exit\n")),
                     0);
    assert_contains(outcome.out, "\n  -v, --version  ");
    assert_contains(outcome.out, "\n  -l, --log-level <level>  ");
    assert_contains(outcome.out, "\n  --sdk-log-level <level>  ");
    assert_contains(outcome.out, "\n  -j, --json <path>  ");
    assert_contains(outcome.out, "\n\nProgram Flags:\n");
    assert_contains(outcome.out, "\n  -p, --pci-addr <addr>             PCI address\n"
                                 "                                    of the device\n"
                                 "  -ns, --num-src-buf                a flag of the test\n"
                                 "  -nd, --num-dst-buf                a flag of the test\n"
                                 "  --async                           a flag of the test\n"
                                 "  -q                                a flag of the test\n"
                                 "  -x, --a-name-that-is-too-long-for-its-column"
                                 " a flag of the test\n");
    assert_lacks(outcome.out, "secret");
    assert_lacks(outcome.out, "Commands:");
}

static void help_wins_over_later_and_earlier_flags(void **state)
{
    struct outcome outcome;

    (void)state;
    outcome = RUN(register_dma_flags, "-ns", "x", "--help", "--nope");
    assert_int_equal(outcome.status, 0);
    outcome = RUN(register_dma_flags, "--nope", "--help");
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_NOT_SUPPORTED);
}

static void usage_prints_at_any_time(void **state)
{
    int out = memfd_create("stdout", 0), saved;
    char text[8192];

    (void)state;
    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    dup2(out, STDOUT_FILENO);
    doca_argp_usage();
    assert_int_equal(START_BARE, DOCA_SUCCESS);
    doca_argp_usage();
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    read_back(out, text, sizeof(text));
    assert_contains(text, "Usage: prog");
    assert_contains(strstr(text, "Usage: prog") + 1, "Usage: prog");
}

static void no_setup(void)
{
    assert_int_equal(doca_argp_destroy(), DOCA_SUCCESS);
    assert_int_equal(doca_argp_init(NULL, NULL), DOCA_SUCCESS);
}

static void without_a_name_argv_gives_it(void **state)
{
    struct outcome outcome = RUN(no_setup, "--nope");

    (void)state;
    assert_contains(outcome.err, "prog: --nope is an unknown flag");
    assert_contains(outcome.err, "Usage: prog [DOCA Flags]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_has_the_contractual_shape),
        cmocka_unit_test(help_wins_over_later_and_earlier_flags),
        cmocka_unit_test_setup_teardown(usage_prints_at_any_time, init_parser, destroy_parser),
        cmocka_unit_test(without_a_name_argv_gives_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
