/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_TCP_ADDRESS_H_
#define OD_SOFT_LINK_TCP_ADDRESS_H_

#include <netinet/in.h>
#include <sys/socket.h>

#include "soft/link/link.h"

#define SOFT_TCP_HOST_SIZE SOFT_LINK_ADDR_MAX

struct soft_tcp_addr {
    struct sockaddr_storage sa;
    socklen_t len;
};

/* "HOST:PORT" or "[HOST]:PORT". -EINVAL with a reason. `host`: empty, or the host's name if it is
 * none in numbers, which then is to be resolved. */
SOFT_API int soft_tcp_addr_parse(const char *text, struct soft_tcp_addr *addr,
                                 char host[SOFT_TCP_HOST_SIZE], char port[8]);
/* May take many seconds. */
SOFT_API int soft_tcp_addr_resolve(const char *host, const char *port, struct soft_tcp_addr *addr);
SOFT_API void soft_tcp_addr_format(const struct sockaddr_storage *sa, char *text, size_t size);

#endif /* OD_SOFT_LINK_TCP_ADDRESS_H_ */
