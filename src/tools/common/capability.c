/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/capability.h"

#include <stddef.h>

static struct tool_cap_value answer(doca_error_t result, enum tool_cap_kind if_success,
                                    uint64_t number)
{
    struct tool_cap_value value = {TOOL_CAP_UNKNOWN, 0};

    if (result == DOCA_SUCCESS) {
        value.kind = if_success;
        value.number = number;
    } else if (result == DOCA_ERROR_NOT_SUPPORTED) {
        value.kind = TOOL_CAP_UNSUPPORTED;
    }
    return value;
}

struct tool_cap_value tool_cap_query(const struct tool_cap *cap, struct doca_devinfo *devinfo)
{
    doca_error_t result;
    uint64_t number = 0;
    uint8_t flag = 0;

    if (cap->status != NULL)
        return answer(cap->status(devinfo), TOOL_CAP_SUPPORTED, 0);
    if (cap->flag != NULL) {
        result = cap->flag(devinfo, &flag);
        return answer(result, flag != 0 ? TOOL_CAP_SUPPORTED : TOOL_CAP_UNSUPPORTED, 0);
    }
    result = cap->number(devinfo, &number);
    return answer(result, TOOL_CAP_NUMBER, number);
}
