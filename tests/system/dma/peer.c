/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/dma_fixture.h"

#define PATIENCE_MS 60000 /* no command takes longer */

static void become_peer(int fd, const char *role, const char *const *before)
{
    const char *program = getenv("OD_PEER"), *arguments[16];
    size_t n = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (program == NULL || dup2(fd, STDIN_FILENO) < 0)
        _exit(126);
    setenv("OPENDOCA_ROLE", role, 1);
    while (before != NULL && before[n] != NULL) {
        arguments[n] = before[n];
        n++;
    }
    arguments[n] = program;
    arguments[n + 1] = NULL;
    execvp(arguments[0], (char *const *)arguments);
    _exit(127);
}

void peer_start(struct peer *peer, const char *role, const char *const *before)
{
    int fds[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
    fflush(NULL);
    peer->pid = fork();
    assert_true(peer->pid >= 0);
    if (peer->pid == 0)
        become_peer(fds[1], role, before);
    close(fds[1]);
    peer->fd = fds[0];
}

void peer_tell(struct peer *peer, const struct peer_command *command)
{
    assert_int_equal(send(peer->fd, command, sizeof(*command), MSG_NOSIGNAL), sizeof(*command));
}

void peer_hear(struct peer *peer, struct peer_answer *answer)
{
    struct pollfd ready = {.fd = peer->fd, .events = POLLIN};

    assert_int_equal(poll(&ready, 1, PATIENCE_MS), 1);
    assert_int_equal(recv(peer->fd, answer, sizeof(*answer), 0), sizeof(*answer));
}

void peer_call(struct peer *peer, const struct peer_command *command, struct peer_answer *answer)
{
    peer_tell(peer, command);
    peer_hear(peer, answer);
}

static int reap(struct peer *peer)
{
    int status = -1;

    assert_int_equal(waitpid(peer->pid, &status, 0), peer->pid);
    close(peer->fd);
    peer->pid = -1;
    return status;
}

void peer_quit(struct peer *peer)
{
    peer_tell(peer, &(struct peer_command){.op = PEER_QUIT});
    assert_int_equal(reap(peer), 0);
}

void peer_kill(struct peer *peer)
{
    int status;

    assert_int_equal(kill(peer->pid, SIGKILL), 0);
    status = reap(peer);
    assert_true(WIFSIGNALED(status));
}

void peer_freeze(struct peer *peer)
{
    int status;

    assert_int_equal(kill(peer->pid, SIGSTOP), 0);
    assert_int_equal(waitpid(peer->pid, &status, WUNTRACED), peer->pid);
    assert_true(WIFSTOPPED(status));
}

void peer_thaw(struct peer *peer)
{
    assert_int_equal(kill(peer->pid, SIGCONT), 0);
}

void peer_export(struct peer *peer, uint32_t slot, enum peer_kind kind, size_t len, size_t offset,
                 uint32_t access, struct peer_memory *memory)
{
    struct peer_command command = {.op = PEER_EXPORT,
                                   .slot = slot,
                                   .kind = kind,
                                   .access = access,
                                   .len = len,
                                   .offset = offset,
                                   .seed = slot};
    struct peer_answer answer;

    peer_call(peer, &command, &answer);
    assert_ok((doca_error_t)answer.status);
    assert_true(answer.desc_len > 0 && answer.desc_len <= PEER_MAX_DESC);
    memory->slot = slot;
    memory->addr = (char *)(uintptr_t)answer.addr;
    memory->len = len;
    memory->desc_len = answer.desc_len;
    memcpy(memory->desc, answer.desc, answer.desc_len);
}

void peer_do(struct peer *peer, enum peer_op op, uint32_t slot)
{
    struct peer_answer answer;

    peer_call(peer, &(struct peer_command){.op = op, .slot = slot}, &answer);
    assert_ok((doca_error_t)answer.status);
}

void peer_fill(struct peer *peer, uint32_t slot, uint64_t seed)
{
    struct peer_answer answer;

    peer_call(peer, &(struct peer_command){.op = PEER_FILL, .slot = slot, .seed = seed}, &answer);
    assert_ok((doca_error_t)answer.status);
}

size_t peer_check(struct peer *peer, uint32_t slot, uint64_t seed)
{
    struct peer_answer answer;

    peer_call(peer, &(struct peer_command){.op = PEER_CHECK, .slot = slot, .seed = seed}, &answer);
    assert_ok((doca_error_t)answer.status);
    return answer.value;
}
