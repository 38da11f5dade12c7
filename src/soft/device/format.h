/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_DEVICE_FORMAT_H_
#define OD_SOFT_DEVICE_FORMAT_H_

#include <limits.h>

#include "soft/device/device_priv.h"
#include "soft/device/field.h"

/* The members of the whole file that are not read into devices or profiles. */
struct soft_device_head {
    char bf_mode[16];
    char bfb_file[PATH_MAX];
};

extern const struct soft_field_table soft_device_file_table;    /* struct soft_device_head */
extern const struct soft_field_table soft_device_profile_table; /* struct soft_profile */
extern const struct soft_field_table soft_device_device_table;  /* struct soft_device */
extern const struct soft_field_table soft_device_caps_table;    /* struct soft_caps */
extern const struct soft_field_table soft_device_copy_table;    /* struct soft_copy_conf */
extern const struct soft_field_table soft_device_engine_table;  /* struct soft_engine_conf */

/* A topology whose parts are still writable. */
struct soft_device_table {
    struct soft_topology topology;
    struct soft_device *devices;
    char *source;
    char *bf_mode;
    char *bfb_file;
};

/* Second half of reading: what concerns the devices among each other. `devices` is their array. */
int soft_device_connect(struct soft_device_table *table, const struct soft_field_node *devices);

/* -ENOMEM with its reason. */
int soft_device_no_memory(void);

#endif /* OD_SOFT_DEVICE_FORMAT_H_ */
