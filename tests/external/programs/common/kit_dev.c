/* SPDX-License-Identifier: BSD-3-Clause */
#include "kit.h"

#include <string.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(KIT::DEV);

/* One line about the device that was taken. */
static void introduce(const struct doca_devinfo *devinfo)
{
    char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "?", iface[DOCA_DEVINFO_IFACE_NAME_SIZE] = "none";
    enum doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_PF;
    uint32_t sf_index = 0;

    if (doca_devinfo_get_ibdev_name(devinfo, ibdev, sizeof(ibdev)) != DOCA_SUCCESS)
        DOCA_LOG_WARN("A device without the name of an RDMA device");
    (void)doca_devinfo_get_iface_name(devinfo, iface, sizeof(iface));
    if (doca_devinfo_get_pci_func_type(devinfo, &type) != DOCA_SUCCESS)
        DOCA_LOG_WARN("%s does not say what function it is", ibdev);
    if (type == DOCA_PCI_FUNC_TYPE_SF &&
        doca_devinfo_get_sf_index(devinfo, &sf_index) == DOCA_SUCCESS)
        DOCA_LOG_INFO("Sub function %u", sf_index);
    DOCA_LOG_INFO("Device %s, interface %s", ibdev, iface);
}

struct wanted {
    const char *pci_addr;
    kit_capable capable;
};

static bool fits(const struct doca_devinfo *devinfo, const struct wanted *wanted)
{
    uint8_t equal = 1;

    if (wanted->pci_addr != NULL &&
        doca_devinfo_is_equal_pci_addr(devinfo, wanted->pci_addr, &equal) != DOCA_SUCCESS)
        return false;
    return equal != 0 && (wanted->capable == NULL || wanted->capable(devinfo) == DOCA_SUCCESS);
}

static doca_error_t open_first(const struct wanted *wanted, struct doca_dev **dev)
{
    struct doca_devinfo **list;
    uint32_t n = 0, i = 0;
    doca_error_t result = doca_devinfo_create_list(&list, &n), closed;

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("No list of devices: %s", doca_error_get_descr(result));
        return result;
    }
    while (i < n && !fits(list[i], wanted))
        i++;
    result = i < n ? doca_dev_open(list[i], dev) : DOCA_ERROR_NOT_FOUND;
    closed = doca_devinfo_destroy_list(list);
    DOCA_ERROR_PROPAGATE(result, closed);
    if (result == DOCA_SUCCESS)
        introduce(doca_dev_as_devinfo(*dev));
    else
        DOCA_LOG_ERR("No fitting device: %s", doca_error_get_descr(result));
    return result;
}

doca_error_t kit_open_by_address(const char *pci_addr, kit_capable capable, struct doca_dev **dev)
{
    struct wanted wanted = {.pci_addr = pci_addr, .capable = capable};

    return open_first(&wanted, dev);
}

doca_error_t kit_open_capable(kit_capable capable, struct doca_dev **dev)
{
    struct wanted wanted = {.pci_addr = NULL, .capable = capable};

    return open_first(&wanted, dev);
}

doca_error_t kit_close_device(struct doca_dev **dev)
{
    doca_error_t result = doca_dev_close(*dev);

    if (result == DOCA_SUCCESS)
        *dev = NULL;
    else
        DOCA_LOG_ERR("The device stays open: %s", doca_error_get_descr(result));
    return result;
}

doca_error_t kit_open_rep(struct doca_dev *dev, enum doca_devinfo_rep_filter filter,
                          const char *pci_addr, struct doca_dev_rep **rep)
{
    char vuid[DOCA_DEVINFO_REP_VUID_SIZE] = "?";
    struct doca_devinfo_rep **list;
    uint8_t equal = 0;
    uint32_t n = 0;
    doca_error_t result = doca_devinfo_rep_create_list(dev, (int)filter, &list, &n), closed;

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("No representors, they belong to the DPU: %s", doca_error_get_descr(result));
        return result;
    }
    result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < n && result == DOCA_ERROR_NOT_FOUND; i++) {
        if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
            equal != 0) {
            (void)doca_devinfo_rep_get_vuid(list[i], vuid, sizeof(vuid));
            result = doca_dev_rep_open(list[i], rep);
        }
    }
    closed = doca_devinfo_rep_destroy_list(list);
    DOCA_ERROR_PROPAGATE(result, closed);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Representor %s", vuid);
    return result;
}
