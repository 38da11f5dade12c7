/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(APP_COPY::TALK);

#define PATIENCE 60 /* seconds */

static int open_socket(const char *path, struct sockaddr_un *address)
{
    struct timeval patience = {.tv_sec = PATIENCE};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    if (kit_store(address->sun_path, sizeof(address->sun_path), path) != DOCA_SUCCESS || fd < 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return fd;
}

doca_error_t app_listen(const char *path, int *peer)
{
    struct timeval patience = {.tv_sec = PATIENCE};
    struct sockaddr_un address;
    int fd = open_socket(path, &address);

    if (fd < 0)
        return DOCA_ERROR_IO_FAILED;
    (void)unlink(path);
    *peer = -1;
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0) {
        DOCA_LOG_INFO("Waiting for the host");
        *peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    }
    if (*peer < 0)
        DOCA_LOG_ERR("The host does not come: %s", strerror(errno));
    else
        setsockopt(*peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    close(fd);
    (void)unlink(path);
    return *peer < 0 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

doca_error_t app_connect(const char *path, int *peer)
{
    struct sockaddr_un address;

    *peer = open_socket(path, &address);
    if (*peer < 0)
        return DOCA_ERROR_IO_FAILED;
    if (connect(*peer, (struct sockaddr *)&address, sizeof(address)) != 0) {
        DOCA_LOG_ERR("The DPU is not there: %s", strerror(errno));
        close(*peer);
        return DOCA_ERROR_IO_FAILED;
    }
    return DOCA_SUCCESS;
}

doca_error_t app_send(int peer, const struct app_message *message)
{
    size_t extra = message->kind == APP_DESCRIPTOR ? message->second : 0;
    uint64_t numbers[3] = {htobe64(message->kind), htobe64(message->first),
                           htobe64(message->second)};
    uint8_t packet[APP_MAX_MESSAGE];

    if (extra > APP_MAX_DESCRIPTOR)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(packet, numbers, sizeof(numbers));
    memcpy(packet + sizeof(numbers), message->descriptor, extra);
    if (send(peer, packet, sizeof(numbers) + extra, MSG_NOSIGNAL) < 0) {
        DOCA_LOG_ERR("Cannot send: %s", strerror(errno));
        return DOCA_ERROR_IO_FAILED;
    }
    return DOCA_SUCCESS;
}

doca_error_t app_receive(int peer, struct app_message *message)
{
    uint64_t numbers[3];
    uint8_t packet[APP_MAX_MESSAGE];
    ssize_t n = recv(peer, packet, sizeof(packet), 0);
    size_t extra;

    if (n < (ssize_t)sizeof(numbers)) {
        DOCA_LOG_ERR("The other side has left");
        return DOCA_ERROR_BAD_STATE;
    }
    memcpy(numbers, packet, sizeof(numbers));
    message->kind = (enum app_kind)be64toh(numbers[0]);
    message->first = be64toh(numbers[1]);
    message->second = be64toh(numbers[2]);
    extra = (size_t)n - sizeof(numbers);
    if (message->kind == APP_DESCRIPTOR && message->second != extra)
        return DOCA_ERROR_IO_FAILED;
    memcpy(message->descriptor, packet + sizeof(numbers), extra);
    if (message->kind == APP_STATUS && message->first != 1) {
        DOCA_LOG_ERR("The other side gives up");
        return DOCA_ERROR_BAD_STATE;
    }
    return DOCA_SUCCESS;
}

void app_send_status(int peer, doca_error_t result)
{
    struct app_message message = {.kind = APP_STATUS, .first = result == DOCA_SUCCESS};

    (void)app_send(peer, &message);
}

doca_error_t app_await_leave(int peer)
{
    char rest;

    return recv(peer, &rest, 1, 0) == 0 ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}
