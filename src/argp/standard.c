/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <doca_version.h>

#include <stdio.h>
#include <stdlib.h>

#define LEVELS ": 10 disable,\n20 critical, 30 error, 40 warning, 50 info,\n60 debug, 70 trace"

struct standard_flag {
    enum argp_standard id;
    const char *short_name;
    const char *long_name;
    const char *arguments;
    const char *description;
    enum doca_argp_type type;
    bool cli_only;
};

static const struct standard_flag standard_flags[] = {
    {ARGP_HELP, "h", "help", NULL, "Print this help and exit", DOCA_ARGP_TYPE_BOOLEAN, true},
    {ARGP_VERSION, "v", "version", NULL, "Print the version and exit", DOCA_ARGP_TYPE_BOOLEAN,
     true},
    {ARGP_LOG_LEVEL, "l", "log-level", "<level>", "Log level of the program" LEVELS,
     DOCA_ARGP_TYPE_STRING, false},
    {ARGP_SDK_LOG_LEVEL, NULL, "sdk-log-level", "<level>", "Log level of the SDK" LEVELS,
     DOCA_ARGP_TYPE_STRING, false},
    {ARGP_JSON, "j", "json", "<path>", "Take flags from a JSON file", DOCA_ARGP_TYPE_STRING, true},
};

static doca_error_t add_flag(struct argp *argp, const struct standard_flag *flag)
{
    struct doca_argp_param *param = argp_param_new();

    if (param == NULL)
        return DOCA_ERROR_NO_MEMORY;
    od_list_append(&argp->standard.params, &param->link);
    param->owned = true;
    param->owner = &argp->root;
    param->standard = flag->id;
    param->type = flag->type;
    param->cli_only = flag->cli_only;
    if ((flag->short_name != NULL && !argp_set_string(&param->short_name, flag->short_name)) ||
        (flag->arguments != NULL && !argp_set_string(&param->arguments, flag->arguments)) ||
        !argp_set_string(&param->long_name, flag->long_name) ||
        !argp_set_string(&param->description, flag->description))
        return DOCA_ERROR_NO_MEMORY;
    return DOCA_SUCCESS;
}

doca_error_t argp_standard_init(struct argp *argp)
{
    for (size_t i = 0; i < OD_ARRAY_SIZE(standard_flags); i++) {
        doca_error_t err = add_flag(argp, &standard_flags[i]);

        if (err != DOCA_SUCCESS)
            return err;
    }
    return DOCA_SUCCESS;
}

doca_error_t argp_standard_apply(struct argp *argp, const struct doca_argp_param *param,
                                 const char *label, const char *text)
{
    bool is_sdk = param->standard == ARGP_SDK_LOG_LEVEL;
    enum doca_log_level level;

    if (!is_sdk && param->standard != ARGP_LOG_LEVEL)
        return DOCA_SUCCESS;
    if (core_log_parse_level(text, &level) != 0)
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label,
                         "10, 20, ... 70, or a name such as info", "\"%s\"", text);
    core_log_set_level_by_flag(is_sdk ? CORE_LOG_TIER_SDK : CORE_LOG_TIER_APP, level);
    if (is_sdk)
        argp->sdk_log_level = (int)level;
    else
        argp->log_level = (int)level;
    return DOCA_SUCCESS;
}

doca_error_t argp_standard_version(struct argp *argp)
{
    if (argp->version_cb != NULL) {
        doca_error_t err = argp->version_cb(NULL, argp->config);

        if (err != DOCA_SUCCESS)
            return argp_callback_result(argp, err, "version callback");
    } else {
        printf("DOCA version at compile time: %s\nDOCA version at run time: %s\n", doca_version(),
               doca_version_runtime());
    }
    exit(EXIT_SUCCESS);
}
