/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <doca_argp.h>
#include <doca_log.h>
#include <doca_version.h>

DOCA_LOG_REGISTER(APP_COPY);

static doca_error_t set_path(void *value, void *config)
{
    struct app_options *options = config;

    return kit_store(options->path, sizeof(options->path), value);
}

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct app_options *options = config;

    return kit_store(options->pci_addr, sizeof(options->pci_addr), value);
}

static doca_error_t set_rep_pci_addr(void *value, void *config)
{
    struct app_options *options = config;

    return kit_store(options->rep_pci_addr, sizeof(options->rep_pci_addr), value);
}

static doca_error_t show_version(void *unused, void *config)
{
    (void)unused;
    (void)config;
    printf("app_copy, built for %s, runs with %s\n", doca_version(), doca_version_runtime());
    (void)doca_argp_destroy();
    exit(EXIT_SUCCESS);
}

static doca_error_t look_for_file(void *config)
{
    struct app_options *options = config;
    struct stat status;

    options->has_file = stat(options->path, &status) == 0;
    options->file_size = options->has_file ? (uint64_t)status.st_size : 0;
    DOCA_LOG_DBG("%s is %s", options->path, options->has_file ? "here" : "not here");
    return DOCA_SUCCESS;
}

static doca_error_t add_params(void)
{
    doca_error_t result =
        kit_param("f", "file", "File to copy, or to make", DOCA_ARGP_TYPE_STRING, true, set_path);

    if (result == DOCA_SUCCESS)
        result = kit_param("p", "pci-addr", "PCI address of the device", DOCA_ARGP_TYPE_STRING,
                           true, set_pci_addr);
    if (result == DOCA_SUCCESS)
        result = kit_param("r", "rep-pci", "PCI address of the host function, on the DPU",
                           DOCA_ARGP_TYPE_STRING, false, set_rep_pci_addr);
    if (result == DOCA_SUCCESS)
        result = doca_argp_register_version_callback(show_version);
    if (result == DOCA_SUCCESS)
        result = doca_argp_register_validation_callback(look_for_file);
    return result;
}

int main(int argc, char **argv)
{
    static struct app_options options;
    doca_error_t result = kit_log(), tmp;

    if (result == DOCA_SUCCESS)
        result = doca_argp_init(NULL, &options);
    if (result != DOCA_SUCCESS)
        return kit_exit("app_copy", result);
    result = add_params();
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = app_run_side(&options);
    tmp = doca_argp_destroy();
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("app_copy", result);
}
