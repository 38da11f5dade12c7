/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_AF_XDP_MODULE_PACE_H_
#define OD_SOFT_NIC_AF_XDP_MODULE_PACE_H_

/* How often rings without frames are looked at.
 *
 * Looking at rings all the time slows down who fills them. While frames come closely, an empty look
 * is followed by none until the window is over; else the next frame is seen at once.
 *
 * A sender that waits for answers before it sends more would be held up by that, each time. Its
 * frames come all in one half of the wait. Whoever asks in the middle how many are there sees it;
 * after two such waits nobody waits for some time. */

#include <stdbool.h>
#include <stdint.h>

#define AF_XDP_WINDOW_NS 20000u
#define AF_XDP_DENSE     4u  /* frames in a window */
#define AF_XDP_REST      32u /* windows without waiting */

struct af_xdp_pace {
    uint64_t window; /* when it began, ns */
    uint64_t half;   /* middle of a wait of a whole window; 0: it was there, or there is none */
    uint64_t until;  /* nobody looks before; 0: at once */
    uint32_t frames; /* of the window */
    uint32_t early;  /* there in the middle of the wait */
    uint32_t uneven; /* waits in a row with an empty half */
    uint32_t rest;   /* windows in which nobody waits */
    bool is_dense;
    bool is_asked; /* in the middle of this wait */
};

/* Nothing came at `now`. */
static inline void af_xdp_pace_empty(struct af_xdp_pace *pace, uint64_t now)
{
    const uint64_t passed = now - pace->window;

    if (passed >= AF_XDP_WINDOW_NS) {
        pace->is_dense = (uint64_t)pace->frames * AF_XDP_WINDOW_NS >= passed * AF_XDP_DENSE;
        pace->is_dense = pace->is_dense && pace->rest == 0;
        pace->rest -= pace->rest > 0;
        pace->half = pace->is_dense ? now + AF_XDP_WINDOW_NS / 2 : 0;
        pace->is_asked = false;
        pace->frames = 0;
        pace->window = now;
    }
    pace->until = pace->is_dense ? pace->window + AF_XDP_WINDOW_NS : 0;
}

/* In a wait: it is time to tell how many frames are there. */
static inline bool af_xdp_pace_asks(const struct af_xdp_pace *pace, uint64_t now)
{
    return now >= pace->until ? pace->is_asked : pace->half != 0 && now >= pace->half;
}

static inline void af_xdp_pace_tell(struct af_xdp_pace *pace, uint64_t now, uint32_t frames)
{
    if (now < pace->until) {
        pace->half = 0;
        pace->early = frames;
        pace->is_asked = true;
        return;
    }
    pace->is_asked = false;
    pace->uneven = pace->early == 0 || pace->early == frames ? pace->uneven + 1 : 0;
    if (pace->uneven < 2)
        return;
    pace->uneven = 0;
    pace->rest = AF_XDP_REST;
}

/* False: the wait is over, and it is looked at once. */
static inline bool af_xdp_pace_waits(struct af_xdp_pace *pace, uint64_t now)
{
    if (now < pace->until)
        return true;
    pace->until = 0;
    return false;
}

#endif /* OD_SOFT_NIC_AF_XDP_MODULE_PACE_H_ */
