/* SPDX-License-Identifier: BSD-3-Clause */
/* Local links against bare shared memory between the same two processes: round trip of 16 bytes,
 * rate of a stream, and the wake-up of a sleeper. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bench.h"
#include "soft/link/link.h"

#define ROUNDS 101
#define TRIPS  1000
#define STREAM 10000
#define WAKES  50
#define DEPTH  64u

/* What a message asks of the other process. */
enum order {
    ORDER_ECHO = 1, /* send it back */
    ORDER_DROP,     /* do nothing */
    ORDER_RAW_ECHO, /* leave the link and serve the bare lines */
    ORDER_RAW_DROP,
    ORDER_SLEEP,     /* sleep before each of the next messages, WAKES times */
    ORDER_RAW_SLEEP, /* the same on a bare eventfd */
    ORDER_BYE,
};

struct message {
    uint64_t order;
    uint64_t value;
};

/* One line a direction, mark and bytes together. */
struct line {
    _Alignas(128) _Atomic uint64_t mark;
    struct message message;
};

static struct shared {
    struct line there;
    struct line back;
    struct line ring[DEPTH];
    _Alignas(128) _Atomic uint64_t taken;
    _Alignas(128) _Atomic uint64_t asleep; /* number of the sleep that is about to begin */
    _Alignas(128) _Atomic double stamp;
} * shared;

static int raw_fd;
static struct soft_link *link_;
static struct od_waker waker;

static void relax(void)
{
    __builtin_ia32_pause();
}

static void send_message(uint64_t order, uint64_t value)
{
    struct message message = {order, value};
    struct iovec iov = {&message, sizeof(message)};
    int rc;

    while ((rc = soft_link_send(link_, &iov, 1)) == -EAGAIN)
        ;
    if (rc != 0)
        bench_die("send", strerror(-rc));
}

static struct message receive(void)
{
    struct soft_link_msg msg;
    struct message message;
    int rc;

    while ((rc = soft_link_recv(link_, &msg)) == -EAGAIN)
        ;
    if (rc != 0)
        bench_die("recv", strerror(-rc));
    memcpy(&message, msg.data, sizeof(message));
    soft_link_release(link_);
    return message;
}

/* ---- The other process ---- */

static void raw_echo(void)
{
    for (uint64_t i = 1; i <= TRIPS; i++) {
        while (atomic_load_explicit(&shared->there.mark, memory_order_acquire) != i)
            ;
        shared->back.message = shared->there.message;
        atomic_store_explicit(&shared->back.mark, i, memory_order_release);
    }
}

static void raw_drop(void)
{
    uint64_t sum = 0;

    for (uint64_t i = 1; i <= STREAM; i++) {
        struct line *line = &shared->ring[i % DEPTH];

        while (atomic_load_explicit(&line->mark, memory_order_acquire) != i)
            ;
        sum += line->message.value;
        atomic_store_explicit(&shared->taken, i, memory_order_release);
    }
    shared->back.message.value = sum;
}

static void sleep_on_link(void)
{
    struct pollfd pfd = {.fd = waker.fd, .events = POLLIN};
    struct soft_link_msg msg;

    for (uint64_t i = 1; i <= WAKES; i++) {
        od_waker_arm(&waker);
        if (soft_link_recv(link_, &msg) != -EAGAIN)
            bench_die("sleep", "a message came too early");
        atomic_store(&shared->asleep, i);
        while (soft_link_recv(link_, &msg) == -EAGAIN)
            poll(&pfd, 1, 1000);
        atomic_store(&shared->stamp, bench_now());
        soft_link_release(link_);
        od_waker_clear(&waker);
        send_message(ORDER_DROP, i);
    }
}

static void sleep_on_eventfd(void)
{
    struct pollfd pfd = {.fd = raw_fd, .events = POLLIN};
    uint64_t count;

    for (uint64_t i = 1; i <= WAKES; i++) {
        atomic_store(&shared->asleep, i);
        while (read(raw_fd, &count, sizeof(count)) < 0)
            poll(&pfd, 1, 1000);
        atomic_store(&shared->stamp, bench_now());
        atomic_store(&shared->back.mark, i);
    }
}

static void serve(void)
{
    for (;;) {
        struct message message = receive();

        switch (message.order) {
        case ORDER_ECHO:
            send_message(message.order, message.value);
            break;
        case ORDER_RAW_ECHO:
            raw_echo();
            break;
        case ORDER_RAW_DROP:
            raw_drop();
            break;
        case ORDER_SLEEP:
            sleep_on_link();
            break;
        case ORDER_RAW_SLEEP:
            sleep_on_eventfd();
            break;
        case ORDER_BYE:
            return;
        default:
            break;
        }
    }
}

static void other_process(const char *addr, const struct soft_link_conf *conf)
{
    struct soft_link_listener *listener;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench_pin(1);
    if (soft_link_listen(addr, conf, &listener) != 0)
        bench_die("listen", soft_reason());
    while ((link_ = soft_link_next(listener)) == NULL)
        relax();
    if (soft_link_accept(link_, NULL, 0) != 0)
        bench_die("accept", soft_reason());
    serve();
    soft_link_close(link_);
    soft_link_unlisten(listener);
}

/* ---- This process ---- */

static double link_trip(void *arg)
{
    double begin;

    (void)arg;
    begin = bench_now();
    for (uint64_t i = 1; i <= TRIPS; i++) {
        send_message(ORDER_ECHO, i);
        if (receive().value != i)
            bench_die("echo", "another value came back");
    }
    return (bench_now() - begin) / TRIPS * 1e9;
}

static double raw_trip(void *arg)
{
    double begin;

    (void)arg;
    atomic_store(&shared->there.mark, 0);
    atomic_store(&shared->back.mark, 0);
    send_message(ORDER_RAW_ECHO, 0);
    begin = bench_now();
    for (uint64_t i = 1; i <= TRIPS; i++) {
        shared->there.message = (struct message){ORDER_ECHO, i};
        atomic_store_explicit(&shared->there.mark, i, memory_order_release);
        while (atomic_load_explicit(&shared->back.mark, memory_order_acquire) != i)
            ;
        if (shared->back.message.value != i)
            bench_die("raw echo", "another value came back");
    }
    return (bench_now() - begin) / TRIPS * 1e9;
}

static double link_rate(void *arg)
{
    double begin;

    (void)arg;
    begin = bench_now();
    for (uint64_t i = 1; i <= STREAM; i++)
        send_message(ORDER_DROP, i);
    send_message(ORDER_ECHO, STREAM);
    receive();
    return STREAM / (bench_now() - begin) / 1e6;
}

static double raw_rate(void *arg)
{
    uint64_t taken = 0;
    double begin;

    (void)arg;
    for (unsigned int i = 0; i < DEPTH; i++)
        atomic_store(&shared->ring[i].mark, 0);
    atomic_store(&shared->taken, 0);
    send_message(ORDER_RAW_DROP, 0);
    begin = bench_now();
    for (uint64_t i = 1; i <= STREAM; i++) {
        struct line *line = &shared->ring[i % DEPTH];

        while (i - taken > DEPTH)
            taken = atomic_load_explicit(&shared->taken, memory_order_acquire);
        line->message = (struct message){ORDER_DROP, i};
        atomic_store_explicit(&line->mark, i, memory_order_release);
    }
    while (atomic_load_explicit(&shared->taken, memory_order_acquire) != STREAM)
        ;
    return STREAM / (bench_now() - begin) / 1e6;
}

static void wait_asleep(uint64_t i)
{
    double end;

    while (atomic_load(&shared->asleep) != i)
        relax();
    end = bench_now() + 200e-6;
    while (bench_now() < end)
        relax();
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_us(double *values, unsigned int n)
{
    qsort(values, n, sizeof(*values), compare_doubles);
    return values[n / 2] * 1e6;
}

static double link_wake(void *arg)
{
    double times[WAKES], begin;

    (void)arg;
    atomic_store(&shared->asleep, 0);
    send_message(ORDER_SLEEP, 0);
    for (uint64_t i = 1; i <= WAKES; i++) {
        wait_asleep(i);
        begin = bench_now();
        send_message(ORDER_DROP, i);
        receive();
        times[i - 1] = atomic_load(&shared->stamp) - begin;
    }
    return median_us(times, WAKES);
}

static double raw_wake(void *arg)
{
    double times[WAKES], begin;
    uint64_t one = 1;

    (void)arg;
    atomic_store(&shared->asleep, 0);
    atomic_store(&shared->back.mark, 0);
    send_message(ORDER_RAW_SLEEP, 0);
    for (uint64_t i = 1; i <= WAKES; i++) {
        wait_asleep(i);
        begin = bench_now();
        if (write(raw_fd, &one, sizeof(one)) != sizeof(one))
            bench_die("eventfd", "write failed");
        while (atomic_load(&shared->back.mark) != i)
            relax();
        times[i - 1] = atomic_load(&shared->stamp) - begin;
    }
    return median_us(times, WAKES);
}

static void connect_other(const char *addr, const struct soft_link_conf *conf)
{
    enum soft_link_state state;

    if (soft_link_connect(addr, conf, NULL, 0, &link_) != 0)
        bench_die("connect", soft_reason());
    while ((state = soft_link_poll(link_, NULL)) == SOFT_LINK_CONNECTING)
        relax();
    if (state != SOFT_LINK_UP)
        bench_die("connect", "the other process is not there");
}

static void compare(const char *name, const char *unit, int higher, unsigned int rounds,
                    double (*ours)(void *), const char *peer, double (*theirs)(void *))
{
    const struct bench_case c = {"link_local", name, unit, higher, rounds};
    const struct bench_side a = {"link", ours, NULL}, b = {peer, theirs, NULL};

    bench_compare(&c, &a, &b, 1);
}

int main(void)
{
    struct soft_link_conf conf = {
        .max_msg = 4080, .depth = DEPTH, .connect_timeout = 5000, .backlog = 1};
    char addr[64];
    pid_t pid;

    snprintf(addr, sizeof(addr), "local:bench-%d", getpid());
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    raw_fd = eventfd(0, EFD_NONBLOCK);
    if (shared == MAP_FAILED || raw_fd < 0)
        bench_die("set-up", strerror(errno));
    printf("line ping-pong before: %.0f ns\n", bench_ping_pong());
    fflush(stdout);
    pid = fork();
    if (pid < 0)
        bench_die("fork", strerror(errno));
    if (od_waker_open(&waker) != 0)
        bench_die("waker", "cannot be opened");
    conf.waker = getenv("BENCH_NO_WAKER") == NULL ? &waker : NULL;
    if (pid == 0) {
        other_process(addr, &conf);
        return 0;
    }
    bench_pin(0);
    connect_other(addr, &conf);
    compare("round_trip_16", "ns", 0, ROUNDS, link_trip, "shared line", raw_trip);
    compare("stream_16_depth_64", "M/s", 1, ROUNDS, link_rate, "bare ring", raw_rate);
    if (conf.waker != NULL)
        compare("wake_up", "us", 0, 11, link_wake, "eventfd", raw_wake);
    send_message(ORDER_BYE, 0);
    waitpid(pid, NULL, 0);
    soft_link_close(link_);
    printf("line ping-pong after: %.0f ns\n", bench_ping_pong());
    return 0;
}
