/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "util/parse.h"

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

static bool is_v4(const struct od_host *host)
{
    return memcmp(host->bytes, mapped, sizeof(mapped)) == 0;
}

static int parse(const char *text, size_t len, struct od_host *host)
{
    char copy[INET6_ADDRSTRLEN];
    struct od_host parsed;

    if (len >= sizeof(copy))
        return -EINVAL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (inet_pton(AF_INET6, copy, parsed.bytes) != 1) {
        memcpy(parsed.bytes, mapped, sizeof(mapped));
        if (inet_pton(AF_INET, copy, parsed.bytes + sizeof(mapped)) != 1)
            return -EINVAL;
    }
    *host = parsed;
    return 0;
}

int od_host_parse(const char *text, struct od_host *host)
{
    const char *colon = strchr(text, ':'), *bracket;

    if (text[0] == '[') {
        bracket = strchr(text, ']');
        return bracket != NULL ? parse(text + 1, (size_t)(bracket - text - 1), host) : -EINVAL;
    }
    /* One colon is before a port, more are IPv6. */
    if (colon != NULL && strchr(colon + 1, ':') == NULL)
        return parse(text, (size_t)(colon - text), host);
    return parse(text, strlen(text), host);
}

const char *od_host_port(const char *text)
{
    const char *colon = strrchr(text, ':'), *bracket = strrchr(text, ']');

    if (colon == NULL || (bracket == NULL ? strchr(text, ':') != colon : bracket > colon))
        return NULL;
    return colon + 1;
}

bool od_host_is_loopback(const struct od_host *host)
{
    static const uint8_t v6[16] = {[15] = 1};

    return memcmp(host->bytes, v6, sizeof(v6)) == 0 || (is_v4(host) && host->bytes[12] == 127);
}

int od_net_parse(const char *text, struct od_net *net)
{
    const char *slash = strchr(text, '/');
    struct od_net parsed = {.bits = 128};
    uint64_t bits;

    if (parse(text, slash != NULL ? (size_t)(slash - text) : strlen(text), &parsed.host) != 0)
        return -EINVAL;
    if (slash != NULL) {
        unsigned int most = is_v4(&parsed.host) ? 32 : 128;

        if (od_parse_u64(slash + 1, &bits) != 0 || bits > most)
            return -EINVAL;
        parsed.bits = (unsigned int)bits + 128 - most;
    }
    *net = parsed;
    return 0;
}

bool od_net_has(const struct od_net *net, const struct od_host *host)
{
    for (unsigned int bit = 0; bit < net->bits; bit++)
        if (((net->host.bytes[bit / 8] ^ host->bytes[bit / 8]) & (0x80u >> bit % 8)) != 0)
            return false;
    return true;
}

/* A name, an address, or an IPv6 address in brackets. */
static bool is_host(const char *text, size_t len)
{
    struct od_host host;

    if (len > 0 && text[0] == '[')
        return len > 2 && text[len - 1] == ']' && parse(text + 1, len - 2, &host) == 0;
    if (memchr(text, ':', len) != NULL)
        return parse(text, len, &host) == 0;
    return len > 0 && strcspn(text, "/[] \t") >= len;
}

bool od_is_place(const char *text)
{
    const char *port;
    uint64_t number;

    if (strncmp(text, "unix:", 5) == 0)
        return text[5] == '/';
    if (text[0] == '/')
        return true;
    if (strncmp(text, "tcp:", 4) == 0)
        text += 4;
    port = od_host_port(text);
    if (port == NULL)
        return is_host(text, strlen(text));
    return is_host(text, (size_t)(port - text - 1)) && od_parse_u64(port, &number) == 0 &&
           number >= 1 && number <= 65535;
}
