/* SPDX-License-Identifier: BSD-3-Clause */
/* The least that there can be: a loop over the rings of a socket, and a program of six
 * instructions. */

#include <errno.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <x86intrin.h>
#include <xdp/xsk.h>

#include "lib/bench.h"
#include "side.h"

#define RING  2048u
#define PLACE 2048u
#define BURST 32u

struct bare {
    struct xsk_umem *umem;
    struct xsk_socket *socket;
    struct xsk_ring_cons rx, completed;
    struct xsk_ring_prod tx, fill;
    char *area;
    int map, program, link;
    uint32_t nfree;
    uint64_t free[RING];
};

/* Of the socket of its queue. */
static int load_program(int map)
{
    const struct bpf_insn insns[] = {
        {.code = BPF_LDX | BPF_MEM | BPF_W,
         .dst_reg = 2,
         .src_reg = 1,
         .off = offsetof(struct xdp_md, rx_queue_index)},
        {.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map},
        {0},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = XDP_PASS},
        {.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map},
        {.code = BPF_JMP | BPF_EXIT},
    };

    return traffic_load_program(insns, sizeof(insns) / sizeof(insns[0]));
}

static void attach(struct bare *self, const char *iface)
{
    union bpf_attr map = {
        .map_type = BPF_MAP_TYPE_XSKMAP, .key_size = 4, .value_size = 4, .max_entries = 1};
    union bpf_attr link = {.link_create = {.target_ifindex = (uint32_t)traffic_ifindex(iface),
                                           .attach_type = BPF_XDP,
                                           .flags = XDP_FLAGS_DRV_MODE}};

    self->map = traffic_bpf(BPF_MAP_CREATE, &map);
    self->program = load_program(self->map);
    link.link_create.prog_fd = (uint32_t)self->program;
    self->link = traffic_bpf(BPF_LINK_CREATE, &link);
    if (self->link < 0)
        bench_die("the bare loop's program", strerror(-self->link));
}

static void open_socket(struct bare *self, const char *iface)
{
    const struct xsk_umem_config memory = {
        .fill_size = RING, .comp_size = RING, .frame_size = PLACE};
    const struct xsk_socket_config config = {.rx_size = RING,
                                             .tx_size = RING,
                                             .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
                                             .xdp_flags = XDP_FLAGS_DRV_MODE,
                                             .bind_flags = XDP_USE_NEED_WAKEUP};
    double end = bench_now() + 2;
    int err;

    self->area = mmap(NULL, 2 * RING * PLACE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    do {
        err = xsk_umem__create(&self->umem, self->area, 2 * RING * PLACE, &self->fill,
                               &self->completed, &memory);
        if (err != 0)
            bench_die("the bare loop's memory", strerror(-err));
        err =
            xsk_socket__create(&self->socket, iface, 0, self->umem, &self->rx, &self->tx, &config);
        if (err != 0)
            xsk_umem__delete(self->umem);
    } while (err == -EBUSY && bench_now() < end);
    if (err != 0)
        bench_die("the bare loop's socket", strerror(-err));
}

static struct bare *open_bare(const char *iface)
{
    struct bare *self = calloc(1, sizeof(*self));
    union bpf_attr update = {0};
    uint32_t at = 0, key = 0;
    int fd;

    attach(self, iface);
    open_socket(self, iface);
    fd = xsk_socket__fd(self->socket);
    update.map_fd = (uint32_t)self->map;
    update.key = (uintptr_t)&key;
    update.value = (uintptr_t)&fd;
    traffic_bpf(BPF_MAP_UPDATE_ELEM, &update);
    xsk_ring_prod__reserve(&self->fill, RING, &at);
    for (uint32_t i = 0; i < RING; i++) {
        *xsk_ring_prod__fill_addr(&self->fill, at + i) = (uint64_t)i * PLACE;
        self->free[self->nfree++] = (uint64_t)(RING + i) * PLACE;
    }
    xsk_ring_prod__submit(&self->fill, RING);
    return self;
}

static void close_bare(struct bare *self)
{
    if (self == NULL)
        return;
    close(self->link);
    close(self->program);
    close(self->map);
    xsk_socket__delete(self->socket);
    xsk_umem__delete(self->umem);
    munmap(self->area, 2 * RING * PLACE);
    free(self);
}

/* `frame` NULL: a frame that was received; copied, because the other socket has its own memory. */
static void send_one(struct bare *self, const void *frame, uint32_t len)
{
    uint32_t at, n = xsk_ring_cons__peek(&self->completed, RING, &at);
    struct xdp_desc *desc;

    for (uint32_t i = 0; i < n; i++)
        self->free[self->nfree++] = *xsk_ring_cons__comp_addr(&self->completed, at + i);
    if (n > 0)
        xsk_ring_cons__release(&self->completed, n);
    if (self->nfree == 0 || xsk_ring_prod__reserve(&self->tx, 1, &at) == 0)
        return;
    desc = xsk_ring_prod__tx_desc(&self->tx, at);
    *desc = (struct xdp_desc){.addr = self->free[--self->nfree], .len = len};
    memcpy(self->area + desc->addr, frame, len);
    xsk_ring_prod__submit(&self->tx, 1);
}

static void kick(struct bare *self)
{
    while (self->tx.cached_prod != __atomic_load_n(self->tx.consumer, __ATOMIC_ACQUIRE)) {
        if (sendto(xsk_socket__fd(self->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 &&
            errno != EAGAIN)
            break;
    }
}

static uint32_t take_burst(struct bare *self, struct bare *to, struct side_cost *cost)
{
    uint64_t begin = __rdtsc();
    uint32_t at, place = 0, n = xsk_ring_cons__peek(&self->rx, BURST, &at);

    if (n == 0)
        return 0;
    xsk_ring_prod__reserve(&self->fill, n, &place);
    for (uint32_t i = 0; i < n; i++) {
        const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&self->rx, at + i);

        if (to != NULL)
            send_one(to, self->area + desc->addr, desc->len);
        *xsk_ring_prod__fill_addr(&self->fill, place + i) = desc->addr & ~(uint64_t)(PLACE - 1);
    }
    xsk_ring_cons__release(&self->rx, n);
    xsk_ring_prod__submit(&self->fill, n);
    if (to != NULL)
        kick(to);
    side_note(cost, n, __rdtsc() - begin);
    return n;
}

static void send_for(struct bare *self, uint32_t size, double end)
{
    uint8_t frame[PLACE];

    traffic_frame(frame, size);
    while (bench_now() < end) {
        for (uint32_t i = 0; i < BURST; i++)
            send_one(self, frame, size);
        kick(self);
    }
}

static void run(enum job job, const struct traffic *traffic, double seconds,
                struct side_result *result)
{
    struct bare *in = job != JOB_SEND ? open_bare(TRAFFIC_RX) : NULL;
    struct bare *out = job != JOB_DROP ? open_bare(TRAFFIC_TX) : NULL;
    double before = traffic_sunk(), begin = bench_now(), quiet;
    struct traffic_result sent = {0};
    struct side_cost cost = {0};
    uint64_t frames = 0;

    if (job == JOB_SEND) {
        send_for(out, traffic->size, begin + seconds);
        sent.seconds = bench_now() - begin;
    } else {
        traffic_start(traffic, seconds);
        while (!traffic_is_over())
            frames += take_burst(in, out, &cost);
        quiet = bench_now() + 0.02;
        while (bench_now() < quiet)
            frames += take_burst(in, out, &cost);
        traffic_wait(&sent);
    }
    if (job != JOB_DROP)
        frames = (uint64_t)(traffic_sunk() - before);
    result->rate = (double)frames / sent.seconds * 1e-6;
    result->sender = sent.frames > 0 ? sent.cpu / sent.frames * 1e9 : 0;
    result->ns = job == JOB_SEND ? 1e3 / result->rate : side_cost_ns(&cost);
    close_bare(in);
    close_bare(out);
}

const struct side side_bare = {"bare libxdp loop", run};
