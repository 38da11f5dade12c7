/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/copy/copy.h"

static struct od_waker waker;

static int setup(void **state)
{
    (void)state;
    unsetenv("OPENDOCA_COPY_ENGINE");
    unsetenv("OPENDOCA_COPY_THREADS");
    unsetenv("OPENDOCA_COPY_LOOP");
    unsetenv("OPENDOCA_FAULTS");
    return od_waker_open(&waker);
}

static int teardown(void **state)
{
    (void)state;
    od_waker_close(&waker);
    return 0;
}

/* Name of the engine that opens, or NULL. */
static const char *opens(const char *engine)
{
    struct soft_copy_conf conf = {0};
    struct soft_copy_chan *chan = NULL;
    const char *name;

    memcpy(conf.engine, engine, strlen(engine) + 1);
    if (soft_copy_open(&conf, 4, &waker, &chan) != 0)
        return NULL;
    name = chan->ops->name;
    chan->ops->close(chan);
    return name;
}

static int open_error(const char *engine)
{
    struct soft_copy_conf conf = {0};
    struct soft_copy_chan *chan = (struct soft_copy_chan *)&conf;
    int err;

    memcpy(conf.engine, engine, strlen(engine) + 1);
    err = soft_copy_open(&conf, 4, &waker, &chan);
    if (err == 0)
        chan->ops->close(chan);
    else
        assert_ptr_equal(chan, &conf); /* outputs are written on success only */
    return err;
}

static void every_slot_of_every_engine_is_filled(void **state)
{
    size_t n = 0;

    (void)state;
    for (const struct soft_copy_ops *const *ops = soft_copy_engines(); *ops != NULL; ops++, n++) {
        assert_ptr_equal(soft_copy_find((*ops)->name), *ops);
        assert_non_null((*ops)->open);
        assert_non_null((*ops)->close);
        assert_non_null((*ops)->submit);
        assert_non_null((*ops)->poll);
        assert_non_null((*ops)->pending);
        assert_non_null((*ops)->cancel);
        (*ops)->close(NULL);
    }
    assert_true(n >= 3);
    assert_null(soft_copy_find("warp"));
}

static void the_device_names_the_engine_and_the_environment_overrides_it(void **state)
{
    (void)state;
    assert_string_equal(opens(""), "threads");
    assert_string_equal(opens("inline"), "inline");
    setenv("OPENDOCA_COPY_ENGINE", "inline", 1);
    assert_string_equal(opens("threads"), "inline");
    setenv("OPENDOCA_COPY_ENGINE", "", 1);
    assert_string_equal(opens("threads"), "threads");
    setenv("OPENDOCA_FAULTS", "fail=1", 1);
    assert_string_equal(opens("threads"), "error");
    assert_string_equal(opens("error"), "error");
}

static void wrong_names_and_values_are_refused_with_a_reason(void **state)
{
    static const char *const wrong[][3] = {
        {"OPENDOCA_COPY_ENGINE", "warp", "inline"},
        {"OPENDOCA_COPY_ENGINE", "a-name-that-is-much-too-long", "OPENDOCA_COPY_ENGINE"},
        {"OPENDOCA_COPY_THREADS", "0", "1 to 64"},
        {"OPENDOCA_COPY_THREADS", "65", "'65'"},
        {"OPENDOCA_COPY_THREADS", "two", "'two'"},
        {"OPENDOCA_COPY_LOOP", "fastest", "movsb"},
        {"OPENDOCA_FAULTS", "explode=1", "explode=1"},
    };

    (void)state;
    assert_int_equal(open_error("warp"), -EINVAL);
    for (size_t i = 0; i < OD_ARRAY_SIZE(wrong); i++) {
        setenv(wrong[i][0], wrong[i][1], 1);
        assert_int_equal(open_error("threads"), -EINVAL);
        assert_non_null(strstr(soft_reason(), wrong[i][2]));
        unsetenv(wrong[i][0]);
    }
    assert_int_equal(open_error("threads"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_slot_of_every_engine_is_filled, setup, teardown),
        cmocka_unit_test_setup_teardown(
            the_device_names_the_engine_and_the_environment_overrides_it, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_names_and_values_are_refused_with_a_reason, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
