/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_SYSTEM_UROM_TEAM_H_
#define OD_TESTS_SYSTEM_UROM_TEAM_H_

/* Workers of one domain, all of one process: what plugins say to each other, without the meeting of
 * processes. Member i has the domain id 10 + i. */

#include "fixture.h"

#define TEAM_MAX          4
#define TEAM_DOMAIN_ID(i) (10u + (i))

struct team {
    struct fixture_host host;
    unsigned int count;
    struct doca_urom_worker *workers[TEAM_MAX];
    struct doca_urom_domain *domain; /* running; NULL: none */
    uint64_t plugin;
};

/* Starts `count` workers with one plugin, and the domain. */
void team_open(struct team *team, const char *plugin, unsigned int count);
/* The same without a domain, which team_meet() makes. */
void team_open_apart(struct team *team, const char *plugin, unsigned int count);
void team_meet(struct team *team);
void team_close(struct team *team);
/* The process of member `i`'s worker. */
pid_t team_pid(unsigned int i);

/* A command of member `i`, in flight when this returns. */
struct team_command {
    struct doca_urom_worker_cmd_task *task;
    struct fixture_result result;
};
void team_submit(struct team *team, unsigned int i, struct team_command *command, const void *bytes,
                 size_t len);
/* Progresses until it is complete, whatever else completes before; returns its status. */
doca_error_t team_await(struct team *team, struct team_command *command);
/* Both. */
doca_error_t team_call(struct team *team, unsigned int i, struct team_command *command,
                       const void *bytes, size_t len);

#endif /* OD_TESTS_SYSTEM_UROM_TEAM_H_ */
