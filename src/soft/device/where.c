/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/where.h"

#include <string.h>

/* A walk through JSON text. Every step checks the end of the text, none trusts its syntax. */
struct cursor {
    const char *p;
    const char *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->p < c->end && strchr(" \t\r\n", *c->p) != NULL && *c->p != '\0')
        c->p++;
}

static bool skip_char(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->p == c->end || *c->p != wanted)
        return false;
    c->p++;
    skip_blanks(c);
    return true;
}

/* From the opening quote to behind the closing one. */
static void skip_string(struct cursor *c)
{
    c->p++;
    while (c->p < c->end && *c->p != '"')
        c->p += *c->p == '\\' && c->p + 1 < c->end ? 2 : 1;
    if (c->p < c->end)
        c->p++;
}

/* Everything up to the comma or bracket that ends the value, which is not part of it. */
static void skip_value(struct cursor *c)
{
    size_t depth = 0;

    while (c->p < c->end) {
        if (*c->p == '"') {
            skip_string(c);
            continue;
        }
        if (depth == 0 && strchr(",]}", *c->p) != NULL && *c->p != '\0')
            return;
        depth += *c->p == '[' || *c->p == '{';
        depth -= *c->p == ']' || *c->p == '}';
        c->p++;
    }
}

/* Is the string token the key? Tokens with escapes go through the parser once more. */
static bool token_is(const char *token, size_t len, const char *key)
{
    json_t *string;
    bool equal;

    if (memchr(token, '\\', len) == NULL)
        return len >= 2 && strlen(key) == len - 2 && memcmp(token + 1, key, len - 2) == 0;
    string = json_loadb(token, len, JSON_DECODE_ANY, NULL);
    equal = string != NULL && strcmp(json_string_value(string), key) == 0;
    json_decref(string);
    return equal;
}

/* From an object's brace to behind the colon of the member; returns where its key is, or NULL. */
static const char *enter_member(struct cursor *c, const char *key)
{
    if (!skip_char(c, '{'))
        return NULL;
    while (c->p < c->end && *c->p == '"') {
        const char *token = c->p;

        skip_string(c);
        if (token_is(token, (size_t)(c->p - token), key))
            return skip_char(c, ':') ? token : NULL;
        skip_value(c);
        if (!skip_char(c, ','))
            return NULL;
    }
    return NULL;
}

/* From an array's bracket to the element; returns where that is, or NULL. */
static const char *enter_element(struct cursor *c, size_t index)
{
    if (!skip_char(c, '['))
        return NULL;
    for (size_t i = 0; i < index; i++) {
        skip_value(c);
        if (!skip_char(c, ','))
            return NULL;
    }
    return c->p;
}

/* Moves to the node's value; returns where the node begins. The way is short: depth of the format.
 */
static const char *enter(struct cursor *c, const struct soft_field_node *node, bool *lost)
{
    const char *at, *found;

    if (node->parent == NULL) {
        skip_blanks(c);
        return c->p;
    }
    at = enter(c, node->parent, lost);
    if (*lost)
        return at;
    found = node->key != NULL ? enter_member(c, node->key) : enter_element(c, node->index);
    *lost = found == NULL;
    return found != NULL ? found : at;
}

unsigned int soft_where_line(const struct soft_field_node *node)
{
    const char *text = node->source->text;
    struct cursor c = {text, text + node->source->len};
    bool lost = false;
    const char *at = enter(&c, node, &lost);
    unsigned int line = 1;

    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}
