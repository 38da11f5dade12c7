/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is refused, how, and that a client out of line disturbs nobody. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soft/link/link.h"
#include "urom/wire/control.h"
#include "urom/wire/hello.h"
#include "urom/wire/pack.h"

static struct fixture_daemon daemon_one;
static pid_t seconds[2]; /* of the same card: they wait for its lock while the other tests run */

static int setup(void **state)
{
    static const char *const again[] = {"--device", "0000:b1:00.0", NULL};

    if (fixture_group_setup(state) != 0)
        return -1;
    fixture_daemon_start(&daemon_one, NULL);
    seconds[0] = fixture_daemon_begin(NULL);
    seconds[1] = fixture_daemon_begin(again); /* host side of the same card */
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(fixture_daemon_stop(&daemon_one), 0);
    return fixture_group_teardown(state);
}

/* ---- a client of the wire ---- */

static struct soft_link *greet(const void *hello, size_t len)
{
    const struct soft_link_conf conf = {
        .max_msg = UROM_WIRE_FRAME_MAX, .depth = 8, .connect_timeout = PATIENCE};
    struct soft_link *link;

    assert_int_equal(soft_link_connect("local:urom-card0", &conf, hello, len, &link), 0);
    return link;
}

static bool is_decided(void *arg)
{
    return soft_link_poll(arg, NULL) != SOFT_LINK_CONNECTING;
}

static void expect_refused(const void *hello, size_t len, enum urom_reason reason)
{
    struct soft_link *link = greet(hello, len);
    struct urom_answer answer;
    const void *bytes;
    int why;

    fixture_wait(is_decided, link);
    assert_int_equal(soft_link_poll(link, &why), SOFT_LINK_DOWN);
    assert_int_equal(why, -EACCES);
    bytes = soft_link_answer(link, &len);
    assert_int_equal(urom_answer_decode(bytes, len, &answer), 0);
    assert_int_equal(answer.reason, reason);
    assert_true(strlen(answer.text) > 0);
    soft_link_close(link);
}

static void refusals_say_why_and_are_counted(void **state)
{
    struct urom_hello hello;

    (void)state;
    urom_hello_init(&hello, UROM_KIND_SERVICE);
    hello.msg_size = 4096;
    hello.major++;
    expect_refused(&hello, sizeof(hello), UROM_REASON_VERSION);
    assert_int_equal(fixture_log_count(&daemon_one, "protocol 2.0 does not pair with 1.0"), 1);
    hello.major--;
    hello.msg_size = 8192;
    expect_refused(&hello, sizeof(hello), UROM_REASON_MSG_SIZE);
    hello.msg_size = 1;
    expect_refused(&hello, sizeof(hello), UROM_REASON_MALFORMED);
    hello.kind = 77;
    expect_refused(&hello, sizeof(hello), UROM_REASON_MALFORMED);
    hello.kind = UROM_KIND_WORKER; /* without a session */
    expect_refused(&hello, sizeof(hello), UROM_REASON_SESSION);
    expect_refused("", 0, UROM_REASON_MALFORMED);
    expect_refused("GET / HTTP/1.1", 14, UROM_REASON_MALFORMED);
    assert_int_equal(fixture_total("rejects", "version"), 1);
    assert_int_equal(fixture_total("rejects", "message_size"), 1);
    assert_int_equal(fixture_total("rejects", "session"), 1);
    assert_int_equal(fixture_total("rejects", "malformed"), 4);
}

/* ---- what answers is no service, or another one ---- */

static int answer_version(void *arg, const void *hello, size_t len, void *answer,
                          size_t *answer_len)
{
    struct urom_answer no;

    (void)arg;
    (void)hello;
    (void)len;
    urom_answer_init(&no, UROM_REASON_VERSION);
    no.major = UROM_WIRE_MAJOR + 1;
    memcpy(answer, &no, sizeof(no));
    *answer_len = sizeof(no);
    return -EACCES;
}

static int answer_nonsense(void *arg, const void *hello, size_t len, void *answer,
                           size_t *answer_len)
{
    (void)arg;
    (void)hello;
    (void)len;
    memset(answer, 0x5a, 100);
    *answer_len = 100;
    return 0;
}

static int answer_good(void *arg, const void *hello, size_t len, void *answer, size_t *answer_len)
{
    struct urom_answer yes;

    (void)arg;
    (void)hello;
    (void)len;
    urom_answer_init(&yes, UROM_REASON_NONE);
    memcpy(answer, &yes, sizeof(yes));
    *answer_len = sizeof(yes);
    return 0;
}

/* One that answers so, and then says nothing. Who waits for that does so for `timeout` ms. */
static void expect_no_service(int (*admit)(void *, const void *, size_t, void *, size_t *),
                              const char *timeout, const char *why)
{
    const struct soft_link_conf conf = {
        .max_msg = UROM_WIRE_FRAME_MAX, .depth = 8, .backlog = 8, .admit = admit};
    struct soft_link_listener *listener;
    struct fixture_host host;
    char path[256], addr[300];

    snprintf(path, sizeof(path), "%s/impostor", fixture_dir());
    snprintf(addr, sizeof(addr), "local:%s", path);
    assert_int_equal(soft_link_listen(addr, &conf, &listener), 0);
    setenv("DOCA_UROM_SOCKET", path, 1);
    setenv("DOCA_UROM_CONNECT_TIMEOUT_MS", timeout, 1);
    fixture_host_prepare(&host);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(host.service_ctx));
    assert_int_equal(fixture_state(host.service_ctx), DOCA_CTX_STATE_IDLE);
    if (strstr(opendoca_last_error(), why) == NULL)
        fail_msg("no \"%s\" in: %s", why, opendoca_last_error());
    unsetenv("DOCA_UROM_SOCKET");
    setenv("DOCA_UROM_CONNECT_TIMEOUT_MS", "60000", 1);
    soft_link_unlisten(listener);
    fixture_host_close(&host);
}

static void what_is_no_service_of_this_version_is_as_if_there_were_none(void **state)
{
    (void)state;
    expect_no_service(answer_version, "60000", "1.0 of this library does not pair with 2.0");
    expect_no_service(answer_nonsense, "60000", "no service");
    expect_no_service(answer_good, "500", "no answer in time");
    expect_no_service(NULL, "500", "no answer in time");
}

/* ---- hostile clients ---- */

static uint32_t seed = 12345;

static uint32_t chance(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static struct soft_link *greet_as(enum urom_kind kind)
{
    struct urom_hello hello;
    struct soft_link *link;

    urom_hello_init(&hello, kind);
    hello.msg_size = 4096;
    link = greet(&hello, sizeof(hello));
    fixture_wait(is_decided, link);
    assert_int_equal(soft_link_poll(link, NULL), SOFT_LINK_UP);
    return link;
}

/* Random frames, some with a sensible header. */
static void talk_nonsense(struct soft_link *link)
{
    uint8_t bytes[512];
    struct urom_frame frame;
    size_t len = chance() % sizeof(bytes);
    const struct iovec iov = {bytes, len};

    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)chance();
    if (len >= sizeof(frame) && chance() % 2 == 0) {
        frame = (struct urom_frame){.len = (uint32_t)(len - sizeof(frame)),
                                    .type = (uint16_t)(chance() % 20),
                                    .flags = (uint16_t)(chance() % 2)};
        memcpy(bytes, &frame, sizeof(frame));
    }
    soft_link_send(link, &iov, 1);
}

static void clients_that_talk_nonsense_disturb_nobody(void **state)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    uint64_t plugin;

    (void)state;
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_graph");
    worker = fixture_worker(&host, 1, plugin);
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    for (unsigned int i = 0; i < 200; i++) {
        struct soft_link *link = greet_as(i % 2 == 0 ? UROM_KIND_SERVICE : UROM_KIND_CONTROL);

        for (unsigned int k = 0; k < 1 + i % 8; k++)
            talk_nonsense(link);
        if (i % 3 == 0)
            soft_link_shutdown(link);
        soft_link_close(link);
        fixture_loopback(&host, worker, plugin, i);
    }
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

/* Asks and asks and never takes an answer. */
static void a_client_that_does_not_listen_is_closed(void **state)
{
    const struct urom_frame request = {.type = UROM_TYPE_STATUS_REQ};
    const struct urom_gid_query query = {sizeof(query), 1};
    const struct urom_frame ask = {.len = sizeof(query), .type = UROM_TYPE_GID_QUERY};
    struct iovec iov[] = {{(void *)&ask, sizeof(ask)}, {(void *)&query, sizeof(query)}};
    struct soft_link *link = greet_as(UROM_KIND_SERVICE), *control;
    struct fixture_host host;
    const uint64_t end = fixture_now_ms() + PATIENCE;

    (void)state;
    while (soft_link_poll(link, NULL) == SOFT_LINK_UP) {
        soft_link_send(link, iov, 2);
        assert_true(fixture_now_ms() < end);
    }
    soft_link_close(link);
    control = greet_as(UROM_KIND_CONTROL);
    iov[0] = (struct iovec){(void *)&request, sizeof(request)};
    for (unsigned int i = 0; i < 1000; i++)
        soft_link_send(control, iov, 1);
    fixture_host_open(&host);
    fixture_host_close(&host);
    soft_link_close(control);
}

/* Connects to the socket and says nothing, as often as it can. */
static void half_open_connections_do_not_keep_others_out(void **state)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    struct fixture_host host;
    int socks[64];

    (void)state;
    snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/link-urom-card0", fixture_dir());
    for (size_t i = 0; i < 64; i++) {
        socks[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        assert_true(socks[i] >= 0);
        connect(socks[i], (struct sockaddr *)&sa, sizeof(sa));
        if (i % 2 == 0)
            send(socks[i], "nonsense", 8, MSG_NOSIGNAL);
    }
    fixture_host_open(&host);
    fixture_host_close(&host);
    for (size_t i = 0; i < 64; i++)
        close(socks[i]);
}

/* A worker with a client that writes what it likes into the ring of commands. */
static void a_channel_that_talks_nonsense_is_closed_and_no_other(void **state)
{
    struct doca_urom_worker *worker;
    struct fixture_host host;
    uint64_t plugin;

    (void)state;
    fixture_host_open(&host);
    plugin = fixture_plugin(&host, "worker_graph");
    worker = fixture_worker(&host, 9, plugin);
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    for (unsigned int i = 0; i < 20; i++) {
        struct urom_worker_cmd head = {.type = plugin, .urom_context = 1ull << 32, .len = 16};
        uint8_t bytes[64] = {0};
        struct iovec iov[] = {{&head, sizeof(head)}, {bytes, 16}};
        const struct urom_attach attach = {
            .size = sizeof(attach), .id = 9, .plugins = plugin, .inflight = 4};
        const struct urom_frame frame = {.len = sizeof(attach), .type = UROM_TYPE_ATTACH};
        struct iovec ask[] = {{(void *)&frame, sizeof(frame)}, {(void *)&attach, sizeof(attach)}};
        const struct soft_link_conf conf = {
            .max_msg = 4096, .depth = 4, .connect_timeout = PATIENCE};
        struct soft_link *service = greet_as(UROM_KIND_SERVICE), *link, *channel;
        struct urom_answer answer;
        struct urom_attach_ok ok;
        struct soft_link_msg msg;
        struct urom_hello hello;
        const void *bytes_in;
        size_t len;
        int err;

        bytes_in = soft_link_answer(service, &len);
        assert_int_equal(urom_answer_decode(bytes_in, len, &answer), 0);
        urom_hello_init(&hello, UROM_KIND_WORKER);
        memcpy(hello.key, answer.session, sizeof(hello.key));
        link = greet(&hello, sizeof(hello));
        fixture_wait(is_decided, link);
        assert_int_equal(soft_link_send(link, ask, 2), 0);
        while ((err = soft_link_recv(link, &msg)) == -EAGAIN)
            ;
        assert_int_equal(err, 0);
        assert_int_equal(urom_attach_ok_decode((const uint8_t *)msg.data + sizeof(frame),
                                               msg.len - sizeof(frame), &ok),
                         0);
        soft_link_release(link);
        urom_hello_init(&hello, UROM_KIND_CHANNEL);
        memcpy(hello.key, ok.token, sizeof(hello.key));
        assert_int_equal(soft_link_connect(ok.addr, &conf, &hello, sizeof(hello), &channel), 0);
        fixture_wait(is_decided, channel);
        assert_int_equal(soft_link_poll(channel, NULL), SOFT_LINK_UP);
        switch (i % 5) {
        case 0:
            head.len = 17; /* not what follows */
            break;
        case 1:
            head.urom_context = 1ull << 32 | 4; /* no such slot */
            break;
        case 2:
            head.urom_context = 0;
            break;
        case 3:
            iov[0].iov_len = 7;
            break;
        default:
            /* Twice the same, neither answer taken. */
            head.type = 1ull << 60;
            soft_link_send(channel, iov, 2);
            head.type = plugin;
            head.len = 1;
            break;
        }
        assert_int_equal(soft_link_send(channel, iov, 2), 0);
        while ((err = soft_link_recv(channel, &msg)) != -ESHUTDOWN && err != -ECONNRESET) {
            if (err == 0)
                soft_link_release(channel);
        }
        fixture_loopback(&host, worker, plugin, i);
        soft_link_close(channel);
        soft_link_close(link);
        soft_link_close(service);
    }
    fixture_wait_workers(1); /* those of an earlier test may still be ending */
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

/* A token opens one channel, and only to whom it was given. */
static void a_worker_takes_in_only_whom_the_daemon_announced(void **state)
{
    const struct soft_link_conf conf = {.max_msg = 4096, .depth = 4, .connect_timeout = PATIENCE};
    struct doca_urom_worker *worker;
    struct fixture_host host;
    struct urom_hello hello;
    struct soft_link *link;
    char addr[512], path[600];
    FILE *names;
    int why;

    (void)state;
    fixture_host_open(&host);
    worker = fixture_worker(&host, 9, fixture_plugin(&host, "worker_graph"));
    assert_int_equal(fixture_worker_start(&host, worker), DOCA_CTX_STATE_RUNNING);
    fixture_wait_workers(1); /* its socket is the only one */
    snprintf(path, sizeof(path), "ls -d %s/link-uromw-*", fixture_dir());
    names = popen(path, "r");
    assert_non_null(names);
    snprintf(addr, sizeof(addr), "local:");
    assert_non_null(fgets(addr + 6, sizeof(addr) - 6, names));
    addr[strcspn(addr, "\n")] = '\0';
    pclose(names);
    urom_hello_init(&hello, UROM_KIND_CHANNEL);
    memset(hello.key, 0x5a, sizeof(hello.key));
    assert_int_equal(soft_link_connect(addr, &conf, &hello, sizeof(hello), &link), 0);
    fixture_wait(is_decided, link);
    assert_int_equal(soft_link_poll(link, &why), SOFT_LINK_DOWN);
    assert_int_equal(why, -EACCES);
    soft_link_close(link);
    fixture_worker_end(&host, worker);
    fixture_host_close(&host);
}

/* ---- limits ---- */

static void the_daemons_limits_are_kept(void **state)
{
    static const char *const args[] = {
        "--max-clients", "1",        "--max-workers", "2", "--max-ring-mem", "1", "--max-inflight",
        "1024",          "--device", "0000:b1:00.0",  NULL};
    struct doca_urom_worker *workers[3];
    struct fixture_daemon daemon = {0};
    struct fixture_host host, more;
    uint64_t plugin;
    char dir[256];

    (void)state;
    snprintf(dir, sizeof(dir), "%s/other", fixture_dir());
    assert_int_equal(mkdir(dir, 0700), 0);
    setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
    fixture_daemon_start(&daemon, args);
    fixture_host_open(&host);
    fixture_host_prepare(&more);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(more.service_ctx));
    fixture_host_close(&more);
    plugin = fixture_plugin(&host, "worker_graph");
    for (unsigned int i = 0; i < 3; i++)
        workers[i] = fixture_worker(&host, i, plugin);
    assert_int_equal(fixture_worker_start(&host, workers[0]), DOCA_CTX_STATE_RUNNING);
    assert_int_equal(fixture_worker_start(&host, workers[1]), DOCA_CTX_STATE_RUNNING);
    assert_int_equal(fixture_worker_start(&host, workers[2]), DOCA_CTX_STATE_IDLE);
    assert_non_null(strstr(doca_urom_ext_worker_last_error(workers[2]), "--max-workers"));
    fixture_worker_end(&host, workers[1]);
    assert_ok(doca_urom_worker_set_max_inflight_tasks(workers[2], 2048));
    assert_int_equal(fixture_worker_start(&host, workers[2]), DOCA_CTX_STATE_IDLE);
    assert_non_null(strstr(doca_urom_ext_worker_last_error(workers[2]), "--max-inflight"));
    assert_ok(doca_urom_worker_set_max_inflight_tasks(workers[2], 1024));
    assert_int_equal(fixture_worker_start(&host, workers[2]), DOCA_CTX_STATE_IDLE);
    assert_non_null(strstr(doca_urom_ext_worker_last_error(workers[2]), "--max-ring-mem"));
    assert_ok(doca_urom_worker_set_max_inflight_tasks(workers[2], 16));
    assert_int_equal(fixture_worker_start(&host, workers[2]), DOCA_CTX_STATE_RUNNING);
    fixture_worker_end(&host, workers[2]);
    fixture_worker_end(&host, workers[0]);
    fixture_host_close(&host);
    assert_int_equal(fixture_daemon_stop(&daemon), 0);
    setenv("OPENDOCA_RUNTIME_DIR", fixture_dir(), 1);
}

static void a_card_has_one_daemon(void **state)
{
    static const char *const unknown[] = {"--device", "0000:99:00.0", NULL};
    static const char *const wrong[] = {"--cpuset", "7-3", NULL};
    static const char *const nowhere[] = {"--socket", "/nowhere/x.sock", "--device", "mlx5_0",
                                          NULL};
    char dir[256];

    (void)state;
    assert_int_equal(fixture_daemon_end(seconds[0]), 2);
    assert_int_equal(fixture_daemon_end(seconds[1]), 2);
    assert_int_equal(fixture_daemon_run(unknown), 1);
    assert_int_equal(fixture_daemon_run(wrong), 1);
    snprintf(dir, sizeof(dir), "%s/third", fixture_dir());
    assert_int_equal(mkdir(dir, 0700), 0);
    setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
    assert_int_equal(fixture_daemon_run(nowhere), 3);
    setenv("OPENDOCA_RUNTIME_DIR", fixture_dir(), 1);
}

/* A daemon that was killed leaves a child that has not begun its program yet. */
static void a_lock_without_daemon_is_waited_for(void **state)
{
    struct fixture_daemon late = {0};
    char dir[256], path[300];
    int fd, status;
    pid_t holder;

    (void)state;
    snprintf(dir, sizeof(dir), "%s/fourth", fixture_dir());
    assert_int_equal(mkdir(dir, 0700), 0);
    setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
    snprintf(path, sizeof(path), "%s/urom-card0.lock", dir);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    holder = fork();
    if (holder == 0) {
        poll(NULL, 0, 300);
        _exit(0);
    }
    close(fd);
    fixture_daemon_start(&late, NULL);
    assert_int_equal(fixture_daemon_stop(&late), 0);
    assert_int_equal(waitpid(holder, &status, 0), holder);
    setenv("OPENDOCA_RUNTIME_DIR", fixture_dir(), 1);
}

/* ---- the mapping file ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void the_mapping_file_leads_to_the_service(void **state)
{
    struct fixture_host host;
    char path[256], text[1024], name[128] = "";

    (void)state;
    assert_int_equal(gethostname(name, sizeof(name) - 1), 0);
    snprintf(path, sizeof(path), "%s/services", fixture_dir());
    setenv("DOCA_UROM_SERVICE_FILE", path, 1);
    fixture_host_prepare(&host);
    assert_doca(DOCA_ERROR_BAD_CONFIG, doca_ctx_start(host.service_ctx)); /* no file */
    write_file(path, "# nothing\nsomewhere dpu far 03:00.0 eth0\n");
    assert_doca(DOCA_ERROR_NOT_FOUND, doca_ctx_start(host.service_ctx));
    write_file(path, "localhost dpu localhost 03:00.0\n");
    assert_doca(DOCA_ERROR_BAD_CONFIG, doca_ctx_start(host.service_ctx));
    snprintf(text, sizeof(text), "%s dpu localhost 03:00.0 eth0\n", name);
    write_file(path, text);
    assert_ok(doca_ctx_start(host.service_ctx));
    assert_ok(doca_ctx_stop(host.service_ctx));
    snprintf(text, sizeof(text), "127.0.0.1 dpu unix:%s/link-urom-card0 0000:B1:00.0 eth0\n",
             fixture_dir());
    write_file(path, text);
    assert_ok(doca_ctx_start(host.service_ctx));
    assert_ok(doca_ctx_stop(host.service_ctx));
    snprintf(text, sizeof(text), "127.0.0.1 dpu unix:%s/nobody 0000:B1:00.0 eth0\n", fixture_dir());
    write_file(path, text);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(host.service_ctx));
    unsetenv("DOCA_UROM_SERVICE_FILE");
    snprintf(text, sizeof(text), "%s/link-urom-card0", fixture_dir());
    setenv("DOCA_UROM_SOCKET", text, 1);
    assert_ok(doca_ctx_start(host.service_ctx));
    unsetenv("DOCA_UROM_SOCKET");
    fixture_host_close(&host);
}

/* Nobody has to listen: the file is read before. */
static void a_token_file_is_its_owners_alone(void **state)
{
    struct fixture_host host;
    char path[256];

    (void)state;
    snprintf(path, sizeof(path), "%s/token", fixture_dir());
    write_file(path, "a secret\n");
    setenv("DOCA_UROM_SOCKET", "tcp:127.0.0.1:1", 1);
    setenv("DOCA_UROM_TOKEN_FILE", path, 1);
    fixture_host_prepare(&host);
    assert_int_equal(chmod(path, 0640), 0);
    assert_doca(DOCA_ERROR_BAD_CONFIG, doca_ctx_start(host.service_ctx));
    assert_int_equal(chmod(path, 0600), 0);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_ctx_start(host.service_ctx));
    write_file(path, "\n");
    assert_doca(DOCA_ERROR_BAD_CONFIG, doca_ctx_start(host.service_ctx));
    unsetenv("DOCA_UROM_TOKEN_FILE");
    unsetenv("DOCA_UROM_SOCKET");
    fixture_host_close(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_say_why_and_are_counted),
        cmocka_unit_test(what_is_no_service_of_this_version_is_as_if_there_were_none),
        cmocka_unit_test(clients_that_talk_nonsense_disturb_nobody),
        cmocka_unit_test(a_client_that_does_not_listen_is_closed),
        cmocka_unit_test(half_open_connections_do_not_keep_others_out),
        cmocka_unit_test(a_channel_that_talks_nonsense_is_closed_and_no_other),
        cmocka_unit_test(a_worker_takes_in_only_whom_the_daemon_announced),
        cmocka_unit_test(the_daemons_limits_are_kept),
        cmocka_unit_test(a_lock_without_daemon_is_waited_for),
        cmocka_unit_test(the_mapping_file_leads_to_the_service),
        cmocka_unit_test(a_token_file_is_its_owners_alone),
        cmocka_unit_test(a_card_has_one_daemon),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
