/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "lib/seconds.h"
#include "soft/link/link.h"
#include "soft/peer/wire.h"

/* Who gets at the memory of another host. */

#define LEN     4096u
#define SECONDS 30

static void reads(struct soft_peer_map *map, uint64_t addr, int expected)
{
    uint8_t bytes[64];

    assert_int_equal(read_bytes(map, addr, bytes, sizeof(bytes)), expected);
    for (size_t i = 0; expected == 0 && i < sizeof(bytes); i++)
        assert_int_equal(bytes[i], 0x11);
}

static struct soft_peer_desc desc_of(const struct answer *exported)
{
    struct soft_peer_desc desc;

    assert_int_equal(soft_peer_desc_parse(exported->desc, exported->desc_len, &desc), 0);
    assert_true(desc.remote[0] != '\0');
    return desc;
}

/* Somebody who knows the format, but not what the exporter drew. */
static int forge(struct soft_peer_desc desc)
{
    soft_peer_desc_seal(&desc, NULL, 0);
    setenv("OPENDOCA_PEER_ENGINE", "remote", 1);
    return try_import(&desc, sizeof(desc));
}

static void only_what_was_issued_is_imported(void **state)
{
    const struct setting *setting = *state;
    struct soft_peer_desc desc, forged;
    struct answer exported;
    struct actor exporter;

    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, LEN, 0x11, SOFT_PEER_READ);
    desc = desc_of(&exported);
    soft_peer_map_close(import(setting, &exported));
    forged = desc;
    forged.token[7] ^= 1;
    assert_int_equal(forge(forged), -EBADMSG);
    forged = desc;
    forged.access = ALL_ACCESS;
    assert_int_equal(forge(forged), -EBADMSG);
    forged = desc;
    forged.len *= 2;
    assert_int_equal(forge(forged), -EBADMSG);
    forged = desc;
    forged.instance[3] ^= 1;
    assert_int_equal(forge(forged), -ECONNREFUSED);
    forged = desc;
    forged.id += 1ull << 32;
    assert_int_equal(forge(forged), -EPERM);
    actor_finish(&exporter);
}

static void no_door_without_being_asked(void **state)
{
    const struct setting *setting = *state;
    struct soft_peer_desc desc;
    struct answer exported;
    struct actor exporter;

    unsetenv("OPENDOCA_PEER_LISTEN");
    actor_start(&exporter, 0);
    setenv("OPENDOCA_PEER_LISTEN", "127.0.0.1:0", 1);
    exported = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    assert_int_equal(soft_peer_desc_parse(exported.desc, exported.desc_len, &desc), 0);
    assert_int_equal(desc.remote[0], '\0');
    setenv("OPENDOCA_PEER_ENGINE", "remote", 1);
    assert_int_equal(try_import(exported.desc, exported.desc_len), -ECONNREFUSED);
    actor_finish(&exporter);
}

static void the_address_must_be_one(void **state)
{
    static const char *const wrong[] = {"0.0.0.0:0", "[::]:0", "127.0.0.1", "192.0.2.77:0", "x"};
    const struct order alloc = {.what = ORDER_ALLOC, .kind = MEMORY_HEAP, .a = LEN, .b = 1};
    const struct order export = {.what = ORDER_EXPORT, .kind = ALL_ACCESS, .b = LEN};
    struct actor exporter;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(wrong); i++) {
        setenv("OPENDOCA_PEER_LISTEN", wrong[i], 1);
        actor_start(&exporter, 0);
        assert_int_equal(actor_ask(&exporter, alloc).rc, 0);
        assert_true(actor_ask(&exporter, export).rc < 0);
        actor_finish(&exporter);
    }
    setenv("OPENDOCA_PEER_LISTEN", "127.0.0.1:0", 1);
}

/* ---- Who may come ---- */

static void write_token(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

/* With what the environment says at both ends. */
static int import_with(const char *exporters, const char *importers, struct soft_peer_map **map)
{
    struct answer exported;
    struct actor exporter;
    int rc;

    setenv("OPENDOCA_TOKEN_FILE", exporters, 1);
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, LEN, 0x11, ALL_ACCESS);
    setenv("OPENDOCA_TOKEN_FILE", importers, 1);
    rc = soft_peer_import(exported.desc, exported.desc_len, SOFT_PEER_KIND_PCI, ACTOR_CARD, map);
    if (rc == 0)
        reads(*map, exported.value, 0);
    unsetenv("OPENDOCA_TOKEN_FILE");
    actor_finish(&exporter);
    return rc;
}

static void only_who_knows_the_token_comes(void **state)
{
    char right[64], wrong[64];
    struct soft_peer_map *map;
    int rc[5];

    (void)state;
    setenv("OPENDOCA_PEER_ENGINE", "remote", 1);
    snprintf(right, sizeof(right), "/tmp/opendoca-token-%d", getpid());
    snprintf(wrong, sizeof(wrong), "/tmp/opendoca-other-%d", getpid());
    write_token(right, "open sesame\n", 0600);
    write_token(wrong, "open sesamf\n", 0600);
    rc[0] = import_with(right, "", &map);
    rc[1] = import_with(right, wrong, &map);
    assert_non_null(strstr(soft_reason(), "OPENDOCA_TOKEN_FILE"));
    rc[2] = import_with(right, right, &map);
    if (rc[2] == 0)
        soft_peer_map_close(map);
    /* One that asks for none does not mind. */
    rc[3] = import_with("", right, &map);
    if (rc[3] == 0)
        soft_peer_map_close(map);
    write_token(wrong, "open sesame\n", 0644);
    rc[4] = import_with(right, wrong, &map);
    unlink(right);
    unlink(wrong);
    assert_int_equal(rc[0], -EACCES);
    assert_int_equal(rc[1], -EACCES);
    assert_int_equal(rc[2], 0);
    assert_int_equal(rc[3], 0);
    assert_true(rc[4] < 0);
}

/* ---- Hostile importers ---- */

struct intruder {
    struct soft_link *link;
    bool up;
};

static void intrude(struct intruder *in, const struct soft_peer_desc *desc, bool knows_name)
{
    const struct soft_link_conf conf = {.max_msg = 1u << 20, .depth = 64, .connect_timeout = 30000};
    time_t deadline = whole_seconds_now() + SECONDS;
    union soft_peer_msg hello = {0};
    enum soft_link_state state;
    char addr[80];
    size_t size;

    if (knows_name)
        memcpy(hello.hello.instance, desc->instance, sizeof(hello.hello.instance));
    size = soft_peer_wire_seal(&hello, PEER_MSG_HELLO, 0, 0);
    snprintf(addr, sizeof(addr), "tcp:%s", desc->remote);
    assert_int_equal(soft_link_connect(addr, &conf, &hello, size, &in->link), 0);
    while ((state = soft_link_poll(in->link, NULL)) == SOFT_LINK_CONNECTING) {
        assert_true(whole_seconds_now() < deadline);
        sched_yield();
    }
    in->up = state == SOFT_LINK_UP;
}

/* False: the exporter has hung up. */
static bool shout(struct intruder *in, const void *bytes, size_t len)
{
    struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
    time_t deadline = whole_seconds_now() + SECONDS;
    int rc;

    while ((rc = soft_link_send(in->link, &iov, 1)) == -EAGAIN) {
        assert_true(whole_seconds_now() < deadline);
        sched_yield();
    }
    return rc == 0;
}

static void must_be_thrown_out(struct intruder *in)
{
    time_t deadline = whole_seconds_now() + SECONDS;

    while (soft_link_poll(in->link, NULL) != SOFT_LINK_DOWN) {
        assert_true(whole_seconds_now() < deadline);
        sched_yield();
    }
    soft_link_close(in->link);
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void random_bytes(uint8_t *bytes, size_t len, uint64_t *seed)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)draw(seed);
}

/* Well made, but nothing of it was imported. */
static size_t lie(uint8_t *bytes, uint64_t *seed, const struct soft_peer_desc *desc)
{
    union soft_peer_msg msg = {0};
    size_t size;

    if (draw(seed) % 2 == 0) {
        msg.atomic = (struct soft_peer_msg_atomic){.cell = (uint32_t)draw(seed) % 3,
                                                   .op = SOFT_PEER_OP_ADD,
                                                   .width = 8,
                                                   .addr = desc->base,
                                                   .value = 1};
        size = soft_peer_wire_seal(&msg, PEER_MSG_ATOMIC, 1, 0);
    } else {
        msg.copy = (struct soft_peer_msg_copy){
            .cell = (uint32_t)draw(seed), .op = PEER_COPY_READ, .nsegs = 1};
        msg.copy.segs[0] = (struct soft_peer_seg){desc->base, 64};
        size = soft_peer_wire_seal(&msg, PEER_MSG_COPY, 1, 0);
    }
    memcpy(bytes, &msg, size);
    return size;
}

static void the_hostile_disturb_nobody(void **state)
{
    const struct setting *setting = *state;
    static uint8_t bytes[4096];
    struct soft_peer_desc desc;
    struct soft_peer_map *map;
    struct answer exported;
    struct actor exporter;
    struct intruder in;
    uint64_t seed = 7;

    actor_start(&exporter, 0);
    exported = actor_export(&exporter, setting->memory, LEN, 0x11, ALL_ACCESS);
    desc = desc_of(&exported);
    map = import(setting, &exported);
    intrude(&in, &desc, false);
    assert_false(in.up);
    soft_link_close(in.link);
    for (unsigned int i = 0; i < 20; i++) {
        size_t len = draw(&seed) % sizeof(bytes);

        intrude(&in, &desc, true);
        assert_true(in.up);
        random_bytes(bytes, len, &seed);
        for (unsigned int k = 0; k < i % 3; k++) {
            uint8_t liar[sizeof(union soft_peer_msg)];
            size_t size = lie(liar, &seed, &desc);

            assert_true(shout(&in, liar, size));
        }
        shout(&in, bytes, len);
        must_be_thrown_out(&in);
        reads(map, exported.value, 0);
    }
    /* One that says nothing, and one that never takes its replies. */
    intrude(&in, &desc, true);
    for (unsigned int k = 0; k < 200; k++) {
        size_t len = lie(bytes, &seed, &desc);

        if (!shout(&in, bytes, len))
            break;
    }
    must_be_thrown_out(&in);
    reads(map, exported.value, 0);
    assert_int_equal(actor_count_others(&exporter, 0, LEN, 0x11), 0);
    soft_peer_map_close(map);
    actor_finish(&exporter);
}

const struct peer_case remote_cases[] = {
    {"only what was issued is imported", only_what_was_issued_is_imported},
    {"no door without being asked", no_door_without_being_asked},
    {"the address must be one", the_address_must_be_one},
    {"only who knows the token comes", only_who_knows_the_token_comes},
    {"the hostile disturb nobody", the_hostile_disturb_nobody},
    {NULL, NULL},
};
