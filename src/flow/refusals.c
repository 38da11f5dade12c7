/* SPDX-License-Identifier: BSD-3-Clause */
/* What is there for linking and is not offered. */

#include "flow/flow_priv.h"

static doca_error_t refuse(const void *object, const char *what, const char *func)
{
    if (object == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, func, "argument");
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, NULL, what,
                     "asked for" CORE_LIMIT "BASIC and CONTROL pipes, counters of entries");
}

doca_error_t doca_flow_shared_resource_set_cfg(enum doca_flow_shared_resource_type type,
                                               uint32_t id,
                                               struct doca_flow_shared_resource_cfg *cfg)
{
    (void)type;
    (void)id;
    return refuse(cfg, "shared resources", __func__);
}

doca_error_t doca_flow_shared_resources_bind(enum doca_flow_shared_resource_type type,
                                             uint32_t *res_array, uint32_t res_array_len,
                                             void *bindable_obj)
{
    (void)type;
    (void)res_array_len;
    (void)bindable_obj;
    return refuse(res_array, "shared resources", __func__);
}

doca_error_t doca_flow_shared_resources_query(enum doca_flow_shared_resource_type type,
                                              uint32_t *res_array,
                                              struct doca_flow_resource_query *data_array,
                                              uint32_t array_len)
{
    (void)type;
    (void)data_array;
    (void)array_len;
    return refuse(res_array, "shared resources", __func__);
}

doca_error_t
doca_flow_pipe_resize(struct doca_flow_pipe *pipe, uint8_t new_congestion_level,
                      doca_flow_pipe_resize_nr_entries_changed_cb nr_entries_changed_cb,
                      doca_flow_pipe_resize_entry_relocate_cb entry_relocation_cb)
{
    (void)new_congestion_level;
    (void)nr_entries_changed_cb;
    (void)entry_relocation_cb;
    return refuse(pipe, "resizing", __func__);
}

doca_error_t doca_flow_pipe_lpm_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask,
                                          uint8_t action_idx,
                                          const struct doca_flow_actions *actions,
                                          const struct doca_flow_monitor *monitor,
                                          const struct doca_flow_fwd *fwd, uint32_t flags,
                                          void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    (void)pipe_queue;
    (void)match;
    (void)match_mask;
    (void)action_idx;
    (void)actions;
    (void)monitor;
    (void)fwd;
    (void)flags;
    (void)usr_ctx;
    (void)entry;
    return refuse(pipe, "LPM pipes", __func__);
}

doca_error_t doca_flow_pipe_lpm_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                             uint8_t action_idx,
                                             const struct doca_flow_actions *actions,
                                             const struct doca_flow_monitor *monitor,
                                             const struct doca_flow_fwd *fwd, uint32_t flags,
                                             struct doca_flow_pipe_entry *entry)
{
    (void)pipe_queue;
    (void)action_idx;
    (void)actions;
    (void)monitor;
    (void)fwd;
    (void)flags;
    (void)entry;
    return refuse(pipe, "LPM pipes", __func__);
}

doca_error_t doca_flow_pipe_ordered_list_add_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, uint32_t idx,
    const struct doca_flow_ordered_list *ordered_list, const struct doca_flow_fwd *fwd,
    uint32_t flags, void *user_ctx, struct doca_flow_pipe_entry **entry)
{
    (void)pipe_queue;
    (void)idx;
    (void)ordered_list;
    (void)fwd;
    (void)flags;
    (void)user_ctx;
    (void)entry;
    return refuse(pipe, "ordered lists", __func__);
}

doca_error_t doca_flow_pipe_acl_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask,
                                          uint8_t action_idx,
                                          const struct doca_flow_actions *actions,
                                          const uint32_t priority, const struct doca_flow_fwd *fwd,
                                          uint32_t flags, void *usr_ctx,
                                          struct doca_flow_pipe_entry **entry)
{
    (void)pipe_queue;
    (void)match;
    (void)match_mask;
    (void)action_idx;
    (void)actions;
    (void)priority;
    (void)fwd;
    (void)flags;
    (void)usr_ctx;
    (void)entry;
    return refuse(pipe, "ACL pipes", __func__);
}

doca_error_t doca_flow_pipe_acl_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                             uint8_t action_idx,
                                             const struct doca_flow_actions *actions,
                                             const struct doca_flow_fwd *fwd, uint32_t flags,
                                             struct doca_flow_pipe_entry *entry)
{
    (void)pipe_queue;
    (void)action_idx;
    (void)actions;
    (void)fwd;
    (void)flags;
    (void)entry;
    return refuse(pipe, "ACL pipes", __func__);
}

doca_error_t doca_flow_pipe_hash_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                           uint32_t entry_index, uint8_t action_idx,
                                           const struct doca_flow_actions *actions,
                                           const struct doca_flow_monitor *monitor,
                                           const struct doca_flow_fwd *fwd, uint32_t flags,
                                           void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    (void)pipe_queue;
    (void)entry_index;
    (void)action_idx;
    (void)actions;
    (void)monitor;
    (void)fwd;
    (void)flags;
    (void)usr_ctx;
    (void)entry;
    return refuse(pipe, "HASH pipes", __func__);
}

doca_error_t doca_flow_pipe_calc_hash(struct doca_flow_pipe *pipe,
                                      const struct doca_flow_match *match, uint32_t *hash)
{
    (void)match;
    (void)hash;
    return refuse(pipe, "HASH pipes", __func__);
}

doca_error_t doca_flow_port_calc_entropy(struct doca_flow_port *port,
                                         struct doca_flow_entropy_format *header, uint16_t *entropy)
{
    (void)header;
    (void)entropy;
    return refuse(port, "tunnels", __func__);
}

doca_error_t
doca_flow_parser_geneve_opt_create(const struct doca_flow_port *port,
                                   const struct doca_flow_parser_geneve_opt_cfg tlv_list[],
                                   uint8_t nb_options, struct doca_flow_parser **parser)
{
    (void)tlv_list;
    (void)nb_options;
    (void)parser;
    return refuse(port, "tunnels", __func__);
}

doca_error_t doca_flow_parser_geneve_opt_destroy(struct doca_flow_parser *parser)
{
    return refuse(parser, "tunnels", __func__);
}

doca_error_t doca_flow_cfg_set_definitions(struct doca_flow_cfg *cfg,
                                           const struct doca_flow_definitions *defs)
{
    (void)defs;
    return refuse(cfg, "fields by name", __func__);
}

doca_error_t doca_flow_port_cfg_set_dev_rep(struct doca_flow_port_cfg *cfg,
                                            struct doca_dev_rep *dev)
{
    (void)dev;
    return refuse(cfg, "representors", __func__);
}

doca_error_t doca_flow_port_shared_resource_set_cfg(struct doca_flow_port *port,
                                                    enum doca_flow_shared_resource_type type,
                                                    uint32_t shared_resource_id,
                                                    struct doca_flow_shared_resource_cfg *cfg)
{
    (void)type;
    (void)shared_resource_id;
    (void)cfg;
    return refuse(port, "shared resources", __func__);
}

doca_error_t doca_flow_port_shared_resource_get(struct doca_flow_port *port,
                                                enum doca_flow_shared_resource_type type,
                                                uint32_t *shared_resource_id)
{
    (void)type;
    (void)shared_resource_id;
    return refuse(port, "shared resources", __func__);
}

doca_error_t doca_flow_port_shared_resource_put(struct doca_flow_port *port,
                                                enum doca_flow_shared_resource_type type,
                                                uint32_t shared_resource_id)
{
    (void)type;
    (void)shared_resource_id;
    return refuse(port, "shared resources", __func__);
}

doca_error_t doca_flow_port_shared_resources_query(struct doca_flow_port *port,
                                                   enum doca_flow_shared_resource_type type,
                                                   uint32_t *res_array,
                                                   struct doca_flow_resource_query *data_array,
                                                   uint32_t array_len)
{
    (void)type;
    (void)res_array;
    (void)data_array;
    (void)array_len;
    return refuse(port, "shared resources", __func__);
}

doca_error_t
doca_flow_pipe_cfg_set_ordered_lists(struct doca_flow_pipe_cfg *cfg,
                                     struct doca_flow_ordered_list *const *ordered_lists,
                                     size_t nr_ordered_lists)
{
    (void)ordered_lists;
    (void)nr_ordered_lists;
    return refuse(cfg, "ordered lists", __func__);
}

doca_error_t doca_flow_pipe_cfg_set_hash_map_algorithm(struct doca_flow_pipe_cfg *cfg,
                                                       uint32_t algorithm_flags)
{
    (void)algorithm_flags;
    return refuse(cfg, "HASH pipes", __func__);
}

doca_error_t doca_flow_crypto_psp_master_key_rotate(struct doca_flow_port *port)
{
    return refuse(port, "cryptography of packets", __func__);
}

doca_error_t doca_flow_crypto_psp_spi_key_bulk_alloc(
    struct doca_flow_port *port, enum doca_flow_crypto_key_type key_type, uint32_t nr_spi_keys,
    struct doca_flow_crypto_psp_spi_key_bulk **spi_key_bulk)
{
    (void)key_type;
    (void)nr_spi_keys;
    (void)spi_key_bulk;
    return refuse(port, "cryptography of packets", __func__);
}

doca_error_t
doca_flow_crypto_psp_spi_key_bulk_generate(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk)
{
    return refuse(spi_key_bulk, "cryptography of packets", __func__);
}

doca_error_t
doca_flow_crypto_psp_spi_key_bulk_get(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk,
                                      uint32_t spi_key_idx, uint32_t *spi, uint32_t *key)
{
    (void)spi_key_idx;
    (void)spi;
    (void)key;
    return refuse(spi_key_bulk, "cryptography of packets", __func__);
}

doca_error_t
doca_flow_crypto_psp_spi_key_wipe(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk,
                                  uint32_t spi_key_idx)
{
    (void)spi_key_idx;
    return refuse(spi_key_bulk, "cryptography of packets", __func__);
}

doca_error_t
doca_flow_crypto_psp_spi_key_bulk_clear(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk)
{
    return refuse(spi_key_bulk, "cryptography of packets", __func__);
}

doca_error_t
doca_flow_crypto_psp_spi_key_bulk_free(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk)
{
    return refuse(spi_key_bulk, "cryptography of packets", __func__);
}

doca_error_t doca_flow_crypto_ipsec_resource_handle(struct doca_flow_port *port, uint64_t quota,
                                                    uint32_t max_processed_resources)
{
    (void)quota;
    (void)max_processed_resources;
    return refuse(port, "cryptography of packets", __func__);
}

doca_error_t doca_flow_crypto_ipsec_update_sn(uint32_t shared_res_id, uint64_t sequence_number)
{
    (void)shared_res_id;
    (void)sequence_number;
    return refuse("", "cryptography of packets", __func__);
}

doca_error_t doca_flow_port_crypto_ipsec_update_sn(struct doca_flow_port *port,
                                                   uint32_t shared_res_id, uint64_t sequence_number)
{
    (void)shared_res_id;
    (void)sequence_number;
    return refuse(port, "cryptography of packets", __func__);
}
