/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/json.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/version.h"
#include "util/cleanup.h"

json_t *tool_json_text(const char *text)
{
    json_t *value = json_string(text);
    OD_AUTO_FREE char *copy = NULL;

    if (value != NULL)
        return value;
    copy = strdup(text);
    if (copy == NULL)
        return NULL;
    for (char *c = copy; *c != '\0'; c++) {
        if ((*c & 0x80) != 0)
            *c = '?';
    }
    return json_string(copy);
}

json_t *tool_json_text_or_null(const char *text)
{
    return text[0] != '\0' ? tool_json_text(text) : json_null();
}

int tool_json_print(const char *program, json_t *root)
{
    OD_AUTO_FREE char *text = root != NULL ? json_dumps(root, JSON_INDENT(2)) : NULL;

    json_decref(root);
    if (text == NULL) {
        fprintf(stderr, "%s: no memory\n", program);
        return EXIT_FAILURE;
    }
    puts(text);
    return tool_end_output(program);
}

int tool_end_output(const char *program)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return EXIT_SUCCESS;
    fprintf(stderr, "%s: cannot write: %s\n", program, strerror(errno));
    return EXIT_FAILURE;
}

int tool_bad_usage(const struct tool_options *options, const char *what)
{
    if (what != NULL)
        fprintf(stderr, "%s: %s\n", options->program, what);
    fprintf(stderr, "Try '%s --help'.\n", options->program);
    return EXIT_FAILURE;
}

int tool_parse_options(struct tool_options *options, int argc, char **argv, int *status)
{
    static const struct option known[] = {
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},
        {"json", no_argument, NULL, 'j'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "hv", known, NULL)) != -1) {
        switch (option) {
        case 'j':
            options->is_json = true;
            continue;
        case 'h':
            printf("Usage: %s %s", options->program, options->usage);
            *status = tool_end_output(options->program);
            return -1;
        case 'v':
            printf("%s %s\n", options->program, tool_version());
            *status = tool_end_output(options->program);
            return -1;
        default:
            *status = tool_bad_usage(options, NULL);
            return -1;
        }
    }
    return optind;
}
