/* SPDX-License-Identifier: BSD-3-Clause */
/* What needs no service: every call refuses what is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <doca_urom_am.h>
#include <doca_urom_amo.h>
#include <doca_urom_coll.h>
#include <doca_urom_ops.h>
#include <doca_urom_rma.h>

#define refuses(call) assert_int_equal(call, DOCA_ERROR_INVALID_VALUE)

static char something[64];

static void region_done(struct doca_urom_ops_region *region, doca_error_t status, void *user_data)
{
    (void)region;
    (void)status;
    (void)user_data;
    fail();
}

static void regions(void **state)
{
    struct doca_urom_ops_region_info info;
    struct doca_urom_ops_region *region;
    struct doca_urom_ops *ops;
    const void *desc;
    size_t len;

    (void)state;
    refuses(doca_urom_ops_create(NULL, (void *)something, 1, &ops));
    refuses(doca_urom_ops_create((void *)something, NULL, 1, &ops));
    refuses(doca_urom_ops_create((void *)something, (void *)something, 1, NULL));
    refuses(doca_urom_ops_destroy(NULL));
    assert_int_equal(doca_urom_ops_get_inflight(NULL), 0);
    refuses(doca_urom_ops_region_create(NULL, something, 1, 0, region_done, NULL, &region));
    refuses(doca_urom_ops_region_attach(NULL, something, 1, region_done, NULL, &region));
    refuses(doca_urom_ops_region_attach_domain(NULL, 1, 1, region_done, NULL, &region));
    refuses(doca_urom_ops_region_destroy(NULL, NULL, NULL));
    refuses(doca_urom_ops_region_get_desc(NULL, &desc, &len));
    refuses(doca_urom_ops_region_get_info(NULL, &info));
}

static void operations(void **state)
{
    const struct doca_urom_coll_place nowhere = {NULL, 0};
    struct doca_urom_coll_team *team;
    struct doca_urom_amo amo = {.size = 8};
    const uint64_t id = 1;
    size_t len;

    (void)state;
    refuses(doca_urom_rma_put(NULL, NULL, 0, NULL, 0, 8, 0, NULL, NULL));
    refuses(doca_urom_rma_get(NULL, NULL, 0, NULL, 0, 8, 0, NULL, NULL));
    refuses(doca_urom_rma_put_inline(NULL, something, 8, NULL, 0, 0, NULL, NULL));
    refuses(doca_urom_rma_get_inline(NULL, NULL, 0, 8, 0, NULL, NULL));
    refuses(doca_urom_rma_flush(NULL, NULL, NULL));
    refuses(doca_urom_amo_post(NULL, &amo, NULL, NULL));
    refuses(doca_urom_am_get_max_len(NULL, &len));
    refuses(doca_urom_coll_team_create(NULL, 1, 1, &id, 1, NULL, NULL, &team));
    refuses(doca_urom_coll_team_destroy(NULL, NULL, NULL));
    refuses(doca_urom_coll_barrier(NULL, NULL, NULL));
    refuses(doca_urom_coll_bcast(NULL, 0, nowhere, 8, NULL, NULL));
    refuses(doca_urom_coll_allgather(NULL, nowhere, nowhere, 8, NULL, NULL));
    refuses(doca_urom_coll_alltoall(NULL, nowhere, nowhere, 8, NULL, NULL));
    refuses(doca_urom_coll_allreduce(NULL, nowhere, nowhere, 1, DOCA_UROM_COLL_INT64,
                                     DOCA_UROM_COLL_SUM, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions),
        cmocka_unit_test(operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
