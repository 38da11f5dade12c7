/* SPDX-License-Identifier: BSD-3-Clause */
#include "pair.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bench.h"

#define SERVICE "bench"
#define TASKS   64

static pid_t other;
static char folder[] = "/tmp/bench-comch-XXXXXX";

void must(doca_error_t result, const char *what)
{
    if (result != DOCA_SUCCESS)
        bench_die(what, doca_error_get_name(result));
}

static struct end *end_of(struct doca_comch_connection *conn)
{
    struct doca_comch_server *server = doca_comch_server_get_server_ctx(conn);
    struct doca_ctx *ctx = server != NULL
                               ? doca_comch_server_as_ctx(server)
                               : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(conn));
    union doca_data self;

    must(doca_ctx_get_user_data(ctx, &self), "user data");
    return self.ptr;
}

/* ---- events ---- */

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                       struct doca_comch_connection *conn)
{
    struct end *end = end_of(conn);

    (void)event;
    end->received++;
    if (end->on_message != NULL)
        end->on_message(end, bytes, len);
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct end *end = ctx_data.ptr;

    (void)task_data;
    end->unsent--;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_failed(struct doca_comch_task_send *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    must(doca_task_get_status(doca_comch_task_send_as_task(task)), "send");
}

static void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
                        uint32_t id)
{
    (void)event;
    end_of(conn)->consumer = id;
}

static void on_expired(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
                       uint32_t id)
{
    (void)event;
    (void)id;
    end_of(conn)->consumer = 0;
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *conn, uint8_t successful)
{
    (void)event;
    if (successful)
        end_of(conn)->conn = conn;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *conn, uint8_t successful)
{
    (void)event;
    (void)successful;
    end_of(conn)->conn = NULL;
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
                     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct end *end = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    if (next_state == DOCA_CTX_STATE_RUNNING)
        must(doca_comch_client_get_connection(end->client, &end->conn), "connection");
}

/* ---- both ends ---- */

static void open_device(struct end *end, const char *role)
{
    struct doca_devinfo **list;
    uint32_t num;

    setenv("OPENDOCA_ROLE", role, 1);
    must(doca_devinfo_create_list(&list, &num), "devices");
    must(num > 0 ? doca_dev_open(list[0], &end->dev) : DOCA_ERROR_NOT_FOUND, "device");
    doca_devinfo_destroy_list(list);
    must(doca_pe_create(&end->pe), "engine");
}

static void open_rep(struct end *end)
{
    struct doca_devinfo_rep **list;
    uint32_t num;

    must(doca_devinfo_rep_create_list(end->dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num),
         "representors");
    must(num > 0 ? doca_dev_rep_open(list[0], &end->rep) : DOCA_ERROR_NOT_FOUND, "representor");
    doca_devinfo_rep_destroy_list(list);
}

static void start(struct end *end)
{
    union doca_data self = {.ptr = end};
    doca_error_t result;

    must(doca_ctx_set_user_data(end->ctx, self), "user data");
    must(doca_pe_connect_ctx(end->pe, end->ctx), "engine");
    result = doca_ctx_start(end->ctx);
    must(result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result, "start");
    while (end->conn == NULL)
        doca_pe_progress(end->pe);
}

static void open_server(struct end *end)
{
    open_device(end, "dpu");
    open_rep(end);
    must(doca_comch_server_create(end->dev, end->rep, SERVICE, &end->server), "server");
    end->ctx = doca_comch_server_as_ctx(end->server);
    must(doca_comch_server_task_send_set_conf(end->server, on_sent, on_failed, TASKS), "tasks");
    must(doca_comch_server_event_msg_recv_register(end->server, on_message), "event");
    must(doca_comch_server_event_connection_status_changed_register(end->server, on_connect,
                                                                    on_disconnect),
         "event");
    must(doca_comch_server_event_consumer_register(end->server, on_consumer, on_expired), "event");
    start(end);
}

static void open_client(struct end *end)
{
    open_device(end, "host");
    must(doca_comch_client_create(end->dev, SERVICE, &end->client), "client");
    end->ctx = doca_comch_client_as_ctx(end->client);
    must(doca_ctx_set_state_changed_cb(end->ctx, on_state), "callback");
    must(doca_comch_client_task_send_set_conf(end->client, on_sent, on_failed, TASKS), "tasks");
    must(doca_comch_client_event_msg_recv_register(end->client, on_message), "event");
    must(doca_comch_client_event_consumer_register(end->client, on_consumer, on_expired), "event");
    start(end);
}

void end_close(struct end *end)
{
    enum doca_ctx_states state;

    doca_ctx_stop(end->ctx);
    do {
        doca_pe_progress(end->pe);
        must(doca_ctx_get_state(end->ctx, &state), "state");
    } while (state != DOCA_CTX_STATE_IDLE);
    if (end->server != NULL)
        must(doca_comch_server_destroy(end->server), "destroy");
    else
        must(doca_comch_client_destroy(end->client), "destroy");
    if (end->rep != NULL)
        doca_dev_rep_close(end->rep);
    doca_dev_close(end->dev);
    doca_pe_destroy(end->pe);
}

void end_send(struct end *end, const void *bytes, uint32_t len)
{
    struct doca_comch_task_send *task;

    must(end->server != NULL
             ? doca_comch_server_task_send_alloc_init(end->server, end->conn, bytes, len, &task)
             : doca_comch_client_task_send_alloc_init(end->client, end->conn, bytes, len, &task),
         "alloc");
    end->unsent++;
    must(doca_task_submit(doca_comch_task_send_as_task(task)), "submit");
}

/* ---- the two processes ---- */

void pair_start(void (*serve)(struct end *end))
{
    struct end end = {.dev = NULL};

    if (mkdtemp(folder) == NULL)
        bench_die("folder", folder);
    setenv("OPENDOCA_RUNTIME_DIR", folder, 1);
    fflush(NULL);
    other = fork();
    if (other < 0)
        bench_die("fork", "failed");
    if (other != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench_pin(1);
    open_server(&end);
    serve(&end);
    end_close(&end);
    exit(0);
}

void pair_connect(struct end *end)
{
    *end = (struct end){.dev = NULL};
    bench_pin(0);
    open_client(end);
}

void pair_finish(void)
{
    char command[64];
    int status;

    if (waitpid(other, &status, 0) != other || status != 0)
        bench_die("other process", "failed");
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left behind\n", folder);
}

void *pair_shared(size_t size)
{
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared == MAP_FAILED)
        bench_die("mmap", "no shared memory");
    memset(shared, 0, size);
    return shared;
}

void give_order(struct orders *orders, unsigned int what)
{
    uint64_t now = atomic_load_explicit(&orders->now, memory_order_relaxed);

    atomic_store_explicit(&orders->now, ((now >> 8) + 1) << 8 | what, memory_order_release);
}

unsigned int next_order(struct orders *orders, uint64_t *last)
{
    uint64_t now = atomic_load_explicit(&orders->now, memory_order_acquire);

    if (now == *last)
        return 0;
    *last = now;
    return (unsigned int)(now & 0xff);
}
