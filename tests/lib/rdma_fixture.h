/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_RDMA_FIXTURE_H_
#define TESTS_LIB_RDMA_FIXTURE_H_

/* An RDMA instance on the first device of this process with memory of its own. Ends of one test may
 * be in one process or in several; those of several tell each other what programs have to by a
 * socket pair. A check that fails ends its process with a line, so does a step that takes too long.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include "lib/seconds.h"

#define need(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%d: %s:%d: not so: %s\n", (int)getpid(), __FILE__, __LINE__,          \
                    #condition);                                                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define need_code(expected, call)                                                                  \
    do {                                                                                           \
        doca_error_t need_result_ = (call);                                                        \
        if (need_result_ != (expected)) {                                                          \
            fprintf(stderr, "%d: %s:%d: %s is %s, not %s\n", (int)getpid(), __FILE__, __LINE__,    \
                    #call, doca_error_get_name(need_result_), #expected);                          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define need_ok(call) need_code(DOCA_SUCCESS, call)

#define END_TASKS   64u
#define END_BUFS    4096u
#define END_SECONDS 60

#define ALL_RIGHTS                                                                                 \
    ((uint32_t)(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                   \
                DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC))

struct end {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map; /* of mem */
    char *mem;
    size_t size;
    uint32_t rights; /* of map and instance; 0: all */
    bool as_created; /* no patience for peers without a processor */
    /* what the callbacks saw */
    unsigned int ok, failed, received, receives_failed;
    doca_error_t status;     /* of the last task that failed */
    unsigned int order[256]; /* user data of tasks that ended */
    unsigned int nended;
    uint32_t len, imm;
    enum doca_rdma_opcode opcode;
    const struct doca_rdma_connection *from;
    unsigned int requests, established, failures, disconnects;
    struct doca_rdma_connection *conn; /* of the last callback, or made by details */
    struct doca_rdma_connection *dead; /* of the last end */
    bool rejects;
    bool keeps; /* tasks are not freed */
    struct doca_buf *bufs[END_BUFS];
    unsigned int nbufs;
    struct doca_mmap *imports[8];
    unsigned int nimports;
};

/* ---- callbacks ---- */

static inline struct end *end_of(union doca_data ctx_data)
{
    return ctx_data.ptr;
}

static inline void end_note(struct end *end, struct doca_task *task, union doca_data data)
{
    doca_error_t status = doca_task_get_status(task);

    if (end->nended < 256)
        end->order[end->nended++] = (unsigned int)data.u64;
    if (status == DOCA_SUCCESS) {
        end->ok++;
    } else {
        end->failed++;
        end->status = status;
    }
    if (!end->keeps)
        doca_task_free(task);
}

#define END_CALLBACK(type)                                                                         \
    static inline void end_on_##type(struct doca_rdma_task_##type *task, union doca_data data,     \
                                     union doca_data ctx_data)                                     \
    {                                                                                              \
        end_note(end_of(ctx_data), doca_rdma_task_##type##_as_task(task), data);                   \
    }

END_CALLBACK(send)
END_CALLBACK(send_imm)
END_CALLBACK(read)
END_CALLBACK(write)
END_CALLBACK(write_imm)
END_CALLBACK(atomic_cmp_swp)
END_CALLBACK(atomic_fetch_add)
END_CALLBACK(remote_net_sync_event_get)
END_CALLBACK(remote_net_sync_event_notify_set)
END_CALLBACK(remote_net_sync_event_notify_add)

static inline void end_on_receive(struct doca_rdma_task_receive *task, union doca_data data,
                                  union doca_data ctx_data)
{
    struct end *end = end_of(ctx_data);
    struct doca_task *base = doca_rdma_task_receive_as_task(task);

    (void)data;
    if (doca_task_get_status(base) == DOCA_SUCCESS) {
        end->received++;
        end->len = doca_rdma_task_receive_get_result_len(task);
        end->imm = doca_rdma_task_receive_get_result_immediate_data(task);
        end->opcode = doca_rdma_task_receive_get_result_opcode(task);
        end->from = doca_rdma_task_receive_get_result_rdma_connection(task);
    } else {
        end->receives_failed++;
        end->status = doca_task_get_status(base);
    }
    doca_task_free(base);
}

static inline void end_on_request(struct doca_rdma_connection *conn, union doca_data ctx_data)
{
    struct end *end = end_of(ctx_data);

    end->requests++;
    if (end->rejects)
        need_ok(doca_rdma_connection_reject(conn));
    else
        need_ok(doca_rdma_connection_accept(conn, end, 2));
}

static inline void end_on_established(struct doca_rdma_connection *conn, union doca_data data,
                                      union doca_data ctx_data)
{
    (void)data;
    end_of(ctx_data)->established++;
    end_of(ctx_data)->conn = conn;
}

static inline void end_on_failure(struct doca_rdma_connection *conn, union doca_data data,
                                  union doca_data ctx_data)
{
    (void)data;
    end_of(ctx_data)->failures++;
    end_of(ctx_data)->dead = conn;
}

static inline void end_on_disconnection(struct doca_rdma_connection *conn, union doca_data data,
                                        union doca_data ctx_data)
{
    (void)data;
    end_of(ctx_data)->disconnects++;
    end_of(ctx_data)->dead = conn;
}

/* ---- life ---- */

static inline struct doca_dev *end_open_dev(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t n;

    need_ok(doca_devinfo_create_list(&list, &n));
    need(n > 0);
    need_ok(doca_dev_open(list[0], &dev));
    need_ok(doca_devinfo_destroy_list(list));
    return dev;
}

#define END_CONFIGURE(type)                                                                        \
    need_ok(doca_rdma_task_##type##_set_conf(end->rdma, end_on_##type, end_on_##type, END_TASKS))

/* Everything but the start: settings of a test go between. */
static inline void end_create(struct end *end, size_t size)
{
    end->dev = end_open_dev();
    end->size = size;
    end->mem = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    need(end->mem != NULL);
    memset(end->mem, 0, size);
    if (end->rights == 0)
        end->rights = ALL_RIGHTS;
    need_ok(doca_mmap_create(&end->map));
    need_ok(doca_mmap_add_dev(end->map, end->dev));
    need_ok(doca_mmap_set_permissions(end->map, ALL_RIGHTS));
    need_ok(doca_mmap_set_memrange(end->map, end->mem, size));
    need_ok(doca_mmap_start(end->map));
    need_ok(doca_buf_inventory_create(END_BUFS, &end->inventory));
    need_ok(doca_buf_inventory_start(end->inventory));
    need_ok(doca_pe_create(&end->pe));
    need_ok(doca_rdma_create(end->dev, &end->rdma));
    end->ctx = doca_rdma_as_ctx(end->rdma);
    need_ok(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
    need_ok(doca_rdma_set_permissions(end->rdma, end->rights));
    if (!end->as_created)
        need_ok(doca_rdma_set_connection_request_timeout(end->rdma, END_SECONDS * 1000));
    need_ok(doca_rdma_set_connection_state_callbacks(end->rdma, end_on_request, end_on_established,
                                                     end_on_failure, end_on_disconnection));
    END_CONFIGURE(receive);
    END_CONFIGURE(send);
    END_CONFIGURE(send_imm);
    END_CONFIGURE(read);
    END_CONFIGURE(write);
    END_CONFIGURE(write_imm);
    END_CONFIGURE(atomic_cmp_swp);
    END_CONFIGURE(atomic_fetch_add);
    END_CONFIGURE(remote_net_sync_event_get);
    END_CONFIGURE(remote_net_sync_event_notify_set);
    END_CONFIGURE(remote_net_sync_event_notify_add);
}

static inline void end_start(struct end *end)
{
    need_ok(doca_pe_connect_ctx(end->pe, end->ctx));
    need_ok(doca_ctx_start(end->ctx));
}

static inline void end_open(struct end *end, size_t size)
{
    end_create(end, size);
    end_start(end);
}

/* ---- progress ---- */

static inline double end_seconds(void)
{
    return patience_clock();
}

#define progress_until(end, condition)                                                             \
    do {                                                                                           \
        struct patience patience_ = patience_of(END_SECONDS);                                      \
        while (!(condition)) {                                                                     \
            if (doca_pe_progress((end)->pe) == 0)                                                  \
                sched_yield();                                                                     \
            if (!patience_lasts(&patience_))                                                       \
                need(!"in time: " #condition);                                                     \
        }                                                                                          \
    } while (0)

/* Two ends of one process. */
#define progress_both(a, b, condition)                                                             \
    do {                                                                                           \
        struct patience patience_ = patience_of(END_SECONDS);                                      \
        while (!(condition)) {                                                                     \
            if ((doca_pe_progress((a)->pe) | doca_pe_progress((b)->pe)) == 0)                      \
                sched_yield();                                                                     \
            if (!patience_lasts(&patience_))                                                       \
                need(!"in time: " #condition);                                                     \
        }                                                                                          \
    } while (0)

/* Sleeps on the engine's descriptor between steps. */
#define sleep_until(end, condition)                                                                \
    do {                                                                                           \
        struct patience patience_ = patience_of(END_SECONDS);                                      \
        while (!(condition)) {                                                                     \
            end_sleep(end);                                                                        \
            if (!patience_lasts(&patience_))                                                       \
                need(!"in time: " #condition);                                                     \
        }                                                                                          \
    } while (0)

static inline void end_sleep(struct end *end)
{
    struct pollfd fd = {.events = POLLIN};

    if (doca_pe_progress(end->pe) != 0)
        return;
    need_ok(doca_pe_get_notification_handle(end->pe, &fd.fd));
    need_ok(doca_pe_request_notification(end->pe));
    need(poll(&fd, 1, END_SECONDS * 1000) == 1);
    need_ok(doca_pe_clear_notification(end->pe, 0));
}

static inline bool end_is_idle(const struct end *end)
{
    enum doca_ctx_states state;

    need_ok(doca_ctx_get_state(end->ctx, &state));
    return state == DOCA_CTX_STATE_IDLE;
}

static inline void end_stop(struct end *end)
{
    doca_error_t result = doca_ctx_stop(end->ctx);

    need(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
    progress_until(end, end_is_idle(end));
}

static inline void end_close(struct end *end)
{
    if (!end_is_idle(end))
        end_stop(end);
    need_ok(doca_rdma_destroy(end->rdma));
    need_ok(doca_pe_destroy(end->pe));
    for (unsigned int i = 0; i < end->nbufs; i++)
        need_ok(doca_buf_dec_refcount(end->bufs[i], NULL));
    for (unsigned int i = 0; i < end->nimports; i++)
        need_ok(doca_mmap_destroy(end->imports[i]));
    need_ok(doca_buf_inventory_destroy(end->inventory));
    need_ok(doca_mmap_destroy(end->map));
    need_ok(doca_dev_close(end->dev));
    free(end->mem);
}

/* ---- buffers; they are given back when the end is closed ---- */

static inline struct doca_buf *end_keep(struct end *end, struct doca_buf *buf)
{
    need(end->nbufs < END_BUFS);
    end->bufs[end->nbufs++] = buf;
    return buf;
}

/* The second one becomes part of the first. */
static inline struct doca_buf *end_chain(struct end *end, struct doca_buf *first,
                                         struct doca_buf *second)
{
    need_ok(doca_buf_chain_list(first, second));
    for (unsigned int i = 0; i < end->nbufs; i++) {
        if (end->bufs[i] == second)
            end->bufs[i] = end->bufs[--end->nbufs];
    }
    return first;
}

/* Of this end's memory, filled. */
static inline struct doca_buf *end_data(struct end *end, size_t offset, size_t len)
{
    struct doca_buf *buf;

    need_ok(
        doca_buf_inventory_buf_get_by_data(end->inventory, end->map, end->mem + offset, len, &buf));
    return end_keep(end, buf);
}

/* Empty. */
static inline struct doca_buf *end_room(struct end *end, size_t offset, size_t len)
{
    struct doca_buf *buf;

    need_ok(
        doca_buf_inventory_buf_get_by_addr(end->inventory, end->map, end->mem + offset, len, &buf));
    return end_keep(end, buf);
}

/* Memory of the peer. */
struct far {
    struct doca_mmap *map;
    char *addr;
    size_t len;
};

static inline struct far far_import(struct end *end, const void *desc, size_t len)
{
    struct far far;
    void *addr;

    need_ok(doca_mmap_create_from_export(NULL, desc, len, end->dev, &far.map));
    need_ok(doca_mmap_get_memrange(far.map, &addr, &far.len));
    far.addr = addr;
    need(end->nimports < 8);
    end->imports[end->nimports++] = far.map;
    return far;
}

static inline struct doca_buf *far_room(struct end *end, const struct far *far, size_t offset,
                                        size_t len)
{
    struct doca_buf *buf;

    need_ok(doca_buf_inventory_buf_get_by_addr(end->inventory, far->map, far->addr + offset, len,
                                               &buf));
    return end_keep(end, buf);
}

static inline struct doca_buf *far_data(struct end *end, const struct far *far, size_t offset,
                                        size_t len)
{
    struct doca_buf *buf;

    need_ok(doca_buf_inventory_buf_get_by_data(end->inventory, far->map, far->addr + offset, len,
                                               &buf));
    return end_keep(end, buf);
}

/* ---- tasks; each returns what submit says ---- */

static inline union doca_data number(uint64_t value)
{
    return (union doca_data){.u64 = value};
}

static inline doca_error_t end_submit(struct doca_task *task)
{
    doca_error_t result = doca_task_submit(task);

    if (result != DOCA_SUCCESS)
        doca_task_free(task);
    return result;
}

static inline doca_error_t end_receive(struct end *end, struct doca_buf *dst)
{
    struct doca_rdma_task_receive *task;

    need_ok(doca_rdma_task_receive_allocate_init(end->rdma, dst, number(0), &task));
    return end_submit(doca_rdma_task_receive_as_task(task));
}

static inline doca_error_t end_send(struct end *end, struct doca_rdma_connection *conn,
                                    struct doca_buf *src, uint64_t tag)
{
    struct doca_rdma_task_send *task;

    need_ok(doca_rdma_task_send_allocate_init(end->rdma, conn, src, number(tag), &task));
    return end_submit(doca_rdma_task_send_as_task(task));
}

static inline doca_error_t end_send_imm(struct end *end, struct doca_rdma_connection *conn,
                                        struct doca_buf *src, uint32_t imm)
{
    struct doca_rdma_task_send_imm *task;

    need_ok(doca_rdma_task_send_imm_allocate_init(end->rdma, conn, src, imm, number(0), &task));
    return end_submit(doca_rdma_task_send_imm_as_task(task));
}

static inline doca_error_t end_write(struct end *end, struct doca_rdma_connection *conn,
                                     struct doca_buf *src, struct doca_buf *dst, uint64_t tag)
{
    struct doca_rdma_task_write *task;

    need_ok(doca_rdma_task_write_allocate_init(end->rdma, conn, src, dst, number(tag), &task));
    return end_submit(doca_rdma_task_write_as_task(task));
}

static inline doca_error_t end_write_imm(struct end *end, struct doca_rdma_connection *conn,
                                         struct doca_buf *src, struct doca_buf *dst, uint32_t imm)
{
    struct doca_rdma_task_write_imm *task;

    need_ok(
        doca_rdma_task_write_imm_allocate_init(end->rdma, conn, src, dst, imm, number(0), &task));
    return end_submit(doca_rdma_task_write_imm_as_task(task));
}

static inline doca_error_t end_read(struct end *end, struct doca_rdma_connection *conn,
                                    struct doca_buf *src, struct doca_buf *dst, uint64_t tag)
{
    struct doca_rdma_task_read *task;

    need_ok(doca_rdma_task_read_allocate_init(end->rdma, conn, src, dst, number(tag), &task));
    return end_submit(doca_rdma_task_read_as_task(task));
}

static inline doca_error_t end_add(struct end *end, struct doca_rdma_connection *conn,
                                   struct doca_buf *dst, struct doca_buf *result, uint64_t value)
{
    struct doca_rdma_task_atomic_fetch_add *task;

    need_ok(doca_rdma_task_atomic_fetch_add_allocate_init(end->rdma, conn, dst, result, value,
                                                          number(0), &task));
    return end_submit(doca_rdma_task_atomic_fetch_add_as_task(task));
}

static inline doca_error_t end_swap(struct end *end, struct doca_rdma_connection *conn,
                                    struct doca_buf *dst, struct doca_buf *result, uint64_t compare,
                                    uint64_t value)
{
    struct doca_rdma_task_atomic_cmp_swp *task;

    need_ok(doca_rdma_task_atomic_cmp_swp_allocate_init(end->rdma, conn, dst, result, compare,
                                                        value, number(0), &task));
    return end_submit(doca_rdma_task_atomic_cmp_swp_as_task(task));
}

/* ---- two ends of one process ---- */

static inline void ends_connect(struct end *a, struct end *b)
{
    const void *a_details, *b_details;
    size_t a_len, b_len;

    need_ok(doca_rdma_export(a->rdma, &a_details, &a_len, &a->conn));
    need_ok(doca_rdma_export(b->rdma, &b_details, &b_len, &b->conn));
    need_ok(doca_rdma_connect(a->rdma, b_details, b_len, a->conn));
    need_ok(doca_rdma_connect(b->rdma, a_details, a_len, b->conn));
}

/* What `owner` has, as `user` sees it. */
static inline struct far ends_share(struct end *owner, struct end *user)
{
    const void *desc;
    size_t len;

    need_ok(doca_mmap_export_rdma(owner->map, owner->dev, &desc, &len));
    return far_import(user, desc, len);
}

/* What the background thread of this process could have seen before, it has dealt with when this
 * returns. */
static inline void let_the_thread_catch_up(void)
{
    struct end a = {0}, b = {0};

    end_open(&a, 4096);
    end_open(&b, 4096);
    ends_connect(&a, &b);
    need_ok(end_receive(&b, NULL));
    need_ok(end_send(&a, a.conn, NULL, 0));
    progress_both(&a, &b, a.ok == 1 && b.received == 1);
    end_close(&a);
    end_close(&b);
}

/* A port that nobody else gets as long as the descriptor is open; this process may listen to it. */
static inline int hold_port(uint16_t *port)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};
    socklen_t len = sizeof(addr);
    const int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    need(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0);
    need(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
    need(getsockname(fd, (struct sockaddr *)&addr, &len) == 0);
    *port = ntohs(addr.sin_port);
    return fd;
}

/* ---- several processes ---- */

#define SIDE_SECONDS 200

/* Starts a process that runs `body`; its end of the socket pair. The process ends with its parent.
 */
static inline pid_t side_start(void (*body)(int peer), int *peer)
{
    int fds[2];
    pid_t pid;

    need(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(SIDE_SECONDS);
        close(fds[0]);
        body(fds[1]);
        exit(0);
    }
    need(pid > 0);
    close(fds[1]);
    *peer = fds[0];
    return pid;
}

/* The exit status, 128 + signal. */
static inline int side_wait(pid_t pid)
{
    int status = -1;

    if (waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void tell(int peer, const void *data, size_t len)
{
    need(send(peer, data, len, MSG_NOSIGNAL) == (ssize_t)len);
}

static inline size_t ask(int peer, void *data, size_t size)
{
    ssize_t n = recv(peer, data, size, 0);

    need(n > 0);
    return (size_t)n;
}

static inline void say(int peer, char what)
{
    tell(peer, &what, 1);
}

static inline void hear(int peer, char what)
{
    char heard = 0;

    need(ask(peer, &heard, 1) == 1);
    need(heard == what);
}

/* Both sides call it. */
static inline struct doca_rdma_connection *side_connect(struct end *end, int peer)
{
    struct doca_rdma_connection *conn;
    char details[1024];
    const void *own;
    size_t len;

    need_ok(doca_rdma_export(end->rdma, &own, &len, &conn));
    tell(peer, own, len);
    len = ask(peer, details, sizeof(details));
    need_ok(doca_rdma_connect(end->rdma, details, len, conn));
    end->conn = conn;
    return conn;
}

static inline void side_share(struct end *end, int peer)
{
    const void *desc;
    size_t len;

    need_ok(doca_mmap_export_rdma(end->map, end->dev, &desc, &len));
    tell(peer, desc, len);
}

static inline struct far side_import(struct end *end, int peer)
{
    char desc[1024];
    size_t len = ask(peer, desc, sizeof(desc));

    return far_import(end, desc, len);
}

/* Two processes and a way between them that is no part of what is tested. */
static inline void run_two(void (*first)(int peer), void (*second)(int peer))
{
    int ends[2];
    pid_t pids[2];
    char byte[2048];

    pids[0] = side_start(first, &ends[0]);
    pids[1] = side_start(second, &ends[1]);
    /* What one says goes to the other. */
    for (int open = 2; open > 0;) {
        struct pollfd fd[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}};

        need(poll(fd, 2, SIDE_SECONDS * 1000) > 0);
        for (int i = 0; i < 2; i++) {
            ssize_t n = fd[i].revents == 0 ? -1 : recv(ends[i], byte, sizeof(byte), 0);

            if (fd[i].revents != 0 && n <= 0) {
                shutdown(ends[!i], SHUT_WR);
                close(ends[i]);
                ends[i] = -1;
                open--;
            } else if (n > 0) {
                send(ends[!i], byte, (size_t)n, MSG_NOSIGNAL);
            }
        }
    }
    assert_int_equal(side_wait(pids[0]), 0);
    assert_int_equal(side_wait(pids[1]), 0);
}

/* ---- the runtime folder of a test ---- */

static inline const char *rdma_runtime_dir(void)
{
    static char dir[64];

    if (dir[0] == '\0') {
        snprintf(dir, sizeof(dir), "/tmp/rdma-test-XXXXXX");
        if (mkdtemp(dir) == NULL)
            abort();
        setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
    }
    return dir;
}

static inline int rdma_setup(void **state)
{
    (void)state;
    rdma_runtime_dir();
    return 0;
}

static inline int rdma_teardown(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", rdma_runtime_dir());
    if (system(command) != 0)
        fprintf(stderr, "%s is left behind\n", rdma_runtime_dir());
    return 0;
}

#endif /* TESTS_LIB_RDMA_FIXTURE_H_ */
