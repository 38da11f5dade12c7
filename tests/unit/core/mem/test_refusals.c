/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem_test.h"

#include <doca_rdma_bridge.h>
#include <doca_uar.h>
#include <doca_umem.h>

static char memory[64];

static void register_pages_do_not_exist(void **state)
{
    struct doca_uar *uar = GARBAGE;
    struct doca_dpa *dpa = (struct doca_dpa *)memory;
    const enum doca_uar_allocation_type type = DOCA_UAR_ALLOCATION_TYPE_NONCACHE;

    (void)state;
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_uar_create(devs[0], type, &uar));
    said("doca_uar_create");
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_uar_dpa_create(dpa, &uar));
    assert_ptr_equal(uar, GARBAGE);
    expect(DOCA_ERROR_INVALID_VALUE, doca_uar_create(NULL, type, &uar));
    expect(DOCA_ERROR_INVALID_VALUE, doca_uar_create(devs[0], type, NULL));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_uar_create(devs[0], (enum doca_uar_allocation_type)3, &uar));
    expect(DOCA_ERROR_INVALID_VALUE, doca_uar_dpa_create(NULL, &uar));
    expect(DOCA_ERROR_INVALID_VALUE, doca_uar_dpa_create(dpa, NULL));
}

static void region_calls_refuse_every_pointer(void **state)
{
    struct doca_uar *const pointers[] = {NULL, (struct doca_uar *)memory};
    uint32_t id;
    void *addr;

    (void)state;
    for (int i = 0; i < 2; i++) {
        expect(DOCA_ERROR_INVALID_VALUE, doca_uar_destroy(pointers[i]));
        expect(DOCA_ERROR_INVALID_VALUE, doca_uar_id_get(pointers[i], &id));
        expect(DOCA_ERROR_INVALID_VALUE, doca_uar_page_get(pointers[i], &addr));
        expect(DOCA_ERROR_INVALID_VALUE, doca_uar_reg_addr_get(pointers[i], &addr));
    }
}

static void user_memory_is_not_taken(void **state)
{
    struct doca_umem *umem = GARBAGE;
    struct doca_dpa *dpa = (struct doca_dpa *)memory;
    struct doca_gpu *gpu = (struct doca_gpu *)memory;

    (void)state;
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_umem_create(devs[0], memory, 64, 0x7f, &umem));
    said("doca_umem_create");
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_umem_dpa_create(dpa, 0, 64, 0, &umem));
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_umem_gpu_create(gpu, devs[0], memory, 64, 0, &umem));
    assert_ptr_equal(umem, GARBAGE);
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_create(NULL, memory, 64, 0, &umem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_create(devs[0], NULL, 64, 0, &umem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_create(devs[0], memory, 0, 0, &umem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_create(devs[0], memory, 64, 0x80, &umem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_create(devs[0], memory, 64, 0, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_dpa_create(NULL, 0, 64, 0, &umem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_dpa_create(dpa, 0, 0, 0, &umem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_gpu_create(NULL, devs[0], memory, 64, 0, &umem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_gpu_create(gpu, NULL, memory, 64, 0, &umem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_gpu_create(gpu, devs[0], NULL, 64, 0, &umem));
    expect(DOCA_ERROR_INVALID_VALUE, doca_umem_gpu_create(gpu, devs[0], memory, 64, 0x80, &umem));
}

static void user_memory_calls_refuse_every_pointer(void **state)
{
    struct doca_umem *const pointers[] = {NULL, (struct doca_umem *)memory};
    uint32_t number;
    void *addr;

    (void)state;
    for (int i = 0; i < 2; i++) {
        expect(DOCA_ERROR_INVALID_VALUE, doca_umem_destroy(pointers[i]));
        expect(DOCA_ERROR_INVALID_VALUE, doca_umem_get_id(pointers[i], &number));
        expect(DOCA_ERROR_INVALID_VALUE, doca_umem_get_size(pointers[i], &number));
        expect(DOCA_ERROR_INVALID_VALUE, doca_umem_get_address(pointers[i], &addr));
    }
}

static void nothing_is_backed_by_verbs(void **state)
{
    struct doca_mmap *map = started_map(memory, 64, 0);
    struct doca_buf_inventory *inventory = started_inventory(1);
    struct ibv_pd *pd = GARBAGE;
    struct doca_dev *dev = GARBAGE;
    struct doca_buf *buf;
    uint32_t key = 7;

    (void)state;
    ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 1, &buf));
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_bridge_get_dev_pd(devs[0], &pd));
    expect(DOCA_ERROR_BAD_STATE, doca_rdma_bridge_get_dev_pd((struct doca_dev *)memory, &pd));
    expect(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_dev_pd(NULL, &pd));
    expect(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_dev_pd(devs[0], NULL));
    expect(DOCA_ERROR_NOT_SUPPORTED,
           doca_rdma_bridge_open_dev_from_pd((struct ibv_pd *)memory, &dev));
    expect(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_open_dev_from_pd(NULL, &dev));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_rdma_bridge_open_dev_from_pd((struct ibv_pd *)memory, NULL));
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_bridge_get_buf_mkey(buf, devs[0], &key));
    expect(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_buf_mkey(buf, devs[1], &key));
    expect(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_buf_mkey(NULL, devs[0], &key));
    expect(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_buf_mkey(buf, NULL, &key));
    expect(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_buf_mkey(buf, devs[0], NULL));
    expect(DOCA_ERROR_NOT_SUPPORTED,
           doca_rdma_bridge_get_mmap_mkey_from_pd(map, (struct ibv_pd *)memory, &key));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_rdma_bridge_get_mmap_mkey_from_pd(NULL, (struct ibv_pd *)memory, &key));
    expect(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_mmap_mkey_from_pd(map, NULL, &key));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_rdma_bridge_get_mmap_mkey_from_pd(map, (struct ibv_pd *)memory, NULL));
    assert_ptr_equal(pd, GARBAGE);
    assert_ptr_equal(dev, GARBAGE);
    assert_int_equal(key, 7);
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_buf_inventory_destroy(inventory));
    ok(doca_mmap_destroy(map));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(register_pages_do_not_exist),
        cmocka_unit_test(region_calls_refuse_every_pointer),
        cmocka_unit_test(user_memory_is_not_taken),
        cmocka_unit_test(user_memory_calls_refuse_every_pointer),
        cmocka_unit_test(nothing_is_backed_by_verbs),
    };

    use_test_devices();
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
