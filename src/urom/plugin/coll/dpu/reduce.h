/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_COLL_DPU_REDUCE_H_
#define OD_UROM_PLUGIN_COLL_DPU_REDUCE_H_

/* Element-wise reductions. Whole numbers wrap around. */

#include "urom/plugin/coll/common/coll_wire.h"

/* into[i] = into[i] OP from[i], for `count` elements. Type and reduction are those that
 * coll_cmd_read() lets pass. The two must be aligned for the type. 0, or -EFAULT: a page of them
 * is not there. */
int coll_reduce(uint32_t dtype, uint32_t reduction, void *into, const void *from, size_t count);

#endif /* OD_UROM_PLUGIN_COLL_DPU_REDUCE_H_ */
