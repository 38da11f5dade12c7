/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between this process and another one that is alive. */

#include "importer.h"

#include <stdlib.h>

#define SIZE 100000u

/* Each case is run with either kind of memory. */
struct rig {
    struct dma_fixture fix;
    struct peer peer;
    enum peer_kind kind;
};

static void rig_open(struct rig *rig, void **state)
{
    rig->kind = *(const enum peer_kind *)*state;
    peer_start(&rig->peer, "host", NULL);
    dma_fix_start(&rig->fix, 16, SIZE);
    peer_fill_pattern(rig->fix.src, SIZE, 77);
}

static void rig_close(struct rig *rig)
{
    dma_fix_close(&rig->fix);
    peer_quit(&rig->peer);
}

static void both_directions_work(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    struct doca_mmap *remote;

    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 123, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    remote = import_memory(&rig.fix, &memory);
    assert_ok(read_peer(&rig.fix, remote, &memory, SIZE));
    assert_int_equal(peer_match_pattern(rig.fix.dst, SIZE, 1), SIZE);
    assert_ok(write_peer(&rig.fix, remote, &memory, SIZE));
    assert_int_equal(peer_check(&rig.peer, 1, 77), SIZE);
    peer_fill(&rig.peer, 1, 5); /* and what the other side writes now is seen */
    assert_ok(read_peer(&rig.fix, remote, &memory, SIZE));
    assert_int_equal(peer_match_pattern(rig.fix.dst, SIZE, 5), SIZE);
    assert_ok(doca_mmap_destroy(remote));
    rig_close(&rig);
}

static void read_only_export_is_no_destination(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    struct doca_mmap *remote;

    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 0, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &memory);
    remote = import_memory(&rig.fix, &memory);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, write_peer(&rig.fix, remote, &memory, SIZE));
    assert_int_equal(peer_check(&rig.peer, 1, 1), SIZE);
    assert_ok(read_peer(&rig.fix, remote, &memory, SIZE)); /* the context still runs */
    assert_int_equal(rig.fix.nstates, 1);
    assert_int_equal(peer_match_pattern(rig.fix.dst, SIZE, 1), SIZE);
    assert_ok(doca_mmap_destroy(remote));
    rig_close(&rig);
}

static void both_ends_may_be_the_peers(void **state)
{
    struct rig rig;
    struct peer other;
    struct peer_memory from, to;
    struct doca_mmap *src, *dst;

    rig_open(&rig, state);
    peer_start(&other, "host", NULL);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 7, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &from);
    peer_export(&other, 2, PEER_HEAP, SIZE, 4000, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &to);
    src = import_memory(&rig.fix, &from);
    dst = import_memory(&rig.fix, &to);
    assert_ok(copy_once(&rig.fix, dst, to.addr, src, from.addr, SIZE));
    assert_int_equal(peer_check(&other, 2, 1), SIZE);
    assert_ok(doca_mmap_destroy(src));
    assert_ok(doca_mmap_destroy(dst));
    peer_quit(&other);
    rig_close(&rig);
}

static void import_takes_no_configuration(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    struct doca_mmap *remote;
    struct doca_buf *buf;
    const void *desc;
    size_t len;
    void *addr;
    uint8_t flag = 0;

    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 5, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    remote = import_memory(&rig.fix, &memory);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(remote));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(remote));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(remote, rig.fix.dev));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_permissions(remote, 1));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(remote, rig.fix.src, 10));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(remote, rig.fix.dev, &desc, &len));
    assert_ok(doca_mmap_get_from_export(remote, &flag));
    assert_int_equal(flag, 1);
    assert_ok(doca_mmap_get_memrange(remote, &addr, &len));
    assert_ptr_equal(addr, memory.addr);
    assert_int_equal(len, SIZE);
    assert_doca(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_get_by_data(
                                              rig.fix.inventory, remote, memory.addr - 1, 2, &buf));
    assert_doca(
        DOCA_ERROR_INVALID_VALUE,
        doca_buf_inventory_buf_get_by_data(rig.fix.inventory, remote, memory.addr, SIZE + 1, &buf));
    assert_ok(doca_mmap_destroy(remote));
    rig_close(&rig);
}

/* A copy of 64 bytes that is refused, and must leave no trace, or works. */
static void check_pair(struct rig *rig, struct doca_mmap *src_map, char *src,
                       struct doca_mmap *dst_map, char *dst, bool is_allowed)
{
    doca_error_t result = copy_once(&rig->fix, dst_map, dst, src_map, src, 64);

    assert_int_equal(result, is_allowed ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(rig->fix.nstates, 1); /* a refusal does not stop the context */
}

static void access_matrix_across_processes(void **state)
{
    static const uint32_t masks[] = {
        DOCA_ACCESS_FLAG_PCI_READ_ONLY, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
        DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING};
    struct rig rig;
    struct peer_memory from, to;

    rig_open(&rig, state);
    for (int s = 0; s < 3; s++) {
        for (int d = 0; d < 3; d++) {
            struct doca_mmap *src, *dst;
            bool is_allowed = (masks[d] & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0;

            peer_export(&rig.peer, 1, rig.kind, 64, 3, masks[s], &from);
            peer_export(&rig.peer, 2, rig.kind, 64, 9, masks[d], &to);
            src = import_memory(&rig.fix, &from);
            dst = import_memory(&rig.fix, &to);
            check_pair(&rig, src, from.addr, dst, to.addr, is_allowed);
            assert_int_equal(peer_check(&rig.peer, 2, is_allowed ? 1 : 2), 64);
            assert_ok(doca_mmap_destroy(src));
            assert_ok(doca_mmap_destroy(dst));
            for (uint32_t slot = 1; slot <= 2; slot++) {
                peer_do(&rig.peer, PEER_DESTROY, slot);
                peer_do(&rig.peer, PEER_RELEASE, slot);
            }
        }
    }
    rig_close(&rig);
}

/* Own memory needs no flag to be read, and LOCAL_READ_WRITE to be written. */
static void access_matrix_of_local_memory(void **state)
{
    static const uint32_t masks[] = {
        DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
        DOCA_ACCESS_FLAG_PCI_READ_ONLY, DOCA_ACCESS_FLAG_PCI_READ_WRITE};
    char memory[128];
    struct rig rig;

    rig_open(&rig, state);
    for (size_t s = 0; s < 4; s++) {
        for (size_t d = 0; d < 4; d++) {
            bool is_allowed = masks[d] == DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
            struct doca_mmap *src = make_map(rig.fix.dev, memory, 64, (int)masks[s]);
            struct doca_mmap *dst = make_map(rig.fix.dev, memory + 64, 64, (int)masks[d]);

            peer_fill_pattern(memory, 64, 1);
            peer_fill_pattern(memory + 64, 64, 2);
            check_pair(&rig, src, memory, dst, memory + 64, is_allowed);
            assert_int_equal(peer_match_pattern(memory + 64, 64, is_allowed ? 1 : 2), 64);
            assert_ok(doca_mmap_destroy(src));
            assert_ok(doca_mmap_destroy(dst));
        }
    }
    rig_close(&rig);
}

/* The two processes behave as if they were on two hosts. */
static bool is_remote(void)
{
    const char *engine = getenv("OPENDOCA_PEER_ENGINE");

    return engine != NULL && strcmp(engine, "remote") == 0;
}

static void thousands_of_exports_at_odd_places(void **state)
{
    const uint32_t rounds = is_remote() ? 100 : 10000; /* each of which connects anew */
    struct rig rig;

    rig_open(&rig, state);
    srandom(20260101);
    for (uint32_t i = 0; i < rounds; i++) {
        size_t len = 1 + (size_t)random() % 9000, offset = (size_t)random() % PEER_PAGE;
        struct peer_memory memory;
        struct doca_mmap *remote;

        peer_export(&rig.peer, i % PEER_SLOTS, rig.kind, len, offset,
                    DOCA_ACCESS_FLAG_PCI_READ_ONLY, &memory);
        remote = import_memory(&rig.fix, &memory);
        memset(rig.fix.dst, 0, len + 1);
        assert_ok(read_peer(&rig.fix, remote, &memory, len));
        assert_int_equal(peer_match_pattern(rig.fix.dst, len, i % PEER_SLOTS), len);
        assert_int_equal(rig.fix.dst[len], 0);
        assert_ok(doca_mmap_destroy(remote));
        peer_do(&rig.peer, PEER_DESTROY, i % PEER_SLOTS);
        peer_do(&rig.peer, PEER_RELEASE, i % PEER_SLOTS);
    }
    rig_close(&rig);
}

static void a_changed_descriptor_is_refused(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    uint8_t longer[PEER_MAX_DESC + 64];

    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 0, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    assert_in_range(memory.desc_len, 1, 512);
    for (uint32_t bit = 0; bit < memory.desc_len * 8; bit++) {
        memory.desc[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_doca(DOCA_ERROR_INVALID_VALUE, try_import(&rig.fix, memory.desc, memory.desc_len));
        memory.desc[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (uint32_t i = 0; i < memory.desc_len; i++) {
        uint8_t kept = memory.desc[i];

        memory.desc[i] = (uint8_t)~kept;
        assert_doca(DOCA_ERROR_INVALID_VALUE, try_import(&rig.fix, memory.desc, memory.desc_len));
        memory.desc[i] = kept;
        assert_doca(DOCA_ERROR_INVALID_VALUE, try_import(&rig.fix, memory.desc, i));
    }
    memset(longer, 0, sizeof(longer));
    memcpy(longer, memory.desc, memory.desc_len);
    for (size_t more = 1; more <= 64; more++)
        assert_doca(DOCA_ERROR_INVALID_VALUE, try_import(&rig.fix, longer, memory.desc_len + more));
    assert_ok(try_import(&rig.fix, memory.desc, memory.desc_len));
    rig_close(&rig);
}

static void a_stale_descriptor_is_refused(void **state)
{
    struct rig rig;
    struct peer_memory revoked, gone;

    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 0, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &revoked);
    peer_export(&rig.peer, 2, rig.kind, SIZE, 0, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &gone);
    peer_do(&rig.peer, PEER_DESTROY, 1);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, try_import(&rig.fix, revoked.desc, revoked.desc_len));
    peer_do(&rig.peer, PEER_STOP, 2);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, try_import(&rig.fix, gone.desc, gone.desc_len));
    peer_quit(&rig.peer);
    assert_doca(DOCA_ERROR_DRIVER, try_import(&rig.fix, gone.desc, gone.desc_len));
    peer_start(&rig.peer, "host", NULL);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 0, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &revoked);
    assert_true(try_import(&rig.fix, gone.desc, gone.desc_len) != DOCA_SUCCESS);
    assert_ok(try_import(&rig.fix, revoked.desc, revoked.desc_len));
    rig_close(&rig);
}

static void two_importers_at_once(void **state)
{
    struct rig rig;
    struct peer other;
    struct peer_memory memory;
    struct peer_command fetch = {.op = PEER_FETCH, .len = SIZE, .seed = 1};
    struct peer_answer answer;
    struct doca_mmap *remote;

    rig_open(&rig, state);
    peer_start(&other, "dpu", NULL);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 99, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    fetch.desc_len = memory.desc_len;
    memcpy(fetch.desc, memory.desc, memory.desc_len);
    remote = import_memory(&rig.fix, &memory);
    for (int i = 0; i < 50; i++) {
        peer_tell(&other, &fetch);
        assert_ok(read_peer(&rig.fix, remote, &memory, SIZE));
        assert_int_equal(peer_match_pattern(rig.fix.dst, SIZE, 1), SIZE);
        peer_hear(&other, &answer);
        assert_ok((doca_error_t)answer.status);
        assert_int_equal(answer.value, SIZE);
    }
    assert_ok(doca_mmap_destroy(remote));
    peer_quit(&other);
    rig_close(&rig);
}

/* The other way round: this process exports, the host imports. */
static void the_host_imports_what_the_dpu_exports(void **state)
{
    struct rig rig;
    struct peer_command fetch = {.op = PEER_FETCH, .len = SIZE, .seed = 77};
    struct peer_answer answer;
    struct doca_mmap *map;
    const void *desc;
    size_t len;

    rig_open(&rig, state);
    map = make_map(rig.fix.dev, rig.fix.src, SIZE, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    assert_ok(doca_mmap_export_pci(map, rig.fix.dev, &desc, &len));
    fetch.desc_len = (uint32_t)len;
    memcpy(fetch.desc, desc, len);
    peer_call(&rig.peer, &fetch, &answer);
    assert_ok((doca_error_t)answer.status);
    assert_int_equal(answer.value, SIZE);
    assert_ok(doca_mmap_destroy(map));
    rig_close(&rig);
}

static void several_contexts_share_an_import(void **state)
{
    struct rig rig;
    struct dma_fixture second;
    struct peer_memory memory;
    struct doca_mmap *remote;

    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 1, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    remote = import_memory(&rig.fix, &memory);
    dma_fix_start(&second, 16, SIZE); /* an engine of its own, the same device */
    for (int i = 0; i < 10; i++) {
        assert_ok(read_peer(&rig.fix, remote, &memory, SIZE));
        assert_ok(read_peer(&second, remote, &memory, SIZE));
    }
    assert_int_equal(peer_match_pattern(rig.fix.dst, SIZE, 1), SIZE);
    assert_int_equal(peer_match_pattern(second.dst, SIZE, 1), SIZE);
    dma_fix_close(&second);
    assert_ok(doca_mmap_destroy(remote));
    rig_close(&rig);
}

static void the_exporter_may_be_busy(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    struct peer_answer answer;
    struct doca_mmap *remote;

    rig_open(&rig, state);
    peer_call(&rig.peer, &(struct peer_command){.op = PEER_BUSY, .len = 4}, &answer);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 8, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    remote = import_memory(&rig.fix, &memory);
    for (int i = 0; i < 50; i++) {
        assert_ok(write_peer(&rig.fix, remote, &memory, SIZE));
        assert_ok(read_peer(&rig.fix, remote, &memory, SIZE));
        assert_int_equal(peer_match_pattern(rig.fix.dst, SIZE, 77), SIZE);
    }
    assert_ok(doca_mmap_destroy(remote));
    rig_close(&rig);
}

static void the_exporter_may_pause(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    struct doca_mmap *remote;

    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 8, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    peer_tell(&rig.peer, &(struct peer_command){.op = PEER_PAUSE});
    remote = import_memory(&rig.fix, &memory);
    assert_ok(read_peer(&rig.fix, remote, &memory, SIZE));
    assert_int_equal(peer_match_pattern(rig.fix.dst, SIZE, 1), SIZE);
    assert_ok(write_peer(&rig.fix, remote, &memory, SIZE));
    assert_ok(doca_mmap_destroy(remote));
    dma_fix_close(&rig.fix);
    peer_kill(&rig.peer);
}

static void put_bufs(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    (void)fix;
    put_buf((struct doca_buf *)doca_dma_task_memcpy_get_src(task));
    put_buf(doca_dma_task_memcpy_get_dst(task));
}

static void a_stopped_exporter_delays_at_most(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    struct doca_mmap *remote;

    if (is_remote()) {
        print_message("whoever makes progress waits for the other host\n");
        skip();
    }
    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 8, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    remote = import_memory(&rig.fix, &memory);
    rig.fix.on_done = put_bufs;
    peer_freeze(&rig.peer);
    for (size_t i = 0; i < 8; i++) {
        struct doca_buf *from;

        assert_ok(doca_buf_inventory_buf_get_by_data(rig.fix.inventory, remote,
                                                     memory.addr + i * 1000, 1000, &from));
        submit(new_task(&rig.fix, from, dst_buf(&rig.fix, i * 1000, 1000), i));
    }
    for (double end = seconds_now() + 0.1; seconds_now() < end;)
        doca_pe_progress(rig.fix.pe);
    peer_thaw(&rig.peer);
    dma_fix_run(&rig.fix, 8);
    rig.fix.on_done = NULL;
    assert_int_equal(rig.fix.ok, 8);
    assert_int_equal(peer_match_pattern(rig.fix.dst, 8000, 1), 8000);
    assert_ok(read_peer(&rig.fix, remote, &memory, SIZE));
    assert_int_equal(peer_check(&rig.peer, 1, 1), SIZE);
    assert_ok(doca_mmap_destroy(remote));
    rig_close(&rig);
}

static void an_import_from_a_stopped_exporter_ends_in_time(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    struct doca_mmap *remote;

    if (is_remote()) {
        print_message("a host that is silent for so long is taken for dead\n");
        skip();
    }
    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 8, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    remote = import_memory(&rig.fix, &memory);
    peer_freeze(&rig.peer);
    assert_doca(DOCA_ERROR_DRIVER, try_import(&rig.fix, memory.desc, memory.desc_len));
    peer_thaw(&rig.peer);
    /* and nothing is the worse for it */
    assert_ok(try_import(&rig.fix, memory.desc, memory.desc_len));
    assert_ok(read_peer(&rig.fix, remote, &memory, SIZE));
    assert_int_equal(peer_match_pattern(rig.fix.dst, SIZE, 1), SIZE);
    assert_ok(doca_mmap_destroy(remote));
    rig_close(&rig);
}

static void a_page_without_rights_fails_the_copy_only(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    struct peer_answer answer;
    struct doca_mmap *remote;

    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, 16 * PEER_PAGE, 0, DOCA_ACCESS_FLAG_PCI_READ_WRITE,
                &memory);
    remote = import_memory(&rig.fix, &memory);
    /* Shared memory that this process has mapped itself has its own rights. */
    if (rig.kind == PEER_HEAP) {
        peer_call(&rig.peer,
                  &(struct peer_command){.op = PEER_PROTECT, .slot = 1, .offset = 8 * PEER_PAGE},
                  &answer);
        assert_ok((doca_error_t)answer.status);
        assert_doca(DOCA_ERROR_IO_FAILED, read_peer(&rig.fix, remote, &memory, 16 * PEER_PAGE));
        assert_doca(DOCA_ERROR_IO_FAILED, write_peer(&rig.fix, remote, &memory, 16 * PEER_PAGE));
    }
    assert_ok(read_peer(&rig.fix, remote, &memory, 8 * PEER_PAGE));
    assert_ok(doca_mmap_destroy(remote));
    rig_close(&rig);
}

static void memory_that_went_away_fails_the_copy_only(void **state)
{
    struct rig rig;
    struct peer_memory memory;
    struct doca_mmap *remote;
    doca_error_t result;
    double end;

    rig_open(&rig, state);
    peer_export(&rig.peer, 1, rig.kind, SIZE, 0, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    remote = import_memory(&rig.fix, &memory);
    assert_ok(read_peer(&rig.fix, remote, &memory, SIZE));
    peer_do(&rig.peer, PEER_RELEASE, 1);
    end = seconds_now() + SECONDS_TO_NOTICE;
    do
        result = read_peer(&rig.fix, remote, &memory, SIZE);
    while (rig.kind == PEER_MEMFD && result == DOCA_SUCCESS && seconds_now() < end);
    assert_doca(DOCA_ERROR_IO_FAILED, result);
    assert_doca(DOCA_ERROR_IO_FAILED, write_peer(&rig.fix, remote, &memory, SIZE));
    peer_do(&rig.peer, PEER_DESTROY, 1); /* although the memory is gone */
    assert_doca(DOCA_ERROR_IO_FAILED, read_peer(&rig.fix, remote, &memory, SIZE));
    assert_ok(doca_mmap_destroy(remote));
    rig_close(&rig);
}

#define WITH_BOTH(function)                                                                        \
    cmocka_unit_test_prestate(function, &heap), cmocka_unit_test_prestate(function, &memfd)

int main(void)
{
    static enum peer_kind heap = PEER_HEAP, memfd = PEER_MEMFD;
    const struct CMUnitTest tests[] = {
        WITH_BOTH(both_directions_work),
        WITH_BOTH(read_only_export_is_no_destination),
        WITH_BOTH(both_ends_may_be_the_peers),
        WITH_BOTH(import_takes_no_configuration),
        WITH_BOTH(access_matrix_across_processes),
        cmocka_unit_test_prestate(access_matrix_of_local_memory, &heap),
        WITH_BOTH(thousands_of_exports_at_odd_places),
        WITH_BOTH(a_changed_descriptor_is_refused),
        WITH_BOTH(a_stale_descriptor_is_refused),
        WITH_BOTH(two_importers_at_once),
        cmocka_unit_test_prestate(the_host_imports_what_the_dpu_exports, &heap),
        WITH_BOTH(several_contexts_share_an_import),
        WITH_BOTH(the_exporter_may_be_busy),
        WITH_BOTH(the_exporter_may_pause),
        WITH_BOTH(a_stopped_exporter_delays_at_most),
        WITH_BOTH(an_import_from_a_stopped_exporter_ends_in_time),
        WITH_BOTH(a_page_without_rights_fails_the_copy_only),
        WITH_BOTH(memory_that_went_away_fails_the_copy_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
