/* SPDX-License-Identifier: BSD-3-Clause */
/* A device that goes wrong on purpose, from faults.json: one submit in ten is refused with AGAIN.
 */

#include "importer.h"

#define TASKS  4u
#define BLOCKS 10000u
#define BLOCK  200u

struct blocks {
    uint32_t next;    /* the first that nobody has taken */
    uint32_t refused; /* submits */
    struct doca_dma_task_memcpy *waiting[TASKS];
    uint32_t nwaiting;
};

static struct blocks blocks;

/* Only AGAIN is tried again, from the main loop after some progress. */
static void try_to_submit(struct doca_dma_task_memcpy *task)
{
    doca_error_t result = doca_task_submit(doca_dma_task_memcpy_as_task(task));

    if (result == DOCA_SUCCESS)
        return;
    assert_doca(DOCA_ERROR_AGAIN, result);
    blocks.refused++;
    assert_true(blocks.nwaiting < TASKS);
    blocks.waiting[blocks.nwaiting++] = task;
}

static void take_next(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    size_t at = blocks.next * (size_t)BLOCK;

    put_buf((struct doca_buf *)doca_dma_task_memcpy_get_src(task));
    put_buf(doca_dma_task_memcpy_get_dst(task));
    if (blocks.next == BLOCKS) {
        doca_task_free(doca_dma_task_memcpy_as_task(task));
        return;
    }
    blocks.next++;
    doca_dma_task_memcpy_set_src(task, src_buf(fix, at, BLOCK));
    doca_dma_task_memcpy_set_dst(task, dst_buf(fix, at, BLOCK));
    try_to_submit(task);
}

static void ten_thousand_blocks_survive_again(void **state)
{
    struct dma_fixture fix;

    (void)state;
    dma_fix_start(&fix, TASKS, BLOCKS * BLOCK);
    fix.free_tasks = 0;
    fix.on_done = take_next;
    for (; blocks.next < TASKS; blocks.next++) {
        size_t at = blocks.next * (size_t)BLOCK;

        try_to_submit(new_task(&fix, src_buf(&fix, at, BLOCK), dst_buf(&fix, at, BLOCK), 0));
    }
    for (uint64_t spins = 0; fix.ok + fix.failed < BLOCKS; spins++) {
        assert_true(spins < UINT64_C(2000000000));
        doca_pe_progress(fix.pe);
        if (blocks.nwaiting > 0)
            try_to_submit(blocks.waiting[--blocks.nwaiting]);
    }
    assert_int_equal(fix.ok, BLOCKS);
    assert_in_range(blocks.refused, BLOCKS / 20, BLOCKS / 5);
    assert_memory_equal(fix.src, fix.dst, BLOCKS * BLOCK);
    dma_fix_close(&fix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_blocks_survive_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
