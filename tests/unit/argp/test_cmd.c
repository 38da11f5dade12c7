/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp_fixture.h"

static void add_to_cmd(struct doca_argp_cmd *cmd, const char *short_name, const char *long_name,
                       enum doca_argp_type type, int flags)
{
    assert_int_equal(
        doca_argp_cmd_register_param(cmd, make_param(short_name, long_name, type, flags)),
        DOCA_SUCCESS);
}

/* prog [-r N] [-i S] read [-n N] [-k] deep [--x D]; prog write */
static void register_tree(void)
{
    struct doca_argp_cmd *read_cmd = make_cmd("read"), *deep = make_cmd("deep");
    struct doca_argp_cmd *write_cmd = make_cmd("write");

    add_param("r", "root", DOCA_ARGP_TYPE_INT, 0);
    add_param("i", "inherited", DOCA_ARGP_TYPE_STRING, INHERITED);
    add_to_cmd(deep, NULL, "x", DOCA_ARGP_TYPE_DOUBLE, 0);
    add_to_cmd(read_cmd, "n", "num", DOCA_ARGP_TYPE_INT, 0);
    add_to_cmd(read_cmd, "k", "keep", DOCA_ARGP_TYPE_BOOLEAN, INHERITED);
    assert_int_equal(doca_argp_cmd_register_cmd(read_cmd, deep), DOCA_SUCCESS);
    assert_int_equal(doca_argp_register_cmd(read_cmd), DOCA_SUCCESS);
    doca_argp_cmd_set_hidden(write_cmd);
    assert_int_equal(doca_argp_register_cmd(write_cmd), DOCA_SUCCESS);
}

static int init_tree(void **state)
{
    int err = init_parser(state);

    if (err == 0)
        register_tree();
    return err;
}

static void params_are_known_behind_their_command(void **state)
{
    (void)state;
    assert_int_equal(START("-r", "1", "read", "-n", "2", "-i", "a"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 1; command; int 2; string a; ");
}

static void params_are_unknown_before_their_command(void **state)
{
    (void)state;
    assert_int_equal(START("-n", "2", "read"), DOCA_ERROR_NOT_SUPPORTED);
    assert_string_equal(journal.text, "");
}

static void params_of_the_parent_must_be_inherited(void **state)
{
    (void)state;
    assert_int_equal(START("read", "-r", "1"), DOCA_ERROR_NOT_SUPPORTED);
    assert_string_equal(journal.text, "command; ");
}

static void inheritance_spans_levels(void **state)
{
    (void)state;
    assert_int_equal(START("read", "deep", "-i", "a", "-k", "--x", "0.5"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "command; command; string a; bool true; double 0.5; ");
}

static void unknown_words_are_not_supported(void **state)
{
    (void)state;
    assert_int_equal(START("deep"), DOCA_ERROR_NOT_SUPPORTED);
}

static void siblings_are_unknown_behind_a_command(void **state)
{
    (void)state;
    assert_int_equal(START("read", "write"), DOCA_ERROR_NOT_SUPPORTED);
}

static void hidden_commands_work(void **state)
{
    (void)state;
    assert_int_equal(START("write"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "command; ");
}

static void a_command_is_not_required(void **state)
{
    (void)state;
    assert_int_equal(START("-r", "1"), DOCA_SUCCESS);
}

static void failure_of_a_command_is_returned(void **state)
{
    (void)state;
    journal.answer = DOCA_ERROR_SHUTDOWN;
    assert_int_equal(START("read", "-n", "2"), DOCA_ERROR_SHUTDOWN);
    assert_string_equal(journal.text, "command; ");
}

static void mandatory_params_count_where_they_are_known(void **state)
{
    struct doca_argp_cmd *cmd = make_cmd("needs");

    (void)state;
    add_to_cmd(cmd, "m", "must", DOCA_ARGP_TYPE_INT, MANDATORY);
    assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
    assert_int_equal(START("needs"), DOCA_ERROR_INVALID_VALUE);
}

static void mandatory_params_of_other_commands_do_not_count(void **state)
{
    struct doca_argp_cmd *cmd = make_cmd("needs");

    (void)state;
    add_to_cmd(cmd, "m", "must", DOCA_ARGP_TYPE_INT, MANDATORY);
    assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
    assert_int_equal(START("read"), DOCA_SUCCESS);
}

static void help_is_about_the_active_command(void **state)
{
    struct outcome outcome;

    (void)state;
    outcome = RUN(register_tree, "read", "-h");
    assert_int_equal(outcome.status, 0);
    assert_contains(outcome.out, "Usage: prog read [DOCA Flags] [Program Flags] [Command]");
    assert_contains(outcome.out, "  -n, --num");
    assert_contains(outcome.out, "  -i, --inherited");
    assert_contains(outcome.out, "  deep  ");
    assert_lacks(outcome.out, "--root");
    outcome = RUN(register_tree, "-h");
    assert_contains(outcome.out, "Usage: prog [DOCA Flags] [Program Flags] [Command]");
    assert_contains(outcome.out, "  read  ");
    assert_contains(outcome.out, "--root");
    assert_lacks(outcome.out, "write");
    assert_lacks(outcome.out, "--num");
}

static void errors_name_the_command(void **state)
{
    struct outcome outcome = RUN(register_tree, "reed");

    (void)state;
    assert_int_equal(outcome.status, RETURNED + DOCA_ERROR_NOT_SUPPORTED);
    assert_contains(outcome.err, "reed is an unknown command");
    assert_contains(outcome.err, "Usage: prog");
}

static void needed_fields_and_unique_names(void **state)
{
    struct doca_argp_cmd *cmd;

    (void)state;
    assert_int_equal(doca_argp_cmd_create(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_register_cmd(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
    doca_argp_cmd_set_name(cmd, "bare");
    assert_int_equal(doca_argp_register_cmd(cmd), DOCA_ERROR_INITIALIZATION);
    assert_int_equal(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
    doca_argp_cmd_set_description(cmd, "nameless");
    assert_int_equal(doca_argp_register_cmd(cmd), DOCA_ERROR_INITIALIZATION);
    assert_int_equal(doca_argp_register_cmd(make_cmd("read")), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_register_cmd(make_cmd("-x")), DOCA_ERROR_INVALID_VALUE);
}

static void ownership_moves_once(void **state)
{
    struct doca_argp_cmd *cmd = make_cmd("own"), *other = make_cmd("other"), *bad = make_cmd("");

    (void)state;
    assert_int_equal(doca_argp_cmd_register_cmd(cmd, cmd), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_cmd_register_cmd(NULL, bad), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_cmd_destroy(bad), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
    assert_int_equal(doca_argp_register_cmd(cmd), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_cmd_destroy(cmd), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_argp_cmd_register_cmd(cmd, other), DOCA_ERROR_BAD_STATE);
    assert_int_equal(
        doca_argp_cmd_register_param(cmd, make_param("z", NULL, DOCA_ARGP_TYPE_INT, 0)),
        DOCA_ERROR_BAD_STATE);
    assert_int_equal(
        doca_argp_cmd_register_param(NULL, make_param("z", NULL, DOCA_ARGP_TYPE_INT, 0)),
        DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_argp_cmd_register_param(cmd, NULL), DOCA_ERROR_INVALID_VALUE);
}

static void an_unregistered_command_frees_what_it_has(void **state)
{
    struct doca_argp_cmd *cmd = make_cmd("own"), *below = make_cmd("below");

    (void)state;
    add_to_cmd(below, "z", NULL, DOCA_ARGP_TYPE_INT, 0);
    assert_int_equal(doca_argp_cmd_register_cmd(cmd, below), DOCA_SUCCESS);
    assert_int_equal(doca_argp_cmd_destroy(cmd), DOCA_SUCCESS);
    assert_int_equal(doca_argp_cmd_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
}

static void a_clash_with_an_inherited_name_is_found_by_start(void **state)
{
    struct doca_argp_cmd *cmd = make_cmd("clash");

    (void)state;
    add_to_cmd(cmd, "i", NULL, DOCA_ARGP_TYPE_INT, 0);
    assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
    assert_int_equal(START_BARE, DOCA_ERROR_INITIALIZATION);
}

static void the_same_name_in_two_scopes_is_fine(void **state)
{
    struct doca_argp_cmd *cmd = make_cmd("own");

    (void)state;
    add_to_cmd(cmd, "r", "root", DOCA_ARGP_TYPE_STRING, 0);
    assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
    assert_int_equal(START("--root", "1", "own", "--root", "a"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "int 1; command; string a; ");
}

static void json_values_wait_for_their_command(void **state)
{
    char *path = make_file("{\"num\": 5, \"inherited\": \"a\", \"root\": 1}");

    (void)state;
    assert_int_equal(START("-j", path, "read", "-k"), DOCA_SUCCESS);
    assert_string_equal(journal.text, "string a; int 1; command; int 5; bool true; ");
    remove_file(path);
}

static void json_keys_of_commands_not_given_are_unknown(void **state)
{
    char *path = make_file("{\"num\": 5}");

    (void)state;
    assert_int_equal(START("-j", path, "write"), DOCA_ERROR_NOT_SUPPORTED);
    remove_file(path);
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, init_tree, destroy_parser)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TREE_TEST(params_are_known_behind_their_command),
        TREE_TEST(params_are_unknown_before_their_command),
        TREE_TEST(params_of_the_parent_must_be_inherited),
        TREE_TEST(inheritance_spans_levels),
        TREE_TEST(unknown_words_are_not_supported),
        TREE_TEST(siblings_are_unknown_behind_a_command),
        TREE_TEST(hidden_commands_work),
        TREE_TEST(a_command_is_not_required),
        TREE_TEST(failure_of_a_command_is_returned),
        TREE_TEST(mandatory_params_count_where_they_are_known),
        TREE_TEST(mandatory_params_of_other_commands_do_not_count),
        cmocka_unit_test(help_is_about_the_active_command),
        cmocka_unit_test(errors_name_the_command),
        TREE_TEST(needed_fields_and_unique_names),
        TREE_TEST(ownership_moves_once),
        TREE_TEST(an_unregistered_command_frees_what_it_has),
        TREE_TEST(a_clash_with_an_inherited_name_is_found_by_start),
        TREE_TEST(the_same_name_in_two_scopes_is_fine),
        TREE_TEST(json_values_wait_for_their_command),
        TREE_TEST(json_keys_of_commands_not_given_are_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
