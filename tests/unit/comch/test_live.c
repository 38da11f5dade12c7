/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked flavour: pointers to what was destroyed, or to something else, are refused. This test
 * is linked with that flavour. */
#include "lib/comch_fast_fixture.h"

/* The compiler may not reason about pointers whose object is gone. */
#define keep(pointer) __asm__ volatile("" : "+r"(pointer))

#define need_refused(call) need_code(DOCA_ERROR_INVALID_VALUE, call)

static void hear_nothing(struct doca_comch_event_consumer *event,
                         struct doca_comch_connection *conn, uint32_t id)
{
    (void)event;
    (void)conn;
    (void)id;
}

static void stale_consumer(struct comch_end *end, struct memory *mem)
{
    struct doca_comch_consumer_task_post_recv *task;
    struct doca_comch_consumer *consumer, *again;
    struct doca_mmap *map;
    uint32_t value;

    need_ok(doca_comch_consumer_create(end_conn(end), mem->mmap, &consumer));
    need_ok(doca_comch_consumer_destroy(consumer));
    keep(consumer);
    need_refused(doca_comch_consumer_destroy(consumer));
    need_refused(doca_comch_consumer_get_id(consumer, &value));
    need_refused(doca_comch_consumer_set_imm_data_len(consumer, 1));
    need_refused(doca_comch_consumer_get_imm_data_len(consumer, &value));
    need_refused(
        doca_comch_consumer_task_post_recv_set_conf(consumer, fast_arrived, fast_flushed, 1));
    need_refused(doca_comch_consumer_task_post_recv_alloc_init(consumer, NULL, &task));
    need_ok(doca_mmap_create(&map));
    need_ok(doca_mmap_destroy(map));
    keep(map);
    need_refused(doca_comch_consumer_create(end_conn(end), map, &again));
}

static void stale_producer(struct comch_end *end)
{
    struct doca_comch_producer_task_send *task;
    struct doca_comch_producer *producer;
    uint8_t imm = 0;
    uint32_t value;

    need_ok(doca_comch_producer_create(end_conn(end), &producer));
    need_ok(doca_comch_producer_destroy(producer));
    keep(producer);
    need_refused(doca_comch_producer_destroy(producer));
    need_refused(doca_comch_producer_get_id(producer, &value));
    need_refused(
        doca_comch_producer_task_send_set_conf(producer, fast_transferred, fast_failed, 1));
    need_refused(doca_comch_producer_task_send_alloc_init(producer, NULL, &imm, 1, 1, &task));
}

static void stale_connection(struct doca_comch_connection *conn, struct doca_mmap *map)
{
    struct doca_comch_consumer *consumer;
    struct doca_comch_producer *producer;
    uint64_t value;

    keep(conn);
    need_refused(doca_comch_connection_update_info(conn));
    need_refused(doca_comch_connection_get_counter(conn, DOCA_COMCH_COUNTER_RECV_BYTES, &value));
    need_refused(doca_comch_connection_set_user_data(conn, (union doca_data){.u64 = 1}));
    need(doca_comch_connection_get_user_data(conn).u64 == 0);
    need(doca_comch_server_get_server_ctx(conn) == NULL);
    need(doca_comch_client_get_client_ctx(conn) == NULL);
    need_refused(doca_comch_consumer_create(conn, map, &consumer));
    need_refused(doca_comch_producer_create(conn, &producer));
}

static void stale_server(struct doca_comch_server *server, struct doca_comch_connection *conn)
{
    struct doca_comch_task_send *task;
    struct doca_dev_rep *rep;
    struct doca_dev *dev;
    uint32_t value;

    keep(server);
    keep(conn);
    need_refused(doca_comch_server_destroy(server));
    need_refused(doca_comch_server_disconnect(server, conn));
    need_refused(doca_comch_server_get_device(server, &dev));
    need_refused(doca_comch_server_get_device_rep(server, &rep));
    need_refused(doca_comch_server_set_max_msg_size(server, 8));
    need_refused(doca_comch_server_get_max_msg_size(server, &value));
    need_refused(doca_comch_server_set_recv_queue_size(server, 8));
    need_refused(doca_comch_server_get_recv_queue_size(server, &value));
    need_refused(doca_comch_server_task_send_set_conf(server, end_on_sent, end_on_failed, 1));
    need_refused(doca_comch_server_task_send_alloc_init(server, conn, "x", 1, &task));
    need_refused(doca_comch_server_event_msg_recv_register(server, end_on_message));
    need_refused(doca_comch_server_event_connection_status_changed_register(server, end_on_connect,
                                                                            end_on_disconnect));
    need_refused(doca_comch_server_event_consumer_register(server, hear_nothing, hear_nothing));
}

static void holds_stale_pointers(int peer)
{
    struct doca_comch_connection *conn;
    struct doca_comch_server *server;
    struct comch_end end, other;
    struct memory mem;

    start_fast_server(&end);
    conn = end.conns[0];
    server = end.server;
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    stale_consumer(&end, &mem);
    stale_producer(&end);
    /* Something else is no connection, and no server either. */
    need_refused(doca_comch_server_disconnect(end.server, (void *)&mem));
    need_refused(doca_comch_server_disconnect((void *)conn, conn));
    say(peer, 'e');
    progress_until(&end, end.disconnects == 1);
    /* The device stays open for the map. */
    need_ok(doca_ctx_stop(end.ctx));
    need_ok(doca_comch_server_destroy(end.server));
    stale_connection(conn, mem.mmap);
    stale_server(server, conn);
    close_memory(&mem);
    need_ok(doca_dev_rep_close(end.rep));
    need_ok(doca_dev_close(end.dev));
    need_ok(doca_pe_destroy(end.pe));
    /* An address that is used again is good again. */
    open_server(&other);
    need_ok(doca_ctx_start(other.ctx));
    close_end(&other);
}

static void client_holds_stale_pointers(int peer)
{
    struct doca_comch_connection *conn, *again;
    struct doca_comch_task_send *task;
    struct doca_comch_client *client;
    struct comch_end end;
    struct doca_dev *dev;
    uint32_t value;

    start_fast_client(&end);
    client = end.client;
    conn = end_conn(&end);
    hear(peer, 'e');
    close_end(&end);
    keep(client);
    keep(conn);
    need_refused(doca_comch_client_destroy(client));
    need_refused(doca_comch_client_get_connection(client, &again));
    need_refused(doca_comch_client_get_device(client, &dev));
    need_refused(doca_comch_client_set_max_msg_size(client, 8));
    need_refused(doca_comch_client_get_max_msg_size(client, &value));
    need_refused(doca_comch_client_set_recv_queue_size(client, 8));
    need_refused(doca_comch_client_get_recv_queue_size(client, &value));
    need_refused(doca_comch_client_task_send_set_conf(client, end_on_sent, end_on_failed, 1));
    need_refused(doca_comch_client_task_send_alloc_init(client, conn, "x", 1, &task));
    need_refused(doca_comch_client_event_msg_recv_register(client, end_on_message));
    need_refused(doca_comch_client_event_consumer_register(client, hear_nothing, hear_nothing));
    need_refused(doca_comch_connection_update_info(conn));
}

static void stale_pointers_are_refused(void **state)
{
    (void)state;
    run_pair(holds_stale_pointers, client_holds_stale_pointers);
}

/* ---- tasks of contexts that are gone ---- */

static void holds_a_stale_task(int peer)
{
    struct doca_comch_producer_task_send *task;
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    start_producer(&fast, &end, 2);
    task = new_transfer(&fast, NULL, "i", 1, 7);
    doca_task_free(doca_comch_producer_task_send_as_task(task));
    close_fast(&fast);
    keep(task);
    need(doca_comch_producer_task_send_get_buf(task) == NULL);
    need(doca_comch_producer_task_send_get_consumer_id(task) == 0);
    need(doca_comch_producer_task_send_get_imm_data(task) == NULL);
    need(doca_comch_producer_task_send_get_imm_data_len(task) == 0);
    doca_comch_producer_task_send_set_consumer_id(task, 1);
    close_memory(&mem);
    say(peer, 'e');
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
}

static void waits(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    hear(peer, 'e');
    close_end(&end);
}

static void stale_tasks_are_refused(void **state)
{
    (void)state;
    run_pair(holds_a_stale_task, waits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stale_pointers_are_refused),
        cmocka_unit_test(stale_tasks_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
