/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"

#define SOURCE CORE_LOG_ARGP

#define FILE_MAX (16u << 20)

#define GENERAL_SECTION "doca_general_flags"
#define PROGRAM_SECTION "doca_program_flags"
#define DPDK_SECTION    "doca_dpdk_flags"

/* Which parameters the keys of an object name. */
enum key_scope {
    KEYS_GENERAL = 1,
    KEYS_PROGRAM = 2,
    KEYS_BOTH = KEYS_GENERAL | KEYS_PROGRAM,
};

/* ------------------------------------------------------------------------------------------------
 * Loading
 */

static doca_error_t fail_errno(const struct argp *argp, const char *path, int err)
{
    return argp_fail(argp, DOCA_ERROR_IO_FAILED, path, NULL, "not readable (%s)", strerror(err));
}

static doca_error_t fail_syntax(const struct argp *argp, const char *path,
                                const json_error_t *error)
{
    /* Where jansson could not allocate, it mostly gives no reason. */
    if (error->text[0] == '\0')
        return argp_fail_no_memory(argp, path);
    switch (json_error_code(error)) {
    case json_error_out_of_memory:
        return argp_fail_no_memory(argp, path);
    case json_error_duplicate_key:
    case json_error_numeric_overflow:
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, path, NULL,
                         "not usable: line %d column %d: %s", error->line, error->column,
                         error->text);
    default:
        return argp_fail(argp, DOCA_ERROR_IO_FAILED, path, NULL, "not JSON: line %d column %d: %s",
                         error->line, error->column, error->text);
    }
}

static doca_error_t parse_text(struct argp *argp, const char *path, char *text, size_t len)
{
    int open_comment = argp_blank_comments(text, len);
    json_error_t error;
    json_t *json;

    if (open_comment != 0)
        return argp_fail(argp, DOCA_ERROR_IO_FAILED, path, NULL,
                         "not JSON: the comment of line %d does not end", open_comment);
    json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        return fail_syntax(argp, path, &error);
    if (!json_is_object(json)) {
        json_decref(json);
        return argp_fail(argp, DOCA_ERROR_IO_FAILED, path, "{ ... }", "not a JSON object");
    }
    argp->json = json;
    argp->json_path = path;
    return DOCA_SUCCESS;
}

doca_error_t argp_json_load_text(struct argp *argp, const char *path, const char *text, size_t len)
{
    OD_AUTO_FREE char *copy = malloc(len + 1);

    if (copy == NULL)
        return argp_fail_no_memory(argp, path);
    memcpy(copy, text, len);
    return parse_text(argp, path, copy, len);
}

static doca_error_t read_all(const struct argp *argp, const char *path, int fd, char *text,
                             size_t size, size_t *len)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = read(fd, text + done, size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(argp, path, errno);
        if (n == 0)
            break;
        done += (size_t)n;
    }
    *len = done;
    return DOCA_SUCCESS;
}

doca_error_t argp_json_load_file(struct argp *argp, const char *path)
{
    /* Non-blocking, so that a pipe cannot hold the program up before it is refused. */
    OD_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    OD_AUTO_FREE char *text = NULL;
    struct stat st;
    size_t len = 0;
    doca_error_t err;

    CORE_TRACE(SOURCE, "JSON: reading %s", path);
    if (fd < 0 || fstat(fd, &st) != 0)
        return fail_errno(argp, path, errno);
    if (!S_ISREG(st.st_mode))
        return argp_fail(argp, DOCA_ERROR_IO_FAILED, path, NULL, "not a regular file");
    if (st.st_size > FILE_MAX)
        return argp_fail(argp, DOCA_ERROR_IO_FAILED, path, "at most 16 MiB", "%lld bytes long",
                         (long long)st.st_size);
    text = malloc((size_t)st.st_size + 1);
    if (text == NULL)
        return argp_fail_no_memory(argp, path);
    err = read_all(argp, path, fd, text, (size_t)st.st_size, &len);
    if (err != DOCA_SUCCESS)
        return err;
    return parse_text(argp, path, text, len);
}

void argp_json_unload(struct argp *argp)
{
    json_decref(argp->json);
    argp->json = NULL;
    argp->json_path = NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Values
 */

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number with a fraction";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    default:
        return "null";
    }
}

static const char *expected_type(const struct doca_argp_param *param)
{
    switch (param->type) {
    case DOCA_ARGP_TYPE_INT:
        return "an integer";
    case DOCA_ARGP_TYPE_BOOLEAN:
        return "true or false";
    case DOCA_ARGP_TYPE_DOUBLE:
        return "a number";
    default:
        return param->standard != ARGP_NOT_STANDARD ? "an integer or a string" : "a string";
    }
}

static doca_error_t wrong_type(const struct argp *argp, const struct doca_argp_param *param,
                               const char *label, const json_t *value)
{
    return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label, expected_type(param), "%s",
                     type_name(value));
}

/* Log levels: their number or their name. */
static doca_error_t take_standard(struct argp *argp, const struct doca_argp_param *param,
                                  const char *label, const json_t *value)
{
    char digits[32];

    if (json_is_string(value))
        return argp_standard_apply(argp, param, label, json_string_value(value));
    if (!json_is_integer(value))
        return wrong_type(argp, param, label, value);
    snprintf(digits, sizeof(digits), "%lld", (long long)json_integer_value(value));
    return argp_standard_apply(argp, param, label, digits);
}

static doca_error_t take_string(struct argp *argp, const struct doca_argp_param *param,
                                const char *label, const json_t *value)
{
    /* Callbacks may write to their value. */
    OD_AUTO_FREE char *text = strdup(json_string_value(value));

    if (text == NULL)
        return argp_fail_no_memory(argp, label);
    return argp_value_from_text(argp, param, label, text);
}

static doca_error_t convert(struct argp *argp, const struct doca_argp_param *param,
                            const char *label, const json_t *value)
{
    bool is_text = param->type == DOCA_ARGP_TYPE_STRING || param->type == DOCA_ARGP_TYPE_DEVICE ||
                   param->type == DOCA_ARGP_TYPE_DEVICE_REP;

    if (param->standard != ARGP_NOT_STANDARD)
        return take_standard(argp, param, label, value);
    if (is_text && json_is_string(value))
        return take_string(argp, param, label, value);
    if (param->type == DOCA_ARGP_TYPE_INT && json_is_integer(value))
        return argp_value_from_int(argp, param, label, json_integer_value(value));
    if (param->type == DOCA_ARGP_TYPE_BOOLEAN && json_is_boolean(value)) {
        bool flag = json_is_true(value);

        return argp_param_call(argp, param, label, &flag);
    }
    if (param->type == DOCA_ARGP_TYPE_DOUBLE && json_is_number(value)) {
        double number = json_number_value(value);

        return argp_param_call(argp, param, label, &number);
    }
    return wrong_type(argp, param, label, value);
}

static doca_error_t take_value(struct argp *argp, struct doca_argp_param *param, const char *label,
                               const json_t *value)
{
    doca_error_t err;

    CORE_TRACE(SOURCE, "JSON: %s is %s", label, type_name(value));
    err = argp_param_count(argp, param, ARGP_FROM_JSON, label);
    return err != DOCA_SUCCESS ? err : convert(argp, param, label, value);
}

/* ------------------------------------------------------------------------------------------------
 * Keys
 */

static doca_error_t take_member(struct argp *argp, struct doca_argp_param *param, const char *label,
                                const json_t *value)
{
    const json_t *element;
    size_t i;

    if (!param->multiplicity || !json_is_array(value))
        return take_value(argp, param, label, value);
    json_array_foreach(value, i, element)
    {
        doca_error_t err = take_value(argp, param, label, element);

        if (err != DOCA_SUCCESS)
            return err;
    }
    return DOCA_SUCCESS;
}

static doca_error_t unknown(const struct argp *argp, const char *label, const char *problem)
{
    if (!argp->lenient)
        return argp_fail(argp, DOCA_ERROR_NOT_SUPPORTED, label, NULL, "%s", problem);
    CORE_WARN(SOURCE, "JSON: %s is %s, passed over", label, problem);
    return DOCA_SUCCESS;
}

static struct doca_argp_param *find_key(const struct argp *argp, const char *key,
                                        enum key_scope keys)
{
    size_t len = strlen(key);
    struct doca_argp_param *param = NULL;

    if ((keys & KEYS_GENERAL) != 0)
        param = argp_find_long(&argp->standard.params, key, len);
    if ((keys & KEYS_PROGRAM) == 0)
        return param;
    for (struct doca_argp_cmd *cmd = argp->deepest; param == NULL && cmd != NULL; cmd = cmd->parent)
        param = argp_find_long(&cmd->params, key, len);
    return param;
}

/* The members of an object that belong to the command. All keys are judged with the root's. */
static doca_error_t take_object(struct argp *argp, const struct doca_argp_cmd *cmd, json_t *object,
                                enum key_scope keys)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        struct doca_argp_param *param = find_key(argp, key, keys);
        char label[256];
        doca_error_t err = DOCA_SUCCESS;

        snprintf(label, sizeof(label), "key \"%.100s\" of %.100s", key, argp->json_path);
        if (param == NULL && cmd == &argp->root)
            err = unknown(argp, label, "an unknown flag");
        else if (param != NULL && param->owner == cmd && param->cli_only)
            err = argp_fail(argp, DOCA_ERROR_NOT_SUPPORTED, label, "on the command line",
                            "unknown to JSON files");
        else if (param != NULL && param->owner == cmd)
            err = take_member(argp, param, label, value);
        if (err != DOCA_SUCCESS)
            return err;
    }
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Sections
 */

static doca_error_t take_section(struct argp *argp, const struct doca_argp_cmd *cmd,
                                 const char *name, json_t *section)
{
    bool is_root = cmd == &argp->root;
    char label[256];

    snprintf(label, sizeof(label), "section \"%.100s\" of %.100s", name, argp->json_path);
    if (strcmp(name, GENERAL_SECTION) != 0 && strcmp(name, PROGRAM_SECTION) != 0 &&
        (strcmp(name, DPDK_SECTION) != 0 || argp->dpdk_cb == NULL))
        return is_root ? unknown(argp, label, "an unknown section") : DOCA_SUCCESS;
    if (!json_is_object(section))
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label, "an object", "%s",
                         type_name(section));
    if (strcmp(name, DPDK_SECTION) == 0)
        return is_root ? argp_dpdk_take_json(argp, section) : DOCA_SUCCESS;
    return take_object(argp, cmd, section,
                       strcmp(name, GENERAL_SECTION) == 0 ? KEYS_GENERAL : KEYS_PROGRAM);
}

static bool has_sections(const json_t *json)
{
    return json_object_get(json, GENERAL_SECTION) != NULL ||
           json_object_get(json, PROGRAM_SECTION) != NULL ||
           json_object_get(json, DPDK_SECTION) != NULL;
}

doca_error_t argp_json_apply(struct argp *argp, struct doca_argp_cmd *cmd)
{
    const char *name;
    json_t *section;

    if (argp->json == NULL)
        return DOCA_SUCCESS;
    if (!has_sections(argp->json))
        return take_object(argp, cmd, argp->json, KEYS_BOTH);
    json_object_foreach(argp->json, name, section)
    {
        doca_error_t err = take_section(argp, cmd, name, section);

        if (err != DOCA_SUCCESS)
            return err;
    }
    return DOCA_SUCCESS;
}
