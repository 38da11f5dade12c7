/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/error/faults.h"

#include <errno.h>
#include <string.h>

#include "util/parse.h"
#include "util/when.h"

#define ITEM_SIZE 64u

#define SYNTAX "fail=WHEN[:STATUS], short=WHEN[:BYTES], delay=WHEN:TIME, again=WHEN or seed=N"

static const struct {
    const char *name;
    enum soft_fault_kind kind;
} kinds[] = {
    {"fail", SOFT_FAULT_FAIL},
    {"short", SOFT_FAULT_SHORT},
    {"delay", SOFT_FAULT_DELAY},
    {"again", SOFT_FAULT_AGAIN},
};

static const struct {
    const char *name;
    int status;
} statuses[] = {
    {"io", -EIO},        {"fault", -EFAULT},       {"perm", -EPERM},
    {"gone", -ENOTCONN}, {"canceled", -ECANCELED},
};

static bool parse_status(const char *text, int *status)
{
    for (size_t i = 0; i < OD_ARRAY_SIZE(statuses); i++) {
        if (strcmp(text, statuses[i].name) == 0) {
            *status = statuses[i].status;
            return true;
        }
    }
    return false;
}

static bool parse_argument(char *text, struct soft_fault_rule *rule)
{
    switch (rule->kind) {
    case SOFT_FAULT_FAIL:
        rule->status = -EIO;
        return text == NULL || parse_status(text, &rule->status);
    case SOFT_FAULT_SHORT:
        rule->amount = UINT64_MAX;
        return text == NULL || od_parse_size(text, &rule->amount) == 0;
    case SOFT_FAULT_DELAY:
        return text != NULL && od_when_parse_time(text, &rule->amount);
    default:
        return text == NULL;
    }
}

static bool parse_kind(const char *name, enum soft_fault_kind *kind)
{
    for (size_t i = 0; i < OD_ARRAY_SIZE(kinds); i++) {
        if (strcmp(name, kinds[i].name) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    }
    return false;
}

static bool parse_item(char *item, struct soft_fault_list *list)
{
    char *when = od_when_split(item, '=');
    struct soft_fault_rule rule = {0};
    char *argument;

    if (when == NULL)
        return false;
    if (strcmp(item, "seed") == 0)
        return od_parse_u64(when, &list->seed) == 0;
    argument = od_when_split(when, ':');
    if (list->n == SOFT_FAULT_RULES || !parse_kind(item, &rule.kind) ||
        !od_when_parse(when, &rule.when) || !parse_argument(argument, &rule))
        return false;
    list->rules[list->n++] = rule;
    return true;
}

int soft_faults_parse(const char *text, struct soft_fault_list *list)
{
    struct soft_fault_list parsed = {.seed = 1};
    const char *at = text;

    while (*at != '\0') {
        size_t len = strcspn(at, ",");
        char item[ITEM_SIZE];

        if (len >= sizeof(item))
            return soft_fail(-EINVAL, "fault list: item '%.*s...' is too long", 32, at);
        memcpy(item, at, len);
        item[len] = '\0';
        if (!parse_item(item, &parsed))
            return soft_fail(
                -EINVAL, "fault list: '%.*s' is not an item, or one of more than %u; use " SYNTAX,
                (int)len, at, SOFT_FAULT_RULES);
        at += len;
        if (*at == ',' && *++at == '\0')
            return soft_fail(-EINVAL, "fault list: nothing behind the last comma");
    }
    *list = parsed;
    return 0;
}
