/* SPDX-License-Identifier: BSD-3-Clause */
/* What the steering of a port tells the kind of the port. */

#include "unit/soft/nic/port_rig.h"

#include "soft/nic/flow_priv.h"

static struct {
    struct rig rig;
    struct soft_nic_ops ops;
    struct soft_nic_table *table;
    int claims;       /* that are not given back */
    bool was_emptied; /* the table, before its last claim was given back */
} s;

static uint32_t count_entries(const struct soft_nic_table *table)
{
    const struct soft_nic_list *list = atomic_load(&table->list);
    uint32_t n = list != NULL ? list->n : 0;

    for (uint32_t i = 0; table->buckets != NULL && i <= table->mask; i++)
        n += atomic_load(&table->buckets[i]) != NULL;
    return n;
}

static int note_claim(struct soft_nic_backend *backend, const struct soft_nic_claim *claim, bool on)
{
    (void)backend;
    (void)claim;
    s.claims += on ? 1 : -1;
    if (!on)
        s.was_emptied = count_entries(s.table) == 0;
    return 0;
}

static int open_all(void **state)
{
    (void)state;
    memset(&s, 0, sizeof(s));
    rig_open(&s.rig, "loop");
    s.ops = *s.rig.port->backend->ops;
    s.ops.claim = note_claim;
    s.rig.port->backend->ops = &s.ops;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    rig_close(&s.rig);
    return 0;
}

/* A change of the root at any moment claims entries that it finds in the table. */
static void expect_no_claim_left(enum soft_nic_table_kind kind)
{
    const struct soft_nic_table_conf conf = {
        .kind = kind,
        .max_entries = 4,
        .open = {.dst_port = kind == SOFT_NIC_TABLE_HASH ? 0xffff : 0},
        .miss = {.kind = SOFT_NIC_FWD_KERNEL},
    };
    const struct soft_nic_entry_conf entry = {
        .mask = {.dst_port = 0xffff},
        .value = {.dst_port = 80},
        .fwd = {.kind = SOFT_NIC_FWD_QUEUES, .nqueues = 1},
    };
    struct soft_nic_entry *added;

    s.claims = 0;
    assert_int_equal(soft_nic_table_create(s.rig.port, &conf, &s.table), 0);
    soft_nic_port_set_root(s.rig.port, s.table);
    s.claims = 0; /* without a root all frames may have been claimed */
    assert_int_equal(soft_nic_entry_add(s.table, &entry, &added), 0);
    assert_int_equal(s.claims, 1);
    assert_int_equal(soft_nic_entry_remove(added), 0);
    assert_int_equal(s.claims, 0);
    assert_true(s.was_emptied);
    soft_nic_entry_free(added);
    soft_nic_table_destroy(s.table);
}

static void an_entry_of_a_list_gives_its_claim_back_once_it_is_out(void **state)
{
    (void)state;
    expect_no_claim_left(SOFT_NIC_TABLE_LIST);
}

static void so_does_one_found_by_hash(void **state)
{
    (void)state;
    expect_no_claim_left(SOFT_NIC_TABLE_HASH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_entry_of_a_list_gives_its_claim_back_once_it_is_out,
                                        open_all, close_all),
        cmocka_unit_test_setup_teardown(so_does_one_found_by_hash, open_all, close_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
