/* SPDX-License-Identifier: BSD-3-Clause */
/* The software NIC. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "lib/bench.h"
#include "side.h"
#include "soft/nic/flow.h"
#include "soft/nic/nic.h"

#define DEPTH 2048u /* as many as the bare loop has */
#define PLACE 2048u
#define BURST 32u

uint32_t side_entries;
bool side_in_place;

struct ours {
    struct soft_device in, out;
    struct soft_nic_port *rx_port, *tx_port;
    struct soft_nic_rxq *rxq;
    struct soft_nic_txq *txq;
    struct soft_nic_table *table;
    struct soft_nic_entry **entries;
    char *places;
    uint64_t posted;
    uint64_t frames;
    struct side_cost cost;
};

static void hold(struct soft_device *device, const char *iface, struct soft_nic_port **port)
{
    const char *kind = getenv("BENCH_NIC_PORT");

    memset(device, 0, sizeof(*device));
    snprintf(device->port, sizeof(device->port), "%s:%s", kind != NULL ? kind : "af_xdp", iface);
    device->mtu = 1500;
    device->unmatched = SOFT_UNMATCHED_QUEUES;
    if (soft_nic_port_hold(device, port) != 0)
        bench_die(iface, soft_reason());
}

static void post(struct ours *self, uint32_t n)
{
    struct soft_nic_post *place;

    while (n-- > 0 && (place = soft_nic_rxq_next(self->rxq)) != NULL) {
        place->place =
            (struct soft_nic_piece){self->places + 2048 + self->posted++ % DEPTH * PLACE, PLACE};
        soft_nic_rxq_post(self->rxq);
    }
}

/* UDP source ports 0, 1, ... */
static void add_entries(struct ours *self)
{
    struct soft_nic_table_conf conf = {.kind = SOFT_NIC_TABLE_HASH,
                                       .max_entries = side_entries,
                                       .open = {.src_port = 0xffff},
                                       .fwd = {.kind = SOFT_NIC_FWD_QUEUES, .nqueues = 1}};

    if (side_entries == 0)
        return;
    soft_nic_rxq_set_id(self->rxq, 0);
    if (soft_nic_table_create(self->rx_port, &conf, &self->table) != 0)
        bench_die("table", soft_reason());
    soft_nic_port_set_root(self->rx_port, self->table);
    self->entries = calloc(side_entries, sizeof(struct soft_nic_entry *));
    for (uint32_t i = 0; i < side_entries; i++) {
        const struct soft_nic_entry_conf entry = {.value = {.src_port = (uint16_t)i},
                                                  .counts = true};

        if (soft_nic_entry_add(self->table, &entry, &self->entries[i]) != 0)
            bench_die("entry", soft_reason());
    }
}

static void drop_entries(struct ours *self)
{
    for (uint32_t i = 0; i < side_entries; i++) {
        soft_nic_entry_remove(self->entries[i]);
        soft_nic_entry_free(self->entries[i]);
    }
    free(self->entries);
    soft_nic_table_destroy(self->table);
}

static void open_rx(struct ours *self)
{
    struct soft_nic_rxq_conf conf = {.depth = DEPTH};

    self->places = aligned_alloc(4096, (size_t)DEPTH * PLACE + 4096);
    memset(self->places, 0, (size_t)DEPTH * PLACE + 4096);
    if (side_in_place)
        conf.area = (struct soft_nic_area){self->places + 2048, DEPTH, PLACE};
    hold(&self->in, TRAFFIC_RX, &self->rx_port);
    if (soft_nic_rxq_open(self->rx_port, &conf, &self->rxq) != 0)
        bench_die("queue", soft_reason());
    post(self, DEPTH);
    add_entries(self);
}

static void open_tx(struct ours *self)
{
    hold(&self->out, TRAFFIC_TX, &self->tx_port);
    if (soft_nic_txq_open(self->tx_port, &self->txq) != 0)
        bench_die("send queue", soft_reason());
}

static void close_all(struct ours *self)
{
    if (self->rxq != NULL)
        drop_entries(self);
    soft_nic_rxq_close(self->rxq);
    if (self->txq != NULL)
        soft_nic_txq_close(self->txq);
    soft_nic_port_release(self->rx_port);
    soft_nic_port_release(self->tx_port);
    free(self->places);
}

static void send_all(struct ours *self, struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t done = 0;

    for (int tries = 0; done < n && tries < 1000; tries++)
        done += soft_nic_txq_send(self->txq, frames + done, n - done);
}

static void take_burst(struct ours *self)
{
    struct soft_nic_tx_frame frames[BURST];
    struct soft_nic_piece pieces[BURST];
    uint64_t begin = __rdtsc();
    uint32_t n = 0;
    struct soft_nic_post *frame;

    while (n < BURST && (frame = soft_nic_rxq_take(self->rxq)) != NULL) {
        pieces[n] = (struct soft_nic_piece){frame->place.addr, frame->len};
        frames[n] = (struct soft_nic_tx_frame){&pieces[n], 1, frame->len, 0};
        soft_nic_rxq_done(self->rxq);
        n++;
    }
    if (n == 0)
        return;
    if (self->txq != NULL)
        send_all(self, frames, n);
    post(self, n);
    self->frames += n;
    side_note(&self->cost, n, __rdtsc() - begin);
}

static void take(struct ours *self)
{
    double quiet = bench_now() + 0.02;

    while (!traffic_is_over())
        take_burst(self);
    while (bench_now() < quiet)
        take_burst(self);
}

static void send_burst(struct ours *self, uint32_t size)
{
    static uint8_t bytes[PLACE];
    struct soft_nic_piece piece = {bytes, size};
    struct soft_nic_tx_frame frames[BURST];

    traffic_frame(bytes, size);
    for (uint32_t i = 0; i < BURST; i++)
        frames[i] = (struct soft_nic_tx_frame){&piece, 1, size, 0};
    send_all(self, frames, BURST);
}

static void run(enum job job, const struct traffic *traffic, double seconds,
                struct side_result *result)
{
    struct ours self = {0};
    struct traffic_result sent = {0};
    double before, begin;

    if (job != JOB_SEND)
        open_rx(&self);
    if (job != JOB_DROP)
        open_tx(&self);
    before = traffic_sunk();
    begin = bench_now();
    if (job == JOB_SEND) {
        while (bench_now() < begin + seconds)
            send_burst(&self, traffic->size);
        sent.seconds = bench_now() - begin;
    } else {
        traffic_start(traffic, seconds);
        take(&self);
        traffic_wait(&sent);
    }
    if (job != JOB_DROP)
        self.frames = (uint64_t)(traffic_sunk() - before);
    result->rate = (double)self.frames / sent.seconds * 1e-6;
    result->sender = sent.frames > 0 ? sent.cpu / sent.frames * 1e9 : 0;
    result->ns = job == JOB_SEND ? 1e3 / result->rate : side_cost_ns(&self.cost);
    close_all(&self);
}

const struct side side_ours = {"opendoca", run};
