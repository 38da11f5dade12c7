/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/spec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/parse.h"
#include "util/text.h"

static int fail_syntax(const char *text, const char *why)
{
    return soft_fail(-EINVAL, "'%.80s' has %s; write KIND[:WHERE][,KEY=VALUE]...[;BASE]", text,
                     why);
}

static int take_item(struct soft_nic_spec *spec, char *item, const char *text)
{
    char *equals = strchr(item, '=');

    if (equals == NULL) {
        if (spec->where[0] != '\0')
            return fail_syntax(text, "two places");
        spec->where = item;
        return item[0] != '\0' ? 0 : fail_syntax(text, "an empty item");
    }
    if (equals == item || spec->nitems == SOFT_NIC_SPEC_ITEMS)
        return fail_syntax(text, equals == item ? "a value without a key" : "too many items");
    *equals = '\0';
    if (soft_nic_spec_get(spec, item) != NULL)
        return fail_syntax(text, "a key twice");
    spec->items[spec->nitems].key = item;
    spec->items[spec->nitems].value = equals + 1;
    spec->nitems++;
    return 0;
}

static bool has_only_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (!isgraph((unsigned char)*text))
            return false;
    }
    return true;
}

/* What follows the kind. */
static int split_items(struct soft_nic_spec *spec, char *items, const char *text)
{
    while (items != NULL) {
        char *comma = strchr(items, ',');
        int err;

        if (comma != NULL)
            *comma = '\0';
        err = take_item(spec, items, text);
        if (err != 0)
            return err;
        items = comma != NULL ? comma + 1 : NULL;
    }
    return 0;
}

int soft_nic_spec_parse(const char *text, struct soft_nic_spec *spec)
{
    size_t len = strlen(text);
    char *colon, *base;

    if (len == 0 || len >= sizeof(spec->text) || !has_only_text(text))
        return fail_syntax(text, "no text, too much of it, or blanks");
    memcpy(spec->text, text, len + 1);
    spec->kind = spec->text;
    spec->where = "";
    spec->nitems = 0;
    base = strchr(spec->text, ';');
    spec->base = base != NULL ? base + 1 : NULL;
    if (base != NULL)
        *base = '\0';
    colon = strchr(spec->text, ':');
    if (colon != NULL)
        *colon = '\0';
    if (spec->kind[0] == '\0')
        return fail_syntax(text, "no kind");
    return split_items(spec, colon != NULL ? colon + 1 : NULL, text);
}

const char *soft_nic_spec_get(const struct soft_nic_spec *spec, const char *key)
{
    for (uint32_t i = 0; i < spec->nitems; i++) {
        if (strcmp(spec->items[i].key, key) == 0)
            return spec->items[i].value;
    }
    return NULL;
}

int soft_nic_spec_number(const struct soft_nic_spec *spec, const char *key, uint64_t min,
                         uint64_t max, uint64_t *value)
{
    const char *text = soft_nic_spec_get(spec, key);
    uint64_t number;

    if (text == NULL)
        return 0;
    if (od_parse_size(text, &number) != 0 || number < min || number > max)
        return soft_fail(-EINVAL,
                         "%s of kind %s is '%.40s', allowed: a number from %" PRIu64 " to %" PRIu64,
                         key, spec->kind, text, min, max);
    *value = number;
    return 0;
}

static int fail_setting(const struct soft_nic_spec *spec, const char *key, const char *const *keys)
{
    char buf[160];
    struct od_text known;

    od_text_init(&known, buf, sizeof(buf));
    for (; *keys != NULL; keys++)
        od_text_printf(&known, "%s %s", known.len > 0 ? "," : "; there are:", *keys);
    return soft_fail(-EINVAL, "kind %s has no setting '%.40s'%s", spec->kind, key,
                     known.len > 0 ? buf : "; it has none at all");
}

int soft_nic_spec_check(const struct soft_nic_spec *spec, const char *const *keys)
{
    for (uint32_t i = 0; i < spec->nitems; i++) {
        const char *const *key = keys;

        while (*key != NULL && strcmp(*key, spec->items[i].key) != 0)
            key++;
        if (*key == NULL)
            return fail_setting(spec, spec->items[i].key, keys);
    }
    return 0;
}
