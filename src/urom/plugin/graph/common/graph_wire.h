/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_GRAPH_COMMON_GRAPH_WIRE_H_
#define OD_UROM_PLUGIN_GRAPH_COMMON_GRAPH_WIRE_H_

/* What the plugin worker_graph and its host half say to each other. */

#include <stdint.h>

#define GRAPH_VERSION 1

enum graph_type {
    GRAPH_LOOPBACK = 0, /* the data come back */
};

struct graph_cmd {
    uint64_t type;
    uint64_t data;
};

struct graph_notify {
    uint64_t type;
    uint64_t data;
};

_Static_assert(sizeof(struct graph_cmd) == 16 && sizeof(struct graph_notify) == 16, "wire format");

#endif /* OD_UROM_PLUGIN_GRAPH_COMMON_GRAPH_WIRE_H_ */
