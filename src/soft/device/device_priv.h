/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_DEVICE_DEVICE_PRIV_H_
#define OD_SOFT_DEVICE_DEVICE_PRIV_H_

/* What the files of this room share. */

#include "soft/device/device.h"

/* Bits of soft_device.given: the file states the field, so neither a default nor the kernel's
 * answer may replace it. */
enum {
    GIVEN_SF_INDEX = 1 << 0,
    GIVEN_IBDEV = 1 << 1,
    GIVEN_IFACE_INDEX = 1 << 2,
    GIVEN_MAC = 1 << 3,
    GIVEN_IPV4 = 1 << 4,
    GIVEN_IPV6 = 1 << 5,
    GIVEN_LID = 1 << 6,
    GIVEN_ACTIVE_RATE = 1 << 7,
    GIVEN_VHCA_ID = 1 << 8,
    GIVEN_VUID = 1 << 9,
    GIVEN_UPLINK = 1 << 10,
    GIVEN_REP_IFACE = 1 << 11,
    GIVEN_REP_IFACE_INDEX = 1 << 12,
    GIVEN_REP_IB_PORT = 1 << 13,
    GIVEN_DATA_DIRECT_PCI = 1 << 14,
    GIVEN_PF_INDEX = 1 << 15,
    GIVEN_VF_INDEX = 1 << 16,
    GIVEN_TOTAL_VFS = 1 << 17,
    GIVEN_STATE = 1 << 18,
    GIVEN_MTU = 1 << 19,
    GIVEN_REPRESENTORS = 1 << 20,
};

/* Capabilities, limits and habits of a kind of card. */
struct soft_profile {
    char name[SOFT_NAME_SIZE];
    uint64_t active_rate;
    struct soft_caps caps;
    struct soft_copy_conf copy;
};

#define SOFT_PROFILE_DEFAULT "default"

/* NULL if there is no built-in profile of that name. */
const struct soft_profile *soft_device_profile_find(const char *name);

/* Text of the devices file that stands for the built-in topology. */
const char *soft_device_builtin(void);

/* Takes from the kernel what a device's network interface has and the file does not state. Without
 * an interface of that name the device stays as it is, its state is unknown. */
void soft_device_read_iface(struct soft_device *device);
/* The same for the interface of its representor. */
void soft_device_read_rep_iface(struct soft_device *device);

#endif /* OD_SOFT_DEVICE_DEVICE_PRIV_H_ */
