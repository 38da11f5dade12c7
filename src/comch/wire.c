/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comch/posts.h"

struct wire_hello {
    uint32_t magic;
    uint32_t version;
    uint32_t max_msg;
    uint32_t recv_queue;
    uint32_t fast_path;
    uint32_t identity_len;
    uint64_t zero;
};
_Static_assert(sizeof(struct wire_hello) + COMCH_IDENTITY_MAX == COMCH_HELLO_MAX, "frozen");

struct wire_answer {
    uint32_t magic;
    uint32_t version;
    uint32_t verdict;
    uint32_t max_msg;
    uint32_t recv_queue;
    uint32_t fast_path;
};
_Static_assert(sizeof(struct wire_answer) == COMCH_ANSWER_LEN, "frozen");

struct wire_consumer {
    uint32_t nslots;
    uint32_t imm_len;
    uint32_t page_desc_len;
    uint32_t data_desc_len;
};
_Static_assert(sizeof(struct wire_consumer) + 2 * 512 == COMCH_CONSUMER_MAX, "frozen");

size_t comch_wire_put_hello(uint8_t *buf, const struct comch_hello *hello)
{
    const struct wire_hello head = {
        .magic = COMCH_WIRE_MAGIC,
        .version = COMCH_WIRE_VERSION,
        .max_msg = hello->max_msg,
        .recv_queue = hello->recv_queue,
        .fast_path = hello->fast_path,
        .identity_len = (uint32_t)hello->identity_len,
    };

    memcpy(buf, &head, sizeof(head));
    memcpy(buf + sizeof(head), hello->identity, hello->identity_len);
    return sizeof(head) + hello->identity_len;
}

int comch_wire_get_hello(const void *data, size_t len, struct comch_hello *hello)
{
    struct wire_hello head;

    if (len < sizeof(head))
        return -EBADMSG;
    memcpy(&head, data, sizeof(head));
    if (head.magic != COMCH_WIRE_MAGIC)
        return -EBADMSG;
    if (head.version != COMCH_WIRE_VERSION)
        return -EPROTO;
    if (head.zero != 0 || head.max_msg == 0 || head.recv_queue == 0 || head.fast_path > 1 ||
        head.identity_len > COMCH_IDENTITY_MAX || len - sizeof(head) != head.identity_len)
        return -EBADMSG;
    *hello = (struct comch_hello){
        .max_msg = head.max_msg,
        .recv_queue = head.recv_queue,
        .fast_path = head.fast_path == 1,
        .identity = (const char *)data + sizeof(head),
        .identity_len = head.identity_len,
    };
    return 0;
}

size_t comch_wire_put_answer(uint8_t *buf, const struct comch_answer *answer)
{
    const struct wire_answer wire = {
        .magic = COMCH_WIRE_MAGIC,
        .version = COMCH_WIRE_VERSION,
        .verdict = answer->verdict,
        .max_msg = answer->max_msg,
        .recv_queue = answer->recv_queue,
        .fast_path = answer->fast_path,
    };

    memcpy(buf, &wire, sizeof(wire));
    return sizeof(wire);
}

int comch_wire_get_answer(const void *data, size_t len, struct comch_answer *answer)
{
    struct wire_answer wire;

    if (len != sizeof(wire))
        return -EBADMSG;
    memcpy(&wire, data, sizeof(wire));
    if (wire.magic != COMCH_WIRE_MAGIC)
        return -EBADMSG;
    if (wire.version != COMCH_WIRE_VERSION)
        return -EPROTO;
    if (wire.verdict >= COMCH_VERDICT_NUM || wire.fast_path > 1 || wire.max_msg == 0 ||
        wire.recv_queue == 0)
        return -EBADMSG;
    *answer = (struct comch_answer){
        .verdict = (enum comch_verdict)wire.verdict,
        .max_msg = wire.max_msg,
        .recv_queue = wire.recv_queue,
        .fast_path = wire.fast_path == 1,
    };
    return 0;
}

/* FNV-1a, from a start of its own for each half of the address. */
static uint64_t hash(uint64_t value, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        value = (value ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return value;
}

/* Names may have any bytes, so they are not part of the address; that two of them have the same
 * hash would be noticed by the greeting, which has the identity itself. */
void comch_wire_address(const char *identity, size_t len, char address[COMCH_ADDRESS_SIZE])
{
    snprintf(address, COMCH_ADDRESS_SIZE, "local:comch-%016" PRIx64 "%016" PRIx64,
             hash(UINT64_C(0xcbf29ce484222325), identity, len),
             hash(UINT64_C(0x9ae16a3b2f90404f), identity, len));
}

int comch_wire_get_frame(uint8_t *data, uint32_t len, struct comch_frame *frame)
{
    struct comch_frame_head head;
    uint32_t payload;

    if (len < sizeof(head))
        return -EBADMSG;
    memcpy(&head, data, sizeof(head));
    payload = len - (uint32_t)sizeof(head);
    if (head.zero != 0)
        return -EBADMSG;
    switch (head.kind) {
    case COMCH_FRAME_MESSAGE:
        if (head.id != 0 || payload == 0)
            return -EBADMSG;
        break;
    case COMCH_FRAME_CONSUMER:
        if (head.id == 0 || head.id > COMCH_ID_MAX)
            return -EBADMSG;
        break;
    case COMCH_FRAME_EXPIRED:
        if (head.id == 0 || head.id > COMCH_ID_MAX || payload != 0)
            return -EBADMSG;
        break;
    default:
        return -EBADMSG;
    }
    *frame = (struct comch_frame){.kind = (enum comch_frame_kind)head.kind,
                                  .id = head.id,
                                  .payload = data + sizeof(head),
                                  .len = payload};
    return 0;
}

size_t comch_wire_put_consumer(uint8_t *buf, const struct comch_consumer_info *info)
{
    const struct wire_consumer wire = {
        .nslots = info->nslots,
        .imm_len = info->imm_len,
        .page_desc_len = (uint32_t)info->page_desc_len,
        .data_desc_len = (uint32_t)info->data_desc_len,
    };

    memcpy(buf, &wire, sizeof(wire));
    memcpy(buf + sizeof(wire), info->page_desc, info->page_desc_len);
    memcpy(buf + sizeof(wire) + info->page_desc_len, info->data_desc, info->data_desc_len);
    return sizeof(wire) + info->page_desc_len + info->data_desc_len;
}

static bool is_desc_len(uint32_t len)
{
    return len > 0 && len <= 512;
}

int comch_wire_get_consumer(const uint8_t *payload, uint32_t len, struct comch_consumer_info *info)
{
    struct wire_consumer wire;

    if (len < sizeof(wire))
        return -EBADMSG;
    memcpy(&wire, payload, sizeof(wire));
    if (!is_desc_len(wire.page_desc_len) || !is_desc_len(wire.data_desc_len) ||
        len != sizeof(wire) + wire.page_desc_len + wire.data_desc_len)
        return -EBADMSG;
    if (wire.nslots == 0 || wire.nslots > COMCH_POSTS_SLOTS_MAX ||
        (wire.nslots & (wire.nslots - 1)) != 0 || wire.imm_len > COMCH_POSTS_IMM_MAX)
        return -EBADMSG;
    *info = (struct comch_consumer_info){
        .nslots = wire.nslots,
        .imm_len = wire.imm_len,
        .page_desc = payload + sizeof(wire),
        .page_desc_len = wire.page_desc_len,
        .data_desc = payload + sizeof(wire) + wire.page_desc_len,
        .data_desc_len = wire.data_desc_len,
    };
    return 0;
}
