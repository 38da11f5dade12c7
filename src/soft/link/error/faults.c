/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/error/faults.h"

#include <errno.h>
#include <string.h>

#include "util/parse.h"

#define ITEM_SIZE 64u

#define SYNTAX "delay=WHEN:TIME, again=WHEN, drop=WHEN, cut=WHEN, refuse=WHEN or seed=N"

static const char *const names[] = {
    [SOFT_LINK_DELAY] = "delay", [SOFT_LINK_AGAIN] = "again",   [SOFT_LINK_DROP] = "drop",
    [SOFT_LINK_CUT] = "cut",     [SOFT_LINK_REFUSE] = "refuse",
};

static bool parse_kind(const char *name, enum soft_link_fault_kind *kind)
{
    for (size_t i = 0; i < OD_ARRAY_SIZE(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *kind = (enum soft_link_fault_kind)i;
            return true;
        }
    }
    return false;
}

static bool parse_item(char *item, struct soft_link_faults *faults)
{
    char *when = od_when_split(item, '=');
    struct soft_link_fault_rule rule = {0};
    char *time;

    if (when == NULL)
        return false;
    if (strcmp(item, "seed") == 0)
        return od_parse_u64(when, &faults->chance) == 0 && faults->chance != 0;
    time = od_when_split(when, ':');
    if (faults->n == SOFT_LINK_FAULT_RULES || !parse_kind(item, &rule.kind) ||
        !od_when_parse(when, &rule.when))
        return false;
    if (rule.kind == SOFT_LINK_DELAY ? time == NULL || !od_when_parse_time(time, &rule.ns)
                                     : time != NULL)
        return false;
    faults->rules[faults->n++] = rule;
    return true;
}

int soft_link_faults_parse(const char *text, struct soft_link_faults *faults)
{
    struct soft_link_faults parsed = {.chance = 1};
    const char *at = text;

    while (*at != '\0') {
        size_t len = strcspn(at, ",");
        char item[ITEM_SIZE];

        if (len >= sizeof(item))
            return soft_fail(-EINVAL, "fault list of links: item '%.*s...' is too long", 32, at);
        memcpy(item, at, len);
        item[len] = '\0';
        if (!parse_item(item, &parsed))
            return soft_fail(-EINVAL,
                             "fault list of links: '%.*s' is not an item, or one of more than %u; "
                             "use " SYNTAX,
                             (int)len, at, SOFT_LINK_FAULT_RULES);
        at += len;
        if (*at == ',' && *++at == '\0')
            return soft_fail(-EINVAL, "fault list of links: nothing behind the last comma");
    }
    *faults = parsed;
    return 0;
}

const struct soft_link_fault_rule *soft_link_faults_find(struct soft_link_faults *faults,
                                                         enum soft_link_fault_kind kind,
                                                         uint64_t ordinal)
{
    for (uint32_t i = 0; i < faults->n; i++) {
        const struct soft_link_fault_rule *rule = &faults->rules[i];

        if (rule->kind == kind && od_when_applies(&rule->when, ordinal, &faults->chance))
            return rule;
    }
    return NULL;
}
