/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_AF_XDP_MODULE_AF_XDP_PRIV_H_
#define OD_SOFT_NIC_AF_XDP_MODULE_AF_XDP_PRIV_H_

/* What the files of the module share. */

#include <net/if.h>
#include <xdp/xsk.h>

#include "soft/nic/af_xdp/module.h"
#include "soft/nic/af_xdp/module/program.h"

/* What the kernel keeps free in front of each frame that it receives. */
#define AF_XDP_HEADROOM 256u

/* ---- the program ---- */

struct af_xdp_program;

/* -EPERM (a missing capability, named), -EIO, ... with a reason. It runs from attach() on. */
int af_xdp_program_load(uint32_t longest, struct af_xdp_program **program);
/* In the driver or in the stack. -EOPNOTSUPP: the driver cannot; -EBUSY: another program is there.
 */
int af_xdp_program_attach(struct af_xdp_program *program, int ifindex, bool generic);
int af_xdp_program_add_socket(struct af_xdp_program *program, uint32_t queue, int fd);
/* NULL is fine. */
void af_xdp_program_unload(struct af_xdp_program *program);

int af_xdp_program_claim(struct af_xdp_program *program, const struct soft_nic_claim *claim,
                         bool on);
void af_xdp_program_sums(struct af_xdp_program *program, struct af_xdp_sum *sum);
/* False: the kernel did not take it. */
bool af_xdp_program_to_stack(struct af_xdp_program *program, int ifindex, const void *frame,
                             uint32_t len);

/* ---- a queue of the interface: its socket and the memory behind it ---- */

struct af_xdp_queue_conf {
    const char *iface;
    uint32_t number;
    uint32_t ring;       /* frames that are received before anybody looks */
    uint32_t frame_size; /* a place for a frame: 2048 or 4096 */
    bool generic;
    bool copy;
    bool local; /* frames come from programs of this machine, whose sums may be left to hardware */
};

struct af_xdp_queue {
    struct xsk_umem *umem;
    struct xsk_socket *socket;
    char *area;
    size_t area_size;
    uint32_t number;
    uint32_t frame_size;
    bool copies; /* the kernel does */
    bool local;

    /* Receiving: the driver. */
    OD_ALIGNED(OD_CACHE_LINE) struct xsk_ring_cons rx;
    struct xsk_ring_prod fill;
    uint32_t held; /* frames that were given out */
    uint32_t first;

    /* Sending: who has the lock. */
    OD_ALIGNED(OD_CACHE_LINE) _Atomic bool sending;
    struct xsk_ring_prod tx;
    struct xsk_ring_cons completed;
    uint32_t nfree;
    uint64_t *free; /* places */
};

int af_xdp_queue_open(const struct af_xdp_queue_conf *conf, struct af_xdp_queue **queue);
/* NULL is fine. */
void af_xdp_queue_close(struct af_xdp_queue *queue);

uint32_t af_xdp_queue_rx(struct af_xdp_queue *queue, struct soft_nic_frame *frames, uint32_t max);
void af_xdp_queue_rx_release(struct af_xdp_queue *queue);
uint32_t af_xdp_queue_tx(struct af_xdp_queue *queue, struct soft_nic_tx_frame *frames, uint32_t n);
/* Frames that the kernel had for the socket and lost. */
uint64_t af_xdp_queue_lost(const struct af_xdp_queue *queue);

#endif /* OD_SOFT_NIC_AF_XDP_MODULE_AF_XDP_PRIV_H_ */
