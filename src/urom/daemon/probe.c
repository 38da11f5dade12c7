/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at a plugin in a process that may crash, hang or worse. */
#include "urom/daemon/daemon_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_log.h>

#include "urom/wire/pack.h"

DOCA_LOG_REGISTER(UROM::DAEMON::PROBE);

static void fail(struct daemon_plugin *plugin, const char *why)
{
    plugin->usable = false;
    urom_text_set(plugin->error, sizeof(plugin->error), why);
    DOCA_LOG_WARN("plugin %s cannot be used: %s", plugin->path, why);
}

/* After fork: nothing but what is safe there. */
static void become(const char *worker, char *path, int out, pid_t parent)
{
    char option[] = "--probe";
    char *args[] = {(char *)worker, option, path, NULL};
    sigset_t none;

    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(out, UROM_WORKER_CONTROL_FD) < 0)
        _exit(126);
    /* dup2() of a descriptor to itself keeps its flag. */
    fcntl(UROM_WORKER_CONTROL_FD, F_SETFD, 0);
    execv(worker, args);
    _exit(127);
}

static void forget(struct daemon *daemon, struct daemon_probe *probe)
{
    od_list_remove(&probe->entry);
    daemon_watch_close(daemon, &probe->watch);
    free(probe);
}

/* Ends it with all that it started, which is in a session of its own. Returns how it ended, which a
 * signal changes only if it had not. */
static int reap(const struct daemon_probe *probe)
{
    int status = 0;

    kill(-probe->pid, SIGKILL);
    kill(probe->pid, SIGKILL);
    waitpid(probe->pid, &status, 0);
    return status;
}

static void judge(struct daemon_plugin *plugin, const void *bytes, ssize_t n, int status)
{
    struct urom_probe result;
    char text[UROM_WIRE_TEXT_SIZE];

    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof(text), "loading it ends with signal %d", WTERMSIG(status));
        fail(plugin, text);
    } else if (n <= 0 || urom_probe_decode(bytes, (size_t)n, &result) != 0) {
        snprintf(text, sizeof(text), "loading it ends with exit status %d", WEXITSTATUS(status));
        fail(plugin, text);
    } else if (result.error != DOCA_SUCCESS) {
        fail(plugin, result.text);
    } else {
        plugin->version = result.version;
        plugin->usable = true;
        plugin->error[0] = '\0';
        DOCA_LOG_INFO("plugin %s: id 0x%llx, version %llu", plugin->name,
                      (unsigned long long)plugin->id, (unsigned long long)plugin->version);
    }
}

/* Its last word, or the end of the pipe. */
static void on_output(struct daemon *daemon, struct daemon_watch *watch, uint32_t events)
{
    struct daemon_probe *probe = OD_CONTAINER_OF(watch, struct daemon_probe, watch);
    struct urom_probe bytes;
    ssize_t n = read(watch->fd, &bytes, sizeof(bytes));
    int status;

    (void)events;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    status = reap(probe);
    judge(&daemon->plugins[probe->plugin], &bytes, n, n > 0 ? 0 : status);
    forget(daemon, probe);
}

bool daemon_probe_begin(struct daemon *daemon, size_t plugin)
{
    struct daemon_probe *probe = calloc(1, sizeof(*probe));
    const pid_t parent = getpid();
    int pipe_fds[2] = {-1, -1};

    if (probe == NULL || pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0)
        goto err_free;
    probe->plugin = plugin;
    probe->deadline = daemon_now_ms() + daemon->options.probe_timeout;
    probe->watch.fd = -1;
    probe->pid = fork();
    if (probe->pid == 0)
        become(daemon->options.worker_path, daemon->plugins[plugin].path, pipe_fds[1], parent);
    if (probe->pid < 0)
        goto err_close;
    close(pipe_fds[1]);
    pipe_fds[1] = -1;
    od_list_append(&daemon->probes, &probe->entry);
    if (daemon_watch_add(daemon, &probe->watch, pipe_fds[0], on_output) == 0)
        return true;
    od_list_remove(&probe->entry);
    reap(probe);

err_close:
    close(pipe_fds[0]);
    if (pipe_fds[1] >= 0)
        close(pipe_fds[1]);
err_free:
    free(probe);
    fail(&daemon->plugins[plugin], "no process to look at it");
    return false;
}

static void kill_probe(struct daemon *daemon, struct daemon_probe *probe)
{
    reap(probe);
    forget(daemon, probe);
}

void daemon_probes_tick(struct daemon *daemon, uint64_t looked)
{
    char text[UROM_WIRE_TEXT_SIZE];

    OD_LIST_FOR_EACH_SAFE(link, &daemon->probes)
    {
        struct daemon_probe *probe = OD_LIST_ENTRY(link, struct daemon_probe, entry);

        if (looked < probe->deadline)
            continue;
        snprintf(text, sizeof(text), "loading it takes longer than %u ms",
                 daemon->options.probe_timeout);
        fail(&daemon->plugins[probe->plugin], text);
        kill_probe(daemon, probe);
    }
}

void daemon_probes_end(struct daemon *daemon)
{
    OD_LIST_FOR_EACH_SAFE(link, &daemon->probes)
    kill_probe(daemon, OD_LIST_ENTRY(link, struct daemon_probe, entry));
}
