/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_OPENDOCA_SERVICE_HOLDER_H_
#define OD_TOOLS_OPENDOCA_SERVICE_HOLDER_H_

#include <stdbool.h>
#include <sys/types.h>

/* A daemon of this user that has the card. */
struct tool_holder {
    pid_t pid; /* 0: there is none, or it is not known */
    int pidfd;
    bool serves; /* it listens: not one that starts or ends */
};

/* By the lock, which only a process that runs can hold; to be closed. `device` may be NULL. */
void tool_holder_find(const char *device, struct tool_holder *holder);
void tool_holder_close(struct tool_holder *holder);

/* SIGTERM, and SIGKILL when that does not help in time. False: it runs still, with errno. */
bool tool_holder_end(const struct tool_holder *holder, int patience_ms);

#endif /* OD_TOOLS_OPENDOCA_SERVICE_HOLDER_H_ */
