/* SPDX-License-Identifier: BSD-3-Clause */
/* Steering, the side that changes it. What the driver may be looking at is replaced and freed after
 * it has looked away. */

#include "soft/nic/flow.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/flow_priv.h"

void soft_nic_port_quiesce(struct soft_nic_port *port)
{
    uint64_t turn;

    atomic_thread_fence(memory_order_seq_cst);
    turn = atomic_load(&port->turns);
    /* Who drives now began with what was there before; whoever begins later does not. */
    while (atomic_load(&port->driving) && atomic_load(&port->turns) == turn)
        sched_yield();
}

/* ------------------------------------------------------------------------------------------------
 * Matches
 */

static void match_from(const struct soft_nic_keys *mask, const struct soft_nic_keys *value,
                       struct soft_nic_match *match)
{
    match->n = 0;
    for (uint32_t word = 0; word < SOFT_NIC_KEY_WORDS; word++) {
        uint64_t bits = soft_nic_key_word(mask, word);

        if (bits == 0)
            continue;
        match->terms[match->n].word = word;
        match->terms[match->n].mask = bits;
        match->terms[match->n].value = soft_nic_key_word(value, word) & bits;
        match->n++;
    }
}

static bool asks_for_sums(const struct soft_nic_keys *mask)
{
    return (mask->l3_ok | mask->ip4_sum_ok | mask->l4_ok | mask->l4_sum_ok) != 0;
}

static void ask_for_sums(struct soft_nic_port *port, const struct soft_nic_keys *mask)
{
    if (asks_for_sums(mask))
        atomic_store(&port->flow->sums, 1);
}

/* ------------------------------------------------------------------------------------------------
 * Results
 */

/* The way out of one port through another one; there is one for each other port. */
static int find_out(struct soft_nic_port *port, struct soft_nic_port *to, struct soft_nic_out **out)
{
    struct soft_nic_out *found = port->flow->outs;
    int err;

    while (found != NULL && found->to != to)
        found = found->next;
    if (found == NULL) {
        found = calloc(1, sizeof(*found));
        if (found == NULL)
            return soft_fail(-ENOMEM, "no memory for a way to another port");
        err = soft_nic_port_hold(to->device, &found->to);
        if (err == 0)
            err = soft_nic_txq_open(found->to, &found->tx);
        if (err != 0) {
            soft_nic_port_release(found->to);
            free(found);
            return err;
        }
        soft_nic_port_lock(port);
        /* A full ring would hold up what goes out. */
        (void)soft_nic_unplace(port);
        found->next = port->flow->outs;
        port->flow->outs = found;
        soft_nic_port_unlock(port);
        /* No owner of a queue may ever look: the thread of the port carries on. */
        atomic_fetch_add(&port->sleepers, 1);
        od_waker_wake(&port->bell);
    }
    *out = found;
    return 0;
}

/* Once a port, before the first rule that needs it. */
static int make_room(struct soft_nic_port *port)
{
    uint8_t *none = NULL, *room;

    if (atomic_load(&port->flow->room) != NULL)
        return 0;
    room = malloc((size_t)SOFT_NIC_BATCH * SOFT_NIC_PLACE);
    if (room == NULL)
        return soft_fail(-ENOMEM, "no memory for frames that get longer");
    if (!atomic_compare_exchange_strong(&port->flow->room, &none, room))
        free(room);
    return 0;
}

/* What a table that was destroyed does with all frames. */
static struct soft_nic_result drop_all = {.fwd = {.kind = SOFT_NIC_FWD_DROP}};

static void free_table(struct soft_nic_table *table);

/* Nothing leads to it any more, and nobody is on the way: results are freed after they were looked
 * at last. */
static void release_table(struct soft_nic_table *table)
{
    if (atomic_fetch_sub(&table->refs, 1) > 1)
        return;
    soft_nic_interest_update(table->port);
    free_table(table);
}

static void free_result(struct soft_nic_result *result)
{
    if (result == NULL || result == &drop_all)
        return;
    if (result->fwd.kind == SOFT_NIC_FWD_TABLE)
        release_table(result->fwd.table);
    free(result);
}

/* One piece of memory: the result, its table of queues, its action. */
static struct soft_nic_result *alloc_result(size_t spread, const struct soft_nic_action *action)
{
    size_t size = sizeof(struct soft_nic_result) + spread * sizeof(uint16_t);
    size_t at = (size + 7) / 8 * 8;
    struct soft_nic_result *result = calloc(1, at + (action != NULL ? sizeof(*action) : 0));

    if (result != NULL && action != NULL)
        result->action = memcpy((char *)result + at, action, sizeof(*action));
    return result;
}

static int make_result(struct soft_nic_port *port, const struct soft_nic_fwd *fwd,
                       const struct soft_nic_action *action, struct soft_nic_result **out)
{
    size_t spread = fwd->kind == SOFT_NIC_FWD_QUEUES ? SOFT_NIC_RSS_TABLE : 0;
    struct soft_nic_action sealed;
    struct soft_nic_result *result;
    bool acts = false;
    int err = 0;

    if (action != NULL) {
        sealed = *action;
        acts = soft_nic_action_seal(&sealed);
    }
    result = alloc_result(spread, acts ? &sealed : NULL);
    if (result == NULL)
        return soft_fail(-ENOMEM, "no memory for a rule");
    result->fwd = *fwd;
    if (acts && sealed.pushes_vlan)
        err = make_room(port);
    for (size_t i = 0; i < spread; i++)
        result->spread[i] = fwd->queues[i % fwd->nqueues];
    if (err == 0 && fwd->kind == SOFT_NIC_FWD_PORT)
        err = find_out(port, fwd->port, &result->out);
    if (err != 0) {
        free(result);
        return err;
    }
    if (fwd->kind == SOFT_NIC_FWD_TABLE)
        atomic_fetch_add(&fwd->table->refs, 1);
    *out = result;
    return 0;
}

/* The old one, which is freed once what wants to know about results has been told. */
static struct soft_nic_result *exchange_result(struct soft_nic_port *port,
                                               struct soft_nic_result *_Atomic *place,
                                               struct soft_nic_result *result)
{
    struct soft_nic_interest *interest = &port->flow->interest;
    struct soft_nic_result *old;

    /* Whoever looks at results to see what the rules want holds this lock. */
    pthread_mutex_lock(&interest->lock);
    old = atomic_exchange(place, result);
    pthread_mutex_unlock(&interest->lock);
    if (old != NULL)
        soft_nic_port_quiesce(port);
    return old;
}

/* ------------------------------------------------------------------------------------------------
 * Tables
 */

static uint32_t count_buckets(const struct soft_nic_table_conf *conf, uint32_t open_words)
{
    uint32_t n = 1;

    while (open_words > 0 && n < conf->max_entries && n < (1u << 22))
        n *= 2;
    return n;
}

static int fill_table(struct soft_nic_table *table, const struct soft_nic_table_conf *conf)
{
    struct soft_nic_result *fwd, *miss;
    uint32_t nbuckets;
    int err;

    match_from(&conf->mask, &conf->value, &table->common);
    match_from(&conf->open, &conf->value, &table->open);
    nbuckets = count_buckets(conf, table->open.n);
    table->mask = nbuckets - 1;
    if (conf->kind == SOFT_NIC_TABLE_HASH) {
        table->buckets = calloc(nbuckets, sizeof(*table->buckets));
        if (table->buckets == NULL)
            return soft_fail(-ENOMEM, "no memory for %u entries", conf->max_entries);
    }
    err = make_result(table->port, &conf->fwd, NULL, &fwd);
    if (err != 0)
        return err;
    atomic_store(&table->fwd, fwd);
    err = make_result(table->port, &conf->miss, NULL, &miss);
    if (err != 0)
        return err;
    atomic_store(&table->miss, miss);
    ask_for_sums(table->port, &conf->mask);
    ask_for_sums(table->port, &conf->open);
    return 0;
}

static void free_table(struct soft_nic_table *table)
{
    free_result(atomic_load(&table->fwd));
    free_result(atomic_load(&table->miss));
    free(atomic_load(&table->list));
    free(table->buckets);
    pthread_mutex_destroy(&table->lock);
    free(table);
}

int soft_nic_table_create(struct soft_nic_port *port, const struct soft_nic_table_conf *conf,
                          struct soft_nic_table **out)
{
    struct soft_nic_table *table = aligned_alloc(OD_CACHE_LINE, sizeof(*table));
    int err;

    if (table == NULL)
        return soft_fail(-ENOMEM, "no memory for a pipe");
    memset(table, 0, sizeof(*table));
    table->port = port;
    atomic_store(&table->refs, 1);
    table->kind = conf->kind;
    table->counts_misses = conf->counts_misses;
    table->max_entries = conf->max_entries;
    pthread_mutex_init(&table->lock, NULL);
    err = fill_table(table, conf);
    if (err != 0) {
        free_table(table);
        return err;
    }
    *out = table;
    return 0;
}

void soft_nic_table_close(struct soft_nic_table *table)
{
    struct soft_nic_table *expected = table;
    struct soft_nic_result *miss, *fwd;

    atomic_compare_exchange_strong(&table->port->flow->root, &expected, NULL);
    miss = exchange_result(table->port, &table->miss, &drop_all);
    fwd = exchange_result(table->port, &table->fwd, &drop_all);
    soft_nic_interest_update(table->port);
    free_result(miss);
    free_result(fwd);
}

void soft_nic_table_destroy(struct soft_nic_table *table)
{
    if (table == NULL)
        return;
    soft_nic_table_close(table);
    release_table(table);
}

int soft_nic_table_set_miss(struct soft_nic_table *table, const struct soft_nic_fwd *miss)
{
    struct soft_nic_result *result;
    int err = make_result(table->port, miss, NULL, &result);

    if (err != 0)
        return err;
    result = exchange_result(table->port, &table->miss, result);
    soft_nic_interest_update(table->port);
    free_result(result);
    return 0;
}

void soft_nic_table_misses(const struct soft_nic_table *table, struct soft_nic_tally *tally)
{
    tally->packets = atomic_load_explicit(&table->missed_packets, memory_order_relaxed);
    tally->bytes = atomic_load_explicit(&table->missed_bytes, memory_order_relaxed);
}

uint32_t soft_nic_table_entries(const struct soft_nic_table *table)
{
    return table->nentries;
}

/* ------------------------------------------------------------------------------------------------
 * Entries
 */

static uint32_t bucket_of(const struct soft_nic_table *table, const uint64_t *key)
{
    uint64_t hash = SOFT_NIC_HASH_SEED;

    for (uint32_t i = 0; i < table->open.n; i++)
        hash = soft_nic_hash_word(hash, key[i]);
    return soft_nic_hash_end(hash) & table->mask;
}

static int make_key(struct soft_nic_entry *entry, const struct soft_nic_keys *value)
{
    const struct soft_nic_match *open = &entry->table->open;

    entry->key = calloc(open->n + 1u, sizeof(*entry->key));
    if (entry->key == NULL)
        return soft_fail(-ENOMEM, "no memory for an entry");
    for (uint32_t i = 0; i < open->n; i++)
        entry->key[i] = soft_nic_key_word(value, open->terms[i].word) & open->terms[i].mask;
    return 0;
}

/* At the end of its bucket: of two that are equal the older one matches. */
static void link_hash(struct soft_nic_table *table, struct soft_nic_entry *entry)
{
    struct soft_nic_entry *_Atomic *place = &table->buckets[bucket_of(table, entry->key)];
    struct soft_nic_entry *next;

    while ((next = atomic_load_explicit(place, memory_order_relaxed)) != NULL)
        place = &next->next;
    atomic_store_explicit(place, entry, memory_order_release);
}

static void unlink_hash(struct soft_nic_table *table, struct soft_nic_entry *entry)
{
    struct soft_nic_entry *_Atomic *place = &table->buckets[bucket_of(table, entry->key)];
    struct soft_nic_entry *next;

    while ((next = atomic_load_explicit(place, memory_order_relaxed)) != entry)
        place = &next->next;
    /* Its own link stays: the driver may stand on it. */
    atomic_store_explicit(place, atomic_load_explicit(&entry->next, memory_order_relaxed),
                          memory_order_release);
}

/* A copy of the list with or without the entry. */
static int relist(struct soft_nic_table *table, struct soft_nic_entry *entry, bool adds)
{
    struct soft_nic_list *old = atomic_load(&table->list), *list;
    uint32_t n = old != NULL ? old->n : 0, k = 0;
    bool placed = !adds;

    list = malloc(sizeof(*list) + (n + 1u) * sizeof(list->entries[0]));
    if (list == NULL)
        return soft_fail(-ENOMEM, "no memory for an entry");
    for (uint32_t i = 0; i < n; i++) {
        if (!placed && old->entries[i]->priority > entry->priority) {
            list->entries[k++] = entry;
            placed = true;
        }
        if (adds || old->entries[i] != entry)
            list->entries[k++] = old->entries[i];
    }
    if (!placed)
        list->entries[k++] = entry;
    list->n = k;
    atomic_store_explicit(&table->list, list, memory_order_release);
    soft_nic_port_quiesce(table->port);
    free(old);
    return 0;
}

static int link_entry(struct soft_nic_table *table, struct soft_nic_entry *entry)
{
    int err = 0;

    pthread_mutex_lock(&table->lock);
    if (table->nentries == table->max_entries)
        err = soft_fail(-ENOSPC, "the pipe has %u entries", table->max_entries);
    else if (table->kind == SOFT_NIC_TABLE_LIST)
        err = relist(table, entry, true);
    else
        link_hash(table, entry);
    table->nentries += err == 0 ? 1 : 0;
    pthread_mutex_unlock(&table->lock);
    return err;
}

int soft_nic_entry_add(struct soft_nic_table *table, const struct soft_nic_entry_conf *conf,
                       struct soft_nic_entry **out)
{
    struct soft_nic_entry *entry = aligned_alloc(OD_CACHE_LINE, sizeof(*entry));
    struct soft_nic_result *result;
    int err;

    if (entry == NULL)
        return soft_fail(-ENOMEM, "no memory for an entry");
    memset(entry, 0, sizeof(*entry));
    entry->table = table;
    entry->priority = conf->priority;
    entry->counts = conf->counts;
    err = make_key(entry, &conf->value);
    if (err != 0)
        goto err_free;
    if (table->kind == SOFT_NIC_TABLE_LIST) {
        match_from(&conf->mask, &conf->value, &entry->match);
        ask_for_sums(table->port, &conf->mask);
    }
    err = make_result(table->port, &conf->fwd, &conf->action, &result);
    if (err != 0)
        goto err_free;
    atomic_store(&entry->result, result);
    err = link_entry(table, entry);
    if (err != 0)
        goto err_free;
    soft_nic_interest_entry(entry, true);
    *out = entry;
    return 0;

err_free:
    entry->is_removed = true;
    soft_nic_entry_free(entry);
    return err;
}

int soft_nic_entry_update(struct soft_nic_entry *entry, const struct soft_nic_action *action,
                          const struct soft_nic_fwd *fwd)
{
    struct soft_nic_port *port = entry->table->port;
    struct soft_nic_result *result;
    int err = make_result(port, fwd, action, &result);

    if (err != 0)
        return err;
    result = exchange_result(port, &entry->result, result);
    soft_nic_interest_entry(entry, true);
    free_result(result);
    return 0;
}

int soft_nic_entry_remove(struct soft_nic_entry *entry)
{
    struct soft_nic_table *table = entry->table;
    int err = 0;

    if (entry->is_removed)
        return 0;
    pthread_mutex_lock(&table->lock);
    if (table->kind == SOFT_NIC_TABLE_HASH)
        unlink_hash(table, entry);
    else
        err = relist(table, entry, false);
    table->nentries -= err == 0 ? 1 : 0;
    pthread_mutex_unlock(&table->lock);
    if (err != 0)
        return err;
    /* Not before: a change of the root claims what it finds in the table. */
    soft_nic_interest_entry(entry, false);
    entry->is_removed = true;
    return 0;
}

void soft_nic_entry_free(struct soft_nic_entry *entry)
{
    if (entry == NULL)
        return;
    if (atomic_load(&entry->result) != NULL)
        soft_nic_port_quiesce(entry->table->port);
    free_result(atomic_load(&entry->result));
    free(entry->key);
    free(entry);
}

bool soft_nic_entry_tally(const struct soft_nic_entry *entry, struct soft_nic_tally *tally)
{
    if (!entry->counts)
        return false;
    tally->packets = atomic_load_explicit(&entry->packets, memory_order_relaxed);
    tally->bytes = atomic_load_explicit(&entry->bytes, memory_order_relaxed);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Ports
 */

int soft_nic_flow_open(struct soft_nic_port *port)
{
    struct soft_nic_toeplitz *toeplitz = malloc(sizeof(*toeplitz));

    port->flow = calloc(1, sizeof(*port->flow));
    if (port->flow == NULL || toeplitz == NULL) {
        free(toeplitz);
        free(port->flow);
        return soft_fail(-ENOMEM, "no memory for the steering of a port");
    }
    pthread_mutex_init(&port->flow->interest.lock, NULL);
    soft_nic_toeplitz_init(toeplitz, soft_nic_rss_default_key);
    atomic_store(&port->flow->toeplitz, toeplitz);
    return 0;
}

void soft_nic_port_clear(struct soft_nic_port *port)
{
    struct soft_nic_flow *flow = port->flow;
    struct soft_nic_result *fallback;
    struct soft_nic_out *outs;

    soft_nic_port_set_root(port, NULL);
    soft_nic_port_lock(port);
    outs = flow->outs;
    flow->outs = NULL;
    soft_nic_port_unlock(port);
    while (outs != NULL) {
        struct soft_nic_out *out = outs;

        outs = out->next;
        atomic_fetch_sub(&port->sleepers, 1);
        soft_nic_txq_close(out->tx);
        soft_nic_port_release(out->to);
        free(out);
    }
    fallback = exchange_result(port, &flow->fallback, NULL);
    soft_nic_interest_update(port);
    free_result(fallback);
    atomic_store(&flow->missed_packets, 0);
    atomic_store(&flow->missed_bytes, 0);
}

void soft_nic_flow_close(struct soft_nic_port *port)
{
    soft_nic_port_clear(port);
    free(atomic_load(&port->flow->toeplitz));
    free(atomic_load(&port->flow->room));
    pthread_mutex_destroy(&port->flow->interest.lock);
    free(port->flow);
}

void soft_nic_port_set_root(struct soft_nic_port *port, struct soft_nic_table *table)
{
    atomic_store(&port->flow->root, table);
    soft_nic_port_quiesce(port);
    soft_nic_interest_update(port);
}

int soft_nic_port_set_default(struct soft_nic_port *port, const struct soft_nic_fwd *fwd)
{
    struct soft_nic_result *result;
    int err = make_result(port, fwd, NULL, &result);

    if (err != 0)
        return err;
    result = exchange_result(port, &port->flow->fallback, result);
    soft_nic_interest_update(port);
    free_result(result);
    return 0;
}

void soft_nic_port_misses(const struct soft_nic_port *port, struct soft_nic_tally *tally)
{
    tally->packets = atomic_load_explicit(&port->flow->missed_packets, memory_order_relaxed);
    tally->bytes = atomic_load_explicit(&port->flow->missed_bytes, memory_order_relaxed);
}

void soft_nic_port_set_id(struct soft_nic_port *port, uint16_t id)
{
    atomic_store(&port->flow->id, id);
}

void soft_nic_port_set_rss_key(struct soft_nic_port *port, const uint8_t key[SOFT_NIC_RSS_KEY])
{
    struct soft_nic_toeplitz *toeplitz = malloc(sizeof(*toeplitz)), *old;

    if (toeplitz == NULL)
        return; /* the key that there is spreads as well */
    soft_nic_toeplitz_init(toeplitz, key);
    old = atomic_exchange(&port->flow->toeplitz, toeplitz);
    soft_nic_port_quiesce(port);
    free(old);
}
