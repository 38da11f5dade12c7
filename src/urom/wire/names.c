/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/net.h"

/* Cards are named in files; as part of a path they must be harmless. */
static void put(const char *before, const char *card, const char *after,
                char addr[UROM_WIRE_ADDR_SIZE])
{
    char safe[UROM_WIRE_NAME_SIZE];
    size_t i;

    for (i = 0; card[i] != '\0' && i + 1 < sizeof(safe); i++)
        safe[i] = isalnum((unsigned char)card[i]) || strchr("_-", card[i]) != NULL ? card[i] : '_';
    safe[i] = '\0';
    snprintf(addr, UROM_WIRE_ADDR_SIZE, "%s%s%s", before, safe, after);
}

void urom_name_user(const char *card, char addr[UROM_WIRE_ADDR_SIZE])
{
    put("local:urom-", card, "", addr);
}

void urom_name_system(const char *card, char addr[UROM_WIRE_ADDR_SIZE])
{
    put("local:" UROM_SYSTEM_DIR "/", card, ".sock", addr);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_bare_v6(const char *host)
{
    const char *colon = strchr(host, ':');

    return host[0] != '[' && colon != NULL && strchr(colon + 1, ':') != NULL;
}

int urom_name_parse(const char *text, char addr[UROM_WIRE_ADDR_SIZE])
{
    char found[2 * UROM_WIRE_ADDR_SIZE];

    if (text[0] == '\0' || strlen(text) >= UROM_WIRE_ADDR_SIZE - 16)
        return -EINVAL;
    if (begins(text, "local:") || begins(text, "ucx:") || begins(text, "error:") ||
        (begins(text, "tcp:") && od_host_port(text + strlen("tcp:")) != NULL))
        snprintf(found, sizeof(found), "%s", text);
    else if (text[0] == '/')
        snprintf(found, sizeof(found), "local:%s", text);
    else if (begins(text, "unix:"))
        snprintf(found, sizeof(found), "local:%s", text + strlen("unix:"));
    else if (begins(text, "tcp:"))
        snprintf(found, sizeof(found), "%s:%d", text, UROM_DEFAULT_PORT);
    else if (is_bare_v6(text))
        snprintf(found, sizeof(found), "tcp:[%s]:%d", text, UROM_DEFAULT_PORT);
    else if (od_host_port(text) != NULL)
        snprintf(found, sizeof(found), "tcp:%s", text);
    else
        snprintf(found, sizeof(found), "tcp:%s:%d", text, UROM_DEFAULT_PORT);
    if (strlen(found) >= UROM_WIRE_ADDR_SIZE)
        return -EINVAL;
    snprintf(addr, UROM_WIRE_ADDR_SIZE, "%s", found);
    return 0;
}

void urom_name_open_port(const char *addr, char out[UROM_WIRE_NAME_SIZE])
{
    const char *host = strchr(addr, ':'), *port = strrchr(addr, ':');

    out[0] = '\0';
    if (host == NULL || host == port || port - host + 2 >= UROM_WIRE_NAME_SIZE)
        return;
    memset(out, 0, UROM_WIRE_NAME_SIZE);
    snprintf(out, UROM_WIRE_NAME_SIZE, "%.*s:0", (int)(port - host - 1), host + 1);
}

bool urom_name_is_local(const char *addr)
{
    return begins(addr, "local:") || begins(addr, "error:local:");
}
