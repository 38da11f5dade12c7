/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_priv.h"

struct flow_library flow_library = {
    .ports = {&flow_library.ports, &flow_library.ports},
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

doca_error_t doca_flow_init(struct doca_flow_cfg *cfg)
{
    if (cfg == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "cfg");
    if (flow_library.is_up)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_FLOW, __func__, NULL, "state",
                         "initialised already" CORE_REMEDY "call doca_flow_destroy() first");
    if (!cfg->has_mode)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "mode",
                         "missing" CORE_REMEDY "call doca_flow_cfg_set_mode_args()");
    flow_library.cfg = *cfg;
    atomic_store(&flow_library.counters_left, cfg->counters);
    flow_library.is_up = true;
    return DOCA_SUCCESS;
}

void doca_flow_destroy(void)
{
    if (!flow_library.is_up)
        return;
    OD_LIST_FOR_EACH(link, &flow_library.ports)
    {
        const struct doca_flow_port *port = OD_LIST_ENTRY(link, struct doca_flow_port, link);

        if (flow_port_is_reporting(port)) {
            CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_FLOW, __func__, port->name, "state",
                      "in a callback of an entry" CORE_REMEDY "return from the callback first");
            return;
        }
    }
    OD_LIST_FOR_EACH_SAFE(link, &flow_library.ports)
    flow_port_end(OD_LIST_ENTRY(link, struct doca_flow_port, link));
    flow_library.is_up = false;
}

doca_error_t doca_flow_get_target(enum doca_flow_target_type type, struct doca_flow_target **target)
{
    if (target == NULL)
        return CORE_FAIL_NULL(CORE_LOG_FLOW, __func__, "target");
    if (!flow_library.is_up)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_FLOW, __func__, NULL, "state",
                         "not initialised" CORE_REMEDY "call doca_flow_init() first");
    if (type != DOCA_FLOW_TARGET_KERNEL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, NULL, "type",
                         "%d" CORE_LIMIT "DOCA_FLOW_TARGET_KERNEL", (int)type);
    *target = &flow_kernel;
    return DOCA_SUCCESS;
}
