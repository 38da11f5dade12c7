/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_COMCH_RAW_H_
#define TESTS_LIB_COMCH_RAW_H_

/* A peer that knows how to speak to Comch and means no good: links without the library on them. */

#include <errno.h>

#include "comch/comch_priv.h"
#include "lib/comch_fixture.h"

#define RAW_MAX 8192u /* longest message of a raw link */

static inline const struct comch_side *side_of(const struct comch_end *end)
{
    return OD_CONTAINER_OF(end->ctx, struct comch_side, ctx);
}

static inline struct soft_link_conf raw_conf(void)
{
    return (struct soft_link_conf){.max_msg = RAW_MAX, .depth = 64, .connect_timeout = DEFAULT_MS};
}

/* What a client of this side's identity says. */
static inline size_t raw_hello(const struct comch_side *side, uint8_t buf[COMCH_HELLO_MAX])
{
    const struct comch_hello hello = {
        .max_msg = 4080,
        .recv_queue = 10,
        .fast_path = true,
        .identity = side->identity,
        .identity_len = side->identity_len,
    };

    return comch_wire_put_hello(buf, &hello);
}

/* How it ended: UP or DOWN. */
static inline enum soft_link_state raw_connect(const struct comch_side *side, const void *hello,
                                               size_t len, struct soft_link **link)
{
    const struct soft_link_conf conf = raw_conf();
    uint64_t until = now_ms() + DEFAULT_MS;
    char address[COMCH_ADDRESS_SIZE];
    enum soft_link_state state;

    comch_wire_address(side->identity, side->identity_len, address);
    need(soft_link_connect(address, &conf, hello, len, link) == 0);
    while ((state = soft_link_poll(*link, NULL)) == SOFT_LINK_CONNECTING)
        need(now_ms() < until);
    return state;
}

static inline void raw_await_end(struct soft_link *link)
{
    uint64_t until = now_ms() + DEFAULT_MS;

    while (soft_link_poll(link, NULL) != SOFT_LINK_DOWN)
        need(now_ms() < until);
}

static inline void raw_send(struct soft_link *link, const void *bytes, size_t len)
{
    const struct iovec iov = {(void *)bytes, len};
    uint64_t until = now_ms() + DEFAULT_MS;
    int err;

    while ((err = soft_link_send(link, &iov, 1)) == -EAGAIN)
        need(now_ms() < until);
    need(err == 0);
}

/* Frames that no library of ours sends: each is a reason for a side whose longest message has
 * BAD_MAX bytes to cut the connection. */

#define BAD_MAX 1000u

struct bad_frame {
    struct comch_frame_head head;
    size_t len; /* of the frame; behind the head are bytes 0x41 */
};

static const struct bad_frame bad_frames[] = {
    {{.kind = 0}, 0},
    {{.kind = COMCH_FRAME_MESSAGE}, 15},
    {{.kind = COMCH_FRAME_MESSAGE}, 16},               /* no message */
    {{.kind = COMCH_FRAME_MESSAGE, .id = 1}, 20},      /* of a consumer? */
    {{.kind = COMCH_FRAME_MESSAGE, .zero = 1}, 20},    /* reserved */
    {{.kind = COMCH_FRAME_MESSAGE}, 16 + BAD_MAX + 1}, /* too long */
    {{.kind = 77}, 20},                                /* what? */
    {{.kind = COMCH_FRAME_CONSUMER, .id = 1}, 16},     /* nothing about it */
    {{.kind = COMCH_FRAME_CONSUMER, .id = 1}, 100},    /* nonsense about it */
    {{.kind = COMCH_FRAME_CONSUMER, .id = 65535}, 40}, /* no id */
    {{.kind = COMCH_FRAME_EXPIRED, .id = 0}, 16},
    {{.kind = COMCH_FRAME_EXPIRED, .id = 1}, 17},
};

static inline void raw_send_bad(struct soft_link *link, const struct bad_frame *frame)
{
    static uint8_t bytes[RAW_MAX];

    memset(bytes, 0x41, sizeof(bytes));
    memcpy(bytes, &frame->head, sizeof(frame->head));
    raw_send(link, bytes, frame->len);
}

#endif /* TESTS_LIB_COMCH_RAW_H_ */
