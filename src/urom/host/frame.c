/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/urom_priv.h"

#include <errno.h>
#include <time.h>

#define CONTROL_DEPTH 8

void urom_control_conf(struct soft_link_conf *conf, struct od_waker *waker)
{
    *conf = (struct soft_link_conf){
        .max_msg = UROM_WIRE_FRAME_MAX, .depth = CONTROL_DEPTH, .waker = waker};
}

uint64_t urom_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int urom_frame_send(struct soft_link *link, enum urom_type type, uint64_t correlation,
                    const void *body, size_t len)
{
    struct urom_frame frame = {
        .len = (uint32_t)len, .type = (uint16_t)type, .correlation = correlation};
    const struct iovec iov[] = {{&frame, sizeof(frame)}, {(void *)body, len}};

    return soft_link_send(link, iov, OD_ARRAY_SIZE(iov));
}

int urom_cut_send(struct soft_link *link, struct urom_cut *cut)
{
    struct urom_frame frame;
    const void *part;

    while (urom_cut_frame(cut, &frame, &part)) {
        const struct iovec iov[] = {{&frame, sizeof(frame)}, {(void *)part, frame.len}};
        int err = soft_link_send(link, iov, OD_ARRAY_SIZE(iov));

        if (err != 0)
            return err;
        urom_cut_next(cut, &frame);
    }
    return 0;
}

int urom_frame_recv(struct soft_link *link, struct urom_join *join)
{
    struct soft_link_msg msg;

    for (;;) {
        int err = soft_link_recv(link, &msg);

        if (err != 0)
            return err;
        /* The bytes are copied before they are looked at: all but the header by the join, which
         * copies that itself. */
        err = urom_join_frame(join, msg.data, msg.len);
        soft_link_release(link);
        if (err != 0)
            return err < 0 ? err : 0;
    }
}
