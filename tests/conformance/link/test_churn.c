/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>

#include "conformance/link/rig.h"

/* Many connections come and go and leave nothing behind. */

#define CONNECTIONS 1000u
#define WARM_UP     50u
#define TOGETHER    100u

/* A checker keeps memory of its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_OURS false
#else
#define MEMORY_IS_OURS true
#endif

static struct rig rig;

static unsigned int open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    unsigned int n = 0;

    assert_non_null(d);
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

/* From /proc/self/statm and maps: pages resident, and mappings. */
static unsigned long resident_pages(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long size, resident;

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &size, &resident), 2);
    fclose(f);
    return resident;
}

static unsigned int mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    unsigned int n = 0;
    int c;

    assert_non_null(f);
    while ((c = fgetc(f)) != EOF)
        n += c == '\n';
    fclose(f);
    return n;
}

/* The one that said `i`. Those of clients that have left meanwhile are closed. */
static struct soft_link *next_of(unsigned int i)
{
    for (;;) {
        struct soft_link *link = rig_next(&rig);
        const void *hello;
        size_t len;

        hello = soft_link_hello(link, &len);
        if (len == sizeof(i) && memcmp(hello, &i, sizeof(i)) == 0)
            return link;
        soft_link_close(link);
    }
}

/* Each in another way. */
static void connect_and_leave(unsigned int i)
{
    assert_int_equal(soft_link_connect(rig.addr, &rig.conf, &i, sizeof(i), &rig.client), 0);
    if (i % 8 == 7) {
        soft_link_close(rig.client);
        rig.client = NULL;
        return;
    }
    rig.server = next_of(i);
    if (i % 8 == 6) {
        soft_link_refuse(rig.server, "no", 2);
        assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), -EACCES);
    } else {
        assert_int_equal(soft_link_accept(rig.server, NULL, 0), 0);
        rig_send(rig.server, &i, sizeof(i));
        rig_wait(rig.client, SOFT_LINK_UP);
        rig_expect(rig.client, &i, sizeof(i));
        if (i % 2 == 0)
            soft_link_shutdown(rig.client);
        soft_link_close(rig.server);
    }
    soft_link_close(rig.client);
    rig.client = rig.server = NULL;
}

static void drain(void)
{
    time_t deadline = rig_deadline();
    struct soft_link *link;

    /* What left before its answer drops out by itself. */
    while (soft_link_listener_pending(rig.listener)) {
        link = soft_link_next(rig.listener);
        soft_link_close(link);
        rig_tick(deadline);
    }
}

static void connections_leave_nothing_behind(void **state)
{
    unsigned int files = 0, maps = 0, n = rig_is("ucx") ? CONNECTIONS / 4 : CONNECTIONS;
    unsigned long pages = 0;
    time_t deadline;

    (void)state;
    rig_init(&rig);
    rig.conf.backlog = 200;
    rig_listen(&rig);
    for (unsigned int i = 0; i < n + WARM_UP; i++) {
        if (i == WARM_UP) {
            drain();
            files = open_files();
            maps = mappings();
            pages = resident_pages();
        }
        connect_and_leave(i);
        drain();
    }
    deadline = rig_deadline();
    while (open_files() > files || (MEMORY_IS_OURS && mappings() > maps + 2))
        rig_tick(deadline);
    if (MEMORY_IS_OURS)
        assert_in_range(resident_pages(), 0, pages + pages / 20 + 64);
    rig_close(&rig);
}

static void many_clients_at_once(void **state)
{
    struct soft_link *clients[TOGETHER], *servers[TOGETHER];

    (void)state;
    rig_init(&rig);
    rig.conf.backlog = TOGETHER;
    rig_listen(&rig);
    for (unsigned int i = 0; i < TOGETHER; i++)
        clients[i] = rig_connect(&rig);
    for (unsigned int i = 0; i < TOGETHER; i++) {
        servers[i] = rig_next(&rig);
        assert_int_equal(soft_link_accept(servers[i], NULL, 0), 0);
    }
    for (unsigned int i = 0; i < TOGETHER; i++) {
        rig_send(servers[i], &i, sizeof(i));
        rig_wait(clients[i], SOFT_LINK_UP);
    }
    for (unsigned int i = 0; i < TOGETHER; i++) {
        struct soft_link_msg msg;

        assert_int_equal(rig_recv(clients[i], &msg), 0);
        soft_link_release(clients[i]);
        soft_link_close(clients[i]);
    }
    for (unsigned int i = 0; i < TOGETHER; i++) {
        assert_int_equal(rig_wait(servers[i], SOFT_LINK_DOWN), -ECONNRESET);
        soft_link_close(servers[i]);
    }
    rig_close(&rig);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_leave_nothing_behind),
        cmocka_unit_test(many_clients_at_once),
    };

    rig_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
