/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_CM_FRAME_H_
#define OD_SOFT_CM_FRAME_H_

/* What travels over the TCP connection: one frame each way. It comes from anywhere: checked here.
 */

#include "soft/cm/cm.h"

enum soft_cm_kind {
    SOFT_CM_ASK = 1,
    SOFT_CM_ACCEPT = 2,
    SOFT_CM_REFUSE = 3,
};

struct soft_cm_head {
    uint32_t magic; /* all of it little-endian */
    uint16_t version;
    uint16_t kind;
    uint32_t len; /* of what follows */
    uint32_t zero;
};

#define SOFT_CM_FRAME_MAX (sizeof(struct soft_cm_head) + SOFT_CM_DATA_MAX)

/* Bytes so far of a frame. */
struct soft_cm_inbox {
    uint8_t bytes[SOFT_CM_FRAME_MAX];
    size_t have;
};

/* Length of the frame; `buf` has room for SOFT_CM_FRAME_MAX. */
SOFT_API size_t soft_cm_frame_put(uint8_t *buf, enum soft_cm_kind kind, const void *data,
                                  size_t len);

/* How many bytes the frame still lacks: 0 = it is whole, negative: -EPROTO, it is none. Never asks
 * for more than the inbox has room for. */
SOFT_API int soft_cm_frame_lacks(const struct soft_cm_inbox *inbox);

/* Of a whole frame. */
SOFT_API enum soft_cm_kind soft_cm_frame_kind(const struct soft_cm_inbox *inbox);
SOFT_API const void *soft_cm_frame_data(const struct soft_cm_inbox *inbox, size_t *len);

#endif /* OD_SOFT_CM_FRAME_H_ */
