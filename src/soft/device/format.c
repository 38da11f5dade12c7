/* SPDX-License-Identifier: BSD-3-Clause */
/* What the objects of a devices file consist of. docs/devices-file.md says it to people. */
#include "soft/device/format.h"

#include <limits.h>

#define MAX_TASKS (1 << 24)

#define NUM_OF(fields)                                                                             \
    {                                                                                              \
        fields, OD_ARRAY_SIZE(fields)                                                              \
    }

static const struct soft_field_choice roles[] = {
    {"host", SOFT_ROLE_HOST}, {"dpu", SOFT_ROLE_DPU}, {NULL, 0}};

static const struct soft_field_choice func_types[] = {
    {"PF", SOFT_FUNC_PF}, {"VF", SOFT_FUNC_VF}, {"SF", SOFT_FUNC_SF}, {NULL, 0}};

static const struct soft_field_choice link_layers[] = {
    {"ethernet", SOFT_LINK_ETHERNET}, {"infiniband", SOFT_LINK_INFINIBAND}, {NULL, 0}};

static const struct soft_field_choice port_states[] = {{"active", SOFT_PORT_ACTIVE},
                                                       {"down", SOFT_PORT_DOWN},
                                                       {"unknown", SOFT_PORT_UNKNOWN},
                                                       {NULL, 0}};

static const struct soft_field_choice accesses[] = {{"normal", SOFT_ACCESS_NORMAL},
                                                    {"unreachable", SOFT_ACCESS_UNREACHABLE},
                                                    {"bridge", SOFT_ACCESS_BRIDGE},
                                                    {NULL, 0}};

static const struct soft_field_choice unmatched[] = {
    {"kernel", SOFT_UNMATCHED_KERNEL}, {"queues", SOFT_UNMATCHED_QUEUES}, {NULL, 0}};

static const struct soft_field_choice oversizes[] = {
    {"drop", SOFT_OVERSIZE_DROP}, {"error", SOFT_OVERSIZE_ERROR}, {NULL, 0}};

static const struct soft_field_choice polls[] = {
    {"adaptive", SOFT_POLL_ADAPTIVE}, {"spin", SOFT_POLL_SPIN}, {NULL, 0}};

/* The engines of soft/copy, and those of them that the error engine can wrap. */
static const struct soft_field_choice copy_engines[] = {
    {"inline", 0}, {"threads", 0}, {"error", 0}, {NULL, 0}};
static const struct soft_field_choice copy_error_bases[] = {
    {"inline", 0}, {"threads", 0}, {NULL, 0}};

static const struct soft_field_choice bf_modes[] = {
    {"dpu", 0}, {"smartnic", 0}, {"switch", 0}, {NULL, 0}};

#define CAP_BOOL(member)                                                                           \
    {                                                                                              \
        .name = #member, .kind = SOFT_FIELD_BOOL, SOFT_FIELD_AT(struct soft_caps, member)          \
    }
#define CAP_UINT(member, lowest, highest)                                                          \
    {                                                                                              \
        .name = #member, .kind = SOFT_FIELD_UINT, SOFT_FIELD_AT(struct soft_caps, member),         \
        .min = (lowest), .max = (highest)                                                          \
    }
#define CAP_SIZE(member)                                                                           \
    {                                                                                              \
        .name = #member, .kind = SOFT_FIELD_SIZE, SOFT_FIELD_AT(struct soft_caps, member),         \
        .min = 1, .max = INT64_MAX                                                                 \
    }

static const struct soft_field caps_fields[] = {
    CAP_BOOL(mmap_export_pci),
    CAP_BOOL(mmap_from_export_pci),
    CAP_BOOL(rep_filter_all),
    CAP_BOOL(rep_filter_net),
    CAP_BOOL(rep_filter_emulated),
    CAP_BOOL(hotplug_manager),
    CAP_BOOL(notification_moderation),
    CAP_BOOL(sync_event),
    CAP_BOOL(sync_event_remote_pci),
    CAP_BOOL(sync_event_remote_net),
    CAP_BOOL(mmap_advise_cache_invalidate),
    CAP_SIZE(mmap_advise_max_buf_size),
    CAP_UINT(completion_vectors, 1, 1024),
    CAP_UINT(max_access_token_size, 0, 4096),
    CAP_UINT(max_opens, 0, 65535),
    CAP_BOOL(dma_memcpy),
    CAP_SIZE(dma_max_buf_size),
    CAP_UINT(dma_max_list_len, 1, 65535),
    CAP_UINT(dma_max_tasks, 1, MAX_TASKS),
    CAP_UINT(dma_queue_depth, 0, MAX_TASKS),
    CAP_BOOL(comch),
    CAP_UINT(comch_max_name_len, 2, 1024),
    CAP_UINT(comch_max_msg_size, 1, 65536),
    CAP_UINT(comch_max_recv_queue, 1, UINT16_MAX),
    CAP_UINT(comch_max_send_tasks, 1, UINT16_MAX),
    CAP_UINT(comch_max_clients, 1, UINT16_MAX),
    CAP_UINT(comch_connect_timeout, 0, 3600 * 1000),
    CAP_BOOL(comch_fast_path),
    CAP_UINT(comch_max_fast_tasks, 1, 1 << 20),
    {.name = "comch_max_buf_size",
     .kind = SOFT_FIELD_SIZE,
     SOFT_FIELD_AT(struct soft_caps, comch_max_buf_size),
     .min = 1,
     .max = UINT32_MAX},
    CAP_UINT(comch_max_imm_len, 0, 1024),
    CAP_UINT(comch_max_consumers, 1, INT16_MAX),
    CAP_UINT(comch_max_producers, 1, INT16_MAX),
};
const struct soft_field_table soft_device_caps_table = NUM_OF(caps_fields);

static const struct soft_field copy_fields[] = {
    {"engine", SOFT_FIELD_TEXT, SOFT_FIELD_AT(struct soft_copy_conf, engine), 1, 0, copy_engines},
    {"error_base", SOFT_FIELD_TEXT, SOFT_FIELD_AT(struct soft_copy_conf, error_base), 1, 0,
     copy_error_bases},
    {"threads", SOFT_FIELD_UINT, SOFT_FIELD_AT(struct soft_copy_conf, threads), 0, 64},
    {"split_above", SOFT_FIELD_SIZE, SOFT_FIELD_AT(struct soft_copy_conf, split_above), 0,
     INT64_MAX},
    {"faults", SOFT_FIELD_TEXT, SOFT_FIELD_AT(struct soft_copy_conf, faults)},
};
const struct soft_field_table soft_device_copy_table = NUM_OF(copy_fields);

static const struct soft_field engine_fields[] = {
    {"threads", SOFT_FIELD_UINT, SOFT_FIELD_AT(struct soft_engine_conf, threads), 1,
     SOFT_ENGINE_THREADS},
    {"poll", SOFT_FIELD_CHOICE, SOFT_FIELD_AT(struct soft_engine_conf, poll), .choices = polls},
    {"cpus", SOFT_FIELD_OTHER},
};
const struct soft_field_table soft_device_engine_table = NUM_OF(engine_fields);

#define MAX_RATE ((uint64_t)1000 * 1000 * 1000 * 1000 * 1000)

static const struct soft_field profile_fields[] = {
    {"comment", SOFT_FIELD_COMMENT},
    {"base", SOFT_FIELD_OTHER},
    {"active_rate", SOFT_FIELD_UINT, SOFT_FIELD_AT(struct soft_profile, active_rate), 0, MAX_RATE},
    {"caps", SOFT_FIELD_OTHER},
    {"copy", SOFT_FIELD_OTHER},
};
const struct soft_field_table soft_device_profile_table = NUM_OF(profile_fields);

#define AT(member) SOFT_FIELD_AT(struct soft_device, member)

static const struct soft_field device_fields[] = {
    {"role", SOFT_FIELD_CHOICE, AT(role), .choices = roles},
    {"pci", SOFT_FIELD_PCI, AT(pci)},
    {"card", SOFT_FIELD_TEXT, AT(card), 1},
    {"profile", SOFT_FIELD_OTHER},
    {"func_type", SOFT_FIELD_CHOICE, AT(func_type), .choices = func_types},
    {"sf_index", SOFT_FIELD_UINT, AT(sf_index), 0, UINT32_MAX, NULL, GIVEN_SF_INDEX},
    {"vf_index", SOFT_FIELD_UINT, AT(vf_index), 0, UINT16_MAX, NULL, GIVEN_VF_INDEX},
    {"pf_index", SOFT_FIELD_UINT, AT(pf_index), 0, UINT16_MAX, NULL, GIVEN_PF_INDEX},
    {"host_index", SOFT_FIELD_UINT, AT(host_index), 0, UINT16_MAX},
    {"total_vfs", SOFT_FIELD_UINT, AT(total_vfs), 0, UINT16_MAX, NULL, GIVEN_TOTAL_VFS},
    {"ibdev", SOFT_FIELD_IFACE, AT(ibdev), 1, 0, NULL, GIVEN_IBDEV},
    {"iface", SOFT_FIELD_IFACE, AT(iface), 1},
    {"iface_index", SOFT_FIELD_UINT, AT(iface_index), 1, INT32_MAX, NULL, GIVEN_IFACE_INDEX},
    {"mac", SOFT_FIELD_MAC, AT(mac), .given = GIVEN_MAC},
    {"ipv4", SOFT_FIELD_IPV4, AT(ipv4), .given = GIVEN_IPV4},
    {"ipv6", SOFT_FIELD_IPV6, AT(ipv6), .given = GIVEN_IPV6},
    {"link_layer", SOFT_FIELD_CHOICE, AT(link_layer), .choices = link_layers},
    {"lid", SOFT_FIELD_UINT, AT(lid), 0, UINT16_MAX, NULL, GIVEN_LID},
    {"state", SOFT_FIELD_CHOICE, AT(port_state), .choices = port_states, .given = GIVEN_STATE},
    {"mtu", SOFT_FIELD_UINT, AT(mtu), 68, 65536, NULL, GIVEN_MTU},
    {"active_rate", SOFT_FIELD_UINT, AT(active_rate), 0, MAX_RATE, NULL, GIVEN_ACTIVE_RATE},
    {"vhca_id", SOFT_FIELD_UINT, AT(vhca_id), 0, UINT16_MAX, NULL, GIVEN_VHCA_ID},
    {"vuid", SOFT_FIELD_TEXT, AT(vuid), 1, 0, NULL, GIVEN_VUID},
    {"uplink_ib_port", SOFT_FIELD_UINT, AT(uplink_ib_port), 1, UINT16_MAX},
    {"hotplug", SOFT_FIELD_BOOL, AT(hotplug)},
    {"uplink", SOFT_FIELD_BOOL, AT(uplink), .given = GIVEN_UPLINK},
    {"rep_iface", SOFT_FIELD_IFACE, AT(rep_iface), 1, 0, NULL, GIVEN_REP_IFACE},
    {"rep_iface_index", SOFT_FIELD_UINT, AT(rep_iface_index), 1, INT32_MAX, NULL,
     GIVEN_REP_IFACE_INDEX},
    {"rep_ib_port", SOFT_FIELD_UINT, AT(rep_ib_port), 1, UINT16_MAX, NULL, GIVEN_REP_IB_PORT},
    {"data_direct", SOFT_FIELD_BOOL, AT(data_direct)},
    {"data_direct_pci", SOFT_FIELD_PCI, AT(data_direct_pci), .given = GIVEN_DATA_DIRECT_PCI},
    {"access", SOFT_FIELD_CHOICE, AT(access), .choices = accesses},
    {"port", SOFT_FIELD_TEXT, AT(port), 1},
    {"unmatched", SOFT_FIELD_CHOICE, AT(unmatched), .choices = unmatched},
    {"oversize", SOFT_FIELD_CHOICE, AT(oversize), .choices = oversizes},
    {"engine", SOFT_FIELD_OTHER},
    {"urom_service", SOFT_FIELD_PLACE, AT(urom_service)},
    {"representors", SOFT_FIELD_OTHER, .given = GIVEN_REPRESENTORS},
    {"caps", SOFT_FIELD_OTHER},
    {"copy", SOFT_FIELD_OTHER},
    {"comment", SOFT_FIELD_COMMENT},
};
const struct soft_field_table soft_device_device_table = NUM_OF(device_fields);

static const struct soft_field file_fields[] = {
    {"comment", SOFT_FIELD_COMMENT},
    {"bf_mode", SOFT_FIELD_TEXT, SOFT_FIELD_AT(struct soft_device_head, bf_mode), 1, 0, bf_modes},
    {"bfb_file", SOFT_FIELD_TEXT, SOFT_FIELD_AT(struct soft_device_head, bfb_file), 1},
    {"profiles", SOFT_FIELD_OTHER},
    {"devices", SOFT_FIELD_OTHER},
};
const struct soft_field_table soft_device_file_table = NUM_OF(file_fields);

const char *soft_func_type_name(enum soft_func_type type)
{
    return func_types[type].name;
}
