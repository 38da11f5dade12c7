/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "soft/nic/spec.h"

static void all_parts_are_found(void **state)
{
    struct soft_nic_spec spec;
    uint64_t drop = 0, other = 7;

    (void)state;
    assert_int_equal(soft_nic_spec_parse("error:drop=3,seed=1K;af_packet:veth0,blocks=4", &spec),
                     0);
    assert_string_equal(spec.kind, "error");
    assert_string_equal(spec.where, "");
    assert_string_equal(spec.base, "af_packet:veth0,blocks=4");
    assert_int_equal(soft_nic_spec_number(&spec, "drop", 1, 10, &drop), 0);
    assert_int_equal(drop, 3);
    assert_int_equal(soft_nic_spec_number(&spec, "other", 1, 10, &other), 0);
    assert_int_equal(other, 7);
    assert_int_equal(soft_nic_spec_number(&spec, "seed", 1, 10, &other), -EINVAL);
    assert_int_equal(soft_nic_spec_parse("loop", &spec), 0);
    assert_string_equal(spec.where, "");
    assert_null(spec.base);
    assert_int_equal(soft_nic_spec_parse("loop:wire", &spec), 0);
    assert_string_equal(spec.where, "wire");
}

static void unknown_settings_are_refused(void **state)
{
    static const char *const keys[] = {"blocks", NULL};
    struct soft_nic_spec spec;

    (void)state;
    assert_int_equal(soft_nic_spec_parse("af_packet:v,blocks=2,block=3", &spec), 0);
    assert_int_equal(soft_nic_spec_check(&spec, keys), -EINVAL);
    assert_non_null(strstr(soft_reason(), "block'"));
}

static void nonsense_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        ":x",
                                        "a b",
                                        "loop:",
                                        "loop:a,b",
                                        "loop:=1",
                                        "x:a=1,,",
                                        "x:a=1,a=2",
                                        ";loop",
                                        "loop:\n",
                                        "x:a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,j=1,k=1,l=1,m=1,"
                                        "n=1,o=1,p=1,q=1"};
    struct soft_nic_spec spec;
    char longer[SOFT_NIC_SPEC_SIZE + 1];

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(soft_nic_spec_parse(texts[i], &spec), -EINVAL);
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    assert_int_equal(soft_nic_spec_parse(longer, &spec), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_parts_are_found),
        cmocka_unit_test(unknown_settings_are_refused),
        cmocka_unit_test(nonsense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
