/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SERVICE_SHARED_H_
#define OD_SOFT_SERVICE_SHARED_H_

/* Memory that two processes see. */

#include "soft/soft.h"

/* A sealed memory file, mapped; *fd is for handing over. Negative errno, no reason. */
int soft_service_shared_create(const char *name, size_t size, void **addr, int *fd);
/* Maps a received one. -EBADMSG unless it is sealed and has that size. */
int soft_service_shared_map(int fd, size_t size, void **addr);

#endif /* OD_SOFT_SERVICE_SHARED_H_ */
