/* SPDX-License-Identifier: BSD-3-Clause */
#include "partners.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

bool partners_fork(struct partners *p)
{
    int ends[2];

    *p = (struct partners){.index = 0};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        perror("socketpair");
        return false;
    }
    p->child = fork();
    if (p->child < 0) {
        perror("fork");
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    p->index = p->child == 0;
    p->socket = ends[p->index];
    close(ends[1 - p->index]);
    return true;
}

bool partners_are_wanted(struct partners *p)
{
    char go;

    return p->index == 0 || recv(p->socket, &go, sizeof(go), 0) == sizeof(go);
}

bool partners_left(const struct partners *p)
{
    char byte;
    ssize_t len = recv(p->socket, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);

    return len == 0 || (len < 0 && errno != EAGAIN);
}

/* ------------------------------------------------------------------------------------------------
 * How they find each other
 */

static doca_error_t oob_allgather(void *from, void *to, size_t len, void *partners, void **req)
{
    struct partners *p = partners;
    unsigned char *all = to;

    memcpy(all + p->index * len, from, len);
    p->wanted = all + (1 - p->index) * len;
    p->wanted_len = len;
    *req = p;
    return send(p->socket, from, len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len
               ? DOCA_SUCCESS
               : DOCA_ERROR_IO_FAILED;
}

static doca_error_t oob_test(void *req)
{
    struct partners *p = req;
    ssize_t len = recv(p->socket, p->wanted, p->wanted_len, MSG_DONTWAIT);

    if (len < 0 && errno == EAGAIN)
        return DOCA_ERROR_IN_PROGRESS;
    return len == (ssize_t)p->wanted_len ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t oob_free(void *req)
{
    (void)req;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static doca_error_t join(struct partners *p)
{
    struct doca_urom_domain_oob_coll oob = {.allgather = oob_allgather,
                                            .req_test = oob_test,
                                            .req_free = oob_free,
                                            .coll_info = p,
                                            .n_oob_indexes = 2,
                                            .oob_index = p->index};

    return session_join(&p->s, &oob, p->index);
}

doca_error_t partners_open(struct partners *p, const char *const *plugins, char *variable)
{
    const char go = 1;
    doca_error_t result = session_open_env(&p->s, DOCA_UROM_WORKER_ID_ANY, plugins, variable);

    if (result == DOCA_SUCCESS && p->index == 0 &&
        send(p->socket, &go, sizeof(go), MSG_NOSIGNAL) != sizeof(go))
        result = DOCA_ERROR_IO_FAILED;
    return result == DOCA_SUCCESS ? join(p) : result;
}

void partners_close(struct partners *p)
{
    session_close(&p->s);
    close(p->socket);
}

int partners_exit(struct partners *p, doca_error_t result)
{
    int status = session_exit(result), child = 0;

    if (p->index == 0 && (waitpid(p->child, &child, 0) != p->child || child != 0))
        status = 1;
    return status;
}
