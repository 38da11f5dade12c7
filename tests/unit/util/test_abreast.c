/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/abreast.h"

static void bytes_lie_where_they_lie_in_their_page(void **state)
{
    static const size_t lens[] = {1, 4096, 100001};

    (void)state;
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        char *buffer = od_abreast_alloc(lens[i]);

        assert_non_null(buffer);
        for (uint64_t addr = 0x7000; addr < 0x9000; addr += 15) {
            char *at = od_abreast(buffer, addr);

            assert_int_equal(((uintptr_t)at - addr) % 4096, 0);
            assert_in_range(at - buffer, 0, 4095);
            memset(at, 1, lens[i]); /* it is all there */
        }
        free(buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_lie_where_they_lie_in_their_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
