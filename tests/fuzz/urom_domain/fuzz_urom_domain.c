/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "urom/wire/domain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t touch(const void *bytes, size_t len)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < len; i++)
        sum += ((const uint8_t *)bytes)[i];
    return sum;
}

static uint64_t look_at(const struct urom_table *table)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < table->nworkers; i++) {
        const struct urom_table_worker *worker = &table->workers[i];

        if (urom_table_find(table, worker->domain_id) != worker)
            abort();
        for (uint32_t a = 0; a < worker->naddrs; a++)
            sum +=
                strlen(worker->addrs[a].name) + touch(worker->addrs[a].addr, worker->addrs[a].len);
        for (uint32_t b = 0; b < worker->nbuffers; b++)
            sum += touch(worker->buffers[b].memh, worker->buffers[b].memh_len) +
                   touch(worker->buffers[b].mkey, worker->buffers[b].mkey_len);
        sum += touch(worker->instance, UROM_WIRE_KEY_SIZE);
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    struct urom_table *table;
    uint64_t id, sum = 0;

    if (bytes == NULL)
        return 0;
    if (size > 0)
        memcpy(bytes, data, size);
    urom_domain_check_addrs(bytes, size);
    if (urom_table_parse(bytes, size, &table, &id) == 0) {
        sum = look_at(table);
        urom_table_free(table);
    } else {
        free(bytes);
    }
    __asm__ volatile("" : : "r"(sum));
    return 0;
}
