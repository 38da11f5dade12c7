/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/copy/loop.h"

#define ROOM 3000u

static void check_copy(soft_copy_loop_fn fn, size_t len, size_t from, size_t to)
{
    static char src[ROOM], dst[ROOM], expected[ROOM];

    for (size_t i = 0; i < ROOM; i++)
        src[i] = (char)(i * 7 + i / 256);
    memset(dst, 0x55, ROOM);
    memset(expected, 0x55, ROOM);
    memcpy(expected + to, src + from, len);
    fn(dst + to, src + from, len);
    assert_memory_equal(dst, expected, ROOM);
}

static void copy_short(void *dst, const void *src, size_t len)
{
    soft_copy_short(dst, src, len);
}

static void every_loop_copies_every_length_exactly(void **state)
{
    soft_copy_loop_fn fns[SOFT_COPY_LOOPS + 1] = {copy_short};

    (void)state;
    for (int i = 0; i < SOFT_COPY_LOOPS; i++)
        fns[i + 1] = soft_copy_loop_get((enum soft_copy_loop)i);
    for (size_t f = 0; f <= SOFT_COPY_LOOPS; f++) {
        for (size_t len = 0; len < 2200 && fns[f] != NULL; len += len < 300 ? 1 : 97)
            check_copy(fns[f], len, len % 67, len % 71);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loop_copies_every_length_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
