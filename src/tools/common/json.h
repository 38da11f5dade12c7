/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_COMMON_JSON_H_
#define OD_TOOLS_COMMON_JSON_H_

/* What the programs that print one JSON object share. */

#include <stdbool.h>

#include <jansson.h>

/* A string from outside; bytes that are not valid UTF-8 become '?'. */
json_t *tool_json_text(const char *text);

/* tool_json_text(), and null for "". */
json_t *tool_json_text_or_null(const char *text);

/* Prints the object, or nothing at all, and releases it. Returns the exit status. `program` is for
 * the message when it fails; NULL stands for an object that could not be built. */
int tool_json_print(const char *program, json_t *root);

/* The end of a program that prints text: EXIT_FAILURE with a message when some of it was lost. */
int tool_end_output(const char *program);

struct tool_options {
    const char *program;
    const char *usage; /* what follows "Usage: program " */
    bool is_json;      /* --json was given */
};

/* -h, -v and --json. Returns the index of the first operand, or -1 when the program shall end with
 * `status`. */
int tool_parse_options(struct tool_options *options, int argc, char **argv, int *status);

/* One line about a wrong command line, and where to find help. Returns the exit status. */
int tool_bad_usage(const struct tool_options *options, const char *what);

#endif /* OD_TOOLS_COMMON_JSON_H_ */
