/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_AF_XDP_MODULE_AF_XDP_PRIV_H_
#define OD_SOFT_NIC_AF_XDP_MODULE_AF_XDP_PRIV_H_

/* What the files of the module share. */

#include <net/if.h>
#include <xdp/xsk.h>

#include "soft/nic/af_xdp/module.h"
#include "soft/nic/af_xdp/module/program.h"
#include "soft/nic/af_xdp/module/slots.h"
#include "soft/service/forked.h"

/* What the kernel keeps free in front of each frame that it receives. */
#define AF_XDP_HEADROOM 256u

#define AF_XDP_RINGS 4 /* of a socket and its memory */

/* ---- the program ---- */

struct af_xdp_program;

/* -EPERM (a missing capability, named), -EIO, ... with a reason. It runs from attach() on.
 * `ifindex`: of an interface whose driver it will be attached to, for a form that knows VLAN tags
 * which senders left to the interface, where the kernel can do that; 0: it may be attached
 * anywhere. */
int af_xdp_program_load(int ifindex, struct af_xdp_program **program);
/* It puts VLAN tags back into frames that came without. */
bool af_xdp_program_knows_tags(const struct af_xdp_program *program);
/* Senders may leave checksums to us. What is pointed to is AF_XDP_SUMS_OPEN before the first frame
 * comes whose sum looks as if; it lives as long as the program. */
const volatile uint32_t *af_xdp_program_watch_sums(struct af_xdp_program *program);
/* Longer frames that are claimed are dropped and counted. */
void af_xdp_program_set_longest(struct af_xdp_program *program, uint32_t longest);
/* In the driver or in the stack. -EOPNOTSUPP: the driver cannot; -EBUSY: another program is there.
 */
int af_xdp_program_attach(struct af_xdp_program *program, int ifindex, bool generic);
int af_xdp_program_add_socket(struct af_xdp_program *program, uint32_t queue, int fd);
/* NULL is fine. */
void af_xdp_program_unload(struct af_xdp_program *program);

int af_xdp_program_claim(struct af_xdp_program *program, const struct soft_nic_claim *claim,
                         bool on);
/* Of the program, to run it over a frame. */
int af_xdp_program_fd(const struct af_xdp_program *program);
void af_xdp_program_sums(struct af_xdp_program *program, struct af_xdp_sum *sum);
/* False: the kernel did not take it. */
bool af_xdp_program_to_stack(struct af_xdp_program *program, int ifindex, const void *frame,
                             uint32_t len);

/* ---- a queue of the interface: its socket and the memory behind it ---- */

struct af_xdp_queue_conf {
    const char *iface; /* stays */
    int ifindex;
    int packet_fd; /* a packet socket of the port */
    uint32_t number;
    uint32_t ring;       /* frames that are received before anybody looks */
    uint32_t frame_size; /* a place for a frame: 2048 or 4096 */
    bool generic;
    bool copy;
    bool is_local;                 /* the other end is on this machine */
    const volatile uint32_t *sums; /* AF_XDP_SUMS_...; NULL: senders write all of them */
};

/* Memory that the kernel writes frames to: the queue's own, half of it for frames that go; or the
 * ring of a program, whose frames that go take a packet socket. */
struct af_xdp_area {
    char *at;
    size_t size;
    char *slot;         /* the first one, of a ring */
    size_t first;       /* offset of what the kernel is told of it: in front is its headroom */
    uint32_t stride;    /* 0: the queue's own memory */
    char *before, *end; /* pages that were put there, else NULL */
};

struct af_xdp_queue {
    struct af_xdp_queue_conf conf;
    struct xsk_umem *umem;
    struct xsk_socket *socket; /* NULL: nothing comes and goes; it could not be opened again */
    struct soft_forked forked[AF_XDP_RINGS]; /* of the socket; the first one has its descriptor */
    struct af_xdp_area area;
    uint64_t lost; /* of sockets that were here before */
    bool copies;   /* the kernel does */

    /* Receiving: the driver. */
    OD_ALIGNED(OD_CACHE_LINE) struct xsk_ring_cons rx;
    struct xsk_ring_prod fill;
    uint32_t held; /* frames that were given out */
    uint32_t first;
    bool is_idle; /* nothing had come at the last look */
    struct af_xdp_slots slots;

    /* Sending: who has the lock. */
    OD_ALIGNED(OD_CACHE_LINE) _Atomic bool sending;
    _Atomic bool is_stuck; /* frames wait for the next call; written by who has the lock */
    struct xsk_ring_prod tx;
    struct xsk_ring_cons completed;
    uint32_t nfree;
    uint64_t *free; /* places */
};

int af_xdp_queue_open(const struct af_xdp_queue_conf *conf, struct af_xdp_queue **queue);
/* NULL is fine. */
void af_xdp_queue_close(struct af_xdp_queue *queue);
/* Frames come into the ring from here on; NULL: into the queue's own memory. There is a new socket
 * afterwards, or none when this fails, with a reason; frames that are waiting are lost. The driver.
 */
int af_xdp_queue_reopen(struct af_xdp_queue *queue, const struct soft_nic_area *ring);

/* memory.c; 0 or a negative errno with a reason. */
int af_xdp_area_own(struct af_xdp_area *area, uint32_t frames, uint32_t frame_size);
int af_xdp_area_of_ring(struct af_xdp_area *area, const struct soft_nic_area *ring,
                        uint32_t frame_size);
void af_xdp_area_free(struct af_xdp_area *area);

/* Of a queue whose memory is a ring: packets before `end` may come, the next one is `next`. */
void af_xdp_queue_grant(struct af_xdp_queue *queue, uint64_t next, uint64_t end);
uint32_t af_xdp_queue_rx(struct af_xdp_queue *queue, struct soft_nic_frame *frames, uint32_t max);
/* Frames that have come and were not looked at. */
uint32_t af_xdp_queue_waiting(const struct af_xdp_queue *queue);
void af_xdp_queue_rx_release(struct af_xdp_queue *queue);
/* send.c */
uint32_t af_xdp_queue_tx(struct af_xdp_queue *queue, struct soft_nic_tx_frame *frames, uint32_t n);
/* Has the kernel look again at frames that it could not take when they were sent. Of any thread,
 * now and then: the last frames of a sender have nobody else who does. */
void af_xdp_queue_carry_on(struct af_xdp_queue *queue);
/* Frames that the kernel had for the socket and lost. */
uint64_t af_xdp_queue_lost(const struct af_xdp_queue *queue);

/* Keeps senders away. */
void af_xdp_queue_lock_sending(struct af_xdp_queue *queue);
void af_xdp_queue_unlock_sending(struct af_xdp_queue *queue);

#endif /* OD_SOFT_NIC_AF_XDP_MODULE_AF_XDP_PRIV_H_ */
