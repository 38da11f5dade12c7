/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "util/lock.h"

static int nap_ms; /* of a busy machine */
static unsigned int naps;

/* Instead of the system's. */
int poll(struct pollfd *fds, nfds_t nfds, int ms)
{
    struct timespec limit = {.tv_nsec = 1000000l * (nap_ms > 0 ? nap_ms : ms)};

    naps++;
    return ppoll(fds, nfds, &limit, NULL);
}

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

static void a_wait_is_no_longer_where_naps_are_long(void **state)
{
    char path[] = "/tmp/util-lock-XXXXXX";
    int first = mkstemp(path), second = open(path, O_RDWR | O_CLOEXEC);

    (void)state;
    assert_true(first >= 0 && second >= 0);
    unlink(path);
    assert_int_equal(od_lock_file(first, 0), 0);
    nap_ms = 10;
    naps = 0;
    assert_int_equal(od_lock_file(second, 300), -EWOULDBLOCK);
    assert_in_range(naps, 30, 60);
    nap_ms = 300; /* stands still */
    naps = 0;
    assert_int_equal(od_lock_file(second, 30), -EWOULDBLOCK);
    assert_int_equal(naps, 3);
    nap_ms = 0;
    close(second);
    close(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_at_a_time_has_it),
        cmocka_unit_test(a_wait_is_no_longer_where_naps_are_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
