/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_PCAP_PCAP_FILE_H_
#define OD_SOFT_NIC_PCAP_PCAP_FILE_H_

/* Capture files: the classic format, of either byte order, with stamps of micro- or nanoseconds.
 * They come from outside: nothing is read behind their end, whatever they claim. */

#include "soft/soft.h"

#define SOFT_PCAP_HEAD   24u
#define SOFT_PCAP_RECORD 16u

/* A file in memory, and where it is read. */
struct soft_pcap {
    const uint8_t *bytes;
    size_t len;
    size_t at;
    bool swapped;
    bool nanoseconds;
};

struct soft_pcap_frame {
    const uint8_t *data;
    uint32_t len;  /* as captured */
    uint64_t time; /* nanoseconds */
};

/* -EINVAL with a reason: not such a file, or not of Ethernet. */
SOFT_API int soft_pcap_open(struct soft_pcap *pcap, const void *bytes, size_t len);
/* 1: a frame; 0: the end; -EBADMSG: cut or nonsense from here on. */
SOFT_API int soft_pcap_next(struct soft_pcap *pcap, struct soft_pcap_frame *frame);

/* The beginning of a file with stamps of nanoseconds, in the byte order of the machine; and of a
 * record. */
SOFT_API void soft_pcap_head(uint8_t head[SOFT_PCAP_HEAD]);
SOFT_API void soft_pcap_record(uint8_t record[SOFT_PCAP_RECORD], uint32_t len, uint64_t time);

#endif /* OD_SOFT_NIC_PCAP_PCAP_FILE_H_ */
