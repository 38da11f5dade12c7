/* SPDX-License-Identifier: BSD-3-Clause */
#include "ops_fixture.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKER_OF_PEER 900

extern char **environ;

/* ------------------------------------------------------------------------------------------------
 * Clients
 */

void ops_client_open(struct ops_client *client, uint64_t id, const char *const *names)
{
    client->plugins = 0;
    fixture_host_open(&client->host);
    for (; *names != NULL; names++)
        client->plugins |= fixture_plugin(&client->host, *names);
    client->worker = fixture_worker(&client->host, id, client->plugins);
    assert_ok(doca_urom_worker_set_max_inflight_tasks(client->worker, 64));
    assert_int_equal(fixture_worker_start(&client->host, client->worker), DOCA_CTX_STATE_RUNNING);
    assert_ok(
        doca_urom_ops_create(client->host.service, client->worker, client->plugins, &client->ops));
}

void ops_client_close(struct ops_client *client)
{
    assert_ok(doca_urom_ops_destroy(client->ops));
    fixture_worker_end(&client->host, client->worker);
    fixture_host_close(&client->host);
}

void ops_done(struct doca_urom_ops *ops, doca_error_t status, void *user_data)
{
    struct ops_result *result = user_data;

    (void)ops;
    result->count++;
    result->status = status;
}

doca_error_t ops_wait(struct ops_client *client, struct ops_result *result)
{
    while (result->count == 0)
        fixture_event(client->host.pe);
    assert_int_equal(result->count, 1);
    result->count = 0;
    return result->status;
}

/* ------------------------------------------------------------------------------------------------
 * Regions
 */

static void region_done(struct doca_urom_ops_region *region, doca_error_t status, void *user_data)
{
    (void)region;
    ops_done(NULL, status, user_data);
}

struct doca_urom_ops_region *ops_region(struct ops_client *client, void *addr, size_t len,
                                        uint32_t access)
{
    struct doca_urom_ops_region *region;
    struct ops_result result = {0};

    assert_ok(
        doca_urom_ops_region_create(client->ops, addr, len, access, region_done, &result, &region));
    assert_ok(ops_wait(client, &result));
    return region;
}

doca_error_t ops_attach(struct ops_client *client, const void *desc, size_t len,
                        struct doca_urom_ops_region **region)
{
    struct ops_result result = {0};

    assert_ok(doca_urom_ops_region_attach(client->ops, desc, len, region_done, &result, region));
    return ops_wait(client, &result);
}

void ops_region_end(struct ops_client *client, struct doca_urom_ops_region *region)
{
    struct ops_result result = {0};

    assert_ok(doca_urom_ops_region_destroy(region, ops_done, &result));
    assert_ok(ops_wait(client, &result));
}

void ops_region_is(const struct doca_urom_ops_region *region, const char *engine)
{
    struct doca_urom_ops_region_info info;

    assert_ok(doca_urom_ops_region_get_info(region, &info));
    assert_string_equal(info.engine, engine);
}

void *ops_memory(size_t len, bool shareable)
{
    int fd = shareable ? memfd_create("ops-test", MFD_CLOEXEC) : -1;
    void *memory;

    if (shareable)
        assert_int_equal(ftruncate(fd, (off_t)len), 0);
    memory = mmap(NULL, len, PROT_READ | PROT_WRITE,
                  shareable ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
    assert_true(memory != MAP_FAILED);
    /* The descriptor stays: without it, memory that has no name is opened by the privileged only.
     */
    return memory;
}

/* ------------------------------------------------------------------------------------------------
 * Peers
 */

struct wish {
    char what; /* 'r'ead, re'v'oke, 'e'nd */
    size_t offset;
    size_t len;
};

static void write_all(int fd, const void *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);

        assert_true(n > 0);
        bytes = (const char *)bytes + n;
        len -= (size_t)n;
    }
}

static void read_all(int fd, void *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = read(fd, bytes, len);

        assert_true(n > 0);
        bytes = (char *)bytes + n;
        len -= (size_t)n;
    }
}

void ops_peer_start(struct ops_peer *peer, size_t len, bool shareable, uint32_t access)
{
    char name[] = "peer", bytes[32], kind[8], bits[8];
    char *args[] = {name, bytes, kind, bits, NULL};
    posix_spawn_file_actions_t actions;
    int to[2], from[2];

    snprintf(bytes, sizeof(bytes), "%zu", len);
    snprintf(kind, sizeof(kind), "%d", shareable);
    snprintf(bits, sizeof(bits), "%u", access);
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    assert_int_equal(posix_spawn(&peer->pid, "/proc/self/exe", &actions, NULL, args, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    peer->to = to[1];
    peer->from = from[0];
    peer->len = len;
    read_all(peer->from, &peer->addr, sizeof(peer->addr));
    read_all(peer->from, &peer->desc_len, sizeof(peer->desc_len));
    if (peer->desc_len > 0)
        read_all(peer->from, peer->desc, peer->desc_len);
}

static void ask(struct ops_peer *peer, char what, size_t offset, void *bytes, size_t len)
{
    const struct wish wish = {what, offset, len};

    write_all(peer->to, &wish, sizeof(wish));
    read_all(peer->from, bytes, len);
}

void ops_peer_read(struct ops_peer *peer, size_t offset, void *bytes, size_t len)
{
    ask(peer, 'r', offset, bytes, len);
}

void ops_peer_revoke(struct ops_peer *peer)
{
    char done;

    ask(peer, 'v', 0, &done, 1);
}

void ops_peer_end(struct ops_peer *peer)
{
    char done;
    int status;

    ask(peer, 'e', 0, &done, 1);
    assert_int_equal(waitpid(peer->pid, &status, 0), peer->pid);
    assert_int_equal(status, 0);
    close(peer->to);
    close(peer->from);
}

/* As others have left it, who may be threads of this process. */
static void show(const uint8_t *memory, size_t len)
{
    uint8_t *seen = malloc(len + 1);

    assert_non_null(seen);
    for (size_t i = 0; i < len; i++)
        seen[i] = __atomic_load_n(memory + i, __ATOMIC_RELAXED);
    write_all(STDOUT_FILENO, seen, len);
    free(seen);
}

/* Serves wishes until the last one; true when the region is still there. */
static bool serve(struct ops_client *client, struct doca_urom_ops_region *region,
                  const uint8_t *memory)
{
    struct wish wish;
    bool there = true;

    for (;;) {
        read_all(STDIN_FILENO, &wish, sizeof(wish));
        if (wish.what == 'r')
            show(memory + wish.offset, wish.len);
        if (wish.what == 'e')
            return there;
        if (wish.what != 'v')
            continue;
        ops_region_end(client, region);
        there = false;
        write_all(STDOUT_FILENO, "", 1);
    }
}

void ops_peer_main(int argc, char **argv)
{
    static const char *const names[] = {"worker_rma", NULL};
    struct doca_urom_ops_region *region;
    struct ops_client client;
    const void *desc = NULL;
    uint64_t addr;
    size_t len, desc_len = 0;
    uint8_t *memory;

    if (argc != 4 || strcmp(argv[0], "peer") != 0)
        return;
    fixture_in_child();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    len = strtoul(argv[1], NULL, 10);
    ops_client_open(&client, WORKER_OF_PEER, names);
    memory = ops_memory(len, argv[2][0] == '1');
    for (size_t i = 0; i < len; i++)
        memory[i] = (uint8_t)i;
    region = ops_region(&client, memory, len, (uint32_t)strtoul(argv[3], NULL, 10));
    doca_urom_ops_region_get_desc(region, &desc, &desc_len);
    addr = (uintptr_t)memory;
    write_all(STDOUT_FILENO, &addr, sizeof(addr));
    write_all(STDOUT_FILENO, &desc_len, sizeof(desc_len));
    write_all(STDOUT_FILENO, desc, desc_len);
    if (serve(&client, region, memory))
        ops_region_end(&client, region);
    ops_client_close(&client);
    munmap(memory, len);
    write_all(STDOUT_FILENO, "", 1);
    exit(0);
}
