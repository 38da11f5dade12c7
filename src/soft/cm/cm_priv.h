/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_CM_CM_PRIV_H_
#define OD_SOFT_CM_CM_PRIV_H_

/* cm.c has what both sides share and the caller, listen.c the listener, frame.c what is said. The
 * service's lock guards all that the background thread looks at. */

#include <netinet/in.h>

#include "soft/cm/frame.h"
#include "soft/service/service.h"

union soft_cm_sockaddr {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Lock held. Starts the background thread. */
int soft_cm_service_start(void);

/* Reads what is there: 0, the frame is whole; -EAGAIN; -ECONNRESET; -EPROTO. */
int soft_cm_read(int sock, struct soft_cm_inbox *inbox);
/* All or nothing, which a fresh socket has room for: 0, -ECONNRESET. */
int soft_cm_write(int sock, enum soft_cm_kind kind, const void *data, size_t len);

/* Text of an address, IPv4 also where it comes as IPv6; its port. */
void soft_cm_text(const union soft_cm_sockaddr *addr, char host[SOFT_CM_HOST_SIZE], uint16_t *port);

#endif /* OD_SOFT_CM_CM_PRIV_H_ */
