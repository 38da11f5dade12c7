/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_ETH_FIXTURE_H_
#define TESTS_LIB_ETH_FIXTURE_H_

/* Two devices at the two ends of one wire: what A sends, B receives. */

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "lib/eth_wire.h"
#include "lib/seconds.h"

#define assert_doca(expected, call) assert_string_equal(doca_error_get_name(call), #expected)
#define assert_ok(call)             assert_doca(DOCA_SUCCESS, call)

struct eth_fix {
    struct doca_pe *pe;
    struct doca_dev *a, *b;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map; /* with both devices */
    char *mem;
    size_t size;
};

static inline struct doca_dev *eth_open_dev(uint32_t place)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t num;

    assert_ok(doca_devinfo_create_list(&list, &num));
    assert_true(place < num);
    assert_ok(doca_dev_open(list[place], &dev));
    assert_ok(doca_devinfo_destroy_list(list));
    return dev;
}

static inline void eth_fix_open(struct eth_fix *fix, size_t size)
{
    memset(fix, 0, sizeof(*fix));
    fix->size = size;
    fix->mem = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    assert_non_null(fix->mem);
    memset(fix->mem, 0, size);
    fix->a = eth_open_dev(0);
    fix->b = eth_open_dev(1);
    assert_ok(doca_pe_create(&fix->pe));
    assert_ok(doca_buf_inventory_create(4096, &fix->inventory));
    assert_ok(doca_buf_inventory_start(fix->inventory));
    assert_ok(doca_mmap_create(&fix->map));
    assert_ok(doca_mmap_add_dev(fix->map, fix->a));
    assert_ok(doca_mmap_add_dev(fix->map, fix->b));
    assert_ok(doca_mmap_set_permissions(fix->map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    assert_ok(doca_mmap_set_memrange(fix->map, fix->mem, size));
    assert_ok(doca_mmap_start(fix->map));
}

static inline void eth_fix_close(struct eth_fix *fix)
{
    assert_ok(doca_mmap_destroy(fix->map));
    assert_ok(doca_buf_inventory_destroy(fix->inventory));
    assert_ok(doca_pe_destroy(fix->pe));
    assert_ok(doca_dev_close(fix->a));
    assert_ok(doca_dev_close(fix->b));
    free(fix->mem);
}

/* A buffer over part of the memory, with `data_len` bytes of data at its beginning. */
static inline struct doca_buf *eth_buf(struct eth_fix *fix, size_t offset, size_t len,
                                       size_t data_len)
{
    struct doca_buf *buf;

    assert_ok(
        doca_buf_inventory_buf_get_by_addr(fix->inventory, fix->map, fix->mem + offset, len, &buf));
    assert_ok(doca_buf_set_data(buf, fix->mem + offset, data_len));
    return buf;
}

static inline double eth_seconds(void)
{
    return patience_clock();
}

/* Progresses until the counter has reached a number; a busy machine may need its time. */
static inline void eth_wait(struct eth_fix *fix, const uint32_t *counter, uint32_t wanted)
{
    struct patience patience = patience_of(20);

    while (*counter < wanted && patience_lasts(&patience))
        doca_pe_progress(fix->pe);
    assert_true(*counter >= wanted);
}

/* Progresses until nothing has been delivered for a while. */
static inline void eth_settle(struct eth_fix *fix)
{
    double end = eth_seconds() + 0.1, now;

    do { /* it looks once more at the end, since it may have stood still */
        now = eth_seconds();
        if (doca_pe_progress(fix->pe) != 0)
            end = eth_seconds() + 0.1;
    } while (now < end);
}

static inline void eth_stop(struct eth_fix *fix, struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    struct patience patience = patience_of(20);
    doca_error_t result = doca_ctx_stop(ctx);

    assert_true(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
    do {
        doca_pe_progress(fix->pe);
        assert_ok(doca_ctx_get_state(ctx, &state));
    } while (state != DOCA_CTX_STATE_IDLE && patience_lasts(&patience));
    assert_int_equal(state, DOCA_CTX_STATE_IDLE);
}

/* A frame that tells itself apart: type 0x88b5, then its number, then a pattern of it. */
static inline void eth_frame(char *at, size_t len, uint32_t number)
{
    static const unsigned char head[14] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};

    memcpy(at, head, sizeof(head));
    memcpy(at + 14, &number, sizeof(number));
    for (size_t i = 18; i < len; i++)
        at[i] = (char)(number * 31 + i * 7);
}

static inline uint32_t eth_frame_number(const char *at)
{
    uint32_t number;

    memcpy(&number, at + 14, sizeof(number));
    return number;
}

static inline bool eth_frame_is(const char *at, size_t len, uint32_t number)
{
    char wanted[16384] = {0};

    eth_frame(wanted, len, number);
    return memcmp(at, wanted, len) == 0;
}

/* ---- a send queue on A that counts ---- */

struct eth_sender {
    struct doca_eth_txq *txq;
    struct doca_ctx *ctx;
    uint32_t done, failed;
    doca_error_t last;
};

static inline void eth_sent(struct doca_eth_txq_task_send *task, union doca_data task_data,
                            union doca_data ctx_data)
{
    struct eth_sender *sender = ctx_data.ptr;
    struct doca_buf *buf;

    (void)task_data;
    assert_ok(doca_eth_txq_task_send_get_pkt(task, &buf));
    sender->last = doca_task_get_status(doca_eth_txq_task_send_as_doca_task(task));
    sender->failed += sender->last == DOCA_SUCCESS ? 0 : 1;
    sender->done++;
    doca_task_free(doca_eth_txq_task_send_as_doca_task(task));
    assert_ok(doca_buf_dec_refcount(buf, NULL));
}

static inline void eth_sender_create(struct eth_fix *fix, struct eth_sender *sender)
{
    memset(sender, 0, sizeof(*sender));
    assert_ok(doca_eth_txq_create(fix->a, 1024, &sender->txq));
    sender->ctx = doca_eth_txq_as_doca_ctx(sender->txq);
    assert_ok(doca_ctx_set_user_data(sender->ctx, (union doca_data){.ptr = sender}));
    assert_ok(doca_eth_txq_task_send_set_conf(sender->txq, eth_sent, eth_sent, 1024));
    assert_ok(doca_pe_connect_ctx(fix->pe, sender->ctx));
}

static inline void eth_sender_open(struct eth_fix *fix, struct eth_sender *sender)
{
    eth_sender_create(fix, sender);
    assert_ok(doca_ctx_start(sender->ctx));
}

static inline void eth_send_buf(struct eth_sender *sender, struct doca_buf *buf)
{
    struct doca_eth_txq_task_send *task;

    assert_ok(
        doca_eth_txq_task_send_allocate_init(sender->txq, buf, (union doca_data){.u64 = 0}, &task));
    assert_ok(doca_task_submit(doca_eth_txq_task_send_as_doca_task(task)));
}

/* The frame is written at `offset` of the memory. */
static inline void eth_send(struct eth_fix *fix, struct eth_sender *sender, size_t offset,
                            size_t len, uint32_t number)
{
    eth_frame(fix->mem + offset, len, number);
    eth_send_buf(sender, eth_buf(fix, offset, len, len));
}

static inline void eth_sender_close(struct eth_fix *fix, struct eth_sender *sender)
{
    eth_stop(fix, sender->ctx);
    assert_ok(doca_eth_txq_destroy(sender->txq));
}

#endif /* TESTS_LIB_ETH_FIXTURE_H_ */
