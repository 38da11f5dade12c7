/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_log.h>

#include "../common/kit.h"
#include "rdmo.h"

DOCA_LOG_REGISTER(TALK);

#define PATIENCE 30.0 /* seconds */

static int complain(const char *what, int fd)
{
    DOCA_LOG_ERR("%s: %s", what, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static struct sockaddr_in here(int port)
{
    struct sockaddr_in sa = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return sa;
}

int talk_listen(int port)
{
    const struct sockaddr_in sa = here(port);
    const int yes = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(fd, (const struct sockaddr *)&sa, sizeof(sa)) != 0 || listen(fd, 1) != 0)
        return complain("Cannot listen", fd);
    return fd;
}

int talk_accept(int listener)
{
    int fd = accept(listener, NULL, NULL);

    return fd >= 0 ? fd : complain("Nobody comes", -1);
}

int talk_connect(int port)
{
    const struct sockaddr_in sa = here(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || connect(fd, (const struct sockaddr *)&sa, sizeof(sa)) != 0)
        return complain("Cannot connect", fd);
    return fd;
}

bool talk_send(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

        if (n <= 0) {
            complain("Cannot send", -1);
            return false;
        }
        at += n;
        len -= (size_t)n;
    }
    return true;
}

bool talk_recv(int fd, void *bytes, size_t len, void (*meanwhile)(void *arg), void *arg)
{
    const double end = kit_seconds() + PATIENCE;
    char *at = bytes;

    while (len > 0) {
        ssize_t n = recv(fd, at, len, MSG_DONTWAIT);

        if (n == 0 || (n < 0 && errno != EAGAIN) || kit_seconds() > end) {
            complain("The other side is silent", -1);
            return false;
        }
        meanwhile(arg);
        if (n > 0) {
            at += n;
            len -= (size_t)n;
        }
    }
    return true;
}
