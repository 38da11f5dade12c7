/* SPDX-License-Identifier: BSD-3-Clause */
#include "hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/two_hosts.h"

#define BOARD_FD 20
#define ROUNDS   8
#define AREA     (256u << 10)

struct seat {
    atomic_uint arrived;
    uint8_t bytes[HOSTS_MAX][HOSTS_SHARE];
};

/* Memory that all hosts see, for the test itself. */
struct board {
    struct seat seats[HOSTS_SLOTS];
    atomic_uint met[ROUNDS];
    uint8_t areas[ROUNDS][HOSTS_MAX][AREA];
};

static struct board *board;
static int board_fd = -1;
static unsigned int rank, count;
static char id[24]; /* of names in the kernel: this test's alone */
static bool pretended;

/* ------------------------------------------------------------------------------------------------
 * Making hosts
 */

const char *hosts_addr(unsigned int of)
{
    static char text[HOSTS_MAX][24];

    snprintf(text[of], sizeof(text[of]), "10.99.8.%u", of + 1);
    return text[of];
}

static bool make_host(unsigned int i)
{
    return two_hosts_run("ip netns add od-u%u-%s", i, id) == 0 &&
           two_hosts_run(
               "ip link add odu%u netns od-u%u-%s type veth peer name odp%u netns od-sw-%s", i, i,
               id, i, id) == 0 &&
           two_hosts_run("ip -n od-sw-%s link set odp%u master odbr", id, i) == 0 &&
           two_hosts_run("ip -n od-sw-%s link set odp%u up", id, i) == 0 &&
           two_hosts_run("ip -n od-u%u-%s addr add %s/24 dev odu%u", i, id, hosts_addr(i), i) ==
               0 &&
           two_hosts_run("ip -n od-u%u-%s link set lo up", i, id) == 0 &&
           two_hosts_run("ip -n od-u%u-%s link set odu%u up", i, id, i) == 0;
}

/* A device that has just been set up is not yet ready, and UCX looks once. */
static bool wait_for_host(unsigned int i)
{
    const uint64_t end = fixture_now_ms() + PATIENCE;

    while (two_hosts_run("ip netns exec od-u%u-%s grep -q up /sys/class/net/odu%u/operstate", i, id,
                         i) != 0) {
        if (fixture_now_ms() > end)
            return false;
        poll(NULL, 0, 10);
    }
    return true;
}

bool hosts_make(unsigned int n)
{
    bool made;

    count = n;
    pretended = false;
    snprintf(id, sizeof(id), "%d", (int)getpid());
    two_hosts_sweep();
    made = getuid() == 0 && two_hosts_run("ip netns add od-sw-%s", id) == 0 &&
           two_hosts_run("ip -n od-sw-%s link add odbr type bridge", id) == 0 &&
           two_hosts_run("ip -n od-sw-%s link set odbr up", id) == 0;
    for (unsigned int i = 0; made && i < n; i++)
        made = make_host(i);
    for (unsigned int i = 0; made && i < n; i++)
        made = wait_for_host(i);
    if (made)
        return true;
    hosts_remove();
    print_message("cannot make network namespaces: root and iproute2 are needed\n");
    return false;
}

void hosts_pretend(unsigned int n)
{
    count = n;
    pretended = true;
}

void hosts_remove(void)
{
    if (count == 0 || pretended)
        return;
    for (unsigned int i = 0; i < count; i++)
        two_hosts_run("ip netns del od-u%u-%s", i, id);
    two_hosts_run("ip netns del od-sw-%s", id);
    count = 0;
}

/* ------------------------------------------------------------------------------------------------
 * Running
 */

static pid_t start_host(const char *self, const char *name, unsigned int i)
{
    const pid_t parent = getpid();
    char space[48], number[16], many[16];
    pid_t pid;

    snprintf(space, sizeof(space), "od-u%u-%s", i, id);
    snprintf(number, sizeof(number), "%u", i);
    snprintf(many, sizeof(many), "%u", count);
    pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(board_fd, BOARD_FD) < 0)
        _exit(127);
    if (pretended)
        execl(self, self, "host", name, number, many, (char *)NULL);
    else
        execlp("ip", "ip", "netns", "exec", space, self, "host", name, number, many, (char *)NULL);
    _exit(127);
}

/* In the order in which they end: the first that fails takes the others along. Its number, or that
 * of hosts. */
static unsigned int wait_for_hosts(pid_t *pids, unsigned int may_die, int *why)
{
    unsigned int bad = count;

    for (unsigned int left = count; left > 0; left--) {
        unsigned int i = 0;
        int status;
        pid_t pid = wait(&status);

        while (i < count && pids[i] != pid)
            i++;
        assert_true(i < count);
        pids[i] = 0;
        if (status == 0 || (may_die & 1u << i) != 0 || bad < count)
            continue;
        bad = i;
        *why = status;
        for (unsigned int k = 0; k < count; k++) {
            if (pids[k] > 0)
                kill(pids[k], SIGKILL);
        }
    }
    return bad;
}

void hosts_run(const char *name, unsigned int may_die)
{
    char self[512] = "";
    pid_t pids[HOSTS_MAX];
    unsigned int bad;
    int status = 0;

    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    board_fd = memfd_create("od-hosts", 0);
    assert_true(board_fd >= 0);
    assert_int_equal(ftruncate(board_fd, sizeof(*board)), 0);
    setenv("OD_HOSTS_FOLDER", fixture_dir(), 1);
    setenv("OD_HOSTS_ID", pretended ? "" : id, 1);
    for (unsigned int i = 0; i < count; i++) {
        pids[i] = start_host(self, name, i);
        assert_true(pids[i] > 0);
    }
    bad = wait_for_hosts(pids, may_die, &status);
    close(board_fd);
    board_fd = -1;
    if (bad < count)
        fail_msg("case %s fails on host %u: status 0x%x", name, bad, (unsigned int)status);
}

/* ------------------------------------------------------------------------------------------------
 * On a host
 */

unsigned int hosts_rank(void)
{
    return rank;
}

unsigned int hosts_count(void)
{
    return count;
}

void hosts_arrive(unsigned int number)
{
    atomic_fetch_add(&board->seats[number].arrived, 1);
}

void hosts_barrier(unsigned int number)
{
    const uint64_t end = fixture_now_ms() + PATIENCE;
    struct seat *seat = &board->seats[number];

    hosts_arrive(number);
    while (atomic_load(&seat->arrived) < count) {
        assert_true(fixture_now_ms() < end);
        poll(NULL, 0, 1);
    }
}

void hosts_give(unsigned int number, const void *bytes, size_t len)
{
    assert_true(len <= HOSTS_SHARE);
    memcpy(board->seats[number].bytes[rank], bytes, len);
    hosts_barrier(number);
}

void hosts_get(unsigned int number, unsigned int from, void *bytes, size_t len)
{
    assert_true(len <= HOSTS_SHARE && from < count);
    memcpy(bytes, board->seats[number].bytes[from], len);
}

void hosts_cut(void)
{
    assert_int_equal(two_hosts_run("ip link set odu%u down", rank), 0);
}

static void folder_of(unsigned int of, char *path, size_t size)
{
    snprintf(path, size, "%s/host-%u", getenv("OD_HOSTS_FOLDER"), pretended ? of / 2 : of);
}

void hosts_secret(const char *variable, const char *secret)
{
    char path[256];
    int fd;

    snprintf(path, sizeof(path), "%s/secret-of-%s", fixture_dir(), variable);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, secret, strlen(secret)), (ssize_t)strlen(secret));
    close(fd);
    setenv(variable, path, 1);
}

void hosts_daemon_start(struct fixture_daemon *daemon, const char *net)
{
    char listen[32];
    const char *args[] = {"--listen", listen,     "--token-file", NULL, "--allow-net",
                          net,        "--cpuset", "0-1",          NULL};

    snprintf(listen, sizeof(listen), "%s:18610", hosts_addr(rank));
    hosts_secret("OD_HOSTS_SECRET", "a secret of all hosts");
    args[3] = getenv("OD_HOSTS_SECRET");
    fixture_daemon_start(daemon, args);
}

/* Folders are made by whoever comes first, and those of others hidden: here only, the mounts of a
 * namespace are its own. */
static void settle(void)
{
    char path[256];

    for (unsigned int i = 0; i < count; i++) {
        folder_of(i, path, sizeof(path));
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        if (i != rank && !pretended)
            assert_int_equal(mount("none", path, "tmpfs", 0, "size=4k"), 0);
    }
    folder_of(rank, path, sizeof(path));
    fixture_move_to(path);
}

void hosts_main(int argc, char **argv, const struct hosts_case *cases)
{
    if (argc != 5 || strcmp(argv[1], "host") != 0)
        return;
    fixture_in_child();
    rank = (unsigned int)strtoul(argv[3], NULL, 10);
    count = (unsigned int)strtoul(argv[4], NULL, 10);
    snprintf(id, sizeof(id), "%s", getenv("OD_HOSTS_ID"));
    pretended = id[0] == '\0';
    board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, BOARD_FD, 0);
    assert_true(board != MAP_FAILED);
    fcntl(BOARD_FD, F_SETFD, FD_CLOEXEC);
    settle();
    for (; cases->name != NULL; cases++) {
        if (strcmp(cases->name, argv[2]) == 0) {
            cases->run();
            exit(0);
        }
    }
    exit(3);
}

/* ------------------------------------------------------------------------------------------------
 * Domains
 */

struct request {
    unsigned int round;
    size_t len;
    uint8_t *to;
};

static doca_error_t allgather(void *from, void *to, size_t len, void *info, void **req)
{
    static unsigned int next;
    struct request *request = malloc(sizeof(*request));

    (void)info;
    assert_non_null(request);
    assert_true(next < ROUNDS && len <= AREA);
    *request = (struct request){next++, len, to};
    memcpy(board->areas[request->round][rank], from, len);
    atomic_fetch_add(&board->met[request->round], 1);
    *req = request;
    return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t req_test(void *req)
{
    const struct request *request = req;

    if (atomic_load(&board->met[request->round]) < count)
        return DOCA_ERROR_IN_PROGRESS;
    for (unsigned int i = 0; i < count; i++)
        memcpy(request->to + i * request->len, board->areas[request->round][i], request->len);
    return DOCA_SUCCESS;
}

static doca_error_t req_free(void *req)
{
    free(req);
    return DOCA_SUCCESS;
}

struct doca_urom_domain *hosts_domain(struct doca_pe *pe, struct doca_urom_worker *worker)
{
    struct doca_urom_domain_oob_coll oob = {.allgather = allgather,
                                            .req_test = req_test,
                                            .req_free = req_free,
                                            .n_oob_indexes = count,
                                            .oob_index = rank};
    struct doca_urom_domain *domain;
    uint64_t own = 10 + rank;
    struct doca_ctx *ctx;

    assert_ok(doca_urom_domain_create(&domain));
    ctx = doca_urom_domain_as_ctx(domain);
    assert_ok(doca_pe_connect_ctx(pe, ctx));
    assert_ok(doca_urom_domain_set_oob(domain, &oob));
    assert_ok(doca_urom_domain_set_workers(domain, &own, &worker, 1));
    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
    fixture_event(pe);
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_RUNNING);
    return domain;
}
