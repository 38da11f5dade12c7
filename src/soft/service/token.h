/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SERVICE_TOKEN_H_
#define OD_SOFT_SERVICE_TOKEN_H_

/* Files with a secret that processes of other hosts have to show. */

#include "soft/soft.h"

#define SOFT_TOKEN_MAX 256u

/* Reads a regular file that only its owner may have access to and that holds 1 to SOFT_TOKEN_MAX
 * bytes; ends of lines at its end do not count. `name` is what the reason calls it. -EACCES,
 * -EINVAL, or what the system says, with a reason; then *bytes and *len are as they were. */
SOFT_API int soft_token_read(const char *name, const char *path, uint8_t bytes[SOFT_TOKEN_MAX],
                             uint32_t *len);

#endif /* OD_SOFT_SERVICE_TOKEN_H_ */
