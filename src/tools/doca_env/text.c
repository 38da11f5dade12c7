/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_env/doca_env.h"

#include <stdio.h>
#include <string.h>

/* The same facts as the JSON form, by walking the object: "path.to.field  value", a line each, so
 * that a field can never be in one form only. */

static void print_value(const char *path, const json_t *value)
{
    char number[32];
    const char *text;

    switch (json_typeof(value)) {
    case JSON_STRING:
        text = json_string_value(value);
        break;
    case JSON_INTEGER:
        snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        text = number;
        break;
    case JSON_NULL:
        text = "none";
        break;
    default:
        text = json_is_true(value) ? "yes" : "no";
        break;
    }
    printf("%-32s %s\n", path, text);
}

/* One line a member: objects of lists are small and read best beside each other. */
static void print_row(const char *path, const json_t *row)
{
    const char *key;
    json_t *value;

    printf("%-32s", path);
    json_object_foreach((json_t *)row, key, value)
    {
        if (json_is_string(value))
            printf(" %s", json_string_value(value));
        else if (json_is_integer(value))
            printf(" %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(value));
        else if (json_is_boolean(value))
            printf(" %s%s", json_is_true(value) ? "" : "not ", key);
    }
    printf("\n");
}

void env_print_text(const json_t *root)
{
    const char *section, *key;
    json_t *part, *value;
    char path[128];

    json_object_foreach((json_t *)root, section, part)
    {
        if (json_is_object(part)) {
            json_object_foreach(part, key, value)
            {
                snprintf(path, sizeof(path), "%s.%s", section, key);
                print_value(path, value);
            }
        } else if (json_is_array(part)) {
            for (size_t i = 0; i < json_array_size(part); i++)
                print_row(section, json_array_get(part, i));
        } else {
            print_value(section, part);
        }
    }
}
