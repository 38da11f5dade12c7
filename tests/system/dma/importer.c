/* SPDX-License-Identifier: BSD-3-Clause */
#include "importer.h"

#include <time.h>
#include <unistd.h>

struct doca_mmap *import_memory(struct dma_fixture *fix, const struct peer_memory *memory)
{
    struct doca_mmap *map = NULL;

    assert_ok(doca_mmap_create_from_export(NULL, memory->desc, memory->desc_len, fix->dev, &map));
    return map;
}

doca_error_t try_import(struct dma_fixture *fix, const void *desc, size_t len)
{
    struct doca_mmap *map = NULL;
    doca_error_t result = doca_mmap_create_from_export(NULL, desc, len, fix->dev, &map);

    if (result == DOCA_SUCCESS)
        assert_ok(doca_mmap_destroy(map));
    else
        assert_null(map);
    return result;
}

doca_error_t copy_once(struct dma_fixture *fix, struct doca_mmap *dst_map, char *dst,
                       struct doca_mmap *src_map, char *src, size_t len)
{
    struct doca_buf *from, *to;
    struct doca_dma_task_memcpy *task;
    unsigned int ended = fix->ok + fix->failed;
    doca_error_t result;

    assert_ok(doca_buf_inventory_buf_get_by_data(fix->inventory, src_map, src, len, &from));
    assert_ok(doca_buf_inventory_buf_get_by_addr(fix->inventory, dst_map, dst, len, &to));
    task = new_task(fix, from, to, 0);
    result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    if (result == DOCA_SUCCESS) {
        dma_fix_run(fix, ended + 1);
        result = fix->last_status;
        assert_int_equal(buf_data_len(to), result == DOCA_SUCCESS ? len : 0);
        if (result != DOCA_SUCCESS) {
            dma_fix_drain(fix);
            fix->nstates = 0;
            assert_ok(doca_ctx_start(fix->ctx));
        }
    } else {
        doca_task_free(doca_dma_task_memcpy_as_task(task));
    }
    put_buf(from);
    put_buf(to);
    return result;
}

doca_error_t read_peer(struct dma_fixture *fix, struct doca_mmap *remote,
                       const struct peer_memory *memory, size_t len)
{
    return copy_once(fix, fix->dst_map, fix->dst, remote, memory->addr, len);
}

doca_error_t write_peer(struct dma_fixture *fix, struct doca_mmap *remote,
                        const struct peer_memory *memory, size_t len)
{
    return copy_once(fix, remote, memory->addr, fix->src_map, fix->src, len);
}

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
