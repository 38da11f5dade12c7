/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/wire.h"

#include <errno.h>
#include <string.h>

#define MAGIC 0x7072444fu /* "ODrp" */

/* Size of a message without its variable part; 0 for a type that does not exist. */
static size_t fixed_size(uint16_t type)
{
    switch (type) {
    case PEER_MSG_HELLO:
        return sizeof(struct soft_peer_msg_hello);
    case PEER_MSG_IMPORT:
        return sizeof(struct soft_peer_msg_import);
    case PEER_MSG_CLOSE:
        return sizeof(struct soft_peer_msg_close);
    case PEER_MSG_RING:
        return sizeof(struct soft_peer_msg_ring);
    case PEER_MSG_LANE:
        return sizeof(struct soft_peer_msg_lane);
    case PEER_MSG_COPY:
        return PEER_COPY_FIXED;
    case PEER_MSG_ATOMIC:
        return sizeof(struct soft_peer_msg_atomic);
    case PEER_MSG_WELCOME:
        return sizeof(struct soft_peer_msg_welcome);
    case PEER_MSG_IMPORTED:
        return sizeof(struct soft_peer_msg_imported);
    case PEER_MSG_OPENED:
        return sizeof(struct soft_peer_msg_opened);
    case PEER_MSG_DONE:
        return sizeof(struct soft_peer_msg_done);
    default:
        return 0;
    }
}

size_t soft_peer_wire_seal(union soft_peer_msg *msg, enum soft_peer_msg_type type, uint32_t seq,
                           int status)
{
    size_t size = fixed_size((uint16_t)type);

    if (type == PEER_MSG_COPY)
        size += msg->copy.nsegs * sizeof(msg->copy.segs[0]);
    msg->hdr = (struct soft_peer_hdr){
        .magic = MAGIC,
        .version = PEER_WIRE_VERSION,
        .type = (uint16_t)type,
        .size = (uint32_t)size,
        .status = status,
        .seq = seq,
    };
    return size;
}

static bool is_range(uint64_t addr, uint64_t len)
{
    return addr <= UINT64_MAX - len;
}

static bool is_copy(const struct soft_peer_msg_copy *copy, size_t len)
{
    uint64_t total = 0;

    if (copy->op != PEER_COPY_READ && copy->op != PEER_COPY_WRITE)
        return false;
    if (copy->zero != 0 || copy->nsegs == 0 || copy->nsegs > PEER_WIRE_SEGS)
        return false;
    if (len != PEER_COPY_FIXED + copy->nsegs * sizeof(copy->segs[0]))
        return false;
    for (uint32_t i = 0; i < copy->nsegs; i++) {
        if (!is_range(copy->segs[i].addr, copy->segs[i].len) || !is_range(total, copy->segs[i].len))
            return false;
        total += copy->segs[i].len;
    }
    return is_range(copy->bounce_offset, total);
}

static bool is_import(const struct soft_peer_msg_import *import)
{
    return import->want_memory <= 1 && import->zero == 0 &&
           strnlen(import->card, sizeof(import->card)) < sizeof(import->card);
}

static bool is_atomic(const struct soft_peer_msg_atomic *atomic)
{
    return atomic->op >= SOFT_PEER_OP_LOAD && atomic->op <= SOFT_PEER_OP_XOR &&
           (atomic->width == sizeof(uint32_t) || atomic->width == sizeof(uint64_t)) &&
           atomic->addr % atomic->width == 0 && is_range(atomic->addr, atomic->width) &&
           atomic->zero == 0;
}

static bool is_imported(const struct soft_peer_msg_imported *imported)
{
    return imported->has_memory <= 1 && imported->zero == 0 &&
           is_range(imported->base, imported->len) &&
           is_range(imported->memory_offset, imported->len);
}

static bool is_plausible(const union soft_peer_msg *msg, size_t len)
{
    bool reply = msg->hdr.type >= PEER_MSG_WELCOME;

    if (msg->hdr.zero != 0 || (reply ? msg->hdr.status > 0 : msg->hdr.status != 0))
        return false;
    switch (msg->hdr.type) {
    case PEER_MSG_COPY:
        return is_copy(&msg->copy, len);
    case PEER_MSG_IMPORT:
        return is_import(&msg->import);
    case PEER_MSG_ATOMIC:
        return is_atomic(&msg->atomic);
    case PEER_MSG_IMPORTED:
        return is_imported(&msg->imported);
    case PEER_MSG_WELCOME:
        return msg->welcome.zero == 0;
    case PEER_MSG_CLOSE:
        return msg->close.zero == 0;
    case PEER_MSG_RING:
        return msg->ring.zero == 0;
    default:
        return true;
    }
}

int soft_peer_wire_parse(const void *packet, size_t len, union soft_peer_msg *msg)
{
    union soft_peer_msg copy = {0};
    size_t fixed;

    if (len < sizeof(copy.hdr) || len > sizeof(copy))
        return -EBADMSG;
    memcpy(&copy, packet, len);
    if (copy.hdr.magic != MAGIC || copy.hdr.size != len)
        return -EBADMSG;
    if (copy.hdr.version != PEER_WIRE_VERSION)
        return -EPROTO;
    fixed = fixed_size(copy.hdr.type);
    if (fixed == 0 || len < fixed || (copy.hdr.type != PEER_MSG_COPY && len != fixed) ||
        !is_plausible(&copy, len))
        return -EBADMSG;
    *msg = copy;
    return 0;
}

uint64_t soft_peer_wire_bytes(const struct soft_peer_msg_copy *msg)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < msg->nsegs; i++)
        bytes += msg->segs[i].len;
    return bytes;
}

/* Takes the verdict off. 0, -EFAULT or -EBADMSG. */
static int judge(const union soft_peer_msg *msg, const char *bytes, size_t *len)
{
    struct soft_peer_verdict verdict;

    if (*len == 0 || (msg->hdr.type != PEER_MSG_COPY && msg->hdr.type != PEER_MSG_DONE))
        return 0;
    if (*len <= sizeof(verdict))
        return -EBADMSG;
    *len -= sizeof(verdict);
    memcpy(&verdict, bytes + *len, sizeof(verdict));
    if (verdict.spoilt > 1 || verdict.zero != 0)
        return -EBADMSG;
    return verdict.spoilt != 0 ? -EFAULT : 0;
}

static bool is_payload(const union soft_peer_msg *msg, size_t len)
{
    uint64_t bytes = 0;

    if (msg->hdr.type == PEER_MSG_DONE)
        return len <= PEER_REMOTE_CHUNK;
    if (msg->hdr.type == PEER_MSG_HELLO)
        return len <= PEER_SECRET_SIZE;
    if (msg->hdr.type == PEER_MSG_COPY)
        bytes = soft_peer_wire_bytes(&msg->copy);
    if (bytes > PEER_REMOTE_CHUNK)
        return false;
    return len == (msg->hdr.type == PEER_MSG_COPY && msg->copy.op == PEER_COPY_WRITE ? bytes : 0);
}

int soft_peer_wire_split(const void *bytes, size_t len, union soft_peer_msg *msg,
                         const void **payload, size_t *payload_len)
{
    struct soft_peer_hdr hdr;
    int rc;

    if (len < sizeof(hdr))
        return -EBADMSG;
    memcpy(&hdr, bytes, sizeof(hdr));
    if (hdr.size > len)
        return -EBADMSG;
    rc = soft_peer_wire_parse(bytes, hdr.size, msg);
    if (rc != 0)
        return rc;
    len -= hdr.size;
    rc = judge(msg, (const char *)bytes + hdr.size, &len);
    if (rc == -EBADMSG || !is_payload(msg, len))
        return -EBADMSG;
    *payload = (const char *)bytes + hdr.size;
    *payload_len = len;
    return rc;
}
