/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends and receives by tags through the plugin worker_sandbox. */
#include "team.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "urom/plugin/sandbox/common/sandbox_wire.h"

#define ROOM 160 /* bytes of data that fit behind a notification in a result */

/* The hooks that UCX puts into memory functions do not get on with sanitizers. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

static struct fixture_daemon daemon_one;

struct packet {
    struct sandbox_cmd cmd;
    uint8_t data[4096];
};

static void post_send(struct team *team, unsigned int from, struct team_command *command,
                      uint64_t dest, uint64_t tag, const void *bytes, size_t len)
{
    struct packet packet = {
        .cmd = {.type = SANDBOX_TAG_SEND, .send = {.context = 0x5e4d, .dest = dest, .tag = tag}}};

    packet.cmd.send.count = len;
    memcpy(packet.data, bytes, len);
    team_submit(team, from, command, &packet, sizeof(packet.cmd) + len);
}

static void post_recv(struct team *team, unsigned int at, struct team_command *command,
                      uint64_t tag, uint64_t mask, size_t room)
{
    const struct sandbox_cmd cmd = {
        .type = SANDBOX_TAG_RECV,
        .recv = {.context = 0x4ec7, .buffer = 1, .count = room, .tag = tag, .tag_mask = mask}};

    team_submit(team, at, command, &cmd, sizeof(cmd));
}

static const struct sandbox_notify *notify_of(const struct team_command *command)
{
    assert_true(command->result.len >= sizeof(struct sandbox_notify));
    return (const void *)command->result.bytes;
}

static void sent(struct team *team, struct team_command *command)
{
    assert_ok(team_await(team, command));
    assert_int_equal(command->result.len, sizeof(struct sandbox_notify));
    assert_int_equal(notify_of(command)->type, SANDBOX_TAG_SEND);
    assert_int_equal(notify_of(command)->context, 0x5e4d);
    assert_int_equal(notify_of(command)->send.status, 0);
}

static void received(struct team *team, struct team_command *command, uint64_t tag,
                     const void *bytes, size_t len)
{
    assert_ok(team_await(team, command));
    assert_int_equal(command->result.len, sizeof(struct sandbox_notify) + len);
    assert_int_equal(notify_of(command)->type, SANDBOX_TAG_RECV);
    assert_int_equal(notify_of(command)->context, 0x4ec7);
    assert_int_not_equal(notify_of(command)->recv.buffer, 0);
    assert_int_equal(notify_of(command)->recv.count, len);
    assert_int_equal(notify_of(command)->recv.sender_tag, tag);
    assert_int_equal(notify_of(command)->recv.status, 0);
    assert_memory_equal(command->result.bytes + sizeof(struct sandbox_notify), bytes, len);
}

static void there_and_back(void **state)
{
    struct team_command ping, pong, ping_sent, pong_sent;
    struct team team;

    (void)state;
    team_open(&team, "worker_sandbox", 2);
    for (unsigned int i = 0; i < 20; i++) {
        post_recv(&team, 1, &ping, i, UINT64_MAX, ROOM);
        post_send(&team, 0, &ping_sent, TEAM_DOMAIN_ID(1), i, "ping", 5);
        sent(&team, &ping_sent);
        received(&team, &ping, i, "ping", 5);
        post_recv(&team, 0, &pong, i, UINT64_MAX, ROOM);
        post_send(&team, 1, &pong_sent, TEAM_DOMAIN_ID(0), i, "pong", 5);
        sent(&team, &pong_sent);
        received(&team, &pong, i, "pong", 5);
    }
    team_close(&team);
}

static void to_itself(void **state)
{
    struct team_command send, recv;
    struct team team;

    (void)state;
    team_open(&team, "worker_sandbox", 1);
    post_send(&team, 0, &send, TEAM_DOMAIN_ID(0), 7, "me", 3);
    sent(&team, &send);
    post_recv(&team, 0, &recv, 7, UINT64_MAX, 3);
    received(&team, &recv, 7, "me", 3);
    post_send(&team, 0, &send, TEAM_DOMAIN_ID(0), 8, "", 0);
    sent(&team, &send);
    post_recv(&team, 0, &recv, 0, 0, 0);
    received(&team, &recv, 8, "", 0);
    team_close(&team);
}

/* Tags choose, and within a tag the order of sends and of receives. */
static void tags(void **state)
{
    struct team_command send[4], recv[4];
    struct team team;

    (void)state;
    team_open(&team, "worker_sandbox", 2);
    for (unsigned int i = 0; i < 4; i++)
        post_send(&team, 0, &send[i], TEAM_DOMAIN_ID(1), 0x100 + i / 2, &"abcd"[i], 1);
    for (unsigned int i = 0; i < 4; i++)
        sent(&team, &send[i]);
    post_recv(&team, 1, &recv[0], 0x101, UINT64_MAX, 1);
    received(&team, &recv[0], 0x101, "c", 1);
    post_recv(&team, 1, &recv[1], 0x1ff, 0x100, 1);
    received(&team, &recv[1], 0x100, "a", 1);
    post_recv(&team, 1, &recv[2], 0x1, 0x1, 1);
    received(&team, &recv[2], 0x101, "d", 1);
    post_recv(&team, 1, &recv[3], 0, 0, 1);
    received(&team, &recv[3], 0x100, "b", 1);

    post_recv(&team, 1, &recv[0], 5, UINT64_MAX, 1);
    post_recv(&team, 1, &recv[1], 0, 0, 1);
    post_recv(&team, 1, &recv[2], 5, UINT64_MAX, 1);
    for (unsigned int i = 0; i < 3; i++)
        post_send(&team, 0, &send[i], TEAM_DOMAIN_ID(1), 5, &"xyz"[i], 1);
    for (unsigned int i = 0; i < 3; i++) {
        received(&team, &recv[i], 5, &"xyz"[i], 1);
        sent(&team, &send[i]);
    }
    team_close(&team);
}

static void receives_need_no_domain(void **state)
{
    struct team_command send, recv;
    struct team team;

    (void)state;
    team_open_apart(&team, "worker_sandbox", 2);
    post_recv(&team, 1, &recv, 9, UINT64_MAX, 2);
    post_send(&team, 0, &send, TEAM_DOMAIN_ID(1), 9, "no", 2);
    assert_doca(DOCA_ERROR_NOT_FOUND, team_await(&team, &send));
    assert_int_equal(send.result.len, sizeof(struct sandbox_notify));
    assert_int_not_equal(notify_of(&send)->send.status, 0);
    team_meet(&team);
    post_send(&team, 0, &send, TEAM_DOMAIN_ID(1), 9, "go", 2);
    sent(&team, &send);
    received(&team, &recv, 9, "go", 2);
    team_close(&team);
}

static void too_long_for_the_receive(void **state)
{
    struct team_command send, recv;
    struct team team;

    (void)state;
    team_open(&team, "worker_sandbox", 2);
    post_recv(&team, 1, &recv, 1, UINT64_MAX, 3);
    post_send(&team, 0, &send, TEAM_DOMAIN_ID(1), 1, "four", 4);
    assert_doca(DOCA_ERROR_DRIVER, team_await(&team, &recv));
    assert_int_equal(recv.result.len, sizeof(struct sandbox_notify));
    assert_int_equal(notify_of(&recv)->recv.status, -9); /* truncated, in UCX's numbers */
    assert_int_equal(notify_of(&recv)->recv.buffer, 0);
    sent(&team, &send);
    team_close(&team);
}

static void refusals(void **state)
{
    struct packet packet = {.cmd = {.type = SANDBOX_TAG_SEND}};
    struct sandbox_cmd map = {.type = SANDBOX_MEM_MAP, .context = 3};
    struct sandbox_cmd other = {.type = 3};
    struct team_command command;
    struct team team;

    (void)state;
    team_open(&team, "worker_sandbox", 1);
    packet.cmd.send.count = 5;
    assert_doca(DOCA_ERROR_INVALID_VALUE,
                team_call(&team, 0, &command, &packet, sizeof(packet.cmd) + 4));
    assert_doca(DOCA_ERROR_INVALID_VALUE, team_call(&team, 0, &command, &packet, 63));
    assert_doca(DOCA_ERROR_INVALID_VALUE, team_call(&team, 0, &command, NULL, 0));
    packet.cmd.send = (struct sandbox_tag_send){.memh_id = 4, .count = 5};
    assert_doca(DOCA_ERROR_NOT_FOUND, team_call(&team, 0, &command, &packet, sizeof(packet.cmd)));
    packet.cmd.type = SANDBOX_TAG_RECV;
    assert_doca(DOCA_ERROR_NOT_FOUND, team_call(&team, 0, &command, &packet, sizeof(packet.cmd)));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, team_call(&team, 0, &command, &other, sizeof(other)));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, team_call(&team, 0, &command, &map, sizeof(map)));
    assert_int_equal(command.result.len, sizeof(struct sandbox_notify));
    assert_int_equal(notify_of(&command)->type, SANDBOX_MEM_MAP);
    assert_int_equal(notify_of(&command)->context, 3);
    assert_int_equal(notify_of(&command)->map.memh_id, 0);
    team_close(&team);
}

/* The structure that a host half has that was built with a later UCX. */
static void larger_structure(void **state)
{
    struct {
        struct sandbox_cmd cmd;
        uint64_t more;
        char data[8];
    } packet = {.cmd = {.type = SANDBOX_TAG_RECV, .recv = {.context = 0x4ec7, .count = 8}}};
    struct team_command send, recv;
    struct team team;

    (void)state;
    team_open(&team, "worker_sandbox", 1);
    team_submit(&team, 0, &recv, &packet, SANDBOX_CMD_SIZE_LATER);
    packet.cmd.type = SANDBOX_TAG_SEND;
    packet.cmd.send = (struct sandbox_tag_send){
        .context = 0x5e4d, .dest = TEAM_DOMAIN_ID(0), .count = 4, .tag = 77};
    memcpy(packet.data, "late", 4);
    team_submit(&team, 0, &send, &packet, SANDBOX_CMD_SIZE_LATER + 4);
    sent(&team, &send);
    received(&team, &recv, 77, "late", 4);
    team_close(&team);
}

/* More than the connection holds, before anybody receives. */
static void many_in_order(void **state)
{
    enum { COUNT = 400 };
    static struct team_command send[COUNT];
    struct team_command recv;
    struct team team;
    uint32_t number;

    (void)state;
    team_open(&team, "worker_sandbox", 2);
    for (uint32_t base = 0; base < COUNT; base += 16) {
        for (uint32_t i = base; i < base + 16; i++)
            post_send(&team, 0, &send[i], TEAM_DOMAIN_ID(1), 2, &i, sizeof(i));
        for (uint32_t i = base; i < base + 16; i++)
            sent(&team, &send[i]);
    }
    for (number = 0; number < COUNT; number++) {
        post_recv(&team, 1, &recv, 2, UINT64_MAX, sizeof(number));
        received(&team, &recv, 2, &number, sizeof(number));
    }
    team_close(&team);
}

/* A worker that dies takes the sends to it along, not the other worker. */
static void death_of_the_other(void **state)
{
    struct team_command command;
    doca_error_t status = DOCA_SUCCESS;
    struct team team;

    (void)state;
    team_open(&team, "worker_sandbox", 2);
    post_send(&team, 0, &command, TEAM_DOMAIN_ID(1), 1, "a", 1);
    sent(&team, &command);
    kill(team_pid(1), SIGKILL);
    while (status == DOCA_SUCCESS) {
        post_send(&team, 0, &command, TEAM_DOMAIN_ID(1), 1, "b", 1);
        status = team_await(&team, &command);
    }
    assert_doca(DOCA_ERROR_DRIVER, status);
    assert_int_not_equal(notify_of(&command)->send.status, 0);
    post_send(&team, 0, &command, TEAM_DOMAIN_ID(0), 1, "c", 1);
    sent(&team, &command);
    team_close(&team);
}

/* What another host does not see. */
static void hide_sockets(void)
{
    DIR *folder = opendir(fixture_dir());
    struct dirent *entry;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, "link-uromp-", 11) == 0)
            assert_int_equal(unlinkat(dirfd(folder), entry->d_name, 0), 0);
    }
    closedir(folder);
}

/* Workers of a service for other hosts that do not see each other's sockets. */
static void over_the_network(void **state)
{
    static const char *const args[] = {"--listen", "127.0.0.1:0", NULL};
    struct team_command send, recv;
    struct team team;

    (void)state;
    if (HAS_SANITIZER || getenv("UROM_HAS_UCX") == NULL)
        skip();
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    fixture_daemon_start(&daemon_one, args);
    team_open_apart(&team, "worker_sandbox", 2);
    hide_sockets();
    team_meet(&team);
    for (unsigned int i = 0; i < 10; i++) {
        post_recv(&team, 1, &recv, i, UINT64_MAX, ROOM);
        post_send(&team, 0, &send, TEAM_DOMAIN_ID(1), i, "far", 4);
        sent(&team, &send);
        received(&team, &recv, i, "far", 4);
    }
    team_close(&team);
}

static int setup(void **state)
{
    if (fixture_group_setup(state) != 0)
        return -1;
    fixture_daemon_start(&daemon_one, NULL);
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(to_itself),
        cmocka_unit_test(tags),
        cmocka_unit_test(receives_need_no_domain),
        cmocka_unit_test(too_long_for_the_receive),
        cmocka_unit_test(refusals),
        cmocka_unit_test(larger_structure),
        cmocka_unit_test(many_in_order),
        cmocka_unit_test(death_of_the_other),
        cmocka_unit_test(over_the_network),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
