/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_AF_XDP_MODULE_H_
#define OD_SOFT_NIC_AF_XDP_MODULE_H_

/* What the module defines, which is loaded when the first port of this kind is opened. */

#include <net/if.h>

#include "soft/nic/nic_priv.h"
#include "soft/service/module.h"

#define SOFT_AF_XDP_MODULE_VERSION 3
#define SOFT_AF_XDP_MODULE_SYMBOL  "soft_af_xdp_module"

enum soft_af_xdp_mode {
    SOFT_AF_XDP_AUTO,    /* native, else generic */
    SOFT_AF_XDP_NATIVE,  /* in the driver, without a copy where it can */
    SOFT_AF_XDP_COPY,    /* in the driver, with a copy */
    SOFT_AF_XDP_GENERIC, /* in the network stack: every interface */
};

struct soft_af_xdp_conf {
    char iface[IFNAMSIZ];
    enum soft_af_xdp_mode mode;
    uint32_t ring;   /* frames that each queue of the interface can hold; a power of two */
    uint32_t queues; /* of the interface, from the first one; 0: all */
};

struct soft_af_xdp_module {
    struct soft_module_head head;
    int (*open)(const struct soft_af_xdp_conf *conf, struct soft_nic_backend **backend);
};

#endif /* OD_SOFT_NIC_AF_XDP_MODULE_H_ */
