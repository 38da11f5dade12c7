/* SPDX-License-Identifier: BSD-3-Clause */
#include "mem_test.h"

#include <poll.h>
#include <sys/wait.h>
#include <time.h>

#include <doca_log.h>

#include "core/core_priv.h"
#include "lib/seconds.h"
#include "soft/link/link.h"
#include "soft/peer/desc.h"

static char memory[4 * 4096];

/* An export of one map, and a copy of its descriptor. */
struct exported {
    struct doca_mmap *map;
    uint8_t desc[SOFT_PEER_DESC_MAX + 64];
    size_t len;
};

static struct exported export_range(void *addr, size_t len, uint32_t access)
{
    struct exported exp = {.map = started_map(addr, len, access)};
    const void *desc = GARBAGE;

    ok(doca_mmap_export_pci(exp.map, devs[DEV_MAIN], &desc, &exp.len));
    assert_true(exp.len > 0 && exp.len <= 512);
    memcpy(exp.desc, desc, exp.len);
    return exp;
}

static doca_error_t import(const void *desc, size_t len, int dev, struct doca_mmap **map)
{
    *map = NULL;
    return doca_mmap_create_from_export(NULL, desc, len, devs[dev], map);
}

/* Reads through an import, as a data path does. */
static int read_remote(struct doca_mmap *map, void *to, void *from, size_t len)
{
    const struct iovec local = {to, len};
    const struct iovec remote = {from, len};

    return soft_peer_readv(map->peer, &local, 1, &remote, 1);
}

/* ------------------------------------------------------------------------------------------------
 * Export
 */

static void null_is_refused_everywhere(void **state)
{
    struct exported exp = export_range(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    struct doca_mmap *map = exp.map, *imported = GARBAGE;
    struct doca_devinfo *info = doca_dev_as_devinfo(devs[0]);
    const void *desc;
    size_t len;
    uint8_t flag;

    (void)state;
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_pci(NULL, devs[0], &desc, &len));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_pci(map, NULL, &desc, &len));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_pci(map, devs[0], NULL, &len));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_pci(map, devs[0], &desc, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_rdma(NULL, devs[0], &desc, &len));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_rdma(map, NULL, &desc, &len));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_rdma(map, devs[0], NULL, &len));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_rdma(map, devs[0], &desc, NULL));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_mmap_create_from_export(NULL, NULL, exp.len, devs[0], &imported));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_mmap_create_from_export(NULL, exp.desc, 0, devs[0], &imported));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_mmap_create_from_export(NULL, exp.desc, exp.len, NULL, &imported));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_mmap_create_from_export(NULL, exp.desc, exp.len, (void *)memory, &imported));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_mmap_create_from_export(NULL, exp.desc, exp.len, devs[0], NULL));
    assert_ptr_equal(imported, GARBAGE);
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_cap_is_export_pci_supported(NULL, &flag));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_cap_is_export_pci_supported(info, NULL));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_mmap_cap_is_create_from_export_pci_supported(NULL, &flag));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_cap_is_create_from_export_pci_supported(info, NULL));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_cap_get_max_export_access_token_size(NULL, &len));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_cap_get_max_export_access_token_size(info, NULL));
    ok(doca_mmap_destroy(map));
}

static void capabilities_follow_the_device(void **state)
{
    uint8_t flag = 77;
    size_t size = 77;

    (void)state;
    for (int i = 0; i < 2; i++) {
        const int dev = i == 0 ? DEV_MAIN : DEV_INCAPABLE;
        const struct doca_devinfo *info = doca_dev_as_devinfo(devs[dev]);

        ok(doca_mmap_cap_is_export_pci_supported(info, &flag));
        assert_int_equal(flag, dev == DEV_MAIN);
        ok(doca_mmap_cap_is_create_from_export_pci_supported(info, &flag));
        assert_int_equal(flag, dev == DEV_MAIN);
        ok(doca_mmap_cap_get_max_export_access_token_size(info, &size));
        assert_true(dev == DEV_MAIN ? size > 0 : size == 0);
    }
}

/* The access mask decides which exports there are. */
static void export_needs_its_flag(void **state)
{
    (void)state;
    for (uint32_t mask = 0; mask < 128; mask++) {
        struct doca_mmap *map;
        const void *desc;
        size_t len;

        if ((mask & 0x30) == 0x30)
            continue;
        map = started_map(memory, 64, mask);
        expect((mask & 0x30) != 0 ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED,
               doca_mmap_export_pci(map, devs[0], &desc, &len));
        expect((mask & 0x0e) != 0 ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED,
               doca_mmap_export_rdma(map, devs[0], &desc, &len));
        ok(doca_mmap_destroy(map));
    }
}

static void refusal_names_map_side_and_flag(void **state)
{
    struct doca_mmap *map = started_map(memory, 64, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    const void *desc = GARBAGE;
    size_t len = 77;

    (void)state;
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(map, devs[0], &desc, &len));
    said(map->name);
    said("exporter's side");
    said("DOCA_ACCESS_FLAG_PCI_READ_ONLY");
    assert_ptr_equal(desc, GARBAGE);
    assert_int_equal(len, 77);
    ok(doca_mmap_destroy(map));
}

static void export_needs_a_started_map_and_its_device(void **state)
{
    struct doca_mmap *map = new_map(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    const void *desc;
    size_t len;

    (void)state;
    ok(doca_mmap_add_dev(map, devs[DEV_INCAPABLE]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(map, devs[DEV_MAIN], &desc, &len));
    ok(doca_mmap_start(map));
    expect(DOCA_ERROR_NOT_FOUND, doca_mmap_export_pci(map, devs[DEV_SECOND], &desc, &len));
    expect(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_pci(map, devs[DEV_INCAPABLE], &desc, &len));
    said("0000:d1:00.0");
    ok(doca_mmap_destroy(map));
}

static void exporting_again_gives_the_same_descriptor(void **state)
{
    struct doca_mmap *map = new_map(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    const void *desc, *again, *other;
    size_t len, again_len, other_len;
    uint8_t exported = 77;

    (void)state;
    ok(doca_mmap_add_dev(map, devs[DEV_SECOND]));
    ok(doca_mmap_start(map));
    ok(doca_mmap_get_exported(map, &exported));
    assert_int_equal(exported, 0);
    ok(doca_mmap_export_pci(map, devs[DEV_MAIN], &desc, &len));
    ok(doca_mmap_export_pci(map, devs[DEV_SECOND], &other, &other_len));
    ok(doca_mmap_export_pci(map, devs[DEV_MAIN], &again, &again_len));
    assert_int_equal(len, again_len);
    assert_memory_equal(desc, again, len);
    assert_true(other_len != len || memcmp(other, desc, len) != 0);
    ok(doca_mmap_get_exported(map, &exported));
    assert_int_equal(exported, 1);
    ok(doca_mmap_destroy(map));
}

static void exported_map_is_closed_for_good(void **state)
{
    struct exported exp = export_range(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    const union doca_data data = {.u64 = 1};
    const uint8_t token[1] = {1};
    struct doca_mmap *map = exp.map;
    const void *desc;
    uint8_t exported = 77;
    size_t len;

    (void)state;
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_start(map));
    expect(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(map, 0)); /* started comes first */
    ok(doca_mmap_stop(map));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(map));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(map, devs[0], &desc, &len));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_permissions(map, 0));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_user_data(map, data));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(map, devs[DEV_SECOND]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(map, devs[DEV_MAIN]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(map, 9));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(map, memory, 1));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_export_access_token(map, devs[0], token, 1));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(map));
    ok(doca_mmap_get_exported(map, &exported));
    assert_int_equal(exported, 1);
    ok(doca_mmap_destroy(map));
}

static void access_tokens_are_checked(void **state)
{
    struct doca_mmap *map = new_map(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    uint8_t token[4096] = {1, 2, 3};
    struct doca_mmap *imported;
    const void *desc;
    size_t max = 0, len;

    (void)state;
    ok(doca_mmap_cap_get_max_export_access_token_size(doca_dev_as_devinfo(devs[0]), &max));
    assert_true(max > 0 && max < sizeof(token));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_export_access_token(map, devs[0], token, 0));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_mmap_set_export_access_token(map, devs[0], token, max + 1));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_mmap_set_export_access_token(map, devs[DEV_INCAPABLE], token, 1));
    expect(DOCA_ERROR_NOT_FOUND,
           doca_mmap_set_export_access_token(map, devs[DEV_SECOND], token, 1));
    ok(doca_mmap_set_export_access_token(map, devs[0], token, max));
    ok(doca_mmap_set_export_access_token(map, devs[0], token, 3));
    ok(doca_mmap_start(map));
    ok(doca_mmap_export_pci(map, devs[0], &desc, &len));
    ok(import(desc, len, DEV_MAIN, &imported));
    ok(doca_mmap_destroy(imported));
    ok(doca_mmap_destroy(map));
}

/* ------------------------------------------------------------------------------------------------
 * Import
 */

static void an_engine_that_does_not_reach_the_memory_is_told(void **state)
{
    static char private[64];
    struct exported exp = export_range(private, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    struct doca_mmap *map;

    (void)state;
    setenv("OPENDOCA_PEER_ENGINE", "mapped", 1);
    expect(DOCA_ERROR_NOT_SUPPORTED, import(exp.desc, exp.len, DEV_MAIN, &map));
    unsetenv("OPENDOCA_PEER_ENGINE");
    said("memory is private");
    said("OPENDOCA_PEER_ENGINE");
    ok(doca_mmap_destroy(exp.map));
}

static void import_shows_the_exporters_range(void **state)
{
    struct exported exp = export_range(memory + 5, 1000, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    const union doca_data data = {.u64 = 0x77};
    union doca_data got = {.u64 = 0};
    struct doca_mmap *map = GARBAGE;
    uint8_t flag = 77;
    size_t len = 77;
    void *addr = NULL;
    uint32_t key = 0;

    (void)state;
    ok(doca_mmap_create_from_export(&data, exp.desc, exp.len, devs[DEV_MAIN], &map));
    ok(doca_mmap_get_memrange(map, &addr, &len));
    assert_ptr_equal(addr, memory + 5);
    assert_int_equal(len, 1000);
    ok(doca_mmap_get_user_data(map, &got));
    assert_true(got.u64 == 0x77);
    ok(doca_mmap_get_from_export(map, &flag));
    assert_int_equal(flag, 1);
    ok(doca_mmap_get_exported(map, &flag));
    assert_int_equal(flag, 0);
    ok(doca_mmap_get_mkey(map, devs[DEV_MAIN], &key));
    assert_true(key != 0);
    assert_true(core_mmap_can_read(map));
    assert_false(core_mmap_can_write(map));
    ok(doca_mmap_destroy(map));
    ok(import(exp.desc, exp.len, DEV_SECOND, &map)); /* another device of the card */
    ok(doca_mmap_get_user_data(map, &got));
    assert_true(got.u64 == 0);
    ok(doca_mmap_destroy(map));
    ok(doca_mmap_destroy(exp.map));
}

static void import_refuses_what_is_not_for_it(void **state)
{
    struct exported exp = export_range(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    const union doca_data data = {.u64 = 1};
    const uint8_t token[1] = {1};
    struct doca_mmap *map;
    const void *desc;
    size_t len;

    (void)state;
    ok(import(exp.desc, exp.len, DEV_MAIN, &map));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(map));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(map));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_permissions(map, 0));
    expect(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_permissions(map, 0x30)); /* values first */
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_user_data(map, data));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(map, devs[DEV_SECOND]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(map, devs[DEV_MAIN]));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(map, 9));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(map, memory, 1));
    expect(DOCA_ERROR_NOT_PERMITTED,
           doca_mmap_set_dpa_memrange(map, (struct doca_dpa *)memory, 1, 1));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_dmabuf_memrange(map, 0, memory, 0, 1));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_export_access_token(map, devs[0], token, 1));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(map));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(map, devs[0], &desc, &len));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_rdma(map, devs[0], &desc, &len));
    ok(doca_mmap_destroy(map));
    ok(doca_mmap_destroy(exp.map));
}

static void buffers_of_an_import_use_exporter_addresses(void **state)
{
    struct exported exp = export_range(memory + 7, 100, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    struct doca_buf_inventory *inventory = started_inventory(1);
    struct doca_mmap *map;
    struct doca_buf *buf;

    (void)state;
    ok(import(exp.desc, exp.len, DEV_MAIN, &map));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_get_by_addr(inventory, map, memory + 6, 1, &buf));
    expect(DOCA_ERROR_INVALID_VALUE,
           doca_buf_inventory_buf_get_by_addr(inventory, map, memory + 7, 101, &buf));
    ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory + 7, 100, &buf));
    expect(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(map));
    ok(doca_buf_dec_refcount(buf, NULL));
    ok(doca_mmap_destroy(map));
    ok(doca_buf_inventory_destroy(inventory));
    ok(doca_mmap_destroy(exp.map));
}

static void import_needs_a_capable_device_of_the_card(void **state)
{
    struct exported exp = export_range(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    struct doca_mmap *map;

    (void)state;
    expect(DOCA_ERROR_NOT_SUPPORTED, import(exp.desc, exp.len, DEV_INCAPABLE, &map));
    said("mmap_from_export_pci");
    expect(DOCA_ERROR_NOT_PERMITTED, import(exp.desc, exp.len, DEV_OTHER_CARD, &map));
    assert_null(map);
    ok(doca_mmap_destroy(exp.map));
}

static void rdma_export_is_imported_on_any_card(void **state)
{
    struct doca_mmap *map = started_map(memory, 64, DOCA_ACCESS_FLAG_RDMA_READ);
    struct doca_mmap *imported;
    const void *desc;
    size_t len;

    (void)state;
    ok(doca_mmap_export_rdma(map, devs[DEV_MAIN], &desc, &len));
    ok(import(desc, len, DEV_OTHER_CARD, &imported));
    assert_false(core_mmap_can_read(imported)); /* not for DMA */
    assert_false(core_mmap_can_write(imported));
    ok(doca_mmap_destroy(imported));
    ok(import(desc, len, DEV_INCAPABLE, &imported));
    ok(doca_mmap_destroy(imported));
    ok(doca_mmap_destroy(map));
}

static void descriptor_must_be_intact(void **state)
{
    struct exported exp = export_range(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    struct doca_mmap *map;

    (void)state;
    for (size_t bit = 0; bit < exp.len * 8; bit++) {
        exp.desc[bit / 8] ^= (uint8_t)(1u << bit % 8);
        expect(DOCA_ERROR_INVALID_VALUE, import(exp.desc, exp.len, DEV_MAIN, &map));
        exp.desc[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t len = 1; len < exp.len; len++)
        expect(DOCA_ERROR_INVALID_VALUE, import(exp.desc, len, DEV_MAIN, &map));
    for (size_t len = exp.len + 1; len <= sizeof(exp.desc); len++)
        expect(DOCA_ERROR_INVALID_VALUE, import(exp.desc, len, DEV_MAIN, &map));
    ok(import(exp.desc, exp.len, DEV_MAIN, &map));
    ok(doca_mmap_destroy(map));
    ok(doca_mmap_destroy(exp.map));
}

static void stop_and_destroy_revoke(void **state)
{
    (void)state;
    for (int by_stop = 0; by_stop < 2; by_stop++) {
        struct exported exp = export_range(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
        struct doca_buf_inventory *inventory = started_inventory(1);
        struct doca_mmap *map, *late;
        struct doca_buf *buf;
        char byte;

        ok(import(exp.desc, exp.len, DEV_MAIN, &map));
        assert_int_equal(read_remote(map, &byte, memory, 1), 0);
        if (by_stop)
            ok(doca_mmap_stop(exp.map));
        else
            ok(doca_mmap_destroy(exp.map));
        assert_true(read_remote(map, &byte, memory, 1) != 0);
        /* the import stays an object */
        ok(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, 64, &buf));
        ok(doca_buf_dec_refcount(buf, NULL));
        expect(DOCA_ERROR_NOT_PERMITTED, import(exp.desc, exp.len, DEV_MAIN, &late));
        ok(doca_mmap_destroy(map));
        ok(doca_buf_inventory_destroy(inventory));
        if (by_stop)
            ok(doca_mmap_destroy(exp.map));
    }
}

static void ranges_anywhere_in_a_page(void **state)
{
    uint32_t seed = 12345;
    char copy[sizeof(memory)];

    (void)state;
    for (size_t i = 0; i < sizeof(memory); i++)
        memory[i] = (char)(i * 7 + i / 256);
    for (int round = 0; round < 10000; round++) {
        struct doca_mmap *map;
        struct exported exp;
        size_t offset, len;

        seed = seed * 1664525 + 1013904223;
        offset = (seed >> 8) % 4096;
        seed = seed * 1664525 + 1013904223;
        len = 1 + (seed >> 8) % (sizeof(memory) - 4096);
        exp = export_range(memory + offset, len, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
        ok(import(exp.desc, exp.len, DEV_MAIN, &map));
        assert_ptr_equal(map->addr, memory + offset);
        assert_int_equal(map->len, len);
        assert_int_equal(read_remote(map, copy, memory + offset, len), 0);
        assert_memory_equal(copy, memory + offset, len);
        ok(doca_mmap_destroy(map));
        ok(doca_mmap_destroy(exp.map));
    }
}

/* ------------------------------------------------------------------------------------------------
 * Another process
 */

/* Runs in the other process: exports `memory`, hands out the descriptor, ends at the end of input.
 */
static int run_exporter(void)
{
    struct exported exp;
    char byte;

    if (open_devices(NULL) != 0)
        return 1;
    snprintf(memory, sizeof(memory), "from the other process");
    exp = export_range(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    if (write(1, exp.desc, exp.len) != (ssize_t)exp.len)
        return 1;
    while (read(0, &byte, 1) > 0)
        ;
    _exit(0);
}

struct exporter {
    pid_t pid;
    int input; /* closing it ends the process */
    uint8_t desc[SOFT_PEER_DESC_MAX];
    size_t len;
};

static struct exporter start_exporter(void)
{
    struct exporter exporter;
    int in[2], out[2];
    ssize_t got;

    assert_int_equal(pipe2(in, 0), 0);
    assert_int_equal(pipe2(out, 0), 0);
    exporter.pid = fork();
    assert_true(exporter.pid >= 0);
    if (exporter.pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        execl("/proc/self/exe", "exporter", "exporter", NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    got = read(out[0], exporter.desc, sizeof(exporter.desc));
    assert_true(got > 0);
    exporter.len = (size_t)got;
    exporter.input = in[1];
    close(out[0]);
    return exporter;
}

static void other_process_is_read_while_it_blocks(void **state)
{
    struct exporter exporter = start_exporter();
    struct doca_mmap *map, *late;
    char copy[64];
    int status;

    (void)state;
    ok(import(exporter.desc, exporter.len, DEV_MAIN, &map));
    assert_int_equal(read_remote(map, copy, map->addr, 64), 0);
    assert_string_equal(copy, "from the other process");
    close(exporter.input);
    assert_int_equal(waitpid(exporter.pid, &status, 0), exporter.pid);
    assert_int_equal(status, 0);
    assert_true(read_remote(map, copy, map->addr, 64) != 0);
    expect(DOCA_ERROR_DRIVER, import(exporter.desc, exporter.len, DEV_MAIN, &late));
    ok(doca_mmap_destroy(map));
}

static void await_line(int log, const char *text)
{
    const time_t end = whole_seconds_now() + 60;
    char lines[4096] = "";

    while (strstr(lines, text) == NULL && whole_seconds_now() < end) {
        assert_true(pread(log, lines, sizeof(lines) - 1, 0) >= 0);
        poll(NULL, 0, 1);
    }
    if (strstr(lines, text) == NULL)
        fail_msg("no \"%s\" in %s", text, lines);
}

/* Nobody has called when that happens. */
static void an_importer_that_is_refused_is_a_line_of_the_log(void **state)
{
    const struct soft_link_conf conf = {.max_msg = 1u << 20, .depth = 64};
    int log = memfd_create("log", MFD_CLOEXEC);
    struct doca_log_backend *backend;
    struct soft_peer_desc desc;
    struct soft_link *link;
    struct exported exp;
    char addr[80];

    (void)state;
    ok(doca_log_backend_create_with_fd_sdk(log, &backend));
    ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING));
    setenv("OPENDOCA_PEER_LISTEN", "127.0.0.1:0", 1);
    exp = export_range(memory, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    unsetenv("OPENDOCA_PEER_LISTEN");
    assert_int_equal(soft_peer_desc_parse(exp.desc, exp.len, &desc), 0);
    snprintf(addr, sizeof(addr), "tcp:%s", desc.remote);
    assert_int_equal(soft_link_connect(addr, &conf, "nonsense", 8, &link), 0);
    await_line(log, "importer is 127.0.0.1:");
    await_line(log, "refused: it does not speak this protocol: DOCA_ERROR_NOT_PERMITTED; use one "
                    "release on both hosts");
    soft_link_close(link);
    ok(doca_mmap_destroy(exp.map));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_refused_everywhere),
        cmocka_unit_test(capabilities_follow_the_device),
        cmocka_unit_test(export_needs_its_flag),
        cmocka_unit_test(refusal_names_map_side_and_flag),
        cmocka_unit_test(export_needs_a_started_map_and_its_device),
        cmocka_unit_test(exporting_again_gives_the_same_descriptor),
        cmocka_unit_test(exported_map_is_closed_for_good),
        cmocka_unit_test(access_tokens_are_checked),
        cmocka_unit_test(an_engine_that_does_not_reach_the_memory_is_told),
        cmocka_unit_test(import_shows_the_exporters_range),
        cmocka_unit_test(import_refuses_what_is_not_for_it),
        cmocka_unit_test(buffers_of_an_import_use_exporter_addresses),
        cmocka_unit_test(import_needs_a_capable_device_of_the_card),
        cmocka_unit_test(rdma_export_is_imported_on_any_card),
        cmocka_unit_test(descriptor_must_be_intact),
        cmocka_unit_test(stop_and_destroy_revoke),
        cmocka_unit_test(ranges_anywhere_in_a_page),
        cmocka_unit_test(other_process_is_read_while_it_blocks),
        cmocka_unit_test(an_importer_that_is_refused_is_a_line_of_the_log),
    };

    use_test_devices();
    if (argc > 1 && strcmp(argv[1], "exporter") == 0)
        return run_exporter();
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
