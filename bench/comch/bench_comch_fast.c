/* SPDX-License-Identifier: BSD-3-Clause */
/* The fast path of Comch against a bare unix socket, a bare ring of shared memory and, for private
 * memory, process_vm_writev, between the same two processes: rate of 64 bytes, bandwidth of 1 MiB.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include "lib/bench.h"
#include "pair.h"

#define ROUNDS     21
#define BIG_ROUNDS 11
#define MIB        (1u << 20)
#define SMALL      64u
#define MANY       2000u
#define SOME       8u
#define DEPTH      64u
#define BIG_SLOTS  4u

/* What the other process does, with the flow's number in the high half. */
enum order { CONSUME = 1, STOP, SOCKET, RING, BYE };

/* One way of using the connection, as both sides know it. */
struct flow {
    uint32_t size, depth, count;
    bool is_shared; /* the consumer's memory */
};

enum { SMALL_SHARED, BIG_PRIVATE, BIG_SHARED };

static const struct flow flows[] = {
    [SMALL_SHARED] = {SMALL, DEPTH, MANY, true},
    [BIG_PRIVATE] = {MIB, BIG_SLOTS, SOME, false},
    [BIG_SHARED] = {MIB, BIG_SLOTS, SOME, true},
};

static struct shared {
    struct orders orders;
    _Alignas(LINE) _Atomic uint64_t taken;
    _Alignas(LINE) uint64_t private_addr; /* of the other process's memory */
    pid_t pid;
    struct {
        _Alignas(LINE) _Atomic uint64_t mark;
    } marks[DEPTH];
    _Alignas(4096) char slots[BIG_SLOTS * MIB];
} * shared;

static int socks[2];
static const struct flow *flow; /* the one that is measured */

/* ---- memory of either side ---- */

struct memory {
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    char *bytes;
    size_t size;
};

static void open_memory(struct memory *memory, struct end *end, const struct flow *of,
                        bool shareable)
{
    memory->size = of->size == MIB ? BIG_SLOTS * (size_t)MIB : DEPTH * (size_t)SMALL;
    memory->bytes =
        mmap(NULL, memory->size, PROT_READ | PROT_WRITE,
             (shareable ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory->bytes == MAP_FAILED)
        bench_die("mmap", strerror(errno));
    memset(memory->bytes, 1, memory->size);
    must(doca_mmap_create(&memory->map), "map");
    must(doca_mmap_add_dev(memory->map, end->dev), "map");
    must(doca_mmap_set_permissions(memory->map, DOCA_ACCESS_FLAG_PCI_READ_WRITE), "map");
    must(doca_mmap_set_memrange(memory->map, memory->bytes, memory->size), "map");
    must(doca_mmap_start(memory->map), "map");
    must(doca_buf_inventory_create(DEPTH, &memory->inventory), "inventory");
    must(doca_buf_inventory_start(memory->inventory), "inventory");
}

static void close_memory(struct memory *memory)
{
    must(doca_mmap_destroy(memory->map), "map");
    must(doca_buf_inventory_destroy(memory->inventory), "inventory");
    munmap(memory->bytes, memory->size);
}

static void stop(struct doca_ctx *ctx, struct doca_pe *pe)
{
    enum doca_ctx_states state;

    doca_ctx_stop(ctx);
    do {
        doca_pe_progress(pe);
        must(doca_ctx_get_state(ctx, &state), "state");
    } while (state != DOCA_CTX_STATE_IDLE);
}

/* ---- the other process: the consumer ---- */

static bool is_ending;

static void release(struct doca_comch_consumer_task_post_recv *task)
{
    doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void arrived(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task));
    if (is_ending ||
        doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) != DOCA_SUCCESS)
        release(task);
}

static void flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    release(task);
}

static void post_all(struct doca_comch_consumer *consumer, struct memory *memory,
                     const struct flow *of)
{
    for (uint32_t i = 0; i < of->depth; i++) {
        struct doca_comch_consumer_task_post_recv *task;
        struct doca_buf *buf;

        must(doca_buf_inventory_buf_get_by_addr(memory->inventory, memory->map,
                                                memory->bytes + (size_t)i * of->size, of->size,
                                                &buf),
             "buf");
        must(doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, &task), "post");
        must(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)), "post");
    }
}

/* Consumes until the next order. */
static void consume(struct end *end, const struct flow *of, uint64_t *last)
{
    struct doca_comch_consumer *consumer;
    enum doca_ctx_states state;
    struct memory memory;
    struct doca_ctx *ctx;
    struct doca_pe *pe;

    is_ending = false;
    open_memory(&memory, end, of, of->is_shared);
    must(doca_comch_consumer_create(end->conn, memory.map, &consumer), "consumer");
    ctx = doca_comch_consumer_as_ctx(consumer);
    must(doca_comch_consumer_task_post_recv_set_conf(consumer, arrived, flushed, of->depth),
         "tasks");
    must(doca_pe_create(&pe), "engine");
    must(doca_pe_connect_ctx(pe, ctx), "engine");
    if (doca_ctx_start(ctx) != DOCA_ERROR_IN_PROGRESS)
        bench_die("consumer", "does not start");
    do {
        doca_pe_progress(end->pe);
        doca_pe_progress(pe);
        must(doca_ctx_get_state(ctx, &state), "state");
    } while (state != DOCA_CTX_STATE_RUNNING);
    post_all(consumer, &memory, of);
    while (atomic_load_explicit(&shared->orders.now, memory_order_relaxed) == *last) {
        for (int i = 0; i < 64; i++)
            doca_pe_progress(pe);
        doca_pe_progress(end->pe);
    }
    is_ending = true;
    stop(ctx, pe);
    must(doca_comch_consumer_destroy(consumer), "consumer");
    must(doca_pe_destroy(pe), "engine");
    close_memory(&memory);
}

static void socket_drain(char *bytes)
{
    size_t size = flow->size, left = (size_t)flow->count * size;

    while (left > 0) {
        ssize_t n = recv(socks[1], bytes, size, 0);

        if (n < 0 && errno != EINTR)
            bench_die("recv", strerror(errno));
        left -= n > 0 ? (size_t)n : 0;
    }
    atomic_store(&shared->taken, flow->count);
}

static void ring_drain(void)
{
    for (uint64_t i = 1; i <= flow->count; i++) {
        while (atomic_load_explicit(&shared->marks[i % flow->depth].mark, memory_order_acquire) !=
               i)
            continue;
        atomic_store_explicit(&shared->taken, i, memory_order_release);
    }
}

static void serve(struct end *end)
{
    char *private_memory = malloc(BIG_SLOTS * (size_t)MIB);
    uint64_t last = 0;
    unsigned int order;

    if (private_memory == NULL)
        bench_die("malloc", "no memory");
    memset(private_memory, 1, BIG_SLOTS * (size_t)MIB);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    shared->pid = getpid();
    shared->private_addr = (uintptr_t)private_memory;
    for (;;) {
        order = next_order(&shared->orders, &last);
        flow = &flows[order >> 4];
        switch (order & 0xf) {
        case CONSUME:
            consume(end, flow, &last);
            break;
        case SOCKET:
            socket_drain(private_memory);
            break;
        case RING:
            ring_drain();
            break;
        case BYE:
            free(private_memory);
            return;
        default:
            doca_pe_progress(end->pe);
        }
    }
}

/* ---- this process: the producer ---- */

struct source {
    struct end end;
    struct memory memory;
    struct doca_pe *pe;
    struct doca_comch_producer *producer;
    struct doca_ctx *ctx;
    uint32_t done;
};

static void transferred(struct doca_comch_producer_task_send *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    struct source *source = ctx_data.ptr;

    (void)task_data;
    source->done++;
    doca_buf_dec_refcount((struct doca_buf *)doca_comch_producer_task_send_get_buf(task), NULL);
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void not_transferred(struct doca_comch_producer_task_send *task, union doca_data task_data,
                            union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    must(doca_task_get_status(doca_comch_producer_task_send_as_task(task)), "transfer");
}

static void open_producer(struct source *source)
{
    union doca_data self = {.ptr = source};

    must(doca_comch_producer_create(source->end.conn, &source->producer), "producer");
    source->ctx = doca_comch_producer_as_ctx(source->producer);
    must(doca_comch_producer_task_send_set_conf(source->producer, transferred, not_transferred,
                                                DEPTH),
         "tasks");
    must(doca_ctx_set_user_data(source->ctx, self), "user data");
    must(doca_pe_create(&source->pe), "engine");
    must(doca_pe_connect_ctx(source->pe, source->ctx), "engine");
    must(doca_ctx_start(source->ctx), "producer");
}

static void close_producer(struct source *source)
{
    stop(source->ctx, source->pe);
    must(doca_comch_producer_destroy(source->producer), "producer");
    must(doca_pe_destroy(source->pe), "engine");
}

static void transfer(struct source *source, uint32_t i)
{
    char *addr = source->memory.bytes + (size_t)(i % flow->depth) * flow->size;
    struct doca_comch_producer_task_send *task;
    struct doca_buf *buf;
    doca_error_t result;

    must(doca_buf_inventory_buf_get_by_data(source->memory.inventory, source->memory.map, addr,
                                            flow->size, &buf),
         "buf");
    must(doca_comch_producer_task_send_alloc_init(source->producer, buf, NULL, 0,
                                                  source->end.consumer, &task),
         "alloc");
    while ((result = doca_task_submit(doca_comch_producer_task_send_as_task(task))) ==
           DOCA_ERROR_AGAIN)
        doca_pe_progress(source->pe);
    must(result, "submit");
}

static double speed(double seconds)
{
    return flow->size == SMALL ? flow->count / seconds / 1e6
                               : (double)flow->count * flow->size / seconds / 1e9;
}

static void order(enum order what)
{
    give_order(&shared->orders, (unsigned int)(flow - flows) << 4 | what);
}

static double comch_flow(void *arg)
{
    struct source *source = arg;
    double begin, seconds;

    order(CONSUME);
    while (source->end.consumer == 0)
        doca_pe_progress(source->end.pe);
    source->done = 0;
    begin = bench_now();
    for (uint32_t i = 0; i < flow->count; i++) {
        while (i - source->done == flow->depth)
            doca_pe_progress(source->pe);
        transfer(source, i);
    }
    while (source->done < flow->count)
        doca_pe_progress(source->pe);
    seconds = bench_now() - begin;
    order(STOP);
    while (source->end.consumer != 0)
        doca_pe_progress(source->end.pe);
    return speed(seconds);
}

static void await_taken(uint64_t count)
{
    while (atomic_load_explicit(&shared->taken, memory_order_acquire) < count)
        continue;
}

static double socket_flow(void *arg)
{
    struct source *source = arg;
    size_t left = (size_t)flow->count * flow->size;
    double begin;

    atomic_store(&shared->taken, 0);
    order(SOCKET);
    begin = bench_now();
    while (left > 0) {
        ssize_t n = send(socks[0], source->memory.bytes, flow->size, 0);

        if (n < 0 && errno != EINTR)
            bench_die("send", strerror(errno));
        left -= n > 0 ? (size_t)n : 0;
    }
    await_taken(flow->count);
    return speed(bench_now() - begin);
}

static double ring_flow(void *arg)
{
    struct source *source = arg;
    double begin;

    for (unsigned int i = 0; i < DEPTH; i++)
        atomic_store(&shared->marks[i].mark, 0);
    atomic_store(&shared->taken, 0);
    order(RING);
    begin = bench_now();
    for (uint64_t i = 1; i <= flow->count; i++) {
        size_t at = i % flow->depth * flow->size;

        if (i > flow->depth)
            await_taken(i - flow->depth);
        memcpy(shared->slots + at, source->memory.bytes + at, flow->size);
        atomic_store_explicit(&shared->marks[i % flow->depth].mark, i, memory_order_release);
    }
    await_taken(flow->count);
    return speed(bench_now() - begin);
}

static double writev_flow(void *arg)
{
    struct source *source = arg;
    double begin = bench_now();

    for (uint32_t i = 0; i < flow->count; i++) {
        size_t at = (size_t)(i % flow->depth) * flow->size;
        struct iovec from = {source->memory.bytes + at, flow->size};
        struct iovec to = {(void *)(uintptr_t)(shared->private_addr + at), flow->size};

        if (process_vm_writev(shared->pid, &from, 1, &to, 1, 0) != (ssize_t)flow->size)
            bench_die("process_vm_writev", strerror(errno));
    }
    return speed(bench_now() - begin);
}

static void compare(struct source *source, unsigned int which_flow, const struct bench_case *which,
                    const struct bench_side *peers, unsigned int num)
{
    struct bench_side ours = {"comch", comch_flow, source};

    flow = &flows[which_flow];
    open_memory(&source->memory, &source->end, flow, false);
    for (unsigned int i = 0; i < num; i++) {
        struct bench_side peer = peers[i];

        peer.arg = source;
        bench_compare(which, &ours, &peer, 1);
    }
    close_memory(&source->memory);
}

int main(void)
{
    const struct bench_case rate = {"comch_fast", "rate, 64 B, 64 in flight", "M/s", 1, ROUNDS};
    const struct bench_case priv = {"comch_fast", "1 MiB into private memory", "GB/s", 1,
                                    BIG_ROUNDS};
    const struct bench_case shareable = {"comch_fast", "1 MiB into shareable memory", "GB/s", 1,
                                         BIG_ROUNDS};
    const struct bench_side peers[] = {{"unix socket", socket_flow, NULL},
                                       {"shared ring", ring_flow, NULL},
                                       {"process_vm_writev", writev_flow, NULL}};
    static struct source source;

    shared = pair_shared(sizeof(*shared));
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks) != 0)
        bench_die("socketpair", strerror(errno));
    pair_start(serve);
    pair_connect(&source.end);
    open_producer(&source);
    compare(&source, SMALL_SHARED, &rate, peers, 2);
    compare(&source, BIG_SHARED, &shareable, peers, 2);
    compare(&source, BIG_PRIVATE, &priv, &peers[2], 1);
    close_producer(&source);
    order(BYE);
    end_close(&source.end);
    pair_finish();
    return 0;
}
