/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *actor_program;

uint64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* A new PID namespace holds the children only, so one more process stands between; it dies with the
 * test's end of the pipe and passes the actor's status on. */
static void enter_pid_namespace(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        return;
    close_range(0, ~0u, 0);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        _exit(99);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 98);
}

static void become_actor(const struct actor *actor, int in, int out, int report, int namespaces)
{
    char ok = 1;

    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(97);
    if (namespaces != 0 && unshare(namespaces) != 0)
        ok = 0;
    if (write(report, &ok, 1) != 1 || !ok)
        _exit(0);
    if ((namespaces & CLONE_NEWPID) != 0)
        enter_pid_namespace();
    execl(actor_program, actor_program, actor->shm, (char *)NULL);
    _exit(96);
}

void actor_start(struct actor *actor, int namespaces)
{
    static unsigned int number;
    int in[2], out[2], report[2];
    char ok = 0;

    snprintf(actor->shm, sizeof(actor->shm), "/opendoca-test-%d-%u", getpid(), number++);
    shm_unlink(actor->shm); /* of a test that had this number before and was killed */
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    assert_int_equal(pipe2(report, O_CLOEXEC), 0);
    actor->pid = fork();
    assert_true(actor->pid >= 0);
    if (actor->pid == 0)
        become_actor(actor, in[0], out[1], report[1], namespaces);
    close(in[0]);
    close(out[1]);
    close(report[1]);
    actor->to = in[1];
    actor->from = out[0];
    assert_int_equal(read(report[0], &ok, 1), 1);
    close(report[0]);
    if (!ok) {
        actor_finish(actor);
        print_message("namespaces are not permitted here\n");
        skip();
    }
}

static void close_pipes(struct actor *actor)
{
    close(actor->to);
    close(actor->from);
}

/* A killed actor cannot remove its shared memory, so the parent does in any case. */
static int reap(struct actor *actor)
{
    int status;

    assert_int_equal(waitpid(actor->pid, &status, 0), actor->pid);
    shm_unlink(actor->shm);
    return status;
}

void actor_finish(struct actor *actor)
{
    int status;

    close_pipes(actor);
    status = reap(actor);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

void actor_kill(struct actor *actor)
{
    assert_int_equal(kill(actor->pid, SIGKILL), 0);
    reap(actor);
    close_pipes(actor);
}

void actor_pause(struct actor *actor)
{
    assert_int_equal(kill(actor->pid, SIGSTOP), 0);
    assert_int_equal(waitpid(actor->pid, NULL, WUNTRACED), actor->pid);
}

void actor_resume(struct actor *actor)
{
    assert_int_equal(kill(actor->pid, SIGCONT), 0);
}

void actor_tell(struct actor *actor, struct order order)
{
    assert_int_equal(write(actor->to, &order, sizeof(order)), sizeof(order));
}

struct answer actor_answer(struct actor *actor)
{
    struct answer answer;

    assert_int_equal(read(actor->from, &answer, sizeof(answer)), sizeof(answer));
    return answer;
}

struct answer actor_ask(struct actor *actor, struct order order)
{
    actor_tell(actor, order);
    return actor_answer(actor);
}

struct answer actor_export(struct actor *actor, enum memory_kind kind, size_t len, int fill,
                           unsigned int access)
{
    struct order alloc = {.what = ORDER_ALLOC, .kind = kind, .a = len, .b = (uint64_t)fill};
    struct order export = {.what = ORDER_EXPORT, .kind = access, .b = len};
    struct answer answer = actor_ask(actor, alloc);

    if (answer.rc != 0 && kind == MEMORY_HUGE) {
        actor_finish(actor);
        print_message("no huge pages on this machine\n");
        skip();
    }
    assert_int_equal(answer.rc, 0);
    answer = actor_ask(actor, export);
    assert_int_equal(answer.rc, 0);
    return answer;
}

uint64_t actor_count_others(struct actor *actor, uint64_t offset, uint64_t len, uint8_t value)
{
    return actor_ask(actor, (struct order){.what = ORDER_COUNT, .a = offset, .b = len, .c = value})
        .value;
}

static void set_engine(const char *engine)
{
    if (engine == NULL)
        unsetenv("OPENDOCA_PEER_ENGINE");
    else
        setenv("OPENDOCA_PEER_ENGINE", engine, 1);
}

struct soft_peer_map *import(const struct setting *setting, const struct answer *exported)
{
    struct soft_peer_map *map = NULL;
    struct soft_peer_info info;
    int rc;

    set_engine(setting->engine);
    rc = soft_peer_import(exported->desc, exported->desc_len, SOFT_PEER_KIND_PCI, ACTOR_CARD, &map);
    if (rc != 0)
        print_message("import: %d, %s\n", rc, soft_reason());
    assert_int_equal(rc, 0);
    soft_peer_map_info(map, &info);
    if (setting->engine != NULL)
        assert_string_equal(info.engine, setting->engine);
    return map;
}

int try_import(const void *desc, size_t len)
{
    struct soft_peer_map *map = NULL;
    int rc = soft_peer_import(desc, len, SOFT_PEER_KIND_PCI, ACTOR_CARD, &map);

    if (rc == 0)
        soft_peer_map_close(map);
    else
        assert_null(map);
    return rc;
}

int read_bytes(struct soft_peer_map *map, uint64_t addr, void *bytes, size_t len)
{
    struct iovec local = {bytes, len}, remote = {(void *)(uintptr_t)addr, len};

    return soft_peer_readv(map, &local, 1, &remote, 1);
}

int write_bytes(struct soft_peer_map *map, uint64_t addr, const void *bytes, size_t len)
{
    struct iovec local = {(void *)(uintptr_t)bytes, len}, remote = {(void *)(uintptr_t)addr, len};

    return soft_peer_writev(map, &local, 1, &remote, 1);
}
