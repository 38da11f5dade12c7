/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "soft/link/tcp/store.h"

static struct soft_tcp_store store;

static int setup(void **state)
{
    (void)state;
    return soft_tcp_store_open(&store, 3);
}

static int teardown(void **state)
{
    (void)state;
    soft_tcp_store_close(&store);
    return 0;
}

static char *put(const char *text)
{
    char *bytes;

    assert_int_equal(soft_tcp_store_room(&store, (uint32_t)strlen(text), &bytes), 0);
    memcpy(bytes, text, strlen(text));
    soft_tcp_store_commit(&store);
    return bytes;
}

static void expect(const char *text)
{
    const void *bytes;
    uint32_t len;

    assert_int_equal(soft_tcp_store_peek(&store, &bytes, &len), 0);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(bytes, text, len);
    soft_tcp_store_take(&store);
}

static int peek(void)
{
    const void *bytes;
    uint32_t len;

    return soft_tcp_store_peek(&store, &bytes, &len);
}

static void what_is_put_in_comes_out_in_order(void **state)
{
    (void)state;
    assert_int_equal(peek(), -EAGAIN);
    for (unsigned int i = 0; i < 20; i++) {
        put("first");
        put("");
        expect("first");
        expect("");
    }
    assert_int_equal(peek(), -EAGAIN);
}

static void a_message_shows_when_it_is_complete(void **state)
{
    char *bytes;

    (void)state;
    assert_int_equal(soft_tcp_store_room(&store, 4, &bytes), 0);
    assert_int_equal(peek(), -EAGAIN);
    memcpy(bytes, "full", 4);
    soft_tcp_store_commit(&store);
    expect("full");
}

static void more_than_the_depth_is_refused(void **state)
{
    char *bytes;

    (void)state;
    put("a");
    put("b");
    put("c");
    assert_int_equal(soft_tcp_store_room(&store, 1, &bytes), -EBADMSG);
    expect("a");
    put("d");
    assert_int_equal(soft_tcp_store_room(&store, 1, &bytes), -EBADMSG);
}

static void the_buffer_used_last_is_used_next(void **state)
{
    char *first, *second;

    (void)state;
    first = put("a");
    second = put("b");
    assert_ptr_not_equal(first, second);
    expect("a");
    expect("b");
    assert_ptr_equal(put("c"), second);
}

static void the_end_comes_last_and_once(void **state)
{
    char *bytes;

    (void)state;
    put("a");
    put("b");
    put("c");
    assert_int_equal(soft_tcp_store_end(&store), 0);
    assert_int_equal(soft_tcp_store_end(&store), -EBADMSG);
    expect("a");
    assert_int_equal(soft_tcp_store_room(&store, 1, &bytes), -EBADMSG);
    expect("b");
    expect("c");
    assert_int_equal(peek(), -ESHUTDOWN);
    assert_int_equal(atomic_load(&store.taken), 3);
    soft_tcp_store_take(&store);
    assert_int_equal(atomic_load(&store.taken), 4);
    soft_tcp_store_take(&store);
    assert_int_equal(atomic_load(&store.taken), 4);
    assert_int_equal(peek(), -ESHUTDOWN);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(what_is_put_in_comes_out_in_order), CASE(a_message_shows_when_it_is_complete),
        CASE(more_than_the_depth_is_refused),    CASE(the_buffer_used_last_is_used_next),
        CASE(the_end_comes_last_and_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
