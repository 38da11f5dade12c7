/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

static doca_error_t set_socket(void *value, void *config)
{
    struct app_options *options = config;

    return kit_store(options->socket, sizeof(options->socket), value);
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
        result = kit_param("s", "socket", "Socket that the sides talk over", DOCA_ARGP_TYPE_STRING,
                           true, set_socket);
    if (result == DOCA_SUCCESS)
        result = doca_argp_register_version_callback(show_version);
    if (result == DOCA_SUCCESS)
        result = doca_argp_register_validation_callback(look_for_file);
    return result;
}

/* The device that the sides would talk over, opened beside the one that copies. */
static doca_error_t run(const struct app_options *options)
{
    struct doca_dev *dev = NULL;
    struct doca_dev_rep *rep = NULL;
    int peer = -1;
    doca_error_t result = kit_open_by_address(options->pci_addr, NULL, &dev), tmp;

    if (result != DOCA_SUCCESS)
        return result;
#ifdef DOCA_ARCH_DPU
    result = kit_open_rep(dev, DOCA_DEVINFO_REP_FILTER_NET, options->rep_pci_addr, &rep);
    if (result == DOCA_SUCCESS)
        result = app_listen(options->socket, &peer);
#else
    result = app_connect(options->socket, &peer);
#endif
    if (result == DOCA_SUCCESS)
        result = app_run_side(options, peer);
    if (peer >= 0)
        close(peer);
    if (rep != NULL) {
        tmp = doca_dev_rep_close(rep);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = doca_dev_close(dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
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
        result = run(&options);
    tmp = doca_argp_destroy();
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("app_copy", result);
}
