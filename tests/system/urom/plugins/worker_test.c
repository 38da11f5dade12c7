/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that does what a test asks for, good or bad. */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_urom_ext.h>
#include <doca_urom_plugin.h>
#include <doca_version.h>

#include "test_wire.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
EXPORT doca_error_t urom_plugin_get_version(uint64_t *version);
EXPORT void urom_plugin_ext_runtime(const struct urom_ext_runtime *runtime);
EXPORT void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id);

/* Behind the notification header, for notif_pack. */
struct note {
    uint64_t pack_error;
    uint64_t pack_lies;
    uint8_t bytes[];
};

static ucs_list_link_t done, held;
static uint64_t count, closed, later;
static const struct urom_ext_runtime *services;

static struct urom_worker_notif_desc *new_note(const struct urom_worker_cmd_desc *command,
                                               doca_error_t status, const void *bytes, size_t len)
{
    struct urom_worker_notif_desc *desc = calloc(1, sizeof(*desc) + sizeof(struct note) + len + 1);
    struct note *note = (struct note *)desc->worker_notif.plugin_notif;

    desc->dest_id = command->dest_id;
    desc->worker_notif.type = command->worker_cmd.type;
    desc->worker_notif.urom_context = command->worker_cmd.urom_context;
    desc->worker_notif.status = status;
    desc->worker_notif.len = len;
    if (bytes != NULL)
        memcpy(note->bytes, bytes, len);
    return desc;
}

static void say(const struct urom_worker_cmd_desc *command, doca_error_t status, const void *bytes,
                size_t len)
{
    struct urom_worker_notif_desc *desc = new_note(command, status, bytes, len);

    ucs_list_add_tail(&done, &desc->entry);
}

/* Also where something else handles the signal. */
static void crash(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static doca_error_t test_open(struct urom_worker_ctx *ctx)
{
    const char *how = getenv(TEST_OPEN_ENV);

    ucs_list_head_init(&done);
    ucs_list_head_init(&held);
    ctx->plugin_ctx = &done;
    if (how != NULL && strcmp(how, "fail") == 0)
        return DOCA_ERROR_IO_FAILED;
    if (how != NULL && strcmp(how, "crash") == 0)
        crash();
    while (how != NULL && strcmp(how, "hang") == 0)
        poll(NULL, 0, 1000);
    return DOCA_SUCCESS;
}

static void drain(ucs_list_link_t *list)
{
    /* Both kinds of descriptors begin with their link. */
    while (!ucs_list_is_empty(list))
        free(ucs_list_extract_head(list, struct urom_worker_notif_desc, entry));
}

static void test_close(struct urom_worker_ctx *ctx)
{
    (void)ctx;
    drain(&done);
    drain(&held);
}

static doca_error_t test_addr(struct urom_worker_ctx *ctx, void *addr, size_t *len)
{
    char text[64];
    int n = snprintf(text, sizeof(text), "address of process %d", (int)getpid()) + 1;

    (void)ctx;
    if (*len < (size_t)n) {
        *len = (size_t)n;
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(addr, text, (size_t)n);
    *len = (size_t)n;
    return DOCA_SUCCESS;
}

static void release_all(void)
{
    while (!ucs_list_is_empty(&held)) {
        struct urom_worker_cmd_desc *command =
            ucs_list_extract_head(&held, struct urom_worker_cmd_desc, entry);

        say(command, DOCA_SUCCESS, NULL, 0);
        free(command);
    }
}

static void say_who(struct urom_worker_ctx *ctx, const struct urom_worker_cmd_desc *command)
{
    struct urom_ext_conn_info info = {0};
    struct test_who who = {
        .dest = command->dest_id, .pid = (uint64_t)getpid(), .uid = (uint64_t)getuid()};
    cpu_set_t cpus;

    if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
        who.cpus = (uint64_t)CPU_COUNT(&cpus);
    services->conn_info(ctx, command->dest_id, &info);
    who.client_pid = (uint64_t)info.pid;
    who.client_uid = info.uid;
    say(command, DOCA_SUCCESS, &who, sizeof(who));
}

static void look_up(struct urom_worker_ctx *ctx, const struct urom_worker_cmd_desc *command,
                    const struct test_cmd *cmd, const uint8_t *bytes)
{
    doca_error_t result = DOCA_ERROR_UNEXPECTED;
    uint64_t number = 0;
    void *found = NULL;
    size_t len = 0;
    int seg = 0;

    memcpy(&number, bytes, sizeof(number));
    if (cmd->op == TEST_ADDR) {
        result = doca_urom_worker_domain_addr_lookup(ctx, cmd->arg, &found);
        len = result == DOCA_SUCCESS ? strlen(found) : 0;
    } else if (cmd->op == TEST_SEG) {
        result = doca_urom_worker_domain_seg_lookup(ctx, cmd->arg, number, &seg);
        number = (uint64_t)seg;
        found = &number;
        len = sizeof(number);
    } else if (cmd->op == TEST_MEMH) {
        result = doca_urom_worker_domain_memh_lookup(ctx, cmd->arg, (int)number, &len, &found);
    } else {
        result = doca_urom_worker_domain_mkey_lookup(ctx, cmd->arg, (int)number, &len, &found);
    }
    say(command, result, found, result == DOCA_SUCCESS ? len : 0);
}

static void say_packed(const struct urom_worker_cmd_desc *command, const struct test_cmd *cmd)
{
    struct urom_worker_notif_desc *desc = new_note(command, DOCA_SUCCESS, NULL, 0);
    struct note *note = (struct note *)desc->worker_notif.plugin_notif;

    note->pack_error = cmd->op == TEST_PACK_FAILS ? cmd->arg : 0;
    note->pack_lies = cmd->op == TEST_PACK_LIES;
    ucs_list_add_tail(&done, &desc->entry);
}

static void say_to_stranger(struct urom_worker_cmd_desc *command)
{
    const uint64_t dest = command->dest_id;

    command->dest_id = 987654321;
    say(command, DOCA_SUCCESS, NULL, 0);
    command->dest_id = dest;
    say(command, DOCA_SUCCESS, NULL, 0);
}

static void hang(uint64_t ms)
{
    poll(NULL, 0, (int)ms);
}

/* At most as long as nobody waits for. */
static void hang_on_file(const uint8_t *bytes, size_t len)
{
    char name[256] = "";

    memcpy(name, bytes, len < sizeof(name) ? len : sizeof(name) - 1);
    for (unsigned int i = 0; i < 12000 && access(name, F_OK) == 0; i++)
        hang(10);
}

/* Whatever is open in the worker stays so in the child. */
static void leave_heir(const struct urom_worker_cmd_desc *command, const uint8_t *bytes, size_t len)
{
    const pid_t pid = fork();
    const uint64_t number = (uint64_t)pid;

    if (pid == 0) {
        hang_on_file(bytes, len);
        _exit(0);
    }
    say(command, pid > 0 ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM, &number, sizeof(number));
}

static void say_env(const struct urom_worker_cmd_desc *command, const uint8_t *bytes, size_t len)
{
    char name[128] = "";
    const char *value;

    memcpy(name, bytes, len < sizeof(name) ? len : sizeof(name) - 1);
    value = getenv(name);
    say(command, value != NULL ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND, value,
        value != NULL ? strlen(value) : 0);
}

/* What is answered, or not, and done with; the result is what worker_cmd says. */
static doca_error_t execute(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *command)
{
    const uint8_t *bytes = command->worker_cmd.plugin_cmd + sizeof(struct test_cmd);
    const size_t len = command->worker_cmd.len - sizeof(struct test_cmd);
    struct test_cmd cmd;

    memcpy(&cmd, command->worker_cmd.plugin_cmd, sizeof(cmd));
    switch (cmd.op) {
    case TEST_RELEASE:
        release_all();
        break;
    case TEST_CRASH:
        crash();
        break;
    case TEST_EXIT:
        _exit((int)cmd.arg);
    case TEST_HANG:
        hang(cmd.arg);
        break;
    case TEST_HANG_FILE:
        hang_on_file(bytes, len);
        break;
    case TEST_HEIR:
        leave_heir(command, bytes, len);
        return DOCA_SUCCESS;
    case TEST_STATUS:
        say(command, (doca_error_t)cmd.arg, bytes, len);
        return DOCA_SUCCESS;
    case TEST_ERROR_SAID:
        say(command, DOCA_ERROR_DRIVER, NULL, 0);
        return (doca_error_t)cmd.arg;
    case TEST_ERROR:
        return (doca_error_t)cmd.arg;
    case TEST_BIG:
        say(command, DOCA_SUCCESS, NULL, cmd.arg);
        return DOCA_SUCCESS;
    case TEST_TWICE:
        say(command, DOCA_SUCCESS, NULL, 0);
        break;
    case TEST_STRANGER:
        say_to_stranger(command);
        return DOCA_SUCCESS;
    case TEST_PACK_FAILS:
    case TEST_PACK_LIES:
        say_packed(command, &cmd);
        return DOCA_SUCCESS;
    case TEST_WHO:
        say_who(ctx, command);
        return DOCA_SUCCESS;
    case TEST_ENV:
        say_env(command, bytes, len);
        return DOCA_SUCCESS;
    case TEST_COUNT:
        say(command, DOCA_SUCCESS, &count, sizeof(count));
        return DOCA_SUCCESS;
    case TEST_CLOSED:
        say(command, DOCA_SUCCESS, &closed, sizeof(closed));
        return DOCA_SUCCESS;
    case TEST_ADDR:
    case TEST_SEG:
    case TEST_MEMH:
    case TEST_MKEY:
        look_up(ctx, command, &cmd, bytes);
        return DOCA_SUCCESS;
    default:
        break;
    }
    say(command, DOCA_SUCCESS, bytes, len);
    return DOCA_SUCCESS;
}

/* True when the first command stays in the list, with the result for worker_cmd. */
static bool stays(const struct urom_worker_cmd_desc *command, doca_error_t *result)
{
    struct test_cmd cmd;

    if (command->worker_cmd.len < sizeof(cmd)) {
        *result = DOCA_ERROR_INVALID_VALUE;
        return true;
    }
    memcpy(&cmd, command->worker_cmd.plugin_cmd, sizeof(cmd));
    if (cmd.op == TEST_ERROR_REFUSED) {
        *result = (doca_error_t)cmd.arg;
        return true;
    }
    *result = DOCA_ERROR_AGAIN;
    return cmd.op == TEST_LATER && later++ < cmd.arg;
}

static doca_error_t test_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    doca_error_t result;

    while (!ucs_list_is_empty(cmd_list)) {
        struct urom_worker_cmd_desc *command =
            ucs_list_head(cmd_list, struct urom_worker_cmd_desc, entry);
        struct test_cmd cmd;

        if (stays(command, &result))
            return result;
        ucs_list_del(&command->entry);
        memcpy(&cmd, command->worker_cmd.plugin_cmd, sizeof(cmd));
        if (cmd.op == TEST_HOLD) {
            ucs_list_add_tail(&held, &command->entry);
            count++;
            continue;
        }
        result = execute(ctx, command);
        count++;
        free(command);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

static doca_error_t test_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    (void)ctx;
    if (ucs_list_is_empty(&done))
        return DOCA_ERROR_EMPTY;
    ucs_list_splice_tail(notif_list, &done);
    ucs_list_head_init(&done);
    return DOCA_SUCCESS;
}

static doca_error_t test_notif_pack(struct urom_worker_notify *notif, size_t *len, void *out)
{
    const struct note *note = (const struct note *)notif->plugin_notif;

    if (note->pack_error != 0)
        return (doca_error_t)note->pack_error;
    if (note->pack_lies) {
        *len = *len + 1;
        return DOCA_SUCCESS;
    }
    memcpy(out, notif, sizeof(*notif));
    memcpy((uint8_t *)out + sizeof(*notif), note->bytes, notif->len);
    *len = sizeof(*notif) + notif->len;
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START,   .open = test_open,
        .close = test_close,           .addr = test_addr,
        .worker_cmd = test_worker_cmd, .progress = test_progress,
        .notif_pack = test_notif_pack,
    };
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (version == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *version = 7;
    return DOCA_SUCCESS;
}

void urom_plugin_ext_runtime(const struct urom_ext_runtime *runtime)
{
    services = runtime;
}

void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id)
{
    (void)ctx;
    (void)dest_id;
    closed++;
}
