/* SPDX-License-Identifier: BSD-3-Clause */
/* The exporter revokes its memory, leaves or is killed while copies are on their way. */

#include "importer.h"
#include "lib/seconds.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define COPIES 100u
#define CHUNK  (size_t)131072
#define SIZE   (COPIES * CHUNK)

#define FROZEN_SECONDS 60

struct rig {
    struct dma_fixture fix;
    struct peer peer;
    struct peer_memory memory;
    struct doca_mmap *remote;
    enum peer_kind kind;
};

static void put_bufs(struct dma_fixture *fix, struct doca_dma_task_memcpy *task)
{
    (void)fix;
    put_buf((struct doca_buf *)doca_dma_task_memcpy_get_src(task));
    put_buf(doca_dma_task_memcpy_get_dst(task));
    if (fix->last_status != DOCA_SUCCESS)
        assert_doca(DOCA_ERROR_IO_FAILED, fix->last_status);
}

static void rig_open(struct rig *rig, void **state)
{
    rig->kind = *(const enum peer_kind *)*state;
    peer_start(&rig->peer, "host", NULL);
    peer_export(&rig->peer, 1, rig->kind, SIZE, 0, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &rig->memory);
    dma_fix_start(&rig->fix, COPIES, SIZE);
    peer_fill_pattern(rig->fix.src, SIZE, 77);
    rig->remote = import_memory(&rig->fix, &rig->memory);
    rig->fix.on_done = put_bufs;
}

static void rig_close(struct rig *rig)
{
    assert_int_equal(rig->fix.ok + rig->fix.failed, COPIES);
    assert_ok(doca_mmap_destroy(rig->remote));
    dma_fix_close(&rig->fix);
}

/* A hundred copies, from the peer or to it. */
static void submit_many(struct rig *rig, bool to_peer)
{
    struct dma_fixture *fix = &rig->fix;

    for (unsigned int i = 0; i < COPIES; i++) {
        struct doca_buf *there;
        char *addr = rig->memory.addr + i * CHUNK;

        if (to_peer) {
            assert_ok(doca_buf_inventory_buf_get_by_addr(fix->inventory, rig->remote, addr, CHUNK,
                                                         &there));
            submit(new_task(fix, src_buf(fix, i * CHUNK, CHUNK), there, i));
        } else {
            assert_ok(doca_buf_inventory_buf_get_by_data(fix->inventory, rig->remote, addr, CHUNK,
                                                         &there));
            submit(new_task(fix, there, dst_buf(fix, i * CHUNK, CHUNK), i));
        }
    }
}

/* Some copies are done, most are not. */
static void begin(struct rig *rig, bool to_peer)
{
    submit_many(rig, to_peer);
    dma_fix_run(&rig->fix, 3);
    assert_true(rig->fix.ok >= 3);
}

/* Revocation from the exporter's side, with copies in flight: it is answered, and from then on what
 * the exporter writes into its memory stays there. */
static void revoke_in_flight(void **state, enum peer_op op, bool to_peer)
{
    struct rig rig;
    struct peer_answer answer;
    struct patience patience;

    rig_open(&rig, state);
    begin(&rig, to_peer);
    peer_tell(&rig.peer, &(struct peer_command){.op = op, .slot = 1});
    /* this side goes on meanwhile, or does not: the answer must come anyhow */
    peer_hear(&rig.peer, &answer);
    assert_ok((doca_error_t)answer.status);
    peer_fill(&rig.peer, 1, 99);
    patience = patience_of(SECONDS_TO_NOTICE);
    while (rig.fix.ok + rig.fix.failed < COPIES && patience_lasts(&patience))
        doca_pe_progress(rig.fix.pe);
    assert_int_equal(rig.fix.ok + rig.fix.failed, COPIES);
    assert_true(rig.fix.failed > 0);
    assert_int_equal(peer_check(&rig.peer, 1, 99), SIZE);
    rig_close(&rig);
    peer_quit(&rig.peer);
}

static void destroy_while_the_peer_reads(void **state)
{
    revoke_in_flight(state, PEER_DESTROY, false);
}

static void destroy_while_the_peer_writes(void **state)
{
    revoke_in_flight(state, PEER_DESTROY, true);
}

static void stop_while_the_peer_reads(void **state)
{
    revoke_in_flight(state, PEER_STOP, false);
}

static void stop_while_the_peer_writes(void **state)
{
    revoke_in_flight(state, PEER_STOP, true);
}

/* The same with this side progressing while the other revokes. */
static void destroy_and_progress_at_once(void **state)
{
    struct rig rig;
    struct peer_answer answer;

    rig_open(&rig, state);
    begin(&rig, true);
    peer_tell(&rig.peer, &(struct peer_command){.op = PEER_DESTROY, .slot = 1});
    dma_fix_run(&rig.fix, COPIES);
    peer_hear(&rig.peer, &answer);
    assert_ok((doca_error_t)answer.status);
    rig_close(&rig);
    peer_quit(&rig.peer);
}

static void killed_in_the_middle(void **state)
{
    struct rig rig;
    double end;

    for (int to_peer = 0; to_peer <= 1; to_peer++) {
        rig_open(&rig, state);
        begin(&rig, to_peer == 1);
        end = seconds_now() + SECONDS_TO_NOTICE;
        peer_kill(&rig.peer);
        while (rig.fix.ok + rig.fix.failed < COPIES && seconds_now() < end)
            doca_pe_progress(rig.fix.pe);
        assert_int_equal(rig.fix.ok + rig.fix.failed, COPIES);
        if (rig.fix.failed == 0) {
            /* all were done by then; soon one is not */
            doca_error_t result = DOCA_SUCCESS;

            rig.fix.on_done = NULL;
            while (result == DOCA_SUCCESS && seconds_now() < end)
                result = read_peer(&rig.fix, rig.remote, &rig.memory, CHUNK);
            assert_doca(DOCA_ERROR_IO_FAILED, result);
            rig.fix.ok = COPIES;
            rig.fix.failed = 0;
        }
        assert_true(seconds_now() < end);
        rig_close(&rig);
    }
}

static void left_without_a_word(void **state)
{
    struct rig rig;

    rig_open(&rig, state);
    rig.fix.on_done = NULL;
    assert_ok(read_peer(&rig.fix, rig.remote, &rig.memory, CHUNK));
    peer_quit(&rig.peer);
    for (int i = 0; i < 3; i++) {
        double end = seconds_now() + SECONDS_TO_NOTICE;

        assert_doca(DOCA_ERROR_IO_FAILED, read_peer(&rig.fix, rig.remote, &rig.memory, CHUNK));
        assert_doca(DOCA_ERROR_IO_FAILED, write_peer(&rig.fix, rig.remote, &rig.memory, CHUNK));
        assert_true(seconds_now() < end);
    }
    assert_ok(doca_mmap_destroy(rig.remote));
    dma_fix_close(&rig.fix);
}

/* Whoever was killed, whoever comes next works. */
static void the_next_run_needs_no_cleaning(void **state)
{
    struct rig rig;
    struct peer other;
    struct peer_command fetch = {.op = PEER_FETCH_FOREVER, .len = CHUNK, .seed = 1};
    struct peer_answer answer;

    for (int i = 0; i < 5; i++) {
        rig_open(&rig, state);
        rig.fix.on_done = NULL;
        peer_start(&other, "dpu", NULL);
        fetch.desc_len = rig.memory.desc_len;
        memcpy(fetch.desc, rig.memory.desc, rig.memory.desc_len);
        peer_tell(&other, &fetch);
        peer_hear(&other, &answer);
        assert_ok((doca_error_t)answer.status);
        peer_kill(&other); /* an importer, in the middle */
        assert_ok(read_peer(&rig.fix, rig.remote, &rig.memory, CHUNK));
        assert_int_equal(peer_match_pattern(rig.fix.dst, CHUNK, 1), CHUNK);
        if (i % 2 == 0)
            peer_kill(&rig.peer); /* the exporter */
        else
            peer_quit(&rig.peer); /* is not disturbed either */
        assert_ok(doca_mmap_destroy(rig.remote));
        dma_fix_close(&rig.fix);
    }
}

/* Names of sockets and the like that exporters leave. */
static unsigned int count_names(void)
{
    DIR *dir = opendir(getenv("OPENDOCA_RUNTIME_DIR"));
    unsigned int n = 0;

    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void what_a_killed_exporter_leaves_goes_with_the_next(void **state)
{
    enum peer_kind kind = *(const enum peer_kind *)*state;
    struct peer_memory memory;
    struct peer peer;

    for (int i = 0; i < 3; i++) {
        peer_start(&peer, "host", NULL);
        peer_export(&peer, 1, kind, CHUNK, 0, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &memory);
        peer_kill(&peer);
    }
    peer_start(&peer, "host", NULL);
    peer_export(&peer, 1, kind, CHUNK, 0, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &memory);
    peer_quit(&peer);
    assert_int_equal(count_names(), 0);
}

/* An exporter that stands still, without having ended. On another host it is given up after some
 * seconds, during which this program goes on: no call of it waits for the exporter. */
static void frozen_in_the_middle(void **state)
{
    struct rig rig;
    unsigned long calls = 0;
    struct patience patience;

    rig_open(&rig, state);
    begin(&rig, true);
    peer_freeze(&rig.peer);
    patience = patience_of(FROZEN_SECONDS);
    while (rig.fix.ok + rig.fix.failed < COPIES && patience_lasts(&patience)) {
        calls += rig.fix.failed == 0;
        doca_pe_progress(rig.fix.pe);
    }
    assert_int_equal(rig.fix.ok + rig.fix.failed, COPIES);
    assert_true(rig.fix.failed == 0 || calls > 10 * COPIES);
    peer_thaw(&rig.peer);
    rig_close(&rig);
    peer_quit(&rig.peer);
}

#define WITH_BOTH(function)                                                                        \
    cmocka_unit_test_prestate(function, &heap), cmocka_unit_test_prestate(function, &memfd)

int main(void)
{
    char folder[] = "/tmp/opendoca-test-loss-XXXXXX";
    int failures;
    static enum peer_kind heap = PEER_HEAP, memfd = PEER_MEMFD;
    const struct CMUnitTest tests[] = {
        WITH_BOTH(destroy_while_the_peer_reads),
        WITH_BOTH(destroy_while_the_peer_writes),
        WITH_BOTH(stop_while_the_peer_reads),
        WITH_BOTH(stop_while_the_peer_writes),
        WITH_BOTH(destroy_and_progress_at_once),
        WITH_BOTH(killed_in_the_middle),
        WITH_BOTH(frozen_in_the_middle),
        WITH_BOTH(left_without_a_word),
        WITH_BOTH(the_next_run_needs_no_cleaning),
        WITH_BOTH(what_a_killed_exporter_leaves_goes_with_the_next),
    };

    if (mkdtemp(folder) == NULL || setenv("OPENDOCA_RUNTIME_DIR", folder, 1) != 0)
        return 99;
    failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
