/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads with an engine each share a device, a map of their own process and an imported one.
 */

#include "importer.h"

#include <pthread.h>

#define SIZE   20000u
#define COPIES 500u

struct worker {
    pthread_t thread;
    struct dma_fixture fix;
    struct doca_mmap *remote; /* shared */
    struct doca_mmap *local;  /* shared, a source */
    char *source;
    const struct peer_memory *memory;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct dma_fixture *fix = &worker->fix;

    for (unsigned int i = 0; i < COPIES; i++) {
        if (copy_once(fix, fix->dst_map, fix->dst, worker->remote, worker->memory->addr, SIZE) !=
                DOCA_SUCCESS ||
            peer_match_pattern(fix->dst, SIZE, 1) != SIZE)
            return worker;
        if (copy_once(fix, fix->dst_map, fix->dst, worker->local, worker->source, SIZE) !=
                DOCA_SUCCESS ||
            peer_match_pattern(fix->dst, SIZE, 5) != SIZE)
            return worker;
    }
    return NULL;
}

static void two_engines_in_two_threads(void **state)
{
    static char source[SIZE];
    struct worker workers[2];
    struct peer peer;
    struct peer_memory memory;
    struct doca_mmap *remote, *local;
    void *failure;

    peer_start(&peer, "host", NULL);
    peer_export(&peer, 1, *(enum peer_kind *)*state, SIZE, 11, DOCA_ACCESS_FLAG_PCI_READ_ONLY,
                &memory);
    peer_fill_pattern(source, SIZE, 5);
    for (int i = 0; i < 2; i++)
        dma_fix_start(&workers[i].fix, 4, SIZE);
    assert_ptr_equal(workers[0].fix.dev, workers[1].fix.dev);
    remote = import_memory(&workers[0].fix, &memory);
    assert_ok(doca_mmap_create(&local));
    assert_ok(doca_mmap_add_dev(local, workers[0].fix.dev));
    assert_ok(doca_mmap_set_memrange(local, source, SIZE));
    assert_ok(doca_mmap_enable_thread_safety(local));
    assert_ok(doca_mmap_start(local));
    for (int i = 0; i < 2; i++) {
        workers[i].remote = remote;
        workers[i].local = local;
        workers[i].source = source;
        workers[i].memory = &memory;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(workers[i].thread, &failure), 0);
        assert_null(failure);
    }
    assert_ok(doca_mmap_destroy(local));
    assert_ok(doca_mmap_destroy(remote));
    for (int i = 0; i < 2; i++)
        dma_fix_close(&workers[i].fix);
    peer_quit(&peer);
}

int main(void)
{
    static enum peer_kind heap = PEER_HEAP, memfd = PEER_MEMFD;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(two_engines_in_two_threads, &heap),
        cmocka_unit_test_prestate(two_engines_in_two_threads, &memfd),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
