/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/rdmo/common/rdmo_wire.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool is_addr(uint64_t addr_len, size_t rest)
{
    return addr_len > 0 && addr_len <= RDMO_ADDR_MAX && addr_len == rest;
}

int rdmo_cmd_read(const void *bytes, size_t len, struct rdmo_cmd *cmd, const uint8_t **data)
{
    size_t rest;
    bool fine;

    if (len < sizeof(*cmd))
        return -EINVAL;
    memcpy(cmd, bytes, sizeof(*cmd));
    *data = (const uint8_t *)bytes + sizeof(*cmd);
    rest = len - sizeof(*cmd);
    switch (cmd->type) {
    case RDMO_CLIENT_INIT:
        fine = is_addr(cmd->init.addr_len, rest);
        break;
    case RDMO_RQ_CREATE:
        fine = is_addr(cmd->rq_create.addr_len, rest);
        break;
    case RDMO_MR_REG:
        fine = cmd->mr_reg.rkey_len > 0 && cmd->mr_reg.rkey_len <= rest &&
               cmd->mr_reg.memh_len == rest - cmd->mr_reg.rkey_len &&
               cmd->mr_reg.va + cmd->mr_reg.len >= cmd->mr_reg.va;
        break;
    case RDMO_RQ_DESTROY:
    case RDMO_MR_DEREG:
        fine = rest == 0;
        break;
    default:
        return -ENOTSUP;
    }
    return fine ? 0 : -EINVAL;
}

int rdmo_request_read(const void *header, size_t header_len, size_t data_len,
                      struct rdmo_request *request)
{
    const size_t fixed = offsetof(struct rdmo_request, flush);
    bool fine;

    if (header_len < fixed || header_len > sizeof(*request))
        return -EINVAL;
    memset(request, 0, sizeof(*request));
    memcpy(request, header, header_len);
    header_len -= fixed;
    switch (request->op) {
    case RDMO_FLUSH:
        fine = header_len == sizeof(request->flush) && data_len == 0;
        break;
    case RDMO_APPEND:
        fine = header_len == sizeof(request->append);
        break;
    case RDMO_SCATTER:
        fine = header_len == sizeof(request->scatter) &&
               request->scatter.count <= data_len / sizeof(struct rdmo_piece);
        break;
    default:
        return -ENOTSUP;
    }
    return fine ? 0 : -EINVAL;
}

int rdmo_piece_read(const uint8_t *data, size_t len, size_t *offset, struct rdmo_piece *piece,
                    const uint8_t **bytes)
{
    if (*offset == len)
        return -ENOENT;
    if (len - *offset < sizeof(*piece))
        return -EINVAL;
    memcpy(piece, data + *offset, sizeof(*piece));
    if (piece->len > len - *offset - sizeof(*piece))
        return -EINVAL;
    *bytes = data + *offset + sizeof(*piece);
    *offset += sizeof(*piece) + piece->len;
    return 0;
}

int rdmo_pieces_check(const uint8_t *data, size_t len, uint64_t count)
{
    struct rdmo_piece piece;
    const uint8_t *bytes;
    size_t offset = 0;
    uint64_t found = 0;
    int err;

    while ((err = rdmo_piece_read(data, len, &offset, &piece, &bytes)) == 0)
        found++;
    return err == -ENOENT && found == count ? 0 : -EINVAL;
}
