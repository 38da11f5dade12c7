/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HELLO_MAGIC  0x616d6472u /* "rdma" */
#define ANSWER_MAGIC 0x416d6452u

static const char details_magic[8] = "ODRDMA\r\n";

/* FNV-1a: shows damage, proves nothing. */
static uint64_t sum(const void *data, size_t len)
{
    const uint8_t *bytes = data;
    uint64_t value = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return value;
}

void rdma_wire_seal_details(struct rdma_details *details)
{
    memcpy(details->magic, details_magic, sizeof(details->magic));
    details->version = RDMA_WIRE_VERSION;
    details->size = sizeof(*details);
    details->check = sum(details, offsetof(struct rdma_details, check));
}

int rdma_wire_get_details(const void *data, size_t len, struct rdma_details *details)
{
    struct rdma_details copy;

    if (len < offsetof(struct rdma_details, host))
        return -EBADMSG;
    memset(&copy, 0, sizeof(copy));
    memcpy(&copy, data, OD_MIN(len, sizeof(copy)));
    if (memcmp(copy.magic, details_magic, sizeof(copy.magic)) != 0)
        return -EBADMSG;
    if (copy.version != RDMA_WIRE_VERSION)
        return -EPROTO;
    if (len != sizeof(copy) || copy.size != sizeof(copy) ||
        copy.check != sum(&copy, offsetof(struct rdma_details, check)))
        return -EBADMSG;
    if (copy.zero != 0 || strnlen(copy.remote, sizeof(copy.remote)) == sizeof(copy.remote))
        return -EBADMSG;
    *details = copy;
    return 0;
}

void rdma_wire_address(const uint8_t instance[RDMA_TOKEN_SIZE], char address[RDMA_ADDRESS_SIZE])
{
    int n = snprintf(address, RDMA_ADDRESS_SIZE, "local:rdma-");

    for (size_t i = 0; i < RDMA_TOKEN_SIZE; i++)
        n += snprintf(address + n, RDMA_ADDRESS_SIZE - (size_t)n, "%02x", instance[i]);
}

void rdma_wire_seal_hello(struct rdma_hello *hello)
{
    hello->magic = HELLO_MAGIC;
    hello->version = RDMA_WIRE_VERSION;
}

void rdma_wire_seal_answer(struct rdma_answer *answer)
{
    answer->magic = ANSWER_MAGIC;
    answer->version = RDMA_WIRE_VERSION;
}

int rdma_wire_get_hello(const void *data, size_t len, struct rdma_hello *hello)
{
    struct rdma_hello copy;

    if (len != sizeof(copy))
        return -EBADMSG;
    memcpy(&copy, data, sizeof(copy));
    if (copy.magic != HELLO_MAGIC)
        return -EBADMSG;
    if (copy.version != RDMA_WIRE_VERSION)
        return -EPROTO;
    *hello = copy;
    return 0;
}

int rdma_wire_get_answer(const void *data, size_t len, struct rdma_answer *answer)
{
    struct rdma_answer copy;

    if (len != sizeof(copy))
        return -EBADMSG;
    memcpy(&copy, data, sizeof(copy));
    if (copy.magic != ANSWER_MAGIC)
        return -EBADMSG;
    if (copy.version != RDMA_WIRE_VERSION)
        return -EPROTO;
    if (copy.verdict >= RDMA_VERDICT_NUM)
        return -EBADMSG;
    *answer = copy;
    return 0;
}

int rdma_wire_get_frame(const void *data, uint32_t len, uint64_t left, struct rdma_frame *frame)
{
    struct rdma_frame copy;
    uint32_t payload;

    if (len < sizeof(copy) || len > RDMA_LINK_MSG)
        return -EBADMSG;
    memcpy(&copy, data, sizeof(copy));
    payload = len - (uint32_t)sizeof(copy);
    switch (copy.kind) {
    case RDMA_FRAME_SEND:
        if (copy.imm != 0)
            return -EBADMSG;
        /* fall through */
    case RDMA_FRAME_SEND_IMM:
        if (left != 0 || copy.total > RDMA_MAX_MESSAGE ||
            payload != OD_MIN(copy.total, (uint64_t)RDMA_FRAGMENT))
            return -EBADMSG;
        break;
    case RDMA_FRAME_MORE:
        if (left == 0 || copy.imm != 0 || copy.total != 0 ||
            payload != OD_MIN(left, (uint64_t)RDMA_FRAGMENT))
            return -EBADMSG;
        break;
    case RDMA_FRAME_WRITE_IMM:
        if (left != 0 || payload != 0 || copy.total > RDMA_MAX_MESSAGE)
            return -EBADMSG;
        break;
    default:
        return -EBADMSG;
    }
    *frame = copy;
    return 0;
}
