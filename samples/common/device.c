/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(DEVICE);

/* What the pkg-config files chose. */
#ifdef DOCA_ARCH_DPU
#define BUILT_FOR  "dpu"
#define BUILT_WITH "pkgconfig-dpu"
#else
#define BUILT_FOR  "host"
#define BUILT_WITH "pkgconfig"
#endif

void device_open_log(void)
{
    static bool is_open;
    struct doca_log_backend *sdk;

    if (is_open)
        return;
    is_open = true;
    doca_log_backend_create_standard();
    if (doca_log_backend_create_with_file_sdk(stderr, &sdk) == DOCA_SUCCESS)
        doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING);
}

static bool is_called(const struct doca_devinfo *info, const char *name)
{
    char iface[DOCA_DEVINFO_IFACE_NAME_SIZE], ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    uint8_t equal = 0;

    if (name == NULL)
        return true;
    if (strchr(name, ':') != NULL)
        return doca_devinfo_is_equal_pci_addr(info, name, &equal) == DOCA_SUCCESS && equal != 0;
    return (doca_devinfo_get_iface_name(info, iface, sizeof(iface)) == DOCA_SUCCESS &&
            strcmp(iface, name) == 0) ||
           (doca_devinfo_get_ibdev_name(info, ibdev, sizeof(ibdev)) == DOCA_SUCCESS &&
            strcmp(ibdev, name) == 0);
}

static void say_not_found(const char *name, const char *what)
{
    const char *file = getenv("OPENDOCA_CONFIG");
    const char *role = getenv("OPENDOCA_ROLE");

    if (role == NULL || role[0] == '\0')
        role = BUILT_FOR;
    DOCA_LOG_ERR("No device%s%s with %s in the role %s. A program built with " BUILT_WITH
                 " has the role " BUILT_FOR "; OPENDOCA_ROLE=host or OPENDOCA_ROLE=dpu selects "
                 "another one. 'opendoca device list' shows the devices of the devices file. "
                 "OPENDOCA_CONFIG, which names that file, is %s; 'opendoca wire' "
                 "makes a file with two Ethernet devices",
                 name != NULL ? " " : "", name != NULL ? name : "", what, role,
                 file != NULL && file[0] != '\0' ? file : "not set");
}

doca_error_t device_open(const char *name, device_fits *fits, const char *what,
                         struct doca_dev **dev)
{
    struct doca_devinfo **list;
    uint32_t num;
    doca_error_t result;

    device_open_log();
    result = doca_devinfo_create_list(&list, &num);
    if (result != DOCA_SUCCESS)
        return result;
    result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < num && result == DOCA_ERROR_NOT_FOUND; i++) {
        if (is_called(list[i], name) && fits(list[i]))
            result = doca_dev_open(list[i], dev);
    }
    if (result == DOCA_ERROR_NOT_FOUND)
        say_not_found(name, what);
    doca_devinfo_destroy_list(list);
    return result;
}
