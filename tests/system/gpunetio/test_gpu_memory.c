/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues of kernels whose frames lie in memory that only the GPU reaches, with the test in the
 * place of the kernel and a driver of our own in that of CUDA's. */

#include "lib/gpu_fixture.h"

#include <dlfcn.h>

#include "unit/soft/gpu/cuda/fake_cuda.h"

#define STRIDE 2048u
#define DEPTH  64u
#define BOTH   (OPENDOCA_GPU_SLOT_L3_SUM | OPENDOCA_GPU_SLOT_L4_SUM)

static const struct fake_cuda *fake;

struct pair {
    struct gpu_fix fix;
    struct gpu_tx tx;         /* on A */
    struct gpu_rx rx;         /* on B */
    struct gpu_memory frames; /* to send from; on the GPU */
};

static char *behind(const char *at)
{
    char *plain = fake->behind((uintptr_t)at);

    assert_non_null(plain);
    return plain;
}

static void pair_open(struct pair *pair)
{
    gpu_fix_open_at(&pair->fix, "0000:3b:00.0");
    gpu_memory_open(&pair->fix, pair->fix.a, DEPTH * STRIDE, DOCA_GPU_MEM_TYPE_GPU, &pair->frames);
    assert_null(pair->frames.cpu);
    gpu_rx_open(&pair->fix, pair->fix.b, 2 * DEPTH, STRIDE, &pair->rx);
    gpu_tx_open(&pair->fix, pair->fix.a, DEPTH, &pair->tx);
    fake->stay(1);
}

static void pair_close(struct pair *pair)
{
    fake->stay(0);
    gpu_tx_close(&pair->tx);
    gpu_rx_close(&pair->fix, &pair->rx);
    gpu_memory_close(&pair->fix, &pair->frames);
    gpu_fix_close(&pair->fix);
    assert_null(fake->wrong());
    assert_int_equal(fake->left(), 0);
}

static uint64_t put_frame(struct pair *pair, uint32_t number, uint32_t len, unsigned int flags)
{
    const char *at = pair->frames.gpu + number % DEPTH * STRIDE;

    eth_frame(behind(at), len, number);
    return gpu_tx_put(&pair->tx, at, pair->frames.key_be, len, flags);
}

/* The next packet, in memory of the GPU, is this frame. */
static void expect_frame(struct gpu_rx *rx, uint32_t len, uint32_t number)
{
    const struct opendoca_gpu_cqe *cqe = gpu_rx_wait(rx);

    assert_int_equal(opendoca_gpu_swap32(cqe->bytes_be), len);
    assert_true(eth_frame_is(behind(gpu_rx_packet(rx)), len, number));
    gpu_rx_done(rx);
}

/* ---- */

static void frames_leave_memory_of_the_gpu(void **state)
{
    uint32_t sent = 0, come = 0;
    struct pair pair;
    uint16_t index;

    (void)state;
    pair_open(&pair);
    while (sent < 300) {
        uint32_t burst = 1 + sent % 40;

        for (uint32_t i = 0; i < burst; i++, sent++)
            put_frame(&pair, sent, 60 + sent * 7 % 1400,
                      i + 1 == burst ? OPENDOCA_GPU_SLOT_NOTIFY : 0);
        gpu_tx_ring(&pair.tx);
        assert_int_equal(gpu_tx_complete(&pair.tx, &index), 0);
        assert_int_equal(index, sent - 1);
        /* A completion says that the frame's memory may be written again. */
        memset(behind(pair.frames.gpu), 0xdd, DEPTH * STRIDE);
        for (; come < sent; come++)
            expect_frame(&pair.rx, 60 + come * 7 % 1400, come);
    }
    pair_close(&pair);
}

/* What a program that answers in place does. */
static void packets_are_sent_back_from_their_slots(void **state)
{
    struct gpu_rx back;
    struct gpu_tx echo;
    struct pair pair;

    (void)state;
    pair_open(&pair);
    fake->stay(0);
    gpu_rx_open(&pair.fix, pair.fix.a, 16, STRIDE, &back);
    gpu_tx_open(&pair.fix, pair.fix.b, DEPTH, &echo);
    fake->stay(1);
    for (uint32_t n = 0; n < 40; n++) {
        uint16_t index;

        put_frame(&pair, n, 100, 0);
        gpu_tx_ring(&pair.tx);
        gpu_rx_wait(&pair.rx);
        gpu_tx_send(&echo, gpu_rx_packet(&pair.rx), pair.rx.handle->pkt_mkey, 100,
                    OPENDOCA_GPU_SLOT_NOTIFY);
        assert_int_equal(gpu_tx_complete(&echo, &index), 0);
        gpu_rx_done(&pair.rx);
        expect_frame(&back, 100, n);
    }
    fake->stay(0);
    gpu_tx_close(&echo);
    gpu_rx_close(&pair.fix, &back);
    pair_close(&pair);
}

static void neighbours_travel_as_one(void **state)
{
    struct pair pair;
    uint16_t index;
    int before;

    (void)state;
    pair_open(&pair);
    for (uint32_t n = 0; n < 32; n++)
        put_frame(&pair, n, 64, n == 31 ? OPENDOCA_GPU_SLOT_NOTIFY : 0);
    before = fake->calls("cuMemcpyDtoHAsync");
    gpu_tx_ring(&pair.tx);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), 0);
    for (uint32_t n = 0; n < 32; n++)
        expect_frame(&pair.rx, 64, n);
    assert_in_range(fake->calls("cuMemcpyDtoHAsync") - before, 1, 4);
    pair_close(&pair);
}

/* More than a batch has room for, each too far from the other to travel along. */
static void long_frames_go_in_several_batches(void **state)
{
    struct pair pair;

    (void)state;
    pair_open(&pair);
    for (uint32_t n = 0; n < DEPTH; n++) {
        uint32_t place = n * 37 % DEPTH;

        eth_frame(behind(pair.frames.gpu + place * STRIDE), 1500, n);
        gpu_tx_put(&pair.tx, pair.frames.gpu + place * STRIDE, pair.frames.key_be, 1500, 0);
    }
    gpu_tx_ring(&pair.tx);
    for (uint32_t n = 0; n < DEPTH; n++)
        expect_frame(&pair.rx, 1500, n);
    pair_close(&pair);
}

static void pieces_may_lie_on_both_sides(void **state)
{
    struct gpu_memory heads;
    struct pair pair;
    char whole[128];
    uint64_t at;

    (void)state;
    pair_open(&pair);
    fake->stay(0);
    gpu_memory_open(&pair.fix, pair.fix.a, 4096, DOCA_GPU_MEM_TYPE_CPU_GPU, &heads);
    fake->stay(1);
    eth_frame(whole, sizeof(whole), 7);
    memcpy(heads.cpu, whole, 42);
    memcpy(behind(pair.frames.gpu), whole + 42, sizeof(whole) - 42);
    at = gpu_tx_reserve(&pair.tx, 1);
    gpu_tx_control(&pair.tx, at, OPENDOCA_GPU_SLOT_SEND, 2, 0, 0);
    gpu_tx_seg(&pair.tx, at, 0, heads.gpu, heads.key_be, 42);
    gpu_tx_seg(&pair.tx, at, 1, pair.frames.gpu, pair.frames.key_be, sizeof(whole) - 42);
    gpu_tx_ring(&pair.tx);
    expect_frame(&pair.rx, sizeof(whole), 7);
    fake->stay(0);
    gpu_memory_close(&pair.fix, &heads);
    pair_close(&pair);
}

static void sums_are_filled_in(void **state)
{
    const uint8_t *got;
    struct pair pair;
    uint64_t at;

    (void)state;
    pair_open(&pair);
    gpu_udp((uint8_t *)behind(pair.frames.gpu));
    at = gpu_tx_reserve(&pair.tx, 1);
    gpu_tx_control(&pair.tx, at, OPENDOCA_GPU_SLOT_SEND, 1, 0, BOTH);
    gpu_tx_seg(&pair.tx, at, 0, pair.frames.gpu, pair.frames.key_be, 64);
    gpu_tx_ring(&pair.tx);
    gpu_rx_wait(&pair.rx);
    got = (const uint8_t *)behind(gpu_rx_packet(&pair.rx));
    assert_int_equal(gpu_add_up(got + 14, 20, 0), 0xffff);
    assert_int_equal(gpu_add_up(got + 26, 38, 17 + 30), 0xffff);
    assert_int_equal((uint8_t)behind(pair.frames.gpu)[24], 0xaa);
    gpu_rx_done(&pair.rx);
    pair_close(&pair);
}

static void what_does_not_hold_fails_and_the_queue_lives_on(void **state)
{
    struct pair pair;
    uint16_t index;

    (void)state;
    pair_open(&pair);
    put_frame(&pair, 0, 60, 0);
    gpu_tx_put(&pair.tx, pair.frames.gpu, pair.frames.key_be, 9000, 0);
    gpu_tx_put(&pair.tx, pair.frames.gpu + DEPTH * STRIDE - 30, pair.frames.key_be, 64, 0);
    gpu_tx_put(&pair.tx, pair.frames.gpu, pair.frames.key_be ^ 1u, 64, 0);
    put_frame(&pair, 4, 1514, OPENDOCA_GPU_SLOT_NOTIFY);
    gpu_tx_ring(&pair.tx);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_LENGTH);
    assert_int_equal(index, 1);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_KEY);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_KEY);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), 0);
    assert_int_equal(index, 4);
    expect_frame(&pair.rx, 60, 0);
    expect_frame(&pair.rx, 1514, 4);
    pair_close(&pair);
}

/* Order is lost with the first copy that fails: nothing leaves the GPU any more, everything else
 * does. */
static void copies_that_fail_are_completions_with_an_error(void **state)
{
    struct gpu_memory near;
    struct pair pair;
    uint16_t index;

    (void)state;
    pair_open(&pair);
    fake->stay(0);
    gpu_memory_open(&pair.fix, pair.fix.a, 4096, DOCA_GPU_MEM_TYPE_CPU_GPU, &near);
    fake->stay(1);
    fake->break_call("cuMemcpyDtoHAsync", 1, 999);
    eth_frame(near.cpu, 64, 0);
    gpu_tx_put(&pair.tx, near.gpu, near.key_be, 64, 0);
    put_frame(&pair, 1, 64, 0);
    gpu_tx_put(&pair.tx, near.gpu, near.key_be, 64, OPENDOCA_GPU_SLOT_NOTIFY);
    put_frame(&pair, 3, 64, 0);
    gpu_tx_ring(&pair.tx);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_PORT);
    assert_int_equal(index, 1);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), 0);
    assert_int_equal(index, 2);
    assert_int_equal(gpu_tx_complete(&pair.tx, &index), OPENDOCA_GPU_SYNDROME_PORT);
    assert_int_equal(index, 3);
    expect_frame(&pair.rx, 64, 0);
    expect_frame(&pair.rx, 64, 0);
    fake->stay(0);
    gpu_memory_close(&pair.fix, &near);
    pair_close(&pair);
}

static void queues_that_cannot_fetch_do_not_start(void **state)
{
    static const char *const calls[] = {"cuStreamCreate", "cuMemHostRegister"};
    struct gpu_fix fix;
    struct gpu_tx tx;

    (void)state;
    gpu_fix_open_at(&fix, "0000:3b:00.0");
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        gpu_tx_create(&fix, fix.a, DEPTH, &tx);
        /* Four rings of the queue are memory of the CPU, too. */
        fake->break_call(calls[i], i == 0 ? 1 : 5, 2);
        assert_doca(DOCA_ERROR_NO_MEMORY, doca_ctx_start(tx.ctx));
        assert_ok(doca_ctx_start(tx.ctx));
        gpu_tx_close(&tx);
    }
    gpu_fix_close(&fix);
    assert_null(fake->wrong());
    assert_int_equal(fake->left(), 0);
}

static int load_driver(void)
{
    const char *path = getenv("OD_FAKE_CUDA");
    void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;

    fake = library != NULL ? dlsym(library, FAKE_CUDA_SYMBOL) : NULL;
    if (fake == NULL) {
        fprintf(stderr, "OD_FAKE_CUDA does not name the driver of the tests\n");
        return 1;
    }
    setenv("OPENDOCA_GPU", "cuda", 1);
    setenv("OPENDOCA_CUDA_LIBRARY", path, 1);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_leave_memory_of_the_gpu),
        cmocka_unit_test(packets_are_sent_back_from_their_slots),
        cmocka_unit_test(neighbours_travel_as_one),
        cmocka_unit_test(long_frames_go_in_several_batches),
        cmocka_unit_test(pieces_may_lie_on_both_sides),
        cmocka_unit_test(sums_are_filled_in),
        cmocka_unit_test(what_does_not_hold_fails_and_the_queue_lives_on),
        cmocka_unit_test(copies_that_fail_are_completions_with_an_error),
        cmocka_unit_test(queues_that_cannot_fetch_do_not_start),
    };
    int rc = load_driver();

    if (rc == 0)
        rc = eth_wire_up(argc > 1 ? argv[1] : "loop");
    if (rc != 0)
        return rc;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}
