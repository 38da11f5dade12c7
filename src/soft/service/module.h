/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SERVICE_MODULE_H_
#define OD_SOFT_SERVICE_MODULE_H_

/* Modules: what needs a heavy library lies beside this one in a file of its own and is loaded when
 * it is first wanted. */

#include "soft/soft.h"

/* How every module's symbol begins. */
struct soft_module_head {
    uint32_t version;
    uint32_t size; /* of the whole */
};

/* Loads `file` once, never unloads it, and gives its symbol. `what` is what it is for, as in "links
 * over UCX". The caller sees to it that one thread at a time does this for a file. -ENOTSUP with a
 * reason: it is not there, misses a library, or belongs to another release. */
int soft_module_load(const char *file, const char *what, const char *symbol,
                     const struct soft_module_head *wanted, const void **module);

#endif /* OD_SOFT_SERVICE_MODULE_H_ */
