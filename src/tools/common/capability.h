/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_COMMON_CAPABILITY_H_
#define OD_TOOLS_COMMON_CAPABILITY_H_

/* What a device can do, asked through the public API only, so that what is printed is what a
 * program gets. */

#include <stdint.h>

#include <doca_dev.h>
#include <doca_error.h>

/* One question, in the form that its query function has; the other two are NULL. */
struct tool_cap {
    const char *name;
    doca_error_t (*status)(const struct doca_devinfo *devinfo); /* the code is the answer */
    doca_error_t (*flag)(const struct doca_devinfo *devinfo, uint8_t *is_supported);
    doca_error_t (*number)(struct doca_devinfo *devinfo, uint64_t *value);
};

enum tool_cap_kind {
    TOOL_CAP_UNKNOWN, /* the device could not be asked */
    TOOL_CAP_UNSUPPORTED,
    TOOL_CAP_SUPPORTED,
    TOOL_CAP_NUMBER, /* supported, up to `number` */
};

struct tool_cap_value {
    enum tool_cap_kind kind;
    uint64_t number;
};

struct tool_cap_value tool_cap_query(const struct tool_cap *cap, struct doca_devinfo *devinfo);

/* One table a library, ended by a NULL name. */
extern const struct tool_cap tool_caps_common[];
extern const struct tool_cap tool_caps_dma[];
extern const struct tool_cap tool_caps_comch[];
extern const struct tool_cap tool_caps_eth[];
extern const struct tool_cap tool_caps_flow[];

#endif /* OD_TOOLS_COMMON_CAPABILITY_H_ */
