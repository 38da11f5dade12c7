/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_PART_H_
#define EXTERNAL_PART_H_

#include <stdint.h>

#include <doca_error.h>
#include <doca_pe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the C part of the program knows about the log and the version; 1 = all is well. */
int part_check(void);

#ifdef __cplusplus
}
#endif

#endif /* EXTERNAL_PART_H_ */
