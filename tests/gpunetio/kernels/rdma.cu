/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels at both ends of connections: writes with immediates, sends, reads, flags that the other
 * side writes; a second connection that comes while a kernel uses the first; what is not permitted
 * ends its connection. (GM-1 to GM-3) */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <doca_buf_array.h>
#include <doca_gpunetio_dev_buf.cuh>
#include <doca_gpunetio_dev_rdma.cuh>
#include <doca_rdma.h>

#include "lib/seconds.h"

#define BYTES 65536u
#define HALF  128u
#define FLAG  300u /* place of the byte that the other side writes */
#define LARGE 40000u

static const uint32_t GRANTED =
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE;

enum word { WRONG, WORDS };

/* What a kernel finds wrong: the line. */
#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = __LINE__;                                       \
    } while (0)

static struct doca_buf_arr *buffers(ends &e, struct doca_mmap *map,
                                    struct doca_gpu_buf_arr **handle)
{
    struct doca_buf_arr *arr;

    OK(doca_buf_arr_create(1, &arr));
    OK(doca_buf_arr_set_target_gpu(arr, e.gpu));
    OK(doca_buf_arr_set_params(arr, map, BYTES, 0));
    OK(doca_buf_arr_start(arr));
    OK(doca_buf_arr_get_gpu_handle(arr, handle));
    return arr;
}

/* An instance of one device, with memory that its peer may reach. */
struct side {
    struct doca_dev *dev;
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_pe *pe;
    struct doca_gpu_dev_rdma *handle;
    char *gpu, *cpu;
    ends &e;
    struct doca_mmap *map, *peer_map = NULL;
    struct doca_buf_arr *own_arr, *peer_arr = NULL;
    struct doca_gpu_buf_arr *local, *remote;
    struct doca_rdma_connection *conn = NULL;
    uint32_t up = 0, ended = 0;

    side(ends &e, struct doca_dev *dev, uint16_t conns = 1) : dev(dev), e(e)
    {
        OK(doca_gpu_mem_alloc(e.gpu, BYTES, 4096, DOCA_GPU_MEM_TYPE_CPU_GPU, (void **)&gpu,
                              (void **)&cpu));
        OK(doca_mmap_create(&map));
        OK(doca_mmap_add_dev(map, dev));
        OK(doca_mmap_set_memrange(map, gpu, BYTES));
        OK(doca_mmap_set_permissions(map, GRANTED));
        OK(doca_mmap_start(map));
        own_arr = buffers(e, map, &local);
        OK(doca_pe_create(&pe));
        OK(doca_rdma_create(dev, &rdma));
        ctx = doca_rdma_as_ctx(rdma);
        OK(doca_rdma_set_permissions(rdma, GRANTED));
        OK(doca_rdma_set_max_num_connections(rdma, conns));
        OK(doca_rdma_set_connection_request_timeout(rdma, ENDS_SECONDS * 1000));
        OK(doca_rdma_set_connection_state_callbacks(rdma, requested, established, failed, left));
        OK(doca_ctx_set_user_data(ctx, {.ptr = this}));
        OK(doca_ctx_set_datapath_on_gpu(ctx, e.gpu));
        OK(doca_pe_connect_ctx(pe, ctx));
        OK(doca_ctx_start(ctx));
        OK(doca_rdma_get_gpu_handle(rdma, &handle));
    }

    ~side()
    {
        forget_peer();
        OK(doca_buf_arr_destroy(own_arr));
        OK(doca_gpu_mem_free(e.gpu, gpu));
        OK(doca_mmap_destroy(map));
    }

    void stop()
    {
        const time_t end = whole_seconds_now() + ENDS_SECONDS;
        enum doca_ctx_states state = DOCA_CTX_STATE_RUNNING;

        doca_ctx_stop(ctx);
        while (state != DOCA_CTX_STATE_IDLE) {
            CHECK(whole_seconds_now() < end);
            doca_pe_progress(pe);
            OK(doca_ctx_get_state(ctx, &state));
        }
        OK(doca_rdma_destroy(rdma));
        OK(doca_pe_destroy(pe));
    }

    void forget_peer()
    {
        if (peer_map == NULL)
            return;
        OK(doca_buf_arr_destroy(peer_arr));
        OK(doca_mmap_destroy(peer_map));
    }

    /* The peer's memory, for kernels of this side. */
    void import(side &peer)
    {
        const void *desc;
        size_t len;

        forget_peer();
        OK(doca_mmap_export_rdma(peer.map, peer.dev, &desc, &len));
        OK(doca_mmap_create_from_export(NULL, desc, len, dev, &peer_map));
        peer_arr = buffers(e, peer_map, &remote);
    }

    static void requested(struct doca_rdma_connection *conn, union doca_data)
    {
        OK(doca_rdma_connection_accept(conn, NULL, 0));
    }
    static void established(struct doca_rdma_connection *conn, union doca_data, union doca_data own)
    {
        side *s = (side *)own.ptr;

        s->conn = conn;
        s->up++;
    }
    static void failed(struct doca_rdma_connection *, union doca_data, union doca_data)
    {
        CHECK(!"a connection failed");
    }
    static void left(struct doca_rdma_connection *, union doca_data, union doca_data own)
    {
        ((side *)own.ptr)->ended++;
    }
};

static void connect_by_details(side &a, side &b)
{
    struct doca_rdma_connection *conn_a, *conn_b;
    const void *details_a, *details_b;
    size_t len_a, len_b;

    OK(doca_rdma_export(a.rdma, &details_a, &len_a, &conn_a));
    OK(doca_rdma_export(b.rdma, &details_b, &len_b, &conn_b));
    OK(doca_rdma_connect(a.rdma, details_b, len_b, conn_a));
    OK(doca_rdma_connect(b.rdma, details_a, len_a, conn_b));
}

/* Two rounds of two halves, each with a commit of its own; then it waits for the other side's byte.
 */
__global__ void client(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *here,
                       struct doca_gpu_buf_arr *there, uint32_t conn, uint64_t *words)
{
    struct doca_gpu_buf *local, *remote;
    uint32_t position, mask, num = 0;
    uintptr_t addr;

    doca_gpu_dev_buf_get_buf(here, 0, &local);
    doca_gpu_dev_buf_get_buf(there, 0, &remote);
    doca_gpu_dev_buf_get_addr(local, &addr);
    for (uint32_t i = 0; i < 2; i++) {
        HOLDS(doca_gpu_dev_rdma_write_strong(rdma, conn, remote, 0, local, 0, HALF, i,
                                             DOCA_GPU_RDMA_WRITE_FLAG_IMM) == DOCA_SUCCESS);
        HOLDS(doca_gpu_dev_rdma_commit_strong(rdma, conn) == DOCA_SUCCESS);
        HOLDS(doca_gpu_dev_rdma_get_info(rdma, conn, &position, &mask) == DOCA_SUCCESS &&
              position == 2 * i + 1);
        HOLDS(doca_gpu_dev_rdma_write_weak(rdma, conn, remote, HALF, local, HALF, HALF, i + 1,
                                           DOCA_GPU_RDMA_WRITE_FLAG_IMM, position) == DOCA_SUCCESS);
        HOLDS(doca_gpu_dev_rdma_commit_weak(rdma, conn, 1) == DOCA_SUCCESS);
    }
    HOLDS(doca_gpu_dev_rdma_wait_all(rdma, &num) == DOCA_SUCCESS && num == 4);
    while (DOCA_GPUNETIO_VOLATILE(((uint8_t *)addr)[FLAG]) != 77)
        ;
    HOLDS(doca_gpu_dev_rdma_send_strong(rdma, conn, local, 0, LARGE, 0xabcd,
                                        DOCA_GPU_RDMA_SEND_FLAG_IMM) == DOCA_SUCCESS);
    HOLDS(doca_gpu_dev_rdma_read_strong(rdma, conn, remote, 0, local, BYTES - 2 * HALF, 2 * HALF,
                                        0) == DOCA_SUCCESS);
    HOLDS(doca_gpu_dev_rdma_commit_strong(rdma, conn) == DOCA_SUCCESS);
    HOLDS(doca_gpu_dev_rdma_wait_all(rdma, &num) == DOCA_SUCCESS && num == 1);
}

__global__ void server(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *here,
                       struct doca_gpu_buf_arr *there, uint32_t conn, uint64_t *words)
{
    struct doca_gpu_buf *local, *remote;
    struct doca_gpu_dev_rdma_r *r;
    uint32_t num = 0, imm[4], from[4];
    uint8_t flag = 77;

    doca_gpu_dev_buf_get_buf(here, 0, &local);
    doca_gpu_dev_buf_get_buf(there, 0, &remote);
    HOLDS(doca_gpu_dev_rdma_get_recv(rdma, &r) == DOCA_SUCCESS);
    for (uint32_t i = 0; i < 4; i++)
        HOLDS(doca_gpu_dev_rdma_recv_strong(r, NULL, 0, 0, 0) == DOCA_SUCCESS);
    HOLDS(doca_gpu_dev_rdma_recv_commit_strong(r) == DOCA_SUCCESS);
    HOLDS(doca_gpu_dev_rdma_recv_wait_all(r, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &num, imm, from) ==
              DOCA_SUCCESS &&
          num == 4);
    for (uint32_t i = 0; i < 4; i++)
        HOLDS(imm[i] == i / 2 + i % 2 && from[i] == conn);
    HOLDS(doca_gpu_dev_rdma_recv_strong(r, local, LARGE, 1000, 0) == DOCA_SUCCESS);
    HOLDS(doca_gpu_dev_rdma_recv_commit_strong(r) == DOCA_SUCCESS);
    HOLDS(doca_gpu_dev_rdma_write_inline_strong(rdma, conn, remote, FLAG, &flag, 1, 0,
                                                DOCA_GPU_RDMA_WRITE_FLAG_NONE) == DOCA_SUCCESS);
    HOLDS(doca_gpu_dev_rdma_commit_strong(rdma, conn) == DOCA_SUCCESS);
    HOLDS(doca_gpu_dev_rdma_wait_all(rdma, &num) == DOCA_SUCCESS && num == 1);
    HOLDS(doca_gpu_dev_rdma_recv_wait_all(r, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &num, imm, from) ==
              DOCA_SUCCESS &&
          num == 1 && imm[0] == 0xabcd);
}

/* A key that it made up: the operation fails, and all later ones of the connection. */
__global__ void intruder(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *here,
                         uint64_t there, uint64_t *words)
{
    struct doca_gpu_buf *local, *made;
    uint32_t num = 0;

    doca_gpu_dev_buf_get_buf(here, 0, &local);
    doca_gpu_dev_buf_create(there, 0x1234, &made);
    for (uint32_t i = 0; i < 2; i++) {
        HOLDS(doca_gpu_dev_rdma_write_strong(rdma, 0, made, 0, local, 0, 8, 0,
                                             DOCA_GPU_RDMA_WRITE_FLAG_NONE) == DOCA_SUCCESS);
        HOLDS(doca_gpu_dev_rdma_commit_strong(rdma, 0) == DOCA_SUCCESS);
        HOLDS(doca_gpu_dev_rdma_wait_all(rdma, &num) == DOCA_ERROR_IO_FAILED);
    }
}

static char pattern(size_t at)
{
    return (char)(at * 13 + at / 127 + 1);
}

/* Kernels of both sides over connection `conn` of the server. */
static void talk(side &c, side &s, uint32_t conn)
{
    static cudaStream_t streams[2];

    for (size_t i = 0; i < BYTES; i++)
        c.cpu[i] = i == FLAG ? 0 : pattern(i);
    for (cudaStream_t &stream : streams) {
        if (stream == NULL)
            CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    uint64_t *words;
    CUDA(cudaMallocHost(&words, 2 * sizeof(*words)));
    words[0] = words[1] = 0;
    server<<<1, 1, 0, streams[1]>>>(s.handle, s.local, s.remote, conn, words + 1);
    client<<<1, 1, 0, streams[0]>>>(c.handle, c.local, c.remote, 0, words);
    for (cudaStream_t stream : streams)
        CUDA(cudaStreamSynchronize(stream));
    printf("connection %u: wrong lines %llu, %llu\n", conn, (unsigned long long)words[0],
           (unsigned long long)words[1]);
    CHECK(words[0] == 0 && words[1] == 0);
    for (size_t i = 0; i < LARGE; i++)
        CHECK(s.cpu[1000 + i] == (i == FLAG ? 77 : pattern(i)));
    for (size_t i = 0; i < 2 * HALF; i++)
        CHECK(s.cpu[i] == pattern(i) && c.cpu[BYTES - 2 * HALF + i] == pattern(i));
    CUDA(cudaFreeHost(words));
}

static void by_details()
{
    ends e;
    side a(e, e.dev[0]), b(e, e.dev[1]);
    shared_words<uint64_t> words(e, WORDS);

    a.import(b);
    b.import(a);
    connect_by_details(a, b);
    talk(a, b, 0);
    intruder<<<1, 1>>>(a.handle, a.local, (uint64_t)b.gpu, words.gpu);
    CUDA(cudaDeviceSynchronize());
    CHECK(words.cpu[WRONG] == 0);
    a.stop();
    b.stop();
}

static uint16_t free_port()
{
    struct sockaddr_in at = {};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    at.sin_family = AF_INET;
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
          getsockname(fd, (struct sockaddr *)&at, &len) == 0);
    close(fd);
    return ntohs(at.sin_port);
}

static void connect_by_address(side &c, side &s, uint16_t port, uint32_t up)
{
    const time_t end = whole_seconds_now() + ENDS_SECONDS;
    struct doca_rdma_addr *addr;

    OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", port, &addr));
    OK(doca_rdma_connect_to_addr(c.rdma, addr, {.u64 = 0}));
    OK(doca_rdma_addr_destroy(addr));
    while (c.up < 1 || s.up < up) {
        CHECK(whole_seconds_now() < end);
        doca_pe_progress(c.pe);
        doca_pe_progress(s.pe);
    }
}

__global__ void stay(uint64_t *stop)
{
    while (DOCA_GPUNETIO_VOLATILE(*stop) == 0)
        ;
}

/* The second one comes while a kernel is there; then each in turn. */
static void by_address()
{
    ends e;
    side s(e, e.dev[1], 2), a(e, e.dev[0]), b(e, e.dev[0]);
    shared_words<uint64_t> stop(e, 1);
    const time_t end = whole_seconds_now() + ENDS_SECONDS;
    uint16_t port;
    cudaStream_t stream;

    do {
        port = free_port();
    } while (doca_rdma_start_listen_to_port(s.rdma, port) != DOCA_SUCCESS);
    connect_by_address(a, s, port, 1);
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    stay<<<1, 1, 0, stream>>>(stop.gpu);
    connect_by_address(b, s, port, 2);
    a.import(s);
    b.import(s);
    s.import(a);
    talk(a, s, 0);
    s.import(b);
    talk(b, s, 1);
    DOCA_GPUNETIO_VOLATILE(*stop.cpu) = 1;
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaStreamDestroy(stream));
    a.stop();
    while (s.ended < 1) {
        CHECK(whole_seconds_now() < end);
        doca_pe_progress(s.pe);
    }
    b.stop();
    s.stop();
}

int main()
{
    int rc = ends_on({"loop"}, by_details);

    return rc != 0 ? rc : ends_on({"loop"}, by_address);
}
