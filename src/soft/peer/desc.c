/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/desc.h"

#include <errno.h>
#include <string.h>

static const char magic[8] = {'O', 'D', 'E', 'X', 'P', 'O', 'R', 'T'};

/* What every version of the descriptor begins and ends with. */
#define PROLOGUE offsetof(struct soft_peer_desc, kind)
#define CHECK    sizeof(uint64_t)

/* FNV-1a. Each step is a bijection of the state, so a change of a single byte always shows; any
 * other change shows with probability 1 - 2^-64. */
static uint64_t fold(uint64_t state, const void *bytes, size_t len)
{
    const uint8_t *p = bytes;

    for (size_t i = 0; i < len; i++)
        state = (state ^ p[i]) * 0x100000001b3u;
    return state;
}

static uint64_t checksum(const void *bytes, size_t len)
{
    return fold(0xcbf29ce484222325u, bytes, len);
}

void soft_peer_desc_seal(struct soft_peer_desc *desc, const void *token, size_t token_len)
{
    memcpy(desc->magic, magic, sizeof(magic));
    desc->version = PEER_DESC_VERSION;
    desc->size = sizeof(*desc);
    desc->binding = fold(checksum(desc->token, sizeof(desc->token)), token, token_len);
    desc->check = checksum(desc, offsetof(struct soft_peer_desc, check));
}

/* A string that fills its field with zeroes to the end. */
static bool is_padded_string(const char *s, size_t size)
{
    size_t len = strnlen(s, size);

    if (len == size)
        return false;
    for (size_t i = len; i < size; i++)
        if (s[i] != '\0')
            return false;
    return true;
}

/* The check matched, so these only fail for bytes that somebody made up. */
static bool is_plausible(const struct soft_peer_desc *desc)
{
    const uint32_t access = SOFT_PEER_READ | SOFT_PEER_WRITE | SOFT_PEER_ATOMIC;

    return desc->kind >= SOFT_PEER_KIND_PCI && desc->kind <= SOFT_PEER_KIND_QUEUE &&
           (desc->access & ~access) == 0 && desc->len > 0 && desc->base <= UINT64_MAX - desc->len &&
           desc->dir[0] == '/' && is_padded_string(desc->dir, sizeof(desc->dir)) &&
           desc->card[0] != '\0' && is_padded_string(desc->card, sizeof(desc->card)) &&
           is_padded_string(desc->remote, sizeof(desc->remote));
}

int soft_peer_desc_parse(const void *bytes, size_t len, struct soft_peer_desc *desc)
{
    struct soft_peer_desc copy = {0};
    uint64_t check;

    if (bytes == NULL || len < PROLOGUE + CHECK || len > SOFT_PEER_DESC_MAX)
        return soft_fail(-EBADMSG,
                         "%zu bytes cannot be an export descriptor (%zu expected); pass exactly "
                         "the bytes and the length that the export call gave",
                         len, sizeof(*desc));
    memcpy(&copy, bytes, OD_MIN(len, sizeof(copy)));
    if (memcmp(copy.magic, magic, sizeof(magic)) != 0)
        return soft_fail(-EBADMSG,
                         "the %zu bytes are not an export descriptor; pass the bytes "
                         "that the export call gave, unchanged",
                         len);
    memcpy(&check, (const char *)bytes + len - CHECK, CHECK);
    if (copy.size != len || check != checksum(bytes, len - CHECK))
        return soft_fail(-EBADMSG,
                         "the export descriptor of %zu bytes was changed, cut or extended on its "
                         "way (it says %u bytes); carry it byte by byte",
                         len, copy.size);
    if (copy.version > PEER_DESC_VERSION)
        return soft_fail(-EPROTO,
                         "the export descriptor has format %u, this library knows up to %u; "
                         "use the same release on both sides",
                         copy.version, PEER_DESC_VERSION);
    if (copy.version != PEER_DESC_VERSION || len != sizeof(copy) || !is_plausible(&copy))
        return soft_fail(-EBADMSG, "the export descriptor holds values that no exporter writes; "
                                   "export again");
    *desc = copy;
    return 0;
}

bool soft_peer_desc_equal(const struct soft_peer_desc *a, const struct soft_peer_desc *b)
{
    const uint8_t *x = (const uint8_t *)a;
    const uint8_t *y = (const uint8_t *)b;
    volatile uint8_t diff = 0;

    for (size_t i = 0; i < sizeof(*a); i++)
        diff |= x[i] ^ y[i];
    return diff == 0;
}
