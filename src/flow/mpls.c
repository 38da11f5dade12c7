/* SPDX-License-Identifier: BSD-3-Clause */
#include <endian.h>

#include "flow/flow_priv.h"

#define LABEL_MAX ((1u << 20) - 1)
#define CLASS_MAX 7u

doca_error_t doca_flow_mpls_label_encode(uint32_t label, uint8_t traffic_class, uint8_t ttl,
                                         bool bottom_of_stack, struct doca_flow_header_mpls *mpls)
{
    if (mpls == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "mpls");
    if (label > LABEL_MAX || traffic_class > CLASS_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "label",
                         "%u, class %u" CORE_LIMIT "%u, class %u", label, traffic_class, LABEL_MAX,
                         CLASS_MAX);
    mpls->label =
        htobe32(label << 12 | (uint32_t)traffic_class << 9 | (bottom_of_stack ? 1u << 8 : 0) | ttl);
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_mpls_label_decode(const struct doca_flow_header_mpls *mpls, uint32_t *label,
                                         uint8_t *traffic_class, uint8_t *ttl,
                                         bool *bottom_of_stack)
{
    uint32_t word;

    if (mpls == NULL || label == NULL || traffic_class == NULL || ttl == NULL ||
        bottom_of_stack == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "mpls or output");
    word = be32toh(mpls->label);
    *label = word >> 12;
    *traffic_class = (uint8_t)(word >> 9 & CLASS_MAX);
    *bottom_of_stack = (word >> 8 & 1) != 0;
    *ttl = (uint8_t)word;
    return DOCA_SUCCESS;
}
