/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE CORE_LOG_ARGP

/* The command line is read twice: first to find --help, --version, the parameter file and the
 * commands, then, after the file was applied, to run the callbacks in order of appearance. Only the
 * second reading reports what is wrong. */

struct cursor {
    char **argv;
    int argc;
    int next;
    struct doca_argp_cmd *scope;
    bool flags_ended; /* by "--" */
};

enum token_kind {
    TOKEN_END,
    TOKEN_FLAG,
    TOKEN_COMMAND,
    TOKEN_UNKNOWN_FLAG,
    TOKEN_UNKNOWN_COMMAND,
    TOKEN_NO_VALUE,
    TOKEN_UNWANTED_VALUE,
};

struct token {
    enum token_kind kind;
    char *text;  /* the argument itself */
    char *value; /* NULL: the flag takes none */
    struct doca_argp_param *param;
};

static struct doca_argp_param *find_flag(const struct argp *argp, const struct doca_argp_cmd *scope,
                                         const char *name, size_t len, bool is_long)
{
    struct doca_argp_param *param = is_long ? argp_find_long(&argp->standard.params, name, len)
                                            : argp_find_short(&argp->standard.params, name);

    if (param != NULL)
        return param;
    for (const struct doca_argp_cmd *cmd = scope; cmd != NULL; cmd = cmd->parent) {
        param =
            is_long ? argp_find_long(&cmd->params, name, len) : argp_find_short(&cmd->params, name);
        if (param != NULL && (cmd == scope || param->inherited))
            return param;
    }
    return NULL;
}

static void read_flag(const struct argp *argp, struct cursor *cursor, struct token *token)
{
    bool is_long = token->text[1] == '-';
    char *name = token->text + (is_long ? 2 : 1);
    char *equals = is_long ? strchr(name, '=') : NULL;
    size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);

    token->param = find_flag(argp, cursor->scope, name, len, is_long);
    if (token->param == NULL) {
        token->kind = TOKEN_UNKNOWN_FLAG;
    } else if (token->param->type == DOCA_ARGP_TYPE_BOOLEAN) {
        token->kind = equals != NULL ? TOKEN_UNWANTED_VALUE : TOKEN_FLAG;
    } else if (equals != NULL) {
        token->kind = TOKEN_FLAG;
        token->value = equals + 1;
    } else if (cursor->next < cursor->argc) {
        token->kind = TOKEN_FLAG;
        token->value = cursor->argv[cursor->next++];
    } else {
        token->kind = TOKEN_NO_VALUE;
    }
}

static void read_word(struct cursor *cursor, struct token *token)
{
    token->kind = TOKEN_UNKNOWN_COMMAND;
    OD_LIST_FOR_EACH(link, &cursor->scope->cmds)
    {
        struct doca_argp_cmd *cmd = OD_LIST_ENTRY(link, struct doca_argp_cmd, link);

        if (strcmp(cmd->name, token->text) == 0) {
            token->kind = TOKEN_COMMAND;
            cursor->scope = cmd;
            return;
        }
    }
}

static struct token next_token(const struct argp *argp, struct cursor *cursor)
{
    struct token token = {.kind = TOKEN_END};

    if (cursor->next < cursor->argc && !cursor->flags_ended &&
        strcmp(cursor->argv[cursor->next], "--") == 0) {
        cursor->flags_ended = true;
        cursor->next++;
    }
    if (cursor->next == cursor->argc)
        return token;
    token.text = cursor->argv[cursor->next++];
    if (cursor->flags_ended || token.text[0] != '-' || token.text[1] == '\0')
        read_word(cursor, &token);
    else
        read_flag(argp, cursor, &token);
    return token;
}

/* ------------------------------------------------------------------------------------------------
 * First reading
 */

static void OD_COLD print_help_and_exit(struct argp *argp, struct doca_argp_cmd *scope)
{
    argp->scope = scope;
    doca_argp_usage();
    exit(EXIT_SUCCESS);
}

static doca_error_t look_ahead(struct argp *argp, struct cursor cursor, const char **json_path)
{
    for (;;) {
        struct token token = next_token(argp, &cursor);

        argp->deepest = cursor.scope;
        if (token.kind == TOKEN_COMMAND)
            continue;
        if (token.kind != TOKEN_FLAG)
            return DOCA_SUCCESS;
        if (token.param->standard == ARGP_HELP)
            print_help_and_exit(argp, cursor.scope);
        if (token.param->standard == ARGP_VERSION)
            return argp_standard_version(argp);
        if (token.param->standard == ARGP_JSON && *json_path == NULL)
            *json_path = token.value;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Second reading
 */

static doca_error_t refuse_token(const struct argp *argp, const struct token *token)
{
    switch (token->kind) {
    case TOKEN_UNKNOWN_FLAG:
        return argp_fail(argp, DOCA_ERROR_NOT_SUPPORTED, token->text, NULL, "an unknown flag");
    case TOKEN_UNKNOWN_COMMAND:
        return argp_fail(argp, DOCA_ERROR_NOT_SUPPORTED, token->text, NULL, "an unknown command");
    case TOKEN_UNWANTED_VALUE:
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, token->text, "the flag alone",
                         "a flag without a value");
    default:
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, token->text,
                         token->param->arguments != NULL ? token->param->arguments : "a value",
                         "without its value");
    }
}

static doca_error_t take_flag(struct argp *argp, const struct token *token)
{
    struct doca_argp_param *param = token->param;
    char label[ARGP_LABEL_SIZE];
    bool present = true;
    doca_error_t err;

    argp_param_label(param, label);
    CORE_TRACE(SOURCE, "command line: %s = %s", label,
               token->value != NULL ? token->value : "true");
    err = argp_param_count(argp, param, ARGP_FROM_CLI, label);
    if (err != DOCA_SUCCESS)
        return err;
    if (param->standard != ARGP_NOT_STANDARD)
        return argp_standard_apply(argp, param, label, token->value);
    if (param->type == DOCA_ARGP_TYPE_BOOLEAN)
        return argp_param_call(argp, param, label, &present);
    return argp_value_from_text(argp, param, label, token->value);
}

static doca_error_t enter_command(struct argp *argp, struct doca_argp_cmd *cmd)
{
    doca_error_t err = DOCA_SUCCESS;

    CORE_TRACE(SOURCE, "command line: command %s", cmd->name);
    argp->scope = cmd;
    if (cmd->callback != NULL)
        err = argp_callback_result(argp, cmd->callback(argp->config), cmd->name);
    if (err != DOCA_SUCCESS)
        return err;
    return argp_json_apply(argp, cmd);
}

static doca_error_t take_tokens(struct argp *argp, struct cursor *cursor)
{
    for (;;) {
        struct token token = next_token(argp, cursor);
        doca_error_t err;

        if (token.kind == TOKEN_END)
            return DOCA_SUCCESS;
        if (token.kind == TOKEN_FLAG)
            err = take_flag(argp, &token);
        else if (token.kind == TOKEN_COMMAND)
            err = enter_command(argp, cursor->scope);
        else
            err = refuse_token(argp, &token);
        if (err != DOCA_SUCCESS)
            return err;
    }
}

/* ------------------------------------------------------------------------------------------------
 * As a whole
 */

static doca_error_t check_mandatory(const struct argp *argp, const struct doca_argp_cmd *cmd)
{
    OD_LIST_FOR_EACH(link, &cmd->params)
    {
        const struct doca_argp_param *param = OD_LIST_ENTRY(link, struct doca_argp_param, link);
        char label[ARGP_LABEL_SIZE];

        if (!param->mandatory || param->given[ARGP_FROM_CLI] + param->given[ARGP_FROM_JSON] > 0)
            continue;
        argp_param_label(param, label);
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label,
                         "on the command line or in the JSON file", "mandatory but missing");
    }
    return cmd->parent == NULL ? DOCA_SUCCESS : check_mandatory(argp, cmd->parent);
}

static doca_error_t load_json(struct argp *argp, const char *path,
                              const struct argp_json_text *json)
{
    if (json != NULL)
        return argp_json_load_text(argp, json->path, json->text, json->len);
    return path != NULL ? argp_json_load_file(argp, path) : DOCA_SUCCESS;
}

/* Number of leading arguments that are DPDK's, the program's name included; 0 without "--". */
static int count_dpdk_args(const struct argp *argp, int argc, char **argv)
{
    if (argp->dpdk_cb == NULL)
        return 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            return i;
    }
    return 0;
}

static doca_error_t take_values(struct argp *argp, struct cursor cursor,
                                const struct argp_json_text *json)
{
    const char *json_path = NULL;
    doca_error_t err;

    err = look_ahead(argp, cursor, &json_path);
    if (err == DOCA_SUCCESS)
        err = load_json(argp, json_path, json);
    if (err == DOCA_SUCCESS)
        err = argp_json_apply(argp, &argp->root);
    if (err == DOCA_SUCCESS)
        err = take_tokens(argp, &cursor);
    /* What excludes all others excuses from giving them. */
    if (err == DOCA_SUCCESS && argp->singular_given == NULL)
        err = check_mandatory(argp, argp->scope);
    return err;
}

doca_error_t argp_parse(struct argp *argp, int argc, char **argv, const struct argp_json_text *json)
{
    int dpdk_argc = count_dpdk_args(argp, argc, argv);
    struct cursor cursor = {argv, argc, dpdk_argc + 1, &argp->root, false};
    doca_error_t err;

    err = argp_cmd_check_tree(argp, &argp->root);
    if (err == DOCA_SUCCESS)
        err = take_values(argp, cursor, json);
    if (err == DOCA_SUCCESS && argp->validation_cb != NULL)
        err = argp_callback_result(argp, argp->validation_cb(argp->config), "validation callback");
    if (err == DOCA_SUCCESS)
        err = argp_dpdk_run(argp, dpdk_argc, argv);
    return err;
}
