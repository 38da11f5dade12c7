/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ends in one process, over shared memory and over the network. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/seconds.h"
#include "urom/plugin/common/net.h"

#define PATIENCE 60 /* seconds */

/* The hooks that UCX puts into memory functions do not get on with sanitizers. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

struct end {
    struct plugin_net *net;
    unsigned int received;
    unsigned int ended;
    int reason;
    uint32_t last_len;
    uint8_t last[64];
    bool refuses; /* takes nothing */
    bool answers; /* sends back what comes */
};

static char dir[] = "/tmp/net-test-XXXXXX";

static int on_message(void *arg, struct plugin_net_conn *conn, const void *bytes, uint32_t len)
{
    const struct iovec iov = {(void *)bytes, len};
    struct end *end = arg;

    if (end->refuses)
        return -EAGAIN;
    end->received++;
    end->last_len = len;
    memcpy(end->last, bytes, len < sizeof(end->last) ? len : sizeof(end->last));
    return end->answers ? plugin_net_send(conn, &iov, 1) : 0;
}

static void on_ended(void *arg, struct plugin_net_conn *conn, int reason)
{
    struct end *end = arg;

    (void)conn;
    end->ended++;
    end->reason = reason;
}

static int open_end(struct end *end, const char *remote)
{
    const struct plugin_net_conf conf = {.max_msg = 1 << 20,
                                         .depth = 8,
                                         .message = on_message,
                                         .ended = on_ended,
                                         .arg = end,
                                         .remote = remote};

    *end = (struct end){.net = NULL};
    return plugin_net_open(&conf, &end->net);
}

static const void *addr_of(const struct end *end)
{
    size_t len;
    const void *addr = plugin_net_addr(end->net, &len);

    assert_true(len <= PLUGIN_NET_ADDR_MAX);
    return addr;
}

static void progress_until(struct end *a, struct end *b, const unsigned int *count,
                           unsigned int wanted)
{
    const time_t limit = whole_seconds_now() + PATIENCE;

    while (*count < wanted) {
        bool any = plugin_net_progress(a->net);

        if (b->net != NULL && plugin_net_progress(b->net))
            any = true;
        if (!any)
            sched_yield();
        assert_true(whole_seconds_now() < limit);
    }
}

static void send_soon(struct end *a, struct end *b, struct plugin_net_conn *conn, const void *bytes,
                      size_t len)
{
    const struct iovec iov = {(void *)bytes, len};
    const time_t limit = whole_seconds_now() + PATIENCE;
    int err;

    while ((err = plugin_net_send(conn, &iov, 1)) == -EAGAIN) {
        plugin_net_progress(a->net);
        plugin_net_progress(b->net);
        assert_true(whole_seconds_now() < limit);
    }
    assert_int_equal(err, 0);
}

static void talk(struct end *a, struct end *b)
{
    struct plugin_net_conn *conn, *again;
    static uint8_t large[300000];

    assert_int_equal(plugin_net_connect(a->net, addr_of(b), &conn), 0);
    assert_int_equal(plugin_net_connect(a->net, addr_of(b), &again), 0);
    assert_ptr_equal(conn, again);
    b->answers = true;
    for (unsigned int i = 0; i < 50; i++)
        send_soon(a, b, conn, &i, sizeof(i));
    progress_until(a, b, &b->received, 50);
    progress_until(a, b, &a->received, 50);
    assert_memory_equal(a->last, &(unsigned int){49}, sizeof(unsigned int));
    memset(large, 7, sizeof(large));
    send_soon(a, b, conn, large, sizeof(large));
    progress_until(a, b, &a->received, 51);
    assert_int_equal(a->last_len, sizeof(large));
    assert_int_equal(a->last[0], 7);
}

/* Once the other end has ended, its address leads nowhere. */
static void end_of_the_other(struct end *a, struct end *b)
{
    struct plugin_net_conn *conn;
    struct end none = {.net = NULL};
    uint8_t addr[PLUGIN_NET_ADDR_MAX];
    size_t len;
    const void *own = plugin_net_addr(b->net, &len);

    memcpy(addr, own, len);
    plugin_net_close(b->net);
    progress_until(a, &none, &a->ended, 1);
    assert_true(a->reason < 0);
    assert_int_equal(plugin_net_connect(a->net, addr, &conn), -ECONNRESET);
}

static void over_shared_memory(void **state)
{
    struct end a, b;

    (void)state;
    assert_int_equal(open_end(&a, NULL), 0);
    assert_int_equal(open_end(&b, NULL), 0);
    talk(&a, &b);
    end_of_the_other(&a, &b);
    plugin_net_close(a.net);
}

/* What another host does not see. */
static void hide_sockets(void)
{
    DIR *folder = opendir(dir);
    struct dirent *entry;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, "link-uromp-", 11) == 0)
            assert_int_equal(unlinkat(dirfd(folder), entry->d_name, 0), 0);
    }
    closedir(folder);
}

static void over_the_network(void **state)
{
    struct end a, b;

    (void)state;
    if (HAS_SANITIZER || open_end(&a, "ucx:127.0.0.1:0") == -ENOTSUP)
        skip();
    assert_non_null(a.net);
    assert_int_equal(open_end(&b, "ucx:127.0.0.1:0"), 0);
    hide_sockets();
    talk(&a, &b);
    end_of_the_other(&a, &b);
    plugin_net_close(a.net);
}

static void to_itself(void **state)
{
    struct plugin_net_conn *conn;
    struct end a, none = {.net = NULL};
    const struct iovec iov = {(char *)"me", 2};

    (void)state;
    assert_int_equal(open_end(&a, NULL), 0);
    assert_true(plugin_net_is_own(a.net, addr_of(&a)));
    assert_int_equal(plugin_net_connect(a.net, addr_of(&a), &conn), 0);
    a.refuses = true;
    for (unsigned int i = 0; i < 8; i++)
        assert_int_equal(plugin_net_send(conn, &iov, 1), 0);
    assert_int_equal(plugin_net_send(conn, &iov, 1), -EAGAIN);
    plugin_net_progress(a.net);
    assert_int_equal(a.received, 0);
    a.refuses = false;
    progress_until(&a, &none, &a.received, 8);
    a.answers = true; /* to the message that is being taken */
    for (unsigned int i = 0; i < 8; i++)
        assert_int_equal(plugin_net_send(conn, &iov, 1), 0);
    progress_until(&a, &none, &a.received, 100);
    plugin_net_close(a.net);
}

static void refused_messages_come_again(void **state)
{
    struct plugin_net_conn *conn;
    struct end a, b;
    int fd;

    (void)state;
    assert_int_equal(open_end(&a, NULL), 0);
    assert_int_equal(open_end(&b, NULL), 0);
    assert_int_equal(plugin_net_connect(a.net, addr_of(&b), &conn), 0);
    b.refuses = true;
    for (unsigned int i = 0; i < 4; i++)
        send_soon(&a, &b, conn, &i, sizeof(i));
    for (unsigned int i = 0; i < 100; i++)
        plugin_net_progress(b.net);
    assert_int_equal(b.received, 0);
    b.refuses = false;
    progress_until(&a, &b, &b.received, 4);
    assert_memory_equal(b.last, &(unsigned int){3}, sizeof(unsigned int));
    while (!plugin_net_arm(b.net, &fd))
        plugin_net_progress(b.net);
    assert_true(fd >= 0);
    plugin_net_close(b.net);
    plugin_net_close(a.net);
}

/* Neither what is no address, nor one with another key, leads anywhere. */
static void strangers(void **state)
{
    struct plugin_net_conn *conn;
    uint8_t addr[PLUGIN_NET_ADDR_MAX] = {0};
    struct end a, b;
    size_t len;
    const void *own;

    (void)state;
    assert_int_equal(open_end(&a, NULL), 0);
    assert_int_equal(open_end(&b, NULL), 0);
    assert_int_equal(plugin_net_connect(a.net, addr, &conn), -EINVAL);
    own = plugin_net_addr(b.net, &len);
    memcpy(addr, own, len);
    addr[8] ^= 1; /* of the key */
    assert_int_equal(plugin_net_connect(a.net, addr, &conn), 0);
    progress_until(&a, &b, &a.ended, 1);
    assert_int_equal(a.reason, -EACCES);
    assert_int_equal(b.received, 0);
    plugin_net_close(b.net);
    plugin_net_close(a.net);
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL ? -1 : setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
}

static int teardown(void **state)
{
    char command[sizeof(dir) + 8];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_shared_memory), cmocka_unit_test(over_the_network),
        cmocka_unit_test(to_itself),          cmocka_unit_test(refused_messages_come_again),
        cmocka_unit_test(strangers),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
