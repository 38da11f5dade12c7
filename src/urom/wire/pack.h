/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_PACK_H_
#define OD_UROM_WIRE_PACK_H_

/* Bounded writing and reading of messages. Both sides go on harmlessly after the first thing that
 * does not fit, so that a sequence of steps is checked once, at its end. */

#include <string.h>

#include "util/base.h"

/* len counts on past cap, and is then what would have been needed. */
struct urom_out {
    uint8_t *buf; /* may be NULL when cap is 0 */
    size_t cap;
    size_t len;
};

static inline bool urom_out_fits(const struct urom_out *out)
{
    return out->len <= out->cap;
}

void urom_out_bytes(struct urom_out *out, const void *bytes, size_t len);
/* Zeros up to the next multiple of 8. */
void urom_out_pad(struct urom_out *out);

/* The bytes are private to the reader: they do not change under it. */
struct urom_in {
    const uint8_t *at;
    size_t left;
    bool bad;
};

/* `len` bytes in place, or NULL, and `bad` set. */
const void *urom_in_bytes(struct urom_in *in, size_t len);
/* Skips what urom_out_pad() wrote behind `len` bytes. */
void urom_in_pad(struct urom_in *in, size_t len);
/* A structure that begins with its size: at least `known` bytes, what is beyond must be zero. */
bool urom_in_struct(struct urom_in *in, void *body, size_t known);
/* The same for bytes that are one such structure and nothing else; 0 or -EBADMSG. */
int urom_in_only(const void *bytes, size_t len, void *body, size_t known);
/* Everything was read, and nothing was bad. */
bool urom_in_done(const struct urom_in *in);

/* Makes a text field safe to print; false when it has no end. */
bool urom_text_clean(char *text, size_t size);
/* Copies into a field, cut to fit, the rest zero. */
void urom_text_set(char *field, size_t size, const char *text);

#endif /* OD_UROM_WIRE_PACK_H_ */
