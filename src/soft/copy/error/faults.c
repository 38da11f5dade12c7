/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/error/faults.h"

#include <errno.h>
#include <string.h>

#include "util/parse.h"

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

static const struct {
    const char *suffix;
    uint64_t ns;
} units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
};

/* Cuts `text` at the first `mark`; what comes behind it, or NULL. */
static char *split(char *text, char mark)
{
    char *at = strchr(text, mark);

    if (at == NULL)
        return NULL;
    *at = '\0';
    return at + 1;
}

/* A number that must end in `suffix`. */
static bool parse_suffixed(char *text, const char *suffix, uint64_t *value)
{
    size_t len = strlen(text), cut = strlen(suffix);

    if (len <= cut || strcmp(text + len - cut, suffix) != 0)
        return false;
    text[len - cut] = '\0';
    if (od_parse_u64(text, value) == 0)
        return true;
    text[len - cut] = suffix[0];
    return false;
}

/* "N", "N-M", "N+", "/N", "P%" */
static bool parse_when(char *text, struct soft_fault_rule *rule)
{
    uint64_t percent;
    char *last;

    rule->first = 1;
    rule->last = UINT64_MAX;
    rule->every = 1;
    rule->percent = 100;
    if (text[0] == '/')
        return od_parse_u64(text + 1, &rule->every) == 0 && rule->every > 0;
    if (parse_suffixed(text, "%", &percent)) {
        rule->percent = (uint32_t)OD_MIN(percent, 101u);
        return percent <= 100;
    }
    if (parse_suffixed(text, "+", &rule->first))
        return rule->first > 0;
    last = split(text, '-');
    if (od_parse_u64(text, &rule->first) != 0 || rule->first == 0)
        return false;
    if (last == NULL)
        rule->last = rule->first;
    else if (od_parse_u64(last, &rule->last) != 0)
        return false;
    return rule->last >= rule->first;
}

static bool parse_time(char *text, uint64_t *ns)
{
    for (size_t i = 0; i < OD_ARRAY_SIZE(units); i++) {
        if (parse_suffixed(text, units[i].suffix, ns)) {
            if (*ns > UINT64_MAX / 2 / units[i].ns)
                return false;
            *ns *= units[i].ns;
            return true;
        }
    }
    return false;
}

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
        return text != NULL && parse_time(text, &rule->amount);
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
    char *when = split(item, '=');
    struct soft_fault_rule rule = {0};
    char *argument;

    if (when == NULL)
        return false;
    if (strcmp(item, "seed") == 0)
        return od_parse_u64(when, &list->seed) == 0;
    argument = split(when, ':');
    if (list->n == SOFT_FAULT_RULES || !parse_kind(item, &rule.kind) || !parse_when(when, &rule) ||
        !parse_argument(argument, &rule))
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

/* Xorshift; the state is never 0. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

bool soft_fault_applies(const struct soft_fault_rule *rule, uint64_t ordinal, uint64_t *chance)
{
    if (ordinal < rule->first || ordinal > rule->last || ordinal % rule->every != 0)
        return false;
    return rule->percent == 100 || (draw(chance) >> 11) % 100 < rule->percent;
}
