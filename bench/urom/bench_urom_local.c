/* SPDX-License-Identifier: BSD-3-Clause */
/* UROM on one machine: commands against bare shared memory, put and get against memcpy and
 * process_vm of a helper process, the start of a worker against fork and exec, what a client that
 * is killed leaves behind against a process that leaves nothing.
 *
 * This process is on core 0, the worker and the helper are on core 1 while they work. Both sides of
 * a put are memory of this process: how the worker reaches it depends only on its kind. */
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_urom_am.h>
#include <doca_urom_rma.h>

#include "lib/bench.h"
#include "urom/rig.h"

#define ROUNDS 51
#define TRIPS  1000
#define STREAM 10000
#define DEPTH  64u
#define MIB    ((size_t)1 << 20)
#define COPIES 32
#define STARTS 21
#define HELD   16u

enum order { ORDER_NONE, ORDER_ECHO, ORDER_DROP, ORDER_COPY, ORDER_READ, ORDER_WRITE };

/* One line a direction, mark and bytes together. */
struct line {
    _Alignas(128) _Atomic uint64_t mark;
    uint64_t bytes[2];
};

/* What helper and this process share. */
static struct shared {
    _Alignas(128) _Atomic uint32_t order; /* for the helper, which sleeps in between */
    _Alignas(128) _Atomic uint32_t done;
    struct line there, back;
    struct line ring[DEPTH];
    _Alignas(128) _Atomic uint64_t taken;
    double seconds; /* that the last order took */
} * shared;

static struct rig rig;
static char *areas[4]; /* shared, shared, private, private */
static struct doca_urom_ops_region *regions[4];
static int bell[2]; /* wakes the helper */

/* ------------------------------------------------------------------------------------------------
 * Helper process
 */

static void echo(void)
{
    for (uint64_t i = 1; i <= TRIPS; i++) {
        while (atomic_load_explicit(&shared->there.mark, memory_order_acquire) != i)
            ;
        shared->back.bytes[0] = shared->there.bytes[0];
        atomic_store_explicit(&shared->back.mark, i, memory_order_release);
    }
}

/* Takes and answers: a ring each way. */
static void drop(void)
{
    for (uint64_t i = 1; i <= STREAM; i++) {
        struct line *line = &shared->ring[i % DEPTH];

        while (atomic_load_explicit(&line->mark, memory_order_acquire) != i)
            ;
        atomic_store_explicit(&shared->taken, i, memory_order_release);
    }
}

static void copy_other(int write, char *own)
{
    const struct iovec local = {own, MIB};

    for (int i = 0; i < COPIES; i++) {
        const struct iovec remote = {areas[3] + (size_t)(i % 2) * MIB, MIB};
        const ssize_t n = write ? process_vm_writev(getppid(), &local, 1, &remote, 1, 0)
                                : process_vm_readv(getppid(), &local, 1, &remote, 1, 0);

        if (n != (ssize_t)MIB)
            bench_die("process_vm", "refused");
    }
}

static void helper(void)
{
    char *own = rig_memory(MIB, 0), c;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench_pin(1);
    while (read(bell[0], &c, 1) == 1) {
        const uint32_t order = atomic_load(&shared->order);
        const double begin = bench_now();

        atomic_store(&shared->done, 1); /* is awake */
        if (order == ORDER_ECHO)
            echo();
        else if (order == ORDER_DROP)
            drop();
        else if (order == ORDER_COPY)
            for (int i = 0; i < COPIES; i++)
                memcpy(areas[1] + (size_t)(i % 2) * MIB, areas[0], MIB);
        else
            copy_other(order == ORDER_WRITE, own);
        shared->seconds = bench_now() - begin;
        atomic_store(&shared->done, 2);
    }
    _exit(0);
}

static void begin_order(enum order order)
{
    atomic_store(&shared->done, 0);
    atomic_store(&shared->order, (uint32_t)order);
    if (write(bell[1], "", 1) != 1)
        bench_die("helper", "is gone");
    while (atomic_load(&shared->done) == 0)
        ;
}

static void end_order(void)
{
    while (atomic_load(&shared->done) != 2)
        ;
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

static unsigned int left;

static void command_done(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    rig_check(doca_task_get_status(doca_urom_worker_cmd_task_as_task(task)), "command");
    left--;
}

static struct doca_urom_worker_cmd_task *tasks[DEPTH];

static void make_tasks(void)
{
    for (unsigned int i = 0; i < DEPTH; i++) {
        struct doca_buf *payload;
        void *head;

        rig_check(doca_urom_worker_cmd_task_allocate_init(rig.worker, rig.graph, &tasks[i]),
                  "task");
        doca_urom_worker_cmd_task_set_cb(tasks[i], command_done);
        payload = doca_urom_worker_cmd_task_get_payload(tasks[i]);
        rig_check(doca_buf_get_head(payload, &head), "task");
        rig_check(doca_buf_set_data(payload, head, 16), "task");
    }
}

static void free_tasks(void)
{
    for (unsigned int i = 0; i < DEPTH; i++)
        doca_urom_worker_cmd_task_release(tasks[i]);
}

static void submit(unsigned int i)
{
    rig_check(doca_task_submit(doca_urom_worker_cmd_task_as_task(tasks[i])), "submit");
}

static double command_trip(void *arg)
{
    double begin = 0;

    (void)arg;
    for (unsigned int i = 0; i < 10 + TRIPS; i++) { /* the worker may have slept */
        if (i == 10)
            begin = bench_now();
        left = 1;
        submit(0);
        rig_wait(&rig, &left);
    }
    return (bench_now() - begin) / TRIPS * 1e9;
}

static double raw_trip(void *arg)
{
    double begin;

    (void)arg;
    atomic_store(&shared->there.mark, 0);
    atomic_store(&shared->back.mark, 0);
    begin_order(ORDER_ECHO);
    begin = bench_now();
    for (uint64_t i = 1; i <= TRIPS; i++) {
        shared->there.bytes[0] = i;
        atomic_store_explicit(&shared->there.mark, i, memory_order_release);
        while (atomic_load_explicit(&shared->back.mark, memory_order_acquire) != i)
            ;
    }
    begin = bench_now() - begin;
    end_order();
    return begin / TRIPS * 1e9;
}

static unsigned int resubmit; /* commands that are still to be sent */

static void stream_done(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    command_done(task, task_data, ctx_data);
    if (resubmit > 0) {
        resubmit--;
        rig_check(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)), "submit");
    }
}

static double command_rate(void *arg)
{
    double begin = bench_now();

    (void)arg;
    left = STREAM;
    resubmit = STREAM - DEPTH;
    for (unsigned int i = 0; i < DEPTH; i++) {
        doca_urom_worker_cmd_task_set_cb(tasks[i], stream_done);
        submit(i);
    }
    rig_wait(&rig, &left);
    begin = bench_now() - begin;
    for (unsigned int i = 0; i < DEPTH; i++)
        doca_urom_worker_cmd_task_set_cb(tasks[i], command_done);
    return STREAM / begin / 1e6;
}

static double raw_rate(void *arg)
{
    uint64_t taken = 0;
    double begin;

    (void)arg;
    for (unsigned int i = 0; i < DEPTH; i++)
        atomic_store(&shared->ring[i].mark, 0);
    atomic_store(&shared->taken, 0);
    begin_order(ORDER_DROP);
    begin = bench_now();
    for (uint64_t i = 1; i <= STREAM; i++) {
        struct line *line = &shared->ring[i % DEPTH];

        while (i - taken > DEPTH)
            taken = atomic_load_explicit(&shared->taken, memory_order_acquire);
        line->bytes[0] = i;
        atomic_store_explicit(&line->mark, i, memory_order_release);
    }
    end_order();
    return STREAM / (bench_now() - begin) / 1e6;
}

/* ------------------------------------------------------------------------------------------------
 * Put and get
 */

struct transfer {
    unsigned int local, remote; /* areas */
    int get;
    size_t len;
    unsigned int depth; /* in flight */
    unsigned int count;
};

static void post(const struct transfer *t, unsigned int i)
{
    const uint64_t local = (uintptr_t)areas[t->local];
    const uint64_t remote = (uintptr_t)areas[t->remote] + (i % 2) * MIB;

    rig_check(t->get ? doca_urom_rma_get(rig.ops, regions[t->local], local, regions[t->remote],
                                         remote, t->len, 0, rig_done, &left)
                     : doca_urom_rma_put(rig.ops, regions[t->local], local, regions[t->remote],
                                         remote, t->len, 0, rig_done, &left),
              "put or get");
}

static double seconds_of(const struct transfer *t)
{
    double begin;

    left = 1;
    post(t, 0);
    rig_wait(&rig, &left); /* the worker may have slept */
    begin = bench_now();
    for (unsigned int i = 0; i < t->count; i++) {
        left++;
        post(t, i);
        while (left >= t->depth)
            doca_pe_progress(rig.pe);
    }
    rig_wait(&rig, &left);
    return bench_now() - begin;
}

static double transfer_rate(void *arg)
{
    const struct transfer *t = arg;

    return (double)t->len * t->count / seconds_of(t) / 1e9;
}

static double transfer_ns(void *arg)
{
    const struct transfer *t = arg;

    return seconds_of(t) / t->count * 1e9;
}

static double helper_rate(void *arg)
{
    begin_order(*(enum order *)arg);
    end_order();
    return (double)MIB * COPIES / shared->seconds / 1e9;
}

/* ------------------------------------------------------------------------------------------------
 * Start
 */

static double start_ms(void *arg)
{
    double begin = bench_now();

    (void)arg;
    rig_worker_start(&rig);
    begin = bench_now() - begin;
    rig_worker_stop(&rig);
    return begin * 1e3;
}

static double exec_ms(void *arg)
{
    double begin = bench_now();
    pid_t pid = fork();

    (void)arg;
    if (pid == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
    return (bench_now() - begin) * 1e3;
}

/* ------------------------------------------------------------------------------------------------
 * A client that is killed
 */

static pid_t daemon_pid;

static void never(struct doca_urom_ops *ops, doca_error_t status, uint64_t source, uint32_t handler,
                  const void *bytes, size_t len, void *user_data)
{
    (void)ops;
    (void)status;
    (void)source;
    (void)handler;
    (void)bytes;
    (void)len;
    (void)user_data;
}

/* A process that tells when it is busy, and does not end. */
static pid_t begin_client(void (*be_busy)(void))
{
    int fds[2];
    char ready;
    pid_t pid;

    if (pipe(fds) != 0)
        bench_die("client", "no pipe");
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        be_busy();
        if (write(fds[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(fds[1]);
    if (pid < 0 || read(fds[0], &ready, 1) != 1)
        bench_die("client", "does not get ready");
    close(fds[0]);
    return pid;
}

/* The one worker of the daemon. */
static pid_t find_worker(void)
{
    char path[64];
    FILE *file;
    int pid = 0;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)daemon_pid, (int)daemon_pid);
    file = fopen(path, "re");
    if (file == NULL || fscanf(file, "%d", &pid) != 1)
        bench_die("worker", "not found");
    fclose(file);
    return pid;
}

/* From the death of `client` to that of `watched`, which may be the same. */
static double end_ms(pid_t client, pid_t watched)
{
    struct pollfd end = {(int)syscall(SYS_pidfd_open, watched, 0), POLLIN, 0};
    double begin = bench_now();

    if (end.fd < 0 || kill(client, SIGKILL) != 0 || poll(&end, 1, 60000) != 1)
        bench_die("client", "is not gone after a minute");
    begin = bench_now() - begin;
    close(end.fd);
    waitpid(client, NULL, 0);
    return begin * 1e3;
}

/* The same id each time: it can be had again at once. */
static void hold_commands(void)
{
    static const char *const names[] = {"worker_am", NULL};

    rig_open(&rig, 7, names, HELD);
    for (unsigned int i = 0; i < HELD; i++)
        rig_check(doca_urom_am_recv(rig.ops, 0, never, NULL), "receive");
}

static void hold_nothing(void)
{
}

static double client_death_ms(void *arg)
{
    const pid_t client = begin_client(hold_commands);

    (void)arg;
    return end_ms(client, find_worker());
}

static double process_death_ms(void *arg)
{
    const pid_t client = begin_client(hold_nothing);

    (void)arg;
    return end_ms(client, client);
}

/* ------------------------------------------------------------------------------------------------
 * Cases
 */

/* What was promised: at least, or at most, `factor` times what the peer has and `more`. */
struct promise {
    double factor;
    double more;
};

static void compare(const char *name, const char *unit, int higher, unsigned int rounds,
                    double (*ours)(void *), void *arg, const char *peer, double (*theirs)(void *),
                    void *peer_arg, struct promise promise)
{
    const struct bench_case c = {"urom_local", name, unit, higher, rounds};
    const struct bench_side a = {"worker", ours, arg}, b = {peer, theirs, peer_arg};

    const struct bench_result result = bench_compare(&c, &a, &b, 1);
    const double bar = promise.factor * result.peer + promise.more;

    if (bar > 0 && higher)
        bench_at_least(&c, result.ours, bar);
    else if (bar > 0)
        bench_at_most(&c, result.ours, bar);
}

static void commands(void)
{
    static const char *const names[] = {"worker_graph", NULL};

    rig_open(&rig, 1, names, DEPTH);
    make_tasks();
    compare("command_round_trip_16", "ns", 0, ROUNDS, command_trip, NULL, "shared line", raw_trip,
            NULL, (struct promise){.factor = 1.5});
    compare("commands_64_in_flight", "M/s", 1, ROUNDS, command_rate, NULL, "bare ring, one way",
            raw_rate, NULL, (struct promise){.more = 5});
    free_tasks();
    rig_worker_stop(&rig);
    compare("worker_start", "ms", 0, STARTS, start_ms, NULL, "fork and exec of true", exec_ms, NULL,
            (struct promise){.more = 50});
    rig_worker_start(&rig);
    rig_close(&rig);
}

static void transfers(void)
{
    static const char *const names[] = {"worker_rma", "worker_graph", NULL};
    static enum order copy = ORDER_COPY, read_order = ORDER_READ, write_order = ORDER_WRITE;
    struct transfer put_shared = {0, 1, 0, MIB, 4, COPIES}, get_shared = {0, 1, 1, MIB, 4, COPIES};
    struct transfer put_private = {0, 3, 0, MIB, 4, COPIES},
                    get_private = {0, 3, 1, MIB, 4, COPIES};
    struct transfer both_private = {2, 3, 0, MIB, 4, COPIES};
    struct transfer word_shared = {0, 1, 0, 8, 1, TRIPS}, word_private = {0, 3, 0, 8, 1, TRIPS};

    rig_open(&rig, 2, names, DEPTH);
    make_tasks();
    for (unsigned int i = 0; i < 4; i++)
        regions[i] = rig_region(&rig, areas[i], 2 * MIB);
    compare("put_1M_shared", "GB/s", 1, ROUNDS, transfer_rate, &put_shared, "memcpy", helper_rate,
            &copy, (struct promise){.factor = 0.9});
    compare("get_1M_shared", "GB/s", 1, ROUNDS, transfer_rate, &get_shared, "memcpy", helper_rate,
            &copy, (struct promise){.factor = 0.9});
    compare("put_1M_to_private", "GB/s", 1, ROUNDS, transfer_rate, &put_private,
            "process_vm_writev", helper_rate, &write_order, (struct promise){.factor = 0.9});
    compare("get_1M_from_private", "GB/s", 1, ROUNDS, transfer_rate, &get_private,
            "process_vm_readv", helper_rate, &read_order, (struct promise){.factor = 0.9});
    compare("put_1M_private_to_private", "GB/s", 1, ROUNDS, transfer_rate, &both_private,
            "process_vm_writev", helper_rate, &write_order, (struct promise){0});
    compare("put_8_shared", "ns", 0, ROUNDS, transfer_ns, &word_shared, "null command",
            command_trip, NULL, (struct promise){1, 500});
    compare("put_8_private", "ns", 0, ROUNDS, transfer_ns, &word_private, "null command",
            command_trip, NULL, (struct promise){1, 2500});
    for (unsigned int i = 0; i < 4; i++)
        rig_region_end(&rig, regions[i]);
    free_tasks();
    rig_close(&rig);
}

int main(void)
{
    pid_t pid;

    printf("line ping-pong before: %.0f ns\n", bench_ping_pong());
    fflush(stdout);
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || pipe(bell) != 0)
        bench_die("set-up", "no memory or pipe");
    for (unsigned int i = 0; i < 4; i++)
        areas[i] = rig_memory(2 * MIB, i < 2);
    daemon_pid = rig_daemon_start("1");
    compare("worker_gone_after_client_killed", "ms", 0, STARTS, client_death_ms, NULL,
            "process gone after its own", process_death_ms, NULL, (struct promise){.more = 1000});
    pid = fork();
    if (pid == 0)
        helper();
    bench_pin(0);
    commands();
    transfers();
    close(bell[1]);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    rig_daemon_stop(daemon_pid);
    printf("line ping-pong after: %.0f ns\n", bench_ping_pong());
    return 0;
}
