/* SPDX-License-Identifier: BSD-3-Clause */
/* Two cards, and devices that lack abilities. The devices file is cards.json. */

#include "importer.h"

#define SIZE 1000u

/* Order of the DPU's devices in the file. */
enum { PAIRED, OTHER_CARD, NO_EXPORT, NO_IMPORT, DEVICES };

static struct doca_dev *open_device(uint32_t which)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t n;

    assert_ok(doca_devinfo_create_list(&list, &n));
    assert_int_equal(n, DEVICES);
    assert_ok(doca_dev_open(list[which], &dev));
    assert_ok(doca_devinfo_destroy_list(list));
    return dev;
}

static doca_error_t import_on(uint32_t which, const struct peer_memory *memory)
{
    struct doca_dev *dev = open_device(which);
    struct doca_mmap *map;
    doca_error_t result =
        doca_mmap_create_from_export(NULL, memory->desc, memory->desc_len, dev, &map);

    if (result == DOCA_SUCCESS)
        assert_ok(doca_mmap_destroy(map));
    assert_ok(doca_dev_close(dev));
    return result;
}

static void only_the_paired_card_imports(void **state)
{
    struct peer peer;
    struct peer_memory memory;

    (void)state;
    peer_start(&peer, "host", NULL);
    peer_export(&peer, 1, PEER_HEAP, SIZE, 0, DOCA_ACCESS_FLAG_PCI_READ_ONLY, &memory);
    assert_ok(import_on(PAIRED, &memory));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, import_on(OTHER_CARD, &memory));
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, import_on(NO_IMPORT, &memory));
    assert_ok(import_on(NO_EXPORT, &memory));
    peer_quit(&peer);
}

static void export_has_its_rules(void **state)
{
    struct doca_dev *dev = open_device(PAIRED), *other = open_device(OTHER_CARD);
    struct doca_dev *without = open_device(NO_EXPORT);
    struct doca_mmap *map;
    char memory[SIZE];
    const void *desc = NULL;
    size_t len = 0;

    (void)state;
    map = make_map(dev, memory, SIZE, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(map, dev, &desc, &len));
    assert_ok(doca_mmap_destroy(map));
    map = make_map(dev, memory, SIZE, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    assert_doca(DOCA_ERROR_NOT_FOUND, doca_mmap_export_pci(map, other, &desc, &len));
    assert_ok(doca_mmap_export_pci(map, dev, &desc, &len));
    assert_ok(doca_mmap_destroy(map));
    map = make_map(without, memory, SIZE, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    assert_doca(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_pci(map, without, &desc, &len));
    assert_ok(doca_mmap_stop(map));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(map, without, &desc, &len));
    assert_ok(doca_mmap_destroy(map));
    assert_ok(doca_dev_close(without));
    assert_ok(doca_dev_close(other));
    assert_ok(doca_dev_close(dev));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_paired_card_imports),
        cmocka_unit_test(export_has_its_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
