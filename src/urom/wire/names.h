/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_NAMES_H_
#define OD_UROM_WIRE_NAMES_H_

/* Where a daemon is found. A service belongs to a card: all functions of the card, host side and
 * DPU side, lead to the same one. */

#include "urom/wire/wire.h"

#define UROM_SYSTEM_DIR   "/run/doca_urom"
#define UROM_DEFAULT_PORT 18610

/* Address of a user's own daemon, in the runtime folder. */
void urom_name_user(const char *card, char addr[UROM_WIRE_ADDR_SIZE]);
/* Address of the machine's daemon. */
void urom_name_system(const char *card, char addr[UROM_WIRE_ADDR_SIZE]);

/* What people write for a daemon: a link's address, a path, "unix:PATH", "tcp:HOST:PORT". Others
 * are hosts, with or without port. 0, or -EINVAL. */
int urom_name_parse(const char *text, char addr[UROM_WIRE_ADDR_SIZE]);
/* The same address with the port left open, without the transport: HOST:0. "" when it has none or
 * is too long. */
void urom_name_open_port(const char *addr, char out[UROM_WIRE_NAME_SIZE]);
/* Is the address one of this machine's own? */
bool urom_name_is_local(const char *addr);

#endif /* OD_UROM_WIRE_NAMES_H_ */
