/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "soft/peer/peer.h"

#define CARD "card-0"

static char base[64];

static int remove_base(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", base);
    return system(command);
}

static struct soft_peer_export *export_queue(void *addr, size_t len, struct od_waker *waker)
{
    struct soft_peer_range range = {
        .addr = addr,
        .len = len,
        .kind = SOFT_PEER_KIND_QUEUE,
        .access = SOFT_PEER_READ | SOFT_PEER_WRITE | SOFT_PEER_ATOMIC,
        .card = CARD,
        .waker = waker,
    };
    struct soft_peer_export *exp = NULL;

    assert_int_equal(soft_peer_export_create(&range, &exp), 0);
    return exp;
}

static int import(const struct soft_peer_export *exp, struct soft_peer_map **map)
{
    size_t len;
    const void *desc = soft_peer_export_desc(exp, &len);

    return soft_peer_import(desc, len, SOFT_PEER_KIND_QUEUE, CARD, map);
}

static void queues_are_mapped_whatever_is_wished(void **state)
{
    struct soft_peer_queue queue = {0};
    struct soft_peer_export *exp;
    struct soft_peer_map *map;
    struct soft_peer_info info;
    uint32_t *seen;

    (void)state;
    soft_peer_queue_close(&queue); /* nothing */
    assert_int_equal(soft_peer_queue_open(5000, &queue), 0);
    assert_true(queue.len >= 5000 && queue.len % 4096 == 0);
    exp = export_queue(queue.addr, queue.len, NULL);
    setenv("OPENDOCA_PEER_ENGINE", "served", 1);
    assert_int_equal(import(exp, &map), 0);
    unsetenv("OPENDOCA_PEER_ENGINE");
    soft_peer_map_info(map, &info);
    assert_string_equal(info.engine, "mapped");
    assert_int_equal(info.kind, SOFT_PEER_KIND_QUEUE);
    seen = soft_peer_local(map, (uintptr_t)queue.addr + 4096);
    assert_non_null(seen);
    assert_int_equal(*seen, 0);
    *seen = 77;
    assert_int_equal(((uint32_t *)queue.addr)[1024], 77);
    /* It stays readable when the owner has gone. */
    soft_peer_export_destroy(exp);
    soft_peer_queue_close(&queue);
    assert_int_equal(*seen, 77);
    assert_int_equal(soft_peer_ring(map), 0); /* nobody hears */
    soft_peer_map_close(map);
}

static bool is_woken(const struct od_waker *waker, int ms)
{
    struct pollfd fd = {.fd = waker->fd, .events = POLLIN};

    return poll(&fd, 1, ms) == 1;
}

static void ring_wakes_the_sleeper(void **state)
{
    struct soft_peer_queue queue;
    struct soft_peer_export *exp;
    struct soft_peer_map *map;
    struct od_waker waker;

    (void)state;
    assert_int_equal(od_waker_open(&waker), 0);
    assert_int_equal(soft_peer_queue_open(1, &queue), 0);
    exp = export_queue(queue.addr, queue.len, &waker);
    assert_int_equal(import(exp, &map), 0);
    for (int i = 0; i < 3; i++) {
        od_waker_arm(&waker);
        assert_int_equal(soft_peer_ring(map), 0);
        assert_true(is_woken(&waker, 60000));
        od_waker_clear(&waker);
    }
    soft_peer_export_destroy(exp);
    /* From here on the waker is not touched. */
    od_waker_arm(&waker);
    soft_peer_ring(map);
    assert_false(is_woken(&waker, 20));
    soft_peer_map_close(map);
    soft_peer_queue_close(&queue);
    od_waker_close(&waker);
}

#define BELLS 5000 /* more than a socket has room for */

struct told {
    size_t len;
    char desc[SOFT_PEER_DESC_MAX];
};

/* Another process: two queues, of which one sleeps until its bell rings. */
static int be_exporter(int out)
{
    struct soft_peer_queue queues[2];
    struct soft_peer_export *exps[2];
    struct od_waker waker;
    const void *desc;
    struct told told;

    assert_int_equal(od_waker_open(&waker), 0);
    od_waker_arm(&waker);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(soft_peer_queue_open(1, &queues[i]), 0);
        exps[i] = export_queue(queues[i].addr, queues[i].len, i == 1 ? &waker : NULL);
        desc = soft_peer_export_desc(exps[i], &told.len);
        memcpy(told.desc, desc, told.len);
        assert_int_equal(write(out, &told, sizeof(told)), sizeof(told));
    }
    return is_woken(&waker, 60000) ? 0 : 1;
}

struct exporter {
    pid_t pid;
    struct told told[2];
};

/* Of a test each. They are forked before there are threads. */
static struct exporter exporters[2];

static void start(struct exporter *exporter)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    exporter->pid = fork();
    if (exporter->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(be_exporter(ends[1]));
    }
    close(ends[1]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(read(ends[0], &exporter->told[i], sizeof(exporter->told[i])),
                         sizeof(exporter->told[i]));
    close(ends[0]);
}

static struct soft_peer_map *import_of(const struct exporter *exporter, int i)
{
    struct soft_peer_map *map;

    assert_int_equal(soft_peer_import(exporter->told[i].desc, exporter->told[i].len,
                                      SOFT_PEER_KIND_QUEUE, CARD, &map),
                     0);
    return map;
}

static void stop(const struct exporter *exporter)
{
    int status;

    assert_int_equal(kill(exporter->pid, SIGSTOP), 0);
    assert_int_equal(waitpid(exporter->pid, &status, WUNTRACED), exporter->pid);
}

/* Its bell has rung. */
static void await_end(const struct exporter *exporter)
{
    int status;

    assert_int_equal(waitpid(exporter->pid, &status, 0), exporter->pid);
    assert_int_equal(status, 0);
}

static int make_base(void **state)
{
    (void)state;
    snprintf(base, sizeof(base), "/tmp/opendoca-test-XXXXXX");
    if (mkdtemp(base) == NULL)
        return -1;
    if (setenv("OPENDOCA_RUNTIME_DIR", base, 1) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        start(&exporters[i]);
    return 0;
}

/* Maps whatever is told, in a thread of its own. */
struct importer {
    const struct told *told;
    _Atomic pid_t tid;
    _Atomic bool ended;
    struct soft_peer_map *map;
    int rc;
};

static void *import_it(void *arg)
{
    struct importer *importer = arg;

    atomic_store(&importer->tid, gettid());
    importer->rc = soft_peer_import(importer->told->desc, importer->told->len, SOFT_PEER_KIND_QUEUE,
                                    CARD, &importer->map);
    atomic_store(&importer->ended, true);
    return NULL;
}

static bool is_asleep(pid_t tid)
{
    char path[64], text[512];
    const char *behind_name;
    FILE *file;
    size_t n;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
    file = fopen(path, "re");
    if (tid == 0 || file == NULL)
        return false;
    n = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[n] = '\0';
    behind_name = strrchr(text, ')');
    return behind_name != NULL && behind_name[2] == 'S';
}

/* Who waits for its answer has 5 s. */
static void a_map_is_closed_while_another_one_waits_for_its_exporter(void **state)
{
    const struct exporter *exporter = &exporters[0];
    struct importer importer = {.told = &exporter->told[1]};
    struct soft_peer_map *map = import_of(exporter, 0);
    pthread_t thread;

    (void)state;
    stop(exporter);
    assert_int_equal(pthread_create(&thread, NULL, import_it, &importer), 0);
    while (!atomic_load(&importer.ended) && !is_asleep(atomic_load(&importer.tid)))
        sched_yield();
    soft_peer_map_close(map);
    assert_int_equal(kill(exporter->pid, SIGCONT), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(importer.rc, 0);
    assert_int_equal(soft_peer_ring(importer.map), 0);
    await_end(exporter);
    soft_peer_map_close(importer.map);
}

static void no_ring_of_an_exporter_that_stands_still_is_lost(void **state)
{
    const struct exporter *exporter = &exporters[1];
    struct soft_peer_map *maps[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        maps[i] = import_of(exporter, i);
    stop(exporter);
    for (int i = 0; i < BELLS; i++)
        assert_int_equal(soft_peer_ring(maps[0]), 0);
    assert_int_equal(soft_peer_ring(maps[1]), 0);
    assert_int_equal(kill(exporter->pid, SIGCONT), 0);
    await_end(exporter);
    for (int i = 0; i < 2; i++)
        soft_peer_map_close(maps[i]);
}

/* What its owner can shorten would raise a signal here. */
static void unsealed_memory_is_refused(void **state)
{
    struct soft_peer_export *exp;
    struct soft_peer_map *map = NULL;
    int fd = memfd_create("unsealed", MFD_CLOEXEC);
    void *addr;

    (void)state;
    assert_true(fd >= 0 && ftruncate(fd, 4096) == 0);
    addr = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(addr, MAP_FAILED);
    exp = export_queue(addr, 4096, NULL);
    assert_int_equal(import(exp, &map), -ENOTSUP);
    assert_null(map);
    soft_peer_export_destroy(exp);
    munmap(addr, 4096);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_is_closed_while_another_one_waits_for_its_exporter),
        cmocka_unit_test(no_ring_of_an_exporter_that_stands_still_is_lost),
        cmocka_unit_test(queues_are_mapped_whatever_is_wished),
        cmocka_unit_test(ring_wakes_the_sleeper),
        cmocka_unit_test(unsealed_memory_is_refused),
    };

    return cmocka_run_group_tests(tests, make_base, remove_base);
}
