/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_COMCH_FAST_FIXTURE_H_
#define TESTS_LIB_COMCH_FAST_FIXTURE_H_

/* Producers and consumers on the connections of comch_fixture.h, each with an engine of its own. */

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include "lib/comch_fixture.h"

/* ---- what control contexts hear of the peer's consumers ---- */

#define MAX_HEARD 64

struct heard {
    unsigned int nnew, nexpired;
    uint32_t new_ids[MAX_HEARD], expired_ids[MAX_HEARD];
};

static struct heard heard;

static inline void on_new_consumer(struct doca_comch_event_consumer *event,
                                   struct doca_comch_connection *conn, uint32_t id)
{
    need(event != NULL && conn != NULL && heard.nnew < MAX_HEARD);
    need(id > 0 && id < 0xffff);
    heard.new_ids[heard.nnew++] = id;
}

static inline void on_expired_consumer(struct doca_comch_event_consumer *event,
                                       struct doca_comch_connection *conn, uint32_t id)
{
    need(event != NULL && conn != NULL && heard.nexpired < MAX_HEARD);
    heard.expired_ids[heard.nexpired++] = id;
}

static inline void start_fast_server(struct comch_end *end)
{
    open_server(end);
    need_ok(doca_comch_server_event_consumer_register(end->server, on_new_consumer,
                                                      on_expired_consumer));
    need_ok(doca_ctx_start(end->ctx));
    progress_until(end, end->connects == 1);
}

static inline void start_fast_client(struct comch_end *end)
{
    open_client(end);
    need_ok(doca_comch_client_event_consumer_register(end->client, on_new_consumer,
                                                      on_expired_consumer));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end->ctx));
    progress_until(end, end_state(end) == DOCA_CTX_STATE_RUNNING);
}

/* ---- memory ---- */

struct memory {
    char *bytes;
    size_t size;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
};

static inline void open_memory_at(struct memory *mem, struct comch_end *end, char *bytes,
                                  size_t size, uint32_t access)
{
    mem->bytes = bytes;
    mem->size = size;
    need_ok(doca_mmap_create(&mem->mmap));
    need_ok(doca_mmap_add_dev(mem->mmap, end->dev));
    need_ok(doca_mmap_set_permissions(mem->mmap, access));
    need_ok(doca_mmap_set_memrange(mem->mmap, bytes, size));
    need_ok(doca_mmap_start(mem->mmap));
    need_ok(doca_buf_inventory_create(64, &mem->inventory));
    need_ok(doca_buf_inventory_start(mem->inventory));
}

static inline void open_memory(struct memory *mem, struct comch_end *end, size_t size,
                               uint32_t access)
{
    char *bytes = malloc(size);

    need(bytes != NULL);
    memset(bytes, 0x5a, size);
    open_memory_at(mem, end, bytes, size, access);
}

/* In the order of programs: the memory is freed before its map. */
static inline void close_memory(struct memory *mem)
{
    free(mem->bytes);
    need_ok(doca_mmap_destroy(mem->mmap));
    need_ok(doca_buf_inventory_destroy(mem->inventory));
}

static inline struct doca_buf *landing(struct memory *mem, size_t offset, size_t len)
{
    struct doca_buf *buf;

    need_ok(doca_buf_inventory_buf_get_by_addr(mem->inventory, mem->mmap, mem->bytes + offset, len,
                                               &buf));
    return buf;
}

static inline struct doca_buf *payload(struct memory *mem, size_t offset, size_t len)
{
    struct doca_buf *buf;

    need_ok(doca_buf_inventory_buf_get_by_data(mem->inventory, mem->mmap, mem->bytes + offset, len,
                                               &buf));
    return buf;
}

static inline void put(struct doca_buf *buf)
{
    need_ok(doca_buf_dec_refcount(buf, NULL));
}

static inline size_t data_len(const struct doca_buf *buf)
{
    size_t len;

    need_ok(doca_buf_get_data_len(buf, &len));
    return len;
}

/* ---- one producer or consumer ---- */

struct fast {
    struct doca_pe *pe;
    bool own_pe;
    struct doca_comch_consumer *consumer;
    struct doca_comch_producer *producer;
    struct doca_ctx *ctx;
    uint32_t id;
    enum doca_ctx_states states[MAX_STATES];
    unsigned int nstates;
    unsigned int ok, failed;
    doca_error_t last_status;
    uint32_t last_producer, last_imm_len;
    uint8_t last_imm[64];
    size_t last_len;
    bool keep_tasks;
    void (*on_state)(struct fast *fast, enum doca_ctx_states next);
    void (*on_arrival)(struct fast *fast, struct doca_comch_consumer_task_post_recv *task);
    void (*on_transfer)(struct fast *fast, struct doca_comch_producer_task_send *task);
    void *arg;
};

static inline void fast_on_state(const union doca_data user_data, struct doca_ctx *ctx,
                                 enum doca_ctx_states prev, enum doca_ctx_states next)
{
    struct fast *fast = user_data.ptr;

    (void)ctx;
    (void)prev;
    need(fast->nstates < MAX_STATES);
    fast->states[fast->nstates++] = next;
    if (fast->on_state != NULL)
        fast->on_state(fast, next);
}

static inline void take_arrival(struct fast *fast, struct doca_comch_consumer_task_post_recv *task)
{
    struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
    const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);

    fast->last_status = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
    fast->last_producer = doca_comch_consumer_task_post_recv_get_producer_id(task);
    fast->last_imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
    need((imm == NULL) == (fast->last_imm_len == 0));
    if (imm != NULL)
        memcpy(fast->last_imm, imm, fast->last_imm_len);
    fast->last_len = buf != NULL ? data_len(buf) : 0;
    if (fast->on_arrival != NULL)
        fast->on_arrival(fast, task);
    if (!fast->keep_tasks) {
        if (buf != NULL)
            put(buf);
        doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
    }
}

static inline void fast_arrived(struct doca_comch_consumer_task_post_recv *task,
                                union doca_data task_data, union doca_data ctx_data)
{
    struct fast *fast = ctx_data.ptr;

    (void)task_data;
    fast->ok++;
    take_arrival(fast, task);
}

static inline void fast_flushed(struct doca_comch_consumer_task_post_recv *task,
                                union doca_data task_data, union doca_data ctx_data)
{
    struct fast *fast = ctx_data.ptr;

    (void)task_data;
    fast->failed++;
    take_arrival(fast, task);
}

static inline void take_transfer(struct fast *fast, struct doca_comch_producer_task_send *task)
{
    const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);

    fast->last_status = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
    if (fast->on_transfer != NULL)
        fast->on_transfer(fast, task);
    if (!fast->keep_tasks) {
        if (buf != NULL)
            put((struct doca_buf *)buf);
        doca_task_free(doca_comch_producer_task_send_as_task(task));
    }
}

static inline void fast_transferred(struct doca_comch_producer_task_send *task,
                                    union doca_data task_data, union doca_data ctx_data)
{
    struct fast *fast = ctx_data.ptr;

    (void)task_data;
    fast->ok++;
    take_transfer(fast, task);
}

static inline void fast_failed(struct doca_comch_producer_task_send *task,
                               union doca_data task_data, union doca_data ctx_data)
{
    struct fast *fast = ctx_data.ptr;

    (void)task_data;
    fast->failed++;
    take_transfer(fast, task);
}

/* `pe` NULL: an engine of its own. */
static inline void fast_connect(struct fast *fast, struct doca_pe *pe)
{
    fast->own_pe = pe == NULL;
    fast->pe = pe;
    if (pe == NULL)
        need_ok(doca_pe_create(&fast->pe));
    need_ok(doca_ctx_set_user_data(fast->ctx, (union doca_data){.ptr = fast}));
    need_ok(doca_ctx_set_state_changed_cb(fast->ctx, fast_on_state));
    need_ok(doca_pe_connect_ctx(fast->pe, fast->ctx));
}

static inline void open_consumer(struct fast *fast, struct comch_end *end, struct memory *mem,
                                 uint32_t tasks, struct doca_pe *pe)
{
    memset(fast, 0, sizeof(*fast));
    need_ok(doca_comch_consumer_create(end_conn(end), mem->mmap, &fast->consumer));
    fast->ctx = doca_comch_consumer_as_ctx(fast->consumer);
    fast_connect(fast, pe);
    need_ok(doca_comch_consumer_task_post_recv_set_conf(fast->consumer, fast_arrived, fast_flushed,
                                                        tasks));
    need_ok(doca_comch_consumer_get_id(fast->consumer, &fast->id));
    need(fast->id > 0 && fast->id < 0xffff);
}

static inline void open_producer(struct fast *fast, struct comch_end *end, uint32_t tasks,
                                 struct doca_pe *pe)
{
    memset(fast, 0, sizeof(*fast));
    need_ok(doca_comch_producer_create(end_conn(end), &fast->producer));
    fast->ctx = doca_comch_producer_as_ctx(fast->producer);
    fast_connect(fast, pe);
    need_ok(doca_comch_producer_task_send_set_conf(fast->producer, fast_transferred, fast_failed,
                                                   tasks));
    need_ok(doca_comch_producer_get_id(fast->producer, &fast->id));
    need(fast->id > 0 && fast->id < 0xffff);
}

static inline enum doca_ctx_states fast_state(const struct fast *fast)
{
    enum doca_ctx_states state;

    need_ok(doca_ctx_get_state(fast->ctx, &state));
    return state;
}

static inline void start_consumer(struct fast *fast, struct comch_end *end, struct memory *mem,
                                  uint32_t tasks)
{
    open_consumer(fast, end, mem, tasks, NULL);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast->ctx));
    need(fast->nstates == 1 && fast->states[0] == DOCA_CTX_STATE_STARTING);
    for (uint64_t until = now_ms() + DEFAULT_MS; fast_state(fast) != DOCA_CTX_STATE_RUNNING;) {
        need(now_ms() < until);
        doca_pe_progress(end->pe);
        doca_pe_progress(fast->pe);
    }
    need(fast->nstates == 2);
}

static inline void start_producer(struct fast *fast, struct comch_end *end, uint32_t tasks)
{
    open_producer(fast, end, tasks, NULL);
    need_ok(doca_ctx_start(fast->ctx));
    need(fast->nstates == 1 && fast->states[0] == DOCA_CTX_STATE_RUNNING);
}

/* Progresses nothing but its own engine. */
static inline void close_fast(struct fast *fast)
{
    doca_error_t result = doca_ctx_stop(fast->ctx);

    need(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
    progress_until(fast, fast_state(fast) == DOCA_CTX_STATE_IDLE);
    if (fast->consumer != NULL)
        need_ok(doca_comch_consumer_destroy(fast->consumer));
    if (fast->producer != NULL)
        need_ok(doca_comch_producer_destroy(fast->producer));
    if (fast->own_pe)
        need_ok(doca_pe_destroy(fast->pe));
}

static inline void post(struct fast *fast, struct doca_buf *buf)
{
    struct doca_comch_consumer_task_post_recv *task;

    need_ok(doca_comch_consumer_task_post_recv_alloc_init(fast->consumer, buf, &task));
    need_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static inline struct doca_comch_producer_task_send *new_transfer(struct fast *fast,
                                                                 const struct doca_buf *buf,
                                                                 const void *imm, uint32_t imm_len,
                                                                 uint32_t consumer)
{
    struct doca_comch_producer_task_send *task;

    need_ok(doca_comch_producer_task_send_alloc_init(fast->producer, buf, (uint8_t *)imm, imm_len,
                                                     consumer, &task));
    return task;
}

static inline doca_error_t submit_transfer(struct doca_comch_producer_task_send *task)
{
    return doca_task_submit(doca_comch_producer_task_send_as_task(task));
}

/* Submits until the consumer has a place, and progresses nothing meanwhile. */
static inline void transfer(struct fast *fast, const struct doca_buf *buf, const void *imm,
                            uint32_t imm_len, uint32_t consumer)
{
    struct doca_comch_producer_task_send *task = new_transfer(fast, buf, imm, imm_len, consumer);
    uint64_t until = now_ms() + DEFAULT_MS;
    doca_error_t result;

    while ((result = submit_transfer(task)) == DOCA_ERROR_AGAIN) {
        need(now_ms() < until);
        sched_yield();
    }
    need_ok(result);
}

static inline void hear_of_consumers(struct comch_end *end, unsigned int num)
{
    progress_until(end, heard.nnew == num);
}

#endif /* TESTS_LIB_COMCH_FAST_FIXTURE_H_ */
