/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/pack.h"

#include <errno.h>

#define PAD(len) ((size_t)(-(len)) & 7u)

void urom_out_bytes(struct urom_out *out, const void *bytes, size_t len)
{
    if (out->len <= out->cap && len <= out->cap - out->len && len > 0)
        memcpy(out->buf + out->len, bytes, len);
    out->len += len;
}

void urom_out_pad(struct urom_out *out)
{
    static const uint8_t zeros[8];

    urom_out_bytes(out, zeros, PAD(out->len));
}

const void *urom_in_bytes(struct urom_in *in, size_t len)
{
    const uint8_t *at = in->at;

    if (in->bad || len > in->left) {
        in->bad = true;
        return NULL;
    }
    in->at += len;
    in->left -= len;
    return at;
}

void urom_in_pad(struct urom_in *in, size_t len)
{
    urom_in_bytes(in, PAD(len));
}

bool urom_in_struct(struct urom_in *in, void *body, size_t known)
{
    const uint8_t *bytes;
    uint32_t size;

    if (in->bad || in->left < sizeof(size)) {
        in->bad = true;
        return false;
    }
    memcpy(&size, in->at, sizeof(size));
    bytes = size >= known ? urom_in_bytes(in, size) : NULL;
    if (bytes == NULL) {
        in->bad = true;
        return false;
    }
    for (size_t i = known; i < size; i++)
        in->bad = in->bad || bytes[i] != 0;
    if (!in->bad)
        memcpy(body, bytes, known);
    return !in->bad;
}

int urom_in_only(const void *bytes, size_t len, void *body, size_t known)
{
    struct urom_in in = {.at = bytes, .left = len};
    uint32_t size;

    if (len < sizeof(size))
        return -EBADMSG;
    memcpy(&size, bytes, sizeof(size));
    /* Looked at first, so that the output is written on success only. */
    if (size != len || !urom_in_struct(&in, body, known))
        return -EBADMSG;
    return 0;
}

bool urom_in_done(const struct urom_in *in)
{
    return !in->bad && in->left == 0;
}

bool urom_text_clean(char *text, size_t size)
{
    size_t len = strnlen(text, size);

    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = '?';
    }
    return len < size;
}

void urom_text_set(char *field, size_t size, const char *text)
{
    size_t len = strnlen(text, size - 1);

    memcpy(field, text, len);
    memset(field + len, 0, size - len);
}
