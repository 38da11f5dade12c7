/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_COPY_PRIV_H_
#define OD_SOFT_COPY_COPY_PRIV_H_

/* The engines. The build makes soft_copy_engine_table from the list of their folders. */

#include "soft/copy/copy.h"

extern const struct soft_copy_ops soft_copy_inline_ops;
extern const struct soft_copy_ops soft_copy_threads_ops;
extern const struct soft_copy_ops soft_copy_error_ops;

extern const struct soft_copy_ops *const soft_copy_engine_table[]; /* NULL-terminated */

#endif /* OD_SOFT_COPY_COPY_PRIV_H_ */
