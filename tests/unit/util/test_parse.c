/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/parse.h"

static void numbers_are_taken_whole_or_not_at_all(void **state)
{
    int64_t i = 7;
    uint64_t u = 7;

    (void)state;
    assert_int_equal(od_parse_i64("-9223372036854775808", &i), 0);
    assert_true(i == INT64_MIN);
    assert_int_equal(od_parse_i64("-9223372036854775809", &i), -ERANGE);
    assert_int_equal(od_parse_i64("12abc", &i), -EINVAL);
    assert_int_equal(od_parse_i64("0x40", &i), -EINVAL);
    assert_int_equal(od_parse_i64("", &i), -EINVAL);
    assert_int_equal(od_parse_i64("-", &i), -EINVAL);
    assert_int_equal(od_parse_u64("-1", &u), -EINVAL);
    assert_int_equal(od_parse_u64("18446744073709551616", &u), -ERANGE);
    assert_int_equal(u, 7);
    assert_int_equal(od_parse_size("4K", &u), 0);
    assert_int_equal(u, 4096);
    assert_int_equal(od_parse_size("K", &u), -EINVAL);
    assert_int_equal(od_parse_size("99999999999G", &u), -ERANGE);
}

static void pci_addresses_have_two_forms(void **state)
{
    struct od_pci_addr a, b;
    char text[OD_PCI_ADDR_TEXT];

    (void)state;
    assert_int_equal(od_parse_pci_addr("0000:AF:1f.7", &a), 0);
    assert_int_equal(od_parse_pci_addr("af:1F.7", &b), 0);
    assert_true(od_pci_addr_equal(&a, &b));
    od_format_pci_addr(&a, text);
    assert_string_equal(text, "0000:af:1f.7");
    assert_int_equal(od_parse_pci_addr("03:0.0", &a), -EINVAL);
    assert_int_equal(od_parse_pci_addr("mlx5_0", &a), -EINVAL);
    assert_int_equal(od_parse_pci_addr("0000:03:20.0", &a), -EINVAL);
    assert_int_equal(od_parse_pci_addr("03:00.8", &a), -EINVAL);
    assert_int_equal(od_parse_pci_addr("03:00.0 ", &a), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_taken_whole_or_not_at_all),
        cmocka_unit_test(pci_addresses_have_two_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
