/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_UCX_MODULE_H_
#define OD_SOFT_LINK_UCX_MODULE_H_

/* What the module defines, which is loaded when the first link over UCX is wanted. */

#include "soft/link/link_priv.h"
#include "soft/service/module.h"

#define SOFT_LINK_MODULE_VERSION 1
#define SOFT_LINK_MODULE_SYMBOL  "soft_link_module"

struct soft_link_module {
    struct soft_module_head head; /* SOFT_LINK_MODULE_VERSION */
    const struct soft_link_ops *ops;
};

#endif /* OD_SOFT_LINK_UCX_MODULE_H_ */
