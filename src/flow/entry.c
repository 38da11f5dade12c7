/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries. They are in their table as soon as they are added or removed; what waits on a queue is
 * the report. */

#include "flow/flow_priv.h"

#include <errno.h>
#include <stdlib.h>

#define PRIORITY_MAX 65535u

/* ------------------------------------------------------------------------------------------------
 * Queues
 */

static void push(struct doca_flow_pipe_entry *entry, uint16_t pipe_queue,
                 enum doca_flow_entry_op op)
{
    struct flow_queue *queue = &entry->pipe->port->queues[pipe_queue];

    entry->ops |= 1u << op;
    if (entry->is_queued)
        return;
    entry->is_queued = true;
    entry->next = NULL;
    if (queue->first == NULL)
        queue->first = entry;
    else
        queue->last->next = entry;
    queue->last = entry;
    queue->waiting++;
}

static void release(struct doca_flow_pipe_entry *entry)
{
    struct doca_flow_pipe *pipe = entry->pipe;

    core_live_remove(entry);
    pthread_mutex_lock(&pipe->lock);
    od_list_remove(&entry->link);
    pthread_mutex_unlock(&pipe->lock);
    if (entry->counts)
        atomic_fetch_add(&flow_library.counters_left, 1);
    soft_nic_entry_free(entry->soft);
    free(entry);
}

/* Its pipe was destroyed in its callback. */
static void release_with_pipe(struct doca_flow_pipe_entry *entry)
{
    struct doca_flow_pipe *pipe = entry->pipe;

    release(entry);
    if (od_list_is_empty(&pipe->entries))
        flow_pipe_free(pipe);
}

/* A callback may remove the entry, or destroy its pipe. */
static void report(struct doca_flow_pipe_entry *entry, uint16_t pipe_queue)
{
    static const enum doca_flow_entry_op order[] = {DOCA_FLOW_ENTRY_OP_ADD, DOCA_FLOW_ENTRY_OP_UPD,
                                                    DOCA_FLOW_ENTRY_OP_DEL};
    uint32_t ops = entry->ops;

    entry->ops = 0;
    entry->is_queued = false;
    entry->status = DOCA_FLOW_ENTRY_STATUS_SUCCESS;
    entry->is_reported = true;
    for (size_t i = 0; i < OD_ARRAY_SIZE(order) && !entry->is_dropped; i++) {
        if ((ops & (1u << order[i])) != 0 && flow_library.cfg.entry_cb != NULL)
            flow_library.cfg.entry_cb(entry, pipe_queue, DOCA_FLOW_ENTRY_STATUS_SUCCESS, order[i],
                                      entry->user_ctx);
    }
    entry->is_reported = false;
    if (entry->is_dropped)
        release_with_pipe(entry);
    else if ((ops & (1u << DOCA_FLOW_ENTRY_OP_DEL)) != 0)
        release(entry);
}

static void process(struct doca_flow_port *port, uint16_t pipe_queue, uint32_t max)
{
    struct flow_queue *queue = &port->queues[pipe_queue];

    queue->is_reporting = true;
    /* What callbacks add waits for the next call; what they destroy is gone. */
    for (uint32_t left = OD_MIN(queue->waiting, max); left > 0 && queue->first != NULL; left--) {
        struct doca_flow_pipe_entry *entry = queue->first;

        queue->first = entry->next;
        queue->waiting--;
        report(entry, pipe_queue);
    }
    queue->is_reporting = false;
}

/* A queue that nobody processes does not grow without end. The last step of a call, whose own
 * report waits: callbacks may end the entry and its pipe. */
static void process_if_full(struct doca_flow_port *port, uint16_t pipe_queue)
{
    const struct flow_queue *queue = &port->queues[pipe_queue];

    if (queue->waiting > flow_library.cfg.depth && !queue->is_reporting)
        process(port, pipe_queue, queue->waiting - 1);
}

bool flow_port_is_reporting(const struct doca_flow_port *port)
{
    for (uint32_t i = 0; i < flow_library.cfg.queues; i++) {
        if (port->queues[i].is_reporting)
            return true;
    }
    return false;
}

static doca_error_t check_queue(const struct doca_flow_port *port, uint16_t pipe_queue,
                                const char *func)
{
    if (pipe_queue < flow_library.cfg.queues)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, port->name, "pipe_queue",
                     "%u" CORE_LIMIT "0..%u" CORE_REMEDY "see doca_flow_cfg_set_pipe_queues()",
                     pipe_queue, flow_library.cfg.queues - 1);
}

doca_error_t doca_flow_entries_process(struct doca_flow_port *port, uint16_t pipe_queue,
                                       uint64_t timeout, uint32_t max_processed_entries)
{
    doca_error_t result = flow_port_check(port, __func__);

    (void)timeout; /* nothing is waited for */
    if (result == DOCA_SUCCESS)
        result = check_queue(port, pipe_queue, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (port->queues[pipe_queue].is_reporting)
        return CORE_FAIL(
            DOCA_ERROR_NOT_PERMITTED, CORE_LOG_FLOW, __func__, port->name, "pipe_queue",
            "%u, which is being processed" CORE_REMEDY "return from the callback first",
            pipe_queue);
    process(port, pipe_queue, max_processed_entries != 0 ? max_processed_entries : UINT32_MAX);
    flow_port_tell(port);
    return DOCA_SUCCESS;
}

/* Of a pipe that ends: out of all queues, without a report. */
static void unqueue(struct doca_flow_pipe *pipe)
{
    for (uint32_t i = 0; i < flow_library.cfg.queues; i++) {
        struct flow_queue *queue = &pipe->port->queues[i];
        struct flow_queue kept = {.is_reporting = queue->is_reporting};

        for (struct doca_flow_pipe_entry *entry = queue->first, *next; entry != NULL;
             entry = next) {
            next = entry->next;
            if (entry->pipe == pipe)
                continue;
            entry->next = NULL;
            if (kept.first == NULL)
                kept.first = entry;
            else
                kept.last->next = entry;
            kept.last = entry;
            kept.waiting++;
        }
        *queue = kept;
    }
}

void flow_entries_drop(struct doca_flow_pipe *pipe)
{
    unqueue(pipe);
    OD_LIST_FOR_EACH_SAFE(link, &pipe->entries)
    {
        struct doca_flow_pipe_entry *entry = OD_LIST_ENTRY(link, struct doca_flow_pipe_entry, link);

        if (soft_nic_entry_remove(entry->soft) != 0)
            continue;
        if (entry->is_reported)
            entry->is_dropped = true;
        else
            release(entry);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Adding
 */

static doca_error_t check_add(const struct doca_flow_pipe *pipe, uint16_t pipe_queue,
                              enum doca_flow_pipe_type type, const char *func)
{
    doca_error_t result = flow_pipe_check(pipe, func);

    if (result == DOCA_SUCCESS)
        result = check_queue(pipe->port, pipe_queue, func);
    if (result == DOCA_SUCCESS && pipe->type != type)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_FLOW, func, pipe->name, "type of the pipe",
                         "%s" CORE_LIMIT "%s",
                         pipe->type == DOCA_FLOW_PIPE_CONTROL ? "CONTROL" : "BASIC",
                         type == DOCA_FLOW_PIPE_CONTROL ? "CONTROL" : "BASIC");
    return result;
}

static doca_error_t read_fwd(const struct doca_flow_pipe *pipe, const struct doca_flow_fwd *fwd,
                             const char *func, struct soft_nic_fwd *out)
{
    doca_error_t result = flow_fwd(pipe->port, fwd, false, func, out);

    if (result == DOCA_SUCCESS && out->kind == SOFT_NIC_FWD_NONE && !pipe->has_fwd)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, pipe->name, "fwd",
                         "missing" CORE_REMEDY "the pipe has none, so each entry needs one");
    return result;
}

static doca_error_t read_monitor(const struct doca_flow_pipe *pipe,
                                 const struct doca_flow_monitor *monitor, const char *func,
                                 bool *counts)
{
    *counts = pipe->counts;
    if (monitor == NULL)
        return DOCA_SUCCESS;
    if (monitor->meter_type != DOCA_FLOW_RESOURCE_TYPE_NONE ||
        monitor->counter_type == DOCA_FLOW_RESOURCE_TYPE_SHARED)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, pipe->name, "monitor",
                         "a meter or a shared counter" CORE_LIMIT "a counter of the entry");
    *counts |= monitor->counter_type == DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    return DOCA_SUCCESS;
}

static doca_error_t read_actions(const struct doca_flow_pipe *pipe, uint8_t index,
                                 const struct doca_flow_actions *actions, const char *func,
                                 struct soft_nic_action *out)
{
    if (pipe->nactions == 0)
        return DOCA_SUCCESS;
    if (index >= pipe->nactions)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, pipe->name, "action_idx",
                         "%u" CORE_LIMIT "0..%zu", index, pipe->nactions - 1);
    return flow_actions_values(&pipe->actions[index], actions, func, pipe->name, out);
}

/* Counters are a budget of the library. */
static bool take_counter(void)
{
    uint32_t left = atomic_load(&flow_library.counters_left);

    while (left > 0) {
        if (atomic_compare_exchange_weak(&flow_library.counters_left, &left, left - 1))
            return true;
    }
    return false;
}

static doca_error_t fail_add(const struct doca_flow_pipe *pipe, int err, const char *func)
{
    return CORE_FAIL(err == -ENOSPC ? DOCA_ERROR_FULL : DOCA_ERROR_NO_MEMORY, CORE_LOG_FLOW, func,
                     pipe->name, "entry",
                     "%s" CORE_REMEDY "remove entries, or create the pipe for more", soft_reason());
}

static doca_error_t add(struct doca_flow_pipe *pipe, uint16_t pipe_queue,
                        const struct soft_nic_entry_conf *conf, void *user_ctx, const char *func,
                        struct doca_flow_pipe_entry **out)
{
    struct doca_flow_pipe_entry *entry = calloc(1, sizeof(*entry));
    int err = -ENOMEM;

    if (entry == NULL) {
        soft_fail(-ENOMEM, "no memory for an entry");
        return fail_add(pipe, err, func);
    }
    if (conf->counts && !take_counter()) {
        soft_fail(-ENOMEM, "no counter is left of %u; see doca_flow_cfg_set_nr_counters()",
                  flow_library.cfg.counters);
        goto err_free;
    }
    entry->pipe = pipe;
    entry->user_ctx = user_ctx;
    entry->counts = conf->counts;
    entry->status = DOCA_FLOW_ENTRY_STATUS_IN_PROCESS;
    err = soft_nic_entry_add(pipe->table, conf, &entry->soft);
    if (err != 0)
        goto err_give_counter;
    pthread_mutex_lock(&pipe->lock);
    od_list_append(&pipe->entries, &entry->link);
    pthread_mutex_unlock(&pipe->lock);
    core_live_add(CORE_LIVE_FLOW_ENTRY, entry);
    push(entry, pipe_queue, DOCA_FLOW_ENTRY_OP_ADD);
    if (out != NULL)
        *out = entry;
    process_if_full(pipe->port, pipe_queue);
    return DOCA_SUCCESS;

err_give_counter:
    if (conf->counts)
        atomic_fetch_add(&flow_library.counters_left, 1);
err_free:
    free(entry);
    return fail_add(pipe, err, func);
}

static bool has_open_fields(const struct doca_flow_pipe *pipe)
{
    for (uint32_t word = 0; word < SOFT_NIC_KEY_WORDS; word++) {
        if (soft_nic_key_word(&pipe->open, word) != 0)
            return true;
    }
    return false;
}

doca_error_t doca_flow_pipe_basic_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                            const struct doca_flow_match *match, uint8_t action_idx,
                                            const struct doca_flow_actions *actions,
                                            const struct doca_flow_monitor *monitor,
                                            const struct doca_flow_fwd *fwd, uint32_t flags,
                                            void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    doca_error_t result = check_add(pipe, pipe_queue, DOCA_FLOW_PIPE_BASIC, __func__);
    struct soft_nic_entry_conf conf = {0};

    (void)flags; /* entries are pushed at once, which both flags allow */
    if (result == DOCA_SUCCESS && match == NULL && has_open_fields(pipe))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, pipe->name, "match",
                         "NULL" CORE_REMEDY "the pipe leaves fields to its entries");
    if (result == DOCA_SUCCESS)
        result = read_fwd(pipe, fwd, __func__, &conf.fwd);
    if (result == DOCA_SUCCESS)
        result = read_monitor(pipe, monitor, __func__, &conf.counts);
    if (result == DOCA_SUCCESS)
        result = read_actions(pipe, action_idx, actions, __func__, &conf.action);
    if (result != DOCA_SUCCESS)
        return result;
    flow_match_values(match, &pipe->selectors, &conf.value);
    return add(pipe, pipe_queue, &conf, usr_ctx, __func__, entry);
}

static doca_error_t read_control_actions(const struct doca_flow_pipe *pipe,
                                         const struct doca_flow_actions *actions,
                                         const struct doca_flow_actions *mask, const char *func,
                                         struct soft_nic_action *out)
{
    struct flow_action_template template;
    doca_error_t result;

    if (actions == NULL)
        return DOCA_SUCCESS;
    result = flow_actions_template(actions, mask, func, pipe->name, &template);
    if (result != DOCA_SUCCESS)
        return result;
    return flow_actions_values(&template, actions, func, pipe->name, out);
}

static doca_error_t check_control(const struct doca_flow_pipe *pipe,
                                  const struct doca_flow_match_condition *condition,
                                  const struct doca_flow_action_descs *descs, uint32_t priority,
                                  const char *func)
{
    if (condition != NULL || (descs != NULL && descs->nb_action_desc > 0))
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_FLOW, func, pipe->name, "entry",
                         "with %s" CORE_LIMIT "a match, metadata and a forward",
                         condition != NULL ? "a condition" : "action descriptions");
    if (priority > PRIORITY_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, func, pipe->name, "priority",
                         "%u" CORE_LIMIT "0..%u", priority, PRIORITY_MAX);
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_control_add_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, const struct doca_flow_match_condition *condition,
    const struct doca_flow_actions *actions, const struct doca_flow_actions *actions_mask,
    const struct doca_flow_action_descs *action_descs, const struct doca_flow_monitor *monitor,
    uint32_t priority, const struct doca_flow_fwd *fwd, void *usr_ctx,
    struct doca_flow_pipe_entry **entry)
{
    doca_error_t result = check_add(pipe, pipe_queue, DOCA_FLOW_PIPE_CONTROL, __func__);
    struct soft_nic_entry_conf conf = {.priority = priority};

    if (result == DOCA_SUCCESS)
        result = check_control(pipe, condition, action_descs, priority, __func__);
    if (result == DOCA_SUCCESS)
        result = flow_match_exact(match, match_mask, __func__, pipe->name, &conf.mask, &conf.value);
    if (result == DOCA_SUCCESS)
        result = read_fwd(pipe, fwd, __func__, &conf.fwd);
    if (result == DOCA_SUCCESS)
        result = read_monitor(pipe, monitor, __func__, &conf.counts);
    if (result == DOCA_SUCCESS)
        result = read_control_actions(pipe, actions, actions_mask, __func__, &conf.action);
    if (result != DOCA_SUCCESS)
        return result;
    return add(pipe, pipe_queue, &conf, usr_ctx, __func__, entry);
}

/* ------------------------------------------------------------------------------------------------
 * Changing and removing
 */

static doca_error_t check_entry(const struct doca_flow_pipe_entry *entry, uint16_t pipe_queue,
                                const char *func)
{
    if (!core_is_live(CORE_LIVE_FLOW_ENTRY, entry))
        return CORE_FAIL_DEAD(CORE_LOG_FLOW, func, "entry", entry);
    if (entry->is_removed || entry->is_dropped)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_FLOW, func, entry->pipe->name, "entry",
                         "removed already" CORE_LIMIT "an entry of the pipe");
    return check_queue(entry->pipe->port, pipe_queue, func);
}

doca_error_t doca_flow_pipe_basic_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                               uint8_t action_idx,
                                               const struct doca_flow_actions *actions,
                                               const struct doca_flow_monitor *monitor,
                                               const struct doca_flow_fwd *fwd, uint32_t flags,
                                               struct doca_flow_pipe_entry *entry)
{
    doca_error_t result = check_add(pipe, pipe_queue, DOCA_FLOW_PIPE_BASIC, __func__);
    struct soft_nic_action action = {0};
    struct soft_nic_fwd to;
    bool counts;
    int err;

    (void)flags;
    if (result == DOCA_SUCCESS)
        result = check_entry(entry, pipe_queue, __func__);
    if (result == DOCA_SUCCESS && entry->pipe != pipe)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_FLOW, __func__, pipe->name, "entry",
                         "of %s" CORE_LIMIT "an entry of the pipe", entry->pipe->name);
    if (result == DOCA_SUCCESS)
        result = read_fwd(pipe, fwd, __func__, &to);
    if (result == DOCA_SUCCESS)
        result = read_monitor(pipe, monitor, __func__, &counts);
    if (result == DOCA_SUCCESS)
        result = read_actions(pipe, action_idx, actions, __func__, &action);
    if (result != DOCA_SUCCESS)
        return result;
    err = soft_nic_entry_update(entry->soft, &action, &to);
    if (err != 0)
        return fail_add(pipe, err, __func__);
    entry->status = DOCA_FLOW_ENTRY_STATUS_IN_PROCESS;
    push(entry, pipe_queue, DOCA_FLOW_ENTRY_OP_UPD);
    process_if_full(pipe->port, pipe_queue);
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_pipe_remove_entry(uint16_t pipe_queue, uint32_t flags,
                                         struct doca_flow_pipe_entry *entry)
{
    doca_error_t result = check_entry(entry, pipe_queue, __func__);
    int err;

    (void)flags;
    if (result != DOCA_SUCCESS)
        return result;
    err = soft_nic_entry_remove(entry->soft);
    if (err != 0)
        return fail_add(entry->pipe, err, __func__);
    entry->is_removed = true;
    entry->status = DOCA_FLOW_ENTRY_STATUS_IN_PROCESS;
    push(entry, pipe_queue, DOCA_FLOW_ENTRY_OP_DEL);
    process_if_full(entry->pipe->port, pipe_queue);
    return DOCA_SUCCESS;
}

enum doca_flow_entry_status doca_flow_pipe_entry_get_status(struct doca_flow_pipe_entry *entry)
{
    return core_is_live(CORE_LIVE_FLOW_ENTRY, entry) ? entry->status : DOCA_FLOW_ENTRY_STATUS_ERROR;
}

int doca_flow_aging_handle(struct doca_flow_port *port, uint16_t queue, uint64_t quota,
                           uint64_t max_entries)
{
    (void)queue;
    (void)quota;
    (void)max_entries;
    return port != NULL ? 0 : -1;
}
