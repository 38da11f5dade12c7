/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOG_MAX  (1 << 20)
#define ARGS_MAX 32

#define TEXT(number)    #number
#define TEXT_OF(number) TEXT(number)
#define PATIENCE_TEXT   TEXT_OF(PATIENCE)

#define DIR_PREFIX "urom-test-" /* the process, and something of its own */

static char dir[128];
static pid_t owner; /* the test program, whose children do not outlive it */

/* ------------------------------------------------------------------------------------------------
 * Folder, time
 */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

const char *fixture_dir(void)
{
    return dir;
}

void fixture_move_to(const char *path)
{
    snprintf(dir, sizeof(dir), "%s", path);
    setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
}

/* Of tests that were killed. */
static void sweep(void)
{
    DIR *names = opendir("/tmp");
    struct dirent *entry;
    char path[320];

    while (names != NULL && (entry = readdir(names)) != NULL) {
        const int number = strncmp(entry->d_name, DIR_PREFIX, strlen(DIR_PREFIX)) == 0
                               ? atoi(entry->d_name + strlen(DIR_PREFIX))
                               : 0;

        if (number <= 0 || kill(number, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof(path), "/tmp/%s", entry->d_name);
        nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    if (names != NULL)
        closedir(names);
}

int fixture_group_setup(void **state)
{
    (void)state;
    owner = getpid();
    sweep();
    snprintf(dir, sizeof(dir), "/tmp/" DIR_PREFIX "%d-XXXXXX", (int)owner);
    if (mkdtemp(dir) == NULL)
        return -1;
    unsetenv("DOCA_UROM_SERVICE_FILE");
    unsetenv("DOCA_UROM_SOCKET");
    /* Bounds of the product that a busy machine could pass; tests of them set their own. */
    setenv("DOCA_UROM_CONNECT_TIMEOUT_MS", PATIENCE_TEXT, 1);
    setenv("DOCA_UROM_SPAWN_TIMEOUT_MS", PATIENCE_TEXT, 1);
    setenv("DOCA_UROM_PROBE_TIMEOUT_MS", PATIENCE_TEXT, 1);
    return setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
}

int fixture_group_teardown(void **state)
{
    (void)state;
    if (getenv("UROM_TEST_KEEP") == NULL)
        nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return 0;
}

void fixture_in_child(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (owner != 0 && getppid() != owner)
        _exit(127);
    setenv("CMOCKA_TEST_ABORT", "1", 1);
}

uint64_t fixture_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void fixture_wait(bool (*is_so)(void *arg), void *arg)
{
    const uint64_t end = fixture_now_ms() + PATIENCE;

    while (!is_so(arg)) {
        assert_true(fixture_now_ms() < end);
        poll(NULL, 0, 2);
    }
}

void fixture_wait_dead(pid_t pid)
{
    struct pollfd gone = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};

    if (gone.fd < 0)
        return;
    assert_int_equal(poll(&gone, 1, PATIENCE), 1);
    close(gone.fd);
}

static bool is_stopped(const char *stat_path)
{
    char text[512];
    FILE *file = fopen(stat_path, "re");
    const char *behind_name;
    size_t n;

    if (file == NULL)
        return true; /* this thread has ended */
    n = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[n] = '\0';
    behind_name = strrchr(text, ')');
    return behind_name == NULL || strchr("TZX", behind_name[2]) != NULL;
}

static bool are_all_stopped(void *arg)
{
    char path[600];
    struct dirent *thread;
    bool all = true;
    DIR *threads;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)*(pid_t *)arg);
    threads = opendir(path);
    assert_non_null(threads);
    while (all && (thread = readdir(threads)) != NULL) {
        snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", (int)*(pid_t *)arg, thread->d_name);
        all = thread->d_name[0] == '.' || is_stopped(path);
    }
    closedir(threads);
    return all;
}

void fixture_freeze(pid_t pid)
{
    assert_int_equal(kill(pid, SIGSTOP), 0);
    fixture_wait(are_all_stopped, &pid);
}

/* ------------------------------------------------------------------------------------------------
 * Daemon
 */

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    if (value == NULL)
        fail_msg("%s is not set", name);
    return value;
}

static pid_t spawn(const char *log, const char *const *args)
{
    const char *list[ARGS_MAX] = {setting("UROM_DAEMON")};
    const pid_t parent = getpid();
    size_t n = 1;
    pid_t pid;
    int fd;

    for (; args != NULL && *args != NULL && n + 1 < ARGS_MAX; args++)
        list[n++] = *args;
    pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Memory that a test measures does not grow behind its back. */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (getppid() == parent && fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0 &&
        dup2(fd, STDERR_FILENO) >= 0)
        execv(list[0], (char *const *)list);
    _exit(127);
}

static char *read_log(const struct fixture_daemon *daemon)
{
    char *text = calloc(1, LOG_MAX);
    FILE *file = fopen(daemon->log, "re");

    assert_non_null(text);
    if (file != NULL) {
        text[fread(text, 1, LOG_MAX - 1, file)] = '\0';
        fclose(file);
    }
    return text;
}

size_t fixture_log_count(const struct fixture_daemon *daemon, const char *text)
{
    char *log = read_log(daemon);
    size_t count = 0;

    for (const char *at = strstr(log, text); at != NULL; at = strstr(at + 1, text))
        count++;
    free(log);
    return count;
}

struct log_wish {
    const struct fixture_daemon *daemon;
    const char *text;
};

static bool log_has(void *arg)
{
    const struct log_wish *wish = arg;

    return fixture_log_count(wish->daemon, wish->text) > 0;
}

void fixture_wait_log(const struct fixture_daemon *daemon, const char *text)
{
    struct log_wish wish = {daemon, text};

    fixture_wait(log_has, &wish);
}

static bool is_ready_or_gone(void *arg)
{
    struct fixture_daemon *daemon = arg;

    return fixture_log_count(daemon, "ready: ") > 0 ||
           waitpid(daemon->pid, &daemon->status, WNOHANG) != 0;
}

void fixture_daemon_start(struct fixture_daemon *daemon, const char *const *args)
{
    static unsigned int number;
    char *log;

    /* Of a test that failed: it would be in the way of all that follow. */
    if (daemon->pid > 0)
        fixture_daemon_kill(daemon);
    snprintf(daemon->log, sizeof(daemon->log), "%s/daemon-%u.log", dir, number++);
    unlink(daemon->log); /* of an earlier run in this folder, which was ready */
    daemon->pid = spawn(daemon->log, args);
    assert_true(daemon->pid > 0);
    fixture_wait(is_ready_or_gone, daemon);
    if (fixture_log_count(daemon, "ready: ") > 0)
        return;
    log = read_log(daemon);
    print_error("the daemon does not start, status 0x%x:\n%s", (unsigned int)daemon->status, log);
    daemon->pid = 0; /* was waited for */
    free(log);
    fail();
}

static int ended(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pid_t fixture_daemon_begin(const char *const *args)
{
    char log[256];
    pid_t pid;

    snprintf(log, sizeof(log), "%s/daemon-run.log", dir);
    pid = spawn(log, args);
    assert_true(pid > 0);
    return pid;
}

int fixture_daemon_end(pid_t pid)
{
    return ended(pid);
}

int fixture_daemon_run(const char *const *args)
{
    return fixture_daemon_end(fixture_daemon_begin(args));
}

static int end_by(struct fixture_daemon *daemon, int signal)
{
    const pid_t pid = daemon->pid;

    daemon->pid = 0;
    kill(pid, signal);
    return ended(pid);
}

int fixture_daemon_stop(struct fixture_daemon *daemon)
{
    return end_by(daemon, SIGTERM);
}

void fixture_let_submits_look(void)
{
    const uint64_t end = fixture_now_ms() + 2;

    while (fixture_now_ms() < end)
        sched_yield();
}

void fixture_daemon_kill(struct fixture_daemon *daemon)
{
    end_by(daemon, SIGKILL);
    fixture_let_submits_look();
}

struct fixture_memory fixture_memory(pid_t pid)
{
    static const char *const own[] = {"RssAnon:", "RssShmem:", "VmSwap:"};
    struct fixture_memory memory = {0};
    char path[64], line[256];
    unsigned long kib;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        sscanf(line, "VmRSS: %lu kB", &memory.resident);
        for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
            if (strncmp(line, own[i], strlen(own[i])) == 0 &&
                sscanf(line + strlen(own[i]), "%lu kB", &kib) == 1)
                memory.own += kib;
    }
    fclose(file);
    assert_true(memory.own > 0);
    return memory;
}

/* ------------------------------------------------------------------------------------------------
 * Status
 */

json_t *fixture_status(void)
{
    return fixture_status_in(dir);
}

json_t *fixture_status_in(const char *folder)
{
    char path[512];
    int status, fd;
    json_t *object;
    pid_t pid;

    snprintf(path, sizeof(path), "%s/status-%d.json", folder, (int)getpid());
    pid = fork();
    if (pid == 0) {
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
            execl(setting("UROM_CTL"), "doca_urom_ctl", "--json", "status", (char *)NULL);
        _exit(127);
    }
    status = ended(pid);
    assert_true(status == 0 || status == 2);
    object = json_load_file(path, 0, NULL);
    assert_non_null(object);
    unlink(path);
    return object;
}

/* The first that goes on: one that was stopped before may not have ended yet. */
static json_t *first_worker(const json_t *status)
{
    json_t *one;
    size_t i;

    json_array_foreach(json_object_get(status, "workers"), i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "state")), "stopping") != 0)
            return one;
    }
    fail_msg("no worker");
    return NULL;
}

static uint64_t counter_of(json_t *worker, const char *name)
{
    json_t *counter = json_object_get(json_object_get(worker, "counters"), name);

    assert_non_null(counter);
    return (uint64_t)json_integer_value(counter);
}

uint64_t fixture_counter(const char *name)
{
    json_t *status = fixture_status();
    const uint64_t value = counter_of(first_worker(status), name);

    json_decref(status);
    return value;
}

static json_t *worker_by_id(const json_t *status, uint64_t id)
{
    json_t *one;
    size_t i;

    json_array_foreach(json_object_get(status, "workers"), i, one)
    {
        if (strtoull(json_string_value(json_object_get(one, "id")), NULL, 10) == id)
            return one;
    }
    fail_msg("no worker %llu", (unsigned long long)id);
    return NULL;
}

uint64_t fixture_counter_of(uint64_t id, const char *name)
{
    json_t *status = fixture_status();
    const uint64_t value = counter_of(worker_by_id(status, id), name);

    json_decref(status);
    return value;
}

struct worker_wish {
    uint64_t id, count;
};

static bool has_turned(void *arg)
{
    const struct worker_wish *wish = arg;

    return fixture_counter_of(wish->id, "loops") > wish->count;
}

void fixture_wait_turn(uint64_t id)
{
    struct worker_wish wish = {id, fixture_counter_of(id, "loops")};

    fixture_wait(has_turned, &wish);
}

static bool has_ended(void *arg)
{
    const struct worker_wish *wish = arg;
    json_t *status = fixture_status(), *worker = worker_by_id(status, wish->id);
    const uint64_t ended = counter_of(worker, "ok") + counter_of(worker, "failed");

    json_decref(status);
    return ended >= wish->count;
}

void fixture_wait_answers(uint64_t id, uint64_t count)
{
    struct worker_wish wish = {id, count};

    fixture_wait(has_ended, &wish);
    fixture_wait_turn(id); /* an end is counted before its answer is sent */
}

uint64_t fixture_total(const char *key, const char *sub)
{
    json_t *status = fixture_status();
    json_t *at = json_object_get(json_object_get(status, "totals"), key);
    uint64_t value;

    if (sub != NULL)
        at = json_object_get(at, sub);
    assert_non_null(at);
    value = (uint64_t)json_integer_value(at);
    json_decref(status);
    return value;
}

size_t fixture_workers(void)
{
    json_t *status = fixture_status();
    size_t count = json_array_size(json_object_get(status, "workers"));

    json_decref(status);
    return count;
}

static bool has_workers(void *arg)
{
    return fixture_workers() == *(size_t *)arg;
}

void fixture_wait_workers(size_t count)
{
    fixture_wait(has_workers, &count);
}

/* ------------------------------------------------------------------------------------------------
 * Host side
 */

void fixture_open_device(struct doca_dev **dev)
{
    struct doca_devinfo **list;
    uint32_t count;

    assert_ok(doca_devinfo_create_list(&list, &count));
    assert_true(count > 0);
    assert_ok(doca_dev_open(list[0], dev));
    assert_ok(doca_devinfo_destroy_list(list));
}

void fixture_host_prepare(struct fixture_host *host)
{
    fixture_open_device(&host->dev);
    assert_ok(doca_pe_create(&host->pe));
    assert_ok(doca_urom_service_create(&host->service));
    host->service_ctx = doca_urom_service_as_ctx(host->service);
    assert_ok(doca_pe_connect_ctx(host->pe, host->service_ctx));
    assert_ok(doca_urom_service_set_dev(host->service, host->dev));
}

void fixture_host_open(struct fixture_host *host)
{
    fixture_host_prepare(host);
    assert_ok(doca_ctx_start(host->service_ctx));
    assert_int_equal(fixture_state(host->service_ctx), DOCA_CTX_STATE_RUNNING);
}

void fixture_host_close(struct fixture_host *host)
{
    assert_ok(doca_ctx_stop(host->service_ctx));
    assert_ok(doca_urom_service_destroy(host->service));
    assert_ok(doca_pe_destroy(host->pe));
    assert_ok(doca_dev_close(host->dev));
}

static uint64_t find_plugin(struct fixture_host *host, const char *name)
{
    const struct doca_urom_service_plugin_info *plugins;
    doca_error_t result;
    size_t count;

    result = doca_urom_service_get_plugins_list(host->service, &plugins, &count);
    for (size_t i = 0; result == DOCA_SUCCESS && i < count; i++) {
        if (strcmp(plugins[i].plugin_name, name) == 0)
            return plugins[i].id;
    }
    return 0;
}

bool fixture_has_plugin(struct fixture_host *host, const char *name)
{
    return find_plugin(host, name) != 0;
}

uint64_t fixture_plugin(struct fixture_host *host, const char *name)
{
    const uint64_t id = find_plugin(host, name);

    if (id == 0)
        fail_msg("the service has no plugin %s", name);
    return id;
}

struct doca_urom_worker *fixture_worker(struct fixture_host *host, uint64_t id, uint64_t plugins)
{
    struct doca_urom_worker *worker;

    assert_ok(doca_urom_worker_create(&worker));
    assert_ok(doca_urom_worker_set_service(worker, host->service));
    assert_ok(doca_pe_connect_ctx(host->pe, doca_urom_worker_as_ctx(worker)));
    assert_ok(doca_urom_worker_set_id(worker, id));
    assert_ok(doca_urom_worker_set_plugins(worker, plugins));
    return worker;
}

enum doca_ctx_states fixture_state(struct doca_ctx *ctx)
{
    enum doca_ctx_states state;

    assert_ok(doca_ctx_get_state(ctx, &state));
    return state;
}

void fixture_event(struct doca_pe *pe)
{
    const uint64_t end = fixture_now_ms() + PATIENCE;

    while (doca_pe_progress(pe) == 0) {
        assert_true(fixture_now_ms() < end);
        sched_yield(); /* the other side may be on this processor */
    }
}

void fixture_no_event(struct doca_pe *pe, unsigned int calls)
{
    for (unsigned int i = 0; i < calls; i++)
        assert_int_equal(doca_pe_progress(pe), 0);
}

enum doca_ctx_states fixture_worker_start(struct fixture_host *host,
                                          struct doca_urom_worker *worker)
{
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);

    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
    assert_int_equal(fixture_state(ctx), DOCA_CTX_STATE_STARTING);
    fixture_event(host->pe);
    assert_int_not_equal(fixture_state(ctx), DOCA_CTX_STATE_STARTING);
    if (fixture_state(ctx) == DOCA_CTX_STATE_IDLE)
        print_message("no worker: %s\n", doca_urom_ext_worker_last_error(worker));
    return fixture_state(ctx);
}

void fixture_stop(struct doca_pe *pe, struct doca_ctx *ctx)
{
    unsigned int events = 0;

    assert_doca(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    while (fixture_state(ctx) != DOCA_CTX_STATE_IDLE) {
        fixture_event(pe);
        events++;
    }
    assert_true(events > 0);
}

void fixture_worker_end(struct fixture_host *host, struct doca_urom_worker *worker)
{
    fixture_stop(host->pe, doca_urom_worker_as_ctx(worker));
    assert_ok(doca_urom_worker_destroy(worker));
}

/* ------------------------------------------------------------------------------------------------
 * Clients that are killed
 */

static uint64_t time_to_vanish(void (*hold)(int out, unsigned int attempt), unsigned int attempt)
{
    struct pollfd end = {.events = POLLIN};
    pid_t pid, worker;
    uint64_t begin;
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        fixture_in_child();
        hold(fds[1], attempt);
        _exit(1);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &worker, sizeof(worker)), sizeof(worker));
    close(fds[0]);
    end.fd = (int)syscall(SYS_pidfd_open, worker, 0);
    assert_true(end.fd >= 0);
    begin = fixture_now_ms();
    kill(pid, SIGKILL);
    assert_int_equal(poll(&end, 1, PATIENCE), 1);
    begin = fixture_now_ms() - begin;
    close(end.fd);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return begin;
}

void fixture_gone_within(uint64_t ms, void (*hold)(int out, unsigned int attempt))
{
    const uint64_t end = fixture_now_ms() + PATIENCE;
    unsigned int attempt = 0;
    uint64_t took;

    do
        took = time_to_vanish(hold, attempt++);
    while (took > ms && fixture_now_ms() < end);
    print_message("gone %lu ms after the client\n", (unsigned long)took);
    assert_true(took <= ms);
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

static void done(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct fixture_result *result = task_data.ptr;
    struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
    void *data;

    (void)ctx_data;
    result->count++;
    result->status = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
    assert_ok(doca_buf_get_data(response, &data));
    assert_ok(doca_buf_get_data_len(response, &result->len));
    if (result->len <= sizeof(result->bytes))
        memcpy(result->bytes, data, result->len);
}

struct doca_urom_worker_cmd_task *fixture_task(struct doca_urom_worker *worker, uint64_t plugin,
                                               struct fixture_result *result)
{
    struct doca_urom_worker_cmd_task *task;

    assert_ok(doca_urom_worker_cmd_task_allocate_init(worker, plugin, &task));
    doca_urom_worker_cmd_task_set_cb(task, done);
    doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(task),
                            (union doca_data){.ptr = result});
    return task;
}

void fixture_payload(struct doca_urom_worker_cmd_task *task, const void *bytes, size_t len)
{
    struct doca_buf *payload = doca_urom_worker_cmd_task_get_payload(task);
    void *head;

    assert_ok(doca_buf_get_head(payload, &head));
    if (len > 0)
        memcpy(head, bytes, len);
    assert_ok(doca_buf_set_data(payload, head, len));
}

doca_error_t fixture_submit(struct doca_urom_worker_cmd_task *task)
{
    return doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
}

void fixture_loopback(struct fixture_host *host, struct doca_urom_worker *worker, uint64_t plugin,
                      uint64_t data)
{
    struct fixture_result result = {0};
    struct doca_urom_worker_cmd_task *task = fixture_task(worker, plugin, &result);
    const uint64_t sent[2] = {0, data};

    fixture_payload(task, sent, sizeof(sent));
    assert_ok(fixture_submit(task));
    fixture_event(host->pe);
    assert_int_equal(result.count, 1);
    assert_ok(result.status);
    assert_int_equal(result.len, sizeof(sent));
    assert_memory_equal(result.bytes, sent, sizeof(sent));
    assert_ok(doca_urom_worker_cmd_task_release(task));
}
