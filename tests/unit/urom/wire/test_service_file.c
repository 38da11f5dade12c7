/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "urom/wire/service_file.h"

static int find(const char *text, struct urom_file_entry *entry, const char **why)
{
    static const char *const hosts[] = {"node1.example.org", "node1", "192.0.2.1"};
    static const struct od_pci_addr pcis[] = {{0, 0x03, 0, 0}, {0, 0xb1, 0, 0}};
    const struct urom_file_query query = {hosts, 3, pcis, 2};

    return urom_service_file_find(text, strlen(text), &query, entry, why);
}

static void the_first_line_for_host_and_device_counts(void **state)
{
    struct urom_file_entry entry;
    const char *why;

    (void)state;
    assert_int_equal(find("# services\n\n"
                          "node2 dpu far2 03:00.0 mlx5_0:1\n"
                          "node1 dpu far1 03:00.1 mlx5_0:1\n"
                          "node1 host far1 03:00.0 mlx5_0:1\n"
                          " NODE1\tDPU bf-1:18611  0000:03:00.0 mlx5_0:1,mlx5_1:1 # this\n"
                          "node1 dpu other 03:00.0 x\n",
                          &entry, &why),
                     0);
    assert_int_equal(entry.line, 6);
    assert_string_equal(entry.host, "bf-1:18611");
    assert_string_equal(entry.net_devices, "mlx5_0:1,mlx5_1:1");
}

static void either_side_of_the_card_is_found_also_by_address_and_without_newline(void **state)
{
    struct urom_file_entry entry;
    const char *why;

    (void)state;
    assert_int_equal(find("192.0.2.1 dpu unix:/run/x.sock B1:00.0 eth0", &entry, &why), 0);
    assert_string_equal(entry.host, "unix:/run/x.sock");
}

static void no_line_is_not_an_error_of_the_file(void **state)
{
    struct urom_file_entry entry;
    const char *why;

    (void)state;
    assert_int_equal(find("", &entry, &why), -ENOENT);
    assert_int_equal(find("   # nothing\n", &entry, &why), -ENOENT);
    assert_int_equal(find("node3 dpu far 03:00.0 eth0\n", &entry, &why), -ENOENT);
}

static void a_malformed_line_is_named(void **state)
{
    static const char *const bad[] = {
        "node1 dpu far 03:00.0\n", "node1 dpu far 03:00.0 eth0 more\n", "node1 dpu far 3 eth0\n",
        "node1 dpu far 03:00.0 "
        "eth0,eth1,eth2,eth3,eth4,eth5,eth6,eth7,eth8,eth9,eth10,eth11,eth12,eth13\n"};
    struct urom_file_entry entry;
    char text[512];
    const char *why;

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(bad); i++) {
        snprintf(text, sizeof(text), "# one\n%s", bad[i]);
        assert_int_equal(find(text, &entry, &why), -EINVAL);
        assert_int_equal(entry.line, 2);
        assert_non_null(why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_for_host_and_device_counts),
        cmocka_unit_test(either_side_of_the_card_is_found_also_by_address_and_without_newline),
        cmocka_unit_test(no_line_is_not_an_error_of_the_file),
        cmocka_unit_test(a_malformed_line_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
