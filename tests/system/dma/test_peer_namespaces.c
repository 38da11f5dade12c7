/* SPDX-License-Identifier: BSD-3-Clause */
/* The two processes live in different namespaces. Needs the right to make them. */

#include "importer.h"

#include <sys/wait.h>

#define SIZE 50000u

static const char *const net[] = {"unshare", "--net", NULL};
static const char *const pid[] = {"unshare", "--pid", "--fork", "--kill-child", NULL};
static const char *const all[] = {"unshare", "--net",  "--pid",        "--ipc",
                                  "--uts",   "--fork", "--kill-child", NULL};

/* Skips the case where such a namespace cannot be made. */
static void need(const char *const *command)
{
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        const char *arguments[16];
        size_t n = 0;

        while (command[n] != NULL) {
            arguments[n] = command[n];
            n++;
        }
        arguments[n] = "true";
        arguments[n + 1] = NULL;
        if (freopen("/dev/null", "w", stderr) != NULL)
            execvp(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        skip();
}

/* Reads, writes, and a refused write, against an exporter in there. */
static void exporter_inside(const char *const *command, enum peer_kind kind)
{
    struct dma_fixture fix;
    struct peer peer;
    struct peer_memory writable, readable;
    struct doca_mmap *remote;

    need(command);
    peer_start(&peer, "host", command);
    dma_fix_start(&fix, 4, SIZE);
    peer_fill_pattern(fix.src, SIZE, 77);
    peer_export(&peer, 1, kind, SIZE, 10, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &writable);
    peer_export(&peer, 2, kind, SIZE, 10, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &readable);
    remote = import_memory(&fix, &writable);
    assert_ok(read_peer(&fix, remote, &writable, SIZE));
    assert_int_equal(peer_match_pattern(fix.dst, SIZE, 1), SIZE);
    assert_ok(write_peer(&fix, remote, &writable, SIZE));
    assert_int_equal(peer_check(&peer, 1, 77), SIZE);
    assert_ok(doca_mmap_destroy(remote));
    remote = import_memory(&fix, &readable);
    assert_ok(read_peer(&fix, remote, &readable, SIZE));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, write_peer(&fix, remote, &readable, SIZE));
    assert_int_equal(peer_check(&peer, 2, 2), SIZE);
    peer_do(&peer, PEER_DESTROY, 2);
    assert_doca(DOCA_ERROR_IO_FAILED, read_peer(&fix, remote, &readable, SIZE));
    assert_ok(doca_mmap_destroy(remote));
    dma_fix_close(&fix);
    peer_quit(&peer);
}

/* An importer in there cannot even see the process that exports. */
static void importer_inside(const char *const *command, enum peer_kind kind)
{
    struct peer inside, host;
    struct peer_memory memory;
    struct peer_command fetch = {.op = PEER_FETCH, .len = SIZE, .seed = 3};
    struct peer_answer answer;

    need(command);
    peer_start(&inside, "dpu", command);
    peer_start(&host, "host", NULL);
    peer_export(&host, 3, kind, SIZE, 10, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &memory);
    fetch.desc_len = memory.desc_len;
    memcpy(fetch.desc, memory.desc, memory.desc_len);
    peer_call(&inside, &fetch, &answer);
    assert_ok((doca_error_t)answer.status);
    assert_int_equal(answer.value, SIZE);
    peer_quit(&inside);
    peer_quit(&host);
}

static void exporter_in_another_network(void **state)
{
    exporter_inside(net, *(enum peer_kind *)*state);
}

static void exporter_among_other_processes(void **state)
{
    exporter_inside(pid, *(enum peer_kind *)*state);
}

static void exporter_in_a_world_of_its_own(void **state)
{
    exporter_inside(all, *(enum peer_kind *)*state);
}

static void importer_in_another_network(void **state)
{
    importer_inside(net, *(enum peer_kind *)*state);
}

static void importer_among_other_processes(void **state)
{
    importer_inside(pid, *(enum peer_kind *)*state);
}

static void importer_in_a_world_of_its_own(void **state)
{
    importer_inside(all, *(enum peer_kind *)*state);
}

#define WITH_BOTH(function)                                                                        \
    cmocka_unit_test_prestate(function, &heap), cmocka_unit_test_prestate(function, &memfd)

int main(void)
{
    static enum peer_kind heap = PEER_HEAP, memfd = PEER_MEMFD;
    const struct CMUnitTest tests[] = {
        WITH_BOTH(exporter_in_another_network),    WITH_BOTH(exporter_among_other_processes),
        WITH_BOTH(exporter_in_a_world_of_its_own), WITH_BOTH(importer_in_another_network),
        WITH_BOTH(importer_among_other_processes), WITH_BOTH(importer_in_a_world_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
