/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_NET_H_
#define OD_UTIL_NET_H_

/* Addresses of hosts and networks. IPv4 is kept as IPv6 (::ffff:a.b.c.d). */

#include "util/base.h"

struct od_host {
    uint8_t bytes[16];
};

struct od_net {
    struct od_host host;
    unsigned int bits; /* 0 to 128 */
};

/* "192.0.2.1", "2001:db8::1", either with a port ("192.0.2.1:80", "[2001:db8::1]:80"). -EINVAL. */
int od_host_parse(const char *text, struct od_host *host);
/* The port of "HOST:PORT", whose colons of an IPv6 address are in brackets; NULL when there is
 * none.
 */
const char *od_host_port(const char *text);
bool od_host_is_loopback(const struct od_host *host);

/* "192.0.2.0/24", "2001:db8::/32", or a host. -EINVAL. */
int od_net_parse(const char *text, struct od_net *net);
bool od_net_has(const struct od_net *net, const struct od_host *host);

/* Where a service may be: a path, "unix:PATH", HOST, HOST:PORT, or "tcp:" and one of these two.
 * Paths begin with "/", hosts are not looked up. */
bool od_is_place(const char *text);

#endif /* OD_UTIL_NET_H_ */
