/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soft/service/token.h"

#define TOKEN_ENV "OPENDOCA_TOKEN_FILE"
#define NET_ENV   "OPENDOCA_ALLOW_NET"

_Static_assert(PEER_SECRET_SIZE == SOFT_TOKEN_MAX, "a whole token");

/* ---- The secret ---- */

int soft_peer_secret_read(struct soft_peer_secret *secret)
{
    const char *path = secure_getenv(TOKEN_ENV);

    secret->len = 0;
    if (path == NULL || path[0] == '\0')
        return 0;
    return soft_token_read(TOKEN_ENV, path, secret->bytes, &secret->len);
}

/* Takes as long for a wrong one as for the right one. */
static bool is_secret(const struct soft_peer_secret *secret, const uint8_t *bytes, size_t len)
{
    volatile uint8_t difference = secret->len != len;

    for (uint32_t i = 0; i < PEER_SECRET_SIZE; i++)
        difference |=
            (uint8_t)((i < secret->len ? secret->bytes[i] : 0) ^ (i < len ? bytes[i] : 0));
    return difference == 0;
}

/* ---- Networks ---- */

static int read_nets(struct soft_peer_gate *gate)
{
    const char *at = secure_getenv(NET_ENV);
    char item[64];

    gate->nnets = 0;
    while (at != NULL && *at != '\0') {
        size_t len = strcspn(at, ",");

        if (len >= sizeof(item) || gate->nnets == PEER_NETS_MAX)
            return soft_fail(-EINVAL, NET_ENV ": more than %u networks, or no network: '%.64s'",
                             PEER_NETS_MAX, at);
        memcpy(item, at, len);
        item[len] = '\0';
        if (od_net_parse(item, &gate->nets[gate->nnets++]) != 0)
            return soft_fail(-EINVAL, NET_ENV ": '%s' is no network such as 192.0.2.0/24", item);
        at += len;
        at += *at == ',';
    }
    return 0;
}

static bool is_from_nets(const struct soft_peer_gate *gate, const char *addr)
{
    struct od_host host;

    if (gate->nnets == 0)
        return true;
    if (od_host_parse(addr, &host) != 0)
        return false;
    if (od_host_is_loopback(&host))
        return true;
    for (unsigned int i = 0; i < gate->nnets; i++)
        if (od_net_has(&gate->nets[i], &host))
            return true;
    return false;
}

int soft_peer_gate_read(struct soft_peer_gate *gate)
{
    int rc = soft_peer_secret_read(&gate->secret);

    return rc == 0 ? read_nets(gate) : rc;
}

int soft_peer_gate_pass(const struct soft_peer_gate *gate, const char *addr, const void *secret,
                        size_t len)
{
    if (!is_from_nets(gate, addr))
        return -EPERM;
    return gate->secret.len == 0 || is_secret(&gate->secret, secret, len) ? 0 : -EKEYREJECTED;
}
