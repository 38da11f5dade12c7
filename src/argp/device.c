/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/parse.h"

#define SOURCE CORE_LOG_ARGP

/* Value of a device flag, NAME or NAME,DEVARGS. */
struct device_text {
    char *name;
    const char *devargs; /* "" when there are none */
};

static bool matches_device(const struct doca_devinfo *devinfo, const char *name)
{
    char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE], iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
    struct od_pci_addr addr;
    uint8_t is_equal = 0;

    if (od_parse_pci_addr(name, &addr) == 0)
        return doca_devinfo_is_equal_pci_addr(devinfo, name, &is_equal) == DOCA_SUCCESS && is_equal;
    if (doca_devinfo_get_ibdev_name(devinfo, ibdev, sizeof(ibdev)) == DOCA_SUCCESS &&
        strcmp(ibdev, name) == 0)
        return true;
    return doca_devinfo_get_iface_name(devinfo, iface, sizeof(iface)) == DOCA_SUCCESS &&
           strcmp(iface, name) == 0;
}

static bool matches_rep(const struct doca_devinfo_rep *rep, const char *name)
{
    char iface[DOCA_DEVINFO_IFACE_NAME_SIZE], vuid[DOCA_DEVINFO_REP_VUID_SIZE];
    struct od_pci_addr addr;
    uint8_t is_equal = 0;

    if (od_parse_pci_addr(name, &addr) == 0)
        return doca_devinfo_rep_is_equal_pci_addr(rep, name, &is_equal) == DOCA_SUCCESS && is_equal;
    if (doca_devinfo_rep_get_iface_name(rep, iface, sizeof(iface)) == DOCA_SUCCESS &&
        strcmp(iface, name) == 0)
        return true;
    return doca_devinfo_rep_get_vuid(rep, vuid, sizeof(vuid)) == DOCA_SUCCESS &&
           strcmp(vuid, name) == 0;
}

static doca_error_t open_device(const struct argp *argp, struct doca_devinfo *devinfo,
                                struct doca_dev **dev)
{
    if (argp->dev_open_cb != NULL)
        return argp->dev_open_cb(devinfo, argp->dev_open_ctx, dev);
    return doca_dev_open(devinfo, dev);
}

/* ------------------------------------------------------------------------------------------------
 * Representors
 */

/* NOT_FOUND when the device has none of that name. */
static doca_error_t open_rep_of(struct doca_dev *dev, const char *name, struct doca_dev_rep **rep)
{
    struct doca_devinfo_rep **list;
    doca_error_t err;
    uint32_t num, i;

    err = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num);
    if (err != DOCA_SUCCESS)
        return err;
    for (i = 0; i < num && !matches_rep(list[i], name); i++)
        ;
    err = i < num ? doca_dev_rep_open(list[i], rep) : DOCA_ERROR_NOT_FOUND;
    (void)doca_devinfo_rep_destroy_list(list);
    return err;
}

/* Devices without representors are no failure: they do not have this one. */
static bool has_rep(struct doca_devinfo *devinfo, const char *name)
{
    struct doca_dev_rep *rep;
    struct doca_dev *dev;
    uint8_t has_any = 0;
    bool found;

    if (doca_devinfo_rep_cap_is_filter_all_supported(devinfo, &has_any) != DOCA_SUCCESS || !has_any)
        return false;
    if (doca_dev_open(devinfo, &dev) != DOCA_SUCCESS)
        return false;
    found = open_rep_of(dev, name, &rep) == DOCA_SUCCESS;
    if (found)
        (void)doca_dev_rep_close(rep);
    (void)doca_dev_close(dev);
    return found;
}

static doca_error_t open_with_rep(const struct argp *argp, struct doca_devinfo *devinfo,
                                  const char *name, struct doca_argp_device_rep_ctx *value)
{
    struct doca_dev *dev;
    doca_error_t err;

    err = open_device(argp, devinfo, &dev);
    if (err != DOCA_SUCCESS)
        return err;
    err = open_rep_of(dev, name, &value->dev_rep);
    if (err != DOCA_SUCCESS) {
        (void)doca_dev_close(dev);
        return err;
    }
    value->dev_ctx.dev = dev;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * The flag's value
 */

static doca_error_t open_named(const struct argp *argp, bool is_rep, const char *name,
                               struct doca_argp_device_rep_ctx *value)
{
    struct doca_devinfo **list;
    doca_error_t err;
    uint32_t num, i;

    err = doca_devinfo_create_list(&list, &num);
    if (err != DOCA_SUCCESS)
        return err;
    for (i = 0; i < num; i++) {
        if (is_rep ? has_rep(list[i], name) : matches_device(list[i], name))
            break;
    }
    if (i == num)
        err = DOCA_ERROR_NOT_FOUND;
    else if (is_rep)
        err = open_with_rep(argp, list[i], name, value);
    else
        err = open_device(argp, list[i], &value->dev_ctx.dev);
    (void)doca_devinfo_destroy_list(list);
    return err;
}

static doca_error_t split(const struct argp *argp, const char *label, const char *text,
                          struct device_text *parts)
{
    const char *comma = strchrnul(text, ',');

    if (comma == text)
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label,
                         "a PCI address or the name of a device", "\"%s\"", text);
    parts->name = strndup(text, (size_t)(comma - text));
    if (parts->name == NULL)
        return argp_fail_no_memory(argp, label);
    parts->devargs = *comma == ',' ? comma + 1 : "";
    return DOCA_SUCCESS;
}

doca_error_t argp_device_value(struct argp *argp, const struct doca_argp_param *param,
                               const char *label, const char *text)
{
    bool is_rep = param->type == DOCA_ARGP_TYPE_DEVICE_REP;
    struct doca_argp_device_rep_ctx value = {{NULL, NULL}, NULL};
    struct device_text parts = {NULL, ""};
    doca_error_t err;

    err = split(argp, label, text, &parts);
    if (err != DOCA_SUCCESS)
        return err;
    err = open_named(argp, is_rep, parts.name, &value);
    if (err == DOCA_ERROR_NOT_FOUND)
        err = argp_fail(argp, err, label, NULL, "\"%s\", and there is no such %s", parts.name,
                        is_rep ? "representor" : "device");
    else if (err != DOCA_SUCCESS)
        err = argp_fail(argp, err, label, NULL, "\"%s\", which cannot be opened: %s", parts.name,
                        doca_error_get_descr(err));
    free(parts.name);
    if (err != DOCA_SUCCESS)
        return err;
    CORE_DEBUG(SOURCE, "%s: opened %s", label, text);
    value.dev_ctx.devargs = parts.devargs;
    /* The program owns what is open from here on, whatever its callback returns. */
    if (is_rep)
        return argp_param_call(argp, param, label, &value);
    return argp_param_call(argp, param, label, &value.dev_ctx);
}
