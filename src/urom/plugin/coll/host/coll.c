/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_urom_coll.h>

#include <stdlib.h>
#include <string.h>

#include "urom/plugin/coll/common/coll_wire.h"
#include "urom/plugin/common/ops.h"

_Static_assert((int)DOCA_UROM_COLL_FLOAT64 == (int)COLL_F64 &&
                   (int)DOCA_UROM_COLL_UINT64 == (int)COLL_U64 &&
                   (int)DOCA_UROM_COLL_XOR == (int)COLL_XOR &&
                   (int)DOCA_UROM_COLL_MAX == (int)COLL_MAX,
               "the same numbers");

enum team_state {
    TEAM_CREATING,
    TEAM_READY,
    TEAM_DESTROYING,
};

struct doca_urom_coll_team {
    struct ops_held held;
    struct doca_urom_ops *ops;
    enum team_state state;
    uint64_t handle;
    uint32_t size;
    uint32_t rank;
    doca_urom_coll_team_cb_t cb;
    void *user_data;
};

/* An operation whose result comes with the answer. While it is under way it is noted where its
 * command was, which has been sent by then: the smallest room of a command is larger. */
struct inline_op {
    void *to;
    size_t len;
    doca_urom_ops_cb_t cb;
    void *user_data;
};

/* ------------------------------------------------------------------------------------------------
 * Teams
 */

static void free_team(struct doca_urom_coll_team *team)
{
    od_list_remove(&team->held.link);
    free(team);
}

static void on_created(struct doca_urom_ops *ops, doca_error_t status,
                       const struct doca_buf *response, const struct ops_end *end)
{
    struct doca_urom_coll_team *team = end->user_data;
    struct coll_created created;

    (void)ops;
    if (status == DOCA_SUCCESS && !ops_response(response, &created, sizeof(created)))
        status = DOCA_ERROR_UNEXPECTED;
    if (status == DOCA_SUCCESS) {
        team->handle = created.team;
        team->state = TEAM_READY;
    }
    team->cb(team, status, team->user_data);
    if (status != DOCA_SUCCESS)
        free_team(team);
}

static doca_error_t check_create(const struct doca_urom_ops *ops, const uint64_t *ids,
                                 uint32_t size, doca_urom_coll_team_cb_t cb,
                                 struct doca_urom_coll_team **team, const char *func)
{
    const void *pointers[] = {ops, ids, team};
    static const char *const names[] = {"ops", "ids", "team"};
    size_t max;

    for (unsigned int i = 0; i < OD_ARRAY_SIZE(pointers); i++) {
        if (pointers[i] == NULL)
            return CORE_FAIL_NULL(OPS_LOG, func, names[i]);
    }
    if (cb == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "cb");
    max = (ops->room - OD_MIN(ops->room, sizeof(struct coll_create))) / sizeof(ids[0]);
    max = OD_MIN(max, (size_t)COLL_TEAM_MAX);
    if (size == 0 || size > max)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, func, ops->ctx->name, "size",
                         "%u" CORE_LIMIT "1..%zu" CORE_REMEDY
                         "raise doca_urom_service_set_max_comm_msg_size()",
                         size, max);
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_coll_team_create(struct doca_urom_ops *ops, uint64_t team_id, uint64_t own,
                                        const uint64_t *ids, uint32_t size,
                                        doca_urom_coll_team_cb_t cb, void *user_data,
                                        struct doca_urom_coll_team **team)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_coll_team *made;
    doca_error_t result = check_create(ops, ids, size, cb, team, __func__);
    void *payload;

    if (result != DOCA_SUCCESS)
        return result;
    made = calloc(1, sizeof(*made));
    if (made == NULL)
        return DOCA_ERROR_NO_MEMORY;
    od_list_append(&ops->held, &made->held.link);
    made->ops = ops;
    made->size = size;
    made->cb = cb;
    made->user_data = user_data;
    for (uint32_t i = 0; i < size; i++)
        made->rank = ids[i] == own ? i : made->rank;
    result = ops_take(ops, ops->plugins[OPS_COLL], __func__, &task, &payload);
    if (result != DOCA_SUCCESS)
        goto err_free;
    *(struct coll_create *)payload = (struct coll_create){
        .head = {.op = COLL_TEAM_CREATE}, .team_id = team_id, .own = own, .size = size};
    memcpy((struct coll_create *)payload + 1, ids, size * sizeof(ids[0]));
    result = ops_submit(ops, task, sizeof(struct coll_create) + size * sizeof(ids[0]), on_created,
                        NULL, made);
    if (result != DOCA_SUCCESS)
        goto err_free;
    *team = made;
    return DOCA_SUCCESS;

err_free:
    free_team(made);
    return result;
}

static doca_error_t check_team(const struct doca_urom_coll_team *team, const char *func)
{
    if (team == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "team");
    if (od_likely(team->state == TEAM_READY))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, OPS_LOG, func, team->ops->ctx->name, "team",
                     "%s" CORE_REMEDY "wait for its callback",
                     team->state == TEAM_CREATING ? "not there yet" : "being destroyed");
}

static void on_destroyed(struct doca_urom_ops *ops, doca_error_t status,
                         const struct doca_buf *response, const struct ops_end *end)
{
    struct doca_urom_coll_team *team = end->user_data;
    void *user_data = team->user_data;

    (void)response;
    free_team(team);
    if (end->cb != NULL)
        ((doca_urom_ops_cb_t)end->cb)(ops, status, user_data);
}

doca_error_t doca_urom_coll_team_destroy(struct doca_urom_coll_team *team, doca_urom_ops_cb_t cb,
                                         void *user_data)
{
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result = check_team(team, __func__);
    void *payload;

    if (result != DOCA_SUCCESS)
        return result;
    result = ops_take(team->ops, team->ops->plugins[OPS_COLL], __func__, &task, &payload);
    if (result != DOCA_SUCCESS)
        return result;
    *(struct coll_destroy *)payload =
        (struct coll_destroy){.head = {.op = COLL_TEAM_DESTROY}, .team = team->handle};
    result = ops_submit(team->ops, task, sizeof(struct coll_destroy), on_destroyed,
                        (ops_any_cb_t)cb, team);
    if (result != DOCA_SUCCESS)
        return result;
    team->state = TEAM_DESTROYING;
    team->user_data = user_data;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Operations
 */

static void on_inline(struct doca_urom_ops *ops, doca_error_t status,
                      const struct doca_buf *response, const struct ops_end *end)
{
    const struct inline_op op = *(const struct inline_op *)end->user_data;

    if (status == DOCA_SUCCESS && response->data_len != sizeof(struct ops_head) + op.len)
        status = DOCA_ERROR_UNEXPECTED;
    if (status == DOCA_SUCCESS && op.len > 0)
        memcpy(op.to, response->data + sizeof(struct ops_head), op.len);
    if (op.cb != NULL)
        op.cb(ops, status, op.user_data);
}

/* What goes with an inline operation, in bytes, and comes back. */
struct inline_sizes {
    uint64_t source;
    uint64_t result;
};

static doca_error_t check_inline(const struct doca_urom_coll_team *team,
                                 const struct inline_sizes *sizes, uint64_t block,
                                 struct doca_urom_coll_place src, struct doca_urom_coll_place dst,
                                 const char *func)
{
    const size_t room = team->ops->room - OD_MIN(team->ops->room, sizeof(struct coll_cmd));

    if ((sizes->source > 0 && src.addr == 0) || (sizes->result > 0 && dst.addr == 0))
        return CORE_FAIL_NULL(OPS_LOG, func, "place");
    if (block <= COLL_EAGER_MAX && sizes->source <= room && sizes->result <= room)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, func, team->ops->ctx->name, "len",
                     "%llu" CORE_LIMIT "inline blocks of %u, %zu of a message" CORE_REMEDY
                     "use regions",
                     (unsigned long long)block, COLL_EAGER_MAX, room);
}

static doca_error_t post_inline(struct doca_urom_coll_team *team,
                                struct doca_urom_worker_cmd_task *task, const struct coll_cmd *cmd,
                                const struct inline_sizes *sizes, struct doca_urom_coll_place src,
                                struct doca_urom_coll_place dst, doca_urom_ops_cb_t cb,
                                void *user_data)
{
    struct doca_buf *payload = doca_urom_worker_cmd_task_get_payload(task);
    struct inline_op *op = (struct inline_op *)payload->head;
    doca_error_t result;

    if (sizes->source > 0)
        memcpy(payload->head + sizeof(*cmd), (const void *)(uintptr_t)src.addr, sizes->source);
    result = ops_submit(team->ops, task, sizeof(*cmd) + sizes->source, on_inline, NULL, op);
    if (od_likely(result == DOCA_SUCCESS))
        *op = (struct inline_op){(void *)(uintptr_t)dst.addr, sizes->result, cb, user_data};
    return result;
}

static doca_error_t post(struct doca_urom_coll_team *team, struct coll_cmd cmd, uint64_t block,
                         struct inline_sizes sizes, struct doca_urom_coll_place src,
                         struct doca_urom_coll_place dst, doca_urom_ops_cb_t cb, void *user_data,
                         const char *func)
{
    struct doca_urom_worker_cmd_task *task;
    const bool inlined = src.region == NULL;
    doca_error_t result;
    void *payload;

    if (inlined) {
        result = check_inline(team, &sizes, block, src, dst, func);
        if (result != DOCA_SUCCESS)
            return result;
    } else {
        cmd.src = src.region->handle;
        cmd.src_va = src.addr;
        cmd.dst = dst.region != NULL ? dst.region->handle : 0;
        cmd.dst_va = dst.addr;
    }
    cmd.team = team->handle;
    result = ops_take(team->ops, team->ops->plugins[OPS_COLL], func, &task, &payload);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    *(struct coll_cmd *)payload = cmd;
    if (inlined)
        return post_inline(team, task, &cmd, &sizes, src, dst, cb, user_data);
    return ops_submit(team->ops, task, sizeof(cmd), ops_done_plain, (ops_any_cb_t)cb, user_data);
}

doca_error_t doca_urom_coll_barrier(struct doca_urom_coll_team *team, doca_urom_ops_cb_t cb,
                                    void *user_data)
{
    const struct doca_urom_coll_place nothing = {NULL, 0};
    doca_error_t result = check_team(team, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    return post(team, (struct coll_cmd){.head = {.op = COLL_BARRIER}}, 0,
                (struct inline_sizes){0, 0}, nothing, nothing, cb, user_data, __func__);
}

doca_error_t doca_urom_coll_bcast(struct doca_urom_coll_team *team, uint32_t root,
                                  struct doca_urom_coll_place place, uint64_t len,
                                  doca_urom_ops_cb_t cb, void *user_data)
{
    doca_error_t result = check_team(team, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    return post(team, (struct coll_cmd){.head = {.op = COLL_BCAST}, .len = len, .root = root}, len,
                (struct inline_sizes){team->rank == root ? len : 0, team->rank == root ? 0 : len},
                place, place, cb, user_data, __func__);
}

doca_error_t doca_urom_coll_allgather(struct doca_urom_coll_team *team,
                                      struct doca_urom_coll_place src,
                                      struct doca_urom_coll_place dst, uint64_t len,
                                      doca_urom_ops_cb_t cb, void *user_data)
{
    doca_error_t result = check_team(team, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    return post(team, (struct coll_cmd){.head = {.op = COLL_ALLGATHER}, .len = len}, len,
                (struct inline_sizes){len, len * team->size}, src, dst, cb, user_data, __func__);
}

doca_error_t doca_urom_coll_allreduce(struct doca_urom_coll_team *team,
                                      struct doca_urom_coll_place src,
                                      struct doca_urom_coll_place dst, uint64_t count,
                                      enum doca_urom_coll_type type,
                                      enum doca_urom_coll_reduction reduction,
                                      doca_urom_ops_cb_t cb, void *user_data)
{
    doca_error_t result = check_team(team, __func__);
    uint64_t bytes;

    if (result != DOCA_SUCCESS)
        return result;
    bytes = count * coll_dtype_size((uint32_t)type);
    return post(team,
                (struct coll_cmd){.head = {.op = COLL_ALLREDUCE},
                                  .len = count,
                                  .dtype = (uint32_t)type,
                                  .reduction = (uint32_t)reduction},
                bytes, (struct inline_sizes){bytes, bytes}, src, dst, cb, user_data, __func__);
}

doca_error_t doca_urom_coll_alltoall(struct doca_urom_coll_team *team,
                                     struct doca_urom_coll_place src,
                                     struct doca_urom_coll_place dst, uint64_t len,
                                     doca_urom_ops_cb_t cb, void *user_data)
{
    doca_error_t result = check_team(team, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    return post(team, (struct coll_cmd){.head = {.op = COLL_ALLTOALL}, .len = len}, len,
                (struct inline_sizes){len * team->size, len * team->size}, src, dst, cb, user_data,
                __func__);
}
