/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_PEER_ITEM_H_
#define OD_SOFT_PEER_ITEM_H_

/* One of the requests, or rows of requests, to an exporter on another host; see flow.h. */

#include <stdbool.h>
#include <stdint.h>

#include "util/list.h"

struct soft_peer_item_ops;

struct soft_peer_item {
    struct od_list link;
    const struct soft_peer_item_ops *ops;
    uint64_t since;   /* ns */
    uint32_t waiting; /* requests under way */
    bool asked;       /* all of them */
    bool ended;
    int status;
};

#endif /* OD_SOFT_PEER_ITEM_H_ */
