/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames on their way into memory that the CPU does not reach, over a GPU that copies on demand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <impl/opendoca_gpu_barrier.h>

#include "soft/gpu/gpu.h"
#include "soft/nic/nic_priv.h"

enum { NUM = 8, STRIDE = 256, MOST = 64 };

/* ------------------------------------------------------------------------------------------------
 * A GPU
 */

static struct {
    char *at;
    const char *cpu;
    size_t len;
} copies[MOST];
static unsigned int ncopies, ndone;
static uint64_t marks[MOST]; /* copies before each */
static uint64_t nmarks;
static int answer; /* of the next call, if not 0 */
static bool is_open;

static int alloc_memory(struct soft_gpu *gpu, size_t align, struct soft_gpu_memory *memory)
{
    (void)gpu;
    (void)align;
    memory->at = memory->cpu = calloc(1, memory->len);
    return memory->at != NULL ? 0 : -ENOMEM;
}

static void free_memory(struct soft_gpu_memory *memory)
{
    free(memory->at);
}

static int open_copier(struct soft_gpu *gpu, struct soft_gpu_copier **copier)
{
    static struct soft_gpu_copier the_copier;

    (void)gpu;
    is_open = answer == 0;
    *copier = &the_copier;
    return answer;
}

static void close_copier(struct soft_gpu_copier *copier)
{
    (void)copier;
    is_open = false;
}

static int copy_in(struct soft_gpu_copier *copier, char *at, const char *cpu, size_t len)
{
    (void)copier;
    copies[ncopies].at = at;
    copies[ncopies].cpu = cpu;
    copies[ncopies++].len = len;
    return answer;
}

static int put_mark(struct soft_gpu_copier *copier, uint64_t *mark)
{
    (void)copier;
    marks[++nmarks] = ncopies;
    *mark = nmarks;
    return answer;
}

static int is_done(struct soft_gpu_copier *copier, uint64_t mark)
{
    (void)copier;
    return answer != 0 ? answer : ndone >= marks[mark];
}

static void do_copies(unsigned int n)
{
    for (; n > 0; n--, ndone++)
        memcpy(copies[ndone].at, copies[ndone].cpu, copies[ndone].len);
}

static const struct soft_gpu_ops with_copies = {.name = "test",
                                                .alloc = alloc_memory,
                                                .free = free_memory,
                                                .copier_open = open_copier,
                                                .copier_close = close_copier,
                                                .copy_in = copy_in,
                                                .mark = put_mark,
                                                .is_done = is_done};
static const struct soft_gpu_ops without = {
    .name = "plain", .alloc = alloc_memory, .free = free_memory};

/* ------------------------------------------------------------------------------------------------
 * A queue
 */

static struct soft_gpu gpu;
static struct soft_gpu_memory packets = {.gpu = &gpu};
static char slots[NUM * STRIDE];
static struct opendoca_gpu_rx_words words;
static struct opendoca_gpu_cqe cqes[NUM];
static struct soft_nic_rxq rxq;

static int open_stage(void)
{
    memset(&words, 0, sizeof(words));
    memset(slots, 0, sizeof(slots));
    words.posted = NUM;
    ncopies = ndone = 0;
    nmarks = 0;
    rxq.ring = (struct soft_nic_rx_ring){.words = &words,
                                         .cqes = cqes,
                                         .packets = &packets,
                                         .at = slots,
                                         .num = NUM,
                                         .stride = STRIDE};
    return soft_nic_stage_open(&rxq.ring, &rxq.stage);
}

static int set_up(void **state)
{
    (void)state;
    answer = 0;
    gpu = (struct soft_gpu){.ops = &with_copies, .holders = 1};
    return open_stage();
}

static int tear_down(void **state)
{
    (void)state;
    soft_nic_stage_close(rxq.stage);
    rxq.stage = NULL;
    return is_open || gpu.holders != 1;
}

static bool put(char first)
{
    const struct soft_nic_meta meta = {.time = 1};
    uint8_t data[60];
    const struct soft_nic_frame frame = {.data = data, .len = sizeof(data)};

    memset(data, first, sizeof(data));
    return soft_nic_stage_put(&rxq, &frame, &meta);
}

/* ------------------------------------------------------------------------------------------------
 */

static void test_told_when_it_is_there(void **state)
{
    (void)state;
    assert_int_equal(soft_nic_stage_step(&rxq), 0);
    assert_true(put('a') && put('b'));
    assert_int_equal(soft_nic_stage_step(&rxq), 1);
    assert_true(put('c'));
    assert_int_equal(soft_nic_stage_step(&rxq), 1);
    assert_int_equal(words.stored, 0);
    do_copies(1); /* half of a batch */
    assert_int_equal(soft_nic_stage_step(&rxq), 1);
    assert_int_equal(words.stored, 0);
    do_copies(1);
    assert_int_equal(soft_nic_stage_step(&rxq), 1);
    assert_int_equal(words.stored, 2);
    do_copies(1);
    soft_nic_stage_step(&rxq);
    assert_int_equal(words.stored, 3);
    assert_int_equal(soft_nic_stage_step(&rxq), 0);
    assert_int_equal(slots[0], 'a');
    assert_int_equal(slots[STRIDE], 'b');
    assert_int_equal(slots[2 * STRIDE + 59], 'c');
}

static void test_no_room_until_told(void **state)
{
    (void)state;
    for (char i = 0; i < NUM; i++)
        assert_true(put(i));
    assert_int_equal(soft_nic_stage_room(rxq.stage), 0);
    assert_false(put(100));
    soft_nic_stage_step(&rxq);
    do_copies(NUM);
    soft_nic_stage_step(&rxq);
    assert_int_equal(words.stored, NUM);
    assert_int_equal(soft_nic_stage_room(rxq.stage), NUM);
    /* Round the ring. */
    assert_true(put(101));
    soft_nic_stage_step(&rxq);
    do_copies(1);
    soft_nic_stage_step(&rxq);
    assert_int_equal(slots[0], 101);
    assert_int_equal(words.stored, NUM + 1);
}

static void test_what_is_too_long_is_told_in_its_turn(void **state)
{
    static uint8_t data[STRIDE + 1];
    const struct soft_nic_frame frame = {.data = data, .len = sizeof(data)};
    const struct soft_nic_meta meta = {.time = 1};

    (void)state;
    assert_true(put('a'));
    assert_true(soft_nic_stage_put(&rxq, &frame, &meta));
    assert_true(put('b'));
    assert_int_equal(ncopies, 2);
    soft_nic_stage_step(&rxq);
    assert_int_equal(words.stored, 0);
    do_copies(2);
    soft_nic_stage_step(&rxq);
    assert_int_equal(words.stored, 3);
    assert_int_equal(opendoca_gpu_cqe_opcode(cqes[0].tail), OPENDOCA_GPU_CQE_RX);
    assert_int_equal(opendoca_gpu_cqe_opcode(cqes[1].tail), OPENDOCA_GPU_CQE_RX_ERROR);
    assert_int_equal(cqes[1].time_be, opendoca_gpu_syndromes(0, OPENDOCA_GPU_SYNDROME_LENGTH));
    assert_int_equal(opendoca_gpu_cqe_opcode(cqes[2].tail), OPENDOCA_GPU_CQE_RX);
    assert_int_equal(slots[2 * STRIDE], 'b');
}

static void test_failures_break_the_queue(void **state)
{
    (void)state;
    answer = -EIO;
    assert_false(put('a'));
    assert_int_equal(words.state, OPENDOCA_GPU_QUEUE_BROKEN);
    answer = 0;
    words.state = OPENDOCA_GPU_QUEUE_RUNS;
    assert_true(put('b'));
    answer = -EIO;
    assert_int_equal(soft_nic_stage_step(&rxq), 0); /* the mark */
    assert_int_equal(words.state, OPENDOCA_GPU_QUEUE_BROKEN);
    answer = 0;
    words.state = OPENDOCA_GPU_QUEUE_RUNS;
    assert_int_equal(soft_nic_stage_step(&rxq), 1);
    answer = -EIO;
    assert_int_equal(soft_nic_stage_step(&rxq), 0); /* the copy */
    assert_int_equal(words.state, OPENDOCA_GPU_QUEUE_BROKEN);
    assert_int_equal(words.stored, 0);
}

static void test_does_not_open(void **state)
{
    (void)state;
    gpu = (struct soft_gpu){.ops = &without, .holders = 1};
    assert_int_equal(open_stage(), -ENOTSUP);
    gpu.ops = &with_copies;
    answer = -ENOMEM;
    assert_int_equal(open_stage(), -ENOMEM);
    assert_int_equal(gpu.holders, 1);
    soft_nic_stage_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_told_when_it_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_room_until_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_too_long_is_told_in_its_turn, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_failures_break_the_queue, set_up, tear_down),
        cmocka_unit_test(test_does_not_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
