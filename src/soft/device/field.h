/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_DEVICE_FIELD_H_
#define OD_SOFT_DEVICE_FIELD_H_

/* Reading JSON objects into structs by tables, with errors that name file, line, field, value and
 * what is allowed.
 *
 * The JSON library keeps no positions, so none are kept here either: a value knows the way to it
 * from the root, as a chain of nodes on the reader's stack, and an error walks that way once more
 * through the text to find the line. */

#include <jansson.h>

#include "util/base.h"

struct soft_field_text {
    const char *name; /* of the file, for messages */
    const char *text;
    size_t len;
};

struct soft_field_node {
    const struct soft_field_text *source;
    const struct soft_field_node *parent; /* NULL: the root */
    const char *key;                      /* member of an object; NULL: element of an array */
    size_t index;                         /* of the element */
    json_t *json;                         /* NULL: a member that is missing */
};

struct soft_field_choice {
    const char *name;
    int value;
};

enum soft_field_kind {
    SOFT_FIELD_OTHER,   /* read by the caller */
    SOFT_FIELD_COMMENT, /* any text, ignored */
    SOFT_FIELD_BOOL,
    SOFT_FIELD_UINT,   /* min..max, 2, 4 or 8 bytes */
    SOFT_FIELD_SIZE,   /* 8 bytes; also as text with K, M or G */
    SOFT_FIELD_TEXT,   /* min..size-1 bytes; one of `choices` if there are any */
    SOFT_FIELD_IFACE,  /* text that can be the name of a network interface */
    SOFT_FIELD_PLACE,  /* text that says where a service is, see od_is_place() */
    SOFT_FIELD_CHOICE, /* an enum */
    SOFT_FIELD_PCI,
    SOFT_FIELD_MAC,
    SOFT_FIELD_IPV4,
    SOFT_FIELD_IPV6,
};

struct soft_field {
    const char *name;
    enum soft_field_kind kind;
    size_t offset;
    size_t size;
    uint64_t min, max;
    const struct soft_field_choice *choices; /* ended by a NULL name */
    uint32_t given;                          /* bit to set when the field is there */
};

#define SOFT_FIELD_AT(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)

struct soft_field_table {
    const struct soft_field *fields;
    size_t num;
};

/* The member `key` of an object, the element `index` of an array; json is NULL when there is none.
 */
struct soft_field_node soft_field_member(const struct soft_field_node *object, const char *key);
struct soft_field_node soft_field_element(const struct soft_field_node *array, size_t index);

/* Leaves "FILE:LINE: PATH <text>" as the reason and returns -EINVAL. */
int soft_field_fail(const struct soft_field_node *node, const char *fmt, ...) OD_PRINTF(2, 3);

/* "FILE:LINE: <text>", for what has no node. */
int soft_field_fail_line(const struct soft_field_text *source, unsigned int number,
                         const char *text);

/* "PATH is VALUE, allowed: <text>" */
int soft_field_fail_value(const struct soft_field_node *node, const char *allowed_fmt, ...)
    OD_PRINTF(2, 3);

/* 0 when the value is an object, an array; `what` it is of, for messages. */
int soft_field_expect(const struct soft_field_node *node, json_type type, const char *what);

/* Reads all members of an object into `target`; a member that is not in the table is an error. */
int soft_field_read(const struct soft_field_node *node, const struct soft_field_table *table,
                    void *target, uint32_t *given);

#endif /* OD_SOFT_DEVICE_FIELD_H_ */
