/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of two processes: those of the client write into memory of the server, those of the
 * server into a byte of the client. What programs have to tell each other goes over a TCP
 * connection.
 *
 *     gpu_rdma_write -d DEVICE -g GPU [-a PORT]              the server; prints the port of that
 * TCP gpu_rdma_write -d DEVICE -g GPU -c PORT [-a PORT]      a client
 *
 * With -a the connections are made by address, over that port, and there are two: the second one is
 * made while the client's kernel is there that uses the first.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_buf_array.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_gpunetio.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include "write.h"

DOCA_LOG_REGISTER(GPU_RDMA_WRITE);

#define TRY(call)                                                                                  \
    do {                                                                                           \
        doca_error_t tried = (call);                                                               \
        if (tried != DOCA_SUCCESS) {                                                               \
            DOCA_LOG_ERR("%s: %s", #call, doca_error_get_descr(tried));                            \
            return tried;                                                                          \
        }                                                                                          \
    } while (0)

#define CONNECTIONS 2
#define QUEUE       8192
#define TIMEOUT_MS  60000 /* of connections, also on a machine that is busy */

static struct config {
    char device[DOCA_DEVINFO_PCI_ADDR_SIZE], gpu[64];
    int told_at, listen_at; /* ports; 0: none */
} config;

struct memory {
    size_t bytes;
    void *gpu;
    struct doca_mmap *map;
    struct doca_buf_arr *arr;
    struct doca_gpu_buf_arr *handle;
};

static struct side {
    struct doca_dev *dev;
    struct doca_gpu *gpu;
    struct doca_pe *pe;
    struct doca_rdma *rdma;
    struct doca_gpu_dev_rdma *handle;
    struct memory own, peer; /* for the peer to write, of the peer to be written */
    struct memory local;     /* the client's source */
    uint32_t *words, *words_cpu;
    unsigned int up, over, failed;
    struct doca_rdma_connection *connection[CONNECTIONS];
    int talk;
} side;

enum { GO, WRONG, WORDS };

/* ---- arguments ---- */

static doca_error_t set_device(void *param, void *to)
{
    snprintf(((struct config *)to)->device, sizeof(config.device), "%s", (char *)param);
    return DOCA_SUCCESS;
}

static doca_error_t set_gpu(void *param, void *to)
{
    snprintf(((struct config *)to)->gpu, sizeof(config.gpu), "%s", (char *)param);
    return DOCA_SUCCESS;
}

static doca_error_t set_told_at(void *param, void *to)
{
    ((struct config *)to)->told_at = *(int *)param;
    return DOCA_SUCCESS;
}

static doca_error_t set_listen_at(void *param, void *to)
{
    ((struct config *)to)->listen_at = *(int *)param;
    return DOCA_SUCCESS;
}

static doca_error_t add(const char *name, const char *text, enum doca_argp_type type,
                        doca_argp_param_cb_t set)
{
    struct doca_argp_param *param;

    TRY(doca_argp_param_create(&param));
    doca_argp_param_set_short_name(param, name);
    doca_argp_param_set_description(param, text);
    doca_argp_param_set_callback(param, set);
    doca_argp_param_set_type(param, type);
    return doca_argp_register_param(param);
}

static doca_error_t parse(int argc, char **argv)
{
    TRY(doca_argp_init("gpu_rdma_write", &config));
    TRY(add("d", "PCI address of the device", DOCA_ARGP_TYPE_STRING, set_device));
    TRY(add("g", "PCI address of the GPU", DOCA_ARGP_TYPE_STRING, set_gpu));
    TRY(add("c", "the server's port", DOCA_ARGP_TYPE_INT, set_told_at));
    TRY(add("a", "port of RDMA", DOCA_ARGP_TYPE_INT, set_listen_at));
    return doca_argp_start(argc, argv);
}

/* ---- what programs tell each other ---- */

static doca_error_t meet(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons((uint16_t)config.told_at);
    if (config.told_at != 0) {
        side.talk = fd;
        return connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 ? DOCA_SUCCESS
                                                                    : DOCA_ERROR_CONNECTION_ABORTED;
    }
    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 1) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) != 0)
        return DOCA_ERROR_DRIVER;
    printf("port %u of the server\n", ntohs(at.sin_port));
    fflush(stdout);
    side.talk = accept(fd, NULL, NULL);
    close(fd);
    return side.talk >= 0 ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_ABORTED;
}

static doca_error_t tell(const void *bytes, size_t len)
{
    if (send(side.talk, &len, sizeof(len), 0) != sizeof(len) ||
        send(side.talk, bytes, len, 0) != (ssize_t)len)
        return DOCA_ERROR_CONNECTION_ABORTED;
    return DOCA_SUCCESS;
}

static doca_error_t ask(void *bytes, size_t size, size_t *len)
{
    if (recv(side.talk, len, sizeof(*len), MSG_WAITALL) != sizeof(*len) || *len > size ||
        recv(side.talk, bytes, *len, MSG_WAITALL) != (ssize_t)*len)
        return DOCA_ERROR_CONNECTION_ABORTED;
    return DOCA_SUCCESS;
}

/* ---- connections ---- */

static void requested(struct doca_rdma_connection *connection, union doca_data data)
{
    (void)data;
    if (doca_rdma_connection_accept(connection, NULL, 0) != DOCA_SUCCESS)
        side.failed++;
}

static void established(struct doca_rdma_connection *connection, union doca_data own,
                        union doca_data data)
{
    (void)own;
    (void)data;
    if (side.up < CONNECTIONS)
        side.connection[side.up] = connection;
    side.up++;
}

static void failed(struct doca_rdma_connection *connection, union doca_data own,
                   union doca_data data)
{
    (void)connection;
    (void)own;
    (void)data;
    side.failed++;
}

static void disconnected(struct doca_rdma_connection *connection, union doca_data own,
                         union doca_data data)
{
    (void)connection;
    (void)own;
    (void)data;
    side.over++;
}

static doca_error_t open_device(void)
{
    struct doca_devinfo **list;
    uint32_t num;
    uint8_t equal = 0;

    TRY(doca_devinfo_create_list(&list, &num));
    for (uint32_t i = 0; i < num && equal == 0; i++) {
        TRY(doca_devinfo_is_equal_pci_addr(list[i], config.device, &equal));
        if (equal != 0)
            TRY(doca_dev_open(list[i], &side.dev));
    }
    TRY(doca_devinfo_destroy_list(list));
    return equal != 0 ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND;
}

static doca_error_t open_rdma(void)
{
    struct doca_ctx *ctx;

    TRY(doca_rdma_create(side.dev, &side.rdma));
    ctx = doca_rdma_as_ctx(side.rdma);
    TRY(doca_rdma_set_permissions(side.rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                                 DOCA_ACCESS_FLAG_RDMA_READ |
                                                 DOCA_ACCESS_FLAG_RDMA_WRITE));
    TRY(doca_rdma_set_grh_enabled(side.rdma, 1));
    TRY(doca_rdma_set_gid_index(side.rdma, 0));
    TRY(doca_rdma_set_connection_request_timeout(side.rdma, TIMEOUT_MS));
    TRY(doca_rdma_set_send_queue_size(side.rdma, QUEUE));
    TRY(doca_rdma_set_recv_queue_size(side.rdma, QUEUE));
    if (config.listen_at != 0) {
        TRY(doca_rdma_set_max_num_connections(side.rdma, CONNECTIONS));
        TRY(doca_rdma_set_connection_state_callbacks(side.rdma, requested, established, failed,
                                                     disconnected));
    }
    TRY(doca_ctx_set_datapath_on_gpu(ctx, side.gpu));
    TRY(doca_pe_create(&side.pe));
    TRY(doca_pe_connect_ctx(side.pe, ctx));
    TRY(doca_ctx_start(ctx));
    return doca_rdma_get_gpu_handle(side.rdma, &side.handle);
}

static doca_error_t connect_by_details(void)
{
    const void *own;
    char peer[4096];
    size_t len;

    TRY(doca_rdma_export(side.rdma, &own, &len, &side.connection[0]));
    TRY(tell(own, len));
    TRY(ask(peer, sizeof(peer), &len));
    return doca_rdma_connect(side.rdma, peer, len, side.connection[0]);
}

static doca_error_t await_connection(unsigned int num)
{
    while (side.up < num && side.failed == 0)
        (void)doca_pe_progress(side.pe);
    return side.failed == 0 ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_ABORTED;
}

static doca_error_t call(unsigned int num)
{
    union doca_data data = {.u64 = num};
    struct doca_rdma_addr *addr;

    TRY(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", (uint16_t)config.listen_at,
                              &addr));
    TRY(doca_rdma_connect_to_addr(side.rdma, addr, data));
    TRY(doca_rdma_addr_destroy(addr));
    return await_connection(num);
}

static doca_error_t listen_or_call(void)
{
    char byte = 'l';
    size_t len;

    if (config.told_at == 0) {
        TRY(doca_rdma_start_listen_to_port(side.rdma, (uint16_t)config.listen_at));
        TRY(tell(&byte, 1));
        return await_connection(1);
    }
    TRY(ask(&byte, 1, &len));
    return call(1);
}

/* ---- memory ---- */

static doca_error_t make_array(struct memory *memory)
{
    TRY(doca_buf_arr_create(1, &memory->arr));
    TRY(doca_buf_arr_set_target_gpu(memory->arr, side.gpu));
    TRY(doca_buf_arr_set_params(memory->arr, memory->map, memory->bytes, 0));
    TRY(doca_buf_arr_start(memory->arr));
    return doca_buf_arr_get_gpu_handle(memory->arr, &memory->handle);
}

/* As a descriptor, where the GPU has one, else by its address. */
static doca_error_t set_range(struct memory *memory)
{
    int fd = -1;

    if (doca_gpu_dmabuf_fd(side.gpu, memory->gpu, memory->bytes, &fd) == DOCA_SUCCESS &&
        doca_mmap_set_dmabuf_memrange(memory->map, fd, memory->gpu, 0, memory->bytes) ==
            DOCA_SUCCESS)
        return DOCA_SUCCESS;
    return doca_mmap_set_memrange(memory->map, memory->gpu, memory->bytes);
}

static doca_error_t make_memory(struct memory *memory, size_t bytes, uint32_t permissions)
{
    memory->bytes = bytes;
    TRY(doca_gpu_mem_alloc(side.gpu, bytes, (size_t)sysconf(_SC_PAGESIZE), DOCA_GPU_MEM_TYPE_GPU,
                           &memory->gpu, NULL));
    TRY(fill(memory->gpu, 0, bytes));
    TRY(doca_mmap_create(&memory->map));
    TRY(doca_mmap_add_dev(memory->map, side.dev));
    TRY(doca_mmap_set_permissions(memory->map, permissions));
    TRY(set_range(memory));
    TRY(doca_mmap_start(memory->map));
    return make_array(memory);
}

static doca_error_t exchange_memory(size_t peer_bytes)
{
    const void *own;
    char peer[4096];
    size_t len;

    TRY(doca_mmap_export_rdma(side.own.map, side.dev, &own, &len));
    TRY(tell(own, len));
    TRY(ask(peer, sizeof(peer), &len));
    side.peer.bytes = peer_bytes;
    TRY(doca_mmap_create_from_export(NULL, peer, len, side.dev, &side.peer.map));
    return make_array(&side.peer);
}

static doca_error_t forget(struct memory *memory)
{
    if (memory->arr != NULL)
        TRY(doca_buf_arr_destroy(memory->arr));
    if (memory->map != NULL)
        TRY(doca_mmap_destroy(memory->map));
    return memory->gpu == NULL ? DOCA_SUCCESS : doca_gpu_mem_free(side.gpu, memory->gpu);
}

/* ---- the two sides ---- */

static doca_error_t end_kernel(void)
{
    TRY(await_kernel());
    if (side.words_cpu[WRONG] != 0)
        DOCA_LOG_ERR("The kernel failed in line %u", side.words_cpu[WRONG]);
    return side.words_cpu[WRONG] == 0 ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
}

static doca_error_t check_data(void)
{
    uint8_t bytes[DATA_BYTES];

    TRY(fetch(bytes, side.own.gpu, sizeof(bytes)));
    for (int at = 0; at < 2 * HALF; at++) {
        if (bytes[at] != PATTERN(ROUNDS - 1, at))
            return DOCA_ERROR_UNEXPECTED;
    }
    if (memcmp(bytes + INBOX, bytes + HALF, HALF) != 0)
        return DOCA_ERROR_UNEXPECTED;
    printf("the memory is what the client wrote\n");
    return fill(side.own.gpu, 0, DATA_BYTES);
}

static doca_error_t serve(unsigned int connections)
{
    for (uint32_t i = 0; i < connections; i++) {
        TRY(start_server(side.handle, side.own.handle, side.peer.handle, i, side.words + WRONG));
        TRY(await_connection(config.listen_at != 0 ? CONNECTIONS : 0));
        TRY(end_kernel());
        TRY(check_data());
        TRY(tell(&i, sizeof(i)));
    }
    return DOCA_SUCCESS;
}

static doca_error_t write_to_server(unsigned int connections)
{
    uint32_t checked; /* the server has looked at what the last kernel wrote */
    size_t len;

    for (uint32_t i = 0; i < connections; i++) {
        side.words_cpu[GO] = 0;
        TRY(fill(side.own.gpu, 0, FLAG_BYTES));
        TRY(start_client(side.handle, side.local.handle, side.peer.handle, side.own.handle, i,
                         side.words + GO, side.words + WRONG));
        if (config.listen_at != 0 && i == 0)
            TRY(call(2));
        side.words_cpu[GO] = 1;
        TRY(end_kernel());
        TRY(ask(&checked, sizeof(checked), &len));
    }
    return DOCA_SUCCESS;
}

/* The client leaves first, the server hears of it where connections are by address. */
static doca_error_t end_rdma(unsigned int connections)
{
    struct doca_ctx *ctx = doca_rdma_as_ctx(side.rdma);
    enum doca_ctx_states state;
    bool hears = config.listen_at != 0 && config.told_at == 0;
    doca_error_t result;

    while (hears && side.over < connections)
        (void)doca_pe_progress(side.pe);
    result = doca_ctx_stop(ctx);
    if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
        return result;
    do {
        (void)doca_pe_progress(side.pe);
        TRY(doca_ctx_get_state(ctx, &state));
    } while (state != DOCA_CTX_STATE_IDLE);
    TRY(doca_rdma_destroy(side.rdma));
    return doca_pe_destroy(side.pe);
}

static doca_error_t run(void)
{
    const bool is_server = config.told_at == 0;
    unsigned int connections = config.listen_at != 0 ? CONNECTIONS : 1;

    TRY(open_device());
    TRY(doca_gpu_create(config.gpu, &side.gpu));
    TRY(doca_gpu_mem_alloc(side.gpu, WORDS * sizeof(*side.words), 64, DOCA_GPU_MEM_TYPE_GPU_CPU,
                           (void **)&side.words, (void **)&side.words_cpu));
    memset(side.words_cpu, 0, WORDS * sizeof(*side.words));
    TRY(open_rdma());
    TRY(meet());
    TRY(config.listen_at != 0 ? listen_or_call() : connect_by_details());
    TRY(make_memory(&side.own, is_server ? DATA_BYTES : FLAG_BYTES,
                    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE));
    if (!is_server)
        TRY(make_memory(&side.local, DATA_BYTES, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    TRY(exchange_memory(is_server ? FLAG_BYTES : DATA_BYTES));
    TRY(is_server ? serve(connections) : write_to_server(connections));
    TRY(end_rdma(connections));
    TRY(forget(&side.peer));
    TRY(forget(&side.local));
    TRY(forget(&side.own));
    TRY(doca_gpu_mem_free(side.gpu, side.words));
    TRY(doca_gpu_destroy(side.gpu));
    close(side.talk);
    return doca_dev_close(side.dev);
}

int main(int argc, char **argv)
{
    doca_error_t result;

    if (doca_log_backend_create_standard() != DOCA_SUCCESS)
        return 1;
    result = parse(argc, argv);
    if (result == DOCA_SUCCESS)
        result = run();
    (void)doca_argp_destroy();
    printf("finished %s\n", result == DOCA_SUCCESS ? "successfully" : "with errors");
    return result == DOCA_SUCCESS ? 0 : 1;
}
