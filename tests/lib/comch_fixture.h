/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_COMCH_FIXTURE_H_
#define TESTS_LIB_COMCH_FIXTURE_H_

/* Comch needs two processes, one of each role: a test starts both and says what each does. They
 * tell each other how far they are over a socket of their own (say() and hear()), which is no part
 * of what is tested. A check that fails ends its process with a line; so does a step that takes
 * longer than its bound. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#include "lib/seconds.h"

/* ---- checks in a child ---- */

#define need(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: %s:%d: not so: %s\n", getenv("OPENDOCA_ROLE"), __FILE__,          \
                    __LINE__, #condition);                                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define need_code(expected, call)                                                                  \
    do {                                                                                           \
        doca_error_t need_result_ = (call);                                                        \
        if (need_result_ != (expected)) {                                                          \
            fprintf(stderr, "%s: %s:%d: %s is %s, not %s\n", getenv("OPENDOCA_ROLE"), __FILE__,    \
                    __LINE__, #call, doca_error_get_name(need_result_), #expected);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define need_ok(call) need_code(DOCA_SUCCESS, call)

/* ---- two processes ---- */

#define PAIR_SECONDS 300 /* a side that takes longer hangs */

struct pair_side {
    const char *role; /* "dpu", "host" */
    void (*run)(int peer);
};

static inline void say(int peer, char what)
{
    need(send(peer, &what, 1, MSG_NOSIGNAL) == 1);
}

static inline char hear_any(int peer)
{
    char what = 0;

    need(recv(peer, &what, 1, 0) == 1);
    return what;
}

static inline void hear(int peer, char what)
{
    need(hear_any(peer) == what);
}

/* Whether the other side has said something that was not heard yet. */
static inline bool has_said(int peer)
{
    struct pollfd fd = {.fd = peer, .events = POLLIN};

    return poll(&fd, 1, 0) == 1;
}

/* Clients wait longer than the default for a server whose process gets no processor. */
#define PATIENCE "\"comch_connect_timeout\": 40000"

/* The card that there is without a devices file, with patience. */
#define PATIENT_DEVICES                                                                            \
    "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"representors\": [\"b1:00.0\"]},"   \
    "{\"role\": \"host\", \"pci\": \"b1:00.0\", \"caps\": {" PATIENCE "}}]}"

static inline void write_devices(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
    setenv("OPENDOCA_CONFIG", path, 1);
}

/* The names of a test are its own. */
static inline const char *pair_runtime_dir(void)
{
    static char dir[64];
    char path[128];

    if (dir[0] == '\0') {
        snprintf(dir, sizeof(dir), "/tmp/comch-test-XXXXXX");
        if (mkdtemp(dir) == NULL)
            abort();
        snprintf(path, sizeof(path), "%s/devices.json", dir);
        write_devices(path, PATIENT_DEVICES);
    }
    return dir;
}

/* As the teardown of a group of tests. */
static inline int remove_runtime_dir(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", pair_runtime_dir());
    if (system(command) != 0)
        fprintf(stderr, "%s is left behind\n", pair_runtime_dir());
    return 0;
}

/* Gives this process a devices file. */
static inline void use_devices(const char *text)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/devices-%d.json", pair_runtime_dir(), (int)getpid());
    write_devices(path, text);
}

static inline void do_nothing(int peer)
{
    (void)peer;
}

static inline int pair_wait(pid_t pid)
{
    int status = -1;

    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* With this in the environment the host is in a network of its own, whatever the test. */
#define APART "OD_TESTS_APART"

/* Whether this process may make networks; a process that has gone into one stays there. */
static inline bool pair_can_part(void)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0)
        _exit(unshare(CLONE_NEWNET) == 0 ? 0 : 1);
    return pair_wait(pid) == 0;
}

static inline pid_t pair_start(const struct pair_side *side, int peer, int other_end)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid != 0)
        return pid;
    alarm(PAIR_SECONDS);
    close(other_end);
    setenv("OPENDOCA_ROLE", side->role, 1);
    setenv("OPENDOCA_RUNTIME_DIR", pair_runtime_dir(), 1);
    if (getenv(APART) != NULL && strcmp(side->role, "host") == 0)
        need(unshare(CLONE_NEWNET) == 0);
    side->run(peer);
    exit(0);
}

/* Runs both sides at the same time; what they ended with, `killed` for one that is to be killed. */
static inline void run_sides(const struct pair_side *first, int first_end,
                             const struct pair_side *second, int second_end)
{
    int ends[2];
    pid_t pids[2];

    pair_runtime_dir();
    if (getenv(APART) != NULL && !pair_can_part()) {
        print_message("no right to make a network namespace\n");
        skip();
    }
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    pids[0] = pair_start(first, ends[0], ends[1]);
    pids[1] = pair_start(second, ends[1], ends[0]);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(pair_wait(pids[0]), first_end);
    assert_int_equal(pair_wait(pids[1]), second_end);
}

static inline void run_pair(void (*dpu)(int peer), void (*host)(int peer))
{
    run_sides(&(struct pair_side){"dpu", dpu}, 0, &(struct pair_side){"host", host}, 0);
}

static inline uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- one side of Comch ---- */

#define SERVICE    "test service"
#define MAX_CONNS  8
#define MAX_STATES 16
#define DEFAULT_MS 40000

struct comch_end {
    struct doca_dev *dev;
    struct doca_dev_rep *rep; /* servers */
    struct doca_pe *pe;
    struct doca_comch_server *server; /* one of the two */
    struct doca_comch_client *client;
    struct doca_ctx *ctx;
    /* what happened */
    enum doca_ctx_states states[MAX_STATES];
    unsigned int nstates;
    struct doca_comch_connection *conns[MAX_CONNS]; /* as they came; NULL once gone */
    unsigned int connects, failed_connects, disconnects, dirty_disconnects;
    unsigned int received, sent, failed;
    uint64_t received_bytes;
    doca_error_t last_status;
    char last[8192];
    uint32_t last_len;
    /* what to do when something happens; may be NULL */
    void (*on_state)(struct comch_end *end, enum doca_ctx_states next);
    void (*on_connect)(struct comch_end *end, struct doca_comch_connection *conn);
    void (*on_disconnect)(struct comch_end *end, struct doca_comch_connection *conn);
    void (*on_message)(struct comch_end *end, struct doca_comch_connection *conn);
    void (*on_sent)(struct comch_end *end, struct doca_comch_task_send *task);
    bool keep_tasks; /* do not free them in their callbacks */
    bool destroy_in_idle;
    void *arg;
};

static inline struct comch_end *end_of(struct doca_comch_connection *conn)
{
    struct doca_comch_server *server = doca_comch_server_get_server_ctx(conn);
    struct doca_ctx *ctx = server != NULL
                               ? doca_comch_server_as_ctx(server)
                               : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(conn));
    union doca_data data;

    need_ok(doca_ctx_get_user_data(ctx, &data));
    return data.ptr;
}

static inline void end_on_state(const union doca_data user_data, struct doca_ctx *ctx,
                                enum doca_ctx_states prev, enum doca_ctx_states next)
{
    struct comch_end *end = user_data.ptr;
    enum doca_ctx_states now;

    (void)prev;
    need_ok(doca_ctx_get_state(ctx, &now));
    need(now == next);
    need(end->nstates < MAX_STATES);
    end->states[end->nstates++] = next;
    if (end->on_state != NULL)
        end->on_state(end, next);
    if (next == DOCA_CTX_STATE_IDLE && end->destroy_in_idle) {
        if (end->server != NULL)
            need_ok(doca_comch_server_destroy(end->server));
        if (end->client != NULL)
            need_ok(doca_comch_client_destroy(end->client));
        end->server = NULL;
        end->client = NULL;
        end->ctx = NULL;
    }
}

static inline void end_on_message(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
                                  uint32_t msg_len, struct doca_comch_connection *conn)
{
    struct comch_end *end = end_of(conn);

    need(event != NULL);
    need(msg_len <= sizeof(end->last));
    memcpy(end->last, recv_buffer, msg_len);
    end->last_len = msg_len;
    end->received++;
    end->received_bytes += msg_len;
    if (end->on_message != NULL)
        end->on_message(end, conn);
}

static inline void end_sent(struct comch_end *end, struct doca_comch_task_send *task)
{
    end->last_status = doca_task_get_status(doca_comch_task_send_as_task(task));
    if (end->on_sent != NULL)
        end->on_sent(end, task);
    if (!end->keep_tasks)
        doca_task_free(doca_comch_task_send_as_task(task));
}

static inline void end_on_sent(struct doca_comch_task_send *task, union doca_data task_user_data,
                               union doca_data ctx_user_data)
{
    struct comch_end *end = ctx_user_data.ptr;

    (void)task_user_data;
    end->sent++;
    end_sent(end, task);
}

static inline void end_on_failed(struct doca_comch_task_send *task, union doca_data task_user_data,
                                 union doca_data ctx_user_data)
{
    struct comch_end *end = ctx_user_data.ptr;

    (void)task_user_data;
    end->failed++;
    end_sent(end, task);
}

static inline void end_on_connect(struct doca_comch_event_connection_status_changed *event,
                                  struct doca_comch_connection *conn, uint8_t successful)
{
    struct comch_end *end = end_of(conn);
    unsigned int i = 0;

    need(event != NULL);
    if (!successful) {
        end->failed_connects++;
        return;
    }
    while (i < MAX_CONNS && end->conns[i] != NULL)
        i++;
    if (i < MAX_CONNS)
        end->conns[i] = conn;
    end->connects++;
    if (end->on_connect != NULL)
        end->on_connect(end, conn);
}

static inline void end_on_disconnect(struct doca_comch_event_connection_status_changed *event,
                                     struct doca_comch_connection *conn, uint8_t successful)
{
    struct comch_end *end = end_of(conn);

    need(event != NULL);
    if (successful)
        end->disconnects++;
    else
        end->dirty_disconnects++;
    if (end->on_disconnect != NULL)
        end->on_disconnect(end, conn);
    for (unsigned int i = 0; i < MAX_CONNS; i++) {
        if (end->conns[i] == conn)
            end->conns[i] = NULL;
    }
}

static inline void end_open_rep(struct comch_end *end)
{
    struct doca_devinfo_rep **reps;
    uint32_t n;

    need_ok(doca_devinfo_rep_create_list(end->dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n));
    need(n > 0);
    need_ok(doca_dev_rep_open(reps[0], &end->rep));
    need_ok(doca_devinfo_rep_destroy_list(reps));
}

static inline void end_open_device(struct comch_end *end)
{
    struct doca_devinfo **list;
    uint32_t n;

    need_ok(doca_devinfo_create_list(&list, &n));
    need(n > 0);
    need_ok(doca_dev_open(list[0], &end->dev));
    need_ok(doca_devinfo_destroy_list(list));
    need_ok(doca_pe_create(&end->pe));
}

static inline void end_connect_pe(struct comch_end *end)
{
    need_ok(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
    need_ok(doca_ctx_set_state_changed_cb(end->ctx, end_on_state));
    need_ok(doca_pe_connect_ctx(end->pe, end->ctx));
}

static inline void end_create_server(struct comch_end *end, const char *name)
{
    need_ok(doca_comch_server_create(end->dev, end->rep, name, &end->server));
    end->ctx = doca_comch_server_as_ctx(end->server);
    end_connect_pe(end);
    need_ok(doca_comch_server_task_send_set_conf(end->server, end_on_sent, end_on_failed, 1024));
    need_ok(doca_comch_server_event_msg_recv_register(end->server, end_on_message));
    need_ok(doca_comch_server_event_connection_status_changed_register(end->server, end_on_connect,
                                                                       end_on_disconnect));
}

static inline void end_create_client(struct comch_end *end, const char *name)
{
    need_ok(doca_comch_client_create(end->dev, name, &end->client));
    end->ctx = doca_comch_client_as_ctx(end->client);
    end_connect_pe(end);
    need_ok(doca_comch_client_task_send_set_conf(end->client, end_on_sent, end_on_failed, 1024));
    need_ok(doca_comch_client_event_msg_recv_register(end->client, end_on_message));
}

/* Everything but the start. */
static inline void open_server(struct comch_end *end)
{
    memset(end, 0, sizeof(*end));
    end_open_device(end);
    end_open_rep(end);
    end_create_server(end, SERVICE);
}

static inline void open_client(struct comch_end *end)
{
    memset(end, 0, sizeof(*end));
    end_open_device(end);
    end_create_client(end, SERVICE);
}

static inline enum doca_ctx_states end_state(const struct comch_end *end)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    if (end->ctx != NULL)
        need_ok(doca_ctx_get_state(end->ctx, &state));
    return state;
}

/* Progress until a condition holds, within a bound. Yields, for the others may have no CPU else. */
#define progress_until_within(end, ms, condition)                                                  \
    do {                                                                                           \
        struct patience patience_ = patience_of((ms) / 1e3);                                       \
        while (!(condition)) {                                                                     \
            if (doca_pe_progress((end)->pe) != 0)                                                  \
                continue;                                                                          \
            need(patience_lasts(&patience_) || !"in time: " #condition);                           \
            sched_yield();                                                                         \
        }                                                                                          \
    } while (0)
#define progress_until(end, condition) progress_until_within(end, DEFAULT_MS, condition)

/* Sleeps whenever there is nothing to do; a wake-up that does not come fails. */
#define sleep_until(end, condition)                                                                \
    do {                                                                                           \
        doca_notification_handle_t fd_;                                                            \
        need_ok(doca_pe_get_notification_handle((end)->pe, &fd_));                                 \
        while (!(condition)) {                                                                     \
            struct pollfd poll_ = {.fd = fd_, .events = POLLIN};                                   \
            if (doca_pe_progress((end)->pe) != 0)                                                  \
                continue;                                                                          \
            need_ok(doca_pe_request_notification((end)->pe));                                      \
            need(poll(&poll_, 1, DEFAULT_MS) == 1 || !"woken: " #condition);                       \
            need_ok(doca_pe_clear_notification((end)->pe, 0));                                     \
        }                                                                                          \
    } while (0)

static inline void close_end(struct comch_end *end)
{
    doca_ctx_stop(end->ctx);
    progress_until(end, end_state(end) == DOCA_CTX_STATE_IDLE);
    if (end->server != NULL)
        need_ok(doca_comch_server_destroy(end->server));
    if (end->client != NULL)
        need_ok(doca_comch_client_destroy(end->client));
    if (end->rep != NULL)
        need_ok(doca_dev_rep_close(end->rep));
    need_ok(doca_dev_close(end->dev));
    need_ok(doca_pe_destroy(end->pe));
}

static inline struct doca_comch_connection *end_conn(struct comch_end *end)
{
    struct doca_comch_connection *conn;

    if (end->server != NULL)
        return end->conns[0];
    need_ok(doca_comch_client_get_connection(end->client, &conn));
    return conn;
}

static inline doca_error_t end_alloc(struct comch_end *end, struct doca_comch_connection *conn,
                                     const void *msg, uint32_t len,
                                     struct doca_comch_task_send **task)
{
    return end->server != NULL
               ? doca_comch_server_task_send_alloc_init(end->server, conn, msg, len, task)
               : doca_comch_client_task_send_alloc_init(end->client, conn, msg, len, task);
}

static inline void send_to(struct comch_end *end, struct doca_comch_connection *conn,
                           const void *msg, uint32_t len)
{
    struct doca_comch_task_send *task;

    need_ok(end_alloc(end, conn, msg, len, &task));
    need_ok(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static inline void send_text(struct comch_end *end, const char *text)
{
    send_to(end, end_conn(end), text, (uint32_t)strlen(text));
}

static inline bool last_is(const struct comch_end *end, const char *text)
{
    return end->last_len == strlen(text) && memcmp(end->last, text, end->last_len) == 0;
}

static inline void start_server(struct comch_end *end)
{
    open_server(end);
    need_ok(doca_ctx_start(end->ctx));
}

static inline void start_client(struct comch_end *end)
{
    open_client(end);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end->ctx));
    progress_until(end, end_state(end) == DOCA_CTX_STATE_RUNNING);
}

static inline uint64_t counter(struct doca_comch_connection *conn, enum doca_comch_counter which)
{
    uint64_t value;

    need_ok(doca_comch_connection_get_counter(conn, which, &value));
    return value;
}

#endif /* TESTS_LIB_COMCH_FIXTURE_H_ */
