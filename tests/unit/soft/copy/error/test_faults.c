/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "soft/copy/error/faults.h"

static struct soft_fault_rule one(const char *text)
{
    struct soft_fault_list list;

    assert_int_equal(soft_faults_parse(text, &list), 0);
    assert_int_equal(list.n, 1);
    return list.rules[0];
}

static void each_kind_of_item_is_understood(void **state)
{
    struct soft_fault_rule rule;
    struct soft_fault_list list;

    (void)state;
    rule = one("fail=3");
    assert_int_equal(rule.kind, SOFT_FAULT_FAIL);
    assert_int_equal(rule.when.first, 3);
    assert_int_equal(rule.when.last, 3);
    assert_int_equal(rule.status, -EIO);
    assert_int_equal(one("fail=1:fault").status, -EFAULT);
    assert_int_equal(one("fail=1:perm").status, -EPERM);
    assert_int_equal(one("fail=1:gone").status, -ENOTCONN);
    rule = one("delay=5:2ms");
    assert_int_equal(rule.kind, SOFT_FAULT_DELAY);
    assert_int_equal(rule.amount, 2000000);
    assert_int_equal(one("delay=1:7ns").amount, 7);
    assert_int_equal(one("delay=1:7us").amount, 7000);
    assert_int_equal(one("delay=1:7s").amount, 7000000000);
    assert_int_equal(one("short=7").amount, UINT64_MAX);
    assert_int_equal(one("short=7:4K").amount, 4096);
    assert_int_equal(one("again=10%").when.percent, 10);
    assert_int_equal(one("again=/4").when.every, 4);
    assert_int_equal(one("again=4+").when.last, UINT64_MAX);
    assert_int_equal(one("again=4-6").when.last, 6);
    assert_int_equal(soft_faults_parse("seed=99,fail=1,short=2", &list), 0);
    assert_int_equal(list.seed, 99);
    assert_int_equal(list.n, 2);
    assert_int_equal(soft_faults_parse("", &list), 0);
    assert_int_equal(list.n, 0);
}

static void malformed_lists_are_refused_and_the_item_is_named(void **state)
{
    static const char *const wrong[] = {
        "fail",
        "fail=",
        "fail=0",
        "fail=x",
        "fail=1:",
        "fail=1:death",
        "fail=-1",
        "fail=3-2",
        "fail=3-",
        "fail=1:io:io",
        "again=101%",
        "again=%",
        "again=-5%",
        "again=1:io",
        "again=/0",
        "delay=1",
        "delay=1:2",
        "delay=1:ms",
        "delay=1:-1ms",
        "delay=1:99999999999s",
        "short=1:",
        "short=1:1Q",
        "seed=",
        "seed=-1",
        "explode=1",
        ",",
        "fail=1,",
        "fail=1,,",
        " fail=1",
        "fail=1 ",
        "fail=99999999999999999999999",
        "FAIL=1",
        "fail==1",
        "fail=1111111111111111111111111111111111111111111111111111111111111111111111111111111111",
    };
    struct soft_fault_list list = {.n = 77};

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(wrong); i++) {
        assert_int_equal(soft_faults_parse(wrong[i], &list), -EINVAL);
        assert_non_null(strstr(soft_reason(), "fault list: "));
    }
    assert_int_equal(list.n, 77);
    assert_int_equal(soft_faults_parse("fail=1,wrong=2,fail=3", &list), -EINVAL);
    assert_non_null(strstr(soft_reason(), "'wrong=2'"));
}

static void a_list_has_a_limit(void **state)
{
    char text[512] = "fail=1";
    struct soft_fault_list list;

    (void)state;
    for (unsigned int i = 1; i < SOFT_FAULT_RULES; i++)
        memcpy(text + strlen(text), ",fail=1", sizeof(",fail=1"));
    assert_int_equal(soft_faults_parse(text, &list), 0);
    assert_int_equal(list.n, SOFT_FAULT_RULES);
    memcpy(text + strlen(text), ",fail=1", sizeof(",fail=1"));
    assert_int_equal(soft_faults_parse(text, &list), -EINVAL);
}

static unsigned int hits(const char *text, unsigned int ordinals)
{
    struct soft_fault_rule rule = one(text);
    uint64_t chance = 88172645463325252u;
    unsigned int n = 0;

    for (unsigned int i = 1; i <= ordinals; i++)
        n += od_when_applies(&rule.when, i, &chance);
    return n;
}

static void rules_apply_to_the_right_ones(void **state)
{
    (void)state;
    assert_int_equal(hits("fail=3", 2), 0);
    assert_int_equal(hits("fail=3", 100), 1);
    assert_int_equal(hits("fail=3+", 100), 98);
    assert_int_equal(hits("fail=3-5", 100), 3);
    assert_int_equal(hits("fail=/10", 100), 10);
    assert_int_equal(hits("fail=100%", 100), 100);
    assert_int_equal(hits("fail=0%", 100), 0);
    assert_in_range(hits("fail=10%", 10000), 800, 1200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_item_is_understood),
        cmocka_unit_test(malformed_lists_are_refused_and_the_item_is_named),
        cmocka_unit_test(a_list_has_a_limit),
        cmocka_unit_test(rules_apply_to_the_right_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
