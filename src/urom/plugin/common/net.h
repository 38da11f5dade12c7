/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_COMMON_NET_H_
#define OD_UROM_PLUGIN_COMMON_NET_H_

/* Messages between plugins of one name in different workers.
 *
 * An end listens under an address that the plugin gives to the domain; whoever looks it up there
 * can connect: over shared memory when the other end's socket can be seen, else over the network,
 * when the service is for other hosts too. Messages of a connection arrive in order, once, or its
 * death is told. A connection to the end itself is none: messages wait in a queue until the next
 * progress.
 *
 * The address carries a random key, which a greeting must repeat: only who is in the domain knows
 * it.
 *
 * One thread: the one that calls the plugin. */

#include <sys/uio.h>

#include "util/base.h"
#include "util/waker.h"

#define PLUGIN_NET_ADDR_MAX 384 /* bytes of an address */

struct plugin_net;
struct plugin_net_conn;

struct plugin_net_conf {
    uint32_t max_msg; /* bytes; both ends of a connection use the smaller one */
    uint32_t depth;   /* messages that wait in a connection before sends say -EAGAIN */
    /* A message from the other end. The bytes may change while they are looked at: copy first.
     * 0: taken; -EAGAIN: no room, it is offered again at the next progress, and nothing else of
     * this connection before; else the connection is cut. */
    int (*message)(void *arg, struct plugin_net_conn *conn, const void *bytes, uint32_t len);
    /* The connection has ended, why as a negative errno, and is freed when this returns. Not called
     * by plugin_net_close(). May be NULL. */
    void (*ended)(void *arg, struct plugin_net_conn *conn, int reason);
    void *arg;
    /* Where to listen for other hosts, as soft_link_listen() takes it; NULL: where the worker says,
     * if anywhere. */
    const char *remote;
};

/* 0 or a negative errno; soft_reason() tells why. */
int plugin_net_open(const struct plugin_net_conf *conf, struct plugin_net **net);
/* What was sent arrives, if the other end lives. NULL is fine. */
void plugin_net_close(struct plugin_net *net);

/* The address, *len bytes: the same for ever. */
const void *plugin_net_addr(const struct plugin_net *net, size_t *len);
/* Whether this is the address of the end itself. */
bool plugin_net_is_own(const struct plugin_net *net, const void *addr);

/* The connection to an address that a look-up gave: there is one for each, opened when first asked
 * for. 0; -EINVAL: not an address of this kind; -ECONNRESET: it has ended; else there is no way. */
int plugin_net_connect(struct plugin_net *net, const void *addr, struct plugin_net_conn **conn);

/* Sends one message. 0: it will arrive if the other end lives; -EAGAIN: later, the connection is
 * not up yet or full; -EMSGSIZE; -EPIPE: the connection ends, which is told at a later progress. */
int plugin_net_send(struct plugin_net_conn *conn, const struct iovec *iov, unsigned int niov);

/* The plugin's own, NULL at first. */
void **plugin_net_user(struct plugin_net_conn *conn);

/* Receives and finds out who died. True when something happened. */
bool plugin_net_progress(struct plugin_net *net);

/* Before the worker sleeps: false when there is something to progress, else *fd becomes readable
 * when there is, be it room after -EAGAIN. */
bool plugin_net_arm(struct plugin_net *net, int *fd);

/* What it sleeps on; other threads may wake it. */
struct od_waker *plugin_net_waker(struct plugin_net *net);

#endif /* OD_UROM_PLUGIN_COMMON_NET_H_ */
