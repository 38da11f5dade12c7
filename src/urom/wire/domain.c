/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/domain.h"

#include <errno.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------------------
 * Writing
 */

void urom_domain_put_addr(struct urom_out *out, const char *name, uint64_t version,
                          const void *addr, size_t len)
{
    struct urom_domain_addr head = {
        .size = sizeof(head), .addr_len = (uint32_t)len, .version = version};

    urom_text_set(head.name, sizeof(head.name), name);
    urom_out_bytes(out, &head, sizeof(head));
    urom_out_bytes(out, addr, len);
    urom_out_pad(out);
}

void urom_domain_put_worker(struct urom_out *out, uint64_t domain_id, uint64_t worker_id,
                            const void *addrs, size_t len)
{
    const struct urom_domain_worker head = {
        .size = sizeof(head),
        .addrs_len = (uint32_t)len,
        .domain_id = domain_id,
        .worker_id = worker_id,
    };

    urom_out_bytes(out, &head, sizeof(head));
    urom_out_bytes(out, addrs, len);
    urom_out_pad(out);
}

void urom_domain_put_buffer(struct urom_out *out, const struct urom_domain_buffer *buffer,
                            const void *memh, const void *mkey)
{
    urom_out_bytes(out, buffer, sizeof(*buffer));
    urom_out_bytes(out, memh, buffer->memh_len);
    urom_out_pad(out);
    urom_out_bytes(out, mkey, buffer->mkey_len);
    urom_out_pad(out);
}

void urom_domain_put_process(struct urom_out *out, const void *blob, size_t len)
{
    const uint64_t length = len;

    urom_out_bytes(out, &length, sizeof(length));
    urom_out_bytes(out, blob, len);
    urom_out_pad(out);
}

/* ------------------------------------------------------------------------------------------------
 * Reading. Each table is walked twice: to check and count, then to fill in.
 */

static void read_addr(struct urom_in *in, struct urom_table *table, bool fill)
{
    const struct urom_domain_addr *in_place = (const void *)in->at;
    struct urom_domain_addr head;
    const void *addr;

    if (!urom_in_struct(in, &head, sizeof(head)))
        return;
    addr = urom_in_bytes(in, head.addr_len);
    urom_in_pad(in, head.addr_len);
    if (head.name[0] == '\0' || !urom_text_clean(head.name, sizeof(head.name)))
        in->bad = true;
    if (fill)
        table->addrs[table->naddrs] = (struct urom_table_addr){
            .name = in_place->name, .version = head.version, .addr = addr, .len = head.addr_len};
    table->naddrs++;
}

int urom_domain_check_addrs(const void *bytes, size_t len)
{
    struct urom_in in = {.at = bytes, .left = len};
    struct urom_table none = {0};

    while (!in.bad && in.left > 0 && none.naddrs <= UROM_WIRE_PLUGINS_MAX)
        read_addr(&in, &none, false);
    return urom_in_done(&in) ? 0 : -EBADMSG;
}

static void read_worker(struct urom_in *in, struct urom_table *table, bool fill)
{
    const size_t first = table->naddrs;
    struct urom_domain_worker head;
    struct urom_in addrs;

    if (!urom_in_struct(in, &head, sizeof(head)))
        return;
    addrs = (struct urom_in){.at = urom_in_bytes(in, head.addrs_len), .left = head.addrs_len};
    urom_in_pad(in, head.addrs_len);
    if (in->bad)
        return;
    while (!addrs.bad && addrs.left > 0)
        read_addr(&addrs, table, fill);
    in->bad = addrs.bad || table->naddrs - first > UROM_WIRE_PLUGINS_MAX;
    if (fill)
        table->workers[table->nworkers] = (struct urom_table_worker){
            .domain_id = head.domain_id,
            .worker_id = head.worker_id,
            .addrs = table->addrs + first,
            .naddrs = (uint32_t)(table->naddrs - first),
        };
    table->nworkers++;
}

static void read_buffer(struct urom_in *in, struct urom_table *table, bool fill)
{
    struct urom_domain_buffer head;
    const void *memh, *mkey;

    if (!urom_in_struct(in, &head, sizeof(head)))
        return;
    memh = urom_in_bytes(in, head.memh_len);
    urom_in_pad(in, head.memh_len);
    mkey = urom_in_bytes(in, head.mkey_len);
    urom_in_pad(in, head.mkey_len);
    if (fill)
        table->buffers[table->nbuffers] = (struct urom_table_buffer){
            .va = head.va,
            .len = head.len,
            .memh = head.memh_len > 0 ? memh : NULL,
            .mkey = head.mkey_len > 0 ? mkey : NULL,
            .memh_len = head.memh_len,
            .mkey_len = head.mkey_len,
        };
    table->nbuffers++;
}

static void read_blob(struct urom_in *in, struct urom_table *table, bool fill)
{
    const size_t first_worker = table->nworkers, first_buffer = table->nbuffers;
    const struct urom_domain_blob *in_place = (const void *)in->at;
    struct urom_domain_blob head;

    if (!urom_in_struct(in, &head, sizeof(head)))
        return;
    for (uint32_t i = 0; i < head.workers && !in->bad; i++)
        read_worker(in, table, fill);
    for (uint32_t i = 0; i < head.buffers && !in->bad; i++)
        read_buffer(in, table, fill);
    for (size_t i = first_worker; fill && i < table->nworkers; i++) {
        table->workers[i].buffers = table->buffers + first_buffer;
        table->workers[i].nbuffers = (uint32_t)(table->nbuffers - first_buffer);
        table->workers[i].uid = head.uid;
        table->workers[i].instance = in_place->instance;
    }
}

/* False when something is malformed. */
static bool walk(struct urom_in in, struct urom_table *table, bool fill)
{
    struct urom_domain_table head;
    uint64_t length;

    table->nworkers = table->naddrs = table->nbuffers = 0;
    urom_in_struct(&in, &head, sizeof(head));
    for (uint32_t i = 0; !in.bad && i < head.processes; i++) {
        const void *bytes = urom_in_bytes(&in, sizeof(length));
        struct urom_in blob;

        if (bytes == NULL)
            return false;
        memcpy(&length, bytes, sizeof(length));
        blob = (struct urom_in){.at = urom_in_bytes(&in, length), .left = length};
        urom_in_pad(&in, length);
        if (in.bad)
            return false;
        read_blob(&blob, table, fill);
        in.bad = !urom_in_done(&blob);
    }
    return urom_in_done(&in);
}

static int by_domain_id(const void *a, const void *b)
{
    const uint64_t x = ((const struct urom_table_worker *)a)->domain_id;
    const uint64_t y = ((const struct urom_table_worker *)b)->domain_id;

    return (x > y) - (x < y);
}

int urom_table_parse(void *bytes, size_t len, struct urom_table **table, uint64_t *id)
{
    const struct urom_in in = {.at = bytes, .left = len};
    struct urom_table *made;
    int err = -ENOMEM;

    if (len > UROM_WIRE_TABLE_MAX)
        return -EBADMSG;
    made = calloc(1, sizeof(*made));
    if (made == NULL)
        return -ENOMEM;
    if (!walk(in, made, false)) {
        err = -EBADMSG;
        goto err_free;
    }
    made->workers = calloc(made->nworkers + 1, sizeof(made->workers[0]));
    made->addrs = calloc(made->naddrs + 1, sizeof(made->addrs[0]));
    made->buffers = calloc(made->nbuffers + 1, sizeof(made->buffers[0]));
    if (made->workers == NULL || made->addrs == NULL || made->buffers == NULL)
        goto err_free;
    walk(in, made, true);
    qsort(made->workers, made->nworkers, sizeof(made->workers[0]), by_domain_id);
    for (size_t i = 1; i < made->nworkers; i++) {
        if (made->workers[i].domain_id == made->workers[i - 1].domain_id) {
            *id = made->workers[i].domain_id;
            err = -EEXIST;
            goto err_free;
        }
    }
    made->bytes = bytes;
    *table = made;
    return 0;

err_free:
    urom_table_free(made);
    return err;
}

void urom_table_free(struct urom_table *table)
{
    if (table == NULL)
        return;
    free(table->workers);
    free(table->addrs);
    free(table->buffers);
    free(table->bytes);
    free(table);
}

const struct urom_table_worker *urom_table_find(const struct urom_table *table, uint64_t domain_id)
{
    const struct urom_table_worker key = {.domain_id = domain_id};

    return bsearch(&key, table->workers, table->nworkers, sizeof(table->workers[0]), by_domain_id);
}
