/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync_fixture.h"
#include "util/parse.h"

/* Events of two processes. The peer is this program again, in the other role, started with the
 * numbers of two pipe ends: "peer <job> <in> <out>". */

/* ---- Pipes and processes ---- */

static void send_bytes(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t n = write(fd, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(3);
        at += n;
        len -= (size_t)n;
    }
}

/* False at the end of the file. */
static bool receive_bytes(int fd, void *bytes, size_t len)
{
    char *at = bytes;

    while (len > 0) {
        ssize_t n = read(fd, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

struct blob {
    size_t size;
    uint8_t bytes[1000];
};

static void export_event(struct doca_sync_event *event, struct doca_dev *dev, struct blob *blob)
{
    const uint8_t *data;
    size_t size;

    OK(doca_sync_event_export_to_remote_pci(event, dev, &data, &size));
    assert_true(size > 0 && size <= sizeof(blob->bytes));
    memset(blob, 0, sizeof(*blob));
    memcpy(blob->bytes, data, size);
    blob->size = size;
}

struct peer {
    pid_t pid;
    int to;
    int from;
};

static struct peer start_peer(const char *job)
{
    char in[16];
    char out[16];
    int down[2];
    int up[2];
    struct peer peer;

    assert_int_equal(pipe2(down, 0), 0);
    assert_int_equal(pipe2(up, 0), 0);
    snprintf(in, sizeof(in), "%d", down[0]);
    snprintf(out, sizeof(out), "%d", up[1]);
    peer.pid = fork();
    if (peer.pid == 0) {
        close(down[1]);
        close(up[0]);
        setenv("OPENDOCA_ROLE", "dpu", 1);
        execl("/proc/self/exe", "peer", job, in, out, (char *)NULL);
        _exit(127);
    }
    assert_true(peer.pid > 0);
    close(down[0]);
    close(up[1]);
    peer.to = down[1];
    peer.from = up[0];
    return peer;
}

static int end_peer(struct peer *peer)
{
    int status;

    close(peer->to);
    assert_int_equal(waitpid(peer->pid, &status, 0), peer->pid);
    close(peer->from); /* not earlier: the peer may still report */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- Stage ---- */

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_sync_event *event;

/* Both processes may do everything, not started. */
static struct doca_sync_event *make_shared_event(struct doca_dev *device)
{
    struct doca_sync_event *created = make_event(device);

    OK(doca_sync_event_add_publisher_location_remote_pci(created));
    OK(doca_sync_event_add_subscriber_location_remote_pci(created));
    return created;
}

static int set_up(void **state)
{
    (void)state;
    dev = open_device(0);
    OK(doca_pe_create(&pe));
    event = make_shared_event(dev);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    OK(doca_sync_event_destroy(event));
    OK(doca_pe_destroy(pe));
    OK(doca_dev_close(dev));
    return 0;
}

/* ---- An event as a context, tasks one at a time ---- */

static unsigned int done_calls;
static unsigned int error_calls;

static void add_done(struct doca_sync_event_task_notify_add *t, union doca_data td,
                     union doca_data cd)
{
    (void)t;
    (void)td;
    (void)cd;
    done_calls++;
}

static void set_done(struct doca_sync_event_task_notify_set *t, union doca_data td,
                     union doca_data cd)
{
    (void)t;
    (void)td;
    (void)cd;
    done_calls++;
}

static void eq_done(struct doca_sync_event_task_wait_eq *t, union doca_data td, union doca_data cd)
{
    (void)t;
    (void)td;
    (void)cd;
    done_calls++;
}

static void eq_error(struct doca_sync_event_task_wait_eq *t, union doca_data td, union doca_data cd)
{
    (void)t;
    (void)td;
    (void)cd;
    error_calls++;
}

static struct doca_ctx *start_ctx(struct doca_sync_event *e)
{
    struct doca_ctx *ctx = doca_sync_event_as_ctx(e);

    done_calls = error_calls = 0;
    OK(doca_sync_event_task_notify_add_set_conf(e, add_done, add_done, 1));
    OK(doca_sync_event_task_notify_set_set_conf(e, set_done, set_done, 1));
    OK(doca_sync_event_task_wait_eq_set_conf(e, eq_done, eq_error, 1));
    OK(doca_pe_connect_ctx(pe, ctx));
    OK(doca_ctx_start(ctx));
    return ctx;
}

/* Sleeps on the fd between the progress calls. */
static void complete(struct doca_task *task)
{
    unsigned int before = done_calls + error_calls;
    struct pollfd fd = {.events = POLLIN};

    OK(doca_pe_get_notification_handle(pe, &fd.fd));
    OK(doca_task_submit(task));
    while (done_calls + error_calls == before) {
        if (doca_pe_progress(pe) == 1)
            continue;
        OK(doca_pe_request_notification(pe));
        assert_int_equal(poll(&fd, 1, -1), 1);
        OK(doca_pe_clear_notification(pe, 0));
    }
}

static void wait_by_task(struct doca_sync_event *e, uint64_t value)
{
    struct doca_sync_event_task_wait_eq *task;

    OK(doca_sync_event_task_wait_eq_alloc_init(e, value, UINT64_MAX, (union doca_data){.u64 = 0},
                                               &task));
    complete(doca_sync_event_task_wait_eq_as_doca_task(task));
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(task));
}

static void set_by_task(struct doca_sync_event *e, uint64_t value)
{
    struct doca_sync_event_task_notify_set *task;

    OK(doca_sync_event_task_notify_set_alloc_init(e, value, (union doca_data){.u64 = 0}, &task));
    complete(doca_sync_event_task_notify_set_as_doca_task(task));
    doca_task_free(doca_sync_event_task_notify_set_as_doca_task(task));
}

static uint64_t add_by_task(struct doca_sync_event *e, uint64_t value)
{
    struct doca_sync_event_task_notify_add *task;
    uint64_t before = 0;

    OK(doca_sync_event_task_notify_add_alloc_init(e, value, &before, (union doca_data){.u64 = 0},
                                                  &task));
    complete(doca_sync_event_task_notify_add_as_doca_task(task));
    doca_task_free(doca_sync_event_task_notify_add_as_doca_task(task));
    return before;
}

/* ---- The game that both processes play, plainly or by tasks ----
 *
 * exporter: set 1, wait for 2, set 3, wait for 10
 * importer: wait for 1, set 2, wait for 3, add 7 */

static void play_exporter_plainly(struct doca_sync_event *e)
{
    OK(doca_sync_event_start(e));
    OK(doca_sync_event_update_set(e, 1));
    OK(doca_sync_event_wait_eq_yield(e, 2, UINT64_MAX));
    OK(doca_sync_event_update_set(e, 3));
    OK(doca_sync_event_wait_gt_yield(e, 3, UINT64_MAX));
    assert_int_equal(value_of(e), 10);
}

static void play_importer_plainly(struct doca_sync_event *e)
{
    uint64_t before;

    OK(doca_sync_event_start(e));
    OK(doca_sync_event_wait_eq_yield(e, 1, UINT64_MAX));
    OK(doca_sync_event_update_set(e, 2));
    OK(doca_sync_event_wait_neq_yield(e, 2, UINT64_MAX));
    OK(doca_sync_event_update_add(e, 7, &before));
    assert_int_equal(before, 3);
}

static void play_exporter_by_tasks(struct doca_sync_event *e)
{
    struct doca_ctx *ctx = start_ctx(e);

    set_by_task(e, 1);
    wait_by_task(e, 2);
    set_by_task(e, 3);
    wait_by_task(e, 10);
    OK(doca_ctx_stop(ctx));
}

static void play_importer_by_tasks(struct doca_sync_event *e)
{
    struct doca_ctx *ctx = start_ctx(e);

    wait_by_task(e, 1);
    set_by_task(e, 2);
    wait_by_task(e, 3);
    assert_int_equal(add_by_task(e, 7), 3);
    OK(doca_ctx_stop(ctx));
}

/* ---- Jobs of the peer process ---- */

static struct doca_sync_event *import_from(int in)
{
    struct doca_sync_event *imported;
    struct blob blob;

    assert_true(receive_bytes(in, &blob, sizeof(blob)));
    OK(doca_sync_event_create_from_export(dev, blob.bytes, blob.size, &imported));
    return imported;
}

static void import_and_play(int in, void (*play)(struct doca_sync_event *))
{
    struct doca_sync_event *imported = import_from(in);

    play(imported);
    OK(doca_sync_event_destroy(imported));
}

static void export_and_play(int out, void (*play)(struct doca_sync_event *))
{
    struct blob blob;

    export_event(event, dev, &blob);
    send_bytes(out, &blob, sizeof(blob));
    play(event);
}

static void export_and_wait(int in, int out)
{
    struct blob blob;
    char byte;

    export_event(event, dev, &blob);
    OK(doca_sync_event_start(event));
    send_bytes(out, &blob, sizeof(blob));
    receive_bytes(in, &byte, 1);
    OK(doca_sync_event_destroy(event)); /* revokes */
    event = make_shared_event(dev);
    send_bytes(out, "r", 1);
    receive_bytes(in, &byte, 1);
}

static int number(const char *text)
{
    int64_t value = -1;

    od_parse_i64(text, &value);
    return (int)value;
}

/* Asserts of cmocka end the process when no test of its own runs. */
static int run_peer(const char *job, int in, int out)
{
    set_up(NULL);
    if (strcmp(job, "import-plain") == 0)
        import_and_play(in, play_importer_plainly);
    else if (strcmp(job, "import-tasks") == 0)
        import_and_play(in, play_importer_by_tasks);
    else if (strcmp(job, "export-plain") == 0)
        export_and_play(out, play_exporter_plainly);
    else if (strcmp(job, "export-tasks") == 0)
        export_and_play(out, play_exporter_by_tasks);
    else if (strcmp(job, "export-wait") == 0)
        export_and_wait(in, out);
    else
        return 2;
    send_bytes(out, "d", 1);
    tear_down(NULL);
    return 0;
}

/* ---- Two processes ---- */

static void with_importer(const char *importer_job, void (*play)(struct doca_sync_event *))
{
    struct peer peer = start_peer(importer_job);
    struct blob blob;
    char byte;

    export_event(event, dev, &blob); /* before the start */
    send_bytes(peer.to, &blob, sizeof(blob));
    play(event);
    assert_true(receive_bytes(peer.from, &byte, 1));
    assert_int_equal(end_peer(&peer), 0);
}

static void with_exporter(const char *exporter_job, void (*play)(struct doca_sync_event *))
{
    struct peer peer = start_peer(exporter_job);
    struct doca_sync_event *imported = import_from(peer.from);
    char byte;

    play(imported);
    assert_true(receive_bytes(peer.from, &byte, 1));
    OK(doca_sync_event_destroy(imported));
    assert_int_equal(end_peer(&peer), 0);
}

/* Every way that an importer reaches the value. */
static void with_each_engine(void (*run)(const char *, void (*)(struct doca_sync_event *)),
                             const char *peer_job, void (*play)(struct doca_sync_event *))
{
    static const char *const engines[] = {"mapped", "vm", "served"};

    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        setenv("OPENDOCA_PEER_ENGINE", engines[i], 1);
        run(peer_job, play);
        tear_down(NULL);
        set_up(NULL);
    }
    unsetenv("OPENDOCA_PEER_ENGINE");
}

static void exporter_and_importer_plainly(void **state)
{
    (void)state;
    with_each_engine(with_importer, "import-plain", play_exporter_plainly);
}

static void exporter_and_importer_by_tasks(void **state)
{
    (void)state;
    with_each_engine(with_importer, "import-tasks", play_exporter_by_tasks);
}

static void importer_and_exporter_plainly(void **state)
{
    (void)state;
    with_each_engine(with_exporter, "export-plain", play_importer_plainly);
}

static void importer_and_exporter_by_tasks(void **state)
{
    (void)state;
    with_each_engine(with_exporter, "export-tasks", play_importer_by_tasks);
}

static pid_t keepers[3]; /* for each engine */
static unsigned int nkeepers;

/* As a child is before it runs its first handler of fork(): it has all descriptors, and keeps them.
 * Only the pipes of the test are closed, whose ends are waited for. */
static pid_t start_keeper(void)
{
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    struct stat stat;

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int fd = 0; fd < 1024; fd++) {
        if (fstat(fd, &stat) == 0 && S_ISFIFO(stat.st_mode))
            close(fd);
    }
    for (;;)
        poll(NULL, 0, -1);
}

/* While the importer waits. */
static void play_exporter_beside_a_keeper(struct doca_sync_event *e)
{
    OK(doca_sync_event_start(e));
    OK(doca_sync_event_update_set(e, 1));
    OK(doca_sync_event_wait_eq_yield(e, 2, UINT64_MAX));
    assert_in_range(nkeepers, 0, 2);
    keepers[nkeepers] = start_keeper();
    assert_true(keepers[nkeepers++] > 0);
    OK(doca_sync_event_update_set(e, 3));
    OK(doca_sync_event_wait_gt_yield(e, 3, UINT64_MAX));
}

/* What the exporter had for an importer ends with it, though a child still has its descriptors. */
static void an_importer_ends_while_a_child_is_forked(void **state)
{
    (void)state;
    with_each_engine(with_importer, "import-plain", play_exporter_beside_a_keeper);
    with_each_engine(with_importer, "import-plain", play_exporter_plainly);
    while (nkeepers > 0) {
        assert_int_equal(kill(keepers[--nkeepers], SIGKILL), 0);
        assert_int_equal(waitpid(keepers[nkeepers], NULL, 0), keepers[nkeepers]);
    }
}

static void plain_exporter_and_importer_by_tasks(void **state)
{
    (void)state;
    with_importer("import-tasks", play_exporter_plainly);
}

static void the_users_memory_is_exported(void **state)
{
    static uint64_t cell;

    (void)state;
    OK(doca_sync_event_set_addr(event, &cell));
    with_importer("import-plain", play_exporter_plainly);
    assert_int_equal(cell, 10);
}

/* ---- Exporters that go ---- */

static void a_revoked_event_fails(void **state)
{
    struct peer peer = start_peer("export-wait");
    struct doca_sync_event *plain;
    struct blob blob;
    uint64_t value = 5;
    char byte;

    (void)state;
    assert_true(receive_bytes(peer.from, &blob, sizeof(blob)));
    OK(doca_sync_event_create_from_export(dev, blob.bytes, blob.size, &plain));
    OK(doca_sync_event_start(plain));
    OK(doca_sync_event_get(plain, &value));
    assert_int_equal(value, 0);
    send_bytes(peer.to, "x", 1);
    assert_true(receive_bytes(peer.from, &byte, 1)); /* destroyed */
    value = 5;
    assert_int_equal(doca_sync_event_get(plain, &value), DOCA_ERROR_DRIVER);
    assert_int_equal(value, 5);
    assert_int_equal(doca_sync_event_update_set(plain, 1), DOCA_ERROR_DRIVER);
    assert_int_equal(doca_sync_event_update_add(plain, 1, &value), DOCA_ERROR_DRIVER);
    assert_int_equal(doca_sync_event_wait_gt(plain, 1, UINT64_MAX), DOCA_ERROR_DRIVER);
    assert_int_equal(doca_sync_event_wait_eq_yield(plain, 1, UINT64_MAX), DOCA_ERROR_DRIVER);
    OK(doca_sync_event_stop(plain));
    assert_int_equal(doca_sync_event_start(plain), DOCA_ERROR_DRIVER);
    OK(doca_sync_event_destroy(plain));
    assert_int_equal(doca_sync_event_create_from_export(dev, blob.bytes, blob.size, &plain),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(end_peer(&peer), 0);
}

static void a_killed_exporter_fails_plain_waits(void **state)
{
    struct peer peer = start_peer("export-wait");
    struct doca_sync_event *imported = import_from(peer.from);

    (void)state;
    OK(doca_sync_event_start(imported));
    assert_int_equal(kill(peer.pid, SIGKILL), 0);
    assert_int_equal(doca_sync_event_wait_gt_yield(imported, 0, UINT64_MAX), DOCA_ERROR_DRIVER);
    assert_int_equal(doca_sync_event_wait_gt(imported, 0, UINT64_MAX), DOCA_ERROR_DRIVER);
    OK(doca_sync_event_destroy(imported));
    assert_int_equal(end_peer(&peer), -1);
}

static void a_killed_exporter_fails_sleeping_waits(void **state)
{
    struct peer peer = start_peer("export-wait");
    struct doca_sync_event *imported = import_from(peer.from);
    struct doca_sync_event_task_wait_eq *task;
    struct pollfd fd = {.events = POLLIN};
    struct doca_ctx *ctx;

    (void)state;
    ctx = start_ctx(imported);
    OK(doca_pe_get_notification_handle(pe, &fd.fd));
    OK(doca_sync_event_task_wait_eq_alloc_init(imported, 1, UINT64_MAX, (union doca_data){.u64 = 0},
                                               &task));
    OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(task)));
    assert_int_equal(doca_pe_progress(pe), 0);
    OK(doca_pe_request_notification(pe));
    assert_int_equal(poll(&fd, 1, 0), 0);
    assert_int_equal(kill(peer.pid, SIGKILL), 0);
    assert_int_equal(poll(&fd, 1, -1), 1);
    OK(doca_pe_clear_notification(pe, 0));
    assert_int_equal(doca_pe_progress(pe), 1);
    assert_int_equal(error_calls, 1);
    assert_int_equal(doca_task_get_status(doca_sync_event_task_wait_eq_as_doca_task(task)),
                     DOCA_ERROR_IO_FAILED);

    /* Only the task failed. Others still can be submitted, and fail. */
    complete(doca_sync_event_task_wait_eq_as_doca_task(task));
    assert_int_equal(error_calls, 2);
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(task));
    OK(doca_ctx_stop(ctx));
    OK(doca_sync_event_destroy(imported));
    assert_int_equal(end_peer(&peer), -1);
}

/* ---- Codes ---- */

static void damaged_exports_are_refused(void **state)
{
    struct doca_sync_event *imported = NULL;
    struct blob blob;

    (void)state;
    export_event(event, dev, &blob);
    for (size_t i = 0; i < blob.size; i++) {
        blob.bytes[i] ^= 0x10;
        assert_int_equal(doca_sync_event_create_from_export(dev, blob.bytes, blob.size, &imported),
                         DOCA_ERROR_INVALID_VALUE);
        blob.bytes[i] ^= 0x10;
    }
    for (size_t size = 0; size < blob.size; size++)
        assert_int_equal(doca_sync_event_create_from_export(dev, blob.bytes, size, &imported),
                         DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_create_from_export(dev, blob.bytes, blob.size + 1, &imported),
                     DOCA_ERROR_INVALID_VALUE);
    assert_null(imported);
    OK(doca_sync_event_create_from_export(dev, blob.bytes, blob.size, &imported));
    OK(doca_sync_event_destroy(imported));
}

static void imports_are_not_configured(void **state)
{
    struct doca_sync_event *imported;
    const uint8_t *data;
    struct blob blob;
    uint64_t value = 3;
    size_t size;

    (void)state;
    export_event(event, dev, &blob);
    OK(doca_sync_event_create_from_export(dev, blob.bytes, blob.size, &imported));
    assert_int_equal(doca_sync_event_add_publisher_location_cpu(imported, dev),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_sync_event_add_subscriber_location_remote_pci(imported),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_sync_event_set_addr(imported, &value), DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_sync_event_export_to_remote_pci(imported, dev, &data, &size),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_sync_event_get(imported, &value), DOCA_ERROR_BAD_STATE);
    OK(doca_sync_event_start(imported));
    OK(doca_sync_event_update_set(imported, 9));
    OK(doca_sync_event_start(event));
    assert_int_equal(value_of(event), 9);
    OK(doca_sync_event_stop(imported));
    OK(doca_sync_event_destroy(imported));
}

static void exports_need_a_remote_location(void **state)
{
    struct doca_sync_event *local = make_event(dev);
    const uint8_t *data;
    const uint8_t *again;
    size_t size;
    uint64_t cell;

    (void)state;
    assert_int_equal(doca_sync_event_export_to_remote_pci(local, dev, &data, &size),
                     DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_sync_event_export_to_remote_net(local, &data, &size),
                     DOCA_ERROR_NOT_PERMITTED);
    OK(doca_sync_event_add_publisher_location_remote_net(local));
    OK(doca_sync_event_add_publisher_location_remote_pci(local));
    assert_int_equal(doca_sync_event_export_to_remote_pci(local, dev, &data, &size),
                     DOCA_ERROR_NOT_PERMITTED); /* others than CPU and PCI */
    OK(doca_sync_event_destroy(local));

    assert_int_equal(doca_sync_event_export_to_remote_pci(NULL, dev, &data, &size),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_export_to_remote_pci(event, NULL, &data, &size),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_export_to_remote_pci(event, dev, NULL, &size),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_export_to_remote_pci(event, dev, &data, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    OK(doca_sync_event_export_to_remote_pci(event, dev, &data, &size));
    OK(doca_sync_event_start(event));
    OK(doca_sync_event_export_to_remote_pci(event, dev, &again, &size));
    assert_ptr_equal(data, again);
    OK(doca_sync_event_stop(event));
    assert_int_equal(doca_sync_event_set_addr(event, &cell), DOCA_ERROR_BAD_STATE);
}

static void exports_to_the_network(void **state)
{
    struct doca_sync_event_remote_net *remote;
    struct doca_sync_event *wrong;
    struct doca_sync_event *netted = make_event(dev);
    const uint8_t *data;
    struct blob blob;
    size_t size;

    (void)state;
    if (doca_sync_event_cap_is_export_to_remote_net_supported(doca_dev_as_devinfo(dev)) !=
        DOCA_SUCCESS) {
        OK(doca_sync_event_destroy(netted));
        skip();
    }
    OK(doca_sync_event_add_publisher_location_remote_net(netted));
    OK(doca_sync_event_export_to_remote_net(netted, &data, &size));
    assert_true(size > 0 && size <= 1000);
    OK(doca_sync_event_remote_net_create_from_export(dev, data, size, &remote));
    OK(doca_sync_event_remote_net_destroy(remote));
    assert_int_equal(doca_sync_event_remote_net_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_remote_net_create_from_export(dev, data, size - 1, &remote),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_not_equal(doca_sync_event_create_from_export(dev, data, size, &wrong), DOCA_SUCCESS);
    export_event(event, dev, &blob);
    assert_int_equal(
        doca_sync_event_remote_net_create_from_export(dev, blob.bytes, blob.size, &remote),
        DOCA_ERROR_INVALID_VALUE);
    OK(doca_sync_event_destroy(netted));
}

static void null_imports(void **state)
{
    struct doca_sync_event_remote_net *remote;
    struct doca_sync_event *imported;
    const uint8_t byte = 0;

    (void)state;
    assert_int_equal(doca_sync_event_create_from_export(NULL, &byte, 1, &imported),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_create_from_export(dev, NULL, 1, &imported),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_create_from_export(dev, &byte, 1, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_remote_net_create_from_export(NULL, &byte, 1, &remote),
                     DOCA_ERROR_INVALID_VALUE);
}

static void capabilities(void **state)
{
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    doca_dpa_dev_sync_event_t dpa_handle;
    doca_gpu_dev_sync_event_t *gpu_handle;
    int stand_in;

    (void)state;
    OK(doca_sync_event_cap_is_export_to_remote_pci_supported(info));
    OK(doca_sync_event_cap_is_create_from_export_supported(info));
    assert_int_equal(doca_sync_event_cap_is_export_to_dpa_supported(info),
                     DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_sync_event_cap_is_export_to_gpu_supported(info),
                     DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_sync_event_cap_remote_net_is_export_to_dpa_supported(info),
                     DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_sync_event_cap_remote_net_is_export_to_gpu_supported(info),
                     DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_sync_event_cap_is_export_to_remote_pci_supported(NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(
        doca_sync_event_get_dpa_handle(event, (struct doca_dpa *)&stand_in, &dpa_handle),
        DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(
        doca_sync_event_get_gpu_handle(event, (struct doca_gpu *)&stand_in, &gpu_handle),
        DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_sync_event_get_gpu_handle(event, NULL, &gpu_handle),
                     DOCA_ERROR_INVALID_VALUE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest cases[] = {
        CASE(exporter_and_importer_plainly),
        CASE(exporter_and_importer_by_tasks),
        CASE(importer_and_exporter_plainly),
        CASE(importer_and_exporter_by_tasks),
        CASE(plain_exporter_and_importer_by_tasks),
        CASE(an_importer_ends_while_a_child_is_forked),
        CASE(the_users_memory_is_exported),
        CASE(a_revoked_event_fails),
        CASE(a_killed_exporter_fails_plain_waits),
        CASE(a_killed_exporter_fails_sleeping_waits),
        CASE(damaged_exports_are_refused),
        CASE(imports_are_not_configured),
        CASE(exports_need_a_remote_location),
        CASE(exports_to_the_network),
        CASE(null_imports),
        CASE(capabilities),
    };

    signal(SIGPIPE, SIG_IGN);
    if (argc == 4 && strcmp(argv[0], "peer") == 0)
        return run_peer(argv[1], number(argv[2]), number(argv[3]));
    return cmocka_run_group_tests(cases, NULL, NULL);
}
