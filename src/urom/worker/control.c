/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/worker_priv.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(UROM::WORKER::CONTROL);

#define MESSAGE_MAX 2048

bool worker_control_send(struct worker *worker, enum urom_type type, const void *body, size_t len)
{
    struct urom_frame frame = {.len = (uint32_t)len, .type = (uint16_t)type};
    struct iovec iov[] = {{&frame, sizeof(frame)}, {(void *)body, len}};
    const struct msghdr msg = {.msg_iov = iov, .msg_iovlen = OD_ARRAY_SIZE(iov)};
    ssize_t n;

    do {
        n = sendmsg(worker->control, &msg, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n >= 0;
}

static void admit(struct worker *worker, const void *body, size_t len)
{
    struct urom_admit message;

    if (urom_admit_decode(body, len, &message) == 0)
        worker_channel_admit(worker, &message);
}

static void drop(struct worker *worker, const void *body, size_t len)
{
    struct urom_drop message;
    struct worker_channel *channel;

    if (urom_drop_decode(body, len, &message) != 0)
        return;
    channel = worker_channel_by_token(worker, message.token);
    if (channel != NULL)
        worker_channel_drop(worker, channel);
}

static void take(struct worker *worker, const uint8_t *bytes, size_t len)
{
    struct urom_frame frame;

    if (len < sizeof(frame))
        return;
    memcpy(&frame, bytes, sizeof(frame));
    if (frame.type == UROM_TYPE_ADMIT)
        admit(worker, bytes + sizeof(frame), len - sizeof(frame));
    else if (frame.type == UROM_TYPE_DROP)
        drop(worker, bytes + sizeof(frame), len - sizeof(frame));
    else if (frame.type == UROM_TYPE_STOP)
        worker->stopping = true;
    else
        DOCA_LOG_WARN("the daemon says something unknown (%u)", frame.type);
}

void worker_control_read(struct worker *worker)
{
    uint8_t bytes[MESSAGE_MAX] OD_ALIGNED(8);

    for (;;) {
        ssize_t n = recv(worker->control, bytes, sizeof(bytes), MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            worker->stopping = true;
            return;
        }
        take(worker, bytes, (size_t)n);
    }
}
