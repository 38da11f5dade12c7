/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_TEXT_H_
#define OD_UTIL_TEXT_H_

/* Bounded text building. */

#include <stdarg.h>

#include "util/base.h"

/* A fixed buffer that is always NUL-terminated; text past its end is cut, never written. */
struct od_text {
    char *buf;
    size_t cap;
    size_t len;
};

static inline void od_text_init(struct od_text *text, char *buf, size_t cap)
{
    text->buf = buf;
    text->cap = cap;
    text->len = 0;
    if (cap > 0)
        buf[0] = '\0';
}

void od_text_vprintf(struct od_text *text, const char *fmt, va_list ap) OD_PRINTF(2, 0);
void od_text_printf(struct od_text *text, const char *fmt, ...) OD_PRINTF(2, 3);

/* Appends `s` as a JSON string with its quotes. Bytes that are not valid UTF-8 become '?'. */
void od_text_json_string(struct od_text *text, const char *s);

#endif /* OD_UTIL_TEXT_H_ */
