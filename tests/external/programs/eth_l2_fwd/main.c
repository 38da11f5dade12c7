/* SPDX-License-Identifier: BSD-3-Clause */
/* Forwards between two devices until SIGINT or SIGTERM.
 *
 *     eth_l2_fwd -a IBDEV -b IBDEV [-o] [-t BATCHES]
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "forward.h"

DOCA_LOG_REGISTER(ETH_L2_FWD::MAIN);

static void on_signal(int signum)
{
    (void)signum;
    forward_is_over = true;
}

static doca_error_t store(char *field, const char *text)
{
    if (strlen(text) >= 64)
        return DOCA_ERROR_INVALID_VALUE;
    strcpy(field, text);
    return DOCA_SUCCESS;
}

static doca_error_t set_first(void *value, void *config)
{
    return store(((struct forward_options *)config)->device[0], (const char *)value);
}

static doca_error_t set_second(void *value, void *config)
{
    return store(((struct forward_options *)config)->device[1], (const char *)value);
}

static doca_error_t set_one_sided(void *value, void *config)
{
    ((struct forward_options *)config)->one_sided = *(bool *)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_batches(void *value, void *config)
{
    ((struct forward_options *)config)->batches = *(int *)value;
    return *(int *)value > 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t add_param(const char *letter, const char *name, enum doca_argp_type type,
                              doca_argp_param_cb_t callback)
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);

    if (result != DOCA_SUCCESS)
        return result;
    doca_argp_param_set_short_name(param, letter);
    doca_argp_param_set_long_name(param, name);
    doca_argp_param_set_description(param, name);
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, type);
    return doca_argp_register_param(param);
}

static doca_error_t read_arguments(struct forward_options *options, int argc, char **argv)
{
    doca_error_t result = doca_argp_init(NULL, options);

    if (result == DOCA_SUCCESS)
        result = add_param("a", "first-device", DOCA_ARGP_TYPE_STRING, set_first);
    if (result == DOCA_SUCCESS)
        result = add_param("b", "second-device", DOCA_ARGP_TYPE_STRING, set_second);
    if (result == DOCA_SUCCESS)
        result = add_param("o", "one-sided", DOCA_ARGP_TYPE_BOOLEAN, set_one_sided);
    if (result == DOCA_SUCCESS)
        result = add_param("t", "num-task-batches", DOCA_ARGP_TYPE_INT, set_batches);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    return result;
}

int main(int argc, char **argv)
{
    struct forward_options options = {.batches = 32};
    struct doca_log_backend *sdk;
    doca_error_t result = doca_log_backend_create_standard();

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (result == DOCA_SUCCESS)
        result = doca_log_backend_create_with_file_sdk(stderr, &sdk);
    if (result == DOCA_SUCCESS)
        result = doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING);
    if (result == DOCA_SUCCESS)
        result = read_arguments(&options, argc, argv);
    if (result == DOCA_SUCCESS)
        result = forward_run(&options);
    doca_argp_destroy();
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("L2 forwarding failed: %s", doca_error_get_descr(result));
    else
        DOCA_LOG_INFO("L2 forwarding finished successfully");
    return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
