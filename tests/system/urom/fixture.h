/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_SYSTEM_UROM_FIXTURE_H_
#define OD_TESTS_SYSTEM_UROM_FIXTURE_H_

/* A daemon of a test's own, and what most tests do with it. Each test program has a runtime folder
 * of its own, so that programs can run side by side. */

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <cmocka.h>

#include <jansson.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_urom.h>
#include <doca_urom_ext.h>
#include <opendoca.h>

#define assert_doca(expected, call) assert_string_equal(doca_error_get_name(call), #expected)
#define assert_ok(call)             assert_doca(DOCA_SUCCESS, call)

/* What may take long on a busy machine and still ends a hanging test, in ms. */
#define PATIENCE 60000

/* ---- the folder of this program ---- */

/* Group fixtures: makes it and names it in OPENDOCA_RUNTIME_DIR; removes it. */
int fixture_group_setup(void **state);
int fixture_group_teardown(void **state);
const char *fixture_dir(void);
/* Another folder, which is the caller's, from here on. */
void fixture_move_to(const char *path);

/* In a forked process: a failing check must end it, not go on with the parent's next test; and it
 * ends with the test program. */
void fixture_in_child(void);

uint64_t fixture_now_ms(void);
/* Calls `is_so` until it is true; fails the test after PATIENCE. */
void fixture_wait(bool (*is_so)(void *arg), void *arg);

/* Until all threads of a process have ended, whether or not somebody has waited for it. */
void fixture_wait_dead(pid_t pid);
/* SIGSTOP, and none of its threads runs any more when this returns: each stops when it is next
 * given a processor, and others of them may still answer somebody until then. */
void fixture_freeze(pid_t pid);

/* ---- daemon ---- */

struct fixture_daemon {
    pid_t pid;
    int status; /* of one that ended before it was ready */
    char log[256];
};

/* `args` ends with NULL, and may be NULL. Returns when the daemon says that it is ready. */
void fixture_daemon_start(struct fixture_daemon *daemon, const char *const *args);
/* The same, for one that is expected to end by itself; returns its exit status. */
int fixture_daemon_run(const char *const *args);
/* That in two steps: who is refused a card waits for its lock first. */
pid_t fixture_daemon_begin(const char *const *args);
int fixture_daemon_end(pid_t pid);
/* SIGTERM; the exit status, or 128 + signal. */
int fixture_daemon_stop(struct fixture_daemon *daemon);
/* Submits look at most once a millisecond who is still there: the next one looks. */
void fixture_let_submits_look(void);
/* SIGKILL, and it is gone when this returns, which the next submit sees. */
void fixture_daemon_kill(struct fixture_daemon *daemon);

/* KiB. What a process has of files comes and goes with what others need, so growth shows in `own`
 * alone. */
struct fixture_memory {
    unsigned long resident, own;
};
struct fixture_memory fixture_memory(pid_t pid);
/* How often a text is in its log. */
size_t fixture_log_count(const struct fixture_daemon *daemon, const char *text);
void fixture_wait_log(const struct fixture_daemon *daemon, const char *text);

/* What doca_urom_ctl shows; to be freed with json_decref(). */
json_t *fixture_status(void);
/* The same, of a user who may write to this folder. */
json_t *fixture_status_in(const char *folder);
/* A number of the first worker's counters; of a worker's; of totals, with a path of up to two keys.
 */
uint64_t fixture_counter(const char *name);
uint64_t fixture_counter_of(uint64_t id, const char *name);
uint64_t fixture_total(const char *key, const char *sub);
size_t fixture_workers(void);
/* Until there are so many: those whose contexts are IDLE end a moment later. */
void fixture_wait_workers(size_t count);
/* Until the loop of a worker has come round. */
void fixture_wait_turn(uint64_t id);
/* Until a worker has ended so many commands, and the answers lie where a client finds them. */
void fixture_wait_answers(uint64_t id, uint64_t count);

/* ---- host side ---- */

struct fixture_host {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_urom_service *service;
    struct doca_ctx *service_ctx;
};

/* Up to a running service. */
void fixture_host_open(struct fixture_host *host);
void fixture_host_close(struct fixture_host *host);
/* Device and engine, and a service that is not started. */
void fixture_host_prepare(struct fixture_host *host);
void fixture_open_device(struct doca_dev **dev);

/* Id of a plugin of the service; fails the test when it is missing. */
uint64_t fixture_plugin(struct fixture_host *host, const char *name);
bool fixture_has_plugin(struct fixture_host *host, const char *name);

/* A worker object with its context connected and not started. */
struct doca_urom_worker *fixture_worker(struct fixture_host *host, uint64_t id, uint64_t plugins);
/* Starts and progresses to RUNNING or IDLE, which is returned. */
enum doca_ctx_states fixture_worker_start(struct fixture_host *host,
                                          struct doca_urom_worker *worker);
/* Stops, progresses to IDLE, destroys. */
void fixture_worker_end(struct fixture_host *host, struct doca_urom_worker *worker);
void fixture_stop(struct doca_pe *pe, struct doca_ctx *ctx);
enum doca_ctx_states fixture_state(struct doca_ctx *ctx);
/* Progress until an event, which must come. */
void fixture_event(struct doca_pe *pe);
/* No event comes from so many calls. */
void fixture_no_event(struct doca_pe *pe, unsigned int calls);

/* `hold` is run in a process of its own, has commands in a worker of a new id, writes the worker's
 * pid to `out`, and does not return. Then it is killed: the worker, and its memory, is gone within
 * so many ms. What others do on the machine only adds to that, so it is tried until it is so; if
 * anything waits for a clock, it never is. */
void fixture_gone_within(uint64_t ms, void (*hold)(int out, unsigned int attempt));

/* ---- commands ---- */

struct fixture_result {
    unsigned int count; /* completions */
    doca_error_t status;
    size_t len;
    uint8_t bytes[256];
};

/* A task with callback, whose result goes to `result` (of the newest completion). */
struct doca_urom_worker_cmd_task *fixture_task(struct doca_urom_worker *worker, uint64_t plugin,
                                               struct fixture_result *result);
void fixture_payload(struct doca_urom_worker_cmd_task *task, const void *bytes, size_t len);
doca_error_t fixture_submit(struct doca_urom_worker_cmd_task *task);
/* One loopback of worker_graph, there and back. */
void fixture_loopback(struct fixture_host *host, struct doca_urom_worker *worker, uint64_t plugin,
                      uint64_t data);

#endif /* OD_TESTS_SYSTEM_UROM_FIXTURE_H_ */
