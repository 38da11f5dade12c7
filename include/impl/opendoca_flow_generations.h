/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of doca_flow.h as programs for earlier releases write them. Included by it; never directly.
 *
 *   doca_flow_pipe_add_entry()           with 9 arguments (releases up to 3.0) or 10 (an action
 * index before the actions): doca_flow_pipe_basic_add_entry() doca_flow_pipe_control_add_entry()
 * with the priority before the pipe: the same function with its arguments in today's order
 *   doca_flow_pipe_update_entry()        doca_flow_pipe_basic_update_entry() with the first actions
 *   DOCA_FLOW_NO_WAIT, DOCA_FLOW_WAIT_FOR_BATCH
 *   doca_flow_pipe_cfg_set_enable_strict_matching(), doca_flow_pipe_cfg_set_dir_info()
 *                                        taken, without effect: headers that a match speaks of must
 *                                        always be there
 *
 * In C these are macros that look at the number and the types of arguments: a program that defines
 * functions of these names itself undefines them first. In C++ they are overloads.
 */
#ifndef OPENDOCA_FLOW_GENERATIONS_H_
#define OPENDOCA_FLOW_GENERATIONS_H_

/** When an entry is pushed, as named up to 3.0; here at once with either. */
enum doca_flow_flags_type {
    DOCA_FLOW_NO_WAIT = 0,        /**< by the call */
    DOCA_FLOW_WAIT_FOR_BATCH = 1, /**< may wait for the next one without this flag */
};

/** Where the frames of a pipe come from; without effect. */
enum doca_flow_direction_info {
    DOCA_FLOW_DIRECTION_BIDIRECTIONAL = 0,   /**< either side */
    DOCA_FLOW_DIRECTION_NETWORK_TO_HOST = 1, /**< the wire */
    DOCA_FLOW_DIRECTION_HOST_TO_NETWORK = 2, /**< this machine */
};

/** DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE: cfg is NULL. */
static inline doca_error_t
doca_flow_pipe_cfg_set_enable_strict_matching(struct doca_flow_pipe_cfg *cfg,
                                              bool enable_strict_matching)
{
    (void)enable_strict_matching;
    return cfg != NULL ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

/** DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE: cfg is NULL. */
static inline doca_error_t doca_flow_pipe_cfg_set_dir_info(struct doca_flow_pipe_cfg *cfg,
                                                           enum doca_flow_direction_info dir_info)
{
    (void)dir_info;
    return cfg != NULL ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

/* What is marked as experimental warns where a program calls it, not here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static inline doca_error_t
opendoca_flow_add_entry_9(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                          const struct doca_flow_match *match,
                          const struct doca_flow_actions *actions,
                          const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd,
                          uint32_t flags, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_basic_add_entry(pipe_queue, pipe, match, 0, actions, monitor, fwd, flags,
                                          usr_ctx, entry);
}

static inline doca_error_t doca_flow_pipe_update_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_actions *actions,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd, uint32_t flags,
    struct doca_flow_pipe_entry *entry)
{
    return doca_flow_pipe_basic_update_entry(pipe_queue, pipe, 0, actions, monitor, fwd, flags,
                                             entry);
}

static inline doca_error_t opendoca_flow_control_add_entry_by_priority(
    uint16_t pipe_queue, uint32_t priority, struct doca_flow_pipe *pipe,
    const struct doca_flow_match *match, const struct doca_flow_match *match_mask,
    const struct doca_flow_match_condition *condition, const struct doca_flow_actions *actions,
    const struct doca_flow_actions *actions_mask, const struct doca_flow_action_descs *action_descs,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd, void *usr_ctx,
    struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_control_add_entry(pipe_queue, pipe, match, match_mask, condition, actions,
                                            actions_mask, action_descs, monitor, priority, fwd,
                                            usr_ctx, entry);
}

#pragma GCC diagnostic pop

#ifdef __cplusplus

extern "C++" {

static inline doca_error_t
doca_flow_pipe_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                         const struct doca_flow_match *match,
                         const struct doca_flow_actions *actions,
                         const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd,
                         uint32_t flags, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    return opendoca_flow_add_entry_9(pipe_queue, pipe, match, actions, monitor, fwd, flags, usr_ctx,
                                     entry);
}

static inline doca_error_t
doca_flow_pipe_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                         const struct doca_flow_match *match, uint8_t action_idx,
                         const struct doca_flow_actions *actions,
                         const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd,
                         uint32_t flags, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return doca_flow_pipe_basic_add_entry(pipe_queue, pipe, match, action_idx, actions, monitor,
                                          fwd, flags, usr_ctx, entry);
#pragma GCC diagnostic pop
}

static inline doca_error_t doca_flow_pipe_control_add_entry(
    uint16_t pipe_queue, uint32_t priority, struct doca_flow_pipe *pipe,
    const struct doca_flow_match *match, const struct doca_flow_match *match_mask,
    const struct doca_flow_match_condition *condition, const struct doca_flow_actions *actions,
    const struct doca_flow_actions *actions_mask, const struct doca_flow_action_descs *action_descs,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd, void *usr_ctx,
    struct doca_flow_pipe_entry **entry)
{
    return opendoca_flow_control_add_entry_by_priority(pipe_queue, priority, pipe, match,
                                                       match_mask, condition, actions, actions_mask,
                                                       action_descs, monitor, fwd, usr_ctx, entry);
}

} /* extern "C++" */

#else

#define OPENDOCA_FLOW_ELEVENTH(a, b, c, d, e, f, g, h, i, j, chosen, ...) chosen
#define doca_flow_pipe_add_entry(...)                                                              \
    OPENDOCA_FLOW_ELEVENTH(__VA_ARGS__, doca_flow_pipe_basic_add_entry, opendoca_flow_add_entry_9, \
                           0)                                                                      \
    (__VA_ARGS__)

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define doca_flow_pipe_control_add_entry(pipe_queue, second, ...)                                  \
    _Generic((second), struct doca_flow_pipe *                                                     \
             : doca_flow_pipe_control_add_entry, void *                                            \
             : doca_flow_pipe_control_add_entry, default                                           \
             : opendoca_flow_control_add_entry_by_priority)(pipe_queue, second, __VA_ARGS__)
#endif

#endif /* __cplusplus */

#endif /* OPENDOCA_FLOW_GENERATIONS_H_ */
