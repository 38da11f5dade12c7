/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "util/lock.h"

static void one_at_a_time_has_it(void **state)
{
    char path[] = "/tmp/util-lock-XXXXXX";
    int first = mkstemp(path), second = open(path, O_RDWR | O_CLOEXEC);

    (void)state;
    assert_true(first >= 0 && second >= 0);
    unlink(path);
    assert_int_equal(od_lock_file(first, 0), 0);
    assert_int_equal(od_lock_file(first, 0), 0);
    assert_int_equal(od_lock_file(second, 3), -EWOULDBLOCK);
    close(first);
    assert_int_equal(od_lock_file(second, 0), 0);
    close(second);
    assert_int_equal(od_lock_file(-1, 1000), -EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_at_a_time_has_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
