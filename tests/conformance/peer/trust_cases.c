/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "soft/peer/dir.h"
#include "soft/peer/wire.h"

#define PAGE 4096u

/* ---- Descriptors ---- */

static void every_altered_descriptor_is_refused(void **state)
{
    uint8_t bytes[SOFT_PEER_DESC_MAX + 1];
    struct answer exported;
    struct actor exporter;
    size_t len;

    (void)state;
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 0x11, ALL_ACCESS);
    len = exported.desc_len;
    memcpy(bytes, exported.desc, len);
    for (size_t i = 0; i < len; i++)
        for (int change = 1; change < 256; change++) {
            bytes[i] ^= (uint8_t)change;
            assert_int_equal(try_import(bytes, len), -EBADMSG);
            bytes[i] ^= (uint8_t)change;
        }
    for (size_t cut = 0; cut < len; cut++)
        assert_int_equal(try_import(bytes, cut), -EBADMSG);
    memset(bytes + len, 0, sizeof(bytes) - len);
    for (size_t more = len + 1; more <= sizeof(bytes); more++)
        assert_int_equal(try_import(bytes, more), -EBADMSG);
    assert_int_equal(try_import(bytes, len), 0);
    actor_finish(&exporter);
}

static int try_forged(struct soft_peer_desc desc)
{
    soft_peer_desc_seal(&desc, NULL, 0);
    return try_import(&desc, sizeof(desc));
}

/* With a check that is right again. */
static void forged_descriptors_are_refused_by_the_exporter(void **state)
{
    struct soft_peer_desc desc, forged;
    struct answer exported;
    struct actor exporter;

    (void)state;
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 0x11, SOFT_PEER_READ);
    assert_int_equal(soft_peer_desc_parse(exported.desc, exported.desc_len, &desc), 0);
    assert_int_equal(try_forged(desc), 0);
    forged = desc;
    forged.len += PAGE;
    assert_int_equal(try_forged(forged), -EBADMSG);
    forged = desc;
    forged.base -= PAGE;
    assert_int_equal(try_forged(forged), -EBADMSG);
    forged = desc;
    forged.access |= SOFT_PEER_WRITE;
    assert_int_equal(try_forged(forged), -EBADMSG);
    forged = desc;
    forged.mask ^= 1;
    assert_int_equal(try_forged(forged), -EBADMSG);
    forged = desc;
    forged.token[15] ^= 1;
    assert_int_equal(try_forged(forged), -EBADMSG);
    forged = desc;
    forged.id++;
    assert_int_equal(try_forged(forged), -EPERM);
    forged = desc;
    forged.instance[3] ^= 1;
    assert_int_equal(try_forged(forged), -ECONNREFUSED);
    actor_finish(&exporter);
}

static void another_card_or_kind(void **state)
{
    struct soft_peer_map *map = NULL;
    struct soft_peer_desc forged;
    struct answer exported;
    struct actor exporter;

    (void)state;
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 0x11, ALL_ACCESS);
    assert_int_equal(
        soft_peer_import(exported.desc, exported.desc_len, SOFT_PEER_KIND_PCI, "card-1", &map),
        -EXDEV);
    assert_non_null(strstr(soft_reason(), "card-1"));
    assert_int_equal(
        soft_peer_import(exported.desc, exported.desc_len, SOFT_PEER_KIND_SYNC, ACTOR_CARD, &map),
        -EBADMSG);
    assert_int_equal(soft_peer_desc_parse(exported.desc, exported.desc_len, &forged), 0);
    strcpy(forged.card, "card-1");
    soft_peer_desc_seal(&forged, NULL, 0);
    assert_int_equal(soft_peer_import(&forged, sizeof(forged), SOFT_PEER_KIND_PCI, "card-1", &map),
                     -EBADMSG);
    assert_null(map);
    actor_finish(&exporter);
}

static void a_descriptor_of_an_earlier_run(void **state)
{
    struct answer old, new;
    struct actor exporter;

    (void)state;
    actor_start(&exporter, 0);
    old = actor_export(&exporter, MEMORY_HEAP, PAGE, 0x11, ALL_ACCESS);
    actor_finish(&exporter);
    assert_int_equal(try_import(old.desc, old.desc_len), -ECONNREFUSED);
    actor_start(&exporter, 0);
    new = actor_export(&exporter, MEMORY_HEAP, PAGE, 0x11, ALL_ACCESS);
    assert_int_equal(try_import(old.desc, old.desc_len), -ECONNREFUSED);
    assert_int_equal(try_import(new.desc, new.desc_len), 0);
    actor_kill(&exporter);
    /* A killed exporter leaves its socket; it refuses, and the next one removes it. */
    assert_int_equal(try_import(new.desc, new.desc_len), -ECONNREFUSED);
}

/* ---- Other places ---- */

static void another_network_namespace(void **state)
{
    const struct setting *setting = *state;
    uint8_t bytes[64] = {0};
    struct soft_peer_map *map;
    struct answer exported;
    struct actor exporter;

    actor_start(&exporter, CLONE_NEWNET);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 0x11, ALL_ACCESS);
    map = import(setting, &exported);
    assert_int_equal(read_bytes(map, exported.value, bytes, 64), 0);
    assert_int_equal(bytes[63], 0x11);
    assert_int_equal(write_bytes(map, exported.value + 64, bytes, 64), 0);
    soft_peer_map_close(map);
    actor_finish(&exporter);
}

/* Neither process_vm nor /proc reach the exporter from there. */
static void a_pid_namespace_that_hides_the_exporter(void **state)
{
    struct order order = {.what = ORDER_IMPORT};
    struct actor exporter, importer;
    struct answer exported, answer;

    (void)state;
    unsetenv("OPENDOCA_PEER_ENGINE");
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 1, ALL_ACCESS);
    actor_start(&importer, CLONE_NEWPID);
    order.desc_len = exported.desc_len;
    memcpy(order.desc, exported.desc, sizeof(order.desc));
    answer = actor_ask(&importer, order);
    assert_int_equal(answer.rc, 0);
    assert_string_equal((char *)answer.desc, "served");
    answer =
        actor_ask(&importer, (struct order){.what = ORDER_READ, .a = exported.value, .b = 100});
    assert_int_equal(answer.rc, 0);
    assert_int_equal(answer.value, 100);
    actor_ask(&importer, (struct order){.what = ORDER_PEER_ADD, .a = exported.value, .b = 7});
    assert_int_equal(actor_count_others(&exporter, 0, PAGE, 1), 1);
    actor_kill(&exporter);
    answer =
        actor_ask(&importer, (struct order){.what = ORDER_READ, .a = exported.value, .b = 100});
    assert_int_equal(answer.rc, -ENOTCONN);
    actor_finish(&importer);
}

static void open_the_doors(const struct soft_peer_desc *desc, mode_t folder, mode_t door)
{
    char path[PEER_DIR_SIZE + 64];
    int len = snprintf(path, sizeof(path), "%s/peer-", desc->dir);

    for (int i = 0; i < PEER_INSTANCE_SIZE; i++)
        len += snprintf(path + len, sizeof(path) - (size_t)len, "%02x", desc->instance[i]);
    assert_int_equal(chmod(desc->dir, folder), 0);
    assert_int_equal(chmod(path, door), 0);
}

static void another_user_is_refused(void **state)
{
    struct order order = {.what = ORDER_IMPORT};
    struct actor exporter, importer;
    struct soft_peer_desc desc;
    struct answer exported;

    (void)state;
    if (geteuid() != 0) {
        print_message("needs root to become another user\n");
        skip();
    }
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 1, ALL_ACCESS);
    assert_int_equal(soft_peer_desc_parse(exported.desc, exported.desc_len, &desc), 0);
    actor_start(&importer, 0);
    assert_int_equal(actor_ask(&importer, (struct order){.what = ORDER_USER, .a = 65534}).rc, 0);
    order.desc_len = exported.desc_len;
    memcpy(order.desc, exported.desc, sizeof(order.desc));
    assert_int_equal(actor_ask(&importer, order).rc, -EACCES);
    open_the_doors(&desc, 0711, 0666);
    assert_int_equal(actor_ask(&importer, order).rc, -EACCES);
    open_the_doors(&desc, 0700, 0600);
    actor_finish(&importer);
    actor_finish(&exporter);
}

/* A process of the user nobody, with a runtime folder of its own. */
static void start_as_nobody(struct actor *actor, char *dir)
{
    char *before = strdup(getenv("OPENDOCA_RUNTIME_DIR"));

    if (geteuid() != 0) {
        free(before);
        print_message("needs root to become another user\n");
        skip();
    }
    if (strstr(dir, "XXXXXX") != NULL)
        assert_non_null(mkdtemp(dir));
    assert_int_equal(chown(dir, 65534, 65534), 0);
    setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
    actor_start(actor, 0);
    setenv("OPENDOCA_RUNTIME_DIR", before, 1);
    free(before);
    assert_int_equal(actor_ask(actor, (struct order){.what = ORDER_USER, .a = 65534}).rc, 0);
}

/* Root may import from anybody. */
static void root_imports_from_a_user(void **state)
{
    const struct setting *setting = *state;
    char dir[] = "/tmp/opendoca-test-XXXXXX";
    struct soft_peer_map *map;
    struct answer exported;
    struct actor exporter;
    uint8_t bytes[8];

    start_as_nobody(&exporter, dir);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 1, ALL_ACCESS);
    map = import(setting, &exported);
    assert_int_equal(read_bytes(map, exported.value, bytes, 8), 0);
    assert_int_equal(bytes[7], 1);
    soft_peer_map_close(map);
    actor_finish(&exporter);
    assert_int_equal(rmdir(dir), 0);
}

static void assert_sum(struct actor *importer, const struct answer *exported)
{
    struct order order = {.what = ORDER_READ, .a = exported->value, .b = 100};
    struct answer answer = actor_ask(importer, order);

    assert_int_equal(answer.rc, 0);
    assert_int_equal(answer.value, 100);
}

/* A process may forbid others to read it, from the start or at any time later. */
static void an_exporter_that_hides_its_memory(void **state)
{
    char dir[] = "/tmp/opendoca-test-XXXXXX";
    struct order order = {.what = ORDER_IMPORT};
    struct actor exporter, importer;
    struct answer exported, answer;

    (void)state;
    unsetenv("OPENDOCA_PEER_ENGINE");
    start_as_nobody(&exporter, dir);
    start_as_nobody(&importer, dir);
    assert_int_equal(actor_ask(&exporter, (struct order){.what = ORDER_DUMPABLE, .a = 0}).rc, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 1, ALL_ACCESS);
    order.desc_len = exported.desc_len;
    memcpy(order.desc, exported.desc, sizeof(order.desc));
    answer = actor_ask(&importer, order);
    assert_int_equal(answer.rc, 0);
    assert_string_equal((char *)answer.desc, "served");
    assert_sum(&importer, &exported);
    actor_ask(&importer, (struct order){.what = ORDER_CLOSE});
    actor_ask(&exporter, (struct order){.what = ORDER_DUMPABLE, .a = 1});
    answer = actor_ask(&importer, order);
    assert_int_equal(answer.rc, 0);
    assert_string_equal((char *)answer.desc, "vm");
    assert_sum(&importer, &exported);
    actor_ask(&exporter, (struct order){.what = ORDER_DUMPABLE, .a = 0});
    assert_sum(&importer, &exported);
    actor_finish(&importer);
    actor_finish(&exporter);
    assert_int_equal(rmdir(dir), 0);
}

/* ---- Hostile clients ---- */

/* -EAGAIN: more wait to be accepted than fit, until the exporter gets a CPU. */
static int raw_connect(const struct soft_peer_desc *desc)
{
    uint64_t deadline = now_ms() + 60000;
    int fd = soft_peer_dir_connect(desc->dir, desc->instance);

    while (fd == -EAGAIN && now_ms() < deadline) {
        sched_yield();
        fd = soft_peer_dir_connect(desc->dir, desc->instance);
    }
    assert_true(fd >= 0);
    return fd;
}

/* Blocking. Returns the length of the reply, 0 at the end; *file: a received one or -1. */
static ssize_t raw_receive(int fd, union soft_peer_msg *msg, int files[2])
{
    char control[CMSG_SPACE(2 * sizeof(int))] __attribute__((aligned(8)));
    struct iovec iov = {msg, sizeof(*msg)};
    struct msghdr mh = {.msg_iov = &iov,
                        .msg_iovlen = 1,
                        .msg_control = control,
                        .msg_controllen = sizeof(control)};
    ssize_t n;

    assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
    do
        n = recvmsg(fd, &mh, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == ECONNRESET);
    files[0] = files[1] = -1;
    if (n > 0 && CMSG_FIRSTHDR(&mh) != NULL)
        memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&mh)), CMSG_FIRSTHDR(&mh)->cmsg_len - CMSG_LEN(0));
    return n;
}

static int raw_call(int fd, union soft_peer_msg *msg, enum soft_peer_msg_type type, int files[2])
{
    size_t size = soft_peer_wire_seal(msg, type, 7, 0);
    ssize_t n;

    if (send(fd, msg, size, MSG_NOSIGNAL) != (ssize_t)size)
        return -EPIPE;
    n = raw_receive(fd, msg, files);
    return n <= 0 ? -EPIPE : msg->hdr.status;
}

static int raw_greet(const struct soft_peer_desc *desc)
{
    union soft_peer_msg msg = {0};
    int fd = raw_connect(desc), files[2];

    memcpy(msg.hello.instance, desc->instance, sizeof(msg.hello.instance));
    assert_int_equal(raw_call(fd, &msg, PEER_MSG_HELLO, files), 0);
    assert_true(files[0] >= 0);
    close(files[0]);
    return fd;
}

static int silent[300];

/* More than the exporter has descriptors for. */
static void be_silent(const struct soft_peer_desc *desc)
{
    for (size_t i = 0; i < OD_ARRAY_SIZE(silent); i++) {
        if (silent[i] > 0)
            close(silent[i]);
        silent[i] = raw_connect(desc);
    }
}

static void send_garbage(const struct soft_peer_desc *desc, bool greeted)
{
    static uint8_t junk[100000];
    unsigned int seed = 42;
    union soft_peer_msg msg;

    for (int round = 0; round < 300; round++) {
        int fd = greeted ? raw_greet(desc) : raw_connect(desc);
        size_t len = (size_t)(rand_r(&seed) % (round % 10 == 0 ? (int)sizeof(junk) : 1200));

        for (size_t i = 0; i < len; i++)
            junk[i] = (uint8_t)rand_r(&seed);
        if (round % 2 == 0) {
            /* Right at the start, so that it gets further. */
            soft_peer_wire_seal(&msg, (enum soft_peer_msg_type)(1 + round % 24), 7, 0);
            msg.hdr.size = (uint32_t)len;
            memcpy(junk, &msg.hdr, OD_MIN(len, sizeof(msg.hdr)));
        }
        send(fd, junk, len, MSG_NOSIGNAL);
        close(fd);
    }
}

/* Asks and asks and never reads an answer. */
static void flood(const struct soft_peer_desc *desc)
{
    union soft_peer_msg msg = {.import = {.desc = *desc}};
    size_t size = soft_peer_wire_seal(&msg, PEER_MSG_IMPORT, 7, 0);
    int fd = raw_greet(desc);

    strcpy(msg.import.card, desc->card);
    assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
    while (send(fd, &msg, size, MSG_NOSIGNAL) == (ssize_t)size)
        ;
    close(fd);
}

static void send_wrong_headers(const struct soft_peer_desc *desc)
{
    send_garbage(desc, false);
}

static void send_wrong_requests(const struct soft_peer_desc *desc)
{
    send_garbage(desc, true);
}

/* Whoever waits for somebody else does so for PEER_ANSWER_MS, five seconds, in each round; whoever
 * lacks a processor does so in some. */
static void assert_served_behind(void (*disturb)(const struct soft_peer_desc *),
                                 const struct answer *exported, const struct soft_peer_desc *desc)
{
    unsigned int rounds = 0;
    uint64_t before;

    do {
        assert_true(rounds++ < 5);
        disturb(desc);
        before = now_ms();
        assert_int_equal(try_import(exported->desc, exported->desc_len), 0);
    } while (now_ms() - before >= 4500);
}

static void hostile_clients_disturb_nobody(void **state)
{
    struct soft_peer_desc desc;
    struct answer exported;
    struct actor exporter;

    (void)state;
    unsetenv("OPENDOCA_PEER_ENGINE");
    actor_start(&exporter, 0);
    /* Fewer descriptors than there will be silent connections. */
    assert_int_equal(actor_ask(&exporter, (struct order){.what = ORDER_LIMIT, .a = 100}).rc, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 1, ALL_ACCESS);
    assert_int_equal(soft_peer_desc_parse(exported.desc, exported.desc_len, &desc), 0);
    assert_served_behind(be_silent, &exported, &desc);
    assert_served_behind(send_wrong_headers, &exported, &desc);
    assert_served_behind(send_wrong_requests, &exported, &desc);
    assert_served_behind(flood, &exported, &desc);
    for (size_t i = 0; i < OD_ARRAY_SIZE(silent); i++)
        close(silent[i]);
    assert_int_equal(actor_count_others(&exporter, 0, PAGE, 1), 0);
    actor_finish(&exporter);
}

static int lane_copy(int lane, uint32_t cell, uint32_t op, uint64_t bounce, uint64_t addr,
                     uint64_t len)
{
    union soft_peer_msg msg = {.copy = {.cell = cell, .op = op, .nsegs = 1}};
    int files[2];

    msg.copy.bounce_offset = bounce;
    msg.copy.segs[0] = (struct soft_peer_seg){addr, len};
    return raw_call(lane, &msg, PEER_MSG_COPY, files);
}

/* An importer of its own making, which does not check what ours checks. */
static void the_exporter_checks_every_served_access(void **state)
{
    union soft_peer_msg msg = {0};
    struct soft_peer_desc desc;
    struct answer exported;
    struct actor exporter;
    int fd, files[2], lane;

    (void)state;
    actor_start(&exporter, 0);
    actor_export(&exporter, MEMORY_HEAP, 4 * PAGE, 1, ALL_ACCESS);
    exported = actor_ask(
        &exporter,
        (struct order){
            .what = ORDER_EXPORT, .kind = SOFT_PEER_READ, .slot = 1, .a = PAGE, .b = PAGE});
    assert_int_equal(soft_peer_desc_parse(exported.desc, exported.desc_len, &desc), 0);
    fd = raw_greet(&desc);
    msg.import.desc = desc;
    strcpy(msg.import.card, desc.card);
    assert_int_equal(raw_call(fd, &msg, PEER_MSG_IMPORT, files), 0);
    assert_int_equal(msg.imported.cell, 0);
    assert_int_equal(msg.imported.access, SOFT_PEER_READ);
    assert_int_equal(raw_call(fd, &msg, PEER_MSG_LANE, files), 0);
    lane = files[0];
    close(files[1]);
    assert_int_equal(lane_copy(lane, 0, PEER_COPY_READ, 0, desc.base, PAGE), 0);
    assert_int_equal(lane_copy(lane, 0, PEER_COPY_READ, 0, desc.base - 1, 1), -ERANGE);
    assert_int_equal(lane_copy(lane, 0, PEER_COPY_READ, 0, desc.base, PAGE + 1), -ERANGE);
    assert_int_equal(lane_copy(lane, 0, PEER_COPY_READ, 1u << 20, desc.base, 1), -ERANGE);
    assert_int_equal(lane_copy(lane, 0, PEER_COPY_WRITE, 0, desc.base, 1), -EACCES);
    assert_int_equal(lane_copy(lane, 1, PEER_COPY_READ, 0, desc.base, 1), -EPERM);
    msg.atomic = (struct soft_peer_msg_atomic){
        .op = SOFT_PEER_OP_ADD, .addr = desc.base, .width = sizeof(uint64_t)};
    assert_int_equal(raw_call(lane, &msg, PEER_MSG_ATOMIC, files), -EACCES);
    actor_ask(&exporter, (struct order){.what = ORDER_REVOKE, .slot = 1, .c = 2});
    assert_int_equal(lane_copy(lane, 0, PEER_COPY_READ, 0, desc.base, 1), -EPERM);
    assert_int_equal(raw_call(lane, &msg, PEER_MSG_HELLO, files), -EPIPE);
    assert_int_equal(actor_count_others(&exporter, 0, 4 * PAGE, 2), 0);
    close(lane);
    close(fd);
    actor_finish(&exporter);
}

static void *import_in_a_thread(void *arg)
{
    const struct answer *exported = arg;

    return (void *)(intptr_t)try_import(exported->desc, exported->desc_len);
}

static void an_exporter_without_descriptors_recovers(void **state)
{
    struct answer exported;
    struct actor exporter;
    pthread_t thread;
    void *rc;

    (void)state;
    unsetenv("OPENDOCA_PEER_ENGINE");
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 1, ALL_ACCESS);
    assert_int_equal(actor_ask(&exporter, (struct order){.what = ORDER_LIMIT, .a = 3}).rc, 0);
    assert_int_equal(pthread_create(&thread, NULL, import_in_a_thread, &exported), 0);
    assert_int_equal(actor_ask(&exporter, (struct order){.what = ORDER_LIMIT, .a = 100}).rc, 0);
    assert_int_equal(pthread_join(thread, &rc), 0);
    assert_int_equal((intptr_t)rc, 0);
    actor_finish(&exporter);
}

struct pending_read {
    struct soft_peer_map *map;
    uint64_t addr;
    int rc;
};

static void *read_in_a_thread(void *arg)
{
    struct pending_read *pending = arg;
    uint8_t byte;

    pending->rc = read_bytes(pending->map, pending->addr, &byte, 1);
    return NULL;
}

/* Nothing waits for it until it goes on, and all of it works again then. */
static void an_exporter_that_is_stopped_for_long(void **state)
{
    struct soft_peer_map *vm, *served;
    struct pending_read pending;
    struct answer exported;
    struct actor exporter;
    pthread_t thread;
    uint8_t byte;

    (void)state;
    actor_start(&exporter, 0);
    exported = actor_export(&exporter, MEMORY_HEAP, PAGE, 1, ALL_ACCESS);
    vm = import(&(struct setting){.engine = "vm"}, &exported);
    served = import(&(struct setting){.engine = "served"}, &exported);
    unsetenv("OPENDOCA_PEER_ENGINE");
    pending = (struct pending_read){.map = served, .addr = exported.value};
    actor_pause(&exporter);
    assert_int_equal(pthread_create(&thread, NULL, read_in_a_thread, &pending), 0);
    assert_int_equal(try_import(exported.desc, exported.desc_len), -ECONNREFUSED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pending.rc, -EIO);
    assert_int_equal(read_bytes(vm, exported.value, &byte, 1), 0);
    actor_resume(&exporter);
    assert_int_equal(read_bytes(served, exported.value, &byte, 1), 0);
    assert_int_equal(read_bytes(vm, exported.value, &byte, 1), 0);
    assert_int_equal(try_import(exported.desc, exported.desc_len), 0);
    assert_int_equal(actor_ask(&exporter, (struct order){.what = ORDER_REVOKE}).rc, 0);
    assert_int_equal(read_bytes(served, exported.value, &byte, 1), -EPERM);
    soft_peer_map_close(vm);
    soft_peer_map_close(served);
    actor_finish(&exporter);
}

const struct peer_case trust_cases[] = {
    {"every altered descriptor is refused", every_altered_descriptor_is_refused},
    {"forged descriptors are refused", forged_descriptors_are_refused_by_the_exporter},
    {"another card or kind", another_card_or_kind},
    {"a descriptor of an earlier run", a_descriptor_of_an_earlier_run},
    {"another network namespace", another_network_namespace},
    {"a PID namespace that hides the exporter", a_pid_namespace_that_hides_the_exporter},
    {"another user is refused", another_user_is_refused},
    {"root imports from a user", root_imports_from_a_user},
    {"an exporter that hides its memory", an_exporter_that_hides_its_memory},
    {"hostile clients disturb nobody", hostile_clients_disturb_nobody},
    {"the exporter checks every served access", the_exporter_checks_every_served_access},
    {"an exporter without descriptors recovers", an_exporter_without_descriptors_recovers},
    {"an exporter that is stopped for long", an_exporter_that_is_stopped_for_long},
    {NULL, NULL},
};
