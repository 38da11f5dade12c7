/* SPDX-License-Identifier: BSD-3-Clause */
#include "end.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "lib/bench.h"

#define RIGHTS                                                                                     \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE)
#define BUFS 64

void must(doca_error_t result, const char *what)
{
    if (result != DOCA_SUCCESS)
        bench_die(what, doca_error_get_name(result));
}

/* ---- completions ---- */

static void ended(struct doca_task *task, union doca_data ctx_data)
{
    struct end *end = ctx_data.ptr;

    must(doca_task_get_status(task), "task");
    end->flying--;
    doca_task_free(task);
}

static void on_send(struct doca_rdma_task_send *task, union doca_data data, union doca_data ctx)
{
    (void)data;
    ended(doca_rdma_task_send_as_task(task), ctx);
}

static void on_write(struct doca_rdma_task_write *task, union doca_data data, union doca_data ctx)
{
    (void)data;
    ended(doca_rdma_task_write_as_task(task), ctx);
}

static void on_read(struct doca_rdma_task_read *task, union doca_data data, union doca_data ctx)
{
    (void)data;
    ended(doca_rdma_task_read_as_task(task), ctx);
}

/* Messages may lie over each other. */
static void on_receive(struct doca_rdma_task_receive *task, union doca_data data,
                       union doca_data ctx)
{
    struct end *end = ctx.ptr;

    (void)data;
    end->received++;
    doca_buf_reset_data_len(doca_rdma_task_receive_get_dst_buf(task));
    if (!end->reposts || doca_task_submit(doca_rdma_task_receive_as_task(task)) != DOCA_SUCCESS)
        doca_task_free(doca_rdma_task_receive_as_task(task));
}

static void on_flushed(struct doca_rdma_task_receive *task, union doca_data data,
                       union doca_data ctx)
{
    (void)data;
    (void)ctx;
    doca_task_free(doca_rdma_task_receive_as_task(task));
}

/* ---- life ---- */

static void open_device(struct end *end)
{
    struct doca_devinfo **list;
    uint32_t num;

    must(doca_devinfo_create_list(&list, &num), "devices");
    must(num > 0 ? doca_dev_open(list[0], &end->dev) : DOCA_ERROR_NOT_FOUND, "device");
    doca_devinfo_destroy_list(list);
    must(doca_pe_create(&end->pe), "engine");
}

static void open_memory(struct end *end)
{
    end->memory = mmap(NULL, 2 * (size_t)END_HALF, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (end->memory == MAP_FAILED)
        bench_die("memory", "none");
    must(doca_mmap_create(&end->map), "map");
    must(doca_mmap_add_dev(end->map, end->dev), "map");
    must(doca_mmap_set_permissions(end->map, RIGHTS), "map");
    must(doca_mmap_set_memrange(end->map, end->memory, 2 * (size_t)END_HALF), "map");
    must(doca_mmap_start(end->map), "map");
    must(doca_buf_inventory_create(BUFS, &end->inventory), "inventory");
    must(doca_buf_inventory_start(end->inventory), "inventory");
}

static void open_rdma(struct end *end)
{
    must(doca_rdma_create(end->dev, &end->rdma), "instance");
    end->ctx = doca_rdma_as_ctx(end->rdma);
    must(doca_rdma_set_permissions(end->rdma, RIGHTS), "permissions");
    must(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}), "user data");
    must(doca_rdma_task_send_set_conf(end->rdma, on_send, on_send, END_WINDOW), "tasks");
    must(doca_rdma_task_write_set_conf(end->rdma, on_write, on_write, END_WINDOW), "tasks");
    must(doca_rdma_task_read_set_conf(end->rdma, on_read, on_read, END_WINDOW), "tasks");
    must(doca_rdma_task_receive_set_conf(end->rdma, on_receive, on_flushed, END_WINDOW), "tasks");
    must(doca_pe_connect_ctx(end->pe, end->ctx), "engine");
    must(doca_ctx_start(end->ctx), "start");
}

static size_t swap(int peer, const void *own, size_t len, void *theirs, size_t size)
{
    ssize_t n;

    if (send(peer, own, len, 0) != (ssize_t)len || (n = recv(peer, theirs, size, 0)) <= 0)
        bench_die("the other side", "is gone");
    return (size_t)n;
}

void end_open(struct end *end, int peer)
{
    char theirs[4096];
    const void *own;
    size_t len;
    void *at;

    memset(end, 0, sizeof(*end));
    open_device(end);
    open_memory(end);
    open_rdma(end);
    must(doca_rdma_export(end->rdma, &own, &len, &end->conn), "export");
    len = swap(peer, own, len, theirs, sizeof(theirs));
    must(doca_rdma_connect(end->rdma, theirs, len, end->conn), "connect");
    must(doca_mmap_export_rdma(end->map, end->dev, &own, &len), "export");
    len = swap(peer, own, len, theirs, sizeof(theirs));
    must(doca_mmap_create_from_export(NULL, theirs, len, end->dev, &end->peer_map), "import");
    must(doca_mmap_get_memrange(end->peer_map, &at, &len), "import");
    end->peer_memory = at;
}

static void put(struct doca_buf **buf)
{
    if (*buf != NULL)
        must(doca_buf_dec_refcount(*buf, NULL), "buffer");
    *buf = NULL;
}

static void put_all(struct end *end)
{
    put(&end->out);
    put(&end->far_out);
    for (unsigned int i = 0; i < END_WINDOW; i++) {
        put(&end->in[i]);
        put(&end->far_in[i]);
    }
}

void end_close(struct end *end)
{
    enum doca_ctx_states state;

    end->reposts = false;
    (void)doca_ctx_stop(end->ctx);
    do {
        doca_pe_progress(end->pe);
        must(doca_ctx_get_state(end->ctx, &state), "state");
    } while (state != DOCA_CTX_STATE_IDLE);
    must(doca_rdma_destroy(end->rdma), "destroy");
    put_all(end);
    must(doca_mmap_destroy(end->peer_map), "map");
    must(doca_mmap_destroy(end->map), "map");
    must(doca_buf_inventory_destroy(end->inventory), "inventory");
    must(doca_pe_destroy(end->pe), "engine");
    must(doca_dev_close(end->dev), "device");
    munmap(end->memory, 2 * (size_t)END_HALF);
}

void end_resize(struct end *end, size_t size)
{
    struct doca_buf_inventory *inventory = end->inventory;

    put_all(end);
    end->size = size;
    must(doca_buf_inventory_buf_get_by_data(inventory, end->map, end->memory, size, &end->out),
         "buffer");
    must(doca_buf_inventory_buf_get_by_data(inventory, end->peer_map, end->peer_memory, size,
                                            &end->far_out),
         "buffer");
    for (unsigned int i = 0; i < END_WINDOW; i++) {
        must(doca_buf_inventory_buf_get_by_addr(inventory, end->map, end->memory + END_HALF, size,
                                                &end->in[i]),
             "buffer");
        must(doca_buf_inventory_buf_get_by_addr(inventory, end->peer_map,
                                                end->peer_memory + END_HALF, size, &end->far_in[i]),
             "buffer");
    }
}

/* ---- tasks ---- */

static void submit(struct end *end, struct doca_task *task)
{
    end->flying++;
    must(doca_task_submit(task), "submit");
}

void end_receive(struct end *end)
{
    struct doca_rdma_task_receive *task;

    must(doca_rdma_task_receive_allocate_init(end->rdma, end->in[end->next_in++ % END_WINDOW],
                                              (union doca_data){.u64 = 0}, &task),
         "receive");
    must(doca_task_submit(doca_rdma_task_receive_as_task(task)), "receive");
}

void end_send(struct end *end)
{
    struct doca_rdma_task_send *task;

    must(doca_rdma_task_send_allocate_init(end->rdma, end->conn, end->out,
                                           (union doca_data){.u64 = 0}, &task),
         "send");
    submit(end, doca_rdma_task_send_as_task(task));
}

void end_write(struct end *end)
{
    struct doca_buf *to = end->far_in[end->next_far++ % END_WINDOW];
    struct doca_rdma_task_write *task;

    must(doca_buf_reset_data_len(to), "buffer");
    must(doca_rdma_task_write_allocate_init(end->rdma, end->conn, end->out, to,
                                            (union doca_data){.u64 = 0}, &task),
         "write");
    submit(end, doca_rdma_task_write_as_task(task));
}

void end_read(struct end *end)
{
    struct doca_buf *to = end->in[end->next_in++ % END_WINDOW];
    struct doca_rdma_task_read *task;

    must(doca_buf_reset_data_len(to), "buffer");
    must(doca_rdma_task_read_allocate_init(end->rdma, end->conn, end->far_out, to,
                                           (union doca_data){.u64 = 0}, &task),
         "read");
    submit(end, doca_rdma_task_read_as_task(task));
}

void end_wait(struct end *end, unsigned int most)
{
    while (end->flying > most)
        doca_pe_progress(end->pe);
}
