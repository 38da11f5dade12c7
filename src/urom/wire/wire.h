/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_WIRE_H_
#define OD_UROM_WIRE_WIRE_H_

/* What the host library, the daemon and its workers say to each other.
 *
 * Everything travels in messages of soft/link, whose boundaries are kept, or over the socket pair
 * between a daemon and its worker. Numbers are little-endian, structures are sent as they lie in
 * memory; all machines that this runs on agree about both. Each structure begins with its size:
 * a later minor version appends fields, an older reader skips what it does not know, which must be
 * zero. Texts are NUL-terminated and the rest of their field is zero.
 *
 * Who connects to whom, and with which greeting (hello.h):
 *   SERVICE  a service context to the daemon: plugins, CPUs, limits; queries (control.h)
 *   WORKER   a worker context to the daemon: one ATTACH (control.h). The link stays: its end is the
 *            detach, or tells the context that the daemon is gone
 *   CONTROL  doca_urom_ctl to the daemon: status
 *   CHANNEL  a worker context to the worker process: commands and notifications (channel.h)
 *   DOMAIN   a domain context to the worker process: the table of the domain (domain.h). The worker
 *            forgets the domain when the link ends
 * The daemon is out of the path of commands. Daemon and worker talk over a socket pair (spawn.h)
 * and a page of counters (page.h). */

#include "util/base.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the wire format is that of little-endian machines"
#endif

#define UROM_WIRE_MAGIC 0x4d4f5255u /* "UROM" */
#define UROM_WIRE_MAJOR 1           /* must be equal */
#define UROM_WIRE_MINOR 0           /* the lower one of both sides counts */

#define UROM_WIRE_KEY_SIZE     16  /* of keys that cannot be guessed, and of the instance's name */
#define UROM_WIRE_CPUS_SIZE    128 /* 1024 CPUs, one bit each */
#define UROM_WIRE_ADDR_SIZE    256 /* of a link's address */
#define UROM_WIRE_VERSION_SIZE 32
#define UROM_WIRE_TEXT_SIZE    232 /* of a reason in words */
#define UROM_WIRE_NAME_SIZE    64  /* of a card, a device, a list of network devices */

#define UROM_WIRE_FRAME_MAX    (64u << 10)  /* of one message on links to and from the daemon */
#define UROM_WIRE_ATTACH_MAX   (1u << 20)   /* of an ATTACH, put together */
#define UROM_WIRE_STATUS_MAX   (8u << 20)   /* of a status text */
#define UROM_WIRE_BLOB_MAX     (1u << 20)   /* of what one process brings to a domain */
#define UROM_WIRE_TABLE_MAX    (256u << 20) /* of a domain's table */
#define UROM_WIRE_PLUGINS_MAX  64
#define UROM_WIRE_INFLIGHT_MAX 65536
#define UROM_WIRE_WORKERS_MAX  4096

/* The room of one message between host and worker: at least, by default, at most. */
#define UROM_WIRE_MSG_MIN     128u
#define UROM_WIRE_MSG_DEFAULT 4096u
#define UROM_WIRE_MSG_MAX     (1u << 20)

enum urom_kind {
    UROM_KIND_SERVICE = 1,
    UROM_KIND_WORKER = 2,
    UROM_KIND_CONTROL = 3,
    UROM_KIND_CHANNEL = 4,
    UROM_KIND_DOMAIN = 5,
};

/* Messages on all links but channels. Unknown ones with UROM_FRAME_OPTIONAL are skipped, others end
 * the link. */
enum urom_type {
    UROM_TYPE_PLUGINS = 1,    /* daemon -> service */
    UROM_TYPE_GID_QUERY = 2,  /* service -> daemon */
    UROM_TYPE_GID_RESULT = 3, /* daemon -> service */
    UROM_TYPE_ATTACH = 4,     /* worker context -> daemon */
    UROM_TYPE_ATTACH_OK = 5,
    UROM_TYPE_ATTACH_ERR = 6,
    UROM_TYPE_WORKER_EXIT = 7, /* daemon -> worker context */
    UROM_TYPE_STATUS_REQ = 8,  /* doca_urom_ctl -> daemon */
    UROM_TYPE_STATUS = 9,      /* JSON text */
    UROM_TYPE_READY = 10,      /* worker -> daemon */
    UROM_TYPE_FAILED = 11,
    UROM_TYPE_ADMIT = 12, /* daemon -> worker */
    UROM_TYPE_DROP = 13,
    UROM_TYPE_STOP = 14,
    UROM_TYPE_ADDRESSES = 15, /* worker -> domain context */
    UROM_TYPE_DOMAIN_SET = 16,
    UROM_TYPE_DOMAIN_ACK = 17,
};

/* In front of each message on all links but channels. */
struct urom_frame {
    uint32_t len; /* bytes behind this header */
    uint16_t type;
    uint16_t flags;
    uint64_t correlation; /* of the request, repeated by its answer */
};

_Static_assert(sizeof(struct urom_frame) == 16, "wire format");

#define UROM_FRAME_MORE     0x0001u /* the message goes on in the next one of the same type */
#define UROM_FRAME_OPTIONAL 0x8000u

#endif /* OD_UROM_WIRE_WIRE_H_ */
