/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_NIC_H_
#define OD_SOFT_NIC_NIC_H_

/* The software NIC: frames between ports and queues.
 *
 * A port is what a device of the table is attached to: a network interface, a wire of this process,
 * a capture file. It is opened by the first who holds it and closed by the last. Receive queues
 * take what the steering gives them, send queues give frames to the port.
 *
 * Whoever looks for frames drives: an owner that finds its receive queue empty takes a batch from
 * the port, classifies it and hands it out to all queues, its own and others'. One thread at a time
 * does that, the others go on without. A thread of the port does it for owners that sleep.
 *
 * A frame is copied exactly once on its way in, from the port's memory into what was posted for it,
 * or not at all where the port's memory is the ring of the queue. It is never held: without a
 * posted place it is dropped and counted. Every frame that the port sees is counted once more, as
 * delivered or under the cause of its end. */

#include "soft/device/device.h"
#include "util/list.h"
#include "util/waker.h"

#define SOFT_NIC_FRAME_MAX 16384u /* bytes of a frame, no checksum behind */
#define SOFT_NIC_METADATA  8u     /* words that steering can give to a frame */
#define SOFT_NIC_FRAME_MIN 60u    /* shorter frames are padded when they are sent */

struct soft_nic_port;
struct soft_nic_rxq;
struct soft_nic_txq;

/* ---- counters ---- */

enum soft_nic_counter {
    SOFT_NIC_RX_SEEN,         /* frames that the port gave */
    SOFT_NIC_RX_BYTES,        /* of them */
    SOFT_NIC_RX_DELIVERED,    /* ends of frames from here on: in a queue */
    SOFT_NIC_RX_KERNEL,       /* left to the network stack of the interface */
    SOFT_NIC_RX_FORWARDED,    /* sent out again by steering */
    SOFT_NIC_RX_NO_BUFFER,    /* nothing was posted */
    SOFT_NIC_RX_OVERSIZE,     /* larger than what was posted */
    SOFT_NIC_RX_GSO,          /* several frames in one that the interface did not split */
    SOFT_NIC_RX_FLOW_DROP,    /* steering said so */
    SOFT_NIC_RX_NO_QUEUE,     /* steering named a queue that is not there */
    SOFT_NIC_RX_FLOW_LOOP,    /* steering went in circles */
    SOFT_NIC_RX_FORWARD_DROP, /* could not be sent out again */
    SOFT_NIC_RX_KERNEL_LOST,  /* for the network stack, which could not be given it */
    SOFT_NIC_RX_PORT_DROP,    /* not seen: lost before, as the port reports */
    SOFT_NIC_TX_FRAMES,
    SOFT_NIC_TX_BYTES,
    SOFT_NIC_TX_ERR_SIZE,
    SOFT_NIC_TX_ERR_PORT,
    SOFT_NIC_LINK_DOWN,    /* how often the interface went down, or away */
    SOFT_NIC_TX_ERR_KEY,   /* of queues of kernels from here on: memory that a key does not cover */
    SOFT_NIC_TX_ERR_SLOT,  /* not written for its place: overwritten or never filled */
    SOFT_NIC_TX_WAITS,     /* for a time */
    SOFT_NIC_TX_LATE,      /* of them: the time was over */
    SOFT_NIC_TX_NOTIFIED,  /* completions that were asked for */
    SOFT_NIC_TX_DOORBELLS, /* that were seen */
    SOFT_NIC_TX_EVENTS_LOST, /* not fetched in time */
    SOFT_NIC_TX_PROXY_CALLS, /* of the CPU that rings for kernels, up to its last one that rang */
    SOFT_NIC_COUNTERS
};

struct soft_nic_counters {
    _Atomic uint64_t value[SOFT_NIC_COUNTERS];
};

SOFT_API const char *soft_nic_counter_name(enum soft_nic_counter counter);

static inline uint64_t soft_nic_count(const struct soft_nic_counters *counters,
                                      enum soft_nic_counter counter)
{
    return __atomic_load_n((const uint64_t *)&counters->value[counter], __ATOMIC_ACQUIRE);
}

/* ---- ports ---- */

struct soft_nic_port_info {
    const char *kind;  /* "af_packet" */
    const char *where; /* interface, wire, files */
    const char *mode;  /* how it is served: "native, no copy"; "" when there is no choice */
    uint32_t mtu;      /* bytes behind the Ethernet header */
    uint8_t mac[6];
    bool link_up;
    bool is_off;         /* the interface, by who has the machine */
    bool is_gone;        /* the interface was deleted; the port is dead for good */
    bool stack_sees_all; /* what queues get reaches the stack as well */
    bool loses_tags;     /* VLAN tags that are not in the frame itself but beside it */
};

/* 0, or -ENOTSUP with a reason: what ports of the device's kind need is not installed. Opens
 * nothing; whether the port can be opened is another question. Any thread. */
SOFT_API int soft_nic_port_check(const struct soft_device *device);

/* Opens the device's port or takes part in it. 0, or a negative errno with a reason: -EINVAL (the
 * port's text), -ENODEV (no such interface), -EPERM (a missing right, named), -ENOMEM, ... */
SOFT_API int soft_nic_port_hold(const struct soft_device *device, struct soft_nic_port **port);
/* NULL is fine. */
SOFT_API void soft_nic_port_release(struct soft_nic_port *port);

/* Asks the interface. A link that was up at the last question and is down now is counted; the
 * port's thread asks five times a second. Any thread. */
SOFT_API void soft_nic_port_info(struct soft_nic_port *port, struct soft_nic_port_info *info);
SOFT_API const struct soft_nic_counters *soft_nic_port_counters(const struct soft_nic_port *port);
/* True when each frame that was seen has exactly one end. Waits for who drives. Any thread. */
SOFT_API bool soft_nic_port_adds_up(struct soft_nic_port *port);

/* Takes a batch from the port and hands it out; returns how many frames it had. 0 also when another
 * thread is at it. Any thread. */
SOFT_API uint32_t soft_nic_port_drive(struct soft_nic_port *port);

/* ---- receive queues: an owner's thread, except where it says otherwise ---- */

struct soft_nic_piece {
    void *addr;
    uint32_t len;
};

/* What is known of a frame that was received. */
struct soft_nic_meta {
    uint64_t time; /* nanoseconds, realtime clock */
    uint32_t hash; /* 0: not hashed */
    uint32_t mark;
    uint32_t words[SOFT_NIC_METADATA];
};

/* One place for a frame, and then the frame in it. */
struct soft_nic_post {
    void *cookie; /* the owner's */
    struct soft_nic_piece place;
    const struct soft_nic_piece *pieces; /* NULL: `place` is the only one */
    uint32_t npieces;
    uint32_t room; /* of all pieces */
    uint32_t len;  /* of the frame */
    int status;    /* 0; -EMSGSIZE: the frame had `len` bytes, nothing was written */
    struct soft_nic_meta meta;
};

/* A ring of packets: slot n modulo `num` is for packet n. */
struct soft_nic_area {
    char *slots;
    uint32_t num; /* a power of two */
    uint32_t stride;
};

struct soft_nic_rxq_conf {
    uint32_t depth;        /* places that can be posted at once */
    bool reports_oversize; /* a frame that does not fit uses up its place with -EMSGSIZE */
    /* num 0: posts are anywhere. Else they are its slots in turn, beginning with the first, `depth`
     * of them: the port may receive right into them, where it can, while the queue is its only one,
     * from now on. Frames for which no slot was posted are lost before the port sees them then. */
    struct soft_nic_area area;
    struct od_waker *waker;
};

/* -EINVAL, -ENOMEM with a reason. */
SOFT_API int soft_nic_rxq_open(struct soft_nic_port *port, const struct soft_nic_rxq_conf *conf,
                               struct soft_nic_rxq **rxq);
/* From here on nothing is written to what was posted. The queue stays, to be emptied: what is not
 * filled comes out of soft_nic_rxq_take() with -ECANCELED. */
SOFT_API void soft_nic_rxq_detach(struct soft_nic_rxq *rxq);
/* NULL is fine. */
SOFT_API void soft_nic_rxq_close(struct soft_nic_rxq *rxq);

/* Under which steering knows the queue. -EEXIST: another queue of the port has it. */
SOFT_API int soft_nic_rxq_set_id(struct soft_nic_rxq *rxq, uint16_t id);
SOFT_API uint16_t soft_nic_rxq_id(const struct soft_nic_rxq *rxq);
/* A number that is the port's own, never given twice while the queue lives. */
SOFT_API uint32_t soft_nic_rxq_number(const struct soft_nic_rxq *rxq);

/* The next free place, to be described; NULL: `depth` are out. Then soft_nic_rxq_post(). */
SOFT_API struct soft_nic_post *soft_nic_rxq_next(struct soft_nic_rxq *rxq);
SOFT_API void soft_nic_rxq_post(struct soft_nic_rxq *rxq);

/* The oldest frame, in the order of the posts, drives the port when there is none; NULL: none.
 * Valid until soft_nic_rxq_done(), which gives the place back. */
SOFT_API struct soft_nic_post *soft_nic_rxq_take(struct soft_nic_rxq *rxq);
SOFT_API void soft_nic_rxq_done(struct soft_nic_rxq *rxq);
/* Frames that are there, without driving. */
SOFT_API uint32_t soft_nic_rxq_ready(const struct soft_nic_rxq *rxq);

/* Drives the queue's port, when it is still part of it. */
SOFT_API void soft_nic_rxq_drive(struct soft_nic_rxq *rxq);

/* After arming the waker: true when there are `enough` frames; else the port's thread drives from
 * here on, until the next take, and wakes for each. */
SOFT_API bool soft_nic_rxq_sleep(struct soft_nic_rxq *rxq, uint32_t enough);
/* The owner is to be woken when `count` frames have come since it went to sleep, or `period` ns
 * after the first of them; count 0 or 1, or period 0: for each. */
SOFT_API void soft_nic_rxq_moderate(struct soft_nic_rxq *rxq, uint32_t count, uint64_t period);
/* The frame that is `place` behind the oldest; there must be so many. */
SOFT_API struct soft_nic_post *soft_nic_rxq_peek(struct soft_nic_rxq *rxq, uint32_t place);

SOFT_API const struct soft_nic_counters *soft_nic_rxq_counters(const struct soft_nic_rxq *rxq);

/* ---- send queues: one thread at a time ---- */

struct soft_nic_tx_frame {
    const struct soft_nic_piece *pieces;
    uint32_t npieces;
    uint32_t len; /* of all pieces */
    int status;   /* after a send: 0; -EMSGSIZE, -EIO, -ENETDOWN, ... */
};

SOFT_API int soft_nic_txq_open(struct soft_nic_port *port, struct soft_nic_txq **txq);
SOFT_API void soft_nic_txq_close(struct soft_nic_txq *txq);
/* Sends frames as they are, in order, padding short ones. Returns how many are over, with their
 * status; fewer than `n` when the port has no room now. Their memory is free again. */
SOFT_API uint32_t soft_nic_txq_send(struct soft_nic_txq *txq, struct soft_nic_tx_frame *frames,
                                    uint32_t n);
/* Longest frame. */
SOFT_API uint32_t soft_nic_txq_max_len(const struct soft_nic_txq *txq);
SOFT_API uint32_t soft_nic_txq_number(const struct soft_nic_txq *txq);

/* ---- queues of kernels ----
 *
 * What lies in memory is described in impl/opendoca_gpu_ring.h. Threads of the port drive these
 * queues, from the first one that is opened to the last one that is closed. */

struct opendoca_gpu_rx_words;
struct opendoca_gpu_tx_words;
struct opendoca_gpu_cqe;
struct opendoca_gpu_slot;

struct soft_gpu;
struct soft_gpu_memory;

struct soft_nic_rx_ring {
    struct opendoca_gpu_rx_words *words;
    struct opendoca_gpu_cqe *cqes; /* `num` */
    char *slots;                   /* `num` of `stride` bytes; NULL: the CPU does not reach them */
    const struct soft_gpu_memory *packets; /* then: the GPU's memory that has them, ... */
    char *at;                              /* ... and where they are for kernels */
    uint32_t num;                          /* a power of two */
    uint32_t stride;
    bool tells_oversize;   /* a frame that does not fit uses up its slot, with an error record */
    const uint32_t *magic; /* of the handle: when it changes, the queue is broken */
};

/* A receive queue of which the calls on its life, id, number and counters are used. All memory must
 * stay until soft_nic_rxq_detach() has returned. -EINVAL, -ENOMEM, -EAGAIN with a reason. */
SOFT_API int soft_nic_rxq_open_ring(struct soft_nic_port *port, const struct soft_nic_rx_ring *ring,
                                    struct soft_nic_rxq **rxq);

struct soft_nic_tx_ring {
    struct opendoca_gpu_tx_words *words;
    struct opendoca_gpu_cqe *cqes;
    const struct opendoca_gpu_slot *slots;
    uint32_t num, ncqes; /* slots and records, powers of two */
    const uint32_t *magic;
    struct soft_gpu *gpu;   /* whose memory frames may lie in, even if the CPU does not reach it */
    struct od_waker *waker; /* of whoever looks for records; NULL: nobody sleeps */
};

struct soft_nic_ring_txq;

SOFT_API int soft_nic_ring_txq_open(struct soft_nic_port *port, const struct soft_nic_tx_ring *ring,
                                    struct soft_nic_ring_txq **txq);
/* Slots that were not sent are forgotten. NULL is fine. */
SOFT_API void soft_nic_ring_txq_close(struct soft_nic_ring_txq *txq);
SOFT_API uint32_t soft_nic_ring_txq_number(const struct soft_nic_ring_txq *txq);
SOFT_API const struct soft_nic_counters *
soft_nic_ring_txq_counters(const struct soft_nic_ring_txq *txq);
/* Whoever looks for records has missed so many. */
SOFT_API void soft_nic_ring_txq_lost(struct soft_nic_ring_txq *txq, uint64_t n);
/* So many more calls of the CPU that rings for kernels. Any thread. */
SOFT_API void soft_nic_ring_txq_proxied(struct soft_nic_ring_txq *txq, uint64_t calls);

#endif /* OD_SOFT_NIC_NIC_H_ */
