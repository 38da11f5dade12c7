/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <cmocka.h>

#include "core/core_priv.h"
#include "lib/scenario.h"

DOCA_LOG_REGISTER(TEST::SINK);

static void run_scenario(const char *name)
{
    const struct scenario_result *result = scenario_run(name, NULL);

    if (result->status == SCENARIO_SKIP)
        skip();
    assert_int_equal(result->status, 0);
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* ------------------------------------------------------------------------------------------------
 * Streams and descriptors
 */

/* One end of a socket pair whose messages keep the borders of the writes. */
static int make_message_socket(int *peer)
{
    int fds[2];

    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0);
    *peer = fds[1];
    return fds[0];
}

static void expect_message(int fd, const char *end)
{
    char message[9000];
    ssize_t n = recv(fd, message, sizeof(message) - 1, MSG_DONTWAIT);

    CHECK(n > 0);
    message[n] = '\0';
    CHECK(message[0] == '[' && ends_with(message, end) && strchr(message, '\n') == message + n - 1);
}

static void write_once(void)
{
    struct doca_log_backend *backend;
    char text[3000];
    int fd_peer, file_peer;
    int fd = make_message_socket(&fd_peer), file_fd = make_message_socket(&file_peer);
    FILE *file = fdopen(file_fd, "w");

    memset(text, 'y', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    CHECK(doca_log_backend_create_with_fd(fd, &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_file(file, &backend) == DOCA_SUCCESS);
    DOCA_LOG_INFO("first");
    fputs("[of the program] not yet flushed\n", file);
    DOCA_LOG_INFO("%s", text);
    expect_message(fd_peer, "first\n");
    expect_message(fd_peer, "yyy\n");
    expect_message(file_peer, "first\n");
    expect_message(file_peer, "not yet flushed\n");
    expect_message(file_peer, "yyy\n");
}

static void each_record_is_written_at_once(void **state)
{
    (void)state;
    run_scenario("write_once");
}

static void write_in_vain(void)
{
    struct doca_log_backend *backend;
    int fds[2];

    CHECK(pipe(fds) == 0);
    close(fds[0]);
    CHECK(doca_log_backend_create_with_fd(fds[1], &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_file(fdopen(dup(fds[1]), "w"), &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_file(fopen("/dev/full", "w"), &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_fd(1023, &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_syslog("nobody", &backend) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK(DOCA_LOG_INFO("record %d", i) == DOCA_SUCCESS);
}

static void trouble_with_a_sink_is_swallowed(void **state)
{
    const struct scenario_result *result = scenario_run("write_in_vain", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_int_equal(scenario_count(result->out, "] record "), 3);
}

/* The program's own handling of SIGPIPE is as before. */
static void keep_sigpipe(void)
{
    struct doca_log_backend *backend;
    int fds[2];

    CHECK(pipe(fds) == 0);
    close(fds[0]);
    CHECK(doca_log_backend_create_with_fd(fds[1], &backend) == DOCA_SUCCESS);
    DOCA_LOG_INFO("record");
    raise(SIGPIPE);
}

static void sigpipe_stays_the_programs(void **state)
{
    (void)state;
    assert_int_equal(scenario_run("keep_sigpipe", NULL)->status, 128 + SIGPIPE);
}

static void write_partly(void)
{
    struct doca_log_backend *backend;
    char text[4000], back[65536];
    int fds[2];
    ssize_t n;

    memset(text, 'z', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    CHECK(pipe2(fds, O_NONBLOCK) == 0);
    CHECK(doca_log_backend_create_with_fd(fds[1], &backend) == DOCA_SUCCESS);
    for (int i = 0; i < 40; i++)
        DOCA_LOG_INFO("%s", text);
    n = read(fds[0], back, sizeof(back));
    CHECK(n > 4000);
    DOCA_LOG_INFO("after");
    n = read(fds[0], back, sizeof(back) - 1);
    CHECK(n > 0);
    back[n] = '\0';
    CHECK(ends_with(back, "] after\n"));
}

static void a_full_pipe_does_not_block(void **state)
{
    (void)state;
    run_scenario("write_partly");
}

/* ------------------------------------------------------------------------------------------------
 * Buffers
 */

static char wide[512], narrow[41], tiny[1];
static uint32_t calls;

static void count_calls(char *buf)
{
    calls++;
    CHECK(buf == wide || buf == narrow || buf == tiny);
}

static void fill_buffers(void)
{
    struct doca_log_backend *b;

    memset(wide, '!', sizeof(wide));
    memset(narrow, '!', sizeof(narrow));
    tiny[0] = '!';
    CHECK(doca_log_backend_create_with_buf(wide, sizeof(wide), count_calls, &b) == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_buf(narrow, sizeof(narrow) - 1, count_calls, &b) ==
          DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_buf(tiny, sizeof(tiny), count_calls, &b) == DOCA_SUCCESS);
    CHECK(calls == 0);
    DOCA_LOG_INFO("the first record");
    CHECK(calls == 3);
    CHECK(wide[0] == '[' && ends_with(wide, "] the first record\n"));
    CHECK(strlen(narrow) == sizeof(narrow) - 2 && strncmp(narrow, wide, strlen(narrow)) == 0);
    CHECK(narrow[sizeof(narrow) - 1] == '!');
    CHECK(tiny[0] == '\0');
    DOCA_LOG_INFO("more");
    CHECK(calls == 6);
    CHECK(wide[0] == '[' && ends_with(wide, "] more\n"));
}

static void a_buffer_has_the_last_record(void **state)
{
    (void)state;
    run_scenario("fill_buffers");
}

static char sdk_buf[512], app_buf[512];
static uint32_t app_calls, sdk_calls;

static void forward_to_app(char *buf)
{
    sdk_calls++;
    DOCA_LOG_INFO("forwarded: %s", buf);
}

static void fail_in_handler(char *buf)
{
    (void)buf;
    app_calls++;
    DOCA_LOG_INFO("from my own handler");
    CHECK(doca_log_level_set_global_lower_limit(33) == DOCA_ERROR_INVALID_VALUE);
}

static void *log_both(void *arg)
{
    for (int i = 0; i < 200; i++) {
        DOCA_LOG_INFO("record");
        CORE_INFO(CORE_LOG_PE, "record");
    }
    return arg;
}

static void log_from_handlers(void)
{
    struct doca_log_backend *b;
    pthread_t threads[2];

    CHECK(doca_log_backend_create_with_buf_sdk(sdk_buf, sizeof(sdk_buf), forward_to_app, &b) ==
          DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_buf(app_buf, sizeof(app_buf), fail_in_handler, &b) ==
          DOCA_SUCCESS);
    CORE_INFO(CORE_LOG_PE, "once");
    CHECK(strstr(app_buf, "] once\n") != NULL && app_calls == 1 && sdk_calls == 1);
    for (size_t i = 0; i < OD_ARRAY_SIZE(threads); i++)
        CHECK(pthread_create(&threads[i], NULL, log_both, NULL) == 0);
    for (size_t i = 0; i < OD_ARRAY_SIZE(threads); i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(sdk_calls >= 401 && app_calls >= 401);
}

static void handlers_that_log_do_not_hang(void **state)
{
    (void)state;
    run_scenario("log_from_handlers");
}

/* ------------------------------------------------------------------------------------------------
 * System log
 */

/* -1: not allowed, as in a namespace of users where this one has no number. */
static int bind_dev_log(void)
{
    const struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    if (bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0)
        return fd;
    close(fd);
    return -1;
}

static int rebind_dev_log(int fd)
{
    if (fd >= 0)
        close(fd);
    CHECK(unlink("/dev/log") == 0);
    fd = bind_dev_log();
    CHECK(fd >= 0);
    return fd;
}

/* A private /dev with nothing but our own /dev/log. Returns its socket, -1 where namespaces are not
 * allowed. */
static int make_dev_log(void)
{
    if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("dev", "/dev", "tmpfs", 0, NULL) != 0)
        return -1;
    return bind_dev_log();
}

static void expect_syslog(int fd, const char *start, const char *name, const char *end)
{
    char packet[9000];
    ssize_t n = recv(fd, packet, sizeof(packet) - 1, MSG_DONTWAIT);

    CHECK(n > 0);
    packet[n] = '\0';
    CHECK(strncmp(packet, start, strlen(start)) == 0);
    CHECK(strstr(packet, name) != NULL);
    CHECK(ends_with(packet, end));
}

static void write_syslog(void)
{
    int fd = make_dev_log();
    struct doca_log_backend *backend;
    char name[16] = "prog";

    if (fd < 0)
        exit(SCENARIO_SKIP);
    CHECK(doca_log_backend_create_with_syslog(name, &backend) == DOCA_SUCCESS);
    memset(name, '!', sizeof(name));
    CHECK(doca_log_backend_create_with_syslog_sdk("library", &backend) == DOCA_SUCCESS);
    DOCA_LOG_ERR("bad");
    CORE_INFO(CORE_LOG_PE, "good");
    expect_syslog(fd, "<11>", " prog[", "] bad");
    expect_syslog(fd, "<14>", " library[", "] good");

    /* The daemon is restarted, at once and after a while. */
    fd = rebind_dev_log(fd);
    DOCA_LOG_CRIT("worse");
    expect_syslog(fd, "<10>", " prog[", "] worse");
    close(fd);
    DOCA_LOG_ERR("lost");
    fd = rebind_dev_log(-1);
    DOCA_LOG_WARN("back");
    expect_syslog(fd, "<12>", " prog[", "] back");
}

static void the_system_log_gets_records(void **state)
{
    (void)state;
    run_scenario("write_syslog");
}

int main(int argc, char **argv)
{
    static const struct scenario scenarios[] = {
        SCENARIO(write_once),   SCENARIO(write_in_vain), SCENARIO(keep_sigpipe),
        SCENARIO(write_partly), SCENARIO(fill_buffers),  SCENARIO(log_from_handlers),
        SCENARIO(write_syslog),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_is_written_at_once),
        cmocka_unit_test(trouble_with_a_sink_is_swallowed),
        cmocka_unit_test(sigpipe_stays_the_programs),
        cmocka_unit_test(a_full_pipe_does_not_block),
        cmocka_unit_test(a_buffer_has_the_last_record),
        cmocka_unit_test(handlers_that_log_do_not_hang),
        cmocka_unit_test(the_system_log_gets_records),
    };

    scenario_main(argc, argv, scenarios, OD_ARRAY_SIZE(scenarios));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
