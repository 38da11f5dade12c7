/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker half: a shared object that workers of the service load. It takes commands, works at
 * them bit by bit, so that other plugins get their turn, and hands over how they ended. */
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>
#include <doca_urom_plugin.h>
#include <doca_version.h>

#include "../common/template.h"

DOCA_LOG_REGISTER(TEMPLATE::WORKER);

#define NUMBERS_AT_ONCE 16

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
doca_error_t urom_plugin_get_version(uint64_t *version);

/* A command that is being worked at. Its block is the plugin's until it is given to free(). */
struct job {
    ucs_list_link_t entry;
    struct urom_worker_cmd_desc *command;
    uint64_t done; /* numbers */
    uint64_t sum;
};

struct plugin {
    ucs_list_link_t jobs;      /* struct job, oldest first */
    ucs_list_link_t completed; /* struct urom_worker_notif_desc */
};

static doca_error_t template_open(struct urom_worker_ctx *ctx)
{
    struct plugin *self = malloc(sizeof(*self));

    if (self == NULL)
        return DOCA_ERROR_NO_MEMORY;
    ucs_list_head_init(&self->jobs);
    ucs_list_head_init(&self->completed);
    ctx->plugin_ctx = self;
    return DOCA_SUCCESS;
}

static void free_job(struct job *job)
{
    free(job->command);
    free(job);
}

static void template_close(struct urom_worker_ctx *ctx)
{
    struct plugin *self = ctx->plugin_ctx;

    while (!ucs_list_is_empty(&self->jobs))
        free_job(ucs_list_extract_head(&self->jobs, struct job, entry));
    while (!ucs_list_is_empty(&self->completed))
        free(ucs_list_extract_head(&self->completed, struct urom_worker_notif_desc, entry));
    free(self);
}

/* How a command ended, with `len` bytes for the host half. Type and context go back as they came.
 */
static doca_error_t complete(struct plugin *self, const struct urom_worker_cmd_desc *command,
                             doca_error_t status, const void *bytes, size_t len)
{
    struct urom_worker_notif_desc *notif = calloc(1, sizeof(*notif) + len);

    if (notif == NULL)
        return DOCA_ERROR_NO_MEMORY;
    notif->dest_id = command->dest_id;
    notif->worker_notif.type = command->worker_cmd.type;
    notif->worker_notif.urom_context = command->worker_cmd.urom_context;
    notif->worker_notif.status = status;
    notif->worker_notif.len = len;
    if (len > 0)
        memcpy(notif->worker_notif.plugin_notif, bytes, len);
    ucs_list_add_tail(&self->completed, &notif->entry);
    return DOCA_SUCCESS;
}

/* Commands come from a program: nothing in them is to be believed. */
static doca_error_t check(const struct urom_worker_cmd *cmd)
{
    const struct template_cmd *mine = (const void *)cmd->plugin_cmd;

    if (cmd->len < sizeof(*mine))
        return DOCA_ERROR_INVALID_VALUE;
    if (mine->op != TEMPLATE_SUM)
        return DOCA_ERROR_NOT_SUPPORTED;
    return (cmd->len - sizeof(*mine)) % sizeof(mine->numbers[0]) == 0 &&
                   mine->count == (cmd->len - sizeof(*mine)) / sizeof(mine->numbers[0])
               ? DOCA_SUCCESS
               : DOCA_ERROR_INVALID_VALUE;
}

/* Takes the command. What it returns becomes the command's status if no notification tells one. */
static doca_error_t take(struct plugin *self, struct urom_worker_cmd_desc *command)
{
    doca_error_t result = check(&command->worker_cmd);
    struct job *job = result == DOCA_SUCCESS ? calloc(1, sizeof(*job)) : NULL;

    if (job == NULL) {
        free(command);
        return result != DOCA_SUCCESS ? result : DOCA_ERROR_NO_MEMORY;
    }
    job->command = command;
    ucs_list_add_tail(&self->jobs, &job->entry);
    return DOCA_SUCCESS;
}

static doca_error_t template_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    doca_error_t result = DOCA_SUCCESS;

    while (!ucs_list_is_empty(cmd_list) && result == DOCA_SUCCESS)
        result = take(ctx->plugin_ctx,
                      ucs_list_extract_head(cmd_list, struct urom_worker_cmd_desc, entry));
    return result;
}

/* True when the job is done. */
static int work(struct job *job)
{
    const struct template_cmd *cmd = (const void *)job->command->worker_cmd.plugin_cmd;

    for (int i = 0; i < NUMBERS_AT_ONCE && job->done < cmd->count; i++)
        job->sum += cmd->numbers[job->done++];
    return job->done == cmd->count;
}

/* Called again and again, also without commands; must not wait. */
static doca_error_t template_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct plugin *self = ctx->plugin_ctx;
    struct job *job;

    if (!ucs_list_is_empty(&self->jobs)) {
        job = ucs_list_head(&self->jobs, struct job, entry);
        if (work(job)) {
            const struct template_notify notify = {.op = TEMPLATE_SUM, .sum = job->sum};
            doca_error_t result =
                complete(self, job->command, DOCA_SUCCESS, &notify, sizeof(notify));

            if (result != DOCA_SUCCESS)
                return result; /* once more at the next call */
            DOCA_LOG_DBG("Added up %llu numbers", (unsigned long long)job->done);
            ucs_list_del(&job->entry);
            free_job(job);
        }
    }
    if (ucs_list_is_empty(&self->completed))
        return DOCA_ERROR_EMPTY;
    ucs_list_splice_tail(notif_list, &self->completed);
    ucs_list_head_init(&self->completed);
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START,       .open = template_open,         .close = template_close,
        .worker_cmd = template_worker_cmd, .progress = template_progress,
    };
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (version == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *version = TEMPLATE_VERSION;
    return DOCA_SUCCESS;
}
