/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE CORE_LOG_ARGP

static struct argp *current;

/* Objects that were handed over but are in no use. Outlives parsers, because the register calls
 * take their object over even when there is no parser. */
static struct doca_argp_cmd graveyard = {
    .params = {&graveyard.params, &graveyard.params},
    .cmds = {&graveyard.cmds, &graveyard.cmds},
};

struct argp *argp_current(void)
{
    return current;
}

void argp_bury_param(struct doca_argp_param *param)
{
    if (param->owned)
        return;
    param->owned = true;
    od_list_append(&graveyard.params, &param->link);
}

void argp_bury_cmd(struct doca_argp_cmd *cmd)
{
    if (cmd->owned)
        return;
    cmd->owned = true;
    od_list_append(&graveyard.cmds, &cmd->link);
}

/* The parser in any state; NULL, after one log line, when there is none. */
static struct argp *initialised(const char *func)
{
    if (current == NULL || current->doomed) {
        (void)CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, func, NULL, "parser",
                        "not initialised" CORE_REMEDY "call doca_argp_init() first");
        return NULL;
    }
    return current;
}

struct argp *argp_configurable(const char *func)
{
    struct argp *argp = initialised(func);

    if (argp == NULL || argp->state == ARGP_INITIALISED)
        return argp;
    (void)CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, func, argp->name, "parser",
                    "started" CORE_REMEDY "call it between doca_argp_init() and doca_argp_start()");
    return NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Life cycle
 */

static void argp_free(struct argp *argp)
{
    if (argp == NULL)
        return;
    argp_json_unload(argp);
    argp_dpdk_clear(argp);
    argp_cmd_clear(&argp->root);
    argp_cmd_clear(&argp->standard);
    free(argp->name);
    free(argp);
}

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
    const char *name = program_name != NULL ? program_name : program_invocation_short_name;
    struct argp *argp;

    if (current != NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, __func__, current->name, "parser",
                         "initialised already" CORE_REMEDY "call doca_argp_destroy() first");
    if (program_name != NULL && program_name[0] == '\0')
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, __func__, NULL, "program_name",
                         "empty" CORE_REMEDY "pass a name, or NULL for that of the process");
    argp = calloc(1, sizeof(*argp));
    if (argp == NULL)
        goto err_no_memory;
    argp_cmd_init(&argp->standard);
    argp_cmd_init(&argp->root);
    argp->scope = &argp->root;
    argp->deepest = &argp->root;
    argp->config = program_config;
    argp->name_from_argv = program_name == NULL;
    if (!argp_set_string(&argp->name, name) || argp_standard_init(argp) != DOCA_SUCCESS)
        goto err_free;
    current = argp;
    CORE_TRACE(SOURCE, "%s: %s", __func__, argp->name);
    return DOCA_SUCCESS;

err_free:
    argp_free(argp);
err_no_memory:
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, SOURCE, __func__, name, "parser",
                     "not allocated, the heap is exhausted");
}

static void destroy(struct argp *argp)
{
    current = NULL;
    argp_free(argp);
    argp_cmd_clear(&graveyard);
}

doca_error_t doca_argp_destroy(void)
{
    struct argp *argp = initialised(__func__);

    if (argp == NULL)
        return DOCA_ERROR_BAD_STATE;
    CORE_TRACE(SOURCE, "%s: %s", __func__, argp->name);
    /* The parser is on the call stack of its callbacks. */
    if (argp->state == ARGP_PARSING)
        argp->doomed = true;
    else
        destroy(argp);
    return DOCA_SUCCESS;
}

static doca_error_t check_arguments(const struct argp *argp, int argc, char **argv)
{
    if (argc < 1 || argv == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, "doca_argp_start", argp->name,
                         argv == NULL ? "argv" : "argc", "%s" CORE_REMEDY "pass those of main()",
                         argv == NULL ? "NULL" : "less than 1");
    for (int i = 0; i < argc; i++) {
        if (argv[i] == NULL)
            return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, "doca_argp_start", argp->name,
                             "argc", "%d" CORE_LIMIT "%d, the length of argv", argc, i);
    }
    return DOCA_SUCCESS;
}

static doca_error_t take_name(struct argp *argp, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    if (!argp->name_from_argv || name[0] == '\0' || argp_set_string(&argp->name, name))
        return DOCA_SUCCESS;
    return argp_fail_no_memory(argp, "program name");
}

static doca_error_t start(const char *func, int argc, char **argv,
                          const struct argp_json_text *json)
{
    struct argp *argp = argp_configurable(func);
    doca_error_t err;

    if (argp == NULL)
        return DOCA_ERROR_BAD_STATE;
    err = check_arguments(argp, argc, argv);
    if (err != DOCA_SUCCESS)
        return err;
    argp->state = ARGP_PARSING;
    err = take_name(argp, argv[0]);
    if (err == DOCA_SUCCESS)
        err = argp_parse(argp, argc, argv, json);
    argp_json_unload(argp);
    argp_dpdk_clear(argp);
    argp->state = ARGP_PARSED;
    if (argp->doomed)
        destroy(argp);
    return err;
}

doca_error_t doca_argp_start(int argc, char **argv)
{
    return start(__func__, argc, argv, NULL);
}

doca_error_t argp_start_with_json(int argc, char **argv, const struct argp_json_text *json)
{
    return start("doca_argp_start", argc, argv, json);
}

doca_error_t argp_callback_result(struct argp *argp, doca_error_t result, const char *what)
{
    if (argp->doomed)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, "doca_argp_start", argp->name, what,
                         "a callback that destroyed the parser and returned" CORE_REMEDY
                         "exit the process in such a callback");
    if (result != DOCA_SUCCESS)
        return CORE_FAIL(result, SOURCE, "doca_argp_start", argp->name, what,
                         "refused by the program's callback");
    return DOCA_SUCCESS;
}

void doca_argp_usage(void)
{
    struct argp *argp = initialised(__func__);
    char *help;

    if (argp == NULL)
        return;
    help = argp_help_text(argp);
    if (help == NULL)
        return;
    puts(help);
    free(help);
}

/* ------------------------------------------------------------------------------------------------
 * Callbacks of the program
 */

static doca_error_t check_callback(const struct argp *argp, const char *func, bool is_null,
                                   bool is_registered)
{
    if (is_null)
        return CORE_FAIL_NULL(SOURCE, func, "callback");
    if (is_registered)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, func, argp->name, "callback",
                         "registered already" CORE_REMEDY "register it once");
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
    struct argp *argp = argp_configurable(__func__);
    doca_error_t err;

    if (argp == NULL)
        return DOCA_ERROR_BAD_STATE;
    err = check_callback(argp, __func__, callback == NULL, argp->version_cb != NULL);
    if (err == DOCA_SUCCESS)
        argp->version_cb = callback;
    return err;
}

doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
    struct argp *argp = argp_configurable(__func__);
    doca_error_t err;

    if (argp == NULL)
        return DOCA_ERROR_BAD_STATE;
    err = check_callback(argp, __func__, callback == NULL, argp->validation_cb != NULL);
    if (err == DOCA_SUCCESS)
        argp->validation_cb = callback;
    return err;
}

doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback, void *usr_ctx)
{
    struct argp *argp = argp_configurable(__func__);
    doca_error_t err;

    if (argp == NULL)
        return DOCA_ERROR_BAD_STATE;
    err = check_callback(argp, __func__, callback == NULL, argp->dev_open_cb != NULL);
    if (err != DOCA_SUCCESS)
        return err;
    argp->dev_open_cb = callback;
    argp->dev_open_ctx = usr_ctx;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
    struct argp *argp = initialised(__func__);

    if (argp == NULL)
        return DOCA_ERROR_BAD_STATE;
    if (callback == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "callback");
    if (argp->logger_cb != NULL)
        return CORE_FAIL(DOCA_ERROR_ALREADY_EXIST, SOURCE, __func__, argp->name, "callback",
                         "registered already" CORE_REMEDY
                         "call doca_argp_disable_logger_callback() first");
    argp->logger_cb = callback;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void)
{
    struct argp *argp = initialised(__func__);

    if (argp == NULL)
        return DOCA_ERROR_BAD_STATE;
    if (argp->logger_cb == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, __func__, argp->name, "callback",
                         "not registered" CORE_REMEDY
                         "call doca_argp_register_logger_callback() first");
    argp->logger_cb = NULL;
    return DOCA_SUCCESS;
}

void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
    struct argp *argp = argp_configurable(__func__);

    if (argp != NULL && callback != NULL)
        argp->dpdk_cb = callback;
}

/* ------------------------------------------------------------------------------------------------
 * Switches and queries
 */

doca_error_t doca_argp_disable_pedantic_config_parsing(void)
{
    struct argp *argp = argp_configurable(__func__);

    if (argp == NULL)
        return DOCA_ERROR_BAD_STATE;
    argp->lenient = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_log_level(int *log_level)
{
    if (log_level == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "log_level");
    *log_level = current != NULL && current->log_level != 0
                     ? current->log_level
                     : (int)doca_log_level_get_global_lower_limit();
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
    if (log_level == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "log_level");
    *log_level = current != NULL && current->sdk_log_level != 0
                     ? current->sdk_log_level
                     : (int)doca_log_level_get_global_sdk_limit();
    return DOCA_SUCCESS;
}
