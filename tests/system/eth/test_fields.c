/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks, batches and settings were given is what they tell; settings without effect are taken.
 */
#include "lib/flow_fixture.h"

#define NO_DATA ((union doca_data){.u64 = 0})
#define BOTH    (DOCA_ETH_TXQ_OL_FLAGS_L3_CSUM | DOCA_ETH_TXQ_OL_FLAGS_L4_CSUM)

static void on_send(struct doca_eth_txq_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task;
    (void)task_data;
    (void)ctx_data;
}

static void on_lso(struct doca_eth_txq_task_lso_send *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task;
    (void)task_data;
    (void)ctx_data;
}

static void on_batch(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                     union doca_data batch_data, union doca_data *task_data, struct doca_buf **pkts,
                     doca_error_t *status)
{
    (void)batch;
    (void)num;
    (void)ctx_data;
    (void)batch_data;
    (void)task_data;
    (void)pkts;
    (void)status;
}

static void on_lso_batch(struct doca_task_batch *batch, uint16_t num, union doca_data ctx_data,
                         union doca_data batch_data, union doca_data *task_data,
                         struct doca_buf **pkts, struct doca_gather_list **headers,
                         doca_error_t *status)
{
    (void)headers;
    on_batch(batch, num, ctx_data, batch_data, task_data, pkts, status);
}

static struct doca_eth_txq *open_txq(struct eth_fix *fix)
{
    struct doca_eth_txq *txq;

    assert_ok(doca_eth_txq_create(fix->a, 256, &txq));
    assert_ok(doca_eth_txq_set_metadata_num(txq, 3));
    assert_ok(doca_eth_txq_set_mss(txq, 700));
    assert_ok(doca_eth_txq_set_l3_chksum_offload(txq, 1));
    assert_ok(doca_eth_txq_task_send_set_conf(txq, on_send, on_send, 4));
    assert_ok(doca_eth_txq_task_lso_send_set_conf(txq, on_lso, on_lso, 4));
    assert_ok(doca_eth_txq_task_batch_send_set_conf(txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16, 1,
                                                    on_batch, on_batch));
    assert_ok(doca_eth_txq_task_batch_lso_send_set_conf(txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16, 1,
                                                        on_lso_batch, on_lso_batch));
    assert_ok(doca_pe_connect_ctx(fix->pe, doca_eth_txq_as_doca_ctx(txq)));
    assert_ok(doca_ctx_start(doca_eth_txq_as_doca_ctx(txq)));
    return txq;
}

static void tasks_tell_what_they_send(void **state)
{
    char bytes[14] = {0};
    struct doca_gather_list headers[2] = {{.addr = bytes, .len = 14}, {.addr = bytes, .len = 14}};
    struct doca_eth_txq_task_lso_send *lso;
    struct doca_eth_txq_task_send *send;
    struct doca_gather_list *list;
    struct doca_buf *bufs[2], *buf;
    struct doca_eth_txq *txq;
    struct eth_fix fix;
    uint32_t *metadata, number;

    (void)state;
    eth_fix_open(&fix, MEM);
    txq = open_txq(&fix);
    for (int i = 0; i < 2; i++)
        bufs[i] = eth_buf(&fix, (size_t)i * 2048, 2048, 100);
    assert_ok(doca_eth_txq_get_hw_queue_num(txq, &number));
    assert_ok(doca_eth_txq_task_send_allocate_init(txq, bufs[0], NO_DATA, &send));
    doca_eth_txq_task_send_set_pkt(send, bufs[1]);
    assert_ok(doca_eth_txq_task_send_get_pkt(send, &buf));
    assert_ptr_equal(buf, bufs[1]);
    doca_eth_txq_task_send_set_ol_flags(send, BOTH);
    assert_ok(doca_eth_txq_task_send_get_metadata_array(send, &metadata));
    metadata[2] = 7;
    doca_task_free(doca_eth_txq_task_send_as_doca_task(send));
    assert_ok(doca_eth_txq_task_lso_send_allocate_init(txq, bufs[0], &headers[0], NO_DATA, &lso));
    doca_eth_txq_task_lso_send_set_pkt_payload(lso, bufs[1]);
    assert_ok(doca_eth_txq_task_lso_send_get_pkt_payload(lso, &buf));
    assert_ptr_equal(buf, bufs[1]);
    doca_eth_txq_task_lso_send_set_headers(lso, &headers[1]);
    assert_ok(doca_eth_txq_task_lso_send_get_headers(lso, &list));
    assert_ptr_equal(list, &headers[1]);
    doca_eth_txq_task_lso_send_set_ol_flags(lso, BOTH);
    assert_ok(doca_eth_txq_task_lso_send_get_metadata_array(lso, &metadata));
    metadata[2] = 7;
    doca_task_free(doca_eth_txq_task_lso_send_as_doca_task(lso));
    for (int i = 0; i < 2; i++)
        assert_ok(doca_buf_dec_refcount(bufs[i], NULL));
    eth_stop(&fix, doca_eth_txq_as_doca_ctx(txq));
    assert_ok(doca_eth_txq_destroy(txq));
    eth_fix_close(&fix);
}

/* As the queue has them at first; each task of a batch may have its own. */
static void batches_have_arrays_of_settings(void **state)
{
    struct doca_gather_list **headers;
    struct doca_task_batch *batch;
    union doca_data *data;
    struct doca_buf **pkts;
    struct doca_eth_txq *txq;
    uint16_t *flags, *mss;
    uint32_t *metadata;
    struct eth_fix fix;

    (void)state;
    eth_fix_open(&fix, MEM);
    txq = open_txq(&fix);
    assert_ok(doca_eth_txq_task_batch_send_allocate(txq, 16, NO_DATA, &pkts, &data, &batch));
    assert_ok(doca_eth_txq_task_batch_send_get_ol_flags_array(batch, &flags));
    assert_ok(doca_eth_txq_task_batch_send_get_metadata_array(batch, &metadata));
    assert_int_equal(flags[15], DOCA_ETH_TXQ_OL_FLAGS_L3_CSUM);
    metadata[15 * 3 + 2] = 99;
    assert_int_equal(doca_eth_txq_task_batch_metadata_array_get_metadata(metadata, 3, 15, 2), 99);
    doca_task_batch_free(batch);
    assert_ok(doca_eth_txq_task_batch_lso_send_allocate(txq, 16, NO_DATA, &pkts, &headers, &data,
                                                        &batch));
    assert_ok(doca_eth_txq_task_batch_lso_send_get_ol_flags_array(batch, &flags));
    assert_ok(doca_eth_txq_task_batch_lso_send_get_mss_array(batch, &mss));
    assert_ok(doca_eth_txq_task_batch_lso_send_get_metadata_array(batch, &metadata));
    assert_int_equal(flags[15], DOCA_ETH_TXQ_OL_FLAGS_L3_CSUM);
    assert_int_equal(mss[15], 700);
    metadata[15 * 3 + 2] = 99;
    doca_task_batch_free(batch);
    eth_stop(&fix, doca_eth_txq_as_doca_ctx(txq));
    assert_ok(doca_eth_txq_destroy(txq));
    eth_fix_close(&fix);
}

/* ---- Flow ---- */

static void start_library(void)
{
    struct doca_flow_tune_cfg *tune;
    struct doca_flow_cfg *cfg;

    assert_ok(doca_flow_tune_cfg_create(&tune));
    assert_ok(doca_flow_tune_cfg_set_profile(tune, DOCA_FLOW_TUNE_PROFILE_FULL));
    assert_ok(doca_flow_cfg_create(&cfg));
    assert_ok(doca_flow_cfg_set_mode_args(cfg, "vnf,hws,expert,cpds,hairpinq_num=4,remote_vnf"));
    assert_ok(doca_flow_cfg_set_tune_cfg(cfg, tune));
    assert_ok(doca_flow_cfg_set_nr_acl_collisions(cfg, 3));
    assert_ok(doca_flow_cfg_set_cb_pipe_process(cfg, NULL));
    assert_ok(doca_flow_cfg_set_cb_shared_resource_unbind(cfg, NULL));
    assert_ok(doca_flow_cfg_set_resource_mode(cfg, DOCA_FLOW_RESOURCE_MODE_PORT));
    assert_ok(doca_flow_init(cfg));
    assert_ok(doca_flow_cfg_destroy(cfg));
    assert_ok(doca_flow_tune_cfg_destroy(tune));
}

static void start_tuned_port(uint16_t id, struct doca_dev *dev, uint16_t priv_size,
                             struct doca_flow_port **port)
{
    struct doca_flow_port_cfg *cfg;

    assert_ok(doca_flow_port_cfg_create(&cfg));
    assert_ok(doca_flow_port_cfg_set_port_id(cfg, id));
    assert_ok(doca_flow_port_cfg_set_dev(cfg, dev));
    assert_ok(doca_flow_port_cfg_set_devargs(cfg, "0"));
    assert_ok(doca_flow_port_cfg_set_priv_data_size(cfg, priv_size));
    assert_ok(doca_flow_port_cfg_set_ipsec_sn_offload_disable(cfg));
    assert_ok(doca_flow_port_cfg_set_operation_state(cfg, DOCA_FLOW_PORT_OPERATION_STATE_ACTIVE));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_flow_port_cfg_set_operation_state(
                                              cfg, DOCA_FLOW_PORT_OPERATION_STATE_STANDBY));
    assert_ok(doca_flow_port_cfg_set_actions_mem_size(cfg, 4096));
    assert_ok(doca_flow_port_cfg_set_service_threads_core(cfg, 1));
    assert_ok(doca_flow_port_cfg_set_service_threads_cycle(cfg, 10));
    assert_ok(doca_flow_port_cfg_set_nr_resources(cfg, DOCA_FLOW_RESOURCE_COUNTER, 1024));
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                doca_flow_port_cfg_set_nr_resources(cfg, (enum doca_flow_resource)99, 1));
    assert_ok(doca_flow_port_start(cfg, port));
    assert_ok(doca_flow_port_cfg_destroy(cfg));
}

static struct doca_flow_pipe *make_tuned_pipe(struct doca_flow_port *port)
{
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_pipe *pipe;

    assert_ok(doca_flow_pipe_cfg_create(&cfg, port));
    assert_ok(doca_flow_pipe_cfg_set_name(cfg, "the one that is dumped"));
    assert_ok(doca_flow_pipe_cfg_set_label(cfg, "label"));
    assert_ok(doca_flow_pipe_cfg_set_excluded_queue(cfg, 0));
    assert_ok(doca_flow_pipe_cfg_set_congestion_level_threshold(cfg, 80));
    assert_ok(doca_flow_pipe_cfg_set_user_ctx(cfg, port));
    assert_ok(doca_flow_pipe_create(cfg, &dropped, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    return pipe;
}

static void settings_without_effect_are_taken(void **state)
{
    char text[256] = {0};
    struct doca_flow_port *port, *plain;
    FILE *file = fmemopen(text, sizeof(text) - 1, "w");
    struct eth_fix fix;

    (void)state;
    eth_fix_open(&fix, MEM);
    start_library();
    start_tuned_port(0, fix.a, 100, &port);
    start_tuned_port(1, fix.b, 0, &plain);
    memset(doca_flow_port_priv_data(port), 1, 100);
    assert_null(doca_flow_port_priv_data(plain));
    assert_null(doca_flow_port_priv_data(NULL));
    assert_ptr_equal(doca_flow_port_switch_get(port), port);
    assert_ok(doca_flow_port_operation_state_modify(port, DOCA_FLOW_PORT_OPERATION_STATE_ACTIVE));
    assert_int_equal(doca_flow_aging_handle(port, 0, 0, 0), 0);
    assert_int_equal(doca_flow_aging_handle(NULL, 0, 0, 0), -1);
    doca_flow_pipe_dump(make_tuned_pipe(port), file);
    fclose(file);
    assert_non_null(strstr(text, "the one that is dumped"));
    doca_flow_destroy(); /* with both ports */
    eth_fix_close(&fix);
}

static void labels_are_put_together_and_taken_apart(void **state)
{
    struct doca_flow_header_mpls mpls;
    uint8_t traffic_class, ttl;
    uint32_t label;
    bool is_last;

    (void)state;
    assert_ok(doca_flow_mpls_label_encode(0xabcde, 5, 64, true, &mpls));
    assert_int_equal(ntohl(mpls.label), 0xabcdeb40);
    assert_ok(doca_flow_mpls_label_decode(&mpls, &label, &traffic_class, &ttl, &is_last));
    assert_int_equal(label, 0xabcde);
    assert_int_equal(traffic_class, 5);
    assert_int_equal(ttl, 64);
    assert_true(is_last);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_flow_mpls_label_encode(1u << 20, 0, 0, 0, &mpls));
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_flow_mpls_label_encode(1, 0, 0, 0, NULL));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_tell_what_they_send),
        cmocka_unit_test(batches_have_arrays_of_settings),
        cmocka_unit_test(settings_without_effect_are_taken),
        cmocka_unit_test(labels_are_put_together_and_taken_apart),
    };
    int rc = eth_wire_up(argc > 1 ? argv[1] : "loop");

    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}
