/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE CORE_LOG_ARGP

struct doca_argp_param *argp_param_new(void)
{
    struct doca_argp_param *param = calloc(1, sizeof(*param));

    if (param != NULL)
        od_list_init(&param->link);
    return param;
}

void argp_param_free(struct doca_argp_param *param)
{
    if (param == NULL)
        return;
    od_list_remove(&param->link);
    free(param->short_name);
    free(param->long_name);
    free(param->arguments);
    free(param->description);
    free(param);
}

bool argp_set_string(char **field, const char *value)
{
    char *copy = strdup(value);

    if (copy == NULL)
        return false;
    free(*field);
    *field = copy;
    return true;
}

const char *argp_param_name(const struct doca_argp_param *param)
{
    if (param->long_name != NULL)
        return param->long_name;
    return param->short_name != NULL ? param->short_name : "(unnamed)";
}

void argp_param_label(const struct doca_argp_param *param, char label[ARGP_LABEL_SIZE])
{
    bool has_short = param->short_name != NULL, has_long = param->long_name != NULL;

    snprintf(label, ARGP_LABEL_SIZE, "%s%.70s%s%s%.70s", has_short ? "-" : "",
             has_short ? param->short_name : "", has_short && has_long ? ", " : "",
             has_long ? "--" : "", has_long ? param->long_name : "");
}

struct doca_argp_param *argp_find_short(const struct od_list *params, const char *name)
{
    OD_LIST_FOR_EACH(link, params)
    {
        struct doca_argp_param *param = OD_LIST_ENTRY(link, struct doca_argp_param, link);

        if (param->short_name != NULL && strcmp(param->short_name, name) == 0)
            return param;
    }
    return NULL;
}

struct doca_argp_param *argp_find_long(const struct od_list *params, const char *name, size_t len)
{
    OD_LIST_FOR_EACH(link, params)
    {
        struct doca_argp_param *param = OD_LIST_ENTRY(link, struct doca_argp_param, link);

        if (param->long_name != NULL && strlen(param->long_name) == len &&
            memcmp(param->long_name, name, len) == 0)
            return param;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Registration
 */

static doca_error_t refuse(const struct doca_argp_param *param, const char *func,
                           const char *missing)
{
    return CORE_FAIL(DOCA_ERROR_INITIALIZATION, SOURCE, func, argp_param_name(param), missing,
                     "not set" CORE_REMEDY "set it before registering the parameter");
}

static doca_error_t check_fields(const struct doca_argp_param *param, const char *func)
{
    if (param->out_of_memory)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, SOURCE, func, argp_param_name(param), "parameter",
                         "incomplete, the heap was exhausted in one of its setters");
    if (param->short_name == NULL && param->long_name == NULL)
        return refuse(param, func, "short name or long name");
    if (param->description == NULL)
        return refuse(param, func, "description");
    if (param->callback == NULL)
        return refuse(param, func, "callback");
    if (param->type == DOCA_ARGP_TYPE_UNKNOWN)
        return refuse(param, func, "type");
    if ((int)param->type < 0 || param->type > DOCA_ARGP_TYPE_DOUBLE)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, func, argp_param_name(param), "type",
                         "%d" CORE_LIMIT "%d..%d", (int)param->type, DOCA_ARGP_TYPE_STRING,
                         DOCA_ARGP_TYPE_DOUBLE);
    return DOCA_SUCCESS;
}

static bool is_taken(const struct od_list *params, const struct doca_argp_param *param)
{
    return (param->short_name != NULL && argp_find_short(params, param->short_name) != NULL) ||
           (param->long_name != NULL &&
            argp_find_long(params, param->long_name, strlen(param->long_name)) != NULL);
}

static doca_error_t check_names(const struct argp *argp, const struct doca_argp_cmd *owner,
                                const struct doca_argp_param *param, const char *func)
{
    const char *short_name = param->short_name, *long_name = param->long_name;
    char label[ARGP_LABEL_SIZE];

    argp_param_label(param, label);
    if (short_name != NULL && (short_name[0] == '\0' || short_name[0] == '-'))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, func, NULL, "short name",
                         "\"%s\"" CORE_LIMIT "a word without a leading dash", short_name);
    if (long_name != NULL &&
        (long_name[0] == '\0' || long_name[0] == '-' || strchr(long_name, '=') != NULL))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, func, NULL, "long name",
                         "\"%s\"" CORE_LIMIT "a word without a leading dash and without '='",
                         long_name);
    if (is_taken(&argp->standard.params, param))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, func, argp->name, label,
                         "the name of a built-in flag" CORE_REMEDY "choose another name");
    if (is_taken(&owner->params, param))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, SOURCE, func, argp->name, label,
                         "a name that is registered already" CORE_REMEDY "choose another name");
    return DOCA_SUCCESS;
}

doca_error_t argp_param_register(struct argp *argp, struct doca_argp_cmd *owner,
                                 struct doca_argp_param *param, const char *func)
{
    doca_error_t err;

    if (param->owned)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, func, argp_param_name(param), "parameter",
                         "registered already" CORE_REMEDY "register each parameter once");
    err = check_fields(param, func);
    if (err == DOCA_SUCCESS)
        err = check_names(argp, owner, param, func);
    if (err != DOCA_SUCCESS) {
        argp_bury_param(param);
        return err;
    }
    if (param->long_name == NULL)
        param->cli_only = true;
    param->owned = true;
    param->owner = owner;
    od_list_append(&owner->params, &param->link);
    CORE_TRACE(SOURCE, "%s: %s", func, argp_param_name(param));
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
{
    struct argp *argp;

    if (input_param == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "input_param");
    argp = argp_configurable(__func__);
    if (argp == NULL) {
        argp_bury_param(input_param);
        return DOCA_ERROR_BAD_STATE;
    }
    return argp_param_register(argp, &argp->root, input_param, __func__);
}

/* ------------------------------------------------------------------------------------------------
 * Use while parsing
 */

/* Whether a singular parameter tolerates this one beside it. */
static bool is_neutral(const struct doca_argp_param *param)
{
    return param->standard != ARGP_NOT_STANDARD;
}

doca_error_t argp_param_count(struct argp *argp, struct doca_argp_param *param,
                              enum argp_source source, const char *label)
{
    const char *other = argp->singular_given;

    if (param->given[source] > 0 && !param->multiplicity)
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label, "one occurrence", "repeated");
    if (param->singular && argp->first_given != NULL)
        other = argp->first_given;
    /* Further occurrences of the singular flag itself are no company. */
    if (other != NULL && !is_neutral(param) && other != argp_param_name(param))
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label, NULL,
                         "not allowed together with \"%s\"", other);
    param->given[source]++;
    if (!is_neutral(param) && argp->first_given == NULL)
        argp->first_given = argp_param_name(param);
    if (param->singular)
        argp->singular_given = argp_param_name(param);
    return DOCA_SUCCESS;
}

doca_error_t argp_param_call(struct argp *argp, const struct doca_argp_param *param,
                             const char *label, void *value)
{
    return argp_callback_result(argp, param->callback(value, argp->config), label);
}

/* ------------------------------------------------------------------------------------------------
 * Objects
 */

doca_error_t doca_argp_param_create(struct doca_argp_param **param)
{
    struct doca_argp_param *created;

    if (param == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "param");
    if (argp_current() == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, __func__, NULL, "parser",
                         "not initialised" CORE_REMEDY "call doca_argp_init() first");
    created = argp_param_new();
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, SOURCE, __func__, NULL, "parameter",
                         "not allocated, the heap is exhausted");
    *param = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_param_destroy(struct doca_argp_param *param)
{
    if (param == NULL)
        return CORE_FAIL_NULL(SOURCE, __func__, "param");
    if (param->owned)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, __func__, argp_param_name(param),
                         "parameter", "registered" CORE_REMEDY "leave it to doca_argp_destroy()");
    argp_param_free(param);
    return DOCA_SUCCESS;
}

/* Setters return nothing: refusing is a log line and no effect. */
static bool can_set(const struct doca_argp_param *param, const char *func)
{
    if (param == NULL) {
        (void)CORE_FAIL_NULL(SOURCE, func, "param");
        return false;
    }
    if (param->owned) {
        (void)CORE_FAIL(DOCA_ERROR_BAD_STATE, SOURCE, func, argp_param_name(param), "parameter",
                        "registered" CORE_REMEDY "set it up before registering it");
        return false;
    }
    return true;
}

static void set_text(struct doca_argp_param *param, char **field, const char *value)
{
    if (value != NULL && !argp_set_string(field, value))
        param->out_of_memory = true;
}

void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name)
{
    if (can_set(param, __func__))
        set_text(param, &param->short_name, name);
}

void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name)
{
    if (can_set(param, __func__))
        set_text(param, &param->long_name, name);
}

void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments)
{
    if (can_set(param, __func__))
        set_text(param, &param->arguments, arguments);
}

void doca_argp_param_set_description(struct doca_argp_param *param, const char *description)
{
    if (can_set(param, __func__))
        set_text(param, &param->description, description);
}

void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback)
{
    if (can_set(param, __func__))
        param->callback = callback;
}

void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
{
    if (can_set(param, __func__))
        param->type = type;
}

void doca_argp_param_set_mandatory(struct doca_argp_param *param)
{
    if (can_set(param, __func__))
        param->mandatory = true;
}

void doca_argp_param_set_cli_only(struct doca_argp_param *param)
{
    if (can_set(param, __func__))
        param->cli_only = true;
}

void doca_argp_param_set_multiplicity(struct doca_argp_param *param)
{
    if (can_set(param, __func__))
        param->multiplicity = true;
}

void doca_argp_param_set_singular(struct doca_argp_param *param)
{
    if (can_set(param, __func__))
        param->singular = true;
}

void doca_argp_param_set_inherited(struct doca_argp_param *param)
{
    if (can_set(param, __func__))
        param->inherited = true;
}

void doca_argp_param_set_hidden(struct doca_argp_param *param)
{
    if (can_set(param, __func__))
        param->hidden = true;
}
