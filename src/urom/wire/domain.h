/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WIRE_DOMAIN_H_
#define OD_UROM_WIRE_DOMAIN_H_

/* What the processes of a domain tell each other while it starts, and the table that their workers
 * get of it.
 *
 * First each process tells a head of fixed size, then all tell their blobs, padded to the longest.
 * The table is all blobs, in the order of the processes. */

#include <doca_urom_plugin.h>

#include "urom/wire/pack.h"
#include "urom/wire/wire.h"

#define UROM_OOB_VERSION 1

struct urom_oob_head {
    uint32_t magic;
    uint32_t version;
    uint32_t status; /* doca_error_t of what went before */
    uint32_t workers;
    uint32_t buffers;
    uint32_t reserved;
    uint64_t blob_len;
};

_Static_assert(sizeof(struct urom_oob_head) == 32, "wire format");

/* The address of one plugin of one worker; followed by its bytes, padded. A body of ADDRESSES is
 * some of them. */
struct urom_domain_addr {
    uint32_t size;
    uint32_t addr_len;
    uint64_t version;
    char name[DOCA_UROM_PLUGIN_NAME_MAX_LEN];
};

_Static_assert(sizeof(struct urom_domain_addr) == 64, "wire format");

struct urom_domain_worker {
    uint32_t size;
    uint32_t addrs_len; /* bytes of its addresses, which follow */
    uint64_t domain_id;
    uint64_t worker_id;
};

_Static_assert(sizeof(struct urom_domain_worker) == 24, "wire format");

/* Followed by the handle and the key, each padded. */
struct urom_domain_buffer {
    uint32_t size;
    uint32_t memh_len;
    uint32_t mkey_len;
    uint32_t reserved;
    uint64_t va;
    uint64_t len;
};

_Static_assert(sizeof(struct urom_domain_buffer) == 32, "wire format");

/* What one process brings; followed by workers, then buffers. */
struct urom_domain_blob {
    uint32_t size;
    uint32_t workers;
    uint32_t buffers;
    uint32_t uid;
    uint8_t instance[UROM_WIRE_KEY_SIZE]; /* of the daemon */
};

_Static_assert(sizeof(struct urom_domain_blob) == 32, "wire format");

struct urom_domain_table {
    uint32_t size;
    uint32_t processes;
    /* followed by, for each, a 64-bit length and that many bytes of blob, padded */
};

_Static_assert(sizeof(struct urom_domain_table) == 8, "wire format");

void urom_domain_put_addr(struct urom_out *out, const char *name, uint64_t version,
                          const void *addr, size_t len);
void urom_domain_put_worker(struct urom_out *out, uint64_t domain_id, uint64_t worker_id,
                            const void *addrs, size_t len);
void urom_domain_put_buffer(struct urom_out *out, const struct urom_domain_buffer *buffer,
                            const void *memh, const void *mkey);
void urom_domain_put_process(struct urom_out *out, const void *blob, size_t len);

/* 0 or -EBADMSG. */
int urom_domain_check_addrs(const void *bytes, size_t len);

/* ---- the table, ready for look-ups ---- */

struct urom_table_addr {
    const char *name;
    uint64_t version;
    const void *addr; /* 8-byte aligned */
    size_t len;
};

struct urom_table_buffer {
    uint64_t va;
    uint64_t len;
    const void *memh; /* 8-byte aligned; NULL when there is none */
    const void *mkey;
    size_t memh_len;
    size_t mkey_len;
};

struct urom_table_worker {
    uint64_t domain_id;
    uint64_t worker_id;
    const struct urom_table_addr *addrs;
    const struct urom_table_buffer *buffers; /* of its process */
    uint32_t naddrs;
    uint32_t nbuffers;
    uint32_t uid;
    const uint8_t *instance;
};

/* Immutable once parsed: any thread may read it. */
struct urom_table {
    void *bytes;                       /* owned */
    struct urom_table_worker *workers; /* ascending by domain id */
    struct urom_table_addr *addrs;
    struct urom_table_buffer *buffers;
    size_t nworkers;
    size_t naddrs;
    size_t nbuffers;
};

/* `bytes` are of malloc() and become the table's on success. 0; -EBADMSG; -EEXIST: two workers have
 * the same domain id, which is in *id; -ENOMEM. */
int urom_table_parse(void *bytes, size_t len, struct urom_table **table, uint64_t *id);
void urom_table_free(struct urom_table *table);

const struct urom_table_worker *urom_table_find(const struct urom_table *table, uint64_t domain_id);

#endif /* OD_UROM_WIRE_DOMAIN_H_ */
