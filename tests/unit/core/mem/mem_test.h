/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_UNIT_CORE_MEM_MEM_TEST_H_
#define OD_TESTS_UNIT_CORE_MEM_MEM_TEST_H_

/* What the tests of memory maps and buffers share: a set of devices, and shorthands. */

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <opendoca.h>

#define expect(code, call) assert_int_equal(call, code)
#define ok(call)           expect(DOCA_SUCCESS, call)

/* Objects must not depend on what was in memory before. */
#define GARBAGE ((void *)(uintptr_t)0xa5a5a5a5a5a5a5a5u)

/* The last failure of this thread says `text`. */
static inline void said(const char *text)
{
    if (strstr(opendoca_last_error(), text) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", opendoca_last_error(), text);
}

enum {
    DEV_MAIN,       /* card0 */
    DEV_SECOND,     /* card0 too */
    DEV_OTHER_CARD, /* card1 */
    DEV_INCAPABLE,  /* card0, neither exports nor imports, short access tokens */
    DEV_NUM
};

static struct doca_dev *devs[DEV_NUM];

static const char devices_file[] =
    "{\"devices\": ["
    "{\"role\": \"dpu\", \"pci\": \"0000:03:00.0\", \"card\": \"card0\"},"
    "{\"role\": \"host\", \"pci\": \"0000:b1:00.0\", \"card\": \"card0\"},"
    "{\"role\": \"host\", \"pci\": \"0000:b1:00.1\", \"card\": \"card0\"},"
    "{\"role\": \"host\", \"pci\": \"0000:c1:00.0\", \"card\": \"card1\"},"
    "{\"role\": \"host\", \"pci\": \"0000:d1:00.0\", \"card\": \"card0\", \"caps\": {"
    "\"mmap_export_pci\": false, \"mmap_from_export_pci\": false, \"max_access_token_size\": 0}}"
    "]}";

/* Before the first call of the library. */
static inline void use_test_devices(void)
{
    int fd = memfd_create("devices.json", 0);
    char path[64];

    if (fd < 0 || write(fd, devices_file, strlen(devices_file)) != (ssize_t)strlen(devices_file))
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    setenv("OPENDOCA_CONFIG", path, 1);
    setenv("OPENDOCA_ROLE", "host", 1);
    mallopt(M_PERTURB, 0x5a); /* fresh memory is 0xa5 */
}

static inline int open_devices(void **state)
{
    static const char *const addrs[DEV_NUM] = {"0000:b1:00.0", "0000:b1:00.1", "0000:c1:00.0",
                                               "0000:d1:00.0"};
    struct doca_devinfo **list;
    uint32_t num;
    uint8_t equal;

    (void)state;
    if (doca_devinfo_create_list(&list, &num) != DOCA_SUCCESS)
        return -1;
    for (uint32_t i = 0; i < num; i++) {
        for (int k = 0; k < DEV_NUM; k++) {
            if (doca_devinfo_is_equal_pci_addr(list[i], addrs[k], &equal) == DOCA_SUCCESS && equal)
                doca_dev_open(list[i], &devs[k]);
        }
    }
    doca_devinfo_destroy_list(list);
    for (int k = 0; k < DEV_NUM; k++) {
        if (devs[k] == NULL)
            return -1;
    }
    return 0;
}

/* Fails when something still holds a device: nothing may leak a hold. */
static inline int close_devices(void **state)
{
    (void)state;
    for (int k = 0; k < DEV_NUM; k++) {
        if (doca_dev_close(devs[k]) != DOCA_SUCCESS)
            return -1;
    }
    return 0;
}

static inline struct doca_mmap *new_map(void *addr, size_t len, uint32_t access)
{
    struct doca_mmap *map = GARBAGE;

    ok(doca_mmap_create(&map));
    ok(doca_mmap_set_memrange(map, addr, len));
    ok(doca_mmap_set_permissions(map, access));
    ok(doca_mmap_add_dev(map, devs[DEV_MAIN]));
    return map;
}

static inline struct doca_mmap *started_map(void *addr, size_t len, uint32_t access)
{
    struct doca_mmap *map = new_map(addr, len, access);

    ok(doca_mmap_start(map));
    return map;
}

static inline struct doca_buf_inventory *started_inventory(size_t num)
{
    struct doca_buf_inventory *inventory = GARBAGE;

    ok(doca_buf_inventory_create(num, &inventory));
    ok(doca_buf_inventory_start(inventory));
    return inventory;
}

#endif /* OD_TESTS_UNIT_CORE_MEM_MEM_TEST_H_ */
