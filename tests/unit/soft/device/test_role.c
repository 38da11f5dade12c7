/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* This program is a DPU program, by the note that the DPU flavour of the headers leaves in it. */
#undef OPENDOCA_NO_ROLE_NOTE
#include <flavour/dpu/doca_build_config.h>

#include "soft/device/device.h"
#include "lib/in_child.h"

static bool is_dpu(void)
{
    enum soft_role role = 0;

    CHILD_CHECK(soft_device_role(&role) == 0);
    CHILD_CHECK(role == SOFT_ROLE_DPU);
    return true;
}

static bool is_host_and_stays_so(void)
{
    enum soft_role role = 0;

    CHILD_CHECK(soft_device_role(&role) == 0);
    CHILD_CHECK(role == SOFT_ROLE_HOST);
    setenv("OPENDOCA_ROLE", "dpu", 1);
    CHILD_CHECK(soft_device_role(&role) == 0);
    CHILD_CHECK(role == SOFT_ROLE_HOST);
    return true;
}

static bool is_refused(void)
{
    enum soft_role role = 0;

    CHILD_CHECK(soft_device_role(&role) == -EINVAL);
    CHILD_CHECK(role == SOFT_ROLE_DPU);
    CHILD_CHECK(strcmp(soft_reason(), "OPENDOCA_ROLE is \"DPU\", allowed: \"host\", \"dpu\"") == 0);
    CHILD_CHECK(soft_device_role(&role) == -EINVAL);
    return true;
}

static void the_note_decides(void **state)
{
    (void)state;
    assert_int_equal(in_child(NULL, NULL, is_dpu), 0);
    assert_int_equal(in_child(NULL, "", is_dpu), 0);
}

static void the_variable_overrides_it(void **state)
{
    (void)state;
    assert_int_equal(in_child(NULL, "dpu", is_dpu), 0);
    assert_int_equal(in_child(NULL, "host", is_host_and_stays_so), 0);
}

static void an_unknown_role_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(in_child(NULL, "DPU", is_refused), 0);
}

static void roles_have_names(void **state)
{
    (void)state;
    assert_string_equal(soft_role_name(SOFT_ROLE_HOST), "host");
    assert_string_equal(soft_role_name(SOFT_ROLE_DPU), "dpu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_note_decides),
        cmocka_unit_test(the_variable_overrides_it),
        cmocka_unit_test(an_unknown_role_is_an_error),
        cmocka_unit_test(roles_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
