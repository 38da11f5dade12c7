/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_FRAMES_H_
#define OD_UROM_WIRE_FRAMES_H_

/* Messages that may be longer than one frame: cut on one side, put together on the other. */

#include "urom/wire/wire.h"

/* The next frame of a body that is being sent; `sent` counts what went before and is moved on. */
struct urom_cut {
    const void *body;
    size_t len;
    size_t sent;
    size_t room; /* of one frame, header included */
    uint16_t type;
    uint64_t correlation;
    bool begun; /* also an empty body has one frame */
};

/* Fills in the header and says which part of the body follows it; false when all was sent. The
 * caller moves on with urom_cut_next() when the frame is out. */
bool urom_cut_frame(const struct urom_cut *cut, struct urom_frame *frame, const void **part);
void urom_cut_next(struct urom_cut *cut, const struct urom_frame *frame);

/* Puts frames of one message together. */
struct urom_join {
    uint8_t *body; /* owned; kept between messages */
    size_t len;
    size_t cap;
    size_t limit; /* bytes of a body */
    uint16_t type;
    uint64_t correlation;
    bool open; /* more frames are to come */
};

/* One message of a link. 1: a message is complete and is in `join` until the next call. 0: more
 * frames are needed, or it is to be skipped. -EBADMSG: malformed; -EMSGSIZE: beyond the limit;
 * -ENOMEM. */
int urom_join_frame(struct urom_join *join, const void *bytes, size_t len);
void urom_join_free(struct urom_join *join);

#endif /* OD_UROM_WIRE_FRAMES_H_ */
