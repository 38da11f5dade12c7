/* SPDX-License-Identifier: BSD-3-Clause */
/* One side of an RDMA exchange. The sides find each other by files, which somebody carries.
 *
 *     rdma_roles -m ROLE -o LOCAL_DETAILS -c REMOTE_DETAILS [-d MEMORY] [-t TEXT] [-g GID_INDEX]
 *
 * ROLE is send, send_imm, receive, write, write_imm, read, or owner (of the memory). A receiver
 * also takes what write_imm announces; the owner waits for Enter.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_log.h>
#include <doca_rdma.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(RDMA_ROLES);

#define BUFFER_SIZE  4096
#define PATH_SIZE    1024
#define IMMEDIATE    0x12345678
#define WAIT_SECONDS 60.0

struct roles {
    char role[16];
    char local_path[PATH_SIZE];
    char remote_path[PATH_SIZE];
    char memory_path[PATH_SIZE];
    char text[256];
    int gid_index;
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_rdma_connection *connection;
    struct doca_mmap *map;
    struct doca_mmap *remote_map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *local_buf;
    struct doca_buf *remote_buf;
    char buffer[BUFFER_SIZE];
    size_t left; /* tasks */
    doca_error_t outcome;
};

/* ---- command line ---- */

static doca_error_t set_role(void *value, void *config)
{
    return kit_store(((struct roles *)config)->role, sizeof(((struct roles *)config)->role), value);
}

static doca_error_t set_local(void *value, void *config)
{
    return kit_store(((struct roles *)config)->local_path, PATH_SIZE, value);
}

static doca_error_t set_remote(void *value, void *config)
{
    return kit_store(((struct roles *)config)->remote_path, PATH_SIZE, value);
}

static doca_error_t set_memory(void *value, void *config)
{
    return kit_store(((struct roles *)config)->memory_path, PATH_SIZE, value);
}

static doca_error_t set_text(void *value, void *config)
{
    return kit_store(((struct roles *)config)->text, sizeof(((struct roles *)config)->text), value);
}

static doca_error_t set_gid_index(void *value, void *config)
{
    ((struct roles *)config)->gid_index = *(int *)value;
    return DOCA_SUCCESS;
}

static doca_error_t parse(struct roles *roles, int argc, char **argv)
{
    doca_error_t result = doca_argp_init("rdma_roles", roles);

    if (result == DOCA_SUCCESS)
        result =
            kit_param("m", "role", "what this side does", DOCA_ARGP_TYPE_STRING, true, set_role);
    if (result == DOCA_SUCCESS)
        result = kit_param("o", "local-details", "file to write", DOCA_ARGP_TYPE_STRING, true,
                           set_local);
    if (result == DOCA_SUCCESS)
        result = kit_param("c", "remote-details", "file to read", DOCA_ARGP_TYPE_STRING, true,
                           set_remote);
    if (result == DOCA_SUCCESS)
        result = kit_param("d", "memory", "file of the exported memory", DOCA_ARGP_TYPE_STRING,
                           false, set_memory);
    if (result == DOCA_SUCCESS)
        result = kit_param("t", "text", "what is sent or written", DOCA_ARGP_TYPE_STRING, false,
                           set_text);
    if (result == DOCA_SUCCESS)
        result = kit_param("g", "gid-index", "address of the device", DOCA_ARGP_TYPE_INT, false,
                           set_gid_index);
    return result == DOCA_SUCCESS ? doca_argp_start(argc, argv) : result;
}

/* ---- tasks ---- */

static void end_task(struct roles *roles, struct doca_task *task)
{
    doca_error_t status = doca_task_get_status(task);

    DOCA_ERROR_PROPAGATE(roles->outcome, status);
    roles->left--;
    doca_task_free(task);
}

static void on_send(struct doca_rdma_task_send *task, union doca_data data, union doca_data ctx)
{
    (void)data;
    end_task(ctx.ptr, doca_rdma_task_send_as_task(task));
}

static void on_send_imm(struct doca_rdma_task_send_imm *task, union doca_data data,
                        union doca_data ctx)
{
    (void)data;
    end_task(ctx.ptr, doca_rdma_task_send_imm_as_task(task));
}

static void on_write(struct doca_rdma_task_write *task, union doca_data data, union doca_data ctx)
{
    (void)data;
    end_task(ctx.ptr, doca_rdma_task_write_as_task(task));
}

static void on_write_imm(struct doca_rdma_task_write_imm *task, union doca_data data,
                         union doca_data ctx)
{
    (void)data;
    end_task(ctx.ptr, doca_rdma_task_write_imm_as_task(task));
}

static void on_read(struct doca_rdma_task_read *task, union doca_data data, union doca_data ctx)
{
    (void)data;
    end_task(ctx.ptr, doca_rdma_task_read_as_task(task));
}

static void tell_immediate(doca_be32_t immediate)
{
    DOCA_LOG_INFO("Immediate: 0x%x", immediate);
}

static void on_receive(struct doca_rdma_task_receive *task, union doca_data data,
                       union doca_data ctx)
{
    struct roles *roles = ctx.ptr;
    enum doca_rdma_opcode opcode = doca_rdma_task_receive_get_result_opcode(task);

    (void)data;
    if (doca_task_get_status(doca_rdma_task_receive_as_task(task)) == DOCA_SUCCESS) {
        if (opcode == DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM ||
            opcode == DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM)
            tell_immediate(doca_rdma_task_receive_get_result_immediate_data(task));
        DOCA_LOG_INFO("Received: %s", roles->buffer);
    }
    end_task(roles, doca_rdma_task_receive_as_task(task));
}

static bool is_role(const struct roles *roles, const char *role)
{
    return strcmp(roles->role, role) == 0;
}

/* What all roles may need, as a common part of programs has it. */
static doca_error_t configure(struct roles *roles)
{
    doca_error_t result;

    result = doca_rdma_set_permissions(roles->rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                                        DOCA_ACCESS_FLAG_RDMA_READ |
                                                        DOCA_ACCESS_FLAG_RDMA_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_set_gid_index(roles->rdma, (uint32_t)roles->gid_index);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_set_transport_type(roles->rdma, DOCA_RDMA_TRANSPORT_TYPE_RC);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_send_set_conf(roles->rdma, on_send, on_send, 1);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_send_imm_set_conf(roles->rdma, on_send_imm, on_send_imm, 1);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_receive_set_conf(roles->rdma, on_receive, on_receive, 1);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_write_set_conf(roles->rdma, on_write, on_write, 1);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_write_imm_set_conf(roles->rdma, on_write_imm, on_write_imm, 1);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_read_set_conf(roles->rdma, on_read, on_read, 1);
    return result;
}

static doca_error_t open_rdma(struct roles *roles)
{
    doca_error_t result = kit_open_capable(doca_rdma_cap_task_send_is_supported, &roles->dev);

    if (result == DOCA_SUCCESS)
        result = kit_map(roles->dev, roles->buffer, BUFFER_SIZE,
                         DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
                             DOCA_ACCESS_FLAG_RDMA_WRITE,
                         &roles->map);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(roles->map);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(2, &roles->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(roles->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&roles->pe);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_create(roles->dev, &roles->rdma);
    if (result != DOCA_SUCCESS)
        return result;
    roles->ctx = doca_rdma_as_ctx(roles->rdma);
    result = configure(roles);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(roles->ctx, (union doca_data){.ptr = roles});
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(roles->pe, roles->ctx);
    return result == DOCA_SUCCESS ? doca_ctx_start(roles->ctx) : result;
}

/* ---- meeting ---- */

/* The other side writes it when it has come so far. */
static doca_error_t await_file(const char *path, void *data, size_t size, size_t *len)
{
    double end = kit_seconds() + WAIT_SECONDS;

    while (access(path, R_OK) != 0 && kit_seconds() < end)
        (void)poll(NULL, 0, 10);
    return kit_read_file(path, data, size, len);
}

static doca_error_t share_memory(struct roles *roles)
{
    const void *descriptor;
    size_t len;
    doca_error_t result = doca_mmap_export_rdma(roles->map, roles->dev, &descriptor, &len);

    return result == DOCA_SUCCESS ? kit_write_file(roles->memory_path, descriptor, len) : result;
}

static doca_error_t find_memory(struct roles *roles)
{
    char descriptor[1024];
    size_t len;
    doca_error_t result = await_file(roles->memory_path, descriptor, sizeof(descriptor), &len);

    return result == DOCA_SUCCESS
               ? doca_mmap_create_from_export(NULL, descriptor, len, roles->dev, &roles->remote_map)
               : result;
}

static doca_error_t meet(struct roles *roles)
{
    char details[1024];
    const void *local;
    size_t len;
    doca_error_t result = doca_rdma_export(roles->rdma, &local, &len, &roles->connection);

    if (result == DOCA_SUCCESS)
        result = kit_write_file(roles->local_path, local, len);
    if (result == DOCA_SUCCESS)
        result = await_file(roles->remote_path, details, sizeof(details), &len);
    return result == DOCA_SUCCESS ? doca_rdma_connect(roles->rdma, details, len, roles->connection)
                                  : result;
}

/* ---- roles ---- */

static bool has_tasks(void *arg)
{
    return ((struct roles *)arg)->left > 0;
}

static doca_error_t finish(struct roles *roles, struct doca_task *task)
{
    doca_error_t result;

    roles->left = 1;
    result = doca_task_submit(task);
    if (result != DOCA_SUCCESS) {
        doca_task_free(task);
        return result;
    }
    result = kit_progress(roles->pe, has_tasks, roles);
    return result == DOCA_SUCCESS ? roles->outcome : result;
}

static doca_error_t receive(struct roles *roles)
{
    struct doca_rdma_task_receive *task;
    doca_error_t result;

    if (roles->memory_path[0] != '\0') {
        result = share_memory(roles);
        if (result != DOCA_SUCCESS)
            return result;
    }
    result = doca_buf_inventory_buf_get_by_addr(roles->inventory, roles->map, roles->buffer,
                                                BUFFER_SIZE, &roles->local_buf);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_receive_allocate_init(roles->rdma, roles->local_buf,
                                                      (union doca_data){.u64 = 0}, &task);
    return result == DOCA_SUCCESS ? finish(roles, doca_rdma_task_receive_as_task(task)) : result;
}

static doca_error_t say(struct roles *roles)
{
    union doca_data none = {.u64 = 0};
    struct doca_rdma_task_send_imm *with_imm;
    struct doca_rdma_task_send *plain;
    doca_error_t result;

    if (is_role(roles, "send")) {
        result = doca_rdma_task_send_allocate_init(roles->rdma, roles->connection, roles->local_buf,
                                                   none, &plain);
        return result == DOCA_SUCCESS ? finish(roles, doca_rdma_task_send_as_task(plain)) : result;
    }
    result = doca_rdma_task_send_imm_allocate_init(roles->rdma, roles->connection, roles->local_buf,
                                                   IMMEDIATE, none, &with_imm);
    return result == DOCA_SUCCESS ? finish(roles, doca_rdma_task_send_imm_as_task(with_imm))
                                  : result;
}

static doca_error_t put(struct roles *roles)
{
    union doca_data none = {.u64 = 0};
    struct doca_rdma_task_write_imm *with_imm;
    struct doca_rdma_task_write *plain;
    doca_error_t result;

    if (is_role(roles, "write")) {
        result = doca_rdma_task_write_allocate_init(
            roles->rdma, roles->connection, roles->local_buf, roles->remote_buf, none, &plain);
        return result == DOCA_SUCCESS ? finish(roles, doca_rdma_task_write_as_task(plain)) : result;
    }
    result =
        doca_rdma_task_write_imm_allocate_init(roles->rdma, roles->connection, roles->local_buf,
                                               roles->remote_buf, IMMEDIATE, none, &with_imm);
    return result == DOCA_SUCCESS ? finish(roles, doca_rdma_task_write_imm_as_task(with_imm))
                                  : result;
}

static doca_error_t get(struct roles *roles)
{
    struct doca_rdma_task_read *task;
    doca_error_t result =
        doca_rdma_task_read_allocate_init(roles->rdma, roles->connection, roles->remote_buf,
                                          roles->local_buf, (union doca_data){.u64 = 0}, &task);

    if (result == DOCA_SUCCESS)
        result = finish(roles, doca_rdma_task_read_as_task(task));
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Read: %s", roles->buffer);
    return result;
}

/* The roles that ask: a buffer here, and one there where memory of the peer is used. */
static doca_error_t request(struct roles *roles)
{
    bool reads = is_role(roles, "read"), writes = strncmp(roles->role, "write", 5) == 0;
    size_t len = strlen(roles->text) + 1, remote_len;
    doca_error_t result;
    void *remote;

    if (!reads)
        memcpy(roles->buffer, roles->text, len);
    result =
        doca_buf_inventory_buf_get_by_args(roles->inventory, roles->map, roles->buffer, BUFFER_SIZE,
                                           roles->buffer, reads ? 0 : len, &roles->local_buf);
    if (result != DOCA_SUCCESS || (!reads && !writes))
        return result == DOCA_SUCCESS ? say(roles) : result;
    result = find_memory(roles);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_get_memrange(roles->remote_map, &remote, &remote_len);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_args(roles->inventory, roles->remote_map, remote,
                                                    remote_len, remote, reads ? 256 : 0,
                                                    &roles->remote_buf);
    if (result != DOCA_SUCCESS)
        return result;
    return reads ? get(roles) : put(roles);
}

static doca_error_t own(struct roles *roles)
{
    doca_error_t result;

    memcpy(roles->buffer, roles->text, strlen(roles->text) + 1);
    result = share_memory(roles);
    if (result != DOCA_SUCCESS)
        return result;
    DOCA_LOG_INFO("Run the requester until it is done, then press Enter");
    (void)getchar();
    DOCA_LOG_INFO("The memory reads: %s", roles->buffer);
    return DOCA_SUCCESS;
}

static doca_error_t run(struct roles *roles)
{
    doca_error_t result = open_rdma(roles);

    if (result == DOCA_SUCCESS)
        result = meet(roles);
    if (result != DOCA_SUCCESS)
        return result;
    if (is_role(roles, "receive"))
        return receive(roles);
    return is_role(roles, "owner") ? own(roles) : request(roles);
}

static doca_error_t close_all(struct roles *roles)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    if (roles->ctx != NULL) {
        tmp = kit_stop(roles->pe, roles->ctx);
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_rdma_destroy(roles->rdma);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (roles->local_buf != NULL)
        (void)doca_buf_dec_refcount(roles->local_buf, NULL);
    if (roles->remote_buf != NULL)
        (void)doca_buf_dec_refcount(roles->remote_buf, NULL);
    if (roles->pe != NULL)
        (void)doca_pe_destroy(roles->pe);
    if (roles->inventory != NULL)
        (void)doca_buf_inventory_destroy(roles->inventory);
    if (roles->remote_map != NULL)
        (void)doca_mmap_destroy(roles->remote_map);
    if (roles->map != NULL)
        (void)doca_mmap_destroy(roles->map);
    tmp = kit_close_device(&roles->dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

int main(int argc, char **argv)
{
    static struct roles roles = {.text = "a text that travels"};
    doca_error_t result = kit_log(), tmp;

    if (result == DOCA_SUCCESS)
        result = parse(&roles, argc, argv);
    if (result != DOCA_SUCCESS)
        return kit_exit("rdma_roles", result);
    result = run(&roles);
    tmp = close_all(&roles);
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_argp_destroy();
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("rdma_roles", result);
}
