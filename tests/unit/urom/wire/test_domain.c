/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "urom/wire/domain.h"

#define CAP 4096

/* One process with workers first, first + 1, ... of domain ids, each with plugins "a" and "b", and
 * two buffers. */
static size_t put_blob(uint8_t *buf, uint64_t first, uint32_t workers)
{
    struct urom_domain_blob head = {
        .size = sizeof(head), .workers = workers, .buffers = 2, .uid = 5};
    struct urom_domain_buffer buffer = {.size = sizeof(buffer), .va = 1000 * first, .len = 500};
    struct urom_out out = {buf, CAP, 0};

    memset(head.instance, (int)first, sizeof(head.instance));
    urom_out_bytes(&out, &head, sizeof(head));
    for (uint64_t id = first; id < first + workers; id++) {
        uint8_t addrs[512];
        struct urom_out list = {addrs, sizeof(addrs), 0};

        urom_domain_put_addr(&list, "a", 1, &id, sizeof(id));
        urom_domain_put_addr(&list, "b", 2, "xyz", 3);
        assert_int_equal(urom_domain_check_addrs(addrs, list.len), 0);
        urom_domain_put_worker(&out, id, 100 + id, addrs, list.len);
    }
    buffer.memh_len = 3;
    buffer.mkey_len = 9;
    urom_domain_put_buffer(&out, &buffer, "mem", "longer-key");
    buffer.va += 500;
    buffer.memh_len = buffer.mkey_len = 0;
    urom_domain_put_buffer(&out, &buffer, NULL, NULL);
    assert_true(urom_out_fits(&out));
    return out.len;
}

static uint8_t *make_table(uint64_t first_of_second, size_t *len)
{
    const struct urom_domain_table head = {.size = sizeof(head), .processes = 2};
    uint8_t *bytes = malloc(2 * CAP), blob[CAP];
    struct urom_out out = {bytes, 2 * CAP, 0};

    assert_non_null(bytes);
    urom_out_bytes(&out, &head, sizeof(head));
    urom_domain_put_process(&out, blob, put_blob(blob, 7, 2));
    urom_domain_put_process(&out, blob, put_blob(blob, first_of_second, 1));
    assert_true(urom_out_fits(&out));
    *len = out.len;
    return bytes;
}

static void everything_in_the_table_is_found_by_domain_id(void **state)
{
    const struct urom_table_worker *worker;
    struct urom_table *table;
    uint64_t id;
    size_t len;
    uint8_t *bytes = make_table(3, &len);

    (void)state;
    assert_int_equal(urom_table_parse(bytes, len, &table, &id), 0);
    assert_int_equal(table->nworkers, 3);
    worker = urom_table_find(table, 8);
    assert_non_null(worker);
    assert_int_equal(worker->worker_id, 108);
    assert_int_equal(worker->uid, 5);
    assert_int_equal(worker->instance[0], 7);
    assert_int_equal(worker->naddrs, 2);
    assert_string_equal(worker->addrs[1].name, "b");
    assert_int_equal(worker->addrs[1].len, 3);
    assert_memory_equal(worker->addrs[1].addr, "xyz", 3);
    assert_int_equal((uintptr_t)worker->addrs[1].addr % 8, 0);
    assert_int_equal(worker->nbuffers, 2);
    assert_int_equal(worker->buffers[0].va, 7000);
    assert_memory_equal(worker->buffers[0].mkey, "longer-ke", 9);
    assert_null(worker->buffers[1].memh);
    assert_int_equal(urom_table_find(table, 3)->buffers[0].va, 3000);
    assert_null(urom_table_find(table, 4));
    urom_table_free(table);
}

static void two_workers_with_one_domain_id_are_noticed(void **state)
{
    struct urom_table *table = NULL;
    uint64_t id = 0;
    size_t len;
    uint8_t *bytes = make_table(8, &len);

    (void)state;
    assert_int_equal(urom_table_parse(bytes, len, &table, &id), -EEXIST);
    assert_int_equal(id, 8);
    assert_null(table);
    free(bytes);
}

static void a_cut_table_is_refused_at_every_length(void **state)
{
    struct urom_table *table = NULL;
    uint64_t id;
    size_t len;
    uint8_t *bytes = make_table(3, &len);

    (void)state;
    for (size_t cut = 0; cut < len; cut++) {
        uint8_t *exact = malloc(cut + 1);

        assert_non_null(exact);
        memcpy(exact, bytes, cut);
        assert_int_equal(urom_table_parse(exact, cut, &table, &id), -EBADMSG);
        free(exact);
    }
    assert_null(table);
    free(bytes);
}

static void addresses_without_name_are_refused(void **state)
{
    struct urom_domain_addr addr = {.size = sizeof(addr)};

    (void)state;
    assert_int_equal(urom_domain_check_addrs(&addr, sizeof(addr)), -EBADMSG);
    addr.name[0] = 'x';
    assert_int_equal(urom_domain_check_addrs(&addr, sizeof(addr)), 0);
    addr.addr_len = 1;
    assert_int_equal(urom_domain_check_addrs(&addr, sizeof(addr)), -EBADMSG);
    memset(addr.name, 'x', sizeof(addr.name));
    addr.addr_len = 0;
    assert_int_equal(urom_domain_check_addrs(&addr, sizeof(addr)), -EBADMSG);
    assert_int_equal(urom_domain_check_addrs(&addr, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_in_the_table_is_found_by_domain_id),
        cmocka_unit_test(two_workers_with_one_domain_id_are_noticed),
        cmocka_unit_test(a_cut_table_is_refused_at_every_length),
        cmocka_unit_test(addresses_without_name_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
