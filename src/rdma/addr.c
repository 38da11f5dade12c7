/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

struct doca_rdma_addr *rdma_addr_new(enum doca_rdma_addr_type type, const char *text,
                                     const char *host, uint16_t port)
{
    struct doca_rdma_addr *addr = calloc(1, sizeof(*addr));

    if (addr == NULL)
        return NULL;
    addr->type = type;
    addr->port = port;
    memcpy(addr->text, text, strnlen(text, sizeof(addr->text) - 1));
    memcpy(addr->host, host, strnlen(host, sizeof(addr->host) - 1));
    return addr;
}

/* The IP address that a text means; false: none. */
static bool find_host(enum doca_rdma_addr_type type, const char *text, char host[SOFT_CM_HOST_SIZE])
{
    struct in6_addr v6;
    struct in_addr v4;

    if (strlen(text) >= SOFT_CM_HOST_SIZE)
        return false;
    if (type == DOCA_RDMA_ADDR_TYPE_IPv4)
        return inet_pton(AF_INET, text, &v4) == 1 &&
               inet_ntop(AF_INET, &v4, host, SOFT_CM_HOST_SIZE) != NULL;
    if (inet_pton(AF_INET6, text, &v6) != 1)
        return false;
    if (IN6_IS_ADDR_V4MAPPED(&v6))
        return inet_ntop(AF_INET, &v6.s6_addr[12], host, SOFT_CM_HOST_SIZE) != NULL;
    return inet_ntop(AF_INET6, &v6, host, SOFT_CM_HOST_SIZE) != NULL;
}

doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type, const char *address,
                                   uint16_t port, struct doca_rdma_addr **addr)
{
    char host[SOFT_CM_HOST_SIZE] = "";
    struct doca_rdma_addr *created;

    if (address == NULL || addr == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, address == NULL ? "address" : "addr");
    if ((int)addr_type < DOCA_RDMA_ADDR_TYPE_IPv4 || (int)addr_type > DOCA_RDMA_ADDR_TYPE_GID)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, NULL, "addr_type",
                         "%d" CORE_LIMIT "%d..%d", (int)addr_type, (int)DOCA_RDMA_ADDR_TYPE_IPv4,
                         (int)DOCA_RDMA_ADDR_TYPE_GID);
    if (port == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, NULL, "port",
                         "0" CORE_LIMIT "1..65535");
    if (!find_host(addr_type, address, host))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, NULL, "address",
                         "\"%.64s\"" CORE_LIMIT "the text of an %s address" CORE_REMEDY
                         "names are not looked up",
                         address, addr_type == DOCA_RDMA_ADDR_TYPE_IPv4 ? "IPv4" : "IPv6");
    created = rdma_addr_new(addr_type, address, host, port);
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_RDMA, __func__, NULL, "address",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    core_live_add(CORE_LIVE_RDMA_ADDR, created);
    *addr = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr)
{
    if (!core_is_live(CORE_LIVE_RDMA_ADDR, addr))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "addr", addr);
    if (addr->is_owned)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_RDMA, __func__, NULL, "addr",
                         "%s port %u, which belongs to a connection" CORE_REMEDY
                         "leave it, it ends with the connection",
                         addr->text, addr->port);
    core_live_remove(addr);
    free(addr);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
                                       enum doca_rdma_addr_type *addr_type, const char **address,
                                       uint16_t *port)
{
    if (!core_is_live(CORE_LIVE_RDMA_ADDR, addr))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "addr", addr);
    if (addr_type == NULL || address == NULL || port == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__,
                              addr_type == NULL ? "addr_type"
                              : address == NULL ? "address"
                                                : "port");
    *addr_type = addr->type;
    *address = addr->text;
    *port = addr->port;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_get_addr(const struct doca_rdma_connection *rdma_connection,
                                           struct doca_rdma_addr **addr)
{
    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, rdma_connection))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma_connection", rdma_connection);
    if (addr == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "addr");
    if (rdma_connection->addr == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__,
                         rdma_connection->rdma->ctx.name, "rdma_connection",
                         "made by details" CORE_LIMIT "made by address");
    *addr = rdma_connection->addr;
    return DOCA_SUCCESS;
}
