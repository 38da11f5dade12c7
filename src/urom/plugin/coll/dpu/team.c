/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <doca_log.h>

#include "urom/plugin/coll/dpu/coll_priv.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::COLL);

#define STRANGERS_MAX 4096

/* A greeting for a team that is not made here yet. */
struct stranger {
    struct od_list entry;
    struct coll_msg msg;
    bool left; /* has taken it back */
};

/* ------------------------------------------------------------------------------------------------
 * Teams
 */

struct coll_team *coll_team_find(struct coll *coll, uint64_t dest, uint64_t handle)
{
    OD_LIST_FOR_EACH(link, &coll->teams)
    {
        struct coll_team *team = OD_LIST_ENTRY(link, struct coll_team, entry);

        if (team->handle == handle && team->dest == dest)
            return team;
    }
    return NULL;
}

/* By what members call it. */
static struct coll_team *find_by_rank(struct coll *coll, uint64_t id, uint32_t rank)
{
    OD_LIST_FOR_EACH(link, &coll->teams)
    {
        struct coll_team *team = OD_LIST_ENTRY(link, struct coll_team, entry);

        if (team->id == id && team->rank == rank && !team->leaving)
            return team;
    }
    return NULL;
}

void coll_team_free(struct coll_team *team)
{
    free(team->destroying);
    for (unsigned int i = 0; i < COLL_SLOTS; i++) {
        if (team->slots[i].from != NULL)
            coll_slot_clear(team, &team->slots[i]);
        free(team->slots[i].from);
    }
    for (uint32_t i = 0; team->members != NULL && i < team->size; i++)
        coll_maps_close(&team->members[i]);
    od_list_remove(&team->entry);
    free(team->creating);
    free(team->members);
    free(team);
}

static uint64_t checksum(const uint64_t *ids, uint32_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;

    for (uint32_t i = 0; i < size; i++)
        sum = (sum ^ ids[i]) * 0x100000001b3u;
    return sum;
}

/* Finds the own rank; -EINVAL: it is not there, or somebody is there twice. */
static int check_ids(const uint64_t *ids, uint32_t size, uint64_t own, uint32_t *rank)
{
    bool found = false;

    for (uint32_t i = 0; i < size; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (ids[k] == ids[i])
                return -EINVAL;
        }
        if (ids[i] == own) {
            *rank = i;
            found = true;
        }
    }
    return found ? 0 : -EINVAL;
}

static doca_error_t connect_members(struct coll_team *team, const uint64_t *ids)
{
    for (uint32_t i = 0; i < team->size; i++) {
        doca_error_t result;
        void *addr;

        if (i == team->rank)
            continue;
        result = doca_urom_worker_domain_addr_lookup(team->coll->ctx, ids[i], &addr);
        if (result != DOCA_SUCCESS)
            return result;
        if (plugin_net_connect(team->coll->net, addr, &team->members[i].conn) != 0) {
            DOCA_LOG_WARN("cannot connect to member %u of team %llu: %s", i,
                          (unsigned long long)team->id, soft_reason());
            return DOCA_ERROR_IO_FAILED;
        }
    }
    return DOCA_SUCCESS;
}

static struct coll_team *team_new(struct coll *coll, uint32_t size)
{
    struct coll_team *team = calloc(1, sizeof(*team));

    if (team == NULL)
        return NULL;
    team->coll = coll;
    team->size = size;
    od_list_init(&team->ops);
    od_list_init(&team->entry);
    team->members = calloc(size, sizeof(team->members[0]));
    if (team->members == NULL)
        goto err_free;
    for (uint32_t i = 0; i < size; i++) {
        plugin_line_init(&team->members[i].line);
        team->members[i].end = UINT64_MAX;
    }
    for (unsigned int i = 0; i < COLL_SLOTS; i++) {
        team->slots[i].seq = i;
        team->slots[i].from = calloc(size, sizeof(team->slots[i].from[0]));
        if (team->slots[i].from == NULL)
            goto err_free;
    }
    if (getrandom(&team->nonce, sizeof(team->nonce), 0) != sizeof(team->nonce))
        goto err_free;
    return team;

err_free:
    coll_team_free(team);
    return NULL;
}

static void greeted_by(struct coll_team *team, const struct coll_msg *msg, bool left)
{
    struct coll_member *member = &team->members[msg->src];

    member->joined = true;
    member->nonce = msg->nonce;
    member->gone = left;
    team->refused = team->refused || msg->seq != team->checksum;
}

/* Who has greeted before. */
static void adopt_strangers(struct coll_team *team)
{
    OD_LIST_FOR_EACH_SAFE(link, &team->coll->strangers)
    {
        struct stranger *stranger = OD_LIST_ENTRY(link, struct stranger, entry);

        if (stranger->msg.team_id != team->id || stranger->msg.dst != team->rank ||
            stranger->msg.src >= team->size || team->members[stranger->msg.src].joined)
            continue;
        greeted_by(team, &stranger->msg, stranger->left);
        od_list_remove(&stranger->entry);
        free(stranger);
    }
}

/* The team, with its members, or why not. */
static doca_error_t make_team(struct coll *coll, uint64_t dest, const struct coll_create *create,
                              const uint64_t *ids, struct coll_team **made)
{
    struct coll_team *team;
    doca_error_t result;
    uint32_t rank = 0;

    if (check_ids(ids, create->size, create->own, &rank) != 0)
        return DOCA_ERROR_INVALID_VALUE;
    if (find_by_rank(coll, create->team_id, rank) != NULL)
        return DOCA_ERROR_ALREADY_EXIST;
    team = team_new(coll, create->size);
    if (team == NULL)
        return DOCA_ERROR_NO_MEMORY;
    team->dest = dest;
    team->id = create->team_id;
    team->rank = rank;
    team->checksum = checksum(ids, create->size);
    result = connect_members(team, ids);
    if (result != DOCA_SUCCESS) {
        coll_team_free(team);
        return result;
    }
    team->handle = ++coll->last_team;
    team->members[rank].joined = true;
    team->members[rank].greeted = true;
    od_list_append(&coll->teams, &team->entry);
    adopt_strangers(team);
    *made = team;
    return DOCA_SUCCESS;
}

doca_error_t coll_team_create(struct coll *coll, struct urom_worker_cmd_desc *command, bool *taken)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    uint64_t ids[COLL_TEAM_MAX];
    struct coll_create create;
    struct coll_team *team;
    doca_error_t result;
    const void *bytes;

    if (coll_create_read(cmd->plugin_cmd, cmd->len, &create, &bytes) != 0)
        return plugin_answer(&coll->base, command, DOCA_ERROR_INVALID_VALUE, NULL, 0);
    memcpy(ids, bytes, create.size * sizeof(ids[0]));
    result = make_team(coll, command->dest_id, &create, ids, &team);
    if (result != DOCA_SUCCESS)
        return plugin_answer(&coll->base, command, result, &create.head, sizeof(create.head));
    team->creating = command;
    *taken = true;
    coll_team_progress(team);
    return DOCA_SUCCESS;
}

static void answer_destroy(struct coll_team *team)
{
    const struct urom_worker_cmd_desc *command = team->destroying;

    if (command != NULL &&
        plugin_answer(&team->coll->base, command, DOCA_SUCCESS, command->worker_cmd.plugin_cmd,
                      sizeof(struct ops_head)) != DOCA_SUCCESS)
        DOCA_LOG_ERR("no memory to tell the end of a team");
}

/* Tells who waits for this member; frees the team when all are told, and nothing is away. */
static void say_farewell(struct coll_team *team)
{
    bool all = od_list_is_empty(&team->ops);

    for (uint32_t i = 0; i < team->size; i++) {
        struct coll_member *member = &team->members[i];
        struct coll_msg msg = coll_msg(team, COLL_LEAVE, i, 0);
        const struct iovec iov = {&msg, sizeof(msg)};

        /* Who has not been greeted does not know of this member. */
        if (i != team->rank && member->greeted && !member->gone)
            member->greeted = !coll_send(team, i, &iov, 1);
        all = all && (i == team->rank || !member->greeted || member->gone);
    }
    if (!all)
        return;
    answer_destroy(team);
    coll_team_free(team);
}

void coll_team_destroy(struct coll_team *team, struct urom_worker_cmd_desc *command)
{
    coll_ops_fail(team, DOCA_ERROR_IO_FAILED);
    free(team->creating);
    free(team->destroying);
    team->creating = NULL;
    team->destroying = command;
    team->leaving = true;
    team->dest = 0; /* nobody names it any more */
    say_farewell(team);
}

/* ------------------------------------------------------------------------------------------------
 * Greetings
 */

struct coll_msg coll_msg(const struct coll_team *team, enum coll_msg_type type, uint32_t to,
                         uint64_t seq)
{
    return (struct coll_msg){
        .type = (uint32_t)type,
        .src = team->rank,
        .dst = to,
        .team_id = team->id,
        .nonce = team->nonce,
        .seq = seq,
    };
}

bool coll_send(struct coll_team *team, uint32_t to, const struct iovec *iov, unsigned int niov)
{
    int err = plugin_net_send(team->members[to].conn, iov, niov);

    /* A connection that ends tells so by itself. */
    return err != -EAGAIN;
}

/* What becomes of a team that is being made; IN_PROGRESS: not known yet. */
static doca_error_t judge_creation(const struct coll_team *team)
{
    doca_error_t result = team->refused ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
    bool all_joined = true;

    for (uint32_t i = 0; i < team->size; i++) {
        const struct coll_member *member = &team->members[i];

        /* Who has not been greeted would wait for us for ever. */
        if (!member->gone && !member->greeted)
            return DOCA_ERROR_IN_PROGRESS;
        if (member->gone && result == DOCA_SUCCESS)
            result = DOCA_ERROR_IO_FAILED;
        all_joined = all_joined && member->joined;
    }
    return all_joined || result != DOCA_SUCCESS ? result : DOCA_ERROR_IN_PROGRESS;
}

static void settle_creation(struct coll_team *team)
{
    struct urom_worker_cmd_desc *command = team->creating;
    struct coll_created created = {.team = team->handle};
    const doca_error_t result = judge_creation(team);

    if (result == DOCA_ERROR_IN_PROGRESS)
        return;
    memcpy(&created.head, command->worker_cmd.plugin_cmd, sizeof(created.head));
    plugin_answer(&team->coll->base, command, result, &created, sizeof(created));
    team->creating = NULL;
    free(command);
    if (result != DOCA_SUCCESS)
        coll_team_destroy(team, NULL);
}

/* Those that have not lost a member yet wait for what is not begun here. */
static void say_stop(struct coll_team *team)
{
    for (uint32_t i = 0; i < team->size; i++) {
        struct coll_member *member = &team->members[i];
        struct coll_msg msg = coll_msg(team, COLL_STOP, i, team->begun);
        const struct iovec iov = {&msg, sizeof(msg)};

        if (i != team->rank && !member->stopped && !member->gone)
            member->stopped = coll_send(team, i, &iov, 1);
    }
}

void coll_team_progress(struct coll_team *team)
{
    if (od_unlikely(team->leaving)) {
        say_farewell(team);
        return;
    }
    if (od_likely(team->creating == NULL)) {
        if (od_unlikely(team->broken))
            say_stop(team);
        coll_ops_progress(team);
        return;
    }
    for (uint32_t i = 0; i < team->size; i++) {
        struct coll_msg msg = coll_msg(team, COLL_HELLO, i, team->checksum);
        const struct iovec iov = {&msg, sizeof(msg)};

        if (!team->members[i].greeted && !team->members[i].gone)
            team->members[i].greeted = coll_send(team, i, &iov, 1);
    }
    settle_creation(team);
}

/* ------------------------------------------------------------------------------------------------
 * Messages
 */

static struct stranger *find_stranger(struct coll *coll, const struct coll_msg *msg, size_t *count)
{
    *count = 0;
    OD_LIST_FOR_EACH(link, &coll->strangers)
    {
        struct stranger *stranger = OD_LIST_ENTRY(link, struct stranger, entry);

        if (stranger->msg.team_id == msg->team_id && stranger->msg.src == msg->src &&
            stranger->msg.dst == msg->dst && stranger->msg.nonce == msg->nonce)
            return stranger;
        (*count)++;
    }
    return NULL;
}

/* Of a team that is not here, or not any more. */
static void keep_stranger(struct coll *coll, const struct coll_msg *msg)
{
    size_t count;
    struct stranger *stranger = find_stranger(coll, msg, &count);

    if (stranger != NULL && msg->type == COLL_LEAVE)
        stranger->left = true;
    if (stranger != NULL || msg->type != COLL_HELLO)
        return;
    if (count >= STRANGERS_MAX) {
        stranger = OD_LIST_ENTRY(coll->strangers.next, struct stranger, entry);
        od_list_remove(&stranger->entry);
        free(stranger);
    }
    stranger = malloc(sizeof(*stranger));
    if (stranger == NULL)
        return;
    *stranger = (struct stranger){.msg = *msg};
    od_list_append(&coll->strangers, &stranger->entry);
}

void coll_strangers_free(struct coll *coll)
{
    OD_LIST_FOR_EACH_SAFE(link, &coll->strangers)
    {
        free(OD_LIST_ENTRY(link, struct stranger, entry));
    }
    od_list_init(&coll->strangers);
}

/* Nothing comes of a member from operation `end` on. */
static void lose(struct coll_team *team, uint32_t rank, uint64_t end)
{
    struct coll_member *member = &team->members[rank];

    member->end = OD_MIN(member->end, end);
    team->broken = true;
    if (!team->leaving)
        coll_ops_lose(team);
}

static void leave(struct coll_team *team, uint32_t rank)
{
    team->members[rank].gone = true;
    lose(team, rank, 0);
}

int coll_message(void *arg, struct plugin_net_conn *conn, const void *bytes, uint32_t len)
{
    struct coll *coll = arg;
    uint8_t copy[COLL_MSG_MAX] OD_ALIGNED(16);
    const void *data, *memory;
    struct coll_open open;
    struct coll_team *team;

    (void)conn;
    /* The sender can still write to the bytes. */
    if (len > sizeof(copy))
        return -EBADMSG;
    memcpy(copy, bytes, len);
    if (coll_msg_read(copy, len, &open, &data, &memory) != 0) {
        DOCA_LOG_WARN("a worker sends nonsense; its connection is closed");
        return -EBADMSG;
    }
    coll->busy = true;
    team = find_by_rank(coll, open.msg.team_id, open.msg.dst);
    if (team == NULL || open.msg.src >= team->size ||
        (team->members[open.msg.src].joined ? team->members[open.msg.src].nonce != open.msg.nonce
                                            : open.msg.type != COLL_HELLO)) {
        keep_stranger(coll, &open.msg);
        return 0;
    }
    if (open.msg.type == COLL_HELLO)
        greeted_by(team, &open.msg, false);
    else if (open.msg.type == COLL_LEAVE)
        leave(team, open.msg.src);
    else if (open.msg.type == COLL_STOP)
        lose(team, open.msg.src, open.msg.seq);
    else
        coll_op_message(team, &open, data, memory);
    return 0;
}

void coll_ended(void *arg, struct plugin_net_conn *conn, int reason)
{
    struct coll *coll = arg;

    (void)reason;
    OD_LIST_FOR_EACH(link, &coll->teams)
    {
        struct coll_team *team = OD_LIST_ENTRY(link, struct coll_team, entry);

        for (uint32_t i = 0; i < team->size; i++) {
            if (team->members[i].conn == conn)
                leave(team, i);
        }
    }
    coll->busy = true;
}
