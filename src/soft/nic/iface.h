/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_IFACE_H_
#define OD_SOFT_NIC_IFACE_H_

/* What kinds of ports that have an interface of Linux ask it. `fd` is a socket of any kind. */

#include "soft/nic/nic.h"

/* Whether it is switched on and has a link, whatever its name is by now. */
SOFT_API void soft_nic_ask_link(int fd, int ifindex, struct soft_nic_port_info *info);

/* The other end of the interface is on this machine. */
SOFT_API bool soft_nic_is_local(int fd, const char *iface);
/* So few frames of the socket may be on their way that none is lost at such an end. */
SOFT_API void soft_nic_limit_unseen(int fd);

#endif /* OD_SOFT_NIC_IFACE_H_ */
