/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/hello.h"

#include <errno.h>

#include "urom/wire/pack.h"

/* What no version of the protocol changes. */
struct head {
    uint32_t size;
    uint32_t magic;
    uint16_t major;
    uint16_t minor;
};

static const char *const reason_names[UROM_REASON_NUM] = {
    [UROM_REASON_NONE] = "none",           [UROM_REASON_VERSION] = "version",
    [UROM_REASON_MALFORMED] = "malformed", [UROM_REASON_IDENTITY] = "identity",
    [UROM_REASON_CLIENTS] = "clients",     [UROM_REASON_MSG_SIZE] = "message_size",
    [UROM_REASON_SESSION] = "session",     [UROM_REASON_STOPPING] = "stopping",
    [UROM_REASON_RESOURCES] = "resources",
};

const char *urom_reason_name(enum urom_reason reason)
{
    return (unsigned int)reason < UROM_REASON_NUM ? reason_names[reason] : "unknown";
}

void urom_hello_init(struct urom_hello *hello, enum urom_kind kind)
{
    *hello = (struct urom_hello){.size = sizeof(*hello),
                                 .magic = UROM_WIRE_MAGIC,
                                 .major = UROM_WIRE_MAJOR,
                                 .minor = UROM_WIRE_MINOR,
                                 .kind = (uint16_t)kind};
    urom_text_set(hello->version, sizeof(hello->version), OD_PRODUCT_VERSION);
}

void urom_answer_init(struct urom_answer *answer, enum urom_reason reason)
{
    *answer = (struct urom_answer){.size = sizeof(*answer),
                                   .magic = UROM_WIRE_MAGIC,
                                   .major = UROM_WIRE_MAJOR,
                                   .minor = UROM_WIRE_MINOR,
                                   .reason = (uint16_t)reason};
    urom_text_set(answer->version, sizeof(answer->version), OD_PRODUCT_VERSION);
}

/* 0, -EPROTO or -EBADMSG, as above; `head` is the first part of what is decoded. */
static int decode_head(const void *bytes, size_t len, struct head *head)
{
    if (len < sizeof(*head))
        return -EBADMSG;
    memcpy(head, bytes, sizeof(*head));
    if (head->magic != UROM_WIRE_MAGIC)
        return -EBADMSG;
    return head->major == UROM_WIRE_MAJOR ? 0 : -EPROTO;
}

int urom_hello_decode(const void *bytes, size_t len, struct urom_hello *hello)
{
    struct urom_in in = {.at = bytes, .left = len};
    struct head head;
    int err = decode_head(bytes, len, &head);

    if (err == -EPROTO)
        *hello = (struct urom_hello){.major = head.major, .minor = head.minor};
    if (err != 0)
        return err;
    urom_in_struct(&in, hello, sizeof(*hello));
    if (!urom_in_done(&in))
        return -EBADMSG;
    if (!urom_text_clean(hello->version, sizeof(hello->version)) ||
        !urom_text_clean(hello->card, sizeof(hello->card)) || hello->secret_len > UROM_SECRET_SIZE)
        return -EBADMSG;
    return 0;
}

int urom_answer_decode(const void *bytes, size_t len, struct urom_answer *answer)
{
    struct urom_in in = {.at = bytes, .left = len};
    struct head head;
    int err = decode_head(bytes, len, &head);

    if (err == -EPROTO)
        *answer = (struct urom_answer){.major = head.major, .minor = head.minor};
    if (err != 0)
        return err;
    urom_in_struct(&in, answer, sizeof(*answer));
    if (!urom_in_done(&in))
        return -EBADMSG;
    if (!urom_text_clean(answer->version, sizeof(answer->version)) ||
        !urom_text_clean(answer->text, sizeof(answer->text)) ||
        !urom_text_clean(answer->pci, sizeof(answer->pci)) ||
        !urom_text_clean(answer->net, sizeof(answer->net)) ||
        !urom_text_clean(answer->card, sizeof(answer->card)))
        return -EBADMSG;
    return 0;
}
