/* SPDX-License-Identifier: BSD-3-Clause */
/* Steering, the driver's side: from the root table to the end of the frame. */

#include <errno.h>

#include "soft/nic/flow_priv.h"
#include "soft/nic/packet.h"

static void count(struct soft_nic_port *port, enum soft_nic_counter end)
{
    soft_nic_add(&port->page->counters, end, 1);
}

static void tally(_Atomic uint64_t *packets, _Atomic uint64_t *bytes, uint32_t len)
{
    /* One writer. */
    atomic_store_explicit(packets, atomic_load_explicit(packets, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    atomic_store_explicit(bytes, atomic_load_explicit(bytes, memory_order_relaxed) + len,
                          memory_order_relaxed);
}

/* ------------------------------------------------------------------------------------------------
 * Looking up
 */

static bool matches(const struct soft_nic_match *match, const struct soft_nic_keys *keys)
{
    for (uint32_t i = 0; i < match->n; i++) {
        if ((soft_nic_key_word(keys, match->terms[i].word) & match->terms[i].mask) !=
            match->terms[i].value)
            return false;
    }
    return true;
}

static const struct soft_nic_entry *find_hash(const struct soft_nic_table *table,
                                              const struct soft_nic_keys *keys)
{
    const struct soft_nic_match *open = &table->open;
    uint64_t key[SOFT_NIC_KEY_WORDS], hash = SOFT_NIC_HASH_SEED;
    const struct soft_nic_entry *entry;

    for (uint32_t i = 0; i < open->n; i++) {
        key[i] = soft_nic_key_word(keys, open->terms[i].word) & open->terms[i].mask;
        hash = soft_nic_hash_word(hash, key[i]);
    }
    entry = atomic_load_explicit(&table->buckets[soft_nic_hash_end(hash) & table->mask],
                                 memory_order_acquire);
    while (entry != NULL && __builtin_memcmp(entry->key, key, open->n * sizeof(key[0])) != 0)
        entry = atomic_load_explicit(&entry->next, memory_order_acquire);
    return entry;
}

static const struct soft_nic_entry *find_list(const struct soft_nic_table *table,
                                              const struct soft_nic_keys *keys)
{
    const struct soft_nic_list *list = atomic_load_explicit(&table->list, memory_order_acquire);

    for (uint32_t i = 0; list != NULL && i < list->n; i++) {
        if (matches(&list->entries[i]->match, keys))
            return list->entries[i];
    }
    return NULL;
}

static struct soft_nic_entry *find(const struct soft_nic_table *table,
                                   const struct soft_nic_keys *keys)
{
    const struct soft_nic_entry *entry = NULL;

    if (matches(&table->common, keys))
        entry =
            table->kind == SOFT_NIC_TABLE_HASH ? find_hash(table, keys) : find_list(table, keys);
    return (struct soft_nic_entry *)(uintptr_t)entry;
}

/* ------------------------------------------------------------------------------------------------
 * Ends
 */

static void to_queue(struct soft_nic_port *port, uint16_t id, const struct soft_nic_frame *frame,
                     const struct soft_nic_meta *meta)
{
    struct soft_nic_rxq *rxq = port->by_id[id];

    if (od_likely(rxq != NULL))
        soft_nic_rxq_deliver(rxq, frame, meta);
    else
        count(port, SOFT_NIC_RX_NO_QUEUE);
}

static void flush_out(struct soft_nic_port *port, struct soft_nic_out *out)
{
    uint32_t sent = soft_nic_txq_send(out->tx, out->frames, out->n), good = 0;

    for (uint32_t i = 0; i < sent; i++)
        good += out->frames[i].status == 0 ? 1 : 0;
    soft_nic_add(&port->page->counters, SOFT_NIC_RX_FORWARDED, good);
    soft_nic_add(&port->page->counters, SOFT_NIC_RX_FORWARD_DROP, out->n - good);
    out->n = 0;
}

void soft_nic_flow_flush(struct soft_nic_port *port)
{
    for (struct soft_nic_out *out = port->flow->outs; out != NULL; out = out->next) {
        if (out->n > 0)
            flush_out(port, out);
    }
}

static void to_port(struct soft_nic_out *out, const struct soft_nic_frame *frame)
{
    out->pieces[out->n] = (struct soft_nic_piece){frame->data, frame->len};
    out->frames[out->n] =
        (struct soft_nic_tx_frame){.pieces = &out->pieces[out->n], .npieces = 1, .len = frame->len};
    out->n++; /* a batch at most is collected */
}

static void spread(struct soft_nic_port *port, const struct soft_nic_result *result,
                   const struct soft_nic_frame *frame, const struct soft_nic_keys *keys,
                   struct soft_nic_meta *meta)
{
    const struct soft_nic_toeplitz *toeplitz =
        atomic_load_explicit(&port->flow->toeplitz, memory_order_acquire);

    meta->hash = result->fwd.rss != 0
                     ? soft_nic_rss_hash(toeplitz, keys, result->fwd.rss, result->fwd.symmetric)
                     : 0;
    meta->words[0] = __builtin_bswap32(keys->pkt_meta);
    to_queue(port, result->spread[meta->hash % SOFT_NIC_RSS_TABLE], frame, meta);
}

/* Where the frame goes, or the next table. */
static struct soft_nic_table *follow(struct soft_nic_port *port,
                                     const struct soft_nic_result *result,
                                     const struct soft_nic_frame *frame,
                                     const struct soft_nic_keys *keys, struct soft_nic_meta *meta)
{
    switch (result->fwd.kind) {
    case SOFT_NIC_FWD_TABLE:
        return result->fwd.table;
    case SOFT_NIC_FWD_QUEUES:
        spread(port, result, frame, keys, meta);
        break;
    case SOFT_NIC_FWD_KERNEL:
        count(port, SOFT_NIC_RX_KERNEL);
        break;
    case SOFT_NIC_FWD_PORT:
        to_port(result->out, frame);
        break;
    default:
        count(port, SOFT_NIC_RX_FLOW_DROP);
        break;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------
 * The way
 */

static void act(const struct soft_nic_action *action, struct soft_nic_keys *keys)
{
    keys->pkt_meta = (keys->pkt_meta & ~action->mask[0]) | action->value[0];
    for (uint32_t i = 0; i < SOFT_NIC_SCRATCH; i++)
        keys->scratch[i] = (keys->scratch[i] & ~action->mask[i + 1]) | action->value[i + 1];
}

static const struct soft_nic_result *hit(const struct soft_nic_table *table,
                                         struct soft_nic_entry *entry, uint32_t len,
                                         struct soft_nic_keys *keys)
{
    const struct soft_nic_result *result =
        atomic_load_explicit(&entry->result, memory_order_acquire);

    if (entry->counts)
        tally(&entry->packets, &entry->bytes, len);
    if (result->acts)
        act(&result->action, keys);
    return result->fwd.kind != SOFT_NIC_FWD_NONE
               ? result
               : atomic_load_explicit(&table->fwd, memory_order_acquire);
}

static const struct soft_nic_result *
missed(struct soft_nic_port *port, struct soft_nic_table *table, bool is_root, uint32_t len)
{
    static const struct soft_nic_result kernel = {.fwd = {.kind = SOFT_NIC_FWD_KERNEL}};
    const struct soft_nic_result *result = atomic_load_explicit(&table->miss, memory_order_acquire);

    if (table->counts_misses)
        tally(&table->missed_packets, &table->missed_bytes, len);
    if (result->fwd.kind != SOFT_NIC_FWD_NONE || !is_root)
        return result;
    tally(&port->flow->missed_packets, &port->flow->missed_bytes, len);
    result = atomic_load_explicit(&port->flow->fallback, memory_order_acquire);
    return result != NULL ? result : &kernel;
}

void soft_nic_flow_steer(struct soft_nic_port *port, struct soft_nic_table *root,
                         const struct soft_nic_frame *frame, struct soft_nic_meta *meta)
{
    struct soft_nic_table *table = root;
    struct soft_nic_packet packet;
    struct soft_nic_keys keys;

    soft_nic_parse(frame->data, frame->len, &packet);
    soft_nic_keys_read(frame->data, &packet, &keys);
    keys.port_id = atomic_load_explicit(&port->flow->id, memory_order_relaxed);
    if (atomic_load_explicit(&port->flow->sums, memory_order_relaxed) != 0)
        soft_nic_keys_sums(frame->data, &packet, &keys);
    for (uint32_t depth = 0; depth < SOFT_NIC_DEPTH; depth++) {
        struct soft_nic_entry *entry = find(table, &keys);
        const struct soft_nic_result *result = entry != NULL
                                                   ? hit(table, entry, frame->len, &keys)
                                                   : missed(port, table, depth == 0, frame->len);

        table = follow(port, result, frame, &keys, meta);
        if (table == NULL)
            return;
    }
    count(port, SOFT_NIC_RX_FLOW_LOOP);
}

struct soft_nic_table *soft_nic_flow_root(struct soft_nic_port *port)
{
    return atomic_load_explicit(&port->flow->root, memory_order_acquire);
}
