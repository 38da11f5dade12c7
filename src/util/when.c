/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/when.h"

#include <string.h>

#include "util/parse.h"

static const struct {
    const char *suffix;
    uint64_t ns;
} units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
};

char *od_when_split(char *text, char mark)
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

bool od_when_parse(char *text, struct od_when *when)
{
    uint64_t percent;
    char *last;

    *when = (struct od_when){.first = 1, .last = UINT64_MAX, .every = 1, .percent = 100};
    if (text[0] == '/')
        return od_parse_u64(text + 1, &when->every) == 0 && when->every > 0;
    if (parse_suffixed(text, "%", &percent)) {
        when->percent = (uint32_t)OD_MIN(percent, 101u);
        return percent <= 100;
    }
    if (parse_suffixed(text, "+", &when->first))
        return when->first > 0;
    last = od_when_split(text, '-');
    if (od_parse_u64(text, &when->first) != 0 || when->first == 0)
        return false;
    if (last == NULL)
        when->last = when->first;
    else if (od_parse_u64(last, &when->last) != 0)
        return false;
    return when->last >= when->first;
}

/* Xorshift; the state is never 0. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

bool od_when_applies(const struct od_when *when, uint64_t ordinal, uint64_t *chance)
{
    if (ordinal < when->first || ordinal > when->last || ordinal % when->every != 0)
        return false;
    return when->percent == 100 || (draw(chance) >> 11) % 100 < when->percent;
}

bool od_when_parse_time(char *text, uint64_t *ns)
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
