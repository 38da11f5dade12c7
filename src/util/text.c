/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/text.h"

#include <stdio.h>
#include <string.h>

void od_text_vprintf(struct od_text *text, const char *fmt, va_list ap)
{
    size_t room = text->cap - text->len;
    int n;

    if (room <= 1)
        return;
    n = vsnprintf(text->buf + text->len, room, fmt, ap);
    if (n > 0)
        text->len += OD_MIN((size_t)n, room - 1);
}

void od_text_printf(struct od_text *text, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    od_text_vprintf(text, fmt, ap);
    va_end(ap);
}

/* Some lead bytes narrow the byte that follows: no overlong forms, no surrogates, nothing above
 * U+10FFFF. */
static bool utf8_second_is_valid(unsigned char lead, unsigned char second)
{
    switch (lead) {
    case 0xe0:
        return second >= 0xa0;
    case 0xed:
        return second < 0xa0;
    case 0xf0:
        return second >= 0x90;
    case 0xf4:
        return second < 0x90;
    default:
        return true;
    }
}

/* Length of the valid UTF-8 sequence at p, 0 if there is none. */
static size_t utf8_length(const unsigned char *p)
{
    size_t len = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;

    if (p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    return len <= 2 || utf8_second_is_valid(p[0], p[1]) ? len : 0;
}

void od_text_json_string(struct od_text *text, const char *s)
{
    const unsigned char *p = (const unsigned char *)s;

    od_text_printf(text, "\"");
    while (*p != '\0') {
        size_t len = utf8_length(p);

        if (len == 0)
            od_text_printf(text, "?");
        else if (*p == '"' || *p == '\\')
            od_text_printf(text, "\\%c", *p);
        else if (*p < 0x20)
            od_text_printf(text, "\\u%04x", *p);
        else
            od_text_printf(text, "%.*s", (int)len, (const char *)p);
        p += len == 0 ? 1 : len;
    }
    od_text_printf(text, "\"");
}
