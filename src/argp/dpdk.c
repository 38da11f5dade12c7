/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define SOURCE CORE_LOG_ARGP

static doca_error_t append(struct argp *argp, char *arg)
{
    struct argp_dpdk_args *args = &argp->dpdk_args;
    char **argv = arg == NULL ? NULL : realloc(args->argv, (args->argc + 1) * sizeof(*argv));

    if (argv == NULL) {
        free(arg);
        return argp_fail_no_memory(argp, "arguments for DPDK");
    }
    args->argv = argv;
    args->argv[args->argc++] = arg;
    return DOCA_SUCCESS;
}

/* "-k value", "--key=value", and the flag alone without a value. */
static doca_error_t append_flag(struct argp *argp, const char *key, const char *value)
{
    bool is_short = strlen(key) == 1;
    char *arg;
    doca_error_t err;

    if (asprintf(&arg, "%s%s%s%s", is_short ? "-" : "--", key,
                 !is_short && value != NULL ? "=" : "",
                 !is_short && value != NULL ? value : "") < 0)
        arg = NULL;
    err = append(argp, arg);
    if (err == DOCA_SUCCESS && is_short && value != NULL)
        err = append(argp, strdup(value));
    return err;
}

static doca_error_t take_scalar(struct argp *argp, const char *key, const json_t *value)
{
    char digits[32], label[256];

    if (json_is_string(value))
        return append_flag(argp, key, json_string_value(value));
    if (json_is_true(value))
        return append_flag(argp, key, NULL);
    if (json_is_false(value))
        return DOCA_SUCCESS;
    if (json_is_integer(value)) {
        snprintf(digits, sizeof(digits), "%lld", (long long)json_integer_value(value));
        return append_flag(argp, key, digits);
    }
    snprintf(label, sizeof(label), "key \"%.100s\" of %.100s", key, argp->json_path);
    return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label,
                     "a string, an integer, true, false or an array of them",
                     "no value for a DPDK flag");
}

doca_error_t argp_dpdk_take_json(struct argp *argp, const json_t *section)
{
    json_t *object = (json_t *)section; /* jansson's iterators want it writable */
    const json_t *element;
    const char *key;
    json_t *value;
    size_t i;
    doca_error_t err;

    json_object_foreach(object, key, value)
    {
        if (!json_is_array(value)) {
            err = take_scalar(argp, key, value);
            if (err != DOCA_SUCCESS)
                return err;
        }
        /* Not an array: no element. */
        json_array_foreach(value, i, element)
        {
            err = take_scalar(argp, key, element);
            if (err != DOCA_SUCCESS)
                return err;
        }
    }
    return DOCA_SUCCESS;
}

doca_error_t argp_dpdk_run(struct argp *argp, int argc, char **argv)
{
    size_t from_cli = argc > 1 ? (size_t)argc - 1 : 0;
    size_t from_json = argp->dpdk_args.argc;
    OD_AUTO_FREE char **all = NULL;

    if (argp->dpdk_cb == NULL || (argc == 0 && from_json == 0))
        return DOCA_SUCCESS;
    all = calloc(1 + from_json + from_cli + 1, sizeof(*all));
    if (all == NULL)
        return argp_fail_no_memory(argp, "arguments for DPDK");
    all[0] = argv[0];
    if (from_json > 0)
        memcpy(all + 1, argp->dpdk_args.argv, from_json * sizeof(*all));
    if (from_cli > 0)
        memcpy(all + 1 + from_json, argv + 1, from_cli * sizeof(*all));
    CORE_TRACE(SOURCE, "DPDK: %zu arguments of the JSON file, %zu of the command line", from_json,
               from_cli);
    return argp_callback_result(argp, argp->dpdk_cb((int)(1 + from_json + from_cli), all),
                                "DPDK callback");
}

void argp_dpdk_clear(struct argp *argp)
{
    for (size_t i = 0; i < argp->dpdk_args.argc; i++)
        free(argp->dpdk_args.argv[i]);
    free(argp->dpdk_args.argv);
    argp->dpdk_args = (struct argp_dpdk_args){NULL, 0};
}
