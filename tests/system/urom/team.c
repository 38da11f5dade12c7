/* SPDX-License-Identifier: BSD-3-Clause */
#include "team.h"

#include <stdio.h>
#include <string.h>

static doca_error_t allgather(void *from, void *to, size_t len, void *info, void **req)
{
    memcpy(to, from, len);
    *req = info;
    return DOCA_SUCCESS;
}

static doca_error_t req_done(void *req)
{
    (void)req;
    return DOCA_SUCCESS;
}

void team_open_apart(struct team *team, const char *plugin, unsigned int count)
{
    *team = (struct team){.count = count};
    fixture_host_open(&team->host);
    team->plugin = fixture_plugin(&team->host, plugin);
    for (unsigned int i = 0; i < count; i++) {
        team->workers[i] = fixture_worker(&team->host, 100 + i, team->plugin);
        assert_int_equal(fixture_worker_start(&team->host, team->workers[i]),
                         DOCA_CTX_STATE_RUNNING);
    }
}

void team_meet(struct team *team)
{
    struct doca_urom_domain_oob_coll oob = {.allgather = allgather,
                                            .req_test = req_done,
                                            .req_free = req_done,
                                            .coll_info = team,
                                            .n_oob_indexes = 1};
    uint64_t ids[TEAM_MAX];
    struct doca_ctx *ctx;

    for (unsigned int i = 0; i < team->count; i++)
        ids[i] = TEAM_DOMAIN_ID(i);
    assert_ok(doca_urom_domain_create(&team->domain));
    ctx = doca_urom_domain_as_ctx(team->domain);
    assert_ok(doca_pe_connect_ctx(team->host.pe, ctx));
    assert_ok(doca_urom_domain_set_oob(team->domain, &oob));
    assert_ok(doca_urom_domain_set_workers(team->domain, ids, team->workers, team->count));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
    fixture_event(team->host.pe);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_RUNNING);
}

void team_open(struct team *team, const char *plugin, unsigned int count)
{
    team_open_apart(team, plugin, count);
    team_meet(team);
}

void team_close(struct team *team)
{
    if (team->domain != NULL) {
        assert_ok(doca_ctx_stop(doca_urom_domain_as_ctx(team->domain)));
        assert_ok(doca_urom_domain_destroy(team->domain));
    }
    for (unsigned int i = 0; i < team->count; i++)
        fixture_worker_end(&team->host, team->workers[i]);
    fixture_host_close(&team->host);
}

void team_submit(struct team *team, unsigned int i, struct team_command *command, const void *bytes,
                 size_t len)
{
    command->result = (struct fixture_result){.count = 0};
    command->task = fixture_task(team->workers[i], team->plugin, &command->result);
    fixture_payload(command->task, bytes, len);
    assert_ok(fixture_submit(command->task));
}

doca_error_t team_await(struct team *team, struct team_command *command)
{
    while (command->result.count == 0)
        fixture_event(team->host.pe);
    assert_int_equal(command->result.count, 1);
    assert_ok(doca_urom_worker_cmd_task_release(command->task));
    return command->result.status;
}

doca_error_t team_call(struct team *team, unsigned int i, struct team_command *command,
                       const void *bytes, size_t len)
{
    team_submit(team, i, command, bytes, len);
    return team_await(team, command);
}

pid_t team_pid(unsigned int i)
{
    json_t *status = fixture_status();
    json_t *workers = json_object_get(status, "workers"), *worker;
    char id[16];
    pid_t pid = 0;
    size_t n;

    snprintf(id, sizeof(id), "%u", 100 + i);
    json_array_foreach(workers, n, worker)
    {
        if (strcmp(json_string_value(json_object_get(worker, "id")), id) == 0)
            pid = (pid_t)json_integer_value(json_object_get(worker, "pid"));
    }
    json_decref(status);
    assert_true(pid > 0);
    return pid;
}
