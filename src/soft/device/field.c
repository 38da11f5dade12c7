/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/field.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/device/where.h"
#include "soft/soft.h"
#include "util/cleanup.h"
#include "util/net.h"
#include "util/parse.h"
#include "util/text.h"

struct soft_field_node soft_field_member(const struct soft_field_node *object, const char *key)
{
    return (struct soft_field_node){.source = object->source,
                                    .parent = object,
                                    .key = key,
                                    .json = json_object_get(object->json, key)};
}

struct soft_field_node soft_field_element(const struct soft_field_node *array, size_t index)
{
    return (struct soft_field_node){.source = array->source,
                                    .parent = array,
                                    .index = index,
                                    .json = json_array_get(array->json, index)};
}

/* ------------------------------------------------------------------------------------------------
 * Errors
 */

/* Room that one outside text may take in a reason. */
#define EXCERPT_SIZE 64
#define NAME_SIZE    120

static void print_excerpt(struct od_text *text, const char *s)
{
    od_text_printf(text, "%.*s%s", EXCERPT_SIZE, s, strlen(s) > EXCERPT_SIZE ? "..." : "");
}

/* "devices[2].caps.max_opens"; recursion is as deep as the format. */
static void print_path(struct od_text *text, const struct soft_field_node *node)
{
    if (node->parent == NULL)
        return;
    print_path(text, node->parent);
    if (node->key == NULL) {
        od_text_printf(text, "[%zu]", node->index);
        return;
    }
    od_text_printf(text, "%s", node->parent->parent != NULL ? "." : "");
    print_excerpt(text, node->key);
}

static void print_subject(struct od_text *text, const struct soft_field_node *node)
{
    print_path(text, node);
    if (text->len == 0)
        od_text_printf(text, "the file");
}

static void print_value(struct od_text *text, json_t *json)
{
    OD_AUTO_FREE char *dump = NULL;

    if (json_is_object(json) || json_is_array(json)) {
        od_text_printf(text, "%s", json_is_object(json) ? "an object" : "an array");
        return;
    }
    dump = json_dumps(json, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    print_excerpt(text, dump != NULL ? dump : "?");
}

/* A reason is one line, whatever names and values contain. */
int soft_field_fail_line(const struct soft_field_text *source, unsigned int number,
                         const char *text)
{
    size_t len = strlen(source->name);
    bool cut = len > NAME_SIZE;
    char line[SOFT_REASON_SIZE];

    snprintf(line, sizeof(line), "%s%s:%u: %s", cut ? "..." : "",
             cut ? source->name + len - NAME_SIZE : source->name, number, text);
    for (char *p = line; *p != '\0'; p++)
        *p = iscntrl((unsigned char)*p) ? ' ' : *p;
    return soft_fail(-EINVAL, "%s", line);
}

int soft_field_fail(const struct soft_field_node *node, const char *fmt, ...)
{
    char buf[SOFT_REASON_SIZE];
    struct od_text text;
    va_list ap;

    od_text_init(&text, buf, sizeof(buf));
    print_subject(&text, node);
    od_text_printf(&text, " ");
    va_start(ap, fmt);
    od_text_vprintf(&text, fmt, ap);
    va_end(ap);
    return soft_field_fail_line(node->source, soft_where_line(node), buf);
}

int soft_field_fail_value(const struct soft_field_node *node, const char *allowed_fmt, ...)
{
    char buf[SOFT_REASON_SIZE];
    struct od_text text;
    va_list ap;

    od_text_init(&text, buf, sizeof(buf));
    print_subject(&text, node);
    od_text_printf(&text, " is ");
    print_value(&text, node->json);
    od_text_printf(&text, ", allowed: ");
    va_start(ap, allowed_fmt);
    od_text_vprintf(&text, allowed_fmt, ap);
    va_end(ap);
    return soft_field_fail_line(node->source, soft_where_line(node), buf);
}

static int fail_choice(const struct soft_field_node *node, const struct soft_field_choice *choices)
{
    char buf[SOFT_REASON_SIZE];
    struct od_text text;

    od_text_init(&text, buf, sizeof(buf));
    for (const struct soft_field_choice *c = choices; c->name != NULL; c++)
        od_text_printf(&text, "%s\"%s\"", c == choices ? "" : ", ", c->name);
    return soft_field_fail_value(node, "%s", buf);
}

static int fail_unknown(const struct soft_field_node *node, const struct soft_field_table *table)
{
    char buf[SOFT_REASON_SIZE];
    struct od_text text;

    od_text_init(&text, buf, sizeof(buf));
    for (size_t i = 0; i < table->num; i++)
        od_text_printf(&text, "%s%s", i == 0 ? "" : ", ", table->fields[i].name);
    return soft_field_fail(node, "is an unknown field, allowed: %s", buf);
}

int soft_field_expect(const struct soft_field_node *node, json_type type, const char *what)
{
    if (node->json != NULL && json_typeof(node->json) == type)
        return 0;
    return soft_field_fail_value(node, "an %s of %s", type == JSON_OBJECT ? "object" : "array",
                                 what);
}

/* ------------------------------------------------------------------------------------------------
 * Values
 */

static int read_bool(const struct soft_field_node *node, void *out)
{
    if (!json_is_boolean(node->json))
        return soft_field_fail_value(node, "true or false");
    *(bool *)out = json_is_true(node->json);
    return 0;
}

static void store_uint(const struct soft_field *field, void *out, uint64_t value)
{
    if (field->size == sizeof(uint16_t))
        *(uint16_t *)out = (uint16_t)value;
    else if (field->size == sizeof(uint32_t))
        *(uint32_t *)out = (uint32_t)value;
    else
        *(uint64_t *)out = value;
}

static int read_uint(const struct soft_field *field, const struct soft_field_node *node, void *out)
{
    bool is_size = field->kind == SOFT_FIELD_SIZE;
    uint64_t value = 0;
    bool ok = json_is_integer(node->json) && json_integer_value(node->json) >= 0;

    if (ok)
        value = (uint64_t)json_integer_value(node->json);
    else if (is_size && json_is_string(node->json))
        ok = od_parse_size(json_string_value(node->json), &value) == 0;
    if (!ok || value < field->min || value > field->max)
        return soft_field_fail_value(node, "a whole number from %" PRIu64 " to %" PRIu64 "%s",
                                     field->min, field->max,
                                     is_size ? ", or text such as \"64K\", \"2M\", \"1G\"" : "");
    store_uint(field, out, value);
    return 0;
}

static const struct soft_field_choice *find_choice(const struct soft_field_choice *choices,
                                                   const char *name)
{
    while (choices->name != NULL && (name == NULL || strcmp(choices->name, name) != 0))
        choices++;
    return choices->name != NULL ? choices : NULL;
}

static bool has_only(const char *s, int (*good)(int))
{
    while (*s != '\0' && good((unsigned char)*s))
        s++;
    return *s == '\0';
}

/* What may stand in names: no control characters, but any script. */
static int is_text_char(int c)
{
    return !iscntrl(c);
}

/* What the kernel accepts in the name of an interface; no path can be made of it. */
static int is_iface_char(int c)
{
    return isgraph(c) && c != '/' && c != ':';
}

static int read_text(const struct soft_field *field, const struct soft_field_node *node, void *out)
{
    bool is_iface = field->kind == SOFT_FIELD_IFACE;
    const char *s = json_string_value(node->json);

    if (field->choices != NULL && find_choice(field->choices, s) == NULL)
        return fail_choice(node, field->choices);
    if (s == NULL || strlen(s) < field->min || strlen(s) >= field->size ||
        !has_only(s, is_iface ? is_iface_char : is_text_char))
        return soft_field_fail_value(node, "%s of %" PRIu64 " to %zu bytes",
                                     is_iface ? "a name without spaces, '/' and ':'"
                                              : "printable text",
                                     field->min, field->size - 1);
    memcpy(out, s, strlen(s) + 1);
    return 0;
}

static int read_place(const struct soft_field *field, const struct soft_field_node *node, void *out)
{
    const char *s = json_string_value(node->json);

    if (s == NULL || strlen(s) >= field->size || !has_only(s, is_text_char) || !od_is_place(s))
        return soft_field_fail_value(node,
                                     "/PATH, unix:/PATH, HOST, HOST:PORT or tcp:HOST:PORT of 1 to "
                                     "%zu bytes",
                                     field->size - 1);
    memcpy(out, s, strlen(s) + 1);
    return 0;
}

static int read_choice(const struct soft_field *field, const struct soft_field_node *node,
                       void *out)
{
    const struct soft_field_choice *choice =
        find_choice(field->choices, json_string_value(node->json));

    if (choice == NULL)
        return fail_choice(node, field->choices);
    *(int *)out = choice->value;
    return 0;
}

static int read_pci(const struct soft_field_node *node, void *out)
{
    if (od_parse_pci_addr(json_string_value(node->json), out) != 0)
        return soft_field_fail_value(node, "a PCI address such as \"0000:03:00.0\" or \"03:00.0\"");
    return 0;
}

static bool parse_mac(const char *s, uint8_t mac[6])
{
    unsigned int byte[6];
    int end = 0;

    if (s == NULL || strlen(s) != 17 || s[strspn(s, "0123456789abcdefABCDEF:")] != '\0' ||
        sscanf(s, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1], &byte[2], &byte[3], &byte[4],
               &byte[5], &end) != 6 ||
        end != 17)
        return false;
    for (int i = 0; i < 6; i++)
        mac[i] = (uint8_t)byte[i];
    return true;
}

static int read_mac(const struct soft_field_node *node, void *out)
{
    uint8_t mac[6];

    if (!parse_mac(json_string_value(node->json), mac) || (mac[0] & 1) != 0)
        return soft_field_fail_value(node, "a unicast MAC address such as \"02:00:00:00:00:01\"");
    memcpy(out, mac, sizeof(mac));
    return 0;
}

static int read_ip(int family, const struct soft_field_node *node, void *out)
{
    const char *s = json_string_value(node->json);

    if (s == NULL || inet_pton(family, s, out) != 1)
        return soft_field_fail_value(node, "an %s address such as \"%s\"",
                                     family == AF_INET ? "IPv4" : "IPv6",
                                     family == AF_INET ? "192.0.2.1" : "2001:db8::1");
    return 0;
}

static int read_value(const struct soft_field *field, const struct soft_field_node *node, void *out)
{
    switch (field->kind) {
    case SOFT_FIELD_BOOL:
        return read_bool(node, out);
    case SOFT_FIELD_UINT:
    case SOFT_FIELD_SIZE:
        return read_uint(field, node, out);
    case SOFT_FIELD_TEXT:
    case SOFT_FIELD_IFACE:
        return read_text(field, node, out);
    case SOFT_FIELD_PLACE:
        return read_place(field, node, out);
    case SOFT_FIELD_CHOICE:
        return read_choice(field, node, out);
    case SOFT_FIELD_PCI:
        return read_pci(node, out);
    case SOFT_FIELD_MAC:
        return read_mac(node, out);
    case SOFT_FIELD_IPV4:
        return read_ip(AF_INET, node, out);
    case SOFT_FIELD_IPV6:
        return read_ip(AF_INET6, node, out);
    case SOFT_FIELD_COMMENT:
        return json_is_string(node->json) ? 0 : soft_field_fail_value(node, "text");
    case SOFT_FIELD_OTHER:
        break;
    }
    return 0;
}

static const struct soft_field *find_field(const struct soft_field_table *table, const char *name)
{
    for (size_t i = 0; i < table->num; i++) {
        if (strcmp(table->fields[i].name, name) == 0)
            return &table->fields[i];
    }
    return NULL;
}

int soft_field_read(const struct soft_field_node *node, const struct soft_field_table *table,
                    void *target, uint32_t *given)
{
    const char *key;
    json_t *json;
    int err;

    json_object_foreach(node->json, key, json)
    {
        struct soft_field_node member = soft_field_member(node, key);
        const struct soft_field *field = find_field(table, key);

        if (field == NULL)
            return fail_unknown(&member, table);
        err = read_value(field, &member, (char *)target + field->offset);
        if (err != 0)
            return err;
        *given |= field->given;
    }
    return 0;
}
