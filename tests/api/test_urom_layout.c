/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <doca_urom.h>

/*
 * Host and worker halves of a plugin are compiled apart, by their authors, and exchange these
 * structures as bytes: what is asserted here never changes.
 */

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#define AT(type, member, bytes)                                                                    \
    _Static_assert(offsetof(struct type, member) == (bytes), #type "." #member)

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8, "64-bit pointers");
_Static_assert(sizeof(doca_error_t) == 4, "a status takes four bytes");
_Static_assert(sizeof(doca_cpu_set_t) == 1024 / 8, "1024 CPUs");

SIZE(doca_urom_service_plugin_info, 64);
AT(doca_urom_service_plugin_info, id, 0);
AT(doca_urom_service_plugin_info, version, 8);
AT(doca_urom_service_plugin_info, plugin_name, 16);

SIZE(urom_worker_cmd, 24);
AT(urom_worker_cmd, type, 0);
AT(urom_worker_cmd, urom_context, 8);
AT(urom_worker_cmd, len, 16);
AT(urom_worker_cmd, plugin_cmd, 24);

SIZE(urom_worker_cmd_desc, 48);
AT(urom_worker_cmd_desc, entry, 0);
AT(urom_worker_cmd_desc, dest_id, 16);
AT(urom_worker_cmd_desc, worker_cmd, 24);
AT(urom_worker_cmd_desc, worker_cmd.plugin_cmd, 48);

SIZE(urom_worker_notify, 32);
AT(urom_worker_notify, type, 0);
AT(urom_worker_notify, urom_context, 8);
AT(urom_worker_notify, len, 16);
AT(urom_worker_notify, status, 24);
AT(urom_worker_notify, reserved, 28);
AT(urom_worker_notify, plugin_notif, 32);

SIZE(urom_worker_notif_desc, 56);
AT(urom_worker_notif_desc, entry, 0);
AT(urom_worker_notif_desc, dest_id, 16);
AT(urom_worker_notif_desc, worker_notif, 24);
AT(urom_worker_notif_desc, worker_notif.plugin_notif, 56);

SIZE(urom_plugin_iface, 56);
AT(urom_plugin_iface, __doca_api_version, 0);
AT(urom_plugin_iface, open, 8);
AT(urom_plugin_iface, close, 16);
AT(urom_plugin_iface, addr, 24);
AT(urom_plugin_iface, worker_cmd, 32);
AT(urom_plugin_iface, progress, 40);
AT(urom_plugin_iface, notif_pack, 48);

SIZE(urom_domain_lookups_iface, 32);
AT(urom_domain_lookups_iface, addr_lookup, 0);
AT(urom_domain_lookups_iface, seg_lookup, 8);
AT(urom_domain_lookups_iface, memh_lookup, 16);
AT(urom_domain_lookups_iface, mkey_lookup, 24);

SIZE(urom_worker_ctx, 96);
AT(urom_worker_ctx, iface, 0);
AT(urom_worker_ctx, domain_iface, 56);
AT(urom_worker_ctx, plugin_ctx, 88);

enum { DOMAIN_ID = 7, SEGMENT = 3, ADDRESS = 0x1000 };

static char address_data, handle_data, key_data;

static doca_error_t addr_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, void **addr)
{
    assert_ptr_equal(ctx->plugin_ctx, ctx);
    assert_int_equal(domain_id, DOMAIN_ID);
    *addr = &address_data;
    return DOCA_SUCCESS;
}

static doca_error_t seg_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, uint64_t va,
                               int *seg)
{
    assert_ptr_equal(ctx->plugin_ctx, ctx);
    assert_int_equal(domain_id, DOMAIN_ID);
    assert_int_equal(va, ADDRESS);
    *seg = SEGMENT;
    return DOCA_ERROR_NOT_FOUND;
}

static doca_error_t memh_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                size_t *len, void **memh)
{
    assert_ptr_equal(ctx->plugin_ctx, ctx);
    assert_int_equal(domain_id, DOMAIN_ID);
    assert_int_equal(seg, SEGMENT);
    *len = 11;
    *memh = &handle_data;
    return DOCA_SUCCESS;
}

static doca_error_t mkey_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                size_t *len, void **rkey)
{
    assert_ptr_equal(ctx->plugin_ctx, ctx);
    assert_int_equal(domain_id, DOMAIN_ID);
    assert_int_equal(seg, SEGMENT);
    *len = 22;
    *rkey = &key_data;
    return DOCA_ERROR_INVALID_VALUE;
}

static void lookups_reach_the_worker_and_bring_back_its_answer(void **state)
{
    struct urom_worker_ctx ctx = {
        .domain_iface = {addr_lookup, seg_lookup, memh_lookup, mkey_lookup},
        .plugin_ctx = &ctx,
    };
    void *found = NULL;
    size_t len = 0;
    int seg = -1;

    (void)state;
    assert_int_equal(doca_urom_worker_domain_addr_lookup(&ctx, DOMAIN_ID, &found), DOCA_SUCCESS);
    assert_ptr_equal(found, &address_data);
    assert_int_equal(doca_urom_worker_domain_seg_lookup(&ctx, DOMAIN_ID, ADDRESS, &seg),
                     DOCA_ERROR_NOT_FOUND);
    assert_int_equal(seg, SEGMENT);
    assert_int_equal(doca_urom_worker_domain_memh_lookup(&ctx, DOMAIN_ID, SEGMENT, &len, &found),
                     DOCA_SUCCESS);
    assert_int_equal(len, 11);
    assert_ptr_equal(found, &handle_data);
    assert_int_equal(doca_urom_worker_domain_mkey_lookup(&ctx, DOMAIN_ID, SEGMENT, &len, &found),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(len, 22);
    assert_ptr_equal(found, &key_data);
}

static void a_plugin_stamps_its_interface_with_the_version_of_the_headers(void **state)
{
    struct urom_plugin_iface iface = {0};

    (void)state;
    DOCA_STRUCT_CTOR(iface);
    assert_int_equal(iface.__doca_api_version, DOCA_VERSION_EXACT);
}

static void cpu_sets_hold_what_is_put_in(void **state)
{
    doca_cpu_set_t set;

    (void)state;
    DOCA_CPU_ZERO(&set);
    assert_false(doca_cpu_is_set(5, &set));
    DOCA_CPU_SET(5, &set);
    DOCA_CPU_SET(1023, &set);
    DOCA_CPU_SET(1024, &set);
    assert_true(doca_cpu_is_set(5, &set));
    assert_false(doca_cpu_is_set(6, &set));
    assert_true(doca_cpu_is_set(1023, &set));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookups_reach_the_worker_and_bring_back_its_answer),
        cmocka_unit_test(a_plugin_stamps_its_interface_with_the_version_of_the_headers),
        cmocka_unit_test(cpu_sets_hold_what_is_put_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
