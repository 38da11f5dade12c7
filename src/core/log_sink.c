/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log_priv.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "util/text.h"

static void sigpipe_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGPIPE);
}

/* The reader of a pipe or socket may be gone. Returns false when the signal was blocked anyway. */
static bool hold_sigpipe(sigset_t *saved)
{
    sigset_t pipe;

    sigpipe_set(&pipe);
    return pthread_sigmask(SIG_BLOCK, &pipe, saved) == 0 && sigismember(saved, SIGPIPE) == 0;
}

static void release_sigpipe(const sigset_t *saved, bool failed)
{
    const struct timespec no_wait = {0, 0};
    sigset_t pipe;

    sigpipe_set(&pipe);
    if (failed)
        sigtimedwait(&pipe, NULL, &no_wait);
    pthread_sigmask(SIG_SETMASK, saved, NULL);
}

void log_write_file(struct log_sink *sink, enum doca_log_level level, const char *line, size_t len)
{
    FILE *file = sink->file;
    sigset_t saved;
    bool held = hold_sigpipe(&saved);
    bool failed;

    (void)level;
    flockfile(file);
    /* What the program left in the buffer goes first, so that the line is not torn. */
    failed = fflush_unlocked(file) != 0;
    failed |= fwrite_unlocked(line, 1, len, file) != len;
    failed |= fflush_unlocked(file) != 0;
    funlockfile(file);
    if (held)
        release_sigpipe(&saved, failed);
}

void log_write_fd(struct log_sink *sink, enum doca_log_level level, const char *line, size_t len)
{
    sigset_t saved;
    bool held = hold_sigpipe(&saved);
    ssize_t n = 0;

    (void)level;
    pthread_mutex_lock(&sink->lock);
    while (len > 0) {
        n = write(sink->fd, line, len);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            break;
        if (n > 0) {
            line += n;
            len -= (size_t)n;
        }
    }
    pthread_mutex_unlock(&sink->lock);
    if (held)
        release_sigpipe(&saved, n < 0);
}

void log_write_buf(struct log_sink *sink, enum doca_log_level level, const char *line, size_t len)
{
    static __thread uint32_t handlers; /* that run in this thread now */

    (void)level;
    /* A record that a handler causes must not wait for the handler, nor for that of another thread
     * which may wait for this one. */
    if (handlers == 0)
        pthread_mutex_lock(&sink->lock);
    else if (pthread_mutex_trylock(&sink->lock) != 0)
        return;
    len = OD_MIN(len, sink->buf.capacity - 1);
    memcpy(sink->buf.buf, line, len);
    sink->buf.buf[len] = '\0';
    handlers++;
    sink->buf.handler(sink->buf.buf);
    handlers--;
    pthread_mutex_unlock(&sink->lock);
}

/* Not syslog(3): that has one identity a process, which is the program's, and allocates. */
static int connect_syslog(void)
{
    const struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
    const struct timeval patience = {.tv_usec = 100000};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) != 0 ||
        connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int syslog_priority(enum doca_log_level level)
{
    static const int priorities[] = {LOG_CRIT, LOG_ERR,   LOG_WARNING,
                                     LOG_INFO, LOG_DEBUG, LOG_DEBUG};

    return LOG_USER | priorities[level / 10 - 2];
}

static void format_syslog(struct od_text *text, const char *name, enum doca_log_level level,
                          const char *line, size_t len)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t now = time(NULL);
    struct tm tm;

    localtime_r(&now, &tm);
    od_text_printf(text, "<%d>%.3s %2d %02d:%02d:%02d %s[%d]: %.*s", syslog_priority(level),
                   months + 3 * tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, name,
                   (int)getpid(), (int)len - 1, line);
}

void log_write_syslog(struct log_sink *sink, enum doca_log_level level, const char *line,
                      size_t len)
{
    char packet[LOG_LINE_SIZE + 128];
    struct od_text text;

    od_text_init(&text, packet, sizeof(packet));
    format_syslog(&text, sink->syslog.name, level, line, len);
    pthread_mutex_lock(&sink->lock);
    /* The second try is for a daemon that was restarted. */
    for (int tries = 0; tries < 2; tries++) {
        if (sink->syslog.fd < 0)
            sink->syslog.fd = connect_syslog();
        if (sink->syslog.fd < 0 || send(sink->syslog.fd, packet, text.len, MSG_NOSIGNAL) >= 0 ||
            errno == EAGAIN)
            break;
        close(sink->syslog.fd);
        sink->syslog.fd = -1;
    }
    pthread_mutex_unlock(&sink->lock);
}
