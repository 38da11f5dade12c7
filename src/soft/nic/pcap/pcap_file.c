/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/nic/pcap/pcap_file.h"

#include <errno.h>
#include <string.h>

#define MAGIC_MICRO 0xa1b2c3d4u
#define MAGIC_NANO  0xa1b23c4du
#define ETHERNET    1u
#define LONGEST     65535u

static uint32_t get(const struct soft_pcap *pcap, size_t at)
{
    uint32_t value;

    memcpy(&value, pcap->bytes + at, sizeof(value));
    return pcap->swapped ? __builtin_bswap32(value) : value;
}

int soft_pcap_open(struct soft_pcap *pcap, const void *bytes, size_t len)
{
    uint32_t magic;

    *pcap = (struct soft_pcap){.bytes = bytes, .len = len, .at = SOFT_PCAP_HEAD};
    if (len < SOFT_PCAP_HEAD)
        return soft_fail(-EINVAL, "not a capture file: %zu bytes", len);
    magic = get(pcap, 0);
    pcap->swapped =
        magic == __builtin_bswap32(MAGIC_MICRO) || magic == __builtin_bswap32(MAGIC_NANO);
    magic = get(pcap, 0);
    if (magic != MAGIC_MICRO && magic != MAGIC_NANO)
        return soft_fail(
            -EINVAL,
            "not a capture file of the classic format (begins with 0x%08x); convert it "
            "with 'editcap -F pcap'",
            magic);
    pcap->nanoseconds = magic == MAGIC_NANO;
    if ((get(pcap, 20) & 0xffff) != ETHERNET)
        return soft_fail(-EINVAL, "a capture of link type %u, allowed: 1 (Ethernet)",
                         get(pcap, 20) & 0xffff);
    return 0;
}

int soft_pcap_next(struct soft_pcap *pcap, struct soft_pcap_frame *frame)
{
    size_t left = pcap->len - pcap->at;
    uint32_t len;

    if (left == 0)
        return 0;
    if (left < SOFT_PCAP_RECORD)
        return -EBADMSG;
    len = get(pcap, pcap->at + 8);
    if (len > LONGEST || len > left - SOFT_PCAP_RECORD)
        return -EBADMSG;
    frame->time = (uint64_t)get(pcap, pcap->at) * 1000000000u +
                  (uint64_t)get(pcap, pcap->at + 4) * (pcap->nanoseconds ? 1u : 1000u);
    frame->data = pcap->bytes + pcap->at + SOFT_PCAP_RECORD;
    frame->len = len;
    pcap->at += SOFT_PCAP_RECORD + len;
    return 1;
}

static void put(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof(value));
}

void soft_pcap_head(uint8_t head[SOFT_PCAP_HEAD])
{
    const uint16_t version[2] = {2, 4};

    memset(head, 0, SOFT_PCAP_HEAD);
    put(head, MAGIC_NANO);
    memcpy(head + 4, version, sizeof(version));
    put(head + 16, LONGEST);
    put(head + 20, ETHERNET);
}

void soft_pcap_record(uint8_t record[SOFT_PCAP_RECORD], uint32_t len, uint64_t time)
{
    put(record, (uint32_t)(time / 1000000000u));
    put(record + 4, (uint32_t)(time % 1000000000u));
    put(record + 8, len);
    put(record + 12, len);
}
