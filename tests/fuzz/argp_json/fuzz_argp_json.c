/* SPDX-License-Identifier: BSD-3-Clause */

/* Parameter files: comments, sections, keys, values of every type, flags for DPDK. The first byte
 * chooses the kind of program; the rest is the file. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "argp/argp_priv.h"

enum program {
    PROGRAM_DPDK = 1,
    PROGRAM_LENIENT = 2,
    PROGRAM_COMMAND = 4,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

/* Reads all of the value, so that a checker sees it. */
static doca_error_t on_string(void *value, void *config)
{
    (void)config;
    demand(strlen(value) < SIZE_MAX);
    return DOCA_SUCCESS;
}

static doca_error_t on_int(void *value, void *config)
{
    (void)config;
    demand(*(int *)value >= INT32_MIN);
    return DOCA_SUCCESS;
}

static doca_error_t on_bool(void *value, void *config)
{
    (void)config;
    demand(*(bool *)value == true || *(bool *)value == false);
    return DOCA_SUCCESS;
}

static doca_error_t on_double(void *value, void *config)
{
    (void)config;
    demand(*(double *)value == *(double *)value);
    return DOCA_SUCCESS;
}

static doca_error_t on_device(void *value, void *config)
{
    struct doca_argp_device_ctx *device = value;

    (void)on_string((void *)device->devargs, config);
    demand(doca_dev_close(device->dev) == DOCA_SUCCESS);
    return DOCA_SUCCESS;
}

static doca_error_t on_rep(void *value, void *config)
{
    struct doca_argp_device_rep_ctx *rep = value;

    demand(doca_dev_rep_close(rep->dev_rep) == DOCA_SUCCESS);
    return on_device(&rep->dev_ctx, config);
}

static doca_error_t on_dpdk(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        (void)on_string(argv[i], NULL);
    demand(argv[argc] == NULL);
    return DOCA_SUCCESS;
}

static doca_error_t swallow(enum doca_log_level level, const char *format, va_list args)
{
    char text[4096];

    (void)level;
    vsnprintf(text, sizeof(text), format, args);
    return DOCA_SUCCESS;
}

static struct doca_argp_param *make_param(const char *name, enum doca_argp_type type,
                                          doca_argp_param_cb_t callback)
{
    struct doca_argp_param *param;

    demand(doca_argp_param_create(&param) == DOCA_SUCCESS);
    doca_argp_param_set_long_name(param, name);
    doca_argp_param_set_description(param, name);
    doca_argp_param_set_type(param, type);
    doca_argp_param_set_callback(param, callback);
    return param;
}

static void add_param(const char *name, enum doca_argp_type type, doca_argp_param_cb_t callback)
{
    demand(doca_argp_register_param(make_param(name, type, callback)) == DOCA_SUCCESS);
}

static void add_command(void)
{
    struct doca_argp_cmd *cmd;

    demand(doca_argp_cmd_create(&cmd) == DOCA_SUCCESS);
    doca_argp_cmd_set_name(cmd, "cmd");
    doca_argp_cmd_set_description(cmd, "a command");
    demand(doca_argp_cmd_register_param(cmd, make_param("below", DOCA_ARGP_TYPE_INT, on_int)) ==
           DOCA_SUCCESS);
    demand(doca_argp_register_cmd(cmd) == DOCA_SUCCESS);
}

static void set_up(uint8_t program)
{
    struct doca_argp_param *many = make_param("many", DOCA_ARGP_TYPE_STRING, on_string);
    struct doca_argp_param *only = make_param("only", DOCA_ARGP_TYPE_BOOLEAN, on_bool);

    add_param("text", DOCA_ARGP_TYPE_STRING, on_string);
    add_param("num", DOCA_ARGP_TYPE_INT, on_int);
    add_param("flag", DOCA_ARGP_TYPE_BOOLEAN, on_bool);
    add_param("ratio", DOCA_ARGP_TYPE_DOUBLE, on_double);
    add_param("device", DOCA_ARGP_TYPE_DEVICE, on_device);
    add_param("rep", DOCA_ARGP_TYPE_DEVICE_REP, on_rep);
    doca_argp_param_set_multiplicity(many);
    demand(doca_argp_register_param(many) == DOCA_SUCCESS);
    doca_argp_param_set_singular(only);
    demand(doca_argp_register_param(only) == DOCA_SUCCESS);
    add_command();
    if ((program & PROGRAM_DPDK) != 0)
        doca_argp_set_dpdk_program(on_dpdk);
    if ((program & PROGRAM_LENIENT) != 0)
        demand(doca_argp_disable_pedantic_config_parsing() == DOCA_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[] = "fuzz", command[] = "cmd";
    char *argv[] = {name, command, NULL};
    uint8_t program = size > 0 ? data[0] : 0;
    struct argp_json_text json = {"params.json",
                                  size > 0 ? (const char *)data + 1 : (const char *)data,
                                  size > 0 ? size - 1 : 0};

    demand(doca_argp_init("fuzz", NULL) == DOCA_SUCCESS);
    demand(doca_argp_register_logger_callback(swallow) == DOCA_SUCCESS);
    set_up(program);
    (void)argp_start_with_json((program & PROGRAM_COMMAND) != 0 ? 2 : 1, argv, &json);
    demand(doca_argp_destroy() == DOCA_SUCCESS);
    return 0;
}
