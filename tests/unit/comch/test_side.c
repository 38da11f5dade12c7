/* SPDX-License-Identifier: BSD-3-Clause */
/* Creating and configuring servers and clients. */
#include "lib/comch_fixture.h"

static void fill(char *name, size_t len)
{
    memset(name, 'n', len);
    name[len] = '\0';
}

static void creates_servers(int peer)
{
    struct doca_comch_server *server = NULL;
    struct doca_dev_rep *rep;
    struct doca_dev *dev;
    struct comch_end end;
    char name[128];

    memset(&end, 0, sizeof(end));
    end_open_device(&end);
    end_open_rep(&end);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_create(NULL, end.rep, "x", &server));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_create(end.dev, NULL, "x", &server));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_create(end.dev, end.rep, NULL, &server));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_create(end.dev, end.rep, "x", NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_create(end.dev, end.rep, "", &server));
    fill(name, 120); /* 121 with its NUL */
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_create(end.dev, end.rep, name, &server));
    need(server == NULL);
    fill(name, 119);
    need_ok(doca_comch_server_create(end.dev, end.rep, name, &server));
    memset(name, 0, sizeof(name)); /* the name was copied */
    need_ok(doca_comch_server_get_device(server, &dev));
    need(dev == end.dev);
    need_ok(doca_comch_server_get_device_rep(server, &rep));
    need(rep == end.rep);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_device(NULL, &dev));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_device(server, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_device_rep(NULL, &rep));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_device_rep(server, NULL));
    /* Device and representor stay open as long as the server exists. */
    need_code(DOCA_ERROR_IN_USE, doca_dev_rep_close(end.rep));
    need_code(DOCA_ERROR_IN_USE, doca_dev_close(end.dev));
    need_ok(doca_comch_server_destroy(server));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_destroy(NULL));
    need(doca_comch_server_as_ctx(NULL) == NULL);
    need_ok(doca_dev_rep_close(end.rep));
    need_ok(doca_dev_close(end.dev));
    need_ok(doca_pe_destroy(end.pe));
    (void)peer;
}

static void creates_clients(int peer)
{
    struct doca_comch_client *client = NULL;
    struct doca_comch_connection *conn;
    struct doca_dev *dev;
    struct comch_end end;

    memset(&end, 0, sizeof(end));
    end_open_device(&end);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_create(NULL, "x", &client));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_create(end.dev, NULL, &client));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_create(end.dev, "x", NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_create(end.dev, "", &client));
    need(client == NULL);
    need_ok(doca_comch_client_create(end.dev, "x", &client));
    need_ok(doca_comch_client_get_device(client, &dev));
    need(dev == end.dev);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_device(NULL, &dev));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_device(client, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_connection(NULL, &conn));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_connection(client, NULL));
    need_code(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_comch_client_as_ctx(client)));
    need_ok(doca_comch_client_destroy(client));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_destroy(NULL));
    need(doca_comch_client_as_ctx(NULL) == NULL);
    need_ok(doca_dev_close(end.dev));
    need_ok(doca_pe_destroy(end.pe));
    (void)peer;
}

static void instances_are_checked(void **state)
{
    (void)state;
    run_pair(creates_servers, creates_clients);
}

static void sizes_of_a_server(int peer)
{
    struct comch_end end;
    uint32_t size;

    open_server(&end);
    need_ok(doca_comch_server_get_max_msg_size(end.server, &size));
    need(size == 4080); /* the device's limit */
    need_ok(doca_comch_server_get_recv_queue_size(end.server, &size));
    need(size >= 10);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_max_msg_size(end.server, 0));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_max_msg_size(end.server, 4081));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_max_msg_size(NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_recv_queue_size(end.server, 0));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_recv_queue_size(end.server, 8193));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_set_recv_queue_size(NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_max_msg_size(NULL, &size));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_max_msg_size(end.server, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_recv_queue_size(NULL, &size));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_get_recv_queue_size(end.server, NULL));
    need_ok(doca_comch_server_set_max_msg_size(end.server, 8));
    need_ok(doca_comch_server_set_recv_queue_size(end.server, 8192));
    need_ok(doca_comch_server_get_max_msg_size(end.server, &size));
    need(size == 8);
    need_ok(doca_comch_server_get_recv_queue_size(end.server, &size));
    need(size == 8192);
    need_ok(doca_ctx_start(end.ctx));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_server_set_max_msg_size(end.server, 8));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_server_set_recv_queue_size(end.server, 8));
    need_code(DOCA_ERROR_IN_USE, doca_comch_server_destroy(end.server));
    close_end(&end);
    (void)peer;
}

static void sizes_of_a_client(int peer)
{
    struct comch_end end;
    uint32_t size;

    open_client(&end);
    need_ok(doca_comch_client_get_max_msg_size(end.client, &size));
    need(size == 4080);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(end.client, 0));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(end.client, 4081));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_recv_queue_size(end.client, 0));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_set_recv_queue_size(NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_max_msg_size(NULL, &size));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_max_msg_size(end.client, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_recv_queue_size(NULL, &size));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_client_get_recv_queue_size(end.client, NULL));
    need_ok(doca_comch_client_set_max_msg_size(end.client, 1024));
    need_ok(doca_comch_client_set_recv_queue_size(end.client, 8));
    need_ok(doca_comch_client_get_recv_queue_size(end.client, &size));
    need(size == 8);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_client_set_max_msg_size(end.client, 8));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_client_set_recv_queue_size(end.client, 8));
    need_code(DOCA_ERROR_BAD_STATE,
              doca_comch_client_task_send_set_conf(end.client, end_on_sent, end_on_failed, 1));
    close_end(&end);
    (void)peer;
}

static void sizes_are_checked(void **state)
{
    (void)state;
    run_pair(sizes_of_a_server, sizes_of_a_client);
}

static void tasks_of_a_server(int peer)
{
    struct comch_end end;

    open_server(&end);
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_task_send_set_conf(NULL, end_on_sent, end_on_failed, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_task_send_set_conf(end.server, NULL, end_on_failed, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_task_send_set_conf(end.server, end_on_sent, NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_task_send_set_conf(end.server, end_on_sent, end_on_failed, 0));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_server_task_send_set_conf(end.server, end_on_sent, end_on_failed, 8193));
    need_ok(doca_comch_server_task_send_set_conf(end.server, end_on_sent, end_on_failed, 8192));
    need_ok(doca_ctx_start(end.ctx));
    need_code(DOCA_ERROR_BAD_STATE,
              doca_comch_server_task_send_set_conf(end.server, end_on_sent, end_on_failed, 1));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(NULL, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(end.server, NULL));
    close_end(&end);
    (void)peer;
}

static void tasks_of_a_client(int peer)
{
    struct comch_end end;

    open_client(&end);
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_task_send_set_conf(NULL, end_on_sent, end_on_failed, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_task_send_set_conf(end.client, NULL, end_on_failed, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_task_send_set_conf(end.client, end_on_sent, NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_task_send_set_conf(end.client, end_on_sent, end_on_failed, 0));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_client_task_send_set_conf(end.client, end_on_sent, end_on_failed, 8193));
    close_end(&end);
    (void)peer;
}

static void send_tasks_are_checked(void **state)
{
    (void)state;
    run_pair(tasks_of_a_server, tasks_of_a_client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_checked),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(send_tasks_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
