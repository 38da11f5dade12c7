/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "soft/link/tcp/address.h"
#include "util/parse.h"

static int split(const char *text, char host[SOFT_TCP_HOST_SIZE], char port[8])
{
    const char *colon = strrchr(text, ':'), *begin = text, *end = colon;
    uint64_t number;

    if (colon == NULL || colon == text || od_parse_u64(colon + 1, &number) != 0 || number > 65535)
        return -EINVAL;
    if (text[0] == '[') {
        if (colon[-1] != ']')
            return -EINVAL;
        begin++;
        end--;
    } else if (memchr(text, ':', (size_t)(colon - text)) != NULL) {
        return -EINVAL;
    }
    if (end <= begin || end - begin >= SOFT_TCP_HOST_SIZE)
        return -EINVAL;
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = '\0';
    snprintf(port, 8, "%u", (unsigned int)number);
    return 0;
}

static int look_up(const char *host, const char *port, int flags, struct soft_tcp_addr *addr)
{
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
    struct addrinfo *found;
    int rc = getaddrinfo(host, port, &hints, &found);

    if (rc != 0)
        return rc;
    memset(addr, 0, sizeof(*addr));
    memcpy(&addr->sa, found->ai_addr, found->ai_addrlen);
    addr->len = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

int soft_tcp_addr_parse(const char *text, struct soft_tcp_addr *addr, char host[SOFT_TCP_HOST_SIZE],
                        char port[8])
{
    if (split(text, host, port) != 0)
        return soft_fail(-EINVAL, "'%.64s' is no address of a host; write HOST:PORT or [HOST]:PORT",
                         text);
    if (look_up(host, port, AI_NUMERICHOST, addr) == 0)
        host[0] = '\0';
    return 0;
}

int soft_tcp_addr_resolve(const char *host, const char *port, struct soft_tcp_addr *addr)
{
    int rc = look_up(host, port, 0, addr);

    if (rc == 0)
        return 0;
    return soft_fail(-EINVAL, "host '%.64s': %s", host, gai_strerror(rc));
}

void soft_tcp_addr_format(const struct sockaddr_storage *sa, char *text, size_t size)
{
    char host[INET6_ADDRSTRLEN] = "?";

    if (sa->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)sa;

        inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
        snprintf(text, size, "%s:%u", host, ntohs(in->sin_port));
    } else if (sa->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)sa;

        inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
        snprintf(text, size, "[%s]:%u", host, ntohs(in6->sin6_port));
    } else {
        snprintf(text, size, "unknown address");
    }
}
