/* SPDX-License-Identifier: BSD-3-Clause */
/* Steering, the driver's side: from the root table to the end of the frame. */

#include <errno.h>
#include <string.h>

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

/* A frame that is on its way: rules may have changed it. */
struct way {
    struct soft_nic_port *port;
    struct soft_nic_frame frame;
    bool is_moved; /* into a place of the port */
    struct soft_nic_packet packet;
    struct soft_nic_keys keys;
    struct soft_nic_meta *meta;
};

static void to_queue(struct way *way, struct soft_nic_rxq *rxq)
{
    way->meta->words[0] = __builtin_bswap32(way->keys.pkt_meta);
    if (od_likely(rxq != NULL))
        soft_nic_rxq_deliver(rxq, &way->frame, way->meta);
    else
        count(way->port, SOFT_NIC_RX_NO_QUEUE);
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
    port->flow->nroom = 0;
}

static void to_port(struct soft_nic_out *out, const struct soft_nic_frame *frame)
{
    out->pieces[out->n] = (struct soft_nic_piece){frame->data, frame->len};
    out->frames[out->n] =
        (struct soft_nic_tx_frame){.pieces = &out->pieces[out->n], .npieces = 1, .len = frame->len};
    out->n++; /* a batch at most is collected */
}

static uint32_t hash_of(const struct way *way, uint32_t flags, bool symmetric)
{
    const struct soft_nic_toeplitz *toeplitz =
        atomic_load_explicit(&way->port->flow->toeplitz, memory_order_acquire);

    return soft_nic_rss_hash(toeplitz, &way->keys, flags, symmetric);
}

static void spread(struct way *way, const struct soft_nic_result *result)
{
    way->meta->hash =
        result->fwd.rss != 0 ? hash_of(way, result->fwd.rss, result->fwd.symmetric) : 0;
    to_queue(way, way->port->by_id[result->spread[way->meta->hash % SOFT_NIC_RSS_TABLE]]);
}

static void spread_over_all(struct way *way)
{
    const struct soft_nic_port *port = way->port;

    way->meta->hash = hash_of(way, UINT32_MAX, false);
    to_queue(way, port->nrxqs > 0 ? port->rxqs[way->meta->hash % port->nrxqs] : NULL);
}

/* Where the frame goes, or the next table. */
static struct soft_nic_table *follow(struct way *way, const struct soft_nic_result *result)
{
    switch (result->fwd.kind) {
    case SOFT_NIC_FWD_TABLE:
        return result->fwd.table;
    case SOFT_NIC_FWD_QUEUES:
        spread(way, result);
        break;
    case SOFT_NIC_FWD_ALL_QUEUES:
        spread_over_all(way);
        break;
    case SOFT_NIC_FWD_KERNEL:
        soft_nic_to_stack(way->port, &way->frame);
        break;
    case SOFT_NIC_FWD_PORT:
        to_port(result->out, &way->frame);
        break;
    default:
        count(way->port, SOFT_NIC_RX_FLOW_DROP);
        break;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------
 * The way
 */

/* Before a frame gets longer: there is a place for each frame of a batch, with room for all tags
 * that rules on its way can put on. */
static void move(struct way *way)
{
    struct soft_nic_flow *flow = way->port->flow;
    uint8_t *place = atomic_load_explicit(&flow->room, memory_order_acquire) +
                     (size_t)flow->nroom++ * SOFT_NIC_PLACE + SOFT_NIC_HEADROOM;

    memcpy(place, way->frame.data, way->frame.len);
    way->frame.data = place;
    way->is_moved = true;
}

static OD_COLD void rewrite(const struct soft_nic_action *action, struct way *way)
{
    if (action->pushes_vlan && !way->is_moved)
        move(way);
    soft_nic_rewrite(action, &way->frame.data, &way->frame.len, &way->packet, &way->keys);
}

static const struct soft_nic_result *hit(const struct soft_nic_table *table,
                                         struct soft_nic_entry *entry, struct way *way)
{
    const struct soft_nic_result *result =
        atomic_load_explicit(&entry->result, memory_order_acquire);

    if (entry->counts)
        tally(&entry->packets, &entry->bytes, way->frame.len);
    if (result->action != NULL) {
        if (soft_nic_action_changes_frames(result->action))
            rewrite(result->action, way);
        else
            soft_nic_set_metadata(result->action, &way->keys);
    }
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

static void begin(struct way *way, struct soft_nic_port *port, const struct soft_nic_frame *frame,
                  struct soft_nic_meta *meta)
{
    way->port = port;
    way->frame = *frame;
    way->is_moved = false;
    way->meta = meta;
    soft_nic_parse(frame->data, frame->len, &way->packet);
    soft_nic_keys_read(frame->data, &way->packet, &way->keys);
    way->keys.port_id = atomic_load_explicit(&port->flow->id, memory_order_relaxed);
}

void soft_nic_flow_spread(struct soft_nic_port *port, const struct soft_nic_frame *frame,
                          struct soft_nic_meta *meta)
{
    struct way way;

    begin(&way, port, frame, meta);
    spread_over_all(&way);
}

void soft_nic_flow_steer(struct soft_nic_port *port, struct soft_nic_table *root,
                         const struct soft_nic_frame *frame, struct soft_nic_meta *meta)
{
    struct soft_nic_table *table = root;
    struct way way;

    begin(&way, port, frame, meta);
    if (atomic_load_explicit(&port->flow->sums, memory_order_relaxed) != 0)
        soft_nic_keys_sums(frame->data, &way.packet, &way.keys);
    for (uint32_t depth = 0; depth < SOFT_NIC_DEPTH; depth++) {
        struct soft_nic_entry *entry = find(table, &way.keys);
        const struct soft_nic_result *result = entry != NULL
                                                   ? hit(table, entry, &way)
                                                   : missed(port, table, depth == 0, way.frame.len);

        table = follow(&way, result);
        if (table == NULL)
            return;
    }
    count(port, SOFT_NIC_RX_FLOW_LOOP);
}

struct soft_nic_table *soft_nic_flow_root(struct soft_nic_port *port)
{
    return atomic_load_explicit(&port->flow->root, memory_order_acquire);
}
