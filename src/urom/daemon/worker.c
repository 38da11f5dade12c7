/* SPDX-License-Identifier: BSD-3-Clause */
/* Worker processes: their table, life and supervision. */
#include "urom/daemon/daemon_priv.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_log.h>

#include "urom/wire/pack.h"

DOCA_LOG_REGISTER(UROM::DAEMON::WORKER);

#define STOP_MS  5000
#define STUCK_MS 5000
#define MSG_MAX  2048

const char *daemon_worker_state_name(enum daemon_worker_state state)
{
    static const char *const names[] = {
        [DAEMON_WORKER_STARTING] = "starting",
        [DAEMON_WORKER_RUNNING] = "running",
        [DAEMON_WORKER_STUCK] = "stuck",
        [DAEMON_WORKER_STOPPING] = "stopping",
    };

    return names[state];
}

struct daemon_worker *daemon_worker_find(struct daemon *daemon, uid_t uid, uint64_t id)
{
    OD_LIST_FOR_EACH(link, &daemon->workers)
    {
        struct daemon_worker *worker = OD_LIST_ENTRY(link, struct daemon_worker, entry);

        if (worker->uid == uid && worker->id == id)
            return worker;
    }
    return NULL;
}

/* What is known of an id; the oldest entry makes place for a new one. */
static struct daemon_history *history_of(struct daemon *daemon, uid_t uid, uint64_t id)
{
    struct daemon_history *found;

    for (size_t i = 0; i < daemon->nhistory; i++) {
        if (daemon->history[i].uid == uid && daemon->history[i].id == id)
            return &daemon->history[i];
    }
    if (daemon->nhistory == OD_ARRAY_SIZE(daemon->history)) {
        daemon->nhistory--;
        memmove(daemon->history, daemon->history + 1,
                daemon->nhistory * sizeof(daemon->history[0]));
    }
    found = &daemon->history[daemon->nhistory++];
    *found = (struct daemon_history){.uid = uid, .id = id};
    return found;
}

bool daemon_worker_send(struct daemon_worker *worker, enum urom_type type, const void *body,
                        size_t len)
{
    const struct urom_frame frame = {.len = (uint32_t)len, .type = (uint16_t)type};
    struct iovec iov[] = {{(void *)&frame, sizeof(frame)}, {(void *)body, len}};
    const struct msghdr msg = {.msg_iov = iov, .msg_iovlen = OD_ARRAY_SIZE(iov)};

    /* A worker that does not read for so long is stuck: it must not hold up the daemon. */
    return worker->control.fd >= 0 &&
           sendmsg(worker->control.fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* ------------------------------------------------------------------------------------------------
 * The end
 */

static void kill_worker(struct daemon_worker *worker, enum urom_exit why)
{
    worker->ending = why;
    worker->deadline = 0;
    /* By pidfd: never another process that got the number meanwhile. */
    syscall(SYS_pidfd_send_signal, worker->exit.fd, SIGKILL, NULL, 0);
}

void daemon_worker_stop(struct daemon *daemon, struct daemon_worker *worker)
{
    (void)daemon;
    if (worker->state == DAEMON_WORKER_STOPPING)
        return;
    worker->state = DAEMON_WORKER_STOPPING;
    worker->deadline = daemon_now_ms() + STOP_MS;
    /* Where nobody reads any more it ends by itself, of what the kernel tells then. */
    if (!daemon_worker_send(worker, UROM_TYPE_STOP, NULL, 0) && worker->control.fd >= 0 &&
        (errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENOMEM))
        kill_worker(worker, UROM_EXIT_SHUTDOWN);
}

static void free_worker(struct daemon *daemon, struct daemon_worker *worker)
{
    od_list_remove(&worker->entry);
    daemon_watch_close(daemon, &worker->control);
    daemon_watch_close(daemon, &worker->exit);
    if (worker->page != NULL)
        munmap(worker->page, sizeof(*worker->page));
    free(worker);
}

static void classify(const struct daemon_worker *worker, const siginfo_t *info,
                     struct urom_worker_exit *gone)
{
    *gone =
        (struct urom_worker_exit){.size = sizeof(*gone), .id = worker->id, .code = info->si_status};
    if (info->si_code == CLD_EXITED)
        gone->how = info->si_status == 0 ? UROM_EXIT_CLEAN : UROM_EXIT_ERROR;
    else
        gone->how = info->si_status == SIGKILL && worker->ending != UROM_EXIT_NUM
                        ? (uint32_t)worker->ending
                        : UROM_EXIT_SIGNAL;
}

static void take_control(struct daemon *daemon, struct daemon_worker *worker);

static void on_exit_event(struct daemon *daemon, struct daemon_watch *watch, uint32_t events)
{
    struct daemon_worker *worker = OD_CONTAINER_OF(watch, struct daemon_worker, exit);
    const bool expected = worker->state == DAEMON_WORKER_STOPPING;
    struct urom_worker_exit gone;
    struct daemon_history *history;
    siginfo_t info = {0};

    (void)events;
    if (waitid(P_PIDFD, (id_t)worker->exit.fd, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
        return;
    take_control(daemon, worker); /* its last words */
    classify(worker, &info, &gone);
    daemon->totals.exits[gone.how]++;
    daemon->totals.start_failures += worker->state == DAEMON_WORKER_STARTING;
    history = history_of(daemon, worker->uid, worker->id);
    snprintf(history->last_exit, sizeof(history->last_exit), "%s %d",
             urom_exit_name((enum urom_exit)gone.how), gone.code);
    if (expected && gone.how == UROM_EXIT_CLEAN)
        DOCA_LOG_INFO("worker %llu of user %u (process %d) has ended",
                      (unsigned long long)worker->id, worker->uid, (int)worker->pid);
    else
        DOCA_LOG_WARN("worker %llu of user %u (process %d) ended: %s %d%s%s",
                      (unsigned long long)worker->id, worker->uid, (int)worker->pid,
                      urom_exit_name((enum urom_exit)gone.how), gone.code,
                      worker->failure.error != DOCA_SUCCESS ? ": " : "", worker->failure.text);
    /* First out of the table: whoever waits for the end may ask for the id anew. */
    od_list_remove(&worker->entry);
    daemon_attach_gone(daemon, worker, &gone);
    free_worker(daemon, worker);
    daemon_lock_note(daemon);
}

/* ------------------------------------------------------------------------------------------------
 * What it says
 */

static void on_ready(struct daemon *daemon, struct daemon_worker *worker, const void *body,
                     size_t len)
{
    if (worker->state != DAEMON_WORKER_STARTING ||
        urom_ready_decode(body, len, &worker->ready) != 0)
        return;
    worker->state = DAEMON_WORKER_RUNNING;
    worker->deadline = 0;
    worker->moved = daemon_now_ms();
    DOCA_LOG_INFO("worker %llu of user %u (process %d) runs after %llu ms",
                  (unsigned long long)worker->id, worker->uid, (int)worker->pid,
                  (unsigned long long)(worker->moved - worker->born));
    daemon_attach_ready(daemon, worker);
}

static void take_control(struct daemon *daemon, struct daemon_worker *worker)
{
    uint8_t bytes[MSG_MAX] OD_ALIGNED(8);
    struct urom_frame frame;
    ssize_t n = -1;

    while (worker->control.fd >= 0 && (n = recv(worker->control.fd, bytes, sizeof(bytes),
                                                MSG_DONTWAIT)) >= (ssize_t)sizeof(frame)) {
        const uint8_t *body = bytes + sizeof(frame);
        const size_t len = (size_t)n - sizeof(frame);

        memcpy(&frame, bytes, sizeof(frame));
        if (frame.type == UROM_TYPE_READY)
            on_ready(daemon, worker, body, len);
        else if (frame.type == UROM_TYPE_FAILED)
            urom_result_decode(body, len, &worker->failure);
    }
    /* Closed, or nonsense: the pidfd tells when it is over. */
    if (n >= 0)
        daemon_watch_close(daemon, &worker->control);
}

static void on_control(struct daemon *daemon, struct daemon_watch *watch, uint32_t events)
{
    (void)events;
    take_control(daemon, OD_CONTAINER_OF(watch, struct daemon_worker, control));
}

/* ------------------------------------------------------------------------------------------------
 * The beginning
 */

static bool limits_allow(const struct daemon *daemon, uid_t uid, struct urom_result *why)
{
    uint32_t all = 0, own = 0;
    char text[UROM_WIRE_TEXT_SIZE];

    OD_LIST_FOR_EACH(link, &daemon->workers)
    {
        const struct daemon_worker *worker = OD_LIST_ENTRY(link, struct daemon_worker, entry);

        /* One that is ending has made place already. */
        if (worker->state == DAEMON_WORKER_STOPPING)
            continue;
        all++;
        own += worker->uid == uid;
    }
    if (all < daemon->options.max_workers && own < daemon->options.max_workers_per_uid)
        return true;
    snprintf(text, sizeof(text),
             "%u workers run, %u of this user; the limits are %u (--max-workers) and %u "
             "(--max-workers-per-uid)",
             all, own, daemon->options.max_workers, daemon->options.max_workers_per_uid);
    urom_result_init(why, DOCA_ERROR_FULL, text);
    return false;
}

static struct daemon_worker *make(const struct daemon *daemon, const struct daemon_request *request)
{
    struct daemon_worker *worker = calloc(1, sizeof(*worker));

    if (worker == NULL)
        return NULL;
    worker->id = request->attach.id;
    worker->plugins = request->attach.plugins;
    worker->has_gid = (request->attach.flags & UROM_ATTACH_GID) != 0;
    worker->gid = request->attach.gid;
    worker->uid = request->uid;
    worker->remote = request->remote;
    worker->cpus = daemon->options.cpus;
    if ((request->attach.flags & UROM_ATTACH_CPUS) != 0)
        memcpy(&worker->cpus, request->attach.cpus, sizeof(worker->cpus));
    worker->exit.fd = -1;
    worker->control.fd = -1;
    worker->born = daemon_now_ms();
    worker->moved = worker->born;
    worker->deadline = worker->born + daemon->options.spawn_timeout;
    worker->ending = UROM_EXIT_NUM;
    worker->state = DAEMON_WORKER_STARTING;
    od_list_init(&worker->entry);
    od_list_init(&worker->clients);
    return worker;
}

struct daemon_worker *daemon_worker_spawn(struct daemon *daemon,
                                          const struct daemon_request *request,
                                          struct urom_result *why)
{
    struct daemon_worker *worker;
    char text[UROM_WIRE_TEXT_SIZE];
    int control = -1, pidfd = -1, err;

    if (!limits_allow(daemon, request->uid, why))
        return NULL;
    worker = make(daemon, request);
    err = worker != NULL ? daemon_spawn(daemon, worker, request, &control, &pidfd) : -ENOMEM;
    if (err != 0)
        goto err_free;
    err = daemon_watch_add(daemon, &worker->exit, pidfd, on_exit_event);
    if (err == 0)
        err = daemon_watch_add(daemon, &worker->control, control, on_control);
    if (err != 0)
        goto err_kill;
    od_list_append(&daemon->workers, &worker->entry);
    daemon->totals.spawns++;
    history_of(daemon, worker->uid, worker->id)->starts++;
    daemon_lock_note(daemon);
    return worker;

err_kill:
    kill(worker->pid, SIGKILL);
    waitpid(worker->pid, NULL, 0);
    if (worker->exit.fd < 0)
        close(pidfd);
    close(control);
err_free:
    daemon->totals.spawn_failures++;
    snprintf(text, sizeof(text), "no process for the worker: %s", strerror(-err));
    urom_result_init(why, err == -ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_OPERATING_SYSTEM,
                     text);
    if (worker != NULL)
        free_worker(daemon, worker);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Watching over it
 */

static void overdue(struct daemon *daemon, struct daemon_worker *worker)
{
    if (worker->state == DAEMON_WORKER_STARTING) {
        daemon->totals.start_timeouts++;
        urom_result_init(&worker->failure, DOCA_ERROR_TIME_OUT,
                         "the worker was not ready in time (DOCA_UROM_SPAWN_TIMEOUT_MS)");
    }
    DOCA_LOG_WARN("worker %llu of user %u (process %d) is %s for too long; it is killed",
                  (unsigned long long)worker->id, worker->uid, (int)worker->pid,
                  daemon_worker_state_name(worker->state));
    kill_worker(worker, UROM_EXIT_SHUTDOWN);
}

/* Where it is, in words. */
static void where(const struct daemon *daemon, const struct daemon_worker *worker, char *text,
                  size_t size)
{
    const uint64_t inside = urom_page_get(&worker->page->inside);
    const struct daemon_plugin *plugin;

    if (inside == 0) {
        snprintf(text, size, "in no plugin");
        return;
    }
    plugin = inside >> 8 < 64 ? daemon_plugin_by_id(daemon, 1ull << (inside >> 8)) : NULL;
    snprintf(text, size, "in %s of plugin %s", urom_call_name((enum urom_page_call)(inside & 0xff)),
             plugin != NULL ? plugin->name : "(unknown)");
}

static void watch_over(struct daemon *daemon, struct daemon_worker *worker, uint64_t now)
{
    const uint64_t loops = urom_page_get(&worker->page->loops);
    char place[128];

    if (loops != worker->seen_loops) {
        if (worker->state == DAEMON_WORKER_STUCK) {
            DOCA_LOG_WARN("worker %llu of user %u moves again", (unsigned long long)worker->id,
                          worker->uid);
            worker->state = DAEMON_WORKER_RUNNING;
        }
        worker->seen_loops = loops;
        worker->moved = now;
        return;
    }
    if (worker->state == DAEMON_WORKER_RUNNING && now - worker->moved >= STUCK_MS) {
        where(daemon, worker, place, sizeof(place));
        DOCA_LOG_WARN("worker %llu of user %u (process %d) is stuck %s",
                      (unsigned long long)worker->id, worker->uid, (int)worker->pid, place);
        worker->state = DAEMON_WORKER_STUCK;
    }
    /* Counts from when it stopped moving, be it reported as stuck already or not. */
    if (daemon->options.hang_timeout > 0 && worker->ending == UROM_EXIT_NUM &&
        now - worker->moved >= daemon->options.hang_timeout * 1000ull) {
        DOCA_LOG_WARN("worker %llu of user %u hangs for %u s; it is killed",
                      (unsigned long long)worker->id, worker->uid, daemon->options.hang_timeout);
        kill_worker(worker, UROM_EXIT_WATCHDOG);
    }
}

void daemon_workers_tick(struct daemon *daemon, uint64_t looked)
{
    const uint64_t now = daemon_now_ms();

    OD_LIST_FOR_EACH(link, &daemon->workers)
    {
        struct daemon_worker *worker = OD_LIST_ENTRY(link, struct daemon_worker, entry);

        if (worker->deadline != 0 && looked >= worker->deadline)
            overdue(daemon, worker);
        else if (worker->state == DAEMON_WORKER_RUNNING || worker->state == DAEMON_WORKER_STUCK)
            watch_over(daemon, worker, now);
    }
}
