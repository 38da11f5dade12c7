/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_COMMON_PARTNERS_H_
#define SAMPLES_COMMON_PARTNERS_H_

/* Two processes of one program as a domain of UROM, each with a worker of its own. They find each
 * other over a socket; what they have to say afterwards goes from worker to worker. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "session.h"

struct partners {
    struct session s;
    uint32_t index; /* and id in the domain: 0 the first process, 1 its child */
    pid_t child;    /* of the first process */
    int socket;     /* to the other one */
    /* What the other one gives in an exchange that is under way. */
    unsigned char *wanted;
    size_t wanted_len;
};

/* Both processes return from it. Before the library is used: a process that has forked may use it
 * in one of the two only. */
bool partners_fork(struct partners *p);
/* In the child, waits until the first one has a session; false: it never will. */
bool partners_are_wanted(struct partners *p);
/* Up to a running domain; see session_open_env(). After a failure call partners_close() too. */
doca_error_t partners_open(struct partners *p, const char *const *plugins, char *variable);
/* The other one has closed, or died. */
bool partners_left(const struct partners *p);
void partners_close(struct partners *p);
/* Prints what failed and why; returns the exit status of main, in the first process after the end
 * of the child, whose failure is one of both. */
int partners_exit(struct partners *p, doca_error_t result);

#endif /* SAMPLES_COMMON_PARTNERS_H_ */
