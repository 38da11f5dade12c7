/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_CAPTURE_H_
#define OD_SOFT_NIC_CAPTURE_H_

/* Frames of a port of another process, or of this one, as they pass.
 *
 * Who captures makes a ring in the runtime folder and asks for it in the page of the port. The
 * port's thread finds it within a fraction of a second, and from then on frames are copied into the
 * ring. A ring that is full loses frames and counts them; the port never waits. */

#include "soft/nic/nic.h"

#define SOFT_NIC_CAPTURE_RX 1u
#define SOFT_NIC_CAPTURE_TX 2u

struct soft_nic_capture;

struct soft_nic_capture_conf {
    uint32_t directions; /* of the port: SOFT_NIC_CAPTURE_RX, TX */
    int32_t queue;       /* only what this receive queue is given, by its id; -1: the port */
};

struct soft_nic_captured {
    uint64_t time; /* nanoseconds, realtime clock */
    uint32_t len;
    uint32_t direction;
};

/* Of the port that process `pid` has for the device, as its page names it. -ENOENT: there is none;
 * or another negative errno, with a reason. */
SOFT_API int soft_nic_capture_open(uint32_t pid, const char *device,
                                   const struct soft_nic_capture_conf *conf,
                                   struct soft_nic_capture **capture);
/* The port has found it. */
SOFT_API bool soft_nic_capture_is_on(const struct soft_nic_capture *capture);
/* 1: the next frame, in `bytes` of SOFT_NIC_FRAME_MAX; 0: none now; -EPIPE: the port has ended, and
 * there are no more; -EBADMSG: the ring has nonsense. */
SOFT_API int soft_nic_capture_next(struct soft_nic_capture *capture,
                                   struct soft_nic_captured *frame, uint8_t *bytes);
SOFT_API uint64_t soft_nic_capture_lost(const struct soft_nic_capture *capture);
/* NULL is fine. */
SOFT_API void soft_nic_capture_close(struct soft_nic_capture *capture);

#endif /* OD_SOFT_NIC_CAPTURE_H_ */
