/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_HELLO_H_
#define OD_UROM_WIRE_HELLO_H_

/* The first words on each link: a greeting, and its answer, which takes in or refuses. Both carry
 * the protocol's version in front of everything that may change with it. */

#include "urom/wire/wire.h"

#define UROM_SECRET_SIZE 256

struct urom_hello {
    uint32_t size;
    uint32_t magic;
    uint16_t major;
    uint16_t minor;
    uint16_t kind; /* enum urom_kind */
    uint16_t flags;
    uint32_t msg_size; /* SERVICE: room of a message that is asked for */
    uint32_t pid;      /* for messages; who it is, the link knows */
    /* WORKER: the session key of the service context. CHANNEL, DOMAIN: the channel's token. */
    uint8_t key[UROM_WIRE_KEY_SIZE];
    char version[UROM_WIRE_VERSION_SIZE]; /* of the library */
    char card[UROM_WIRE_NAME_SIZE];       /* whose service is meant */
    uint32_t secret_len;                  /* remote clients: what their token file holds */
    uint32_t reserved;
    uint8_t secret[UROM_SECRET_SIZE];
};

_Static_assert(sizeof(struct urom_hello) == 400, "wire format");

/* Why a greeting or an ATTACH was refused; counted by the daemon under these names. */
enum urom_reason {
    UROM_REASON_NONE, /* taken in */
    UROM_REASON_VERSION,
    UROM_REASON_MALFORMED,
    UROM_REASON_IDENTITY, /* user, group, network or token is not allowed */
    UROM_REASON_CLIENTS,  /* no more clients */
    UROM_REASON_MSG_SIZE, /* larger than the daemon's limit */
    UROM_REASON_SESSION,  /* unknown key */
    UROM_REASON_STOPPING, /* the daemon is about to end */
    UROM_REASON_RESOURCES,
    UROM_REASON_NUM
};

struct urom_answer {
    uint32_t size;
    uint32_t magic;
    uint16_t major;
    uint16_t minor;
    uint16_t reason; /* enum urom_reason */
    uint16_t flags;
    char version[UROM_WIRE_VERSION_SIZE];
    char text[UROM_WIRE_TEXT_SIZE]; /* why it was refused */
    /* to SERVICE */
    uint32_t max_msg; /* the daemon's limit */
    uint32_t max_workers;
    uint32_t max_inflight;
    uint32_t pid;
    uint8_t instance[UROM_WIRE_KEY_SIZE]; /* which run of which daemon */
    uint8_t session[UROM_WIRE_KEY_SIZE];
    uint8_t cpus[UROM_WIRE_CPUS_SIZE];
    char pci[UROM_WIRE_NAME_SIZE];
    char card[UROM_WIRE_NAME_SIZE];
    /* to CHANNEL */
    uint64_t dest;
    /* to SERVICE */
    uint32_t start_timeout; /* ms that a worker may take to start */
    uint32_t reserved;
    /* to SERVICE, on one machine: HOST:0 of an address that other hosts reach; "": none */
    char net[UROM_WIRE_NAME_SIZE];
};

_Static_assert(sizeof(struct urom_answer) == 664, "wire format");

const char *urom_reason_name(enum urom_reason reason);

/* Fills in what every greeting and answer has; the rest is zero. */
void urom_hello_init(struct urom_hello *hello, enum urom_kind kind);
void urom_answer_init(struct urom_answer *answer, enum urom_reason reason);

/* 0; -EPROTO: another major version, of which only the parts in front of it are filled in;
 * -EBADMSG: not of this protocol, or malformed. */
int urom_hello_decode(const void *bytes, size_t len, struct urom_hello *hello);
int urom_answer_decode(const void *bytes, size_t len, struct urom_answer *answer);

#endif /* OD_UROM_WIRE_HELLO_H_ */
