/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <doca_version.h>
#include <opendoca.h>

static void the_library_has_the_version_of_its_headers(void **state)
{
    unsigned int major, minor, patch;
    char end;

    (void)state;
    assert_string_equal(doca_version_runtime(), doca_version());
    assert_int_equal(sscanf(doca_version_runtime(), "%u.%u.%4u%c", &major, &minor, &patch, &end),
                     3);
    assert_int_equal(major, DOCA_VERSION_MAJOR);
    assert_int_equal(minor, DOCA_VERSION_MINOR);
    assert_int_equal(patch, DOCA_VERSION_PATCH);
}

static void the_product_has_its_own_version(void **state)
{
    (void)state;
    assert_string_equal(opendoca_version(), OD_PRODUCT_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_has_the_version_of_its_headers),
        cmocka_unit_test(the_product_has_its_own_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
