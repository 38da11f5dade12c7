/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

/* Index behind the string that begins at `i`. */
static size_t skip_string(const char *text, size_t len, size_t i)
{
    for (i++; i < len && text[i] != '"'; i++) {
        if (text[i] == '\\')
            i++;
    }
    return OD_MIN(i + 1, len);
}

static size_t blank_line(char *text, size_t len, size_t i)
{
    for (; i < len && text[i] != '\n'; i++)
        text[i] = ' ';
    return i;
}

/* Returns the index behind the comment, or `len` + 1 when it does not end. */
static size_t blank_block(char *text, size_t len, size_t i)
{
    size_t end;

    for (end = i + 2; end + 1 < len && (text[end] != '*' || text[end + 1] != '/'); end++)
        ;
    if (end + 1 >= len)
        return len + 1;
    for (; i < end + 2; i++) {
        if (text[i] != '\n')
            text[i] = ' ';
    }
    return i;
}

static int line_of(const char *text, size_t i)
{
    int line = 1;

    for (size_t k = 0; k < i; k++)
        line += text[k] == '\n';
    return line;
}

int argp_blank_comments(char *text, size_t len)
{
    size_t i = 0;

    while (i < len) {
        bool slash = text[i] == '/' && i + 1 < len;
        size_t start = i;

        if (text[i] == '"')
            i = skip_string(text, len, i);
        else if (slash && text[i + 1] == '/')
            i = blank_line(text, len, i);
        else if (slash && text[i + 1] == '*')
            i = blank_block(text, len, i);
        else
            i++;
        if (i > len)
            return line_of(text, start);
    }
    return 0;
}
