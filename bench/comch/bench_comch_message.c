/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of Comch against a bare unix socket and bare lines of shared memory between the same two
 * processes: round trip of 16 bytes, both sides polling, and the rate of messages of 64 bytes. */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/bench.h"
#include "pair.h"

#define ROUNDS 51
#define TRIPS  1000u
#define STREAM 2000u
#define DEPTH  64u
#define SMALL  16u
#define SIZE   64u

enum order { COMCH = 1, SOCKET_ECHO, SOCKET_DROP, LINE_ECHO, RING_DROP, BYE };

/* Mark and bytes together, so that a message costs one transfer. */
struct line {
    _Alignas(LINE) _Atomic uint64_t mark;
    char bytes[SIZE];
};

static struct shared {
    struct orders orders;
    struct line there, back;
    struct line ring[DEPTH];
    _Alignas(LINE) _Atomic uint64_t taken;
} * shared;

static int socks[2];
static char payload[SIZE];
static const char last_of_many[SIZE] = "!";

/* ---- the other process ---- */

/* Short ones come back; of long ones only the last. */
static void answer(struct end *end, const uint8_t *bytes, uint32_t len)
{
    if (len == SMALL || bytes[0] == '!')
        end_send(end, payload, SMALL);
}

static void socket_receive(int sock, char *bytes, size_t size)
{
    ssize_t n;

    while ((n = recv(sock, bytes, size, MSG_DONTWAIT)) < 0 && (errno == EAGAIN || errno == EINTR))
        continue;
    if (n <= 0)
        bench_die("recv", strerror(errno));
}

static void socket_send(int sock, const char *bytes, size_t size)
{
    while (send(sock, bytes, size, MSG_DONTWAIT) < 0) {
        if (errno != EAGAIN && errno != EINTR)
            bench_die("send", strerror(errno));
    }
}

static void socket_echo(void)
{
    char bytes[SIZE];

    for (unsigned int i = 0; i < TRIPS; i++) {
        socket_receive(socks[1], bytes, sizeof(bytes));
        socket_send(socks[1], bytes, SMALL);
    }
}

static void socket_drop(void)
{
    char bytes[SIZE];

    for (unsigned int i = 0; i < STREAM; i++)
        socket_receive(socks[1], bytes, sizeof(bytes));
    socket_send(socks[1], bytes, SMALL);
}

static void await_mark(const struct line *line, uint64_t mark)
{
    while (atomic_load_explicit(&line->mark, memory_order_acquire) != mark)
        continue;
}

static void line_echo(void)
{
    for (uint64_t i = 1; i <= TRIPS; i++) {
        await_mark(&shared->there, i);
        memcpy(shared->back.bytes, shared->there.bytes, SMALL);
        atomic_store_explicit(&shared->back.mark, i, memory_order_release);
    }
}

static void ring_drop(void)
{
    char bytes[SIZE];

    for (uint64_t i = 1; i <= STREAM; i++) {
        await_mark(&shared->ring[i % DEPTH], i);
        memcpy(bytes, shared->ring[i % DEPTH].bytes, SIZE);
        __asm__ volatile("" ::"r"(bytes) : "memory");
        atomic_store_explicit(&shared->taken, i, memory_order_release);
    }
}

static void serve(struct end *end)
{
    uint64_t last = 0;

    end->on_message = answer;
    for (;;) {
        switch (next_order(&shared->orders, &last)) {
        case SOCKET_ECHO:
            socket_echo();
            break;
        case SOCKET_DROP:
            socket_drop();
            break;
        case LINE_ECHO:
            line_echo();
            break;
        case RING_DROP:
            ring_drop();
            break;
        case BYE:
            return;
        default:
            /* Comch, until told otherwise */
            for (int i = 0; i < 64; i++)
                doca_pe_progress(end->pe);
        }
    }
}

/* ---- this process ---- */

static double comch_trip(void *arg)
{
    struct end *end = arg;
    double begin;

    give_order(&shared->orders, COMCH);
    begin = bench_now();
    for (unsigned int i = 0; i < TRIPS; i++) {
        uint64_t before = end->received;

        end_send(end, payload, SMALL);
        while (end->received == before || end->unsent > 0)
            doca_pe_progress(end->pe);
    }
    return (bench_now() - begin) / TRIPS * 1e9;
}

static double socket_trip(void *arg)
{
    char bytes[SIZE];
    double begin;

    (void)arg;
    give_order(&shared->orders, SOCKET_ECHO);
    begin = bench_now();
    for (unsigned int i = 0; i < TRIPS; i++) {
        socket_send(socks[0], payload, SMALL);
        socket_receive(socks[0], bytes, sizeof(bytes));
    }
    return (bench_now() - begin) / TRIPS * 1e9;
}

static double line_trip(void *arg)
{
    double begin;

    (void)arg;
    atomic_store(&shared->there.mark, 0);
    atomic_store(&shared->back.mark, 0);
    give_order(&shared->orders, LINE_ECHO);
    begin = bench_now();
    for (uint64_t i = 1; i <= TRIPS; i++) {
        memcpy(shared->there.bytes, payload, SMALL);
        atomic_store_explicit(&shared->there.mark, i, memory_order_release);
        await_mark(&shared->back, i);
    }
    return (bench_now() - begin) / TRIPS * 1e9;
}

static double comch_rate(void *arg)
{
    struct end *end = arg;
    uint64_t before = end->received;
    double begin;

    give_order(&shared->orders, COMCH);
    begin = bench_now();
    for (unsigned int i = 1; i <= STREAM; i++) {
        while (end->unsent == DEPTH)
            doca_pe_progress(end->pe);
        end_send(end, i < STREAM ? payload : last_of_many, SIZE);
    }
    while (end->received == before || end->unsent > 0)
        doca_pe_progress(end->pe);
    return STREAM / (bench_now() - begin) / 1e6;
}

static double socket_rate(void *arg)
{
    char bytes[SIZE];
    double begin;

    (void)arg;
    give_order(&shared->orders, SOCKET_DROP);
    begin = bench_now();
    for (unsigned int i = 0; i < STREAM; i++)
        socket_send(socks[0], payload, SIZE);
    socket_receive(socks[0], bytes, sizeof(bytes));
    return STREAM / (bench_now() - begin) / 1e6;
}

static double ring_rate(void *arg)
{
    double begin;

    (void)arg;
    for (unsigned int i = 0; i < DEPTH; i++)
        atomic_store(&shared->ring[i].mark, 0);
    atomic_store(&shared->taken, 0);
    give_order(&shared->orders, RING_DROP);
    begin = bench_now();
    for (uint64_t i = 1; i <= STREAM; i++) {
        struct line *line = &shared->ring[i % DEPTH];

        while (i - atomic_load_explicit(&shared->taken, memory_order_acquire) > DEPTH)
            continue;
        memcpy(line->bytes, payload, SIZE);
        atomic_store_explicit(&line->mark, i, memory_order_release);
    }
    while (atomic_load_explicit(&shared->taken, memory_order_acquire) != STREAM)
        continue;
    return STREAM / (bench_now() - begin) / 1e6;
}

int main(void)
{
    const struct bench_case trip = {"comch_message", "round trip, 16 B", "ns", 0, ROUNDS};
    const struct bench_case rate = {"comch_message", "rate, 64 B, 64 in flight", "M/s", 1, ROUNDS};
    struct bench_side ours = {"comch", comch_trip, NULL};
    const struct bench_side trips[] = {{"unix socket", socket_trip, NULL},
                                       {"shared line", line_trip, NULL}};
    const struct bench_side rates[] = {{"unix socket", socket_rate, NULL},
                                       {"shared ring", ring_rate, NULL}};
    struct end end;

    shared = pair_shared(sizeof(*shared));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
        bench_die("socketpair", strerror(errno));
    pair_start(serve);
    pair_connect(&end);
    ours.arg = &end;
    for (int i = 0; i < 2; i++)
        bench_compare(&trip, &ours, &trips[i], 1);
    ours.run = comch_rate;
    for (int i = 0; i < 2; i++)
        bench_compare(&rate, &ours, &rates[i], 1);
    give_order(&shared->orders, BYE);
    end_close(&end);
    pair_finish();
    return 0;
}
