/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_UCX_MODULE_H_
#define OD_SOFT_LINK_UCX_MODULE_H_

/* What the module defines, which is loaded when the first link over UCX is wanted. */

#include "soft/link/link_priv.h"

#define SOFT_LINK_MODULE_VERSION 1
#define SOFT_LINK_MODULE_SYMBOL  "soft_link_module"

struct soft_link_module {
    uint32_t version; /* SOFT_LINK_MODULE_VERSION */
    uint32_t size;    /* of this */
    const struct soft_link_ops *ops;
};

#endif /* OD_SOFT_LINK_UCX_MODULE_H_ */
