/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_PEER_GATE_H_
#define OD_SOFT_PEER_GATE_H_

/* Who may come from other hosts, besides knowing a descriptor: hosts of the networks in
 * OPENDOCA_ALLOW_NET (all, if it is not set; this machine in any case) that know the secret in
 * OPENDOCA_TOKEN_FILE (if that is set). */

#include "soft/soft.h"
#include "util/net.h"

#define PEER_SECRET_SIZE 256u
#define PEER_NETS_MAX    64u

struct soft_peer_secret {
    uint32_t len; /* 0: none */
    uint8_t bytes[PEER_SECRET_SIZE];
};

struct soft_peer_gate {
    struct soft_peer_secret secret;
    unsigned int nnets;
    struct od_net nets[PEER_NETS_MAX];
};

/* Of OPENDOCA_TOKEN_FILE, which only its owner may have access to. -EACCES, -EINVAL, or what the
 * system says, with a reason. */
int soft_peer_secret_read(struct soft_peer_secret *secret);

/* What the environment says. Negative errno with a reason. */
int soft_peer_gate_read(struct soft_peer_gate *gate);

/* `addr`: HOST:PORT. 0, -EPERM (network), -EKEYREJECTED (secret). No reason. */
int soft_peer_gate_pass(const struct soft_peer_gate *gate, const char *addr, const void *secret,
                        size_t len);

#endif /* OD_SOFT_PEER_GATE_H_ */
