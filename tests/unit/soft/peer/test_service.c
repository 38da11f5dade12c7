/* SPDX-License-Identifier: BSD-3-Clause */
/* Importers that are turned away: somebody is told who, why and what to do. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/seconds.h"
#include "soft/link/link.h"
#include "soft/peer/desc.h"
#include "soft/peer/peer.h"
#include "soft/peer/wire.h"

#define SECONDS  60
#define STRANGER 65534 /* a user who is not this one */

static char folder[64];
static char memory[64];
static struct soft_peer_export *exported;
static struct soft_peer_desc desc;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t told;
    unsigned int count;
    char text[512]; /* of the newest */
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER, .told = PTHREAD_COND_INITIALIZER};

static void hear(const char *who, const char *why, const char *remedy)
{
    pthread_mutex_lock(&heard.lock);
    heard.count++;
    snprintf(heard.text, sizeof(heard.text), "%s|%s|%s", who, why, remedy);
    pthread_cond_signal(&heard.told);
    pthread_mutex_unlock(&heard.lock);
}

/* One more was refused; it was told so. */
static void expect_told(const char *who, const char *why, const char *remedy)
{
    const struct timespec end = {.tv_sec = whole_seconds_now() + SECONDS};
    const char *const parts[] = {who, why, remedy};

    pthread_mutex_lock(&heard.lock);
    while (heard.count == 0)
        assert_int_equal(pthread_cond_clockwait(&heard.told, &heard.lock, CLOCK_MONOTONIC, &end),
                         0);
    assert_int_equal(heard.count, 1);
    heard.count = 0;
    for (size_t i = 0; i < 3; i++)
        if (strstr(heard.text, parts[i]) == NULL)
            fail_msg("no \"%s\" in \"%s\"", parts[i], heard.text);
    pthread_mutex_unlock(&heard.lock);
}

static int setup(void **state)
{
    const struct soft_peer_range range = {.addr = memory,
                                          .len = sizeof(memory),
                                          .kind = SOFT_PEER_KIND_PCI,
                                          .access = SOFT_PEER_READ,
                                          .card = "card-0"};
    char path[80];
    const void *bytes;
    size_t len;
    FILE *file;

    (void)state;
    strcpy(folder, "/tmp/opendoca-test-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof(path), "%s/token", folder);
    file = fopen(path, "we");
    if (file == NULL || fputs("open sesame\n", file) < 0 || fclose(file) != 0 ||
        chmod(path, 0600) != 0)
        return -1;
    setenv("OPENDOCA_RUNTIME_DIR", folder, 1);
    setenv("OPENDOCA_PEER_LISTEN", "127.0.0.1:0", 1);
    setenv("OPENDOCA_TOKEN_FILE", path, 1);
    soft_peer_on_refusal(hear);
    if (soft_peer_export_create(&range, &exported) != 0)
        return -1;
    bytes = soft_peer_export_desc(exported, &len);
    return soft_peer_desc_parse(bytes, len, &desc);
}

static int teardown(void **state)
{
    char command[100];

    (void)state;
    soft_peer_export_destroy(exported);
    soft_peer_on_refusal(NULL);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

/* From another host, for all that this process knows. */
static void come(const void *hello, size_t len, bool is_let_in)
{
    const struct soft_link_conf conf = {
        .max_msg = 1u << 20, .depth = 64, .connect_timeout = SECONDS * 1000};
    const time_t end = whole_seconds_now() + SECONDS;
    enum soft_link_state state;
    struct soft_link *link;
    char addr[80];

    snprintf(addr, sizeof(addr), "tcp:%s", desc.remote);
    assert_int_equal(soft_link_connect(addr, &conf, hello, len, &link), 0);
    while ((state = soft_link_poll(link, NULL)) == SOFT_LINK_CONNECTING)
        assert_true(whole_seconds_now() < end);
    assert_int_equal(state == SOFT_LINK_UP, is_let_in);
    soft_link_close(link);
}

static void who_comes_from_other_hosts(void **state)
{
    static const char token[] = "open sesame";
    char text[sizeof(union soft_peer_msg) + sizeof(token)];
    union soft_peer_msg hello = {0};
    size_t size;

    (void)state;
    come("GET / HTTP/1.1", 14, false);
    expect_told("127.0.0.1:", "protocol", "one release");
    size = soft_peer_wire_seal(&hello, PEER_MSG_HELLO, 0, 0);
    come(&hello, size, false);
    expect_told("127.0.0.1:", "descriptor", "export again");
    memcpy(hello.hello.instance, desc.instance, sizeof(desc.instance));
    size = soft_peer_wire_seal(&hello, PEER_MSG_HELLO, 0, 0);
    come(&hello, size, false);
    expect_told("127.0.0.1:", "token", "OPENDOCA_TOKEN_FILE");
    memcpy(text, &hello, size);
    memcpy(text + size, token, sizeof(token) - 1);
    come(text, size + sizeof(token) - 1, true);
    assert_int_equal(heard.count, 0);
}

/* The exporter's socket. */
static void find_socket(struct sockaddr_un *sa)
{
    DIR *d = opendir(desc.dir);
    struct dirent *entry;

    assert_non_null(d);
    sa->sun_path[0] = '\0';
    while (sa->sun_path[0] == '\0' && (entry = readdir(d)) != NULL)
        if (entry->d_type == DT_SOCK)
            snprintf(sa->sun_path, sizeof(sa->sun_path), "%.60s/%.40s", desc.dir, entry->d_name);
    closedir(d);
    assert_true(sa->sun_path[0] != '\0');
}

static void who_comes_from_other_users(void **state)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    char who[64];
    int status;
    pid_t pid;

    (void)state;
    if (geteuid() != 0)
        skip(); /* nobody else can be played */
    find_socket(&sa);
    assert_int_equal(chmod(folder, 0711), 0);
    assert_int_equal(chmod(desc.dir, 0711), 0);
    assert_int_equal(chmod(sa.sun_path, 0777), 0);
    pid = fork();
    if (pid == 0) {
        int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        char answer[256];

        /* Of this process alone, without asking its threads. */
        if (syscall(SYS_setuid, STRANGER) != 0)
            _exit(3);
        if (connect(sock, (struct sockaddr *)&sa, sizeof(sa)) != 0)
            _exit(1);
        _exit(recv(sock, answer, sizeof(answer), 0) > 0 ? 0 : 2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
        skip(); /* a namespace without that user */
    assert_int_equal(status, 0);
    snprintf(who, sizeof(who), "process %d of user %d", (int)pid, STRANGER);
    expect_told(who, "one user", "as the same user");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_from_other_hosts),
        cmocka_unit_test(who_comes_from_other_users),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
