/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dev/dev_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The array that the user has, and what its elements point at. */
struct devinfo_list {
    struct core_registry_entry live;
    struct doca_devinfo *infos;
    struct doca_devinfo *array[]; /* ended by NULL */
};

static struct core_registry lists = CORE_REGISTRY_INIT(lists);

bool core_devinfo_is_valid(const struct doca_devinfo *devinfo)
{
    /* The info of an open device is its first member. */
    return devinfo != NULL && (core_registry_has(&lists, devinfo) ||
                               core_dev_is_valid((const struct doca_dev *)(const void *)devinfo));
}

/* ------------------------------------------------------------------------------------------------
 * Lists
 */

static doca_error_t fail_source(int err)
{
    if (err == -ENOMEM)
        return CORE_FAIL_SOFT(err, CORE_LOG_DEV, "doca_devinfo_create_list", NULL, NULL);
    return CORE_FAIL(DOCA_ERROR_NOT_FOUND, CORE_LOG_DEV, "doca_devinfo_create_list", NULL, NULL,
                     "%s" CORE_REMEDY "correct it, or point OPENDOCA_CONFIG at another file",
                     soft_reason());
}

/* What ports tell while the program runs. */
static void log_line(const char *line)
{
    CORE_WARN(CORE_LOG_DEV, "%s", line);
}

static doca_error_t find_source(const struct soft_topology **topology, enum soft_role *role)
{
    int err = soft_device_role(role);

    if (err != 0)
        return CORE_FAIL(DOCA_ERROR_NOT_FOUND, CORE_LOG_DEV, "doca_devinfo_create_list", NULL, NULL,
                         "%s", soft_reason());
    soft_tell_to(log_line);
    err = soft_device_topology(topology);
    return err != 0 ? fail_source(err) : DOCA_SUCCESS;
}

static uint32_t count_role(const struct soft_topology *topology, enum soft_role role)
{
    uint32_t num = 0;

    for (uint32_t i = 0; i < topology->ndevices; i++)
        num += topology->devices[i].role == role;
    return num;
}

static void free_list(struct devinfo_list *list)
{
    free(list->infos);
    free(list);
}

static struct devinfo_list *new_list(uint32_t num)
{
    struct devinfo_list *list = calloc(1, sizeof(*list) + (num + 1) * sizeof(list->array[0]));

    if (list == NULL)
        return NULL;
    list->infos = calloc(num + 1, sizeof(*list->infos));
    if (list->infos == NULL) {
        free_list(list);
        return NULL;
    }
    list->live = (struct core_registry_entry){
        .handle = list->array, .first = list->infos, .size = sizeof(*list->infos), .num = num};
    return list;
}

static void fill_list(struct devinfo_list *list, const struct soft_topology *topology,
                      enum soft_role role)
{
    struct doca_devinfo *info = list->infos;

    for (uint32_t i = 0; i < topology->ndevices; i++) {
        if (topology->devices[i].role != role)
            continue;
        info->soft = &topology->devices[i];
        soft_device_id(info->soft, info->name);
        list->array[info - list->infos] = info;
        info++;
    }
}

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
    const struct soft_topology *topology;
    struct devinfo_list *list;
    enum soft_role role;
    doca_error_t result;
    uint32_t num;

    if (dev_list == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, __func__, "dev_list");
    if (nb_devs == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, __func__, "nb_devs");
    result = find_source(&topology, &role);
    if (result != DOCA_SUCCESS)
        return result;
    num = count_role(topology, role);
    list = new_list(num);
    if (list == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_DEV, __func__, NULL, NULL,
                         "no memory for a list of %" PRIu32 " devices", num);
    fill_list(list, topology, role);
    core_registry_add(&lists, &list->live);
    CORE_DEBUG(CORE_LOG_DEV, "%" PRIu32 " devices of role %s, from %s", num, soft_role_name(role),
               topology->source);
    *dev_list = list->array;
    *nb_devs = num;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
    struct core_registry_entry *entry;

    if (dev_list == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, __func__, "dev_list");
    entry = core_registry_take(&lists, dev_list);
    if (entry == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, __func__, NULL, "dev_list",
                         "%p, no living list" CORE_REMEDY
                         "destroy each list once, by the pointer that its creation returned",
                         (void *)dev_list);
    free_list(OD_LIST_ENTRY(entry, struct devinfo_list, live));
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Checks
 */

static doca_error_t check_info(const struct doca_devinfo *devinfo, const char *func)
{
    if (devinfo == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, func, "devinfo");
    if (!core_devinfo_is_valid(devinfo))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, func, NULL, "devinfo",
                         "%p, neither of a living list nor of an open device" CORE_REMEDY
                         "destroy the list later, or take doca_dev_as_devinfo() of an open device",
                         (const void *)devinfo);
    return DOCA_SUCCESS;
}

const struct soft_caps *core_devinfo_caps(const struct doca_devinfo *devinfo, const char *func)
{
    return check_info(devinfo, func) == DOCA_SUCCESS ? &devinfo->soft->caps : NULL;
}

static doca_error_t check(const struct doca_devinfo *devinfo, const void *out, const char *out_name,
                          const char *func)
{
    if (out == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, func, out_name);
    return check_info(devinfo, func);
}

static doca_error_t check_sized(const struct doca_devinfo *devinfo, const void *out,
                                const char *out_name, uint32_t size, size_t needed,
                                const char *func)
{
    doca_error_t result = check(devinfo, out, out_name, func);

    return result != DOCA_SUCCESS ? result : core_dev_check_size(func, devinfo->name, size, needed);
}

doca_error_t core_dev_check_size(const char *func, const char *object, uint32_t size, size_t needed)
{
    if (size >= needed)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, func, object, "size",
                     "%" PRIu32 CORE_LIMIT "at least %zu" CORE_REMEDY "give a larger buffer", size,
                     needed);
}

doca_error_t core_dev_compare_pci(const char *func, const char *object,
                                  const struct od_pci_addr *pci, const char *text,
                                  uint8_t *is_equal)
{
    struct od_pci_addr wanted;

    if (od_parse_pci_addr(text, &wanted) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, func, object, "pci_addr_str",
                         "\"%.32s\"" CORE_LIMIT "DDDD:BB:DD.F or BB:DD.F" CORE_REMEDY
                         "write an address such as 0000:03:00.0",
                         text);
    *is_equal = od_pci_addr_equal(pci, &wanted);
    return DOCA_SUCCESS;
}

/* What a device has not got is an answer, not a failure of the program. */
#define CORE_HAS_NOT(error, devinfo, attribute, ...)                                               \
    CORE_ANSWER(error, CORE_LOG_DEV, __func__, (devinfo)->name, attribute, __VA_ARGS__)

/* ------------------------------------------------------------------------------------------------
 * Attributes
 */

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str)
{
    doca_error_t result = check(devinfo, pci_addr_str, "pci_addr_str", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    od_format_pci_addr(&devinfo->soft->pci, pci_addr_str);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type)
{
    doca_error_t result = check(devinfo, pci_func_type, "pci_func_type", __func__);

    if (result == DOCA_SUCCESS)
        *pci_func_type = core_dev_func_type(devinfo->soft);
    return result;
}

doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal)
{
    doca_error_t result = check(devinfo, pci_addr_str, "pci_addr_str", __func__);

    if (result == DOCA_SUCCESS)
        result = check(devinfo, is_equal, "is_equal", __func__);
    if (result != DOCA_SUCCESS)
        return result;
    return core_dev_compare_pci(__func__, devinfo->name, &devinfo->soft->pci, pci_addr_str,
                                is_equal);
}

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size)
{
    doca_error_t result =
        check_sized(devinfo, ipv4_addr, "ipv4_addr", size, DOCA_DEVINFO_IPV4_ADDR_SIZE, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (!devinfo->soft->has_ipv4)
        return CORE_HAS_NOT(DOCA_ERROR_NOT_FOUND, devinfo, NULL, "the device has no IPv4 address");
    memcpy(ipv4_addr, devinfo->soft->ipv4, DOCA_DEVINFO_IPV4_ADDR_SIZE);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size)
{
    doca_error_t result =
        check_sized(devinfo, ipv6_addr, "ipv6_addr", size, DOCA_DEVINFO_IPV6_ADDR_SIZE, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (!devinfo->soft->has_ipv6)
        return CORE_HAS_NOT(DOCA_ERROR_OPERATING_SYSTEM, devinfo, NULL,
                            "the device has no IPv6 address");
    memcpy(ipv6_addr, devinfo->soft->ipv6, DOCA_DEVINFO_IPV6_ADDR_SIZE);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size)
{
    doca_error_t result =
        check_sized(devinfo, mac_addr, "mac_addr", size, DOCA_DEVINFO_MAC_ADDR_SIZE, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (devinfo->soft->link_layer != SOFT_LINK_ETHERNET)
        return CORE_HAS_NOT(DOCA_ERROR_NOT_SUPPORTED, devinfo, "link layer",
                            "InfiniBand" CORE_LIMIT "Ethernet");
    memcpy(mac_addr, devinfo->soft->mac, DOCA_DEVINFO_MAC_ADDR_SIZE);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size)
{
    doca_error_t result = check_sized(devinfo, iface_name, "iface_name", size,
                                      DOCA_DEVINFO_IFACE_NAME_SIZE, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (devinfo->soft->iface[0] == '\0')
        return CORE_HAS_NOT(DOCA_ERROR_OPERATING_SYSTEM, devinfo, NULL,
                            "the device has no network interface");
    memcpy(iface_name, devinfo->soft->iface, strlen(devinfo->soft->iface) + 1);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_iface_index(const struct doca_devinfo *devinfo, uint32_t *iface_index)
{
    doca_error_t result = check(devinfo, iface_index, "iface_index", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (devinfo->soft->iface_index == 0)
        return CORE_HAS_NOT(DOCA_ERROR_INVALID_VALUE, devinfo, NULL,
                            "the system has no network interface of the device");
    *iface_index = devinfo->soft->iface_index;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size)
{
    doca_error_t result = check_sized(devinfo, ibdev_name, "ibdev_name", size,
                                      DOCA_DEVINFO_IBDEV_NAME_SIZE, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    memcpy(ibdev_name, devinfo->soft->ibdev, strlen(devinfo->soft->ibdev) + 1);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
    doca_error_t result = check(devinfo, sf_index, "sf_index", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (devinfo->soft->func_type != SOFT_FUNC_SF)
        return CORE_HAS_NOT(DOCA_ERROR_NOT_SUPPORTED, devinfo, "function type",
                            "%s" CORE_LIMIT "SF", soft_func_type_name(devinfo->soft->func_type));
    *sf_index = devinfo->soft->sf_index;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid)
{
    doca_error_t result = check(devinfo, lid, "lid", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (devinfo->soft->link_layer != SOFT_LINK_INFINIBAND)
        return CORE_HAS_NOT(DOCA_ERROR_NOT_SUPPORTED, devinfo, "link layer",
                            "Ethernet" CORE_LIMIT "InfiniBand");
    *lid = devinfo->soft->lid;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, uint64_t *active_rate)
{
    doca_error_t result = check(devinfo, active_rate, "active_rate", __func__);

    if (result == DOCA_SUCCESS)
        *active_rate = devinfo->soft->active_rate;
    return result;
}

doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id)
{
    doca_error_t result = check(devinfo, vhca_id, "vhca_id", __func__);

    if (result == DOCA_SUCCESS)
        *vhca_id = devinfo->soft->vhca_id;
    return result;
}

doca_error_t doca_devinfo_get_uplink_ib_port(const struct doca_devinfo *devinfo, uint16_t *ib_port)
{
    doca_error_t result = check(devinfo, ib_port, "ib_port", __func__);

    if (result == DOCA_SUCCESS)
        *ib_port = devinfo->soft->uplink_ib_port;
    return result;
}

doca_error_t core_dev_get_data_direct(const char *func, const char *object,
                                      const struct soft_device *soft, char *pci_addr_str)
{
    if (!soft->data_direct)
        return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DEV, func, object, NULL,
                           "the device has no data-direct path");
    if (!soft->has_data_direct_pci)
        return CORE_ANSWER(DOCA_ERROR_NOT_FOUND, CORE_LOG_DEV, func, object, NULL,
                           "the data-direct function is not present");
    od_format_pci_addr(&soft->data_direct_pci, pci_addr_str);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_data_direct_pci_dev(struct doca_devinfo *devinfo, char *pci_addr_str)
{
    doca_error_t result = check(devinfo, pci_addr_str, "pci_addr_str", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    return core_dev_get_data_direct(__func__, devinfo->name, devinfo->soft, pci_addr_str);
}

/* ------------------------------------------------------------------------------------------------
 * Capabilities
 */

doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager)
{
    doca_error_t result = check(devinfo, is_hotplug_manager, "is_hotplug_manager", __func__);

    if (result == DOCA_SUCCESS)
        *is_hotplug_manager = devinfo->soft->caps.hotplug_manager;
    return result;
}

doca_error_t
doca_devinfo_cap_is_notification_moderation_supported(const struct doca_devinfo *devinfo,
                                                      uint8_t *is_notification_moderation_supported)
{
    doca_error_t result = check(devinfo, is_notification_moderation_supported,
                                "is_notification_moderation_supported", __func__);

    if (result == DOCA_SUCCESS)
        *is_notification_moderation_supported = devinfo->soft->caps.notification_moderation;
    return result;
}

doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *is_accelerate_resource_reclaim)
{
    doca_error_t result =
        check(devinfo, is_accelerate_resource_reclaim, "is_accelerate_resource_reclaim", __func__);

    if (result == DOCA_SUCCESS)
        *is_accelerate_resource_reclaim = 0;
    return result;
}

/* The three questions about filters of representors. */
static doca_error_t check_filter(const struct doca_devinfo *devinfo, const uint8_t *supported,
                                 const char *out_name, const char *func)
{
    doca_error_t result = check(devinfo, supported, out_name, func);

    if (result != DOCA_SUCCESS || devinfo->soft->role == SOFT_ROLE_DPU)
        return result;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DEV, func, devinfo->name, "role",
                       "host" CORE_LIMIT "dpu" CORE_REMEDY "ask on the DPU");
}

doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported)
{
    doca_error_t result =
        check_filter(devinfo, filter_all_supported, "filter_all_supported", __func__);

    if (result == DOCA_SUCCESS)
        *filter_all_supported = devinfo->soft->caps.rep_filter_all;
    return result;
}

doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported)
{
    doca_error_t result =
        check_filter(devinfo, filter_net_supported, "filter_net_supported", __func__);

    if (result == DOCA_SUCCESS)
        *filter_net_supported = devinfo->soft->caps.rep_filter_net;
    return result;
}

doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported)
{
    doca_error_t result =
        check_filter(devinfo, filter_emulated_supported, "filter_emulated_supported", __func__);

    if (result == DOCA_SUCCESS)
        *filter_emulated_supported = devinfo->soft->caps.rep_filter_emulated;
    return result;
}
