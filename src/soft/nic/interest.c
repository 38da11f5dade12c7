/* SPDX-License-Identifier: BSD-3-Clause */
/* Which frames the rules of a port want to see, told to kinds of ports that can leave the others to
 * the network stack of their interface.
 *
 * Frames begin in the root table and go on along its misses. Each entry of these tables that leads
 * anywhere but to the stack is a claim, and so is everything when the last miss does. Tables that
 * entries lead to are not looked into: what is claimed too much, the classifier gives back. */

#include "soft/nic/flow_priv.h"

static struct soft_nic_claim_keys narrow(const struct soft_nic_keys *keys)
{
    struct soft_nic_claim_keys out = {
        .ether_type = keys->ether_type,
        .src_port = keys->src_port,
        .dst_port = keys->dst_port,
        .l3 = keys->l3,
        .l4 = keys->l4,
        .proto = keys->proto,
        .is_fragment = keys->is_fragment,
    };

    __builtin_memcpy(out.dst_mac, keys->dst_mac, sizeof(out.dst_mac));
    __builtin_memcpy(out.src_ip, keys->src_ip, sizeof(out.src_ip));
    __builtin_memcpy(out.dst_ip, keys->dst_ip, sizeof(out.dst_ip));
    return out;
}

static void put_word(struct soft_nic_keys *keys, uint32_t word, uint64_t bits)
{
    bits |= soft_nic_key_word(keys, word);
    __builtin_memcpy((char *)keys + word * sizeof(bits), &bits, sizeof(bits));
}

/* `values`: in place of those of the match; NULL: its own. */
static void add_terms(const struct soft_nic_match *match, const uint64_t *values,
                      struct soft_nic_keys *mask, struct soft_nic_keys *value)
{
    for (uint32_t i = 0; i < match->n; i++) {
        put_word(mask, match->terms[i].word, match->terms[i].mask);
        put_word(value, match->terms[i].word, values != NULL ? values[i] : match->terms[i].value);
    }
}

static struct soft_nic_claim make_claim(const struct soft_nic_entry *entry)
{
    const struct soft_nic_table *table = entry->table;
    struct soft_nic_keys mask = {0}, value = {0};

    add_terms(&table->common, NULL, &mask, &value);
    if (table->kind == SOFT_NIC_TABLE_HASH)
        add_terms(&table->open, entry->key, &mask, &value);
    else
        add_terms(&entry->match, NULL, &mask, &value);
    return (struct soft_nic_claim){narrow(&mask), narrow(&value)};
}

static bool leads_to_stack(const struct soft_nic_result *result,
                           const struct soft_nic_result *other)
{
    enum soft_nic_fwd_kind kind = result->fwd.kind;

    if (kind == SOFT_NIC_FWD_NONE && other != NULL)
        kind = other->fwd.kind;
    return kind == SOFT_NIC_FWD_KERNEL;
}

/* Under the lock. */
static void set_entry(struct soft_nic_entry *entry, bool on)
{
    struct soft_nic_backend *backend = entry->table->port->backend;
    struct soft_nic_claim claim;

    if (entry->is_claimed == on)
        return;
    claim = make_claim(entry);
    entry->is_claimed = on;
    backend->ops->claim(backend, &claim, on);
}

static void check_entry(struct soft_nic_entry *entry, bool is_open)
{
    set_entry(entry, is_open && !leads_to_stack(atomic_load(&entry->result),
                                                atomic_load(&entry->table->fwd)));
}

/* Under the lock; the table's own keeps its entries where they are. */
static void set_table(struct soft_nic_table *table, bool is_open)
{
    const struct soft_nic_list *list;

    pthread_mutex_lock(&table->lock);
    table->is_open = is_open;
    list = atomic_load(&table->list);
    for (uint32_t i = 0; list != NULL && i < list->n; i++)
        check_entry(list->entries[i], is_open);
    for (uint32_t i = 0; table->buckets != NULL && i <= table->mask; i++) {
        struct soft_nic_entry *entry = atomic_load(&table->buckets[i]);

        for (; entry != NULL; entry = atomic_load(&entry->next))
            check_entry(entry, is_open);
    }
    pthread_mutex_unlock(&table->lock);
}

/* The tables that misses lead through; true: everything is wanted. */
static bool find_chain(struct soft_nic_port *port, struct soft_nic_table **chain, uint32_t *n)
{
    struct soft_nic_table *table = soft_nic_flow_root(port);
    const struct soft_nic_result *result = atomic_load(&port->flow->fallback);
    bool counts = false;

    *n = 0;
    if (table == NULL)
        return port->device->unmatched == SOFT_UNMATCHED_QUEUES;
    while (*n < SOFT_NIC_DEPTH) {
        const struct soft_nic_result *miss = atomic_load(&table->miss);

        chain[(*n)++] = table;
        counts = counts || table->counts_misses;
        if (miss->fwd.kind == SOFT_NIC_FWD_TABLE) {
            table = miss->fwd.table;
            continue;
        }
        if (miss->fwd.kind == SOFT_NIC_FWD_NONE && *n == 1)
            return counts || (result != NULL && !leads_to_stack(result, NULL));
        return counts || !leads_to_stack(miss, NULL);
    }
    return true; /* in circles */
}

static bool has(struct soft_nic_table *const *tables, uint32_t n, const struct soft_nic_table *one)
{
    uint32_t i = 0;

    while (i < n && tables[i] != one)
        i++;
    return i < n;
}

void soft_nic_interest_update(struct soft_nic_port *port)
{
    static const struct soft_nic_claim everything;
    struct soft_nic_interest *interest = &port->flow->interest;
    struct soft_nic_table *chain[SOFT_NIC_DEPTH];
    uint32_t n;
    bool all;

    if (port->backend == NULL) /* that could not be opened */
        return;
    pthread_mutex_lock(&interest->lock);
    all = find_chain(port, chain, &n);
    if (all != interest->all)
        port->backend->ops->claim(port->backend, &everything, all);
    interest->all = all;
    for (uint32_t i = 0; i < n; i++) {
        if (!has(interest->chain, interest->n, chain[i]) && !has(chain, i, chain[i]))
            set_table(chain[i], true);
    }
    for (uint32_t i = 0; i < interest->n; i++) {
        if (!has(chain, n, interest->chain[i]) && !has(interest->chain, i, interest->chain[i]))
            set_table(interest->chain[i], false);
    }
    __builtin_memcpy(interest->chain, chain, n * sizeof(chain[0]));
    interest->n = n;
    pthread_mutex_unlock(&interest->lock);
}

void soft_nic_interest_entry(struct soft_nic_entry *entry, bool on)
{
    struct soft_nic_interest *interest = &entry->table->port->flow->interest;

    pthread_mutex_lock(&interest->lock);
    check_entry(entry, on && entry->table->is_open);
    pthread_mutex_unlock(&interest->lock);
}

bool soft_nic_interest_is_root_only(struct soft_nic_port *port)
{
    struct soft_nic_table *root = soft_nic_flow_root(port);

    return root != NULL && atomic_load(&root->miss)->fwd.kind == SOFT_NIC_FWD_NONE;
}
