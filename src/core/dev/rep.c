/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dev/dev_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The array that the user has, and what its elements point at. */
struct rep_list {
    struct core_registry_entry live;
    struct doca_devinfo_rep *infos;
    struct doca_devinfo_rep *array[]; /* ended by NULL */
};

struct open_rep {
    struct core_registry_entry live;
    struct doca_dev_rep pub;
};

static struct core_registry lists = CORE_REGISTRY_INIT(lists);
static struct core_registry open_reps = CORE_REGISTRY_INIT(open_reps);

/* ------------------------------------------------------------------------------------------------
 * Lists
 */

#define FILTER_BITS (DOCA_DEVINFO_REP_FILTER_NET | DOCA_DEVINFO_REP_FILTER_EMULATED)

/* Name of a part of the filter that the device does not offer; NULL when it offers all. */
static const char *missing_filter(const struct soft_caps *caps, int filter)
{
    if (filter == DOCA_DEVINFO_REP_FILTER_ALL && !caps->rep_filter_all)
        return "ALL";
    if ((filter & DOCA_DEVINFO_REP_FILTER_NET) != 0 && !caps->rep_filter_net)
        return "NET";
    if ((filter & DOCA_DEVINFO_REP_FILTER_EMULATED) != 0 && !caps->rep_filter_emulated)
        return "EMULATED";
    return NULL;
}

static doca_error_t check_filter(const struct doca_dev *dev, int filter)
{
    static const char func[] = "doca_devinfo_rep_create_list";
    const struct soft_device *soft = dev->info.soft;
    const char *missing;

    if ((filter & ~FILTER_BITS) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, func, dev->info.name, "filter",
                         "%#x" CORE_LIMIT "bits of %#x" CORE_REMEDY
                         "combine values of enum doca_devinfo_rep_filter",
                         (unsigned int)filter, (unsigned int)FILTER_BITS);
    if (soft->role != SOFT_ROLE_DPU)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DEV, func, dev->info.name, "role",
                         "host" CORE_LIMIT "dpu" CORE_REMEDY
                         "list representors on the DPU, where they stand for host functions");
    missing = missing_filter(&soft->caps, filter);
    if (missing != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_DEV, func, dev->info.name, "filter",
                         "%s, not offered by profile %s" CORE_REMEDY
                         "ask doca_devinfo_rep_cap_is_filter_..._supported() first",
                         missing, soft->profile);
    return DOCA_SUCCESS;
}

static void free_list(struct rep_list *list)
{
    free(list->infos);
    free(list);
}

static struct rep_list *new_list(uint32_t num)
{
    struct rep_list *list = calloc(1, sizeof(*list) + (num + 1) * sizeof(list->array[0]));

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

static void fill_list(struct rep_list *list, const struct soft_device *parent, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++) {
        struct doca_devinfo_rep *info = &list->infos[i];

        info->soft = parent->reps[i];
        info->parent = parent;
        soft_device_id(info->soft, info->name);
        list->array[i] = info;
    }
}

static doca_error_t check_list(struct doca_dev *dev, const void *dev_list_rep,
                               const void *nb_devs_rep)
{
    static const char func[] = "doca_devinfo_rep_create_list";

    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, func, "dev");
    if (dev_list_rep == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, func, "dev_list_rep");
    if (nb_devs_rep == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, func, "nb_devs_rep");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, func, NULL, "dev",
                         "%p, no open device" CORE_REMEDY "open it first", (void *)dev);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep)
{
    doca_error_t result = check_list(dev, dev_list_rep, nb_devs_rep);
    struct rep_list *list;
    uint32_t num;

    if (result == DOCA_SUCCESS)
        result = check_filter(dev, filter);
    if (result != DOCA_SUCCESS)
        return result;
    /* Emulated functions do not exist here: every representor is one of the network kind. */
    num = filter == DOCA_DEVINFO_REP_FILTER_EMULATED ? 0 : dev->info.soft->nreps;
    list = new_list(num);
    if (list == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_DEV, __func__, dev->info.name, NULL,
                         "no memory for a list of %" PRIu32 " representors", num);
    fill_list(list, dev->info.soft, num);
    core_registry_add(&lists, &list->live);
    *dev_list_rep = list->array;
    *nb_devs_rep = num;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
    struct core_registry_entry *entry;

    if (dev_list_rep == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, __func__, "dev_list_rep");
    entry = core_registry_take(&lists, dev_list_rep);
    if (entry == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, __func__, NULL, "dev_list_rep",
                         "%p, no living list" CORE_REMEDY
                         "destroy each list once, by the pointer that its creation returned",
                         (void *)dev_list_rep);
    free_list(OD_LIST_ENTRY(entry, struct rep_list, live));
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Opening
 */

static doca_error_t check(const struct doca_devinfo_rep *info, const void *out,
                          const char *out_name, const char *func)
{
    if (info == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, func, "devinfo_rep");
    if (out == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, func, out_name);
    if (!core_registry_has(&lists, info) && !core_registry_has(&open_reps, info))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, func, NULL, "devinfo_rep",
                         "%p, neither of a living list nor of an open representor" CORE_REMEDY
                         "destroy the list later, or take doca_dev_rep_as_devinfo()",
                         (const void *)info);
    return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep)
{
    doca_error_t result = check(devinfo, dev_rep, "dev_rep", __func__);
    struct open_rep *rep;

    if (result != DOCA_SUCCESS)
        return result;
    rep = calloc(1, sizeof(*rep));
    if (rep == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_DEV, __func__, devinfo->name, NULL,
                         "no memory for the representor");
    rep->pub.info = *devinfo;
    rep->pub.dev = core_dev_hold_open(devinfo->parent, CORE_DEV_USER_REP);
    if (rep->pub.dev == NULL) {
        free(rep);
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, __func__, devinfo->name,
                         "its device", "closed" CORE_REMEDY "keep the device open");
    }
    rep->live = (struct core_registry_entry){
        .handle = &rep->pub, .first = &rep->pub.info, .size = sizeof(rep->pub.info), .num = 1};
    core_registry_add(&open_reps, &rep->live);
    *dev_rep = &rep->pub;
    return DOCA_SUCCESS;
}

bool core_dev_rep_is_valid(const struct doca_dev_rep *rep)
{
    return core_registry_has(&open_reps, &rep->info);
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev)
{
    struct core_registry_entry *entry;
    uint32_t users;

    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_DEV, __func__, "dev");
    users = core_registry_has(&open_reps, &dev->info)
                ? atomic_load_explicit(&dev->users, memory_order_acquire)
                : 0;
    if (users > 0)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_DEV, __func__, dev->info.name, NULL,
                         "used by servers: %" PRIu32 CORE_REMEDY "destroy them first", users);
    entry = core_registry_take(&open_reps, dev);
    if (entry == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DEV, __func__, NULL, "dev",
                         "%p, no open representor" CORE_REMEDY "close each open once", (void *)dev);
    core_dev_release(dev->dev, CORE_DEV_USER_REP);
    free(OD_LIST_ENTRY(entry, struct open_rep, live));
    return DOCA_SUCCESS;
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
    return dev_rep != NULL ? &dev_rep->info : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Attributes
 */

#define REP_HAS_NOT(error, info, attribute, ...)                                                   \
    CORE_ANSWER(error, CORE_LOG_DEV, __func__, (info)->name, attribute, __VA_ARGS__)

static doca_error_t copy_vuid(const struct doca_devinfo_rep *info, const struct soft_device *soft,
                              char *out, uint32_t size, const char *func)
{
    size_t needed = strlen(soft->vuid) + 1;
    doca_error_t result = core_dev_check_size(func, info->name, size, needed);

    if (result == DOCA_SUCCESS)
        memcpy(out, soft->vuid, needed);
    return result;
}

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size)
{
    doca_error_t result = check(devinfo_rep, rep_vuid, "rep_vuid", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    return copy_vuid(devinfo_rep, devinfo_rep->soft, rep_vuid, size, __func__);
}

/* The physical function that a function is or belongs to; itself when the file has no such one. */
static const struct soft_device *find_pf(const struct soft_device *soft)
{
    const struct soft_topology *topology;

    if (soft->func_type == SOFT_FUNC_PF || soft_device_topology(&topology) != 0)
        return soft;
    for (uint32_t i = 0; i < topology->ndevices; i++) {
        const struct soft_device *pf = &topology->devices[i];

        if (pf->role == soft->role && pf->func_type == SOFT_FUNC_PF &&
            strcmp(pf->card, soft->card) == 0 && pf->host_index == soft->host_index &&
            pf->pf_index == soft->pf_index)
            return pf;
    }
    return soft;
}

doca_error_t doca_devinfo_rep_get_pf_vuid(struct doca_devinfo_rep *devinfo_rep, char *pf_vuid,
                                          uint32_t size)
{
    doca_error_t result = check(devinfo_rep, pf_vuid, "pf_vuid", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    return copy_vuid(devinfo_rep, find_pf(devinfo_rep->soft), pf_vuid, size, __func__);
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str)
{
    doca_error_t result = check(devinfo_rep, pci_addr_str, "pci_addr_str", __func__);

    if (result == DOCA_SUCCESS)
        od_format_pci_addr(&devinfo_rep->soft->pci, pci_addr_str);
    return result;
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type)
{
    doca_error_t result = check(devinfo_rep, pci_func_type, "pci_func_type", __func__);

    if (result == DOCA_SUCCESS)
        *pci_func_type = core_dev_func_type(devinfo_rep->soft);
    return result;
}

doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug)
{
    doca_error_t result = check(devinfo_rep, is_hotplug, "is_hotplug", __func__);

    if (result == DOCA_SUCCESS)
        *is_hotplug = devinfo_rep->soft->hotplug;
    return result;
}

doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size)
{
    doca_error_t result = check(devinfo_rep, iface_name, "iface_name", __func__);
    const char *name;

    if (result == DOCA_SUCCESS)
        result =
            core_dev_check_size(__func__, devinfo_rep->name, size, DOCA_DEVINFO_IFACE_NAME_SIZE);
    if (result != DOCA_SUCCESS)
        return result;
    name = devinfo_rep->soft->rep_iface;
    if (name[0] == '\0')
        return REP_HAS_NOT(DOCA_ERROR_OPERATING_SYSTEM, devinfo_rep, NULL,
                           "the representor has no network interface");
    memcpy(iface_name, name, strlen(name) + 1);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep,
                                              uint32_t *iface_index)
{
    doca_error_t result = check(devinfo_rep, iface_index, "iface_index", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (devinfo_rep->soft->rep_iface_index == 0)
        return REP_HAS_NOT(DOCA_ERROR_INVALID_VALUE, devinfo_rep, NULL,
                           "the system has no network interface of the representor");
    *iface_index = devinfo_rep->soft->rep_iface_index;
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_ib_port(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *ib_port)
{
    doca_error_t result = check(devinfo_rep, ib_port, "ib_port", __func__);

    if (result == DOCA_SUCCESS)
        *ib_port = devinfo_rep->soft->rep_ib_port;
    return result;
}

doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep,
                                             uint32_t *host_index)
{
    doca_error_t result = check(devinfo_rep, host_index, "host_index", __func__);

    if (result == DOCA_SUCCESS)
        *host_index = devinfo_rep->soft->host_index;
    return result;
}

doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *pf_index)
{
    doca_error_t result = check(devinfo_rep, pf_index, "pf_index", __func__);

    if (result == DOCA_SUCCESS)
        *pf_index = devinfo_rep->soft->pf_index;
    return result;
}

/* Indices that only one type of function has. */
static doca_error_t check_type(const struct doca_devinfo_rep *info, enum soft_func_type type,
                               doca_error_t error, const char *func)
{
    if (info->soft->func_type == type)
        return DOCA_SUCCESS;
    return CORE_ANSWER(error, CORE_LOG_DEV, func, info->name, "function type", "%s" CORE_LIMIT "%s",
                       soft_func_type_name(info->soft->func_type), soft_func_type_name(type));
}

doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *vf_index)
{
    doca_error_t result = check(devinfo_rep, vf_index, "vf_index", __func__);

    if (result == DOCA_SUCCESS)
        result = check_type(devinfo_rep, SOFT_FUNC_VF, DOCA_ERROR_INVALID_VALUE, __func__);
    if (result == DOCA_SUCCESS)
        *vf_index = devinfo_rep->soft->vf_index;
    return result;
}

doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *sf_index)
{
    doca_error_t result = check(devinfo_rep, sf_index, "sf_index", __func__);

    if (result == DOCA_SUCCESS)
        result = check_type(devinfo_rep, SOFT_FUNC_SF, DOCA_ERROR_INVALID_VALUE, __func__);
    if (result == DOCA_SUCCESS)
        *sf_index = devinfo_rep->soft->sf_index;
    return result;
}

doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id)
{
    doca_error_t result = check(devinfo_rep, vhca_id, "vhca_id", __func__);

    if (result == DOCA_SUCCESS)
        *vhca_id = devinfo_rep->soft->vhca_id;
    return result;
}

doca_error_t doca_devinfo_rep_get_total_vfs(const struct doca_devinfo_rep *devinfo_rep,
                                            uint32_t *total_vfs)
{
    doca_error_t result = check(devinfo_rep, total_vfs, "total_vfs", __func__);

    if (result == DOCA_SUCCESS)
        result = check_type(devinfo_rep, SOFT_FUNC_PF, DOCA_ERROR_NOT_PERMITTED, __func__);
    if (result == DOCA_SUCCESS)
        *total_vfs = devinfo_rep->soft->total_vfs;
    return result;
}

doca_error_t doca_devinfo_rep_get_data_direct_pci_dev(struct doca_devinfo_rep *devinfo_rep,
                                                      char *pci_addr_str)
{
    doca_error_t result = check(devinfo_rep, pci_addr_str, "pci_addr_str", __func__);

    if (result != DOCA_SUCCESS)
        return result;
    return core_dev_get_data_direct(__func__, devinfo_rep->name, devinfo_rep->soft, pci_addr_str);
}

doca_error_t doca_devinfo_rep_get_is_uplink_representor(const struct doca_devinfo_rep *devinfo_rep,
                                                        uint8_t *is_uplink_representor)
{
    doca_error_t result =
        check(devinfo_rep, is_uplink_representor, "is_uplink_representor", __func__);

    if (result == DOCA_SUCCESS)
        *is_uplink_representor = devinfo_rep->soft->uplink;
    return result;
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal)
{
    doca_error_t result = check(devinfo_rep, pci_addr_str, "pci_addr_str", __func__);

    if (result == DOCA_SUCCESS)
        result = check(devinfo_rep, is_equal, "is_equal", __func__);
    if (result != DOCA_SUCCESS)
        return result;
    return core_dev_compare_pci(__func__, devinfo_rep->name, &devinfo_rep->soft->pci, pci_addr_str,
                                is_equal);
}
