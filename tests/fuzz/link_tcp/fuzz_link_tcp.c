/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/link/tcp/stream.h"

#define MAX_MSG 3000u
#define DEPTH   4u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_greeting(const uint8_t *data, size_t size)
{
    struct soft_tcp_greeting greeting;
    int rc = soft_tcp_greeting_parse(data, size, SOFT_TCP_HELLO, SOFT_TCP_REFUSAL, &greeting);

    if (rc == 0 && (greeting.len > SOFT_LINK_HELLO_MAX || sizeof(greeting) + greeting.len > size))
        abort();
}

static void take_all(struct soft_tcp_stream *stream)
{
    const void *bytes;
    uint32_t len;

    while (soft_tcp_store_peek(&stream->store, &bytes, &len) == 0) {
        volatile char sum = 0;

        if (len > MAX_MSG)
            abort();
        for (uint32_t i = 0; i < len; i++)
            sum = (char)(sum + ((const char *)bytes)[i]);
        soft_tcp_store_take(&stream->store);
    }
}

/* Whatever comes, in pieces of whatever length, is messages of allowed length or the end. The first
 * byte: how long the pieces are, and whether the owner takes anything meanwhile. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_tcp_stream stream;
    int socks[2], rc = 0;
    bool news;

    read_greeting(data, size);
    if (size < 1 || soft_tcp_stream_open(&stream) != 0)
        return 0;
    if (soft_tcp_stream_come_up(&stream, MAX_MSG, DEPTH) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, socks) != 0)
        abort();
    stream.sock = socks[0];
    atomic_store(&stream.sent, 5);
    for (size_t at = 1; at < size && rc == 0;) {
        size_t n = OD_MIN(size - at, (size_t)(data[0] >> 1) * 32 + 1);

        if (send(socks[1], data + at, n, MSG_NOSIGNAL) != (ssize_t)n)
            break;
        at += n;
        rc = soft_tcp_stream_pump(&stream, 4, &news);
        if ((data[0] & 1) != 0)
            take_all(&stream);
    }
    take_all(&stream);
    soft_tcp_stream_close(&stream);
    close(socks[0]);
    close(socks[1]);
    return 0;
}
