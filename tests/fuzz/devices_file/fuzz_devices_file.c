/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a devices file: either a table that can be walked, or an error with a reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soft/device/device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads what a user of the table reads, so that a bad pointer shows. */
static size_t walk(const struct soft_topology *topology)
{
    size_t sum = strlen(topology->source);

    for (uint32_t i = 0; i < topology->ndevices; i++) {
        const struct soft_device *device = &topology->devices[i];
        char id[SOFT_DEVICE_ID_SIZE];

        soft_device_id(device, id);
        sum += strlen(id) + strlen(device->card) + strlen(device->ibdev) + strlen(device->iface) +
               strlen(device->vuid) + strlen(device->urom_service) + strlen(device->profile) +
               strlen(device->copy.engine) + strlen(soft_func_type_name(device->func_type)) +
               strlen(soft_role_name(device->role));
        for (uint32_t r = 0; r < device->nreps; r++)
            sum += strlen(device->reps[r]->card);
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_topology *topology = NULL;
    int err = soft_device_parse((const char *)data, size, "fuzz", &topology);

    if (err == 0 && walk(topology) == 0)
        abort();
    if (err != 0 && (topology != NULL || strncmp(soft_reason(), "fuzz:", 5) != 0))
        abort();
    soft_device_topology_free(topology);
    return 0;
}
