/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame goes through tables of every kind, with rules that change it and rules that lead in
 * circles: it ends once, where a rule said, and is counted there. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/flow.h"

#define DEPTH 8u
#define ROOM  2048u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    struct soft_device device;
    struct soft_nic_port *port;
    struct soft_nic_rxq *rxqs[2];
    struct soft_nic_txq *txq;
    struct soft_nic_table *root, *flows, *circle;
} s;

static void must(int err)
{
    if (err != 0) {
        fprintf(stderr, "%s\n", soft_reason());
        abort();
    }
}

static void post(struct soft_nic_rxq *rxq)
{
    static uint8_t memory[2][DEPTH][ROOM];
    static uint32_t posted[2];
    uint32_t which = rxq == s.rxqs[1] ? 1 : 0;
    struct soft_nic_post *place;

    while ((place = soft_nic_rxq_next(rxq)) != NULL) {
        place->place = (struct soft_nic_piece){memory[which][posted[which]++ % DEPTH], ROOM};
        soft_nic_rxq_post(rxq);
    }
}

static struct soft_nic_fwd to_queues(void)
{
    return (struct soft_nic_fwd){
        .kind = SOFT_NIC_FWD_QUEUES, .nqueues = 3, .queues = {1, 2, 3}, .rss = UINT32_MAX};
}

static struct soft_nic_fwd to_table(struct soft_nic_table *table)
{
    return (struct soft_nic_fwd){.kind = SOFT_NIC_FWD_TABLE, .table = table};
}

static struct soft_nic_table *make_table(const struct soft_nic_table_conf *conf)
{
    struct soft_nic_table *table = NULL;

    must(soft_nic_table_create(s.port, conf, &table));
    return table;
}

static void add(struct soft_nic_table *table, const struct soft_nic_entry_conf *conf)
{
    struct soft_nic_entry *entry;

    must(soft_nic_entry_add(table, conf, &entry));
}

/* Flows by addresses and ports; the address that is all zero, and the one of the corpus. */
static void make_flows(void)
{
    struct soft_nic_table_conf conf = {.kind = SOFT_NIC_TABLE_HASH,
                                       .max_entries = 16,
                                       .fwd = to_queues(),
                                       .miss = {.kind = SOFT_NIC_FWD_DROP},
                                       .counts_misses = true};
    struct soft_nic_entry_conf entry = {.counts = true,
                                        .action = {.pops_vlan = true,
                                                   .l3 = SOFT_NIC_L3_IPV4,
                                                   .l4 = SOFT_NIC_L4_TRANSPORT,
                                                   .l4_mask = SOFT_NIC_L4_TRANSPORT}};

    memset(conf.open.src_ip, 0xff, sizeof(conf.open.src_ip));
    conf.open.dst_port = UINT16_MAX;
    s.flows = make_table(&conf);
    entry.action.mask.src_ip[0] = 0xff;
    entry.action.mask.src_port = UINT16_MAX;
    add(s.flows, &entry);
    entry.value.src_ip[0] = 10;
    entry.value.src_ip[3] = 1;
    add(s.flows, &entry);
}

/* Leads to itself and puts a tag on each time. */
static void make_circle(void)
{
    struct soft_nic_table_conf conf = {.kind = SOFT_NIC_TABLE_LIST, .max_entries = 4};
    struct soft_nic_entry_conf entry = {.action = {.pushes_vlan = true, .vlan_type = 0x81}};

    s.circle = make_table(&conf);
    entry.fwd = to_table(s.circle);
    add(s.circle, &entry);
}

static void make_root(void)
{
    struct soft_nic_table_conf conf = {.kind = SOFT_NIC_TABLE_LIST, .max_entries = 8};
    struct soft_nic_entry_conf tagged = {.mask = {.vlans = 3}, .value = {.vlans = 3}};
    struct soft_nic_entry_conf good = {.mask = {.l4_sum_ok = 1}, .value = {.l4_sum_ok = 1}};
    struct soft_nic_entry_conf ip6 = {.mask = {.l3 = UINT8_MAX}, .value = {.l3 = SOFT_NIC_L3_IPV6}};
    struct soft_nic_entry_conf fragment = {.mask = {.is_fragment = 1}, .value = {.is_fragment = 1}};
    struct soft_nic_entry_conf ip4 = {.mask = {.l3 = UINT8_MAX},
                                      .value = {.l3 = SOFT_NIC_L3_IPV4},
                                      .action = {.pushes_vlan = true, .vlan_type = 0xa888},
                                      .priority = 9};

    s.root = make_table(&conf);
    tagged.fwd = to_table(s.circle);
    add(s.root, &tagged);
    good.fwd = to_queues();
    good.action.pops_vlan = true;
    add(s.root, &good);
    ip6.fwd.kind = SOFT_NIC_FWD_ALL_QUEUES;
    add(s.root, &ip6);
    fragment.fwd.kind = SOFT_NIC_FWD_KERNEL;
    add(s.root, &fragment);
    ip4.fwd = to_table(s.flows);
    add(s.root, &ip4);
}

static void open_all(void)
{
    const struct soft_nic_rxq_conf conf = {.depth = DEPTH};

    snprintf(s.device.port, sizeof(s.device.port), "loop");
    s.device.mtu = 1500;
    must(soft_nic_port_hold(&s.device, &s.port));
    for (uint16_t i = 0; i < 2; i++) {
        must(soft_nic_rxq_open(s.port, &conf, &s.rxqs[i]));
        must(soft_nic_rxq_set_id(s.rxqs[i], (uint16_t)(i + 1)));
    }
    must(soft_nic_txq_open(s.port, &s.txq));
    make_flows();
    make_circle();
    make_root();
    soft_nic_port_set_root(s.port, s.root);
}

static void empty(struct soft_nic_rxq *rxq)
{
    const struct soft_nic_post *filled;

    while ((filled = soft_nic_rxq_take(rxq)) != NULL) {
        if (filled->len > ROOM || filled->len < 52) /* two tags less */
            abort();
        soft_nic_rxq_done(rxq);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_nic_piece piece = {(void *)(uintptr_t)data, (uint32_t)size};
    struct soft_nic_tx_frame frame = {.pieces = &piece, .npieces = 1, .len = (uint32_t)size};

    if (size == 0 || size > 1514)
        return 0;
    if (s.port == NULL)
        open_all();
    for (int i = 0; i < 2; i++)
        post(s.rxqs[i]);
    if (soft_nic_txq_send(s.txq, &frame, 1) != 1 || frame.status != 0)
        abort();
    for (int i = 0; i < 2; i++)
        empty(s.rxqs[i]);
    if (!soft_nic_port_adds_up(s.port))
        abort();
    return 0;
}
