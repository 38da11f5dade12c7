/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/link/local/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/link/local/ring.h"

#define MAGIC 0x4b4c444fu /* "ODLK" */

#define FIXED_HELLO   offsetof(struct soft_frame_hello, bytes)
#define FIXED_ANSWER  offsetof(struct soft_frame_answer, bytes)
#define FIXED_REFUSAL offsetof(struct soft_frame_refusal_body, bytes)

_Static_assert(sizeof(struct soft_frame_head) == 16, "the same in all versions");
_Static_assert(FIXED_REFUSAL == 24, "the same in all versions");
_Static_assert(FIXED_HELLO == 32, "frozen by SOFT_FRAME_VERSION");
_Static_assert(FIXED_ANSWER == 32, "frozen by SOFT_FRAME_VERSION");
_Static_assert(sizeof(struct soft_frame_wake) == 24, "frozen by SOFT_FRAME_VERSION");

size_t soft_frame_seal(union soft_frame *frame, enum soft_frame_type type)
{
    size_t size = sizeof(struct soft_frame_wake);

    if (type == SOFT_FRAME_HELLO)
        size = FIXED_HELLO + frame->hello.len;
    else if (type == SOFT_FRAME_ANSWER)
        size = FIXED_ANSWER + frame->answer.len;
    else if (type == SOFT_FRAME_REFUSAL)
        size = FIXED_REFUSAL + frame->refusal.len;
    frame->head = (struct soft_frame_head){
        .magic = MAGIC, .version = SOFT_FRAME_VERSION, .type = type, .size = (uint32_t)size};
    return size;
}

static bool is_sized(size_t size, size_t fixed, uint32_t len)
{
    return len <= SOFT_LINK_HELLO_MAX && size == fixed + len;
}

static bool is_depth(uint32_t depth)
{
    return depth > 0 && depth <= SOFT_RING_DEPTH_MAX;
}

static bool check_hello(const struct soft_frame_hello *f, size_t len)
{
    return len >= FIXED_HELLO && is_sized(len, FIXED_HELLO, f->len) && f->max_msg > 0 &&
           is_depth(f->depth) && (f->flags & ~SOFT_FRAME_FLAGS) == 0;
}

static bool check_answer(const struct soft_frame_answer *f, size_t len)
{
    return len >= FIXED_ANSWER && is_sized(len, FIXED_ANSWER, f->len) && f->max_msg > 0 &&
           is_depth(f->depth) && (f->flags & ~SOFT_FRAME_FLAGS) == 0;
}

static bool check_refusal(const struct soft_frame_refusal_body *f, size_t len)
{
    return len >= FIXED_REFUSAL && is_sized(len, FIXED_REFUSAL, f->len) &&
           f->code >= SOFT_REFUSAL_OWNER && f->code <= SOFT_REFUSAL_VERSION;
}

int soft_frame_check(const union soft_frame *frame, size_t len)
{
    bool good = false;

    if (len < sizeof(frame->head) || frame->head.magic != MAGIC || frame->head.size != len ||
        frame->head.zero != 0)
        return -EBADMSG;
    if (frame->head.type == SOFT_FRAME_REFUSAL)
        return check_refusal(&frame->refusal, len) ? 0 : -EBADMSG;
    if (frame->head.version != SOFT_FRAME_VERSION)
        return -EPROTO;
    if (frame->head.type == SOFT_FRAME_HELLO)
        good = check_hello(&frame->hello, len);
    else if (frame->head.type == SOFT_FRAME_ANSWER)
        good = check_answer(&frame->answer, len);
    else if (frame->head.type == SOFT_FRAME_WAKE)
        good = len == sizeof(frame->wake) && frame->wake.zero == 0;
    return good ? 0 : -EBADMSG;
}

union control {
    char bytes[CMSG_SPACE(SOFT_FRAME_FDS * sizeof(int))];
    struct cmsghdr align;
};

int soft_frame_send(int sock, const union soft_frame *frame, size_t size, const int *fds,
                    unsigned int nfds)
{
    struct iovec iov = {.iov_base = (void *)frame, .iov_len = size};
    struct msghdr mh = {.msg_iov = &iov, .msg_iovlen = 1};
    union control control = {0};

    if (nfds > 0) {
        mh.msg_control = control.bytes;
        mh.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
        control.align.cmsg_level = SOL_SOCKET;
        control.align.cmsg_type = SCM_RIGHTS;
        control.align.cmsg_len = CMSG_LEN(nfds * sizeof(int));
        memcpy(CMSG_DATA(&control.align), fds, nfds * sizeof(int));
    }
    while (sendmsg(sock, &mh, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

static void take_files(struct msghdr *mh, int fds[SOFT_FRAME_FDS])
{
    unsigned int have = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c != NULL; c = CMSG_NXTHDR(mh, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < n && have < SOFT_FRAME_FDS; i++)
            memcpy(&fds[have++], CMSG_DATA(c) + i * sizeof(int), sizeof(int));
    }
}

int soft_frame_receive(int sock, union soft_frame *frame, int fds[SOFT_FRAME_FDS])
{
    union control control;
    struct iovec iov = {.iov_base = frame, .iov_len = sizeof(*frame)};
    struct msghdr mh = {.msg_iov = &iov,
                        .msg_iovlen = 1,
                        .msg_control = control.bytes,
                        .msg_controllen = sizeof(control.bytes)};
    ssize_t n;
    int rc;

    for (unsigned int i = 0; i < SOFT_FRAME_FDS; i++)
        fds[i] = -1;
    /* A reset (hung up before it read all) hides what was said before; it shows once. */
    do
        n = recvmsg(sock, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (n < 0 && (errno == EINTR || errno == ECONNRESET));
    if (n < 0 && errno == EAGAIN)
        return -EAGAIN;
    if (n <= 0)
        return -ECONNRESET;
    take_files(&mh, fds);
    rc = (mh.msg_flags & MSG_TRUNC) != 0 ? -EBADMSG : soft_frame_check(frame, (size_t)n);
    if (rc == 0)
        return 0;
    for (unsigned int i = 0; i < SOFT_FRAME_FDS; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
    return rc;
}
