/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_DEVICE_WHERE_H_
#define OD_SOFT_DEVICE_WHERE_H_

#include "soft/device/field.h"

/* Line (from 1) of the text at which the node begins: its key for a member, its value for an
 * element. For a node that is not in the text the line of the last ancestor that is. The text has
 * passed the JSON parser; on one that has not, some line of it is returned. */
unsigned int soft_where_line(const struct soft_field_node *node);

#endif /* OD_SOFT_DEVICE_WHERE_H_ */
