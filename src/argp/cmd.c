/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <stdlib.h>
#include <string.h>

#define SOURCE CORE_LOG_ARGP

void argp_cmd_init(struct doca_argp_cmd *cmd)
{
    od_list_init(&cmd->link);
    od_list_init(&cmd->params);
    od_list_init(&cmd->cmds);
}

void argp_cmd_clear(struct doca_argp_cmd *cmd)
{
    OD_LIST_FOR_EACH_SAFE(link, &cmd->params)
    {
        argp_param_free(OD_LIST_ENTRY(link, struct doca_argp_param, link));
    }
    OD_LIST_FOR_EACH_SAFE(link, &cmd->cmds)
    {
        argp_cmd_free(OD_LIST_ENTRY(link, struct doca_argp_cmd, link));
    }
}

void argp_cmd_free(struct doca_argp_cmd *cmd)
{
    if (cmd == NULL)
        return;
    od_list_remove(&cmd->link);
    argp_cmd_clear(cmd);
    free(cmd->name);
    free(cmd->description);
    free(cmd);
}

/* ------------------------------------------------------------------------------------------------
 * Registration
 */

static const char *cmd_name(const struct doca_argp_cmd *cmd)
{
    return cmd->name != NULL ? cmd->name : "(unnamed)";
}

static bool has_cmd(const struct doca_argp_cmd *parent, const char *name)
{
    OD_LIST_FOR_EACH(link, &parent->cmds)
    {
        if (strcmp(OD_LIST_ENTRY(link, struct doca_argp_cmd, link)->name, name) == 0)
            return true;
    }
    return false;
}

static doca_error_t check_fields(const struct doca_argp_cmd *parent,
                                 const struct doca_argp_cmd *cmd, const char *func)
{
    if (cmd->out_of_memory)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, SOURCE, func, cmd_name(cmd), "command",
                         "incomplete, the heap was exhausted in one of its setters");
    if (cmd->name == NULL || cmd->description == NULL)
        return CORE_FAIL(DOCA_ERROR_INITIALIZATION, SOURCE, func, cmd_name(cmd),
                         cmd->name == NULL ? "name" : "description",
                         "not set" CORE_REMEDY "set it before registering the command");
    if (cmd->name[0] == '\0' || cmd->name[0] == '-')
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, func, NULL, "name",
                         "\"%s\"" CORE_LIMIT "a word without a leading dash", cmd->name);
    if (has_cmd(parent, cmd->name))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, func, parent->name, "name",
                         "\"%s\", which is registered already" CORE_REMEDY "choose another name",
                         cmd->name);
    return DOCA_SUCCESS;
}

doca_error_t argp_cmd_register(struct doca_argp_cmd *parent, struct doca_argp_cmd *cmd,
                               const char *func)
{
    doca_error_t err;

    if (cmd->owned)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, func, cmd_name(cmd), "command",
                         "registered already" CORE_REMEDY "register each command once");
    err = check_fields(parent, cmd, func);
    if (err != DOCA_SUCCESS) {
        argp_bury_cmd(cmd);
        return err;
    }
    cmd->owned = true;
    cmd->parent = parent;
    od_list_append(&parent->cmds, &cmd->link);
    CORE_TRACE(SOURCE, "%s: %s", func, cmd->name);
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd)
{
    struct argp *argp;

    if (input_cmd == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "input_cmd");
    argp = argp_configurable(__func__);
    if (argp == NULL) {
        argp_bury_cmd(input_cmd);
        return DOCA_ERROR_BAD_STATE;
    }
    return argp_cmd_register(&argp->root, input_cmd, __func__);
}

/* The parser, when something may be registered in the command: an unregistered one. */
static struct argp *argp_for_cmd(const struct doca_argp_cmd *cmd, const char *func)
{
    struct argp *argp = argp_configurable(func);

    if (argp != NULL && cmd->owned) {
        (void)CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, func, cmd_name(cmd), "command",
                        "registered already" CORE_REMEDY
                        "complete a command before registering it");
        return NULL;
    }
    return argp;
}

doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param)
{
    struct argp *argp;

    if (input_param == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "input_param");
    if (cmd == NULL) {
        argp_bury_param(input_param);
        return CORE_FAIL_NULL(SOURCE, __func__, "cmd");
    }
    argp = argp_for_cmd(cmd, __func__);
    if (argp == NULL) {
        argp_bury_param(input_param);
        return DOCA_ERROR_BAD_STATE;
    }
    return argp_param_register(argp, cmd, input_param, __func__);
}

doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd)
{
    if (input_cmd == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "input_cmd");
    if (cmd == input_cmd)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, __func__, cmd_name(cmd), "input_cmd",
                         "the command itself" CORE_REMEDY "register another command in it");
    if (cmd == NULL) {
        argp_bury_cmd(input_cmd);
        return CORE_FAIL_NULL(SOURCE, __func__, "cmd");
    }
    if (argp_for_cmd(cmd, __func__) == NULL) {
        argp_bury_cmd(input_cmd);
        return DOCA_ERROR_BAD_STATE;
    }
    return argp_cmd_register(cmd, input_cmd, __func__);
}

static const struct doca_argp_param *inherited_namesake(const struct doca_argp_cmd *cmd,
                                                        const struct doca_argp_param *param)
{
    for (const struct doca_argp_cmd *above = cmd->parent; above != NULL; above = above->parent) {
        const struct doca_argp_param *found = NULL;

        if (param->short_name != NULL)
            found = argp_find_short(&above->params, param->short_name);
        if (found != NULL && found->inherited)
            return found;
        if (param->long_name != NULL)
            found = argp_find_long(&above->params, param->long_name, strlen(param->long_name));
        if (found != NULL && found->inherited)
            return found;
    }
    return NULL;
}

doca_error_t argp_cmd_check_tree(const struct argp *argp, const struct doca_argp_cmd *cmd)
{
    OD_LIST_FOR_EACH(link, &cmd->params)
    {
        const struct doca_argp_param *param = OD_LIST_ENTRY(link, struct doca_argp_param, link);

        if (inherited_namesake(cmd, param) != NULL)
            return CORE_FAIL(DOCA_ERROR_INITIALIZATION, SOURCE, "doca_argp_start", argp->name,
                             argp_param_name(param),
                             "both a parameter of command %s and inherited by it" CORE_REMEDY
                             "give one of the two another name",
                             cmd_name(cmd));
    }
    OD_LIST_FOR_EACH(link, &cmd->cmds)
    {
        doca_error_t err =
            argp_cmd_check_tree(argp, OD_LIST_ENTRY(link, struct doca_argp_cmd, link));

        if (err != DOCA_SUCCESS)
            return err;
    }
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Objects
 */

doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd)
{
    struct doca_argp_cmd *created;

    if (cmd == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "cmd");
    if (argp_current() == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, __func__, NULL, "parser",
                         "not initialised" CORE_REMEDY "call doca_argp_init() first");
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, SOURCE, __func__, NULL, "command",
                         "not allocated, the heap is exhausted");
    argp_cmd_init(created);
    *cmd = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd)
{
    if (cmd == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "cmd");
    if (cmd->owned)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, __func__, cmd_name(cmd), "command",
                         "registered" CORE_REMEDY "leave it to doca_argp_destroy()");
    argp_cmd_free(cmd);
    return DOCA_SUCCESS;
}

/* Setters return nothing: refusing is a log line and no effect. */
static bool can_set(const struct doca_argp_cmd *cmd, const char *func)
{
    if (cmd == NULL) {
        (void)CORE_FAIL_NULL(SOURCE, func, "cmd");
        return false;
    }
    if (cmd->owned) {
        (void)CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, func, cmd_name(cmd), "command",
                        "registered" CORE_REMEDY "set it up before registering it");
        return false;
    }
    return true;
}

static void set_text(struct doca_argp_cmd *cmd, char **field, const char *value)
{
    if (value != NULL && !argp_set_string(field, value))
        cmd->out_of_memory = true;
}

void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name)
{
    if (can_set(cmd, __func__))
        set_text(cmd, &cmd->name, name);
}

void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description)
{
    if (can_set(cmd, __func__))
        set_text(cmd, &cmd->description, description);
}

void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback)
{
    if (can_set(cmd, __func__))
        cmd->callback = callback;
}

void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd)
{
    if (can_set(cmd, __func__))
        cmd->hidden = true;
}
