/* SPDX-License-Identifier: BSD-3-Clause */
/* The data path on a GPU, with the test in the place of kernels at both ends. */
#include <sched.h>
#include <string.h>
#include <time.h>

#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include <impl/opendoca_gpu_barrier.h>

#include "lib/seconds.h"
#include "unit/gpu_dev.h"

#define SECONDS 20
#define SIZE    65536u
#define GRANTED                                                                                    \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE)

/* An instance without a progress engine, its memory, and the peer's. */
struct side {
    char *memory;
    struct doca_mmap *map, *peer_map;
    uint32_t key_be, peer_key_be;
    struct doca_rdma *rdma;
    struct doca_rdma_connection *conn;
    struct doca_gpu_dev_rdma *handle;
    struct doca_gpu_dev_rdma_r *r;
    struct opendoca_gpu_rdma_conn *q; /* of connection 0 */
    struct opendoca_gpu_rdma_words *words, *r_words;
};

static void start_side(struct side *s, uint32_t permissions)
{
    uint32_t key;

    s->memory = calloc(1, SIZE);
    OK(doca_mmap_create(&s->map));
    OK(doca_mmap_add_dev(s->map, dev));
    OK(doca_mmap_set_memrange(s->map, s->memory, SIZE));
    OK(doca_mmap_set_permissions(s->map, GRANTED));
    OK(doca_mmap_start(s->map));
    OK(doca_mmap_get_mkey(s->map, dev, &key));
    s->key_be = opendoca_gpu_swap32(key);
    OK(doca_rdma_create(dev, &s->rdma));
    OK(doca_rdma_set_permissions(s->rdma, permissions));
    OK(doca_rdma_set_connection_request_timeout(s->rdma, SECONDS * 1000));
    OK(doca_ctx_set_datapath_on_gpu(doca_rdma_as_ctx(s->rdma), &gpu));
    OK(doca_ctx_start(doca_rdma_as_ctx(s->rdma)));
    OK(doca_rdma_get_gpu_handle(s->rdma, &s->handle));
    s->r = (struct doca_gpu_dev_rdma_r *)(uintptr_t)s->handle->recv;
    s->q = (struct opendoca_gpu_rdma_conn *)(uintptr_t)s->handle->conn;
    s->words = (struct opendoca_gpu_rdma_words *)(uintptr_t)s->q->words;
    s->r_words = (struct opendoca_gpu_rdma_words *)(uintptr_t)s->r->words;
}

static void import(struct side *s, const struct side *peer)
{
    const void *desc;
    uint32_t key;
    size_t len;

    OK(doca_mmap_export_rdma(peer->map, dev, &desc, &len));
    OK(doca_mmap_create_from_export(NULL, desc, len, dev, &s->peer_map));
    OK(doca_mmap_get_mkey(s->peer_map, dev, &key));
    s->peer_key_be = opendoca_gpu_swap32(key);
}

static void start_pair(struct side *a, struct side *b, uint32_t permissions)
{
    const void *a_details, *b_details;
    size_t a_len, b_len;

    start_side(a, GRANTED);
    start_side(b, permissions);
    import(a, b);
    import(b, a);
    OK(doca_rdma_export(a->rdma, &a_details, &a_len, &a->conn));
    OK(doca_rdma_export(b->rdma, &b_details, &b_len, &b->conn));
    OK(doca_rdma_connect(a->rdma, b_details, b_len, a->conn));
    OK(doca_rdma_connect(b->rdma, a_details, a_len, b->conn));
}

static void end_side(struct side *s)
{
    OK(doca_ctx_stop(doca_rdma_as_ctx(s->rdma)));
    assert_int_equal(s->handle->magic, OPENDOCA_GPU_GONE_MAGIC);
    assert_int_equal(s->words->state, OPENDOCA_GPU_QUEUE_STOPPED);
    OK(doca_rdma_destroy(s->rdma));
    OK(doca_mmap_destroy(s->peer_map));
    OK(doca_mmap_destroy(s->map));
    free(s->memory);
}

static bool await(const uint64_t *word, uint64_t value)
{
    const time_t end = whole_seconds_now() + SECONDS;

    while (opendoca_gpu_observe(word) != value) {
        if (whole_seconds_now() > end)
            return false;
        sched_yield();
    }
    return true;
}

static void ask(struct side *s, uint32_t opcode, uint32_t flags, size_t remote, size_t local,
                uint32_t bytes, const struct side *peer)
{
    struct opendoca_gpu_rdma_op *ops = (struct opendoca_gpu_rdma_op *)(uintptr_t)s->q->ops;

    ops[s->q->queued++ & (s->handle->num - 1)] =
        (struct opendoca_gpu_rdma_op){.opcode = opcode,
                                      .flags = flags,
                                      .remote = (uintptr_t)peer->memory + remote,
                                      .local = (uintptr_t)s->memory + local,
                                      .remote_key_be = s->peer_key_be,
                                      .local_key_be = s->key_be,
                                      .bytes = bytes,
                                      .imm = (flags & OPENDOCA_GPU_RDMA_IMM) != 0 ? 4711 : 0,
                                      .data = "inline bytes"};
}

static void commit(struct side *s)
{
    opendoca_gpu_publish(&s->words->committed, s->q->queued);
}

static void post(struct side *s, size_t at, uint32_t bytes)
{
    struct opendoca_gpu_rdma_recv *recvs = (struct opendoca_gpu_rdma_recv *)(uintptr_t)s->r->recvs;

    recvs[s->r->queued++ & (s->r->num - 1)] = (struct opendoca_gpu_rdma_recv){
        .addr = (uintptr_t)s->memory + at, .bytes = bytes, .key_be = s->key_be};
    opendoca_gpu_publish(&s->r_words->committed, s->r->queued);
}

static const struct opendoca_gpu_rdma_arrival *arrival(const struct side *s, uint64_t n)
{
    return (const struct opendoca_gpu_rdma_arrival *)(uintptr_t)s->r->arrivals + n;
}

static void handles_exist_while_the_context_runs(void **state)
{
    struct doca_gpu_dev_rdma *handle;
    struct doca_rdma *rdma;

    (void)state;
    OK(doca_rdma_create(dev, &rdma));
    EXPECT(DOCA_ERROR_BAD_STATE, doca_rdma_get_gpu_handle(rdma, &handle));
    OK(doca_ctx_set_datapath_on_gpu(doca_rdma_as_ctx(rdma), &gpu));
    EXPECT(DOCA_ERROR_BAD_STATE, doca_rdma_get_gpu_handle(rdma, &handle));
    for (int i = 0; i < 2; i++) {
        OK(doca_ctx_start(doca_rdma_as_ctx(rdma)));
        EXPECT(DOCA_ERROR_INVALID_VALUE, doca_rdma_get_gpu_handle(rdma, NULL));
        OK(doca_rdma_get_gpu_handle(rdma, &handle));
        assert_int_equal(handle->magic, OPENDOCA_GPU_RDMA_MAGIC);
        OK(doca_ctx_stop(doca_rdma_as_ctx(rdma)));
        EXPECT(DOCA_ERROR_BAD_STATE, doca_rdma_get_gpu_handle(rdma, &handle));
    }
    OK(doca_rdma_destroy(rdma));
    assert_int_equal(gpu.users, 0);
}

static void operations_are_made_in_order(void **state)
{
    struct side a = {0}, b = {0};

    (void)state;
    start_pair(&a, &b, GRANTED);
    memset(a.memory, 'a', SIZE / 2);
    ask(&a, OPENDOCA_GPU_RDMA_WRITE, 0, 0, 0, 100, &b);
    ask(&a, OPENDOCA_GPU_RDMA_WRITE, OPENDOCA_GPU_RDMA_INLINE | OPENDOCA_GPU_RDMA_IMM, 50, 0, 12,
        &b);
    ask(&a, OPENDOCA_GPU_RDMA_SEND, 0, 0, 0, 30000, &b);
    ask(&a, OPENDOCA_GPU_RDMA_SEND, OPENDOCA_GPU_RDMA_INLINE | OPENDOCA_GPU_RDMA_IMM, 0, 0, 6, &b);
    ask(&a, OPENDOCA_GPU_RDMA_READ, 0, 50, 60000, 12, &b);
    commit(&a);
    /* What nobody has a receive for waits, and all behind it. */
    assert_true(await(&a.words->done, 1));
    post(&b, 0, 0);
    post(&b, 1000, 30000);
    post(&b, 40000, 44);
    assert_true(await(&b.r_words->done, 3));
    assert_true(await(&a.words->done, 5));
    assert_memory_equal(b.memory + 50, "inline bytes", 12);
    assert_memory_equal(b.memory, a.memory, 50);
    assert_memory_equal(b.memory + 1000, a.memory, 30000);
    assert_memory_equal(b.memory + 40000, "inline\0\0", 8);
    assert_memory_equal(a.memory + 60000, "inline bytes", 12);
    assert_int_equal(arrival(&b, 0)->imm, 4711);
    assert_int_equal(arrival(&b, 1)->imm, 0);
    assert_int_equal(arrival(&b, 1)->bytes, 30000);
    assert_int_equal(arrival(&b, 2)->imm, 4711);
    assert_int_equal(a.words->failed, 0);
    end_side(&a);
    end_side(&b);
}

static void fails(uint32_t permissions, void (*break_it)(struct side *a, struct side *b))
{
    struct side a = {0}, b = {0};

    start_pair(&a, &b, permissions);
    break_it(&a, &b);
    assert_true(await(&a.words->failed, 1));
    assert_int_equal(a.words->done, 0);
    for (uint32_t i = 0; i < SIZE; i++)
        assert_int_equal(b.memory[i], 0);
    end_side(&a);
    end_side(&b);
}

static void without_permission(struct side *a, struct side *b)
{
    memset(a->memory, 'a', SIZE);
    ask(a, OPENDOCA_GPU_RDMA_WRITE, 0, 0, 0, 8, b);
    commit(a);
}

static void behind_the_range(struct side *a, struct side *b)
{
    memset(a->memory, 'a', SIZE);
    ask(a, OPENDOCA_GPU_RDMA_WRITE, 0, SIZE - 4, 0, 8, b);
    commit(a);
}

static void with_a_local_key(struct side *a, struct side *b)
{
    memset(a->memory, 'a', SIZE);
    a->peer_key_be = a->key_be;
    ask(a, OPENDOCA_GPU_RDMA_WRITE, 0, 0, 0, 8, a);
    (void)b;
    commit(a);
}

static void of_an_unknown_kind(struct side *a, struct side *b)
{
    ask(a, 9, 0, 0, 0, 8, b);
    commit(a);
}

static void too_long_a_message(struct side *a, struct side *b)
{
    memset(a->memory, 'a', SIZE);
    post(b, 0, 7);
    ask(a, OPENDOCA_GPU_RDMA_SEND, 0, 0, 0, 8, b);
    commit(a);
    assert_true(await(&b->r_words->failed, 1));
}

static void a_corrupt_doorbell(struct side *a, struct side *b)
{
    (void)b;
    opendoca_gpu_publish(&a->words->committed, a->handle->num + 1u);
    assert_true(await(&a->words->state, OPENDOCA_GPU_QUEUE_BROKEN));
}

/* None of it harms anybody but its connection. */
static void bad_operations_end_their_connection(void **state)
{
    (void)state;
    fails(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, without_permission);
    fails(GRANTED, behind_the_range);
    fails(GRANTED, with_a_local_key);
    fails(GRANTED, of_an_unknown_kind);
    fails(GRANTED, too_long_a_message);
    fails(GRANTED, a_corrupt_doorbell);
}

/* Who waits for a peer that has left is told, and so is who asks later. */
static void a_peer_that_leaves_is_seen(void **state)
{
    struct side a = {0}, b = {0};

    (void)state;
    start_pair(&a, &b, GRANTED);
    ask(&a, OPENDOCA_GPU_RDMA_WRITE, 0, 0, 0, 8, &b);
    commit(&a);
    assert_true(await(&a.words->done, 1));
    post(&a, 0, 8);
    end_side(&b);
    assert_true(await(&a.r_words->failed, 1));
    assert_int_equal(a.words->failed, 0);
    ask(&a, OPENDOCA_GPU_RDMA_SEND, OPENDOCA_GPU_RDMA_INLINE, 0, 0, 8, &a);
    commit(&a);
    assert_true(await(&a.words->failed, 1));
    end_side(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_exist_while_the_context_runs),
        cmocka_unit_test(operations_are_made_in_order),
        cmocka_unit_test(bad_operations_end_their_connection),
        cmocka_unit_test(a_peer_that_leaves_is_seen),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
