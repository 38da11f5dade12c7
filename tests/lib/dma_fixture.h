/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_DMA_FIXTURE_H_
#define TESTS_LIB_DMA_FIXTURE_H_

/* A started DMA context on the first device of this process, connected to an engine, with a source
 * and a destination map. Counts what the callbacks see. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <cmocka.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#define assert_doca(expected, call) assert_string_equal(doca_error_get_name(call), #expected)
#define assert_ok(call)             assert_doca(DOCA_SUCCESS, call)

struct dma_fixture {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *src_map, *dst_map;
    char *src, *dst;
    size_t size;
    /* what the callbacks saw */
    unsigned int ok, failed;
    enum doca_ctx_states states[16];
    unsigned int nstates;
    doca_error_t last_status;
    uint64_t last_user_data;
    /* what the callbacks do */
    int stop_after; /* stop the context when ok + failed reaches this; 0 = never */
    doca_error_t stop_result;
    size_t inflight_seen;
    int free_tasks;      /* 1: free the task in the callback */
    int destroy_in_idle; /* 1: destroy the instance in its IDLE callback */
    void (*on_running)(struct dma_fixture *fix);
    void (*on_done)(struct dma_fixture *fix, struct doca_dma_task_memcpy *task);
};

static inline void dma_fix_done(struct dma_fixture *fix, struct doca_dma_task_memcpy *task,
                                union doca_data task_data)
{
    struct doca_task *base = doca_dma_task_memcpy_as_task(task);

    fix->last_status = doca_task_get_status(base);
    fix->last_user_data = task_data.u64;
    doca_ctx_get_num_inflight_tasks(fix->ctx, &fix->inflight_seen);
    if (fix->on_done != NULL)
        fix->on_done(fix, task);
    if (fix->free_tasks)
        doca_task_free(base);
    if (fix->stop_after != 0 && (int)(fix->ok + fix->failed) == fix->stop_after)
        fix->stop_result = doca_ctx_stop(fix->ctx);
}

static inline void dma_fix_ok(struct doca_dma_task_memcpy *task, union doca_data task_data,
                              union doca_data ctx_data)
{
    struct dma_fixture *fix = ctx_data.ptr;

    fix->ok++;
    dma_fix_done(fix, task, task_data);
}

static inline void dma_fix_failed(struct doca_dma_task_memcpy *task, union doca_data task_data,
                                  union doca_data ctx_data)
{
    struct dma_fixture *fix = ctx_data.ptr;

    fix->failed++;
    dma_fix_done(fix, task, task_data);
}

static inline void dma_fix_state(const union doca_data user_data, struct doca_ctx *ctx,
                                 enum doca_ctx_states prev, enum doca_ctx_states next)
{
    struct dma_fixture *fix = user_data.ptr;
    enum doca_ctx_states now;

    (void)prev;
    assert_ok(doca_ctx_get_state(ctx, &now));
    assert_int_equal(now, next);
    assert_true(fix->nstates < 16);
    fix->states[fix->nstates++] = next;
    if (next == DOCA_CTX_STATE_RUNNING && fix->on_running != NULL)
        fix->on_running(fix);
    if (next == DOCA_CTX_STATE_IDLE && fix->destroy_in_idle) {
        assert_ok(doca_dma_destroy(fix->dma));
        fix->dma = NULL;
        fix->ctx = NULL;
    }
}

/* epoll_wait() for one event; a process that was stopped meanwhile goes on waiting. */
static inline int await_event(int epoll_fd, int timeout_ms)
{
    struct epoll_event event;
    int n;

    do
        n = epoll_wait(epoll_fd, &event, 1, timeout_ms);
    while (n < 0 && errno == EINTR);
    return n;
}

static inline struct doca_dev *open_first_device(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t n;

    assert_ok(doca_devinfo_create_list(&list, &n));
    assert_true(n > 0);
    assert_ok(doca_dev_open(list[0], &dev));
    assert_ok(doca_devinfo_destroy_list(list));
    return dev;
}

static inline struct doca_mmap *make_map(struct doca_dev *dev, void *addr, size_t len, int access)
{
    struct doca_mmap *map;

    assert_ok(doca_mmap_create(&map));
    assert_ok(doca_mmap_add_dev(map, dev));
    assert_ok(doca_mmap_set_memrange(map, addr, len));
    if (access >= 0)
        assert_ok(doca_mmap_set_permissions(map, (uint32_t)access));
    assert_ok(doca_mmap_start(map));
    return map;
}

static inline void dma_fix_create_ctx(struct dma_fixture *fix, uint32_t tasks)
{
    assert_ok(doca_dma_create(fix->dev, &fix->dma));
    fix->ctx = doca_dma_as_ctx(fix->dma);
    assert_ok(doca_ctx_set_user_data(fix->ctx, (union doca_data){.ptr = fix}));
    assert_ok(doca_ctx_set_state_changed_cb(fix->ctx, dma_fix_state));
    assert_ok(doca_dma_task_memcpy_set_conf(fix->dma, dma_fix_ok, dma_fix_failed, tasks));
    assert_ok(doca_pe_connect_ctx(fix->pe, fix->ctx));
}

/* Everything but the start. */
static inline void dma_fix_open(struct dma_fixture *fix, uint32_t tasks, size_t size)
{
    memset(fix, 0, sizeof(*fix));
    fix->free_tasks = 1;
    fix->size = size;
    fix->src = malloc(size);
    fix->dst = malloc(size);
    assert_non_null(fix->src);
    assert_non_null(fix->dst);
    for (size_t i = 0; i < size; i++)
        fix->src[i] = (char)(i * 7 + i / 251);
    memset(fix->dst, 0x5a, size);
    fix->dev = open_first_device();
    assert_ok(doca_pe_create(&fix->pe));
    assert_ok(doca_buf_inventory_create(4096, &fix->inventory));
    assert_ok(doca_buf_inventory_start(fix->inventory));
    fix->src_map = make_map(fix->dev, fix->src, size, -1);
    fix->dst_map = make_map(fix->dev, fix->dst, size, -1);
    dma_fix_create_ctx(fix, tasks);
}

static inline void dma_fix_start(struct dma_fixture *fix, uint32_t tasks, size_t size)
{
    dma_fix_open(fix, tasks, size);
    assert_ok(doca_ctx_start(fix->ctx));
}

/* Progress until `count` callbacks ran in all, within a bound. */
static inline void dma_fix_run(struct dma_fixture *fix, unsigned int count)
{
    for (uint64_t spins = 0; fix->ok + fix->failed < count; spins++) {
        assert_true(spins < UINT64_C(2000000000));
        doca_pe_progress(fix->pe);
    }
}

static inline void dma_fix_drain(struct dma_fixture *fix)
{
    enum doca_ctx_states state;

    for (uint64_t spins = 0;; spins++) {
        assert_true(spins < UINT64_C(2000000000));
        if (fix->ctx == NULL)
            return;
        assert_ok(doca_ctx_get_state(fix->ctx, &state));
        if (state == DOCA_CTX_STATE_IDLE)
            return;
        doca_pe_progress(fix->pe);
    }
}

static inline void dma_fix_close(struct dma_fixture *fix)
{
    if (fix->ctx != NULL) {
        doca_ctx_stop(fix->ctx);
        dma_fix_drain(fix);
    }
    if (fix->dma != NULL)
        assert_ok(doca_dma_destroy(fix->dma));
    assert_ok(doca_pe_destroy(fix->pe));
    assert_ok(doca_buf_inventory_destroy(fix->inventory));
    assert_ok(doca_mmap_destroy(fix->dst_map));
    assert_ok(doca_mmap_destroy(fix->src_map));
    assert_ok(doca_dev_close(fix->dev));
    free(fix->src);
    free(fix->dst);
}

static inline struct doca_buf *src_buf(struct dma_fixture *fix, size_t offset, size_t len)
{
    struct doca_buf *buf;

    assert_ok(doca_buf_inventory_buf_get_by_data(fix->inventory, fix->src_map, fix->src + offset,
                                                 len, &buf));
    return buf;
}

static inline struct doca_buf *dst_buf(struct dma_fixture *fix, size_t offset, size_t len)
{
    struct doca_buf *buf;

    assert_ok(doca_buf_inventory_buf_get_by_addr(fix->inventory, fix->dst_map, fix->dst + offset,
                                                 len, &buf));
    return buf;
}

static inline struct doca_dma_task_memcpy *new_task(struct dma_fixture *fix, struct doca_buf *src,
                                                    struct doca_buf *dst, uint64_t user_data)
{
    struct doca_dma_task_memcpy *task;

    assert_ok(doca_dma_task_memcpy_alloc_init(fix->dma, src, dst,
                                              (union doca_data){.u64 = user_data}, &task));
    return task;
}

static inline void submit(struct doca_dma_task_memcpy *task)
{
    assert_ok(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
}

static inline size_t buf_data_len(struct doca_buf *buf)
{
    size_t len;

    assert_ok(doca_buf_get_data_len(buf, &len));
    return len;
}

static inline void put_buf(struct doca_buf *buf)
{
    assert_ok(doca_buf_dec_refcount(buf, NULL));
}

#endif /* TESTS_LIB_DMA_FIXTURE_H_ */
